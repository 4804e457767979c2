"""One manifest entry: one document version to ingest, as `add` options with underscores."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict


class ClauseDates(BaseModel):
    """Confirmed dates of one clause, ends exclusive."""

    model_config = ConfigDict(extra="forbid")
    effective_from: date | None = None
    effective_to: date | None = None


class ManifestEntry(BaseModel):
    """Keys of ``add``; unknown keys are kept as metadata (``extra``)."""

    model_config = ConfigDict(extra="allow")
    file: str
    doc_id: str
    version: str
    effective_from: date
    effective_to: date | None = None
    published_on: date | None = None
    title: str | None = None
    jurisdiction: str | None = None
    language: str | None = None
    kind: str | None = None
    status: Literal["official", "consolidated", "draft"] = "official"
    part_of: str | None = None
    amends: str | None = None
    translation_of: str | None = None
    authentic: bool = False
    tracked: Literal["final", "original"] | None = None
    model_use: Literal["never", "internal", "any"] = "any"
    correct: bool = False
    clause_dates: dict[str, ClauseDates] = {}

    @property
    def metadata(self) -> dict[str, Any]:
        """The keys this release does not know, kept as they came."""
        return dict(self.model_extra or {})
