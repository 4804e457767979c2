"""White space in a line read: what the recogniser put in too much, and what it left out though the white is printed.

The recogniser sees letters, and now and then runs two words into one. The ink says where the white is: a gap as wide as those
that were read as spaces is one too.
"""

from __future__ import annotations

import re
from itertools import pairwise
from statistics import median

import numpy as np
from numpy.typing import NDArray

from compliance_rag.parse.readers.ocr_engine import Reading
from compliance_rag.parse.readers.ocr_words import known_words

# A gap this share of the usual one between words is white space; and no gap under this share of the ink's height is.
LIKE_A_SPACE = 0.7
MIN_SPACE = 0.16
# With fewer spaces read in a line their usual width is not known: a gap must be this share of the ink's height.
FEW_SPACES, SPACE = 3, 0.3
# Certainty of a space that the ink shows.
SURE = 1.0
# Characters from the middle of a gap within which the two words part: places of characters are known to half a letter.
NEAR = 1

Parts = tuple[str, tuple[float, ...], tuple[float, ...]]
"""Characters, how sure each is, and its place along the line, 0 to 1."""

_LETTERS = re.compile("[A-Za-z]+")
# What opens a part, up to its number: "PARTI" for PART I.
_NUMBERED = re.compile(
    r"(?:P(?:ART|art)|C(?:HAPTER|hapter)|A(?:RTICLE|rticle)|S(?:ECTION|ection)|S(?:CHEDULE|chedule)|A(?:NNEX|nnex)"
    r"|A(?:PPENDIX|ppendix)|T(?:ITLE|itle)|B(?:OOK|ook))(?=(?:[IVX]{1,5}|\d{1,3})(?:[\s.:]|$))"
)


def trimmed(reading: Reading) -> Parts:
    """The reading without white space at its ends and between wide characters."""
    text = reading.text
    kept = []
    for at, char in enumerate(text):
        before, after = text[:at].rstrip()[-1:], text[at:].lstrip()[:1]
        if char.isspace() and (not before or not after or text[at - 1].isspace() or (_wide(before) and _wide(after))):
            continue
        kept.append(at)
    return (
        "".join(" " if text[at].isspace() else text[at] for at in kept),
        tuple(reading.sure[at] for at in kept),
        tuple(reading.places[at] for at in kept),
    )


def _wide(char: str) -> bool:
    return "\u2e80" <= char <= "\u9fff" or "\uff00" <= char <= "\uff65"


def spaced(parts: Parts, ink: NDArray[np.bool_]) -> Parts:
    """The line with the spaces that its ink shows between narrow characters. ``ink`` is the line cut out of the page."""
    text, sure, places = parts
    gaps = _gaps(ink)
    if len(text) < 2 or not gaps:
        return parts
    height, wide = ink.shape
    centres = np.array(places) * wide
    spaces = [at for at, char in enumerate(text) if char == " "]
    widths = [width for at in spaces if (width := _gap_at(gaps, centres, text, at))]
    limit = max(MIN_SPACE * height, LIKE_A_SPACE * median(widths)) if len(widths) >= FEW_SPACES else SPACE * height
    missing = {_parting(text, centres, middle) for middle, width in gaps if width >= limit}
    numbered = _NUMBERED.match(text)
    if numbered and any(width >= MIN_SPACE * height and _between(centres, middle, numbered.end()) for middle, width in gaps):
        missing.add(numbered.end())
    missing = {at for at in missing if at and not _wide(text[at - 1]) and not _wide(text[at])}
    if not missing:
        return parts
    chars: list[str] = []
    certain: list[float] = []
    where: list[float] = []
    for at, char in enumerate(text):
        if at in missing:
            chars.append(" ")
            certain.append(SURE)
            where.append(places[at - 1])
        chars.append(char)
        certain.append(sure[at])
        where.append(places[at])
    return "".join(chars), tuple(certain), tuple(where)


def _between(centres: NDArray[np.float64], middle: float, at: int) -> bool:
    """True when a gap lies between the characters before and at ``at``."""
    return bool(centres[at - 1] < middle < centres[at])


def _gaps(ink: NDArray[np.bool_]) -> list[tuple[float, int]]:
    """Middle and width of each stretch of white columns, in pixels."""
    filled = np.nonzero(ink.any(axis=0))[0]
    return [((one + other) / 2, int(other - one - 1)) for one, other in pairwise(filled.tolist()) if other - one > 1]


def _gap_at(gaps: list[tuple[float, int]], centres: NDArray[np.float64], text: str, at: int) -> int:
    """Width of the widest gap between the characters on both sides of the space at ``at``."""
    low, high = centres[at - 1], centres[at + 1]
    return max((width for middle, width in gaps if low <= middle <= high), default=0)


def _parting(text: str, centres: NDArray[np.float64], middle: float) -> int:
    """The index before which a space is missing for the gap at ``middle``; 0 when one was read there or words cannot part."""
    at = int(np.searchsorted(centres, middle))
    if at < 1 or at >= len(text) or " " in text[max(0, at - NEAR - 1) : at + NEAR + 1]:
        return 0
    for near in sorted(range(at - NEAR, at + NEAR + 1), key=lambda place: (abs(place - at), place)):
        before, after = _LETTERS.findall(text[:near])[-1:], _LETTERS.match(text[near:])
        if before and after and text[:near].endswith(before[0]) and _known(before[0]) and _known(after[0]):
            return near
    # Words that no list knows part only where a mark of punctuation ends the first.
    return at if text[at - 1] in ",;:.)" and text[at].isalpha() else 0


def _known(word: str) -> bool:
    return len(word) > 1 and word.lower() in known_words()
