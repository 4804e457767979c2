"""Figures whose shape is not the figure that the font says: a font map that swaps 2 and 7 leaves every word right.

The library gives the outline that a font draws for a character by the font's own map. It is compared with the outlines of the
ten figures in the standard fonts; where it is much more like another figure the page is compared with its picture.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compliance_rag.parse.readers.pdf_calls import Calls, address
from compliance_rag.parse.readers.pdf_glyphs import Glyphs

FIGURES = "0123456789"
# Fonts that the library holds: with serifs and without, of one width, bold.
_STANDARD = (b"Helvetica", b"Helvetica-Bold", b"Times-Roman", b"Times-Bold", b"Courier-Bold")
# Outlines are compared on a square of this many points a side, and drawn at this size.
SIDE = 24
FONT_SIZE = 100.0
# The figure whose outline is most like is at least this like, and this much more than the one that the font says (shares of the
# area of both that is common).
LIKE, MORE_LIKE = 0.6, 0.12
# Points of one outline that are looked at; figures have 4 to 60.
MAX_POINTS = 400
_LINE, _BEZIER, _MOVE = 0, 1, 2
# A curve is drawn as this many straight pieces.
PIECES = 4

_Points = tuple[tuple[int, float, float], ...]
_Shape = NDArray[np.bool_]


class Figures:
    """Compares outlines of figures; each outline once a document."""

    def __init__(self, raw: Any, calls: Calls, document: Any) -> None:
        self._calls = calls
        self._known: dict[tuple[str, _Points], str | None] = {}
        self._samples: list[tuple[str, _Shape]] = []
        self._raw, self._document = raw, document
        self._x, self._y = ctypes.c_float(), ctypes.c_float()
        self._x_ref, self._y_ref = ctypes.byref(self._x), ctypes.byref(self._y)

    def suspicion(self, glyphs: Glyphs) -> str | None:
        """Which figures of a page do not look like themselves, None where all do."""
        at = np.nonzero(np.isin(glyphs.chars, list(FIGURES)) & (glyphs.owner >= 0))[0]
        asked = {
            (glyphs.printed[owner].font, char)
            for owner, char in zip(glyphs.owner[at].tolist(), glyphs.chars[at].tolist(), strict=True)
        }
        found = {(char, other) for font, char in sorted(asked) if font and (other := self._other(font, char)) is not None}
        if not found:
            return None
        return "; ".join(f"its {char} is drawn like a {other}" for char, other in sorted(found))

    def _other(self, font: int, char: str) -> str | None:
        """The figure that a font draws for ``char``, None where it is that figure or not known."""
        points = self._outline(font, char)
        if not points:
            return None
        key = char, points
        if key not in self._known:
            self._known[key] = self._compare(char, points)
        return self._known[key]

    def _compare(self, char: str, points: _Points) -> str | None:
        shape = _drawn(points)
        if not self._samples:
            self._load()
        alike = dict.fromkeys(FIGURES, 0.0)
        for other, sample in self._samples:
            common = int((shape & sample).sum()) / max(1, int((shape | sample).sum()))
            alike[other] = max(alike[other], common)
        best = max(FIGURES, key=lambda other: alike[other])
        return best if alike[best] >= LIKE and alike[best] >= alike[char] + MORE_LIKE else None

    def _load(self) -> None:
        for name in _STANDARD:
            font = self._raw.FPDFText_LoadStandardFont(self._document, name)
            if not font:
                continue
            for char in FIGURES:
                points = self._outline(address(font), char)
                if points:
                    self._samples.append((char, _drawn(points)))
            self._raw.FPDFFont_Close(font)

    def _outline(self, font: int, char: str) -> _Points:
        path = self._calls.glyph_path(ctypes.c_void_p(font), ctypes.c_uint(ord(char)), ctypes.c_float(FONT_SIZE)) or 0
        if not path:
            return ()
        pointer = ctypes.c_void_p(path)
        count = self._calls.glyph_segments(pointer)
        if not 0 < count <= MAX_POINTS:
            return ()
        out = []
        for number in range(count):
            segment = ctypes.c_void_p(self._calls.glyph_segment(pointer, number) or 0)
            self._calls.segment_point(segment, self._x_ref, self._y_ref)
            out.append((self._calls.segment_type(segment), self._x.value, self._y.value))
        return tuple(out)


def _drawn(points: _Points) -> _Shape:
    """An outline filled, on a square that it fits in both ways."""
    edges = np.array(_edges(points))
    low, high = edges.reshape(-1, 2).min(axis=0), edges.reshape(-1, 2).max(axis=0)
    scaled = (edges.reshape(-1, 2) - low) / np.maximum(high - low, 1e-6) * SIDE
    x0, y0, x1, y1 = scaled.reshape(-1, 4).T[:, :, None]
    centres = np.arange(SIDE) + 0.5
    crosses = (y0 <= centres) != (y1 <= centres)
    step = np.where(y1 == y0, 1.0, y1 - y0)
    at = np.where(crosses, x0 + (centres - y0) / step * (x1 - x0), -1.0)
    way = np.where(crosses, np.sign(y1 - y0), 0.0)
    turns = (way[:, :, None] * (at[:, :, None] > centres)).sum(axis=0)
    return np.asarray(turns != 0)


def _edges(points: _Points) -> list[tuple[float, float, float, float]]:
    """The straight pieces of an outline, each of its contours closed."""
    out: list[tuple[float, float, float, float]] = []
    start = here = (0.0, 0.0)
    curve: list[tuple[float, float]] = []
    for kind, x, y in points:
        if kind == _MOVE:
            out.append((*here, *start))
            start = here = (x, y)
        elif kind == _BEZIER:
            curve.append((x, y))
            if len(curve) == 3:
                out += _curve(here, *curve)
                here, curve = (x, y), []
        else:
            out.append((*here, x, y))
            here = (x, y)
    out.append((*here, *start))
    return [edge for edge in out if edge[:2] != edge[2:]] or [(0.0, 0.0, 0.0, 0.0)]


def _curve(
    p0: tuple[float, float], p1: tuple[float, float], p2: tuple[float, float], p3: tuple[float, float]
) -> list[tuple[float, float, float, float]]:
    out = []
    here = p0
    for piece in range(1, PIECES + 1):
        t = piece / PIECES
        a, b, c, d = (1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3
        x = a * p0[0] + b * p1[0] + c * p2[0] + d * p3[0]
        y = a * p0[1] + b * p1[1] + c * p2[1] + d * p3[1]
        out.append((*here, x, y))
        here = (x, y)
    return out
