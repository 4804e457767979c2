"""The README's examples of the service, the queue and the Python API run as printed."""

from __future__ import annotations

import contextlib
import io
import shlex
from pathlib import Path

import pytest

from compliance_rag.faces.cli import run
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text(encoding="utf-8")
HOME = "/tmp/rules"


def block(name: str, language: str = "") -> str:
    """The block after its mark."""
    return README.split(f"<!-- run: {name} -->\n```{language}\n", 1)[1].split("```", 1)[0]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample corpus."""
    path = tmp_path_factory.mktemp("readme") / "home"
    with contextlib.redirect_stdout(io.StringIO()):
        assert run(["--home", str(path), "--quiet", "add", "--manifest", str(ROOT / "eval/corpus/manifest.json")]) == 0
    return path


def test_python_as_printed(home: Path) -> None:
    """The Python example prints the clause in force then, its words, its history and a verdict."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(block("python", "python").replace(HOME, str(home)), "README", "exec"), {})
    lines = printed.getvalue().splitlines()
    assert lines[0].startswith("1 halvorsen-retention@v1.0#6/1 2022-01-01 The Bank shall notify")
    assert "seventy-two (72) hours" in printed.getvalue()
    assert lines[-1] == "True"


def test_desk_as_printed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Keys are made and listed, the queue is shown; the key itself is printed once and kept nowhere."""
    for line in block("desk").splitlines():
        assert run(shlex.split(line.replace(HOME, str(home)))[1:]) == 0, line
    shown = capsys.readouterr().out
    key = next(word for word in shown.split() if word.startswith("crk_"))
    assert shown.count(key) == 1
    kept = [path for path in home.rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
    assert kept == []
