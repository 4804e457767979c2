"""CASE 26: a bit flipped anywhere in any store: the right text, a refusal, or an error with a code; never a wrong text."""

from __future__ import annotations

import random
import shutil
import time
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.retrieve.types import Query
from compliance_rag.service.ask import ask, search
from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.reconstruct import reconstruct
from schemas.dates import parse_instant
from schemas.errors import ComplianceError
from schemas.home import Home
from tests.embedding import HashingEmbedder
from tests.service.test_ask import HOSTILE, QUESTION, V1, V2, put, request

SEED = 20261130
DAYS = ("2022-01-01", "2025-01-01")
QUESTIONS = (QUESTION, "Within how many days shall the client pay each invoice?")


def _stores(home: Home) -> dict[str, list[Path]]:
    """Files by store: what a bit may be flipped in."""
    copies = sorted(home.clauses.glob("clauses.*.duckdb"))
    return {
        "DuckDB, the writer's file": [home.clauses_work],
        "DuckDB, published copy": copies,
        "Lance": sorted(path for path in home.vectors.rglob("*") if path.is_file()),
        "postings": sorted(path for path in home.postings.rglob("*") if path.is_file()),
        "sources": sorted(home.sources.iterdir()),
        "extracted": sorted(home.extracted_dir.iterdir()),
        "ledger": sorted(path for path in home.ledger.rglob("*") if path.is_file()),
    }


def _shown(value: Any) -> Iterator[tuple[str, str, str]]:
    """(clause id, sha256, text) of every clause object anywhere in what was shown."""
    if isinstance(value, dict):
        if {"clause_id", "sha256", "text"} <= value.keys():
            yield value["clause_id"], value["sha256"], value["text"]
        for item in value.values():
            yield from _shown(item)
    elif isinstance(value, list):
        for item in value:
            yield from _shown(item)


def _read_all(root: Path, past: list[str]) -> list[Any]:
    """What a user sees of a home opened anew: answers, hits, outlines, past answers."""
    handle = open_home(root, embedder=HashingEmbedder())
    corpus = handle.corpus()
    known = parse_instant("2999-01-01T00:00:00.000000Z")
    seen: list[Any] = [
        ask(handle, request(question, as_of=day)).model_dump(mode="json") for question in QUESTIONS for day in DAYS
    ]
    seen.append(search(handle, Query("customer record", date(2025, 1, 1), known)).model_dump(mode="json"))
    for row in corpus.versions:
        clauses = corpus.clauses_of(row.doc_id, row.version_id)
        seen.append([item.to_object().model_dump(mode="json") for item in clauses])
    seen += [reconstruct(handle, answer_id)["seen"] for answer_id in past]
    return seen


def _quotes_stand(value: Any, right: dict[tuple[str, str], str]) -> bool:
    """Every quote shown is in the right text of its clause, where it says."""
    if isinstance(value, dict):
        if "quote_span" in value and value.get("role") != "locator":
            start, end = value["quote_span"]
            if right[value["clause_id"], value["sha256"]][start:end] != value["quote"]:
                return False
        return all(_quotes_stand(item, right) for item in value.values())
    return all(_quotes_stand(item, right) for item in value) if isinstance(value, list) else True


@pytest.fixture
def made(tmp_path: Path) -> HomeHandle:
    """A home with two versions of a policy and a supplier's answers, which has answered."""
    handle = open_home(tmp_path / "home", create=True, embedder=HashingEmbedder())
    put(handle, tmp_path, "policy", "1", "2020-01-01", V1)
    put(handle, tmp_path, "policy", "2", "2024-01-01", V2)
    put(handle, tmp_path, "supplier", "1", "2020-01-01", HOSTILE)
    return handle


@pytest.mark.parametrize("flips", [35, pytest.param(1_000, marks=pytest.mark.slow)])
def test_a_flipped_bit_never_shows_a_wrong_text(made: HomeHandle, tmp_path: Path, flips: int) -> None:
    """Seeded flips, the stores by turns: whatever is shown is the recorded text, or there is an error of ours with its code."""
    dice, begun = random.Random(SEED), time.monotonic()
    past = [ask(made, request(question)).answer_id for question in QUESTIONS]
    made.forget()
    root = made.home.root
    right = {(clause_id, digest): text for clause_id, digest, text in _shown(_read_all(root, past))}
    shutil.copytree(root, tmp_path / "sound")
    told: Counter[tuple[str, str]] = Counter()
    names = list(_stores(made.home))
    for flip in range(flips):
        shutil.rmtree(root)
        shutil.copytree(tmp_path / "sound", root)
        name = names[flip % len(names)]
        files = [path for path in _stores(made.home)[name] if path.stat().st_size]
        path = dice.choices(files, [file.stat().st_size for file in files])[0]
        data = bytearray(path.read_bytes())
        place, bit = dice.randrange(len(data)), dice.randrange(8)
        data[place] ^= 1 << bit
        path.write_bytes(data)
        where = f"seed {SEED}, flip {flip}: {path.relative_to(root)} byte {place} bit {bit}"
        try:
            seen = _read_all(root, past)
        except ComplianceError as error:
            told[name, error.code] += 1
            continue
        for clause_id, digest, text in _shown(seen):
            assert right.get((clause_id, digest)) == text, where
        assert _quotes_stand(seen, right), where
        refused = any(isinstance(item, dict) and item.get("refusal_reason") == "integrity" for item in seen)
        told[name, "refused: integrity" if refused else "right"] += 1
    for (name, outcome), count in sorted(told.items()):
        print(f"{name}: {outcome} {count}")
    print(f"{flips} flips, seed {SEED}: 0 wrong texts shown, {time.monotonic() - begun:.0f} s")
    assert sum(count for (_, outcome), count in told.items() if outcome != "right") > 0
