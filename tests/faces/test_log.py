"""Events go to stderr as JSON with request ids, and hold no words of a question."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.faces.conftest import POLICY_1, Add, Command


def test_events_carry_ids_and_no_words(command: Command, add: Add, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An answer's event names its request and record; the question's canary word is nowhere on stderr."""
    from compliance_rag.faces.cli import run

    home = tmp_path / "home"
    add(home, POLICY_1, "1", "2024-01-01")
    capsys.readouterr()
    question = "Within how many days shall a lost zanzibarite key be reported?"
    assert run(["--home", str(home), "--json", "ask", question, "--request-id", "r-77"]) == 0
    captured = capsys.readouterr()
    events = [json.loads(line) for line in captured.err.splitlines() if line.startswith("{")]
    (answered,) = [event for event in events if event["event"] == "answered"]
    shown = json.loads(captured.out)
    assert (answered["request_id"], answered["answer_id"]) == ("r-77", shown["answer_id"])
    assert answered["record"] == shown["ledger"]["index"]
    assert "zanzibarite" not in captured.err
