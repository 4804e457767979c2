"""Clauses, rankings and a registry made by hand for the answer room's tests."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

from compliance_rag.retrieve.types import Candidate, EvidenceItem, Query, Ranking
from compliance_rag.store.rows import StoredClause, VersionRow
from compliance_rag.store.timeline import Knowledge
from schemas.canonical import sha256_normalised, sha256_text
from schemas.clause import Clause
from schemas.dates import Interval
from schemas.objects import Role

KNOWN = Knowledge(datetime(2026, 1, 1, tzinfo=UTC))
AS_OF = date(2026, 1, 1)


def version(doc_id: str = "policy", language: str = "en", jurisdiction: str | None = None) -> VersionRow:
    """Version 1 of a document, in force from 2020, recorded in 2021."""
    return VersionRow(
        doc_id=doc_id,
        version="1", version_id="1", title=doc_id.title(), jurisdiction=jurisdiction, language=language, kind=None,
        status="official", state="published", declared=Interval(date(2020, 1, 1), None), published_on=None,
        recorded_at=datetime(2021, 1, 1, tzinfo=UTC),
        index=0, root="", source_sha256="", extracted_sha256="", parser_version="1",
        clause_count=1,
    )  # fmt: skip


def clause(number: str, text: str, heading: str = "", *, row: VersionRow | None = None, seq: int = 0) -> StoredClause:
    """A clause with this number, text and heading; the path is the number split at its dots."""
    path = tuple(number.lower().split("."))
    inner = Clause(
        path=path, number=number, label=number, heading=heading, heading_path=(), depth=len(path), parent=path[:-1] or None,
        text=text, sha256=sha256_text(text), sha256_normalised=sha256_normalised(text), spans=((0, len(text)),),
        full_span=(0, len(text)), heading_span=(0, len(heading)) if heading else None,
    )  # fmt: skip
    row = row or version()
    return StoredClause(inner, row, f"l-{row.doc_id}-{number}", row.declared, seq)


def evidence(*clauses: StoredClause, role: Role = "primary") -> list[EvidenceItem]:
    """The clauses as evidence of one role."""
    return [EvidenceItem(one, role, "made", 1.0) for one in clauses]


def ranking(question: str, *clauses: StoredClause, as_of: date = AS_OF, coverage: float = 1.0) -> Ranking:
    """The clauses as candidates in this order."""
    found = tuple(Candidate(one, round(1 - at / 10, 6), lexical=at + 1, dense=at + 1) for at, one in enumerate(clauses))
    return Ranking(Query(question, as_of, KNOWN.known_at), found, coverage, b"", {}, "exact", len(clauses), 1, 1)


class Registry:
    """The clause tables and the ledger's hashes, which a test may damage."""

    def __init__(self, *clauses: StoredClause) -> None:
        self.stored = {one.clause_id: one for one in clauses}
        self.recorded = {one.clause_id: one.clause.sha256 for one in clauses}

    def fresh(self, clause_id: str) -> StoredClause | None:
        """As the service's registry."""
        return self.stored.get(clause_id)

    def recorded_sha256(self, clause_id: str) -> str | None:
        """As the service's registry."""
        return self.recorded.get(clause_id)

    def damage(self, clause_id: str, text: str) -> None:
        """Put another text under the old hash."""
        held = self.stored[clause_id]
        self.stored[clause_id] = replace(held, clause=replace(held.clause, text=text))
