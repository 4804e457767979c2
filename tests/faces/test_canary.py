"""An erased question is found nowhere: home, temporary files, events on stderr, the service's metrics."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from compliance_rag.faces.cli import run
from compliance_rag.service.homes import open_home
from compliance_rag.service.keys import ROLES, add_key
from tests.faces.conftest import POLICY_1, Add, Command
from tests.faces.serving import client, serving

CANARY = "quetzalite"


def _found_in(folder: Path) -> list[str]:
    """Files below ``folder`` that hold the canary, in their bytes or their names."""
    files = [path for path in folder.rglob("*") if path.is_file()]
    return [str(path) for path in files if CANARY in path.name or CANARY.encode() in path.read_bytes()]


def test_an_erased_question_is_found_nowhere(
    command: Command, add: Add, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked twice, reconstructed, erased: no file of the home, no temporary file and no event holds it, `audit show` says so,
    and all verifies."""
    home, scratch = tmp_path / "home", tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr(tempfile, "tempdir", None)
    add(home, POLICY_1, "1", "2024-01-01")
    question = f"Within how many days shall a lost {CANARY} key be reported?"
    _, shown = command(home, "ask", question, "--request-id", "r-1")
    command(home, "audit", "reconstruct", shown["answer_id"])
    capsys.readouterr()
    assert run(["--home", str(home), "--json", "ask", question, "--request-id", "r-1"]) == 0
    assert run(["--home", str(home), "--json", "audit", "erase", shown["answer_id"], "--reason", "asked by the person"]) == 0
    assert CANARY not in capsys.readouterr().err
    assert _found_in(home) == []
    assert _found_in(scratch) == []
    assert run(["--home", str(home), "--json", "audit", "show", shown["answer_id"]]) == 0
    said = capsys.readouterr()
    assert CANARY not in said.out + said.err
    code, report = command(home, "audit", "verify")
    assert (code, report["checked"]["erased"]) == (0, 1)


def test_an_erased_question_is_not_in_the_metrics(
    command: Command, add: Add, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Asked, searched and read again over HTTP, then erased: `/metrics` counted all of it and holds no word of it, nor does
    what the server printed."""
    home = tmp_path / "home"
    add(home, POLICY_1, "1", "2024-01-01")
    handle = open_home(home)
    key = add_key(handle, "boss", ROLES, docs=None, actor="root")[1]
    with serving(handle) as address, client(address, key) as boss:
        question = f"Within how many days shall a lost {CANARY} key be reported?"
        shown = boss.post("/api/ask", json={"question": question, "request_id": "r-1"}).json()
        boss.post("/api/search", json={"query": CANARY})
        boss.get(f"/api/audit/{shown['answer_id']}")
        boss.get(f"/api/{CANARY}")
        said = capsys.readouterr()
        assert command(home, "audit", "erase", shown["answer_id"], "--reason", "asked by the person")[0] == 0
        metrics = boss.get("/metrics").text
    assert 'route="/api/ask",status="200"' in metrics
    assert CANARY not in metrics + said.out + said.err
