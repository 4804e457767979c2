"""Reading a manifest: entries checked one by one and against each other before anything is touched."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import combinations
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from schemas.dates import Interval, parse_day
from schemas.errors import InputRejected
from schemas.ids import check_doc_id, slug
from schemas.jurisdictions import jurisdiction
from schemas.manifest import ManifestEntry

_DAYS = ("effective_from", "effective_to", "published_on")
_FLAGS = ("authentic", "correct")
# A label goes into every id, header and listing; a longer one is a paragraph pasted into the wrong column.
LABEL_LIMIT = 300
_LANGUAGE = re.compile(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*\Z", re.ASCII)
_TRUE, _FALSE = frozenset({"true", "yes", "1"}), frozenset({"false", "no", "0"})


def read_manifest(path: Path) -> list[ManifestEntry]:
    """The entries of a manifest (JSON, YAML or CSV), in order.

    Raises InputRejected: ``missing_file``, ``unknown_type``, ``bad_manifest``, ``unreadable_date``, ``bad_doc_id``,
    ``bad_label``, ``unknown_jurisdiction``, ``empty_interval``, ``equal_effective_dates``, ``overlapping_intervals``.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, IsADirectoryError) as error:
        raise InputRejected("missing_file", f"There is no manifest {path.name!r}.", str(path)) from error
    except UnicodeDecodeError as error:
        raise InputRejected("bad_manifest", f"{path.name}: is not UTF-8 text.", path.name) from error
    entries = [check_entry(value, f"{path.name} entry {number}") for number, value in enumerate(_values(path, text), 1)]
    check_together(entries)
    return entries


def _values(path: Path, text: str) -> list[Any]:
    kind = path.suffix.lower()
    try:
        if kind == ".json":
            value = json.loads(text)
        elif kind in (".yaml", ".yml"):
            value = yaml.safe_load(text)
        elif kind == ".csv":
            value = [_row(row) for row in csv.DictReader(io.StringIO(text))]
        else:
            raise InputRejected("unknown_type", f"{path.name}: a manifest ends in .json, .yaml or .csv.", path.name)
    except (ValueError, yaml.YAMLError, csv.Error, RecursionError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputRejected("bad_manifest", f"{path.name} cannot be read: {first}.", path.name) from error
    if isinstance(value, dict):
        value = value.get("versions")
    if not isinstance(value, list) or not value:
        raise InputRejected("bad_manifest", f"{path.name} holds no list of entries.", path.name)
    return value


def _row(row: Mapping[str | None, Any]) -> dict[str, Any]:
    """A CSV row without its empty cells; ``clause_dates`` is JSON in its cell."""
    value: dict[str, Any] = {key: cell.strip() for key, cell in row.items() if key and isinstance(cell, str) and cell.strip()}
    for key in _FLAGS:
        cell = value.get(key, "").lower()
        if cell in _TRUE | _FALSE:
            value[key] = cell in _TRUE
    if "clause_dates" in value:
        value["clause_dates"] = json.loads(value["clause_dates"])
    return value


def check_entry(value: Any, where: str) -> ManifestEntry:
    """One entry, checked by itself. Raises as :func:`read_manifest`."""
    if not isinstance(value, Mapping):
        raise InputRejected("bad_manifest", f"{where} is not a set of keys and values.", where)
    plain = _recordable({str(key): item for key, item in value.items() if item is not None}, where)
    for key in _DAYS:
        if key in plain:
            plain[key] = _day(plain[key], f"{where}: {key}")
    dates = plain.get("clause_dates")
    if isinstance(dates, Mapping):
        plain["clause_dates"] = {
            str(number): _clause_days(days, f"{where}: clause_dates {number}") for number, days in dates.items()
        }
    for key in ("doc_id", "version", "file", "title"):
        if isinstance(plain.get(key), int | float):
            plain[key] = str(plain[key])
    try:
        entry = ManifestEntry.model_validate(plain)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(step) for step in first["loc"])
        raise InputRejected("bad_manifest", f"{where}: {name}: {first['msg']}.", where) from error
    check_doc_id(entry.doc_id)
    if len(entry.version) > LABEL_LIMIT:
        raise InputRejected("bad_label", f"{where}: the version label is longer than {LABEL_LIMIT} characters.", where)
    if entry.language is not None and not _LANGUAGE.match(entry.language):
        raise InputRejected(
            "bad_manifest", f"{where}: language {entry.language!r} is no language code such as en or zh.", where
        )
    slug(entry.version, "version")
    _check_interval(entry.effective_from, entry.effective_to, where)
    for number, days in entry.clause_dates.items():
        _check_interval(days.effective_from, days.effective_to, f"{where}: clause {number}")
    if entry.jurisdiction is not None:
        entry = entry.model_copy(update={"jurisdiction": jurisdiction(entry.jurisdiction, f"{where}: jurisdiction")})
    return entry


def _recordable(value: dict[str, Any], where: str) -> dict[str, Any]:
    """The entry as JSON keeps it (YAML gives dates, and keys that are numbers). Raises InputRejected ``bad_manifest``."""
    try:
        text = json.dumps(value, default=str, ensure_ascii=False, allow_nan=False)
        text.encode("utf-8")
    except (TypeError, ValueError, RecursionError) as error:
        raise InputRejected("bad_manifest", f"{where} holds a value that cannot be recorded.", where) from error
    plain: dict[str, Any] = json.loads(text)
    return plain


def _day(value: Any, where: str) -> date:
    return parse_day(str(value), where)


def _clause_days(value: Any, where: str) -> Any:
    if not isinstance(value, Mapping):
        return value
    return {key: _day(day, f"{where}: {key}") if key in _DAYS else day for key, day in value.items() if day is not None}


def _check_interval(start: date | None, end: date | None, where: str) -> None:
    if start is not None and end is not None and end <= start:
        raise InputRejected("empty_interval", f"{where}: effective_to {end} is not after effective_from {start}.", where)


def check_together(entries: Sequence[ManifestEntry]) -> None:
    """No two versions of one document and language may start on one day or have declared intervals that overlap. Drafts are
    never in force and corrections replace, so neither counts."""
    groups: dict[tuple[str, str | None], list[ManifestEntry]] = defaultdict(list)
    for entry in entries:
        if entry.status != "draft" and not entry.correct:
            groups[entry.doc_id, entry.language].append(entry)
    for group in groups.values():
        ordered = sorted(group, key=lambda entry: entry.effective_from)
        for one, other in combinations(ordered, 2):
            _check_pair(one, other)


def _check_pair(one: ManifestEntry, other: ManifestEntry) -> None:
    names = f"{one.doc_id}: versions {one.version!r} and {other.version!r}"
    if one == other:
        return
    if one.effective_from == other.effective_from:
        raise InputRejected("equal_effective_dates", f"{names} both start on {one.effective_from}.", one.doc_id)
    if one.effective_to is None or other.effective_to is None:
        return
    first, second = Interval(one.effective_from, one.effective_to), Interval(other.effective_from, other.effective_to)
    if first.overlaps(second):
        raise InputRejected(
            "overlapping_intervals",
            f"{names} overlap from {second.start} to {min(one.effective_to, other.effective_to)}.",
            one.doc_id,
        )
