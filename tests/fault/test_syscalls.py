"""EIO, ENOSPC and SIGKILL at every writing system call of one publication and one answer: whole or absent, never in between."""

from __future__ import annotations

import os
import shutil
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

CALLS = ("pwrite64", "write", "fsync", "fdatasync", "ftruncate", "/^rename", "/^link", "/^unlink")
FAULTS = ("error=EIO", "error=ENOSPC", "signal=KILL")
# Every call of a publication, and room to see that none comes after.
TURNS = 400
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
publish(handle, item)
os.mkdir(sys.argv[2])
"""


def _strike(case: Path, script: Path, call: str, fault: str, turn: int) -> bool:
    """Run the child with one fault; whether it struck. Calls outside the home (a thread waking another) are struck too."""
    log = case / "strace.log"
    trace = ["-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={turn}"]
    command = ["strace", "-f", "--seccomp-bpf", "-o", str(log), *trace, sys.executable, str(script)]
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.getcwd()}
    arguments = [str(case / "home"), str(case / "acknowledged")]
    done = subprocess.run([*command, *arguments], env=environment, capture_output=True, text=True, check=False)
    text = log.read_text("utf-8", "replace")
    return "INJECTED" in text or "killed by SIGKILL" in text or done.returncode < 0


def _one(original: Path, folder: Path, script: Path, call: str, fault: str, turn: int) -> bool:
    """One strike on a fresh copy, and what must hold afterwards."""
    case = folder / f"{call.strip('/^')}-{fault}-{turn}"
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


def _turns(original: Path, folder: Path, script: Path, call: str) -> int:
    """How many calls of this kind the child's busiest thread makes, undisturbed: strace counts each thread's calls by itself,
    and strikes each thread at its own turn."""
    case = folder / "count"
    shutil.copytree(original, case)
    log = case / "strace.log"
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": os.getcwd()}
    command = ["strace", "-f", "--seccomp-bpf", "-o", str(log), "-e", f"trace={call}", sys.executable, str(script)]
    subprocess.run([*command, str(case / "home"), str(case / "acknowledged")], env=environment, capture_output=True, check=True)
    marks = ("+++", "---", "resumed")
    lines = [line for line in log.read_text("utf-8", "replace").splitlines() if not any(mark in line for mark in marks)]
    shutil.rmtree(case)
    return max(Counter(line.split()[0] for line in lines).values(), default=0)


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
    counts = {call: _turns(original, tmp_path, script, call) for call in CALLS}
    assert max(counts.values()) < TURNS, counts
    jobs = []
    for call, count in counts.items():
        turns = range(1, count + 1) if not short else [(count + 1) // 2] if count else []
        jobs += [(call, fault, turn) for turn in turns for fault in (FAULTS if not short else FAULTS[len(jobs) % 3 :][:1])]
    with ThreadPoolExecutor(2) as pool:
        hits = pool.map(lambda job: _one(original, tmp_path, script, *job), jobs)
        for (call, _, _), hit in zip(jobs, hits, strict=True):
            struck[call] += hit
    print(f"publish: calls {counts}; faults struck {dict(struck)}, {time.monotonic() - begun:.0f} s; all whole or absent")
    assert struck.total() >= len(jobs) // 2
