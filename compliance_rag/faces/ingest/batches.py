"""Batches: files that someone sent, what they said about them, and how far the ingest is."""

from __future__ import annotations

import json
import re
import secrets
import shutil
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, Any, Final, Literal

from compliance_rag.service.manifest import BadEntry, Manifest, read_entries
from schemas.errors import InputRejected, NotFound
from schemas.ids import slug
from schemas.manifest import ManifestEntry

State = Literal["draft", "waiting", "running", "done", "failed"]
ENDED: Final = frozenset({"done", "failed"})
# A batch is looked over by a person before it goes in; a larger one belongs in a manifest for `add`.
FILES_LIMIT: Final = 500
# What a directory entry holds, in bytes.
NAME_BYTES: Final = 255
# Batches that one person may leave lying, each with its files; then the oldest goes.
KEPT_EACH: Final = 5
ID_BYTES: Final = 12
# Lists of files that are read in the service itself; YAML may unfold without bound and is for the command line.
MANIFEST_SUFFIXES: Final = (".json", ".csv")
MANIFEST_BYTES: Final = 1_000_000
CLAUSES_SUFFIX: Final = ".clauses.json"
# Where in a manifest a fault lies: beside its row, that is said by the row.
_PLACE: Final = re.compile(r"^[^:]{1,255}? entr(?:y|ies) [^:]*: ")
_SUFFIX = re.compile(r"(\.clauses)?\.[^.]{1,8}\Z")


@dataclass(slots=True)
class Row:
    """One file as its owner describes it: the manifest's keys as typed, and what is wrong with them or with the file."""

    file: str
    fields: dict[str, Any] = field(default_factory=dict)
    problem: Mapping[str, str] | None = None


@dataclass(slots=True)
class Batch:
    """Files under ``folder/files`` until they are recorded; ``rows`` are those not recorded yet. Written under the guard of
    :class:`compliance_rag.faces.ingest.running.Ingests`; ``revision`` grows with each change;
    ``missing``: files that its manifest names and that were not sent; ``aside``: rows that cannot be taken as they are
    described, and wait while the others are ingested."""

    id: str
    owner: str
    folder: Path
    rows: list[Row] = field(default_factory=list)
    state: State = "draft"
    stage: str = ""
    done: int = 0
    total: int = 0
    result: dict[str, Any] | None = None
    made_stale: int = 0
    reports: list[dict[str, Any]] = field(default_factory=list)
    error: dict[str, Any] | None = None
    revision: int = 0
    missing: list[str] = field(default_factory=list)
    aside: list[Row] = field(default_factory=list)

    @property
    def under_way(self) -> bool:
        """Whether it waits for its ingest, or is in it."""
        return self.state in ("waiting", "running")

    @property
    def files(self) -> Path:
        """Where its files lie."""
        return self.folder / "files"

    @property
    def manifest(self) -> Path:
        """What the ingest reads."""
        return self.folder / "manifest.json"

    def shown(self) -> dict[str, Any]:
        """As the HTTP calls give it."""
        return {
            "id": self.id, "state": self.state, "stage": self.stage, "done": self.done, "total": self.total,
            "result": self.result, "made_stale": self.made_stale, "reports": self.reports, "error": self.error,
        }  # fmt: skip


def new_batch(owner: str, uploads: Sequence[tuple[str, IO[bytes]]]) -> Batch:
    """A batch of these files (name as sent, bytes), each with a guess at its fields.

    Raises InputRejected ``no_file``, ``too_many_files``, ``bad_file_name``, ``file_twice``.
    """
    if not uploads:
        raise InputRejected("no_file", "No file was sent; choose at least one.", "files")
    if len(uploads) > FILES_LIMIT:
        raise InputRejected("too_many_files", f"{len(uploads)} files were sent; at most {FILES_LIMIT} at a time.", "files")
    names = [file_name(sent) for sent, _ in uploads]
    for name in names:
        if names.count(name) > 1:
            raise InputRejected("file_twice", f"Two files are named {name!r}; rename one and send them again.", name)
    batch = Batch(secrets.token_hex(ID_BYTES), owner, Path(tempfile.mkdtemp(prefix="compliance-rag-batch-")))
    batch.files.mkdir()
    for name, (_, data) in zip(names, uploads, strict=True):
        with (batch.files / name).open("wb") as out:
            shutil.copyfileobj(data, out)
    batch.rows = [Row(name, guess(name)) for name in names]
    return batch


def file_name(sent: str) -> str:
    """The last part of a name as a browser or a client sent it. Raises InputRejected ``bad_file_name``."""
    name = PurePosixPath(sent.replace("\\", "/")).name
    if name in ("", ".", "..") or "\0" in name or not name.isprintable() or len(name.encode()) > NAME_BYTES:
        raise InputRejected("bad_file_name", f"A file cannot be kept under the name {sent[:80]!r}; rename it.", "files")
    return name


def guess(name: str) -> dict[str, Any]:
    """What a file's name says: an id. Not a title: the one that the document prints stands unless a person writes another."""
    try:
        return {"doc_id": slug(_SUFFIX.sub("", name), "doc_id")}
    except InputRejected:
        return {}


def is_manifest(name: str) -> bool:
    """Whether a file among others lists them."""
    lower = name.lower()
    return lower.endswith(MANIFEST_SUFFIXES) and not lower.endswith(CLAUSES_SUFFIX)


def take_manifest(batch: Batch) -> None:
    """Where a manifest lies among the files, its entries describe them: a row each, in its order; the rest keep their guesses.

    Raises InputRejected ``bad_manifest`` for one that is too large, and as
    :func:`compliance_rag.service.manifest.read_entries`.
    """
    name = next((row.file for row in batch.rows if is_manifest(row.file)), None)
    if name is None or len(batch.rows) < 2:
        return
    if (batch.files / name).stat().st_size > MANIFEST_BYTES:
        raise InputRejected("bad_manifest", f"{name}: a manifest has at most {MANIFEST_BYTES:,} bytes; split it.", name)
    found = read_entries(batch.files / name)
    batch.rows = [row for row in batch.rows if row.file != name]
    named = [Row(PurePosixPath(entry.file).name, fields_of(entry)) for entry in found.entries]
    named += [Row(PurePosixPath(item.file).name, fields_of(item.entry), problem_of(item)) for item in found.bad if item.entry]
    bad = {PurePosixPath(item.file).name: problem_of(item) for item in found.bad}
    known = {row.file for row in batch.rows}
    listed = {row.file for row in named}
    rest = [row for row in batch.rows if row.file not in listed]
    for row in rest:
        row.problem = bad.get(row.file)
    batch.missing = [row.file for row in named if row.file not in known]
    batch.rows = [row for row in named if row.file in known] + rest
    (batch.files / name).unlink()


def problem_of(item: BadEntry) -> dict[str, str]:
    """What is wrong with a row, without its place in a manifest that its owner does not see."""
    return {"code": item.code, "message": _PLACE.sub("", item.message)}


def fields_of(entry: ManifestEntry) -> dict[str, Any]:
    """An entry as its keys and plain values, without its file and what it leaves at the default."""
    value: dict[str, Any] = entry.model_dump(mode="json", exclude={"file"}, exclude_defaults=True)
    return value


def mark_bad(batch: Batch, found: Manifest) -> None:
    """Each row gets what is wrong with it."""
    bad = {item.file: item for item in found.bad}
    for row in batch.rows:
        row.problem = problem_of(bad[row.file]) if row.file in bad else None


def write_manifest(batch: Batch, entries: Sequence[Mapping[str, Any]]) -> Manifest:
    """Write the batch's manifest and read it back, checked: what is bad about each entry, and about all beside each other. A
    file that was not sent is bad (``missing_file``): nothing outside the batch is ever read.

    Raises InputRejected ``bad_manifest`` when there is no entry, or nothing that is one.
    """
    sent = {path.name for path in batch.files.iterdir()}
    for entry in entries:
        name = entry.get("file") if isinstance(entry, Mapping) else None
        if isinstance(name, str) and name not in sent:
            name = name[:80]
            raise InputRejected("missing_file", f"No file named {name!r} was sent; send it with its entry.", name)
    batch.manifest.write_text(json.dumps(list(entries), ensure_ascii=False), "utf-8")
    return read_entries(batch.manifest)


def keep_entries(batch: Batch, entries: Sequence[ManifestEntry]) -> None:
    """The manifest that the ingest reads: the good entries only. Rows with a problem wait aside."""
    batch.aside = [row for row in batch.rows if row.problem is not None]
    batch.rows = [Row(entry.file, fields_of(entry)) for entry in entries]
    value = [{"file": row.file, **row.fields} for row in batch.rows]
    batch.manifest.write_text(json.dumps(value, ensure_ascii=False), "utf-8")


def settle(batch: Batch, told: Mapping[str, Any]) -> None:
    """Take what the ingest said at its end: recorded files leave the batch, the others stay with what is wrong."""
    aside, batch.aside = batch.aside, []
    batch.error = told.get("error")
    if batch.error is not None:
        batch.state = "failed"
        batch.rows += aside
        return
    batch.state = "done"
    batch.result, batch.reports, batch.made_stale = told["result"], told["reports"], told["made_stale"]
    told["result"]["rejected"] += [{"file": row.file, **(row.problem or {})} for row in aside]
    rejected = {item["file"]: item for item in told["result"]["rejected"]}
    kept = aside
    for row in batch.rows:
        if row.file in rejected:
            row.problem = {name: rejected[row.file][name] for name in ("code", "message")}
            kept.append(row)
        else:
            (batch.files / row.file).unlink(missing_ok=True)
    batch.rows = kept


class Shelf:
    """The batches of one process, each seen by its owner only."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._batches: dict[str, Batch] = {}

    def put(self, batch: Batch) -> None:
        """Keep a batch; the owner's oldest that is not under way makes room."""
        with self._guard:
            mine = [one for one in self._batches.values() if one.owner == batch.owner and not one.under_way]
            for old in mine[: max(0, len(mine) - KEPT_EACH + 1)]:
                self._drop(old)
            self._batches[batch.id] = batch

    def get(self, batch_id: str, owner: str) -> Batch:
        """Raises NotFound ``unknown_batch``: another's is as one that never was."""
        with self._guard:
            found = self._batches.get(batch_id)
        if found is None or found.owner != owner:
            raise NotFound("unknown_batch", f"There is no batch {batch_id[:80]!r}; it may be over and gone.", batch_id[:80])
        return found

    def drop(self, batch: Batch) -> None:
        """Let a batch go, with its files."""
        with self._guard:
            self._drop(batch)

    def clear(self) -> None:
        """Let all go."""
        with self._guard:
            for batch in list(self._batches.values()):
                self._drop(batch)

    def _drop(self, batch: Batch) -> None:
        self._batches.pop(batch.id, None)
        shutil.rmtree(batch.folder, ignore_errors=True)
