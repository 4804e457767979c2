"""What lies on a PDF page besides its content: filled-in form fields, typed notes, stamps, words struck out.

What an annotation draws is made part of the page (``FPDFPage_Flatten``) and read as everything printed. What changes the
meaning of the text under it (a strike-out, a redaction), or holds words that its file draws nowhere, is a doubt about the
page, which waits for a person.
"""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field
from typing import Any

# Annotations looked at on a page; a form has some hundred fields.
MAX_ANNOTATIONS = 5_000
# Bytes of the longest text of an annotation that is kept, in UTF-16.
MAX_TEXT = 8_192
# Subtypes as the library numbers them.
_NOTE, _FREE_TEXT, _STAMP, _CARET, _INK, _ATTACHED, _WIDGET, _WATERMARK, _REDACT = 1, 3, 13, 14, 15, 17, 20, 24, 28
_STRIKE_OUT = 12
_SHAPES = {4: "line", 5: "square", 6: "circle", 7: "polygon", 8: "polyline", _INK: "ink"}
# These change how the text under them reads.
_CHANGES = {_STRIKE_OUT: "words struck out", _CARET: "words put in", _REDACT: "words marked to be taken out"}
# These print words or pictures of their own.
_PRINTS = {_FREE_TEXT: "typed text", _STAMP: "a stamp", _WIDGET: "a form field", _WATERMARK: "a watermark"}
# Not shown to anybody: invisible, hidden, not to be viewed.
_UNSEEN = 1 | 2 | 32
_OFF = ("", "Off")


@dataclass(slots=True)
class Annotations:
    """``drawn``: some annotation draws words or pictures of its own; ``doubts``: why a person has to look at the page;
    ``told``: code and sentence of each flag; ``unread``: words that stand in annotations and in no clause, by code."""

    drawn: bool = False
    doubts: list[str] = field(default_factory=list)
    told: list[tuple[str, str]] = field(default_factory=list)
    unread: list[tuple[str, str]] = field(default_factory=list)


def annotations_of(raw: Any, page: Any) -> Annotations:
    """What the annotations of a page say; links and highlights change nothing."""
    out = Annotations()
    for index in range(min(raw.FPDFPage_GetAnnotCount(page), MAX_ANNOTATIONS)):
        item = raw.FPDFPage_GetAnnot(page, index)
        if not item:
            continue
        if not raw.FPDFAnnot_GetFlags(item) & _UNSEEN:
            _look(raw, item, out)
        raw.FPDFPage_CloseAnnot(item)
    out.doubts = list(dict.fromkeys(out.doubts))
    return out


def _look(raw: Any, item: Any, out: Annotations) -> None:
    kind = raw.FPDFAnnot_GetSubtype(item)
    if kind in _PRINTS:
        code = "form_field" if kind == _WIDGET else "annotation"
        words = _text(raw, item, b"V" if kind == _WIDGET else b"Contents")
        if raw.FPDFAnnot_HasKey(item, b"AP"):
            out.drawn = True
        elif words not in _OFF:
            out.doubts.append(f"it bears {_PRINTS[kind]} that its file does not draw")
            out.told.append((code, f"{_PRINTS[kind]} is in no clause: {words!r}"))
            out.unread.append((code, words))
    elif kind in _CHANGES:
        out.doubts.append(f"it bears {_CHANGES[kind]}")
        out.told.append(("annotation", _said(_CHANGES[kind], _text(raw, item, b"Contents"))))
    elif kind in _SHAPES:
        out.told.append(("annotation", _said(f"a drawn {_SHAPES[kind]}", _text(raw, item, b"Contents"))))
    elif kind in (_NOTE, _ATTACHED):
        what = "a note" if kind == _NOTE else "an attached file"
        out.told.append(("annotation", _said(what, _text(raw, item, b"Contents"))))


def _said(what: str, words: str) -> str:
    return f"on the text: {what}" + (f", {words!r}" if words else "")


def _text(raw: Any, item: Any, key: bytes) -> str:
    buffer = (ctypes.c_ushort * (MAX_TEXT // 2))()
    size = raw.FPDFAnnot_GetStringValue(item, key, buffer, MAX_TEXT)
    return bytes(buffer)[: min(size, MAX_TEXT)].decode("utf-16-le", "replace").split("\0")[0].strip()
