"""How well a page was read: how sure the recogniser is of its characters, which words are known, how fine the picture is."""

from __future__ import annotations

import re
from dataclasses import dataclass

from compliance_rag.parse.readers.ocr_page import usual_size
from compliance_rag.parse.readers.ocr_types import ReadLine, ReadPage
from compliance_rag.parse.readers.ocr_words import known_words

# A page is held for a person under any of these. Measured on pages of known text (eval.bench_ocr): wherever more than one
# character in a hundred was wrong, the mean certainty was under 0.98 or one character in sixteen was doubtful.
MIN_CONFIDENCE = 0.983
MAX_DOUBTFUL = 0.05
# A character of which the recogniser is less sure than this is doubtful.
DOUBTFUL = 0.9
# Names and codes are no words of a list: clean contracts have 0.92 to 0.98 known words; a page of misread ones far fewer.
MIN_KNOWN = 0.85
# A page with fewer words of three letters or more says nothing by the share of known ones.
MIN_WORDS = 20
# A page with fewer characters is a cover or a separator sheet: a single odd character would hold it, so only the mean counts.
FEW_CHARACTERS = 60
# Scans are made at 150 dots an inch and more. At 90, one Chinese character in 200 was misread with full certainty: below this
# the certainty means nothing. It is taken from the picture's size on the page, for pages no larger than A3 (a page larger than
# that was made by a program that gave a picture one point a pixel).
MIN_DOTS = 100.0
MAX_PAPER = 1200.0
# The same for letters, whatever the size of the page: type of fewer pixels than this.
MIN_TYPE_PIXELS = 12.0
# The same for the edges of strokes, in type sizes: pages of known text have 0.07 to 0.11, real scans up to 0.15. At 0.21 (a
# blur of 0.08 type sizes) nothing was misread; at 0.25 stops were lost and `1,250` became `1.250`, with full certainty.
MAX_EDGE = 0.22
# A line of which the recogniser is less sure than this is no text: a seal, a signature, the edge of the sheet.
MIN_LINE = 0.5
# Ink covers at least this share of a page on which something is printed.
MIN_INK = 0.003

# A page is English when at least this share of its longer words are among the commonest: every tenth in rules, one or none in
# other languages. A page of another language is judged by its characters alone.
MIN_ENGLISH = 0.04
_ENGLISH = frozenset(
    ("the", "and", "for", "that", "this", "with", "shall", "any", "not", "are", "may", "from", "which", "such")
)
_WORD = re.compile("[A-Za-z]{3,}")


@dataclass(frozen=True, slots=True)
class Quality:
    """``confidence``: mean over all characters, ``doubtful`` the share of doubtful ones, ``known`` the share of English words
    that are in the list (1 where there are too few to tell), ``type_pixels`` the height of the type in the picture,
    ``edge`` the width of the edges of its strokes in type sizes."""

    characters: int
    confidence: float
    doubtful: float
    known: float
    type_pixels: float
    edge: float


def quality_of(page: ReadPage) -> Quality:
    """The quality of a page, rounded so that the last bits of a processor's sums decide nothing."""
    sure = [value for line in page.lines for value, char in zip(line.sure, line.text, strict=True) if char != " "]
    words = [word.lower() for line in page.lines for word in _WORD.findall(line.text)]
    english = len(words) >= MIN_WORDS and sum(word in _ENGLISH for word in words) >= MIN_ENGLISH * len(words)
    known = sum(word in known_words() for word in words) / len(words) if english else 1.0
    return Quality(
        len(sure),
        round(sum(sure) / len(sure), 3) if sure else 0.0,
        round(sum(value < DOUBTFUL for value in sure) / len(sure), 3) if sure else 0.0,
        round(known, 3),
        round(usual_size(page) * page.dots / 72, 1),
        round(page.edge / usual_size(page), 3) if page.lines else 0.0,
    )


def why_held(page: ReadPage) -> str | None:
    """Why a person has to look at the page, None when it was read well. A page that passes may still hold a misread character:
    it says that fewer than one in a hundred is to be expected."""
    found = quality_of(page)
    if not found.characters:
        return "there is ink on it and no word was read" if page.ink >= MIN_INK else None
    if found.confidence < MIN_CONFIDENCE:
        return f"its characters were read with a certainty of {found.confidence:.3f}, under {MIN_CONFIDENCE}"
    if found.doubtful > MAX_DOUBTFUL and found.characters >= FEW_CHARACTERS:
        return f"{found.doubtful:.1%} of its characters are doubtful, over {MAX_DOUBTFUL:.0%}"
    if page.crossed:
        return f"a seal or a drawing runs through {page.crossed} of its lines, whose words it may have changed"
    if found.edge > MAX_EDGE:
        return f"it is blurred: the edges of its strokes are {found.edge:.2f} of the type size wide, over {MAX_EDGE}"
    if found.known < MIN_KNOWN:
        return f"{found.known:.0%} of its words are known, under {MIN_KNOWN:.0%}"
    if 0 < page.dots < MIN_DOTS and max(page.width, page.height) <= MAX_PAPER:
        return f"it was scanned at {page.dots:.0f} dots an inch, under {MIN_DOTS:.0f}"
    if 0 < found.type_pixels < MIN_TYPE_PIXELS:
        return f"its type is {found.type_pixels:.0f} pixels high, under {MIN_TYPE_PIXELS:.0f}"
    return None


def is_noise(line: ReadLine) -> bool:
    """True for a line of which the recogniser is so unsure that it is no text."""
    return sum(line.sure) < MIN_LINE * len(line.sure)
