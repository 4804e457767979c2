"""The MCP server through a real client session: typed tools, the contract's JSON, errors in the one shape."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from compliance_rag.faces.api import Rules
from compliance_rag.faces.tools import create_server
from compliance_rag.service.keys import ROLES, Bearer, add_key
from tests.conftest import ROOT
from tests.faces.conftest import POLICY_1, Add
from tests.faces.serving import client as client_of
from tests.faces.serving import serving
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office?"


def test_a_client_session_uses_every_tool(tmp_path: Path) -> None:
    """Search, ask, read, compare and verify as an agent would; an unknown document is a tool error with its stable code."""
    handle = make_home(tmp_path / "home")
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"), staged(handle, policy(14), "2", "2025-01-01"))
    rules = Rules(handle, Bearer("agent", "asserted", frozenset(ROLES)))
    server = create_server(lambda _: rules)

    async def session() -> dict[str, Any]:
        async with Client(server) as client:
            tools = {tool.name: tool for tool in (await client.list_tools()).tools}
            assert set(tools) == {"search", "ask", "clause", "changes", "verify"}
            assert "as_of" in tools["ask"].input_schema["properties"]
            assert tools["ask"].output_schema is not None
            found: dict[str, Any] = {}
            for name, arguments in (
                ("search", {"query": "notice", "as_of": "2024-06-01", "limit": 2, "doc": "policy"}),
                ("ask", {"question": QUESTION, "as_of": "2024-06-01"}),
                ("clause", {"clause_id": "policy@2#2", "history": True}),
                ("changes", {"doc": "policy", "start": "1", "end": "2"}),
                ("verify", {}),
                ("search", {"query": "notice", "language": "klingon"}),
                ("changes", {"doc": "none", "start": "1", "end": "2"}),
            ):
                done = await client.call_tool(name, arguments)
                found[f"{name} failed" if done.is_error else name] = (
                    done.content[0].text if done.is_error else done.structured_content  # type: ignore[union-attr]
                )
            return found

    found = anyio.run(session)
    assert json.loads(found["search failed"])["error"]["code"] == "unknown_language"
    assert [hit["version"] for hit in found["search"]["hits"]] == ["1", "1"]
    assert (found["ask"]["status"], "within 10 days" in found["ask"]["answer"]) == ("answered", True)
    assert found["ask"]["ledger"]["index"] == handle.ledger.size - 1
    assert [stage["version"] for stage in found["clause"]["history"]] == ["1", "2"]
    assert [change["kind"] for change in found["changes"]["changes"]] == ["modified"]
    assert found["verify"]["valid"] is True
    assert "unknown_document" in found["changes failed"]


def test_the_command_speaks_the_protocol_and_nothing_else(tmp_path: Path, add: Add) -> None:
    """`mcp` run as the README prints it: what is on stdout is protocol, and the actor goes on record."""
    home = tmp_path / "home"
    add(home, POLICY_1, "1", "2024-01-01")
    printed = json.loads((ROOT / "README.md").read_text("utf-8").split("<!-- run: mcp -->\n```json\n", 1)[1].split("```", 1)[0])
    arguments = ["-m", "compliance_rag", *(str(home) if word == "/tmp/rules" else word for word in printed["args"])]
    command = StdioServerParameters(command=sys.executable, args=arguments)

    async def session() -> tuple[dict[str, Any], dict[str, Any]]:
        async with Client(command) as client:
            clause = await client.call_tool("clause", {"clause_id": "key-policy@1#1/2"})
            asked = await client.call_tool("ask", {"question": "Within how many days shall a lost key be reported?"})
            return clause.structured_content or {}, asked.structured_content or {}

    clause, answer = anyio.run(session)
    assert clause["text"].startswith("A lost key shall be reported")
    assert "10 days" in answer["answer"]
    last = (home / "ledger" / "log").glob("*.jsonl").__next__().read_text("utf-8").splitlines()[-1]
    assert (json.loads(last)["type"], json.loads(last)["actor"]) == ("answer", "agent-7")


def test_the_same_over_http_with_keys(tmp_path: Path) -> None:
    """A client session over HTTP: the bearer goes on record, roles hold, a hidden document is as an absent one; without a key,
    nothing."""
    handle = make_home(tmp_path / "home")
    publish(
        handle,
        staged(handle, policy(10), "1", "2024-01-01"),
        staged(handle, policy(99), "1", "2024-01-01", "merger"),
    )
    keys = {name: add_key(handle, name, roles, docs=docs, actor="root")[1] for name, roles, docs in (
        ("agent", ("analyst",), None), ("audrey", ("auditor",), None), ("ned", ROLES, ("policy",)),
    )}  # fmt: skip
    asked = {"question": QUESTION, "as_of": "2024-06-01", "doc": ["policy"]}
    calls: list[tuple[str, str, dict[str, Any]]] = [
        ("agent", "ask", asked), ("agent", "verify", {}), ("audrey", "ask", asked), ("audrey", "verify", {}),
        ("ned", "search", {"query": "notify", "doc": ["merger"]}), ("ned", "search", {"query": "notify", "doc": ["mergex"]}),
        ("ned", "search", {"query": "notify the office"}), ("ned", "verify", {}),
    ]  # fmt: skip

    async def session(address: str, key: str, name: str, arguments: dict[str, Any]) -> Any:
        headers = {"Authorization": f"Bearer {key}"}
        async with (
            httpx2.AsyncClient(headers=headers, timeout=60) as caller,
            Client(streamable_http_client(f"{address}/mcp", http_client=caller)) as client,
        ):
            done = await client.call_tool(name, arguments)
            text = done.content[0].text  # type: ignore[union-attr]
            return json.loads(text) if done.is_error else done.structured_content

    with serving(handle) as address:
        found = [anyio.run(session, address, keys[who], name, arguments) for who, name, arguments in calls]
        with client_of(address, None) as nobody:
            refused = nobody.post("/mcp", json={"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        with client_of(address, keys["agent"]) as agent:
            listening = agent.get("/mcp", headers={"Accept": "text/event-stream"})
            ending = agent.delete("/mcp")
    assert (refused.status_code, refused.json()["error"]["code"]) == (401, "no_key")
    for one in (listening, ending):
        assert (one.status_code, one.json()["error"]["code"], one.headers["allow"]) == (405, "wrong_method", "POST")
    answer, forbidden, not_asking, verdict, hidden, absent, hits, narrow = found
    assert "within 10 days" in answer["answer"]
    assert [one["error"]["code"] for one in (forbidden, not_asking, narrow)] == ["no_permission"] * 3
    assert verdict["valid"] is True
    assert json.dumps(hidden).replace("merger", "mergex") == json.dumps(absent)
    assert {hit["doc_id"] for hit in hits["hits"]} == {"policy"}
    headers = [header for _, header in handle.ledger.headers(0, {"answer"})]
    assert [(header["actor"], header["actor_auth"]) for header in headers] == [("agent", "key")]
