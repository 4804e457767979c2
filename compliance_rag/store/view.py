"""What one knowledge of a snapshot amounts to, and the clause dates worked out from it so far."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from compliance_rag.store.timeline import Timeline
from schemas.clause import Path
from schemas.dates import Interval


class View:
    """The timeline of one knowledge over a snapshot, with what was worked out from it so far."""

    def __init__(self, timeline: Timeline) -> None:
        self.timeline = timeline
        self.standings = {(item.row.doc_id, item.row.version_id): item for group in timeline.values() for item in group}
        self.by_index = {item.row.index: item for group in timeline.values() for item in group}
        self.clause_dates: dict[int, list[Interval] | None] = {}
        self.confirmed: dict[int, frozenset[int]] = {}


@dataclass(frozen=True, slots=True)
class Dated:
    """What clause dates need of a clause."""

    path: Path
    number: str | None
    aliases: tuple[str, ...]
    parent: Path | None
    effective_from: date | None
    effective_to: date | None
