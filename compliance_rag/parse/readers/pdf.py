"""PDF with text, by pypdfium2: characters with their boxes, put together into lines, columns, paragraphs and pages.

Boxes are in points as displayed (after crop and rotation), origin top left. :func:`read_pages` gives the pages with what is
printed on them, :func:`compliance_rag.parse.readers.pdf_assemble.assemble` makes one text of them; a page that is a scan has
``flags.scan`` and is given its words by :mod:`scans` in between.
"""

from __future__ import annotations

from typing import Any

from compliance_rag.parse.blocks import Extracted
from compliance_rag.parse.readers.limits import MAX_DECODED_CHARS, MAX_PAGES, MIN_CHARS_A_PAGE
from compliance_rag.parse.readers.ocr_engine import identity
from compliance_rag.parse.readers.pdf_annots import Annotations, annotations_of
from compliance_rag.parse.readers.pdf_assemble import assemble
from compliance_rag.parse.readers.pdf_calls import Calls
from compliance_rag.parse.readers.pdf_clips import has_layers
from compliance_rag.parse.readers.pdf_digits import Figures
from compliance_rag.parse.readers.pdf_fragments import fragments
from compliance_rag.parse.readers.pdf_glyphs import main_turn, read_glyphs
from compliance_rag.parse.readers.pdf_hidden import hidden_glyphs
from compliance_rag.parse.readers.pdf_ink import figures, inks_of, is_scan, rules, suspect_font_map
from compliance_rag.parse.readers.pdf_letters import suspect_letters
from compliance_rag.parse.readers.pdf_marks import without_replaced
from compliance_rag.parse.readers.pdf_objects import Inspector
from compliance_rag.parse.readers.pdf_place import Placer
from compliance_rag.parse.readers.pdf_raised import plain
from compliance_rag.parse.readers.pdf_types import Page, PageFlags
from compliance_rag.parse.readers.pictures import is_picture, picture_pdf
from compliance_rag.parse.readers.scans import Corrections, PageReader, fill, read_here, release
from schemas.clause import Flag
from schemas.errors import InputRejected


def read_pdf(data: bytes, name: str, scans: PageReader = read_here, corrections: Corrections | None = None) -> Extracted:
    """Extracted text of a PDF with its pages and boxes. ``scans`` reads the pages that are pictures and those whose font map is
    suspected; ``corrections`` is what a person decided about pages.

    Raises InputRejected ``encrypted_pdf``, ``damaged_file``, ``too_many_pages``, ``file_too_large``, ``no_text``, ``no_ocr``,
    ``unpacks_too_large``."""
    pages, title = read_pages(data, name)
    decided = corrections or {}
    release(pages, decided)
    wanted = [
        page.number
        for page in pages
        if page.flags.scan or page.flags.font_map is not None or decided.get(page.number) is not None
    ]
    if wanted:
        fill(pages, scans(data, name, wanted), decided)
    visible = sum(len(line.text) for page in pages for line in page.fragments)
    held = any(page.flags.held is not None for page in pages)
    if not held and (not visible or (not wanted and visible < MIN_CHARS_A_PAGE * len(pages))):
        raise InputRejected(
            "no_text",
            f"{name}: {len(pages)} pages hold {visible} characters of text; give a PDF with text, or a scan of printed pages.",
            name,
        )
    extracted = assemble(pages, title)
    extracted.engine = identity() if wanted else None
    extracted.held = [
        (page.number, "\n".join(plain(line.text) for line in page.fragments)) for page in pages if page.flags.held is not None
    ]
    if held and all(page.flags.held is not None for page in pages if page.fragments or page.flags.held is not None):
        extracted.flags.append(Flag("ocr_quality", "No page was read well enough; each waits for a person to look at it."))
    return extracted


def read_pages(data: bytes, name: str) -> tuple[list[Page], str | None]:
    """What is printed on each page, and the document's title. Raises as :func:`read_pdf`, but never ``no_text``."""
    import pypdfium2 as pdfium

    document = open_pdf(data, name)
    try:
        count = len(document)
        if count > MAX_PAGES:
            raise InputRejected(
                "too_many_pages", f"{name}: {count:,} pages; at most {MAX_PAGES:,} are read, split the file.", name
            )
        calls = Calls(pdfium.raw)
        inspector = Inspector(pdfium.raw, calls, layers=has_layers(data))
        figures_of = Figures(pdfium.raw, calls, document.raw)
        pages: list[Page] = []
        read = 0
        for index in range(count):
            page, textpage = _open_page(pdfium, document, index, name)
            read += max(0, textpage.count_chars())
            if read > MAX_DECODED_CHARS:
                raise InputRejected(
                    "file_too_large", f"{name}: more than {MAX_DECODED_CHARS:,} characters; split the file.", name
                )
            found = annotations_of(pdfium.raw, page.raw)
            if found.drawn:
                # What fields and stamps draw becomes part of the page; it is there once the page is opened anew.
                pdfium.raw.FPDFPage_Flatten(page.raw, pdfium.raw.FLAT_NORMALDISPLAY)
                textpage.close()
                page.close()
                page, textpage = _open_page(pdfium, document, index, name)
            pages.append(_read_page(pdfium.raw, calls, inspector, figures_of, page, textpage, index + 1))
            _annotate(pages[-1].flags, found)
            textpage.close()
            page.close()
        title = document.get_metadata_dict(skip_empty=True).get("Title")
    finally:
        document.close()
    return pages, title


def open_pdf(data: bytes, name: str) -> Any:
    """The document as pypdfium2 opens it, a picture file as its pages; the caller closes it. Raises InputRejected
    ``encrypted_pdf``, ``damaged_file`` and those of :func:`pictures.picture_pdf`."""
    import pypdfium2 as pdfium

    if is_picture(data):
        return picture_pdf(data, name)
    try:
        return pdfium.PdfDocument(data)
    except pdfium.PdfiumError as error:
        text = str(error).lower()
        if "password" in text or "security" in text:
            raise InputRejected(
                "encrypted_pdf", f"{name}: the PDF is encrypted; save it without a password and add it again.", name
            ) from None
        # The library names no error when a file has no pages that it can count.
        why = "it has no pages" if "success" in text else str(error)
        raise InputRejected(
            "damaged_file", f"{name}: the PDF cannot be opened ({why}); fetch or print it again.", name
        ) from None


def _open_page(pdfium: Any, document: Any, index: int, name: str) -> tuple[Any, Any]:
    try:
        page = document[index]
        return page, page.get_textpage()
    except pdfium.PdfiumError as error:
        raise InputRejected(
            "damaged_file",
            f"{name}: page {index + 1} cannot be read ({error}); fetch or print the PDF again.",
            f"page {index + 1}",
        ) from None


def _annotate(flags: PageFlags, found: Annotations) -> None:
    flags.annotated, flags.aside = found.told, found.unread
    if found.doubts:
        flags.held = "; ".join(found.doubts)


def _read_page(
    raw: Any, calls: Calls, inspector: Inspector, figures_of: Figures, page: Any, textpage: Any, number: int
) -> Page:
    placer = Placer(raw, page.raw)
    drawn = inspector.drawn(page.raw)
    glyphs = read_glyphs(raw, calls, inspector, textpage.raw, placer)
    glyphs, replaced, blind = without_replaced(raw, calls, inspector, page, glyphs, drawn, placer)
    turn = main_turn(glyphs, placer)
    if turn:
        # The library orders and spaces text well only where it runs to the right on the page as displayed: turn it so.
        page.set_rotation((placer.rotation + turn) % 360)
        upright = page.get_textpage()
        glyphs = read_glyphs(raw, calls, inspector, upright.raw, placer)
        upright.close()
        page.set_rotation(placer.rotation)
    hidden = hidden_glyphs(raw, calls, page, glyphs, drawn, placer)
    lines, across = fragments(glyphs, hidden, placer, number)
    inks = inks_of(drawn, placer)
    text = plain("\n".join(line.text for line in lines))
    suspicion, letters = suspect_font_map(text), suspect_letters(text)
    digits = figures_of.suspicion(glyphs)
    if suspicion is None and blind:
        suspicion = f"{blind} characters are stored beside printed ones that have no meaning"
    flags = PageFlags(
        hidden="".join([*glyphs.chars[hidden].tolist(), replaced]),
        scan=is_scan(inks, placer, sum(len(line.text) for line in lines)),
        font_map=suspicion or digits or letters,
        digits=digits is not None,
        letters=letters is not None,
        figures=figures(inks, placer, lines),
    )
    return Page(number, placer.width, placer.height, lines, rules(inks, turn), flags, across, turn)
