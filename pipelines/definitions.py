"""What `dagster dev -m pipelines.definitions` loads: assets, checks and the inbox of the home in COMPLIANCE_RAG_HOME."""

from __future__ import annotations

import getpass
import os
from pathlib import Path

import dagster as dg

from pipelines.assets import clause_vectors, corpus, published_versions, staged_versions, stale_answers, suites_after_ingest
from pipelines.checks import (
    clauses_tile_the_text,
    ingest_report,
    one_version_in_force,
    stores_agree_with_ledger,
    suites_keep_their_floors,
)
from pipelines.resources import RunMemory, Workbench, inbox_workbench
from pipelines.sensors import checkpoint_schedule, inbox_sensor

HOME = Path(os.environ.get("COMPLIANCE_RAG_HOME", ".compliance-rag")).resolve()


@dg.resource
def workbench(_: dg.InitResourceContext) -> Workbench:
    """The home, opened when a run starts, with the orders of its inbox."""
    return inbox_workbench(HOME, getpass.getuser())


defs = dg.Definitions(
    assets=[staged_versions, clause_vectors, published_versions, corpus, stale_answers, suites_after_ingest],
    asset_checks=[
        clauses_tile_the_text,
        ingest_report,
        stores_agree_with_ledger,
        one_version_in_force,
        suites_keep_their_floors,
    ],
    sensors=[inbox_sensor(HOME), checkpoint_schedule(HOME)],
    resources={"workbench": workbench, "io_manager": RunMemory()},
    executor=dg.in_process_executor,
)
