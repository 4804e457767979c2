"""Questions that ask for a set ("What are the requirements for …?") and the further clauses that belong to their answer."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from compliance_rag.answer.terms import is_han
from compliance_rag.retrieve.types import Candidate

# Clauses that answer a question for a set, the first included; with the threshold below five on average.
SET_LIMIT = 10
# Log-odds that a candidate belongs to the answer whose first clause is known, fitted on ObliQA's 446 multi-passage validation
# questions (logistic regression over the 29 candidates after the first, no question's own fold): a candidate's place, how near
# it stands to the first clause and to the five best, and whether it is a mere heading.
_BASE, _PLACE, _NEAR_FIRST, _NEAR_BEST, _SHORT = -6.19, 3.86, 3.77, 1.44, -2.44
# From these odds on a candidate is cited: five citations a question on average where it was fitted.
_ODDS = -3.3
# Candidates beside which another one may stand.
_BEST = 5
# Under so many letters a text is a heading or a fragment; a Chinese character says as much as three letters.
_SHORT_TEXT, _HAN_LETTERS = 80, 3

_SET_OF = (
    r"requirements?|obligations|duties|steps|measures|procedures|criteria|factors|considerations|expectations|guidelines?|guidance"
    r"|responsibilities|safeguards|policies|controls|standards|principles|process(?:es)?|protocols|practices|elements|components"
    r"|arrangements|mechanisms|provisions|rules|restrictions|limitations|powers|consequences|implications|methods|methodolog(?:y|ies)"
    r"|indicators|metrics|details|information|documents|documentation|records|disclosures|assessments|resources|circumstances"
    r"|aspects|conditions|approach(?:es)?|actions|tools|structures?|strategies"
)
_ASKS_SET = re.compile(
    rf"\b(?:what|which)\b(?:\s+(?:is|are|were|was|do|does)\s+(?:the|there|some|any))?(?:\s+(?!the\b|an?\b)[\w'’/,-]+){{0,6}}?\s+(?:{_SET_OF})\b"
    r"|\bhow\s+(?:should|must|does|do|can|is|are)\b(?=[^?]{60,})"
    rf"|\bare\s+there\b(?:\s+[\w'’/,-]+){{1,6}}?\s+(?:{_SET_OF})\b"
    r"|\b(?:clarif\w+|elaborate|explain|describe|outline|detail|specify)\b|\b(?:provide|give|offer)\b[^?]{0,30}\b(?:guidance|examples?|overview|information)\b"
    r"|哪些(?:方面|要求|义务|条件|措施|程序|步骤|材料|情形|规定|内容|职责|责任)|(?:有|作了?)(?:什么|何)(?:要求|规定)",
    re.I,
)


def asks_for_set(question: str) -> bool:
    """True when a question asks for all that the documents say of a subject, not for one thing."""
    return bool(_ASKS_SET.search(question))


def belonging(first: Candidate, candidates: Sequence[Candidate], *, likely: bool = True) -> list[Candidate]:
    """The candidates that belong beside ``first`` in an answer to a question for a set, best first; with ``likely`` only those
    that are likely enough to."""
    best = max((one.score for one in candidates), default=0.0)
    if best <= 0:
        return []
    near = candidates[:_BEST]
    scored = [
        (_odds(one.score / best, _nearness(one, [first]), _nearness(one, near), one), one)
        for one in candidates
        if one.clause.clause_id != first.clause.clause_id
    ]
    scored.sort(key=lambda pair: (-round(pair[0], 6), pair[1].clause.clause_id))
    return [one for odds, one in scored if odds >= _ODDS or not likely]


def _odds(place: float, near_first: float, near_best: float, one: Candidate) -> float:
    text = one.clause.clause.text.strip()
    short = len(text) * (_HAN_LETTERS if is_han(text) else 1) < _SHORT_TEXT
    return _BASE + _PLACE * place + _NEAR_FIRST * near_first + _NEAR_BEST * near_best + (_SHORT if short else 0.0)


def _nearness(one: Candidate, others: Sequence[Candidate]) -> float:
    """1 / (1 + clauses between) to the nearest of ``others`` in the same version, 0 when there is none."""
    gaps = [
        abs(one.clause.seq - other.clause.seq)
        for other in others
        if other.clause.version.ref == one.clause.version.ref and other.clause.clause_id != one.clause.clause_id
    ]
    return 1 / (1 + min(gaps, default=math.inf))
