"""What Dagster watches: manifests dropped into the home's `inbox/`, and whether the ledger is due for a checkpoint."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import dagster as dg

from compliance_rag.service.checkpoints import checkpoint_command
from compliance_rag.service.homes import open_home
from compliance_rag.service.manifest import read_entries
from pipelines.assets import GROUP
from pipelines.partitions import document_versions, partition_key, runs_of
from pipelines.resources import inbox_manifests
from schemas.canonical import sha256_hex
from schemas.errors import InputRejected, IntegrityError, NotFound

RANGE_START = "dagster/asset_partition_range_start"
RANGE_END = "dagster/asset_partition_range_end"
# A person drops a batch and looks at the page: half a minute is soon enough and costs nothing.
INTERVAL_SECONDS = 30
# A checkpoint takes about a second; one that hangs on a dead network folder must not hold up the next tick for ever.
CHECKPOINT_SECONDS = 50


def inbox_sensor(root: Path) -> dg.SensorDefinition:
    """The sensor of the home at ``root``. Its cursor remembers each manifest by name and hash, so none runs twice."""

    @dg.sensor(
        name="inbox",
        target=dg.AssetSelection.groups(GROUP),
        minimum_interval_seconds=INTERVAL_SECONDS,
        default_status=dg.DefaultSensorStatus.STOPPED,
    )
    def inbox(context: dg.SensorEvaluationContext) -> dg.SensorResult | dg.SkipReason:
        handle = open_home(root, create=True)
        seen: dict[str, str] = json.loads(context.cursor or "{}")
        requests: list[dg.RunRequest] = []
        new_keys: list[str] = []
        unreadable: list[str] = []
        known = list(context.instance.get_dynamic_partitions(document_versions.name or ""))
        for path in inbox_manifests(handle.home):
            digest = sha256_hex(path.read_bytes())
            if seen.get(path.name) == digest:
                continue
            seen[path.name] = digest
            try:
                manifest = read_entries(path)
            except InputRejected as error:
                unreadable.append(f"{error.code}: {error.message}")
                continue
            unreadable += [f"{bad.code}: {bad.message}" for bad in manifest.bad]
            keys = list(dict.fromkeys(partition_key(entry, handle.corpus().versions) for entry in manifest.entries))
            new_keys += [key for key in keys if key not in known and key not in new_keys]
            requests += _requests(keys, [*known, *new_keys], f"{path.name}:{digest}")
        for line in unreadable:
            context.log.warning(line)
        if not requests:
            context.update_cursor(json.dumps(seen))
            return dg.SkipReason("; ".join(unreadable) or "nothing new in the inbox")
        dynamic = [document_versions.build_add_request(new_keys)] if new_keys else []
        return dg.SensorResult(run_requests=requests, dynamic_partitions_requests=dynamic, cursor=json.dumps(seen))

    return inbox


def _requests(keys: list[str], order: list[str], name: str) -> Iterator[dg.RunRequest]:
    for number, run in enumerate(runs_of(keys, order)):
        yield dg.RunRequest(run_key=f"{name}:{number}", tags={RANGE_START: run[0], RANGE_END: run[-1]})


def checkpoint_schedule(root: Path) -> dg.SensorDefinition:
    """The checkpoint schedule of the home at ``root``: when one is due, the checkpoint command runs as a process of its own,
    the only reader of the key. Settings ``[ledger] checkpoint_key, every_answers, every_minutes``; without a key it rests."""

    @dg.sensor(
        name="checkpoint_schedule",
        minimum_interval_seconds=INTERVAL_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
    )
    def checkpoint() -> dg.SkipReason:
        try:
            command = checkpoint_command(root, datetime.now(UTC))
        except NotFound:
            return dg.SkipReason("there is no home yet")
        if command is None:
            return dg.SkipReason("no checkpoint is due")
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=CHECKPOINT_SECONDS)
        if done.returncode:
            raise IntegrityError("checkpoint_failed", f"The checkpoint command said: {(done.stdout or done.stderr).strip()}")
        return dg.SkipReason(f"signed: {done.stdout.strip()}")

    return checkpoint
