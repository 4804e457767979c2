"""PDF with text, by pypdfium2: characters with their boxes, put together into lines, paragraphs and pages.

Boxes are in points as displayed (after crop and rotation), origin top left. Scans, columns and tagged structure come with a
later release.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.readers.compose import tile
from compliance_rag.parse.readers.decode import odd_characters
from compliance_rag.parse.readers.furniture import mark_furniture
from compliance_rag.parse.readers.limits import MAX_DECODED_CHARS, MAX_PAGES, MIN_CHARS_A_PAGE
from compliance_rag.parse.readers.lines import starts_label
from schemas.clause import Box, Flag
from schemas.errors import InputRejected

# Characters whose boxes overlap vertically by more than half belong to one line.
LINE_OVERLAP = 0.5
# A line further below the one before than this many line heights opens a paragraph.
PARAGRAPH_GAP = 1.8
# A line that ends this share of the text width before the right margin was ended by the author.
SHORT_LINE = 0.85
# Text under this size, in points, is not for reading.
TINY_POINTS = 1.5
# About the width of a character: what indents are counted in.
POINTS_A_COLUMN = 6.0
# Weights from semi-bold on.
BOLD_WEIGHT = 600
# Font names are short; a longer one is cut.
FONT_NAME_BYTES = 128
_HYPHENS = frozenset("-\u00ad\u2010\ufffe\x02")


_Rect = tuple[float, float, float, float]


@dataclass(slots=True)
class _Char:
    """A character, its box in page space (None for white space), its index on the page."""

    char: str
    box: _Rect | None
    index: int


@dataclass(slots=True)
class _Line:
    """One printed line: its characters, its box as displayed, its box with the text upright (origin top left, any offset),
    whether it is bold."""

    text: str
    box: Box
    upright: _Rect
    bold: bool


@dataclass(slots=True)
class _Page:
    number: int
    lines: list[_Line]
    height: float = 0.0
    hidden: str = ""


def read_pdf(data: bytes, name: str) -> Extracted:
    """Extracted text of a PDF with its pages and boxes. Raises InputRejected ``encrypted_pdf``, ``damaged_file``,
    ``too_many_pages``, ``no_text``."""
    import pypdfium2 as pdfium

    document = _open(pdfium, data, name)
    try:
        count = len(document)
        if count > MAX_PAGES:
            raise InputRejected(
                "too_many_pages", f"{name}: {count:,} pages; at most {MAX_PAGES:,} are read, split the file.", name
            )
        pages = list(_pages(pdfium, document, count, name))
        title = document.get_metadata_dict(skip_empty=True).get("Title")
    finally:
        document.close()
    visible = sum(len(line.text) for page in pages for line in page.lines)
    if visible < MIN_CHARS_A_PAGE * count:
        raise InputRejected(
            "no_text",
            f"{name}: {count} pages hold {visible} characters of text, a scan; scans come later, give a PDF with text.",
            name,
        )
    return _assemble(pages, title)


def _open(pdfium: Any, data: bytes, name: str) -> Any:
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        text = str(error).lower()
        if "password" in text or "security" in text:
            raise InputRejected(
                "encrypted_pdf", f"{name}: the PDF is encrypted; save it without a password and add it again.", name
            ) from None
        raise InputRejected(
            "damaged_file", f"{name}: the PDF cannot be opened ({error}); fetch or print it again.", name
        ) from None


def _pages(pdfium: Any, document: Any, count: int, name: str) -> Iterator[_Page]:
    read = 0
    for index in range(count):
        try:
            page = document[index]
            textpage = page.get_textpage()
        except pdfium.PdfiumError as error:
            raise InputRejected(
                "damaged_file",
                f"{name}: page {index + 1} cannot be read ({error}); fetch or print the PDF again.",
                f"page {index + 1}",
            ) from None
        chars = textpage.count_chars()
        read += max(chars, 0)
        if read > MAX_DECODED_CHARS:
            raise InputRejected("file_too_large", f"{name}: more than {MAX_DECODED_CHARS:,} characters; split the file.", name)
        yield _page(pdfium.raw, page, textpage, index + 1, chars)
        textpage.close()
        page.close()


def _page(raw: Any, page: Any, textpage: Any, number: int, count: int) -> _Page:
    """Read the characters of one page into lines, in the order of the content."""
    place = _Placer(page)
    out = _Page(number, [])
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    chars: list[_Char] = []
    hidden: list[str] = []
    for index in range(count):
        code = raw.FPDFText_GetUnicode(textpage.raw, index)
        if code in (0, 0x0D):
            continue
        char = chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
        if char.isspace():
            chars.append(_Char(char, None, index))
        elif raw.FPDFText_GetCharBox(textpage.raw, index, left, right, bottom, top):
            box = (left.value, bottom.value, right.value, top.value)
            if _unseen(raw, textpage, index, place, box):
                hidden.append(char)
            else:
                chars.append(_Char(char, box, index))
    turn = _direction(chars)
    run: list[_Char] = []
    for item in chars:
        if item.char == "\n" or (item.box and _new_line(run, item.box, turn)):
            _end_line(out, run, place, turn, raw, textpage)
            run = []
        if item.char != "\n":
            run.append(item)
    _end_line(out, run, place, turn, raw, textpage)
    out.hidden = "".join(hidden)
    out.height = place.top - place.bottom if turn % 180 == 0 else place.right - place.left
    return out


def _unseen(raw: Any, textpage: Any, index: int, place: _Placer, box: _Rect) -> bool:
    """Text outside the crop box, of a size no one reads, or fully transparent."""
    if not place.inside(box):
        return True
    if max(box[3] - box[1], box[2] - box[0]) < TINY_POINTS and raw.FPDFText_GetFontSize(textpage.raw, index) < TINY_POINTS:
        return True
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    return bool(raw.FPDFText_GetFillColor(textpage.raw, index, red, green, blue, alpha)) and alpha.value == 0


def _direction(chars: list[_Char]) -> int:
    """Which way most of the text runs in page space: 0 to the right, 90 up, 180 to the left, 270 down."""
    votes = {0: 0, 90: 0, 180: 0, 270: 0}
    before: _Rect | None = None
    for item in chars:
        if item.box is None:
            before = before if item.char != "\n" else None
            continue
        if before is not None:
            across, along = item.box[0] - before[0], item.box[1] - before[1]
            if abs(across) >= abs(along):
                votes[0 if across >= 0 else 180] += 1
            else:
                votes[90 if along > 0 else 270] += 1
        before = item.box
    return max(votes, key=lambda turn: (votes[turn], -turn))


def _upright(box: _Rect, turn: int) -> _Rect:
    """``box`` in the space in which the text runs to the right."""
    x0, y0, x1, y1 = box
    if turn == 90:
        return y0, -x1, y1, -x0
    if turn == 180:
        return -x1, -y1, -x0, -y0
    if turn == 270:
        return -y1, x0, -y0, x1
    return box


def _new_line(run: list[_Char], box: _Rect, turn: int) -> bool:
    """True when ``box`` does not stand on the line that ``run`` stands on."""
    last = next((item.box for item in reversed(run) if item.box), None)
    if last is None:
        return False
    _, low, _, high = _upright(last, turn)
    _, bottom, _, top = _upright(box, turn)
    smaller = min(high - low, top - bottom)
    return smaller > 0 and min(high, top) - max(low, bottom) < -LINE_OVERLAP * smaller


def _around(boxes: list[_Rect]) -> _Rect:
    return min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes)


def _end_line(out: _Page, run: list[_Char], place: _Placer, turn: int, raw: Any, textpage: Any) -> None:
    boxes = [item.box for item in run if item.box]
    if not boxes:
        return
    seen = [item.index for item in run if item.box]
    x0, y0, x1, y1 = place.displayed(_around(boxes))
    left, bottom, right, top = _upright(_around(boxes), turn)
    box = (out.number, round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))
    bold = all(_is_bold(raw, textpage, index) for index in (seen[0], seen[-1]))
    out.lines.append(_Line(" ".join("".join(item.char for item in run).split()), box, (left, -top, right, -bottom), bold))


def _is_bold(raw: Any, textpage: Any, index: int) -> bool:
    """A heavy weight, or a font whose name says so (the standard fonts carry no weight)."""
    if raw.FPDFText_GetFontWeight(textpage.raw, index) >= BOLD_WEIGHT:
        return True
    name = ctypes.create_string_buffer(FONT_NAME_BYTES)
    flags = ctypes.c_int()
    size = raw.FPDFText_GetFontInfo(textpage.raw, index, name, FONT_NAME_BYTES, flags)
    return size > 0 and b"bold" in name.value.lower()


class _Placer:
    """From page space to the page as displayed."""

    def __init__(self, page: Any) -> None:
        left, bottom, right, top = page.get_cropbox()
        media = page.get_mediabox()
        self.left, self.right = max(min(left, right), min(media[0], media[2])), min(max(left, right), max(media[0], media[2]))
        self.bottom, self.top = max(min(bottom, top), min(media[1], media[3])), min(max(bottom, top), max(media[1], media[3]))
        self.rotation = page.get_rotation() % 360

    def inside(self, box: tuple[float, float, float, float]) -> bool:
        """True when the box's middle lies in the crop box."""
        x, y = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        return bool(self.left <= x <= self.right and self.bottom <= y <= self.top)

    def displayed(self, box: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
        """``x0, y0, x1, y1`` from the top left of the displayed page."""
        x0, y0, x1, y1 = box[0] - self.left, box[1] - self.bottom, box[2] - self.left, box[3] - self.bottom
        across, along = self.right - self.left, self.top - self.bottom
        if self.rotation == 90:
            return y0, x0, y1, x1
        if self.rotation == 180:
            return across - x1, y0, across - x0, y1
        if self.rotation == 270:
            return along - y1, across - x1, along - y0, across - x0
        return x0, along - y1, x1, along - y0


def _assemble(pages: list[_Page], title: str | None) -> Extracted:
    """Lines to paragraphs, pages to one text."""
    parts: list[str] = []
    blocks: list[Block] = []
    breaks: list[int] = []
    flags: list[Flag] = []
    length = 0
    for page in pages:
        if page.number > 1:
            parts.append("\f")
            length += 1
            breaks.append(length)
        if page.hidden:
            text = f"Page {page.number}: hidden text is in no clause: {page.hidden[:80]!r}."
            flags.append(Flag("hidden_text", text, page=page.number))
        if not page.lines:
            flags.append(
                Flag(
                    "page_without_text", f"Page {page.number} holds no text; scans come with a later release.", page=page.number
                )
            )
        left = min((line.upright[0] for line in page.lines), default=0.0)
        for paragraph in _paragraphs(page):
            text, ends = _paragraph_text(paragraph)
            if length and parts[-1] != "\f":
                parts.append("\n\n")
                length += 2
            block = Block("paragraph", (length, length + len(text)), page=page.number)
            block.boxes = tuple(line.box for line in paragraph)
            block.box_spans = tuple(pairwise([length, *(length + end for end in ends)]))
            block.bold = all(line.bold for line in paragraph)
            block.indent = max(0, round((paragraph[0].upright[0] - left) / POINTS_A_COLUMN))
            blocks.append(block)
            parts.append(text)
            length += len(text)
    text = "".join(parts)
    tiled, unplaced = tile(text, blocks)
    mark_furniture(text, tiled)
    return Extracted(
        text=text,
        blocks=tiled,
        media="pdf",
        title=title,
        page_breaks=tuple(breaks),
        flags=flags + unplaced + odd_characters(text),
    )


def _paragraphs(page: _Page) -> Iterator[list[_Line]]:
    """Cut the lines of a page into paragraphs: at a wider gap, after a short line, at a number, where the weight changes."""
    current: list[_Line] = []
    right = max((line.upright[2] for line in page.lines), default=0.0)
    left = min((line.upright[0] for line in page.lines), default=0.0)
    for line in page.lines:
        if current and _opens(current[-1], line, left, right):
            yield current
            current = []
        current.append(line)
    if current:
        yield current


def _opens(before: _Line, line: _Line, left: float, right: float) -> bool:
    tall = max(before.upright[3] - before.upright[1], line.upright[3] - line.upright[1], 1.0)
    step = line.upright[1] - before.upright[1]
    if step > PARAGRAPH_GAP * tall or step < -tall:
        return True
    numbered = starts_label(line.text)
    if (before.bold != line.bold and not line.text[0].islower()) or (numbered and before.text[-1:] in ".;:,。；：、"):
        return True
    if before.upright[2] >= left + SHORT_LINE * (right - left):
        return False
    heading = starts_label(before.text) and not line.text[0].islower()
    return heading or numbered or before.text[-1:] in ".;:?!。；：？！"


def _paragraph_text(lines: list[_Line]) -> tuple[str, list[int]]:
    """Join lines with a space, between wide characters with nothing; a word broken at a hyphen before lower case is joined.
    Gives the text and, for each line, the offset at which it ends."""
    out = ""
    ends: list[int] = []
    for line in lines:
        text = line.text
        if not out:
            out = text
        elif out[-1] in _HYPHENS and len(out) > 1 and out[-2].isalpha() and text[0].islower():
            out = (out[:-1] if out[-1] != "-" else out) + text
        elif _wide(out[-1]) and _wide(text[0]):
            out += text
        else:
            out += " " + text
        ends.append(len(out))
    return out, ends


def _wide(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef"
