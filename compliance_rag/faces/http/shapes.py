"""Answers of the service that have no model of their own elsewhere, for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from compliance_rag.service.history import Status
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


class StageRecord(_Shape):
    """What one record of the ledger says of a text: who recorded it, when, from which day, and why."""

    record: int
    what: Literal["published", "corrected", "redated", "withdrawn", "voided"]
    version_id: str | None
    number: str | None
    effective_from: str | None
    effective_to: str | None
    recorded_at: str
    actor: str
    actor_auth: str
    reason: str | None


class Stage(ClauseObject):
    """A clause in one version: what that version did to it, its standing, and the records about it."""

    change: StageChange | None
    state: State
    corrected_by: str | None
    status: Status
    status_from: str | None
    status_by: str | None
    gone_in: str | None
    records: list[StageRecord]


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
    in_force_until: str | None = None
    state: State | None = None
    corrected_by: str | None = None
    clauses: list[FullClauseObject]


class RecordShown(_Shape):
    """One record: its header, its parts by role (``{"erased": true}`` where destroyed), its receipt."""

    header: dict[str, Any]
    parts: dict[str, Any]
    receipt: Receipt


class Erased(_Shape):
    """``index``: the record whose personal parts, ``erased``, are gone; ``record``: the record that says so."""

    index: int
    record: int
    erased: list[str]


class Held(_Shape):
    """``index``: the record that must not be erased (``held``), or may be again; ``record``: the record that says so."""

    index: int
    record: int
    held: bool


class Checkpointed(_Shape):
    """What stands signed, and the note as it lies beside the ledger; ``new`` False: nothing to sign came since the last one."""

    size: int
    root: str
    key_id: str
    new: bool
    note: str


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


class Added(BaseModel):
    """``add``: what became of each version, in manifest order."""

    published: list[dict[str, Any]]
    unchanged: list[dict[str, Any]]
    held: list[dict[str, Any]]
    rejected: list[dict[str, Any]]
    flags: dict[str, int]
    proposed_dates: list[dict[str, Any]]
    corpus_root: str


class Finding(_Shape):
    """Findings of one kind: how many, and the first of them, a sentence each."""

    count: int
    first: list[str]


class _Report(_Shape):
    doc_id: str
    version: str
    version_id: str
    state: str
    counts: dict[str, int]
    balance: dict[str, int]
    findings: dict[str, Finding]


class ReportShown(_Report):
    """The ingest report of a version; ``balance``: visible characters in clauses, in furniture, in a flagged remainder."""

    recorded_by: str
    recorded_at: str


class BatchShown(_Shape):
    """A batch: how far it is; at its end what was recorded and the report of each version, or the error that stopped it."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "id": "5f0c9d6e2b7a41c38d9e0f11", "state": "running", "stage": "embedding", "done": 64, "total": 118,
                    "result": None, "made_stale": 0, "reports": [], "error": None,
                }
            ]
        },
    )  # fmt: skip
    id: str
    state: Literal["draft", "waiting", "running", "done", "failed"]
    stage: str
    done: int
    total: int
    result: Added | None
    made_stale: int
    reports: list[_Report]
    error: dict[str, Any] | None
