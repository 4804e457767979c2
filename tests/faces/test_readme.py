"""The README's commands run as printed, and what it names exists."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

from compliance_rag.faces.options import build_parser
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
HOME = "/tmp/rules"


def _commands() -> list[str]:
    block = README.split("<!-- run: readme -->\n```\n", 1)[1].split("```", 1)[0]
    return [line for line in block.splitlines() if line.strip()]


def test_the_main_job_by_hand_runs_as_printed(tmp_path: Path) -> None:
    """Each command of the main job ends with exit code 0 and prints something, in the order printed."""
    for line in _commands():
        words = [word.replace(HOME, str(tmp_path / "home")) for word in shlex.split(line)]
        if words[0] == ".venv/bin/compliance-rag":
            words[:1] = [sys.executable, "-m", "compliance_rag"]
        elif words[0] == "python3":
            words[0] = sys.executable
        done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        assert done.stdout.strip(), line


def test_every_verb_named_exists() -> None:
    """Every `compliance-rag VERB` in the README is a verb of the command."""
    verbs = set(re.findall(r"compliance-rag (?:--home \S+ )?([a-z]+)", README))
    known = set(build_parser()._subparsers._group_actions[0].choices or ())  # type: ignore[union-attr]
    assert verbs <= known


def test_make_targets_named_exist() -> None:
    """Every `make TARGET` in the README is a target of the Makefile."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in set(re.findall(r"`make ([a-z-]+)", README)) | set(re.findall(r"^make ([a-z-]+)", README, re.MULTILINE)):
        assert re.search(rf"^{target}:", makefile, re.MULTILINE), target
