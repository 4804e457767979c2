"""Ranking: the permitted in-force set first, then words, meaning, numbers and defined terms, mixed into one score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
import numpy.typing as npt

from compliance_rag.retrieve.hints import DESCRIBED_BY, DESCRIBED_WEIGHT, hints
from compliance_rag.retrieve.question import Asked, in_stead, read_question, with_terms
from compliance_rag.retrieve.shelf import Shelf, term_words
from compliance_rag.retrieve.types import Candidate, Query, Ranking
from compliance_rag.store.inforce import Filters, InForceSet
from compliance_rag.store.postings import Epoch, Mask, Rows, Scores
from compliance_rag.store.rows import StoredClause
from compliance_rag.store.timeline import Knowledge

# Score = LEXICAL * lexical + (1 - LEXICAL) * dense + COVERAGE * coverage, lexical and dense each scaled so that the best text
# in force is 1 and the DEPTH-th is 0. Chosen on ObliQA dev, recall@10 / MAP@10: on 1,200 questions without coverage 0.5
# 0.796/0.671, 0.6 0.805/0.674, 0.7 0.803/0.668, and depths 100, 300, 1,000 within 0.002; on 1,600 coverage 0 0.806/0.678, 0.3
# 0.808/0.683. Logistic weights fitted in four folds put coverage at 0.35 of the mix: 0.807/0.684 on the folds left out.
LEXICAL: Final = 0.6
# Of a question in Chinese: lay words seldom are the law's. On the 700 STARD questions over 64,665 articles 0.5 0.573/0.403,
# 0.45 0.576/0.407, 0.4 0.574/0.407, 0.35 0.581/0.408, 0.3 0.582/0.406.
LEXICAL_HAN: Final = 0.35
COVERAGE: Final = 0.3
DEPTH: Final = 300
# The drafter's words for what the question says in others (:mod:`compliance_rag.retrieve.lay_words`) are searched at the first
# weight; at the second where no document in force uses the asker's own.
ALIKE_WEIGHT: Final = 0.2
UNKNOWN_WEIGHT: Final = 0.7
# A text that says something in a word's stead holds so much of it: it may be about something else.
ALIKE_HELD: Final = 0.8
# A clause whose number the question cites stands above every clause found by its words alone, whose score is at most 1.3.
NUMBER_BONUS: Final = 1.5
# One that a longer question only mentions gets this. On 400 ObliQA dev questions, 72 of which cite a rule, recall@10 / MAP@10:
# 0.811/0.689 at 0 to 0.1, 0.811/0.688 at 0.2; 0.781/0.626 when each mention counted as a look-up.
MENTION_BONUS: Final = 0.1
# The definition of the term whose meaning is asked stands above clauses that use the term often.
TERM_BONUS: Final = 1.0
# The KEPT best clauses stand by themselves. Below them a clause beside one of the NEAR_BEST best, in the same version, gets
# this part of that one's score, halved, thirded and so on with each clause between: rules on one subject stand together. On
# 1,394 ObliQA dev questions, recall@10 / MAP@10: 0.803/0.681 without, 0.811/0.683 at 0.3, 0.812/0.684 at 0.5 and at 1; on
# the 446 multi-passage questions 0.620/0.511 without, 0.642 at 0.3, 0.653/0.521 at 0.5, 0.656 at 1. Not for Chinese, whose
# articles each rule on a subject of their own: on the 700 STARD questions 0.551/0.382 without, 0.549 at 0.1, 0.545 at 0.5.
NEIGHBOUR: Final = 0.5
KEPT, NEAR_BEST = 5, 3
# … and each clause this for every deviation by which its cosine with the best one stands above that of the others: what says
# the like belongs to the same answer. recall@10 with it: ObliQA dev 0.8135 to 0.8139, multi-passage 0.654 to 0.657, STARD 0.551
# to 0.552; 0.02 and 0.1 give less.
LIKENESS: Final = 0.05
# Clauses that are so compared: what ranks below does not reach the first ten by standing near.
NEIGHBOURS_READ: Final = 50
# Scores are compared and recorded at this many decimals; below it two machines may differ.
DECIMALS: Final = 6
# The words of a question count as found when one of this many best texts holds them together.
COVERAGE_DEPTH: Final = 10
# Texts in force whose cosines say what is usual for a question; the mean of so many is known to 3 % of the deviation.
SAMPLE: Final = 1_000

Vector = npt.NDArray[np.float32]


class QueryEmbedder(Protocol):
    """What ranking needs of an embedder."""

    identity: Mapping[str, str]

    def encode_query(self, text: str) -> Vector:
        """The question's unit vector (384,), float32."""
        ...


@dataclass(slots=True)
class _Scored:
    """Candidate texts (postings rows, ascending) with their scores beside them."""

    rows: Rows
    lexical: Scores
    dense: Scores
    coverage: Scores
    fused: Scores
    lexical_rank: npt.NDArray[np.int64]
    dense_rank: npt.NDArray[np.int64]


def rank(
    shelf: Shelf,
    query: Query,
    embedder: QueryEmbedder,
    *,
    vector: Vector | None = None,
    within: InForceSet | None = None,
) -> Ranking:
    """The best ``query.limit`` clauses in force, best first, ties by clause id.

    ``vector`` (384,): the question's recorded embedding, when an answer is derived again. ``within``: another set of clauses
    of the same day and knowledge than what is in force. Term statistics come from everything
    in force on the day; document, jurisdiction and language filters mask the result only, so that scores stay comparable.
    Raises NotFound ``unknown_document``, InputRejected ``unknown_jurisdiction``, IntegrityError of the stores.
    """
    knowledge = Knowledge(query.known_at, query.known_basis, docs=query.permitted)
    filters = Filters(query.docs, query.jurisdictions, query.language)
    in_force = within or shelf.corpus.in_force_set(query.as_of, knowledge, filters)
    epoch = shelf.epoch(in_force)
    permitted = shelf.texts(in_force.mask)
    plain = _in_rule_words(epoch, read_question(query.text))
    lexical = epoch.score(plain.terms, plain.weights)
    hinted = hints(shelf, in_force, _best(lexical, permitted, DESCRIBED_BY), query.text, plain)
    asked = plain
    if hinted.terms:
        asked = _in_rule_words(epoch, with_terms(read_question(hinted.text), hinted.described, DESCRIBED_WEIGHT))
        lexical = epoch.score(asked.terms, asked.weights)
    question = np.asarray(embedder.encode_query(hinted.text) if vector is None else vector, np.float32)
    scored, method = _score(shelf, epoch, permitted, asked, lexical, question)
    numbered = _numbered(shelf, in_force, asked)
    defined = _defined(shelf, in_force, query.text)
    candidates = _candidates(shelf, query, in_force, asked, scored, numbered, defined)
    scope = in_force.scope
    return Ranking(
        query=query,
        candidates=candidates,
        coverage=_found(epoch, read_question(hinted.covered), scored),
        vector=question.astype("<f4").tobytes(),
        embedder=dict(embedder.identity),
        dense_method=method,
        clauses_in_scope=scope["clauses"],
        versions_in_scope=scope["versions"],
        documents_in_scope=scope["documents"],
        hints=hinted.terms,
        usual=_usual(shelf.dense.exact(question, epoch.sample(SAMPLE))),
    )


def _usual(cosines: Scores) -> tuple[float, float]:
    """Mean and deviation, the same bits in whatever order the cosines come."""
    if not len(cosines):
        return 0.0, 0.0
    mean = math.fsum(cosines) / len(cosines)
    spread = math.sqrt(math.fsum((cosine - mean) ** 2 for cosine in cosines.tolist()) / len(cosines))
    return round(mean, DECIMALS), round(spread, DECIMALS)


def _score(shelf: Shelf, epoch: Epoch, permitted: Mask, asked: Asked, lexical: Scores, question: Vector) -> tuple[_Scored, str]:
    (near_all, near), method = shelf.dense.nearest(question, [epoch.mask, permitted], DEPTH)
    rows = np.union1d(_highest(lexical, permitted, DEPTH), near)
    dense = shelf.dense.exact(question, rows)
    lexical_top = _nth(lexical[epoch.mask], DEPTH)
    dense_top = _nth(shelf.dense.exact(question, near_all), DEPTH)
    coverage = _coverage(epoch, asked, rows)
    part = LEXICAL_HAN if asked.han else LEXICAL
    mixed = part * _scaled(lexical[rows], *lexical_top) + (1 - part) * _scaled(dense, *dense_top)
    fused = np.round(mixed + COVERAGE * coverage, DECIMALS)
    ranks = _ranks(lexical[rows], lexical[rows] > 0), _ranks(dense, np.isin(rows, near))
    return _Scored(rows, lexical[rows], dense, coverage, fused, *ranks), method


def _highest(scores: Scores, mask: Mask, limit: int) -> Rows:
    """Rows inside the mask with the ``limit`` highest positive scores, ties at the cut kept."""
    inside: Rows = np.flatnonzero(mask & (scores > 0))
    if len(inside) <= limit:
        return inside
    held = scores[inside]
    best: Rows = inside[held >= np.partition(held, len(held) - limit)[len(held) - limit]]
    return best


def _best(scores: Scores, mask: Mask, limit: int) -> Rows:
    """The rows of :func:`_highest`, best first, no more than ``limit``."""
    rows = _highest(scores, mask, limit)
    return rows[np.lexsort((rows, -scores[rows]))][:limit]


def _nth(scores: Scores, depth: int) -> tuple[float, float]:
    """The best score and the ``depth``-th, or the last where there are fewer."""
    if not len(scores):
        return 0.0, 0.0
    at = max(len(scores) - depth, 0)
    return float(scores.max()), float(np.partition(scores, at)[at])


def _scaled(scores: Scores, best: float, last: float) -> Scores:
    if best <= last:
        return np.zeros(len(scores), np.float64)
    return (scores - last) / (best - last)


def _in_rule_words(epoch: Epoch, asked: Asked) -> Asked:
    """``asked`` with the drafter's words for what it says in others, where the documents use them: at full weight for an
    expression that no document in force uses."""
    more: dict[str, float] = {}
    for own, others in asked.alike:
        unknown = bool(own) and not any(epoch.document_frequency(word) for word in own)
        for term in (term for words in others for term in words):
            if term not in asked.terms and epoch.document_frequency(term):
                more[term] = max(more.get(term, 0.0), UNKNOWN_WEIGHT if unknown else ALIKE_WEIGHT)
    return replace(asked, terms=(*asked.terms, *more), weights=(*asked.weights, *more.values())) if more else asked


@dataclass(frozen=True, slots=True)
class _Word:
    """A word of the question: how rare it is, and by text 1 where it stands there, :data:`ALIKE_HELD` where something is said
    in its stead, else 0."""

    weight: float
    held: Scores


def _words(epoch: Epoch, asked: Asked, rows: Rows) -> Iterator[_Word]:
    """The words of the question as ``rows`` (n,) hold them. One that no document uses is as rare as the commonest
    of what stands in its stead; where nothing does, it is held by none."""
    for word in asked.words:
        held, weight = epoch.holds(word, rows).astype(np.float64), epoch.idf(word)
        others = [words for words in in_stead(asked, word) if all(epoch.document_frequency(term) for term in words)]
        for words in others:
            held = np.maximum(held, ALIKE_HELD * np.logical_and.reduce([epoch.holds(term, rows) for term in words]))
        if others and not epoch.document_frequency(word):
            weight = min(max(epoch.idf(term) for term in words) for words in others)
        yield _Word(weight, held)


def _coverage(epoch: Epoch, asked: Asked, rows: Rows) -> Scores:
    """Per text, the share of the question's words it holds, each word counted by its idf; words nobody uses left out."""
    total, held = 0.0, np.zeros(len(rows), np.float64)
    for name, word in zip(asked.words, _words(epoch, asked, rows), strict=True):
        if epoch.document_frequency(name) or word.held.any():
            total += word.weight
            held += word.weight * word.held
    return held / total if total else held


def _found(epoch: Epoch, asked: Asked, scored: _Scored) -> float:
    """The best share of the question's words, unknown ones included, that one of the best texts holds: 0 to 1."""
    best = scored.rows[np.lexsort((scored.rows, -scored.fused))[:COVERAGE_DEPTH]]
    total, held = 0.0, np.zeros(len(best), np.float64)
    for word in _words(epoch, asked, best):
        total += word.weight
        held += word.weight * word.held
    return round(float(held.max() / total), DECIMALS) if total and len(best) else 0.0


def _ranks(scores: Scores, counted: Mask) -> npt.NDArray[np.int64]:
    """Rank from 1 by falling score among the counted texts, equal scores equal ranks; 0 for the others."""
    order = np.sort(-np.round(scores[counted], DECIMALS))
    ranks = np.searchsorted(order, -np.round(scores, DECIMALS), "left") + 1
    return np.where(counted, ranks, 0)


def _numbered(shelf: Shelf, in_force: InForceSet, asked: Asked) -> dict[int, int]:
    """Clause rows in force and permitted whose number the question cites, with the place of that number in the question."""
    found: dict[int, int] = {}
    if not asked.numbers:
        return found
    names = ["/".join(path) for path in asked.numbers]
    tails = " OR ".join("path = ? OR ends_with(path, ?)" for _ in names)
    values = [value for name in names for value in (name, "/" + name)]
    for row, path in shelf.corpus.query(f"SELECT rid, path FROM clauses WHERE {tails} ORDER BY rid", values):
        for place, name in enumerate(names, 1):
            if in_force.mask[row] and names_clause(name, path):
                found.setdefault(int(row), place)
    return found


def names_clause(name: str, path: str) -> bool:
    """True when a person who cites the path ``name`` means the clause at ``path``: they are equal, or all before it are
    containers (``part-2``, ``schedule-1``), where numbering restarts."""
    before = path.removesuffix(f"/{name}")
    return path == name or (before != path and all("-" in token and not token[0].isdigit() for token in before.split("/")))


def _defined(shelf: Shelf, in_force: InForceSet, text: str) -> dict[int, int]:
    """Rows of permitted clauses that define a term the question uses, longest terms first, ranked from 1."""
    words = term_words(text)
    table = shelf.defined(in_force).by_first
    hits: dict[int, int] = {}
    for at, word in enumerate(words):
        for term, row, _ in table.get(word, ()):
            if words[at : at + len(term)] == term and in_force.mask[row]:
                hits[row] = max(hits.get(row, 0), len("".join(term)))
    lengths = sorted(set(hits.values()), reverse=True)
    return {row: lengths.index(length) + 1 for row, length in hits.items()}


def _candidates(
    shelf: Shelf,
    query: Query,
    in_force: InForceSet,
    asked: Asked,
    scored: _Scored,
    numbered: Mapping[int, int],
    defined: Mapping[int, int],
) -> tuple[Candidate, ...]:
    place = np.full(len(shelf.postings) + 1, -1, np.int64)
    place[scored.rows] = np.arange(len(scored.rows))
    at_text = place[shelf.text_of]
    rows = np.flatnonzero(in_force.mask & (at_text >= 0))
    extra = np.array(sorted({*numbered, *defined}), np.int64)
    rows = np.union1d(rows, extra)
    held = at_text[rows]
    score = np.where(held >= 0, scored.fused[held] if len(scored.fused) else 0.0, 0.0)
    score += (NUMBER_BONUS if asked.looked_up else MENTION_BONUS) * np.isin(rows, np.array([*numbered], np.int64))
    if asked.meaning:
        score += TERM_BONUS * np.isin(rows, np.array([row for row, place in defined.items() if place == 1], np.int64))
    score = np.asarray(np.round(score, DECIMALS), np.float64)
    read = max(query.limit, NEIGHBOURS_READ)
    if len(rows) > read:
        keep = score >= np.partition(score, len(score) - read)[len(score) - read]
        rows, held, score = rows[keep], held[keep], score[keep]
    clauses = shelf.corpus.by_rows(rows.tolist(), in_force.knowledge)
    order = sorted(range(len(rows)), key=lambda i: (-score[i], clauses[i].clause_id))
    added = LIKENESS * _likeness(shelf, scored, held, order[:1])
    if not asked.han:
        added += NEIGHBOUR * _beside(clauses, score, order[:NEAR_BEST])
    ordered = _raised(order, score, added, clauses)[: query.limit]
    return tuple(
        _candidate(clauses[i], given, int(held[i]), scored, numbered.get(int(rows[i])), defined.get(int(rows[i])))
        for i, given in ordered
    )


def _raised(order: Sequence[int], score: Scores, added: Scores, clauses: Sequence[StoredClause]) -> list[tuple[int, float]]:
    """The places of clauses best first, each with its score. The ``KEPT`` best stay; the others get what is ``added``, in all
    at most the score of the last one kept."""
    kept, below = order[:KEPT], order[KEPT:]
    raised = {i: max(0.0, float(score[i] + added[i])) for i in below}
    highest = max(raised.values(), default=0.0)
    share = min(1.0, float(score[kept[-1]]) / highest) if kept and highest > 0 else 1.0
    given = {i: round(share * value, DECIMALS) for i, value in raised.items()}
    below = sorted(below, key=lambda i: (-given[i], clauses[i].clause_id))
    return [(i, float(score[i])) for i in kept] + [(i, given[i]) for i in below]


def _likeness(shelf: Shelf, scored: _Scored, held: Rows, best: Sequence[int]) -> Scores:
    """By how many deviations each clause's cosine with the best one stands above the mean; 0 where either has no vector."""
    found = np.zeros(len(held), np.float64)
    inside = np.flatnonzero(held >= 0)
    if not best or held[best[0]] < 0:
        return found
    cosines = shelf.dense.likeness(int(scored.rows[held[best[0]]]), scored.rows[held[inside]])
    mean, spread = _usual(cosines)
    found[inside] = np.round((cosines - mean) / spread, DECIMALS) if spread > 0 else 0.0
    return found


def _beside(clauses: Sequence[StoredClause], score: Scores, best: Sequence[int]) -> Scores:
    """Per clause, the most that one of ``best`` in its version gives: its score, over one more than the clauses between."""
    found = np.zeros(len(clauses), np.float64)
    for at, own in enumerate(clauses):
        near = [score[i] / (1 + abs(clauses[i].seq - own.seq)) for i in best if clauses[i].version.ref == own.version.ref]
        found[at] = max(near, default=0.0)
    return found


def _candidate(clause: StoredClause, score: float, at: int, scored: _Scored, number: int | None, term: int | None) -> Candidate:
    lexical = int(scored.lexical_rank[at]) or None if at >= 0 else None
    dense = int(scored.dense_rank[at]) or None if at >= 0 else None
    reasons = [
        "its number is asked for" if number else "",
        "it defines a term of the question" if term else "",
        f"words (rank {lexical})" if lexical else "",
        f"meaning (rank {dense})" if dense else "",
    ]
    return Candidate(
        clause=clause,
        score=score,
        lexical=lexical,
        dense=dense,
        number=number,
        term=term,
        lexical_score=round(float(scored.lexical[at]), DECIMALS) if at >= 0 else None,
        dense_score=round(float(scored.dense[at]), DECIMALS) if at >= 0 else None,
        why="; ".join(reason for reason in reasons if reason),
    )
