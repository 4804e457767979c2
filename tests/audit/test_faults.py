"""A fault injected at every system call that writes: the home verifies afterwards (a half-done erasure once it was opened) and
nothing acknowledged is missing."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_checkpoint import _pem

from audit.ledger import Ledger, RecordDraft
from audit.verifier import verify_home
from tests.audit.sample_home import ORIGIN, filled

CALLS = ("write", "pwrite64", "fsync", "fdatasync", "ftruncate", "truncate", "/^rename", "/^link", "/^unlink")
FAULTS = ("error=EIO", "error=ENOSPC", "signal=KILL")

ACTS = {
    "append": """
parts = [PartDraft("body", b"b"), PartDraft("secret", b"s", personal=True)]
ledger.append([RecordDraft("x-n", {"n": 1}, parts), RecordDraft("x-n", {"n": 2})])
""",
    "checkpoint": """
from audit.checkpoint import write_checkpoint
witness = Path(sys.argv[1]).parent / "witness"
write_checkpoint(ledger, Path(sys.argv[2]).read_bytes(), actor="a", actor_auth="os", witness=witness)
""",
    "erase": """
from audit.erasure import erase
erase(ledger, 2, reason="r", actor="a", actor_auth="os")
""",
}
CHILD = """
import os, sys
from pathlib import Path
from audit.ledger import Ledger, PartDraft, RecordDraft
import cryptography.hazmat.primitives.ciphers
ledger = Ledger.open(Path(sys.argv[1]) / "ledger", origin="{origin}")
{act}
os.mkdir(sys.argv[1] + ".acknowledged-" + str(ledger.size) + "-" + ledger.root)
"""


def _calls() -> Iterator[tuple[str, str]]:
    for call in CALLS:
        for fault in FAULTS:
            yield call, fault


def _acknowledged(root: Path) -> list[tuple[int, str]]:
    found = re.compile(re.escape(root.name) + r"\.acknowledged-(\d+)-([0-9a-f]{64})\Z")
    matches = (found.match(path.name) for path in root.parent.iterdir())
    return [(int(match[1]), match[2]) for match in matches if match]


def _run(root: Path, script: Path, pem: Path, call: str, fault: str, turn: int) -> bool:
    """Whether the fault struck: strace's log says INJECTED, or the process was killed."""
    log = root.parent / "strace.log"
    environment = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}
    command = ["strace", "-f", "-o", str(log), "-e", f"trace={call}", "-e", f"inject={call}:{fault}:when={turn}"]
    done = subprocess.run(
        [*command, sys.executable, str(script), str(root), str(pem)], env=environment, capture_output=True, check=False
    )
    text = log.read_text("utf-8", "replace")
    return "INJECTED" in text or "killed by SIGKILL" in text or done.returncode < 0


def _half_erased(act: str, bad: dict[str, Any]) -> bool:
    """A key gone before its erasure is on record is not valid until the next opening finishes it, and the reason says so."""
    return act == "erase" and bad["index"] == 2 and "any command on the home finishes it" in bad["reason"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
@pytest.mark.parametrize("act", ACTS)
def test_faults_at_every_call(tmp_path: Path, act: str) -> None:
    """EIO, ENOSPC and SIGKILL at every writing call of one append, one checkpoint, one erasure."""
    filled(tmp_path / "original", 6)
    script, pem = tmp_path / "child.py", tmp_path / "key.pem"
    script.write_text(CHILD.replace("{origin}", ORIGIN).replace("{act}", ACTS[act]))
    pem.write_bytes(_pem())
    struck = 0
    for call, fault in _calls():
        for turn in range(1, 60):
            case = tmp_path / f"{call.strip('/^')}-{fault}-{turn}"
            case.mkdir()
            root = case / "home"
            shutil.copytree(tmp_path / "original", root)
            hit = _run(root, script, pem, call, fault, turn)
            report = verify_home(root)
            assert report["valid"] or _half_erased(act, report["first_bad"]), (call, fault, turn, report["first_bad"])
            ledger = Ledger.open(root / "ledger", origin=ORIGIN)
            for size, digest in _acknowledged(root):
                assert ledger.tree.root(size).hex() == digest, (call, fault, turn)
            ledger.append([RecordDraft("x-n", {"n": 3})])
            assert verify_home(root)["valid"], (call, fault, turn)
            shutil.rmtree(case)
            struck += hit
            if not hit:
                break
    print(act, "faults struck:", struck)
    assert struck > 20
