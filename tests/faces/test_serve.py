"""The HTTP service as a caller meets it: the contract's JSON, keys, roles, hidden documents, one error shape, readings."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest

from compliance_rag.faces.api import Rules
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import ROLES, Bearer, add_key, revoke_key
from schemas.objects import Answer
from tests.faces.serving import client, serving
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office?"
REVIEW_ALL = {"review": {"thresholds": {"answer_confidence": 1.1}}}
HIDDEN = "# Merger Plan\n\n1. Notice\n\nThe employee shall notify the office of the merger within 99 days of the event.\n"


@dataclass(slots=True)
class Place:
    """A served home and its callers."""

    handle: HomeHandle
    address: str
    boss: httpx.Client
    analyst: httpx.Client
    auditor: httpx.Client
    narrow: httpx.Client


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Two versions of a policy that everyone may read, and a document that ``narrow`` may not know of."""
    handle = make_home(tmp_path_factory.mktemp("serve") / "home", **REVIEW_ALL)
    publish(
        handle,
        staged(handle, policy(10), "1", "2024-01-01"),
        staged(handle, policy(14), "2", "2025-01-01"),
        staged(handle, HIDDEN, "1", "2024-01-01", "merger"),
    )
    keys = {name: add_key(handle, name, roles, docs=docs, actor="root")[1] for name, roles, docs in (
        ("boss", ROLES, None), ("ana", ("analyst",), None), ("audrey", ("auditor", "exporter"), None),
        ("ned", ROLES, ("policy",)),
    )}  # fmt: skip
    with serving(handle) as address:
        callers = [client(address, keys[name]) for name in ("boss", "ana", "audrey", "ned")]
        yield Place(handle, address, *callers)
        for caller in callers:
            caller.close()


def last_header(handle: HomeHandle) -> dict[str, Any]:
    """The ledger's newest record."""
    handle.ledger.refresh()
    return handle.ledger.header(handle.ledger.size - 1)


def without(headers: httpx.Headers) -> dict[str, str]:
    """Headers that do not differ by themselves from call to call."""
    return {name: value for name, value in headers.items() if name not in ("x-request-id", "date")}


def test_answers_are_the_command_lines_json(place: Place) -> None:
    """Every read gives what the Python API, of which the command is made, gives; an answer carries its receipt."""
    rules = Rules(place.handle, Bearer("boss", "key", frozenset(ROLES)))
    calls: list[tuple[str, Any]] = [
        ("/api/docs", [item.model_dump(mode="json") for item in rules.docs()]),
        ("/api/outline/policy?version=1&full=true", rules.outline("policy", version="1", full=True)),
        ("/api/clause/policy@2%232?history=true", rules.clause("policy@2#2", history=True)),
        ("/api/changes/policy?from=1&to=2", rules.changes("policy", "1", "2").model_dump(mode="json", by_alias=True)),
        ("/api/stale", []),
    ]
    for path, wanted in calls:
        got = place.boss.get(path)
        assert (got.status_code, got.json()) == (200, json.loads(json.dumps(wanted))), path
    answer = place.boss.post("/api/ask", json={"question": QUESTION, "as_of": "2024-06-01", "doc": "policy"}).json()
    assert Answer.model_validate(answer).ledger is not None
    assert ("within 10 days" in answer["answer"], answer["ledger"]["index"]) == (True, place.handle.ledger.size - 1)
    assert (last_header(place.handle)["actor"], last_header(place.handle)["actor_auth"]) == ("boss", "key")
    hits = place.boss.post("/api/search", json={"query": "notice", "as_of": "2025-06-01", "limit": 1}).json()["hits"]
    assert [(hit["version"], hit["rank"]) for hit in hits] == [("2", 1)]
    assert place.boss.get("/api/audit/verify").json()["valid"] is True


def test_a_request_id_gives_the_same_record(place: Place) -> None:
    """Two calls at once with one request id: one record, one answer."""
    body = {"question": QUESTION, "doc": ["policy"], "request_id": "twice-1"}
    found: list[dict[str, Any]] = []
    threads = [threading.Thread(target=lambda: found.append(place.boss.post("/api/ask", json=body).json())) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({one["answer_id"] for one in found}) == 1
    records = [header for _, header in place.handle.ledger.headers(0, {"answer"}) if header["request_id"] == "twice-1"]
    assert len(records) == 1
    other = place.boss.post("/api/ask", json={**body, "question": "Who pays?"})
    assert (other.status_code, other.json()["error"]["code"]) == (422, "request_id_taken")


def test_a_request_id_gives_no_answer_of_anothers(place: Place) -> None:
    """Who repeats another person's call under its id is told that it is taken, and is not given their answer."""
    body = {"question": QUESTION, "request_id": "twice-by-two"}
    first = place.analyst.post("/api/ask", json=body).json()
    refused = place.boss.post("/api/ask", json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (422, "request_id_taken")
    assert first["answer_id"] not in refused.text
    assert place.analyst.post("/api/ask", json=body).json()["answer_id"] == first["answer_id"]


def test_a_follow_up_over_http(place: Place) -> None:
    """It names the answer that it follows; another's answer is followed by nobody who may not read it."""
    before = place.boss.post("/api/ask", json={"question": QUESTION, "as_of": "2024-06-01", "doc": "policy"}).json()
    body = {"question": "And as of 2025-06-01?", "follows": before["answer_id"]}
    answer = place.boss.post("/api/ask", json=body).json()
    assert ("within 14 days" in answer["answer"], answer["follows"]["answer_id"]) == (True, before["answer_id"])
    refused = place.analyst.post("/api/ask", json=body)
    assert (refused.status_code, refused.json()["error"]["code"]) == (404, "unknown_answer")


def test_no_key_no_answer(place: Place) -> None:
    """Without a key, with an unknown one, and with one that was revoked: 401 in the one shape."""
    _, key = add_key(place.handle, "leaver", ["analyst"], actor="root")
    with client(place.address, key) as leaver:
        assert leaver.get("/api/docs").status_code == 200
        revoke_key(place.handle, "leaver", actor="root")
        gone = leaver.get("/api/docs")
    with client(place.address, None) as nobody, client(place.address, "crk_nonsense") as stranger:
        shown = [(nobody.get("/api/docs"), "no_key"), (stranger.get("/api/docs"), "unknown_key"), (gone, "unknown_key")]
        for answer, code in shown:
            assert (answer.status_code, answer.json()["error"]["code"]) == (401, code)
            assert answer.headers["www-authenticate"] == "Bearer"
        assert nobody.get("/healthz").json() == {"status": "ok"}
        assert nobody.get("/metrics").status_code == 401
    kept = place.handle.home.api_keys.read_text("utf-8")
    assert "crk_" not in kept
    assert [header["event"] for _, header in place.handle.ledger.headers(0, {"access"})][-2:] == ["grant", "revoke"]


def test_roles(place: Place) -> None:
    """An analyst neither reviews nor audits nor reads another's answer; an auditor does not ask or decide."""
    answer_id = place.boss.post("/api/ask", json={"question": QUESTION}).json()["answer_id"]
    for caller, method, path, body in (
        (place.analyst, "GET", "/api/review", None),
        (place.analyst, "GET", "/api/audit", None),
        (place.analyst, "GET", "/api/audit/verify", None),
        (place.analyst, "GET", "/metrics", None),
        (place.auditor, "POST", "/api/ask", {"question": QUESTION}),
        (place.auditor, "POST", f"/api/review/{answer_id}", {"decision": "approve", "note": "x"}),
        (place.narrow, "GET", "/api/audit", None),
        (place.narrow, "GET", "/api/audit/verify", None),
    ):
        got = caller.request(method, path, json=body)
        assert (got.status_code, got.json()["error"]["code"]) == (403, "no_permission"), path
    other, none = (place.analyst.get(f"/api/audit/{name}") for name in (answer_id, "a" + answer_id[1:-1] + "x"))
    assert (other.status_code, none.status_code) == (404, 404)
    assert other.text.replace(answer_id, "") == none.text.replace("a" + answer_id[1:-1] + "x", "")
    assert place.auditor.get(f"/api/audit/{answer_id}").status_code == 200


def test_reading_an_answer_is_on_the_ledger(place: Place) -> None:
    """Who read which answer, and how, is a record before the answer is sent."""
    answer_id = place.boss.post("/api/ask", json={"question": QUESTION}).json()["answer_id"]
    for path, way in (
        (f"/api/audit/{answer_id}", "record"),
        (f"/api/audit/{answer_id}/reconstruct", "reconstruct"),
        (f"/api/audit/{answer_id}/export", "export"),
        (f"/api/review/{answer_id}", "review"),
    ):
        assert place.auditor.get(path).status_code == 200
        header = last_header(place.handle)
        found = (header["type"], header["way"], header["actor"], header["actor_auth"], header["answer_id"])
        assert found == ("reading", way, "audrey", "key", answer_id)


def test_a_hidden_document_is_as_an_absent_one(place: Place) -> None:
    """Of a document that a key may not know, every call says what it says of one that is not there: status, headers, body."""
    ghost = "mergex"  # as long as the hidden one's name
    calls = [
        ("GET", "/api/outline/{}", None), ("GET", "/api/outline/{}?version=1", None), ("GET", "/api/clause/{}@1%231", None),
        ("GET", "/api/changes/{}?from=1&to=1", None), ("POST", "/api/search", {"query": "merger", "doc": "{}"}),
        ("POST", "/api/ask", {"question": "When is the merger notified?", "doc": "{}"}),
    ]  # fmt: skip
    for method, path, body in calls:
        answers = []
        for name in ("merger", ghost):
            filled = None if body is None else {key: value.format(name) for key, value in body.items()}
            answers.append(place.narrow.request(method, path.format(name), json=filled))
        hidden, absent = answers
        assert hidden.status_code == absent.status_code == 404, path
        assert without(hidden.headers) == without(absent.headers), path
        assert hidden.text.replace("merger", ghost) == absent.text.replace("merger", ghost), path
    assert [doc["doc_id"] for doc in place.narrow.get("/api/docs").json()] == ["policy"]
    asked = {"question": "Within how many days shall the employee notify the office of the merger?"}
    wide, narrow = (caller.post("/api/ask", json=asked).json() for caller in (place.boss, place.narrow))
    assert (wide["scope"]["documents"], narrow["scope"]["documents"]) == (2, 1)
    assert "merger@" in json.dumps(wide)
    assert "merger@" not in json.dumps(narrow)
    assert place.narrow.get(f"/api/audit/{wide['answer_id']}").status_code == 404
    again = place.narrow.get(f"/api/audit/{narrow['answer_id']}/reconstruct").json()
    assert again["rederived"] == "equal"


def test_statistics_come_from_what_may_be_known(place: Place, tmp_path: Path) -> None:
    """Scores for a narrow key are those of a home without the hidden document."""
    alone = make_home(tmp_path / "alone")
    publish(alone, staged(alone, policy(10), "1", "2024-01-01"), staged(alone, policy(14), "2", "2025-01-01"))
    with serving(alone) as address, client(address, add_key(alone, "boss", ROLES, actor="root")[1]) as boss:
        body = {"query": "notify the office of the event", "as_of": "2025-06-01"}
        wanted, got = boss.post("/api/search", json=body).json(), place.narrow.post("/api/search", json=body).json()
    assert [(hit["clause_id"], hit["score"]) for hit in got["hits"]] == [
        (hit["clause_id"], hit["score"]) for hit in wanted["hits"]
    ]


def test_review_over_http(place: Place) -> None:
    """The queue, a decision, and the queue without it; bad decisions in the one shape."""
    answer_id = place.analyst.post("/api/ask", json={"question": QUESTION, "doc": "policy"}).json()["answer_id"]
    queue = place.boss.get("/api/review")
    assert answer_id in [item["answer_id"] for item in queue.json()]
    assert int(queue.headers["x-total-count"]) == len(queue.json())
    one = place.boss.get("/api/review?limit=1&offset=1")
    assert (one.json(), one.headers["x-total-count"]) == (queue.json()[1:2], queue.headers["x-total-count"])
    path = f"/api/review/{answer_id}"
    bad = place.boss.post(path, json={"decision": "amend", "note": "x"})
    assert (bad.status_code, bad.json()["error"]["code"]) == (400, "amend_needs_text")
    done = place.boss.post(path, json={"decision": "amend", "note": "clearer", "text": "Ten days."}).json()
    assert (done["decision"]["decision"], done["decision"]["text"], done["decision"]["actor"]) == ("amend", "Ten days.", "boss")
    assert answer_id not in [item["answer_id"] for item in place.boss.get("/api/review").json()]


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/api/ask", {"question": " "}, 422, "question_empty"),
        ("POST", "/api/ask", {"question": "x" * 4_001}, 422, "question_too_long"),
        ("POST", "/api/ask", {"question": "x", "as_of": "2024-02-30"}, 422, None),
        ("POST", "/api/ask", {"question": "x", "nonsense": 1}, 422, "bad_request"),
        ("POST", "/api/ask", {"question": "x", "jurisdiction": "XX-9"}, 422, "unknown_jurisdiction"),
        ("POST", "/api/search", {"query": "x", "limit": 0}, 422, "bad_request"),
        ("GET", "/api/docs?as_of=yesterday", None, 422, None),
        ("GET", "/api/outline/policy?version=9", None, 404, "unknown_version"),
        ("GET", "/api/outline/policy?as_of=1999-01-01", None, 404, "not_in_force"),
        ("GET", "/api/clause/policy@1%2399", None, 404, "unknown_clause"),
        ("GET", "/api/audit/999999", None, 404, "unknown_record"),
        ("GET", "/api/nothing", None, 404, "no_route"),
        ("DELETE", "/api/docs", None, 405, "wrong_method"),
    ],
)
def test_one_error_shape(place: Place, method: str, path: str, body: Any, status: int, code: str | None) -> None:
    """Whatever is wrong, the answer is {"error": {code, message, where}} with its request id."""
    got = place.boss.request(method, path, json=body, headers={"X-Request-ID": "mine-7"})
    assert (got.status_code, set(got.json()), set(got.json()["error"])) == (status, {"error"}, {"code", "message", "where"})
    assert code is None or got.json()["error"]["code"] == code
    assert got.headers["x-request-id"] == "mine-7"


def test_bounds(place: Place) -> None:
    """A body past the limit, announced or not, and another host's name are refused."""
    big = place.boss.post("/api/ask", content=b"x" * 1_100_000)
    assert (big.status_code, big.json()["error"]["code"]) == (413, "body_too_large")
    streamed = place.boss.post("/api/ask", content=(b"x" * 100_000 for _ in range(12)))
    assert (streamed.status_code, streamed.json()["error"]["code"]) == (413, "body_too_large")
    foreign = place.boss.get("/api/docs", headers={"Host": "evil.example"})
    assert (foreign.status_code, foreign.json()["error"]["code"]) == (400, "unknown_host")


def test_metrics_hold_no_words(place: Place) -> None:
    """Counts by route and status; no word of a question, no document, no id."""
    place.boss.post("/api/ask", json={"question": "Within how many zebras shall the office be notified?"})
    text = place.boss.get("/metrics").text
    assert 'compliance_rag_requests_total{method="POST",route="/api/ask",status="200"}' in text
    for word in ("zebra", "policy", "merger", "a-", "boss"):
        assert word not in text


def test_openapi_describes_every_answer(place: Place) -> None:
    """The document names every call of the contract, with examples, models, and the error shape for each error."""
    found = place.boss.get("/api/openapi.json").json()
    wanted = {"/api/ask", "/api/search", "/api/docs", "/api/outline/{doc}", "/api/clause/{clause_id}", "/api/changes/{doc}",
              "/api/stale", "/api/review", "/api/review/{answer_id}", "/api/audit/verify",
              "/api/ingest", "/api/ingest/{batch_id}", "/api/ingest/{batch_id}/events", "/api/report/{doc}",
              "/api/publish/{doc}"}  # fmt: skip
    assert wanted <= set(found["paths"])
    assert found["components"]["schemas"]["AskBody"]["examples"]
    for path, methods in found["paths"].items():
        for operation in methods.values():
            assert operation["summary"], path
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    assert answer["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/ErrorObject"}, path


def test_readers_see_what_is_published_meanwhile(place: Place) -> None:
    """A version published by another process is seen by the next call; nothing is restarted."""
    from tests.service.building import reopen

    other = reopen(place.handle)
    publish(other, staged(other, policy(21), "3", "2026-01-01"))
    answer = place.boss.post("/api/ask", json={"question": QUESTION, "doc": "policy", "as_of": "2026-06-01"}).json()
    assert "within 21 days" in answer["answer"]


def test_what_is_published_of_a_hidden_document_changes_nothing(place: Place) -> None:
    """The corpus root that a narrow key is told stays the same when a document it may not know of is published, and moves with
    its own; its answers are on a root that the ledger recorded, so all verifies."""
    body = {"question": QUESTION, "as_of": "2024-06-01"}

    def told() -> set[str]:
        answer = place.narrow.post("/api/ask", json=body).json()
        found = place.narrow.post("/api/search", json={"query": QUESTION, "as_of": "2024-06-01"}).json()
        return {answer["corpus_root"], found["corpus_root"]}

    before, wide = told(), place.boss.post("/api/ask", json=body).json()["corpus_root"]
    publish(place.handle, staged(place.handle, HIDDEN.replace("99", "98"), "2", "2025-01-01", "merger"))
    assert (told(), len(before)) == (before, 1)
    assert place.boss.post("/api/ask", json=body).json()["corpus_root"] != wide
    publish(place.handle, staged(place.handle, policy(30), "4", "2030-01-01"))
    assert told().isdisjoint(before)
    assert place.boss.get("/api/audit/verify").json()["valid"] is True


def test_the_queue_leaves_ordinary_refusals_out(place: Place) -> None:
    """A refusal because nothing was in force says that nothing is cited and waits for nobody."""
    refused = place.boss.post("/api/ask", json={"question": QUESTION, "as_of": "1999-01-01"}).json()
    assert (refused["status"], refused["review"]["recommended"]) == ("refused", False)
    assert "nothing_cited" in [reason["code"] for reason in refused["review"]["reasons"]]
    assert refused["answer_id"] not in [item.get("answer_id") for item in place.boss.get("/api/review").json()]
