"""Reading a manifest: entries checked one by one and against each other before anything is touched."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class BadEntry:
    """An entry that cannot be taken: the file it names (the manifest where it names none), its fault with its place, and the
    entry itself where only its neighbours are in its way."""

    file: str
    code: str
    message: str
    entry: ManifestEntry | None = None


@dataclass(frozen=True, slots=True)
class Manifest:
    """The entries that can be taken and those that cannot, each in the order written."""

    entries: tuple[ManifestEntry, ...]
    bad: tuple[BadEntry, ...]


def read_manifest(path: Path) -> list[ManifestEntry]:
    """The entries of a manifest that must be right as a whole, in order.

    Raises InputRejected as :func:`read_entries`, and with the first fault of an entry: ``bad_manifest``, ``unreadable_date``,
    ``bad_doc_id``, ``bad_label``, ``unknown_jurisdiction``, ``empty_interval``, ``equal_effective_dates``,
    ``overlapping_intervals``.
    """
    found = read_entries(path)
    for bad in found.bad:
        raise InputRejected(bad.code, bad.message, bad.file)
    return list(found.entries)


def read_entries(path: Path) -> Manifest:
    """The entries of a manifest (JSON, YAML or CSV), in order; a bad one never stops the others. Entries that clash with each
    other (one document and language, one first day or declared intervals that overlap) are all bad: which was meant is for
    their owner to say.

    Raises InputRejected ``missing_file``, ``unknown_type``, ``bad_manifest`` when the manifest itself cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except (FileNotFoundError, IsADirectoryError) as error:
        raise InputRejected("missing_file", f"There is no manifest {path.name!r}.", str(path)) from error
    except UnicodeDecodeError as error:
        raise InputRejected("bad_manifest", f"{path.name}: is not UTF-8 text.", path.name) from error
    entries: dict[int, ManifestEntry] = {}
    bad: dict[int, BadEntry] = {}
    for number, value in enumerate(_values(path, text), 1):
        where = f"{path.name} entry {number}"
        try:
            entries[number] = check_entry(value, where)
        except InputRejected as error:
            message = error.message if where in error.message else f"{where}: {error.message}"
            bad[number] = BadEntry(_file_of(value) or path.name, error.code, message)
    for one, other, code, message in clashes(entries):
        for number in (one, other):
            place = f"{path.name} entries {one} and {other}: {message}"
            bad.setdefault(number, BadEntry(entries[number].file, code, place, entries[number]))
    kept = (entry for number, entry in entries.items() if number not in bad)
    return Manifest(tuple(kept), tuple(bad[number] for number in sorted(bad)))


def _file_of(value: Any) -> str | None:
    file = value.get("file") if isinstance(value, Mapping) else None
    return file if isinstance(file, str) and file else None


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


def clashes(entries: Mapping[int, ManifestEntry]) -> Iterator[tuple[int, int, str, str]]:
    """Pairs of entry numbers whose versions of one document and language start on one day or have declared intervals that
    overlap, each with its code and what is wrong. Drafts are never in force and corrections replace, so neither counts."""
    groups: dict[tuple[str, str | None], list[int]] = defaultdict(list)
    for number, entry in entries.items():
        if entry.status != "draft" and not entry.correct:
            groups[entry.doc_id, entry.language].append(number)
    for group in groups.values():
        for one, other in combinations(group, 2):
            fault = _clash(*sorted((entries[one], entries[other]), key=lambda entry: entry.effective_from))
            if fault is not None:
                yield one, other, *fault


def _clash(one: ManifestEntry, other: ManifestEntry) -> tuple[str, str] | None:
    names = f"{one.doc_id}: versions {one.version!r} and {other.version!r}"
    if one == other:
        return None
    if one.effective_from == other.effective_from and one.version == other.version:
        message = f"{one.doc_id}: the version label {one.version!r} stands twice, from {one.effective_from}; give each its own."
        return "equal_effective_dates", message
    if one.effective_from == other.effective_from:
        return "equal_effective_dates", f"{names} both start on {one.effective_from}."
    if one.effective_to is None or other.effective_to is None:
        return None
    first, second = Interval(one.effective_from, one.effective_to), Interval(other.effective_from, other.effective_to)
    if not first.overlaps(second):
        return None
    end = min(one.effective_to, other.effective_to)
    return "overlapping_intervals", f"{names} overlap from {second.start} to {end}."
