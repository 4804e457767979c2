"""The characters of one PDF page as arrays: text, boxes as displayed, the object each belongs to."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compliance_rag.parse.readers.pdf_calls import Calls, char_boxes, loose_boxes, object_runs, page_text
from compliance_rag.parse.readers.pdf_objects import Inspector, Printed
from compliance_rag.parse.readers.pdf_place import Boxes, Placer
from compliance_rag.parse.readers.pdf_symbols import name_symbols
from compliance_rag.parse.readers.pdf_types import Turn

# A line's end that the library reports as a broken word.
BROKEN_WORD = "\x02"
_BLANK = np.array(
    [chr(code) for code in (*range(2), *range(3, 33), 0xA0, 0x1680, 0x202F, 0x205F, 0x3000, *range(0x2000, 0x200B))]
)


@dataclass(slots=True)
class Glyphs:
    """``count`` characters in the order of the content; arrays run alongside. ``tight`` and ``loose`` are boxes as displayed
    (around the ink; of the font's height and the character's advance). ``owner`` indexes ``printed``, -1 for none."""

    chars: NDArray[np.str_]
    tight: Boxes
    loose: Boxes
    owner: NDArray[np.int64]
    addresses: list[int]
    printed: list[Printed]
    blank: NDArray[np.bool_]
    generated: NDArray[np.bool_]

    @property
    def count(self) -> int:
        """How many characters."""
        return len(self.chars)


def main_turn(glyphs: Glyphs, placer: Placer) -> Turn:
    """Which way most of the text runs on the displayed page; 0 for a page without text."""
    counts = np.bincount(glyphs.owner[~glyphs.blank & (glyphs.owner >= 0)], minlength=len(glyphs.printed))
    votes: dict[Turn, int] = {}
    for item, count in zip(glyphs.printed, counts.tolist(), strict=True):
        if item.turn is not None:
            turn = placer.turn(item.turn)
            votes[turn] = votes.get(turn, 0) + count
    return max(votes, key=lambda item: (votes[item], -item)) if votes else 0


def read_glyphs(raw: Any, calls: Calls, inspector: Inspector, textpage: Any, placer: Placer) -> Glyphs:
    """All characters of a page."""
    pointer = ctypes.c_void_p(ctypes.cast(textpage, ctypes.c_void_p).value)
    count = max(0, raw.FPDFText_CountChars(textpage))
    text = page_text(calls, raw, pointer, count).replace("\ufffe", BROKEN_WORD)
    chars = np.array(list(text), dtype="U1") if count else np.zeros(0, "U1")
    tight = char_boxes(calls, pointer, count)
    runs = object_runs(calls, pointer, count)
    numbers: dict[int, int] = {}
    printed: list[Printed] = []
    for start, found in runs:
        if found and found not in numbers:
            numbers[found] = len(printed)
            printed.append(inspector.printed(found, pointer, start))
    lengths = np.diff([*(start for start, _ in runs), count])
    owner = np.repeat(np.array([numbers.get(found, -1) for _, found in runs], np.int64), lengths)
    name_symbols(raw, chars, owner, printed)
    loose = loose_boxes(calls, pointer, count)
    # An empty box has no ink to be tight around: the font's own box stands for it.
    empty = (tight[:, 2] - tight[:, 0] <= 0) | (tight[:, 3] - tight[:, 1] <= 0)
    tight = np.where(empty[:, None], loose, tight)
    blank = np.isin(chars, _BLANK)
    shown = placer.displayed(tight)
    return Glyphs(chars, shown, placer.displayed(loose), owner, list(numbers), printed, blank, owner < 0)
