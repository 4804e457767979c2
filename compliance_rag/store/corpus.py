"""A read snapshot of the clause tables: versions and events in memory, clauses fetched and re-hashed when asked for."""

from __future__ import annotations

import threading
from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path as FilePath
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt

from audit.roots import CorpusRoot
from compliance_rag.store.attach import attach, clause_home, store_errors
from compliance_rag.store.clauses import (
    CLAUSE_COLUMNS,
    EVENT_COLUMNS,
    VERSION_COLUMNS,
    Placed,
    publication_fields,
    read_clause,
    read_event,
    read_version,
)
from compliance_rag.store.inforce import Filters, InForceSet, epoch_of, version_masks
from compliance_rag.store.linked import LinksKept, VersionLinks
from compliance_rag.store.publish import current_copy
from compliance_rag.store.rows import StoredClause, TimeEvent, VersionRow, settled, unknown_document
from compliance_rag.store.timeline import (
    Decision,
    Key,
    Knowledge,
    Standing,
    Timeline,
    build,
    clause_intervals,
    clause_redates,
    confirmed_clauses,
    decide,
)
from compliance_rag.store.view import DatedKept, View
from schemas.canonical import sha256_text
from schemas.clause import Clause
from schemas.dates import Interval
from schemas.ddl import CLAUSES_FORMAT, TABLES
from schemas.errors import InputRejected, IntegrityError, NotFound
from schemas.home import Home
from schemas.ids import read_clause_id

EVERYTHING = Knowledge(datetime.max.replace(tzinfo=UTC))
"""All that the snapshot holds."""
# About 40 MB of clauses: several times what one answer touches.
CLAUSES_KEPT = 20_000
# Days compared in one session; a timeline of 1,000 versions takes about 1 MB.
VIEWS_KEPT = 32


@dataclass(frozen=True, slots=True)
class _Raw:
    clause: Clause
    lineage_id: str
    seq: int
    rid: int


class Corpus:
    """One published copy, open read-only; it never changes. Safe for several threads.

    ``name`` names the copy, ``applied`` is the index of the last ledger record in it (-1: none), ``corpus_root`` its root.
    """

    def __init__(self, path: FilePath | None) -> None:
        self.path = path
        self.name = "empty" if path is None else path.name
        self.applied, self.corpus_root = -1, CorpusRoot().root
        self.placed: tuple[Placed, ...] = ()
        self.events: tuple[TimeEvent, ...] = ()
        self.row_count = 0
        self._local = threading.local()
        self._cursors: list[duckdb.DuckDBPyConnection] = []
        self._guard = threading.Lock()
        self._kept: OrderedDict[int, _Raw] = OrderedDict()
        self._views: OrderedDict[Any, View] = OrderedDict()
        self._linked = LinksKept(self.query)
        self._dated = DatedKept(self.query)
        self._connection: duckdb.DuckDBPyConnection | None = None
        if path is not None:
            self._connection = attach(path, read_only=True)
            self._load()

    @classmethod
    def open(cls, home: Home, uri: str | None = None) -> Corpus:
        """The current published copy of ``home`` (``uri``: ``[clauses] uri``). A home without publications is empty.

        Raises IntegrityError ``clauses_missing``, ``clauses_damaged``; InputRejected ``home_newer``.
        """
        return cls(current_copy(clause_home(home, uri)))

    def close(self) -> None:
        """Let the file go: DuckDB shares one instance a path, so a file replaced under an open one would not be seen."""
        with self._guard:
            for cursor in self._cursors:
                cursor.close()
        if self._connection is not None:
            self._connection.close()

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Rows of a read-only question. Raises IntegrityError ``clauses_damaged``."""
        if self._connection is None or self.path is None:
            return []
        with store_errors(self.path):
            return self._cursor().execute(sql, parameters).fetchall()

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        cursor: duckdb.DuckDBPyConnection | None = getattr(self._local, "cursor", None)
        if cursor is None:
            assert self._connection is not None
            cursor = self._local.cursor = self._connection.cursor()
            with self._guard:
                self._cursors.append(cursor)
        return cursor

    def _load(self) -> None:
        meta = dict(self.query("SELECT key, value FROM meta"))
        if not {"format", "applied", "corpus_root"} <= meta.keys():
            raise IntegrityError("clauses_damaged", f"{self.name} does not say what it holds; run rebuild.", self.name)
        if int(meta["format"]) > CLAUSES_FORMAT:
            raise InputRejected("home_newer", f"{self.name} has format {meta['format']}, this release reads {CLAUSES_FORMAT}.")
        self.applied, self.corpus_root = int(meta["applied"]), meta["corpus_root"]
        versions = self.query(f"SELECT {', '.join(VERSION_COLUMNS)} FROM versions ORDER BY idx")
        self.placed = tuple(read_version(values) for values in versions)
        events = self.query(f"SELECT {', '.join(EVENT_COLUMNS)} FROM events ORDER BY idx")
        self.events = tuple(read_event(values) for values in events)
        self.row_count = int(self.query("SELECT count(*) FROM clauses")[0][0])
        if CorpusRoot(publication_fields(placed.row) for placed in self.placed).root != self.corpus_root:
            raise IntegrityError("clauses_damaged", f"{self.name}: its versions do not give its corpus root; run rebuild.")

    @property
    def versions(self) -> tuple[VersionRow, ...]:
        """Every record of a version, in the order recorded; a staged or held one published later stands here twice."""
        return tuple(placed.row for placed in self.placed)

    # -- time ------------------------------------------------------------------------------------------------------------

    def view(self, knowledge: Knowledge = EVERYTHING) -> View:
        """What is known at ``knowledge``; the last few are kept."""
        with self._guard:
            found = self._views.get(knowledge)
            if found is None:
                versions, events = self.versions, self.events
                known = (
                    tuple(row.index for row in versions if knowledge.version(row)),
                    tuple(event.index for event in events if knowledge.event(event)),
                )
                found = self._views.get(known) or View(build(versions, events, knowledge))
                self._views[known] = self._views[knowledge] = found
                while len(self._views) > VIEWS_KEPT:
                    self._views.popitem(last=False)
        return found

    def timeline(self, knowledge: Knowledge = EVERYTHING) -> Timeline:
        """Every document's standings as known."""
        return self.view(knowledge).timeline

    def standing(self, doc_id: str, version_id: str, knowledge: Knowledge = EVERYTHING) -> Standing | None:
        """A version's standing as known, None when it is not known."""
        return self.view(knowledge).standings.get((doc_id, version_id))

    def decisions(self, as_of: date, knowledge: Knowledge = EVERYTHING) -> dict[Key, Decision]:
        """What is in force of every document and language on ``as_of``, or why nothing is."""
        return {key: decide(key, standings, as_of) for key, standings in self.timeline(knowledge).items()}

    def find_version(self, doc_id: str, name: str, knowledge: Knowledge = EVERYTHING) -> VersionRow:
        """The version with this id, else the latest recorded with this label. Raises NotFound ``unknown_document``,
        ``unknown_version``."""
        rows = [item.row for (doc, _), group in self.timeline(knowledge).items() if doc == doc_id for item in group]
        if not rows:
            raise unknown_document(doc_id, self.versions, knowledge.docs)
        found = [row for row in rows if row.version_id == name] or [row for row in rows if row.version == name]
        if not found:
            raise NotFound("unknown_version", f"Document {doc_id!r} has no version {name!r}.", f"{doc_id}@{name}")
        return max(found, key=lambda row: row.index)

    @cached_property
    def _by_index(self) -> dict[int, Placed]:
        return {placed.row.index: placed for placed in self.placed}

    @cached_property
    def _ranges(self) -> tuple[list[int], list[list[Placed]]]:
        """First rows of the clause ranges, ascending, and the records that share each."""
        groups: dict[int, list[Placed]] = {}
        for placed in self.placed:
            if placed.row.clause_count:
                groups.setdefault(placed.first_rid, []).append(placed)
        firsts = sorted(groups)
        return firsts, [groups[first] for first in firsts]

    def _owner(self, rid: int, knowledge: Knowledge) -> Placed:
        """The last known record whose clauses hold ``rid``; the last one at all when none is known."""
        firsts, groups = self._ranges
        owners = groups[bisect_right(firsts, rid) - 1]
        known = [placed for placed in owners if knowledge.version(placed.row)]
        return (known or owners)[-1]

    # -- clauses ---------------------------------------------------------------------------------------------------------

    def by_rows(self, rids: Iterable[int], knowledge: Knowledge = EVERYTHING) -> list[StoredClause]:
        """The clauses at these global rows, in this order, every text re-hashed now.

        Raises IntegrityError ``clause_hash_mismatch`` naming the clause, ``clauses_damaged``.
        """
        wanted = [int(rid) for rid in rids]
        raws = self._raws(wanted)
        return [self._stored(raws[rid], knowledge) for rid in wanted]

    def _raws(self, wanted: Sequence[int]) -> dict[int, _Raw]:
        with self._guard:
            found = {rid: self._kept[rid] for rid in wanted if rid in self._kept}
        missing = sorted({rid for rid in wanted if rid not in found})
        if missing:
            rows = self.query(f"SELECT {', '.join(CLAUSE_COLUMNS)} FROM clauses WHERE {_range('rid', missing)}")
            values = [dict(zip(CLAUSE_COLUMNS, row, strict=True)) for row in rows]
            tids = sorted({value["tid"] for value in values})
            # Two plain look-ups: a join of the two tables reads twice as long.
            texts = dict(self.query(f"SELECT tid, text FROM texts WHERE {_range('tid', tids)}")) if tids else {}
            for value in values:
                if value["tid"] in texts:
                    raw = _Raw(read_clause(value, texts[value["tid"]]), value["lineage_id"], value["seq"], value["rid"])
                    found[raw.rid] = raw
        for rid in wanted:
            if rid not in found:
                raise IntegrityError("clauses_damaged", f"{self.name}: clause row {rid} is missing; run rebuild.", str(rid))
        with self._guard:
            for rid in missing:
                self._kept[rid] = found[rid]
            while len(self._kept) > CLAUSES_KEPT:
                self._kept.popitem(last=False)
        return found

    def _stored(self, raw: _Raw, knowledge: Knowledge) -> StoredClause:
        placed = self._owner(raw.rid, knowledge)
        interval = self._interval(placed, raw.seq, knowledge)
        clause = settled(raw.clause) if raw.seq in self.view(knowledge).confirmed.get(placed.row.index, ()) else raw.clause
        stored = StoredClause(clause, placed.row, raw.lineage_id, interval, raw.seq)
        if sha256_text(raw.clause.text) != raw.clause.sha256:
            raise IntegrityError(
                "clause_hash_mismatch",
                f"The text of {stored.clause_id} is not what was published; run rebuild.",
                stored.clause_id,
            )
        return stored

    def _interval(self, placed: Placed, seq: int, knowledge: Knowledge) -> Interval:
        standing = self.standing(placed.row.doc_id, placed.row.version_id, knowledge)
        window = placed.row.declared if standing is None else standing.window
        dates = self._clause_dates(placed, knowledge)
        return window if dates is None else window.meet(dates[seq])

    def _clause_dates(self, placed: Placed, knowledge: Knowledge) -> list[Interval] | None:
        """The clauses' own days of a version in which some have any, else None."""
        view = self.view(knowledge)
        if placed.row.index not in view.clause_dates:
            events = self._events_of.get(placed.row.doc_id, ())
            redates = clause_redates(events, knowledge, placed.row.doc_id, placed.row.version_id)
            dated = placed.dated or bool(redates)
            clauses = self._dated.of(placed) if dated else []
            view.confirmed[placed.row.index] = confirmed_clauses(clauses, redates)
            view.clause_dates[placed.row.index] = clause_intervals(clauses, redates) if dated else None
        return view.clause_dates[placed.row.index]

    @cached_property
    def _events_of(self) -> dict[str, list[TimeEvent]]:
        """The events of each document, in the order recorded."""
        found: dict[str, list[TimeEvent]] = {}
        for event in self.events:
            found.setdefault(event.doc_id, []).append(event)
        return found

    def row_ids(self, clause_ids: Sequence[str], knowledge: Knowledge = EVERYTHING) -> dict[str, int]:
        """Global rows of the clause ids that exist as known; absent ones are left out."""
        by_version: dict[int, dict[str, str]] = {}
        for clause_id in clause_ids:
            doc_id, version_id, path = read_clause_id(clause_id)
            standing = self.standing(doc_id, version_id, knowledge)
            if standing is not None:
                by_version.setdefault(standing.row.index, {})["/".join(path)] = clause_id
        found: dict[str, int] = {}
        for index, paths in by_version.items():
            held = self._linked.of(self._by_index[index]).row_of
            found |= {name: held[path] for path, name in paths.items() if path in held}
        return found

    def clauses(self, clause_ids: Sequence[str], knowledge: Knowledge = EVERYTHING) -> list[StoredClause]:
        """The clauses with these ids, in this order. Raises NotFound ``unknown_clause``; IntegrityError as :meth:`by_rows`."""
        rows = self.row_ids(clause_ids, knowledge)
        for clause_id in clause_ids:
            if clause_id not in rows:
                raise NotFound("unknown_clause", f"There is no clause {clause_id!r} here.", clause_id)
        return self.by_rows([rows[clause_id] for clause_id in clause_ids], knowledge)

    def clause(self, clause_id: str, knowledge: Knowledge = EVERYTHING) -> StoredClause:
        """One clause. Raises NotFound ``unknown_clause``; IntegrityError ``clause_hash_mismatch``, ``clauses_damaged``."""
        return self.clauses([clause_id], knowledge)[0]

    def clauses_of(self, doc_id: str, version_id: str, knowledge: Knowledge = EVERYTHING) -> list[StoredClause]:
        """All clauses of a version in document order. Raises NotFound ``unknown_document``, ``unknown_version``."""
        placed = self._by_index[self.find_version(doc_id, version_id, knowledge).index]
        return self.by_rows(range(placed.first_rid, placed.end_rid), knowledge)

    def row_of(self, clause: StoredClause) -> int:
        """The global row of a clause of this snapshot."""
        return self._by_index[clause.version.index].first_rid + clause.seq

    def first_row(self, row: VersionRow) -> int:
        """The global row of a version's first clause."""
        return self._by_index[row.index].first_rid

    def content_of(self, row: VersionRow) -> int:
        """The index of the record that carries the version's clause list."""
        return self._by_index[row.index].content

    def links(self, row: VersionRow) -> VersionLinks:
        """The places and links of a version's clauses."""
        return self._linked.of(self._by_index[row.index])

    # -- the in-force set ------------------------------------------------------------------------------------------------

    @cached_property
    def text_rows(self) -> npt.NDArray[np.int64]:
        """Each clause row's index into :attr:`text_keys` (n,), -1 where there is nothing to find it by."""
        if self._connection is None or self.path is None:
            return np.empty(0, np.int64)
        with store_errors(self.path):
            found = self._cursor().execute("SELECT tk FROM clauses ORDER BY rid").fetchnumpy()["tk"]
        return np.asarray(found, np.int64)

    @cached_property
    def text_keys(self) -> tuple[str, ...]:
        """Keys of the distinct indexed texts, by number."""
        return tuple(key for (key,) in self.query("SELECT text_key FROM text_keys ORDER BY tk"))

    def in_force_set(self, as_of: date, knowledge: Knowledge = EVERYTHING, filters: Filters | None = None) -> InForceSet:
        """What is in force on ``as_of`` as known, and the part ``filters`` permit.

        Raises NotFound ``unknown_document`` for a filtered document of which nothing is known; InputRejected
        ``unknown_jurisdiction``.
        """
        filters = filters or Filters()
        decisions = self.decisions(as_of, knowledge)
        for doc_id in filters.docs:
            if not any(doc == doc_id for doc, _ in decisions):
                raise unknown_document(doc_id, self.versions, knowledge.docs)
        known = [item.row for standings in self.timeline(knowledge).values() for item in standings]
        permitted = filters.permit(known)
        chosen = [self._by_index[item.version.index] for item in decisions.values() if item.version is not None]
        dates = {placed.first_rid: self._clause_dates(placed, knowledge) for placed in chosen}
        dated = {first: found for first, found in dates.items() if found is not None}
        in_force, parts = version_masks(self.row_count, chosen, dated, as_of)
        passed = [placed for placed in chosen if placed.row.ref in permitted]
        mask = in_force if len(passed) == len(chosen) else version_masks(self.row_count, passed, dated, as_of)[0]
        keys = {(row.doc_id, row.language) for row in known if row.ref in permitted}
        return InForceSet(
            as_of=as_of,
            knowledge=knowledge,
            decisions={key: item for key, item in decisions.items() if key in keys},
            versions=tuple(placed.row for placed in passed),
            in_force=in_force,
            mask=mask,
            text_rows=self.text_rows,
            text_keys=self.text_keys,
            epoch=epoch_of(self.name, parts),
        )


def _range(column: str, rids: Sequence[int]) -> str:
    """A condition on sorted row numbers: a range where they are dense, else a list."""
    if rids[-1] - rids[0] + 1 == len(rids):
        return f"{column} BETWEEN {rids[0]} AND {rids[-1]}"
    return f"{column} IN ({', '.join(map(str, rids))})"


def scan(path: FilePath) -> None:
    """Read every value of a clause table file. Raises IntegrityError ``clauses_damaged``; proves readability, not truth."""
    connection = attach(path, read_only=True)
    try:
        with store_errors(path):
            for table in TABLES:
                connection.execute(f"SELECT bit_xor(hash(t)) FROM {table} t").fetchall()
    finally:
        connection.close()
