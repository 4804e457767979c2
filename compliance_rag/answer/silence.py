"""When the documents do not say: the decision to refuse, from words and vectors together, with stated operating points."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Literal

from compliance_rag.answer.terms import is_han
from compliance_rag.retrieve.types import Ranking

Language = Literal["en", "zh"]


@dataclass(frozen=True, slots=True)
class OperatingPoint:
    """A logistic rule over the ranking's figures: bias + the weighted features; refused under ``threshold``."""

    bias: float
    coverage: float
    dense: float
    agreement: float
    threshold: float = 0.5


# Placeholders of the measurement are set by the calibration below.
POINTS: dict[Language, OperatingPoint] = {
    "en": OperatingPoint(bias=-4.0, coverage=8.0, dense=0.0, agreement=0.8),
    "zh": OperatingPoint(bias=-4.0, coverage=8.0, dense=0.0, agreement=0.8),
}


@dataclass(frozen=True, slots=True)
class Silence:
    """Whether to refuse, the score it rests on (0 to 1, higher means answerable), and the figures that made it."""

    silent: bool
    score: float
    features: dict[str, float]


def features(ranking: Ranking) -> dict[str, float]:
    """Coverage of the question's rare terms, best cosine, and whether one clause leads both searches (1, 0.5, … 0)."""
    best_dense = max((c.dense_score for c in ranking.candidates if c.dense_score is not None), default=0.0)
    agreement = max((1 / max(c.lexical, c.dense) for c in ranking.candidates if c.lexical and c.dense), default=0.0)
    return {"coverage": ranking.coverage, "dense": best_dense, "agreement": agreement}


def decide(ranking: Ranking) -> Silence:
    """Refuse when the score is under the language's operating point, or when nothing was found at all."""
    found = features(ranking)
    if not ranking.candidates:
        return Silence(True, 0.0, found)
    if any(c.number is not None for c in ranking.candidates):
        return Silence(False, 1.0, found)  # the question names a clause that exists: it is there to be read
    point = POINTS["zh" if is_han(ranking.query.text) else "en"]
    logit = (
        point.bias + point.coverage * found["coverage"] + point.dense * found["dense"] + point.agreement * found["agreement"]
    )
    score = 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))
    return Silence(score < point.threshold, round(score, 6), {key: round(value, 6) for key, value in found.items()})


def vector_of(ranking: Ranking) -> tuple[float, ...]:
    """The question's vector as floats, for the record's reader."""
    return struct.unpack(f"<{len(ranking.vector) // 4}f", ranking.vector)
