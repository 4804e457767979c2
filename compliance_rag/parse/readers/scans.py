"""Pages that are pictures, or whose font map is suspected: drawn, read by the recogniser, and given their words.

The reader calls a :data:`PageReader` for such pages. :func:`read_here` reads in this process; in the confined child the reader
is one that has the pages already (its parent has them read by other children, page by page, on all cores), or raises
:class:`ScansNeeded` to ask for them.
"""

from __future__ import annotations

import re
from array import array
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import nan
from typing import Any

import numpy as np

from compliance_rag.parse.readers.ocr_correct import corrected_lines
from compliance_rag.parse.readers.ocr_quality import is_noise, why_held
from compliance_rag.parse.readers.ocr_types import ReadLine, ReadPage
from compliance_rag.parse.readers.pdf_letters import confirmed
from compliance_rag.parse.readers.pdf_raised import plain
from compliance_rag.parse.readers.pdf_types import Line, Page, Rect, Turn
from schemas.errors import InputRejected

# Pixels a point at which a page is drawn to be read: 216 dots an inch, 10-point type 30 pixels high.
READ_SCALE = 3.0
# The longer side of such a picture, whatever size the page says it has: A3 at 216 dots an inch.
MAX_READ_SIDE = 3600
# Words of a text layer behind a picture that are also read in it, from which the layer is that of the picture.
SAME_WORDS = 0.8
# A line read that lies this much within printed text is that text, read again.
COVERED = 0.5
_NUMBER = re.compile(r"[0-9]+")

PageReader = Callable[[bytes, str, Sequence[int]], list[ReadPage]]
Corrections = Mapping[int, str | None]
"""What a person decided about pages: the text that is right, None where the page was read well enough."""


class ScansNeeded(InputRejected):
    """Asks for these pages to be read."""

    CODE = "scans_needed"

    def __init__(self, pages: Sequence[int]) -> None:
        super().__init__(self.CODE, "Pages of this file are pictures that have not been read.")
        self.pages = list(pages)


def read_here(data: bytes, name: str, pages: Sequence[int]) -> list[ReadPage]:
    """These pages of a PDF, read in this process. Raises InputRejected ``damaged_file``, ``no_ocr`` and those of opening it."""
    from compliance_rag.parse.readers.ocr_engine import Engine
    from compliance_rag.parse.readers.ocr_page import read_picture
    from compliance_rag.parse.readers.pdf import open_pdf

    document = open_pdf(data, name)
    try:
        engine = Engine()
        out = []
        for number in pages:
            picture, width, height, dots = _drawn(document, number, name)
            out.append(read_picture(engine, picture, number, width, height, dots))
        return out
    finally:
        document.close()


def _drawn(document: Any, number: int, name: str) -> tuple[Any, float, float, float]:
    """A page as a grey picture, its size in points, and the dots an inch of the pictures it is made of."""
    import pypdfium2 as pdfium

    try:
        page = document[number - 1]
        width, height = page.get_size()
        scale = min(READ_SCALE, MAX_READ_SIDE / max(width, height, 1.0))
        picture = np.asarray(page.render(scale=scale, grayscale=True).to_numpy(), np.uint8)
        dots = _dots(pdfium, page)
        page.close()
    except pdfium.PdfiumError as error:
        raise InputRejected("damaged_file", f"{name}: page {number} cannot be drawn ({error}).", f"page {number}") from error
    return picture.reshape(picture.shape[0], picture.shape[1]), width, height, dots


def _dots(pdfium: Any, page: Any) -> float:
    """Dots an inch of the pictures on a page, large ones counting more; 0 without pictures."""
    pixels = area = 0.0
    for item in page.get_objects(filter=[pdfium.raw.FPDF_PAGEOBJ_IMAGE]):
        left, bottom, right, top = item.get_bounds()
        wide, high = item.get_px_size()
        pixels += wide * high
        area += abs((right - left) * (top - bottom)) / 72**2
    return float((pixels / area) ** 0.5) if area > 0 else 0.0


def release(pages: Sequence[Page], corrections: Corrections) -> None:
    """Let pages be no longer held, for what lies on them, about which a person has decided, in place."""
    for page in pages:
        if page.number in corrections:
            page.flags.held = None


def fill(pages: Sequence[Page], read: Sequence[ReadPage], corrections: Corrections) -> None:
    """Give pages the words that were read on them, in place. A suspected font map is cleared where its text was read in the
    picture too; where it was not, the words read take its place."""
    by_number = {page.number: page for page in pages}
    for found in read:
        page = by_number.get(found.number)
        if page is None:
            continue
        text = [line for line in found.lines if not is_noise(line)]
        if not page.flags.scan and page.flags.font_map is None:
            # A person gave the words of a page of text.
            page.fragments = []
        elif page.flags.font_map is not None and not page.flags.scan:
            layer = "\n".join(line.text for line in page.fragments)
            if _same(layer, text) and _confirmed(page, layer, text):
                page.flags.font_map = None
                continue
            if page.flags.digits and page.number not in corrections:
                page.flags.held = "its figures are not those that are printed"
        else:
            _stamp(page, text)
        printed = [line.box for line in page.stamps]
        text = [line for line in text if not any(_covered(line.box, box) for box in printed)]
        if page.flags.hidden and _same(page.flags.hidden, text):
            page.flags.hidden = ""
        _put(page, found, text, corrections)


def _stamp(page: Page, text: Sequence[ReadLine]) -> None:
    """What is printed as text on the picture of a page is a stamp; the picture's own words come from reading it."""
    page.stamps = page.fragments
    page.fragments = []


def _put(page: Page, found: ReadPage, text: list[ReadLine], corrections: Corrections) -> None:
    flags = page.flags
    flags.read = True
    flags.figures = list(found.figures)
    noise = [line.text for line in found.lines if is_noise(line)]
    if page.number in corrections:
        words = corrections[page.number]
        if words is not None:
            text, noise = corrected_lines(found.lines, words, found), []
    else:
        flags.held = flags.held or why_held(found)
    flags.unread = " ".join(noise)
    flags.scan = False
    page.rules, page.across = [], []
    page.turn = _turn(found)
    page.fragments = [_line(line, page, found.skew) for line in text]


def _turn(found: ReadPage) -> Turn:
    turns: dict[int, Turn] = {0: 0, 90: 90, 180: 180, 270: 270}
    return turns[found.turn]


def _line(read: ReadLine, page: Page, skew: float) -> Line:
    edges: array[float] = array("f")
    for at, char in enumerate(read.text):
        edges.extend((nan, nan) if char == " " else read.edges[2 * at : 2 * at + 2])
    return Line(read.text, edges, read.box, read.upright, page.number, page.turn, read.size, 0, read.base, slant=skew)


def _same(layer: str, text: Sequence[ReadLine]) -> bool:
    """Whether a text layer says what was read: most of its pairs of characters are in the reading too."""
    said, read = _pairs(layer), _pairs("".join(line.text for line in text))
    return bool(said) and len(said & read) >= SAME_WORDS * len(said)


def _same_numbers(layer: str, text: Sequence[ReadLine]) -> bool:
    """Whether the numbers of a text layer are those that were read."""
    return Counter(_NUMBER.findall(plain(layer))) == Counter(number for line in text for number in _NUMBER.findall(line.text))


def _confirmed(page: Page, layer: str, text: Sequence[ReadLine]) -> bool:
    """Whether what single characters of a layer are suspected of was read in the picture too."""
    letters = not page.flags.letters or confirmed(plain(layer), [line.text for line in text])
    return letters and (not page.flags.digits or _same_numbers(layer, text))


def _pairs(text: str) -> set[str]:
    plain = "".join(char for char in text.lower() if char.isalnum())
    return {plain[at : at + 3] for at in range(len(plain) - 2)}


def _covered(inner: Rect, outer: Rect) -> bool:
    wide = min(inner[2], outer[2]) - max(inner[0], outer[0])
    high = min(inner[3], outer[3]) - max(inner[1], outer[1])
    area = (inner[2] - inner[0]) * (inner[3] - inner[1])
    return wide > 0 and high > 0 and wide * high >= COVERED * area


def checked(pages: Sequence[ReadPage], wanted: Sequence[int]) -> list[ReadPage]:
    """Pages that a child read, proved to be those asked for and whole. Raises ValueError."""
    if [page.number for page in pages] != list(wanted):
        raise ValueError("other pages were asked for")
    for page in pages:
        if page.turn not in (0, 90, 180, 270) or any(
            not line.text or len(line.sure) != len(line.text) or len(line.edges) != 2 * len(line.text) for line in page.lines
        ):
            raise ValueError("a page read is not whole")
    return [replace(page) for page in pages]
