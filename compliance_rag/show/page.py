"""A page of a PDF as a picture, with boxes highlighted."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from compliance_rag.parse.readers.pdf import open_pdf
from schemas.clause import Box
from schemas.errors import InputRejected, NotFound

if TYPE_CHECKING:
    from PIL.Image import Image

# Pixels a point: 144 dots an inch, legible on any screen.
SCALE = 2.0
# A page is drawn no larger than this, whatever its size says: 30 million pixels are 90 MB while it is drawn.
MAX_PIXELS = 30_000_000
# Pages shown in one picture; a clause on more is shown from its beginning.
MAX_PAGES_SHOWN = 8
# White between two pages of one picture, in pixels.
GUTTER = 16
# The marker's colour, laid on like a felt pen (paper takes it, ink stays black), and how far beyond the ink it goes, in points.
MARKER = (255, 236, 110)
REACH = 1.0
_GROUND = (120, 120, 120)


def page_sizes(data: bytes) -> list[tuple[float, float]]:
    """Width and height of every page as displayed, in points. Raises InputRejected ``encrypted_pdf``, ``damaged_file``."""
    document = open_pdf(data, "source")
    try:
        return [document.get_page_size(index) for index in range(len(document))]
    finally:
        document.close()


def page_png(data: bytes, page: int, boxes: Sequence[Box] = (), *, scale: float = SCALE) -> bytes:
    """Page ``page`` (from 1) of a PDF as a PNG at ``scale`` pixels a point, ``boxes`` of that page highlighted.

    Raises NotFound ``unknown_page``; InputRejected ``encrypted_pdf``, ``damaged_file``.
    """
    return _png([page], data, boxes, scale)


def boxes_png(data: bytes, boxes: Sequence[Box], *, scale: float = SCALE) -> bytes:
    """Every page that ``boxes`` stand on, one under the other, as one PNG, at most the first :data:`MAX_PAGES_SHOWN` of them.

    Raises NotFound ``unknown_page``, also when there are no boxes; InputRejected ``encrypted_pdf``, ``damaged_file``.
    """
    return _png(sorted({box[0] for box in boxes})[:MAX_PAGES_SHOWN], data, boxes, scale)


def _png(pages: Sequence[int], data: bytes, boxes: Sequence[Box], scale: float) -> bytes:
    from PIL import Image

    document = open_pdf(data, "source")
    try:
        count = len(document)
        if not pages or min(pages) < 1 or max(pages) > count:
            raise NotFound("unknown_page", f"The document has pages 1 to {count}; {list(pages)} is asked for.", "page")
        drawn = [_page(document, page, [box for box in boxes if box[0] == page], scale) for page in pages]
    finally:
        document.close()
    height = sum(image.height for image in drawn) + GUTTER * (len(drawn) - 1)
    whole = Image.new("RGB", (max(image.width for image in drawn), height), _GROUND)
    top = 0
    for image in drawn:
        whole.paste(image, (0, top))
        top += image.height + GUTTER
    out = BytesIO()
    whole.save(out, "PNG")
    return out.getvalue()


def _page(document: Any, number: int, boxes: Sequence[Box], scale: float) -> Image:
    """One page, the marker multiplied onto it: what was black stays black."""
    import pypdfium2 as pdfium
    from PIL import Image, ImageChops, ImageDraw

    try:
        page = document[number - 1]
        width, height = page.get_size()
        scale = min(scale, (MAX_PIXELS / max(1.0, width * height)) ** 0.5)
        image: Image.Image = page.render(scale=scale).to_pil().convert("RGB")
        page.close()
    except pdfium.PdfiumError as error:
        raise InputRejected("damaged_file", f"Page {number} cannot be drawn ({error}).", f"page {number}") from error
    marker = Image.new("RGB", image.size, (255, 255, 255))
    pen = ImageDraw.Draw(marker)
    for _, x0, y0, x1, y1 in boxes:
        pen.rectangle(((x0 - REACH) * scale, (y0 - REACH) * scale, (x1 + REACH) * scale, (y1 + REACH) * scale), fill=MARKER)
    return ImageChops.multiply(image, marker)
