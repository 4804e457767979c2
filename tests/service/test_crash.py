"""A writer killed anywhere leaves a home that works and resumes; two writers leave one set of rows (laws 2 and 8, CASE 23)."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.service.homes import HomeHandle
from compliance_rag.store.lock import writer_lock
from schemas.ids import version_ref
from tests.service.building import digest, make_home, policy, publish, reopen, staged

SPAWN = multiprocessing.get_context("spawn")
STEPS = ("indexed", "intent", "ledger", "tables", "published")


def items(handle: HomeHandle) -> list[Any]:
    """The batch that is interrupted."""
    return [staged(handle, policy(14), "2", "2025-01-01"), staged(handle, policy(3, "Twice."), "3", "2026-01-01")]


def publish_and_die(root: str, batch: list[Any], step: str) -> None:
    """In a child: publish, and die at ``step`` as by kill -9."""

    def die(reached: str) -> None:
        if reached == step:
            os.kill(os.getpid(), signal.SIGKILL)

    publish(make_home(Path(root)), *batch, checkpoint=die)


def publish_and_tell(root: str, batch: list[Any], gate: Any, answers: Any) -> None:
    """In a child: wait for the other, publish, tell what happened."""
    handle = make_home(Path(root))
    gate.wait()
    result = publish(handle, *batch)
    answers.put((len(result.published), len(result.unchanged), len(result.rejected)))


@pytest.fixture
def home(tmp_path: Path) -> HomeHandle:
    """A home with one version."""
    handle = make_home(tmp_path / "home")
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    return handle


def whole(tmp_path: Path) -> list[tuple[str, str, str, str]]:
    """What an uninterrupted home holds."""
    (tmp_path / "control").mkdir()
    handle = make_home(tmp_path / "control" / "home")
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    publish(handle, *items(handle))
    return digest(handle)


@pytest.mark.parametrize("step", STEPS)
def test_killed_at_each_step_the_home_works_and_resumes(home: HomeHandle, tmp_path: Path, step: str) -> None:
    """Killed at any step: the next open serves all of the batch or none, and the same batch again completes it."""
    batch, before = items(home), digest(home)
    child = SPAWN.Process(target=publish_and_die, args=(str(home.home.root), batch, step))
    child.start()
    child.join(120)
    assert child.exitcode == -signal.SIGKILL
    expected = whole(tmp_path)
    opened = reopen(home)
    assert digest(opened) == (before if step in ("indexed", "intent") else expected)
    assert not home.home.pending.exists()
    again = publish(opened, *batch)
    assert not again.rejected
    assert digest(reopen(home)) == expected
    assert opened.ledger.size == 3, "no record twice"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [20261129])
def test_killed_at_random_times(home: HomeHandle, tmp_path: Path, seed: int) -> None:
    """Killed at random instants, seeded: never a partial batch, and always complete in the end."""
    dice = random.Random(seed)
    batch, before, expected = items(home), digest(home), whole(tmp_path)
    for _ in range(12):
        child = SPAWN.Process(target=publish_and_die, args=(str(home.home.root), batch, "never"))
        child.start()
        time.sleep(dice.uniform(1.0, 6.0))
        if child.is_alive() and child.pid is not None:
            os.kill(child.pid, signal.SIGKILL)
        child.join(60)
        assert digest(reopen(home)) in (before, expected)
    publish(reopen(home), *batch)
    assert digest(reopen(home)) == expected


def test_two_writers_of_one_version_leave_one_set_of_rows(tmp_path: Path) -> None:
    """CASE 23: two processes publish the same version at once; one publishes, the other finds it unchanged."""
    handle = make_home(tmp_path / "home")
    batch = [staged(handle, policy(10), "1", "2024-01-01")]
    gate, answers = SPAWN.Barrier(2), SPAWN.Queue()
    arguments = (str(handle.home.root), batch, gate, answers)
    children = [SPAWN.Process(target=publish_and_tell, args=arguments) for _ in range(2)]
    for child in children:
        child.start()
    told = sorted(answers.get(timeout=120) for _ in children)
    for child in children:
        child.join(60)
    assert told == [(0, 1, 0), (1, 0, 0)]
    opened = reopen(handle)
    assert opened.ledger.size == 1
    assert [row.ref for row in opened.corpus().versions] == [version_ref("policy", "1")]
    ids = [clause_id for clause_id, *_ in digest(opened)]
    assert len(ids) == len(set(ids)) > 0


def test_readers_go_on_while_a_writer_works(home: HomeHandle) -> None:
    """Between a living writer's ledger append and its tables, opening neither waits nor refuses; it serves the last copy."""
    before = digest(home)
    seen: list[object] = []

    def look(step: str) -> None:
        seen.append((step, digest(reopen(home)) == before))

    publish(home, *items(home), checkpoint=look)
    assert seen == [("indexed", True), ("intent", True), ("ledger", True), ("tables", True), ("published", False)]


def test_writer_lock_is_let_go_after_an_error(home: HomeHandle) -> None:
    """An error inside the lock frees it."""
    with pytest.raises(ZeroDivisionError), writer_lock(home.home):
        raise ZeroDivisionError
    with writer_lock(home.home):
        pass
