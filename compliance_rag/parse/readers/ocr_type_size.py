"""How large the type of a line is, from the height of its ink and from which characters are printed in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

from compliance_rag.parse.readers.ocr_types import ReadLine

# Parts of the type size, as in the common book faces: from the base line to the top of small letters, of tall ones, of wide
# characters; below it the tails of letters, of marks, of wide characters.
SMALL, TALL, WIDE = 0.46, 0.69, 0.82
TAIL, MARK, WIDE_TAIL = 0.21, 0.13, 0.1
# Ink is measured to a pixel, and faces differ: sizes nearer to the page's usual one than this are that size.
SAME = 0.13
# A line of fewer characters measures nothing.
FEW = 6
_TALL = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789bdfhklt()[]{}/\\|§&%$!?\"'“”‘’ßÄÖÜ")
_TAIL = frozenset("gjpqy()[]{}|/§")
_MARK = frozenset(",;Q")


def measured(text: str, top: float, bottom: float) -> tuple[float, float]:
    """Type size and height of the base line of a line whose ink runs from ``top`` to ``bottom``, in the unit of both."""
    chars = set(text)
    if any("\u2e80" <= char <= "\u9fff" for char in chars):
        above, below = WIDE, WIDE_TAIL
    else:
        above = TALL if chars & _TALL else SMALL
        below = TAIL if chars & _TAIL else MARK if chars & _MARK else 0.0
    size = max(1.0, (bottom - top) / (above + below))
    return size, bottom - below * size


def same_sizes(lines: Sequence[ReadLine]) -> list[ReadLine]:
    """Lines with the usual size of the page where theirs differs by no more than the measuring does."""
    long = [line for line in lines if len(line.text) >= FEW]
    if not long:
        return list(lines)
    usual = round(2 * float(median(line.size for line in long for _ in line.text))) / 2
    return [
        replace(line, size=usual if len(line.text) < FEW or abs(line.size - usual) <= SAME * usual else line.size)
        for line in lines
    ]
