"""What a home lost, and how its commands say so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from compliance_rag.faces.cli import run
from tests.faces.conftest import POLICY_1, Command

QUESTION = "When is a lost key reported?"


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one version and an answer."""
    folder = tmp_path_factory.mktemp("losses")
    path = folder / "policy.md"
    path.write_text(POLICY_1, encoding="utf-8")
    home = folder / "home"
    options = ["--doc-id", "key-policy", "--version", "1", "--effective-from", "2024-01-01"]
    assert run(["--home", str(home), "--json", "add", str(path), *options]) == 0
    assert run(["--home", str(home), "--json", "ask", QUESTION]) == 0
    return home


@pytest.fixture
def home(filled: Path, tmp_path: Path) -> Path:
    """A copy to lose things from."""
    return Path(shutil.copytree(filled, tmp_path / "home"))


def test_rebuild_names_what_is_lost_and_exits_4(command: Command, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A source and an answer's part gone: rebuild makes the stores anew, names both, and exits 4."""
    assert command(home, "rebuild")[0] == 0
    records = command(home, "audit", "list")[1]
    source = next(header["source_sha256"] for header in records if header["type"] == "publication")
    part = next(header["parts"][0]["sha256"] for header in records if header["type"] == "answer")
    (home / "sources" / source).unlink()
    (home / "ledger/parts" / part).unlink()
    code, report = command(home, "rebuild")
    assert (code, report["lost"]) == (4, [f"sources/{source}", f"ledger/parts/{part}"])
    assert run(["--home", str(home), "rebuild", "--quiet"]) == 4
    assert f"lost, and nothing here gives it back: sources/{source}" in capsys.readouterr().out
    assert command(home, "docs")[0] == 0


def test_settings_lost_say_what_to_restore(command: Command, home: Path, tmp_path: Path) -> None:
    """Without settings.toml a home is not called foreign: the message says what the file must hold, and writing that helps."""
    origin = command(home, "audit", "list")[1][0]["origin"]
    (home / "settings.toml").unlink()
    path = tmp_path / "more.md"
    path.write_text(POLICY_1, encoding="utf-8")
    more = ["add", str(path), "--doc-id", "more", "--version", "1", "--effective-from", "2024-01-01"]
    for verb in (["docs"], ["ask", QUESTION], ["rebuild"], more):
        code, shown = command(home, *verb)
        assert (code, shown["error"]["code"]) == (4, "settings_missing")
        assert "[ledger]" in shown["error"]["message"]
    assert command(home, "audit", "verify")[0] == 0
    (home / "settings.toml").write_text(f'format = 1\n\n[ledger]\norigin = "{origin}"\n')
    assert command(home, "docs")[0] == 0


def test_a_bundle_in_a_homes_place_is_no_home(command: Command, home: Path, tmp_path: Path) -> None:
    """`audit verify` of a folder checks a home: a bundle laid in its place is not valid, though the file alone takes it."""
    name = next(header["answer_id"] for header in command(home, "audit", "list")[1] if header["type"] == "answer")
    assert command(home, "audit", "export", name, "--out", str(tmp_path / "x.zip"))[0] == 0
    shutil.unpack_archive(tmp_path / "x.zip", tmp_path / "away")
    code, report = command(tmp_path / "away", "audit", "verify")
    assert (code, report["valid"], report["first_bad"]["step"]) == (4, False, "1 head")


def test_a_hand_made_erasure_is_one_sentence(command: Command, home: Path) -> None:
    """Junk in ledger/erasing: exit 4 with a code for every verb, and `audit verify` still answers."""
    for junk in ("[]", "{}", "junk", '{"erases": 1, "key_id": "../../settings.toml", "reason": "x", "actor": "a"}'):
        (home / "ledger/erasing").write_text(junk)
        for verb in (["docs"], ["ask", QUESTION], ["audit", "list"]):
            code, shown = command(home, *verb)
            assert (code, shown["error"]["code"]) == (4, "bad_erasing")
        assert command(home, "audit", "verify")[0] == 0
    assert (home / "settings.toml").exists()


def test_the_verdict_is_a_sentence(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without --json: the sentences first, then the counts; no list and no record called None."""
    capsys.readouterr()
    assert run(["--home", str(home), "audit", "verify"]) == 0
    said = capsys.readouterr().out
    assert "NO CHECKPOINT" in said
    (home / "ledger/head").unlink()
    assert run(["--home", str(home), "audit", "verify"]) == 4
    said += capsys.readouterr().out
    assert "CANNOT BE READ, so not valid (step 1 head)" in said
    assert "None" not in said
    assert "in_words" not in said
