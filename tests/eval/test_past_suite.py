"""Law 4 on searches: the same before and after the corpus doubles."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eval.past import past_suite
from tests.embedding import HashingEmbedder


def test_searches_are_the_same_after_the_corpus_doubles(tmp_path: Path) -> None:
    """Later versions of the same documents and new documents leave every search as known before as it was, score for score."""
    data = tmp_path / "data"
    data.mkdir()
    entries = []
    for number in range(1, 9):
        name, version = f"rule-{(number - 1) % 4}", f"v{1 + (number - 1) // 4}"
        text = "\n\n".join(
            f"{n}. Clause {n} of {name} binds keeper {n * number} in town {number} for {n} years." for n in range(1, 6)
        )
        (data / f"{number}.txt").write_text(text, encoding="utf-8")
        entries.append({"file": f"{number}.txt", "doc_id": name, "version": version, "effective_from": f"202{number}-01-01"})
    (data / "manifest.json").write_text(json.dumps(entries), encoding="utf-8")
    report = past_suite(tmp_path / "home", data, embedder=HashingEmbedder(), count=20)
    assert (report["versions_before"], report["versions_after"], report["searches"]) == (4, 8, 20)
    assert report["clauses_after"] == 2 * report["clauses_before"]
    assert report["hits"] > 0
    assert report["different"] == 0, report["first_different"]


@pytest.mark.slow
@pytest.mark.data
def test_a_thousand_searches_on_real_versions(tmp_path: Path, measuring_data: Path) -> None:
    """1,000 searches on half of the real versions are the same once the other half is there."""
    report = past_suite(tmp_path / "home", measuring_data / "versioned", embedder=HashingEmbedder())
    print(report)
    assert report["searches"] == 1_000
    assert report["different"] == 0, report["first_different"]
