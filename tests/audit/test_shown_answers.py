"""A shown answer as its own receipt: what is compared when the recorded one opens, and what when it can't be opened."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit import verifier
from audit.erasure import erase
from audit.verifier import verify_home
from tests.audit.sample_home import SampleHome

WHO: Any = {"actor": "dpo", "actor_auth": "asserted"}
Shown = tuple[int, dict[str, Any], Path]


@pytest.fixture
def shown(home: SampleHome, tmp_path: Path) -> Shown:
    """The index of an answer's record, the answer as shown, and a path for it."""
    committed, answer = home.answer("policy@2", 1, "2024-05-01", n=1, share=1.0)
    return committed.index, answer, tmp_path / "a.json"


def _receipts(report: dict[str, Any]) -> tuple[int, int]:
    return report["checked"]["receipts"], report["checked"]["receipts_text_not_compared"]


def test_an_erased_answers_receipt_is_not_called_proved(home: SampleHome, shown: Shown) -> None:
    """After erasure a genuine answer fits the header; its text counts as not compared, and words say so."""
    index, answer, path = shown
    path.write_text(json.dumps(answer))
    assert _receipts(verify_home(home.root, receipt=path)) == (1, 0)
    erase(home.ledger, index, reason="asked", **WHO)
    report = verify_home(home.root, receipt=path)
    assert (report["valid"], _receipts(report)) == (True, (0, 1))
    assert any("The TEXT of the answer shown was NOT COMPARED" in said for said in report["checked"]["in_words"])


@pytest.mark.parametrize(
    "change",
    [
        lambda a: a.update(status="refused"),
        lambda a: a.update(as_of="1999-01-01"),
        lambda a: a.update(known_at="1999-01-01T00:00:00.000000Z"),
        lambda a: a.update(corpus_root="0" * 64),
        lambda a: a.update(answer_id="a0"),
        lambda a: a.update(request_id="r0"),
        lambda a: a.pop("as_of"),
        lambda a: a.update(citations=[]),
        lambda a: a["citations"][0].update(clause_id="policy@1#1"),
        lambda a: a["citations"][0].update(sha256="0" * 64),
        lambda a: a["citations"][0].pop("sha256"),
        lambda a: a["citations"].append({"clause_id": "policy@9#9", "sha256": "0" * 64}),
        lambda a: a.update(citations={}),
    ],
)
@pytest.mark.parametrize("unopened", ["erased", "no library"])
def test_a_forged_receipt_of_an_answer_that_cannot_be_opened(
    home: SampleHome, shown: Shown, monkeypatch: pytest.MonkeyPatch, change: Callable[[Any], Any], unopened: str
) -> None:
    """What the header holds in clear refutes a forged answer, whether its key is erased or the machine can open nothing."""
    index, answer, path = shown
    if unopened == "erased":
        erase(home.ledger, index, reason="asked", **WHO)
    else:
        monkeypatch.setattr(verifier, "library", lambda: False)
        monkeypatch.setattr(verifier.shutil, "which", lambda _name: None)
    change(answer)
    path.write_text(json.dumps(answer))
    bad = verify_home(home.root, receipt=path)["first_bad"]
    assert (bad["step"], bad["index"]) == ("5 receipt", index)


def test_a_line_of_a_batch_is_a_receipt(home: SampleHome, shown: Shown) -> None:
    """The id that a batch puts beside the answer is not taken for part of it; any other field is."""
    _, answer, path = shown
    path.write_text(json.dumps({"id": "q-1", **answer}))
    assert _receipts(verify_home(home.root, receipt=path)) == (1, 0)
    path.write_text(json.dumps({"note": "q-1", **answer}))
    assert "not the one shown" in verify_home(home.root, receipt=path)["first_bad"]["reason"]


def test_an_id_that_the_answer_has_itself(home: SampleHome, tmp_path: Path) -> None:
    """Where the recorded answer has an id of its own, that one counts."""
    _, answer = home.answer("policy@2", 1, "2024-05-01", id="mine")
    path = tmp_path / "a.json"
    path.write_text(json.dumps(answer | {"id": "other"}))
    assert not verify_home(home.root, receipt=path)["valid"]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"exists": true', '"exists": 1'),
        ('"n": 1,', '"n": true,'),
        ('"n": 1,', '"n": 1.0,'),
        ('"share": 1.0', '"share": 1'),
        ('"share": 1.0', '"share": true'),
        ('{"answer_id"', '{"answer": "Do as you please.", "answer_id"'),
        ('"ledger": {', '"ledger": {"index": 0, '),
        ('"quote_span": [2,', '"quote_span": [2.0,'),
        ('"share": 1.0', '"share": NaN'),
        ('"share": 1.0', '"share": 1e999'),
        ('{"answer_id"', '\ufeff{"answer_id"'),
    ],
)
def test_receipts_are_compared_exactly(home: SampleHome, shown: Shown, old: str, new: str) -> None:
    """A key twice, true for 1, 1.0 for 1, a number that is none: not the answer that was shown."""
    _, answer, path = shown
    text = json.dumps(answer)
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    report = verify_home(home.root, receipt=path)
    assert (report["valid"], report["first_bad"]["step"]) == (False, "5 receipt")


def test_order_and_white_space_do_not_count(home: SampleHome, shown: Shown) -> None:
    """The same answer printed another way is the same answer."""
    _, answer, path = shown
    path.write_text(json.dumps(dict(reversed(answer.items())), indent=3, ensure_ascii=False))
    assert _receipts(verify_home(home.root, receipt=path)) == (1, 0)


def test_a_citation_twice_with_two_hashes(home: SampleHome) -> None:
    """A recorded answer that cites a clause a second time without its hash, or with another, is named and no error."""
    for sha256 in (None, "0" * 64):
        row = home.rows["policy@2"][0]
        twice = [{"clause_id": "policy@2#1", "sha256": value} for value in (sha256, row["sha256"])]
        committed, _ = home.answer("policy@2", 1, "2024-05-01", citations=twice)
        assert verify_home(home.root)["first_bad"]["index"] <= committed.index
