"""`serve` and `keys` as typed: the local key once, what is refused before anything listens, a process that serves and ends."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx
import pytest

from compliance_rag.service.keys import ROLES, list_keys
from compliance_rag.service.warming import warm
from tests.conftest import ROOT
from tests.faces.conftest import Command, stores_of
from tests.faces.serving import STARTING_SECONDS, client
from tests.service.building import make_home, policy, publish, staged


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with one policy."""
    handle = make_home(tmp_path / "home")
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    return handle.home.root


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def test_serving_from_start_to_end(home: Path) -> None:
    """The first start prints a key that opens everything, once; the home holds its hash; an interrupt ends it cleanly; the
    second start prints none."""
    port = str(free_port())
    command = [sys.executable, "-m", "compliance_rag", "--home", str(home), "--json", "serve", "--port", port]
    printed = []
    for _ in range(2):
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            assert process.stdout is not None
            printed.append(json.loads(process.stdout.readline()))
            key = printed[0]["key"]
            with client(printed[0]["address"], key) as caller:
                found = until_it_listens(caller, "/api/docs")
            assert [doc["doc_id"] for doc in found.json()] == ["policy"]
            os.kill(process.pid, signal.SIGINT)
            assert process.wait(60) in (0, 128 + signal.SIGINT, -signal.SIGINT)
    assert printed[1]["key"] is None
    (entry,) = list_keys(make_home(home))
    assert (entry.name, set(entry.roles)) == ("local", set(ROLES))
    assert key not in (home / "api-keys.json").read_text("utf-8")


def until_it_listens(caller: httpx.Client, path: str) -> httpx.Response:
    """The first answer of a server that is starting."""
    deadline = time.monotonic() + STARTING_SECONDS
    while True:
        try:
            return caller.get(path)
        except httpx.ConnectError:
            assert time.monotonic() < deadline, "the server did not start"
            time.sleep(0.1)


def test_keys_as_typed(home: Path, command: Command) -> None:
    """Made, listed without hash or key, revoked; a taken name, an unknown key and a wrong role are refused."""
    code, made = command(home, "keys", "add", "ada", "--role", "analyst", "--doc", "policy", "--actor", "root")
    assert (code, made["name"], made["roles"], made["docs"]) == (0, "ada", ["analyst"], ["policy"])
    assert command(home, "keys", "list") == (0, [{key: value for key, value in made.items() if key != "key"}])
    assert command(home, "keys", "add", "ada", "--role", "auditor")[1]["error"]["code"] == "name_taken"
    assert command(home, "keys", "add", "bo", "--role", "king")[0] == 2
    assert command(home, "keys", "revoke", made["key_id"])[0] == 0
    assert command(home, "keys", "list") == (0, [])
    assert command(home, "keys", "revoke", "ada")[1]["error"]["code"] == "unknown_key"
    assert command(home, "audit", "verify")[1]["valid"] is True


@pytest.mark.parametrize(
    ("options", "code"),
    [(["--port", "0"], "usage"), (["--port", "http"], "usage"), (["--host", "0.0.0.0"], "no_keys")],
)
def test_what_is_not_served(home: Path, command: Command, options: list[str], code: str) -> None:
    """A port that is none, and an outside address that nobody has a key for, are wrong usage."""
    exit_code, shown = command(home, "serve", *options)
    assert (exit_code, shown["error"]["code"]) == (2, code)


def test_warming_records_nothing(home: Path) -> None:
    """What is loaded before the first question leaves every store as it was, in a home with documents and in one without."""
    for root in (home, home.parent / "empty"):
        handle = make_home(root)
        before = stores_of(root)
        warm(handle)
        assert stores_of(root) == before
