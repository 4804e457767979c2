"""Warm questions by stage, and our search beside a bare LanceDB hybrid query: `python -m eval.bench_retrieval DIR`.

DIR is a data folder with questions (``questions.jsonl``, ``facts.json`` or ``gold.jsonl``). Both searches get the question's
vector ready-made and give ten results; they take turns question by question, so that a busy machine weighs on both. ``--home``
names a home that already holds the documents.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

from compliance_rag.retrieve.search import QueryEmbedder, rank
from compliance_rag.retrieve.types import Query
from compliance_rag.service.ask import ask, work_out
from compliance_rag.service.asking import AskRequest, knowledge_of
from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.records import indexed_texts
from compliance_rag.service.searching import shelf_of
from compliance_rag.store.bare_hybrid import BareHybrid
from compliance_rag.store.indexed import text_key
from eval.bench import percentile, questions_of
from eval.homes import forgetful, quiet_log, scratch_home
from schemas.dates import parse_day, today

SEED = 20261130
QUESTIONS = 200
WARM = 20
LIMIT = 10
FLOORS = {"ask_p50_ms": 60, "ask_p95_ms": 150, "ratio": 1.5}


def texts_of(handle: HomeHandle) -> dict[str, str]:
    """``{text_key: indexed text}`` of every clause."""
    found: dict[str, str] = {}
    corpus = handle.corpus()
    for row in corpus.versions:
        clauses = [item.clause for item in corpus.clauses_of(row.doc_id, row.version_id)]
        found |= {text_key(text): text for text in indexed_texts(row.title, clauses) if text}
    return found


def bare_of(handle: HomeHandle, folder: Path) -> BareHybrid:
    """The yardstick over the texts of a home and the first vector of each."""
    texts = texts_of(handle)
    rows = shelf_of(handle).vectors.rows
    first = rows.window == 0
    keys = [key.ljust(32, b"\0").hex() for key in rows.keys[first].tolist()]
    held = [(texts[key], at) for at, key in enumerate(keys) if key in texts]
    return BareHybrid(folder, [text for text, _ in held], rows.vectors[first][[at for _, at in held]])


def compare(handle: HomeHandle, items: Sequence[dict[str, Any]], folder: Path) -> dict[str, Any]:
    """Stage by stage: the question's vector, our search, the bare one, the answer, the record."""
    forgetful(handle)
    bare, shelf = bare_of(handle, folder), shelf_of(handle)
    embedder = cast(QueryEmbedder, handle.embedder)
    known_at = knowledge_of(handle, handle.corpus(), None, "recorded").known_at
    names = ("embed", "search", "bare_hybrid", "answer", "record", "ask")
    clock: dict[str, list[float]] = {name: [] for name in names}
    processor: dict[str, list[float]] = {name: [] for name in names}
    for number, item in enumerate(items):
        day = parse_day(item["as_of"]) if item.get("as_of") else today(None)
        query = Query(item["question"], day, known_at, limit=LIMIT)
        request = AskRequest(question=item["question"], as_of=day, use_model=False, actor="bench")
        vector = handle.embedder.encode_query(item["question"])
        calls: dict[str, Callable[[], object]] = {
            "embed": lambda: handle.embedder.encode_query(item["question"]),  # noqa: B023  called at once
            "search": lambda: rank(shelf, query, embedder, vector=vector),  # noqa: B023
            "bare_hybrid": lambda: bare.search(item["question"], vector, LIMIT),  # noqa: B023
            "answer": lambda: work_out(handle, request),  # noqa: B023
            "ask": lambda: ask(handle, request),  # noqa: B023
        }
        wall, used = {}, {}
        for name, call in calls.items():
            began, spent = time.perf_counter(), time.process_time()
            call()
            wall[name], used[name] = time.perf_counter() - began, time.process_time() - spent
        for times in (wall, used):
            times["record"] = max(0.0, times["ask"] - times["answer"])
            times["answer"] = max(0.0, times["answer"] - times["search"] - times["embed"])
        if number >= WARM:
            for name in names:
                clock[name].append(wall[name])
                processor[name].append(used[name])
    return {
        "questions": len(items) - WARM, "limit": LIMIT,
        "clock": {name: _ms(values) for name, values in clock.items()},
        "processor": {name: _ms(values) for name, values in processor.items()},
        "ratio_p50": round(percentile(clock["search"], 0.5) / percentile(clock["bare_hybrid"], 0.5), 2),
        "ratio_p95": round(percentile(clock["search"], 0.95) / percentile(clock["bare_hybrid"], 0.95), 2),
        "ratio_processor_p50": round(percentile(processor["search"], 0.5) / percentile(processor["bare_hybrid"], 0.5), 2),
        "floors": FLOORS, "seed": SEED,
    }  # fmt: skip


def _ms(values: Sequence[float]) -> dict[str, float]:
    return {"p50_ms": round(percentile(values, 0.5) * 1000, 1), "p95_ms": round(percentile(values, 0.95) * 1000, 1)}


def main(arguments: Sequence[str]) -> str:
    """The figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m eval.bench_retrieval")
    parser.add_argument("data", type=Path)
    parser.add_argument("--home", type=Path)
    options = parser.parse_args(arguments)
    quiet_log()
    items = questions_of(options.data)
    items = random.Random(SEED).sample(items, min(len(items), QUESTIONS + WARM))
    with tempfile.TemporaryDirectory(prefix="compliance-rag-bench-") as scratch:
        folder = Path(scratch)
        handle = open_home(options.home) if options.home else scratch_home(folder / "home", options.data)[0]
        return json.dumps(compare(handle, items, folder / "bare"), indent=1)


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:]) + "\n")
