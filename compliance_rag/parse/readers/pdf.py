"""PDF with text, by pypdfium2: characters with their boxes, put together into lines, paragraphs and pages.

Boxes are in points as displayed (after crop and rotation), origin top left. Scans, columns and tagged structure come with a
later release.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
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
# A gap wider than this share of the line height is a space where the PDF has none.
SPACE_GAP = 0.28
# A line further below the one before than this many line heights opens a paragraph.
PARAGRAPH_GAP = 1.45
# A line that ends this share of the text width before the right margin was ended by the author.
SHORT_LINE = 0.85
# Text under this size, in points, is not for reading.
TINY_POINTS = 1.5
_HYPHENS = frozenset("-\u00ad\u2010\ufffe\x02")


@dataclass(slots=True)
class _Line:
    """One printed line: its characters, its box as displayed, whether all of it is bold."""

    text: str
    box: Box
    bold: bool


@dataclass(slots=True)
class _Page:
    number: int
    lines: list[_Line]
    width: float
    height: float
    hidden: list[str] = field(default_factory=list)


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
    out = _Page(number, [], place.width, place.height)
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    run: list[tuple[str, tuple[float, float, float, float], bool]] = []
    hidden: list[str] = []
    for index in range(count):
        code = raw.FPDFText_GetUnicode(textpage.raw, index)
        if code in (0, 0x0D):
            continue
        char = chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
        if char == "\n":
            _end_line(out, run, place)
            run = []
            continue
        if not raw.FPDFText_GetCharBox(textpage.raw, index, left, right, bottom, top):
            continue
        box = (left.value, bottom.value, right.value, top.value)
        if not char.isspace() and (_unseen(raw, textpage, index, place, box)):
            hidden.append(char)
            continue
        if run and not char.isspace() and _new_line(run, box):
            _end_line(out, run, place)
            run = []
        run.append((char, box, raw.FPDFText_GetFontWeight(textpage.raw, index) >= 600))
    _end_line(out, run, place)
    if hidden:
        out.hidden.append("".join(hidden))
    return out


def _unseen(raw: Any, textpage: Any, index: int, place: _Placer, box: tuple[float, float, float, float]) -> bool:
    """Text outside the crop box, of a size no one reads, or painted white."""
    if not place.inside(box) or (
        0 < raw.FPDFText_GetFontSize(textpage.raw, index) < TINY_POINTS and box[3] - box[1] < TINY_POINTS
    ):
        return True
    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    if raw.FPDFText_GetFillColor(textpage.raw, index, red, green, blue, alpha):
        return bool(alpha.value == 0)
    return False


def _new_line(run: list[tuple[str, tuple[float, float, float, float], bool]], box: tuple[float, float, float, float]) -> bool:
    """True when ``box`` does not stand on the line that ``run`` stands on."""
    _, (_, low, _, high), _ = next((item for item in reversed(run) if not item[0].isspace()), run[-1])
    overlap = min(high, box[3]) - max(low, box[1])
    smaller = min(high - low, box[3] - box[1])
    return smaller > 0 and overlap < -LINE_OVERLAP * smaller


def _end_line(out: _Page, run: list[tuple[str, tuple[float, float, float, float], bool]], place: _Placer) -> None:
    seen = [item for item in run if not item[0].isspace()]
    if not seen:
        return
    text = " ".join("".join(char for char, _, _ in run).split())
    boxes = [box for _, box, _ in seen]
    around = (min(b[0] for b in boxes), min(b[1] for b in boxes), max(b[2] for b in boxes), max(b[3] for b in boxes))
    x0, y0, x1, y1 = place.displayed(around)
    box = (out.number, round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))
    out.lines.append(_Line(text, box, all(bold for _, _, bold in seen)))


class _Placer:
    """From page space to the page as displayed."""

    def __init__(self, page: Any) -> None:
        left, bottom, right, top = page.get_cropbox()
        media = page.get_mediabox()
        self.left, self.right = max(min(left, right), min(media[0], media[2])), min(max(left, right), max(media[0], media[2]))
        self.bottom, self.top = max(min(bottom, top), min(media[1], media[3])), min(max(bottom, top), max(media[1], media[3]))
        self.rotation = page.get_rotation() % 360
        across, along = self.right - self.left, self.top - self.bottom
        self.width, self.height = (along, across) if self.rotation in (90, 270) else (across, along)

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
            words = " ".join(page.hidden)[:80]
            flags.append(Flag("hidden_text", f"Page {page.number}: hidden text is in no clause: {words!r}.", page=page.number))
        if not page.lines:
            flags.append(
                Flag(
                    "page_without_text", f"Page {page.number} holds no text; scans come with a later release.", page=page.number
                )
            )
        for paragraph in _paragraphs(page):
            text, boxes = _paragraph_text(paragraph)
            if length and parts[-1] != "\f":
                parts.append("\n\n")
                length += 2
            block = Block("paragraph", (length, length + len(text)), page=page.number, boxes=boxes)
            block.bold = all(line.bold for line in paragraph)
            block.indent = max(0, round(paragraph[0].box[1] / 6))
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
    right = max((line.box[3] for line in page.lines), default=0.0)
    left = min((line.box[1] for line in page.lines), default=0.0)
    for line in page.lines:
        if current and _opens(current[-1], line, left, right, page.height):
            yield current
            current = []
        current.append(line)
    if current:
        yield current


def _opens(before: _Line, line: _Line, left: float, right: float, height: float) -> bool:
    tall = max(before.box[4] - before.box[2], line.box[4] - line.box[2], 1.0)
    step = line.box[2] - before.box[2]
    if step > PARAGRAPH_GAP * 1.25 * tall or step < -tall:
        return True
    if _margin(before, height) != _margin(line, height):
        return True
    if (before.bold != line.bold and not line.text[0].islower()) or (
        starts_label(line.text) and before.text[-1:] in ".;:,。；：、"
    ):
        return True
    ended = before.box[3] < left + SHORT_LINE * (right - left)
    if not ended:
        return False
    heading = starts_label(before.text) and not line.text[0].islower()
    return heading or before.text[-1:] in ".;:?!。；：？！" or starts_label(line.text)


def _margin(line: _Line, height: float) -> bool:
    """In the top or bottom twentieth of the page, where headers and footers stand."""
    return line.box[4] < height * 0.06 or line.box[2] > height * 0.94


def _paragraph_text(lines: list[_Line]) -> tuple[str, tuple[Box, ...]]:
    """Join lines with a space, between wide characters with nothing; a word broken at a hyphen before lower case is joined."""
    out = ""
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
    return out, tuple(line.box for line in lines)


def _wide(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef"
