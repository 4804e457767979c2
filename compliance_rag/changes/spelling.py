"""Is a changed word a misspelling put right? Said only where it is safe: a word wrongly called misspelt hides a change."""

from __future__ import annotations

import re
from collections import Counter
from itertools import combinations

from compliance_rag.parse.readers.ocr_words import known_words
from compliance_rag.structure.values import read_number

# Shorter words turn into each other by one letter too often (form/from, lease/least).
LEAST_LETTERS = 6
# Letters left out or put in by mistake at most, where what stood before is a word of no dictionary.
LETTERS_SLIPPED = 2
_LETTERS = re.compile(r"[a-z]+\Z")
_VOWELS = frozenset("aeiou")
_INFLECTION = re.compile(r"(?:s|es|ed|d|ing|ion|ions|ation|ations|ly|ment|ments)\Z")
# Pairs one typing slip apart that mean different things in rules and contracts, by their stems: each is a change of substance.
_BOTH_WORDS = (
    ("action", "auction"), ("adverse", "averse"), ("boarder", "border"), ("bought", "brought"), ("casual", "causal"),
    ("coarse", "course"), ("collis", "collus"), ("collision", "collusion"), ("complement", "compliment"),
    ("confirm", "conform"), ("contact", "contract"), ("county", "country"), ("counties", "countries"),
    ("decent", "descent"), ("dependant", "dependent"), ("deprecat", "depreciat"), ("desert", "dessert"),
    ("exercis", "exorcis"), ("expanse", "expense"), ("farther", "further"), ("impart", "import"),
    ("ingenious", "ingenuous"), ("insert", "inset"), ("interment", "internment"), ("later", "latter"),
    ("lesser", "lessor"), ("marital", "martial"), ("mediat", "medicat"), ("morning", "mourning"),
    ("obliger", "obligor"), ("ordinance", "ordnance"), ("parish", "perish"), ("patent", "patient"),
    ("planed", "planned"), ("prescrib", "proscrib"), ("prescript", "proscript"), ("prevision", "provision"),
    ("reality", "realty"), ("sacred", "scared"), ("signed", "singed"), ("simulat", "stimulat"),
    ("stationary", "stationery"), ("statue", "statute"), ("through", "thorough"), ("united", "untied"),
    ("vacat", "vocat"), ("wander", "wonder"),
)  # fmt: skip
# Figures, negations, modal words and what names a party are never spelling.
_NEVER = frozenset("不未无非得可应须必禁或和与及零一二三四五六七八九十百千万亿两甲乙丙丁上下内外前后大小多少买卖借贷")


def misspelling(before: str, after: str, words_before: Counter[str], words_after: Counter[str]) -> bool:
    """True when ``before`` is ``after`` mistyped, stands nowhere else in either version and is no word of the English list that
    OCR reads by: two letters exchanged or a double letter missed inside the word; where ``after`` is used elsewhere in them, a
    letter left out or one vowel for another; where ``after`` is a word of the list and ``before`` no name, one or two letters
    left out or put in inside the word. Never a numeral. Chinese: one character of a word of the dictionary, where what stood
    before was none. ``words_*`` count the words of each version. It does not prove that the word before exists in no
    language."""
    one, other = before.lower(), after.lower()
    if not (_LETTERS.match(one) and _LETTERS.match(other)):
        return len(one) == len(other) and _han_slip(one, other)
    if min(len(one), len(other)) < LEAST_LETTERS or words_before[one] > 1 or words_after[one] or _both_words(one, other):
        return False
    familiar = words_after[other] > 1 or words_before[other] > 0
    if _named_otherwise(one, other) or read_number(other) is not None:
        return False
    if not (_slip(one, other, familiar) or (before == one and _letters_slipped(one, other) and other in known_words())):
        return False
    return one not in known_words()


def _named_otherwise(one: str, other: str) -> bool:
    """A chargee is not a charge: the ending that makes a person is no slip."""
    return one.endswith("ee") != other.endswith("ee")


def _letters_slipped(one: str, other: str) -> bool:
    long, short = (one, other) if len(one) > len(other) else (other, one)
    slipped = len(long) - len(short)
    if not 0 < slipped <= LETTERS_SLIPPED or one[:1] != other[:1] or one[-2:] != other[-2:]:
        return False
    inner = range(1, len(long) - 2)
    return any("".join(char for at, char in enumerate(long) if at not in out) == short for out in combinations(inner, slipped))


def _both_words(one: str, other: str) -> bool:
    stems = {_INFLECTION.sub("", one), one}, {_INFLECTION.sub("", other), other}
    return any((a in stems[0] and b in stems[1]) or (b in stems[0] and a in stems[1]) for a, b in _BOTH_WORDS)


def _slip(one: str, other: str, familiar: bool) -> bool:
    if one == other or one[0] != other[0] or one[-1] != other[-1]:
        return False
    start = next(at for at in range(len(one)) if one[at] != other[at : at + 1])
    if len(one) == len(other):
        swapped = one[start + 1] + one[start] == other[start : start + 2] and one[start + 2 :] == other[start + 2 :]
        vowel = one[start] in _VOWELS and other[start] in _VOWELS and one[start + 1 :] == other[start + 1 :]
        return swapped or (vowel and familiar)
    long, short = (one, other) if len(one) > len(other) else (other, one)
    missed = len(long) == len(short) + 1 and long[start + 1 :] == short[start:]
    return missed and start > 1 and (long[start] == long[start - 1] or familiar)


def _han_slip(one: str, other: str) -> bool:
    import rjieba

    changed = [(a, b) for a, b in zip(one, other, strict=True) if a != b]
    if len(one) < 2 or len(changed) != 1 or set(changed[0]) & _NEVER or not _all_han(one + other):
        return False
    return bool(rjieba.has_word(other)) and not rjieba.has_word(one)


def _all_han(text: str) -> bool:
    return all("\u3400" <= char <= "\u9fff" for char in text)
