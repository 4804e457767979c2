"""Line numbers in the margin of a PDF: a column of consecutive figures, one beside each line of the text, apart from it; or one
beside each fifth line, as bills number them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise

from compliance_rag.parse.readers.pdf_rows import Row, rows_of
from compliance_rag.parse.readers.pdf_types import Line, Page

# At least this many on a page of the document; its other pages may be shorter.
MIN_LINE_NUMBERS = 5
# Numbers beside each second, fifth or tenth line: at least this many on a page, with that many lines from one to the next.
MIN_SPARSE = 3
STEPS = (2, 5, 10)
# They stand on this share of the page's rows, and evenly spaced within this many points.
NUMBERED_ROWS = 0.8
EVEN = 2.5
# The column of a shorter page stands where the others' do, give or take this many points.
SAME_EDGE = 6.0
# A list of one-line items is numbered as evenly. So many numbered lines go on with the sentence of the line above; where the
# numbers begin anew on each page, which no list does, fewer.
WRAPPED, WRAPPED_ANEW = 3, 1
_NUMBER = re.compile(r"\d{1,3}$")


@dataclass(slots=True)
class _Margin:
    """The figures in one margin of a page, the rows of text beside them, the first figure, where the column's edge is, how many
    lines there are to a figure."""

    lines: list[Line]
    rows: list[Row]
    first: int
    side: int
    edge: float
    step: int = 1


def line_numbers(pages: list[Page]) -> set[int]:
    """Ids of fragments that number the lines of a page in its margin."""
    found = [margin for page in pages for margin in _margins(page, MIN_LINE_NUMBERS)]
    if not found or (len(found) == 1 and sum(bool(page.fragments) for page in pages) > 1):
        return set()
    wrapped = sum(_goes_on(a, b) for margin in found for a, b in pairwise(margin.rows))
    anew = len(found) > 1 and all(margin.first == margin.step for margin in found)
    opens = any(not row.text[:1].islower() for margin in found for row in margin.rows)
    if wrapped < (WRAPPED_ANEW if anew else WRAPPED) or not opens:
        return set()
    edges = {(margin.side, round(margin.edge)) for margin in found}
    alike = [
        margin
        for page in pages
        for margin in _margins(page, 1)
        if any(margin.side == side and abs(margin.edge - edge) <= SAME_EDGE for side, edge in edges)
    ]
    return {id(line) for margin in alike for line in margin.lines}


def _goes_on(before: Row, row: Row) -> bool:
    """True when a row goes on, in lower case, with a sentence left open by the row above; items of a list end in a mark."""
    text = before.text.rstrip()
    return row.text[:1].islower() and text[-1:].isalnum() and not text.endswith((" and", " or"))


def _margins(page: Page, fewest: int) -> list[_Margin]:
    """The margin of a page that is a column of line numbers by its figures and its places; at most one."""
    figures = [line for line in page.fragments if _NUMBER.match(line.text) and line.turn == page.turn]
    body = [line for line in page.fragments if not _NUMBER.match(line.text) and line.turn == page.turn]
    if len(figures) < min(fewest, MIN_SPARSE) or not body:
        return []
    left, right = min(line.upright[0] for line in body), max(line.upright[2] for line in body)
    sides = [c for c in figures if c.upright[2] <= left], [c for c in figures if c.upright[0] >= right]
    for side, margin in enumerate(sides):
        margin.sort(key=lambda line: line.upright[1])
        values = [int(line.text) for line in margin]
        steps = [b.upright[1] - a.upright[1] for a, b in pairwise(margin)]
        step = values[1] - values[0] if len(values) > 1 else 1
        if len(margin) < (fewest if step == 1 else min(fewest, MIN_SPARSE)) or any(b - a != step for a, b in pairwise(values)):
            continue
        edges = [line.upright[0 if side else 2] for line in margin] or [0.0]
        edge = min(edges) if side else max(edges)
        if step in STEPS and all(value % step == 0 for value in values) and _spaced(margin, body, step):
            return [_Margin(margin, rows_of(body), values[0], side, edge, step)]
        if step != 1 or (steps and max(steps) - min(steps) > EVEN):
            continue
        low, high = margin[0].upright[1], margin[-1].upright[3]
        rows = rows_of([line for line in body if low - EVEN <= line.upright[1] and line.upright[3] <= high + EVEN])
        beside = sum(any(min(n.upright[3], row.bottom) > max(n.upright[1], row.top) for n in margin) for row in rows)
        if rows and beside >= NUMBERED_ROWS * max(len(rows), len(margin)):
            return [_Margin(margin, rows, values[0], side, edge)]
    return []


def _spaced(margin: list[Line], body: list[Line], step: int) -> bool:
    """True when so many lines of text stand from each figure to the next, and one beside each figure."""
    rows = rows_of(body)
    middles = [(row.top + row.bottom) / 2 for row in rows]
    beside = sum(any(row.top < (n.upright[1] + n.upright[3]) / 2 < row.bottom for row in rows) for n in margin)
    between = [sum(a.upright[1] <= middle < b.upright[1] for middle in middles) for a, b in pairwise(margin)]
    return beside >= NUMBERED_ROWS * len(margin) and sum(count == step for count in between) >= NUMBERED_ROWS * len(between)
