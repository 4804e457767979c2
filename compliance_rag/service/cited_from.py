"""Clauses of other documents that cite what a version changed: who relies on a rule outside the document it stands in."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import date

from compliance_rag.changes.fates import several
from compliance_rag.store.corpus import Corpus
from compliance_rag.store.rows import StoredClause, VersionRow
from compliance_rag.store.timeline import Knowledge
from schemas.objects import Change, ClauseObject, RippleObject, RippleStep

_Citing = tuple[StoredClause, str]
"""A clause and the reference in it as printed."""


def with_citations_elsewhere(
    corpus: Corpus, after: VersionRow, changes: Sequence[Change], today: date, knowledge: Knowledge
) -> list[Change]:
    """The changes, each of substance with the clauses of other documents that cite it, whatever edition is in force, added to
    what it touches: those in force on ``today`` where the version after is, else on its first day. One step: what rests on
    those clauses in turn is theirs to list. Raises IntegrityError as the corpus does."""
    standing = corpus.standing(after.doc_id, after.version_id, knowledge)
    day = today if standing is None or standing.window.holds(today) else standing.start
    citing = _citing(corpus, after, day, knowledge)
    return [_extended(change, citing) if citing and change.weight == "substantive" else change for change in changes]


def _citing(corpus: Corpus, after: VersionRow, day: date, knowledge: Knowledge) -> dict[str, list[_Citing]]:
    """By the path cited in the document of ``after``, in the order of the clauses' rows."""
    rows = corpus.query(
        "SELECT DISTINCT content, rid, target, text FROM refs WHERE target_doc = ? AND mode = 'dynamic' AND target IS NOT NULL "
        "ORDER BY rid, text, target",
        [after.doc_id],
    )
    if not rows:
        return {}
    held: set[int] = set()
    decisions = [decision for decision in corpus.decisions(day, knowledge).values() if decision.version is not None]
    languages = {decision.language for decision in decisions if decision.doc_id == after.doc_id}
    for decision in decisions:
        meant = decision.language == after.language or decision.language not in languages
        if decision.version is not None and decision.doc_id != after.doc_id and meant:
            held.add(corpus.content_of(decision.version))
    mine = [(rid, target, text) for content, rid, target, text in rows if content in held]
    clauses = corpus.by_rows([rid for rid, _, _ in mine], knowledge)
    found: dict[str, list[_Citing]] = defaultdict(list)
    for clause, (_, target, text) in zip(clauses, mine, strict=True):
        if clause.interval.holds(day):
            found[target].append((clause, text))
    return found


def _extended(change: Change, citing: dict[str, list[_Citing]]) -> Change:
    origins = several(change.after) or several(change.before)
    known = set(change.affects)
    more: list[RippleObject] = []
    for origin in origins:
        for clause, text in citing.get(origin.clause_id.partition("#")[2], ()):
            if clause.clause_id not in known:
                known.add(clause.clause_id)
                more.append(_ripple(change, origin, clause, text))
    return change.model_copy(
        update={"affects": [*change.affects, *(one.clause_id for one in more)], "ripples": [*change.ripples, *more]}
    )


def _ripple(change: Change, origin: ClauseObject, clause: StoredClause, text: str) -> RippleObject:
    number = clause.clause.number
    return RippleObject(
        clause_id=clause.clause_id,
        number=number,
        heading=clause.clause.heading,
        text_equal=True,
        origin=origin.clause_id,
        origin_number=origin.number,
        origin_kind=change.kind,
        path=[RippleStep(clause_id=clause.clause_id, number=number, link="reference", name=text)],
    )
