"""Answers of the service that have no model of their own elsewhere, for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from schemas.objects import Answer, ClauseObject, FullClauseObject, Receipt

State = Literal["in_force", "future", "superseded", "expired", "repealed", "withdrawn", "held", "staged", "draft"]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


class StageChange(_Shape):
    """What a version did to a clause."""

    kind: str
    weight: Literal["substantive", "editorial"]
    signals: list[str]
    redline: list[tuple[Literal["=", "-", "+"], str]]


class Stage(ClauseObject):
    """A clause in one version, and what that version did to it."""

    change: StageChange | None
    state: State
    corrected_by: str | None


class ClauseShown(FullClauseObject):
    """``clause``; ``history`` where it was asked for."""

    history: list[Stage] = Field(default_factory=list)


class OutlineShown(_Shape):
    """``outline``; ``state`` and ``corrected_by`` only of a version that never governs."""

    doc_id: str
    version: str
    version_id: str
    effective_from: str | None
    effective_to: str | None
    state: State | None = None
    corrected_by: str | None = None
    clauses: list[FullClauseObject]


class RecordShown(_Shape):
    """One record: its header, its parts by role (``{"erased": true}`` where destroyed), its receipt."""

    header: dict[str, Any]
    parts: dict[str, Any]
    receipt: Receipt


class Fault(_Shape):
    """The first thing that does not hold."""

    index: int | None
    step: str
    reason: str


class Verdict(BaseModel):
    """``audit verify``."""

    valid: bool
    size: int
    root: str
    checked: dict[str, Any]
    first_bad: Fault | None


class Layer(_Shape):
    """A layer in which the answer differs when derived again."""

    layer: Literal["corpus", "parser", "embedder", "ranking", "expansion", "answer", "settings"]
    before: Any
    after: Any


class Reconstructed(_Shape):
    """``audit reconstruct``; ``reason`` (code and message) where it cannot be derived again."""

    seen: Answer | None
    rederived: Literal["equal", "not_re_derivable"] | list[Layer]
    erased: list[str]
    reason: dict[str, str] | None = None
