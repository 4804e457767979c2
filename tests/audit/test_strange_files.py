"""Files that are no files, archives that lie, numbers too large: a verdict at once, in words."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_checkpoint import _check, _pem, _public
from test_tamper import _recompute

from audit import verifier
from audit.bundle import export_bundle
from audit.verifier import verify_home
from schemas.home import Home
from tests.audit.sample_home import SampleHome

# A verifier that waits on a pipe waits for ever; a sound one takes a second.
PATIENCE = 60
# Enough for an interpreter with cryptography, and far less than an endless file.
MEMORY = 1 << 30
MAKE: dict[str, Callable[[Path], None]] = {
    "pipe": lambda path: os.mkfifo(path),
    "endless": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "folder": lambda path: path.mkdir(),
    "circle": lambda path: path.symlink_to(path),
}
PLACES = ("head", "format", "log", "part", "key", "source", "extracted", "note", "witness", "leaves", "receipt", "pinned")


def _place(home: SampleHome, tmp_path: Path, place: str) -> Path:
    """The file of a home, or beside it, that a step reads."""
    ledger, publication, answer = home.root / "ledger", home.ledger.header(0), home.ledger.header(2)
    return {
        "head": ledger / "head",
        "format": ledger / "format",
        "log": ledger / "log/0000000000.jsonl",
        "part": ledger / "parts" / answer["parts"][2]["sha256"],
        "key": ledger / "keys" / answer["sealed_under"],
        "source": home.root / "sources" / publication["source_sha256"],
        "extracted": home.root / "extracted" / f"{publication['extracted_sha256']}.txt",
        "note": next((ledger / "checkpoints").iterdir()),
        "witness": next((tmp_path / "witness").rglob("*.note")),
        "leaves": next((tmp_path / "witness").rglob("*.leaves")),
        "receipt": tmp_path / "a.json",
        "pinned": tmp_path / "pub.pem",
    }[place]


@pytest.mark.parametrize("place", PLACES)
def test_only_regular_files_are_opened(home: SampleHome, tmp_path: Path, place: str) -> None:
    """A pipe, a device, a folder or a link in a circle wherever a file is read: not valid, with a reason, and no waiting."""
    pem = _pem()
    _check(home, pem, tmp_path / "witness")
    (tmp_path / "pub.pem").write_bytes(_public(pem))
    _, shown = home.answer("policy@2", 1, "2024-05-01")
    (tmp_path / "a.json").write_text(json.dumps(shown))
    options: Any = {"witness": tmp_path / "witness", "receipt": tmp_path / "a.json", "key": tmp_path / "pub.pem"}
    assert verify_home(home.root, **options)["valid"]
    path = _place(home, tmp_path, place)
    data = path.read_bytes()
    if place == "leaves":  # read only where a root is not the log's
        _recompute(home.root, 3, {"actor": "eve"})
    for make in MAKE.values():
        path.unlink()
        make(path)
        bad = verify_home(home.root, **options)["first_bad"]
        assert bad["reason"].strip()
        assert not bad["reason"].endswith(": ")
        path.rmdir() if path.is_dir() else path.unlink()
        path.write_bytes(data)


def test_a_link_to_a_file_is_that_file(home: SampleHome, tmp_path: Path) -> None:
    """A home whose folders or files are links to regular ones is read as it stands."""
    (home.root / "sources").rename(tmp_path / "elsewhere")
    (home.root / "sources").symlink_to(tmp_path / "elsewhere")
    assert verify_home(home.root)["valid"]


@pytest.mark.parametrize("place", ["log", "source", "head"])
def test_an_endless_file_under_a_memory_limit(home: SampleHome, tmp_path: Path, place: str) -> None:
    """With little memory, a link to /dev/zero or a file of many empty gigabytes ends in a verdict with a reason."""
    _check(home, _pem(), tmp_path / "witness")
    _check_place = {"log": "log/0000000000.jsonl", "head": "head"}
    path = (
        home.root / "sources" / home.ledger.header(0)["source_sha256"]
        if place == "source"
        else home.root / "ledger" / _check_place[place]
    )
    path.unlink()
    limited = f"import resource, runpy, sys; resource.setrlimit(resource.RLIMIT_AS, ({MEMORY}, {MEMORY}))"
    run = f"{limited}; sys.argv[1:] = [{str(home.root)!r}]; runpy.run_path({verifier.__file__!r}, run_name='__main__')"
    for make in (MAKE["endless"], _hollow):
        make(path)
        done = subprocess.run([sys.executable, "-c", run], capture_output=True, text=True, timeout=PATIENCE, check=False)
        assert done.returncode == 4, done.stderr
        assert json.loads(done.stdout)["first_bad"]["reason"].strip(" .:")
        path.unlink()


def _hollow(path: Path) -> None:
    """A file of three gigabytes that takes no room."""
    path.write_bytes(b"")
    os.truncate(path, 3 << 30)


def test_archives_that_lie(home: SampleHome, tmp_path: Path) -> None:
    """Entries packed in other ways, damaged, encrypted or cut: cannot be read, never an error of a library."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    export_bundle(home.ledger, Home(home.root), committed.index, tmp_path / "good.zip")
    with zipfile.ZipFile(tmp_path / "good.zip") as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    for method in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2, zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
        path = tmp_path / f"{method}.zip"
        with zipfile.ZipFile(path, "w", method) as archive:
            for name, data in entries.items():
                archive.writestr(name, data)
        data = path.read_bytes()
        start = 30 + len(next(iter(entries)))
        for at in (start, start + 5, start + 9, start + 40, 6, 8, len(data) - 30, len(data) - 10):
            for mask in (0x01, 0x80, 0xFF):
                changed = bytearray(data)
                changed[at] ^= mask
                path.write_bytes(changed)
                report = verify_home(path)
                assert report["valid"] or report["first_bad"]["reason"].strip(), (method, at)
        path.write_bytes(data)
        assert verify_home(path)["valid"] == (method in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED))


def test_a_pipe_in_place_of_a_bundle(tmp_path: Path) -> None:
    """What is neither a folder nor a file is not waited for."""
    os.mkfifo(tmp_path / "x.zip")
    assert "not a regular file" in verify_home(tmp_path / "x.zip")["first_bad"]["reason"]


@pytest.mark.parametrize("number", [2**53, -(2**53), 10**30, 10**4200])
def test_integers_beyond_the_limit(home: SampleHome, number: int) -> None:
    """A header with an integer that is not exact everywhere is no header, in itself or deep in it; the limit's own is one."""
    _recompute(home.root, 4, {"x": [{"y": verifier.INTEGER_LIMIT}]})
    assert verify_home(home.root)["valid"]
    for value in (number, [{"y": [number]}]):
        _recompute(home.root, 4, {"x": value})
        bad = verify_home(home.root)["first_bad"]
        assert (bad["step"], bad["index"]) == ("2 lines", 4)


def test_digits_in_a_text_are_no_number(home: SampleHome) -> None:
    """Sixteen digits inside a string are text."""
    _recompute(home.root, 4, {"text": 'id:1234567890123456789,[1234567890123456789 "x":-1234567890123456789'})
    assert verify_home(home.root)["valid"]


def test_reasons_are_for_people(home: SampleHome, tmp_path: Path) -> None:
    """No text of the language's own, no huge number and no control character in a reason."""
    _, shown = home.answer("policy@2", 1, "2024-05-01")
    path = tmp_path / "a.json"
    seen = []
    for text in (
        "",
        "{",
        "\ud800",
        json.dumps(shown | {"ledger": shown["ledger"] | {"size": 10**4000}}),
        json.dumps(shown)[:-1] + "," + "9" * 5000,
        "[" * 100_000,
        json.dumps(shown).replace('"size": 9', '"size": ' + "9" * 5000),
    ):
        path.write_bytes(text.encode("utf-8", "surrogatepass"))
        seen.append(verify_home(home.root, receipt=path)["first_bad"]["reason"])
    _recompute(home.root, 4, {"as_of": "x\n\x1b[31m" * 200})
    (home.root / "ledger/format").write_bytes(b"\x1b\xff")
    seen.append(verify_home(home.root)["first_bad"]["reason"])
    for reason in seen:
        assert len(reason) <= verifier.REASON_LENGTH + 1
        assert reason.isprintable()
        for word in ("Expecting", "char ", "Error", "codec", "None", "b'", "Traceback", "99999999999999999999", "0" * 40):
            assert word not in reason, reason


def test_a_failing_openssl_prints_no_key(home: SampleHome, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """When the program openssl fails, the reason doesn't show its command line, which holds a key."""
    tool = tmp_path / "openssl"
    tool.write_text("#!/bin/sh\nexit 3\n")
    tool.chmod(0o755)
    monkeypatch.setattr(verifier, "library", lambda: False)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    home.answer("policy@2", 1, "2024-05-01")
    reason = verify_home(home.root)["first_bad"]["reason"]
    assert reason == "cannot read: the program openssl failed"
