"""Calls that are made wrongly are told so: unknown and repeated parameters, values of another type, days at the ends of time; a
fault of ours is named like every other answer."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
import structlog

from compliance_rag.faces.api import Rules
from compliance_rag.faces.http.app import create_app
from compliance_rag.faces.log import configure
from compliance_rag.faces.web.library import timeline
from compliance_rag.service.keys import ROLES, Bearer, add_key
from schemas.dates import parse_instant, print_instant
from schemas.errors import InputRejected
from tests.faces.serving import client, serving
from tests.service.building import make_home, policy, publish, staged


@pytest.fixture(scope="module")
def boss(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A caller with every role at a served home with one policy."""
    handle = make_home(tmp_path_factory.mktemp("strict") / "home")
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    _, key = add_key(handle, "boss", ROLES, actor="root")
    with serving(handle) as address, client(address, key) as caller:
        yield caller


def code_of(answer: httpx.Response) -> tuple[int, str, str]:
    """Status, code and place of an error."""
    error = answer.json()["error"]
    return answer.status_code, error["code"], error["where"]


def test_no_call_passes_an_unknown_parameter_over(boss: httpx.Client) -> None:
    """Every call of the description, with a parameter that it does not name, says so under one code, health and counts too."""
    paths = boss.get("/api/openapi.json").json()["paths"]
    checked = 0
    for path, methods in paths.items():
        for method in methods:
            answer = boss.request(method, path.replace("{", "").replace("}", ""), params={"asof": "2024-01-01"})
            assert code_of(answer) == (422, "unknown_parameter", "asof"), (method, path)
            checked += 1
    assert checked > 20
    named = boss.get("/api/stale?opne=true").json()["error"]["message"]
    assert "open" in named
    assert "since" in named


def test_a_parameter_is_given_once(boss: httpx.Client) -> None:
    """Two days in one call are no day."""
    assert code_of(boss.get("/api/docs?as_of=2024-01-01&as_of=2025-01-01")) == (422, "repeated_parameter", "as_of")


@pytest.fixture
def web(boss: httpx.Client) -> Iterator[httpx.Client]:
    """The same person's browser."""
    key = boss.headers["Authorization"].removeprefix("Bearer ")
    with httpx.Client(base_url=boss.base_url, headers={"Accept": "text/html"}, timeout=60) as browser:
        assert browser.post("/sign-in", data={"key": key}).status_code == 303
        yield browser


PAGES = [
    "/", "/documents", "/documents/policy", "/documents/policy/report?version=1", "/clause?id=policy%401%232", "/changes",
    "/changes/redline?doc=policy&start=1&end=1", "/source?clause=policy%401%232", "/page.png?clause=policy%401%232&page=1",
    "/stale", "/review", "/audit", "/audit/0", "/sign-in", "/language/zh", "/answers/a-none",
]  # fmt: skip


@pytest.mark.parametrize("path", PAGES)
def test_no_page_passes_an_unknown_parameter_over(web: httpx.Client, path: str) -> None:
    """A day under a wrong name, left out in silence, would show the text of another day."""
    shown = web.get(path + ("&" if "?" in path else "?") + "asof=2024-01-01")
    assert shown.status_code == 422
    assert "asof: this page has no such parameter" in shown.text


def test_a_pages_parameter_is_given_once_but_for_lists(web: httpx.Client) -> None:
    """Two days are no day; documents may be several."""
    assert "given 2 times" in web.get("/?as_of=2024-01-01&as_of=2025-01-01").text
    assert web.get("/?doc=policy&doc=other&as_of=2024-01-01").status_code == 200


def test_who_is_not_signed_in_is_sent_there_first(boss: httpx.Client) -> None:
    """Whatever an address holds."""
    sent = httpx.get(f"{boss.base_url}/documents?asof=1", headers={"Accept": "text/html"})
    assert (sent.status_code, sent.headers["location"]) == (303, "/sign-in?back=%2Fdocuments%3Fasof%3D1")


@pytest.mark.parametrize("query", ["about=%ff", "from=1&to=1&about=%ED%A0%80", "as_of=%c3", "%fe=1"])
def test_an_address_is_utf_8(boss: httpx.Client, web: httpx.Client, query: str) -> None:
    """What is not is no text with a mark in its place."""
    assert code_of(boss.get(f"/api/changes/policy?{query}")) == (422, "bad_text", "query")
    assert web.get(f"/changes?{query}").status_code == 422


@pytest.mark.parametrize("text", ["1_0", " 1", "1 ", "+1", "1.0", "1e0", "0x1", "٣", ""])
@pytest.mark.parametrize("name", ["offset", "limit"])
def test_a_place_in_a_list_is_written_in_digits(boss: httpx.Client, name: str, text: str) -> None:
    """`1_0` is not ten."""
    assert code_of(boss.get("/api/docs", params={name: text})) == (422, "bad_request", name)


@pytest.mark.parametrize(("host", "status"), [("LOCALHOST", 200), ("LocalHost:8765", 200), ("localhost.evil.example", 400)])
def test_names_of_hosts_are_compared_as_such(boss: httpx.Client, host: str, status: int) -> None:
    """Capitals make no other host."""
    assert httpx.get(f"{boss.base_url}/healthz", headers={"Host": host}).status_code == status


def test_who_has_no_key_is_told_that_first(boss: httpx.Client) -> None:
    """Nothing of a call is judged before its key."""
    assert code_of(httpx.get(f"{boss.base_url}/api/docs?asof=1"))[:2] == (401, "no_key")


@pytest.mark.parametrize(
    ("body", "where"),
    [({"limit": True}, "limit"), ({"limit": "3"}, "limit"), ({"no_model": "yes"}, "no_model"), ({"doc": 3}, "doc")],
)
def test_a_value_of_another_type_is_no_value(boss: httpx.Client, body: dict[str, Any], where: str) -> None:
    """True is no number, a text no number and no yes."""
    answer = boss.post("/api/ask", json={"question": "Who notifies the office?", **body})
    assert code_of(answer) == (422, "bad_request", where)


@pytest.mark.parametrize(("query", "code"), [(" ", "question_empty"), ("x" * 4_001, "question_too_long")])
def test_a_search_is_refused_by_the_name_of_its_field(boss: httpx.Client, query: str, code: str) -> None:
    """A search has no question."""
    assert code_of(boss.post("/api/search", json={"query": query})) == (422, code, "query")


@pytest.mark.parametrize(
    "path", ["/api/ask", "/api/search", "/api/review/a-none", "/api/audit/a-none/erase", "/api/stale/a-none/close"]
)
def test_a_field_is_given_once(boss: httpx.Client, path: str) -> None:
    """Two days in one body are no day, at any depth."""
    headers = {"Content-Type": "application/json"}
    for body in (b'{"question": "x", "as_of": "2024-01-01", "as_of": "2025-01-01"}', b'{"x": [{"as_of": 1, "as_of": 2}]}'):
        answer = boss.post(path, content=body, headers=headers)
        assert code_of(answer) == (422, "repeated_field", "as_of")


def test_a_compressed_body_is_not_read_as_another(boss: httpx.Client) -> None:
    """It is refused, whatever it holds."""
    answer = boss.post("/api/ask", json={"question": "x"}, headers={"Content-Encoding": "gzip"})
    assert code_of(answer) == (422, "bad_body", "Content-Encoding")


def test_a_body_that_is_no_json_is_named_so(boss: httpx.Client) -> None:
    """The place is the body, not a number."""
    answer = boss.post("/api/ask", content=b'{"question": ', headers={"Content-Type": "application/json"})
    assert code_of(answer) == (422, "bad_body", "body")


def test_a_path_with_a_slash_too_many_is_no_path(boss: httpx.Client) -> None:
    """No answer outside the description, and none that sends a caller on."""
    assert code_of(boss.get("/api/docs/"))[:2] == (404, "no_route")


@pytest.mark.parametrize("text", ["9999-12-31T23:59:59-23:00", "0001-01-01T00:00:00+23:59"])
def test_an_instant_outside_the_calendar_is_refused(boss: httpx.Client, text: str) -> None:
    """In UTC it lies in no year that can be written."""
    assert code_of(boss.get("/api/docs", params={"known_at": text})) == (422, "unreadable_date", "known_at")
    with pytest.raises(InputRejected):
        parse_instant(text)


def test_instants_before_the_year_1000_are_printed_whole() -> None:
    """With four digits, so that they sort and are read again."""
    printed = print_instant(datetime(500, 1, 2, 3, tzinfo=UTC))
    assert printed == "0500-01-02T03:00:00.000000Z"
    assert parse_instant(printed).year == 500


def test_a_version_far_ahead_leaves_the_timeline_readable(tmp_path: Path) -> None:
    """One that starts in the last year of the calendar is cut at the edge; the others keep their room."""
    handle = make_home(tmp_path / "home")
    publish(
        handle,
        staged(handle, policy(10), "1", "2024-01-01"),
        staged(handle, policy(14), "2", "9999-06-01"),
    )
    rules = Rules(handle, Bearer("ada", "os", frozenset(ROLES)))
    shown = timeline(rules.docs(), date(2026, 1, 1))
    first, second = shown["rows"][0]["bars"]
    assert first["x"] == 0
    assert second["x"] == shown["width"]
    assert shown["ticks"][-1]["year"] < 2050


@pytest.fixture
def logged() -> Iterator[None]:
    """Events are lines of JSON, as when serving."""
    configure(quiet=False, as_json=True)
    yield
    structlog.reset_defaults()


@pytest.mark.anyio
@pytest.mark.usefixtures("logged")
async def test_a_fault_of_ours_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It has the one shape, the request's id, the strict headers, and says that the connection ends; the trace is in the log
    under the same id, and nothing of it in the answer."""

    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("a secret of ours")

    handle = make_home(tmp_path / "home")
    _, key = add_key(handle, "boss", ROLES, actor="root")
    monkeypatch.setattr(Rules, "docs", broken)
    transport = httpx.ASGITransport(create_app(handle), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as caller:
        headers = {"Authorization": f"Bearer {key}", "X-Request-ID": "mine-9"}
        answer = await caller.get("/api/docs", headers=headers)
    assert (answer.status_code, answer.json()["error"]["code"]) == (500, "internal")
    assert answer.headers["x-request-id"] == "mine-9"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["connection"] == "close"
    assert "secret" not in answer.text
    said = "".join(capsys.readouterr())
    assert any("mine-9" in line and "RuntimeError" in line for line in said.splitlines())
