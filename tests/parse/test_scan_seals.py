"""A seal, a signature or a drawing that runs through lines of a scan: what is under it may be read as other words."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from compliance_rag.parse.readers.ocr_engine import Engine, Picture, Quads, Reading
from compliance_rag.parse.readers.ocr_page import read_picture
from compliance_rag.parse.readers.ocr_quality import why_held
from compliance_rag.parse.readers.ocr_spaces import spaced

_LINES = [(60, 100 + 48 * at, 840, 148 + 48 * at) for at in range(8)]


class _Engine:
    """Finds the lines where they were drawn and reads each with certainty."""

    def find(self, picture: Picture) -> Quads:
        corners = [[(x0, y0), (x1, y0), (x1, y1), (x0, y1)] for x0, y0, x1, y1 in _LINES]
        return np.array(corners, np.float64) * (max(picture.shape) / 1200)

    def read(self, picture: Picture) -> Reading:
        text = "wordsofoneline" * 3
        return Reading(text, (0.999,) * len(text), tuple((at + 0.5) / len(text) for at in range(len(text))))


def _page(draw_on: str) -> NDArray[np.uint8]:
    image = Image.new("L", (900, 1200), 255)
    pen = ImageDraw.Draw(image)
    if draw_on == "ground":
        pen.rectangle((500, 80, 890, 640), fill=120)
    for x0, y0, x1, _ in _LINES:
        for x in range(x0 + 6, x1 - 20, 24):
            pen.rectangle((x, y0 + 12, x + 14, y0 + 34), outline=0, width=3)
    if draw_on == "seal":
        pen.ellipse((500, 180, 880, 560), outline=90, width=9)
    elif draw_on == "frame":
        pen.rectangle((30, 60, 870, 640), outline=0, width=4)
    elif draw_on == "table":
        pen.rectangle((50, 90, 850, 490), outline=0, width=4)
        pen.line((400, 90, 400, 490), fill=0, width=4)
    elif draw_on == "picture":
        pen.ellipse((300, 640, 700, 1040), outline=0, width=9)
    return np.asarray(image, np.uint8)


@pytest.mark.parametrize(
    ("drawn", "held"), [("seal", True), ("frame", False), ("picture", False), ("ground", False), ("table", False), ("", False)]
)
def test_lines_under_a_seal_hold_the_page(drawn: str, held: bool) -> None:
    """A ring through the lines holds the page however sure the reading; a frame around them and a picture below them do not."""
    page = read_picture(cast(Engine, _Engine()), _page(drawn), 1, 432.0, 576.0, 300.0)
    assert (page.crossed > 0) is held
    why = why_held(page) or ""
    assert ("runs through" in why) is held


class _Missing(_Engine):
    """Finds a line on the part of a page that is cut out around it, never on the whole page; reads nothing where it is told."""

    def __init__(self, reads: bool) -> None:
        self.reads = reads

    def find(self, picture: Picture) -> Quads:
        if not self.reads or picture.shape[0] > 1000:
            return np.zeros((0, 4, 2))
        rows, columns = np.nonzero(picture < 128)
        x0, x1, y0, y1 = int(columns.min()) - 6, int(columns.max()) + 6, int(rows.min()) - 6, int(rows.max()) + 6
        return np.array([[(x0, y0), (x1, y0), (x1, y1), (x0, y1)]], np.float64)


def test_a_single_line_on_an_empty_page_is_looked_for_again() -> None:
    """A line missed on the whole page is found around its ink; ink that is no line is told of as a figure."""
    image = Image.new("L", (900, 1200), 255)
    pen = ImageDraw.Draw(image)
    for x in range(80, 500, 24):
        pen.rectangle((x, 130, x + 14, 152), outline=0, width=3)
    picture = np.asarray(image, np.uint8)
    found = read_picture(cast(Engine, _Missing(reads=True)), picture, 1, 432.0, 576.0, 300.0)
    assert len(found.lines) == 1
    assert abs(found.lines[0].box[1] - 130 / 900 * 432) < 5
    missed = read_picture(cast(Engine, _Missing(reads=False)), picture, 1, 432.0, 576.0, 300.0)
    assert (len(missed.lines), len(missed.figures)) == (0, 1)


def _written(struck: int | None, *, ground: bool = False) -> NDArray[np.uint8]:
    """A page of lines of letters, one of them with a stroke along it: through its middle, under its feet, or none."""
    image = Image.new("L", (900, 1200), 255)
    pen = ImageDraw.Draw(image)
    font = ImageFont.load_default(30)
    if ground:
        pen.rectangle((40, 80, 860, 500), fill=0)
    for x0, y0, _, _ in _LINES:
        pen.text((x0 + 6, y0 + 6), "The supplier shall pay the fee by that day", font=font, fill=255 if ground else 0)
    if struck is not None:
        y = _LINES[2][1] + struck
        pen.line((120, y, 520, y + 4), fill=0, width=3)
    return np.asarray(image, np.uint8)


@pytest.mark.parametrize(
    ("struck", "ground", "held"), [(22, False, True), (39, False, False), (None, False, False), (None, True, False)]
)
def test_a_line_struck_out_by_hand_holds_the_page(struck: int | None, ground: bool, held: bool) -> None:
    """A stroke along the letters of a line holds the page, for its words are read all the same; an underline does not, nor does
    white type on a dark ground."""
    page = read_picture(cast(Engine, _Engine()), _written(struck, ground=ground), 1, 432.0, 576.0, 300.0)
    assert (page.crossed > 0) is held


@pytest.mark.parametrize(
    ("text", "gap", "expected"),
    [("PARTI GENERAL", 4, "PART I GENERAL"), ("ARTICLE12", 7, "ARTICLE 12"), ("PARTIES", 4, "PARTIES")],
)
def test_the_number_of_a_part_stands_apart(text: str, gap: int, expected: str) -> None:
    """Where the ink shows white between "PART" and its number, a space is set; a longer word is left whole."""
    ink = np.ones((30, 30 * len(text)), np.bool_)
    for at in range(1, len(text)):
        ink[:, 30 * at - 1] = False
    ink[:, 30 * gap - 4 : 30 * gap + 2] = False
    parts = (text, (0.99,) * len(text), tuple((at + 0.5) / len(text) for at in range(len(text))))
    assert spaced(parts, ink)[0] == expected
