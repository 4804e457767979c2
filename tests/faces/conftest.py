"""A home made by the real command on a small corpus, and a way to call the command."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.faces.cli import run

POLICY_1 = """# Key Policy

## 1. Custody

1.1 Each branch shall keep its vault keys with two officers.

1.2 A lost key shall be reported within 10 days.
"""
POLICY_2 = POLICY_1.replace("within 10 days", "within 14 days")


@dataclass(slots=True)
class Command:
    """Calls the command in this process and reads what it printed."""

    capsys: pytest.CaptureFixture[str]

    def __call__(self, home: Path, *arguments: str) -> tuple[int, Any]:
        """Exit code and the JSON printed with ``--json``."""
        self.capsys.readouterr()
        code = run(["--home", str(home), "--json", *arguments])
        printed = self.capsys.readouterr().out
        return code, json.loads(printed) if printed else None


@pytest.fixture
def command(capsys: pytest.CaptureFixture[str]) -> Command:
    """The command line, called in this process."""
    return Command(capsys)


Add = Callable[..., tuple[int, Any]]


@pytest.fixture
def add(command: Command, tmp_path: Path) -> Add:
    """`add` of a text given here, as a Markdown file."""

    def call(home: Path, text: str, version: str, start: str, *more: str) -> tuple[int, Any]:
        path = tmp_path / f"{version}-{start}.md"
        path.write_text(text, encoding="utf-8")
        return command(home, "add", str(path), "--doc-id", "key-policy", "--version", version, "--effective-from", start, *more)

    return call


def stores_of(home: Path) -> dict[str, bytes]:
    """Every file of the home but Dagster's own records and locks, by name: what a refusal must leave as it was."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and path.relative_to(home).parts[0] not in ("dagster",) and path.suffix != ".lock"
    }
