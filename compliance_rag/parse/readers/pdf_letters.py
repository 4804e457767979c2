"""Letters that are not those printed: a font map that swaps two of them, or gives letters of another alphabet that look alike.

A map that swaps m and n leaves most of a page's statistics as they are, and "shall not" becomes "shall mot". Its words are no
English, and one swap makes English of them: misspelt names and terms of a trade do neither.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from string import ascii_lowercase

from compliance_rag.parse.readers.ocr_words import known_words

# Fewer different unknown words than this say nothing. Of real contracts and statutes the largest page has 30.
MIN_UNKNOWN = 6
# One swap of two letters makes English words of this share of the unknown ones; of names and terms of a trade, of a tenth.
REPAIRED = 0.6
# Words looked at on a page; a page of text has some hundred different ones, and each is tried with every swap.
MAX_TRIED = 60
# Words in which letters of two alphabets stand side by side: one or two are formulas (a unit, a symbol).
MIN_MIXED = 4
_LOWER = re.compile(r"(?<![^\W\d_])(?<!['’.@/-])[a-z]{3,30}(?![^\W\d_]|['’@/]|\.[a-z])")
_MIXED = re.compile(r"[A-Za-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][A-Za-z]")
_WORD = re.compile(r"[^\W\d_]+")


def suspect_letters(text: str) -> str | None:
    """Why single letters of a page may not be those printed on it, None when nothing speaks against them."""
    mixed = sum(_MIXED.search(word) is not None for word in _WORD.findall(text)) if _MIXED.search(text) else 0
    if mixed >= MIN_MIXED:
        return f"{mixed} words are made of letters of two alphabets"
    unknown = unknown_words(text)
    if len(unknown) < MIN_UNKNOWN:
        return None
    tried = sorted(unknown)[:MAX_TRIED]
    pair, repaired = max(((pair, _repaired(tried, *pair)) for pair in _pairs(tried)), key=lambda item: (item[1], item[0]))
    if repaired < REPAIRED * len(tried):
        return None
    return f"{repaired} of {len(tried)} unknown words are English once {pair[0]} and {pair[1]} change places"


def unknown_words(text: str) -> set[str]:
    """The words in small letters that are in no English list; addresses and parts of words left out."""
    return set(_LOWER.findall(text)) - known_words()


def confirmed(layer: str, read: Iterable[str]) -> bool:
    """Whether the unknown words of a page's text were read in its picture too: then they are printed, and the map is right."""
    unknown, seen = unknown_words(layer), set(_LOWER.findall("\n".join(read)))
    return not _MIXED.search(layer) and 2 * len(unknown & seen) >= len(unknown)


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    """The pairs of letters whose swap changes most words: one of the two is in nearly each of them."""
    count = Counter(letter for word in words for letter in set(word))
    return [
        (one, other) for one, other in combinations(ascii_lowercase, 2) if count[one] + count[other] >= REPAIRED * len(words)
    ]


def _repaired(words: list[str], one: str, other: str) -> int:
    known, swap = known_words(), str.maketrans(one + other, other + one)
    return sum(word.translate(swap) in known for word in words)
