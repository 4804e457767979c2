"""DDL of the clause tables (DuckDB). Append-only: a correction, a redating or a publication of a staged version is a new row.

``rid`` is the global row number of a clause version in the order recorded, ``tid`` that of a distinct text, ``tk`` that of a
distinct indexed text; numbers are dense from 0 and never reused. A version's clauses are the ``rid`` range
``[first_rid, first_rid + clause_count)``; ``content`` is the ledger index of the record that carries its clause list (a staged
version and its publication share it). ``detail`` is JSON of what is read whole (heading path, kinds, flags, risks, spans,
boxes): nine list columns took 15 ms of a 19 ms read of 40 clauses. ``kinds`` stands beside it for conditions.
"""

from __future__ import annotations

CLAUSES_FORMAT = 1

TABLES: dict[str, str] = {
    "meta": "key VARCHAR NOT NULL, value VARCHAR NOT NULL",
    "versions": """
        idx BIGINT NOT NULL, content BIGINT NOT NULL, first_rid BIGINT NOT NULL, clause_count INTEGER NOT NULL,
        dated BOOLEAN NOT NULL, doc_id VARCHAR NOT NULL, version VARCHAR NOT NULL, version_id VARCHAR NOT NULL,
        title VARCHAR NOT NULL, jurisdiction VARCHAR, language VARCHAR NOT NULL, kind VARCHAR, status VARCHAR NOT NULL,
        state VARCHAR NOT NULL, effective_from DATE, effective_to DATE, published_on DATE, recorded_at VARCHAR NOT NULL,
        root VARCHAR NOT NULL, source_sha256 VARCHAR NOT NULL, extracted_sha256 VARCHAR NOT NULL,
        parser_version VARCHAR NOT NULL, supersedes VARCHAR, part_of VARCHAR, amends VARCHAR, translation_of VARCHAR,
        authentic BOOLEAN NOT NULL, model_use VARCHAR NOT NULL, flags VARCHAR NOT NULL, metadata VARCHAR NOT NULL""",
    "events": """
        idx BIGINT NOT NULL, kind VARCHAR NOT NULL, doc_id VARCHAR NOT NULL, version_id VARCHAR, number VARCHAR,
        start_day DATE, end_day DATE, reason VARCHAR NOT NULL, recorded_at VARCHAR NOT NULL, actor VARCHAR NOT NULL""",
    "texts": "tid BIGINT NOT NULL, sha256 VARCHAR NOT NULL, text VARCHAR NOT NULL",
    "text_keys": "tk BIGINT NOT NULL, text_key VARCHAR NOT NULL",
    "clauses": """
        rid BIGINT NOT NULL, tid BIGINT NOT NULL, tk BIGINT NOT NULL, seq INTEGER NOT NULL, path VARCHAR NOT NULL,
        number VARCHAR, label VARCHAR NOT NULL, heading VARCHAR NOT NULL, depth INTEGER NOT NULL, parent VARCHAR,
        sha256 VARCHAR NOT NULL, sha256_normalised VARCHAR NOT NULL, aliases VARCHAR[] NOT NULL, kinds VARCHAR[] NOT NULL,
        page INTEGER,
        effective_from DATE, effective_to DATE, source_id VARCHAR, container BOOLEAN NOT NULL, lineage_id VARCHAR NOT NULL,
        detail VARCHAR NOT NULL""",
    "definitions": """
        content BIGINT NOT NULL, rid BIGINT NOT NULL, term VARCHAR NOT NULL, scope VARCHAR NOT NULL,
        aliases VARCHAR[] NOT NULL, exclusion BOOLEAN NOT NULL""",
    "term_uses": "content BIGINT NOT NULL, rid BIGINT NOT NULL, term VARCHAR NOT NULL, target_rid BIGINT NOT NULL",
    "refs": """
        content BIGINT NOT NULL, rid BIGINT NOT NULL, text VARCHAR NOT NULL, start_at INTEGER NOT NULL,
        end_at INTEGER NOT NULL, mode VARCHAR NOT NULL, target VARCHAR, target_doc VARCHAR, edition VARCHAR""",
    "exceptions": "content BIGINT NOT NULL, rid BIGINT NOT NULL, modifies_rid BIGINT NOT NULL",
    "flags": """
        content BIGINT NOT NULL, ord INTEGER NOT NULL, code VARCHAR NOT NULL, text VARCHAR NOT NULL, path VARCHAR,
        page INTEGER""",
    "proposed_dates": """
        content BIGINT NOT NULL, ord INTEGER NOT NULL, number VARCHAR, effective_from DATE, effective_to DATE,
        quote VARCHAR NOT NULL, rule VARCHAR""",
}


def create_statements() -> list[str]:
    """``CREATE TABLE IF NOT EXISTS`` for every table, in a fixed order."""
    return [f"CREATE TABLE IF NOT EXISTS {name} ({columns.strip()})" for name, columns in TABLES.items()]


def column_types(table: str) -> dict[str, str]:
    """Column names of ``table`` with their types, in order."""
    columns = (column.split() for column in TABLES[table].split(","))
    return {words[0]: words[1] for words in columns}
