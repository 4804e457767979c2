"""Ways of drafting met in plain files: inserted sections, lists on a heading's line, interrupted lists, unnumbered chapters."""

# ruff: noqa: E501 — a case is one line, as it would be written by hand
from __future__ import annotations

import pytest

from compliance_rag.parse.labels import read_number
from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.tiling import check_tiling
from schemas.clause import ParsedVersion


def parsed(text: str, name: str = "a.txt") -> ParsedVersion:
    """The version of a text, which must tile."""
    version = parse_version(text.encode(), name)
    assert check_tiling(version) == []
    return version


def paths(version: ParsedVersion) -> list[str]:
    """Paths as printed, in order."""
    return ["/".join(clause.path) for clause in version.clauses]


def texts(version: ParsedVersion) -> dict[str, str]:
    """Own text by path."""
    return {"/".join(clause.path): clause.text for clause in version.clauses}


def test_a_section_takes_its_inserted_letter_in_lower_case() -> None:
    """`§ 12a` and `§ 12b` are sections between 12 and 13, in text and as HTML headings."""
    text = "§ 12 Books\n(1) Keep.\n(2) Show.\n§ 12a Loose leaves\n(1) Keep.\n(2) Show.\n§ 12b Discs\nKeep discs.\n§ 13 End\nThe end.\n"
    assert paths(parsed(text)) == ["12", "12/1", "12/2", "12a", "12a/1", "12a/2", "12b", "13"]
    page = "<h3>§ 5 General</h3><p>Text.</p><h3>§ 5a Special</h3><p>More.</p><h3>§ 6 End</h3><p>Last.</p>"
    assert texts(parsed(page, "a.html")) == {"5": "Text.", "5a": "More.", "6": "Last."}
    assert read_number("§ 12a(2)") == read_number("12a(2)") == ("12a", "2")


@pytest.mark.parametrize(
    "sentence",
    ["“挪用公款数额巨大不退还的”，是指不能退还的。", "2015年5月1日后订立的，适用本规定。", "“情节严重”，是指多次实施。"],
)
def test_an_article_that_is_one_sentence_is_text(sentence: str) -> None:
    """A Chinese article that opens with a quotation mark or a figure and ends with 。 is no heading."""
    version = parsed(f"第一条 甲方应当付款。\n第二条 {sentence}\n第三条 乙方应当收款。\n")
    assert [clause.heading for clause in version.clauses] == ["", "", ""]
    assert texts(version)["2"] == sentence


def test_a_short_sentence_heads_no_clause_of_another_number() -> None:
    """`2.3 Third.` before 3.1 is text like its siblings; before 2.3.1 it is a heading."""
    assert texts(parsed("2.1 First.\n2.2 Second.\n2.3 Third.\n3.1 Next is this.\n"))["2/3"] == "Third."
    version = parsed("2.2 Second.\n2.3 Third.\n2.3.1 The third is this.\n")
    assert [clause.heading for clause in version.clauses if clause.path == ("2", "3")] == ["Third."]


@pytest.mark.parametrize("line", ["附则", "附 则", "附　则"])
def test_a_chapter_without_a_number_is_a_container(line: str) -> None:
    """附则 on a line of its own holds the articles after it and is no paragraph of the one before."""
    version = parsed(f"第一章 职责\n第一条 甲。\n第二条 乙。\n{line}\n第三条 丙。\n")
    assert texts(version)["2"] == "乙。"
    assert [clause.label for clause in version.clauses] == ["第一章", "第一条", "第二条", line, "第三条"]
    assert version.clauses[4].parent == ("supplementary-provisions",)


def test_the_title_of_a_numbered_chapter_stays_its_title() -> None:
    """总则 on the line below 第一章 is that chapter's heading."""
    version = parsed("第一章\n总则\n第一条 甲。\n第二条 乙。\n")
    assert paths(version) == ["chapter-1", "1", "2"]
    assert version.clauses[0].heading == "总则"


def test_a_paragraph_between_two_items_stays_in_the_list() -> None:
    """Where the numbering goes on behind it, a paragraph belongs to the item before it; the next 款 counts as the second."""
    version = parsed(
        "第一条 有下列情形之一的：\n（一）甲；\n（二）乙。\n当事人可以另行约定。\n（三）丙。\n前款规定不适用于丁。\n第二条 戊。\n"
    )
    assert paths(version) == ["1", "1/1", "1/1/1", "1/1/2", "1/1/3", "1/2", "2"]
    assert texts(version)["1/1/2"] == "乙。\n当事人可以另行约定。"


def test_two_lists_of_one_article_stay_two_paragraphs() -> None:
    """A list that begins anew after a paragraph is that paragraph's."""
    version = parsed("第一条 甲：\n（一）子；\n（二）丑。\n乙：\n（一）寅；\n（二）卯。\n")
    assert paths(version) == ["1", "1/1", "1/1/1", "1/1/2", "1/2", "1/2/1", "1/2/2"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Section 2.01. Amount. (a) ten; (b) twenty.\nSection 2.02. Time. One day.\n", {"2/1/a": "ten;", "2/1/b": "twenty."}),
        ("3.1 List: (a) x; (b) y; and (c) z.\n3.2 Next.\n", {"3/1/a": "x;", "3/1/c": "z."}),
        ("第三条 丁：（一）子；（二）丑。\n第四条 戊。\n", {"3": "丁：", "3/1": "子；", "3/2": "丑。"}),
    ],
)
def test_a_list_on_the_line_of_its_heading_is_split(text: str, expected: dict[str, str]) -> None:
    """Members that begin right after a heading or a colon are clauses of their own."""
    found = texts(parsed(text))
    assert {path: found.get(path) for path in expected} == expected


def test_the_heading_before_a_list_on_its_line_stays_a_heading() -> None:
    """`Fees:` and `Term.` head the clause whose list follows."""
    version = parsed("1. Fees: (a) ten; (b) twenty.\n2. Term. (a) a year; (b) two.\n3. You pay: (a) now; (b) later.\n")
    assert [clause.heading for clause in version.clauses if len(clause.path) == 1] == ["Fees:", "Term.", ""]


@pytest.mark.parametrize(
    "text", ["3.1 See the rules. (b) applies; (c) does not.\n3.2 Next.\n", "3.1 Fees: (a) ten; (c) twenty.\n3.2 Next.\n"]
)
def test_brackets_that_do_not_run_on_split_nothing(text: str) -> None:
    """Letters that do not begin at the first or leave one out are words of the sentence."""
    assert paths(parsed(text)) == ["3/1", "3/2"]


def test_numbers_spelled_out_name_articles() -> None:
    """`ARTICLE TWO Payment` is article 2 with its heading."""
    version = parsed("ARTICLE ONE\nDefinitions\n1.1 A means b.\nARTICLE TWO Payment\n2.1 Pay now.\n")
    assert [("/".join(clause.path), clause.heading) for clause in version.clauses] == [
        ("1", "Definitions"), ("1/1", ""), ("2", "Payment"), ("2/1", ""),
    ]  # fmt: skip


def test_a_line_that_says_its_page_is_furniture() -> None:
    """`Bylaws  Page n of 4` between lines of one paragraph is in no clause; fewer than three are left alone."""
    body = "1. One\nThe one holds.\nACME Bylaws  Page {} of 4\n2. Two\nThe two holds\nACME Bylaws  Page {} of 4\nand goes on.\n"
    version = parsed(body.format(1, 2) + "3. Three\nThe third.\nACME Bylaws  Page 3 of 4\n")
    assert texts(version) == {"1": "The one holds.", "2": "The two holds\nand goes on.", "3": "The third."}
    assert "ACME" in texts(parsed(body.format(1, 2)))["1"]
    said = parsed("1. See the map on Page 1\n2. See the map on Page 2 and\n3. See the map on Page 3 too.\n")
    assert all("Page" in (clause.heading + clause.text) for clause in said.clauses)


def test_notes_below_the_last_clause_are_no_clauses() -> None:
    """`[1] Smith v Jones.` is a note where the words before bear [1], a list member where they do not."""
    version = parsed("1. One.[1]\n2. Two.[2]\n3. Three holds.\n\n[1] Smith v Jones.\n\n[2] Doe v Roe.\n")
    assert paths(version) == ["1", "2", "3"]
    assert "3/1" in paths(parsed("3. Three holds:\n\n[1] one thing;\n\n[2] another.\n"))


def test_an_article_cited_at_the_start_of_a_wrapped_line_is_no_article() -> None:
    """第二条 规定的 after a line that ends in no stop goes on with the sentence."""
    version = parsed("第一条 乙方应在\n第二条 规定的期限内付款。\n第二条 期限为十日。\n第三条 丙。\n")
    assert paths(version) == ["1", "2", "3"]
    assert texts(version)["1"] == "乙方应在\n第二条 规定的期限内付款。"


def test_html_lists_in_markdown_count_as_a_browser_counts() -> None:
    """`start`, `value` and `type` give the items' labels."""
    items = '<ol start="3">\n  <li>Third thing is done.</li>\n  <li>Fourth thing is done.</li>\n  <li value="7">Seventh thing is done.</li>\n</ol>\n'
    version = parsed(items + '\n<ol type="a"><li>x is done.</li><li>y is done.</li></ol>\n\nIt ends.\n', "a.md")
    assert [clause.label for clause in version.clauses] == ["3.", "4.", "7.", "a.", "b."]
    assert [clause.text for clause in version.clauses][:3] == [
        "Third thing is done.", "Fourth thing is done.", "Seventh thing is done.",
    ]  # fmt: skip
    nested = parsed("<ol><li>One is:\n<ul><li>red;</li></ul></li>\n<li>Two.</li></ol>\n\n# After\n\nText.\n", "a.md")
    assert [clause.label for clause in nested.clauses if clause.label] == ["1.", "2."]


def test_bold_titles_head_clauses_where_nothing_is_numbered() -> None:
    """`**CONFIDENTIALITY**` and `**Term.** …` are headings; in a numbered document bold type is stress."""
    version = parsed("# Agreement\n\n**CONFIDENTIALITY**\n\nSecrets are kept.\n\n**Term.** Two years.\n", "a.md")
    assert [(clause.heading, clause.text) for clause in version.clauses] == [
        ("Agreement", ""), ("CONFIDENTIALITY", "Secrets are kept."), ("Term.", "Two years."),
    ]  # fmt: skip
    numbered = parsed("1. One is.\n\n**IMPORTANT**\n\nText.\n\n**NOTE**\n\nText.\n\n2. Two is.\n", "a.md")
    assert paths(numbered) == ["1", "2"]
