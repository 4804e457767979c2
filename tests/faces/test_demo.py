"""The README's first command: the main job on the sample corpus, as `make demo` runs it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT


def test_the_demo_goes_through_the_main_job(tmp_path: Path) -> None:
    """Every step of the demo ends well, from ingest to the offline verifier, in a folder that holds nothing."""
    command = [sys.executable, "-m", "compliance_rag.faces.demo"]
    done = subprocess.run(
        command, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
    assert "derived again from what was known then: equal" in done.stdout
    assert '"first_bad": null' in done.stdout
    assert "--home .compliance-rag-demo serve " in done.stdout.split("Next, try", 1)[1]
