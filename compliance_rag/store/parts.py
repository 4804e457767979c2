"""The part ``structure`` of a publication record: all that was read from a version and the version root does not cover.

With the extracted text it gives the version back without parsing again, so that old records keep their parse (law 10).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import date
from typing import Any

from schemas.canonical import sha256_normalised, sha256_text
from schemas.clause import (
    Clause,
    Definition,
    ExceptionLink,
    Flag,
    ParsedVersion,
    ProposedDate,
    Reference,
    Risk,
    TermUse,
)
from schemas.dates import parse_day, print_day
from schemas.errors import IntegrityError

STRUCTURE_FORMAT = 1
STRUCTURE_ROLE = "structure"


def print_structure(parsed: ParsedVersion, lineage: Sequence[str], entry: dict[str, Any]) -> bytes:
    """JSON of the parse, the lineage ids and the manifest ``entry``; clause texts are left to the extracted text."""
    value = {
        "format": STRUCTURE_FORMAT,
        "entry": entry,
        "language": parsed.language,
        "title": parsed.title,
        "clauses": [_print_clause(clause, line) for clause, line in zip(parsed.clauses, lineage, strict=True)],
        "furniture": [list(span) for span in parsed.furniture],
        "definitions": [_print(item) for item in parsed.definitions],
        "term_uses": [_print(item) for item in parsed.term_uses],
        "references": [_print(item) for item in parsed.references],
        "exceptions": [_print(item) for item in parsed.exceptions],
        "proposed_dates": [_print(item) for item in parsed.proposed_dates],
        "flags": [_print(item) for item in parsed.flags],
        "report": parsed.report,
    }
    # Sorted keys and shortest floats: the same bytes on any machine, 20 times faster than a full RFC 8785 printer.
    text = json.dumps(value, ensure_ascii=False, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "surrogatepass")


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return print_day(value)
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    return value


def _print(item: Any) -> dict[str, Any]:
    return {field.name: _plain(getattr(item, field.name)) for field in fields(item)}


def _print_clause(clause: Clause, lineage_id: str) -> dict[str, Any]:
    value = {
        field.name: _plain(getattr(clause, field.name))
        for field in fields(clause)
        if field.name not in {"text", "sha256_normalised", "risks"}
    }
    return value | {"risks": [[risk.kind, risk.level] for risk in clause.risks], "lineage_id": lineage_id}


def read_structure(
    data: bytes, extracted: str, *, source_sha256: str, extracted_sha256: str, parser_version: str
) -> tuple[ParsedVersion, list[str], dict[str, Any]]:
    """The version, its lineage ids and its manifest entry. Raises IntegrityError ``extracted_damaged`` when the extracted text
    does not give a clause's hash."""
    value = json.loads(data)
    parsed = ParsedVersion(
        source_sha256=source_sha256,
        extracted=extracted,
        extracted_sha256=extracted_sha256,
        parser_version=parser_version,
        language=value["language"],
        title=value["title"],
        clauses=tuple(_read_clause(item, extracted) for item in value["clauses"]),
        furniture=tuple((start, end) for start, end in value["furniture"]),
        definitions=tuple(_definition(item) for item in value["definitions"]),
        term_uses=tuple(TermUse(tuple(item["path"]), item["term"], tuple(item["target"])) for item in value["term_uses"]),
        references=tuple(_reference(item) for item in value["references"]),
        exceptions=tuple(ExceptionLink(tuple(item["path"]), tuple(item["modifies"])) for item in value["exceptions"]),
        proposed_dates=tuple(_proposed(item) for item in value["proposed_dates"]),
        flags=tuple(_flag(item) for item in value["flags"]),
        report=value["report"],
    )
    return parsed, [item["lineage_id"] for item in value["clauses"]], value["entry"]


def _day(text: str | None) -> date | None:
    return None if text is None else parse_day(text)


def _path(tokens: list[str] | None) -> tuple[str, ...] | None:
    return None if tokens is None else tuple(tokens)


def _span(pair: list[int] | None) -> tuple[int, int] | None:
    return None if pair is None else (pair[0], pair[1])


def _read_clause(value: dict[str, Any], extracted: str) -> Clause:
    spans = tuple((start, end) for start, end in value["spans"])
    text = "\n".join(extracted[start:end] for start, end in spans)
    if sha256_text(text) != value["sha256"]:
        where = "/".join(value["path"])
        raise IntegrityError("extracted_damaged", f"The extracted text does not give clause {where} its recorded hash.", where)
    return Clause(
        path=tuple(value["path"]),
        number=value["number"],
        label=value["label"],
        heading=value["heading"],
        heading_path=tuple(value["heading_path"]),
        depth=value["depth"],
        parent=_path(value["parent"]),
        text=text,
        sha256=value["sha256"],
        sha256_normalised=sha256_normalised(text),
        spans=spans,
        full_span=(value["full_span"][0], value["full_span"][1]),
        heading_span=_span(value["heading_span"]),
        label_span=_span(value["label_span"]),
        aliases=tuple(value["aliases"]),
        kinds=tuple(value["kinds"]),
        page=value["page"],
        boxes=tuple((int(box[0]), *(float(edge) for edge in box[1:])) for box in value["boxes"]),  # type: ignore[misc]
        box_ranges=tuple((start, end) for start, end in value.get("box_ranges", ())),
        effective_from=_day(value["effective_from"]),
        effective_to=_day(value["effective_to"]),
        source_id=value["source_id"],
        risks=tuple(Risk(kind, level) for kind, level in value["risks"]),
        flags=tuple(value["flags"]),
        container=value["container"],
    )


def _definition(value: dict[str, Any]) -> Definition:
    return Definition(value["term"], tuple(value["path"]), value["scope"], tuple(value["aliases"]), value["exclusion"])


def _reference(value: dict[str, Any]) -> Reference:
    span = (value["span"][0], value["span"][1])
    return Reference(
        tuple(value["path"]), value["text"], span, value["mode"], _path(value["target"]), value["target_doc"], value["edition"]
    )


def _proposed(value: dict[str, Any]) -> ProposedDate:
    days = (_day(value["effective_from"]), _day(value["effective_to"]))
    return ProposedDate(value["number"], *days, value["quote"], value["rule"])


def _flag(value: dict[str, Any]) -> Flag:
    return Flag(value["code"], value["text"], _path(value["path"]), value["page"])
