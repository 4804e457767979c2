"""The straight pieces of a path: programs draw the grid of a table, or the rules of a page, in one go."""

from __future__ import annotations

import ctypes
from itertools import pairwise

from compliance_rag.parse.readers.pdf_calls import Calls

# A path of fewer points is a line or a rectangle, whose bounds say what it is.
FEWEST = 4
# A path of more points is a drawing; a grid of 200 rows has some 500.
MOST = 2_000
# Coordinates nearer than this, in points, are one.
NEAR = 0.05
# Points of a rectangle whose last side is drawn.
RECTANGLE = 5
_MOVE, _LINE = 2, 0

Point = tuple[float, float]
Piece = tuple[float, float, float, float]
"""Left, bottom, right, top in the space of the path."""


class Paths:
    """Reads paths through the bare calls, with the buffers they fill."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self._x, self._y = ctypes.c_float(), ctypes.c_float()

    def pieces(self, pointer: ctypes.c_void_p, *, stroked: bool) -> list[Piece]:
        """The lines and rectangles that a path is made of, where it is made of several and of nothing else."""
        count = self.calls.path_segments(pointer)
        if not FEWEST <= count <= MOST:
            return []
        out: list[Piece] = []
        parts = self._parts(pointer, count)
        for part in parts:
            pieces = _rectangle(part) or (_lines(part) if stroked else [])
            if not pieces:
                return []
            out += pieces
        return out if len(out) > 1 else []

    def _parts(self, pointer: ctypes.c_void_p, count: int) -> list[list[Point]]:
        """The points of each part that is drawn in one go; none where a part has curves."""
        out: list[list[Point]] = []
        for number in range(count):
            segment = ctypes.c_void_p(self.calls.path_segment(pointer, number) or 0)
            kind = self.calls.segment_type(segment)
            self.calls.segment_point(segment, ctypes.byref(self._x), ctypes.byref(self._y))
            if kind == _MOVE:
                out.append([])
            elif kind != _LINE or not out:
                return [[]]
            out[-1].append((self._x.value, self._y.value))
            if self.calls.segment_close(segment) and out[-1][0] != out[-1][-1]:
                out[-1].append(out[-1][0])
        return [part for part in out if len(part) > 1]


def _rectangle(part: list[Point]) -> list[Piece]:
    """The rectangle that points go round; none for another shape."""
    if len(part) != RECTANGLE or not _level(part) or abs(part[0][0] - part[-1][0]) + abs(part[0][1] - part[-1][1]) > NEAR:
        return []
    xs, ys = [x for x, _ in part], [y for _, y in part]
    return [(min(xs), min(ys), max(xs), max(ys))]


def _lines(part: list[Point]) -> list[Piece]:
    """The level and upright lines from point to point; none where one is neither."""
    if not _level(part):
        return []
    return [(min(a[0], b[0]), min(a[1], b[1]), max(a[0], b[0]), max(a[1], b[1])) for a, b in pairwise(part)]


def _level(part: list[Point]) -> bool:
    return all(abs(a[0] - b[0]) <= NEAR or abs(a[1] - b[1]) <= NEAR for a, b in pairwise(part))
