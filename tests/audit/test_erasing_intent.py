"""ledger/erasing can be written by anyone who can write the home: what is believed of it, and what is not."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit.erasure import INTENT_LIMIT, erase, hold
from audit.ledger import Ledger, RecordDraft
from audit.verifier import verify_home
from schemas.canonical import canonical_json
from schemas.errors import InputRejected, IntegrityError
from tests.audit.sample_home import ORIGIN, SampleHome

WHO: Any = {"actor": "dpo", "actor_auth": "asserted"}


def _intent(header: dict[str, Any], **change: Any) -> bytes:
    value = {"erases": header["index"], "key_id": header["sealed_under"], "reason": "x", "actor": "eve", "actor_auth": "os"}
    return canonical_json(value | change) + b"\n"


def _files(root: Path) -> dict[Path, bytes]:
    files = [path for path in root.rglob("*") if path.is_file() and path.name != "erasing.lock"]
    return {path: path.read_bytes() for path in files}


def _refused(home: SampleHome) -> str:
    """Opening refuses by code with nothing touched."""
    before = _files(home.root)
    with pytest.raises(IntegrityError) as caught:
        Ledger.open(home.root / "ledger", origin=ORIGIN)
    assert (caught.value.code, caught.value.exit_code) == ("bad_erasing", 4)
    assert _files(home.root) == before
    return caught.value.message


def test_a_key_gone_is_not_excused_by_an_intent(home: SampleHome) -> None:
    """A key unlinked by hand is not valid, however well the intent beside it is made."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    (home.root / "ledger/keys" / committed.header["sealed_under"]).unlink()
    for data in (_intent(committed.header), b'{"erases": %d}' % committed.index, b"", b"[]"):
        (home.root / "ledger/erasing").write_bytes(data)
        report = verify_home(home.root)
        assert (report["valid"], report["first_bad"]["index"]) == (False, committed.index)
        assert "no erasure is on record" in report["first_bad"]["reason"]


def test_an_intent_under_a_hold_erases_nothing(home: SampleHome) -> None:
    """An intent that names a held record is refused at opening, and by a ledger that is open already; the key stays."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    hold(home.ledger, committed.index, released=False, reason="case 7", **WHO)
    (home.root / "ledger/erasing").write_bytes(_intent(committed.header))
    assert "legal hold" in _refused(home)
    other, _ = home.answer("policy@1", 1, "2021-05-01")
    with pytest.raises(IntegrityError) as caught:
        erase(home.ledger, other.index, reason="x", **WHO)
    assert caught.value.code == "bad_erasing"
    assert (home.root / "ledger/keys" / committed.header["sealed_under"]).exists()


@pytest.mark.parametrize(
    "change",
    [
        {"key_id": "../../sources/{source}"},
        {"key_id": "../log/0000000000.jsonl"},
        {"key_id": "../head"},
        {"key_id": ""},
        {"key_id": "A" * 32},
        {"key_id": "0" * 32},
        {"key_id": "{other}"},
        {"key_id": 5},
        {"key_id": None},
        {"erases": 10**6},
        {"erases": -1},
        {"erases": True},
        {"erases": 0},
        {"erases": "2"},
        {"erases": 2.5},
        {"reason": None},
        {"reason": ["x"]},
        {"actor": 7},
        {"actor_auth": {}},
        {"more": 1},
    ],
)
def test_an_intent_that_no_erasure_of_ours_writes(home: SampleHome, change: dict[str, Any]) -> None:
    """A key id with a path in it, another record's key, a record that is not there, a field of another type: nothing erased."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    other, _ = home.answer("policy@1", 1, "2021-05-01")
    names = {"source": home.ledger.header(0)["source_sha256"], "other": other.header["sealed_under"]}
    change = {key: value.format(**names) if isinstance(value, str) else value for key, value in change.items()}
    (home.root / "ledger/erasing").write_bytes(_intent(committed.header, **change))
    assert "nothing was erased" in _refused(home)


def _fifo(path: Path) -> None:
    os.mkfifo(path)


def _loop(path: Path) -> None:
    path.symlink_to(path)


def _zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


def _folder(path: Path) -> None:
    path.mkdir()


@pytest.mark.parametrize("make", [_fifo, _loop, _zero, _folder])
def test_an_intent_that_is_no_file(home: SampleHome, make: Callable[[Path], None]) -> None:
    """A pipe, a link in a circle, a device or a folder under that name is refused at once."""
    make(home.root / "ledger/erasing")
    with pytest.raises(IntegrityError) as caught:
        Ledger.open(home.root / "ledger", origin=ORIGIN)
    assert caught.value.code == "bad_erasing"


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"5", b"null", b"junk", b"\xff", b"[" * 9000, b" " * (INTENT_LIMIT + 1)])
def test_an_intent_of_junk(home: SampleHome, data: bytes) -> None:
    """Any bytes are refused by code, never by an error of the language."""
    (home.root / "ledger/erasing").write_bytes(data)
    assert "nothing was erased" in _refused(home)


def test_an_intent_finished_says_so(home: SampleHome) -> None:
    """An erasure finished at an opening is recorded as finished, by an actor no better than asserted, and all verifies."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    (home.root / "ledger/erasing").write_bytes(_intent(committed.header))
    assert "any command on the home finishes it, or refuses it" in " ".join(verify_home(home.root)["checked"]["in_words"])
    again = Ledger.open(home.root / "ledger", origin=ORIGIN)
    ((_, header),) = again.headers(types={"erasure"})
    assert (header["finished"], header["actor_auth"], header["erases"]) == (True, "asserted", committed.index)
    assert verify_home(home.root)["checked"]["erased"] == 1


def test_a_reason_that_no_intent_holds(home: SampleHome) -> None:
    """A reason longer than an intent may be is refused before anything is begun."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    with pytest.raises(InputRejected) as caught:
        erase(home.ledger, committed.index, reason="x" * INTENT_LIMIT, **WHO)
    assert caught.value.code == "reason_too_long"
    assert not (home.root / "ledger/erasing").exists()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"erases": 3, "key_id": "0" * 32}, "under a key that is not that record's"),
        ({"erases": 0, "key_id": "0" * 32}, "under a key that is not that record's"),
        ({"erases": 999, "key_id": "0" * 32}, "was not there yet"),
    ],
)
def test_erasures_that_never_happened(home: SampleHome, fields: dict[str, Any], words: str) -> None:
    """An erasure on record of a record that is not there, is not sealed, or has another key is named at the erasure."""
    bad = home.ledger.append([RecordDraft("erasure", fields | WHO)])[0]
    report = verify_home(home.root)
    assert report["first_bad"]["index"] == bad.index
    assert words in report["first_bad"]["reason"]
    json.dumps(report)
