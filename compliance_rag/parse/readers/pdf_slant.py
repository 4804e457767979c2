"""Boxes of lines that lie askew: a level box around a whole line would hold parts of its neighbours, so it is cut in steps."""

from __future__ import annotations

from array import array
from math import ceil, isnan, radians, tan

from compliance_rag.parse.readers.pdf_types import Line, Rect

# A line that falls by less than this share of its height over its length keeps one box.
MAX_FALL = 0.35

Step = tuple[int, int, Rect]
"""From and to which character of the line, and the box of those."""


def steps_of(line: Line, edges: array[float]) -> list[Step]:
    """The boxes of a line as displayed, in order: one for a level line, several for one that falls. ``edges``: two numbers a
    character as in :class:`Line`."""
    count = len(edges) // 2
    vertical = line.turn % 180 == 90
    x0, y0, x1, y1 = line.box
    low, high, across = (y0, y1, x1 - x0) if vertical else (x0, x1, y1 - y0)
    fall = tan(radians(line.slant)) * (-1 if vertical else 1)
    height = across - abs(fall) * (high - low)
    if count < 2 or height <= 0 or abs(fall) * (high - low) <= MAX_FALL * height:
        return [(0, count, line.box)]
    pieces = _pieces(edges, ceil(abs(fall) * (high - low) / (MAX_FALL * height)), low, high)
    middle = (low + high) / 2
    centre = (x0 + x1) / 2 if vertical else (y0 + y1) / 2
    out: list[Step] = []
    for first, last, start, end in pieces:
        ends = (centre + (start - middle) * fall, centre + (end - middle) * fall)
        top, bottom = round(min(ends) - height / 2, 2), round(max(ends) + height / 2, 2)
        start, end = round(start, 2), round(end, 2)
        out.append((first, last, (top, start, bottom, end) if vertical else (start, top, end, bottom)))
    return out


def _pieces(edges: array[float], steps: int, low: float, high: float) -> list[tuple[int, int, float, float]]:
    """The characters in ``steps`` equal parts of the way: from, to, and where the part's ink starts and ends along the line."""
    cuts: list[list[int]] = [[] for _ in range(steps)]
    for at in range(len(edges) // 2):
        if not isnan(edges[2 * at]):
            way = ((edges[2 * at] + edges[2 * at + 1]) / 2 - low) / max(high - low, 1e-6)
            cuts[min(steps - 1, max(0, int(way * steps)))].append(at)
    found = sorted((min(part), max(part)) for part in cuts if part)
    out = []
    for number, (first, last) in enumerate(found):
        marks = [mark for mark in edges[2 * first : 2 * last + 2] if not isnan(mark)]
        begin = 0 if number == 0 else first
        end = len(edges) // 2 if number == len(found) - 1 else found[number + 1][0]
        out.append((begin, end, min(marks), max(marks)))
    return out
