"""What of a PDF could not be read as text, said page by page (law 9)."""

from __future__ import annotations

from compliance_rag.parse.readers.pdf_types import Page
from schemas.clause import Flag

# Characters of hidden text that a flag quotes.
QUOTED = 80


def page_flags(pages: list[Page]) -> list[Flag]:
    """The flags of all pages in order."""
    return [flag for page in pages for flag in _of(page)]


def _of(page: Page) -> list[Flag]:
    out: list[Flag] = []
    number, seen = page.number, page.flags
    if seen.hidden:
        out.append(Flag("hidden_text", f"Page {number}: hidden text is in no clause: {seen.hidden[:QUOTED]!r}.", page=number))
    if seen.scan:
        out.append(Flag("scan", f"Page {number} is a picture of a page; its words are not read as text.", page=number))
    elif seen.font_map is not None:
        text = f"Page {number}: the font may not give the characters that are printed: {seen.font_map}."
        out.append(Flag("broken_font_map", text, page=number))
    for x0, y0, x1, y1 in [] if seen.scan else seen.figures:
        where = f"{round(x0)}, {round(y0)} to {round(x1)}, {round(y1)}"
        out.append(
            Flag("figure", f"Page {number} shows a figure without text at {where} (points from the top left).", page=number)
        )
    return out
