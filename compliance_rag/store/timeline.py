"""Which version is in force: pure functions over recorded versions and time events (effective time and recorded time).

The rule: among the versions known, published, not void, not draft and not replaced by a correction, the one with the latest
effective start not after the day (equal starts: the later recorded). If it has ended by that day, none is in force: an earlier
version never comes back, except when its successor is voided.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, Protocol

from compliance_rag.store.rows import TimeEvent, VersionRow
from schemas.clause import Path
from schemas.dates import Interval

Basis = Literal["recorded", "published"]
Reason = Literal["not_in_force", "not_yet_in_force", "gap", "expired", "repealed", "withdrawn", "held"]
State = Literal["in_force", "future", "superseded", "expired", "repealed", "withdrawn", "held", "staged", "draft"]
Key = tuple[str, str]
"""(doc_id, language)."""


@dataclass(frozen=True, slots=True)
class Knowledge:
    """What is known: recorded by ``known_at``, or published by its day. ``recorded_by`` bounds a published reading to what the
    home held at some instant, so that an answer given on that basis can be derived again. ``docs``: the only documents that may
    be known at all (None: any); to who may not know a document it does not exist, in no list, link, statistic or error."""

    known_at: datetime
    basis: Basis = "recorded"
    recorded_by: datetime | None = None
    docs: frozenset[str] | None = None

    def version(self, row: VersionRow) -> bool:
        """True when ``row`` is known. A version without a published date counts from its recording."""
        if self.docs is not None and row.doc_id not in self.docs:
            return False
        if self.recorded_by is not None and row.recorded_at > self.recorded_by:
            return False
        if self.basis == "published" and row.published_on is not None:
            return row.published_on <= self.known_at.date()
        return row.recorded_at <= self.known_at

    def event(self, event: TimeEvent) -> bool:
        """True when ``event`` is known. On the published basis a withdrawal counts from its own day; voidings and redatings
        correct our own record and always count."""
        if self.docs is not None and event.doc_id not in self.docs:
            return False
        if self.recorded_by is not None and event.recorded_at > self.recorded_by:
            return False
        if self.basis == "published":
            return event.kind != "withdraw" or event.start is None or event.start <= self.known_at.date()
        return event.recorded_at <= self.known_at


@dataclass(frozen=True, slots=True)
class Standing:
    """A version as known. ``start``/``end`` are its own dates after redatings and withdrawals, ``cause`` is what its end means.
    ``live``: published, not draft, not void, not corrected. ``window`` is when it is in force (empty when never)."""

    row: VersionRow
    start: date
    end: date | None
    cause: Literal["expired", "repealed", "withdrawn"]
    void: bool
    corrected: bool
    live: bool
    successor: date | None = None

    @property
    def window(self) -> Interval:
        """In force from its start until its own end or its successor's start, whichever comes first."""
        return Interval(self.start, _earlier(self.end, self.successor))

    @property
    def governed_until(self) -> date | None:
        """When it stops being in force: its own end or its successor's start, whichever comes first; its start when that is
        earlier still."""
        end = self.window.end
        return self.start if end is not None and end < self.start else end

    @property
    def shown_end(self) -> date | None:
        """``effective_to`` as `docs` shows it: its own end, else the successor's start as known."""
        if self.cause == "withdrawn":
            end = _earlier(self.end, self.successor)
            return self.start if end is not None and end < self.start else end
        return self.end if self.end is not None else self.successor


@dataclass(frozen=True, slots=True)
class Decision:
    """What is in force of one document in one language: ``version`` with its ``interval``, or None and the ``reason``.

    ``pending`` are versions held or staged whose dates say they should already apply: an answer must mention them.
    """

    doc_id: str
    language: str
    version: VersionRow | None
    interval: Interval | None
    reason: Reason | None
    pending: tuple[VersionRow, ...] = ()
    next_start: date | None = None


@dataclass(frozen=True, slots=True)
class Upcoming:
    """A change known to come: another version starts, or the one in force ends; of a cited clause (``number``), its own end, or
    a day that its own words name (``quote``)."""

    day: date
    kind: Literal["version_starts", "version_ends", "withdrawn", "clause_ends", "clause_names_day"]
    doc_id: str
    language: str
    version_id: str
    number: str | None = None
    quote: str | None = None


Timeline = dict[Key, tuple[Standing, ...]]
"""Standings of every document and language, in the order (start, recorded)."""


def _earlier(one: date | None, other: date | None) -> date | None:
    days = [day for day in (one, other) if day is not None]
    return min(days, default=None)


def latest_rows(versions: Iterable[VersionRow], knowledge: Knowledge) -> list[VersionRow]:
    """The last known record of each version: a version held or staged first and published later has several."""
    last: dict[str, VersionRow] = {}
    for row in versions:
        if knowledge.version(row) and (row.ref not in last or last[row.ref].index < row.index):
            last[row.ref] = row
    return list(last.values())


def _touches(event: TimeEvent, row: VersionRow) -> bool:
    return event.number is None and event.version_id in (None, row.version_id)


def _own_dates(
    row: VersionRow, events: Sequence[TimeEvent]
) -> tuple[date, date | None, Literal["expired", "repealed", "withdrawn"]]:
    start, end = row.declared.start or date.min, row.declared.end
    for event in events:
        if event.kind == "redate" and _touches(event, row):
            start, end = event.start or start, event.end or end
    cause: Literal["expired", "repealed", "withdrawn"] = "repealed" if row.metadata.get("repealed_by") else "expired"
    for event in events:
        if event.kind != "withdraw" or not _touches(event, row):
            continue
        day = event.start or start
        reborn = event.version_id is None and row.index > event.index and start >= day
        if not reborn and (end is None or day < end):
            end, cause = day, "withdrawn"
    return start, end, cause


def _voided(row: VersionRow, events: Sequence[TimeEvent]) -> bool:
    return any(event.kind == "void" and _touches(event, row) and row.index < event.index for event in events)


def _corrected(rows: Sequence[VersionRow], alive: set[str]) -> set[str]:
    """Version ids replaced by a correction that stands, through chains of corrections."""
    replaces = {row.version_id: row.supersedes for row in rows}
    gone: set[str] = set()
    for version_id in alive:
        target = replaces.get(version_id)
        while target is not None and target not in gone:
            gone.add(target)
            target = replaces.get(target)
    return gone


def _document(rows: Sequence[VersionRow], events: Sequence[TimeEvent]) -> list[Standing]:
    void = {row.version_id for row in rows if _voided(row, events)}
    alive = {row.version_id for row in rows if row.state == "published" and row.status != "draft"} - void
    corrected = _corrected(rows, alive)
    standings = []
    for row in rows:
        start, end, cause = _own_dates(row, events)
        is_corrected = row.version_id in corrected
        live = row.version_id in alive and not is_corrected
        standings.append(Standing(row, start, end, cause, row.version_id in void, is_corrected, live))
    return standings


def _with_successors(standings: list[Standing]) -> tuple[Standing, ...]:
    ordered = sorted(standings, key=lambda item: (item.start, item.row.index))
    following: date | None = None
    result: list[Standing] = []
    for item in reversed(ordered):
        successor = following
        if item.live:
            following = item.start
        elif not item.corrected:
            successor = None
        result.append(Standing(item.row, item.start, item.end, item.cause, item.void, item.corrected, item.live, successor))
    return tuple(reversed(result))


def build(versions: Iterable[VersionRow], events: Iterable[TimeEvent], knowledge: Knowledge) -> Timeline:
    """Every document's standings as known; documents of which nothing is known are absent."""
    heard: dict[str, list[TimeEvent]] = defaultdict(list)
    for event in sorted(events, key=lambda item: item.index):
        if knowledge.event(event):
            heard[event.doc_id].append(event)
    documents: dict[str, list[VersionRow]] = defaultdict(list)
    for row in latest_rows(versions, knowledge):
        documents[row.doc_id].append(row)
    groups: dict[Key, list[Standing]] = defaultdict(list)
    for doc_id, rows in documents.items():
        for standing in _document(rows, heard[doc_id]):
            groups[doc_id, standing.row.language].append(standing)
    return {key: _with_successors(group) for key, group in sorted(groups.items())}


def candidate(standings: Sequence[Standing], as_of: date) -> Standing | None:
    """The live version with the latest start not after ``as_of`` (equal starts: the later recorded)."""
    found = None
    for item in standings:
        if item.live and item.start <= as_of:
            found = item
    return found


def _why_none(standings: Sequence[Standing], chosen: Standing | None, as_of: date) -> Reason:
    if chosen is not None:
        if chosen.cause != "expired":
            return chosen.cause
        return "gap" if chosen.successor is not None else "expired"
    if any(item.row.state != "published" and not item.void and item.start <= as_of for item in standings):
        return "held"
    if any(item.live for item in standings):
        return "not_yet_in_force"
    if any(item.row.state != "published" and not item.void for item in standings):
        return "held"
    return "withdrawn" if any(item.void for item in standings) else "not_in_force"


def decide(key: Key, standings: Sequence[Standing], as_of: date) -> Decision:
    """What of one document and language is in force on ``as_of``."""
    chosen = candidate(standings, as_of)
    floor = date.min if chosen is None else chosen.start
    pending = tuple(
        item.row
        for item in standings
        if item.row.state != "published" and not item.void and not item.corrected and floor <= item.start <= as_of
    )
    later = min((item.start for item in standings if item.live and item.start > as_of), default=None)
    if chosen is not None and chosen.window.holds(as_of):
        return Decision(*key, chosen.row, chosen.window, None, pending, later)
    return Decision(*key, None, None, _why_none(standings, chosen, as_of), pending, later)


def in_force(
    versions: Iterable[VersionRow], events: Iterable[TimeEvent], as_of: date, known_at: datetime, basis: Basis = "recorded"
) -> dict[Key, Decision]:
    """At most one version per document and language (law 3), with the reason where there is none."""
    timeline = build(versions, events, Knowledge(known_at, basis))
    return {key: decide(key, standings, as_of) for key, standings in timeline.items()}


def state(standings: Sequence[Standing], item: Standing, as_of: date) -> State:
    """The state `docs` shows for one version of ``standings`` on ``as_of``."""
    if item.void:
        return "withdrawn"
    if item.row.state != "published":
        return item.row.state
    if item.row.status == "draft":
        return "draft"
    if item.corrected:
        return "superseded"
    if item.start > as_of:
        return "future"
    if item is candidate(standings, as_of):
        return "in_force" if item.window.holds(as_of) else item.cause
    ended_first = item.end is not None and (item.successor is None or item.end <= item.successor)
    return item.cause if ended_first and item.cause != "expired" else "superseded"


def correction_of(standings: Sequence[Standing], item: Standing) -> VersionRow | None:
    """The correction that stands in the place of ``item``, the last of a chain; None when it is not corrected away."""
    if not item.corrected:
        return None
    following = {one.row.supersedes: one for one in standings if one.live or one.corrected}
    last = item
    while last.row.version_id in following:
        last = following[last.row.version_id]
    return last.row


def upcoming(timeline: Timeline, doc_id: str, as_of: date) -> list[Upcoming]:
    """Changes after ``as_of`` known for one document, in the order of their days."""
    found: list[Upcoming] = []
    for (doc, language), standings in timeline.items():
        if doc != doc_id:
            continue
        for item in standings:
            if not item.live:
                continue
            if item.start > as_of and item.window.start != item.window.end:
                found.append(Upcoming(item.start, "version_starts", doc, language, item.row.version_id))
            if item.end is not None and item.end > as_of and item.window.end == item.end and item.successor != item.end:
                kind: Literal["withdrawn", "version_ends"] = "withdrawn" if item.cause == "withdrawn" else "version_ends"
                found.append(Upcoming(item.end, kind, doc, language, item.row.version_id))
    return sorted(found, key=lambda change: (change.day, change.language, change.kind))


def clause_redates(events: Iterable[TimeEvent], knowledge: Knowledge, doc_id: str, version_id: str) -> dict[str, Interval]:
    """Redatings of single clauses as known, by number; the last one recorded wins, date by date."""
    dates: dict[str, Interval] = {}
    for event in sorted(events, key=lambda item: item.index):
        if event.number is None or event.kind != "redate" or not knowledge.event(event):
            continue
        if event.doc_id == doc_id and event.version_id in (None, version_id):
            earlier = dates.get(event.number, Interval(None, None))
            dates[event.number] = Interval(event.start or earlier.start, event.end or earlier.end)
    return dates


class DatedClause(Protocol):
    """What the dates of a clause depend on; a :class:`Clause` has it."""

    @property
    def path(self) -> Path: ...  # noqa: D102
    @property
    def number(self) -> str | None: ...  # noqa: D102
    @property
    def aliases(self) -> tuple[str, ...]: ...  # noqa: D102
    @property
    def parent(self) -> Path | None: ...  # noqa: D102
    @property
    def effective_from(self) -> date | None: ...  # noqa: D102
    @property
    def effective_to(self) -> date | None: ...  # noqa: D102


def clause_intervals(clauses: Sequence[DatedClause], redates: dict[str, Interval]) -> list[Interval]:
    """Each clause's own days, None-open where the version's hold. A clause is in force only while its parents are.

    ``clauses`` in document order, parents before their children; a redating names a number, an alias or a path.
    """
    resolved: dict[Path, Interval] = {}
    result: list[Interval] = []
    for clause in clauses:
        own = Interval(clause.effective_from, clause.effective_to)
        for name in (clause.number, *clause.aliases, "/".join(clause.path)):
            if name is not None and name in redates:
                moved = redates[name]
                own = Interval(moved.start or own.start, moved.end or own.end)
                break
        if clause.parent is not None and clause.parent in resolved:
            own = own.meet(resolved[clause.parent])
        resolved[clause.path] = own
        result.append(own)
    return result


def confirmed_clauses(clauses: Sequence[DatedClause], redates: dict[str, Interval]) -> frozenset[int]:
    """Places of the clauses that a redating names, or that stand under such a clause: their days are settled by a person.

    ``clauses`` and ``redates`` as for :func:`clause_intervals`.
    """
    settled: set[Path] = set()
    places: set[int] = set()
    for place, clause in enumerate(clauses):
        names = {clause.number, *clause.aliases, "/".join(clause.path)}
        if clause.parent in settled or not names.isdisjoint(redates):
            settled.add(clause.path)
            places.add(place)
    return frozenset(places)


def clause_reason(own: Interval, as_of: date) -> Literal["not_yet_in_force", "expired"] | None:
    """Why a clause of a version in force is itself not in force on ``as_of``; None when it is."""
    if own.start is not None and as_of < own.start:
        return "not_yet_in_force"
    return "expired" if own.end is not None and own.end <= as_of else None
