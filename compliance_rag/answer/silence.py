"""When the documents do not say: the decision to refuse, from words and vectors together, at a stated operating point."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from compliance_rag.answer.terms import is_han
from compliance_rag.retrieve.question import read_question
from compliance_rag.retrieve.types import Ranking

Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A logistic rule, ``bias`` plus each feature by its weight, and the log odds under which a question is refused."""

    bias: float
    threshold: float
    dense: float = 0.0
    strength: float = 0.0
    place: float = 0.0
    coverage: float = 0.0

    def odds(self, found: Mapping[str, float]) -> float:
        """The log odds that the documents answer, from the figures of :func:`features`."""
        weighed = self.dense * found["dense"] + self.strength * found["strength"]
        return self.bias + weighed + self.place * found["place"] + self.coverage * found["coverage"]


# Fitted by logistic regression (L2 1e-3), each set weighing the same, on: 400 ObliQA and 300 STARD dev questions asked once of
# the right document and once of one that holds none of the answer; the development questions; and off_topic.jsonl beside them,
# 50 questions on subjects that no document held speaks of. Figures are five-fold by question, "x at y": x refused of those
# without an answer where y of those with one are.
CALIBRATED_FOR = "multilingual-e5-small"
# A question put to named documents or jurisdictions. en: ObliQA 94 % at 7 %, development 88 % at 4 %, off topic 99 %;
# zh: STARD 95 % at 7 %, development 100 % at 0 %, off topic 93 %.
FILTERED: dict[Language, OperatingPoint] = {
    "en": OperatingPoint(bias=-72.24, dense=77.67, strength=-5.73, place=4.87, coverage=5.75, threshold=-0.35),
    "zh": OperatingPoint(bias=-98.40, dense=103.71, strength=-5.56, place=7.68, threshold=-0.5),
}
# A question put to everything: its best clause is always the best there is, so that place says nothing. Without coverage 45 %
# of the questions off topic were refused. en: off topic 95 % at 2 % of ObliQA's and 5 % of the development questions; zh: off
# topic 95 % at 7 % of STARD's and 3 %.
EVERYWHERE: dict[Language, OperatingPoint] = {
    "en": OperatingPoint(bias=-88.33, dense=96.77, coverage=8.62, threshold=-0.6),
    "zh": OperatingPoint(bias=-99.66, dense=108.68, coverage=5.12, threshold=-0.9),
}
# Any other embedder: its cosines lie elsewhere, so the words decide alone until it is fitted. en: AUC 0.973, 90.0 % at 5 %;
# zh: AUC 0.947, 71.7 % at 5 %. (Coverage alone: en 0.941, zh 0.886.)
WORDS_ONLY: dict[Language, OperatingPoint] = {
    "en": OperatingPoint(bias=-5.19, strength=36.39, threshold=-0.91),
    "zh": OperatingPoint(bias=-4.21, strength=30.57, threshold=-1.52),
}


@dataclass(frozen=True, slots=True)
class Silence:
    """Whether to refuse, how likely the documents are to answer (0 to 1), and the figures that made it."""

    silent: bool
    score: float
    features: dict[str, float]


def features(ranking: Ranking, in_force: int) -> dict[str, float]:
    """``dense``: the best cosine. ``strength``: the best BM25 score as a part of what it would be if every word of the question
    stood once in a text of mean length and in no other of the ``in_force`` clauses; so it is comparable between corpora.
    ``place``: the best mixed score, 1 and more for the best text in force, less where what is asked of holds no text as good.
    ``coverage``: the part of the question's words, by rarity, that one of the best texts holds."""
    dense = max((c.dense_score for c in ranking.candidates if c.dense_score is not None), default=0.0)
    lexical = max((c.lexical_score for c in ranking.candidates if c.lexical_score is not None), default=0.0)
    most = sum(read_question(ranking.query.text).weights) * math.log(1 + in_force)
    place = max((c.score for c in ranking.candidates), default=0.0)
    return {"dense": dense, "strength": lexical / most if most else 0.0, "place": place, "coverage": ranking.coverage}


def operating_point(ranking: Ranking) -> OperatingPoint:
    """The rule for this embedder, language and kind of scope."""
    language: Language = "zh" if is_han(ranking.query.text) else "en"
    if ranking.embedder.get("name") != CALIBRATED_FOR:
        return WORDS_ONLY[language]
    return (FILTERED if ranking.query.docs or ranking.query.jurisdictions else EVERYWHERE)[language]


def decide(ranking: Ranking, in_force: int) -> Silence:
    """Refuse when the log odds are under the threshold of :func:`operating_point`, or when nothing was found at all.
    ``in_force`` is the number of clauses in force, filters aside, that the term statistics come from.

    A question that cites a clause by number, and the clause exists, is always answered from it; so is one that asks what a term
    means, and the term is defined.
    """
    found = {name: round(value, 6) for name, value in features(ranking, in_force).items()}
    if not ranking.candidates:
        return Silence(True, 0.0, found)
    if any(c.number is not None for c in ranking.candidates):
        return Silence(False, 1.0, found)
    if read_question(ranking.query.text).meaning and any(c.term == 1 for c in ranking.candidates):
        return Silence(False, 1.0, found)
    point = operating_point(ranking)
    odds = point.odds(found)
    return Silence(odds < point.threshold, round(1 / (1 + math.exp(-max(-30.0, min(30.0, odds)))), 6), found)
