"""PDFium's functions as called a million times: the same functions, without the argument conversion of the wrapper.

The wrapper converts and checks every argument of every call; at 3,000 characters a page that is most of the reading time
(0.72 µs against 0.29 µs a character box). These prototypes take values already in C's types, so they are called from here
only, and each takes what its C signature says.
"""

from __future__ import annotations

import ctypes
from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

from compliance_rag.parse.readers.pdf_place import Boxes


def address(pointer: Any) -> int:
    """The address that a ctypes pointer holds, 0 for NULL."""
    return ctypes.cast(pointer, ctypes.c_void_p).value or 0


class Calls:
    """The prototypes, made once a document."""

    def __init__(self, raw: Any) -> None:
        def bare(name: str, result: Any = ctypes.c_int) -> Callable[..., Any]:
            found: Callable[..., Any] = ctypes.PYFUNCTYPE(result)(address(getattr(raw, name)))
            return found

        self.unicode = bare("FPDFText_GetUnicode", ctypes.c_uint)
        self.char_box = bare("FPDFText_GetCharBox")
        self.loose_box = bare("FPDFText_GetLooseCharBox")
        self.text_object = bare("FPDFText_GetTextObject", ctypes.c_void_p)
        self.matrix = bare("FPDFText_GetMatrix")
        self.map_error = bare("FPDFText_HasUnicodeMapError")
        self.bounds = bare("FPDFPageObj_GetBounds")
        self.kind = bare("FPDFPageObj_GetType")
        self.page_object = bare("FPDFPage_GetObject", ctypes.c_void_p)
        self.form_object = bare("FPDFFormObj_GetObject", ctypes.c_void_p)
        self.form_count = bare("FPDFFormObj_CountObjects")
        self.object_matrix = bare("FPDFPageObj_GetMatrix")
        self.fill = bare("FPDFPageObj_GetFillColor")
        self.stroke = bare("FPDFPageObj_GetStrokeColor")
        self.draw_mode = bare("FPDFPath_GetDrawMode")
        self.render_mode = bare("FPDFTextObj_GetTextRenderMode")
        self.font_size = bare("FPDFTextObj_GetFontSize")
        self.font = bare("FPDFTextObj_GetFont", ctypes.c_void_p)
        self.font_weight = bare("FPDFFont_GetWeight")
        self.font_name = bare("FPDFFont_GetBaseFontName", ctypes.c_ulong)
        self.count_marks = bare("FPDFPageObj_CountMarks")
        self.mark = bare("FPDFPageObj_GetMark", ctypes.c_void_p)
        self.mark_name = bare("FPDFPageObjMark_GetName")
        self.mark_string = bare("FPDFPageObjMark_GetParamStringValue")
        self.mark_blob = bare("FPDFPageObjMark_GetParamBlobValue")
        self.clip_path = bare("FPDFPageObj_GetClipPath", ctypes.c_void_p)
        self.clip_count = bare("FPDFClipPath_CountPaths")
        self.clip_segments = bare("FPDFClipPath_CountPathSegments")
        self.clip_segment = bare("FPDFClipPath_GetPathSegment", ctypes.c_void_p)
        self.path_segments = bare("FPDFPath_CountSegments")
        self.path_segment = bare("FPDFPath_GetPathSegment", ctypes.c_void_p)
        self.segment_close = bare("FPDFPathSegment_GetClose")
        self.segment_point = bare("FPDFPathSegment_GetPoint")
        self.segment_type = bare("FPDFPathSegment_GetType")
        self.glyph_path = bare("FPDFFont_GetGlyphPath", ctypes.c_void_p)
        self.glyph_segments = bare("FPDFGlyphPath_CountGlyphSegments")
        self.glyph_segment = bare("FPDFGlyphPath_GetGlyphPathSegment", ctypes.c_void_p)
        self.activate = bare("FPDFPageObj_SetIsActive")


def char_boxes(calls: Calls, textpage: ctypes.c_void_p, count: int) -> Boxes:
    """The boxes around the ink of all characters in page space, ``(count, 4)``: left, bottom, right, top."""
    buffer = array("d", [0.0] * 4)
    left, right, bottom, top = (ctypes.byref(ctypes.c_double.from_buffer(buffer, 8 * k)) for k in range(4))
    tight = array("d")
    extend, call = tight.extend, calls.char_box
    for index in range(count):
        call(textpage, index, left, right, bottom, top)
        extend(buffer)
    return np.frombuffer(tight, np.float64).reshape(-1, 4)[:, (0, 2, 1, 3)]


def loose_boxes(calls: Calls, textpage: ctypes.c_void_p, count: int) -> Boxes:
    """The boxes of the font's height and the character's advance around all characters: left, bottom, right, top."""
    wide = array("f", [0.0] * 4)
    rect = ctypes.byref(ctypes.c_float.from_buffer(wide, 0))
    loose = array("f")
    extend, call = loose.extend, calls.loose_box
    for index in range(count):
        call(textpage, index, rect)
        extend(wide)
    # The rectangle's fields are left, top, right, bottom.
    return np.frombuffer(loose, np.float32).reshape(-1, 4)[:, (0, 3, 2, 1)].astype(np.float64)


def object_runs(calls: Calls, textpage: ctypes.c_void_p, count: int) -> list[tuple[int, int]]:
    """Where runs of characters of one text object begin, each with the object's address (0 for characters that the library put
    in). An object's characters follow one another, so the end of a run is found by doubling and halving, not one by one."""
    call = calls.text_object
    out: list[tuple[int, int]] = []
    at = 0
    while at < count:
        found = call(textpage, at) or 0
        out.append((at, found))
        if not found:
            at += 1
            continue
        low, step = at, 1
        while low + step < count and (call(textpage, low + step) or 0) == found:
            low += step
            step *= 2
        high = min(low + step, count)
        while high - low > 1:
            middle = (low + high) // 2
            if (call(textpage, middle) or 0) == found:
                low = middle
            else:
                high = middle
        at = low + 1
    return out


def page_text(calls: Calls, raw: Any, textpage: ctypes.c_void_p, count: int) -> str:
    """One character an index: in one call where the library gives as many as it counts, else one by one."""
    buffer = (ctypes.c_ushort * (count + 1))()
    pointer = ctypes.cast(textpage, raw.FPDF_TEXTPAGE)
    if raw.FPDFText_GetText(pointer, 0, count, buffer) == count + 1:
        text = bytes(buffer)[: 2 * count].decode("utf-16-le", "replace")
        if len(text) == count:
            return text
    return "".join(_char(calls.unicode(textpage, index)) for index in range(count))


def _char(code: int) -> str:
    return chr(code) if code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"
