from __future__ import annotations

import base64
import json
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from audit import verifier
from audit.checkpoint import Checkpoint, checkpoint_due, log_keys, revoke_key, witness_folder, write_checkpoint
from audit.notes import key_id, read_note, sign_note, verifier_key
from audit.verifier import verify_home
from schemas.errors import ComplianceError, InputRejected, IntegrityError
from tests.audit.sample_home import ORIGIN, SampleHome, filled

WHO: Any = {"actor": "ana", "actor_auth": "asserted"}


def _pem() -> bytes:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    return Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


def _public(pem: bytes) -> bytes:
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_pem_private_key

    return load_pem_private_key(pem, None).public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)


def _check(home: SampleHome, pem: bytes, witness: Path | None = None, *, rotate: bool = False) -> Checkpoint:
    return write_checkpoint(home.ledger, pem, witness=witness, rotate=rotate, **WHO)


def test_checkpoint_and_witness(home: SampleHome, tmp_path: Path) -> None:
    """Signed over all records, kept in witness and home, recorded, proved with the pinned key; nothing new gives no second."""
    pem, witness = _pem(), tmp_path / "witness"
    (tmp_path / "pub.pem").write_bytes(_public(pem))
    first = _check(home, pem, witness)
    assert first.size == home.ledger.size - 1
    assert first.new
    assert not _check(home, pem, witness).new
    home.note("more")
    second = _check(home, pem, witness)
    assert second.new
    report = verify_home(home.root, witness=witness, key=tmp_path / "pub.pem")
    assert report["valid"], report
    assert report["checked"]["checkpoints"] == 4
    assert report["checked"]["pinned_size"] == second.size
    (tmp_path / "v.key").write_text(verifier_key(ORIGIN, read_public(pem)) + "\n")
    assert verify_home(home.root, witness=witness, key=tmp_path / "v.key")["valid"]
    (tmp_path / "other.pem").write_bytes(_public(_pem()))
    assert "no checkpoint is signed" in verify_home(home.root, key=tmp_path / "other.pem")["first_bad"]["reason"]


def read_public(pem: bytes) -> bytes:
    """The raw public key."""
    return verifier.read_public(_public(pem))


def test_openssl_verifies_a_note(home: SampleHome, tmp_path: Path) -> None:
    """The lines in the format's text prove a note with openssl alone, and refuse a changed one."""
    pem = _pem()
    (tmp_path / "NOTE").write_bytes(_check(home, pem).note)
    (tmp_path / "PUB.pem").write_bytes(_public(pem))
    text = (Path(verifier.__file__).parent.parent / "schemas/ledger.md").read_text()
    lines = text[text.index("    head -n 3 NOTE") :].split("\n\n")[0]
    assert subprocess.run(["bash", "-ec", lines], cwd=tmp_path, capture_output=True, check=False).returncode == 0
    changed = (tmp_path / "NOTE").read_text().replace(ORIGIN, "example.test/hedger", 1)
    (tmp_path / "NOTE").write_text(changed)
    assert subprocess.run(["bash", "-ec", lines], cwd=tmp_path, capture_output=True, check=False).returncode != 0


def test_openssl_opens_a_sealed_part(home: SampleHome, tmp_path: Path) -> None:
    """The lines in the format's text open a sealed part with openssl alone."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01", question="How long? 多久？")
    entry = committed.header["parts"][0]
    key = (home.root / "ledger/keys" / committed.header["sealed_under"]).read_text().strip()
    text = (Path(verifier.__file__).parent.parent / "schemas/ledger.md").read_text()
    lines = text[text.index("    openssl kdf") :].split("\n\n")[0]
    derive, _, decrypt = lines.partition("\n    openssl enc")
    derive = derive.replace("hexkey:K", f"hexkey:{key}")
    derived = subprocess.run(["bash", "-ec", derive], capture_output=True, text=True, check=True).stdout.strip()
    shutil.copy(home.root / "ledger/parts" / entry["sha256"], tmp_path / "FILE")
    command = "openssl enc" + decrypt.replace("THAT", derived)
    done = subprocess.run(["bash", "-ec", command], cwd=tmp_path, capture_output=True, check=True)
    assert done.stdout.decode() == "How long? 多久？"


def test_when_a_checkpoint_is_due(home: SampleHome) -> None:
    """Due after so many answers or so long since the first uncovered record; not when only checkpoints came since."""
    now = datetime.now(UTC)
    assert checkpoint_due(home.ledger, answers=3, age=timedelta(days=1), now=now)
    assert not checkpoint_due(home.ledger, answers=99, age=timedelta(days=1), now=now)
    assert checkpoint_due(home.ledger, answers=99, age=timedelta(days=1), now=now + timedelta(days=2))
    _check(home, _pem())
    assert not checkpoint_due(home.ledger, answers=1, age=timedelta(0), now=now + timedelta(days=2))


def test_without_the_library(home: SampleHome, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With openssl instead of cryptography the verifier proves signatures and opens answers; with neither it says it can't."""
    pem = _pem()
    (tmp_path / "pub.pem").write_bytes(_public(pem))
    _check(home, pem)
    monkeypatch.setattr(verifier, "library", lambda: False)
    report = verify_home(home.root, key=tmp_path / "pub.pem")
    assert report["valid"], report
    assert report["checked"]["answers_unopened"] == 0
    (tmp_path / "other.pem").write_bytes(_public(_pem()))
    assert not verify_home(home.root, key=tmp_path / "other.pem")["valid"]
    monkeypatch.setattr(verifier.shutil, "which", lambda _name: None)
    assert "cannot read: signatures need" in verify_home(home.root)["first_bad"]["reason"]


def test_rotation_and_revocation(home: SampleHome, tmp_path: Path) -> None:
    """Another key is refused unless it takes over; the one replaced and one revoked sign no more; old notes stay good."""
    first, second = _pem(), _pem()
    _check(home, first)
    home.note()
    with pytest.raises(InputRejected, match="rotate"):
        _check(home, second)
    _check(home, second, rotate=True)
    assert [key.state for key in log_keys(home.ledger).values()] == ["replaced", "active"]
    home.note()
    with pytest.raises(InputRejected, match="replaced"):
        _check(home, first)
    assert verify_home(home.root)["valid"]
    size, root = home.ledger.size, home.ledger.root
    from audit.notes import read_private

    forged = home.root / "ledger/checkpoints" / f"{size:020d}.note"
    forged.write_bytes(sign_note(read_private(first), ORIGIN, size, root))
    assert "no valid signature" in verify_home(home.root)["first_bad"]["reason"]
    forged.unlink()
    name = key_id(ORIGIN, read_public(second)).hex()
    revoke_key(home.ledger, name, reason="lost", **WHO)
    with pytest.raises(InputRejected, match="revoked"):
        _check(home, second)
    with pytest.raises(InputRejected, match="names no"):
        revoke_key(home.ledger, "00000000", reason="?", **WHO)
    assert verify_home(home.root)["valid"]


def test_only_a_log_that_continues_is_signed(home: SampleHome, tmp_path: Path) -> None:
    """A home rolled back, or forked, since the witness's last note gets no signature, and the verifier names the record."""
    pem, witness = _pem(), tmp_path / "witness"
    shutil.copytree(home.root, tmp_path / "earlier")
    size = home.ledger.size
    home.note("seen by the witness")
    _check(home, pem, witness)
    earlier = SampleHome(tmp_path / "earlier")
    with pytest.raises(IntegrityError, match="rolled back"):
        _check(earlier, pem, witness)
    for number in range(6):
        earlier.note(f"fork {number}")
    with pytest.raises(IntegrityError) as caught:
        _check(earlier, pem, witness)
    assert caught.value.code == "checkpoint_fork"
    assert verify_home(home.root, witness=witness)["valid"]
    (tmp_path / "pub.pem").write_bytes(_public(pem))
    bad = verify_home(earlier.root, witness=witness, key=tmp_path / "pub.pem")["first_bad"]
    assert (bad["step"], bad["index"]) == ("4 checkpoints", size)


def test_recomputed_tree_is_found_by_the_witness_at_the_record(tmp_path: Path) -> None:
    """Trees recomputed after an edit of any record: the witness's leaf hashes name exactly that record."""
    from test_tamper import _recompute

    home, pem, witness = filled(tmp_path / "home", 14), _pem(), tmp_path / "witness"
    _check(home, pem, witness)
    home.note("later")
    _check(home, pem, witness)
    (tmp_path / "pub.pem").write_bytes(_public(pem))
    saved = tmp_path / "saved"
    shutil.copytree(home.root, saved)
    for at in range(14):
        shutil.rmtree(home.root)
        shutil.copytree(saved, home.root)
        _recompute(home.root, at, {"actor": "eve"})
        bad = verify_home(home.root, witness=witness, key=tmp_path / "pub.pem")["first_bad"]
        assert (bad["step"], bad["index"]) == ("4 checkpoints", at)


def test_a_foreign_witness(home: SampleHome, tmp_path: Path) -> None:
    """A witness folder without a checkpoint of this log is refused, not passed over; another log's notes beside ours are."""
    pem, witness = _pem(), tmp_path / "witness"
    other = SampleHome(tmp_path / "other", origin="example.test/other")
    other.note()
    _check(other, _pem(), witness)
    assert "no checkpoint of" in verify_home(home.root, witness=witness)["first_bad"]["reason"]
    _check(home, pem, witness)
    assert verify_home(home.root, witness=witness)["valid"]
    assert witness_folder(witness, ORIGIN) != witness_folder(witness, "example.test/other")


def _near_misses(note: bytes) -> dict[str, bytes]:
    origin, size, root, empty, line = note.decode().split("\n")[:5]
    dash, name, coded = line.split(" ")
    loose = root[:-2] + chr(ord(root[-2]) + 1) + "="
    raw = {
        "leading zero": [origin, "0" + size, root, empty, line, ""],
        "signed size": [origin, "+" + size, root, empty, line, ""],
        "other digits": [origin, "٣", root, empty, line, ""],
        "no final newline": [origin, size, root, empty, line],
        "root not canonical": [origin, size, loose, empty, line, ""],
        "root too short": [origin, size, base64.b64encode(b"x" * 31).decode(), empty, line, ""],
        "two lines": [origin, size, empty, line, ""],
        "four lines": [origin, size, root, "more", empty, line, ""],
        "no origin": ["", size, root, empty, line, ""],
        "no signature": [origin, size, root, "", ""],
        "trailing line": [origin, size, root, empty, line, "", ""],
        "trailing words": [origin, size, root, empty, line + " x", ""],
        "trailing space": [origin, size, root + " ", empty, line, ""],
        "hyphen for the dash": [origin, size, root, empty, f"- {name} {coded}", ""],
        "no key name": [origin, size, root, empty, f"{dash} {coded}", ""],
        "signature cut": [origin, size, root, empty, f"{dash} {name} {base64.b64encode(b'1234').decode()}", ""],
        "tab": [origin + "\t", size, root, empty, line, ""],
    }
    result = {what: "\n".join(lines).encode() for what, lines in raw.items()}
    return result | {"CRLF": note.replace(b"\n", b"\r\n"), "not UTF-8": b"\xff" + note, "empty": b""}


def test_near_misses_are_refused_by_both_readers(home: SampleHome) -> None:
    """A note that is nearly a checkpoint is refused by the writer's reader and by the verifier's; the note itself is not."""
    note = _check(home, _pem()).note
    assert read_note(note).size == verifier.read_note(note)[1]
    for what, data in _near_misses(note).items():
        with pytest.raises(IntegrityError):
            read_note(data)
        with pytest.raises(ValueError, match=r"."):
            verifier.read_note(data)
        assert what


@pytest.mark.parametrize("junk", [b"", b"junk", b"-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n"])
def test_keys_that_are_none(home: SampleHome, tmp_path: Path, junk: bytes) -> None:
    """Junk in place of a private key is refused by code; in place of a public one the verifier can't read it."""
    with pytest.raises(ComplianceError) as caught:
        _check(home, junk)
    assert caught.value.code == "bad_key"
    (tmp_path / "pub").write_bytes(junk)
    assert "cannot read" in verify_home(home.root, key=tmp_path / "pub")["first_bad"]["reason"]


def test_false_checkpoint_records(home: SampleHome) -> None:
    """A checkpoint record whose root or consistency proof is not the log's is named."""
    from audit.ledger import RecordDraft

    fields = {
        "size": 3,
        "root": home.ledger.tree.root(3).hex(),
        "key_id": "0",
        "from_size": 2,
        "consistency": ["0" * 64],
        **WHO,
    }
    committed = home.ledger.append([RecordDraft("checkpoint", fields)])[0]
    assert verify_home(home.root)["first_bad"]["index"] == committed.index


def _note(home: SampleHome, pem: bytes, size: int) -> Path:
    """A note over the log as it is, signed by whoever holds the key, put into the home."""
    from audit.notes import read_private

    path = home.root / "ledger/checkpoints" / f"{size:020d}.note"
    path.write_bytes(sign_note(read_private(pem), ORIGIN, size, home.ledger.tree.root(size).hex()))
    return path


def test_a_pinned_key_that_was_revoked_signs_no_more(home: SampleHome, tmp_path: Path) -> None:
    """A note of a revoked key above its revocation is refused, also where that very key is pinned; its old notes stay good."""
    pem = _pem()
    first = _check(home, pem)
    (tmp_path / "pub.pem").write_bytes(_public(pem))
    index = revoke_key(home.ledger, key_id(ORIGIN, read_public(pem)).hex(), reason="stolen", **WHO)
    for options in ({}, {"key": tmp_path / "pub.pem"}):
        assert verify_home(home.root, **options)["checked"]["signed_size"] == first.size
    forged = _note(home, pem, home.ledger.size)
    bad = verify_home(home.root, key=tmp_path / "pub.pem")["first_bad"]
    assert bad["step"] == "4 checkpoints"
    assert f"ended by record {index}" in bad["reason"]
    assert "no valid signature" in verify_home(home.root)["first_bad"]["reason"]
    forged.unlink()
    _note(home, pem, index)
    assert verify_home(home.root, key=tmp_path / "pub.pem")["checked"]["pinned_size"] == index


def test_a_pinned_key_that_was_replaced_signs_no_more(home: SampleHome, tmp_path: Path) -> None:
    """The same for a key that another took over from, and for one that the log only ever revoked."""
    from audit.ledger import RecordDraft

    first, second = _pem(), _pem()
    _check(home, first)
    home.note()
    _check(home, second, rotate=True)
    (tmp_path / "pub.pem").write_bytes(_public(first))
    forged = _note(home, first, home.ledger.size)
    assert "ended by record" in verify_home(home.root, key=tmp_path / "pub.pem")["first_bad"]["reason"]
    forged.unlink()
    stranger = _pem()
    raw = read_public(stranger)
    name = key_id(ORIGIN, raw).hex()
    (tmp_path / "pub.pem").write_bytes(_public(stranger))
    _note(home, stranger, home.ledger.size)
    assert verify_home(home.root, key=tmp_path / "pub.pem")["valid"]
    public = base64.b64encode(raw).decode()
    revoked = RecordDraft("key", {"event": "revoke", "key_id": name, "public_key": public, "replaces": None, **WHO})
    home.ledger.append([revoked])
    assert verify_home(home.root, key=tmp_path / "pub.pem")["valid"]
    _note(home, stranger, home.ledger.size)
    assert "ended by record" in verify_home(home.root, key=tmp_path / "pub.pem")["first_bad"]["reason"]


def test_a_note_under_a_name_that_is_not_its_own(home: SampleHome, tmp_path: Path) -> None:
    """A note under another size's name, in home or witness, is not valid: neither counted twice nor taken for a newer one."""
    pem, witness = _pem(), tmp_path / "witness"
    size = _check(home, pem, witness).size
    kept = witness_folder(witness, ORIGIN)
    for folder in (home.root / "ledger/checkpoints", kept):
        copy = folder / f"{size + 1:020d}.note"
        shutil.copy(folder / f"{size:020d}.note", copy)
        assert "a name that is not its own" in verify_home(home.root, witness=witness)["first_bad"]["reason"]
        copy.unlink()
    assert verify_home(home.root, witness=witness)["checked"]["checkpoints"] == 2


def test_a_witness_refutes_a_log_cut_before_its_key(home: SampleHome, tmp_path: Path) -> None:
    """A log cut back to before the record that names the signing key is found too short, key given or not."""
    shutil.copytree(home.root, tmp_path / "earlier")
    size = home.ledger.size
    _check(home, _pem(), tmp_path / "witness")
    bad = verify_home(tmp_path / "earlier", witness=tmp_path / "witness")["first_bad"]
    assert (bad["step"], bad["index"]) == ("4 checkpoints", size)


def test_where_nothing_tells_which_record(home: SampleHome, tmp_path: Path) -> None:
    """Trees recomputed under a note without leaf hashes: no record is blamed, and the report says what would tell."""
    from test_tamper import _recompute

    pem = _pem()
    size = _check(home, pem).size
    _recompute(home.root, 4, {"actor": "eve"})
    bad = verify_home(home.root)["first_bad"]
    assert (bad["step"], bad["index"]) == ("4 checkpoints", None)
    assert f"some record from 0 to {size - 1} was changed" in bad["reason"]
    assert ".leaves" in bad["reason"]


def test_how_far_signatures_reach_in_words(home: SampleHome, tmp_path: Path) -> None:
    """Without a note: NO CHECKPOINT. With one: up to which record of how many, by the key given or one the log itself names."""
    assert "NO CHECKPOINT: nothing signed is in this home" in " ".join(verify_home(home.root)["checked"]["in_words"])
    pem = _pem()
    size = _check(home, pem).size
    home.note("not signed yet")
    total = home.ledger.size
    said = " ".join(verify_home(home.root)["checked"]["in_words"])
    assert f"Signed up to record {size} of {total}" in said
    assert "give the owner's with --key" in said
    (tmp_path / "pub.pem").write_bytes(_public(pem))
    report = verify_home(home.root, key=tmp_path / "pub.pem")
    said = " ".join(report["checked"]["in_words"])
    assert f"Signed with the key you gave: up to record {size} of {total}" in said
    assert f"vouches for the {total - size} after them" in said
    (home.root / "ledger/head").unlink()
    (said,) = verify_home(home.root)["checked"]["in_words"]
    assert said == "CANNOT BE READ, so not valid (step 1 head): head is missing from ledger/."


def test_no_sentence_blames_a_record_called_none(home: SampleHome) -> None:
    """A verdict names a record by number or none at all."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    (home.root / "ledger/keys" / committed.header["sealed_under"]).unlink()
    (said,) = verify_home(home.root)["checked"]["in_words"]
    assert said == f"NOT VALID, at record {committed.index} (step 6 parts): its key is gone and no erasure is on record."


def test_a_head_set_back_is_found(home: SampleHome, tmp_path: Path) -> None:
    """A head that acknowledges fewer records than a note signed or a shown answer was given on was set back."""
    earlier = (home.root / "ledger/head").read_bytes()
    _, shown = home.answer("policy@2", 1, "2024-05-01")
    (tmp_path / "a.json").write_text(json.dumps(shown))
    (home.root / "ledger/head").write_bytes(earlier)
    report = verify_home(home.root)
    assert (report["valid"], report["checked"]["beyond_head"]) == (True, 1)
    assert "it was set back" in verify_home(home.root, receipt=tmp_path / "a.json")["first_bad"]["reason"]
    _check(SampleHome(home.root), _pem())
    (home.root / "ledger/head").write_bytes(earlier)
    bad = verify_home(home.root)["first_bad"]
    assert bad["step"] == "4 checkpoints"
    assert "it was set back" in bad["reason"]
