"""Questions worked out in processes of their own: the same answers and errors, and what happens when one of them ends."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from pathlib import Path

import pytest

from compliance_rag.faces.http.errors import Refused
from compliance_rag.faces.workers.pool import WorkerFault, Workers
from compliance_rag.retrieve.types import Query
from compliance_rag.service.ask import ask, search
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import ROLES, add_key
from schemas.dates import parse_instant
from schemas.errors import InputRejected, NotFound
from schemas.settings import PublishingSettings
from tests.faces.hashing_worker import DEATH, FAULT
from tests.faces.serving import client, serving
from tests.service.building import make_home, policy, publish, staged

COMMAND = (sys.executable, "-m", "tests.faces.hashing_worker")
QUESTION = "Within how many days must the employee notify the office?"
DAY = date(2024, 6, 1)
NOW = parse_instant("2100-01-01T00:00:00Z", "known_at")


@pytest.fixture(scope="module")
def handle(tmp_path_factory: pytest.TempPathFactory) -> HomeHandle:
    """A home with one policy."""
    made = make_home(tmp_path_factory.mktemp("workers") / "home")
    publish(made, staged(made, policy(10), "1", "2024-01-01"))
    return made


@pytest.fixture(scope="module")
def workers(handle: HomeHandle) -> Iterator[Workers]:
    """Two processes that answer for it."""
    pool = Workers(handle, 2, COMMAND)
    assert pool.start() is None
    yield pool
    pool.close()


def test_the_answer_is_the_same_and_on_the_ledger(handle: HomeHandle, workers: Workers) -> None:
    """An answer from a worker says what this process would say, and is a record of the same home."""
    here = ask(handle, AskRequest(QUESTION, as_of=DAY))
    there = workers.ask(AskRequest(QUESTION, as_of=DAY))
    assert (there.status, there.answer, there.citations) == (here.status, here.answer, here.citations)
    assert there.ledger is not None
    handle.ledger.refresh()
    assert handle.ledger.header(there.ledger.index)["answer_id"] == there.answer_id
    query = Query(QUESTION, DAY, NOW)
    assert workers.search(query) == search(handle, query)


def test_what_is_published_later_is_seen(tmp_path: Path) -> None:
    """A worker answers from the version that was published after it started."""
    made = make_home(tmp_path / "home")
    publish(made, staged(made, policy(10), "1", "2024-01-01"))
    pool = Workers(made, 1, COMMAND)
    pool.start()
    try:
        assert "10 days" in pool.ask(AskRequest(QUESTION, as_of=DAY)).answer
        publish(made, staged(made, policy(21), "2", "2024-03-01"))
        assert "21 days" in pool.ask(AskRequest(QUESTION, as_of=DAY)).answer
    finally:
        pool.close()


def test_an_error_comes_back_as_itself(workers: Workers) -> None:
    """Errors of the family keep class, code and place."""
    with pytest.raises(InputRejected) as empty:
        workers.ask(AskRequest(" "))
    assert (empty.value.code, empty.value.where) == ("question_empty", "question")
    with pytest.raises(NotFound) as unknown:
        workers.search(Query(QUESTION, DAY, NOW, docs=("other",)))
    assert unknown.value.code == "unknown_document"


def test_more_callers_than_lines(workers: Workers) -> None:
    """Thirty callers at once are all answered, each with a record of its own."""
    with ThreadPoolExecutor(30) as many:
        found = list(many.map(lambda _: workers.ask(AskRequest(QUESTION, as_of=DAY)), range(30)))
    assert len({one.ledger.index for one in found if one.ledger is not None}) == 30


def test_a_fault_is_told_and_the_worker_goes_on(workers: Workers) -> None:
    """A fault inside a worker is no answer and no end."""
    before = workers.processes()
    with pytest.raises(WorkerFault):
        workers.ask(AskRequest(FAULT, as_of=DAY))
    assert workers.processes() == before
    assert workers.ask(AskRequest(QUESTION, as_of=DAY)).status == "answered"


def test_one_that_ends_is_replaced(workers: Workers) -> None:
    """Who asked a worker that dies is told to ask again; the next question is answered; the other worker stays."""
    before = set(workers.processes())
    with pytest.raises(Refused) as ended:
        workers.ask(AskRequest(DEATH, as_of=DAY))
    assert (ended.value.status, ended.value.code) == (503, "worker_ended")
    assert workers.ask(AskRequest(QUESTION, as_of=DAY)).status == "answered"
    assert len(before & set(workers.processes())) == 1


def test_without_any_the_next_question_waits_for_a_new_one(handle: HomeHandle) -> None:
    """The only worker dies: the next caller waits until another is there."""
    pool = Workers(handle, 1, COMMAND)
    pool.start()
    try:
        with pytest.raises(Refused):
            pool.ask(AskRequest(DEATH, as_of=DAY))
        assert pool.ask(AskRequest(QUESTION, as_of=DAY)).status == "answered"
    finally:
        pool.close()
    with pytest.raises(Refused) as closed:
        pool.ask(AskRequest(QUESTION, as_of=DAY))
    assert closed.value.code == "no_worker"
    with serving(handle, desk=pool) as address, client(address, None) as caller:
        health = caller.get("/healthz")
        assert (health.status_code, health.json()["error"]["code"]) == (503, "no_worker")


def test_closing_ends_the_processes(handle: HomeHandle) -> None:
    """Nothing runs on after the service."""
    pool = Workers(handle, 2, COMMAND)
    pool.start()
    running = pool.processes()
    assert len(running) == 2
    pool.close()
    for process in running:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_other_settings_are_not_served(handle: HomeHandle) -> None:
    """A worker that reads other settings than the service runs under refuses to start."""
    other = HomeHandle(
        handle.home,
        handle.settings.model_copy(update={"publishing": PublishingSettings(second_person=True)}),
        handle.ledger,
        None,
    )
    with pytest.raises(InputRejected) as refused:
        Workers(other, 1, COMMAND).start()
    assert refused.value.code == "settings_changed"


def test_over_http(handle: HomeHandle, workers: Workers) -> None:
    """The calls, the page and their errors are the same behind a service whose questions go to workers."""
    _, key = add_key(handle, "ada", ROLES, actor="root")
    with serving(handle, desk=workers) as address, client(address, key) as caller:
        asked = {"question": QUESTION, "as_of": "2024-06-01"}
        assert caller.post("/api/ask", json=asked).json()["status"] == "answered"
        assert caller.get("/healthz").json() == {"status": "ok"}
        assert caller.post("/api/search", json={"query": QUESTION, "as_of": "2024-06-01"}).json()["hits"]
        refused = caller.post("/api/ask", json={**asked, "question": " "})
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "question_empty")
        ended = caller.post("/api/ask", json={**asked, "question": DEATH})
        assert (ended.status_code, ended.json()["error"]["code"]) == (503, "worker_ended")
        fault = caller.post("/api/ask", json={**asked, "question": FAULT})
        assert (fault.status_code, fault.json()["error"]["code"]) == (500, "internal")
        assert caller.post("/api/ask", json=asked).json()["status"] == "answered"
