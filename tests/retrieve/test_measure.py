"""The scorer of retrieval, by hand-worked lists."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from eval.retrieval import Question, average_precision, measure, recall
from tests.retrieve.shelves import EMBEDDER, LATE, Made, make_shelf


@pytest.mark.parametrize(
    ("found", "gold", "expected"),
    [
        (["a", "", "b"], "ab", (1.0, (1 + 2 / 3) / 2)),  # both found, at ranks 1 and 3
        (["", "a"], "ab", (0.5, 0.25)),  # one of two
        (["a", "a"], "a", (1.0, 1.0)),  # a name counts once
        ([], "a", (0.0, 0.0)),  # nothing found
    ],
)
def test_scores(found: list[str], gold: str, expected: tuple[float, float]) -> None:
    """Recall and average precision, by table."""
    names = [frozenset(name) for name in found]
    assert (recall(names, frozenset(gold)), average_precision(names, frozenset(gold), 10)) == pytest.approx(expected)


def test_measuring(tmp_path: Path) -> None:
    """Questions are ranked on the day's in-force set and compared by clause id; what was not found is named."""
    shelf = make_shelf(tmp_path, [Made("d", "1", "2020-01-01", {"1": "Records are kept.", "2": "Fees are due."})])
    questions = [
        Question("q1", "how are records kept", frozenset({"d@1#1"})),
        Question("q2", "fees", frozenset({"elsewhere"})),
    ]
    measured = measure(shelf, EMBEDDER, questions, as_of=date(2025, 1, 1), known_at=LATE)
    assert measured.scores["mix"].recall == 0.5
    assert measured.missed == ("q2",)
