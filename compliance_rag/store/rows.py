"""Rows as the rooms above the store see them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Any, Literal

from schemas.clause import Clause
from schemas.dates import Interval, print_day, print_instant
from schemas.errors import NotFound
from schemas.ids import clause_id, version_ref
from schemas.objects import ClauseObject, RiskObject


@dataclass(frozen=True, slots=True)
class VersionRow:
    """One recorded version. ``declared`` holds the manifest's dates; what is in force is worked out by the timeline.

    ``recorded_at`` is the instant of its ledger record; ``index`` that record's place in the ledger; ``root`` the version
    root; ``supersedes`` the version id that a correction replaces.
    """

    doc_id: str
    version: str
    version_id: str
    title: str
    jurisdiction: str | None
    language: str
    kind: str | None
    status: Literal["official", "consolidated", "draft"]
    state: Literal["published", "held", "staged"]
    declared: Interval
    published_on: date | None
    recorded_at: datetime
    index: int
    root: str
    source_sha256: str
    extracted_sha256: str
    parser_version: str
    clause_count: int
    supersedes: str | None = None
    part_of: str | None = None
    amends: str | None = None
    translation_of: str | None = None
    authentic: bool = False
    model_use: Literal["never", "internal", "any"] = "any"
    flags: dict[str, int] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def ref(self) -> str:
        """``doc_id@version_id``."""
        return version_ref(self.doc_id, self.version_id)


@dataclass(frozen=True, slots=True)
class TimeEvent:
    """A withdrawal, a voiding or a redating, as recorded. ``version_id`` None: the whole document from ``start``."""

    kind: Literal["withdraw", "void", "redate"]
    doc_id: str
    version_id: str | None
    number: str | None
    start: date | None
    end: date | None
    reason: str
    recorded_at: datetime
    index: int


def unknown_document(doc_id: str, rows: Iterable[VersionRow], permitted: frozenset[str] | None = None) -> NotFound:
    """The error for a document of which nothing is known: with the instant it was first recorded where that came later. Of what
    is not ``permitted`` nothing is said."""
    instants = [row.recorded_at for row in rows if row.doc_id == doc_id and (permitted is None or doc_id in permitted)]
    if not instants:
        return NotFound("unknown_document", f"There is no document {doc_id!r} here.", doc_id)
    first = print_instant(min(instants))
    return NotFound("unknown_document", f"Document {doc_id!r} was not known then: it was first recorded at {first}.", doc_id)


def settled(clause: Clause) -> Clause:
    """The clause without the flag that its days are only found in its text: a person has confirmed them."""
    return replace(clause, flags=tuple(flag for flag in clause.flags if flag != "dates_unconfirmed"))


@dataclass(frozen=True, slots=True)
class StoredClause:
    """A clause with its version. ``interval`` is when it is in force as known at the instant of the read (version and
    clause dates met, successor's start included); ``seq`` its place in the document; ``lineage_id`` stays through versions."""

    clause: Clause
    version: VersionRow
    lineage_id: str
    interval: Interval
    seq: int
    # ``doc_id@version_id#path``, put together once: a question looks at it hundreds of times.
    clause_id: str = field(init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "clause_id", clause_id(self.version.doc_id, self.version.version_id, self.clause.path))

    @property
    def parent_id(self) -> str | None:
        """The parent's clause id, None at the top."""
        parent = self.clause.parent
        return None if parent is None else clause_id(self.version.doc_id, self.version.version_id, parent)

    def fields(self) -> dict[str, Any]:
        """The clause object's fields, for building any object that extends it."""
        clause, version = self.clause, self.version
        return {
            "clause_id": self.clause_id,
            "doc_id": version.doc_id,
            "version": version.version,
            "version_id": version.version_id,
            "number": clause.number,
            "label": clause.label,
            "aliases": list(clause.aliases),
            "heading": clause.heading,
            "heading_path": list(clause.heading_path),
            "depth": clause.depth,
            "parent": self.parent_id,
            "kinds": list(clause.kinds),
            "text": clause.text,
            "sha256": clause.sha256,
            "spans": list(clause.spans),
            "page": clause.page,
            "boxes": list(clause.boxes),
            "box_ranges": list(clause.box_ranges),
            "effective_from": print_day(self.interval.start),
            "effective_to": print_day(self.interval.end),
            "lineage_id": self.lineage_id,
            "source_id": clause.source_id,
            "risks": [RiskObject(kind=risk.kind, level=risk.level) for risk in clause.risks],
            "flags": list(clause.flags),
        }

    def to_object(self) -> ClauseObject:
        """The contract's clause object."""
        return ClauseObject(**self.fields())
