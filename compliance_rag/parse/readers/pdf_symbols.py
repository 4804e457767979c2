"""Characters of the symbol fonts Symbol and Wingdings, which PDFs keep at private places: a sign that a reader sees is written
as it is named in Unicode; one that has no name is told of."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compliance_rag.parse.blocks import Block
from compliance_rag.parse.readers.docx_symbols import BULLETS, of_font
from compliance_rag.parse.readers.pdf_objects import Printed
from schemas.clause import Flag, Span

UNKNOWN = "unknown_symbol"
# Longest name of a font that is asked for.
MAX_NAME = 128
_FIRST, _LAST = 0xF020, 0xF0FF
_PRIVATE = re.compile(f"[{chr(_FIRST)}-{chr(_LAST)}]")
_FAMILY = re.compile(r"(?:[A-Z]{6}\+)?(Symbol|Wingdings)\s?(2)?")


def name_symbols(raw: Any, chars: NDArray[np.str_], owner: NDArray[np.int64], printed: list[Printed]) -> None:
    """Put the signs of symbol fonts in place of their private characters. ``owner`` indexes ``printed`` for each character."""
    codes = chars.view(np.uint32) if len(chars) else np.zeros(0, np.uint32)
    families: dict[int, str] = {}
    for at in np.nonzero((codes >= _FIRST) & (codes <= _LAST) & (owner >= 0))[0].tolist():
        if int(codes[at]) in BULLETS:
            continue
        font = printed[owner[at]].font
        if font and font not in families:
            families[font] = _family(raw, font)
        chars[at] = of_font(families.get(font, ""), str(chars[at]))[0]


def unknown_symbols(text: str, blocks: Sequence[Block]) -> tuple[list[tuple[Span, str]], list[Flag]]:
    """The private characters that are left among the words of a text, and a flag where there are any. Bullets are known by
    their places."""
    words = [block.span for block in blocks if block.kind != "furniture"] if _PRIVATE.search(text) else []
    signs = [match for span in words for match in _PRIVATE.finditer(text, *span)]
    found = [match.span() for match in signs if ord(match[0]) not in BULLETS]
    if not found:
        return [], []
    flag = Flag(UNKNOWN, f"{len(found)} signs of a symbol font have no Unicode name; kept as they are, look at the page.")
    return [(span, UNKNOWN) for span in found], [flag]


def _family(raw: Any, font: int) -> str:
    buffer = ctypes.create_string_buffer(MAX_NAME)
    raw.FPDFFont_GetBaseFontName(ctypes.cast(ctypes.c_void_p(font), raw.FPDF_FONT), buffer, MAX_NAME)
    match = _FAMILY.match(buffer.value.decode("utf-8", "replace"))
    return f"{match[1].lower()}{' 2' if match[2] else ''}" if match is not None else ""
