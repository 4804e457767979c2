"""EIO, ENOSPC and SIGKILL at every writing system call of one publication and one answer: whole or absent, never in between."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from audit.verifier import verify_home
from tests.fault.killing import check_home, fresh_home
from tests.service.building import make_home, policy, publish, reopen, staged

CALLS = "pwrite64,write,fsync,fdatasync,ftruncate,/^rename,/^link,/^unlink"
FAULTS = ("error=EIO", "error=ENOSPC", "signal=KILL")
# A child takes two seconds on an idle machine; one that takes this long hangs.
PATIENCE = 60.0
CHILD = """
import os, sys
from pathlib import Path
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
import lancedb, pyarrow, duckdb, cryptography.hazmat.primitives.ciphers
import compliance_rag.parse.parse, compliance_rag.structure.analyse
from tests.service.building import make_home, policy, publish, staged
handle = make_home(Path(sys.argv[1]))
item = staged(handle, policy(14), "2", "2025-01-01")
Path(sys.argv[2] + ".begin").touch()
# A reader struck down is a rejected file: the batch ends well and has published nothing, so nothing is acknowledged.
if publish(handle, item).published:
    os.mkdir(sys.argv[2])
"""


def _traced(case: Path, script: Path, options: list[str]) -> int | None:
    """Run the child under strace; its exit code, None when it hung and was killed."""
    command = ["strace", "-f", "-y", "--seccomp-bpf", "-o", str(case / "strace.log"), *options, sys.executable, str(script)]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.getcwd()}
    arguments = [str(case / "home"), str(case / "acknowledged")]
    output = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    child = subprocess.Popen([*command, *arguments], env=environment, start_new_session=True, **output)
    try:
        return child.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return None


def _strike(case: Path, script: Path, call: str, fault: str, turn: int) -> bool:
    """Run the child with one fault; whether it struck. Another thread may be struck at the same turn outside the home: a
    runtime that can't wake its workers may hang, and is killed."""
    code = _traced(case, script, ["-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={turn}"])
    text = (case / "strace.log").read_text("utf-8", "replace")
    return "INJECTED" in text or "killed by SIGKILL" in text or code is None or code < 0


def _one(original: Path, folder: Path, script: Path, call: str, fault: str, turn: int) -> bool:
    """One strike on a fresh copy, and what must hold afterwards."""
    case = folder / f"{call}-{fault}-{turn}"
    shutil.copytree(original, case)
    where = (call, fault, turn)
    try:
        struck = _strike(case, script, call, fault, turn)
        handle = reopen_or_fail(case / "home", where)
        labels = [row.version for row in handle.corpus().versions]
        assert labels in (["0"], ["0", "2"]), (where, labels)
        if (case / "acknowledged").exists():
            assert labels == ["0", "2"], (where, "acknowledged and not there")
        check_home(handle, {})
        publish(handle, staged(handle, policy(14), "2", "2025-01-01"))
        assert [row.version for row in reopen(handle).corpus().versions] == ["0", "2"], where
        assert verify_home(case / "home")["valid"], where
    except AssertionError:
        print("failed at", where)
        raise
    shutil.rmtree(case)
    return struck


def reopen_or_fail(root: Path, where: tuple[str, str, int]):  # type: ignore[no-untyped-def]
    """The home opened with nothing repaired by hand."""
    report = verify_home(root)
    assert report["valid"], (where, report["first_bad"])
    return make_home(root)


def _turns(original: Path, folder: Path, script: Path) -> dict[str, list[int]]:
    """By system call, the turns at which some thread of the undisturbed child makes it under the home: strace counts
    each thread's calls of each name by themselves, and strikes each thread at its own turn."""
    case = folder / "count"
    shutil.copytree(original, case)
    _traced(case, script, ["-e", f"trace={CALLS}"])
    seen: Counter[tuple[str, str]] = Counter()
    turns: dict[str, set[int]] = {}
    for line in (case / "strace.log").read_text("utf-8", "replace").splitlines():
        found = re.match(r"(\d+) +(\w+)\(", line)
        if found is None:
            continue
        seen[found[1], found[2]] += 1
        if str(case / "home") in line:
            turns.setdefault(found[2], set()).add(seen[found[1], found[2]])
    shutil.rmtree(case)
    return {call: sorted(found) for call, found in sorted(turns.items())}


@pytest.fixture
def original(tmp_path: Path) -> Path:
    """A folder holding a home with one version."""
    (tmp_path / "original").mkdir()
    handle = fresh_home(tmp_path / "original" / "home")
    handle.forget()
    return tmp_path / "original"


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("short", [pytest.param(True, id="short"), pytest.param(False, id="all", marks=pytest.mark.slow)])
def test_a_publication_survives_every_fault(original: Path, tmp_path: Path, short: bool) -> None:
    """After each fault the home opens, verifies, shows version 2 whole or not at all, and publishing again completes it."""
    script, begun = tmp_path / "child.py", time.monotonic()
    script.write_text(CHILD)
    struck: Counter[str] = Counter()
    counts = _turns(original, tmp_path, script)
    jobs: list[tuple[str, str, int]] = []
    for call, found in counts.items():
        turns = found if not short else found[len(found) // 2 :][:1]
        jobs += [(call, fault, turn) for turn in turns for fault in (FAULTS if not short else FAULTS[len(jobs) % 3 :][:1])]
    with ThreadPoolExecutor(2) as pool:
        hits = pool.map(lambda job: _one(original, tmp_path, script, *job), jobs)
        for (call, _, _), hit in zip(jobs, hits, strict=True):
            struck[call] += hit
    turns_found = {call: len(found) for call, found in counts.items()}
    took = time.monotonic() - begun
    print(f"publish: turns {turns_found}; faults struck {dict(struck)}, {took:.0f} s; whole or absent after each")
    assert struck.total() >= len(jobs) // 2
