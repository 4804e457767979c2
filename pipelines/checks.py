"""Checks that block: nothing is published whose clauses do not tile its text, nothing is done before the stores agree."""

from collections import Counter
from typing import Any

import dagster as dg

from compliance_rag.parse.tiling import check_tiling
from compliance_rag.service.homes import settle
from compliance_rag.service.stage import Rejected, Staged
from compliance_rag.structure.report import editor_report
from eval.after_ingest import FLOORS, under_floors
from pipelines.assets import corpus, published_versions, staged_versions, suites_after_ingest
from pipelines.resources import Batch, Workbench
from schemas.errors import IntegrityError

# A check's metadata is read by people: the first faults name the kind.
SHOWN = 20


@dg.asset_check(asset=staged_versions, blocking=True)
def clauses_tile_the_text(staged_versions: Batch) -> dg.AssetCheckResult:
    """Law 1: clauses and furniture give back every visible character of the extracted text once, and hash as recorded."""
    faults = {
        key: problems[:SHOWN]
        for key, item in staged_versions.pairs
        if isinstance(item, Staged) and (problems := check_tiling(item.parsed))
    }
    return dg.AssetCheckResult(passed=not faults, metadata={"failing": dg.MetadataValue.json(faults)})


@dg.asset_check(asset=staged_versions)
def ingest_report(staged_versions: Batch) -> dg.AssetCheckResult:
    """What a careful editor would look at before publishing, version by version: counts, numbering gaps, duplicates, ambiguous
    markers, dangling references, the unread remainder, and files that were rejected."""
    counts: Counter[str] = Counter()
    reports: dict[str, Any] = {}
    rejected: dict[str, str] = {}
    for key, item in staged_versions.pairs:
        if isinstance(item, Rejected):
            rejected[key] = f"{item.code}: {item.message}"
            continue
        counts.update(flag.code for flag in item.parsed.flags)
        reports[key] = editor_report(item.parsed)
    metadata = {
        "flags": dg.MetadataValue.json(dict(sorted(counts.items()))),
        "reports": dg.MetadataValue.json(reports),
        "rejected": dg.MetadataValue.json(rejected),
    }
    return dg.AssetCheckResult(passed=not rejected, severity=dg.AssetCheckSeverity.WARN, metadata=metadata)


@dg.asset_check(asset=published_versions, blocking=True)
def stores_agree_with_ledger(workbench: dg.ResourceParam[Workbench]) -> dg.AssetCheckResult:
    """The clause tables hold exactly what the ledger says was published."""
    try:
        settle(workbench.handle)
    except IntegrityError as error:
        return dg.AssetCheckResult(passed=False, metadata={"fault": f"{error.code}: {error.message}"})
    snapshot = workbench.handle.corpus()
    return dg.AssetCheckResult(
        passed=True, metadata={"corpus_root": snapshot.corpus_root, "ledger_size": workbench.handle.ledger.size}
    )


@dg.asset_check(asset=corpus, blocking=True)
def one_version_in_force(workbench: dg.ResourceParam[Workbench]) -> dg.AssetCheckResult:
    """Law 3: on each day on which something starts, at most one version per document and language holds."""
    snapshot = workbench.handle.corpus()
    crossing = []
    for key, standings in snapshot.timeline().items():
        live = [item for item in standings if item.live]
        for day in {item.window.start for item in live if item.window.start is not None}:
            holding = [item.row.version_id for item in live if item.window.holds(day)]
            if len(holding) > 1:
                crossing.append({"document": key[0], "day": day.isoformat(), "versions": holding})
    return dg.AssetCheckResult(passed=not crossing, metadata={"crossing": dg.MetadataValue.json(crossing)})


@dg.asset_check(asset=suites_after_ingest)
def suites_keep_their_floors(suites_after_ingest: dict[str, float]) -> dg.AssetCheckResult:
    """No clause that was not in force is cited, no stale answer is missed, and no share fell under its floor."""
    under = under_floors(suites_after_ingest)
    return dg.AssetCheckResult(
        passed=not under,
        metadata={"under": dg.MetadataValue.json(under), "floors": dg.MetadataValue.json([floor.name for floor in FLOORS])},
    )
