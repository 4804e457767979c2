"""Texts that are not Unicode, or hold a NUL, are refused at every door; faults are logged in a line."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from mcp import Client

from compliance_rag.faces.api import Rules
from compliance_rag.faces.log import _Lines
from compliance_rag.faces.tools import create_server
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import ROLES, Bearer, add_key
from schemas.errors import InputRejected
from tests.faces.conftest import Command
from tests.faces.serving import client, serving
from tests.service.building import make_home, policy, publish, staged

SURROGATE = "\ud800"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HomeHandle, httpx.Client]]:
    """A served home and a caller with every role."""
    handle = make_home(tmp_path_factory.mktemp("texts") / "home")
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    with serving(handle) as address, client(address, add_key(handle, "cam", ROLES, actor="root")[1]) as boss:
        yield handle, boss


@pytest.mark.parametrize(
    ("path", "body", "where"),
    [
        ("/api/search", {"query": SURROGATE}, "query"),
        ("/api/search", {"query": "x", "doc": [SURROGATE]}, "doc"),
        ("/api/search", {"query": "x", SURROGATE: 1}, "name"),
        ("/api/ask", {"question": f"Who {SURROGATE}?"}, "question"),
        ("/api/ask", {"question": "Who\0 pays?"}, "question"),
        ("/api/ask", {"question": "x", "request_id": SURROGATE}, "request_id"),
        ("/api/review/a-none", {"decision": "approve", "note": SURROGATE}, "note"),
        ("/api/publish/policy", {"version": "1", "note": SURROGATE}, "note"),
    ],
)
def test_what_is_not_unicode_is_refused_in_every_body(
    place: tuple[HomeHandle, httpx.Client], path: str, body: dict[str, Any], where: str
) -> None:
    """422, the one shape, the field's name; nothing is recorded."""
    handle, boss = place
    size = handle.ledger.size
    got = boss.post(path, content=json.dumps(body), headers={"Content-Type": "application/json"})
    assert (got.status_code, got.json()["error"]["code"], got.json()["error"]["where"]) == (422, "bad_text", where)
    handle.ledger.refresh()
    assert handle.ledger.size == size


def test_the_manifest_of_a_batch_too(place: tuple[HomeHandle, httpx.Client]) -> None:
    """A title that is no text stops the batch before anything is read."""
    entry = {"file": "a.md", "doc_id": "a", "version": "1", "effective_from": "2024-01-01", "title": SURROGATE}
    got = place[1].post("/api/ingest", data={"manifest": json.dumps([entry])}, files={"files": ("a.md", b"# A")})
    assert (got.status_code, got.json()["error"]["code"]) == (422, "bad_text")


def test_forms_are_utf_8(place: tuple[HomeHandle, httpx.Client]) -> None:
    """A charset that can write what is not Unicode is refused before the form is read; utf-8 may be named."""
    form = "--x\r\nContent-Disposition: form-data; name=key\r\n\r\n+2AA-\r\n--x--\r\n"
    for charset, status in (("utf-7", 422), ('"unicode_escape"', 422), ("utf-8", 401), ('"UTF8"', 401)):
        kind = {"Content-Type": f"multipart/form-data; boundary=x; charset={charset}"}
        assert place[1].post("/sign-in", content=form, headers=kind).status_code == status, charset


def test_unreadable_bodies_have_a_code(place: tuple[HomeHandle, httpx.Client]) -> None:
    """Nested without end, or not UTF-8: `bad_body`."""
    for body in (b"[" * 100_000, b'{"query": "\xff"}'):
        got = place[1].post("/api/search", content=body, headers={"Content-Type": "application/json"})
        assert (got.status_code, got.json()["error"]["code"]) == (400, "bad_body")


def test_tools_and_python_refuse_it_too(place: tuple[HomeHandle, httpx.Client]) -> None:
    """The same code from a tool, which also tells wrong arguments in the one shape, and from a call in Python."""
    rules = Rules(place[0], Bearer("agent", "asserted", frozenset(ROLES)))
    server = create_server(lambda _: rules)
    calls: list[tuple[str, dict[str, Any], str]] = [
        ("ask", {"question": SURROGATE}, "bad_text"), ("search", {"query": "x", "limit": 0}, "bad_request"),
        ("changes", {"doc": "policy"}, "bad_request"), ("nonsense", {}, "unknown_tool"),
        ("search", {"query": "x", "docs": ["policy"]}, "bad_request"),
    ]  # fmt: skip

    async def call(name: str, arguments: dict[str, Any]) -> Any:
        with pytest.raises(Exception, match="error") as raised:
            await server.call_tool(name, arguments)
        text = str(raised.value)
        return json.loads(text[text.index("{") :])["error"]

    for name, arguments, code in calls:
        assert anyio.run(call, name, arguments)["code"] == code
    with pytest.raises(InputRejected) as caught:
        rules.search(SURROGATE)
    assert caught.value.code == "bad_text"


def test_both_names_of_the_sides(place: tuple[HomeHandle, httpx.Client]) -> None:
    """`changes` takes `from` and `to` as everywhere else, and `start` and `end`."""
    rules = Rules(place[0], Bearer("agent", "asserted", frozenset(ROLES)))

    async def both() -> list[Any]:
        async with Client(create_server(lambda _: rules)) as caller:
            sides = ({"from": "1", "to": "1"}, {"start": "1", "end": "1"})
            return [(await caller.call_tool("changes", {"doc": "policy", **one})).structured_content for one in sides]

    one, other = anyio.run(both)
    assert one == other
    assert one["from"]["version"] == "1"


def test_the_command_line_too(tmp_path: Path, command: Command) -> None:
    """An argument whose bytes are no UTF-8, a batch line with a surrogate: exit 3 with the code."""
    home = tmp_path / "home"
    make_home(home)
    code, said = command(home, "search", "caf\udce9")
    assert (code, said["error"]["code"]) == (3, "bad_text")
    lines = tmp_path / "questions.jsonl"
    lines.write_text('{"id": "\\ud800", "query": "x"}\n', "utf-8")
    code, said = command(home, "search", "--batch", str(lines))
    assert (code, said["error"]["code"] if isinstance(said, dict) else said[0]["error"]["code"]) == (3, "bad_text")


def test_a_fault_is_one_line_without_values() -> None:
    """What a library logs of an exception is a line of JSON with the plain traceback."""
    secret = "a question"
    try:
        raise ValueError("broken")
    except ValueError as error:
        record = logging.LogRecord("uvicorn", logging.ERROR, "x.py", 1, "Exception\n", (), (type(error), error, None))
    line = _Lines().format(record)
    assert ("\n" in line, secret in line, json.loads(line)["logger"]) == (False, False, "uvicorn")
    assert "ValueError: broken" in json.loads(line)["exception"]
