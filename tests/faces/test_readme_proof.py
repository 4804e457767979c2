"""The README's lines on proof and on the drill run as printed, with openssl."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from compliance_rag.faces.cli import run
from tests.conftest import ROOT
from tests.faces.conftest import POLICY_1

README = (ROOT / "README.md").read_text(encoding="utf-8")


def _run(name: str, folder: Path) -> str:
    """The block after ``<!-- run: NAME -->``, run by bash with its files under ``folder``."""
    block = README.split(f"<!-- run: {name} -->\n```\n", 1)[1].split("```", 1)[0]
    python = shlex.quote(sys.executable)
    lines = block.replace("/tmp/", f"{folder}/")
    lines = re.sub(r"(?<![\w/.])python3 ", lambda _: f"{python} ", lines)
    lines = lines.replace(".venv/bin/compliance-rag", f"{python} -m compliance_rag")
    done = subprocess.run(["bash", "-ec", lines], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")
def test_the_lines_on_proof_and_the_drill(tmp_path: Path) -> None:
    """Checkpoint, openssl's own verification, and export, wipe, restore with the same root before and after."""
    (tmp_path / "policy.md").write_text(POLICY_1, encoding="utf-8")
    add = ["add", str(tmp_path / "policy.md"), "--doc-id", "key-policy", "--version", "1", "--effective-from", "2024-01-01"]
    assert run(["--home", str(tmp_path / "rules"), "--json", *add]) == 0
    assert "Signature Verified Successfully" in _run("proof", tmp_path)
    roots = re.findall(r"root ([0-9a-f]{64})", re.sub(r"\s+", " ", _run("drill", tmp_path)))
    assert len(roots) >= 2
    assert roots[0] == roots[-1]
