"""kill -9 over the full path: the real commands `add` (Dagster, the real embedder, every store) and `ask`, at every named phase
and at any instant."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from audit.verifier import verify_home
from compliance_rag.service.homes import open_home
from schemas.objects import Receipt
from tests.fault.killing import APPEND_PHASES, PUBLISH_PHASES
from tests.service.building import policy

SEED = 20261130
QUESTION = "Within how many days shall the employee notify the office of the event?"
ANY = "any instant"
# Imports, embedder, Dagster: a command takes seconds on an idle machine; one that takes this long hangs.
PATIENCE = 300.0
CHILD = "import sys; from tests.fault.killing import command_until_killed; command_until_killed(sys.argv[1], sys.argv[2:])"


def _ask(home: Path, request: str) -> list[str]:
    return [*_common(home), "ask", QUESTION, "--request-id", request]


def _add(home: Path, number: int) -> list[str]:
    source = home.parent / f"{number}.md"
    source.write_text(policy(number), "utf-8")
    day = f"{1900 + number}-01-01"
    return [*_common(home), "add", str(source), "--doc-id", "policy", "--version", str(number), "--effective-from", day]


def _common(home: Path) -> list[str]:
    return ["--home", str(home), "--json", "--quiet"]


def _run(arguments: list[str], phase: str = "never", limit: float = PATIENCE) -> tuple[int, str]:
    """The command, dying at ``phase`` or killed after ``limit`` seconds; exit code (below zero: killed) and what it printed;
    what it said besides is kept beside the home."""
    command = [sys.executable, "-c", CHILD, phase, *arguments]
    environment = os.environ | {"PYTHONPATH": os.getcwd()}
    with (Path(arguments[1]).parent / "said.txt").open("w") as said:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=said, text=True, env=environment)
        try:
            out, _ = child.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            child.kill()
            out, _ = child.communicate()
            assert limit < PATIENCE, (phase, "hangs")
    return child.returncode, out


def _killed(arguments: list[str], phase: str, dice: random.Random, length: float) -> tuple[int, str]:
    code, out = _run(arguments, phase, dice.uniform(0.0, length) if phase == ANY else PATIENCE)
    if phase != ANY:
        assert code == -signal.SIGKILL, (phase, code, out)
    assert code in (0, -signal.SIGKILL), (phase, code, out)
    return code, out


def _acknowledged(out: str, home: Path) -> Any:
    """The answer printed, if it was printed whole: the ledger gives its receipt."""
    try:
        shown = json.loads(out)
    except ValueError:
        return None
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


def _asked_again(home: Path, request: str) -> Any:
    """The same request after the kill: one answer, on one record."""
    code, out = _run(_ask(home, request))
    assert code == 0, out
    ledger = open_home(home).ledger
    assert [header["request_id"] for _, header in ledger.headers(0, {"answer"})].count(request) == 1
    return _acknowledged(out, home)


@pytest.mark.slow
@pytest.mark.parametrize("kills", [150])
def test_killed_commands_lose_nothing(tmp_path: Path, kills: int) -> None:
    """By turns `add` and `ask` killed at each phase or any instant of their run: what was printed is there, a version is whole
    or absent, and the same command again does what is left to do."""
    home, dice, begun = tmp_path / "home", random.Random(SEED), time.monotonic()
    code, out = _run(_add(home, 1))
    assert code == 0, out
    length, versions, number = time.monotonic() - begun, ["1"], 2
    struck: Counter[str] = Counter()
    answers = 0
    while struck.total() < kills:
        turn = struck.total()
        asking = turn % 2 == 1
        phases = APPEND_PHASES if asking else PUBLISH_PHASES
        phase = phases[turn // 2 % len(phases)]
        verb, request = ("ask" if asking else "add"), f"r{turn}"
        code, out = _killed(_ask(home, request) if asking else _add(home, number), phase, dice, length)
        struck[f"{verb}, {phase}"] += code != 0
        found = _check(home)
        assert found in (versions, [*versions, str(number)]), (SEED, turn, phase)
        if code == 0 and not asking:
            assert str(number) in found, (SEED, turn, "acknowledged and not there", out)
        if asking:
            before = _acknowledged(out, home)
            again = _asked_again(home, request)
            assert before in (None, again), (SEED, turn, phase)
            answers += 1
        number += len(found) - len(versions)
        versions = found
    code, out = _run(_add(home, number))
    assert code == 0, out
    assert _check(home) == [*versions, str(number)]
    print(
        f"full path: {kills} SIGKILL over {len(struck)} phases, seed {SEED}: {number} versions and {answers} answers "
        f"acknowledged, 0 lost, 0 half-published, 0 repairs, {time.monotonic() - begun:.0f} s"
    )
