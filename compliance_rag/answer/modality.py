"""Negation and modal words in both languages: what a text obliges, forbids, permits, and which words it denies."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from compliance_rag.answer.terms import is_han, stem, word_list

Modal = Literal["obligation", "prohibition", "permission", "recommendation", "no_obligation"]

# A negation governs the next content word ("shall not disclose", "not liable"), adverbs passed over ("not unreasonably"):
# with two, "does not apply to brochures" denied the brochures. In Chinese it governs the rest of its phrase.
SCOPE_WORDS = 1

# Bounds and set phrases that hold a negative word and deny nothing; taken out before anything is read.
_NEUTRAL = re.compile(
    r"\b(?:no|not)\s+(?:more|less|fewer|later|earlier|longer|greater|lower|sooner)\s+than\b|\bnot\s+(?:to\s+)?exceed(?:ing)?\b"
    r"|\bnot\s+only\b|\bwhether\s+or\s+not\b|\bnot\s+limited\s+to\b|\bno\.\s*\d|\bas\s+soon\s+as\s+may\s+be\b"
    r"|\bmay\s+(?=\d{1,2}\b|\d{4}\b)"
    r"|不超过|不得超过|不少于|不得少于|不低于|不得低于|不高于|不得高于|不晚于|不迟于"
    r"|不得晚于|不得迟于|不小于|不大于|不但|不仅|不论|不管|无论|不动产|不可抗力|不正当竞争"
    r"|不同|不断|未来|未成年人?|无形资产?|无线|无限责任|无人机|非法|非营利|非现场|非银行|不良|不特定|不定期|无偿|除非|不限于",
    re.I,
)
_MODALS_EN: tuple[tuple[Modal, re.Pattern[str]], ...] = (
    (
        "no_obligation",
        re.compile(
            r"\b(?:need\s+not|(?:is|are|be)\s+not\s+(?:required|obliged|obligated)|does\s+not\s+(?:have"
            r"|need)\s+to|not\s+mandatory)\b",
            re.I,
        ),
    ),
    (
        "prohibition",
        re.compile(
            r"\b(?:shall|must|may|will|can|should|would)\s*(?:not|never)\b|\bcannot\b|\b(?:is"
            r"|are|be)\s+(?:prohibited|forbidden|not\s+(?:allowed|permitted|entitled))\b|\b(?:may"
            r"|shall|can|must)\s+(?:only\s+)?(?:no|neither)\b|\bno\s+\w+(?:\s+\w+){0,3}\s+(?:may"
            r"|shall|must|will)\b|\b(?:shall|must|may)\s+under\s+no\b|\bunder\s+no\s+circumstances?\b"
            r"|\bprohibit(?:s|ed)?\b|\bwon't\b|\bcan't\b|\bmustn't\b",
            re.I,
        ),
    ),
    (
        "obligation",
        re.compile(
            r"\b(?:shall|must|(?:is|are|be)\s+(?:required|obliged|obligated)\s+to|will|has\s+to"
            r"|have\s+to|mandatory|(?:is|are)\s+to)\b",
            re.I,
        ),
    ),
    ("recommendation", re.compile(r"\b(?:should|recommended|ought\s+to)\b", re.I)),
    (
        "permission",
        re.compile(
            r"\b(?:may|can|(?:is|are|be)\s+(?:entitled|permitted|allowed|authori[sz]ed)\s+to"
            r"|(?:has|have)\s+the\s+right\s+to|at\s+(?:its|their|his|her)\s+(?:sole\s+)?discretion)\b",
            re.I,
        ),
    ),
)
_MODALS_ZH: tuple[tuple[Modal, re.Pattern[str]], ...] = (
    ("no_obligation", re.compile(r"不必|无须|无需|可以不|毋须|不需要")),
    ("prohibition", re.compile(r"不得|禁止|严禁|不可以|不准|不许|不应当?|不能")),
    ("obligation", re.compile(r"应当|必须|须|应(?!急|用|对|收|付|税|聘|届)|有义务|负有.{0,6}义务|有责任")),
    ("recommendation", re.compile(r"建议|鼓励|宜(?=[采在于])")),
    ("permission", re.compile(r"可以|有权|允许|得以|可(?=[以由在向根依])")),
)
_NOT_WORDS = "not no never neither nor none nothing without cannot nobody fail fails failed"
_NOT_EN = frozenset(_NOT_WORDS.split())
_FILLER_WORDS = (
    "be been being is are was were have has had do does did the a an any to of for in on by it its such so at with as that this"
    " or and if from under shall must may will can all only other than make made take taken"
)
_FILLER = frozenset(_FILLER_WORDS.split())
_NOT_ZH = re.compile(r"不得|不应当?|不能|不可以|不予|禁止|严禁|没有|未经|未|无|不|没|拒绝|免除|免于|非")
_ADVERB = re.compile(r"(?<!p)(?<!re)ly$")  # not apply, supply, comply, rely
_CLAUSE_END = frozenset(",;:.()")


@dataclass(frozen=True, slots=True)
class Polarity:
    """What a text says yes and no to. ``denied``/``said``: content words inside and outside a negation's reach;
    ``negations``: how many negations stand in it; ``modals``: the modal forces in it."""

    modals: frozenset[Modal]
    negations: int
    denied: frozenset[str]
    said: frozenset[str]
    han: bool


def modals(text: str) -> frozenset[Modal]:
    """The modal forces of ``text``; "shall not" is a prohibition and no obligation."""
    found: set[Modal] = set()
    rest = _NEUTRAL.sub(" ", text)
    for name, pattern in (*_MODALS_EN, *_MODALS_ZH):
        rest, count = pattern.subn(" \x00 ", rest)
        if count:
            found.add(name)
    return frozenset(found)


def _english(text: str) -> tuple[int, set[str], set[str]]:
    denied: set[str] = set()
    said: set[str] = set()
    count = reach = 0
    for word in word_list(text):
        if word in _CLAUSE_END:
            reach = 0
        elif word in _NOT_EN or word.endswith("n't"):
            count, reach = count + 1, SCOPE_WORDS
        elif word not in _FILLER and not word[0].isdigit():
            (denied if reach else said).add(stem(word))
            reach = max(0, reach - (not _ADVERB.search(word)))
    return count, denied, said


def _chinese(text: str) -> tuple[int, set[str], set[str]]:
    denied: set[str] = set()
    said: set[str] = set()
    count = 0
    for phrase in re.split(r"[，。；：、！？\s,;:()（）“”]+", text):
        at = 0
        for match in _NOT_ZH.finditer(phrase):
            count += 1
            _bigrams(phrase[at : match.start()], denied if at else said)
            at = match.end()
        _bigrams(phrase[at:], denied if at else said)
    return count, denied, said


def _bigrams(text: str, into: set[str]) -> None:
    into.update(text[at : at + 2] for at in range(len(text) - 1))


def polarity(text: str) -> Polarity:
    """Read negations and modal words of ``text``. A heuristic over words in reach, not a parse of the sentence."""
    han = is_han(text)
    bare = _NEUTRAL.sub(" ", text)
    count, denied, said = _chinese(bare) if han else _english(bare)
    return Polarity(modals(text), count, frozenset(denied), frozenset(said), han)
