from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from test_checkpoint import _check, _pem, _public

from audit.bundle import export_all, export_bundle
from audit.erasure import erase
from audit.ledger import Ledger, RecordDraft
from audit.notes import read_note
from audit.tiles import TILE_WIDTH, export_tiles, tile_path
from audit.tree import leaf_hash, root_of
from audit.verifier import CitedClause, print_page, verify_home
from schemas.errors import InputRejected
from schemas.home import Home
from tests.audit.sample_home import ORIGIN, SampleHome

WHO: Any = {"actor": "dpo", "actor_auth": "asserted"}


def test_bundle_verifies_where_nobody_saw_us(home: SampleHome, tmp_path: Path) -> None:
    """A bundle carries its own verifier and verifies in an empty environment: isolated Python, no path to us, with the key."""
    committed, shown = home.answer("policy@2", 2, "2024-05-01", question="When <are> fees due? 何时?")
    home.note("not part of it")
    pem = _pem()
    _check(home, pem)
    made = export_bundle(home.ledger, Home(home.root), committed.index, tmp_path / "x.zip")
    assert made["signed"]
    away = tmp_path / "away"
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        archive.extractall(away)
    (away / "pub.pem").write_bytes(_public(pem))
    environment = {"PATH": os.environ["PATH"]}
    for extra in ([], ["--key", "pub.pem"], ["--receipt", "answer.json"]):
        command = [sys.executable, "-I", "verifier.py", ".", *extra]
        done = subprocess.run(command, cwd=away, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    assert json.loads(done.stdout)["checked"]["citations"] == 1
    report = verify_home(tmp_path / "x.zip")
    assert report["valid"], report
    assert (report["root"], report["size"]) == (home.ledger.tree.root(made["size"]).hex(), made["size"])
    page = (away / "index.html").read_text()
    assert "When &lt;are&gt; fees due? 何时?" in page
    assert f"<mark>{shown['citations'][0]['quote']}</mark>" in page
    assert "费用六月到期" in page
    assert json.loads((away / "answer.json").read_text()) == shown
    text = "".join(path.read_text("utf-8", "replace") for path in away.rglob("*") if path.is_file())
    assert "not part of it" not in text


def test_bundle_without_a_checkpoint(home: SampleHome, tmp_path: Path) -> None:
    """Without a checkpoint the bundle says so and a receipt vouches for it; an existing file is not overwritten."""
    committed, shown = home.answer("policy@2", 2, "2024-05-01")
    out = tmp_path / "x.zip"
    assert not export_bundle(home.ledger, Home(home.root), committed.index, out)["signed"]
    (tmp_path / "a.json").write_text(json.dumps(shown))
    assert verify_home(out, receipt=tmp_path / "a.json")["valid"]
    other, shown_other = home.answer("policy@1", 2, "2021-05-01")
    (tmp_path / "a.json").write_text(json.dumps(shown_other))
    assert verify_home(out, receipt=tmp_path / "a.json")["first_bad"]["index"] == other.index
    with pytest.raises(InputRejected) as caught:
        export_bundle(home.ledger, Home(home.root), committed.index, out)
    assert caught.value.code == "out_exists"
    with pytest.raises(InputRejected):
        export_bundle(home.ledger, Home(home.root), 0, tmp_path / "y.zip")


def test_every_byte_of_a_bundle_counts(home: SampleHome, tmp_path: Path) -> None:
    """A flip in any proved file of a bundle is found; junk for a bundle can't be read; hostile names are not unpacked."""
    committed, _ = home.answer("policy@2", 2, "2024-05-01")
    _check(home, _pem())
    export_bundle(home.ledger, Home(home.root), committed.index, tmp_path / "x.zip")
    away = tmp_path / "away"
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        archive.extractall(away)
    proved = [
        *(away / "ledger").rglob("*"),
        *(away / "sources").iterdir(),
        *(away / "extracted").iterdir(),
        away / "bundle.json",
    ]
    for path in filter(Path.is_file, proved):
        data = path.read_bytes()
        for at in range(0, len(data), max(1, len(data) // 25)):
            path.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
            assert not verify_home(away)["valid"], (path.name, at)
        path.write_bytes(data)
    assert verify_home(away)["valid"]
    whole = (tmp_path / "x.zip").read_bytes()
    for junk in (b"", b"junk", whole[: len(whole) // 2], whole[:40] + b"\xff" * 40 + whole[80:]):
        (tmp_path / "y.zip").write_bytes(junk)
        assert not verify_home(tmp_path / "y.zip")["valid"]
    for name in ("../out", "/abs", "a//b", "a/./b"):
        with zipfile.ZipFile(tmp_path / "z.zip", "w") as archive:
            archive.writestr(name, b"x")
        assert "cannot read" in verify_home(tmp_path / "z.zip")["first_bad"]["reason"]
    assert not (tmp_path / "out").exists()


def test_bundle_of_an_erased_answer(home: SampleHome, tmp_path: Path) -> None:
    """After erasure the bundle still verifies and says that the words are gone; a bundle carries no other record's key."""
    committed, _ = home.answer("policy@2", 2, "2024-05-01", question="canary-15")
    _check(home, _pem())
    erase(home.ledger, committed.index, reason="x", **WHO)
    export_bundle(home.ledger, Home(home.root), committed.index, tmp_path / "x.zip")
    report = verify_home(tmp_path / "x.zip")
    assert report["valid"], report
    assert report["checked"]["answers_unopened"] == 1
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        assert "were erased" in archive.read("index.html").decode()
        assert not [name for name in archive.namelist() if name.startswith("ledger/keys/")]


def test_export_all_restores(home: SampleHome, tmp_path: Path) -> None:
    """The whole home exported, wiped and unpacked again has the same size and root, opens, and goes on."""
    size, root = home.ledger.size, home.ledger.root
    export_all(home.ledger, Home(home.root), tmp_path / "all.zip")
    shutil.rmtree(home.root)
    with zipfile.ZipFile(tmp_path / "all.zip") as archive:
        archive.extractall(home.root)
    again = Ledger.open(home.root / "ledger", origin=ORIGIN)
    assert (again.size, again.root) == (size, root)
    assert verify_home(home.root)["valid"]
    again.append([RecordDraft("x-note", {"n": 1})])
    assert verify_home(home.root)["valid"]


def test_tiles(tmp_path: Path) -> None:
    """Entries are the lines, level-0 hashes are theirs and give the note's root, and full tiles' roots make level 1."""
    home = SampleHome(tmp_path / "home")
    home.ledger.append([RecordDraft("x-n", {"n": number}) for number in range(TILE_WIDTH + 40)])
    with pytest.raises(InputRejected):
        export_tiles(home.ledger, tmp_path / "tiles")
    _check(home, _pem())
    size = export_tiles(home.ledger, tmp_path / "tiles")
    note = read_note((tmp_path / "tiles/checkpoint").read_bytes())
    rest = size - TILE_WIDTH
    hashes = (tmp_path / "tiles/tile/0/000").read_bytes() + (tmp_path / f"tiles/tile/0/001.p/{rest}").read_bytes()
    leaves = [hashes[at : at + 32] for at in range(0, len(hashes), 32)]
    assert (len(leaves), root_of(leaves).hex()) == (note.size, note.root)
    assert (tmp_path / "tiles/tile/1/000.p/1").read_bytes() == root_of(leaves[:TILE_WIDTH])
    data, found = (tmp_path / "tiles/tile/entries/000").read_bytes(), []
    while data:
        length = int.from_bytes(data[:2], "big")
        found.append(leaf_hash(data[2 : 2 + length]))
        data = data[2 + length :]
    assert found == leaves[:TILE_WIDTH]
    assert [tile_path(number) for number in (0, 999, 1000, 1234067)] == ["000", "999", "x001/000", "x001/x234/067"]


def test_quote_over_two_pieces() -> None:
    """A quote that runs over two spans of a clause is marked in both, and not between."""
    text = "A one two [page 3] three four. B"
    citation = {"n": 1, "clause_id": "d@1#1", "sha256": "0", "quote": "two\nthree", "quote_span": [4, 13]}
    header = {
        "answer_id": "a",
        "recorded_at": "t",
        "actor": "x",
        "actor_auth": "os",
        "as_of": "d",
        "known_at": "k",
        "status": "s",
    }
    clause = CitedClause(citation, text, [(2, 9), (19, 30)])
    page = print_page(header | {"corpus_root": "r"}, {"question": "q", "answer": "w"}, [clause], [])
    assert page.count("<mark>") == 2
    assert "<mark>two</mark>" in page
    assert "<mark>three</mark>" in page
