"""What stands at the doors: other sites, nobody, lists in pages, names of fields, stale answers for who closes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

import httpx
import pytest

from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import ROLES, Role, add_key
from tests.faces.serving import client, serving
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office?"
REVIEW_ALL = {"review": {"thresholds": {"answer_confidence": 1.1}}}


@dataclass(slots=True)
class Place:
    """A served home, its callers, and their browsers."""

    handle: HomeHandle
    api: dict[str, httpx.Client]
    web: dict[str, httpx.Client]
    address: str


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """An answer of the analyst's that has gone stale."""
    handle = make_home(tmp_path_factory.mktemp("doors") / "home", **REVIEW_ALL)
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    roles: dict[str, tuple[tuple[Role, ...], tuple[str, ...] | None]] = {
        "ana": (("analyst",), None), "eve": (("engineer",), None), "audrey": (("auditor",), None), "boss": (ROLES, None),
        "ned": (("engineer",), ("other",)),
    }  # fmt: skip
    keys = {name: add_key(handle, name, held, docs=docs, actor="root")[1] for name, (held, docs) in roles.items()}
    with serving(handle) as address:
        api = {name: client(address, key) for name, key in keys.items()}
        web = {
            name: httpx.Client(base_url=address, timeout=60, follow_redirects=True, headers={"Accept": "text/html"})
            for name in keys
        }
        for name, key in keys.items():
            assert web[name].post("/sign-in", data={"key": key, "back": "/"}).status_code == 200
        assert api["ana"].post("/api/ask", json={"question": QUESTION}).json()["status"] != "refused"
        publish(handle, staged(handle, policy(14), "2", "2025-01-01"))
        yield Place(handle, api, web, address)
        for caller in (*api.values(), *web.values()):
            caller.close()


def test_an_engineer_closes_stale_answers_of_others(place: Place) -> None:
    """They see the item, its clauses and days, and not the question; they close it; they still don't read the answer; one who
    may not know of the document sees nothing."""
    (own,), (theirs,) = (place.api[name].get("/api/stale").json() for name in ("ana", "eve"))
    assert (own["question"], theirs["question"]) == (QUESTION, None)
    assert {**theirs, "question": QUESTION} == own
    answer_id = own["answer_id"]
    shown = place.web["eve"].get("/stale").text
    assert ("Another person’s question" in shown, QUESTION in shown, f"/answers/{answer_id}" in shown) == (True, False, False)
    assert f"/answers/{answer_id}" in place.web["ana"].get("/stale").text
    form = {"decision": "updated", "note": "asked again"}
    assert place.web["ana"].post(f"/stale/{answer_id}/close", data=form).status_code == 403
    assert place.web["ned"].post(f"/stale/{answer_id}/close", data=form).status_code == 404
    assert place.web["eve"].post(f"/stale/{answer_id}/assign", data={"owner": "eve", "due": "2030-01-01"}).status_code == 200
    assert place.web["eve"].post(f"/stale/{answer_id}/close", data=form).status_code == 200
    (closed,) = place.api["ana"].get("/api/stale").json()
    assert (closed["decision"], closed["owner"], closed["decisions"][0]["actor"]) == ("updated", "eve", "eve")
    assert place.api["eve"].get(f"/api/audit/{answer_id}").status_code == 404
    assert (place.api["ned"].get("/api/stale").json(), place.api["audrey"].get("/api/stale").json()) == ([], [closed])


def test_changed_words_of_a_stale_answer_are_marked(place: Place) -> None:
    """What went and what came stand out, beside the labels of the versions."""
    shown = place.web["boss"].get("/stale").text
    assert re.findall(r"<(del|ins)>([^<]*)</", shown) == [("del", "10"), ("ins", "14")]


def test_another_site_calls_no_tool(place: Place) -> None:
    """A call with a foreign Origin is refused before its key is looked at; our own origin, and none, are served."""
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accept = {"Accept": "application/json, text/event-stream"}
    for origin, status in (("http://evil.example", 403), ("null", 403), (place.address, 200), (None, 200)):
        headers = accept if origin is None else {**accept, "Origin": origin}
        got = place.api["boss"].post("/mcp", json=body, headers=headers)
        assert got.status_code == status, (origin, got.text)
    assert place.api["boss"].post("/mcp", json=body, headers={"Origin": "http://evil.example"}).json()["error"]["code"] == (
        "cross_site"
    )


def test_nobody_is_sent_to_sign_in(place: Place) -> None:
    """A browser goes to sign-in; a program is told 401."""
    got = httpx.get(place.address, headers={"Accept": "text/html"})
    assert (got.status_code, got.headers["location"]) == (303, "/sign-in?back=%2F")
    assert (httpx.get(place.address).status_code, httpx.get(place.address).json()["error"]["code"]) == (401, "sign_in")


def test_outlines_and_comparisons_come_in_pages(place: Place) -> None:
    """`offset` and `limit` take effect, and X-Total-Count tells the length."""
    for path, name in (("/api/outline/policy?version=2", "clauses"), ("/api/changes/policy?from=1&to=2", "changes")):
        whole = place.api["boss"].get(path)
        total = len(whole.json()[name])
        assert (int(whole.headers["x-total-count"]), total > 0) == (total, True)
        part = place.api["boss"].get(f"{path}&offset=1&limit=1")
        assert (part.json()[name], int(part.headers["x-total-count"])) == (whole.json()[name][1:2], total)


def test_where_names_the_field(place: Place) -> None:
    """Not the command line's option."""
    answer_id = place.api["boss"].post("/api/ask", json={"question": QUESTION}).json()["answer_id"]
    for path, where in (("/api/changes/policy?from=1", "to"), ("/api/docs?limit=0", "limit")):
        assert place.api["boss"].get(path).json()["error"]["where"] == where
    for body, where in (({"decision": "amend", "note": "x"}, "text"), ({"decision": "approve", "note": " "}, "note")):
        assert place.api["boss"].post(f"/api/review/{answer_id}", json=body).json()["error"]["where"] == where


def test_every_answered_call_has_a_label(place: Place) -> None:
    """Files and the description are counted under their own names; only what is not there is unmatched."""
    for path in ("/static/page.css", "/api/openapi.json", "/nowhere"):
        place.api["boss"].get(path)
    text = place.api["boss"].get("/metrics").text
    assert 'route="unmatched",status="200"' not in text
    for label in ('route="/static",status="200"', 'route="/api/openapi.json",status="200"', 'route="unmatched",status="404"'):
        assert label in text


def test_stale_answers_are_given_out_and_closed_over_http(place: Place) -> None:
    """By reviewers and engineers, as on the page; an engineer is not told the question; of a document they may not know of, the
    answer does not exist; what cannot be taken is told and nothing recorded."""
    (item,) = place.api["boss"].get("/api/stale").json()
    assign, close = f"/api/stale/{item['answer_id']}/assign", f"/api/stale/{item['answer_id']}/close"
    task, end = {"owner": "eve", "due": "2030-01-01"}, {"decision": "no_impact", "note": "looked at"}
    for name, status in (("ana", 403), ("audrey", 403), ("ned", 404)):
        assert [place.api[name].post(path, json=body).status_code for path, body in ((assign, task), (close, end))] == [
            status
        ] * 2
    absent = place.api["ned"].post("/api/stale/a-none/close", json=end)
    hidden = place.api["ned"].post(close, json=end)
    assert hidden.text.replace(item["answer_id"], "a-none") == absent.text
    place.handle.ledger.refresh()
    size = place.handle.ledger.size
    for path, body, code in (
        (assign, {"owner": " ", "due": "2030-01-01"}, "no_owner"),
        (assign, {"owner": "eve", "due": "2030-02-30"}, "unreadable_date"),
        (close, {"decision": "no_impact", "note": " "}, "no_note"),
        (close, {"decision": "gone", "note": "x"}, "bad_request"),
        (close, {**end, "by": "eve"}, "bad_request"),
    ):
        refused = place.api["eve"].post(path, json=body)
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, code)
    place.handle.ledger.refresh()
    assert place.handle.ledger.size == size
    given = place.api["eve"].post(assign, json=task).json()
    assert (given["owner"], given["due"], given["question"]) == ("eve", "2030-01-01", None)
    by_item = f"/api/stale/{item['id']}"
    assert place.api["eve"].post(f"{by_item}/assign", json=task).json() == given
    assert item["answer_id"] not in place.api["ned"].post(f"{by_item}/close", json=end).text
    for name in ("s-0", "s-99", "s-x", "s-"):
        assert place.api["eve"].post(f"/api/stale/{name}/close", json=end).status_code == 404
    closed = place.api["boss"].post(f"{by_item}/close", json=end).json()
    assert (closed["decision"], closed["question"], closed["decisions"][-1]["actor"]) == ("no_impact", QUESTION, "boss")
    assert place.api["boss"].get("/api/stale?open=true").json() == []
