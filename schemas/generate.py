"""The JSON Schemas of the published models, checked in under ``schemas/json/``: ``python -m schemas.generate`` writes them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pydantic import BaseModel, Field, TypeAdapter

from schemas.held_page import HeldPage, HeldPageShown
from schemas.home import LEDGER_FORMAT
from schemas.ledger import RECORD_TYPES, Digest, PartEntry
from schemas.manifest import ManifestEntry
from schemas.objects import (
    Answer,
    Changes,
    ClauseObject,
    DocumentObject,
    FullClauseObject,
    Receipt,
    ReviewItem,
    ReviewShown,
    SearchResult,
)
from schemas.stale import StaleItem

FOLDER = Path(__file__).parent / "json"
DIALECT = "https://json-schema.org/draft/2020-12/schema"


class HeaderFrame(BaseModel):
    """What the ledger itself sets in every header; the rest belongs to the record's type."""

    format: int = Field(json_schema_extra={"const": LEDGER_FORMAT})
    type: str
    index: int = Field(ge=0)
    origin: str
    previous: Digest | None
    recorded_at: str = Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
    clock_set_back: bool = False
    parts: list[PartEntry]
    sealed_under: str | None = Field(default=None, pattern=r"^[0-9a-f]{32}$")


# What is printed or recorded is described as written, what is read (a manifest) as taken.
_READ: dict[str, Any] = {"manifest-entry": ManifestEntry}
_WRITTEN: dict[str, Any] = {
    "answer": Answer,
    "changes": Changes,
    "clause": ClauseObject,
    "clause-full": FullClauseObject,
    "docs": list[DocumentObject],
    "receipt": Receipt,
    "review": ReviewShown,
    "review-page": HeldPageShown,
    "review-list": list[ReviewItem | HeldPage],
    "search": SearchResult,
    "stale": list[StaleItem],
}


def _schema(model: Any, mode: Any) -> dict[str, Any]:
    return TypeAdapter(model).json_schema(mode=mode, by_alias=True)


def _header(name: str, model: type[BaseModel]) -> dict[str, Any]:
    """The frame and the type's own fields as one object; more fields are allowed."""
    frame, own = _schema(HeaderFrame, "validation"), _schema(model, "validation")
    properties = frame["properties"] | own["properties"] | {"type": {"const": name}}
    required = sorted({*frame["required"], *own.get("required", [])})
    definitions = {**frame.get("$defs", {}), **own.get("$defs", {})}
    about = own.get("description", "")
    return {"title": f"{name} header", "description": about, "type": "object", "properties": properties,
            "required": required, "additionalProperties": True, "$defs": definitions}  # fmt: skip


def schemas() -> dict[str, bytes]:
    """File name to content, ready to write: sorted keys, two spaces, one line feed at the end."""
    found = {name: _schema(model, "validation") for name, model in _READ.items()}
    found |= {name: _schema(model, "serialization") for name, model in _WRITTEN.items()}
    found |= {f"ledger-{name}": _header(name, model) for name, model in RECORD_TYPES.items()}
    return {
        f"{name}.json": json.dumps({"$schema": DIALECT, **schema}, indent=2, sort_keys=True, ensure_ascii=False).encode()
        + b"\n"
        for name, schema in sorted(found.items())
    }


def write(folder: Path = FOLDER) -> list[str]:
    """Write them all; names of those that changed. A file of no model is taken away."""
    folder.mkdir(exist_ok=True)
    wanted = schemas()
    for path in folder.glob("*.json"):
        if path.name not in wanted:
            path.unlink()
    changed = [name for name, data in wanted.items() if not (folder / name).exists() or (folder / name).read_bytes() != data]
    for name in changed:
        (folder / name).write_bytes(wanted[name])
    return changed


if __name__ == "__main__":
    write()
