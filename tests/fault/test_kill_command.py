"""kill -9 over the full path: the real commands `add` (Dagster, the real embedder, every store) and `ask`, at any instant."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from audit.verifier import verify_home
from compliance_rag.service.homes import open_home
from schemas.objects import Receipt
from tests.service.building import policy

SEED = 20261130
QUESTION = "Within how many days shall the employee notify the office of the event?"


def _command(home: Path, *arguments: str) -> list[str]:
    return [sys.executable, "-m", "compliance_rag", "--home", str(home), "--json", "--quiet", *arguments]


def _add(home: Path, number: int) -> list[str]:
    source = home.parent / f"{number}.md"
    source.write_text(policy(number), "utf-8")
    day = f"{1900 + number}-01-01"
    return _command(home, "add", str(source), "--doc-id", "policy", "--version", str(number), "--effective-from", day)


def _run(command: list[str], limit: float | None) -> tuple[int | None, str]:
    """Run, killed after ``limit`` seconds where it is not done by then; exit code (None: killed) and output."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        out, _ = child.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        child.kill()
        out, _ = child.communicate()
        return None, out
    return child.returncode, out


def _acknowledged(out: str, home: Path) -> Any:
    """The answer printed, if it was printed whole; a ledger that gives its receipt has it."""
    try:
        shown = json.loads(out)
    except ValueError:
        return None
    if "ledger" in shown:
        ledger = open_home(home).ledger
        assert ledger.receipt(shown["ledger"]["index"]) == Receipt.model_validate(shown["ledger"])
    return shown


def _check(home: Path) -> list[str]:
    """Opens without repair, verifies, and holds whole versions only; their labels."""
    handle = open_home(home)
    report = verify_home(home)
    assert report["valid"], report["first_bad"]
    corpus = handle.corpus()
    recorded = [header["version"] for _, header in handle.ledger.headers(0, {"publication"})]
    assert [row.version for row in corpus.versions] == recorded
    for row in corpus.versions:
        assert len([item.to_object() for item in corpus.clauses_of(row.doc_id, row.version_id)]) == row.clause_count
    return recorded


@pytest.mark.slow
@pytest.mark.parametrize("kills", [150])
def test_killed_commands_lose_nothing(tmp_path: Path, kills: int) -> None:
    """By turns `add` and `ask` killed at any instant of their run: the same command again does what is left to do."""
    home, dice, begun = tmp_path / "home", random.Random(SEED), time.monotonic()
    code, _ = _run(_add(home, 1), None)
    assert code == 0
    length = time.monotonic() - begun
    number, struck, shown = 2, 0, 0
    versions = ["1"]
    while struck < kills:
        asking = struck % 2 == 1
        command = _command(home, "ask", QUESTION, "--request-id", f"r{struck}") if asking else _add(home, number)
        started = time.monotonic()
        code, out = _run(command, dice.uniform(0.0, length))
        if code is None:
            struck += 1
        else:
            length = max(length, 1.1 * (time.monotonic() - started))
        answer = _acknowledged(out, home) if asking else None
        shown += answer is not None
        found = _check(home)
        assert found in (versions, [*versions, str(number)]), (SEED, struck)
        if code is not None and not asking:
            assert str(number) in found, "acknowledged and not there"
        number += len(found) - len(versions)
        versions = found
    code, out = _run(_add(home, number), None)
    assert code == 0, out
    assert _check(home) == [*versions, str(number)]
    print(
        f"full path: {kills} SIGKILL, seed {SEED}: {number} versions and {shown} answers acknowledged, 0 lost, "
        f"0 half-published, 0 repairs, {time.monotonic() - begun:.0f} s"
    )
