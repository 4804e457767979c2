"""What a second look at dates says: a redating that turns versions round, a withdrawal that is on record already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from compliance_rag.faces.cli import run
from tests.faces.conftest import POLICY_1, POLICY_2, Add, Command


def _records(command: Command, home: Path, kind: str) -> list[Any]:
    return [header for header in command(home, "audit", "list")[1] if header["type"] == kind]


def test_a_redating_past_a_successor_names_both(command: Command, add: Add, tmp_path: Path) -> None:
    """Moved past its successor, and back, a version is flagged with the one it changed places with; moved within its place it
    is not."""
    home = tmp_path / "home"
    add(home, POLICY_1, "1", "2024-01-01")
    add(home, POLICY_2, "2", "2025-01-01")

    def redate(day: str) -> tuple[int, Any]:
        return command(home, "redate", "key-policy", "--version", "1", "--effective-from", day, "--reason", "x")

    code, shown = redate("2024-03-01")
    assert (code, shown["flags"]) == (0, [])
    code, shown = redate("2025-06-01")
    (flag,) = shown["flags"]
    assert (code, flag["code"]) == (0, "order_turned")
    assert "key-policy@1 now starts on 2025-06-01, after key-policy@2 (2025-01-01)" in flag["text"]
    _, shown = redate("2024-06-01")
    assert "key-policy@1 now starts on 2024-06-01, before key-policy@2" in shown["flags"][0]["text"]


@pytest.mark.parametrize("options", [("--from", "2026-01-01"), (), ("--void",), ("--version", "1", "--from", "2026-01-01")])
def test_withdrawn_already(
    command: Command, add: Add, tmp_path: Path, options: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    """The same withdrawal again adds no record and says from when it holds; after a later version it counts anew."""
    home = tmp_path / "home"
    add(home, POLICY_1, "1", "2024-01-01")
    code, first = command(home, "withdraw", "key-policy", *options, "--reason", "replaced")
    assert (code, first["already"]) == (0, False)
    code, again = command(home, "withdraw", "key-policy", *options, "--reason", "once more")
    assert (code, again["already"], again["index"]) == (0, True, first["index"])
    assert run(["--home", str(home), "withdraw", "key-policy", *options, "--reason", "x"]) == 0
    said = capsys.readouterr().out
    assert "already void" in said if "--void" in options else f"already withdrawn from {first['from']}" in said
    assert len(_records(command, home, "withdrawal")) == 1
    add(home, POLICY_2, "2", "2026-09-01")
    _, anew = command(home, "withdraw", "key-policy", *options, "--reason", "the new one too")
    assert anew["already"] is ("--version" in options)
