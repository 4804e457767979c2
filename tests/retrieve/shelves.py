"""Shelves for tests: real stores, versions given as clauses, so that no parser stands between a test and its subject."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

from audit.roots import CorpusRoot
from compliance_rag.retrieve.shelf import Shelf
from compliance_rag.retrieve.types import Query
from compliance_rag.store.clauses import StoredVersion, publication_fields, write_batch
from compliance_rag.store.indexed import indexed_text, lead_in_of, text_key
from compliance_rag.store.publish import copy_name, publish_copy
from compliance_rag.store.rows import VersionRow
from schemas.canonical import sha256_normalised, sha256_text
from schemas.clause import Clause, ParsedVersion
from schemas.dates import Interval
from schemas.home import Home
from schemas.settings import Settings
from tests.embedding import HashingEmbedder

EMBEDDER = HashingEmbedder()
LATE = datetime(2999, 1, 1, tzinfo=UTC)
FIRST_RECORD = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True)
class Made:
    """A version: ``clauses`` as ``{path as in ids: text}``; ``links`` are fields of ParsedVersion; ``fields`` of VersionRow."""

    doc_id: str
    version: str
    start: str
    clauses: Mapping[str, str]
    links: Mapping[str, Any] = field(default_factory=dict)
    kinds: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    fields: Mapping[str, Any] = field(default_factory=dict)


def recorded(index: int) -> datetime:
    """When the version at ``index`` was recorded."""
    return FIRST_RECORD + timedelta(minutes=index)


def make_shelf(folder: Path, versions: Sequence[Made]) -> Shelf:
    """Stores of these versions, recorded in this order."""
    from compliance_rag.store.postings import Postings
    from compliance_rag.store.vectors import Vectors

    home = Home(folder)
    texts: dict[str, str] = {}
    rows = []
    with write_batch(home) as writer:
        for index, made in enumerate(versions):
            parsed = _parsed(made)
            indexed = [indexed_text(clause, made.doc_id, _lead_in(clause, parsed.clauses)) for clause in parsed.clauses]
            texts |= {text_key(text): text for text in indexed if text}
            row = _row(made, index, len(parsed.clauses))
            keys = [text_key(text) if text else "" for text in indexed]
            writer.add_version(StoredVersion(row, parsed, [f"{made.doc_id}:{c.path}" for c in parsed.clauses], keys))
            rows.append(row)
        root = CorpusRoot(publication_fields(row) for row in rows).root
        writer.set_applied(len(rows) - 1, root)
    publish_copy(home, copy_name(len(rows) - 1, root))
    Postings.open(home.postings).append(texts)
    Vectors.open(str(home.vectors), EMBEDDER.identity).add(texts, EMBEDDER.encode_passages)
    return Shelf.open(home, Settings(), EMBEDDER.identity)


def query(text: str, as_of: str = "2025-01-01", **other: Any) -> Query:
    """A question as everything recorded so far is known."""
    return Query(text, date.fromisoformat(as_of), **{"known_at": LATE, **other})


def _lead_in(clause: Clause, clauses: Sequence[Clause]) -> str:
    above = [other for other in clauses if len(other.path) < len(clause.path) and clause.path[: len(other.path)] == other.path]
    return lead_in_of(above)


def _parsed(made: Made) -> ParsedVersion:
    clauses = []
    for name, text in made.clauses.items():
        path = tuple(name.split("/"))
        parent = path[:-1] if "/".join(path[:-1]) in made.clauses else None
        clause = Clause(
            path=path, number=".".join(path), label=path[-1], heading="", heading_path=(), depth=len(path), parent=parent,
            text=text, sha256=sha256_text(text), sha256_normalised=sha256_normalised(text), spans=((0, len(text)),),
            full_span=(0, len(text)), kinds=made.kinds.get(name, ()),
        )  # fmt: skip
        clauses.append(clause)
    return ParsedVersion("0" * 64, "", "0" * 64, "1", "en", None, tuple(clauses), **made.links)


def _row(made: Made, index: int, count: int) -> VersionRow:
    fields: dict[str, Any] = {
        "doc_id": made.doc_id, "version": made.version, "version_id": made.version, "title": made.doc_id, "jurisdiction": None,
        "language": "en", "kind": None, "status": "official", "state": "published", "published_on": None, "index": index,
        "declared": Interval(date.fromisoformat(made.start), None), "recorded_at": recorded(index), "root": "0" * 64,
        "source_sha256": "0" * 64, "extracted_sha256": "0" * 64, "parser_version": "1", "clause_count": count, **made.fields,
    }  # fmt: skip
    return VersionRow(**fields)
