"""What a filter means: a language that is none is told, an instant ahead is now."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest

from compliance_rag.faces.api import Rules
from compliance_rag.faces.languages import check_language
from compliance_rag.faces.verbs_read import _one_search
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import ROLES, Bearer, add_key
from schemas.dates import parse_instant
from schemas.errors import InputRejected
from tests.faces.conftest import Command
from tests.faces.serving import client, serving
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office?"
NO_LANGUAGE = ["", "e", "xx", "klingon", "中文", "en_US", "../x", "en-", "-en", "en ", "english", "１１"]
LANGUAGES = ["en", "EN", "zh", "fr", "en-GB", "zh-Hans-CN", "yue"]


@dataclass(slots=True)
class Place:
    """A served home and who may do everything there."""

    handle: HomeHandle
    boss: httpx.Client


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    """One policy in English, and a document in a language of its owner's own naming that ``ned`` may not know of."""
    handle = make_home(tmp_path / "home")
    publish(
        handle,
        staged(handle, policy(10), "1", "2024-01-01"),
        staged(handle, policy(3), "1", "2024-01-01", "saga", language="tengwar"),
    )
    _, key = add_key(handle, "boss", ROLES, actor="root")
    with serving(handle) as address, client(address, key) as boss:
        yield Place(handle, boss)


@pytest.mark.parametrize("code", NO_LANGUAGE)
def test_a_language_that_is_none_is_told(code: str) -> None:
    """It would find nothing, and that would pass for silence of the documents."""
    with pytest.raises(InputRejected) as told:
        check_language(code, ["en"])
    assert (told.value.code, told.value.where) == ("unknown_language", "language")


@pytest.mark.parametrize("code", LANGUAGES)
def test_a_language_of_which_nothing_is_held_is_one(code: str) -> None:
    """Finding nothing in it is the answer."""
    check_language(code, [])
    check_language(None, [])


def test_languages_at_every_door(place: Place, command: Command, tmp_path: Path) -> None:
    """Search and question, over HTTP, by the command and in a batch: refused where it is none; a document's own is taken, by
    who may know of the document."""
    for path, field in (("/api/ask", "question"), ("/api/search", "query")):
        refused = place.boss.post(path, json={field: QUESTION, "language": "klingon"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "unknown_language")
        assert place.boss.post(path, json={field: QUESTION, "language": "tengwar"}).status_code == 200
        assert place.boss.post(path, json={field: QUESTION, "language": "fr"}).status_code == 200
    ned = Rules(place.handle, Bearer("ned", "key", frozenset(ROLES), frozenset({"policy"})))
    for language in ("tengwar", "quenya"):
        with pytest.raises(InputRejected) as told:
            ned.search(QUESTION, language=language)
        assert told.value.message == f"language: {language!r} is no language code; write one such as en or zh."
    root = place.handle.home.root
    for verb in ("ask", "search"):
        code, shown = command(root, verb, QUESTION, "--language", "klingon")
        assert (code, shown["error"]["code"]) == (3, "unknown_language")
    lines = tmp_path / "batch.jsonl"
    lines.write_text('{"id": 1, "query": "notice", "language": "klingon"}\n', "utf-8")
    code, shown = command(root, "search", "--batch", str(lines))
    assert (code, shown["error"]["code"]) == (3, "unknown_language")


AHEAD = ["9999-12-31", "2999-01-01T00:00:00Z", datetime.now(UTC).date().isoformat()]


@pytest.mark.parametrize("ahead", AHEAD)
def test_an_instant_ahead_is_now(place: Place, ahead: str) -> None:
    """Nobody knows yet what will be recorded: the answer says the instant up to which it read; it goes stale over a correction
    that comes after it, and is derived again as it was given; the same request id is the same record."""
    body: dict[str, Any] = {"question": QUESTION, "doc": ["policy"], "known_at": ahead, "request_id": f"r-{ahead}"}
    before = datetime.now(UTC)
    given = place.boss.post("/api/ask", json=body).json()
    after = datetime.now(UTC)
    assert before <= parse_instant(given["known_at"]) <= after
    assert place.boss.post("/api/ask", json=body).json() == given
    assert place.boss.get("/api/stale").json() == []
    publish(place.handle, staged(place.handle, policy(12), "1", "2024-01-01", correct=True))
    assert [item["answer_id"] for item in place.boss.get("/api/stale").json()] == [given["answer_id"]]
    again = place.boss.get(f"/api/audit/{given['answer_id']}/reconstruct").json()
    assert (again["rederived"], "within 10 days" in again["seen"]["answer"]) == ("equal", True)
    found = place.boss.post("/api/search", json={"query": "notice", "known_at": ahead}).json()
    assert parse_instant(found["known_at"]) <= datetime.now(UTC)


def test_an_instant_ahead_is_now_at_the_command_too(place: Place) -> None:
    """What the command and a batch make of it; one that has passed stays as given."""
    given = {"question": QUESTION, "doc": ["policy"], "jurisdiction": []}
    before = datetime.now(UTC)
    shown = _one_search(place.handle, {**given, "known_at": "2999-01-01"})
    assert before <= parse_instant(shown["known_at"]) <= datetime.now(UTC)
    assert (
        _one_search(place.handle, {**given, "doc": [], "known_at": "2020-01-01"})["known_at"] == "2020-01-01T23:59:59.999999Z"
    )


def test_a_day_ahead_on_the_published_basis_stays(place: Place) -> None:
    """By then more will have been published, which is known now."""
    publish(place.handle, staged(place.handle, policy(9), "2", "2999-06-01", published_on="2999-05-01"))
    for known_at, wanted in (("2999-04-01", ["1"]), ("2999-05-02", ["1", "2"])):
        params = {"known_at": known_at, "known_basis": "published"}
        docs = {doc["doc_id"]: doc for doc in place.boss.get("/api/docs", params=params).json()}
        assert [one["version"] for one in docs["policy"]["versions"]] == wanted
