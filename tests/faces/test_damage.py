"""CASE 25 through the command line: a store that lost what it acknowledged is refused with exit 4 and a name."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from compliance_rag.faces.cli import run
from tests.faces.conftest import POLICY_1, Command

ANSWERS = 5


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one version and a few answers."""
    folder = tmp_path_factory.mktemp("damage")
    path = folder / "policy.md"
    path.write_text(POLICY_1, encoding="utf-8")
    home = folder / "home"
    options = ["--doc-id", "key-policy", "--version", "1", "--effective-from", "2024-01-01"]
    assert run(["--home", str(home), "--json", "add", str(path), *options]) == 0
    for _ in range(ANSWERS):
        assert run(["--home", str(home), "--json", "ask", "When is a lost key reported?"]) == 0
    return home


@pytest.fixture
def home(filled: Path, tmp_path: Path) -> Path:
    """A copy to damage."""
    return Path(shutil.copytree(filled, tmp_path / "home"))


def _cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


@pytest.mark.parametrize("how", ["cut", "deleted"])
def test_a_ledger_behind_its_head_is_refused(home: Path, command: Command, how: str) -> None:
    """One byte off the log's tail, or the log gone: every verb but verify refuses with exit 4; verify names the record."""
    (log,) = (home / "ledger" / "log").iterdir()
    if how == "cut":
        _cut(log)
    else:
        log.unlink()
    for verb in (["docs"], ["ask", "When is a lost key reported?"], ["rebuild"]):
        code, shown = command(home, *verb)
        assert code == 4
        assert shown["error"]["code"].startswith("ledger_")
    code, report = command(home, "audit", "verify")
    assert (code, report["valid"]) == (4, False)
    assert report["first_bad"]["reason"]


@pytest.mark.parametrize("how", ["cut", "deleted"])
def test_clause_tables_are_rebuilt(home: Path, command: Command, how: str) -> None:
    """The published clause tables cut or gone: refused with exit 4, and `rebuild` restores the same root and answers."""
    _, before = command(home, "search", "lost key")
    for path in sorted((home / "clauses").glob("*.duckdb")):
        if how == "cut":
            _cut(path)
        else:
            path.unlink()
    code, shown = command(home, "ask", "When is a lost key reported?")
    assert code == 4
    assert shown["error"]["code"].startswith("clauses_")
    assert "rebuild" in shown["error"]["message"]
    code, report = command(home, "rebuild")
    assert (code, report["corpus_root"]) == (0, before["corpus_root"])
    code, after = command(home, "search", "lost key", "--known-at", before["known_at"])
    assert (code, after["hits"]) == (0, before["hits"])


def test_a_missing_ledger_is_never_made_anew(home: Path, command: Command, tmp_path: Path) -> None:
    """The ledger gone beside published texts: every verb exits 4, add included, and the clause tables stay as they are."""
    shutil.rmtree(home / "ledger")
    tables = {path.name: path.read_bytes() for path in (home / "clauses").iterdir()}
    path = tmp_path / "more.md"
    path.write_text(POLICY_1, encoding="utf-8")
    add = ["add", str(path), "--doc-id", "more", "--version", "1", "--effective-from", "2024-01-01"]
    for verb in (["docs"], ["rebuild"], add, ["ask", "When is a lost key reported?"]):
        code, shown = command(home, *verb)
        assert (code, shown["error"]["code"]) == (4, "ledger_missing")
    assert {path.name: path.read_bytes() for path in (home / "clauses").iterdir()} == tables
    assert not (home / "ledger").exists()
