"""Floors per category: the questions of the sample corpus and the development set, asked with the packaged embedder.

A floor is the number of right answers when the table was written, less one question; a change that takes a category under its
floor is a regression. Raise a floor when its figure has risen for good."""

from __future__ import annotations

from typing import Any

import pytest

from eval.answers import gold_suite
from eval.development import development_suite
from eval.homes import no_progress
from eval.suites import own_corpus

# Right answers at least, by suite and category; citation precision at least; what may never happen is not a floor.
RIGHT: dict[str, dict[str, int]] = {
    "gold": {
        "all": 87, "changed": 3, "conflict": 3, "cross_reference": 6, "definition": 9, "exception": 16, "factual": 8,
        "future": 4, "injection": 5, "jurisdiction": 5, "locator": 1, "silence": 5, "superseded_version": 10,
    },
    "dev": {
        "all": 42, "amendment": 1, "conflict": 0, "definition": 1, "exception": 8, "factual": 6, "injection": 3,
        "jurisdiction": 2, "list": 1, "locator": 0, "near_miss": 4, "schedule": 3, "silence": 0, "time": 1,
    },
}  # fmt: skip
PRECISION: dict[str, float] = {"gold": 0.95, "dev": 0.963}
# Development questions on our own documents refused though they have an answer, and off-topic ones refused.
OVER_REFUSED_MOST = 1
OFF_TOPIC_LEAST = 48


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """Both suites, run once."""
    root = tmp_path_factory.mktemp("floors")
    gold = gold_suite(root / "gold", own_corpus())
    for figures in gold["categories"].values():
        figures["right"] = round(figures["right"] * figures["questions"])
    return {"gold": gold, "dev": development_suite(root / "dev", None, no_progress)}


def test_no_category_falls_under_its_floor(reports: dict[str, dict[str, Any]]) -> None:
    """Every category of both suites answers as many questions as its floor says; the table is printed."""
    under = []
    print(f"\n{'suite':5} {'category':20} {'asked':>5} {'right':>5} {'floor':>5}")
    for suite, floors in RIGHT.items():
        categories = reports[suite]["categories"]
        assert categories.keys() == floors.keys()
        for name, figures in categories.items():
            print(f"{suite:5} {name:20} {figures['questions']:5} {figures['right']:5} {floors[name]:5}")
            if figures["right"] < floors[name]:
                under.append(f"{suite} {name}: {figures['right']} of {figures['questions']}, floor {floors[name]}")
    failing = {suite: [row["id"] for row in report["failing"]] for suite, report in reports.items()}
    assert not under, f"{under}; failing: {failing}"


def test_precision_and_refusals_keep_their_floors(reports: dict[str, dict[str, Any]]) -> None:
    """Citations are as precise, and refusals as right, as when the floors were written; nothing forbidden is ever cited."""
    gold, dev = reports["gold"]["categories"]["all"], reports["dev"]
    assert gold["forbidden"] == 0
    assert gold["precision"] >= PRECISION["gold"]
    assert dev["precision"] >= PRECISION["dev"]
    assert dev["over_refused"] <= OVER_REFUSED_MOST
    assert dev["off_topic"]["refused"] >= OFF_TOPIC_LEAST
