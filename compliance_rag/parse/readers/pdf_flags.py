"""What of a PDF could not be read as text, said page by page (law 9)."""

from __future__ import annotations

from compliance_rag.parse.readers.pdf_types import Page
from schemas.clause import Flag

# Characters of hidden text that a flag quotes.
QUOTED = 80
# Characters of what is said of an annotation.
QUOTED_NOTE = 200


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
        told = "its words are read from the picture of the page" if seen.read else "they were not compared with the picture"
        text = f"Page {number}: the font does not give the characters that are printed ({seen.font_map}); {told}."
        out.append(Flag("broken_font_map", text, page=number))
    if seen.held is not None:
        out.append(Flag("held_page", f"Page {number} is held for a person to look at: {seen.held}.", page=number))
    if seen.unread:
        text = f"Page {number}: ink that reads as no text is in no clause: {seen.unread[:QUOTED]!r}."
        out.append(Flag("unread_ink", text, page=number))
    out += [Flag(code, f"Page {number}: {text[:QUOTED_NOTE]}.", page=number) for code, text in seen.annotated]
    for x0, y0, x1, y1 in [] if seen.scan else seen.figures:
        where = f"{round(x0)}, {round(y0)} to {round(x1)}, {round(y1)}"
        out.append(
            Flag("figure", f"Page {number} shows a figure without text at {where} (points from the top left).", page=number)
        )
    return out
