"""Retrieval measured on questions with known clauses: recall, average precision and time, for words, meaning and the mix."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, Literal

import numpy as np

from compliance_rag.retrieve.search import QueryEmbedder, rank
from compliance_rag.retrieve.shelf import Shelf
from compliance_rag.retrieve.types import Candidate, Query

Way = Literal["mix", "lexical", "dense"]
WAYS: Final[tuple[Way, ...]] = ("mix", "lexical", "dense")
# Enough to hold the ten best by either score alone; ranking itself considers 300 of each.
POOL: Final = 400
# Depths at which complete recall is told: as many as an answer cites, as a page shows, as an analyst reads.
COMPLETE_DEPTHS: Final = (5, 10, 20)
FOLDS: Final = 5
FOLD_SEED: Final = 20261130


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the clauses that answer it, by source id or clause id."""

    id: str
    text: str
    gold: frozenset[str]
    docs: tuple[str, ...] = ()
    as_of: date | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over the questions: share of the gold clauses in the first ``k``, average precision at ``k``. ``folds`` are the
    same pair over each of ``FOLDS`` seeded parts of the questions."""

    questions: int
    recall: float
    average_precision: float
    folds: tuple[tuple[float, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Measured:
    """Scores by way of ranking, seconds per question (embedding included) at the median and the 95th percentile, and the ids
    of questions of which the mix found nothing. ``complete``: by depth, the share of questions all of whose gold clauses stand
    in the first so many of the mix."""

    scores: dict[Way, Scores]
    p50: float
    p95: float
    missed: tuple[str, ...]
    complete: dict[int, float]


def measure(
    shelf: Shelf,
    embedder: QueryEmbedder,
    questions: Iterable[Question],
    *,
    as_of: date,
    known_at: datetime,
    k: int = 10,
    progress: Callable[[int], None] | None = None,
) -> Measured:
    """Rank every question on the in-force set of its own day, else of ``as_of``, and compare the first ``k`` with its gold.

    Average precision is divided by ``min(gold, k)``, as trec_eval's MAP@k does with short lists. The single ways order the same
    candidates by one score, ties by clause id.
    """
    kept: dict[Way, list[tuple[float, float]]] = {way: [] for way in WAYS}
    whole: dict[int, list[bool]] = {depth: [] for depth in COMPLETE_DEPTHS}
    seconds: list[float] = []
    missed: list[str] = []
    for number, question in enumerate(questions, 1):
        query = Query(question.text, question.as_of or as_of, known_at, docs=question.docs, limit=POOL)
        start = time.perf_counter()
        candidates = rank(shelf, query, embedder).candidates
        seconds.append(time.perf_counter() - start)
        for way in WAYS:
            found = [question.gold & _names(candidate) for candidate in _ordered(candidates, way)[:k]]
            kept[way].append((recall(found, question.gold), average_precision(found, question.gold, k)))
        for depth, held in whole.items():
            held.append(question.gold <= set().union(*(_names(candidate) for candidate in candidates[:depth])))
        if kept["mix"][-1][0] == 0.0:
            missed.append(question.id)
        if progress is not None:
            progress(number)
    times = np.quantile(seconds, (0.5, 0.95)) if seconds else (0.0, 0.0)
    complete = {depth: statistics.fmean(held) if held else 0.0 for depth, held in whole.items()}
    scores = {way: _means(rows) for way, rows in kept.items()}
    return Measured(scores, float(times[0]), float(times[1]), tuple(missed), complete)


def _means(rows: Sequence[tuple[float, float]]) -> Scores:
    if not rows:
        return Scores(0, 0.0, 0.0)
    table = np.array(rows)
    fold = np.random.default_rng(FOLD_SEED).permutation(len(rows)) % FOLDS
    parts = [table[fold == number].mean(axis=0) for number in range(FOLDS) if (fold == number).any()]
    recalled, precise = table.mean(axis=0)
    return Scores(len(rows), float(recalled), float(precise), tuple((float(r), float(p)) for r, p in parts))


def recall(found: Sequence[frozenset[str]], gold: frozenset[str]) -> float:
    """The share of the gold names among those found at any rank."""
    return len(frozenset[str]().union(*found)) / len(gold) if gold else 0.0


def average_precision(found: Sequence[frozenset[str]], gold: frozenset[str], k: int) -> float:
    """Mean of the precision at each rank where a gold name is first found, over ``min(len(gold), k)``."""
    seen: set[str] = set()
    total = 0.0
    hits = 0
    for place, names in enumerate(found, 1):
        if names - seen:
            hits += 1
            total += hits / place
            seen |= names
    return total / min(len(gold), k) if gold else 0.0


def _names(candidate: Candidate) -> set[str]:
    names = {candidate.clause.clause_id}
    if candidate.clause.clause.source_id is not None:
        names.add(candidate.clause.clause.source_id)
    return names


def _ordered(candidates: Sequence[Candidate], way: Way) -> list[Candidate]:
    if way == "mix":
        return list(candidates)
    if way == "lexical":
        return sorted(candidates, key=lambda c: (-(c.lexical_score or 0.0), c.clause.clause_id))
    return sorted(candidates, key=lambda c: (-(-1.0 if c.dense_score is None else c.dense_score), c.clause.clause_id))
