"""What is drawn on a PDF page and in which order: text objects and how they are printed, pictures, filled areas, rules."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass
from math import atan2, degrees, hypot
from typing import Any

from compliance_rag.parse.readers.pdf_calls import Calls
from compliance_rag.parse.readers.pdf_clips import ALL, NOTHING, Clip, Clips, both
from compliance_rag.parse.readers.pdf_paths import Paths
from compliance_rag.parse.readers.pdf_types import Turn

TEXT, PATH, IMAGE, SHADING, FORM = 1, 2, 3, 4, 5
# Forms hold forms; real files nest three deep, and a file that nests without end must not be followed.
MAX_FORM_DEPTH = 8
# Objects looked at on one page: a map or a chart has some tens of thousands; beyond that nothing more is learned.
MAX_OBJECTS = 50_000
# A path thinner than this, in points, is one rule, however many pieces it has.
THIN = 2.5
# Weights from semi-bold on.
BOLD_WEIGHT = 600
# Font names are short; a longer one is cut.
FONT_NAME_BYTES = 128
# Render modes that put no ink on the page: invisible, and clipping only.
_NO_INK = (3, 7)
# Render mode that draws the outline of filled characters too: bold type made of a font that has none.
_FILL_AND_STROKE = 2
# Render modes that draw the outline of characters and leave them empty.
_OUTLINE = (1, 5)
# Text further than this from a right angle, in degrees, is a stamp across the page.
MAX_SKEW = 12.0

Matrix = tuple[float, float, float, float, float, float]
_UNIT: Matrix = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0)


@dataclass(slots=True)
class Drawn:
    """An object of the page, forms unfolded, in the order of painting. ``bounds``: left, bottom, right, top in page space, of a
    text the rectangle it is clipped to. ``optional``: it may be optional content that is switched off."""

    address: int
    kind: int
    bounds: tuple[float, float, float, float]
    filled: bool
    stroked: bool
    colour: tuple[int, int, int, int] | None
    optional: bool = False


@dataclass(slots=True)
class Printed:
    """How a text object is printed. ``turn`` in page space, None for text across the page; ``inkless``: no ink by its mode or
    its opacity; ``colour``: red, green, blue, opacity of its fill, or of the outline where only that is drawn; ``size``: the
    font's size in points as printed; ``origin``: a point on its base line, in page space; ``font``: the address of its font, 0
    for none."""

    turn: Turn | None
    bold: bool
    inkless: bool
    colour: tuple[int, int, int, int] | None
    size: float
    origin: tuple[float, float]
    font: int = 0


@dataclass(frozen=True, slots=True)
class _Around:
    """What a form does to the objects in it: where it puts them, what it clips them to, whether it may be switched off."""

    matrix: Matrix
    clip: Clip
    optional: bool


class Inspector:
    """Reads objects through the bare calls, with the buffers they fill. ``layers``: the file has optional content, and any form
    may be some."""

    def __init__(self, raw: Any, calls: Calls, *, layers: bool) -> None:
        self._layers = layers
        self.calls = calls
        self.raw = raw
        self._floats = tuple(ctypes.c_float() for _ in range(4))
        self._colours = tuple(ctypes.c_uint() for _ in range(4))
        self._matrix = raw.FS_MATRIX()
        self._name = ctypes.create_string_buffer(FONT_NAME_BYTES)
        self._mode = (ctypes.c_int(), ctypes.c_int())
        self._fonts: dict[int, bool] = {}
        # References are made once: tens of thousands of objects ask for the same places.
        self._colour_refs = tuple(ctypes.byref(part) for part in self._colours)
        self._matrix_ref = ctypes.byref(self._matrix)
        self._bounds_refs = tuple(ctypes.byref(part) for part in self._floats)
        self._mode_refs = tuple(ctypes.byref(part) for part in self._mode)
        self._clips = Clips(calls)
        self._paths = Paths(calls)

    def drawn(self, page: Any) -> list[Drawn]:
        """All objects of a page but its texts, in the order of painting, with texts as places in that order."""
        self._fonts = {}
        pointer = ctypes.c_void_p(ctypes.cast(page, ctypes.c_void_p).value)
        count = min(self.raw.FPDFPage_CountObjects(page), MAX_OBJECTS)
        out: list[Drawn] = []
        for index in range(count):
            found = self.calls.page_object(pointer, index)
            if found:
                self._add(found, _Around(_UNIT, ALL, False), out, 0)
        return out

    def _add(self, found: int, around: _Around, out: list[Drawn], depth: int) -> None:
        if len(out) >= MAX_OBJECTS:
            return
        pointer = ctypes.c_void_p(found)
        kind = self.calls.kind(pointer)
        matrix = around.matrix
        if kind in (FORM, TEXT):
            own = self._clips.clip(pointer)
            within = both(around.clip, own if own in (ALL, NOTHING) else _apply(matrix, own))
            optional = around.optional or self._clips.optional(pointer)
        if kind == FORM:
            if depth < MAX_FORM_DEPTH:
                inner = _Around(_times(self.matrix_of(pointer), matrix), within, optional or self._layers)
                for index in range(self.calls.form_count(pointer)):
                    child = self.calls.form_object(pointer, ctypes.c_ulong(index))
                    if child:
                        self._add(child, inner, out, depth + 1)
            return
        if kind == TEXT:
            out.append(Drawn(found, kind, within, False, False, None, optional))
            return
        left, bottom, right, top = self._floats
        if not self.calls.bounds(pointer, *self._bounds_refs):
            return
        bounds = _apply(matrix, (left.value, bottom.value, right.value, top.value))
        filled, stroked, colour = True, False, None
        if kind == PATH:
            fill, stroke = self._mode
            self.calls.draw_mode(pointer, *self._mode_refs)
            filled, stroked = fill.value != 0, stroke.value != 0
            colour = self.colour_of(pointer) if filled else None
            if not filled and not stroked:
                return
            if min(bounds[2] - bounds[0], bounds[3] - bounds[1]) > THIN:
                pieces = self._paths.pieces(pointer, stroked=stroked)
                if pieces and len(out) + len(pieces) <= MAX_OBJECTS:
                    put = _times(self.matrix_of(pointer), matrix)
                    out += [Drawn(found, kind, _apply(put, piece), filled, stroked, colour) for piece in pieces]
                    return
        out.append(Drawn(found, kind, bounds, filled, stroked, colour))

    def matrix_of(self, pointer: ctypes.c_void_p) -> Matrix:
        """The matrix of an object."""
        m = self._matrix
        if not self.calls.object_matrix(pointer, self._matrix_ref):
            return _UNIT
        return m.a, m.b, m.c, m.d, m.e, m.f

    def colour_of(self, pointer: ctypes.c_void_p, *, stroke: bool = False) -> tuple[int, int, int, int] | None:
        """Red, green, blue and opacity of the fill, or of the ``stroke``; None where it is a pattern."""
        if not (self.calls.stroke if stroke else self.calls.fill)(pointer, *self._colour_refs):
            return None
        red, green, blue, alpha = (part.value for part in self._colours)
        return red, green, blue, alpha

    def printed(self, found: int, textpage: ctypes.c_void_p, first: int) -> Printed:
        """How the text object at address ``found`` is printed; ``first`` is the index of its first character."""
        pointer = ctypes.c_void_p(found)
        m = self._matrix
        self.calls.matrix(textpage, first, self._matrix_ref)
        angle = degrees(atan2(m.b, m.a)) % 360.0
        nearest = round(angle / 90.0) * 90
        skewed = abs(angle - nearest) > MAX_SKEW
        turns: tuple[Turn, ...] = (0, 90, 180, 270)
        mode = self.calls.render_mode(pointer)
        colour = self.colour_of(pointer, stroke=mode in _OUTLINE)
        inkless = mode in _NO_INK or (colour is not None and colour[3] == 0)
        size = self._floats[0]
        self.calls.font_size(pointer, self._bounds_refs[0])
        font = self.calls.font(pointer) or 0
        bold = mode == _FILL_AND_STROKE or self._bold(font)
        turn = None if skewed else turns[nearest % 360 // 90]
        return Printed(turn, bold, inkless, colour, abs(size.value) * hypot(m.c, m.d), (m.e, m.f), font)

    def _bold(self, font: int) -> bool:
        """A heavy weight, or a font whose name says so (the standard fonts carry no weight)."""
        if not font:
            return False
        if font not in self._fonts:
            pointer = ctypes.c_void_p(font)
            heavy = self.calls.font_weight(pointer) >= BOLD_WEIGHT
            if not heavy:
                size = self.calls.font_name(pointer, self._name, ctypes.c_ulong(FONT_NAME_BYTES))
                heavy = size > 0 and b"bold" in self._name.value.lower()
            self._fonts[font] = heavy
        return self._fonts[font]


def _times(a: Matrix, b: Matrix) -> Matrix:
    return (
        a[0] * b[0] + a[1] * b[2], a[0] * b[1] + a[1] * b[3], a[2] * b[0] + a[3] * b[2], a[2] * b[1] + a[3] * b[3],
        a[4] * b[0] + a[5] * b[2] + b[4], a[4] * b[1] + a[5] * b[3] + b[5],
    )  # fmt: skip


def _apply(m: Matrix, rect: tuple[float, float, float, float]) -> tuple[float, float, float, float]:
    if m == _UNIT:
        return rect
    xs, ys = zip(*((x * m[0] + y * m[2] + m[4], x * m[1] + y * m[3] + m[5]) for x, y in _corners(rect)), strict=True)
    return min(xs), min(ys), max(xs), max(ys)


def _corners(rect: tuple[float, float, float, float]) -> Iterator[tuple[float, float]]:
    for x in (rect[0], rect[2]):
        for y in (rect[1], rect[3]):
            yield x, y
