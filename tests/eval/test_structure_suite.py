"""The structure suite on folders in the contract's shape, with a manifest and without one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from eval.determinism import same_everywhere
from eval.structure import measure

V1 = "1. Scope\n1.1 These terms hold for every sale made by the company.\n2. Fees\n2.1 The fee is ten pounds a month.\n"
V2 = V1.replace("ten pounds", "twelve pounds") + "3. Law\n3.1 English law governs these terms.\n"
LAW = "第一编 总则\n第一章 规定\n第一条 制定本法。\n第二条 本法适用于买卖。\n第二章 附则\n第三条 自公布之日起施行。\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two versions of one document and a statute, with every gold file of the suite."""
    (tmp_path / "terms").mkdir()
    (tmp_path / "terms" / "v1.txt").write_text(V1, encoding="utf-8")
    (tmp_path / "terms" / "v2.txt").write_text(V2, encoding="utf-8")
    (tmp_path / "law.md").write_text(LAW, encoding="utf-8")
    _write(tmp_path / "articles.json", {"law.md": {"last_article": 3, "parts": 1, "chapters": 2, "sections": 0}})
    (tmp_path / "passages").mkdir()
    rows = [
        {"number": "2.1", "text": "The fee is twelve pounds a month."},
        {"number": "3.1", "text": "No such words stand here at all."},
    ]
    _write(tmp_path / "passages" / "terms.json", rows)
    fact = {"id": "f", "doc_id": "terms", "question": "?", "as_of": "2024-01-01", "expected_version": "1", "clause": "2.1"}
    _write(tmp_path / "facts.json", [{**fact, "expected_phrase": "ten pounds"}])
    changes = [{"type": "modified", "clause": "2.1"}, {"type": "added", "clause": "3"}, {"type": "added", "clause": "9"}]
    _write(tmp_path / "changes.json", [{"doc_id": "terms", "from_version": "1", "to_version": "2", "changes": changes}])
    return tmp_path


def _write(path: Path, value: Any) -> None:
    path.write_text(json.dumps(value), encoding="utf-8")


def _manifest(folder: Path) -> None:
    entries = [
        {"file": f"terms/v{n}.txt", "doc_id": "terms", "version": str(n), "effective_from": f"202{n}-01-01"} for n in (1, 2)
    ]
    _write(folder / "manifest.json", entries)


def test_a_folder_with_a_manifest(folder: Path) -> None:
    """Passages are measured on the version that holds them, facts and changes on the versions they name; misses are listed."""
    _manifest(folder)
    found = measure(folder)
    assert found["articles"] == {"files": 1, "wrong": []}
    assert (found["passages"]["passages"], found["passages"]["found"], found["passages"]["numbered"]) == (2, 0.5, 0.5)
    assert [miss["number"] for miss in found["passages"]["misses"]] == ["3.1"]
    assert (found["facts"]["wanted"], found["facts"]["held"]) == (5, 4)
    assert [miss["clause"] for miss in found["facts"]["missing"]] == ["9"]
    assert found["tiling"] == {"files": 3, "wrong": [], "refused": []}
    assert found["determinism"]["different"] == []


def test_a_folder_without_a_manifest(tmp_path: Path) -> None:
    """Every readable file is one document of its own name."""
    (tmp_path / "terms.txt").write_text(V2, encoding="utf-8")
    (tmp_path / "passages").mkdir()
    _write(tmp_path / "passages" / "terms.json", [{"number": "2.1", "text": "The fee is twelve pounds a month."}])
    assert measure(tmp_path)["passages"]["numbered"] == 1.0


def test_threads_and_processes_agree(folder: Path) -> None:
    """Law 10: three threads and two fresh processes give the same clause ids and hashes."""
    assert same_everywhere(sorted(folder.rglob("*.txt")) * 3)["different"] == []
