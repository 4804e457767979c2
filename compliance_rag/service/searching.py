"""The stores behind a question, kept open between questions, and one search of them."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from compliance_rag.answer.breadth import asks_for_set
from compliance_rag.answer.locator import HEADING_FIT, heading_fit, topic_of
from compliance_rag.answer.numbered import NamedClauses
from compliance_rag.retrieve.expand import expand
from compliance_rag.retrieve.search import QueryEmbedder, Vector, rank
from compliance_rag.retrieve.shelf import Shelf
from compliance_rag.retrieve.types import Candidate, EvidenceItem, Expansion, Query, Ranking
from compliance_rag.service.asking import Situation
from compliance_rag.service.homes import HomeHandle
from compliance_rag.store.rows import StoredClause

# Candidates whose exceptions, definitions, parents and parts are fetched: as many as may answer, and one to spare; more where a
# set is asked for, since more of them may be cited.
EXPANDED, EXPANDED_FOR_SET = 5, 10


@dataclass(frozen=True, slots=True)
class Found:
    """A ranking, the evidence expanded from it, the ids that the budget left out, and those that it was expanded from."""

    ranking: Ranking
    evidence: tuple[EvidenceItem, ...] = ()
    left_out: tuple[str, ...] = ()
    expanded: frozenset[str] = frozenset()


_SHELVES: weakref.WeakKeyDictionary[HomeHandle, Shelf] = weakref.WeakKeyDictionary()
_GUARD = threading.Lock()


def shelf_of(handle: HomeHandle) -> Shelf:
    """The open stores of a home; opened anew once a writer has published. Raises IntegrityError as ``Shelf.open``."""
    current = handle.corpus()
    with _GUARD:
        shelf = _SHELVES.get(handle)
        if shelf is None or shelf.corpus.path != current.path:
            shelf = _SHELVES[handle] = Shelf.open(handle.home, handle.settings, handle.embedder.identity)
        return shelf


def find(
    handle: HomeHandle, query: Query, situation: Situation, *, expanded: bool = True, vector: Vector | None = None
) -> Found:
    """Rank, and expand what was ranked. ``vector``: the recorded one, when an answer is derived again."""
    shelf = shelf_of(handle)
    ranking = rank(shelf, query, cast(QueryEmbedder, handle.embedder), vector=vector)
    if not expanded:
        return Found(ranking)
    heads = EXPANDED_FOR_SET if asks_for_set(query.text) else EXPANDED
    spread = expand(shelf.corpus, ranking, ranking.candidates[:heads])
    tied = _tied(spread, ())
    left = tuple(item.clause.clause_id for item in spread.left_out)
    return Found(ranking, tuple(tied), left, frozenset(one.clause.clause_id for one in ranking.candidates[:heads]))


def _tied(spread: Expansion, held: Sequence[EvidenceItem]) -> list[EvidenceItem]:
    """What belongs to the clauses that were expanded, each once, without what is ``held`` already."""
    tied = [item for item in spread.items if item.role != "primary" and item not in held]
    return tied + [item for item in spread.ties if item not in tied and item not in held]


def with_chosen(handle: HomeHandle, found: Found, chosen: Sequence[StoredClause]) -> Found:
    """``found`` with the evidence that belongs to clauses chosen from further down the ranking."""
    scores = {one.clause.clause_id: one.score for one in found.ranking.candidates}
    heads = [Candidate(clause, scores.get(clause.clause_id, 0.0), why="it answers") for clause in chosen]
    spread = expand(shelf_of(handle).corpus, found.ranking, heads)
    tied = _tied(spread, found.evidence)
    expanded = found.expanded | {clause.clause_id for clause in chosen}
    held = {item.clause.clause_id for item in (*found.evidence, *tied)}
    left = dict.fromkeys((*found.left_out, *(item.clause.clause_id for item in spread.left_out)))
    left_out = tuple(clause_id for clause_id in left if clause_id not in held)
    return replace(found, evidence=(*found.evidence, *tied), left_out=left_out, expanded=expanded)


def with_named(handle: HomeHandle, found: Found, named: NamedClauses) -> Found:
    """``found`` with the evidence that belongs to the clauses asked for by number, ranked or not."""
    heads = [Candidate(clause, 1.0, why="its number is asked for") for clause in named.clauses[:EXPANDED]]
    spread = expand(shelf_of(handle).corpus, found.ranking, heads)
    tied = [item for item in (*spread.items, *spread.ties) if item.role != "primary" and item not in found.evidence]
    return replace(found, evidence=(*tied, *found.evidence))


def headings_in(question: str, situation: Situation) -> tuple[StoredClause, ...]:
    """For a locator question, the clauses in force and permitted whose headings fit its topic; none for other questions."""
    topic = topic_of(question)
    if topic is None:
        return ()
    mask = situation.in_force.mask
    held = [entry for version in situation.in_force.versions for entry in situation.corpus.links(version).headings]
    fitting = sorted(row for row, heading in held if mask[row] and heading_fit(topic, heading) >= HEADING_FIT)
    return tuple(situation.corpus.by_rows(fitting, situation.knowledge)) if fitting else ()
