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
# Fewer unknown words are enough when a swap repairs nearly all: on 2,500 pages of real texts none, once spelling is left out.
FEW_UNKNOWN, ALL_REPAIRED = 4, 0.9
# With as many it is also asked whether one letter is written for two, which a swap of both does not repair.
MANY_UNKNOWN = 12
# Letters that two spellings of one language exchange: organise, organize.
_SPELLINGS = frozenset({("s", "z")})
# Words with a capital inside, "SuppIier", of which one small letter in its place makes English; brands are one or two a page.
MIN_INNER = 3
# Capitalised unknown words, and the share of them that the exchange of two capitals makes English; of names, hardly ever.
MIN_CAPITAL, CAPITALS_REPAIRED = 3, 0.8
# Words looked at on a page; a page of text has some hundred different ones, and each is tried with every swap.
MAX_TRIED = 60
# Words in which letters of two alphabets stand side by side: one or two are formulas (a unit, a symbol).
MIN_MIXED = 4
_LOWER = re.compile(r"(?<![^\W\d_])(?<!['’.@/-])[a-z]{3,30}(?![^\W\d_]|['’@/]|\.[a-z])")
_MIXED = re.compile(r"[A-Za-z][\u0370-\u03ff\u0400-\u04ff]|[\u0370-\u03ff\u0400-\u04ff][A-Za-z]")
_WORD = re.compile(r"[^\W\d_]+")
_INNER = re.compile(r"(?<![\w'’.@/-])[A-Za-z]{1,20}[a-z][A-Z][A-Za-z]{0,20}(?![\w'’@/])")
_CAMEL = re.compile("[a-z][A-Z]")
_CAPITAL = re.compile(r"(?<![\w'’.@/-])[A-Z][a-z]{3,30}(?![\w'’@/])")


def suspect_letters(text: str) -> str | None:
    """Why single letters of a page may not be those printed on it, None when nothing speaks against them."""
    mixed = sum(_MIXED.search(word) is not None for word in _WORD.findall(text)) if _MIXED.search(text) else 0
    if mixed >= MIN_MIXED:
        return f"{mixed} words are made of letters of two alphabets"
    return _small(unknown_words(text)) or _inner(_INNER.findall(text) if _CAMEL.search(text) else ()) or _capitals(_names(text))


def _small(unknown: set[str]) -> str | None:
    """What is said of words in small letters."""
    if len(unknown) < FEW_UNKNOWN:
        return None
    tried = sorted(unknown)[:MAX_TRIED]
    pair, repaired = max(((pair, _repaired(tried, *pair)) for pair in _pairs(tried)), key=lambda item: (item[1], item[0]))
    enough = REPAIRED if len(unknown) >= MIN_UNKNOWN else ALL_REPAIRED
    if len(unknown) >= MANY_UNKNOWN and repaired < enough * len(tried):
        pair, repaired = _one_for_two(tried)
    if repaired < enough * len(tried) or (len(unknown) < MANY_UNKNOWN and pair in _SPELLINGS):
        return None
    return f"{repaired} of {len(tried)} unknown words are English once {pair[0]} and {pair[1]} change places"


def _one_for_two(words: list[str]) -> tuple[tuple[str, str], int]:
    """The letters of which one is written for both, and how many of the words are English with the other somewhere in it."""
    made: Counter[tuple[str, str]] = Counter()
    for word in words:
        made.update({
            (letter, word[at])
            for at in range(len(word))
            for letter in ascii_lowercase
            if f"{word[:at]}{letter}{word[at + 1 :]}" in known_words()
        })  # fmt: skip
    return max(made.items(), key=lambda item: (item[1], item[0]), default=(("a", "b"), 0))


def _inner(found: Iterable[str]) -> str | None:
    """What is said of capitals inside words."""
    made: Counter[tuple[str, str]] = Counter()
    for word in sorted(set(found))[:MAX_TRIED]:
        for capital in sorted({char for char in word[1:] if char.isupper()}):
            for letter in ascii_lowercase:
                whole = word[:1].lower() + word[1:].replace(capital, letter)
                made[capital, letter] += letter != capital.lower() and whole in known_words()
    best = max(made.items(), key=lambda item: (item[1], item[0]), default=None)
    if best is None or best[1] < MIN_INNER:
        return None
    return f"{best[1]} words are English once {best[0][1]} stands for the {best[0][0]} inside them"


def _capitals(unknown: set[str]) -> str | None:
    """What is said of words that begin with a capital."""
    if len(unknown) < MIN_CAPITAL:
        return None
    tried = sorted(unknown)[:MAX_TRIED]
    made: Counter[tuple[str, str]] = Counter()
    for word in tried:
        for other in ascii_lowercase:
            first = word[0].lower()
            made[min(first, other), max(first, other)] += other != first and other + word[1:] in known_words()
    (one, other), repaired = max(made.items(), key=lambda item: (item[1], item[0]))
    if repaired < CAPITALS_REPAIRED * len(tried):
        return None
    return f"{repaired} of {len(tried)} unknown words are English once {one.upper()} and {other.upper()} change places"


def _names(text: str) -> set[str]:
    """Words with a capital that are in no English list."""
    return {word for word in set(_CAPITAL.findall(text)) if word.lower() not in known_words()}


def unknown_words(text: str) -> set[str]:
    """The words in small letters that are in no English list; addresses and parts of words left out."""
    return set(_LOWER.findall(text)) - known_words()


def confirmed(layer: str, read: Iterable[str]) -> bool:
    """Whether the unknown words of a page's text were read in its picture too: then they are printed, and the map is right."""
    picture = "\n".join(read)
    kinds = (unknown_words(layer), set(_INNER.findall(layer)), _names(layer))
    seen = (set(_LOWER.findall(picture)), set(_INNER.findall(picture)), set(_CAPITAL.findall(picture)))
    printed = all(2 * len(words & others) >= len(words) for words, others in zip(kinds, seen, strict=True))
    return not _MIXED.search(layer) and printed


def _pairs(words: list[str]) -> list[tuple[str, str]]:
    """The pairs of letters whose swap changes most words: one of the two is in nearly each of them. At least one pair."""
    count = Counter(letter for word in words for letter in set(word))
    pairs = list(combinations(ascii_lowercase, 2))
    return [pair for pair in pairs if count[pair[0]] + count[pair[1]] >= REPAIRED * len(words)] or pairs[:1]


def _repaired(words: list[str], one: str, other: str) -> int:
    known, swap = known_words(), str.maketrans(one + other, other + one)
    return sum(word.translate(swap) in known for word in words)
