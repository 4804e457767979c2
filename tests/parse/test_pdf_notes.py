"""Raised figures: marks of notes stay apart from the figures beside them, and a note stands in the clause of its mark."""

from __future__ import annotations

import pytest

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import read_source
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
