"""PDF positions: CASES 12 and 14, and boxes cut to the words of a clause."""

from __future__ import annotations

from array import array
from math import ceil, floor
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import read_source
from compliance_rag.parse.readers.ocr_frame import Frame
from compliance_rag.parse.readers.pdf_slant import steps_of
from compliance_rag.parse.readers.pdf_types import Line, Turn
from compliance_rag.parse.tiling import check_tiling
from schemas.clause import Clause, ParsedVersion
from tests.parse.pdfs import line, pdf

_FILL = "The supplier shall keep every record of a delivery for seven years"
_FIRST = "Records of every delivery are to be kept"
_SECOND = "at the seat of the company for a term of not less than seven"
HEAD, FOOT = ("Supply Terms", 780), ("Page {} of 6", 20)


def _clause(version: ParsedVersion, number: str) -> Clause:
    return next(clause for clause in version.clauses if clause.number == number)


def _pages(first: str, second: str) -> list[str]:
    """Six pages with headers and footers; ``first`` ends page 4, ``second`` opens page 5."""
    out = []
    for page in range(1, 7):
        body = line(f"{page}. {_FILL}.", 72, 700) if page != 5 else line(second, 72, 740) + line(f"5. {_FILL}.", 72, 700)
        if page == 4:
            body += line(f"4.1 {first}", 72, 60)
        out.append(line(HEAD[0], 72, HEAD[1], size=9) + body + line(FOOT[0].format(page), 280, FOOT[1], size=9))
    return out


@pytest.mark.parametrize("space", ["", " "])
def test_case_12_a_clause_over_two_pages(space: str) -> None:
    """CASE 12: 40 characters on page 4 and 60 on page 5 are two boxes with ranges that meet at 40 and give the clause's text,
    which is one piece without a line feed; header and footer between them are furniture. The white space between the halves
    belongs to the half that prints it."""
    first, second = _FIRST[: 40 - len(space)] + space, _SECOND
    assert (len(first), len(second)) == (40, 60)
    version = parse_version(pdf(_pages(first, second)), "a.pdf")
    assert check_tiling(version) == []
    clause = _clause(version, "4.1")
    assert clause.text == f"{first.strip()} {second}"
    assert len(clause.spans) == 1
    assert [box[0] for box in clause.boxes] == [4, 5]
    assert clause.box_ranges == ((0, 40), (40, len(clause.text)))
    assert "".join(clause.text[slice(*span)] for span in clause.box_ranges) == clause.text
    furniture = [version.extracted[slice(*span)] for span in version.furniture]
    assert sorted(furniture) == sorted([HEAD[0]] * 6 + [FOOT[0].format(n) for n in range(1, 7)])


def test_case_12_a_word_broken_at_the_page() -> None:
    """A word broken at the end of a page is whole in the clause; each box holds its part of it."""
    version = parse_version(pdf(_pages("Records are kept by the respon-", "sible office for seven years.")), "a.pdf")
    clause = _clause(version, "4.1")
    assert clause.text == "Records are kept by the responsible office for seven years."
    assert [clause.text[slice(*span)] for span in clause.box_ranges] == [
        "Records are kept by the respon",
        "sible office for seven years.",
    ]


def _ink(data: bytes, box: tuple[int, float, float, float, float]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The picture inside the box and that of the whole page, in grey, at two pixels a point."""
    import pypdfium2 as pdfium

    page = pdfium.PdfDocument(data)[box[0] - 1]
    image = np.asarray(page.render(scale=2, grayscale=True).to_numpy()).reshape(round(2 * page.get_height()), -1)
    x0, y0, x1, y1 = (floor(2 * box[1]), floor(2 * box[2]), ceil(2 * box[3]), ceil(2 * box[4]))
    return image[y0:y1, x0:x1], image


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
@pytest.mark.parametrize("inherited", [False, True])
def test_case_14_rotated_and_cropped(rotation: int, inherited: bool) -> None:
    """CASE 14: on a page cropped to 100 100 500 700 and rotated, the box of "penalty" holds all the ink of the page, whether
    the page says so itself or its parent."""
    keys = f"/CropBox [100 100 500 700] /Rotate {rotation}"
    content = line("penalty", 150, 650)
    data = pdf([content], page_keys="" if inherited else keys, tree_keys=keys if inherited else "")
    extracted = read_source_of_one_word(data)
    (box,) = extracted
    inside, whole = _ink(data, box)
    assert whole.shape == ((1200, 800) if rotation in (0, 180) else (800, 1200))
    assert (whole < 128).sum() > 0
    assert (inside < 128).sum() == (whole < 128).sum()


def read_source_of_one_word(data: bytes) -> tuple[tuple[int, float, float, float, float], ...]:
    """The boxes of a page that holds one word; too little text for a document, so the pages are read and put together."""
    from compliance_rag.parse.readers.pdf import read_pages
    from compliance_rag.parse.readers.pdf_assemble import assemble

    return assemble(*read_pages(data, "a.pdf")).blocks[0].boxes


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_text_that_runs_up_the_page(rotation: int) -> None:
    """A wide table's page is turned by its text, not by its page: lines are read in order whichever way the page is shown."""
    turned = "".join(
        f"BT /F1 12 Tf 0 1 -1 0 {200 + 16 * n} 100 Tm ({n + 1}. {_FILL}.) Tj ET\n" for n in range(4)
    )  # fmt: skip
    extracted = read_source(pdf([turned], page_keys=f"/Rotate {rotation}"), "a.pdf")
    assert [extracted.text[slice(*block.span)][:2] for block in extracted.blocks] == ["1.", "2.", "3.", "4."]


def test_clauses_on_one_line_share_no_box() -> None:
    """Two items printed on one line have a box each, side by side, that holds its own words only."""
    content = line("1. The buyer shall:", 72, 700) + line("(a) pay in time; (b) keep the goods; (c) insure them.", 72, 686)
    content += line("2. " + _FILL + ".", 72, 660)
    data = pdf([content])
    version = parse_version(data, "a.pdf")
    found = [clause for clause in version.clauses if clause.path[0] == "1" and len(clause.path) == 2]
    assert [clause.text for clause in found] == ["pay in time;", "keep the goods;", "insure them."]
    boxes = [clause.boxes for clause in found]
    assert all(len(each) == 1 for each in boxes)
    assert boxes[0][0][3] < boxes[1][0][1] < boxes[1][0][3] < boxes[2][0][1]
    assert all(clause.box_ranges == ((0, len(clause.text)),) for clause in found)


def test_ranges_cover_the_text() -> None:
    """A heading on a line of its own has a box with an empty range; the ranges of the rest cover the text in order."""
    content = line("1. Records", 72, 700, font="F2") + line(_FILL, 72, 680) + line("and show them.", 72, 666)
    content += line("2. " + _FILL + ".", 72, 640)
    clause = _clause(parse_version(pdf([content]), "a.pdf"), "1")
    assert clause.heading == "Records"
    assert clause.box_ranges == ((0, 0), (0, len(_FILL)), (len(_FILL), len(clause.text)))


@pytest.mark.parametrize("variant", ["turned 90", "turned 180", "turned 270", "cropped and turned 90"])
def test_a_turned_page_says_the_same(measuring_data: Path, variant: str) -> None:
    """A real document with every page turned or cropped gives the same clauses, word for word."""
    from eval.positions import changed

    data = (measuring_data / "messy" / "pdf-digital" / "icj.pdf").read_bytes()
    plain, turned = parse_version(data, "a.pdf"), parse_version(changed(data, variant), "a.pdf")
    assert [(c.path, c.heading, c.sha256) for c in plain.clauses] == [(c.path, c.heading, c.sha256) for c in turned.clauses]


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("skew", [-3.0, -0.1, 0.0, 2.0])
def test_a_line_askew_has_its_box_in_steps(turn: Turn, skew: float) -> None:
    """Each step holds the middles of its characters and is hardly higher than the type, whichever way the page lies; together
    they hold every character once. A line that is level, or as good as level, has one box."""
    count, wide, high, left, top = 60, 7.0, 10.0, 80.0, 300.0
    frame = Frame(turn, skew, 600, 600, 1.0, (640, 640))
    rect = (left, top, left + count * wide, top + high)
    starts = np.asarray(left + wide * np.arange(count), np.float64)
    edges = array("f", frame.edges(starts, starts + wide, top + high / 2))
    line = Line("x" * count, edges, frame.box(rect), frame.upright(rect), 1, turn, high, 0, top + high, slant=skew)
    steps = steps_of(line, edges)
    assert [first for first, _, _ in steps] == [0, *(last for _, last, _ in steps[:-1])]
    assert steps[-1][1] == count
    assert (len(steps) == 1) is (abs(skew) < 1)
    middles = frame.displayed(np.column_stack((starts + wide / 2, np.full(count, top + high / 2))))
    for first, last, (x0, y0, x1, y1) in steps:
        inside = middles[first:last]
        assert (inside >= (x0 - 0.1, y0 - 0.1)).all()
        assert (inside <= (x1 + 0.1, y1 + 0.1)).all()
        assert min(x1 - x0, y1 - y0) <= 1.6 * high
