from __future__ import annotations

import errno
import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import textwrap
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

import audit.ledger as ledger_module
from audit import durable
from audit.ledger import Ledger, PartDraft, RecordDraft
from audit.tree import verify_inclusion
from audit.verifier import verify_home
from schemas.errors import ComplianceError, InputRejected, IntegrityError, NotFound
from schemas.ledger import HEADER_LIMIT, LINES_PER_FILE
from tests.audit.sample_home import ORIGIN, WHO, SampleHome, filled


def _note(text: str, *parts: PartDraft) -> RecordDraft:
    return RecordDraft("x-note", {"text": text, **WHO}, parts)


def _opened(root: Path) -> Ledger:
    return Ledger.open(root / "ledger", origin=ORIGIN)


def test_append_and_read_back(home: SampleHome) -> None:
    """A record's header, parts and receipt come back the same from a ledger opened anew."""
    committed, shown = home.answer("policy@2", 1, "2024-05-01", question="Wie lange? 多久？")
    again = _opened(home.root)
    header = again.header(committed.index)
    assert header == committed.header
    assert again.part(header, "question").decode() == "Wie lange? 多久？"
    assert json.loads(again.part(header, "answer")) == {name: value for name, value in shown.items() if name != "ledger"}
    assert (again.size, again.root) == (home.ledger.size, home.ledger.root)
    assert again.find("answer", "request_id", shown["request_id"]) == committed.index
    assert again.find("answer", "request_id", "none") is None
    assert again.receipt(committed.index) == committed.receipt


def test_every_record_is_its_own_receipt(home: SampleHome) -> None:
    """A receipt's size is its index + 1 and its proof leads from the line's hash to the root; so does a later one."""
    for index in range(home.ledger.size):
        for size in (index + 1, home.ledger.size):
            receipt = home.ledger.receipt(index, size)
            assert receipt.size == size
            proof = [bytes.fromhex(item) for item in receipt.proof]
            leaf, root = bytes.fromhex(receipt.leaf_hash), bytes.fromhex(receipt.root)
            assert verify_inclusion(index, size, leaf, proof, root)


def test_personal_parts_are_nowhere_in_clear(home: SampleHome) -> None:
    """A personal part's words stand in no file of the ledger."""
    home.answer("policy@1", 1, "2021-05-01", question="canary-7731 asks")
    for path in (home.root / "ledger").rglob("*"):
        assert not path.is_file() or b"canary-7731" not in path.read_bytes()


def test_batch_is_in_order_and_strictly_later(tmp_path: Path) -> None:
    """Records of one call stand next to each other in the given order, each recorded after the one before, none flagged."""
    ledger = Ledger.open(tmp_path / "ledger", origin=ORIGIN, create=True)
    committed = ledger.append([_note(str(number)) for number in range(50)])
    assert [item.header["text"] for item in committed] == [str(number) for number in range(50)]
    instants = [item.recorded_at for item in committed]
    assert instants == sorted(set(instants))
    assert not any("clock_set_back" in item.header for item in committed)
    assert ledger.append([]) == []


def test_clock_set_back(home: SampleHome, monkeypatch: pytest.MonkeyPatch) -> None:
    """A clock an hour back gives the instant before + 1 µs and a flag; the verifier accepts it; then the clock counts again."""
    before = home.note().recorded_at
    monkeypatch.setattr(ledger_module, "_now", lambda: before - timedelta(hours=1))
    back = home.note()
    assert back.recorded_at == before + timedelta(microseconds=1)
    assert back.header["clock_set_back"] is True
    monkeypatch.setattr(ledger_module, "_now", lambda: datetime(2999, 1, 1, tzinfo=UTC))
    later = home.note()
    assert later.recorded_at == datetime(2999, 1, 1, tzinfo=UTC)
    assert "clock_set_back" not in later.header
    assert verify_home(home.root)["valid"]


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"x": 0.5}, "bad_record"),
        ({"x": [{"y": 1.0}]}, "bad_record"),
        ({"x": 2**53}, "bad_record"),
        ({"x": "\ud800"}, "bad_record"),
        ({"recorded_at": "2020-01-01T00:00:00Z"}, "bad_record"),
        ({"index": 3}, "bad_record"),
        ({"x": "y" * HEADER_LIMIT}, "header_too_large"),
    ],
)
def test_header_refused(home: SampleHome, fields: dict[str, Any], code: str) -> None:
    """Floats, numbers beyond 2**53, broken text, fields that are the ledger's own, long headers: refused, nothing appended."""
    size, root = home.ledger.size, home.ledger.root
    with pytest.raises(InputRejected) as caught:
        home.ledger.append([_note("fine"), RecordDraft("x-note", fields)])
    assert caught.value.code == code
    assert (_opened(home.root).size, _opened(home.root).root) == (size, root)


def test_header_at_the_limit(home: SampleHome) -> None:
    """A line of exactly the limit is taken, one byte more is not."""
    size = len((home.root / "ledger/log/0000000000.jsonl").read_bytes())
    home.ledger.append([RecordDraft("x-note", {"x": ""})])
    empty = len((home.root / "ledger/log/0000000000.jsonl").read_bytes()) - size - 1
    # The refusal reckons with the longest index and the clock flag, so the last bytes before the limit are kept for them.
    home.ledger.append([RecordDraft("x-note", {"x": "y" * (HEADER_LIMIT - empty - 120)})])
    with pytest.raises(InputRejected):
        home.ledger.append([RecordDraft("x-note", {"x": "y" * (HEADER_LIMIT - empty + 1)})])
    assert verify_home(home.root)["valid"]


def test_known_types_have_their_fields(home: SampleHome) -> None:
    """A record of a published type lacking a field of it is refused by name; a type nobody knows is taken."""
    with pytest.raises(InputRejected, match="answer_id"):
        home.ledger.append([RecordDraft("answer", dict(WHO))])
    home.ledger.append([RecordDraft("holiday", {"x": 1})])
    with pytest.raises(InputRejected):
        home.ledger.append([RecordDraft("No Type", {})])


@pytest.fixture(scope="module")
def hundred(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The root of a home of 100 records; copied, never changed."""
    return filled(tmp_path_factory.mktemp("hundred") / "home", 100).root


@pytest.mark.parametrize(
    ("damage", "code"),
    [
        (lambda folder: _cut(folder / "log/0000000000.jsonl", 1), "ledger_behind_head"),
        (lambda folder: (folder / "log/0000000000.jsonl").unlink(), "ledger_behind_head"),
        (lambda folder: _flip(folder / "log/0000000000.jsonl", 200), "ledger_root_mismatch"),
        (lambda folder: (folder / "head").unlink(), "ledger_head_missing"),
        (lambda folder: (folder / "head").write_bytes(b"{}"), "ledger_unreadable"),
        (lambda folder: (folder / "format").write_bytes(b"2\n"), "home_newer"),
        (lambda folder: (folder / "format").write_bytes(b"0\n"), "home_older"),
        (lambda folder: (folder / "format").unlink(), "ledger_unreadable"),
    ],
)
def test_case_25_refuses_to_open(hundred: Path, tmp_path: Path, damage: Any, code: str) -> None:
    """After 100 acknowledged records, a byte cut from the log, the log, head or format gone or changed: refused at open, and
    creating does not paper over it."""
    folder = tmp_path / "home" / "ledger"
    shutil.copytree(hundred / "ledger", folder)
    damage(folder)
    for create in (False, True):
        with pytest.raises(ComplianceError) as caught:
            Ledger.open(folder, origin=ORIGIN, create=create)
        assert caught.value.code == code
        assert caught.value.exit_code == (3 if code.startswith("home_") else 4)


def _cut(path: Path, count: int) -> None:
    os.truncate(path, path.stat().st_size - count)


def _flip(path: Path, at: int) -> None:
    data = bytearray(path.read_bytes())
    data[at] ^= 1
    path.write_bytes(data)


def test_foreign_and_missing(home: SampleHome, tmp_path: Path) -> None:
    """A ledger of another origin and a folder without one are refused by code."""
    with pytest.raises(IntegrityError) as caught:
        Ledger.open(home.root / "ledger", origin="other")
    assert caught.value.code == "foreign_ledger"
    with pytest.raises(IntegrityError) as missing:
        Ledger.open(tmp_path / "nowhere", origin=ORIGIN)
    assert missing.value.code == "ledger_missing"


def test_tail_beyond_the_head(home: SampleHome) -> None:
    """What a writer that died left after the head: whole lines are taken in, a half one is cut; the verifier accepts both."""
    log, head = home.root / "ledger/log/0000000000.jsonl", home.root / "ledger/head"
    before = head.read_bytes()
    size = home.ledger.size
    home.note("durable, not acknowledged")
    home.note("half")
    head.write_bytes(before)
    _cut(log, 30)
    report = verify_home(home.root)
    assert (report["valid"], report["size"], report["checked"]["beyond_head"]) == (True, size + 1, 1)
    again = _opened(home.root)
    assert again.size == size + 1
    assert again.header(size)["text"] == "durable, not acknowledged"
    again.append([_note("next")])
    assert verify_home(home.root)["valid"]
    assert verify_home(home.root)["checked"]["torn_bytes"] == 0


def test_tail_that_does_not_continue_is_refused(home: SampleHome) -> None:
    """A copy of the last record after the head is no continuation: refused at open and found by the verifier."""
    log = home.root / "ledger/log/0000000000.jsonl"
    log.write_bytes(log.read_bytes() + log.read_bytes().splitlines(keepends=True)[-1])
    with pytest.raises(IntegrityError, match="does not continue"):
        _opened(home.root)
    assert verify_home(home.root)["first_bad"]["index"] == home.ledger.size


def test_refresh_and_rollback(home: SampleHome, tmp_path: Path) -> None:
    """Another writer's records are seen after refresh; a head that went back is refused."""
    other = _opened(home.root)
    before = (home.root / "ledger/head").read_bytes()
    home.note("seen")
    assert other.size == home.ledger.size - 1
    other.refresh()
    assert other.root == home.ledger.root
    (home.root / "ledger/head").write_bytes(before)
    with pytest.raises(IntegrityError, match="went back"):
        other.refresh()


def test_damaged_parts(home: SampleHome) -> None:
    """A flipped part, a missing part, a flipped key and a lost key are each refused by code; a record changed on disk too."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    header = committed.header
    key = home.root / "ledger/keys" / header["sealed_under"]
    saved = key.read_bytes()
    key.write_bytes(b"0" * 64 + b"\n")
    assert _code_of(home, header) == "part_damaged"
    key.write_bytes(b"junk")
    assert _code_of(home, header) == "key_damaged"
    key.unlink()
    assert _code_of(home, header) == "key_missing"
    key.write_bytes(saved)
    part = home.root / "ledger/parts" / header["parts"][1]["sha256"]
    _flip(part, 3)
    assert _code_of(home, header) == "part_damaged"
    part.unlink()
    assert _code_of(home, header) == "part_missing"
    _flip(home.root / "ledger/log/0000000000.jsonl", 30)
    with pytest.raises(IntegrityError, match="changed on disk"):
        home.ledger.header(0)
    with pytest.raises(NotFound):
        home.ledger.part(header, "nothing")


def _code_of(home: SampleHome, header: dict[str, Any]) -> str:
    with pytest.raises(IntegrityError) as caught:
        home.ledger.part(header, "answer")
    return caught.value.code


def test_equal_parts_are_kept_once_and_healed(home: SampleHome) -> None:
    """Equal plain parts share a file; a damaged one is moved aside, not overwritten, when its content comes again."""
    first = home.ledger.append([_note("a", PartDraft("body", b"same"))])[0].header
    path = home.root / "ledger/parts" / first["parts"][0]["sha256"]
    path.write_bytes(b"sama")
    second = home.ledger.append([_note("b", PartDraft("body", b"same"))])[0].header
    assert home.ledger.part(second, "body") == home.ledger.part(first, "body") == b"same"
    assert path.with_name(path.name + ".damaged").read_bytes() == b"sama"


def test_files_close_at_ten_thousand(tmp_path: Path) -> None:
    """Records go on in the next file after 10,000 lines, within one batch too, and everything reads and verifies across."""
    ledger = Ledger.open(tmp_path / "home/ledger", origin=ORIGIN, create=True)
    ledger.append([RecordDraft("x-n", {"n": number}) for number in range(LINES_PER_FILE - 1)])
    ledger.append([RecordDraft("x-n", {"n": number}) for number in range(LINES_PER_FILE - 1, LINES_PER_FILE + 2)])
    names = sorted(path.name for path in (tmp_path / "home/ledger/log").iterdir())
    assert names == ["0000000000.jsonl", "0000010000.jsonl"]
    again = Ledger.open(tmp_path / "home/ledger", origin=ORIGIN)
    assert [again.header(index)["n"] for index in (0, 9_999, 10_000, 10_001)] == [0, 9_999, 10_000, 10_001]
    assert verify_home(tmp_path / "home")["size"] == LINES_PER_FILE + 2
    first = tmp_path / "home/ledger/log/0000000000.jsonl"
    first.write_bytes(first.read_bytes() + b"{}\n")
    assert verify_home(tmp_path / "home")["first_bad"]["index"] == LINES_PER_FILE + 1 - 1
    with pytest.raises(IntegrityError):
        Ledger.open(tmp_path / "home/ledger", origin=ORIGIN)


@pytest.mark.parametrize("call", range(1, 9))
@pytest.mark.parametrize("name", ["fsync", "write", "replace"])
def test_disk_failures(home: SampleHome, monkeypatch: pytest.MonkeyPatch, name: str, call: int) -> None:
    """ENOSPC at each write, fsync and rename of an append: an error, a home that verifies, and the next append works."""
    real, count = getattr(os, name), 0

    def failing(*arguments: Any, **options: Any) -> Any:
        nonlocal count
        count += 1
        if count == call:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(*arguments, **options)

    size = home.ledger.size
    monkeypatch.setattr(durable.os, name, failing)
    failed = False
    try:
        home.ledger.append([_note("x", PartDraft("body", os.urandom(9)), PartDraft("secret", b"y", personal=True))])
    except IntegrityError as error:
        failed = error.code == "ledger_write_failed"
    monkeypatch.undo()
    assert failed == (count >= call)
    assert verify_home(home.root)["valid"]
    assert verify_home(home.root)["size"] in (size, size + 1)
    home.ledger.append([_note("after")])
    assert home.ledger.root == _opened(home.root).root
    assert verify_home(home.root)["valid"]


def test_disk_full_when_a_tail_is_taken_in(home: SampleHome, monkeypatch: pytest.MonkeyPatch) -> None:
    """A full disk at opening, when the head must catch up with the log, is an error of ours; with room again it opens."""
    before = (home.root / "ledger/head").read_bytes()
    home.note("durable")
    (home.root / "ledger/head").write_bytes(before)

    def full(*_arguments: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(durable.os, "replace", full)
    with pytest.raises(IntegrityError) as caught:
        _opened(home.root)
    assert caught.value.code == "ledger_write_failed"
    monkeypatch.undo()
    assert _opened(home.root).size == home.ledger.size


def _append_many(folder: str, name: str, count: int) -> None:
    ledger = Ledger.open(Path(folder) / "ledger", origin=ORIGIN)
    for number in range(count):
        ledger.append([_note(f"{name}-{number}", PartDraft("body", name.encode(), personal=True)), _note(f"{name}-{number}b")])


def test_four_processes_append_at_once(tmp_path: Path) -> None:
    """Four processes appending pairs: every record is there once, pairs stand together, each process's own in order."""
    Ledger.open(tmp_path / "ledger", origin=ORIGIN, create=True)
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_append_many, args=(str(tmp_path), f"p{number}", 25)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
        assert worker.exitcode == 0
    texts = [header["text"] for _, header in _opened(tmp_path).headers()]
    assert len(texts) == 200 == len(set(texts))
    assert all(texts[place + 1] == texts[place] + "b" for place in range(0, 200, 2))
    for number in range(4):
        mine = [text for text in texts if text.startswith(f"p{number}-") and not text.endswith("b")]
        assert mine == [f"p{number}-{turn}" for turn in range(25)]
    assert verify_home(tmp_path)["valid"]


CHILD = textwrap.dedent(
    """
    import sys
    from pathlib import Path
    from audit.ledger import Ledger, PartDraft, RecordDraft
    ledger = Ledger.open(Path(sys.argv[1]) / "ledger", origin=sys.argv[2])
    while True:
        for item in ledger.append([RecordDraft("x-note", {"text": "t"}, [PartDraft("body", b"b" * 5000, personal=True)])]):
            sys.stdout.write(f"{item.index} {item.receipt.leaf_hash}\\n")
            sys.stdout.flush()
    """
)


def _crash(root: Path, cycles: int) -> None:
    Ledger.open(root / "ledger", origin=ORIGIN, create=True)
    acknowledged: dict[int, str] = {}
    for cycle in range(cycles):
        child = subprocess.Popen([sys.executable, "-c", CHILD, str(root), ORIGIN], stdout=subprocess.PIPE, text=True)
        assert child.stdout is not None
        for _ in range(1 + cycle * 7 % 11):
            index, leaf = child.stdout.readline().split()
            acknowledged[int(index)] = leaf
        child.send_signal(signal.SIGKILL)
        for line in child.stdout.read().splitlines():
            if len(line.split()) == 2 and len(line.split()[1]) == 64:
                acknowledged[int(line.split()[0])] = line.split()[1]
        child.wait()
        assert verify_home(root)["valid"], verify_home(root)
    ledger = _opened(root)
    for index, leaf in acknowledged.items():
        assert ledger.receipt(index).leaf_hash == leaf
    assert verify_home(root)["valid"]


def test_kill_9_loses_nothing(tmp_path: Path) -> None:
    """Twenty kills of a writer in full run: after each the home verifies, and no acknowledged record is missing or changed."""
    _crash(tmp_path, 20)


@pytest.mark.slow
def test_kill_9_long(tmp_path: Path) -> None:
    """Two hundred kills."""
    _crash(tmp_path, 200)
