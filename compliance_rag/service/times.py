"""Withdrawing, voiding and redating: new records, nothing overwritten."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from compliance_rag.service.homes import HomeHandle, roll_forward
from compliance_rag.service.ingest import commit
from compliance_rag.service.records import event_draft
from compliance_rag.service.stage import named
from compliance_rag.store.lock import writer_lock
from compliance_rag.store.naming import version_named
from compliance_rag.store.rows import TimeEvent, VersionRow
from compliance_rag.store.timeline import Knowledge, Standing
from schemas.clause import Path
from schemas.dates import today
from schemas.errors import InputRejected, NotFound, UsageError

_UNSET = datetime.max.replace(tzinfo=UTC)


def withdraw(
    handle: HomeHandle,
    doc_id: str,
    *,
    version: str | None = None,
    start: date | None = None,
    void: bool = False,
    reason: str,
    actor: str,
    actor_auth: str = "asserted",
) -> TimeEvent:
    """Repeal a document or one version from ``start`` (today when not given), or with ``void`` say that it never was valid.
    What is withdrawn so already stays with its first record, which is given back. Voiding a corrected version by its label adds
    a record for each text of it; the last one is given back.

    Raises NotFound ``unknown_document``, ``unknown_version``; UsageError ``void_with_date``; InputRejected ``no_reason``.
    """
    if void and start is not None:
        raise UsageError("void_with_date", "--void means never valid: it takes no --from.")
    with writer_lock(handle.home):
        _known(handle, doc_id)
        day = None if void else start or today(handle.settings.time_zone)
        named_ids = [None] if version is None else _meant(handle, doc_id, version, void=void)
        kind: Literal["void", "withdraw"] = "void" if void else "withdraw"
        events = [TimeEvent(kind, doc_id, version_id, None, day, None, reason, _UNSET, -1) for version_id in named_ids]
        _need_reason(events[-1])
        earlier = [_already(handle, event, given=start is not None) for event in events]
        fresh = [event for event, done in zip(events, earlier, strict=True) if done is None]
        if not fresh:
            return next(done for done in reversed(earlier) if done is not None)
        commit(handle, [event_draft(event, actor, actor_auth) for event in fresh])
        return replace(handle.corpus().events[-1], reason=reason)


def _meant(handle: HomeHandle, doc_id: str, name: str, *, void: bool) -> list[str | None]:
    """Version ids that a withdrawal of ``name`` touches, the text that stands last. A label that is voided means the version
    with every text recorded under it, so that no earlier text of it comes back; an id means that text alone."""
    row = version_named(handle.corpus(), doc_id, name)
    if not void or row.version != name:
        return [row.version_id]
    rows = sorted((one for one in handle.corpus().versions if one.doc_id == doc_id), key=lambda one: one.index)
    earlier = dict.fromkeys(one.version_id for one in rows if one.version == name and one.language == row.language)
    return [*(one for one in earlier if one != row.version_id), row.version_id]


def _already(handle: HomeHandle, event: TimeEvent, *, given: bool) -> TimeEvent | None:
    """The withdrawal on record that says the same (where no day was ``given``: from an earlier day), unless a version that it
    does not touch was recorded after it."""
    corpus = handle.corpus()
    for earlier in corpus.events:
        if (earlier.kind, earlier.doc_id, earlier.version_id) != (event.kind, event.doc_id, event.version_id):
            continue
        same = earlier.start == event.start
        if not given and earlier.start is not None and event.start is not None:
            same = earlier.start <= event.start
        touched = [row for row in corpus.versions if row.doc_id == event.doc_id and event.version_id in (None, row.version_id)]
        if same and all(row.index < earlier.index for row in touched):
            return earlier
    return None


def redate(
    handle: HomeHandle,
    doc_id: str,
    version: str,
    *,
    number: str | None = None,
    effective_from: date | None = None,
    effective_to: date | None = None,
    reason: str,
    actor: str,
    actor_auth: str = "asserted",
) -> TimeEvent:
    """Give a version, or one clause of it, other days; a day that is not given stays.

    Raises NotFound ``unknown_document``, ``unknown_version``, ``unknown_clause_number``; InputRejected ``ambiguous_clause``,
    ``empty_interval``, ``no_reason``; UsageError ``no_dates``.
    """
    if effective_from is None and effective_to is None:
        raise UsageError("no_dates", "redate needs --effective-from or --effective-to.")
    with writer_lock(handle.home):
        standings = _known(handle, doc_id)
        row = version_named(handle.corpus(), doc_id, version)
        path: Path | None = None
        if number is None:
            own = next(item for item in standings if item.row.version_id == row.version_id)
            start, end = effective_from or own.start, effective_to or own.end
        else:
            path = _path_of(handle, row, number)
            start, end = effective_from or date.min, effective_to
        if end is not None and end <= start:
            raise InputRejected(
                "empty_interval", f"{row.ref}: effective_to {end} is not after effective_from {start}.", row.ref
            )
        event = TimeEvent("redate", doc_id, row.version_id, number, effective_from, effective_to, reason, _UNSET, -1)
        return _record(handle, event, actor, actor_auth, path)


def passed_by(handle: HomeHandle, event: TimeEvent) -> list[dict[str, str]]:
    """What an editor should look at after a redating: versions of the document that the redated one now comes before, or after,
    and did not before; ``{"code", "text"}`` each, naming both."""
    if event.kind != "redate" or event.number is not None:
        return []
    corpus = handle.corpus()
    flags = []
    before = corpus.timeline(Knowledge(event.recorded_at - timedelta(microseconds=1)))
    for key, standings in corpus.timeline(Knowledge(event.recorded_at)).items():
        moved = next((item for item in standings if item.live and item.row.version_id == event.version_id), None)
        if key[0] != event.doc_id or moved is None:
            continue
        was = {item.row.version_id: place for place, item in enumerate(before.get(key, ()))}
        own, now = was[moved.row.version_id], standings.index(moved)
        for place, other in enumerate(standings):
            if other.live and other is not moved and (was[other.row.version_id] < own) != (place < now):
                side = "after" if place < now else "before"
                heir = moved if side == "after" else other
                text = (
                    f"{moved.row.ref} now starts on {moved.start}, {side} {other.row.ref} ({other.start}), which turns their "
                    f"order round: {heir.row.ref} now replaces the other."
                )
                flags.append({"code": "order_turned", "text": text})
    return flags


def _path_of(handle: HomeHandle, row: VersionRow, number: str) -> Path:
    """The one clause that a number, an alias or a path names."""
    found = [item.clause.path for item in handle.corpus().clauses_of(row.doc_id, row.version_id) if named(item.clause, number)]
    if not found:
        raise NotFound("unknown_clause_number", f"{row.ref} has no clause {number!r}.", f"{row.ref} {number}")
    if len(found) > 1:
        paths = ", ".join("/".join(path) for path in found)
        raise InputRejected("ambiguous_clause", f"{row.ref}: {number!r} names {paths}; name one by its path.", row.ref)
    return found[0]


def _known(handle: HomeHandle, doc_id: str) -> list[Standing]:
    roll_forward(handle)
    handle.ledger.refresh()
    standings = [item for (doc, _), group in handle.corpus().timeline().items() if doc == doc_id for item in group]
    if not standings:
        raise NotFound("unknown_document", f"There is no document {doc_id!r} here.", doc_id)
    return standings


def _need_reason(event: TimeEvent) -> None:
    if not event.reason.strip():
        raise InputRejected("no_reason", "A reason is needed: it goes on the record.")


def _record(handle: HomeHandle, event: TimeEvent, actor: str, actor_auth: str, path: Path | None = None) -> TimeEvent:
    _need_reason(event)
    commit(handle, [event_draft(event, actor, actor_auth, path)])
    return replace(handle.corpus().events[-1], number=event.number, reason=event.reason)
