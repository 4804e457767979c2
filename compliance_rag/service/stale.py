"""Answers gone stale: which clauses that a past answer cites were changed, removed or touched since it was given.

Since: an answer is measured against what was known when it was given. It is stale when, for its own day, another text holds
now than held then (a correction, a redating, a withdrawal, a version recorded later); or, when it was asked as of the day of
asking, when what is in force today says something else. An answer about another day does not go stale because the present
moves on.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from compliance_rag.changes.fates import Fate, cited_elsewhere, fates
from compliance_rag.changes.sides import Pair, load_pair
from compliance_rag.service.homes import HomeHandle
from compliance_rag.store.corpus import Corpus
from compliance_rag.store.links import links_of
from compliance_rag.store.rows import StoredClause, VersionRow
from compliance_rag.store.timeline import Knowledge, decide
from schemas.canonical import canonical_json, sha256_text
from schemas.dates import day_in, parse_day, parse_instant, today
from schemas.errors import NotFound
from schemas.ids import read_clause_id
from schemas.stale import StaleClause, StaleDecision, StaleItem


@dataclass(frozen=True, slots=True)
class _Point:
    """A day, and what was known."""

    day: date
    known: Knowledge


class Watch:
    """What a past answer rests on, compared with ``now``; pairs of versions are compared once."""

    def __init__(self, corpus: Corpus, now: Knowledge, day: date, time_zone: str | None) -> None:
        self._corpus = corpus
        self._now = _Point(day, now)
        self._time_zone = time_zone
        recorded = [row.recorded_at for row in corpus.versions] + [event.recorded_at for event in corpus.events]
        self._instants = sorted(recorded)
        self._pairs: dict[tuple[int, int], tuple[Pair, dict[str, Fate]]] = {}

    def stale_clauses(self, header: Mapping[str, Any], known_at: datetime) -> list[StaleClause]:
        """The cited clauses of an answer that no longer say what they said at ``known_at``, in the order cited."""
        then = Knowledge(self._settled(known_at))
        as_of = parse_day(header["as_of"])
        asked = day_in(parse_instant(header["recorded_at"]), self._time_zone)
        spans = [(_Point(as_of, then), _Point(as_of, self._now.known))]
        if as_of == asked:
            spans.append((_Point(asked, then), self._now))
        found: list[StaleClause] = []
        for cited in header["cited"]:
            for before, after in spans:
                fate = self._fate(cited["clause_id"], before, after)
                if fate is not None:
                    old = self._corpus.clause(cited["clause_id"], then).to_object()
                    found.append(
                        StaleClause(before=old, after=fate.after, cause=fate.cause, ripple=fate.ripple, origin=fate.origin)
                    )
                    break
        return found

    def _settled(self, known_at: datetime) -> datetime:
        """The last instant not after ``known_at`` at which anything was recorded: the same knowledge, so that the few there are
        stay cached."""
        at = bisect_right(self._instants, known_at)
        return self._instants[at - 1] if at else known_at

    def _fate(self, clause_id: str, then: _Point, now: _Point) -> Fate | None:
        """None when the clause was not the one in force then, or still holds and says the same."""
        doc_id, version_id, _ = read_clause_id(clause_id)
        was, is_now = self._in_force(doc_id, version_id, then), self._in_force(doc_id, version_id, now)
        if was is None or was.version_id != version_id:
            return None
        before = self._corpus.clause(clause_id, then.known)
        if not before.interval.holds(then.day):
            return None
        if is_now is None:
            return Fate("removed", None)
        mate_id: str | None = clause_id
        if is_now.version_id != version_id:
            pair, known = self._compared(was, is_now)
            if clause_id in known and known[clause_id].after is None:
                return known[clause_id]
            mate_id = pair.mates.get(clause_id)
            found = known.get(clause_id)
        else:
            found = None
        after = None if mate_id is None else self._corpus.clause(mate_id, now.known)
        if after is None:
            return found
        if not after.interval.holds(now.day):
            return Fate("removed", None)
        return found or self._through_others(before, after, then, now)

    def _in_force(self, doc_id: str, version_id: str, point: _Point) -> VersionRow | None:
        standing = self._corpus.standing(doc_id, version_id, self._now.known)
        if standing is None:
            return None
        key = (doc_id, standing.row.language)
        standings = self._corpus.timeline(point.known).get(key, ())
        return decide(key, standings, point.day).version

    def _compared(self, before: VersionRow, after: VersionRow) -> tuple[Pair, dict[str, Fate]]:
        key = (before.index, after.index)
        if key not in self._pairs:
            pair = load_pair(self._corpus, before, after, self._now.known)
            self._pairs[key] = (pair, fates(pair))
        return self._pairs[key]

    def _through_others(self, before: StoredClause, after: StoredClause, then: _Point, now: _Point) -> Fate | None:
        """A clause of another document that this one cites without naming an edition no longer says what it said."""
        (links,) = links_of(self._corpus, [before], then.day, then.known)
        for item in links.references:
            if item.reference.mode != "dynamic" or item.target is None:
                continue
            if read_clause_id(item.target)[0] == before.version.doc_id:
                continue
            fate = self._own_fate(item.target, then, now)
            if fate is not None:
                was = self._corpus.clause(item.target, self._now.known).to_object()
                return cited_elsewhere(after.to_object(), item.reference.text, was, fate)
        return None

    def _own_fate(self, clause_id: str, then: _Point, now: _Point) -> Fate | None:
        """The fate of a clause of another document, without what it cites in turn."""
        doc_id, version_id, _ = read_clause_id(clause_id)
        was, is_now = self._in_force(doc_id, version_id, then), self._in_force(doc_id, version_id, now)
        if was is None or was.version_id != version_id:
            return None
        if is_now is None:
            return Fate("removed", None)
        return None if is_now.version_id == version_id else self._compared(was, is_now)[1].get(clause_id)


def list_stale(
    handle: HomeHandle,
    *,
    knowledge: Knowledge | None = None,
    day: date | None = None,
    since: datetime | None = None,
    only_open: bool = False,
) -> list[StaleItem]:
    """Past answers that went stale, in the order asked; ``since``: only what it is stale by now and was not at that instant.
    ``only_open``: without a decision on what it is stale by now. ``day`` (default: today) is the day whose text counts as now.

    Raises IntegrityError when a record or a clause is damaged.
    """
    from compliance_rag.service.asking import knowledge_of

    corpus = handle.corpus()
    known = knowledge or knowledge_of(handle, corpus, None, "recorded")
    zone = handle.settings.time_zone
    watch = Watch(corpus, known, day or today(zone), zone)
    decisions = _decisions(handle, known.known_at)
    found: list[StaleItem] = []
    for index, header in handle.ledger.headers(0, {"answer"}):
        if not header["cited"] or parse_instant(header["recorded_at"]) > known.known_at:
            continue
        item = _item(handle, watch, index, header, decisions.get(header["answer_id"], []))
        if item is not None and not (only_open and item.decision is not None):
            found.append(item)
    return found if since is None else newly(handle, found, since)


def newly(handle: HomeHandle, items: Sequence[StaleItem], since: datetime) -> list[StaleItem]:
    """Those of ``items`` that were not yet stale, or not by the same changes, at ``since``."""
    zone = handle.settings.time_zone
    earlier = Watch(handle.corpus(), Knowledge(since), day_in(since, zone), zone)
    return [item for item in items if not _stale_alike(handle, earlier, item, since)]


def _stale_alike(handle: HomeHandle, earlier: Watch, item: StaleItem, since: datetime) -> bool:
    if parse_instant(item.asked_at) > since:
        return False
    index = handle.ledger.find("answer", "answer_id", item.answer_id)
    header = handle.ledger.header(-1 if index is None else index)
    return covers(_clauses(handle, earlier, header)[0]) == covers(item.clauses)


def instant_before(handle: HomeHandle) -> datetime:
    """Now, after everything on the ledger: what a batch that follows makes stale is :func:`newly` stale since then."""
    handle.ledger.refresh()
    now = datetime.now(UTC)
    return max(now, parse_instant(handle.ledger.header(handle.ledger.size - 1)["recorded_at"])) if handle.ledger.size else now


def _clauses(handle: HomeHandle, watch: Watch, header: Mapping[str, Any]) -> tuple[list[StaleClause], str | None]:
    """The stale clauses and the question, None when it is erased. An answer asked as known at an earlier instant is measured
    from when it was given: what was left out on purpose did not go stale."""
    recorded_at = parse_instant(header["recorded_at"])
    basis = header.get("known_basis", "recorded")
    # Records of earlier releases may say that they read as of an instant still ahead; nothing was known after they were made.
    known_at = min(parse_instant(header["known_at"]), recorded_at) if basis == "recorded" else recorded_at
    found = watch.stale_clauses(header, known_at)
    if not found:
        return [], None
    try:
        request = json.loads(handle.ledger.part(header, "question"))
    except NotFound as error:
        if error.code != "erased":
            raise
        return found, None
    if request["known_at_given"]:
        found = watch.stale_clauses(header, recorded_at)
    return found, request["question"]


def _item(
    handle: HomeHandle, watch: Watch, index: int, header: Mapping[str, Any], records: Iterable[Mapping[str, Any]]
) -> StaleItem | None:
    clauses, question = _clauses(handle, watch, header)
    if not clauses:
        return None
    owner = due = None
    decisions: list[StaleDecision] = []
    digest = covers(clauses)
    for record in records:
        if record["event"] == "assign":
            owner, due = record["owner"], record["due"]
        elif record["covers"] == digest:
            decisions.append(_decision(handle, record))
    return StaleItem(
        id=item_id(index),
        owner=owner,
        due=due,
        decision=decisions[-1].decision if decisions else None,
        answer_id=header["answer_id"],
        question=question,
        asked_at=header["recorded_at"],
        as_of=header["as_of"],
        clauses=clauses,
        decisions=decisions,
    )


def _decision(handle: HomeHandle, record: Mapping[str, Any]) -> StaleDecision:
    try:
        note: str | None = handle.ledger.part(record, "note").decode("utf-8")
    except NotFound as error:
        if error.code != "erased":
            raise
        note = None
    return StaleDecision(
        record=record["index"], decision=record["decision"], note=note, actor=record["actor"], actor_auth=record["actor_auth"],
        recorded_at=record["recorded_at"],
    )  # fmt: skip


def item_id(index: int) -> str:
    """The id of the stale item of the answer at this place in the ledger."""
    return f"s-{index}"


def covers(clauses: Iterable[StaleClause]) -> str:
    """What an answer is stale by, as a hash: a decision holds for exactly this, and a later change opens the item again. Of a
    clause that was rewritten the new words count, whichever version bears them; of one that a change elsewhere touches, the
    version, since its words say nothing of that change; where that is in another document, the version there too."""
    rows = []
    for item in clauses:
        after = item.after
        words = None if after is None else after.clause_id if item.cause == "rippled" else after.sha256
        origin = None if item.origin is None else item.origin.after or item.origin.before
        if words is not None and origin is not None and origin.doc_id != item.before.doc_id:
            words += f" {origin.clause_id}"
        rows.append([item.before.clause_id, item.cause, words])
    return sha256_text(canonical_json(rows).decode("utf-8"))


def _decisions(handle: HomeHandle, known_at: datetime) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for _, header in handle.ledger.headers(0, {"stale"}):
        if parse_instant(header["recorded_at"]) <= known_at:
            found.setdefault(header["answer_id"], []).append(header)
    return found
