"""The published vectors: what was written by an earlier release verifies with this one, and what was refused is refused.

A missing file is written by the test, which then fails until a person has looked at it and committed it.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_checkpoint import _check, _near_misses, _pem, read_public
from test_tamper import _recompute

from audit import verifier
from audit.erasure import erase
from audit.ledger import Ledger
from audit.notes import read_note, signed_by, verifier_key
from audit.tree import Tree, leaf_hash, verify_consistency, verify_inclusion
from audit.verifier import verify_home
from schemas.errors import IntegrityError
from tests.audit.sample_home import ORIGIN, SampleHome, filled

VECTORS = Path(verifier.__file__).parent.parent / "schemas" / "vectors"
WHO: Any = {"actor": "ana", "actor_auth": "asserted"}


def _load(name: str, make: Callable[[], Any]) -> Any:
    path = VECTORS / name
    if not path.exists():
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(make(), ensure_ascii=False, indent=1) + "\n")
        pytest.fail(f"{name} was missing and has been written: look at it and commit it")
    return json.loads(path.read_text())


def _files(root: Path) -> dict[str, str]:
    names = sorted(path for path in root.rglob("*") if path.is_file() and not path.name.endswith("lock"))
    return {str(path.relative_to(root)): base64.b64encode(path.read_bytes()).decode() for path in names}


def _write(root: Path, files: dict[str, str | None]) -> None:
    for name, data in files.items():
        path = root / name
        if data is None:
            path.unlink()
            continue
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(data))


def _changes(home: SampleHome) -> dict[str, tuple[dict[str, bytes | None], int | None]]:
    """Name -> (changed files, the record that a verifier must name)."""
    log = "ledger/log/0000000000.jsonl"
    data = (home.root / log).read_bytes()
    lines = data.splitlines(keepends=True)
    answer = home.ledger.header(2)
    part = f"ledger/parts/{answer['parts'][0]['sha256']}"
    key = f"ledger/keys/{answer['sealed_under']}"
    publication = home.ledger.header(1)
    return {
        "edited": ({log: data.replace(b'"actor":"ana"', b'"actor":"eva"', 1)}, 0),
        "last edited": ({log: b"".join([*lines[:-1], lines[-1].replace(b'"ana"', b'"eva"')])}, len(lines) - 1),
        "deleted": ({log: b"".join(lines[:3] + lines[4:])}, 3),
        "doubled": ({log: b"".join(lines[:4] + lines[3:])}, 4),
        "swapped": ({log: b"".join([*lines[:4], lines[5], lines[4], *lines[6:]])}, 4),
        "cut at a line": ({log: b"".join(lines[:5])}, 5),
        "cut in a line": ({log: data[:-1]}, len(lines) - 1),
        "not canonical": ({log: b"".join([lines[0], lines[1].replace(b",", b", ", 1), *lines[2:]])}, 1),
        "a float": ({log: b"".join([lines[0], lines[1].replace(b'"index":1', b'"index":1.0'), *lines[2:]])}, 1),
        "a doubled last line beyond the head": ({log: data + lines[-1]}, len(lines)),
        "log gone": ({log: None}, 0),
        "head gone": ({"ledger/head": None}, None),
        "head of another root": (
            {"ledger/head": (home.root / "ledger/head").read_bytes().replace(b'"size":', b'"size":1')},
            None,
        ),
        "newer format": ({"ledger/format": b"2\n"}, None),
        "part changed": ({part: b"x" * answer["parts"][0]["length"]}, 2),
        "part gone": ({part: None}, 2),
        "key gone": ({key: None}, 2),
        "key of another": ({key: b"0" * 64 + b"\n"}, 2),
        "source gone": ({f"sources/{publication['source_sha256']}": None}, 1),
        "extracted changed": ({f"extracted/{publication['extracted_sha256']}.txt": b"Something else."}, 1),
    }


def _make_homes(root: Path) -> dict[str, Any]:
    home = filled(root / "home", 9)
    erase(home.ledger, 3, reason="asked", **WHO)
    _check(home, _pem())
    home.note("after")
    report = verify_home(home.root)
    assert report["valid"], report
    invalid = []
    for name, (files, index) in _changes(home).items():
        saved = {path: (home.root / path).read_bytes() for path in files}
        encoded = {path: None if data is None else base64.b64encode(data).decode() for path, data in files.items()}
        _write(home.root, encoded)
        bad = verify_home(home.root)["first_bad"]
        assert bad is not None, name
        assert bad["index"] == index, (name, bad)
        invalid.append({"name": name, "files": encoded, "index": index, "step": bad["step"]})
        for path, data in saved.items():
            (home.root / path).write_bytes(data)
    files = _files(home.root)
    _recompute(home.root, 4, {"actor": "eva"})
    bad = verify_home(home.root)["first_bad"]
    changed = {path: data for path, data in _files(home.root).items() if files[path] != data}
    invalid.append({"name": "recomputed under a checkpoint", "files": changed, "index": bad["index"], "step": bad["step"]})
    return {"origin": ORIGIN, "size": report["size"], "root": report["root"], "files": files, "invalid": invalid}


def test_homes(tmp_path: Path) -> None:
    """The valid home verifies and opens to the published size and root; each change is named at its record and step."""
    vectors = _load("ledger-homes.json", lambda: _make_homes(tmp_path / "make"))
    _write(tmp_path / "home", vectors["files"])
    report = verify_home(tmp_path / "home")
    assert (report["valid"], report["size"], report["root"]) == (True, vectors["size"], vectors["root"])
    ledger = Ledger.open(tmp_path / "home/ledger", origin=vectors["origin"])
    assert (ledger.size, ledger.root) == (vectors["size"], vectors["root"])
    assert len(vectors["invalid"]) > 20
    for case in vectors["invalid"]:
        _write(tmp_path / "home", case["files"])
        bad = verify_home(tmp_path / "home")["first_bad"]
        assert (bad["index"], bad["step"]) == (case["index"], case["step"]), case["name"]
        _write(tmp_path / "home", {path: vectors["files"][path] for path in case["files"]})


def _make_notes(root: Path) -> dict[str, Any]:
    pem = _pem()
    note = _check(filled(root, 5), pem).note
    misses = {what: base64.b64encode(data).decode() for what, data in _near_misses(note).items()}
    return {"note": note.decode(), "key": verifier_key(ORIGIN, read_public(pem)), "refuse": misses}


def test_notes(tmp_path: Path) -> None:
    """The published note is read and proved by both readers; near misses are refused by both."""
    vectors = _load("ledger-notes.json", lambda: _make_notes(tmp_path))
    public = verifier.read_public(vectors["key"].encode())
    note = read_note(vectors["note"].encode())
    origin, size, root, text, signatures = verifier.read_note(vectors["note"].encode())
    assert (origin, size, root) == (note.origin, note.size, note.root)
    assert signed_by(note, public)
    assert verifier.signed(public, text, signatures[0][1][4:])
    assert not verifier.signed(public, text + b"\n", signatures[0][1][4:])
    assert len(vectors["refuse"]) > 18
    for data in map(base64.b64decode, vectors["refuse"].values()):
        with pytest.raises(IntegrityError):
            read_note(data)
        with pytest.raises(ValueError, match=r"."):
            verifier.read_note(data)


def _make_proofs() -> dict[str, Any]:
    tree = Tree()
    for number in range(11):
        tree.add(leaf_hash(b"%d" % number))
    roots = [tree.root(size).hex() for size in range(12)]
    inclusion, consistency = [], []
    for size in (1, 2, 3, 7, 8, 11):
        for index in range(size):
            proof = [item.hex() for item in tree.inclusion(index, size)]
            inclusion.append({"index": index, "size": size, "proof": proof, "holds": True})
            inclusion.append({"index": index, "size": size, "proof": [*proof, "0" * 64], "holds": False})
            inclusion += [{"index": index, "size": size, "proof": proof[:-1], "holds": False}] if proof else []
        for old in range(size + 1):
            proof = [item.hex() for item in tree.consistency(old, size)]
            consistency.append({"old": old, "size": size, "proof": proof, "holds": True})
            consistency.append({"old": old, "size": size, "proof": [*proof, "0" * 64], "holds": False})
            consistency += [{"old": old, "size": size, "proof": proof[1:], "holds": False}] if proof else []
    return {"leaves": [str(number) for number in range(11)], "roots": roots, "inclusion": inclusion, "consistency": consistency}


def test_proofs() -> None:
    """The published proofs hold or don't, as they say, for writer and verifier alike."""
    vectors = _load("ledger-proofs.json", _make_proofs)
    leaves = [leaf_hash(text.encode()) for text in vectors["leaves"]]
    roots = [bytes.fromhex(root) for root in vectors["roots"]]
    for case in vectors["inclusion"]:
        proof = [bytes.fromhex(item) for item in case["proof"]]
        arguments = (case["index"], case["size"], leaves[case["index"]], proof, roots[case["size"]])
        assert verify_inclusion(*arguments) == verifier.proof_holds(*arguments) == case["holds"], case
    for case in vectors["consistency"]:
        proof = [bytes.fromhex(item) for item in case["proof"]]
        arguments = (case["old"], case["size"], proof, roots[case["old"]], roots[case["size"]])
        assert verify_consistency(*arguments) == verifier.consistent(*arguments) == case["holds"], case
