"""Words of a PDF with a drawn line through them: they are read, and whether they are law a person must say."""

from __future__ import annotations

from collections.abc import Sequence

from compliance_rag.parse.blocks import Block
from compliance_rag.parse.readers.pdf_types import Line, Page, Rect
from schemas.clause import Flag, Span

STRUCK = "struck_text"
# A line is drawn through small letters between these heights above the base line, in type sizes: an underline runs below, the
# rule of a table above or below. No page of fifteen real files (contracts, reports, a code) has one by chance.
LOWEST, HIGHEST = 0.12, 0.45
# It is no thicker than this, in points, and no shorter than a type size; half of it at least runs over the words. The bounds
# that the library gives a stroke are twice as thick as it; those of a thicker one are its four sides, each a thin rule.
THICKEST = 2.6
OVER = 0.5
# Of the words a flag quotes so much.
_QUOTED = 80


def strikes(pages: Sequence[Page], blocks: Sequence[Block], text: str) -> tuple[list[tuple[Span, str]], list[Flag]]:
    """The stretches of ``text`` that are struck out, each with its code, and a flag for each page that has some. On pages whose
    text runs across."""
    drawn = {page.number: found for page in pages if page.rules and page.turn == 0 and (found := _through(page))}
    marked: list[tuple[Span, str]] = []
    told: dict[int, str] = {}
    for block in blocks if drawn else ():
        for box, (start, _), (up, edges) in zip(block.boxes, block.box_spans, block.box_edges, strict=True):
            for x0, y0, x1, y1 in drawn.get(box[0], ()):
                if up or not box[2] <= (y0 + y1) / 2 <= box[4]:
                    continue
                under = [at for at in range(len(edges) // 2) if x0 <= (edges[2 * at] + edges[2 * at + 1]) / 2 <= x1]
                if under:
                    span = (start + under[0], start + under[-1] + 1)
                    marked.append((span, STRUCK))
                    told.setdefault(box[0], text[slice(*span)])
    flags = [
        Flag(STRUCK, f"Page {page}: words are struck out and were read all the same; the first: {words[:_QUOTED]!r}.")
        for page, words in sorted(told.items())
    ]
    return sorted(marked), flags


def _through(page: Page) -> list[Rect]:
    """The level lines that run through words."""
    level = [rule for rule in page.rules if rule[3] - rule[1] <= THICKEST]
    return [rule for rule in level if any(_strikes(rule, line) for line in page.fragments)]


def _strikes(rule: Rect, line: Line) -> bool:
    height = line.base - (rule[1] + rule[3]) / 2
    over = min(rule[2], line.upright[2]) - max(rule[0], line.upright[0])
    across = line.turn == 0 and LOWEST * line.size < height < HIGHEST * line.size
    return across and over >= max(OVER * (rule[2] - rule[0]), line.size)
