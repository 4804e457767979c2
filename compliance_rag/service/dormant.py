"""When what is in force does not say: is there a clause, or a document, that would say it on another day?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from compliance_rag.answer.scoring import clause_terms, prepare
from compliance_rag.service.asking import Situation
from compliance_rag.store.rows import StoredClause, VersionRow
from compliance_rag.store.timeline import Decision, candidate
from schemas.dates import Interval
from schemas.objects import RefusalReason

# The clause out of force must hold this part of the weight of the question's words: it is named as the reason for a refusal,
# so that a chance likeness must not do.
DORMANT_SHARE = 0.6
# Where clauses in force were found to answer, it must hold nearly all of it, and so much more than the best of them.
ANSWERED_SHARE, ANSWERED_LEAD = 0.8, 0.15
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


def _own_reason(interval: Interval, situation: Situation) -> RefusalReason:
    return "not_yet_in_force" if interval.start is not None and situation.as_of < interval.start else "expired"


def find_dormant(
    question: str, situation: Situation, held: Sequence[StoredClause], *, answered: bool = False
) -> Dormant | None:
    """The clause out of force that holds most of the question's words, when it holds enough and more than any of ``held``.
    ``answered``: clauses in force were found to answer; then only clauses out of their own days in versions in force are
    looked at, and one must hold much more, so that a neighbour is not shown for the rule that is not in force."""
    pool: list[tuple[StoredClause, RefusalReason]] = []
    for clause in _clauses_out(situation):
        pool.append((clause, _own_reason(clause.interval, situation)))
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
