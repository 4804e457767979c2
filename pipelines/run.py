"""Ingest as one call: what `add` does, through the same assets and checks that Dagster's page shows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import dagster as dg

from audit.durable import replace as replace_file
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.ingest import AddResult
from compliance_rag.service.layout import layout_model
from compliance_rag.service.stale import instant_before
from pipelines.assets import clause_vectors, corpus, published_versions, staged_versions, stale_answers
from pipelines.checks import clauses_tile_the_text, ingest_report, one_version_in_force, stores_agree_with_ledger
from pipelines.partitions import PARTITIONS_NAME, partition_key, runs_of
from pipelines.resources import Order, Progress, RunMemory, Workbench, no_progress
from pipelines.sensors import RANGE_END, RANGE_START
from schemas.errors import IntegrityError
from schemas.home import Home
from schemas.manifest import ManifestEntry

ASSETS = (staged_versions, clause_vectors, published_versions)
CHECKS = (clauses_tile_the_text, ingest_report, stores_agree_with_ledger)
_INSTANCE = "telemetry:\n  enabled: false\nnux:\n  enabled: false\n"
_INTERRUPTS = frozenset({"DagsterExecutionInterruptedError", "KeyboardInterrupt"})
_QUIET = {"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}}


def instance_of(home: Home) -> dg.DagsterInstance:
    """Dagster's own records, kept in the home's ``dagster/``; nothing is sent anywhere."""
    home.dagster.mkdir(parents=True, exist_ok=True)
    settings = home.dagster / "dagster.yaml"
    if not settings.exists():
        replace_file(settings, _INSTANCE.encode("ascii"))
    # Dagster keeps absolute paths in its configuration in memory only; the folder may be moved.
    return dg.DagsterInstance.from_config(str(home.dagster.resolve()))


def add(
    handle: HomeHandle,
    entries: Sequence[ManifestEntry],
    base: Path,
    *,
    actor: str,
    actor_auth: str = "asserted",
    progress: Progress = no_progress,
    api_key: str | None = None,
) -> AddResult:
    """Ingest ``entries`` (files relative to ``base``) in order; ``api_key`` is for the model that the settings let be asked
    about layouts. Raises the first error that is not one file's own."""
    if not entries:
        return AddResult(corpus_root=handle.corpus().corpus_root)
    orders: dict[str, list[Order]] = {}
    recorded = handle.corpus().versions
    for entry in entries:
        orders.setdefault(partition_key(entry, recorded), []).append(Order(entry, base))
    layout = layout_model(handle.settings, api_key)
    bench = Workbench(handle, orders, actor, actor_auth, progress, since=instant_before(handle), layout=layout)
    with instance_of(handle.home) as instance:
        known = set(instance.get_dynamic_partitions(PARTITIONS_NAME))
        instance.add_dynamic_partitions(PARTITIONS_NAME, [key for key in orders if key not in known])
        order = list(instance.get_dynamic_partitions(PARTITIONS_NAME))
        for run in runs_of(list(orders), order):
            tags = {RANGE_START: run[0], RANGE_END: run[-1]}
            _materialize([*ASSETS, *CHECKS], bench, instance, tags)
        _materialize([corpus, stale_answers, one_version_in_force], bench, instance, {})
    result = merged(bench.results)
    result.made_stale = bench.made_stale
    return result


def _materialize(
    what: Sequence[dg.AssetsDefinition | dg.AssetChecksDefinition],
    bench: Workbench,
    instance: dg.DagsterInstance,
    tags: dict[str, str],
) -> None:
    try:
        result = dg.materialize(
            list(what),
            instance=instance,
            resources={"workbench": bench, "io_manager": RunMemory()},
            run_config=_QUIET,
            tags=tags,
            raise_on_error=False,
        )
    except dg.DagsterExecutionInterruptedError as error:
        raise KeyboardInterrupt from error
    if bench.failure is not None:
        raise bench.failure
    failed = [check.check_name for check in result.get_asset_check_evaluations() if not check.passed and check.blocking]
    if failed:
        raise IntegrityError(
            "check_failed", f"Ingest stopped: the check {failed[0]} failed; see it in Dagster's page.", failed[0]
        )
    if not result.success:
        steps = [event for event in result.all_events if event.is_step_failure]
        info = steps[0].step_failure_data.error if steps else None
        while info is not None and info.cls_name not in _INTERRUPTS and info.cause is not None:
            info = info.cause
        if info is not None and info.cls_name in _INTERRUPTS:
            raise KeyboardInterrupt
        text = info.message.strip().splitlines()[0] if info is not None else "no reason given"
        raise IntegrityError("ingest_failed", f"Ingest stopped in {steps[0].step_key if steps else 'Dagster'}: {text}")


def merged(results: Sequence[AddResult]) -> AddResult:
    """The results of several runs as one."""
    whole = AddResult()
    flags: Counter[str] = Counter()
    for result in results:
        for name in ("published", "unchanged", "held", "rejected", "proposed_dates"):
            getattr(whole, name).extend(getattr(result, name))
        flags += Counter(result.flags)
        whole.corpus_root = result.corpus_root
    whole.flags = dict(sorted(flags.items()))
    return whole
