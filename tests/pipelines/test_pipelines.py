"""Dagster as people see it: the assets, their order, their checks; the inbox; a run that ends in published versions."""

from __future__ import annotations

import json
from pathlib import Path

import dagster as dg
import pytest

from compliance_rag.service.homes import open_home
from eval.after_ingest import FLOORS, after_ingest, own_versions, under_floors
from eval.suites import own_corpus
from pipelines.assets import clause_vectors, corpus, published_versions, staged_versions, suites_after_ingest
from pipelines.checks import (
    clauses_tile_the_text,
    ingest_report,
    one_version_in_force,
    stores_agree_with_ledger,
    suites_keep_their_floors,
)
from pipelines.partitions import PARTITIONS_NAME, partition_key, runs_of
from pipelines.resources import RunMemory, inbox_workbench
from pipelines.run import add, instance_of
from pipelines.sensors import RANGE_END, RANGE_START, inbox_sensor
from schemas.errors import IntegrityError
from schemas.home import Home
from schemas.manifest import ManifestEntry
from tests.embedding import HashingEmbedder

TEXT = (
    "# Keys\n\n## 1. Custody\n\n1.1 Two officers shall keep the keys.\n\n1.2 A lost key shall be reported within {days} days.\n"
)


def _entries(folder: Path, *days: int) -> list[ManifestEntry]:
    found = []
    for number, count in enumerate(days, 1):
        name = f"v{number}.md"
        (folder / name).write_text(TEXT.format(days=count), encoding="utf-8")
        found.append(
            ManifestEntry.model_validate(
                {"file": name, "doc_id": "keys", "version": f"v{number}", "effective_from": f"202{number}-01-01"}
            )
        )
    return found


def test_definitions_are_what_the_readme_says() -> None:
    """Six assets in a row, partitioned but for the last three, three blocking checks, a report, the floors, one sensor."""
    from pipelines.definitions import defs

    graph = defs.resolve_asset_graph()
    edges = {
        key.to_user_string(): sorted(up.to_user_string() for up in graph.get(key).parent_keys)
        for key in graph.get_all_asset_keys()
    }
    assert edges == {
        "staged_versions": [],
        "clause_vectors": ["staged_versions"],
        "published_versions": ["clause_vectors"],
        "corpus": ["published_versions"],
        "stale_answers": ["corpus"],
        "suites_after_ingest": ["stale_answers"],
    }
    checks = {check.name: graph.get(check).blocking for check in graph.asset_check_keys}
    assert checks == {
        "clauses_tile_the_text": True,
        "ingest_report": False,
        "stores_agree_with_ledger": True,
        "one_version_in_force": True,
        "suites_keep_their_floors": False,
    }
    partitioned = {key.to_user_string() for key in graph.get_all_asset_keys() if graph.get(key).partitions_def is not None}
    assert partitioned == {"staged_versions", "clause_vectors", "published_versions"}
    assert sorted(sensor.name for sensor in defs.sensors or ()) == ["checkpoint_schedule", "inbox"]


def test_add_materializes_a_partition_per_version(tmp_path: Path) -> None:
    """After add, Dagster's own record holds a materialization of each asset for each version, and the home the versions."""
    handle = open_home(tmp_path / "home", create=True, embedder=HashingEmbedder())
    result = add(handle, _entries(tmp_path, 10, 14), tmp_path, actor="tester")
    assert [item["version_id"] for item in result.published] == ["v1", "v2"]
    with instance_of(handle.home) as instance:
        for asset in (staged_versions, clause_vectors, published_versions):
            assert instance.get_materialized_partitions(asset.key) == {"keys@v1", "keys@v2"}
    assert len(handle.corpus().versions) == 2


def test_add_again_is_unchanged_and_order_is_kept(tmp_path: Path) -> None:
    """Versions added in two batches that interleave are recorded once, in manifest order."""
    handle = open_home(tmp_path / "home", create=True, embedder=HashingEmbedder())
    entries = _entries(tmp_path, 1, 2, 3, 4)
    add(handle, [entries[0], entries[2]], tmp_path, actor="tester")
    result = add(handle, entries, tmp_path, actor="tester")
    assert [item["version_id"] for item in result.published] == ["v2", "v4"]
    assert [item["version_id"] for item in result.unchanged] == ["v1", "v3"]


def test_a_failed_blocking_check_stops_publication(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When clauses do not tile their text, nothing is published and the error names the check."""
    handle = open_home(tmp_path / "home", create=True, embedder=HashingEmbedder())
    monkeypatch.setattr("pipelines.checks.check_tiling", lambda parsed: ["a character is lost"])
    with pytest.raises(IntegrityError, match="clauses_tile_the_text"):
        add(handle, _entries(tmp_path, 10), tmp_path, actor="tester")
    assert handle.corpus().versions == ()
    assert handle.ledger.size == 0


def test_a_parse_that_does_not_tile_is_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A version whose clauses do not tile is a rejection of that version, not of its neighbours."""
    import pipelines.assets as module

    real = module.check_tiling
    monkeypatch.setattr(module, "check_tiling", lambda parsed: ["lost"] if "14 days" in parsed.extracted else real(parsed))
    handle = open_home(tmp_path / "home", create=True, embedder=HashingEmbedder())
    result = add(handle, _entries(tmp_path, 10, 14), tmp_path, actor="tester")
    assert [item["version_id"] for item in result.published] == ["v1"]
    assert [item["code"] for item in result.rejected] == ["parser_fault"]


def test_runs_are_neighbours_in_order() -> None:
    """Keys are cut into ranges of the partition list, never reordered."""
    order = ["a", "b", "c", "d", "e"]
    assert runs_of(["a", "b", "d", "e", "c"], order) == [["a", "b"], ["d", "e"], ["c"]]


def test_a_correction_has_its_own_partition(tmp_path: Path) -> None:
    """A correction is the next twin of its label."""
    handle = open_home(tmp_path / "home", create=True, embedder=HashingEmbedder())
    (entry,) = _entries(tmp_path, 10)
    add(handle, [entry], tmp_path, actor="tester")
    corrected = entry.model_copy(update={"correct": True})
    assert partition_key(entry, handle.corpus().versions) == "keys@v1"
    assert partition_key(corrected, handle.corpus().versions) == "keys@v1~2"


def test_the_inbox_asks_for_one_run_a_manifest(tmp_path: Path) -> None:
    """A manifest in the inbox gives one run over its range of new partitions, once; an unreadable one is skipped by code."""
    root = tmp_path / "home"
    handle = open_home(root, create=True, embedder=HashingEmbedder())
    entries = [entry.model_dump(mode="json", exclude_none=True) for entry in _entries(handle.home.inbox, 10, 14)]
    (handle.home.inbox / "batch.json").write_text(json.dumps(entries), encoding="utf-8")
    sensor = inbox_sensor(root)
    with instance_of(Home(root)) as instance:
        found = sensor(dg.build_sensor_context(instance=instance))
        assert isinstance(found, dg.SensorResult)
        (request,) = found.run_requests or ()
        assert (request.tags[RANGE_START], request.tags[RANGE_END]) == ("keys@v1", "keys@v2")
        (added,) = found.dynamic_partitions_requests or ()
        assert (added.partitions_def_name, list(added.partition_keys)) == (PARTITIONS_NAME, ["keys@v1", "keys@v2"])
        again = sensor(dg.build_sensor_context(instance=instance, cursor=found.cursor))
        assert isinstance(again, dg.SkipReason)
        (handle.home.inbox / "bad.json").write_text("[", encoding="utf-8")
        skipped = sensor(dg.build_sensor_context(instance=instance, cursor=found.cursor))
        assert isinstance(skipped, dg.SkipReason)
        assert "bad_manifest" in (skipped.skip_message or "")


def test_a_run_that_dagster_starts_publishes_the_inbox(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The run that the sensor asks for, with the workbench of the inbox, publishes the manifest's versions."""
    root = tmp_path / "home"
    handle = open_home(root, create=True, embedder=HashingEmbedder())
    entries = [entry.model_dump(mode="json", exclude_none=True) for entry in _entries(handle.home.inbox, 10, 14)]
    (handle.home.inbox / "batch.json").write_text(json.dumps(entries), encoding="utf-8")
    bench = inbox_workbench(root, "daemon")
    monkeypatch.setattr(bench.handle, "_embedder", HashingEmbedder())
    with instance_of(Home(root)) as instance:
        instance.add_dynamic_partitions(PARTITIONS_NAME, ["keys@v1", "keys@v2"])
        done = dg.materialize(
            [
                staged_versions, clause_vectors, published_versions, corpus,
                clauses_tile_the_text, ingest_report, stores_agree_with_ledger, one_version_in_force,
            ],
            selection=dg.AssetSelection.assets(staged_versions, clause_vectors, published_versions),
            instance=instance,
            resources={"workbench": bench, "io_manager": RunMemory()},
            tags={RANGE_START: "keys@v1", RANGE_END: "keys@v2"},
        )  # fmt: skip
    assert done.success
    assert [row.version_id for row in open_home(root).corpus().versions] == ["v1", "v2"]


@pytest.mark.slow
def test_the_suites_after_ingest(tmp_path: Path) -> None:
    """With the packaged embedder: nothing not in force is cited, no stale answer is missed, no share is under its floor."""
    handle = open_home(tmp_path / "home", create=True)
    add(handle, _entries(tmp_path, 10, 14), tmp_path, actor="tester")
    figures = after_ingest(handle, tmp_path / "scratch", own_corpus())
    print(figures)
    assert figures["own versions: asked"] == 0
    assert under_floors(figures) == []


def test_own_versions_are_asked_on_their_last_day(tmp_path: Path) -> None:
    """Each clause that has ended is asked of the day before, and only clauses in force that day are cited."""
    handle = open_home(tmp_path / "home", create=True, embedder=HashingEmbedder())
    text = "# Keys\n\n1.1 Two officers shall keep the keys of the vault and count them every {day} of the week.\n"
    entries = _entries(tmp_path, 10, 14)
    for entry, day in zip(entries, ("Monday", "Friday"), strict=True):
        (tmp_path / entry.file).write_text(text.format(day=day), encoding="utf-8")
    add(handle, entries, tmp_path, actor="tester")
    figures = own_versions(handle)
    assert figures == {"own versions: asked": 1, "own versions: found": 1, "own versions: clauses not in force cited": 0}


def test_the_asset_reports_and_the_check_holds_the_floors(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The figures are metadata of the asset; one under its floor fails the check, which blocks nothing."""
    open_home(tmp_path / "home", create=True, embedder=HashingEmbedder())
    bench = inbox_workbench(tmp_path / "home", "daemon")

    def run(values: dict[str, float]) -> dg.ExecuteInProcessResult:
        monkeypatch.setattr("pipelines.assets.after_ingest", lambda *_: values)
        with instance_of(Home(tmp_path / "home")) as instance:
            return dg.materialize(
                [suites_after_ingest, suites_keep_their_floors],
                instance=instance,
                resources={"workbench": bench, "io_manager": RunMemory()},
            )

    good = {floor.name: floor.least or floor.most or 0.0 for floor in FLOORS}
    for values, passed in ((good, True), ({**good, "stale answers missed": 1.0}, False)):
        done = run(values)
        assert done.success
        (check,) = done.get_asset_check_evaluations()
        assert check.passed is passed
        (event,) = done.asset_materializations_for_node("suites_after_ingest")
        assert event.metadata["stale answers missed"].value == values["stale answers missed"]
