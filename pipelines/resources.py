"""What the assets work with: an open home, the entries to ingest, who ingests, and where progress goes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

import dagster as dg

from compliance_rag.answer.layout import LayoutModel
from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.ingest import AddResult
from compliance_rag.service.layout import layout_model
from compliance_rag.service.manifest import read_entries
from compliance_rag.service.stage import Rejected, Staged
from compliance_rag.service.stale import instant_before
from pipelines.partitions import partition_key
from schemas.errors import ComplianceError, NotFound
from schemas.home import Home
from schemas.manifest import ManifestEntry

MANIFEST_TYPES = frozenset({".json", ".yaml", ".yml", ".csv"})
# Clause files end in .json too; they are documents.
CLAUSES_SUFFIX = ".clauses.json"

Progress = Callable[[str, int, int], None]
"""``progress(stage, done, total)``."""


def no_progress(stage: str, done: int, total: int) -> None:
    """Nobody is looking."""


@dataclass(frozen=True, slots=True)
class Order:
    """One version to ingest; ``base`` is the folder its file is relative to."""

    entry: ManifestEntry
    base: Path


Item = Staged | Rejected


@dataclass(slots=True)
class Batch:
    """What a run stages, in manifest order: partition key and version (or the reason it was rejected)."""

    pairs: list[tuple[str, Item]] = field(default_factory=list)

    def add(self, key: str, item: Item) -> None:
        """One more."""
        self.pairs.append((key, item))

    def staged(self) -> list[Staged]:
        """Those that can be published."""
        return [item for _, item in self.pairs if isinstance(item, Staged)]


@dataclass(slots=True)
class Workbench:
    """The resource of every asset. ``orders`` by partition key; ``results`` are what each run's publication did; ``since`` is
    the instant before, ``made_stale`` how many past answers went stale after it; ``layout`` is asked about documents without
    numbers."""

    handle: HomeHandle
    orders: Mapping[str, Sequence[Order]]
    actor: str
    actor_auth: str
    progress: Progress = no_progress
    results: list[AddResult] = field(default_factory=list)
    failure: ComplianceError | None = None
    since: datetime | None = None
    made_stale: int = 0
    layout: LayoutModel | None = None


def inbox_manifests(home: Home) -> list[Path]:
    """Manifests lying in the inbox, by name."""
    if not home.inbox.is_dir():
        return []
    found = (path for path in home.inbox.iterdir() if path.suffix in MANIFEST_TYPES and not path.name.endswith(CLAUSES_SUFFIX))
    return sorted(found)


def inbox_orders(handle: HomeHandle) -> dict[str, list[Order]]:
    """Orders of the good entries of every readable manifest in the inbox, by partition key; the rest is the sensor's to
    report."""
    orders: dict[str, list[Order]] = {}
    recorded = handle.corpus().versions
    for path in inbox_manifests(handle.home):
        for entry in read_entries(path).entries:
            orders.setdefault(partition_key(entry, recorded), []).append(Order(entry, path.parent))
    return orders


def inbox_workbench(root: Path, actor: str) -> Workbench:
    """The workbench of a run that Dagster starts by itself: the orders of the inbox of the home at ``root``."""
    handle = open_home(root, create=True)
    since, layout = instant_before(handle), layout_model(handle.settings)
    return Workbench(handle, inbox_orders(handle), actor, "os", since=since, layout=layout)


class RunMemory(dg.IOManager):
    """Hands a run's values from asset to asset in the run's own process; what must last is in the stores."""

    def __init__(self) -> None:
        self._kept: dict[tuple[str, ...], Any] = {}

    def handle_output(self, context: dg.OutputContext, obj: Any) -> None:
        """Keep a value for this run."""
        self._kept[(context.run_id, *context.asset_key.path)] = obj

    def load_input(self, context: dg.InputContext) -> Any:
        """The value an upstream asset gave in this run. Raises NotFound when it ran in another."""
        upstream = context.upstream_output
        key = (upstream.run_id if upstream is not None else "", *context.asset_key.path)
        if key not in self._kept:
            raise NotFound("stage_not_run", "Materialize the assets of ingest together: staged versions live for one run only.")
        return self._kept[key]
