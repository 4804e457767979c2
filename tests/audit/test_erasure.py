from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from audit import durable, erasure
from audit.erasure import erase, erased_roles, hold, is_held
from audit.ledger import Ledger
from audit.verifier import verify_home
from schemas.errors import InputRejected, NotFound
from tests.audit.sample_home import ORIGIN, SampleHome

WHO: Any = {"actor": "dpo", "actor_auth": "asserted"}


def test_erased_is_gone_and_all_still_verifies(home: SampleHome, tmp_path: Path) -> None:
    """After erasure the question is in no file, reading says erased, every receipt and the log still verify."""
    committed, shown = home.answer("policy@2", 1, "2024-05-01", question="canary-4410, am I dismissed?")
    (tmp_path / "a.json").write_text(json.dumps(shown))
    index = erase(home.ledger, committed.index, reason="asked by the person", **WHO)
    with pytest.raises(NotFound) as caught:
        home.ledger.part(committed.header, "question")
    assert caught.value.code == "erased"
    assert erased_roles(home.ledger, committed.header) == ["question", "answer"]
    assert home.ledger.part(committed.header, "settings") == b"{}"
    report = verify_home(home.root, receipt=tmp_path / "a.json")
    assert report["valid"], report
    assert (report["checked"]["erased"], report["checked"]["answers_unopened"]) == (1, 1)
    assert erase(home.ledger, committed.index, reason="again", **WHO) == index
    for path in home.root.rglob("*"):
        assert not path.is_file() or b"canary-4410" not in path.read_bytes()


def test_hold(home: SampleHome) -> None:
    """Under a hold erasing is refused as legal_hold (exit 3) and the key stays; released, it is done; both are on record."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    hold(home.ledger, committed.index, released=False, reason="case 7", **WHO)
    with pytest.raises(InputRejected) as caught:
        erase(home.ledger, committed.index, reason="x", **WHO)
    assert (caught.value.code, caught.value.exit_code) == ("legal_hold", 3)
    assert home.ledger.part(committed.header, "question")
    hold(home.ledger, committed.index, released=True, reason="closed", **WHO)
    assert not is_held(home.ledger, committed.index)
    erase(home.ledger, committed.index, reason="x", **WHO)
    assert verify_home(home.root)["valid"]
    with pytest.raises(NotFound):
        hold(home.ledger, 999, released=False, reason="x", **WHO)


def test_nothing_to_erase(home: SampleHome) -> None:
    """A record without personal parts is refused by code."""
    with pytest.raises(InputRejected) as caught:
        erase(home.ledger, 0, reason="x", **WHO)
    assert caught.value.code == "nothing_to_erase"


def test_destroyed_without_a_record_is_found(home: SampleHome) -> None:
    """A key that vanished without an erasure on record, and an erased record whose key is back, are found at their record."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    key = home.root / "ledger/keys" / committed.header["sealed_under"]
    saved = key.read_bytes()
    key.unlink()
    assert verify_home(home.root)["first_bad"]["index"] == committed.index
    key.write_bytes(saved)
    erase(home.ledger, committed.index, reason="x", **WHO)
    key.write_bytes(saved)
    bad = verify_home(home.root)["first_bad"]
    assert bad["index"] == committed.index
    assert "still there" in bad["reason"]


class _DiedError(BaseException):
    """Stands for a process that dies: nothing of ours catches it."""


@pytest.mark.parametrize("phase", ["destroy", "unlink", "append", "end"])
def test_erasure_is_finished_at_the_next_opening(home: SampleHome, monkeypatch: pytest.MonkeyPatch, phase: str) -> None:
    """A process that dies in any phase of an erasure leaves a home whose next opening finishes it once. Until then a key gone
    without a record is not valid, whatever ledger/erasing says, and the verifier tells what to do."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01")

    def die(*_arguments: Any, **_options: Any) -> None:
        raise _DiedError

    if phase == "destroy":
        monkeypatch.setattr(erasure, "destroy", die)
    elif phase == "unlink":
        monkeypatch.setattr(durable.os, "unlink", die)
    elif phase == "append":
        monkeypatch.setattr(Ledger, "append", die)
    else:
        monkeypatch.setattr(erasure, "sync_folder", die)
    with pytest.raises(_DiedError):
        erase(home.ledger, committed.index, reason="x", **WHO)
    monkeypatch.undo()
    before = verify_home(home.root)
    assert before["valid"] == (phase in ("destroy", "end"))
    if not before["valid"]:
        assert before["first_bad"]["index"] == committed.index
        assert "any command on the home finishes it" in before["first_bad"]["reason"]
    again = Ledger.open(home.root / "ledger", origin=ORIGIN)
    assert len(list(again.headers(types={"erasure"}))) == 1
    assert not (home.root / "ledger/erasing").exists()
    assert not (home.root / "ledger/keys" / committed.header["sealed_under"]).exists()
    after = verify_home(home.root)
    assert (after["valid"], after["checked"]["erased"]) == (True, 1)


def test_erased_under_a_hold_is_found(home: SampleHome) -> None:
    """An erasure recorded against a hold, by whatever means, is named by the verifier."""
    from audit.ledger import RecordDraft

    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    hold(home.ledger, committed.index, released=False, reason="case 7", **WHO)
    key = committed.header["sealed_under"]
    bad = home.ledger.append([RecordDraft("erasure", {"erases": committed.index, "key_id": key, **WHO})])[0]
    Path(home.root / "ledger/keys" / key).unlink()
    assert verify_home(home.root)["first_bad"]["index"] == bad.index


def test_the_format_says_what_is_sealed(home: SampleHome) -> None:
    """Every part of an answer but its settings, and free text of any published type, is sealed even when the caller forgot."""
    from audit.ledger import PartDraft, RecordDraft

    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    fields = {name: committed.header[name] for name in ("as_of", "known_at", "corpus_root", "status", "cited", "actor")}
    parts = [PartDraft(role, b"canary-88") for role in ("question", "candidates", "a_later_role")]
    answer = RecordDraft("answer", fields | {"answer_id": "x", "request_id": "y"}, [*parts, PartDraft("settings", b"{}")])
    withdrawal = {"doc_id": "policy", "version_id": None, "from": "2030-01-01", "void": False, **WHO}
    reasoned = RecordDraft("withdrawal", withdrawal, [PartDraft("reason", b"canary-88")])
    written = home.ledger.append([answer, reasoned])
    assert ["hmac" in entry for item in written for entry in item.header["parts"]] == [True, True, True, False, True]
    assert home.ledger.part(written[0].header, "a_later_role") == b"canary-88"
    for path in home.root.rglob("*"):
        assert not path.is_file() or b"canary-88" not in path.read_bytes()
