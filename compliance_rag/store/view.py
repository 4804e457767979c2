"""What one knowledge of a snapshot amounts to, and the clause dates worked out from it so far."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any

from compliance_rag.store.clauses import Placed, split_path
from compliance_rag.store.timeline import Timeline
from schemas.clause import Path
from schemas.dates import Interval

# Versions kept: only those in which some clause is dated apart, a few hundred bytes a clause.
DATED_KEPT = 1_000


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


class DatedKept:
    """What the dates of a version's clauses depend on, read once: a published copy never changes. Safe for several threads."""

    def __init__(self, query: Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]) -> None:
        self._query = query
        self._kept: OrderedDict[int, list[Dated]] = OrderedDict()
        self._guard = threading.Lock()

    def of(self, placed: Placed) -> list[Dated]:
        """The clauses of a version in document order."""
        with self._guard:
            found = self._kept.get(placed.first_rid)
        if found is None:
            rows = self._query(
                "SELECT path, number, aliases, parent, effective_from, effective_to FROM clauses "
                "WHERE rid >= ? AND rid < ? ORDER BY rid",
                [placed.first_rid, placed.end_rid],
            )
            found = [
                Dated(split_path(path), number, tuple(aliases), None if parent is None else split_path(parent), start, end)
                for path, number, aliases, parent, start, end in rows
            ]
            with self._guard:
                self._kept[placed.first_rid] = found
                while len(self._kept) > DATED_KEPT:
                    self._kept.popitem(last=False)
        return found
