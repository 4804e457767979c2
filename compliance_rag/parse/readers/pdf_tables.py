"""Tables of a PDF: rows of cells, from ruled grids and from text that stands in columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from compliance_rag.parse.readers.lines import is_label, starts_label
from compliance_rag.parse.readers.pdf_languages import STOPS, columns_of, in_two_languages, is_sentence
from compliance_rag.parse.readers.pdf_rows import Row
from compliance_rag.parse.readers.pdf_types import Line, Rect, Table, join

# Fewer rows of cells may be a coincidence of tabs.
MIN_ROWS = 3
# A page holds no more rows than this; the bound keeps a page made of cells from being looked at again from each of them.
MAX_ROWS = 200
# Rows between rules are a table from this many on.
MIN_RULED_ROWS = 2
# So many of a table's printed rows have more than one cell; fewer are text with gaps in it.
MIN_CELLED = 0.4
_DEEP = re.compile(r"\d{1,3}\.\d{1,3}")
# Cells nearer than this many font sizes are one.
CELL_GAP = 1.0
# Two ends of rules meet within this many points.
MEETS = 3.0
# A grid has this many horizontal rules of one extent, with at least one vertical inside.
MIN_RULES = 3
# A cell longer than this is a paragraph laid out beside another, read as text.
MAX_CELL_CHARS = 600


def cut_tables(rows: list[Row], rules: list[Rect], page: int) -> Iterator[Row | Table]:
    """The rows of a region, those that form tables put together."""
    grids = _grids(rules)
    at = 0
    while at < len(rows):
        grid = next((g for g in grids if g[1] - MEETS <= _middle(rows[at]) <= g[3] + MEETS), None)
        if grid is not None:
            end = at
            while end < len(rows) and _middle(rows[end]) <= grid[3] + MEETS:
                end += 1
            table = _ruled(rows[at:end], grid, rules, page)
            if table is not None:
                yield table
                at = end
                continue
        run = _run(rows, at, rules)
        table = _aligned(run, page, rules) if run else None
        if table is not None:
            yield table
            at += len(run)
        else:
            yield rows[at]
            at += 1


def _middle(row: Row) -> float:
    return (row.top + row.bottom) / 2


def cells_of(row: Row) -> list[Line]:
    """The fragments of a row put together where no wide gap stands between them."""
    out: list[list[Line]] = []
    for line in row.lines:
        if out and line.upright[0] - out[-1][-1].upright[2] < CELL_GAP * max(line.size, out[-1][-1].size):
            out[-1].append(line)
        else:
            out.append([line])
    return [join(parts) for parts in out]


def _run(rows: list[Row], at: int, rules: list[Rect]) -> list[Row]:
    """Rows from ``at`` on that stand in the same columns."""
    first = cells_of(rows[at])
    if len(first) < 2 or _is_mark(first[0].text) or (len(first) == 2 and (is_label(first[0].text) or _leads(first[0].text))):
        return []
    run = [rows[at]]
    columns = _columns([(cell.upright[0], cell.upright[2]) for cell in first])
    for row in rows[at + 1 : at + MAX_ROWS]:
        if row.top - run[-1].bottom > 2.5 * row.lines[0].size:
            break
        found = cells_of(row)
        if len(found) == 1 and not _goes_on(found[0], run) and not _closed(row, columns[0], rules):
            break
        cells = [(cell.upright[0], cell.upright[2]) for cell in found]
        merged = _columns([*columns, *cells])
        if len(merged) < max(2, len(columns)):
            break
        columns = merged
        run.append(row)
    return run


def _goes_on(cell: Line, run: list[Row]) -> bool:
    """True when a row of one cell goes on a cell above it: it begins where that begins, in the same type."""
    above = (other for row in run[-3:] for other in cells_of(row))
    return any(abs(other.upright[0] - cell.upright[0]) <= MEETS and other.bold == cell.bold for other in above)


def _closed(row: Row, first: tuple[float, float], rules: list[Rect]) -> bool:
    """True when a rule closes the table under this row."""
    size = row.lines[0].size
    return any(
        r[3] - r[1] < MEETS and row.bottom - MEETS < r[1] < row.bottom + 1.5 * size and r[2] - r[0] > 2 * (first[1] - first[0])
        for r in rules
    )


def _is_mark(text: str) -> bool:
    """True for a bullet or a box: one sign, neither letter nor figure."""
    return len(text) == 1 and not text.isalnum()


def _leads(text: str) -> bool:
    return text.count(".") > 8 or text.count("_") > 8


def _columns(spans: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """The intervals that the spans cover."""
    out: list[tuple[float, float]] = []
    for left, right in sorted(spans):
        if out and left <= out[-1][1] + 2.0:
            out[-1] = (out[-1][0], max(out[-1][1], right))
        else:
            out.append((left, right))
    return out


def _aligned(run: list[Row], page: int, rules: list[Rect]) -> Table | None:
    celled = sum(len(cells_of(row)) > 1 for row in run)
    columns = _columns([(cell.upright[0], cell.upright[2]) for row in run for cell in cells_of(row)])
    levels = _levels(rules, run, columns[0][0], columns[-1][1])
    if celled < (MIN_RULED_ROWS if len(levels) > 1 else MIN_ROWS) or celled < MIN_CELLED * len(run) or len(columns) < 2:
        return None
    bounds = [(a[1] + b[0]) / 2 for a, b in pairwise(columns)]
    table = _table(run, bounds, levels, page)
    return None if _lays_out_text(table) and not in_two_languages(table) else table


def _lays_out_text(table: Table) -> bool:
    """True when labels stand beside what they number: text laid out in columns, to be read as text. Two columns of which the
    first holds labels, or more of which the labels are numbers of sections or the longest cells sentences."""
    first = [row[0][0].text for row in table.rows if row[0]]
    if len(table.rows[0]) == 2 and first and 2 * sum(is_label(text) for text in first) >= len(first):
        beside = [cell[-1].text for _, cell in table.rows if cell]
        if 2 * sum(text[-1:] in STOPS for text in beside) >= len(first):
            return True
    labels = sum(starts_label(text) or _is_mark(text) for text in first)
    if 2 * labels < len(first) or not first:
        return False
    if len(table.rows[0]) == 2 or 2 * sum(_DEEP.match(text) is not None for text in first) >= len(first):
        return True
    longest = [max((cell[-1].text for cell in row[1:] if cell), key=len, default="") for row in table.rows]
    return 2 * sum(text[-1:] in STOPS for text in longest) >= len(longest)


def _levels(rules: list[Rect], rows: list[Row], left: float, right: float) -> list[float]:
    """Heights of the horizontal rules between the rows."""
    top, bottom = rows[0].top, rows[-1].bottom
    flat = [r for r in rules if r[3] - r[1] < MEETS and top < r[1] < bottom and r[0] < right and r[2] > left]
    wide = [r for r in flat if r[2] - r[0] > 0.5 * (right - left)]
    return sorted({round(r[1], 1) for r in wide})


def _table(rows: list[Row], bounds: list[float], levels: list[float], page: int, sides: list[Rect] | None = None) -> Table:
    """Cells by column bounds; rows between two rules are one, else a row without its first cell goes on the one before.
    ``sides``: the upright rules, where only those beside a row part its cells: a cell may reach over several columns."""
    out: list[list[list[Line]]] = []
    last_level = -1
    for row in rows:
        level = sum(value < _middle(row) for value in levels)
        cells: list[list[Line]] = [[] for _ in range(len(bounds) + 1)]
        drawn = bounds if sides is None else [bound for bound in bounds if _parts(sides, bound, _middle(row))]
        for line in row.lines:
            left = [bound for bound in drawn if bound < (line.upright[0] + line.upright[2]) / 2]
            cells[bounds.index(left[-1]) + 1 if left else 0].append(line)
        goes_on = level == last_level if len(levels) > 1 else not cells[0]
        if out and goes_on:
            for cell, more in zip(out[-1], cells, strict=True):
                cell.extend([join(more)] if more else [])
        else:
            out.append([[join(cell)] if cell else [] for cell in cells])
        last_level = level
    return Table(out, page, ruled=len(levels) > 1)


def _parts(sides: list[Rect], bound: float, height: float) -> bool:
    """True when an upright rule stands at a bound at this height."""
    return any(abs(side[0] - bound) <= MEETS and side[1] <= height <= side[3] for side in sides)


def _grids(rules: list[Rect]) -> list[Rect]:
    """Bounds of ruled grids: horizontal rules of one extent, with vertical ones between them."""
    flat = sorted((r for r in rules if r[3] - r[1] < MEETS and r[2] - r[0] > MEETS), key=lambda r: r[1])
    upright = [r for r in rules if r[2] - r[0] < MEETS and r[3] - r[1] > MEETS]
    if len(flat) < MIN_RULES or not upright:
        return []
    out: list[Rect] = []
    rows = _rows_of_rules(flat)
    for left, right in sorted({(float(round(a)), float(round(b))) for _, spans in rows for a, b in spans}):
        ys = sorted({y for y, spans in rows if any(a <= left + MEETS and b >= right - MEETS for a, b in spans)})
        inside = [r for r in upright if left + MEETS < r[0] < right - MEETS]
        if len(ys) >= MIN_RULES:
            out += [
                (left, a, right, b) for a, b in _stretches(ys, upright, left, right)
                if any(r[1] < b - MEETS and r[3] > a + MEETS for r in inside)
            ]  # fmt: skip
    return [g for g in out if not any(o != g and o[0] <= g[0] and o[2] >= g[2] and o[1] <= g[1] and o[3] >= g[3] for o in out)]


def _rows_of_rules(flat: list[Rect]) -> list[tuple[float, list[tuple[float, float]]]]:
    """Heights of horizontal rules, each with the ends of what is ruled there: a rule drawn cell by cell counts as one."""
    by_level: dict[int, list[Rect]] = {}
    for rule in flat:
        by_level.setdefault(round(rule[1]), []).append(rule)
    return [(round(group[0][1], 1), _columns([(r[0], r[2]) for r in group])) for group in by_level.values()]


def _stretches(ys: list[float], upright: list[Rect], left: float, right: float) -> Iterator[tuple[float, float]]:
    """Runs of levels that vertical rules join."""
    start = ys[0]
    for above, below in pairwise(ys):
        joined = any(r[1] <= above + MEETS and r[3] >= below - MEETS and left - MEETS <= r[0] <= right + MEETS for r in upright)
        if not joined:
            if above > start:
                yield start, above
            start = below
    if ys[-1] > start:
        yield start, ys[-1]


def _ruled(rows: list[Row], grid: Rect, rules: list[Rect], page: int) -> Table | None:
    """The table of a grid; None when its cells hold text that is to be read as text (a number beside its words, paragraphs)."""
    left, top, right, bottom = grid
    inside = [r for r in rules if r[2] - r[0] < MEETS and left + MEETS < r[0] < right - MEETS and r[1] < bottom and r[3] > top]
    bounds = [a for a, _ in _columns([(r[0], r[2]) for r in inside])]
    lines = [line for row in rows for line in row.lines]
    if (
        not lines
        or min(line.upright[0] for line in lines) < left - MEETS
        or max(line.upright[2] for line in lines) > right + MEETS
    ):
        return None
    levels = sorted({round(r[1], 1) for r in rules if r[3] - r[1] < MEETS and top - MEETS <= r[1] <= bottom + MEETS})
    table = _table(rows, bounds, levels, page, inside)
    if not any(sum(bool(cell) for cell in row) > 1 for row in table.rows) or len(table.rows) < MIN_RULED_ROWS:
        return None
    longest = max(sum(len(line.text) for line in cell) for row in table.rows for cell in row)
    if longest > MAX_CELL_CHARS and _parties(table):
        table.laid_out = True
    elif (longest > MAX_CELL_CHARS or _lays_out_text(table)) and not in_two_languages(table):
        return None
    return table


def _parties(table: Table) -> bool:
    """True when more than one column holds sentences, a language or a party to each."""
    return sum(2 * sum(map(is_sentence, column)) >= len(table.rows) for column in columns_of(table)) > 1
