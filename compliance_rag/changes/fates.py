"""What became of each clause of a version that someone relies on: rewritten, gone, or changed in meaning by another change."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from compliance_rag.changes.changes import list_changes
from compliance_rag.changes.sides import Pair
from compliance_rag.store.clause_keys import typographic_key
from schemas.objects import Change, ChangeKind, ClauseObject, RippleObject, RippleStep
from schemas.stale import StaleOrigin

# An answer is called stale for a term it uses or a term defined by that; further along a chain of definitions most of a
# contract is touched by any change, and a list that names every answer names none. `changes` lists the whole chain.
DEFINITIONS_FOLLOWED = 2

Cause = Literal["modified", "removed", "rippled"]
_KINDS: dict[Cause, ChangeKind] = {"modified": "modified", "removed": "removed", "rippled": "modified"}


@dataclass(frozen=True, slots=True)
class Fate:
    """``after``: the clause that continues it in the version after, None when it is gone; ``ripple``: the path to it, of a
    clause that a change elsewhere touches, with both texts of the changed clause, ``origin``."""

    cause: Cause
    after: ClauseObject | None
    ripple: RippleObject | None = None
    origin: StaleOrigin | None = None


def fates(pair: Pair) -> dict[str, Fate]:
    """By clause id of the version before, for the clauses that no longer say what they said. A clause of which only the number,
    the place, the heading or the typography changed still says the same and is absent. An editorial change of words counts: an
    answer may have turned on the very number of a reference that was put right; where a change elsewhere touches the clause as
    well, the path is named."""
    found: dict[str, Fate] = {}
    put_right: set[str] = set()
    touched: dict[str, tuple[RippleObject, Change]] = {}
    for change in list_changes(pair):
        for ripple in change.ripples:
            if sum(step.link == "definition" for step in ripple.path) > DEFINITIONS_FOLLOWED:
                continue
            known, _ = touched.setdefault(ripple.clause_id, (ripple, change))
            if len(ripple.path) < len(known.path):
                touched[ripple.clause_id] = (ripple, change)
        olds, news = several(change.before), several(change.after)
        if news and change.weight != "substantive" and _words(olds) == _words(news):
            continue
        if change.weight == "editorial":
            put_right.update(old.clause_id for old in olds)
        for old in olds:
            found[old.clause_id] = Fate("modified", news[0]) if news else Fate("removed", None)
    for before_id, after_id in pair.mates.items():
        if after_id not in touched or (before_id in found and before_id not in put_right):
            continue
        ripple, change = touched[after_id]
        if before_id in found:
            found[before_id] = replace(found[before_id], ripple=ripple, origin=_origin(ripple, change))
        else:
            clause = pair.after.clauses[pair.after.places[after_id]]
            found[before_id] = Fate("rippled", clause.to_object(), ripple, _origin(ripple, change))
    return found


def cited_elsewhere(own: ClauseObject, name: str, target: ClauseObject, fate: Fate) -> Fate:
    """What becomes of the clause ``own`` that cites, as ``name``, the clause ``target`` of another document with this fate."""
    path = [] if fate.ripple is None else fate.ripple.path
    start = fate.after or target
    ripple = RippleObject(
        clause_id=own.clause_id,
        number=own.number,
        heading=own.heading,
        text_equal=True,
        origin=start.clause_id if fate.ripple is None else fate.ripple.origin,
        origin_number=start.number if fate.ripple is None else fate.ripple.origin_number,
        origin_kind=_KINDS[fate.cause] if fate.ripple is None else fate.ripple.origin_kind,
        path=[*path, RippleStep(clause_id=own.clause_id, number=own.number, link="reference", name=name)],
    )
    return Fate("rippled", own, ripple, fate.origin or StaleOrigin(before=target, after=fate.after))


def _origin(ripple: RippleObject, change: Change) -> StaleOrigin:
    olds, news = several(change.before), several(change.after)
    at = next((at for at, clause in enumerate(news or olds) if clause.clause_id == ripple.origin), 0)
    before, after = (side[min(at, len(side) - 1)] if side else None for side in (olds, news))
    return StaleOrigin(before=before, after=after)


def _words(clauses: list[ClauseObject]) -> str:
    return typographic_key("".join(clause.text for clause in clauses))


def several(side: ClauseObject | list[ClauseObject] | None) -> list[ClauseObject]:
    """One side of a change as a list, in document order."""
    if side is None:
        return []
    return [side] if isinstance(side, ClauseObject) else side
