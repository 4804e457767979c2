"""When what is in force does not say: is there a clause, or a document, that would say it on another day?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np

from compliance_rag.answer.scoring import clause_terms, prepare
from compliance_rag.answer.silence import decide
from compliance_rag.retrieve.search import QueryEmbedder, rank
from compliance_rag.retrieve.types import Candidate, Ranking
from compliance_rag.service.asking import Situation
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.searching import shelf_of
from compliance_rag.store.inforce import InForceSet, epoch_of
from compliance_rag.store.rows import StoredClause, VersionRow
from compliance_rag.store.timeline import Decision, candidate
from schemas.dates import Interval
from schemas.objects import RefusalReason

# The clause out of force must hold this part of the weight of the question's words: it is named as the reason for a refusal,
# so that a chance likeness must not do.
DORMANT_SHARE = 0.6
# Where clauses in force were found to answer, it must hold nearly all of it, and so much more than the best of them.
ANSWERED_SHARE, ANSWERED_LEAD = 0.8, 0.15
# Ranked beside what is in force, a clause out of its days that leads by this much of a score (1 and more is the best text) is
# what the question asks for. On 30 questions to five real documents with single clauses redated, those led by 0.06 to 0.44.
RANKED_LEAD = 0.05
# A clause whose days begin or end where the other's do is its predecessor or successor: it governs in its stead, when it ranks
# no further behind than two texts on one subject do.
SUCCESSION_LEAD = 0.4
# Candidates looked at for a successor, and read where single clauses are out of their days.
RANKED_LIMIT = 10
# Clauses read for this in one question.
DORMANT_LIMIT = 5_000


@dataclass(frozen=True, slots=True)
class Dormant:
    """A clause that answers on another day, and why not on this one."""

    clause: StoredClause
    reason: RefusalReason


def _clauses_out(situation: Situation) -> list[StoredClause]:
    """Clauses out of their own days in versions that are in force."""
    corpus, found = situation.corpus, situation.in_force
    out: list[int] = []
    for version in found.versions:
        first = corpus.first_row(version)
        held = found.in_force[first : first + version.clause_count]
        out += [first + int(at) for at in np.flatnonzero(~held)]
    return corpus.by_rows(out[:DORMANT_LIMIT], situation.knowledge)


def _versions_out(situation: Situation) -> list[tuple[VersionRow, Decision]]:
    """For each document in scope with nothing in force: the version that was in force last, else the first that will be."""
    timeline = situation.corpus.timeline(situation.knowledge)
    found: list[tuple[VersionRow, Decision]] = []
    for key, decision in situation.in_force.decisions.items():
        if decision.version is not None or key not in timeline:
            continue
        live = [standing for standing in timeline[key] if standing.live]
        last = candidate(timeline[key], situation.as_of) or next(iter(live), None)
        if last is not None:
            found.append((last.row, decision))
    return found


def own_reason(interval: Interval, situation: Situation) -> RefusalReason:
    """Why a clause out of its own days ``interval`` is not in force on the day asked about."""
    return "not_yet_in_force" if interval.start is not None and situation.as_of < interval.start else "expired"


def out_ranked(handle: HomeHandle, ranking: Ranking, situation: Situation) -> Dormant | None:
    """The clause out of its own days that ranks first among all clauses of the versions in force, days of single clauses left
    aside, so that what the answer would have rested on is not passed over for a neighbour. None when the leading clause is in
    force, when one in force is as good or governs in its stead, or when the documents would not answer even so.

    Raises IntegrityError of the stores.
    """
    whole = _whole(situation)
    if not (whole.mask & ~situation.in_force.mask).any():
        return None
    query = replace(ranking.query, limit=RANKED_LIMIT)
    vector = np.frombuffer(ranking.vector, "<f4")
    found = rank(shelf_of(handle), query, cast(QueryEmbedder, handle.embedder), vector=vector, within=whole)
    live = [item for item in found.candidates if item.clause.interval.holds(situation.as_of)]
    first = next(iter(found.candidates), None)
    if first is None or first in live or decide(found, int(np.count_nonzero(whole.in_force))).silent:
        return None
    if any(first.score - item.score < RANKED_LEAD or _in_its_stead(first, item) for item in live):
        return None
    return Dormant(first.clause, own_reason(first.clause.interval, situation))


def _whole(situation: Situation) -> InForceSet:
    """Every clause of the versions in force, whatever its own days."""
    corpus, found = situation.corpus, situation.in_force
    chosen = [item.version for item in corpus.decisions(situation.as_of, situation.knowledge).values() if item.version]
    in_force, mask = found.in_force.copy(), found.mask.copy()
    for rows, versions in ((in_force, chosen), (mask, found.versions)):
        for version in versions:
            first = corpus.first_row(version)
            rows[first : first + version.clause_count] = True
    epoch = epoch_of(corpus.name, [(corpus.first_row(version), None) for version in chosen])
    return replace(found, in_force=in_force, mask=mask, epoch=epoch)


def _in_its_stead(out: Candidate, live: Candidate) -> bool:
    one, other = out.clause.interval, live.clause.interval
    follows = (one.start is not None and one.start == other.end) or (one.end is not None and one.end == other.start)
    return follows and out.score - live.score < SUCCESSION_LEAD


def find_dormant(
    question: str, situation: Situation, held: Sequence[StoredClause], *, answered: bool = False
) -> Dormant | None:
    """The clause out of force that holds most of the question's words, when it holds enough and more than any of ``held``.
    ``answered``: clauses in force were found to answer; then only clauses out of their own days in versions in force are
    looked at, and one must hold much more, so that a neighbour is not shown for the rule that is not in force."""
    pool: list[tuple[StoredClause, RefusalReason]] = []
    for clause in _clauses_out(situation):
        pool.append((clause, own_reason(clause.interval, situation)))
    for version, decision in () if answered else _versions_out(situation):
        if len(pool) >= DORMANT_LIMIT:
            break
        for clause in situation.corpus.clauses_of(version.doc_id, version.version_id, situation.knowledge):
            pool.append((clause, decision.reason or "not_in_force"))
    pool = [(clause, reason) for clause, reason in pool if clause.clause.text.strip()]
    if not pool:
        return None
    asked = prepare(question, [*held, *(clause for clause, _ in pool)], situation.as_of)
    best = max(pool, key=lambda item: (round(asked.share(clause_terms(item[0])), 6), item[0].clause_id))
    share = asked.share(clause_terms(best[0]))
    rival = max((asked.share(clause_terms(clause)) for clause in held), default=0.0)
    least, lead = (ANSWERED_SHARE, ANSWERED_LEAD) if answered else (DORMANT_SHARE, 0.0)
    return Dormant(*best) if share >= least and share > rival + lead else None
