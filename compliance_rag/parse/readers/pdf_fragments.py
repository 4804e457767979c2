"""Characters to fragments: what stands side by side on one baseline, without a gap as wide as a column's."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from compliance_rag.parse.readers.pdf_glyphs import BROKEN_WORD, Glyphs
from compliance_rag.parse.readers.pdf_place import Placer, upright
from compliance_rag.parse.readers.pdf_raised import mark_raised
from compliance_rag.parse.readers.pdf_types import Line, Turn, threaded

# Characters belong to one line when their fonts' heights overlap by half of the smaller.
LINE_OVERLAP = 0.5
# A gap wider than this many font sizes may be a column's: the fragment ends there.
WIDE_GAP = 1.2
# A step back by more than this many font sizes begins another fragment.
STEP_BACK = 0.6
# Characters that stand side by side leave less than this many font sizes between them.
ADJOINS = 0.25
# What the library gives as a broken word is printed as a hyphen.
_HYPHEN = "-"


def fragments(glyphs: Glyphs, hidden: NDArray[np.bool_], placer: Placer, page: int) -> tuple[list[Line], list[Line]]:
    """The page's fragments in content order, and those that run across the page at an angle (stamps)."""
    turns = np.array([-1 if item.turn is None else placer.turn(item.turn) for item in glyphs.printed] + [0])[glyphs.owner]
    bold = np.array([item.bold for item in glyphs.printed] + [False])[glyphs.owner]
    straight: list[tuple[int, Line]] = []
    across: list[tuple[int, Line]] = []
    inked = ~glyphs.blank & ~hidden & (glyphs.chars != "\0")
    for turn in sorted(set(np.unique(turns[inked]).tolist())):
        chosen: Turn = turn if turn in (0, 90, 180, 270) else 0
        found = _of_turn(glyphs, inked & (turns == turn), chosen, bold, page, placer, skewed=turn < 0)
        (across if turn < 0 else straight).extend(found)
    straight.sort(key=lambda item: item[0])
    return threaded([line for _, line in straight]), [line for _, line in sorted(across, key=lambda item: item[0])]


def _of_turn(
    glyphs: Glyphs, inked: NDArray[np.bool_], turn: Turn, bold: NDArray[np.bool_], page: int, placer: Placer, *, skewed: bool
) -> list[tuple[int, Line]]:
    at = np.nonzero(inked)[0]
    if not len(at):
        return []
    loose = upright(glyphs.loose[at], turn)
    size = np.maximum(loose[:, 3] - loose[:, 1], 0.1)
    ends = _breaks(loose, size) if not skewed else np.zeros(len(at) - 1, np.bool_)
    order = _forward(loose, size, ends)
    at, loose, size = at[order], loose[order], size[order]
    tight = upright(glyphs.tight[at], turn)
    points = np.array([item.size for item in glyphs.printed] + [0.0])[glyphs.owner[at]]
    points = np.where(points > 0.1, points, size)
    origins = placer.displayed(np.array([(*item.origin, *item.origin) for item in glyphs.printed] or [(0.0,) * 4]))
    bases = upright(origins, turn)[:, 1][glyphs.owner[at]].tolist()
    starts = np.concatenate(([0], np.nonzero(ends)[0] + 1))
    shown = np.column_stack((
        np.minimum.reduceat(glyphs.tight[at][:, :2], starts), np.maximum.reduceat(glyphs.tight[at][:, 2:], starts),
        np.minimum.reduceat(tight[:, 0], starts), np.maximum.reduceat(tight[:, 2], starts),
    )).tolist()  # fmt: skip
    printed = np.concatenate((glyphs.blank & ~glyphs.generated, [False]))
    sizes, tops, bottoms = points.tolist(), loose[:, 1].tolist(), loose[:, 3].tolist()
    lines: list[tuple[int, int, float, int]] = []
    chars = glyphs.chars[at]
    for first, last in pairwise([*starts.tolist(), len(at)]):
        # The line's own height is that of its usual characters: a raised figure lifts nothing.
        height = sorted(sizes[first:last])[(last - first) // 2]
        usual = sizes.index(height, first, last)
        mark_raised(chars, sizes, bases, usual, first, last)
        lines.append((first, last, height, usual))
    text = _Text.of(glyphs, at, chars, ends, bold, vertical=turn % 180 == 90)
    out = []
    for number, (first, last, height, usual) in enumerate(lines):
        x0, y0, x1, y1, left, right = shown[number]
        words, edges, lead = text.cut(first, last)
        spaced = bool(printed[at[last - 1] + 1])
        rect = (left, tops[usual], right, bottoms[usual])
        out.append((int(at[first]), Line(words, edges, (x0, y0, x1, y1), rect, page, turn, height, lead, bases[usual], spaced)))
    return out


@dataclass(slots=True)
class _Text:
    """The characters of a page in one direction, with one space where white space stands inside a fragment. ``shift`` is, for
    each character, how many spaces stand before it; ``light`` the indexes of characters that are not bold."""

    text: str
    rows: NDArray[np.float32]
    shift: list[int]
    light: list[int]

    @classmethod
    def of(
        cls, glyphs: Glyphs, at: NDArray[np.int64], chars: NDArray[np.str_], ends: NDArray[np.bool_],
        bold: NDArray[np.bool_], *, vertical: bool,
    ) -> _Text:  # fmt: skip
        blanks = np.cumsum(np.concatenate(([0], glyphs.blank & (glyphs.chars != "\r") & (glyphs.chars != "\n"))))
        spaces = (np.abs(blanks[at[1:]] - blanks[at[:-1]]) > 0) & ~ends
        # White that the library sees between wide characters is how the line is set, unless the file prints a space.
        real = np.cumsum(np.concatenate(([0], glyphs.blank & ~glyphs.generated)))
        codes = chars.view(np.uint32)
        spaces &= (np.abs(real[at[1:]] - real[at[:-1]]) > 0) | ~_set_close(codes)
        gaps = np.nonzero(spaces)[0] + 1
        along = glyphs.tight[at][:, (1, 3) if vertical else (0, 2)].astype(np.float32)
        chars = np.insert(chars, gaps, " ")
        shift = np.concatenate(([0], np.cumsum(spaces)))
        return cls(
            "".join(chars.tolist()), np.insert(along, gaps, np.nan, axis=0), shift.tolist(), np.nonzero(~bold[at])[0].tolist()
        )

    def cut(self, first: int, last: int) -> tuple[str, array[float], int]:
        """Text, edges and bold lead of the characters from ``first`` to ``last``."""
        start, end = first + self.shift[first], last + self.shift[last - 1]
        text = self.text[start:end]
        light = bisect_left(self.light, first)
        lead = len(text)
        if light < len(self.light) and self.light[light] < last:
            lead = self.light[light] + self.shift[self.light[light]] - start
        if BROKEN_WORD in text[:-1]:
            # Inside a line a "broken word" is a hyphen like any other.
            text = text[:-1].replace(BROKEN_WORD, _HYPHEN) + text[-1]
        edges = array("f")
        edges.frombytes(self.rows[start:end].tobytes())
        return text, edges, lead


def _set_close(codes: NDArray[np.uint32]) -> NDArray[np.bool_]:
    """For each character but the last whether no white space is set between it and the next: both are wide, or one is a wide
    mark of punctuation, which brings its own."""
    marks = ((codes >= 0x3000) & (codes <= 0x303F)) | ((codes >= 0xFF00) & (codes <= 0xFF65))
    wide = marks | ((codes >= 0x2E80) & (codes <= 0x9FFF))
    return np.asarray((wide[1:] & wide[:-1]) | marks[1:] | marks[:-1])


def _breaks(loose: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.bool_]:
    """For each character but the last whether a fragment ends after it."""
    smaller, larger = np.minimum(size[1:], size[:-1]), np.maximum(size[1:], size[:-1])
    overlap = np.minimum(loose[1:, 3], loose[:-1, 3]) - np.maximum(loose[1:, 1], loose[:-1, 1])
    gap = loose[1:, 0] - loose[:-1, 2]
    back = (loose[1:, 0] - loose[:-1, 0] < -STEP_BACK * larger) & ~_before(loose, larger)
    return np.asarray((overlap < LINE_OVERLAP * smaller) | (gap > WIDE_GAP * larger) | back)


def _before(loose: NDArray[np.float64], size: NDArray[np.float64]) -> NDArray[np.bool_]:
    """For each character but the last whether the next stands right before it: on a page turned over, the library gives some
    lines from their end."""
    return np.asarray(np.abs(loose[1:, 2] - loose[:-1, 0]) < ADJOINS * size)


def _forward(loose: NDArray[np.float64], size: NDArray[np.float64], ends: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The order of the characters with those fragments turned round that are given from their end."""
    order = np.arange(len(loose))
    back = _before(loose, np.maximum(size[1:], size[:-1])) & (loose[1:, 0] < loose[:-1, 0]) & ~ends
    if not back.any():
        return order
    starts = [0, *(np.nonzero(ends)[0] + 1).tolist(), len(loose)]
    for first, last in pairwise(starts):
        if last - first > 1 and 2 * int(back[first : last - 1].sum()) > last - first - 1:
            order[first:last] = order[first:last][::-1]
    return order
