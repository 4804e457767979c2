"""What is read as a home and what as a bundle, and what a witness or a receipt vouches for in a bundle."""

from __future__ import annotations

import json
import shutil
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_checkpoint import _check, _pem, _public

from audit import verifier
from audit.bundle import export_all, export_bundle
from audit.tree import Tree
from audit.verifier import verify_home
from schemas.home import Home
from tests.audit.sample_home import ORIGIN, SampleHome

Bundle = tuple[Path, dict[str, Any]]


def _unpacked(home: SampleHome, index: int, folder: Path) -> Path:
    export_bundle(home.ledger, Home(home.root), index, folder.with_suffix(".zip"))
    with zipfile.ZipFile(folder.with_suffix(".zip")) as archive:
        archive.extractall(folder)
    return folder


@pytest.fixture
def bundle(home: SampleHome, tmp_path: Path) -> Bundle:
    """An unsigned bundle, unpacked, and its answer as shown."""
    committed, shown = home.answer("policy@2", 2, "2024-05-01")
    home.note("later")
    return _unpacked(home, committed.index, tmp_path / "away"), shown


def _reason(root: Path, **options: Any) -> str:
    report = verify_home(root, **options)
    assert not report["valid"], report
    return str(report["first_bad"]["reason"])


def _words(report: dict[str, Any]) -> str:
    assert report["valid"], report
    return " ".join(report["checked"]["in_words"])


def test_a_bundle_dropped_into_a_home_changes_nothing(home: SampleHome, bundle: Bundle) -> None:
    """A home with a sound bundle.json beside its ledger is still checked as a home: its damaged log is found."""
    shutil.copy(bundle[0] / "bundle.json", home.root)
    assert verify_home(home.root)["size"] == home.ledger.size
    (home.root / "ledger/log/0000000000.jsonl").write_bytes(b"garbage\n")
    assert "not a header" in _reason(home.root)


def test_each_mark_of_a_home_makes_it_one(bundle: Bundle, tmp_path: Path) -> None:
    """A bundle with any one file or folder that only homes have is read as a home; without them it is called a bundle."""
    away, _ = bundle
    assert "an evidence bundle, not a whole log" in _words(verify_home(away))
    for mark in verifier.HOME_MARKS:
        shutil.copytree(away, tmp_path / "marked")
        (tmp_path / "marked" / mark).write_bytes(b"")
        assert "ledger" in _reason(tmp_path / "marked")
        shutil.rmtree(tmp_path / "marked")


def test_what_was_expected(home: SampleHome, bundle: Bundle) -> None:
    """With expect, a home in a bundle's place is refused, and a bundle in a home's."""
    assert verify_home(home.root, expect="home")["valid"]
    assert verify_home(bundle[0], expect="bundle")["valid"]
    assert "an evidence bundle was expected" in _reason(home.root, expect="bundle")
    assert "a home was expected" in _reason(bundle[0], expect="home")


def test_a_whole_log_in_a_zip_is_held_against_the_witness(home: SampleHome, tmp_path: Path) -> None:
    """A zip with a log is a whole log: shorter than what the witness signed, it is invalid at the first record missing."""
    export_all(home.ledger, Home(home.root), tmp_path / "all.zip")
    size = home.ledger.size
    home.note("seen by the witness")
    _check(home, _pem(), tmp_path / "witness")
    bad = verify_home(tmp_path / "all.zip", witness=tmp_path / "witness")["first_bad"]
    assert (bad["step"], bad["index"]) == ("4 checkpoints", size)


def _grown(home: SampleHome, folder: Path) -> Path:
    """A witness that saw the log after it went on."""
    home.note("the log goes on")
    _check(home, _pem(), folder)
    return folder


def test_the_witness_proves_a_bundle(home: SampleHome, bundle: Bundle, tmp_path: Path) -> None:
    """With the witness's leaf hashes a bundle of an earlier tree is proved; a record changed under a fitting tree is named."""
    away, _ = bundle
    witness = _grown(home, tmp_path / "witness")
    assert verify_home(away, witness=witness)["valid"]
    _forge(away, 0, lambda header: header.update(actor="eve"))
    assert verify_home(away)["first_bad"]["step"] == "9 page"
    (away / "index.html").unlink()
    (away / "answer.json").unlink()
    assert verify_home(away)["valid"]
    bad = verify_home(away, witness=witness)["first_bad"]
    assert (bad["step"], bad["index"]) == ("4 checkpoints", 0)


def test_a_tree_of_another_log_is_found_by_the_witness(home: SampleHome, bundle: Bundle, tmp_path: Path) -> None:
    """All records genuine, in a tree that was never the log's: the witness's leaf hashes give another root."""
    away, _ = bundle
    witness = _grown(home, tmp_path / "witness")
    for name in ("index.html", "answer.json"):
        (away / name).unlink()
    _forge(away, None, lambda header: None)
    assert verify_home(away)["valid"]
    assert "do not give the bundle's root" in _reason(away, witness=witness)


def test_what_a_witness_without_leaves_can_tell(home: SampleHome, bundle: Bundle, tmp_path: Path) -> None:
    """Without leaf hashes a note of the bundle's size still refutes another root; of another size it says not compared."""
    away, _ = bundle
    pem = _pem()
    _check(home, pem, tmp_path / "witness")
    for path in (tmp_path / "witness").rglob("*.leaves"):
        path.unlink()
    assert "was NOT COMPARED with the bundle" in _words(verify_home(away, witness=tmp_path / "witness"))
    index = home.ledger.find("answer", "answer_id", bundle[1]["answer_id"])
    assert index is not None
    signed = _unpacked(home, index, tmp_path / "signed")
    assert "NOT COMPARED" not in _words(verify_home(signed, witness=tmp_path / "witness"))
    shutil.rmtree(signed / "ledger/checkpoints")
    _forge(signed, 0, lambda header: header.update(actor="eve"))
    assert "has another root than the bundle" in _reason(signed, witness=tmp_path / "witness")
    (tmp_path / "pub.pem").write_bytes(_public(pem))
    assert "no checkpoint in it is signed" in _reason(away, key=tmp_path / "pub.pem")


def test_an_unsigned_bundle_says_so(bundle: Bundle) -> None:
    """A bundle without a note says in words that it is not signed."""
    assert "NOT SIGNED: no checkpoint is in this bundle" in _words(verify_home(bundle[0]))


def _forge(away: Path, at: int | None, change: Callable[[dict[str, Any]], object]) -> None:
    """Change record ``at`` of a bundle and make proofs, root and consistency fit; records left out are invented."""
    bundle = json.loads((away / "bundle.json").read_bytes())
    headers = {record["index"]: json.loads(record["line"]) for record in bundle["records"]}
    if at is not None:
        change(headers[at])
    lines = {index: verifier.canonical(header) for index, header in headers.items()}
    tree = Tree()
    for index in range(bundle["size"]):
        tree.add(verifier.sha(b"\x00" + lines.get(index, b"invented %d" % index)))
    bundle["records"] = [
        {"index": index, "line": line.decode(), "proof": [item.hex() for item in tree.inclusion(index, bundle["size"])]}
        for index, line in lines.items()
    ]
    bundle["root"] = tree.root().hex()
    bundle["consistency"] = [item.hex() for item in tree.consistency(bundle["from_size"], bundle["size"])]
    (away / "bundle.json").write_bytes(verifier.canonical(bundle))


def test_a_receipt_vouches_for_the_whole_bundle(bundle: Bundle, tmp_path: Path) -> None:
    """A genuine receipt proves an unsigned bundle; publications forged in a tree of one's own are refuted by it."""
    away, shown = bundle
    receipt = tmp_path / "a.json"
    receipt.write_text(json.dumps(shown))
    assert verify_home(away, receipt=receipt)["checked"]["receipts"] == 1
    for name in ("index.html", "answer.json"):
        (away / name).unlink()
    _forge(away, 0, lambda header: header.update(title="FORGED"))
    assert verify_home(away)["valid"]
    assert "is not shown to have grown into the bundle's" in _reason(away, receipt=receipt)


def test_a_receipt_that_nothing_links(home: SampleHome, bundle: Bundle, tmp_path: Path) -> None:
    """Without the consistency proof a receipt is refused where the bundle is unsigned, and its reach is told where it is."""
    away, shown = bundle
    _check(home, _pem())
    index = shown["ledger"]["index"]
    signed = _unpacked(home, index, tmp_path / "signed")
    receipt = tmp_path / "a.json"
    receipt.write_text(json.dumps(shown))
    for folder in (away, signed):
        (folder / "answer.json").unlink()
        value = json.loads((folder / "bundle.json").read_bytes())
        del value["consistency"], value["from_size"]
        (folder / "bundle.json").write_text(json.dumps(value))
    assert "is not shown to have grown" in _reason(away, receipt=receipt)
    assert "vouches for the answer's own record only" in _words(verify_home(signed, receipt=receipt))


def test_bundles_that_prove_nothing(bundle: Bundle) -> None:
    """No records, no answer's record, a record twice, a size of nothing, a format or size of another type: not valid."""
    away, shown = bundle
    index = shown["ledger"]["index"]
    good = json.loads((away / "bundle.json").read_bytes())
    others = [record for record in good["records"] if record["index"] != index]
    for change in (
        {"records": []},
        {"records": others},
        {"records": [*good["records"], good["records"][0]]},
        {"records": [], "size": -5},
        {"size": 0},
        {"size": -5},
        {"size": True},
        {"size": float(good["size"])},
        {"size": 2**60},
        {"format": True},
        {"format": 1.0},
        {"format": 2},
    ):
        (away / "bundle.json").write_text(json.dumps(good | change))
        assert not verify_home(away)["valid"], change
    (away / "bundle.json").write_text('{"size": 3, ' + json.dumps(good)[1:])
    assert "a key stands in it twice" in _reason(away)
    (away / "bundle.json").write_text(json.dumps(good))
    assert verify_home(away)["valid"]


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("index.html", "June", "July"),
        ("index.html", "<h2>Answer", "<p>The bank may do as it pleases.</p><h2>Answer"),
        ("index.html", ".said{", ".said{display:none;"),
        ("answer.json", "June", "July"),
        ("answer.json", '"retrieval_confidence": 0.5', '"retrieval_confidence": 0.50001'),
        ("answer.json", '"quote": true', '"quote": 1'),
        ("answer.json", '"index"', '"index": 1, "index"'),
    ],
)
def test_what_people_read_is_part_of_the_proof(bundle: Bundle, name: str, old: str, new: str) -> None:
    """index.html or answer.json with a word, a style or a type changed is refused; taken away, the report says so."""
    away, _ = bundle
    path = away / name
    text = path.read_text("utf-8")
    assert verify_home(away)["checked"]["pages"] == 2
    assert old in text
    path.write_text(text.replace(old, new, 1), "utf-8")
    bad = verify_home(away)["first_bad"]
    assert (bad["step"], name in bad["reason"]) == ("9 page", True)
    path.unlink()
    assert f"{name} is not in the bundle" in _words(verify_home(away))


def test_a_bundle_without_its_answers_key(bundle: Bundle, tmp_path: Path) -> None:
    """The answer's key taken out of a bundle is a fault, also with a receipt: nobody erased it."""
    away, shown = bundle
    shutil.rmtree(away / "ledger/keys")
    (tmp_path / "a.json").write_text(json.dumps(shown | {"answer": "Do as you please."}))
    for options in ({}, {"receipt": tmp_path / "a.json"}):
        assert "no erasure is on record" in _reason(away, **options) or "not the one shown" in _reason(away, **options)


def test_other_files_are_named(bundle: Bundle) -> None:
    """README, verifier and whatever else lies in a bundle are called no part of the proof."""
    away, _ = bundle
    (away / "summary.pdf").write_bytes(b"")
    words = _words(verify_home(away))
    assert "No part of the proof: README.txt, summary.pdf, verifier.py" in words


def test_a_note_of_a_key_that_the_bundle_does_not_know(home: SampleHome, bundle: Bundle, tmp_path: Path) -> None:
    """A bundle from before the first key was recorded: the witness still compares, and the report asks for the owner's key."""
    away, _ = bundle
    witness = _grown(home, tmp_path / "witness")
    assert "a key that the bundle does not name" in _words(verify_home(away, witness=witness))
    other = SampleHome(tmp_path / "other", origin=ORIGIN)
    other.note("another log of this name")
    for number in range(home.ledger.size):
        other.note(str(number))
    _check(other, _pem(), tmp_path / "theirs")
    assert "not the record that the witness saw" in _reason(away, witness=tmp_path / "theirs")
