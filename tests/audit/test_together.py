"""Many threads on one ledger: appends share a commit, readers are not in their way, and a failure is told to each."""

from __future__ import annotations

import errno
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import audit.ledger as ledger_module
from audit.ledger import Committed, Ledger, PartDraft, RecordDraft
from audit.together import Together
from audit.tree import verify_inclusion
from audit.verifier import verify_home
from schemas.errors import IntegrityError
from tests.audit.sample_home import ORIGIN, WHO

WRITERS, READERS, TURNS = 6, 3, 25
# A thread that fails leaves the others waiting.
WAIT_SECONDS = 30


def _note(text: str) -> RecordDraft:
    return RecordDraft("x-note", {"text": text, **WHO}, [PartDraft("body", text[:2].encode()), PartDraft("own", text.encode())])


def _ledger(root: Path) -> Ledger:
    return Ledger.open(root / "ledger", origin=ORIGIN, create=True)


def test_writers_and_readers_of_one_ledger(tmp_path: Path) -> None:
    """Each of many appends at once gets its own records next to each other with their receipts, while readers see every known
    record; another process proves the whole."""
    ledger, ended = _ledger(tmp_path), threading.Event()

    def write(number: int) -> list[list[Committed]]:
        return [ledger.append([_note(f"{number}.{turn} first"), _note(f"{number}.{turn} second")]) for turn in range(TURNS)]

    def read(_: int) -> int:
        seen = 0
        while not ended.is_set():
            ledger.refresh()
            for index in reversed(range(ledger.size)):
                assert ledger.header(index)["index"] == index
                seen += 1
                break
        return seen

    with ThreadPoolExecutor(WRITERS + READERS) as pool:
        readers = [pool.submit(read, number) for number in range(READERS)]
        done = list(pool.map(write, range(WRITERS)))
        ended.set()
        assert all(reader.result(WAIT_SECONDS) for reader in readers)
    for number, committed in enumerate(done):
        for turn, (first, second) in enumerate(committed):
            assert (first.header["text"], second.header["text"]) == (f"{number}.{turn} first", f"{number}.{turn} second")
            assert second.index == first.index + 1
            for one in (first, second):
                proof = [bytes.fromhex(step) for step in one.receipt.proof]
                leaf, root = bytes.fromhex(one.receipt.leaf_hash), bytes.fromhex(one.receipt.root)
                assert verify_inclusion(one.index, one.receipt.size, leaf, proof, root)
    assert Ledger.open(tmp_path / "ledger", origin=ORIGIN).size == 2 * WRITERS * TURNS
    assert verify_home(tmp_path)["valid"]


def test_what_waits_shares_a_commit() -> None:
    """Whatever is brought while a commit runs is committed in one go by the next; each gets what is its own."""
    begun, go_on = threading.Event(), threading.Event()
    runs: list[list[int]] = []

    def commit(work: list[int]) -> list[int]:
        runs.append(work)
        begun.set()
        assert go_on.wait(WAIT_SECONDS)
        return [10 * one for one in work]

    together: Together[int, int] = Together(commit)
    with ThreadPoolExecutor(5) as pool:
        first = pool.submit(together.run, 0)
        assert begun.wait(WAIT_SECONDS)
        others = [pool.submit(together.run, number) for number in (1, 2, 3, 4)]
        while len(together._waiting) < 4:
            os.sched_yield()
        go_on.set()
        assert [one.result(WAIT_SECONDS) for one in (first, *others)] == [0, 10, 20, 30, 40]
    assert [sorted(run) for run in runs] == [[0], [1, 2, 3, 4]]


@pytest.mark.parametrize("fault", [OSError(errno.ENOSPC, "full"), IntegrityError("x", "damaged"), KeyboardInterrupt()])
def test_a_failed_commit_fails_for_all_it_held(fault: BaseException) -> None:
    """Each whose work was in a commit that failed is told, once, and nothing is tried again; the next commit goes on."""
    held, go_on = threading.Event(), threading.Event()
    runs: list[list[int]] = []

    def commit(work: list[int]) -> list[int]:
        runs.append(work)
        if work == [0]:
            held.set()
            assert go_on.wait(WAIT_SECONDS)
        if len(work) > 1:
            raise fault
        return work

    together: Together[int, int] = Together(commit)
    with ThreadPoolExecutor(3) as pool:
        first = pool.submit(together.run, 0)
        assert held.wait(WAIT_SECONDS)
        others = [pool.submit(together.run, number) for number in (1, 2)]
        while len(together._waiting) < 2:
            os.sched_yield()
        go_on.set()
        assert first.result(WAIT_SECONDS) == 0
        told = [one.exception(WAIT_SECONDS) for one in others]
    assert all(isinstance(error, (type(fault), IntegrityError)) for error in told)
    assert len(runs) == 2
    assert together.run(7) == 7


def test_a_full_disk_is_told_to_every_writer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When the head can't be written, no writer of the commit is acknowledged and the ledger stays as it was."""
    ledger = _ledger(tmp_path)
    ledger.append([_note("00 before")])
    gate = threading.Barrier(4)

    def full(path: Path, data: bytes) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def write(number: int) -> str:
        gate.wait(WAIT_SECONDS)
        with pytest.raises(IntegrityError) as caught:
            ledger.append([_note(f"0{number} after")])
        return caught.value.code

    with monkeypatch.context() as patched, ThreadPoolExecutor(4) as pool:
        patched.setattr(ledger_module, "replace", full)
        assert set(pool.map(write, range(4))) == {"ledger_write_failed"}
    assert ledger.size == 1
    assert ledger.append([_note("00 again")])[0].index == 1
    assert verify_home(tmp_path)["valid"]
