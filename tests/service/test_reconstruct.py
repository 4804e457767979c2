"""Past answers: seen byte for byte from the ledger alone, and derived again from what was known then, or honestly not."""

from __future__ import annotations

import json
import shutil
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.retrieve import search as ranking
from compliance_rag.service.ask import ask
from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.rebuild import rebuild
from compliance_rag.service.reconstruct import reconstruct
from schemas.canonical import sha256_text
from schemas.errors import InputRejected
from schemas.objects import Answer
from tests.embedding import HashingEmbedder
from tests.service.test_ask import HOSTILE, QUESTION, V1, V2, put, request

QUESTIONS = (
    QUESTION,
    "Within how many days shall the client pay each invoice?",
    "Which section covers payment?",
    "Where does the supplier store input data?",
    "What is a customer record?",
    "May the bank keep marketing brochures?",
    "Who may open the vault on a Sunday?",
)
DAYS = ("2019-06-01", "2020-06-01", "2022-01-01", "2023-12-31", "2024-01-01", "2025-01-01", "2030-01-01")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with two versions of a policy and a supplier's answers, made once."""
    root = tmp_path_factory.mktemp("reconstruct")
    handle = open_home(root / "home", create=True, embedder=HashingEmbedder())
    put(handle, root, "policy", "1", "2020-01-01", V1)
    put(handle, root, "policy", "2", "2024-01-01", V2)
    put(handle, root, "supplier", "1", "2020-01-01", HOSTILE)
    return root / "home"


@pytest.fixture
def handle(made: Path, tmp_path: Path) -> HomeHandle:
    """A copy of that home, open, for one test."""
    shutil.copytree(made, tmp_path / "home")
    return open_home(tmp_path / "home", embedder=HashingEmbedder())


def again(handle: HomeHandle, embedder: Any = None) -> HomeHandle:
    """The same home as the audit verbs open it."""
    return open_home(handle.home.root, embedder=embedder or HashingEmbedder(), check=False)


def printed(answer: Answer) -> str:
    """What the command prints of an answer."""
    return json.dumps(answer.model_dump(mode="json"), ensure_ascii=False)


def seen(found: dict[str, Any]) -> str:
    """What the command prints of what was seen."""
    return json.dumps(found["seen"], ensure_ascii=False)


class Absent:
    """An embedder that is not on this machine."""

    @property
    def identity(self) -> dict[str, str]:
        """Raises as the loader does."""
        raise InputRejected("unknown_embedder", "It is not here.")


def test_seen_without_network_model_or_stores(handle: HomeHandle, monkeypatch: pytest.MonkeyPatch) -> None:
    """Network off, model absent, Lance and the clause tables deleted: what was shown comes back byte for byte, and what is
    missing to derive it again is named."""
    before = ask(handle, request())
    handle.forget()
    shutil.rmtree(handle.home.vectors)

    def no_network(*_: object) -> None:
        raise AssertionError("the network was used")

    monkeypatch.setattr(socket.socket, "connect", no_network)
    monkeypatch.setattr(socket, "getaddrinfo", no_network)
    found = reconstruct(again(handle, Absent()), before.answer_id)
    assert seen(found) == printed(before)
    assert (found["rederived"], found["reason"]["code"]) == ("not_re_derivable", "vectors_damaged")
    shutil.rmtree(handle.tables.clauses)
    found = reconstruct(again(handle, Absent()), before.answer_id)
    assert seen(found) == printed(before)
    assert (found["rederived"], found["reason"]["code"]) == ("not_re_derivable", "clauses_behind")


def test_derived_again_without_the_model(handle: HomeHandle) -> None:
    """The recorded vector stands for the model: with the embedder absent the answer is derived again and equal."""
    before = ask(handle, request())
    assert reconstruct(again(handle, Absent()), before.answer_id)["rederived"] == "equal"


class Other(HashingEmbedder):
    """The same vectors under another name."""

    identity = HashingEmbedder.identity | {"sha256": "1" * 64}


def _settings(handle: HomeHandle, monkeypatch: pytest.MonkeyPatch) -> HomeHandle:
    overlay = {"model": {"timeout": 9.0}}
    return open_home(handle.home.root, overlay=overlay, embedder=HashingEmbedder(), check=False)


def _embedder(handle: HomeHandle, monkeypatch: pytest.MonkeyPatch) -> HomeHandle:
    return again(handle, Other())


def _ranking(handle: HomeHandle, monkeypatch: pytest.MonkeyPatch) -> HomeHandle:
    monkeypatch.setattr(ranking, "LEXICAL", 0.111)
    return again(handle)


def _answer(handle: HomeHandle, monkeypatch: pytest.MonkeyPatch) -> HomeHandle:
    from compliance_rag.service import build

    monkeypatch.setattr(build, "NEAREST_LIMIT", 0)
    monkeypatch.setattr(build, "CONSIDERED_LIMIT", 0)
    return again(handle)


def _expansion(handle: HomeHandle, monkeypatch: pytest.MonkeyPatch) -> HomeHandle:
    from compliance_rag.retrieve.types import Expansion
    from compliance_rag.service import searching

    monkeypatch.setattr(searching, "expand", lambda *_, **__: Expansion((), ()))
    return again(handle)


def _parser(handle: HomeHandle, monkeypatch: pytest.MonkeyPatch) -> HomeHandle:
    from compliance_rag.service import reconstruct as module

    real = module.permitted_record

    def other(*arguments: Any) -> dict[str, Any]:
        record = real(*arguments)
        return record | {"versions": [version | {"parser": "99"} for version in record["versions"]]}

    monkeypatch.setattr(module, "permitted_record", other)
    return again(handle)


def _corpus(handle: HomeHandle, monkeypatch: pytest.MonkeyPatch) -> HomeHandle:
    from compliance_rag.service import reconstruct as module

    real = module.permitted_record
    monkeypatch.setattr(module, "permitted_record", lambda *arguments: real(*arguments) | {"clauses": 0})
    return again(handle)


@pytest.mark.parametrize(
    ("change", "layer"),
    [
        (_settings, "settings"),
        (_embedder, "embedder"),
        (_ranking, "ranking"),
        (_expansion, "expansion"),
        (_answer, "answer"),
        (_parser, "parser"),
        (_corpus, "corpus"),
    ],
)
def test_the_layer_that_moved_is_named(
    handle: HomeHandle,
    monkeypatch: pytest.MonkeyPatch,
    change: Callable[[HomeHandle, pytest.MonkeyPatch], HomeHandle],
    layer: str,
) -> None:
    """Change one layer and that layer, or what builds on it, is named first with both sides; nothing below it."""
    before = ask(handle, request())
    found = reconstruct(change(handle, monkeypatch), before.answer_id)
    assert seen(found) == printed(before)
    assert found["rederived"][0]["layer"] == layer, found["rederived"]
    assert found["rederived"][0]["before"] != found["rederived"][0]["after"]


def test_a_record_holds_what_its_answer_was_made_from(handle: HomeHandle) -> None:
    """Every item that the format names is in the record: checked with the stores deleted."""
    before = ask(handle, request())
    assert before.ledger is not None
    handle.forget()
    for folder in (handle.home.vectors, handle.home.postings, handle.tables.clauses, handle.home.extracted_dir):
        shutil.rmtree(folder)
    ledger = again(handle).ledger
    header = ledger.header(before.ledger.index)
    held = {e["role"]: ledger.part(header, e["role"]) for e in header["parts"]}
    vector = held.pop("vector")
    parts = {role: json.loads(data) for role, data in held.items()}
    assert (header["actor"], header["actor_auth"], header["as_of"]) == ("tester", "asserted", "2025-01-01")
    assert header["known_at"] == before.known_at
    assert header["corpus_root"] == before.corpus_root
    assert parts["question"]["question"] == QUESTION
    assert [v["version_id"] for v in parts["permitted"]["versions"]] == ["2", "1"]
    assert all(ledger.header(v["record"])["root"] == v["root"] for v in parts["permitted"]["versions"])
    assert {v["parser"] for v in parts["permitted"]["versions"]} == {ledger.header(0)["parser"]}
    assert parts["permitted"]["clauses"] == before.scope["clauses"]
    assert parts["versions"]["code"]
    assert parts["versions"]["embedder"] == HashingEmbedder.identity
    assert parts["settings"]["ledger"]["origin"] == header["origin"]
    assert len(vector) == 384 * 4
    ranked = parts["candidates"]["ranked"]
    assert {"clause_id", "sha256", "score", "lexical", "dense", "lexical_score", "dense_score", "why"} <= set(ranked[0])
    assert all(item["why"] for item in parts["candidates"]["expansions"])
    assert {item["clause_id"] for item in parts["candidates"]["considered"]} <= {item["clause_id"] for item in ranked}
    assert all(item["why_not"] for item in parts["candidates"]["considered"])
    assert parts["validation"]["validations"]
    texts = parts["clauses"]
    assert all(sha256_text(text) == digest for digest, text in texts.items())
    assert {c.sha256 for c in before.citations} <= set(texts)
    assert {item["sha256"] for item in ranked[:10]} <= set(texts)


@pytest.mark.parametrize("count", [50, pytest.param(1_000, marks=pytest.mark.slow)])
def test_past_answers_stand_still(handle: HomeHandle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int) -> None:
    """Past answers after later ingests, another parser, Lance deletion and a full re-index: each byte for byte as shown, and
    each derived again to the same."""
    kept: dict[str, str] = {}
    for number in range(count):
        question, day = QUESTIONS[number % len(QUESTIONS)], DAYS[number // len(QUESTIONS) % len(DAYS)]
        answer = ask(handle, request(f"{question} ({number})" if number % 2 else question, as_of=day))
        kept[answer.answer_id] = printed(answer)
    monkeypatch.setattr("compliance_rag.parse.parse.PARSER_VERSION", "99.0.0")
    put(handle, tmp_path, "policy", "2", "2024-01-01", V2.replace("seven (7)", "nine (9)"), correct=True)
    put(handle, tmp_path, "policy", "3", "2029-01-01", V1)
    put(handle, tmp_path, "other", "1", "2020-01-01", V1.replace("bank", "branch"))
    handle.forget()
    for folder in (handle.home.vectors, handle.home.postings, handle.tables.clauses):
        shutil.rmtree(folder)
    bare = again(handle, Absent())
    for answer_id, shown in kept.items():
        assert seen(reconstruct(bare, answer_id)) == shown
    whole = again(handle)
    rebuild(whole)
    found = [reconstruct(whole, answer_id) for answer_id in kept]
    assert [one["rederived"] for one in found] == ["equal"] * count
    assert [seen(one) for one in found] == list(kept.values())
