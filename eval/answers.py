"""Suites that ask: version-sensitive facts, gold sets, and plain question files."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any

from compliance_rag.retrieve.types import Query
from compliance_rag.service.ask import ask, search
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.homes import HomeHandle
from eval.homes import ACTOR, Progress, entries_of, ingest, no_progress, now, scratch_home
from eval.scoring import FactScore, GoldScore, as_rows, score_fact, score_gold, summary, traced
from schemas.dates import parse_day, parse_instant

CORRECTION = "manifest-correction.json"
BEFORE_CORRECTION = "before_correction"
# As many clauses as a reader takes in at once: at this depth `ask` is held against the plain list of hits.
FIRST = 5


def answer_of(handle: HomeHandle, item: Mapping[str, Any], known_at: datetime | None = None) -> dict[str, Any]:
    """`ask` on one item of a question file, without a model."""
    request = AskRequest(
        question=item["question"],
        as_of=parse_day(item["as_of"]) if item.get("as_of") else None,
        known_at=known_at,
        docs=doc_names(item.get("doc")),
        jurisdictions=doc_names(item.get("jurisdiction")),
        use_model=False,
        actor=ACTOR,
    )
    return ask(handle, request).model_dump(mode="json")


def doc_names(value: str | Sequence[str] | None) -> tuple[str, ...]:
    """A field that holds one name or several, or none."""
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else tuple(value)


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a JSON Lines file."""
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.strip():
            yield json.loads(line)


def facts_suite(handle: HomeHandle, path: Path, progress: Progress = no_progress) -> dict[str, Any]:
    """Every fact asked with its day and document."""
    items = json.loads(path.read_text(encoding="utf-8"))
    scores: list[FactScore] = []
    seen: list[dict[str, Any]] = []
    for item in items:
        answer = answer_of(handle, {**item, "doc": item["doc_id"]})
        scores.append(score_fact(item, answer))
        seen.append(traced(item, answer))
        progress("facts", len(scores), len(items))
    return {
        "right": sum(score.right for score in scores),
        "of": len(scores),
        "from_a_version_not_in_force": sum(score.stale for score in scores),
        "citations_per_answer": round(sum(score.citations for score in scores) / max(1, len(scores)), 2),
        "rows": [row if row["right"] else row | more for row, more in zip(as_rows(scores), seen, strict=True)],
    }


def gold_suite(folder: Path, data: Path, progress: Progress = no_progress) -> dict[str, Any]:
    """A gold set with its own manifests: the questions that ask what was known before the correction get that instant."""
    handle, added = scratch_home(folder, data, progress)
    before = now()
    correction = data / CORRECTION
    if correction.is_file():
        from compliance_rag.service.manifest import read_manifest

        ingest(handle, read_manifest(correction), data, progress)
    items = list(read_lines(data / "gold.jsonl"))
    scores: list[GoldScore] = []
    seen: list[dict[str, Any]] = []
    started = time.perf_counter()
    for item in items:
        known_at = before if item["known_at"] == BEFORE_CORRECTION else None
        answer = answer_of(handle, item, known_at)
        scores.append(score_gold(item, answer))
        seen.append(traced(item, answer))
        progress("gold", len(scores), len(items))
    seconds = time.perf_counter() - started
    failing = [row | more for row, more in zip(as_rows(scores), seen, strict=True) if not row["right"]]
    return {
        "versions": len(added.published),
        "seconds_per_question": round(seconds / max(1, len(items)), 3),
        "categories": summary(scores),
        "failing": failing,
    }


@dataclass(slots=True)
class _Tally:
    """Shares over answerable questions: of the gold clauses found, and whether all were."""

    recalls: list[float] = field(default_factory=list)

    def add(self, found: Sequence[Collection[str]], gold: Collection[str]) -> None:
        self.recalls.append(sum(any(name in one for one in found) for name in gold) / max(1, len(gold)))

    @property
    def recall(self) -> float:
        return sum(self.recalls) / max(1, len(self.recalls))

    @property
    def complete(self) -> float:
        return sum(recall == 1.0 for recall in self.recalls) / max(1, len(self.recalls))


def questions_suite(handle: HomeHandle, path: Path, progress: Progress = no_progress) -> dict[str, Any]:
    """A plain question file: share of gold clauses cited, answers where there should be one, refusals where not; and what the
    first five clauses cited hold against the first five hits of `search` for the same question."""
    items = list(read_lines(path))
    everything, first, hits = _Tally(), _Tally(), _Tally()
    precisions: list[float] = []
    citations = 0
    refused_right = refused_wrong = answerable = 0
    for number, item in enumerate(items, 1):
        answer = answer_of(handle, item)
        gold = frozenset(item.get("gold", ()))
        refused = answer["status"] == "refused"
        if item.get("answerable", True):
            answerable += 1
            refused_wrong += refused
            cited = {entry["clause_id"]: {entry["clause_id"], entry["source_id"]} for entry in answer["citations"]}
            citations += len(cited)
            everything.add(list(cited.values()), gold)
            first.add(list(cited.values())[:FIRST], gold)
            hits.add(_first_hits(handle, item, answer), gold)
            if cited:
                precisions.append(sum(bool(one & gold) for one in cited.values()) / len(cited))
        else:
            refused_right += refused
        progress("questions", number, len(items))
    silent = len(items) - answerable
    return {
        "questions": len(items),
        "complete": round(everything.complete, 4),
        "recall": round(everything.recall, 4),
        "precision": round(sum(precisions) / max(1, len(precisions)), 4),
        "citations_per_answer": round(citations / max(1, answerable), 2),
        f"points_over_first_{FIRST}_hits": round(100 * (everything.complete - hits.complete), 2),
        f"first_{FIRST}": {
            "complete": {"ask": round(first.complete, 4), "search": round(hits.complete, 4)},
            "recall": {"ask": round(first.recall, 4), "search": round(hits.recall, 4)},
            "points_of_ask_over_search": round(100 * (first.complete - hits.complete), 2),
        },
        "over_refusal": round(refused_wrong / max(1, answerable), 4),
        "refused_when_silent": round(refused_right / silent, 4) if silent else None,
    }


def _first_hits(handle: HomeHandle, item: Mapping[str, Any], answer: Mapping[str, Any]) -> list[set[str]]:
    """What `search` puts first for the question as it was asked: its day, its filters, what was known."""
    query = Query(
        item["question"],
        date.fromisoformat(answer["as_of"]),
        parse_instant(answer["known_at"]),
        docs=doc_names(item.get("doc")),
        jurisdictions=doc_names(item.get("jurisdiction")),
        limit=FIRST,
    )
    return [{hit.clause_id, hit.source_id or hit.clause_id} for hit in search(handle, query).hits]


Suite = Callable[[Path, Path, Progress], dict[str, Any]]


def run_facts(folder: Path, data: Path, progress: Progress) -> dict[str, Any]:
    """Ingest a data folder and ask its facts and questions."""
    handle, added = scratch_home(folder, data, progress)
    report: dict[str, Any] = {"published": len(added.published), "of": len(entries_of(data)), "rejected": added.rejected}
    if (data / "facts.json").is_file():
        report["facts"] = facts_suite(handle, data / "facts.json", progress)
    if (data / "questions.jsonl").is_file():
        report["questions"] = questions_suite(handle, data / "questions.jsonl", progress)
    return report
