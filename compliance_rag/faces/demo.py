"""The main job, start to end, on the sample corpus: what `make demo` runs."""

from __future__ import annotations

import contextlib
import importlib.resources
import io
import json
import shlex
import shutil
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

from compliance_rag.faces.cli import run
from schemas.errors import EXIT_DONE

DEMO_HOME = ".compliance-rag-demo"
POLICY = "halvorsen-retention"
NOTIFY = "Within what time must the supervisor hear from us about a material incident?"
ENCRYPTED = "Customer data was stolen, but it was encrypted and the thief has no key. Do the customers have to be told?"
ASSESSMENT = "Which institutions must hand in a yearly concentration assessment, and which are spared?"
FINE = "What fine does the bank pay if it is late in telling the supervisor about an incident?"
DISCLOSED = "How soon must customers be told that their records were disclosed without authority?"


class DemoFailed(SystemExit):
    """A step did not end as it must; the demo stops there."""


def _title(text: str) -> None:
    print(f"\n━━━ {text} ━━━", flush=True)


def _step(*arguments: str) -> None:
    print(f"$ compliance-rag {shlex.join(arguments)}\n", flush=True)
    code = run(["--home", DEMO_HOME, *arguments])
    if code != EXIT_DONE:
        raise DemoFailed(code)


def _quietly(*arguments: str) -> Any:
    """A command's JSON, without printing it."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        code = run(["--home", DEMO_HOME, "--json", "--quiet", *arguments])
    if code != EXIT_DONE:
        raise DemoFailed(f"{shlex.join(arguments)}: {out.getvalue()}")
    return json.loads(out.getvalue())


def main() -> None:
    """Run every step; exit 0 when all ended as they must."""
    corpus = Path(str(importlib.resources.files("eval"))) / "corpus"
    shutil.rmtree(DEMO_HOME, ignore_errors=True)
    today = date.today()
    two_years_ago = date(today.year - 2, today.month, min(today.day, 28))

    _title("1. Ingest the sample corpus: 14 versions of 9 documents, by Dagster assets")
    _step("add", "--manifest", str(corpus / "manifest.json"))
    _step("docs")

    _title("2. The same question, as of today and as of two years earlier")
    _step("ask", NOTIFY, "--doc", POLICY)
    _step("ask", NOTIFY, "--doc", POLICY, "--as-of", two_years_ago.isoformat())

    _title("3. The exception and the defined term stand in other clauses")
    _step("ask", ENCRYPTED, "--doc", POLICY)
    _step("ask", ASSESSMENT, "--doc", "model-outsourcing")

    _title("4. What the documents do not say is refused, with what was searched")
    _step("ask", FINE, "--doc", POLICY)

    _title("5. What changed between two versions")
    _step("changes", POLICY, "--from", "v1.0", "--to", "v2.0")

    _title("6. An answer given before a correction, and after it")
    _step("ask", DISCLOSED, "--doc", POLICY, "--request-id", "demo-before-correction")
    earlier = _quietly("ask", DISCLOSED, "--doc", POLICY, "--request-id", "demo-before-correction")
    _step("add", "--manifest", str(corpus / "manifest-correction.json"))
    _step("ask", DISCLOSED, "--doc", POLICY)
    print("The earlier answer, word for word as it was shown, and derived again from what was known then:")
    _step("audit", "reconstruct", earlier["answer_id"])

    _title("7. The ledger, checked by one file that trusts nothing of ours")
    verifier = Path(str(importlib.resources.files("audit"))) / "verifier.py"
    print(f"$ python audit/verifier.py {DEMO_HOME}\n", flush=True)
    code = subprocess.run([sys.executable, str(verifier), DEMO_HOME], check=False).returncode
    if code != EXIT_DONE:
        raise DemoFailed(code)

    _title("Next, try")
    print(f"  .venv/bin/compliance-rag --home {DEMO_HOME} serve        the page: open the address it prints")
    example = f"{POLICY}@v1.0#6/1"
    print(f"  .venv/bin/compliance-rag --home {DEMO_HOME} clause {example} --history")
    print(f"  .venv/bin/compliance-rag --home {DEMO_HOME} ask '泄露保密信息要付多少违约金？' --language zh")
    print(f"  .venv/bin/compliance-rag --home {DEMO_HOME} audit list")


if __name__ == "__main__":
    main()
