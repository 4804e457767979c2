"""What became of each clause of a version that someone relies on: rewritten, gone, or changed in meaning by another change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from compliance_rag.changes.changes import list_changes
from compliance_rag.changes.sides import Pair
from compliance_rag.store.clause_keys import typographic_key
from schemas.objects import ClauseObject

Cause = Literal["modified", "removed", "rippled"]


@dataclass(frozen=True, slots=True)
class Fate:
    """``after``: the clause that continues it in the version after, None when it is gone."""

    cause: Cause
    after: ClauseObject | None


def fates(pair: Pair) -> dict[str, Fate]:
    """By clause id of the version before, for the clauses that no longer say what they said. A clause of which only the number,
    the place, the heading or the typography changed still says the same and is absent. An editorial change of words counts: an
    answer may have turned on the very number of a reference that was put right."""
    found: dict[str, Fate] = {}
    touched: set[str] = set()
    for change in list_changes(pair):
        touched.update(change.affects)
        olds, news = several(change.before), several(change.after)
        if news and change.weight != "substantive" and _words(olds) == _words(news):
            continue
        for old in olds:
            found[old.clause_id] = Fate("modified", news[0]) if news else Fate("removed", None)
    for before_id, after_id in pair.mates.items():
        if before_id not in found and after_id in touched:
            found[before_id] = Fate("rippled", pair.after.clauses[pair.after.places[after_id]].to_object())
    return found


def _words(clauses: list[ClauseObject]) -> str:
    return typographic_key("".join(clause.text for clause in clauses))


def several(side: ClauseObject | list[ClauseObject] | None) -> list[ClauseObject]:
    """One side of a change as a list, in document order."""
    if side is None:
        return []
    return [side] if isinstance(side, ClauseObject) else side
