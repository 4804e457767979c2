"""A plain question file: what is cited against what is ranked first."""

from __future__ import annotations

import json
from pathlib import Path

from compliance_rag.service.homes import open_home
from eval.answers import questions_suite
from eval.homes import entries_of, ingest
from tests.embedding import HashingEmbedder


def test_ask_is_held_against_the_first_hits(tmp_path: Path) -> None:
    """Shares by hand: one question found by both, one whose gold stands in no document, one rightly refused."""
    data = tmp_path / "data"
    data.mkdir()
    texts = ["The firm shall keep every ledger for seven years.", "The warden shall mark each oak before felling."]
    clauses = [{"number": str(n), "text": text, "source_id": f"s{n}"} for n, text in enumerate(texts, 1)]
    (data / "rules.clauses.json").write_text(json.dumps({"title": "Rules", "clauses": clauses}), encoding="utf-8")
    asked = [
        {"id": "a", "question": "For how many years shall the firm keep a ledger?", "gold": ["s1"]},
        {"id": "b", "question": "What shall the warden do before felling an oak?", "gold": ["s2", "s9"]},
        {"id": "c", "question": "Which giraffes need vaccination certificates?", "gold": [], "answerable": False},
    ]
    (data / "questions.jsonl").write_text("\n".join(json.dumps(item) for item in asked), encoding="utf-8")
    handle = open_home(tmp_path / "home", create=True, embedder=HashingEmbedder())
    ingest(handle, entries_of(data), data)
    report = questions_suite(handle, data / "questions.jsonl")
    assert (report["complete"], report["recall"], report["precision"]) == (0.5, 0.75, 1.0)
    assert report["first_5"] == {
        "complete": {"ask": 0.5, "search": 0.5}, "recall": {"ask": 0.75, "search": 0.75}, "points_of_ask_over_search": 0.0,
    }  # fmt: skip
    assert (report["over_refusal"], report["refused_when_silent"]) == (0.0, 1.0)
