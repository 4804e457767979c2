"""The JSON of `stale`: past answers whose cited clauses changed."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from schemas.objects import ClauseObject, Out, RippleObject


class StaleOrigin(Out):
    """The changed clause that a rippled one is touched by, in its own document or another: as it stood and as it stands."""

    before: ClauseObject | None
    after: ClauseObject | None


class StaleClause(Out):
    """A cited clause that no longer says what it said: as it stood, and what continues it. ``ripple``: of a clause that a
    change elsewhere touches, the path that leads to it; ``origin``: both texts of what was changed there."""

    before: ClauseObject
    after: ClauseObject | None
    cause: Literal["modified", "removed", "rippled"]
    ripple: RippleObject | None = Field(default=None, exclude_if=lambda value: value is None)
    origin: StaleOrigin | None = Field(default=None, exclude_if=lambda value: value is None)


class StaleDecision(Out):
    """What a person decided about a stale answer: ledger record ``record``. ``note`` None: erased."""

    record: int
    decision: Literal["no_impact", "updated", "withdrawn"]
    note: str | None
    actor: str
    actor_auth: str
    recorded_at: str


class StaleItem(Out):
    """``stale``: a past answer whose cited clauses changed. ``decision`` None: open. ``question`` None: erased. ``decisions``:
    every one about what it is stale by now, in the order recorded; the last holds; printed where there are any."""

    id: str
    owner: str | None
    due: str | None
    decision: Literal["no_impact", "updated", "withdrawn"] | None
    answer_id: str
    question: str | None
    asked_at: str
    as_of: str
    clauses: list[StaleClause]
    decisions: list[StaleDecision] = Field(default=[], exclude_if=lambda value: not value)
