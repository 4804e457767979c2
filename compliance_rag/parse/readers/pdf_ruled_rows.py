"""Tables whose rows stand between horizontal rules without any upright ones: cover pages, order forms, signature blocks.

Rules of one extent, one above the other, are a *ladder*; what stands between two of them is a row, and the white that goes
through all its rows parts the columns. They are taken out before columns of text are looked for: a cell of many lines beside a
title looks like a column.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from compliance_rag.parse.readers.lines import LABEL_START
from compliance_rag.parse.readers.pdf_rows import Row, rows_of
from compliance_rag.parse.readers.pdf_types import Line, Rect, Table, join

# Ends of rules that differ by no more than this many points are one.
MEETS = 3.0
# Rules within this many points in height are one level, drawn cell by cell.
SAME_LEVEL = 1.5
# Two cells leave white of this many font sizes between them.
CELL_GAP = 1.0
# White narrower than this many points, over all rows, parts no columns.
MIN_GUTTER = 3.0
# A title of a row has no more lines than this; longer ones are text between two rules of a page.
MAX_TITLE_LINES = 6
# A rule this near below the base line, in font sizes, underlines the words.
UNDERLINE = 0.4
# A row next to a table's end stands within this many font sizes of its rule.
ADJOINS = 1.2
# A page with more rules than this is a drawing; the bound keeps it from being looked through for tables.
MAX_RULES = 2_000
# No type is so large that its underline lies further below, in points.
MAX_DROP = 40.0
# The words over the columns stand at most this many font sizes above the first rule.
HEAD_ABOVE = 3.0
_BOX = re.compile(r"(?:[\[(（]\s{0,8}[xX✓_]?\s{0,8}[\])）]|[□■▪●○•☐☑☒✓✔➢❖·–—-])\Z")

Span = tuple[float, float]
Band = tuple[float, float, list[Line]]
"""What stands between two rules, with their heights."""


@dataclass(slots=True)
class _Ladder:
    levels: list[float]
    parts: list[Span]


def carve(lines: list[Line], rules: list[Rect], page: int) -> list[list[Line] | Table]:
    """The page's fragments from top to bottom with the tables between rules taken out."""
    found: list[tuple[float, float, Table]] = []
    flat = sorted((r for r in rules if r[3] - r[1] < MEETS < r[2] - r[0]), key=lambda r: r[1])
    ladders = _ladders(lines, flat) if 1 < len(flat) <= MAX_RULES else []
    heights = sorted(lines, key=_middle) if ladders else []
    for ladder in ladders:
        for part in _tables(heights, ladder, page):
            apart = not found or part[0] >= found[-1][1] - 1
            if apart and _whole(part, heights):
                found.append(part)
    out: list[list[Line] | Table] = []
    rest = lines
    for top, bottom, table in sorted(found, key=lambda item: item[0]):
        above = [line for line in rest if _middle(line) < top]
        if above:
            out.append(above)
        out.append(table)
        rest = [line for line in rest if _middle(line) > bottom]
    if rest:
        out.append(rest)
    return out


def _whole(part: tuple[float, float, Table], lines: list[Line]) -> bool:
    """True when the table holds every character that is printed between its top and its bottom."""
    top, bottom, table = part
    inside = lines[bisect_left(lines, top, key=_middle) : bisect_right(lines, bottom, key=_middle)]
    held = sum(len("".join(line.text.split())) for row in table.rows for cell in row for line in cell)
    return held == sum(len("".join(line.text.split())) for line in inside)


def _middle(line: Line) -> float:
    return (line.upright[1] + line.upright[3]) / 2


def _merged(spans: list[Span], gap: float) -> list[Span]:
    out: list[Span] = []
    for left, right in sorted(spans):
        if out and left <= out[-1][1] + gap:
            out[-1] = (out[-1][0], max(out[-1][1], right))
        else:
            out.append((left, right))
    return out


def _ladders(lines: list[Line], flat: list[Rect]) -> list[_Ladder]:
    """Rules of one extent under one another, with no rule of another extent between but those that underline words."""
    levels: list[list[Rect]] = []
    bases = sorted(lines, key=lambda line: line.base)
    for rule in flat:
        if levels and rule[1] - levels[-1][0][1] <= SAME_LEVEL:
            levels[-1].append(rule)
        else:
            levels.append([rule])
    out: list[_Ladder] = []
    for level in levels:
        parts = _merged([(r[0], r[2]) for r in level if not _underlines(r, bases)], MEETS)
        if not parts:
            continue
        if out and _same(out[-1].parts, parts):
            out[-1].levels.append(level[0][1])
        else:
            out.append(_Ladder([level[0][1]], parts))
    return [ladder for ladder in out if len(ladder.levels) > 1]


def _underlines(rule: Rect, lines: list[Line]) -> bool:
    """True for a rule right below the words of one of the ``lines``, which are sorted by their base lines."""
    first = bisect_left(lines, rule[1] - MAX_DROP, key=lambda line: line.base)
    last = bisect_right(lines, rule[1] + 1.0, key=lambda line: line.base)
    return any(
        -1.0 < rule[1] - line.base < UNDERLINE * line.size
        and min(rule[2], line.upright[2]) - max(rule[0], line.upright[0]) > 0.8 * (rule[2] - rule[0])
        for line in lines[first:last]
    )


def _same(one: list[Span], other: list[Span]) -> bool:
    return len(one) == len(other) and all(
        abs(a[0] - b[0]) <= MEETS and abs(a[1] - b[1]) <= MEETS for a, b in zip(one, other, strict=True)
    )


def _tables(lines: list[Line], ladder: _Ladder, page: int) -> Iterator[tuple[float, float, Table]]:
    left, right = ladder.parts[0][0], ladder.parts[-1][1]
    bands = [
        (top, bottom, lines[bisect_right(lines, top, key=_middle) : bisect_left(lines, bottom, key=_middle)])
        for top, bottom in pairwise(ladder.levels)
    ]
    if any(line.upright[2] > right + MEETS for _, _, band in bands for line in band):
        return
    if len(ladder.parts) > 1:
        yield from _of_parts(lines, ladder, bands, page)
        return
    if any(line.upright[0] < left - MEETS for _, _, band in bands for line in band):
        return
    run: list[Band] = []
    free: list[Span] = []
    before: Band | None = None
    for band in [*bands, (0.0, 0.0, [])]:
        spans = _spans(band[2])
        white = [(a[1], b[0]) for a, b in pairwise([(left - 99, left - 9), *spans, (right + 9, right + 99)])]
        both = _common(free, white) if run else [gap for gap in white if left < gap[0] and gap[1] < right]
        title_only = bool(run and both) and all(line.upright[2] < both[0][1] for line in band[2])
        if not band[2] or not both or title_only:
            yield from _finish(*_with_ends(run, free, lines, ladder.levels), page)
            run, free = [], []
            both = [gap for gap in white if left < gap[0] and gap[1] < right]
        if band[2] and both:
            # A row that goes on from the page before opens with an empty title.
            led = not run and before is not None and all(line.upright[0] >= both[0][1] - 1 for line in before[2])
            run, free = [*([before] if led and before is not None else []), *run, band], both
            before = None
        else:
            before = band if band[2] else None
    return


def _with_ends(run: list[Band], free: list[Span], lines: list[Line], levels: list[float]) -> tuple[list[Band], list[Span]]:
    """The rows with the one above the first rule and the one below the last, where the same white parts them: many tables are
    ruled between their rows only."""
    out = list(run)
    if run and run[0][0] == levels[0]:
        above = [line for line in lines if _middle(line) < levels[0]]
        found, free = _adjoining(sorted(rows_of(above), key=lambda row: -row.bottom), levels[0], free)
        out = [(min(line.upright[1] for line in found) - 1, levels[0], found), *out] if found else out
    if run and run[-1][1] == levels[-1]:
        below = [line for line in lines if _middle(line) > levels[-1]]
        found, free = _adjoining(rows_of(below), levels[-1], free)
        out = [*out, (levels[-1], max(line.upright[3] for line in found) + 1, found)] if found else out
    return out, free


def _adjoining(rows: list[Row], edge: float, free: list[Span]) -> tuple[list[Line], list[Span]]:
    """The printed rows next to a rule that stand close to it and to one another and leave the columns' white free, and what
    they leave of it."""
    out: list[Line] = []
    left = free
    for row in rows:
        size = max(line.size for line in row.lines)
        spans = _spans(row.lines)
        both = _common(left, [(a[1], b[0]) for a, b in pairwise(spans)])
        if max(row.top - edge, edge - row.bottom) > ADJOINS * size or len(both) < len(left):
            break
        left = both
        out += row.lines
        edge = row.top if row.top < edge else row.bottom
    return out, left


def _spans(lines: list[Line]) -> list[Span]:
    size = max((line.size for line in lines), default=10.0)
    return _merged([(line.upright[0], line.upright[2]) for line in lines], CELL_GAP * size)


def _common(one: list[Span], other: list[Span]) -> list[Span]:
    met = [(max(a[0], b[0]), min(a[1], b[1])) for a in one for b in other]
    return [gap for gap in met if gap[1] - gap[0] >= MIN_GUTTER]


def _finish(run: list[Band], free: list[Span], page: int) -> Iterator[tuple[float, float, Table]]:
    """The table of consecutive rows that the same white runs through; none where labels stand beside their text."""
    lines = [line for _, _, band in run for line in band]
    bounds = [(gap[0] + gap[1]) / 2 for gap in free]
    for bound in list(bounds):
        before = max((other for other in bounds if other < bound), default=-1e9)
        column = [line for line in lines if before < (line.upright[0] + line.upright[2]) / 2 < bound]
        if column and all(_is_label(line.text) for line in column):
            bounds.remove(bound)
    if not bounds:
        return
    rows = [_cells(band, bounds) for _, _, band in run]
    titled = sum(bool(row[0]) and any(row[1:]) for row in rows)
    numbered = any(_is_label(line.text) for row in rows for line in row[0])
    if titled and not (numbered and len(rows) == 1) and all(len(row[0]) <= MAX_TITLE_LINES for row in rows):
        yield run[0][0], run[-1][1], Table(rows, page, ruled=True)


def _is_label(text: str) -> bool:
    match = LABEL_START.match(text + " x")
    return _BOX.match(text) is not None or (match is not None and match.end() >= len(text.rstrip(".:")))


def _cells(lines: list[Line], bounds: list[float]) -> list[list[Line]]:
    columns: list[list[Line]] = [[] for _ in range(len(bounds) + 1)]
    for line in lines:
        columns[sum(bound < (line.upright[0] + line.upright[2]) / 2 for bound in bounds)].append(line)
    return [[join(row.lines) for row in rows_of(column)] for column in columns]


def _of_parts(lines: list[Line], ladder: _Ladder, bands: list[Band], page: int) -> Iterator[tuple[float, float, Table]]:
    """A block to be signed or filled in: each column has rules of its own, titles of the rows stand before the first."""
    bounds = [ladder.parts[0][0] - MEETS, *((a[1] + b[0]) / 2 for a, b in pairwise(ladder.parts))]
    crossing = [(a[1], b[0]) for a, b in pairwise(ladder.parts)]
    inside = [line for _, _, band in bands for line in band]
    if not inside or any(
        line.upright[0] < gap[0] - MEETS and line.upright[2] > gap[1] + MEETS for line in inside for gap in crossing
    ):
        return
    top = ladder.levels[0]
    head = [line for line in lines if 0 < top - _middle(line) < HEAD_ABOVE * line.size]
    head = head if len(head) > 1 and all(_within(line, ladder.parts) for line in head) else []
    rows = [_cells(band, bounds) for band in ([head] if head else []) + [band for _, _, band in bands if band]]
    if sum(bool(row[0]) for row in rows) < 2:
        return
    first = min((line.upright[1] for line in head), default=top)
    yield first, ladder.levels[-1], Table(rows, page, ruled=True)


def _within(line: Line, parts: list[Span]) -> bool:
    return any(part[0] - MEETS <= line.upright[0] and line.upright[2] <= part[1] + MEETS for part in parts)
