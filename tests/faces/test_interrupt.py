"""Ctrl-C and kill -9 during ingest leave a home that works, and the same command again finishes."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from compliance_rag.faces.cli import run
from tests.conftest import ROOT

DOCUMENTS = 12
# Longer than any step here takes on a busy machine: past it the test says so instead of hanging.
PATIENCE = 240.0


def _manifest(folder: Path) -> Path:
    entries = []
    for number in range(DOCUMENTS):
        clauses = "\n\n".join(f"{place}. Officer {place} of branch {number} keeps key {place * 7}." for place in range(1, 40))
        (folder / f"{number}.md").write_text(f"# Branch {number}\n\n{clauses}\n", encoding="utf-8")
        entries.append({"file": f"{number}.md", "doc_id": f"branch-{number}", "version": "1", "effective_from": "2024-01-01"})
    path = folder / "manifest.json"
    path.write_text(json.dumps(entries), encoding="utf-8")
    return path


@pytest.mark.parametrize(("number", "seed"), [(signal.SIGINT, 1), (signal.SIGKILL, 2)])
def test_an_interrupted_ingest_resumes(tmp_path: Path, number: int, seed: int) -> None:
    """Interrupted while embedding or publishing, the home opens, and add again publishes every version once."""
    manifest, home = _manifest(tmp_path), tmp_path / "home"
    command = [sys.executable, "-m", "compliance_rag", "--home", str(home), "--json", "add", "--manifest", str(manifest)]
    child = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    assert child.stderr is not None
    for line in child.stderr:
        if line.startswith("embedding"):
            break
    delay = random.Random(seed).random() * 3
    print(f"seed {seed}: signal {number} {delay:.2f} s into embedding")
    time.sleep(delay)
    child.send_signal(number)
    child.stderr.read()
    child.wait(timeout=PATIENCE)
    assert child.returncode == (130 if number == signal.SIGINT else -number)
    assert run(["--home", str(home), "--json", "docs"]) == 0
    assert run(["--home", str(home), "--json", "add", "--manifest", str(manifest)]) == 0
    from compliance_rag.service.homes import open_home

    versions = open_home(home).corpus().versions
    assert sorted(row.doc_id for row in versions) == sorted(f"branch-{place}" for place in range(DOCUMENTS))
    assert run(["--home", str(home), "--json", "audit", "verify"]) == 0
