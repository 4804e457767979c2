"""The order in which a page is read: columns found by the white between them, from the top, from left to right."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass, field
from itertools import pairwise

from compliance_rag.parse.readers.lines import starts_label
from compliance_rag.parse.readers.pdf_types import Line, Rect, wide

# A column has at least this many lines, beside as many of the next.
MIN_COLUMN_LINES = 3
# The white between two columns is at least this many points wide.
GUTTER = 6.0
# A column's text fills its lines: this share of them reaches this share of its width. Cells of tables do not.
FULL_SHARE, FULL_WIDTH = 0.5, 0.7
# With headings and short items fewer do; then so many lines go on in lower case with the sentence of the line above.
RUN_ON_FULL, RUN_ON_SHARE = 0.35, 0.4
# A line right under another stands no further below it than this many font sizes.
NEXT_LINE = 1.6
# A column narrower than this share of the text is a margin with labels or notes.
MIN_WIDTH = 0.2
# So many rules across a gutter part rows; one may part two stretches of columns.
ROW_RULES = 2
# Ends of rules nearer than this many points meet.
MEETS = 1.0
# Columns within columns within columns do not occur; the bound keeps the search short.
MAX_NESTING = 6


# Columns begin at one place, give or take this many points.
SAME_EDGE = 3.0
# A stretch between known columns has at least this many lines in one of them.
FEW_LINES = 2


@dataclass(slots=True)
class Gutters:
    """The left edge of a column and the gutter after it, of the page ``before`` and of what was cut ``here`` so far."""

    before: list[tuple[float, float]] = field(default_factory=list)
    here: list[tuple[float, float]] = field(default_factory=list)

    def add(self, left: float, at: float) -> None:
        """Take in a gutter; one that is known already counts once."""
        if not any(abs(gutter - at) <= SAME_EDGE and abs(edge - left) <= SAME_EDGE for edge, gutter in self.here):
            self.here.append((left, at))


@dataclass(slots=True)
class Region:
    """Fragments of one column, and its edges."""

    lines: list[Line]
    left: float
    right: float
    whole: bool


def regions_of(lines: list[Line], rules: list[Rect], known: Gutters) -> list[Region]:
    """The page's regions in reading order; every fragment is in one. ``rules``: ruled lines in the space of upright lines;
    ``known``: where columns begin, to which those found here are added: a short stretch that keeps to them is columns too."""
    return _split(lines, rules, known, 0, whole=True)


def _split(lines: list[Line], rules: list[Rect], known: Gutters, depth: int, *, whole: bool) -> list[Region]:
    if not lines:
        return []
    left, right = min(line.upright[0] for line in lines), max(line.upright[2] for line in lines)
    cut = None
    if depth < MAX_NESTING:
        cut = _best_cut(lines, left, right) or _language_cut(lines) or _known_cut(lines, known, left, right)
    if cut is None or _ruled_through(rules, *cut):
        return [Region(lines, left, right, whole)]
    at, top, bottom = cut
    known.add(left, at)
    above = [line for line in lines if _middle(line) < top]
    below = [line for line in lines if _middle(line) > bottom]
    band = [line for line in lines if top <= _middle(line) <= bottom]
    first = [line for line in band if line.upright[2] <= at + 1]
    second = [line for line in band if line.upright[2] > at + 1]
    # What stands above is cut once the columns below it are known.
    parts = [_split(part, rules, known, depth + 1, whole=False) for part in (first, second)]
    over = _split(above, rules, known, depth + 1, whole=whole)
    return [*over, *parts[0], *parts[1], *_split(below, rules, known, depth + 1, whole=whole)]


def _ruled_through(rules: list[Rect], at: float, top: float, bottom: float) -> bool:
    """True when rules cross the gutter between lines on both its sides: rows of a table, and no columns."""
    levels: dict[int, list[Rect]] = {}
    for rule in rules:
        if top < rule[1] < bottom and rule[0] < at + GUTTER and rule[2] > at - GUTTER:
            levels.setdefault(round(rule[1]), []).append(rule)
    across = [level for level, parts in levels.items() if _spans(parts, at - GUTTER, at + GUTTER)]
    return len(across) >= ROW_RULES


def _spans(parts: list[Rect], left: float, right: float) -> bool:
    """True when rules of one level, drawn cell by cell it may be, leave no gap between ``left`` and ``right``."""
    reached = left
    for part in sorted(parts):
        if part[0] > reached + MEETS:
            break
        reached = max(reached, part[2])
    return min(part[0] for part in parts) < left and reached > right


def _middle(line: Line) -> float:
    return (line.upright[1] + line.upright[3]) / 2


def _best_cut(lines: list[Line], left: float, right: float) -> tuple[float, float, float] | None:
    """Where a second column starts, and the top and bottom of the band in which it does."""
    starts = sorted(line.upright[0] for line in lines)
    low, high = left + MIN_WIDTH * (right - left), right - MIN_WIDTH * (right - left)
    best: tuple[int, float, float, float] | None = None
    tried = low
    for start in starts:
        if start < tried or start > high:
            continue
        # Starts within three points are one edge; each edge is tried once.
        if bisect_left(starts, start + 3.0) - bisect_left(starts, start - 0.1) < MIN_COLUMN_LINES:
            continue
        tried = start + 3.0
        found = _band(lines, start, left, right)
        if found is not None and (best is None or found[0] > best[0]):
            best = found
    return None if best is None else best[1:]


def _language_cut(lines: list[Line]) -> tuple[float, float, float] | None:
    """The same where all that stands on one side is Chinese and nothing on the other is: the lines of two languages side by
    side, however short and few they are."""
    chinese = [line for line in lines if _is_chinese(line)]
    if len(chinese) < MIN_COLUMN_LINES:
        return None
    other = [line for line in lines if not _is_chinese(line) and any(char.isalpha() for char in line.text)]
    if min(len(chinese), len(other)) < MIN_COLUMN_LINES:
        return None
    for one, two in ((other, chinese), (chinese, other)):
        top, bottom = min(line.upright[1] for line in two), max(line.upright[3] for line in two)
        band = [line for line in lines if top - 1 <= _middle(line) <= bottom + 1]
        first = [line for line in band if line in one]
        if len(first) < MIN_COLUMN_LINES:
            continue
        end = max(line.upright[2] for line in first)
        # Labels of the second column are of no language; they stand before its words.
        second = [line for line in band if line.upright[0] >= end]
        start = min((line.upright[0] for line in second), default=end)
        apart = all(line in second or line.upright[2] <= start - GUTTER for line in band)
        rows = sum(any(abs(line.base - mate.base) < line.size / 2 for mate in first) for line in two)
        if apart and all(line in second for line in two) and rows >= MIN_COLUMN_LINES:
            return start - GUTTER / 2, top - 1, bottom + 1
    return None


def _is_chinese(line: Line) -> bool:
    return not line.text.isascii() and 2 * sum(map(wide, line.text)) >= len(line.text)


def _known_cut(lines: list[Line], known: Gutters, left: float, right: float) -> tuple[float, float, float] | None:
    """The same for a stretch too short to show that it is columns, where columns are known to begin."""
    for edge, at in (*known.here, *known.before):
        start = at + GUTTER / 2
        if abs(edge - left) > SAME_EDGE or not left + MIN_WIDTH * (right - left) < start < right:
            continue
        if any(line.upright[0] < start - 1 and line.upright[2] > start - GUTTER for line in lines):
            continue
        first = [line for line in lines if line.upright[2] <= start - GUTTER]
        sides = first, [line for line in lines if line.upright[0] >= start - 1]
        if min(map(len, sides)) < 1 or max(map(len, sides)) < FEW_LINES:
            continue
        flush = sum(abs(line.upright[0] - (edge if side is first else start)) <= SAME_EDGE for side in sides for line in side)
        if 2 * flush > len(lines):
            return at, min(line.upright[1] for line in lines), max(line.upright[3] for line in lines)
    return None


def _band(lines: list[Line], start: float, left: float, right: float) -> tuple[int, float, float, float] | None:
    """The tallest stretch between lines that cross the gutter before ``start`` in which both sides are columns of text."""
    crossing = sorted(
        (line.upright[1], line.upright[3]) for line in lines if line.upright[0] < start - 1 and line.upright[2] > start - GUTTER
    )
    best: tuple[int, float, float, float] | None = None
    low = -1e9
    for top, bottom in [*crossing, (1e9, 1e9)]:
        inside = [line for line in lines if low < _middle(line) < top]
        low = max(low, bottom)
        before = [line for line in inside if line.upright[2] <= start - GUTTER]
        after = [line for line in inside if line.upright[0] >= start - 1]
        if len(before) < MIN_COLUMN_LINES or len(after) < MIN_COLUMN_LINES:
            continue
        first, last = _overlap(before, after)
        before = [line for line in before if first <= _middle(line) <= last]
        after = [line for line in after if first <= _middle(line) <= last]
        if not _is_column(before, left) or not _is_column(after, start):
            continue
        found = (min(len(before), len(after)), start - GUTTER / 2, first, last)
        if best is None or found[0] > best[0]:
            best = found
    return best


def _overlap(before: list[Line], after: list[Line]) -> tuple[float, float]:
    """From the first line that stands beside another column to the end of both."""
    tops = min(line.upright[1] for line in before), min(line.upright[1] for line in after)
    first = max(tops)
    # A title above one column only belongs to that column.
    return min(tops) if first - min(tops) < 200 else first, max(line.upright[3] for line in (*before, *after))


def _is_column(lines: list[Line], start: float) -> bool:
    rows: dict[int, tuple[float, float]] = {}
    for line in lines:
        key = round(_middle(line) / 4)
        old = rows.get(key, (line.upright[0], line.upright[2]))
        rows[key] = min(old[0], line.upright[0]), max(old[1], line.upright[2])
    if len(rows) < MIN_COLUMN_LINES:
        return False
    width = max(right for _, right in rows.values()) - min(start, *(left for left, _ in rows.values()))
    full = sum(right - left >= FULL_WIDTH * width for left, right in rows.values())
    labels = sum(starts_label(line.text) and len(line.text) < 8 for line in lines)
    size = max(line.size for line in lines)
    filled = full >= FULL_SHARE * len(rows) or (full >= RUN_ON_FULL * len(rows) and _run_on(lines) >= RUN_ON_SHARE * len(rows))
    return filled and labels < 0.5 * len(lines) and width >= 8 * size


def _run_on(lines: list[Line]) -> int:
    """How many lines go on, in lower case, with the sentence of the line right above."""
    order = sorted(lines, key=_middle)
    return sum(
        line.text[:1].islower() and before.text[-1:] not in ".;:。；：" and line.base - before.base <= NEXT_LINE * line.size
        for before, line in pairwise(order)
    )
