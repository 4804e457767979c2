"""`review`: the queue, deciding, deciding again, what an amendment leaves alone, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compliance_rag.faces.cli import run
from compliance_rag.service.ask import ask
from compliance_rag.service.asking import AskRequest
from tests.faces.conftest import Command
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office?"
# Every answer is routed to a person.
REVIEW_ALL = {"review": {"thresholds": {"answer_confidence": 1.1}}}


@pytest.fixture
def doubtful(tmp_path: Path) -> tuple[Path, str]:
    """A home with one answer that a threshold sends to a person."""
    handle = make_home(tmp_path / "home", **REVIEW_ALL)
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    answer = ask(handle, AskRequest(QUESTION, actor="ada"))
    assert answer.status == "needs_review"
    return handle.home.root, answer.answer_id


def test_review_from_queue_to_decision(
    tmp_path: Path, doubtful: tuple[Path, str], command: Command, capsys: pytest.CaptureFixture[str]
) -> None:
    """Listed with its reasons; amended beside the answer, never over it; decided again, the last holds; the verifier agrees."""
    home, answer_id = doubtful
    code, (item,) = command(home, "review", "list")
    assert (code, item["answer_id"], item["question"], item["asked_by"]) == (0, answer_id, QUESTION, "ada")
    assert (item["decision"], "low_answer_confidence" in [reason["code"] for reason in item["reasons"]]) == (None, True)
    given = command(home, "review", "show", answer_id)[1]
    assert (given["decision"], given["decisions"]) == (None, [])

    text = tmp_path / "amended.txt"
    text.write_text("Ten days, counted from the loss.", encoding="utf-8")
    decide = ["review", "decide", answer_id, "--actor", "grace", "--decision"]
    code, done = command(home, *decide, "amend", "--text", str(text), "--note", "the start of the time was missing")
    assert (code, done["decision"]["decision"], done["decision"]["actor"]) == (0, "amend", "grace")
    assert (done["decision"]["text"], done["decision"]["actor_auth"]) == ("Ten days, counted from the loss.", "asserted")
    assert done["answer"] == given["answer"]
    assert command(home, "review", "list") == (0, [])

    code, again = command(home, *decide, "approve", "--note", "the amendment went too far")
    assert [made["decision"] for made in again["decisions"]] == ["amend", "approve"]
    assert (again["decision"]["decision"], again["decision"]["text"]) == ("approve", None)
    assert command(home, "review", "list", "--all")[1][0]["decision"] == again["decision"]
    assert command(home, "audit", "reconstruct", answer_id)[1]["seen"] == given["answer"]
    assert command(home, "audit", "verify")[1]["valid"] is True

    capsys.readouterr()
    assert run(["--home", str(home), "--quiet", "review", "show", answer_id]) == 0
    shown = capsys.readouterr().out
    assert "amended text: Ten days, counted from the loss." in shown
    assert "(superseded)" in shown


def test_what_a_decision_says_is_sealed(doubtful: tuple[Path, str], command: Command) -> None:
    """A note stands nowhere in clear under the ledger, and goes with its record's key when that is erased."""
    home, answer_id = doubtful
    note = "the head of custody was named in it"
    done = command(home, "review", "decide", answer_id, "--decision", "reject", "--note", note)[1]
    clear = [path for path in (home / "ledger").rglob("*") if path.is_file() and note.encode() in path.read_bytes()]
    assert clear == []
    assert command(home, "audit", "erase", str(done["decision"]["record"]), "--reason", "asked for")[0] == 0
    shown = command(home, "review", "show", answer_id)[1]
    assert (shown["decision"]["decision"], shown["decision"]["note"]) == ("reject", None)
    assert command(home, "audit", "verify")[1]["valid"] is True


@pytest.mark.parametrize(
    ("arguments", "code", "exit_code"),
    [
        (["show", "a-none"], "unknown_answer", 3),
        (["decide", "a-none", "--decision", "approve", "--note", "x"], "unknown_answer", 3),
        (["decide", "ID", "--decision", "approve", "--note", " "], "no_note", 3),
        (["decide", "ID", "--decision", "amend", "--note", "x"], "amend_needs_text", 2),
        (["decide", "ID", "--decision", "approve", "--note", "x", "--text", "FILE"], "text_not_taken", 2),
        (["decide", "ID", "--decision", "amend", "--note", "x", "--text", "nowhere.txt"], "missing_file", 3),
        (["decide", "ID", "--decision", "perhaps", "--note", "x"], "usage", 2),
        (["decide", "ID", "--decision", "approve"], "usage", 2),
    ],
)
def test_what_is_no_decision(
    tmp_path: Path, doubtful: tuple[Path, str], command: Command, arguments: list[str], code: str, exit_code: int
) -> None:
    """A decision that is not whole is refused with its code and leaves no record."""
    home, answer_id = doubtful
    file = tmp_path / "text.txt"
    file.write_text("words", encoding="utf-8")
    size = json.loads((home / "ledger" / "head").read_text("utf-8"))["size"]
    named = [{"ID": answer_id, "FILE": str(file)}.get(word, word) for word in arguments]
    got, shown = command(home, "review", *named)
    assert (got, shown["error"]["code"]) == (exit_code, code)
    assert json.loads((home / "ledger" / "head").read_text("utf-8"))["size"] == size


def test_an_erased_answer_waits_without_its_words(doubtful: tuple[Path, str], command: Command) -> None:
    """Once erased, an answer shows neither question nor reasons, and there is nothing to decide about."""
    home, answer_id = doubtful
    assert command(home, "audit", "erase", answer_id, "--reason", "asked for")[0] == 0
    (item,) = command(home, "review", "list")[1]
    assert (item["question"], item["reasons"]) == (None, [])
    assert command(home, "review", "show", answer_id)[1]["answer"] is None
    code, shown = command(home, "review", "decide", answer_id, "--decision", "approve", "--note", "x")
    assert (code, shown["error"]["code"]) == (3, "answer_erased")
