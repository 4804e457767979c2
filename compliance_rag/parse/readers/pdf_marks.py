"""Text that a PDF stores to be read in place of what it prints (``ActualText``), held against the printed characters.

The library gives the stored text and keeps the printed one to itself. Good programs store what is printed (a ligature's
letters, a soft hyphen for the hyphen at a line's end); where the two differ the page wins, and what was stored is told.
"""

from __future__ import annotations

import ctypes
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from compliance_rag.parse.readers.pdf_calls import Calls
from compliance_rag.parse.readers.pdf_glyphs import BROKEN_WORD, Glyphs, read_glyphs
from compliance_rag.parse.readers.pdf_objects import TEXT, Drawn, Inspector
from compliance_rag.parse.readers.pdf_place import Placer

_KEY = b"ActualText"
# Marks around one object: real files nest three or four.
MAX_MARKS = 16
# A stored text is no longer than a page's; more of it is not compared.
MAX_STORED = 65_536
# Longer than this a text stored for characters without a meaning is no ligature's: the page is compared with its picture.
LIGATURE = 3
# Marks that draw nothing or only break words.
_UNDRAWN = frozenset("\u00ad\u200b\u200c\u200d\ufeff\u2060\0")
_HYPHENS = frozenset("-\u2010\u2011")
_UNKNOWN = frozenset(("\ufffd", "\0", BROKEN_WORD))


@dataclass(slots=True)
class _Stored:
    """One mark with a stored text (``raw``: its bytes in the file), and the addresses of the text objects it holds."""

    mark: int
    text: str
    raw: bytes
    objects: list[int] = field(default_factory=list)


def without_replaced(
    raw: Any, calls: Calls, inspector: Inspector, page: Any, glyphs: Glyphs, drawn: list[Drawn], placer: Placer
) -> tuple[Glyphs, str, int]:
    """The page's characters with the printed ones wherever a stored text says something else; the stored texts left out; and
    how many characters, ligatures aside, are stored for printed ones that have no meaning by themselves."""
    stored = _stored(calls, drawn)
    if not stored:
        return glyphs, "", 0
    for item in stored:
        raw.FPDFPageObjMark_RemoveParam(*_pointers(raw, item), _KEY)
    printed = _read(raw, calls, inspector, page, placer)
    lies: list[_Stored] = []
    blind = 0
    for item in stored:
        owners = {at for at, address in enumerate(printed.addresses) if address in set(item.objects)}
        text = "".join(
            char for char, owner in zip(printed.chars.tolist(), printed.owner.tolist(), strict=True) if owner in owners
        )
        if not _readable(text):
            blind += len(_plain(item.text)) if len(_plain(item.text)) > LIGATURE else 0
        elif _plain(text) != _plain(item.text) and not (set(_plain(text)) <= _HYPHENS and not _plain(item.text).strip("-")):
            lies.append(item)
            continue
        buffer = (ctypes.c_ubyte * len(item.raw)).from_buffer_copy(item.raw)
        raw.FPDFPageObjMark_SetBlobParam(page.pdf.raw, *_pointers(raw, item), _KEY, buffer, len(item.raw))
    if not lies:
        return glyphs, "", blind
    return _read(raw, calls, inspector, page, placer), " ".join(item.text for item in lies), blind


def _read(raw: Any, calls: Calls, inspector: Inspector, page: Any, placer: Placer) -> Glyphs:
    textpage = page.get_textpage()
    try:
        return read_glyphs(raw, calls, inspector, textpage.raw, placer)
    finally:
        textpage.close()


def _stored(calls: Calls, drawn: list[Drawn]) -> list[_Stored]:
    """The marks of a page that store a text, in the order of painting."""
    found: dict[int, _Stored] = {}
    size = ctypes.c_ulong()
    for item in drawn:
        if item.kind != TEXT:
            continue
        pointer = ctypes.c_void_p(item.address)
        for at in range(min(calls.count_marks(pointer), MAX_MARKS)):
            mark = calls.mark(pointer, ctypes.c_ulong(at)) or 0
            if mark in found:
                found[mark].objects.append(item.address)
            elif mark and calls.mark_string(ctypes.c_void_p(mark), _KEY, None, ctypes.c_ulong(0), ctypes.byref(size)):
                text = _value(calls.mark_string, mark, size.value).decode("utf-16-le", "replace")
                calls.mark_blob(ctypes.c_void_p(mark), _KEY, None, ctypes.c_ulong(0), ctypes.byref(size))
                found[mark] = _Stored(mark, text.rstrip("\0"), _value(calls.mark_blob, mark, size.value), [item.address])
    return list(found.values())


def _value(call: Callable[..., Any], mark: int, size: int) -> bytes:
    """The value of a mark as ``call`` gives it, cut at the longest that is compared."""
    buffer = ctypes.create_string_buffer(max(1, min(size, MAX_STORED)))
    written = ctypes.c_ulong()
    call(ctypes.c_void_p(mark), _KEY, buffer, ctypes.c_ulong(len(buffer)), ctypes.byref(written))
    return buffer.raw[: min(size, len(buffer))]


def _pointers(raw: Any, item: _Stored) -> tuple[Any, Any]:
    return (
        ctypes.cast(ctypes.c_void_p(item.objects[0]), raw.FPDF_PAGEOBJECT),
        ctypes.cast(ctypes.c_void_p(item.mark), raw.FPDF_PAGEOBJECTMARK),
    )


def _readable(text: str) -> bool:
    """True when every character has a meaning: none private, none unknown (the library says so as it says a broken word)."""
    known = not any(char in _UNKNOWN or unicodedata.category(char) in ("Co", "Cn") for char in text)
    return known and bool(text.strip())


def _plain(text: str) -> str:
    """A text as it is compared: ligatures as their letters, no white space, nothing that is not drawn."""
    plain = unicodedata.normalize("NFKC", text)
    return "".join(char for char in plain if not char.isspace() and char not in _UNDRAWN)
