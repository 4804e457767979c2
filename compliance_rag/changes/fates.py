"""What became of each clause of a version that someone relies on: rewritten, gone, or changed in meaning by another change."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from compliance_rag.changes.changes import list_changes
from compliance_rag.changes.sides import Pair
from compliance_rag.store.clause_keys import typographic_key
from schemas.objects import ClauseObject, RippleObject

# An answer is called stale for a term it uses or a term defined by that; further along a chain of definitions most of a
# contract is touched by any change, and a list that names every answer names none. `changes` lists the whole chain.
DEFINITIONS_FOLLOWED = 2

Cause = Literal["modified", "removed", "rippled"]


@dataclass(frozen=True, slots=True)
class Fate:
    """``after``: the clause that continues it in the version after, None when it is gone; ``ripple``: the path to it, of a
    clause that a change elsewhere touches."""

    cause: Cause
    after: ClauseObject | None
    ripple: RippleObject | None = None


def fates(pair: Pair) -> dict[str, Fate]:
    """By clause id of the version before, for the clauses that no longer say what they said. A clause of which only the number,
    the place, the heading or the typography changed still says the same and is absent. An editorial change of words counts: an
    answer may have turned on the very number of a reference that was put right."""
    found: dict[str, Fate] = {}
    touched: dict[str, RippleObject] = {}
    for change in list_changes(pair):
        for ripple in change.ripples:
            if sum(step.link == "definition" for step in ripple.path) > DEFINITIONS_FOLLOWED:
                continue
            known = touched.setdefault(ripple.clause_id, ripple)
            if len(ripple.path) < len(known.path):
                touched[ripple.clause_id] = ripple
        olds, news = several(change.before), several(change.after)
        if news and change.weight != "substantive" and _words(olds) == _words(news):
            continue
        for old in olds:
            found[old.clause_id] = Fate("modified", news[0]) if news else Fate("removed", None)
    for before_id, after_id in pair.mates.items():
        if before_id not in found and after_id in touched:
            clause = pair.after.clauses[pair.after.places[after_id]]
            found[before_id] = Fate("rippled", clause.to_object(), touched[after_id])
    return found


def _words(clauses: list[ClauseObject]) -> str:
    return typographic_key("".join(clause.text for clause in clauses))


def several(side: ClauseObject | list[ClauseObject] | None) -> list[ClauseObject]:
    """One side of a change as a list, in document order."""
    if side is None:
        return []
    return [side] if isinstance(side, ClauseObject) else side
