"""A scratch home with a corpus in it, for suites that ask real questions of real stores."""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from pathlib import Path

import structlog

from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.ingest import AddResult, known_titles, publish_batch
from compliance_rag.service.manifest import read_manifest
from compliance_rag.service.stage import stage_or_reject
from compliance_rag.store.embedder import Embedder
from schemas.errors import InputRejected
from schemas.ids import slug
from schemas.manifest import ManifestEntry

Progress = Callable[[str, int, int], None]

MANIFEST = "manifest.json"
# A folder without a manifest: every readable file is one document, in force from a day before any question.
FROM_ALWAYS = date(1900, 1, 1)
ONLY_VERSION = "1"
ACTOR = "eval"
# Publishing in batches keeps progress visible and memory flat.
BATCH = 50
_NOT_DOCUMENTS = frozenset(
    {"facts.json", "changes.json", "articles.json", "questions.jsonl", "gold.jsonl", "README.md", "LICENSE"}
)


def no_progress(stage: str, done: int, total: int) -> None:
    """Nobody is looking."""


def entries_of(data: Path) -> list[ManifestEntry]:
    """The manifest of a data folder, or one entry per file where it has none."""
    manifest = data / MANIFEST
    if manifest.is_file():
        return read_manifest(manifest)
    if not data.is_dir():
        raise InputRejected("missing_file", f"There is no data folder {str(data)!r}.", str(data))
    files = sorted(path for path in data.rglob("*") if path.is_file() and _is_document(path, data))
    taken: set[str] = set()
    entries = []
    for path in files:
        name = path.relative_to(data)
        doc_id = slug(name.name.removesuffix(".clauses.json").rsplit(".", 1)[0])
        if doc_id in taken:
            doc_id = slug("-".join(name.with_suffix("").parts))
        taken.add(doc_id)
        entries.append(ManifestEntry(file=str(name), doc_id=doc_id, version=ONLY_VERSION, effective_from=FROM_ALWAYS))
    return entries


def _is_document(path: Path, data: Path) -> bool:
    return path.name not in _NOT_DOCUMENTS and "passages" not in path.relative_to(data).parts[:-1]


def ingest(handle: HomeHandle, entries: Sequence[ManifestEntry], base: Path, progress: Progress = no_progress) -> AddResult:
    """Read and publish ``entries`` in order, in batches."""
    titles = known_titles(handle, entries)
    whole = AddResult()
    for start in range(0, len(entries), BATCH):
        staged = []
        for entry in entries[start : start + BATCH]:
            staged.append(stage_or_reject(entry, base, handle.home, titles))
            progress("reading", start + len(staged), len(entries))
        done = publish_batch(handle, staged, actor=ACTOR, progress=lambda count, total: progress("embedding", count, total))
        for name in ("published", "unchanged", "held", "rejected"):
            getattr(whole, name).extend(getattr(done, name))
        whole.corpus_root = done.corpus_root
    return whole


def scratch_home(folder: Path, data: Path, progress: Progress = no_progress) -> tuple[HomeHandle, AddResult]:
    """A home in ``folder`` holding everything in ``data``."""
    handle = open_home(folder, create=True)
    return handle, ingest(handle, entries_of(data), data, progress)


def quiet_log() -> None:
    """Benches print JSON: of the log, warnings alone."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))


def now() -> datetime:
    """This instant, between two recordings."""
    return datetime.now(UTC)


def forgetful(handle: HomeHandle) -> None:
    """Embed every question each time it comes: what is timed is then what a question costs that nobody asked before."""
    if isinstance(handle.embedder, Embedder):
        handle.embedder.keep(0)
