"""The environment set up by make: no CUDA, the locked versions, models without a network."""

from __future__ import annotations

import importlib.metadata
import re

from tests.conftest import ROOT


def _installed() -> dict[str, str]:
    return {_plain(item.metadata["Name"]): item.version for item in importlib.metadata.distributions()}


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_no_cuda_package_is_installed() -> None:
    """No nvidia package came in with torch: the CPU build is what the lock means."""
    assert [name for name in _installed() if name.startswith(("nvidia-", "cuda-", "triton"))] == []


def test_the_lock_is_what_runs() -> None:
    """Every locked package is installed in the locked version."""
    installed = _installed()
    lines = (ROOT / "requirements.lock").read_text(encoding="utf-8").splitlines()
    locked = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    wrong = {name: version for name, version in locked.items() if installed.get(_plain(name)) != version}
    assert wrong == {}


def test_every_package_of_the_card_is_a_dependency() -> None:
    """The nine packages the owner asked for are declared."""
    declared = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for name in (
        "dagster", "duckdb", "pyarrow", "rank-bm25", "sentence-transformers", "lancedb", "instructor", "openai", "structlog",
    ):  # fmt: skip
        assert f'"{name}' in declared
