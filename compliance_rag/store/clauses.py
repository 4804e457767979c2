"""Rows of the clause tables to and from objects, and the one writer of a batch."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import duckdb

from compliance_rag.store.attach import attach, store_errors
from compliance_rag.store.rows import TimeEvent, VersionRow
from schemas.clause import Clause, ParsedVersion, Path, Risk
from schemas.dates import Interval, parse_instant, print_day, print_instant
from schemas.ddl import CLAUSES_FORMAT, column_types, create_statements
from schemas.home import Home

CLAUSE_COLUMNS = tuple(name for name in column_types("clauses") if name != "kinds")
VERSION_COLUMNS = tuple(column_types("versions"))
EVENT_COLUMNS = tuple(column_types("events"))
# Clauses that wait before they are written: enough to spread the cost of a statement, a few tens of MB at most.
FLUSH_CLAUSES = 5_000
_NOT_AS_IS = {"idx", "content", "first_rid", "dated", "effective_from", "effective_to", "recorded_at", "flags", "metadata"}


@dataclass(frozen=True, slots=True)
class Placed:
    """A version row with the place of its clauses: ``rid`` range, and the record ``content`` that carries them."""

    row: VersionRow
    content: int
    first_rid: int
    dated: bool

    @property
    def end_rid(self) -> int:
        """One past its last clause."""
        return self.first_rid + self.row.clause_count


@dataclass(frozen=True, slots=True)
class StoredVersion:
    """What one publication writes: ``lineage`` and ``text_keys`` run beside ``parsed.clauses`` (empty key: nothing indexed)."""

    row: VersionRow
    parsed: ParsedVersion
    lineage: Sequence[str]
    text_keys: Sequence[str]


def join_path(path: Path) -> str:
    """The path as clause ids print it."""
    return "/".join(path)


def split_path(text: str) -> Path:
    """The inverse of :func:`join_path`."""
    return tuple(text.split("/")) if text else ()


def version_values(row: VersionRow, content: int, first_rid: int, dated: bool) -> dict[str, Any]:
    """A row of ``versions``."""
    return {
        "idx": row.index, "content": content, "first_rid": first_rid, "clause_count": row.clause_count, "dated": dated,
        "doc_id": row.doc_id, "version": row.version, "version_id": row.version_id, "title": row.title,
        "jurisdiction": row.jurisdiction, "language": row.language, "kind": row.kind, "status": row.status,
        "state": row.state, "effective_from": row.declared.start, "effective_to": row.declared.end,
        "published_on": row.published_on, "recorded_at": print_instant(row.recorded_at), "root": row.root,
        "source_sha256": row.source_sha256, "extracted_sha256": row.extracted_sha256, "parser_version": row.parser_version,
        "supersedes": row.supersedes, "part_of": row.part_of, "amends": row.amends, "translation_of": row.translation_of,
        "authentic": row.authentic, "model_use": row.model_use, "flags": json.dumps(row.flags, sort_keys=True),
        "metadata": json.dumps(row.metadata, sort_keys=True, ensure_ascii=False),
    }  # fmt: skip


def read_version(values: Sequence[Any]) -> Placed:
    """The inverse of :func:`version_values`."""
    value = dict(zip(VERSION_COLUMNS, values, strict=True))
    row = VersionRow(
        declared=Interval(value["effective_from"], value["effective_to"]),
        recorded_at=parse_instant(value["recorded_at"]),
        index=value["idx"],
        flags=json.loads(value["flags"]),
        metadata=json.loads(value["metadata"]),
        **{name: value[name] for name in VERSION_COLUMNS if name not in _NOT_AS_IS},
    )
    return Placed(row, value["content"], value["first_rid"], value["dated"])


def read_event(values: Sequence[Any]) -> TimeEvent:
    """A time event from a row of ``events`` in the order of EVENT_COLUMNS."""
    index, kind, doc_id, version_id, number, start, end, reason, recorded_at, _actor = values
    return TimeEvent(kind, doc_id, version_id, number, start, end, reason, parse_instant(recorded_at), index)


def clause_values(clause: Clause, rid: int, tid: int, tk: int, seq: int, lineage_id: str) -> dict[str, Any]:
    """A row of ``clauses``; the text itself lies in ``texts``."""
    detail = {
        "heading_path": clause.heading_path, "kinds": clause.kinds, "flags": clause.flags,
        "risks": [(risk.kind, risk.level) for risk in clause.risks], "spans": clause.spans, "full_span": clause.full_span,
        "heading_span": clause.heading_span, "label_span": clause.label_span, "boxes": clause.boxes,
        "box_ranges": clause.box_ranges,
    }  # fmt: skip
    return {
        "rid": rid, "tid": tid, "tk": tk, "seq": seq, "path": join_path(clause.path), "number": clause.number,
        "label": clause.label, "heading": clause.heading, "depth": clause.depth, "parent": _joined(clause.parent),
        "sha256": clause.sha256, "sha256_normalised": clause.sha256_normalised, "aliases": list(clause.aliases),
        "kinds": list(clause.kinds), "page": clause.page, "effective_from": clause.effective_from,
        "effective_to": clause.effective_to, "source_id": clause.source_id, "container": clause.container,
        "lineage_id": lineage_id,
        "detail": json.dumps(detail, ensure_ascii=False, separators=(",", ":")),
    }  # fmt: skip


def _joined(path: Path | None) -> str | None:
    return None if path is None else join_path(path)


def _span(pair: list[int] | None) -> tuple[int, int] | None:
    return None if pair is None else (pair[0], pair[1])


def read_clause(value: dict[str, Any], text: str) -> Clause:
    """The clause of a row and its text; the caller compares the text with its hash."""
    detail = json.loads(value["detail"])
    return Clause(
        path=split_path(value["path"]),
        number=value["number"],
        label=value["label"],
        heading=value["heading"],
        heading_path=tuple(detail["heading_path"]),
        depth=value["depth"],
        parent=None if value["parent"] is None else split_path(value["parent"]),
        text=text,
        sha256=value["sha256"],
        sha256_normalised=value["sha256_normalised"],
        spans=tuple((start, end) for start, end in detail["spans"]),
        full_span=(detail["full_span"][0], detail["full_span"][1]),
        heading_span=_span(detail["heading_span"]),
        label_span=_span(detail["label_span"]),
        aliases=tuple(value["aliases"]),
        kinds=tuple(detail["kinds"]),
        page=value["page"],
        boxes=tuple((int(box[0]), box[1], box[2], box[3], box[4]) for box in detail["boxes"]),
        box_ranges=tuple((start, end) for start, end in detail.get("box_ranges", ())),
        effective_from=value["effective_from"],
        effective_to=value["effective_to"],
        source_id=value["source_id"],
        risks=tuple(Risk(kind, level) for kind, level in detail["risks"]),
        flags=tuple(detail["flags"]),
        container=value["container"],
    )


class ClauseWriter:
    """One transaction on the writer's file. Made by :func:`write_batch`; hold the writer lock around it."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self._connection = connection
        self._waiting: list[tuple[StoredVersion, int]] = []
        self._rows: dict[str, list[dict[str, Any]]] = {}
        self._next_rid: int | None = None

    def _one(self, sql: str, parameters: Sequence[Any] = ()) -> Any:
        found = self._connection.execute(sql, parameters).fetchone()
        return None if found is None else found[0]

    @property
    def applied(self) -> int:
        """Index of the last ledger record applied, -1 for none."""
        value = self._one("SELECT value FROM meta WHERE key = 'applied'")
        return -1 if value is None else int(value)

    def _put(self, table: str, rows: Iterable[dict[str, Any]]) -> None:
        """Keep rows for the next :meth:`flush`."""
        self._rows.setdefault(table, []).extend(rows)

    def flush(self) -> None:
        """Write what waits, a statement a table: a batch of small versions costs what one large version does."""
        texts = self._number_texts([clause for version, _ in self._waiting for clause in version.parsed.clauses])
        keys = self._number_keys([key for version, _ in self._waiting for key in version.text_keys])
        for version, first in self._waiting:
            beside = zip(version.parsed.clauses, version.lineage, version.text_keys, strict=True)
            self._put(
                "clauses",
                [
                    clause_values(clause, first + seq, texts[clause.sha256], keys[key], seq, lineage_id)
                    for seq, (clause, lineage_id, key) in enumerate(beside)
                ],
            )
        self._waiting.clear()
        for table, rows in self._rows.items():
            self._insert(table, rows)
        self._rows.clear()

    def _insert(self, table: str, rows: Sequence[dict[str, Any]]) -> None:
        """Insert rows keyed by column through Arrow: a statement a table, whatever the number of rows."""
        if not rows:
            return
        import pyarrow as pa

        schema = pa.schema([(name, _arrow_type(kind)) for name, kind in column_types(table).items()])
        self._connection.register("incoming", pa.Table.from_pylist(list(rows), schema=schema))
        self._connection.execute(f"INSERT INTO {table} BY NAME SELECT * FROM incoming")
        self._connection.unregister("incoming")

    def _numbers(self, table: str, number: str, key: str, keys: Sequence[str]) -> tuple[dict[str, int], int]:
        """Numbers of the keys already held, and the next free number."""
        import pyarrow as pa

        self._connection.register("wanted", pa.table({"k": pa.array(sorted(set(keys)), pa.string())}))
        rows = self._connection.execute(f"SELECT {key}, {number} FROM {table} JOIN wanted ON k = {key}").fetchall()
        self._connection.unregister("wanted")
        return dict(rows), int(self._one(f"SELECT count(*) FROM {table}"))

    def _number_texts(self, clauses: Sequence[Clause]) -> dict[str, int]:
        known, free = self._numbers("texts", "tid", "sha256", [clause.sha256 for clause in clauses])
        new: dict[str, str] = {clause.sha256: clause.text for clause in clauses if clause.sha256 not in known}
        known |= {sha256: free + place for place, sha256 in enumerate(new)}
        self._insert("texts", [{"tid": known[sha256], "sha256": sha256, "text": text} for sha256, text in new.items()])
        return known

    def _number_keys(self, keys: Sequence[str]) -> dict[str, int]:
        wanted = [key for key in keys if key]
        known, free = self._numbers("text_keys", "tk", "text_key", wanted)
        new = list(dict.fromkeys(key for key in wanted if key not in known))
        known |= {key: free + place for place, key in enumerate(new)}
        self._insert("text_keys", [{"tk": known[key], "text_key": key} for key in new])
        return known | {"": -1}

    def add_version(self, version: StoredVersion) -> Placed:
        """Write a version with its clauses and links."""
        row, parsed = version.row, version.parsed
        if self._next_rid is None:
            self._next_rid = int(self._one("SELECT count(*) FROM clauses"))
        first = self._next_rid
        self._next_rid += len(parsed.clauses)
        self._waiting.append((version, first))
        self._add_links(row.index, parsed, {clause.path: first + seq for seq, clause in enumerate(parsed.clauses)})
        dated = any(clause.effective_from or clause.effective_to for clause in parsed.clauses)
        self._put("versions", [version_values(row, row.index, first, dated)])
        if self._next_rid - self._waiting[0][1] >= FLUSH_CLAUSES:
            self.flush()
        return Placed(row, row.index, first, dated)

    def add_publication(self, row: VersionRow, staged: Placed) -> Placed:
        """Write the publication of a staged version, whose clauses are already here."""
        self._put("versions", [version_values(row, staged.content, staged.first_rid, staged.dated)])
        return Placed(row, staged.content, staged.first_rid, staged.dated)

    def _add_links(self, content: int, parsed: ParsedVersion, rid: dict[Path, int]) -> None:
        self._put("definitions", [
            {"content": content, "rid": rid[item.path], "term": item.term, "scope": item.scope, "aliases": list(item.aliases),
             "exclusion": item.exclusion} for item in parsed.definitions
        ])  # fmt: skip
        self._put("term_uses", [
            {"content": content, "rid": rid[item.path], "term": item.term, "target_rid": rid[item.target]}
            for item in parsed.term_uses
        ])  # fmt: skip
        self._put("refs", [
            {"content": content, "rid": rid[item.path], "text": item.text, "start_at": item.span[0], "end_at": item.span[1],
             "mode": item.mode, "target": _joined(item.target), "target_doc": item.target_doc, "edition": item.edition}
            for item in parsed.references
        ])  # fmt: skip
        self._put("exceptions", [
            {"content": content, "rid": rid[item.path], "modifies_rid": rid[item.modifies]} for item in parsed.exceptions
        ])  # fmt: skip
        self._put("flags", [
            {"content": content, "ord": place, "code": flag.code, "text": flag.text, "path": _joined(flag.path),
             "page": flag.page} for place, flag in enumerate(parsed.flags)
        ])  # fmt: skip
        self._put("proposed_dates", [
            {"content": content, "ord": place, "number": item.number, "effective_from": item.effective_from,
             "effective_to": item.effective_to, "quote": item.quote, "rule": item.rule}
            for place, item in enumerate(parsed.proposed_dates)
        ])  # fmt: skip

    def add_event(self, event: TimeEvent, actor: str) -> None:
        """Write a withdrawal, a voiding or a redating."""
        self._put("events", [{
            "idx": event.index, "kind": event.kind, "doc_id": event.doc_id, "version_id": event.version_id,
            "number": event.number, "start_day": event.start, "end_day": event.end, "reason": event.reason,
            "recorded_at": print_instant(event.recorded_at), "actor": actor,
        }])  # fmt: skip

    def versions(self) -> list[Placed]:
        """All records of versions in the order recorded."""
        self.flush()
        sql = f"SELECT {', '.join(VERSION_COLUMNS)} FROM versions ORDER BY idx"
        return [read_version(values) for values in self._connection.execute(sql).fetchall()]

    def set_applied(self, index: int, corpus_root: str) -> None:
        """Write what waits, and note how far the ledger is applied."""
        self.flush()
        self._connection.execute("DELETE FROM meta")
        values = {"format": str(CLAUSES_FORMAT), "applied": str(index), "corpus_root": corpus_root}
        self._insert("meta", [{"key": key, "value": value} for key, value in values.items()])


def _arrow_type(kind: str) -> Any:
    """The Arrow type of a DDL type, lists included."""
    import pyarrow as pa

    if kind.endswith("[]"):
        return pa.list_(_arrow_type(kind[:-2]))
    plain = {
        "VARCHAR": pa.string(), "BIGINT": pa.int64(), "INTEGER": pa.int32(), "BOOLEAN": pa.bool_(), "DATE": pa.date32(),
        "DOUBLE": pa.float64(),
    }  # fmt: skip
    return plain[kind]


@contextmanager
def write_batch(home: Home) -> Iterator[ClauseWriter]:
    """One transaction a batch, then CHECKPOINT and close: all of it or nothing (law 8). Needs the writer lock."""
    home.clauses.mkdir(parents=True, exist_ok=True)
    path = home.clauses_work
    connection = attach(path, read_only=False)
    try:
        with store_errors(path):
            connection.execute("BEGIN")
            for statement in create_statements():
                connection.execute(statement)
            writer = ClauseWriter(connection)
            yield writer
            writer.flush()
            connection.execute("COMMIT")
            connection.execute("CHECKPOINT")
    finally:
        connection.close()


def publication_fields(row: VersionRow) -> dict[str, Any]:
    """The header fields of a publication that its row keeps: what the corpus root covers, and the corpus root's only source."""
    return {
        "doc_id": row.doc_id, "version": row.version, "version_id": row.version_id, "language": row.language,
        "jurisdiction": row.jurisdiction, "status": row.status, "state": row.state,
        "effective_from": print_day(row.declared.start), "effective_to": print_day(row.declared.end),
        "published_on": print_day(row.published_on), "source_sha256": row.source_sha256,
        "extracted_sha256": row.extracted_sha256, "parser": row.parser_version, "root": row.root, "corrects": row.supersedes,
    }  # fmt: skip
