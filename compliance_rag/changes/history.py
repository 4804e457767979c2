"""One clause through the versions of its document, renumbered or not, with what each version did to it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from compliance_rag.changes.changes import list_changes
from compliance_rag.changes.sides import load_pair
from compliance_rag.store.corpus import EVERYTHING, Corpus
from compliance_rag.store.links import history as lineage_rows
from compliance_rag.store.rows import StoredClause
from compliance_rag.store.timeline import Knowledge
from schemas.objects import Change, ClauseObject


@dataclass(frozen=True, slots=True)
class Stage:
    """The clause in one version; ``change`` is what that version did to it, None for the first and where nothing changed. What
    never was valid (void, corrected away, a draft) is no version to compare a later one with."""

    clause: StoredClause
    change: Change | None


def history(corpus: Corpus, clause_id: str, knowledge: Knowledge = EVERYTHING) -> list[Stage]:
    """The clause's lineage as known, by effective date.

    Raises NotFound ``unknown_clause``; IntegrityError as the corpus does.
    """
    found = corpus.clause(clause_id, knowledge)
    through = sorted(lineage_rows(corpus, found.lineage_id, knowledge), key=_order)
    stages: list[Stage] = []
    before: StoredClause | None = None
    for clause in through:
        untouched = before is None or _alike(before, clause)
        stages.append(Stage(clause, None if before is None or untouched else _change(corpus, before, clause, knowledge)))
        standing = corpus.standing(clause.version.doc_id, clause.version.version_id, knowledge)
        if standing is not None and standing.live:
            before = clause
    return stages


def _alike(before: StoredClause, after: StoredClause) -> bool:
    """Nothing of the clause itself or of its place changed: no need to compare the versions."""
    one, other = before.clause, after.clause
    return (one.sha256, one.heading, one.number, one.path) == (other.sha256, other.heading, other.number, other.path)


def _order(clause: StoredClause) -> tuple[date, int]:
    return clause.interval.start or date.min, clause.version.index


def _change(corpus: Corpus, before: StoredClause, after: StoredClause, knowledge: Knowledge) -> Change | None:
    pair = load_pair(corpus, before.version, after.version, knowledge)
    return next((change for change in list_changes(pair) if after.clause_id in _ids(change.after)), None)


def _ids(side: ClauseObject | list[ClauseObject] | None) -> list[str]:
    if side is None:
        return []
    return [side.clause_id] if isinstance(side, ClauseObject) else [clause.clause_id for clause in side]
