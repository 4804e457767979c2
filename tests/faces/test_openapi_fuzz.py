"""The service against generated calls made from its own OpenAPI document."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from compliance_rag.service.ask import ask
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.keys import ROLES, add_key
from tests.faces.serving import serving
from tests.service.building import make_home, policy, publish, staged

SCHEMATHESIS = Path(sys.executable).parent / "schemathesis"
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance"
EXAMPLES = "20"
SEED = "20261130"


@pytest.mark.slow
def test_generated_calls_find_no_fault_and_nothing_undocumented(tmp_path: Path) -> None:
    """Of every call the document allows, and many that it does not: no server error, no status, type or shape that the document
    does not name; the ledger verifies afterwards."""
    handle = make_home(tmp_path / "home")
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"), staged(handle, policy(14), "2", "2025-01-01"))
    ask(handle, AskRequest("Within how many days shall the employee notify the office?", actor="ada"))
    _, key = add_key(handle, "fuzz", ROLES, actor="root")
    with serving(handle) as address:
        command = [
            str(SCHEMATHESIS), "run", f"{address}/api/openapi.json", "-H", f"Authorization: Bearer {key}", "--seed", SEED,
            "--max-examples", EXAMPLES, "--phases", "examples,coverage,fuzzing", "--checks", CHECKS,
        ]  # fmt: skip
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"seed {SEED}\n{done.stdout[-6000:]}"
    from audit.verifier import verify_home

    assert verify_home(handle.home.root)["valid"] is True
