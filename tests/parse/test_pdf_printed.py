"""What a PDF printed from Word shows and does not say: marks set apart, ruled rows, lists that wrap, where text belongs."""

from __future__ import annotations

from array import array

import pytest

from compliance_rag.parse.parse import parse_extracted, parse_version
from compliance_rag.parse.readers import read_source
from compliance_rag.parse.readers.pdf_assemble import assemble
from compliance_rag.parse.readers.pdf_rows import rows_of
from compliance_rag.parse.readers.pdf_types import Line, Page, PageFlags, join, threaded
from compliance_rag.parse.readers.pdf_words import Vocabulary
from tests.parse.pdfs import line, pdf


def _line(text: str, *places: float, size: float = 11.0) -> Line:
    """Characters that start at these places, each ten points wide (three for a quotation mark)."""
    edges = array("f")
    for char, start in zip(text, places, strict=True):
        edges.extend((start, start + (3 if char in "“”" else 10)))
    box = (edges[0], 100.0, edges[-1], 110.0)
    return Line(text, edges, box, box, 1, 0, size, 0, 109.0)


def test_marks_set_after_the_line_they_stand_in_are_put_in_their_place() -> None:
    """Quotation marks of another font come after the words, into gaps left for them; no white is put in beside them."""
    words = _line("甲是服务，指", 61, 71, 90, 100, 117, 127)
    parts = threaded([words, _line("“", 84), _line("”", 112)])
    ordered = sorted(parts, key=lambda part: part.upright[0])
    assert join(ordered).text == "甲是“服务”，指"
    apart = _line("另一行", 300, 310, 320)
    assert threaded([words, apart]) == [words, apart]


@pytest.mark.parametrize("ruled", [True, False])
def test_rules_across_a_gutter_make_rows(ruled: bool) -> None:
    """Two stacks of short paragraphs are a table when rules part its rows, and columns of text when none do."""
    left = ["Agreement names the deal made", "Amendment date of this paper", "Subject of the change made now"]
    right = [
        "The agreement between the parties is amended",
        "It takes effect on the first day of May",
        "The price in section two is ten pounds",
    ]
    content = ""
    for at in range(3):
        content += line(left[at], 60, 700 - 30 * at, size=9) + line(right[at], 300, 700 - 30 * at, size=9)
        content += f"50 {690 - 30 * at} m 560 {690 - 30 * at} l S\n" if ruled else ""
    extracted = read_source(pdf([content]), "a.pdf")
    kinds = [block.kind for block in extracted.blocks]
    assert ("table" in kinds) is ruled
    assert ("| Agreement names the deal made | The agreement between the parties is amended |" in extracted.text) is ruled


def test_a_list_inside_a_sentence_that_wraps_stays_in_it() -> None:
    """ "(b)" that happens to open a line of a running sentence opens no paragraph; a list set out line by line does."""
    wrapped = (
        line("1. Each party represents to the other that: (a) it has the power to enter into it;", 72, 700)
        + line("(b) it is duly organized under the laws of its seat; and (c) it will comply.", 72, 686)
        + line("2. Term.", 72, 650)
    )
    inside = read_source(pdf([wrapped]), "a.pdf")
    assert [inside.text[slice(*block.span)][:2] for block in inside.blocks] == ["1.", "2."]
    listed = line("1. Each party keeps:", 72, 700) + line("(a) logs;", 90, 686) + line("(b) keys.", 90, 672)
    apart = read_source(pdf([listed + line("The supplier shall keep every record for seven years.", 72, 640)]), "a.pdf")
    assert [apart.text[slice(*block.span)][:3] for block in apart.blocks[1:3]] == ["(a)", "(b)"]


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [("contract", "law", True), ("indemnifi", "cation", False), ("under", "taking", False), ("con", "tract", False)],
)
def test_a_hyphen_between_two_words_that_make_none_is_kept(before: str, after: str, kept: bool) -> None:
    """contract-law keeps its hyphen though the document prints neither word alone; a broken word loses it."""
    assert Vocabulary().keeps_hyphen(before, after) is kept


def test_the_first_numbered_sub_clause_may_follow_a_list() -> None:
    """1.3.1 after a) and b) of 1.3 is its sub-clause and restarts nothing."""
    text = "1.3 Awareness\n\nThe staff know:\n\na) The policy;\n\nb) The aims.\n\n1.3.1 Evidence of it.\n\n1.4 Scope\n\nAll.\n"
    assert ["/".join(clause.path) for clause in parse_version(text.encode(), "a.txt").clauses] == [
        "1/3", "1/3/a", "1/3/b", "1/3/1", "1/4",
    ]  # fmt: skip


def test_text_that_stands_as_far_in_as_the_clause_s_own_is_the_clause_s() -> None:
    """After a sub-clause printed further in, a paragraph that stands where the clause's own text stands is the clause's."""
    content = "".join(
        line(text, x, y)
        for text, x, y in (
            ("1.1 Policy", 72, 720), ("A written policy exists that governs the supplied software.", 108, 700),
            ("1.1.1 A documented policy.", 126, 680), ("1.1.2 A documented procedure.", 126, 660),
            ("Rationale: to ensure that steps are taken to create the policy.", 108, 630), ("1.2 Competence", 72, 600),
        )
    )  # fmt: skip
    clauses = {"/".join(clause.path): clause for clause in parse_version(pdf([content]), "a.pdf").clauses}
    assert "Rationale" in clauses["1/1"].text
    assert "Rationale" not in clauses["1/1/2"].text


def _texts(content: str, *pages: str) -> list[str]:
    extracted = read_source(pdf([content, *pages]), "a.pdf")
    return [extracted.text[slice(*block.span)] for block in extracted.blocks if block.kind != "furniture"]


SENTENCES = "".join(line("The parties keep every record of the service for seven years.", 72, 500 - 14 * n) for n in range(5))


def test_type_larger_than_the_text_heads_unless_sentences_are_set_in_it() -> None:
    """A line in larger type is a heading; a page of instructions in larger type is text."""
    heading = read_source(pdf([line("Order Form", 72, 700, size=16) + SENTENCES]), "a.pdf")
    assert heading.blocks[0].kind == "heading"
    sentence = "Delete every clause that does not apply to the engagement at hand."
    page = line("Choice one", 72, 700, size=16) + line(sentence, 72, 660, size=16)
    assert all(block.kind == "paragraph" for block in read_source(pdf([page + SENTENCES]), "a.pdf").blocks)


def test_a_title_on_some_pages_is_no_running_header() -> None:
    """Large type at the top of three pages of seven titles what follows; the same words on every page are a header."""
    titled = line("Service Agreement", 72, 740, size=24) + SENTENCES
    pages = [titled, SENTENCES, SENTENCES, titled, SENTENCES, SENTENCES, titled]
    assert _texts(*pages).count("Service Agreement") == 3
    assert "Service Agreement" not in _texts(*[titled] * 7)


def test_a_header_of_one_page_stands_where_the_others_have_theirs() -> None:
    """Another header at the same height in the same type on one page is furniture as well; a first line of text is not."""
    head = [line("TERMS", 500, 770, size=8) + SENTENCES] * 3
    other = line("COVER", 500, 770, size=8) + SENTENCES
    assert "COVER" not in _texts(*head, other)
    assert "Cover the goods" in _texts(*head, line("Cover the goods", 72, 740) + SENTENCES)


def _ruled_page(rows: list[tuple[str, list[str]]], top: float = 740) -> str:
    """A page of a table with a rule above and below each row, its title and the lines beside it."""
    content, y = f"50 {top} m 550 {top} l S\n", top
    for title, cell in rows:
        content += line(title, 60, y - 14, size=9) if title else ""
        content += "".join(line(text, 250, y - 14 - 11 * at, size=9) for at, text in enumerate(cell))
        y -= 20 + 11 * len(cell)
        content += f"50 {y} m 550 {y} l S\n"
    return content


def test_rows_between_rules_are_rows_however_long_their_cells() -> None:
    """A title beside a cell of many lines, ruled off above and below, is one row; a row of one cell ends the table."""
    cell = [
        "Provider invoices Customer for the fees due",
        "and Customer pays each invoice within the days",
        "given in the order form above.",
    ]
    page = _ruled_page([("Payment", cell), ("Period", ["Twelve months"]), ("Details", [])])
    texts = _texts(page + line("The parties agree to all of this.", 60, 300, size=9))
    assert texts[0].splitlines() == [f"| Payment | {' '.join(cell)} |", "| Period | Twelve months |"]
    assert texts[1] == "Details"


def test_boxes_to_tick_stay_with_their_words() -> None:
    """A column of boxes is no column of cells: each box goes before its words."""
    content = "50 740 m 550 740 l S\n50 690 m 550 690 l S\n50 650 m 550 650 l S\n" + line("Fees", 60, 715, size=9)
    for at, text in enumerate(("monthly in advance", "yearly in arrears")):
        content += line("[ ]", 250, 725 - 14 * at, size=9) + line(text, 290, 725 - 14 * at, size=9)
    content += line("Support", 60, 670, size=9) + line("[ ]", 250, 670, size=9) + line("by telephone", 290, 670, size=9)
    texts = _texts(content + SENTENCES)
    assert texts[0].splitlines() == [
        "| Fees | [ ] monthly in advance [ ] yearly in arrears |",
        "| Support | [ ] by telephone |",
    ]


def test_a_block_to_be_signed_is_a_table() -> None:
    """Rules under each column of answers, titles of the rows before them and of the columns above them."""
    content = line("SUPPLIER", 230, 726, size=9) + line("CUSTOMER", 430, 726, size=9)
    for at, title in enumerate(("Signature", "Print Name", "Date")):
        y = 720 - 30 * at
        content += f"200 {y} m 350 {y} l S\n380 {y} m 540 {y} l S\n" + line(title, 60, y - 18, size=9)
    content += "200 630 m 350 630 l S\n380 630 m 540 630 l S\n" + line("Ann Example", 210, 672, size=9)
    assert _texts(content + SENTENCES)[0].splitlines() == [
        "|  | SUPPLIER | CUSTOMER |", "| Signature |  |  |", "| Print Name | Ann Example |  |", "| Date |  |  |",
    ]  # fmt: skip


def test_a_table_goes_on_over_the_page() -> None:
    """Titles printed again are set aside; a row that goes on under no title goes on the last one."""
    first = _ruled_page([("Class", ["Period kept"]), ("Minutes", ["for ever"]), ("Reports", ["eight years"])], 400)
    second = _ruled_page([("Class", ["Period kept"]), ("Consents", ["three years"])])
    assert _texts(first, second)[0].splitlines() == [
        "| Class | Period kept |", "| Minutes | for ever |", "| Reports | eight years |", "| Consents | three years |",
    ]  # fmt: skip
    rest = _ruled_page([("", ["from the date of the report"]), ("Consents", ["three years"])])
    assert "| Reports | eight years from the date of the report |" in _texts(first, rest)[0]


def test_bold_made_by_drawing_the_outline_is_bold() -> None:
    """Type that is filled and stroked is how programs make bold of a font that has none."""
    made = "2 Tr 0.4 w " + line("Policy", 72, 700) + "0 Tr " + SENTENCES
    blocks = read_source(pdf([made]), "a.pdf").blocks
    assert [block.bold for block in blocks[:2]] == [True, False]


def test_a_list_in_a_sentence_is_no_list_of_paragraphs() -> None:
    """(b) at the start of a wrapped line goes on where (a) stands in the line before it; in an indented paragraph too."""
    wrapped = "".join(
        line(text, x, y)
        for text, x, y in (
            ("6.1 Mutual. Each party warrants to the other that: (a) it has the legal power to enter this agreement;", 82, 700),
            ("(b) it is duly organised, validly existing and in good standing under the laws that apply where it is", 72, 686),
            ("seated; and (c) it complies with the law.", 72, 672),
        )
    )
    assert len(_texts(wrapped.replace("/F1 12 Tf", "/F1 10 Tf"))) == 1


def test_a_citation_that_opens_a_line_opens_no_clause() -> None:
    """In a list of citations that wraps, the section named at the start of a line is cited and not begun."""
    wrapped = "".join(
        line(text, 72, 700 - 14 * at, size=10)
        for at, text in enumerate((
            "5.6 Survival. These survive the end of the agreement: Section 10 (Secrets), Section 11 (Rights Reserved),",
            "Section 12 (General Terms), and the parts of a cover page that these sections refer to.",
        ))
    )  # fmt: skip
    assert len(_texts(wrapped)) == 1


def test_a_page_without_text_at_the_margin_keeps_its_indents() -> None:
    """Indents are counted from the text's left edge, also on a page where no line reaches it."""
    first = "".join(line("The parties keep every record of the service for seven years.", 72, 700 - 14 * n) for n in range(8))
    second = line("To ensure that the records are there when they are asked for.", 108, 700)
    blocks = read_source(pdf([first, second]), "a.pdf").blocks
    assert blocks[-1].indent == 6


def test_what_stands_out_of_a_chinese_list_is_the_clause_s() -> None:
    """After a) b) of 1.3, a paragraph printed as far in as the text of 1.3 is its text; no article is needed."""
    placed = [
        ("1.3 意识", 72),
        ("该组织应确保参与者意识到：", 108),
        ("a) 开源政策；", 126),
        ("b) 相关目标。", 126),
        ("核查材料如下。", 108),
    ]
    lines = []
    for at, (text, left) in enumerate(placed):
        edges = array("f", (edge for n in range(len(text)) for edge in (left + 11 * n, left + 11 * n + 10)))
        top = 100.0 + 30 * at
        box = (edges[0], top, edges[-1], top + 11)
        lines.append(Line(text, edges, box, box, 1, 0, 11.0, 0, top + 10))
    version = parse_extracted(assemble([Page(1, 600, 800, lines, [], PageFlags())], None), "")
    clauses = {"/".join(clause.path): clause.text for clause in version.clauses}
    assert clauses["1/3/b"] == "相关目标。"
    assert clauses["1/3"].endswith("核查材料如下。")


def test_a_number_after_a_colon_opens_a_clause_though_its_words_begin_small() -> None:
    """`the following must exist:` / `5.1.1 a documented policy; and` / `5.1.2 a procedure.` are a list of sub-clauses."""
    text = "5.1 Contributions\n\nThe following must exist:\n\n5.1.1 a documented policy; and\n\n5.1.2 a procedure.\n"
    assert ["/".join(clause.path) for clause in parse_version(text.encode(), "a.txt").clauses] == ["5/1", "5/1/1", "5/1/2"]


@pytest.mark.parametrize("high", [40, 17])
def test_a_grid_drawn_cell_by_cell_is_a_grid(high: int) -> None:
    """Rules that end at each cell's edge make the same table as rules drawn through, and cells of one line have sides too."""
    content = ""
    for at in range(4):
        content += "".join(f"{x} {740 - high * at} m {x + 160} {740 - high * at} l S\n" for x in (60, 220, 380))
    for x in (60, 220, 380, 540):
        content += "".join(f"{x} {740 - high * at} m {x} {740 - high * (at + 1)} l S\n" for at in range(3))
    rows = (("Service", "Partner", "Retail"), ("Voice mail", "included", "$2.00"), ("Long distance", "see list", "see list"))
    for at, row in enumerate(rows):
        content += "".join(line(text, 64 + 160 * n, 728 - high * at, size=9) for n, text in enumerate(row))
    assert _texts(content + SENTENCES)[0].splitlines() == [f"| {' | '.join(row)} |" for row in rows]


def test_lines_set_close_are_two_lines() -> None:
    """Fragments of one width on two base lines are lines one under the other, though their boxes share most of their height."""
    close = [_line(text, *(100 + 10 * n for n in range(len(text)))) for text in ("constitutes", "prepared by")]
    close[1].upright = close[1].box = (100.0, 104.0, 210.0, 118.0)
    close[1].base, close[1].size = 116.0, 13.0
    assert [row.text for row in rows_of(close)] == ["constitutes", "prepared by"]
    beside = _line("another", *(300 + 10 * n for n in range(7)))
    assert [row.text for row in rows_of([close[0], beside])] == ["constitutes another"]


def test_a_cell_over_several_columns_is_one() -> None:
    """Where no upright rule parts a row its words stay together, as text of its own; a grid of such rows alone is text."""
    flat = "".join(f"60 {740 - 40 * at} m 540 {740 - 40 * at} l S\n" for at in range(5))
    ends = "60 740 m 60 580 l S\n540 740 m 540 580 l S\n"
    wide = line("Prices for all partners of the company in every country", 64, 716, size=9)
    cells = "".join(
        line(text, x, y, size=9)
        for text, x, y in (("Voice", 64, 676), ("$2.00", 304, 676), ("Mail", 64, 636), ("$3.00", 304, 636))
    )
    texts = _texts(flat + ends + "300 700 m 300 580 l S\n" + wide + cells + SENTENCES)
    assert texts[0] == "Prices for all partners of the company in every country"
    assert texts[1].splitlines() == ["| Voice | $2.00 |", "| Mail | $3.00 |"]
    alone = _texts(
        flat + ends + "300 620 m 300 580 l S\n" + wide + line("Terms that apply to all of the parties here", 64, 676, size=9)
    )
    assert not any(text.startswith("|") for text in alone)
