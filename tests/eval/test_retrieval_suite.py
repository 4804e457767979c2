"""The retrieval suite and the baselines, on a small folder in the layout of `eval --data`."""

from __future__ import annotations

import json
from pathlib import Path

from compliance_rag.service.homes import HomeHandle, open_home
from eval.baselines import Tally, whole_texts
from eval.homes import entries_of, ingest
from eval.retrieval_suite import ranked
from tests.embedding import HashingEmbedder

# Numbers as owners write them: whole numbers, one that extends another, long ones, one twice, none.
NUMBERS = (1, 2, "2.1", "2.1.(1)", "APP3.A2.1.14.Guidance.1.", "PART 2.3.4.10", 10, 101, "2.1", None)
SUBJECTS = ("records", "fees", "audits", "breaches", "licences", "tariffs", "mergers", "pensions", "vessels", "forests")


def _folder(data: Path) -> Path:
    data.mkdir()
    clauses = [
        {"number": number, "text": f"This is about {subject} and nothing else.", "source_id": 7000 + place}
        for place, (number, subject) in enumerate(zip(NUMBERS, SUBJECTS, strict=True))
    ]
    (data / "rules.clauses.json").write_text(json.dumps({"title": "Rules", "clauses": clauses}), encoding="utf-8")
    entry = {"file": "rules.clauses.json", "doc_id": "rules", "version": "1", "effective_from": "2020-01-01", "language": "en"}
    (data / "manifest.json").write_text(json.dumps([entry]), encoding="utf-8")
    asked = [
        {"id": subject, "question": f"What about {subject}?", "as_of": "2025-01-01", "gold": [str(7000 + place)]}
        for place, subject in enumerate(SUBJECTS)
    ]
    asked.append({"id": "silent", "question": "What about comets?", "as_of": "2025-01-01", "gold": [], "answerable": False})
    (data / "questions.jsonl").write_text("\n".join(json.dumps(item) for item in asked), encoding="utf-8")
    return data


def _home(folder: Path, data: Path) -> HomeHandle:
    handle = open_home(folder, create=True, embedder=HashingEmbedder())
    ingest(handle, entries_of(data), data)
    return handle


def test_every_passage_is_one_clause(tmp_path: Path) -> None:
    """Flat entries with whole, long, doubled and absent numbers come back as one clause each under their source id."""
    data = _folder(tmp_path / "data")
    report = ranked(_home(tmp_path / "home", data), data)
    assert report["sources"] == {
        "passages": 10, "clauses_with_source": 10, "lost": [], "doubled": [], "gold": 10, "gold_lost": 0,
    }  # fmt: skip
    assert (report["questions"], report["recall@10"], report["nothing_found"]) == (10, 1.0, 0)
    assert report["complete"]["@5"] == 1.0
    assert len(report["folds"]) == 5


def test_places_of_plain_texts(tmp_path: Path) -> None:
    """The text that baselines are cut from holds each clause's words at its place."""
    data = _folder(tmp_path / "data")
    (whole,) = whole_texts(_home(tmp_path / "home", data))
    words = [whole.text[start:end] for _, start, end in whole.places if end > start]
    assert [text.split()[3] for text in words] == list(SUBJECTS)
    start, end = whole.places[1][1:]
    assert whole.holds(start, end - 4)[whole.places[1][0]] == end - start - 4


def test_tally() -> None:
    """Recall, completeness and precision by hand: one question complete with one of two clauses right, one half found."""
    tally = Tally()
    tally.add([frozenset({"a"}), frozenset({"x"})], frozenset({"a"}), 10, False)
    tally.add([frozenset({"b"})], frozenset({"b", "c"}), 30, True)
    assert tally.printed() == {"complete": 0.5, "recall": 0.75, "precision": 0.75, "not_in_force": 0.5, "tokens": 20}
