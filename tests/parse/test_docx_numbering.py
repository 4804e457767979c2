"""The numbers Word computes: CASES 1 to 3 and their kinds."""

from __future__ import annotations

import pytest

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import read_source
from compliance_rag.parse.readers.docx_formats import MAX_COUNT, cardinal, format_number, known_format
from compliance_rag.parse.tiling import check_tiling
from schemas.clause import ParsedVersion
from tests.parse.docxs import abstract, docx, level, num, para, rows, start_override, table

_LEGAL = abstract(0, level(0, "%1.", left=360), level(1, "%1.%2", left=720), level(2, "(%3)", "lowerLetter", left=1080))


def _labels(body: str, numbering: str, **parts: str) -> list[str]:
    """The computed labels of the blocks, ``-`` for a bullet, empty for none."""
    extracted = read_source(docx(body, numbering=numbering, **parts), "a.docx")
    out = []
    for block in extracted.blocks:
        text = extracted.text[slice(*block.span)]
        out.append(extracted.text[slice(*block.label_span)] if block.label_span else "-" if text.startswith("- ") else "")
    return out


def _parse(body: str, numbering: str, **parts: str) -> ParsedVersion:
    parsed = parse_version(docx(body, numbering=numbering, **parts), "a.docx")
    assert not check_tiling(parsed)
    return parsed


def test_case_1_multi_level_numbering() -> None:
    """Level 0 starts at 3, level 1 prints both and restarts after it."""
    numbering = abstract(0, level(0, "%1.", start=3), level(1, "%1.%2")) + num(1, 0)
    body = "".join(
        para(text, level=at, num=1)
        for at, text in ((0, "Retention"), (1, "Keep logs."), (1, "Keep them seven years."), (0, "Access"), (1, "On request."))
    )
    assert rows(_parse(body, numbering).clauses) == [
        ("3", "3.", "Retention", ""),
        ("3/1", "3.1", "", "Keep logs."),
        ("3/2", "3.2", "", "Keep them seven years."),
        ("4", "4.", "Access", ""),
        ("4/1", "4.1", "", "On request."),
    ]


@pytest.mark.parametrize("bullet", ["•", "\uf0b7", "-", "o", ""])
def test_case_2_a_list_goes_on_after_a_bullet(bullet: str) -> None:
    """A bullet list between two items neither restarts nor counts, and belongs to the item above it."""
    numbering = abstract(0, level(0, "%1.")) + abstract(1, level(0, bullet, "bullet")) + num(5, 0) + num(9, 1)
    body = para("Notify the board.", level=0, num=5) + para("Notify the client.", level=0, num=5)
    body += para("by post", level=0, num=9) + para("Keep proof.", level=0, num=5)
    mark = "- " if bullet else ""
    assert rows(_parse(body, numbering).clauses) == [
        ("1", "1.", "", "Notify the board."),
        ("2", "2.", "", f"Notify the client.\n{mark}by post"),
        ("3", "3.", "", "Keep proof."),
    ]


def test_case_3_half_typed_half_automatic() -> None:
    """A typed number among computed ones: all three labels stand, the second 2 is flagged and reachable."""
    numbering = abstract(0, level(0, "%1.")) + num(1, 0)
    body = para("Duties", level=0, num=1) + para("2. Reports") + para("Fees", level=0, num=1)
    parsed = _parse(body, numbering)
    assert [(clause.label, "/".join(clause.path)) for clause in parsed.clauses] == [("1.", "1"), ("2.", "2"), ("2.", "2~2")]
    assert [clause.number for clause in parsed.clauses] == ["1", "2", "2"]
    assert "duplicate_label" in {flag.code for flag in parsed.flags}


def test_lists_of_one_definition_share_their_count() -> None:
    """Two lists that share an abstract definition are one count; a start override restarts it, once."""
    numbering = _LEGAL + num(1, 0) + num(2, 0) + num(3, 0, start_override(0, 1))
    body = "".join(para("x", level=0, num=n) for n in (1, 2, 3, 3, 1))
    assert _labels(body, numbering) == ["1.", "2.", "1.", "2.", "3."]


def test_a_start_override_counts_for_its_own_level() -> None:
    """An override of level 1 restarts level 1 where its list is first used there, and every time level 0 moved on."""
    numbering = _LEGAL + num(1, 0) + num(2, 0, start_override(1, 5))
    body = "".join(para("x", level=at, num=n) for at, n in ((0, 1), (1, 1), (1, 2), (1, 2), (0, 1), (1, 2)))
    assert _labels(body, numbering) == ["1.", "1.1", "1.5", "1.6", "2.", "2.5"]


def test_an_override_is_used_up_by_the_first_paragraph_of_its_list() -> None:
    """A list that begins at level 1 restarts there; its later paragraph at level 0 goes on."""
    numbering = _LEGAL + num(1, 0) + num(2, 0, start_override(0, 1) + start_override(1, 1))
    body = "".join(para("x", level=at, num=n) for at, n in ((0, 1), (1, 1), (1, 2), (0, 2), (1, 2)))
    assert _labels(body, numbering) == ["1.", "1.1", "1.1", "2.", "2.1"]


def test_a_level_defined_anew_for_one_list() -> None:
    """``lvlOverride`` with a level of its own changes the form for that list alone."""
    override = f'<w:lvlOverride w:ilvl="0">{level(0, "Clause %1", "upperRoman")}</w:lvlOverride>'
    assert _labels(para("x", level=0, num=1) + para("x", level=0, num=2), _LEGAL + num(1, 0) + num(2, 0, override)) == [
        "1.", "Clause II",
    ]  # fmt: skip


def test_a_skipped_level_stands_at_its_start_and_counts() -> None:
    """The first paragraph at level 1 prints 1.1 and uses up 1."""
    assert _labels(para("x", level=1, num=1) + para("x", level=0, num=1), _LEGAL + num(1, 0)) == ["1.1", "2."]


@pytest.mark.parametrize(
    ("restart", "last"), [("", "(a)"), ('<w:lvlRestart w:val="0"/>', "(c)"), ('<w:lvlRestart w:val="1"/>', "(c)")]
)
def test_when_a_level_restarts(restart: str, last: str) -> None:
    """Level 2 after another 1.x: restarts by itself, never with 0, and with 1 only after level 0."""
    third = level(2, "(%3)", "lowerLetter", more=restart)
    numbering = abstract(0, level(0, "%1."), level(1, "%1.%2"), third) + num(1, 0)
    body = "".join(para("x", level=at, num=1) for at in (0, 1, 2, 2, 1, 2))
    assert _labels(body, numbering)[-1] == last
    after = _labels(body + para("x", level=0, num=1) + para("x", level=2, num=1), numbering)[-1]
    assert after == {"(a)": "(a)", "(c)": "(d)" if "0" in restart else "(a)"}[last]


def test_legal_style_prints_decimals() -> None:
    """``isLgl`` turns ARTICLE II into 2 where a lower level prints it."""
    numbering = abstract(
        0, level(0, "ARTICLE %1", "upperRoman", start=2), level(1, "Section %1.%2", "decimalZero", more="<w:isLgl/>")
    )
    body = para("Fees", level=0, num=1) + para("Payment of fees", level=1, num=1)
    assert _labels(body, numbering + num(1, 0)) == ["ARTICLE II", "Section 2.01"]
    paths = ["/".join(clause.path) for clause in _parse(body, numbering + num(1, 0)).clauses]
    assert paths == ["2", "2/1"]


_STYLES = (
    '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr>'
    '<w:outlineLvl w:val="0"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:basedOn w:val="H1"/><w:pPr><w:numPr>'
    '<w:ilvl w:val="1"/></w:numPr><w:outlineLvl w:val="1"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="H3"><w:name w:val="third"/><w:basedOn w:val="H2"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Plain"><w:name w:val="plain"/><w:basedOn w:val="H2"/><w:pPr><w:numPr>'
    '<w:numId w:val="0"/></w:numPr></w:pPr></w:style>'
)


def test_levels_linked_to_styles() -> None:
    """A style names the list, its children only the level, the definition links a style to a level; numId 0 takes it away."""
    linked = level(2, "(%3)", "lowerLetter", more='<w:pStyle w:val="H3"/>')
    numbering = abstract(0, level(0, "%1."), level(1, "%1.%2"), linked) + num(1, 0)
    body = (
        para("Scope", style="H1") + para("Who is bound", style="H2") + para("Agents", style="H3") + para("Text", style="Plain")
    )
    body += para("Unnumbered", style="H2", num=0)
    assert _labels(body, numbering, styles=_STYLES) == ["1.", "1.1", "(a)", "", ""]


def test_a_list_defined_by_a_numbering_style() -> None:
    """``numStyleLink`` leads through a numbering style to the definition that has the levels, and to its count."""
    listed = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    styles = f'<w:style w:type="numbering" w:styleId="L"><w:name w:val="L"/>{listed}</w:style>'
    numbering = _LEGAL + abstract(7, more='<w:numStyleLink w:val="L"/>') + num(1, 0) + num(2, 7)
    assert _labels(para("x", level=0, num=1) + para("x", level=0, num=2), numbering, styles=styles) == ["1.", "2."]


_SEQUENCES = {
    "decimalZero": {1: "01", 12: "12"}, "upperRoman": {4: "IV", 1999: "MCMXCIX"}, "lowerRoman": {9: "ix"},
    "upperLetter": {1: "A", 27: "AA", 53: "AAA"}, "lowerLetter": {26: "z", 28: "bb"},
    "ordinal": {1: "1st", 2: "2nd", 11: "11th", 23: "23rd"},
    "cardinalText": {1: "One", 21: "Twenty-one", 342: "Three hundred forty-two"},
    "ordinalText": {1: "First", 2: "Second", 12: "Twelfth", 20: "Twentieth", 21: "Twenty-first", 100: "One hundredth"},
    "chineseCounting": {1: "一", 10: "十", 11: "十一", 20: "二十", 99: "九十九", 100: "一○○"},
    "chineseCountingThousand": {10: "十", 100: "一百", 105: "一百零五", 120: "一百二十", 1001: "一千零一"},
    "ideographDigital": {1: "一", 10: "一○", 11: "一一"}, "japaneseCounting": {10: "十", 100: "百", 105: "百五"},
    "chineseLegalSimplified": {1: "壹", 10: "壹拾", 12: "壹拾贰"}, "ideographTraditional": {1: "甲", 10: "癸", 11: "11"},
    "ideographZodiac": {1: "子", 12: "亥"}, "ideographZodiacTraditional": {1: "甲子", 60: "癸亥"},
    "decimalEnclosedCircle": {1: "①", 20: "⑳", 21: "㉑", 51: "51"}, "decimalEnclosedCircleChinese": {3: "③"},
    "decimalEnclosedFullstop": {1: "⒈", 20: "⒛"}, "decimalEnclosedParen": {1: "⑴"}, "decimalFullWidth": {12: "１２"},
    "ideographEnclosedCircle": {1: "㊀", 10: "㊉"}, "numberInDash": {3: "- 3 -"}, "none": {3: ""}, "chicago": {1: "*", 5: "**"},
    "hex": {255: "FF"}, "decimal": {0: "0", 7: "7"},
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(_SEQUENCES))
def test_number_formats(name: str) -> None:
    """Each format at its first value and where it changes."""
    assert known_format(name)
    assert {value: format_number(value, name) for value in _SEQUENCES[name]} == _SEQUENCES[name]


def test_formats_at_their_limits() -> None:
    """An unknown format gives decimals and says so; a custom one keeps its width; no value prints more than its bound."""
    assert not known_format("thaiLetters")
    assert format_number(7, "thaiLetters") == "7"
    assert format_number(7, "custom", "001, 002, 003, ...") == "007"
    assert len(format_number(10**9, "lowerLetter")) == MAX_COUNT // 26 + 1
    assert cardinal(0) == "zero"


@pytest.mark.parametrize(
    ("pattern", "fmt", "expected"),
    [
        ("第%1条", "chineseCountingThousand", ["1", "2"]),
        ("第%1章", "chineseCounting", ["chapter-1", "chapter-2"]),
        ("%1、", "chineseCounting", ["1", "2"]),
        ("（%1）", "chineseCounting", ["1", "2"]),
        ("(%1)", "lowerRoman", ["i", "ii"]),
        ("(%1)", "lowerLetter", ["a", "b"]),
        ("%1", "decimalEnclosedCircle", ["1", "2"]),
        ("Article %1.", "upperRoman", ["1", "2"]),
        ("Schedule %1 –", "decimal", ["schedule-1", "schedule-2"]),
        ("%1:", "ordinalText", ["1", "2"]),
        ("Req-%1", "decimal", ["1", "2"]),
    ],
)
def test_a_computed_label_is_read_as_what_it_is(pattern: str, fmt: str, expected: list[str]) -> None:
    """Whatever its form, the label numbers the clause, and its value tells a letter from a Roman numeral."""
    numbering = abstract(0, level(0, pattern, fmt)) + num(1, 0)
    parsed = _parse(para("Fees are due.", level=0, num=1) + para("Costs are due.", level=0, num=1), numbering)
    assert ["/".join(clause.path) for clause in parsed.clauses] == expected
    assert "ambiguous_marker" not in {flag.code for flag in parsed.flags}


def test_letter_i_and_roman_i_in_one_document() -> None:
    """The ninth letter stays a letter, the first Roman numeral under it a numeral."""
    numbering = abstract(0, level(0, "(%1)", "lowerLetter", start=8), level(1, "(%2)", "lowerRoman")) + num(1, 0)
    body = "".join(
        para(text, level=at, num=1) for at, text in ((0, "Keep:"), (1, "logs;"), (1, "keys."), (0, "Renew."), (0, "Report."))
    )
    assert ["/".join(clause.path) for clause in _parse(body, numbering).clauses] == ["h", "h/i", "h/ii", "i", "j"]


def test_numbers_that_no_reader_sees() -> None:
    """A list that is not defined, a level that is not, and a hidden label print nothing; an empty numbered paragraph counts."""
    hidden = level(0, "%1.", more="").replace("</w:lvl>", "<w:rPr><w:vanish/></w:rPr></w:lvl>")
    numbering = _LEGAL + abstract(1, hidden) + num(1, 0) + num(2, 1)
    body = para("a", level=0, num=44) + para("b", level=8, num=1) + para("c", level=0, num=2)
    assert _labels(body, numbering) == ["", "", ""]
    assert _labels(para("a", level=0, num=1) + para("", level=0, num=1) + para("c", level=0, num=1), numbering) == [
        "1.",
        "2.",
        "3.",
    ]


def test_numbers_run_on_through_tables_and_text_boxes() -> None:
    """The count follows the document's order, into cells too; a number alone in a cell is the label of the words beside it."""
    numbering = _LEGAL + num(1, 0)
    body = para("One", level=0, num=1)
    body += table([[para("", level=0, num=1), "Two is due."], [para("", level=0, num=1), "Three is due."]]) + para(
        "Four", level=0, num=1
    )
    assert _labels(body, numbering) == ["1.", "2.", "3.", "4."]
    assert ["/".join(clause.path) for clause in _parse(body, numbering).clauses] == ["1", "2", "3", "4"]


def test_a_heading_style_on_sentences_makes_clauses() -> None:
    """A clause set in a heading style keeps its words as text: a heading is never evidence for a rule."""
    numbering = abstract(0, level(0, "%1."), level(1, "%1.%2", more='<w:pStyle w:val="H2"/>')) + num(1, 0)
    body = para("Fees", style="H1") + para("The customer pays all fees within thirty days of the invoice.", style="H2")
    body += para("Taxes", style="H2")
    found = rows(_parse(body, numbering, styles=_STYLES).clauses)
    assert found == [
        ("1", "1.", "Fees", ""),
        ("1/1", "1.1", "", "The customer pays all fees within thirty days of the invoice."),
        ("1/2", "1.2", "Taxes", ""),
    ]


def test_a_second_list_at_a_deeper_indentation_is_nested() -> None:
    """Sub-items in a list of their own stand under the item by their indentation; the outer list goes on."""
    numbering = (
        abstract(0, level(0, "%1.", left=360)) + abstract(1, level(0, "(%1)", "lowerLetter", left=720)) + num(1, 0) + num(2, 1)
    )
    body = para("Keep:", level=0, num=1) + para("logs;", level=0, num=2) + para("keys.", level=0, num=2)
    body += para("Report at once.", level=0, num=1)
    assert ["/".join(clause.path) for clause in _parse(body, numbering).clauses] == ["1", "1/a", "1/b", "2"]


def test_a_bulleted_number_is_cited_by_its_number() -> None:
    """``• 1.1.2 …`` is clause 1.1.2; the bullet is furniture."""
    numbering = abstract(0, level(0, "•", "bullet", left=720)) + num(1, 0)
    body = para("1.1 Policy") + para("1.1.1 a written policy exists; and", level=0, num=1)
    body += para("1.1.2 a procedure exists.", level=0, num=1)
    parsed = _parse(body, numbering)
    assert [("/".join(clause.path), clause.label) for clause in parsed.clauses] == [
        ("1/1", "1.1"),
        ("1/1/1", "1.1.1"),
        ("1/1/2", "1.1.2"),
    ]
    assert [parsed.extracted[s:e] for s, e in parsed.furniture] == ["-", "-"]


@pytest.mark.parametrize("inner", ["%1.", "%1)", "(%1)"])
def test_a_list_between_two_items_of_another_stands_in_the_first(inner: str) -> None:
    """A list of its own that begins at 1 and ends before the outer list counts on is nested, whatever its indentation; lists
    side by side in one item are both in it."""
    numbering = abstract(0, level(0, "%1.")) + abstract(1, level(0, inner)) + abstract(2, level(0, "(%1)", "lowerLetter"))
    numbering += num(1, 0) + num(2, 1) + num(3, 2)
    words = (
        ("Agent:", 1),
        ("keep goods:", 2),
        ("dry;", 3),
        ("warm;", 3),
        ("insure them.", 2),
        ("Owner pays.", 1),
        ("End it.", 1),
    )
    paths = [path for path, *_ in rows(_parse("".join(para(text, level=0, num=of) for text, of in words), numbering).clauses)]
    assert paths == ["1", "1/1", "1/1/a", "1/1/b", "1/2", "2", "3"]
    words = (("Agent:", 1), ("keep goods;", 2), ("insure them.", 2), ("dry;", 3), ("warm.", 3), ("Owner pays.", 1))
    paths = [path for path, *_ in rows(_parse("".join(para(text, level=0, num=of) for text, of in words), numbering).clauses)]
    assert paths == ["1", "1/1", "1/2", "1/a", "1/b", "2"]


def test_a_typed_number_after_a_table_goes_on_the_count_around_it() -> None:
    """Computed numbers in the cells of a table under 2 are its own; the typed 3 after it is the clause after 2."""
    numbering = abstract(0, level(0, "%1.")) + num(1, 0)
    body = para("1. Duties are few.") + para("2. Fees are these:")
    body += table([[para(level=0, num=1), "Opening is 12 EUR."], [para(level=0, num=1), "Closing is 15 EUR."]])
    body += para("3. Notices are given in writing.") + para("4. The term is a year.")
    paths = [path for path, *_ in rows(_parse(body, numbering).clauses)]
    assert paths == ["1", "2", "2/1", "2/2", "3", "4"]
