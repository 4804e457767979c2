"""A picture file (PNG, JPEG, TIFF) as a document of pages, each filled by one picture: it is read and shown like a scan.

The document is made in memory each time and never written: the file itself stays the source.
"""

from __future__ import annotations

import warnings
from io import BytesIO
from typing import TYPE_CHECKING, Any

from compliance_rag.parse.readers.limits import MAX_PAGES
from schemas.errors import InputRejected

if TYPE_CHECKING:
    from PIL.Image import Image

SUFFIXES = frozenset((".png", ".jpg", ".jpeg", ".tif", ".tiff"))
_MAGIC = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*")
# A4 at 600 dots an inch has 35 million pixels, A3 70; a picture of more is made to fill memory.
MAX_PIXELS = 80_000_000
# A picture that does not say how large it is printed, or says what no scanner says, is one of A4's width.
MIN_DOTS, MAX_DOTS = 60.0, 2400.0
A4_WIDTH = 595.0
# What programs write that know nothing of the scanner.
NO_DOTS = 72.0


def is_picture(data: bytes) -> bool:
    """True for the kinds of picture that are read."""
    return data.startswith(_MAGIC)


def picture_pdf(data: bytes, name: str) -> Any:
    """The pictures of a file as the pages of a pypdfium2 document, which the caller closes.

    Raises InputRejected ``damaged_file``, ``unpacks_too_large``, ``too_many_pages``."""
    import pypdfium2 as pdfium

    document = pdfium.PdfDocument.new()
    for image, dots in _frames(data, name):
        width, height = image.width * 72 / dots, image.height * 72 / dots
        page = document.new_page(width, height)
        item = pdfium.PdfImage.new(document)
        item.set_bitmap(pdfium.PdfBitmap.from_pil(image))
        item.set_matrix(pdfium.PdfMatrix().scale(width, height))
        page.insert_obj(item)
        page.gen_content()
        page.close()
    return document


def _frames(data: bytes, name: str) -> list[tuple[Image, float]]:
    """Each picture of the file, grey, with its dots an inch."""
    from PIL import Image as Pictures
    from PIL import ImageOps, ImageSequence, UnidentifiedImageError

    out: list[tuple[Image, float]] = []
    pixels = 0
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", Pictures.DecompressionBombWarning)
            with Pictures.open(BytesIO(data), formats=("PNG", "JPEG", "TIFF")) as file:
                for frame in ImageSequence.Iterator(file):
                    pixels += frame.width * frame.height
                    if pixels > MAX_PIXELS * min(len(out) + 1, 4) or len(out) >= MAX_PAGES:
                        raise InputRejected(
                            "unpacks_too_large", f"{name}: its pictures have {pixels:,} pixels; split the file.", name
                        )
                    out.append((ImageOps.exif_transpose(frame).convert("L"), _dots(frame)))
    except (Pictures.DecompressionBombWarning, Pictures.DecompressionBombError):
        text = f"{name}: the picture is too large, of more than {MAX_PIXELS:,} pixels; scan it at 300 dots an inch."
        raise InputRejected("unpacks_too_large", text, name) from None
    except UnidentifiedImageError:
        text = f"{name}: the picture cannot be opened, its content is no PNG, JPEG or TIFF that is whole; scan it anew."
        raise InputRejected("damaged_file", text, name) from None
    except (OSError, ValueError, SyntaxError, EOFError, TypeError, KeyError, IndexError) as error:
        raise InputRejected("damaged_file", f"{name}: the picture cannot be read ({error}); scan it anew.", name) from None
    return out


def _dots(frame: Image) -> float:
    """Dots an inch across, as the file says, else as if it were as wide as A4."""
    told = frame.info.get("dpi", (0.0, 0.0))
    try:
        dots = float(told[0])
    except (TypeError, ValueError, IndexError, ZeroDivisionError):
        dots = 0.0
    if MIN_DOTS < dots <= MAX_DOTS and dots != NO_DOTS:
        return dots
    return max(MIN_DOTS, min(frame.width, frame.height) * 72 / A4_WIDTH)
