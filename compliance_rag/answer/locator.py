"""Locator questions ("which section covers payment?", 哪一条规定…): their topic, and the headings that answer it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from compliance_rag.answer.terms import terms
from compliance_rag.store.rows import StoredClause

# Harmonic mean of the part of the topic that the heading names and the part of the heading that the topic names, from
# which a heading answers: 0.6 takes "Destruction" for "the destruction of records" and leaves "Definitions" for "the
# definition of payment date".
HEADING_FIT = 0.6
# Headings this near to the best are named too: two sections may both be called "Payment".
HEADING_TIE = 0.02

_UNIT = (
    r"(?:sections?|clauses?|articles?|parts?|chapters?|paragraphs?|schedules?|annex(?:es)?"
    r"|appendi(?:x|ces)|rules?|provisions?|headings?)"
)
_VERB = (
    r"(?:covers?|deals?\s+with|sets?\s+out|contains?|governs?|regulates?|address(?:es)?"
    r"|concerns?|is\s+about|provides?\s+for|lays?\s+down|describes?|treats?|handles?"
    r"|(?:is|are)\s+(?:on|about|concerned\s+with))"
)
_EN = re.compile(
    rf"\b(?:which|what|in\s+which|in\s+what)\s+(?:\w+\s+)?{_UNIT}\b(?P<scope>[^?]{{0,60}}?)\s{_VERB}\s+(?P<topic>[^?]+)", re.I
)
_EN_WHERE = re.compile(
    r"\bwhere\s+(?:in\s+[^?]{1,40}?\s)?(?:is|are)\s+(?P<topic>[^?]+?)\s+(?:dealt\s+with"
    r"|covered|set\s+out|regulated|found|addressed)\b",
    re.I,
)
_EN_DOES = re.compile(
    r"\bwhere\s+(?:do|does)\s+[^?]{1,60}?\s(?:deal\s+with|cover|address|set\s+out|regulate|treat|speak\s+of)\s+(?P<topic>[^?]+)",
    re.I,
)
_EN_UNDER = re.compile(rf"\b(?:which|what)\s+{_UNIT}\s+is\s+(?P<topic>[^?]+?)\s+(?:in|under|found\s+in)\s*\?", re.I)
_ZH_UNIT = r"(?:哪一?个?|第几|什么)(?:条款|条|章|节|款|编|部分|附件|附录)"
_ZH = re.compile(
    rf"{_ZH_UNIT}(?:[^？?，,]{{0,6}}?)(?:规定|涉及|关于|讲|写|列明|明确|约定|处理|说)(?:的?是|了|到)?(?P<topic>[^？?，,]+)"
)
_ZH_BACK = re.compile(rf"(?P<topic>[^？?，,]+?)(?:是?在|由|见于?|规定在|属于)[^？?，,]{{0,8}}?{_ZH_UNIT}")
_ZH_HAS = re.compile(
    rf"(?P<topic>[^？?]+?)[，,][^？?，,]{{0,8}}?{_ZH_UNIT}(?:里|中)?(?:有|作了?|做了?)[^？?，,]{{0,4}}?(?:规定|约定|说明|要求)"
)
# What a Chinese question says around its topic and no heading repeats.
_ZH_AROUND = re.compile(r"怎么|如何|怎样|发生|的|了|时")


@dataclass(frozen=True, slots=True)
class Located:
    """A heading that answers a locator question, with its fit from 0 to 1."""

    clause: StoredClause
    fit: float


def topic_of(question: str) -> str | None:
    """What a locator question asks the place of; None when it asks for a rule, not for a place."""
    for pattern in (_EN, _EN_WHERE, _EN_DOES, _EN_UNDER, _ZH, _ZH_HAS, _ZH_BACK):
        match = pattern.search(question)
        if match and terms(match.group("topic")):
            return match.group("topic").strip(" .。“”\"'")
    return None


def heading_fit(topic: str, heading: str) -> float:
    """Harmonic mean of the shares of terms that ``topic`` and ``heading`` have of each other; 0 to 1."""
    asked, named = terms(_ZH_AROUND.sub(" ", topic)), terms(heading)
    both = len(asked & named)
    return 2 * both / (len(asked) + len(named)) if both else 0.0


def best_headings(topic: str, clauses: Iterable[StoredClause]) -> list[Located]:
    """The headings that answer, best first, the higher in the tree first among equals; empty when none fits."""
    found = [
        Located(c, heading_fit(topic, c.clause.heading))
        for c in clauses
        if c.clause.heading and c.clause.heading_span is not None
    ]
    found = [item for item in found if item.fit >= HEADING_FIT]
    found.sort(key=lambda item: (-round(item.fit, 6), item.clause.clause.depth, item.clause.version.ref, item.clause.seq))
    if not found:
        return []
    best = found[0]
    return [i for i in found if best.fit - i.fit <= HEADING_TIE and i.clause.clause.depth == best.clause.clause.depth]
