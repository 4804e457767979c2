"""Notes in the margin beside the text they head: older statutes and handbooks print the titles of sections there.

Read line by line with the text they would stand in its sentences; each is set down after the paragraph beside which it begins.
"""

from __future__ import annotations

from itertools import pairwise

from compliance_rag.parse.readers.pdf_types import Line

# Notes are set in type of at most this share of the text's.
NOTE_TYPE = 0.88
# They stand at least this many of the text's font sizes beside it, and are no wider than this share of it.
BESIDE = 0.8
NARROW = 0.4
# Fewer lines of text on a page do not show where its margin is.
MIN_LINES = 5
# The next line of a note stands no further below than this many of its font sizes.
NEXT_LINE = 1.7


def side_notes(lines: list[Line], usual: float) -> tuple[list[Line], list[list[Line]]]:
    """The lines of a page's text, and the notes beside it from top to bottom. ``usual``: the font size of the text."""
    text = [line for line in lines if line.size > NOTE_TYPE * usual]
    if len(text) < MIN_LINES or len(text) == len(lines):
        return lines, []
    left, right = min(line.upright[0] for line in text), max(line.upright[2] for line in text)
    top, bottom = min(line.upright[1] for line in text), max(line.upright[3] for line in text)
    beside = [
        line
        for line in lines
        if line.size <= NOTE_TYPE * usual
        and (line.upright[0] >= right + BESIDE * usual or line.upright[2] <= left - BESIDE * usual)
        and top - usual <= line.upright[1] <= bottom
        and line.upright[2] - line.upright[0] <= NARROW * (right - left)
    ]
    if not any(char.isalpha() for line in beside for char in line.text):
        return lines, []
    taken = {id(line) for line in beside}
    return [line for line in lines if id(line) not in taken], _grouped(beside, (left + right) / 2)


def _grouped(beside: list[Line], middle: float) -> list[list[Line]]:
    """Lines put together to notes: lines of one margin, each right under the one before."""
    out: list[list[Line]] = []
    for first in (True, False):
        margin = [line for line in beside if (line.upright[2] <= middle) is first]
        lines = sorted(margin, key=lambda line: (line.base, line.upright[0]))
        out += [[line] for line in lines[:1]]
        for before, line in pairwise(lines):
            if line.base - before.base <= NEXT_LINE * line.size:
                out[-1].append(line)
            else:
                out.append([line])
    return sorted(out, key=lambda note: note[0].base)
