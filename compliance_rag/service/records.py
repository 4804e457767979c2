"""Ledger records of the corpus to and from rows: the one reader and printer of publication, withdrawal and redate headers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from audit.ledger import Ledger, PartDraft, RecordDraft
from audit.roots import clause_row, clauses_part, version_root
from compliance_rag.store.clauses import StoredVersion, publication_fields
from compliance_rag.store.indexed import indexed_text, lead_in_of, text_key
from compliance_rag.store.parts import STRUCTURE_ROLE, print_structure, read_structure
from compliance_rag.store.rows import TimeEvent, VersionRow
from schemas.canonical import sha256_text
from schemas.clause import Clause, ParsedVersion, Path
from schemas.dates import Interval, parse_day, parse_instant, print_day
from schemas.errors import IntegrityError
from schemas.home import Home

CORPUS_TYPES = frozenset({"publication", "withdrawal", "redate"})
"""The record types that the clause tables project."""
_IN_ENTRY = ("title", "kind", "part_of", "amends", "translation_of", "authentic", "model_use", "metadata")


def publication_draft(
    row: VersionRow, parsed: ParsedVersion, lineage: Sequence[str], corpus_root: str, actor: str, actor_auth: str
) -> RecordDraft:
    """The record of a version: what the corpus root covers in the header, the rest in its parts."""
    header = publication_fields(row) | {
        "corpus_root": corpus_root, "clause_count": row.clause_count, "actor": actor, "actor_auth": actor_auth,
    }  # fmt: skip
    entry = {name: getattr(row, name) for name in _IN_ENTRY}
    parts = (
        PartDraft("clauses", clauses_part([clause_row(clause) for clause in parsed.clauses])),
        PartDraft(STRUCTURE_ROLE, print_structure(parsed, lineage, entry)),
    )
    return RecordDraft("publication", header, parts)


def read_publication(ledger: Ledger, home: Home, header: Mapping[str, Any]) -> StoredVersion:
    """The version of a publication record from its parts and the extracted text, never by parsing again.

    Raises IntegrityError ``extracted_missing``, ``extracted_damaged``, ``root_mismatch`` and those of ``Ledger.part``.
    """
    extracted = read_extracted(home, header["extracted_sha256"])
    parsed, lineage, entry = read_structure(
        ledger.part(header, STRUCTURE_ROLE),
        extracted,
        source_sha256=header["source_sha256"],
        extracted_sha256=header["extracted_sha256"],
        parser_version=header["parser"],
    )
    if version_root(clause_row(clause) for clause in parsed.clauses) != header["root"]:
        where = f"{header['doc_id']}@{header['version_id']}"
        raise IntegrityError("root_mismatch", f"The clause list of {where} does not give its recorded root.", where)
    row = VersionRow(
        **{name: header[name] for name in ("doc_id", "version", "version_id", "jurisdiction", "language", "status", "state")},
        **{name: entry[name] for name in _IN_ENTRY},
        declared=Interval(*(_day(header[name]) for name in ("effective_from", "effective_to"))),
        published_on=_day(header["published_on"]),
        recorded_at=parse_instant(header["recorded_at"]),
        index=header["index"],
        root=header["root"],
        source_sha256=header["source_sha256"],
        extracted_sha256=header["extracted_sha256"],
        parser_version=header["parser"],
        clause_count=len(parsed.clauses),
        supersedes=header["corrects"],
        flags=flag_counts(parsed),
    )
    keys = [text_key(text) if text else "" for text in indexed_texts(row.title, parsed.clauses)]
    return StoredVersion(row, parsed, lineage, keys)


def _day(text: str | None) -> Any:
    return None if text is None else parse_day(text)


def flag_counts(parsed: ParsedVersion) -> dict[str, int]:
    """How often each flag stands in a version."""
    return dict(sorted(Counter(flag.code for flag in parsed.flags).items()))


def read_extracted(home: Home, sha256: str) -> str:
    """The extracted text, proved against its name. Raises IntegrityError ``extracted_missing``, ``extracted_damaged``."""
    path = home.extracted(sha256)
    try:
        text = path.read_bytes().decode("utf-8", "surrogatepass")
    except FileNotFoundError as error:
        raise IntegrityError("extracted_missing", f"extracted/{path.name} is missing; run rebuild.", path.name) from error
    except UnicodeDecodeError:
        text = ""
    if sha256_text(text) != sha256:
        raise IntegrityError("extracted_damaged", f"extracted/{path.name} is not what was recorded; run rebuild.", path.name)
    return text


def indexed_texts(title: str, clauses: Sequence[Clause]) -> list[str]:
    """What each clause is found by, in order; empty where there is nothing to find it by."""
    by_path: dict[Path, Clause] = {clause.path: clause for clause in clauses}
    texts = []
    for clause in clauses:
        ancestors: list[Clause] = []
        parent = clause.parent
        while parent is not None and parent in by_path:
            ancestors.append(by_path[parent])
            parent = by_path[parent].parent
        texts.append(indexed_text(clause, title, lead_in_of(ancestors[::-1])))
    return texts


def event_draft(event: TimeEvent, actor: str, actor_auth: str, path: Path | None = None) -> RecordDraft:
    """The record of a withdrawal, a voiding or a redating; ``path`` is the clause that a redating's number names."""
    fields: dict[str, Any] = {
        "doc_id": event.doc_id, "version_id": event.version_id, "actor": actor, "actor_auth": actor_auth,
    }  # fmt: skip
    if event.kind == "redate":
        fields |= {"number": event.number, "effective_from": print_day(event.start), "effective_to": print_day(event.end)}
        fields["path"] = None if path is None else "/".join(path)
    else:
        fields |= {"from": print_day(event.start), "void": event.kind == "void"}
    return RecordDraft(
        "redate" if event.kind == "redate" else "withdrawal", fields, (PartDraft("reason", event.reason.encode()),)
    )


def read_event(header: Mapping[str, Any]) -> TimeEvent:
    """The time event of a withdrawal or redate record, its reason left empty: free text stays in the ledger alone, where it can
    be erased."""
    reason = ""
    recorded_at, index = parse_instant(header["recorded_at"]), header["index"]
    doc_id, version_id = header["doc_id"], header["version_id"]
    if header["type"] == "redate":
        start, end = _day(header["effective_from"]), _day(header["effective_to"])
        named = header["number"] if header.get("path") is None else header["path"]
        return TimeEvent("redate", doc_id, version_id, named, start, end, reason, recorded_at, index)
    start = _day(header["from"])
    return TimeEvent(
        "void" if header["void"] else "withdraw", doc_id, version_id, None, start, None, reason, recorded_at, index
    )


def as_published(row: VersionRow) -> VersionRow:
    """The row a staged version gets with its publication; index and instant follow from the record."""
    return replace(row, state="published")
