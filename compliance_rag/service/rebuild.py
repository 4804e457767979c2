"""Rebuilding every projection from the source files and the ledger: the same clause ids, hashes and roots (law 10)."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from audit.durable import sync_folder
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.ingest import Progress, add_indexed
from compliance_rag.service.plan import REVIEWED_PAGES
from compliance_rag.service.project import project, write_intent
from compliance_rag.service.records import indexed_texts, read_extracted, read_publication
from compliance_rag.service.stage import keep
from compliance_rag.store.corpus import scan
from compliance_rag.store.indexed import text_key
from compliance_rag.store.lock import writer_lock
from compliance_rag.store.parts import STRUCTURE_ROLE
from compliance_rag.store.postings import Postings
from schemas.canonical import sha256_hex, sha256_text
from schemas.errors import IntegrityError


@dataclass(slots=True)
class RebuildReport:
    """What was rebuilt. Names are relative to the home; ``lost`` names what neither the sources nor the ledger hold."""

    versions: int = 0
    clauses: int = 0
    corpus_root: str = ""
    restored: list[str] = field(default_factory=list)
    quarantined: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)

    def as_json(self) -> dict[str, Any]:
        """As printed."""
        return {name: getattr(self, name) for name in self.__slots__}


def rebuild(handle: HomeHandle, progress: Progress | None = None) -> RebuildReport:
    """Make clause tables, postings and vectors anew where they are damaged or lack anything; old parses come from the ledger,
    never from parsing again. Damaged files go to ``quarantine/``. Open the home with ``check=False`` for it.

    Killed half way, the next open goes on. Raises IntegrityError when the ledger or an extracted text that no source gives back
    is damaged: the stores are then as they were.
    """
    report = RebuildReport()
    with writer_lock(handle.home):
        handle.ledger.refresh()
        _check_files(handle, report)
        _check_parts(handle)
        _name_lost_parts(handle, report)
        _renew_tables(handle, report)
        _renew_indexes(handle, report, progress)
        corpus = handle.corpus()
        report.versions, report.clauses = len({row.ref for row in corpus.versions}), corpus.row_count
        report.corpus_root = corpus.corpus_root
    return report


def _quarantine(handle: HomeHandle, path: Path, report: RebuildReport) -> None:
    """Move a damaged file or folder aside under a name that is free."""
    folder = handle.home.quarantine
    folder.mkdir(exist_ok=True)
    number = 1
    while (target := folder / f"{path.name}.{number}").exists():
        number += 1
    shutil.move(str(path), target)
    sync_folder(folder)
    report.quarantined.append(path.name)


def _check_files(handle: HomeHandle, report: RebuildReport) -> None:
    """Sources and extracted texts against their names; an extracted text is made again from its source where it can be."""
    home = handle.home
    seen: set[str] = set()
    for _, header in handle.ledger.headers(0, {"publication"}):
        source = home.source(header["source_sha256"])
        if source.name not in seen:
            seen.add(source.name)
            if source.exists() and sha256_hex(source.read_bytes()) != source.name:
                _quarantine(handle, source, report)
            if not source.exists():
                report.lost.append(f"sources/{source.name}")
        extracted = home.extracted(header["extracted_sha256"])
        if extracted.name in seen:
            continue
        seen.add(extracted.name)
        try:
            read_extracted(home, header["extracted_sha256"])
        except IntegrityError:
            if extracted.exists():
                _quarantine(handle, extracted, report)
            _extract_again(handle, header, report)


def _extract_again(handle: HomeHandle, header: dict[str, Any], report: RebuildReport) -> None:
    """The extracted text from its source, if today's reader still gives the recorded one."""
    from compliance_rag.parse.readers.child import read_guarded

    source = handle.home.source(header["source_sha256"])
    where = f"extracted/{header['extracted_sha256']}.txt"
    if source.exists():
        entry = json.loads(handle.ledger.part(header, STRUCTURE_ROLE))["entry"]
        metadata = entry["metadata"]
        corrections = {int(page): words for page, words in metadata.get(REVIEWED_PAGES, {}).items()}
        data = source.read_bytes()
        text = read_guarded(data, metadata["file"], tracked=metadata.get("tracked"), corrections=corrections).text
        if sha256_text(text) == header["extracted_sha256"]:
            keep(handle.home.extracted(header["extracted_sha256"]), text.encode("utf-8", "surrogatepass"))
            report.restored.append(where)
            return
    raise IntegrityError("extracted_lost", f"{where} is gone and its source does not give it back.", where)


def _check_parts(handle: HomeHandle) -> None:
    """Every publication can be read back, before anything is moved. Raises IntegrityError naming the first that cannot."""
    for _, header in handle.ledger.headers(0, {"publication"}):
        read_publication(handle.ledger, handle.home, header)


def _name_lost_parts(handle: HomeHandle, report: RebuildReport) -> None:
    """Parts that a record names and nobody holds: nothing gives them back, and no store is made of them."""
    parts = handle.home.ledger / "parts"
    there = {path.name for path in parts.iterdir()} if parts.is_dir() else set()
    named = dict.fromkeys(entry["sha256"] for _, header in handle.ledger.headers() for entry in header["parts"])
    report.lost += [f"ledger/parts/{name}" for name in named if name not in there]


def _renew_tables(handle: HomeHandle, report: RebuildReport) -> None:
    """New clause tables; of the old files the damaged ones are kept aside."""
    tables = handle.tables
    tables.clauses.mkdir(parents=True, exist_ok=True)
    write_intent(tables, 0)
    handle.forget()
    for path in sorted(tables.clauses.glob("*.duckdb*")):
        try:
            if path.suffix == ".duckdb":
                scan(path)
                path.unlink()
            else:
                _quarantine(handle, path, report)
        except IntegrityError:
            _quarantine(handle, path, report)
    tables.clauses_pointer.unlink(missing_ok=True)
    project(handle.home, tables, handle.ledger)


def _renew_indexes(handle: HomeHandle, report: RebuildReport, progress: Progress | None) -> None:
    """Postings and vectors of every text; an unreadable store is kept aside and made anew."""
    texts: dict[str, str] = {}
    for _, header in handle.ledger.headers(0, {"publication"}):
        version = read_publication(handle.ledger, handle.home, header)
        texts |= {text_key(text): text for text in indexed_texts(version.row.title, version.parsed.clauses) if text}
    _sound(handle, handle.home.postings, lambda: Postings.open(handle.home.postings), report)
    if handle.settings.vectors.uri is None:
        from compliance_rag.store.vectors import Vectors

        _sound(handle, handle.home.vectors, lambda: Vectors.open(handle.vectors_uri, handle.embedder.identity), report)
    add_indexed(handle, texts, progress)


def _sound(handle: HomeHandle, folder: Path, look: Callable[[], object], report: RebuildReport) -> None:
    try:
        if folder.exists():
            look()
    except IntegrityError:
        _quarantine(handle, folder, report)
