"""What a page shows beside its text: pictures that are scans, figures without text, ruled lines, fonts that may lie."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from compliance_rag.parse.readers.ocr_words import known_words
from compliance_rag.parse.readers.pdf_objects import IMAGE, PATH, TEXT, Drawn
from compliance_rag.parse.readers.pdf_place import Placer, upright
from compliance_rag.parse.readers.pdf_types import Line, Rect, Turn

# A picture over this share of the page is the page itself, scanned.
SCAN_SHARE = 0.5
# Fewer visible characters than this beside such a picture are a stamp or a page number, not the page's text.
MAX_STAMP_CHARS = 200
# A figure is larger than this, in points, both ways: smaller ink is a logo, a bullet or a rule.
MIN_FIGURE = 72.0
# Ink nearer than this belongs to one figure.
FIGURE_GAP = 12.0
# A region with at least this many characters in it is text on a ground, not a figure.
FIGURE_CHARS = 12
# A page with more separate inks than this is a drawing; they are taken as one.
MAX_INKS = 400
# A rule is thinner than this and longer than that, in points.
RULE_THICK, RULE_LONG = 2.5, 24.0
# The side of a cell of one line is as high as this; the sides of a box to tick are not.
RULE_HIGH = 14.0

_PRIVATE = re.compile("[\ue000-\uf8ff\ufffd\x00-\x08\x0e-\x1f]")
# Marks that fonts of symbols put in the private area, and readers know: bullets, boxes, ticks.
_SYMBOLS = re.compile("[\uf0a7\uf0b7\uf0a8\uf06f\uf0d8\uf0fc\uf076\uf0fe\uf071]")
# Above this share of characters without a meaning, the font's map is broken.
MAX_UNKNOWN_SHARE = 0.05
# A page needs this many letters before their order says anything.
MIN_LETTERS = 200
# English, and every language written in Latin letters, has at least this share of vowels; a shifted map does not.
MIN_VOWELS, MAX_VOWELS = 0.22, 0.60
# The letters j, q, x and z together: 1 % in English, 4 % at most in any language of Europe.
MAX_RARE = 0.055
# On a page with fewer, so many words of four letters or more say something by the share of them that is in an English list:
# other languages share names and Latin words with English, or have letters of their own; a shifted map does neither.
MIN_WORDS, MIN_KNOWN = 8, 0.05
_LONG = re.compile("(?<![A-Za-z])[A-Za-z]{4,30}(?![A-Za-z])")
_FOREIGN = re.compile("[\u00c0-\u024f\u0370-\u1fff\u2e80-\ud7ff]")
_RARE = re.compile("[jqxzJQXZ]")
_LATIN = re.compile("[A-Za-z]")
_SWITCH = re.compile("[a-z][A-Z]")
_VOWEL = re.compile("[AEIOUYaeiouy]")


@dataclass(slots=True)
class Ink:
    """A path or picture and where it is displayed."""

    item: Drawn
    rect: Rect


def inks_of(drawn: list[Drawn], placer: Placer) -> list[Ink]:
    """Every path, picture and shading of a page."""
    items = [item for item in drawn if item.kind != TEXT]
    if not items:
        return []
    boxes = placer.displayed(np.array([item.bounds for item in items])).tolist()
    return [Ink(item, (x0, y0, x1, y1)) for item, (x0, y0, x1, y1) in zip(items, boxes, strict=True)]


def rules(inks: list[Ink], turn: Turn) -> list[Rect]:
    """Ruled lines, horizontal and vertical, in the space of the main text; a stroked rectangle gives its four sides."""
    paths = [ink for ink in inks if ink.item.kind == PATH]
    if not paths:
        return []
    out: list[Rect] = []
    boxes = upright(np.array([ink.rect for ink in paths]), turn).tolist()
    for ink, (x0, y0, x1, y1) in zip(paths, boxes, strict=True):
        wide, high = x1 - x0, y1 - y0
        if max(wide, high) < RULE_LONG and not (wide < RULE_THICK and high >= RULE_HIGH):
            continue
        if min(wide, high) < RULE_THICK:
            out.append((x0, y0, x1, y1))
        elif ink.item.stroked:
            out += [(x0, y0, x1, y0), (x0, y1, x1, y1), (x0, y0, x0, y1), (x1, y0, x1, y1)]
    return out


def is_scan(inks: list[Ink], placer: Placer, visible: int) -> bool:
    """True when pictures fill the page and the ``visible`` characters beside them are no more than a stamp, or when there is
    ink and no character at all: text may be drawn as outlines."""
    if not visible and any(_is_ink(ink.item) and _area(_clip(ink.rect, placer)) > 0 for ink in inks):
        return True
    page = max(1.0, placer.width * placer.height)
    covered = sum(_area(_clip(ink.rect, placer)) for ink in inks if ink.item.kind == IMAGE)
    return covered >= SCAN_SHARE * page and visible < MAX_STAMP_CHARS


def figures(inks: list[Ink], placer: Placer, lines: list[Line]) -> list[Rect]:
    """Regions of ink in which no text stands, as displayed, largest first."""
    page = placer.width * placer.height
    rects = [_clip(ink.rect, placer) for ink in inks if _is_ink(ink.item)]
    rects = [rect for rect in rects if rect[2] >= rect[0] and rect[3] >= rect[1] and _area(rect) < 0.9 * page]
    large = [rect for rect in _merged(rects) if min(rect[2] - rect[0], rect[3] - rect[1]) >= MIN_FIGURE]
    if not large:
        return []
    boxes = np.array([line.box for line in lines]).reshape(-1, 4)
    counts = np.array([len(line.text) for line in lines], np.int64)
    x, y = (boxes[:, 0] + boxes[:, 2]) / 2, (boxes[:, 1] + boxes[:, 3]) / 2
    found = []
    for rect in large:
        inside = (x >= rect[0]) & (x <= rect[2]) & (y >= rect[1]) & (y <= rect[3])
        if int(counts[inside].sum()) < FIGURE_CHARS:
            found.append(rect)
    return sorted(found, key=lambda rect: (-_area(rect), rect))


def _is_ink(item: Drawn) -> bool:
    if item.kind == IMAGE:
        return True
    white = item.colour is not None and min(item.colour[:3]) >= 250
    return item.kind == PATH and (item.stroked or not white)


def _merged(rects: list[Rect]) -> list[Rect]:
    """Rectangles that touch, put together until none do."""
    if len(rects) > MAX_INKS:
        return [(min(r[0] for r in rects), min(r[1] for r in rects), max(r[2] for r in rects), max(r[3] for r in rects))]
    out: list[Rect] = []
    for rect in rects:
        at = 0
        while at < len(out):
            if _near(rect, out[at]):
                other = out.pop(at)
                rect = min(rect[0], other[0]), min(rect[1], other[1]), max(rect[2], other[2]), max(rect[3], other[3])
                at = 0
            else:
                at += 1
        out.append(rect)
    return out


def _near(a: Rect, b: Rect) -> bool:
    return a[0] < b[2] + FIGURE_GAP and b[0] < a[2] + FIGURE_GAP and a[1] < b[3] + FIGURE_GAP and b[1] < a[3] + FIGURE_GAP


def _clip(rect: Rect, placer: Placer) -> Rect:
    return max(0.0, rect[0]), max(0.0, rect[1]), min(placer.width, rect[2]), min(placer.height, rect[3])


def _area(rect: Rect) -> float:
    return max(0.0, rect[2] - rect[0]) * max(0.0, rect[3] - rect[1])


def suspect_font_map(text: str) -> str | None:
    """Why the characters of a page may not be those printed on it, None when nothing speaks against them. It proves nothing
    about single characters; a page that is suspected has to be compared with OCR."""
    visible = "".join(text.split())
    if not visible:
        return None
    unknown = len(_PRIVATE.findall(_SYMBOLS.sub("", visible)))
    if unknown > MAX_UNKNOWN_SHARE * len(visible):
        return f"{unknown} of {len(visible)} characters have no meaning"
    letters = _LATIN.findall(visible)
    words = [word.lower() for word in _LONG.findall(text)] if len(letters) < MIN_LETTERS else []
    if len(words) >= MIN_WORDS and not _FOREIGN.search(visible):
        known = sum(word in known_words() for word in words) / len(words)
        if known < MIN_KNOWN:
            return f"{known:.0%} of the words are English, less than in other languages"
    if len(letters) < MIN_LETTERS or 2 * len(letters) < len(visible):
        return None
    share = len(_VOWEL.findall(visible)) / len(letters)
    if not MIN_VOWELS <= share <= MAX_VOWELS:
        return f"{share:.0%} of the letters are vowels"
    rare = len(_RARE.findall(visible)) / len(letters)
    if rare > MAX_RARE:
        return f"{rare:.0%} of the letters are j, q, x or z"
    if len(_SWITCH.findall(visible)) > 0.25 * len(letters):
        return "capitals stand in the middle of words"
    return None
