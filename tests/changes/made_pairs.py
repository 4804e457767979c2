"""Sides and pairs built from text by hand or by the real parser, without a store."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime

from compliance_rag.changes.sides import Pair, Side, pair_of
from compliance_rag.parse.parse import parse_version
from compliance_rag.store.lineage import assign_lineage
from compliance_rag.store.links import Links, ResolvedReference
from compliance_rag.store.rows import StoredClause, VersionRow
from compliance_rag.structure.analyse import analyse
from schemas.canonical import sha256_normalised, sha256_text
from schemas.clause import Clause, ParsedVersion, Path
from schemas.dates import Interval
from schemas.ids import clause_id


def clause(number: str | None, text: str, heading: str = "", path: str | None = None, start: int = 0) -> Clause:
    """One clause; ``number`` ``4.1`` gives path 4/1 unless ``path`` says otherwise."""
    tokens = tuple((path or (number or "~1").replace(".", "/")).split("/"))
    span = (start, start + len(text))
    return Clause(
        path=tokens, number=number, label=number or "", heading=heading, heading_path=(), depth=len(tokens),
        parent=tokens[:-1] or None, text=text, sha256=sha256_text(text), sha256_normalised=sha256_normalised(text),
        spans=(span,), full_span=span,
    )  # fmt: skip


def clauses(*items: tuple[str, str] | tuple[str, str, str]) -> list[Clause]:
    """Clauses of (number, text[, heading]) in order; a number ``~1`` in the path means unnumbered."""
    found = []
    for at, item in enumerate(items):
        number = None if "~" in item[0] else item[0]
        found.append(clause(number, item[1], item[2] if len(item) > 2 else "", item[0].replace(".", "/"), at * 10_000))
    return found


def row(version_id: str, count: int, language: str) -> VersionRow:
    """A recorded version."""
    return VersionRow(
        doc_id="made", version=version_id, version_id=version_id, title="Made", jurisdiction=None, language=language, kind=None,
        status="official", state="published", declared=Interval(date(2024, 1, int(version_id)), None), published_on=None,
        recorded_at=datetime(2024, 2, 1, tzinfo=UTC), index=int(version_id), root="", source_sha256="", extracted_sha256="",
        parser_version="", clause_count=count,
    )  # fmt: skip


def side(parsed: ParsedVersion, version_id: str, lineage: Sequence[str]) -> Side:
    """A side of a parsed and analysed version, links as the store gives them."""
    version = row(version_id, len(parsed.clauses), parsed.language)
    stored = tuple(StoredClause(item, version, lineage[at], version.declared, at) for at, item in enumerate(parsed.clauses))
    paths = {item.path for item in parsed.clauses}

    def name(path: Path) -> str:
        return clause_id("made", version_id, path)

    links = tuple(
        Links(
            definitions=tuple(found for found in parsed.definitions if found.path == item.path),
            uses=tuple((found.term, name(found.target)) for found in parsed.term_uses if found.path == item.path),
            references=tuple(
                ResolvedReference(found, name(found.target) if found.target in paths and found.target else None, version)
                for found in parsed.references
                if found.path == item.path
            ),
            exceptions=tuple(name(found.path) for found in parsed.exceptions if found.modifies == item.path),
            excepts=tuple(name(found.modifies) for found in parsed.exceptions if found.path == item.path),
        )
        for item in parsed.clauses
    )
    return Side(version, stored, links)


def read(data: bytes, name: str = "made.txt", language: str | None = None) -> ParsedVersion:
    """Parse and analyse."""
    return analyse(parse_version(data, name, language=language), doc_id="made", title="Made")


def parsed_pair(before: ParsedVersion, after: ParsedVersion) -> Pair:
    """Both versions with lineage as ingest assigns it, matched."""
    first = assign_lineage("made", "1", before.clauses)
    second = assign_lineage("made", "2", after.clauses, [(before.clauses, first)])
    return pair_of(side(before, "1", first), side(after, "2", second))


def text_pair(before: str, after: str, language: str | None = None) -> Pair:
    """A pair of two plain texts."""
    return parsed_pair(read(before.encode(), language=language), read(after.encode(), language=language))
