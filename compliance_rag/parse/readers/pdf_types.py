"""What the PDF reader's steps hand to one another: fragments, lines and pages in the space of the displayed page."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field, replace
from math import isnan, nan
from typing import Literal

Rect = tuple[float, float, float, float]
"""``x0, y0, x1, y1`` in points, y downwards, origin top left."""
Turn = Literal[0, 90, 180, 270]
"""Which way text runs on the displayed page: 0 to the right, 90 up, 180 to the left, 270 down."""
LABEL_GAP = "\t"


@dataclass(slots=True)
class Line:
    """Characters on one baseline: a fragment as printed in one go, or a whole line of a column.

    ``edges`` holds two numbers a character, where it starts and ends along the line in displayed points (NaN for white space).
    ``box`` is tight around the ink as displayed; ``upright`` is the same line with the page turned so that the text runs to the
    right, its height that of the font. ``lead`` is the number of bold characters it opens with; ``base`` the height of its base
    line (upright); ``spaced``: white space is printed after its last character. ``column`` are the left and right edges of the
    column it stands in (upright); ``slant``: by how many degrees it falls along its way, on a page that was scanned askew.
    """

    text: str
    edges: array[float]
    box: Rect
    upright: Rect
    page: int
    turn: Turn
    size: float
    lead: int
    base: float
    spaced: bool = False
    column: tuple[float, float] = (0.0, 0.0)
    slant: float = 0.0

    @property
    def bold(self) -> bool:
        """True when every character is bold."""
        return self.lead >= len(self.text)


@dataclass(slots=True)
class Table:
    """Rows of cells; a cell is the lines in it. ``ruled``: rules part its rows; ``laid_out``: its cells hold text to be read
    one after the other."""

    rows: list[list[list[Line]]]
    page: int
    ruled: bool = False
    laid_out: bool = False


@dataclass(slots=True)
class Note:
    """A footnote: its lines."""

    lines: list[Line]


@dataclass(slots=True)
class Column:
    """Consecutive lines of one column, in reading order, and the notes in the margin ``beside`` them, from top to bottom."""

    lines: list[Line]
    beside: list[list[Line]] = field(default_factory=list)


@dataclass(slots=True)
class PageFlags:
    """What a page shows beside its text. ``hidden`` is text that is there and not seen, ``figures`` regions of ink without
    text, ``scan`` that a picture fills the page, ``font_map`` why its characters may not be those printed, ``digits`` that
    its figures may not, ``letters`` that single letters may not. ``read``: its words come from optical character recognition;
    ``held``: why a person has to look at them; ``unread``: ink that was taken for text and makes none; ``annotated``: what
    lies on the page besides its content, code and sentence, and ``aside`` the words of it that are in no clause, by code."""

    hidden: str = ""
    figures: list[Rect] = field(default_factory=list)
    scan: bool = False
    font_map: str | None = None
    digits: bool = False
    letters: bool = False
    read: bool = False
    held: str | None = None
    unread: str = ""
    annotated: list[tuple[str, str]] = field(default_factory=list)
    aside: list[tuple[str, str]] = field(default_factory=list)


@dataclass(slots=True)
class Page:
    """One page: its size as displayed, its fragments in content order, ruled lines (upright space of the main text), stamps
    that run ``across`` it at an angle, the direction of its main text, ``stamps`` printed as text on the picture of a page."""

    number: int
    width: float
    height: float
    fragments: list[Line]
    rules: list[Rect]
    flags: PageFlags
    across: list[Line] = field(default_factory=list)
    turn: Turn = 0
    stamps: list[Line] = field(default_factory=list)


def around(rects: list[Rect]) -> Rect:
    """The smallest rectangle around all of ``rects``."""
    return min(r[0] for r in rects), min(r[1] for r in rects), max(r[2] for r in rects), max(r[3] for r in rects)


def join(parts: list[Line], gap: str = " ") -> Line:
    """Fragments that stand on one line, from left to right, as one line; ``gap`` stands between the first two."""
    if len(parts) == 1:
        return parts[0]
    text = ""
    edges: array[float] = array("f")
    lead, open_lead = 0, True
    for number, part in enumerate(parts):
        between = "" if not number else gap if number == 1 else " "
        if number and between == " " and touching(parts[number - 1], part):
            between = ""
        edges.extend((nan, nan) * len(between))
        if open_lead:
            lead = len(text) + len(between) + part.lead if part.lead else lead
            open_lead = part.bold
        text += between + part.text
        edges.extend(part.edges)
    first = parts[0]
    return Line(
        text, edges, around([part.box for part in parts]), around([part.upright for part in parts]), first.page, first.turn,
        max(part.size for part in parts), lead, max(parts, key=lambda part: len(part.text)).base, parts[-1].spaced,
        slant=first.slant,
    )  # fmt: skip


def cut(line: Line, start: int, end: int) -> Line:
    """The characters from ``start`` to ``end`` of a line as a line of their own."""
    edges = line.edges[2 * start : 2 * end]
    seen = [edge for edge in edges if not isnan(edge)]
    low, high = min(seen), max(seen)
    x0, y0, x1, y1 = line.box
    left, top, right, bottom = line.upright
    box = (low, y0, high, y1) if line.turn % 180 == 0 else (x0, low, x1, high)
    first, last = {0: (low, high), 90: (-high, -low), 180: (-high, -low), 270: (low, high)}[line.turn]
    spaced = line.spaced if end >= len(line.text) else False
    return replace(
        line, text=line.text[start:end], edges=edges, box=box, upright=(max(left, first), top, min(right, last), bottom),
        lead=max(0, min(line.lead, end) - start), spaced=spaced,
    )  # fmt: skip


def wide(char: str) -> bool:
    """True for characters of scripts that set no space between words."""
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uffef"


# A fragment that stands in the white of another has no more characters; longer ones are columns.
MAX_THREADED = 12
# Fragments on one base line differ by no more than this share of the font's size.
SAME_BASE = 0.15
# Marks of punctuation that Chinese shares with other scripts: beside a wide character they bring their own white.
_SHARED = frozenset("“”‘’…—·")
# White of less than this many font sizes beside such a mark is the mark's own.
OWN_WHITE = 0.8
# Ink nearer than this share of the font's size belongs to one word.
TOUCHING = 0.12


def touching(before: Line, after: Line) -> bool:
    """True when no white space is seen between two fragments."""
    gap = after.upright[0] - before.upright[2]
    size = max(before.size, after.size)
    last, first = before.text[-1], after.text[0]
    if (wide(last) and (wide(first) or first in _SHARED)) or (wide(first) and last in _SHARED):
        return gap < OWN_WHITE * size
    return not before.spaced and gap < TOUCHING * size


def threaded(lines: list[Line]) -> list[Line]:
    """Fragments with those cut in two in whose white another one stands: programs print the words of a line first and what is
    set in another font after, with a gap left for it."""
    short = [line for line in lines if len(line.text) <= MAX_THREADED]
    out: list[Line] = []
    for line in lines:
        parts = [line]
        for inner in short if len(line.text) > 1 else ():
            if inner is line or inner.turn != line.turn or abs(inner.base - line.base) > SAME_BASE * line.size:
                continue
            if line.upright[0] < inner.upright[0] and inner.upright[2] < line.upright[2]:
                parts = [piece for part in parts for piece in _around(part, inner)]
        out += parts
    return out


def _around(line: Line, inner: Line) -> list[Line]:
    """The two parts of a line on both sides of a fragment that stands in its white; the line itself when it stands in none."""
    sign = -1.0 if line.turn in (90, 180) else 1.0
    low, high = sorted((sign * inner.edges[0], sign * inner.edges[-1]))
    slack = TOUCHING * line.size
    before, after = 0, len(line.text)
    for at in range(len(line.text)):
        first, second = line.edges[2 * at], line.edges[2 * at + 1]
        if isnan(first):
            continue
        start, end = sorted((sign * first, sign * second))
        if end <= low + slack:
            before = at + 1
        elif start >= high - slack:
            after = at
            break
        else:
            return [line]
    return [cut(line, 0, before), cut(line, after, len(line.text))] if before > 0 and after < len(line.text) else [line]
