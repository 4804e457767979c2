"""kill -9 at every named phase of publishing and appending and at any instant: nothing acknowledged is lost or half done."""

from __future__ import annotations

import multiprocessing
import os
import random
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.verifier import verify_home
from compliance_rag.service.homes import HomeHandle
from tests.fault.killing import (
    APPEND_PHASES,
    PUBLISH_PHASES,
    append_until_killed,
    check_home,
    fresh_home,
    ledger_of,
    publish_until_killed,
)

# A server that has imported everything forks each child in milliseconds; it has opened nothing, so nothing is shared.
FORK = multiprocessing.get_context("forkserver")
FORK.set_forkserver_preload(["tests.fault.killing", "compliance_rag.parse.parse", "lancedb", "pyarrow", "duckdb"])
# A home grows with each round and is verified after each kill: after this many kills the next one starts afresh.
KILLS_PER_HOME = 30
# A child that neither dies nor ends by then hangs, which is a failure of its own.
PATIENCE = 60.0
SEED = 20261130


@pytest.fixture(autouse=True)
def _quiet_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lance warns of forks; the server that forks has opened no table."""
    monkeypatch.setitem(os.environ, "PYTHONWARNINGS", "ignore")


def _kill_once(
    writer: Callable[..., None], arguments: tuple[Any, ...], phase: str, longest: float, dice: random.Random
) -> dict[int, str]:
    """One writer killed; the records it had acknowledged."""
    here, there = FORK.Pipe(duplex=False)
    child = FORK.Process(target=writer, args=(*arguments, phase, dice.randrange(3), there))
    child.start()
    there.close()
    if phase == "any instant":
        time.sleep(dice.uniform(0.02, longest))
        child.kill()
    acknowledged: dict[int, str] = {}
    while True:
        try:
            index, leaf = here.recv()
        except EOFError:
            break
        acknowledged[index] = leaf
    child.join(PATIENCE)
    assert child.exitcode == -signal.SIGKILL, (phase, child.exitcode)
    return acknowledged


def _told(what: str, struck: Counter[str], records: int, begun: float) -> None:
    print(
        f"{what}: {struck.total()} SIGKILL over {len(struck)} phases, seed {SEED}: {records} records acknowledged, "
        f"0 lost, 0 half-published, 0 repairs, {time.monotonic() - begun:.0f} s"
    )


@pytest.mark.parametrize("kills", [2 * len(APPEND_PHASES), pytest.param(1_500, marks=pytest.mark.slow)])
def test_killed_appends_lose_nothing(tmp_path: Path, kills: int) -> None:
    """After every kill of an appending process the ledger opens, verifies, takes another record and holds all acknowledged."""
    dice, struck, begun, records = random.Random(SEED), Counter[str](), time.monotonic(), 0
    acknowledged: dict[int, str] = {}
    root = tmp_path / "at" / "home"
    for kill in range(kills):
        if kill % KILLS_PER_HOME == 0:
            shutil.rmtree(root.parent, ignore_errors=True)
            root.parent.mkdir()
            fresh_home(root)
            acknowledged = {}
        phase = APPEND_PHASES[kill % len(APPEND_PHASES)]
        fresh = _kill_once(append_until_killed, (str(root),), phase, 0.25, dice)
        acknowledged |= fresh
        records += len(fresh)
        struck[phase] += 1
        ledger = ledger_of(root)
        report = verify_home(root)
        assert report["valid"], (SEED, kill, phase, report["first_bad"])
        lost = [index for index, leaf in acknowledged.items() if ledger.receipt(index).leaf_hash != leaf]
        assert not lost, (SEED, kill, phase, lost)
    _told("append", struck, records, begun)
    assert set(struck) == set(APPEND_PHASES)


@pytest.mark.parametrize("kills", [len(PUBLISH_PHASES), pytest.param(500, marks=pytest.mark.slow)])
def test_killed_publications_lose_nothing(tmp_path: Path, kills: int) -> None:
    """Stub embedder, real stores: after every kill the home opens without repair, verifies, holds every acknowledged record and
    every version whole."""
    dice, struck, begun, records = random.Random(SEED), Counter[str](), time.monotonic(), 0
    handle: HomeHandle | None = None
    acknowledged: dict[int, str] = {}
    for kill in range(kills):
        if handle is None or kill % KILLS_PER_HOME == 0:
            shutil.rmtree(tmp_path / "at", ignore_errors=True)
            (tmp_path / "at").mkdir()
            handle, acknowledged = fresh_home(tmp_path / "at" / "home"), {}
        phase = PUBLISH_PHASES[kill % len(PUBLISH_PHASES)]
        start = 1 + len(handle.corpus().versions)
        fresh = _kill_once(publish_until_killed, (str(handle.home.root), start), phase, 1.2, dice)
        acknowledged |= fresh
        records += len(fresh)
        struck[phase] += 1
        try:
            handle = check_home(handle, acknowledged)
        except AssertionError:
            print(f"seed {SEED}, kill {kill}, phase {phase}")
            raise
    _told("publish", struck, records, begun)
    assert set(struck) == set(PUBLISH_PHASES)
