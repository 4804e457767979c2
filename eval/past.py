"""Law 4 on a real corpus: searches made before the rest of it arrives are the same afterwards."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from compliance_rag.retrieve.types import Query
from compliance_rag.service.ask import search
from compliance_rag.service.asking import knowledge_of
from compliance_rag.service.homes import HomeHandle, PassageEmbedder, open_home
from eval.answers import read_lines
from eval.homes import Progress, entries_of, ingest, no_progress

# The corpus doubles between the two runs.
FIRST_SHARE = 1 / 2
SEARCHES = 1_000
# Of them at most this share are the folder's own questions; the rest are first words of clauses.
ASKED_SHARE = 1 / 2
SEED = 20261129


def queries(handle: HomeHandle, data: Path, count: int, rng: random.Random) -> list[tuple[str, date]]:
    """``count`` queries with their days: the questions of the folder, then headings and first words of clauses in force."""
    found: list[tuple[str, date]] = []
    facts, questions = data / "facts.json", data / "questions.jsonl"
    if facts.is_file():
        items = json.loads(facts.read_text(encoding="utf-8"))
        found = [(item["question"], date.fromisoformat(item["as_of"])) for item in items]
    if questions.is_file():
        found += [(i["question"], date.fromisoformat(i["as_of"])) for i in read_lines(questions) if i.get("as_of")]
    most = round(ASKED_SHARE * count)
    found = rng.sample(found, most) if len(found) > most else found
    corpus = handle.corpus()
    rows = sorted(rng.sample(range(corpus.row_count), min(corpus.row_count, count * 2)))
    for clause in corpus.by_rows(rows):
        words = " ".join(clause.clause.text.split()[:9]) or clause.clause.heading
        if words and clause.interval.start is not None:
            found.append((words[:120], clause.interval.start))
    found = found[:count]
    rng.shuffle(found)
    return found


def run_all(handle: HomeHandle, asked: Sequence[tuple[str, date]], known_at: datetime) -> list[list[tuple[str, float]]]:
    """Ids and scores of each search, in order."""
    results = []
    for text, day in asked:
        hits = search(handle, Query(text, day, known_at)).hits
        results.append([(hit.clause_id, hit.score) for hit in hits])
    return results


def past_suite(
    folder: Path,
    data: Path,
    progress: Progress = no_progress,
    *,
    embedder: PassageEmbedder | None = None,
    count: int = SEARCHES,
) -> dict[str, Any]:
    """Ingest half of ``data``, make ``count`` searches, ingest the rest, search again with the first run's ``known_at``; count
    what differs."""
    handle = open_home(folder, create=True, embedder=embedder)
    entries = entries_of(data)
    first = entries[: max(1, round(FIRST_SHARE * len(entries)))]
    ingest(handle, first, data, progress)
    asked = queries(handle, data, count, random.Random(SEED))
    known_at = knowledge_of(handle, handle.corpus(), None, "recorded").known_at
    rows = handle.corpus().row_count
    before = run_all(handle, asked, known_at)
    ingest(handle, entries[len(first) :], data, progress)
    after = run_all(handle, asked, known_at)
    different = [text for (text, _), one, other in zip(asked, before, after, strict=True) if one != other]
    return {
        "versions_before": len(first), "versions_after": len(entries),
        "clauses_before": rows, "clauses_after": handle.corpus().row_count, "searches": len(asked),
        "hits": sum(len(hits) for hits in before), "different": len(different), "first_different": different[:3], "seed": SEED,
    }  # fmt: skip
