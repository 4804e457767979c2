"""The retrieval suite: a folder of documents and questions through ingest and search, as `eval --data` takes it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, cast

from compliance_rag.retrieve.search import QueryEmbedder
from compliance_rag.service.asking import knowledge_of
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.searching import shelf_of
from eval.answers import doc_names, read_lines
from eval.homes import Progress, entries_of, no_progress, scratch_home
from eval.retrieval import Measured, Question, measure
from schemas.dates import parse_day, today
from schemas.errors import InputRejected

QUESTIONS = "questions.jsonl"
# Misses named in the report; all are counted.
MISSES_SHOWN = 20
DIGITS = 4


def retrieval_suite(folder: Path, data: Path, progress: Progress = no_progress) -> dict[str, Any]:
    """Ingest ``data`` into a home in ``folder`` and rank every question of its ``questions.jsonl`` that has an answer.

    Raises InputRejected ``missing_file`` when there are no questions.
    """
    if not (data / QUESTIONS).is_file():
        raise InputRejected("missing_file", f"{data.name} holds no {QUESTIONS}.", QUESTIONS)
    handle, added = scratch_home(folder, data, progress)
    report = {
        "published": len(added.published), "of": len(entries_of(data)), "held": len(added.held), "rejected": added.rejected,
    }  # fmt: skip
    return report | ranked(handle, data, progress)


def ranked(handle: HomeHandle, data: Path, progress: Progress = no_progress) -> dict[str, Any]:
    """The figures of the questions in ``data`` on a home that holds its documents."""
    corpus = handle.corpus()
    asked = questions_of(data)
    known_at = knowledge_of(handle, corpus, None, "recorded").known_at
    embedder = cast(QueryEmbedder, handle.embedder)
    measured = measure(
        shelf_of(handle), embedder, asked, as_of=today(handle.settings.time_zone), known_at=known_at,
        progress=lambda done: progress("searching", done, len(asked)),
    )  # fmt: skip
    return {"clauses": corpus.row_count, "sources": sources(handle, data, asked)} | printed(measured)


def questions_of(data: Path) -> list[Question]:
    """The questions of a folder that have an answer in it."""
    return [
        Question(
            str(item["id"]),
            item["question"],
            frozenset(item["gold"]),
            doc_names(item.get("doc")),
            parse_day(item["as_of"]) if item.get("as_of") else None,
        )
        for item in read_lines(data / QUESTIONS)
        if item.get("answerable", True) and item.get("gold")
    ]


def printed(measured: Measured) -> dict[str, Any]:
    """The figures as the report shows them; the mix is what `search` gives, the others are its parts."""
    best = measured.scores["mix"]
    return {
        "questions": best.questions,
        "recall@10": round(best.recall, DIGITS),
        "MAP@10": round(best.average_precision, DIGITS),
        "ways": {way: {"recall@10": round(s.recall, DIGITS), "MAP@10": round(s.average_precision, DIGITS)}
                 for way, s in measured.scores.items()},
        "folds": [{"recall@10": round(r, DIGITS), "MAP@10": round(p, DIGITS)} for r, p in best.folds],
        "complete": {f"@{depth}": round(share, DIGITS) for depth, share in measured.complete.items()},
        "search_p50_ms": round(measured.p50 * 1000, 1),
        "search_p95_ms": round(measured.p95 * 1000, 1),
        "nothing_found": len(measured.missed),
        "first_missed": list(measured.missed[:MISSES_SHOWN]),
    }  # fmt: skip


def sources(handle: HomeHandle, data: Path, asked: Sequence[Question]) -> dict[str, Any]:
    """What became of the passages of the folder's ``.clauses.json`` files: every one should be one clause under its own
    ``source_id``; ``lost`` and ``doubled`` name the first that are not, ``gold_lost`` counts gold that no clause carries."""
    given: Counter[str] = Counter()
    for path in sorted(data.rglob("*.clauses.json")):
        entries = list(json.loads(path.read_text(encoding="utf-8"))["clauses"])
        while entries:
            entry = entries.pop()
            entries.extend(entry.get("children") or ())
            if entry.get("source_id") and any(entry.get(name) for name in ("number", "heading", "text")):
                given[str(entry["source_id"])] += 1
    corpus = handle.corpus()
    held = Counter(row[0] for row in corpus.query("SELECT source_id FROM clauses WHERE source_id IS NOT NULL"))
    gold = frozenset[str]().union(*(question.gold for question in asked))
    unknown = {name for name in gold if name not in held and "@" not in name}
    return {
        "passages": given.total(), "clauses_with_source": held.total(),
        "lost": sorted(given - held)[:MISSES_SHOWN], "doubled": sorted(held - given)[:MISSES_SHOWN] if given else [],
        "gold": len(gold), "gold_lost": len(unknown),
    }  # fmt: skip
