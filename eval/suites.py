"""The suites by name, and which of them a data folder feeds."""

from __future__ import annotations

import importlib.resources
import tempfile
from pathlib import Path
from typing import Any

from eval.answers import gold_suite, run_facts
from eval.development import development_suite
from eval.homes import Progress, no_progress
from eval.past import past_suite
from schemas.errors import InputRejected, UsageError

SUITES = ("gold", "facts", "past", "structure", "time", "dev", "retrieval", "baselines", "positions", "silence", "injection")


def own_corpus() -> Path:
    """The folder of the sample corpus."""
    return Path(str(importlib.resources.files("eval"))) / "corpus"


def run_suites(suite: str | None, data: Path | None, progress: Progress = no_progress) -> dict[str, Any]:
    """Run one suite, or all that ``data`` (default: the sample corpus) feeds. Raises UsageError ``unknown_suite``."""
    if suite is not None and suite not in SUITES:
        raise UsageError("unknown_suite", f"There is no suite {suite!r}; there are {', '.join(SUITES)}.", suite)
    folder = data or own_corpus()
    if not folder.is_dir():
        raise InputRejected("missing_file", f"There is no data folder {str(folder)!r}.", str(folder))
    report: dict[str, Any] = {}
    for name in SUITES if suite is None else (suite,):
        if suite is None and not _feeds(name, folder):
            continue
        with tempfile.TemporaryDirectory(prefix="compliance-rag-eval-") as scratch:
            if name == "dev":
                report[name] = development_suite(Path(scratch), data, progress)
            else:
                report[name] = _run(name, Path(scratch) / "home", folder, progress)
    return report


def _feeds(suite: str, folder: Path) -> bool:
    if suite == "gold":
        return (folder / "gold.jsonl").is_file()
    if suite == "facts":
        return (folder / "facts.json").is_file() or (folder / "questions.jsonl").is_file()
    # These are measured when asked for: each ingests the whole folder once more, and "dev" is what answers are tuned on.
    return suite not in ("past", "time", "dev", "retrieval", "baselines", "positions", "silence", "injection")


def _run(suite: str, scratch: Path, folder: Path, progress: Progress) -> dict[str, Any]:
    if suite == "gold":
        return gold_suite(scratch, folder, progress)
    if suite == "facts":
        return run_facts(scratch, folder, progress)
    if suite == "past":
        return past_suite(scratch, folder, progress)
    if suite == "time":
        from eval.time_suite import time_suite

        return time_suite(scratch, folder, progress)
    if suite == "positions":
        from eval.positions import positions

        return positions(folder, progress)
    if suite == "retrieval":
        from eval.retrieval_suite import retrieval_suite

        return retrieval_suite(scratch, folder, progress)
    if suite == "silence":
        from eval.silence_suite import silence_suite

        return silence_suite(scratch, folder, progress)
    if suite == "injection":
        from eval.injection.suite import injection_suite

        return injection_suite(scratch, progress)
    if suite == "baselines":
        from eval.baselines import baselines_suite

        return baselines_suite(scratch, folder, progress)
    from eval.structure import measure

    return measure(folder)
