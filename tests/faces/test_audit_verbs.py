"""The audit verbs through the command line: erasing, holding, exporting, proving, signing, on a home that answered."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from audit.verifier import verify_home
from compliance_rag.faces.cli import run
from tests.faces.conftest import POLICY_1, Command

QUESTION = "Within how many days shall a lost key be reported?"
CANARY = "Within how many days shall the lost key of Quillfeather Zyzzyva be reported?"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with one version and two answers, made once by the real command."""
    folder = tmp_path_factory.mktemp("audit-verbs")
    source = folder / "policy.md"
    source.write_text(POLICY_1, encoding="utf-8")
    home = ["--home", str(folder / "home"), "--json"]
    add = ["add", str(source), "--doc-id", "key-policy", "--version", "1", "--effective-from", "2024-01-01"]
    assert run([*home, *add]) == 0
    for question in (QUESTION, CANARY):
        assert run([*home, "ask", question, "--as-of", "2025-01-01"]) == 0
    return folder / "home"


@pytest.fixture
def home(made: Path, tmp_path: Path) -> Path:
    """A copy of that home for one test."""
    shutil.copytree(made, tmp_path / "home")
    return tmp_path / "home"


@pytest.fixture
def pem(tmp_path: Path) -> Path:
    """A new Ed25519 key."""
    return _key(tmp_path / "key.pem")


def _key(path: Path) -> Path:
    forms = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path.write_bytes(Ed25519PrivateKey.generate().private_bytes(*forms))
    return path


def _answers(command: Command, home: Path) -> list[dict[str, Any]]:
    _, headers = command(home, "audit", "list")
    return [header for header in headers if header["type"] == "answer"]


def _asked(command: Command, home: Path, question: str) -> dict[str, Any]:
    for header in _answers(command, home):
        if command(home, "audit", "show", header["answer_id"])[1]["parts"]["question"]["question"] == question:
            return header
    raise AssertionError(question)


def _failed(told: tuple[int, Any]) -> tuple[int, str]:
    return told[0], told[1]["error"]["code"]


def test_erased_question_is_found_nowhere(command: Command, home: Path, tmp_path: Path) -> None:
    """A canary question, once erased, is in no file of the home, no temporary file and no log; all still verifies, and
    reconstruct, show and export say what is gone."""
    answer = _asked(command, home, CANARY)
    code, done = command(home, "audit", "erase", answer["answer_id"], "--reason", "asked for by the person")
    assert code == 0
    assert set(done) == {"index", "record", "erased"}
    assert {"question", "answer", "vector", "candidates"} <= set(done["erased"])
    found = [path for path in home.rglob("*") if path.is_file() and b"Zyzzyva" in path.read_bytes()]
    assert found == []
    made_here = [p for p in Path(tempfile.gettempdir()).glob("compliance-rag*") if p.is_file() and b"Zyzzyva" in p.read_bytes()]
    assert made_here == []
    assert command(home, "audit", "verify")[1]["valid"]
    run(["--home", str(home), "--json", "ask", CANARY.replace("Within", "In")])
    assert "Zyzzyva" not in command.capsys.readouterr().err
    _, seen = command(home, "audit", "reconstruct", answer["answer_id"])
    assert (seen["seen"], seen["rederived"]) == (None, "not_re_derivable")
    assert set(seen["erased"]) == set(done["erased"])
    _, shown = command(home, "audit", "show", answer["answer_id"])
    assert shown["parts"]["question"] == {"erased": True}
    assert shown["parts"]["settings"] != {"erased": True}
    assert command(home, "audit", "export", answer["answer_id"], "--out", str(tmp_path / "e.zip"))[0] == 0
    assert verify_home(tmp_path / "e.zip")["valid"]
    assert command(home, "audit", "erase", answer["answer_id"], "--reason", "again")[1]["record"] == done["record"]


def test_a_hold_forbids_erasing_until_released(command: Command, home: Path) -> None:
    """Under a hold `erase` exits 3 with `legal_hold` and destroys nothing; released, it erases."""
    name = _answers(command, home)[0]["answer_id"]
    code, held = command(home, "audit", "hold", name, "--reason", "litigation")
    assert (code, held["held"]) == (0, True)
    assert _failed(command(home, "audit", "erase", name, "--reason", "r")) == (3, "legal_hold")
    assert command(home, "audit", "reconstruct", name)[1]["seen"]["question"] == QUESTION
    code, released = command(home, "audit", "release", name)
    assert (code, released["held"]) == (0, False)
    assert command(home, "audit", "erase", name, "--reason", "r")[0] == 0
    assert command(home, "audit", "verify")[1]["valid"]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["erase", "a-none", "--reason", "r"], (3, "unknown_record")),
        (["erase", "0", "--reason", "r"], (3, "nothing_to_erase")),
        (["erase", "1", "--reason", " "], (2, "usage")),
        (["hold", "99"], (3, "unknown_record")),
        (["export", "--out", "x.zip"], (2, "usage")),
        (["export", "1", "--all", "--out", "x.zip"], (2, "usage")),
        (["export", "0", "--out", "x.zip"], (3, "not_an_answer")),
        (["checkpoint"], (2, "usage")),
        (["checkpoint", "--revoke", "00000000"], (2, "usage")),
        (["checkpoint", "--revoke", "00000000", "--reason", "lost"], (3, "key_unknown")),
        (["checkpoint", "--key", "none.pem"], (3, "missing_file")),
    ],
)
def test_what_cannot_be_done_is_said(command: Command, home: Path, arguments: list[str], expected: tuple[int, str]) -> None:
    """Each misuse has its exit code and stable code and adds no record."""
    before = len(command(home, "audit", "list")[1])
    assert _failed(command(home, "audit", *arguments)) == expected
    assert len(command(home, "audit", "list")[1]) == before


def test_checkpoint_rotate_and_revoke(command: Command, home: Path, pem: Path, tmp_path: Path) -> None:
    """A key signs, another takes over only with --rotate, a revoked one signs no more; the witness holds every note."""
    witness = tmp_path / "witness"
    settings = home / "settings.toml"
    settings.write_text(settings.read_text() + f'witness = "{witness}"\n')
    code, first = command(home, "audit", "checkpoint", "--key", str(pem))
    assert (code, set(first)) == (0, {"size", "root", "key_id", "new", "note"})
    assert command(home, "audit", "checkpoint", "--key", str(pem))[1]["new"] is False
    other = _key(tmp_path / "other.pem")
    assert _failed(command(home, "audit", "checkpoint", "--key", str(other))) == (3, "key_unknown")
    assert command(home, "audit", "checkpoint", "--key", str(other), "--rotate")[0] == 0
    assert _failed(command(home, "audit", "checkpoint", "--key", str(pem))) == (3, "key_revoked")
    second = command(home, "audit", "list")[1][-1]["key_id"]
    assert command(home, "audit", "checkpoint", "--revoke", second, "--reason", "lost")[1]["revoked"] is True
    assert _failed(command(home, "audit", "checkpoint", "--key", str(other))) == (3, "key_revoked")
    assert command(home, "audit", "verify", "--witness", str(next(witness.iterdir())))[1]["valid"]


def test_a_receipt_proves_against_the_head(command: Command, home: Path) -> None:
    """`prove` gives a receipt in today's tree that `verify --receipt` takes for the answer."""
    name = _answers(command, home)[0]["answer_id"]
    _, receipt = command(home, "audit", "prove", name)
    _, verdict = command(home, "audit", "verify")
    assert (receipt["size"], receipt["root"]) == (verdict["size"], verdict["root"])
    shown = command(home, "audit", "reconstruct", name)[1]["seen"]
    path = home.parent / "answer.json"
    path.write_text(json.dumps(shown | {"ledger": receipt}))
    assert command(home, "audit", "verify", "--receipt", str(path))[1]["checked"]["receipts"] == 1


def test_bundle_verifies_in_an_empty_environment(command: Command, home: Path, pem: Path, tmp_path: Path) -> None:
    """A bare interpreter in an empty folder with only the unpacked zip, no package of ours or anyone's: openssl does the rest.
    The page names the question and marks the quoted words."""
    assert command(home, "audit", "checkpoint", "--key", str(pem))[0] == 0
    name = _answers(command, home)[0]["answer_id"]
    out = tmp_path / "e.zip"
    code, done = command(home, "audit", "export", name, "--out", str(out))
    assert (code, done["signed"]) == (0, True)
    assert _failed(command(home, "audit", "export", name, "--out", str(out))) == (3, "out_exists")
    empty = tmp_path / "empty"
    empty.mkdir()
    with zipfile.ZipFile(out) as archive:
        archive.extractall(empty)
    bare = [getattr(sys, "_base_executable", sys.executable), "-I", "-S", "verifier.py", "."]
    environment = {"PATH": str(Path(shutil.which("openssl") or "").parent)}
    told = subprocess.run(bare, cwd=empty, env=environment, capture_output=True, text=True, check=False)
    report = json.loads(told.stdout)
    assert (told.returncode, report["valid"]) == (0, True), told
    assert (report["checked"]["checkpoints"], report["checked"]["answers_unopened"]) == (1, 0)
    page = (empty / "index.html").read_text("utf-8")
    assert QUESTION in page
    assert "<mark>" in page


def test_export_all_wipe_restore(command: Command, home: Path, tmp_path: Path) -> None:
    """The drill: export everything, lose the home, unpack, rebuild: the same ledger root, corpus root and clause ids, and the
    same answer is reconstructed byte for byte."""
    name = _answers(command, home)[0]["answer_id"]
    before = [
        command(home, "audit", "verify")[1]["root"],
        command(home, "docs")[1],
        command(home, "outline", "key-policy", "--version", "1")[1],
        command(home, "audit", "reconstruct", name)[1],
    ]
    out = tmp_path / "all.zip"
    assert command(home, "audit", "export", "--all", "--out", str(out))[0] == 0
    shutil.rmtree(home)
    with zipfile.ZipFile(out) as archive:
        archive.extractall(home)
    code, report = command(home, "rebuild")
    assert code == 0
    after = [
        command(home, "audit", "verify")[1]["root"],
        command(home, "docs")[1],
        command(home, "outline", "key-policy", "--version", "1")[1],
        command(home, "audit", "reconstruct", name)[1],
    ]
    assert after == before
    assert after[3]["rederived"] == "equal"
    header = next(h for h in command(home, "audit", "list")[1] if h["type"] == "publication")
    assert report["corpus_root"] == header["corpus_root"]


def test_each_home_has_its_own_origin(command: Command, home: Path, tmp_path: Path) -> None:
    """Two homes never share a log's name, and a home takes no ledger but its own."""
    other = tmp_path / "other"
    source = tmp_path / "policy.md"
    source.write_text(POLICY_1, encoding="utf-8")
    assert (
        command(other, "add", str(source), "--doc-id", "key-policy", "--version", "1", "--effective-from", "2024-01-01")[0] == 0
    )
    origins = {command(each, "audit", "list")[1][0]["origin"] for each in (home, other)}
    assert len(origins) == 2
    shutil.rmtree(other / "ledger")
    shutil.copytree(home / "ledger", other / "ledger")
    assert _failed(command(other, "audit", "list")) == (4, "foreign_ledger")
    code, report = command(other, "audit", "verify")
    assert (code, report["valid"], report["first_bad"]["step"]) == (4, False, "1 head")


def test_an_erased_reason_leaves_the_home_rebuildable(command: Command, home: Path) -> None:
    """The reason of a withdrawal, once erased, is in no file, and rebuild gives the same states."""
    words = "Because of Quillfeather"
    assert command(home, "withdraw", "key-policy", "--from", "2025-06-01", "--reason", words)[1]["reason"] == words
    record = next(h for h in command(home, "audit", "list")[1] if h["type"] == "withdrawal")
    before = command(home, "docs", "--as-of", "2026-01-01")[1]
    assert command(home, "audit", "erase", str(record["index"]), "--reason", "r")[1]["erased"] == ["reason"]
    assert [p for p in home.rglob("*") if p.is_file() and words.encode() in p.read_bytes()] == []
    shutil.rmtree(home / "clauses")
    assert command(home, "rebuild")[0] == 0
    assert command(home, "docs", "--as-of", "2026-01-01")[1] == before


def test_reconstruct_prints_the_very_bytes(command: Command, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """What `audit reconstruct` prints as seen is, byte for byte, what `ask` printed."""
    capsys.readouterr()
    assert run(["--home", str(home), "--json", "ask", QUESTION, "--as-of", "2025-01-01"]) == 0
    printed = capsys.readouterr().out.strip()
    assert run(["--home", str(home), "--json", "audit", "reconstruct", json.loads(printed)["answer_id"]]) == 0
    assert capsys.readouterr().out.startswith('{"seen": ' + printed + ', "rederived": "equal"')


@pytest.mark.parametrize("verb", ["show", "reconstruct", "prove"])
def test_an_answer_on_record_is_read_on_the_terminal(
    home: Path, command: Command, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    """Each verb prints the record for a person, not only as JSON."""
    name = _answers(command, home)[0]["answer_id"]
    capsys.readouterr()
    assert run(["--home", str(home), "audit", verb, name]) == 0
    printed = capsys.readouterr().out
    assert len(printed.splitlines()) > 2
    if verb == "reconstruct":
        assert QUESTION in " ".join(printed.split())
        assert "derived again from what was known then: equal" in printed
