"""What may keep a drawn object from being seen besides its ink: optional content, and the path it is clipped to."""

from __future__ import annotations

import ctypes
import re
import zlib
from itertools import pairwise
from math import inf

from compliance_rag.parse.readers.pdf_calls import Calls

# Marks and paths around one object that are looked at; beyond, the object is suspected without looking.
MAX_MARKS = 16
MAX_PATHS = 16
# A rectangle is drawn with at most this many points; other shapes are not computed but asked of the renderer.
RECTANGLE = 5
_OPTIONAL = "OC"
# Bytes of the longest name of a mark that is looked at.
NAME_BYTES = 64
_LAYERS = b"/OCProperties"
_OBJECTS = re.compile(rb"/Type\s{0,9}/ObjStm")
# Streams of objects that are looked into, and how much of each: programs put 100 or 200 objects in one, of some 20 kB together.
MAX_STREAMS = 500
MAX_INFLATED = 1_000_000
# A dictionary's stream begins within this many bytes.
STREAM_WITHIN = 400

Clip = tuple[float, float, float, float]
"""Left, bottom, right, top in the space of the object's parent."""
ALL: Clip = (-inf, -inf, inf, inf)
NOTHING: Clip = (inf, inf, -inf, -inf)


def both(one: Clip, other: Clip) -> Clip:
    """What two clips leave."""
    return max(one[0], other[0]), max(one[1], other[1]), min(one[2], other[2]), min(one[3], other[3])


def has_layers(data: bytes) -> bool:
    """True when a PDF has optional content, or may have: a form says so in its dictionary, which the library does not give.
    Objects in compressed streams are looked at too."""
    if _LAYERS in data:
        return True
    for count, match in enumerate(_OBJECTS.finditer(data)):
        if count >= MAX_STREAMS:
            return True
        start = data.find(b"stream", match.end(), match.end() + STREAM_WITHIN)
        inflate = zlib.decompressobj()
        try:
            if start < 0 or _LAYERS in inflate.decompress(data[start + 6 :].lstrip(b"\r\n"), MAX_INFLATED):
                return True
        except zlib.error:
            return True
        if inflate.unconsumed_tail:
            return True
    return False


class Clips:
    """Reads marks and clip paths through the bare calls, with the buffers they fill."""

    def __init__(self, calls: Calls) -> None:
        self.calls = calls
        self._x, self._y = ctypes.c_float(), ctypes.c_float()
        self._size = ctypes.c_ulong()
        self._name = ctypes.create_string_buffer(NAME_BYTES)

    def optional(self, pointer: ctypes.c_void_p) -> bool:
        """True for an object marked as optional content, which a reader may switch off."""
        for at in range(min(self.calls.count_marks(pointer), MAX_MARKS)):
            mark = self.calls.mark(pointer, ctypes.c_ulong(at)) or 0
            size = ctypes.c_ulong(NAME_BYTES)
            if mark and self.calls.mark_name(ctypes.c_void_p(mark), self._name, size, ctypes.byref(self._size)):
                name = self._name.raw[: min(self._size.value, NAME_BYTES)].decode("utf-16-le", "replace").rstrip("\0")
                if name == _OPTIONAL:
                    return True
        return False

    def clip(self, pointer: ctypes.c_void_p) -> Clip:
        """The rectangle an object is clipped to; NOTHING for a shape that is not computed: it has to be suspected."""
        path = self.calls.clip_path(pointer) or 0
        if not path:
            return ALL
        count = self.calls.clip_count(ctypes.c_void_p(path))
        if count > MAX_PATHS:
            return NOTHING
        left, bottom, right, top = ALL
        for at in range(count):
            points = self._points(ctypes.c_void_p(path), at)
            if not points:
                return NOTHING
            xs, ys = zip(*points, strict=True)
            left, bottom, right, top = max(left, min(xs)), max(bottom, min(ys)), min(right, max(xs)), min(top, max(ys))
        return left, bottom, right, top

    def _points(self, path: ctypes.c_void_p, at: int) -> list[tuple[float, float]]:
        """The corners of one rectangle; none where the path is another shape, or empty."""
        count = self.calls.clip_segments(path, at)
        if not 4 <= count <= RECTANGLE:
            return []
        out: list[tuple[float, float]] = []
        for number in range(count):
            segment = ctypes.c_void_p(self.calls.clip_segment(path, at, number) or 0)
            self.calls.segment_point(segment, ctypes.byref(self._x), ctypes.byref(self._y))
            out.append((self._x.value, self._y.value))
        square = all(abs(a[0] - b[0]) < 0.01 or abs(a[1] - b[1]) < 0.01 for a, b in pairwise(out))
        return out if square else []
