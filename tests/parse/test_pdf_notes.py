"""Raised figures: marks of notes stay apart from the figures beside them, and a note stands in the clause of its mark."""

from __future__ import annotations

from array import array

import pytest

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import read_source
from compliance_rag.parse.readers.pdf_assemble import assemble
from compliance_rag.parse.readers.pdf_types import Line, Page, PageFlags
from tests.parse.conftest import check_tiling
from tests.parse.pdfs import line, pdf

_RULE = "72 120 m 200 120 l S\n"
_NOTE = line("1", 72, 109, size=5.5) + line("Not counting Sundays.", 76, 105, size=8)


def _term(mark: float, rest: float, note: str = _RULE + _NOTE) -> bytes:
    """Two clauses, the first with a raised 1 at ``mark`` after the figure 10."""
    return pdf([
        line("1 Term", 72, 700, size=11) + line("The term is 10", 72, 685, size=11) + line("1", mark, 689.5, size=6.5)
        + line("days from receipt of the bill.", rest, 685, size=11) + line("2 Fee", 72, 670, size=11)
        + line("The fee is 5 EUR.", 72, 655, size=11) + note
    ])  # fmt: skip


@pytest.mark.parametrize(("mark", "rest", "text"), [(142, 149, "10[1] days"), (147, 154, "10 [1] days")])
def test_the_mark_of_a_note_is_no_figure_of_the_number_before_it(mark: float, rest: float, text: str) -> None:
    """A raised figure after a number is the mark of the note below, which stands in the clause of its mark as in Word files;
    the brackets are counted as put in."""
    data = _term(mark, rest)
    extracted = read_source(data, "a.pdf")
    check_tiling(extracted)
    version = parse_version(data, "a.pdf")
    assert [clause.text for clause in version.clauses] == [
        f"The term is {text} from receipt of the bill.\n[1] Not counting Sundays.",
        "The fee is 5 EUR.",
    ]
    assert extracted.inserted == 4


def test_a_raised_figure_without_a_note_stays_apart_from_figures() -> None:
    """Without a note a raised figure stays raised, beside figures and letters; the power of a unit is no mark."""
    version = parse_version(_term(142, 149, ""), "a.pdf")
    assert version.clauses[0].text == "The term is 10¹ days from receipt of the bill."
    area = (
        line("1 Area", 72, 700) + line("The area is 50 m", 72, 685) + line("2", 163, 690, size=7) + line("at most.", 171, 685)
    )
    assert "50 m² at most." in read_source(pdf([area]), "a.pdf").text
    days = line("The term is 10", 72, 670) + line("2", 152, 674, size=7) + line("days.", 160, 670)
    note = _RULE + line("2", 72, 109, size=5.5) + line("Not counting Sundays.", 76, 105, size=8)
    assert "50 m² at most. The term is 10 [2] days." in parse_version(pdf([area + days + note]), "a.pdf").clauses[0].text


def test_notes_on_two_pages_with_one_number() -> None:
    """Each page numbers its notes from 1; each note stands in the clause of its own page's mark."""
    pages = []
    for page, word in ((1, "Sundays"), (2, "holidays")):
        pages.append(
            line(f"{page} Term", 72, 700, size=11) + line("The term is 10", 72, 685, size=11) + line("1", 142, 689.5, size=6.5)
            + line(f"days of {word}.", 149, 685, size=11) + _RULE + line("1", 72, 109, size=5.5)
            + line(f"Not counting {word}.", 76, 105, size=8)
        )  # fmt: skip
    version = parse_version(pdf(pages), "a.pdf")
    assert [clause.text.split("\n")[-1] for clause in version.clauses] == [
        "[1] Not counting Sundays.",
        "[1] Not counting holidays.",
    ]


@pytest.mark.parametrize("sign", ["-", "+"])
def test_the_sign_of_an_exponent_is_raised_with_it(sign: str) -> None:
    """10 to the power of -3 keeps its sign; a dash that parts the marks of two notes stays a dash."""
    power = line("1. At most 5 x 10", 72, 700) + line(f"{sign}3", 164, 705, size=7) + line("kg a day.", 176, 700)
    expected = {"-": " ⁻³ kg", "+": " ⁺³ kg"}[sign]
    assert expected in read_source(pdf([power]), "a.pdf").text
    marks = line("1. The law of May", 72, 700) + line("1-2", 166, 705, size=7) + line("holds.", 180, 700)
    notes = _RULE + line("1", 72, 109, size=5.5) + line("As amended.", 76, 105, size=8)
    notes += line("2", 72, 98, size=5.5) + line("As printed.", 76, 94, size=8)
    text = parse_version(pdf([marks + notes]), "a.pdf").clauses[0].text
    assert text.startswith("The law of May")
    assert "[1]" in text
    assert "[2]" in text


def test_a_chinese_note_goes_on_over_the_page() -> None:
    """The rest of a note at the foot of the next page is of the note, not a paragraph of the clause above it."""

    def page(clauses: range, note: str) -> list[Line]:
        number = 1 if clauses.start == 1 else 2
        words = [
            (f"第{'一二三四五六七八'[at - 1]}条 应当每年审查计划的各项内容并记录。", 60.0 + 30 * at, 11.0) for at in clauses
        ]
        return [_wide_line(text, 72.0, top, size, number) for text, top, size in [*words, (note, 690.0, 8.0)]]

    rule = (72.0, 686.0, 216.0, 686.0)
    pages = [
        Page(1, 600, 800, page(range(1, 5), "① 事故是指使服务中断的事件，包括"), [rule], PageFlags()),
        Page(2, 600, 800, page(range(5, 9), "使备用系统中断的事件。"), [rule], PageFlags()),
    ]
    extracted = assemble(pages, None)
    notes = [extracted.text[slice(*block.span)] for block in extracted.blocks if block.kind == "footnote"]
    assert notes == ["① 事故是指使服务中断的事件，包括使备用系统中断的事件。"]


def _wide_line(text: str, left: float, top: float, size: float, page: int) -> Line:
    box = (left, top, left + size * len(text), top + size)
    edges = array("f", [left + size * at // 2 for at in range(2 * len(text))])
    return Line(text, edges, box, box, page, 0, size, 0, top + 0.8 * size)


@pytest.mark.parametrize(
    ("size", "rise", "raised"), [(10.0, 4.5, True), (10.0, 1.0, False), (9.0, 2.0, True), (12.0, 4.5, False)]
)
def test_how_small_and_how_high_a_raised_figure_stands(size: float, rise: float, raised: bool) -> None:
    """A mark of five sixths of the type that stands a third of it above the line is raised; one hardly above it is a figure."""
    content = line("1. The words of the chapter hold.", 72, 700) + line("2", 256, 700 + rise, size=size)
    text = read_source(pdf([content]), "a.pdf").text
    assert ("²" in text) is raised
