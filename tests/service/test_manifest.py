"""Manifests: three formats give the same entries, and each fault has its code before anything is touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.service.manifest import LABEL_LIMIT, read_entries, read_manifest
from schemas.errors import InputRejected

ENTRY = {"file": "a.md", "doc_id": "a", "version": "1", "effective_from": "2024-01-01"}


def written(tmp_path: Path, *entries: Any, name: str = "manifest.json") -> Path:
    """A JSON manifest of entries laid over a good one."""
    path = tmp_path / name
    path.write_text(json.dumps([ENTRY | entry if isinstance(entry, dict) else entry for entry in entries]), "utf-8")
    return path


def test_three_formats_one_meaning(tmp_path: Path) -> None:
    """JSON, YAML and CSV of the same versions read as equal entries; unknown keys are kept."""
    as_json = written(tmp_path, {"authentic": True, "licence": "CC0", "clause_dates": {"4": {"effective_from": "2025-01-01"}}})
    as_yaml = tmp_path / "manifest.yaml"
    as_yaml.write_text(
        "- file: a.md\n  doc_id: a\n  version: 1\n  effective_from: 2024-01-01\n  authentic: true\n  licence: CC0\n"
        "  clause_dates: {4: {effective_from: 2025-01-01}}\n"
    )
    as_csv = tmp_path / "manifest.csv"
    as_csv.write_text(
        "file,doc_id,version,effective_from,effective_to,authentic,licence,clause_dates\n"
        'a.md,a,1,2024-01-01,,true,CC0,"{""4"": {""effective_from"": ""2025-01-01""}}"\n'
    )
    entries = [read_manifest(path) for path in (as_json, as_yaml, as_csv)]
    assert entries[0] == entries[1] == entries[2]
    assert entries[0][0].metadata == {"licence": "CC0"}


@pytest.mark.parametrize(
    ("entries", "code"),
    [
        ([{"effective_from": "2024-02-30"}], "unreadable_date"),
        ([{"effective_from": "1/2/2024"}], "unreadable_date"),
        ([{"effective_from": 20240101}], "unreadable_date"),
        ([{"clause_dates": {"4": {"effective_from": "soon"}}}], "unreadable_date"),
        ([{"doc_id": "A B"}], "bad_doc_id"),
        ([{"version": "…"}], "bad_label"),
        ([{"jurisdiction": "UK"}], "unknown_jurisdiction"),
        ([{"status": "law"}], "bad_manifest"),
        (["a.md"], "bad_manifest"),
        ([], "bad_manifest"),
        ([{"effective_to": "2024-01-01"}], "empty_interval"),
        ([{}, {"version": "2"}], "equal_effective_dates"),
        (
            [{"effective_to": "2025-01-02"}, {"version": "2", "effective_from": "2025-01-01", "effective_to": "2026-01-01"}],
            "overlapping_intervals",
        ),
    ],
)
def test_faults_have_codes(tmp_path: Path, entries: list[Any], code: str) -> None:
    """Each unusable manifest is refused with its own code."""
    with pytest.raises(InputRejected) as caught:
        read_manifest(written(tmp_path, *entries))
    assert caught.value.code == code


@pytest.mark.parametrize(
    "entries",
    [
        [{}, {"version": "2", "language": "zh"}],
        [{}, {"version": "2", "status": "draft"}],
        [{}, {"doc_id": "b"}],
        [{"effective_to": "2025-01-01"}, {"version": "2", "effective_from": "2025-01-01", "effective_to": "2026-01-01"}],
        [{}, {}],
    ],
)
def test_what_only_looks_like_a_clash(tmp_path: Path, entries: list[Any]) -> None:
    """Translations, drafts, other documents, meeting intervals and an entry written twice are no clash."""
    assert len(read_manifest(written(tmp_path, *entries))) == len(entries)


def test_a_bad_entry_never_stops_the_others(tmp_path: Path) -> None:
    """Each bad entry is named with its place, those that clash both; the good ones are given back in order."""
    path = written(
        tmp_path,
        {"version": "1"},
        {"version": "2", "effective_from": "2025-02-30", "file": "b.md"},
        {"version": "3", "effective_from": "2026-01-01", "file": "c.md"},
        {"version": "4", "effective_from": "2027-01-01"},
        {"version": "5", "effective_from": "2026-01-01", "file": "d.md"},
        "e.md",
        {"doc_id": "A B", "version": "6"},
        {"doc_id": "b", "effective_from": "2026-01-01"},
    )
    found = read_entries(path)
    assert [(entry.doc_id, entry.version) for entry in found.entries] == [("a", "1"), ("a", "4"), ("b", "1")]
    assert [(bad.file, bad.code) for bad in found.bad] == [
        ("b.md", "unreadable_date"), ("c.md", "equal_effective_dates"), ("d.md", "equal_effective_dates"),
        ("manifest.json", "bad_manifest"), ("a.md", "bad_doc_id"),
    ]  # fmt: skip
    places = ("entry 2: effective_from", "entries 3 and 5", "entries 3 and 5", "entry 6", "entry 7")
    for bad, place in zip(found.bad, places, strict=True):
        assert f"manifest.json {place}" in bad.message


@pytest.mark.parametrize(
    ("name", "data", "code"),
    [
        ("none.json", None, "missing_file"),
        ("manifest.txt", b"[]", "unknown_type"),
        ("manifest.json", b"[", "bad_manifest"),
        ("manifest.json", b"\xff\xfe", "bad_manifest"),
        ("manifest.yaml", b"a: [", "bad_manifest"),
        ("manifest.csv", b"file,doc_id\n", "bad_manifest"),
    ],
)
def test_unreadable_manifests(tmp_path: Path, name: str, data: bytes | None, code: str) -> None:
    """A manifest that cannot be read is one error."""
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputRejected) as caught:
        read_manifest(tmp_path / name)
    assert caught.value.code == code


def test_label_at_and_past_its_limit(tmp_path: Path) -> None:
    """A label of LABEL_LIMIT characters is taken, one more is not."""
    assert read_manifest(written(tmp_path, {"version": "v" * LABEL_LIMIT}))
    with pytest.raises(InputRejected) as caught:
        read_manifest(written(tmp_path, {"version": "v" * (LABEL_LIMIT + 1)}))
    assert caught.value.code == "bad_label"


def test_values_that_no_record_keeps(tmp_path: Path) -> None:
    """Unknown keys may hold dates; half characters and endless numbers are refused before anything is recorded."""
    path = tmp_path / "manifest.yaml"
    path.write_text("- {file: a.md, doc_id: a, version: '1', effective_from: 2024-01-01, fetched: 2024-05-06}\n")
    assert read_manifest(path)[0].metadata == {"fetched": "2024-05-06"}
    for value in ('"\\ud800"', "NaN"):
        bad = tmp_path / "bad.json"
        bad.write_text('[{"file": "a", "doc_id": "a", "version": "1", "effective_from": "2024-01-01", "x": %s}]' % value)  # noqa: UP031
        with pytest.raises(InputRejected) as caught:
            read_manifest(bad)
        assert caught.value.code == "bad_manifest"
