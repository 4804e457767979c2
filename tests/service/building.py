"""Small homes for tests: real stores, a deterministic embedder, documents written in a line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.ingest import AddResult, publish_batch
from compliance_rag.service.manifest import check_entry
from compliance_rag.service.project import Checkpoint, no_checkpoint
from compliance_rag.service.stage import Rejected, Staged, stage_or_reject
from tests.embedding import HashingEmbedder


def make_home(root: Path, **overlay: Any) -> HomeHandle:
    """A home at ``root``, made where there is none."""
    return open_home(root, create=True, overlay=overlay, embedder=HashingEmbedder())


def reopen(handle: HomeHandle) -> HomeHandle:
    """The same home opened anew, as another process would."""
    return open_home(handle.home.root, embedder=HashingEmbedder())


def staged(handle: HomeHandle, text: str, version: str, start: str, doc_id: str = "policy", **other: Any) -> Staged | Rejected:
    """A Markdown version, written beside the home and staged."""
    folder = handle.home.root.parent / "files"
    folder.mkdir(exist_ok=True)
    name = f"{doc_id}-{version}-{len(list(folder.iterdir()))}.md"
    (folder / name).write_text(text, "utf-8")
    fields = {"file": name, "doc_id": doc_id, "version": version, "effective_from": start, "language": "en", **other}
    return stage_or_reject(check_entry(fields, name), folder, handle.home)


def publish(
    handle: HomeHandle, *items: Staged | Rejected, actor: str = "ada", checkpoint: Checkpoint = no_checkpoint
) -> AddResult:
    """One batch."""
    return publish_batch(handle, items, actor=actor, checkpoint=checkpoint)


def policy(days: int, extra: str = "") -> str:
    """A policy of three clauses; the second names ``days``."""
    return (
        "# Records Policy\n\n1. Scope\n\nThis policy applies to every employee of the company.\n\n"
        f"2. Notice\n\nThe employee shall notify the office within {days} days of the event.\n\n"
        f"3. Retention\n\nRecords are kept for seven years after the end of the contract. {extra}\n"
    )


def digest(handle: HomeHandle) -> list[tuple[str, str, str, str]]:
    """(clause id, sha256, lineage id, root of its version) of everything in the clause tables."""
    corpus = handle.corpus()
    return [
        (item.clause_id, item.clause.sha256, item.lineage_id, item.version.root)
        for item in corpus.by_rows(range(corpus.row_count))
    ]
