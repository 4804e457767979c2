"""The silence suite on small folders: what is asked of whom, what the reduced documents lack, how the curve is read."""

from __future__ import annotations

import json
from pathlib import Path

from eval.silence_suite import GAP, OTHER, RIGHT, Outcome, Remembering, _at, _reduced, silence_suite
from tests.embedding import HashingEmbedder

TOPICS = {
    "records": ("The firm shall keep every ledger for seven years.", "For how many years shall the firm keep a ledger?"),
    "vessels": ("The master shall sound the horn in fog.", "When shall the master sound the horn?"),
    "forests": ("The warden shall mark each oak before felling.", "What shall the warden do before felling an oak?"),
}


def _folder(data: Path) -> Path:
    data.mkdir()
    asked = []
    for place, (name, (rule, question)) in enumerate(TOPICS.items()):
        clauses = [
            {"number": "1", "text": f"These rules are about {name}.", "source_id": f"{place}|1"},
            {"number": "2", "text": rule, "source_id": f"{place}|2"},
        ]
        (data / f"{name}.clauses.json").write_text(json.dumps({"title": name, "clauses": clauses}), encoding="utf-8")
        asked.append({"id": name, "question": question, "as_of": "2025-01-01", "gold": [f"{place}|2"]})
    (data / "questions.jsonl").write_text("\n".join(json.dumps(item) for item in asked), encoding="utf-8")
    return data


def test_three_kinds_are_asked(tmp_path: Path) -> None:
    """Its own document answers each question; another one, and its own without the passage, are refused."""
    data = _folder(tmp_path / "data")
    report = silence_suite(tmp_path / "homes", data, embedder=HashingEmbedder())
    kinds = report["kinds"]
    assert {name: kind["asked"] for name, kind in kinds.items()} == {RIGHT: 3, OTHER: 3, GAP: 3}
    assert {name: kind["refused"] for name, kind in kinds.items()} == {RIGHT: 0.0, OTHER: 1.0, GAP: 1.0}
    assert report["curve"][0][RIGHT] == 0.0


def test_gold_passages_are_left_out() -> None:
    """A gold passage goes; one with others under it leaves its number, so that these stand where they stood."""
    under = [{"number": "1.1", "text": "b", "source_id": "b"}]
    clauses = [
        {"number": "1", "text": "a", "source_id": "a", "children": under},
        {"number": "2", "text": "c", "source_id": "c"},
    ]
    kept = _reduced(clauses, frozenset({"a", "c"}))
    assert kept == [{"number": "1", "heading": None, "children": [{**under[0], "children": []}]}]


def test_the_curve_by_hand() -> None:
    """At one over-refusal in four, the threshold refuses the lowest of the right ones and every other below the next."""
    right = [Outcome(False, "answered", score, False) for score in (0.2, 0.5, 0.7, 0.9)]
    other = [Outcome(False, "answered", score, False) for score in (0.1, 0.4, 0.5, 0.6)]
    found = {RIGHT: right, OTHER: other, GAP: [Outcome(True, "expired", 0.9, True)]}
    assert _at(found, 0.25) == {"threshold": 0.5, RIGHT: 0.25, OTHER: 0.5, GAP: 1.0}


def test_each_text_is_embedded_once() -> None:
    """The reduced documents cost no second embedding."""
    counted: list[str] = []

    class Counting(HashingEmbedder):
        def encode_query(self, text: str):
            counted.append(text)
            return super().encode_query(text)

    embedder = Remembering(Counting())
    first = embedder.encode_passages(["a b", "c d"])
    again = embedder.encode_passages(["c d", "a b", "e f"])
    assert counted == ["a b", "c d", "e f"]
    assert (again[1] == first[0]).all()
    assert embedder.encode_passages([]).shape == (0, 384)
