"""How long things take: commands from start to finish, warm questions by stage, and what a small change costs to ingest."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from compliance_rag.answer.select import READ_LIMIT
from compliance_rag.retrieve.types import Query
from compliance_rag.service.ask import ask, search, work_out
from compliance_rag.service.asking import AskRequest, knowledge_of
from compliance_rag.service.homes import HomeHandle
from compliance_rag.store.indexed import text_key
from eval.homes import Progress, entries_of, forgetful, no_progress, scratch_home
from schemas.dates import parse_day, today

COMMAND_RUNS = 5
LEDGER_RECORDS = 1000
QUESTION_ROUNDS = 5
# The change that the issue names: two clauses in a hundred.
CHANGED_SHARE = 0.02
SEED = 20261130


def percentile(values: Sequence[float], share: float) -> float:
    """The value under which ``share`` of ``values`` lie (nearest rank)."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(share * len(ordered)))]


def _ms(values: Sequence[float]) -> dict[str, float]:
    return {"p50_ms": round(percentile(values, 0.5) * 1000, 1), "p95_ms": round(percentile(values, 0.95) * 1000, 1)}


def commands(home: Path) -> dict[str, Any]:
    """Whole processes: the median and the slowest of a few runs, seconds."""
    found: dict[str, Any] = {}
    for name, arguments in (("--help", ["--help"]), ("docs", ["docs"]), ("audit verify", ["audit", "verify"])):
        taken = []
        for _ in range(COMMAND_RUNS):
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "compliance_rag", "--home", str(home), "--json", *arguments],
                check=True, stdout=subprocess.DEVNULL,
            )  # fmt: skip
            taken.append(time.perf_counter() - start)
        found[name] = {"median_s": round(percentile(taken, 0.5), 2), "slowest_s": round(max(taken), 2)}
    return found


def questions_of(data: Path) -> list[dict[str, Any]]:
    """Questions to time: the facts, the plain questions or the gold set of a data folder."""
    facts = data / "facts.json"
    if facts.is_file():
        return [{**item, "doc": item["doc_id"]} for item in json.loads(facts.read_text(encoding="utf-8"))]
    path = next((data / name for name in ("questions.jsonl", "gold.jsonl") if (data / name).is_file()), data / "gold.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines if line.strip()]


def _timed(call: Callable[[], Any]) -> float:
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def asking(handle: HomeHandle, items: Sequence[dict[str, Any]], progress: Progress = no_progress) -> dict[str, Any]:
    """Warm questions over the whole corpus, without a document filter and with it; stages by difference of nested calls."""
    forgetful(handle)
    stages: dict[str, list[float]] = {"embed": [], "retrieve": [], "answer": [], "record": [], "whole": []}
    for number in range(QUESTION_ROUNDS + 1):
        for item in items:
            request = AskRequest(
                question=item["question"],
                as_of=parse_day(item["as_of"]) if item.get("as_of") else today(None),
                docs=(item["doc"],) if item.get("doc") and number % 2 else (),
                use_model=False,
                actor="bench",
            )
            known = knowledge_of(handle, handle.corpus(), None, "recorded")
            assert request.as_of is not None
            query = Query(request.question, request.as_of, known.known_at, docs=request.docs, limit=READ_LIMIT)
            embed = _timed(lambda: handle.embedder.encode_query(request.question))  # noqa: B023  called at once
            searched = _timed(lambda: search(handle, query))  # noqa: B023
            worked = _timed(lambda: work_out(handle, request))  # noqa: B023
            whole = _timed(lambda: ask(handle, request))  # noqa: B023
            if number == 0:
                continue  # the first round warms models, masks and pages
            taken = (embed, searched - embed, worked - searched, whole - worked, whole)
            for name, value in zip(stages, taken, strict=True):
                stages[name].append(max(0.0, value))
        progress("asking", number, QUESTION_ROUNDS)
    return {name: _ms(values) for name, values in stages.items()} | {"questions": len(stages["whole"])}


def small_change(handle: HomeHandle) -> dict[str, Any]:
    """Embedding seconds of the longest version, and of the same with two clauses in a hundred changed."""
    from compliance_rag.service.records import indexed_texts
    from compliance_rag.store.vectors import Vectors

    row = max(handle.corpus().versions, key=lambda version: version.clause_count)
    clauses = [item.clause for item in handle.corpus().clauses_of(row.doc_id, row.version_id)]
    rng = random.Random(SEED)
    changed = set(rng.sample(range(len(clauses)), max(1, round(CHANGED_SHARE * len(clauses)))))
    edited = [
        replace(clause, text=f"{clause.text} This applies from the next day.") if at in changed else clause
        for at, clause in enumerate(clauses)
    ]
    first = {text_key(text): text for text in indexed_texts(row.title, clauses) if text}
    second = {text_key(text): text for text in indexed_texts(row.title, edited) if text}
    with tempfile.TemporaryDirectory(prefix="compliance-rag-bench-") as folder:
        vectors = Vectors.open(folder, handle.embedder.identity)
        handle.embedder.encode_passages(["warm up"])
        one = _timed(lambda: vectors.add(first, handle.embedder.encode_passages, None))
        other = _timed(lambda: vectors.add(second, handle.embedder.encode_passages, None))
    return {
        "version": row.ref, "clauses": len(clauses), "texts": len(first), "new_texts": len(second.keys() - first.keys()),
        "first_s": round(one, 2), "changed_s": round(other, 2), "share": round(other / one, 3), "seed": SEED,
    }  # fmt: skip


def measure(data: Path, progress: Progress = no_progress) -> dict[str, Any]:
    """All figures on the corpus of ``data``."""
    with tempfile.TemporaryDirectory(prefix="compliance-rag-bench-") as scratch:
        home = Path(scratch) / "home"
        start = time.perf_counter()
        handle, added = scratch_home(home, data, progress)
        ingested = time.perf_counter() - start
        items = questions_of(data)
        report: dict[str, Any] = {
            "versions": len(added.published), "of": len(entries_of(data)), "ingest_s": round(ingested, 1),
            "clauses": handle.corpus().row_count,
        }  # fmt: skip
        report["ask"] = asking(handle, items, progress)
        report["small_change"] = small_change(handle)
        while handle.ledger.size < LEDGER_RECORDS:
            ask(handle, AskRequest(question=items[0]["question"], use_model=False, actor="bench"))
            progress("filling the ledger", handle.ledger.size, LEDGER_RECORDS)
        report["ledger_records"] = handle.ledger.size
        report["commands"] = commands(home)
    return report
