"""Every way to alter a ledger is found, at the right record, given the home alone, or one earlier answer."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from audit import verifier
from audit.ledger import PartDraft, RecordDraft
from audit.verifier import verify_home
from schemas.ledger import RESERVED
from tests.audit.sample_home import ORIGIN, SampleHome, filled

SEED = 4


def _log(root: Path) -> Path:
    return root / "ledger/log/0000000000.jsonl"


def _bad(root: Path, **options: Any) -> dict[str, Any]:
    report = verify_home(root, **options)
    assert not report["valid"]
    assert report["first_bad"] is not None
    return dict(report["first_bad"])


def _line_of(data: bytes, at: int) -> int:
    return data.count(b"\n", 0, at)


def _flip_all(path: Path, step: int, expected: Callable[[bytes, int], int | None], root: Path, start: int = 0) -> int:
    data = path.read_bytes()
    done = 0
    for at in range(start, len(data), step):
        for mask in (0x01, 0x80):
            changed = bytearray(data)
            changed[at] ^= mask
            path.write_bytes(changed)
            report = verify_home(root)
            assert not report["valid"], (path.name, at, mask)
            assert report["first_bad"]["index"] == expected(data, at), (path.name, at, mask, report["first_bad"])
            done += 1
    path.write_bytes(data)
    return done


def _flip_home(home: SampleHome, step: int) -> None:
    root = home.root
    _flip_all(_log(root), step, _line_of, root, start=step // 2)
    first_use: dict[str, int] = {}
    for index, header in home.ledger.headers():
        for entry in header["parts"]:
            first_use.setdefault("parts/" + entry["sha256"], index)
        if "sealed_under" in header:
            first_use["keys/" + header["sealed_under"]] = index
    for name, index in first_use.items():
        _flip_all(root / "ledger" / name, step, lambda _data, _at, index=index: index, root, start=step // 3)  # type: ignore[misc]
    head = (root / "ledger/head").read_bytes()
    for at in range(len(head)):
        for mask in (0x01, 0x80):
            changed = bytearray(head)
            changed[at] ^= mask
            (root / "ledger/head").write_bytes(changed)
            _bad(root)
    (root / "ledger/head").write_bytes(head)
    assert verify_home(root)["valid"]


def test_flips(home: SampleHome) -> None:
    """Bytes of log, parts and keys flipped under two masks are found at the record they belong to; every byte of the head."""
    _flip_home(home, 29)


@pytest.mark.slow
def test_every_flip(home: SampleHome) -> None:
    """Every byte of log, head, parts and keys of 8 records, two masks."""
    _flip_home(home, 1)


def _edits(lines: list[bytes], at: int) -> dict[str, tuple[list[bytes], int]]:
    """Name -> (the log's lines, first bad index) for record ``at`` deleted, doubled, swapped, replaced."""
    other = (at + 5) % len(lines)
    last = len(lines) - 1
    result = {
        "deleted": (lines[:at] + lines[at + 1 :], at),
        "doubled": (lines[: at + 1] + lines[at:], at + 1),
        "replaced": ([*lines[:at], lines[other], *lines[at + 1 :]], at),
    }
    if at < last:
        result["swapped"] = ([*lines[:at], lines[at + 1], lines[at], *lines[at + 2 :]], at)
    return result


@pytest.mark.parametrize("count", [24, pytest.param(1000, marks=pytest.mark.slow)])
def test_records_moved(tmp_path: Path, count: int) -> None:
    """Every record deleted, doubled, swapped with its neighbour, replaced by another: found at the right index."""
    home = filled(tmp_path / "home", count)
    data = _log(home.root).read_bytes()
    lines = data.splitlines(keepends=True)
    for at in range(count):
        for name, (changed, index) in _edits(lines, at).items():
            _log(home.root).write_bytes(b"".join(changed))
            assert _bad(home.root)["index"] == index, (at, name)
    _log(home.root).write_bytes(data)
    assert verify_home(home.root)["valid"]


@pytest.mark.parametrize(("count", "tries"), [(60, 150), pytest.param(1000, 5000, marks=pytest.mark.slow)])
def test_seeded_flips_and_truncations(tmp_path: Path, count: int, tries: int) -> None:
    """Random flips in a longer log, every truncation at a line end, random ones inside lines: found at the right record."""
    rng = random.Random(SEED)
    print("seed", SEED)
    home = filled(tmp_path / "home", count)
    data = _log(home.root).read_bytes()
    for _ in range(tries):
        at = rng.randrange(len(data))
        changed = bytearray(data)
        changed[at] ^= 1 << rng.randrange(8)
        _log(home.root).write_bytes(changed)
        assert _bad(home.root)["index"] == _line_of(data, at), at
    ends = [at + 1 for at, byte in enumerate(data) if byte == 10][:-1]
    for size in [0, *ends, *(rng.randrange(len(data)) for _ in range(tries // 2))]:
        _log(home.root).write_bytes(data[:size])
        assert _bad(home.root)["index"] == _line_of(data, size), size


def test_edit_with_the_canonical_form_kept(home: SampleHome) -> None:
    """A header rewritten in canonical form, at every place, is found at that place, although each line alone is well-formed."""
    data = _log(home.root).read_bytes()
    lines = data.splitlines()
    for at, line in enumerate(lines):
        for field, value in (("actor", "eve"), ("previous", "0" * 64), ("recorded_at", "2020-01-01T00:00:00.000000Z")):
            header = json.loads(line) | {field: value}
            changed = [*lines[:at], verifier.canonical(header), *lines[at + 1 :]]
            _log(home.root).write_bytes(b"".join(item + b"\n" for item in changed))
            found = _bad(home.root)["index"]
            assert found == at or (field == "recorded_at" and at == 0 and found == 0), (at, field, found)


def _recompute(root: Path, at: int, change: dict[str, Any]) -> None:
    """The forger's work: edit record ``at``, then recompute every link and the head."""
    lines = _log(root).read_bytes().splitlines()
    leaves: list[bytes] = []
    for index, line in enumerate(lines):
        header = json.loads(line)
        header["previous"] = leaves[-1].hex() if leaves else None
        if index == at:
            header |= change
        lines[index] = verifier.canonical(header)
        leaves.append(verifier.sha(b"\x00" + lines[index]))
    _log(root).write_bytes(b"".join(line + b"\n" for line in lines))
    tree = verifier.tree_of(leaves)
    head = {"format": 1, "leaf": leaves[-1].hex(), "origin": ORIGIN, "root": tree.root(len(leaves)), "size": len(leaves)}
    (root / "ledger/head").write_bytes(verifier.canonical(head) + b"\n")


def test_recomputed_tree_is_found_by_one_answer(home: SampleHome, tmp_path: Path) -> None:
    """Trees recomputed after an edit: sound by themselves, found by any later answer, within the range its proof tells."""
    _, shown = home.answer("policy@2", 1, "2024-05-01")
    receipt = tmp_path / "answer.json"
    receipt.write_text(json.dumps(shown))
    home.note("after")
    assert verify_home(home.root, receipt=receipt)["valid"]
    saved = tmp_path / "saved"
    shutil.copytree(home.root, saved)
    for at in range(home.ledger.size - 1):
        shutil.rmtree(home.root)
        shutil.copytree(saved, home.root)
        _recompute(home.root, at, {"actor": "eve"})
        bad = _bad(home.root, receipt=receipt)
        assert bad["step"] == "5 receipt"
        if bad["index"] is None:
            first, last = map(int, re.findall(r"from (\d+) to (\d+)", bad["reason"])[0])
            assert first <= at <= last
        else:
            assert bad["index"] == at


def test_rollback_is_found_by_one_answer(home: SampleHome, tmp_path: Path) -> None:
    """An earlier whole home put back is sound by itself and refuted by an answer given since, at the first record missing."""
    shutil.copytree(home.root, tmp_path / "earlier")
    size = home.ledger.size
    home.note("lost")
    _, shown = home.answer("policy@2", 1, "2024-05-01")
    receipt = tmp_path / "answer.json"
    receipt.write_text(json.dumps(shown))
    assert verify_home(home.root, receipt=receipt)["valid"]
    assert verify_home(tmp_path / "earlier")["valid"]
    assert _bad(tmp_path / "earlier", receipt=receipt)["index"] == size


def test_forks_are_found_by_each_others_answers(home: SampleHome, tmp_path: Path) -> None:
    """Two forks of one home are each sound; an answer from either refutes the other at the first record that differs."""
    fork = tmp_path / "fork"
    shutil.copytree(home.root, fork)
    size = home.ledger.size
    other = SampleHome(fork)
    other.rows, other.texts, other.corpus, other.answers = home.rows, home.texts, home.corpus, 50
    receipts = []
    for place, branch in enumerate((home, other)):
        branch.note(f"branch {place}")
        _, shown = branch.answer("policy@1", 1, "2021-05-01")
        receipts.append(tmp_path / f"{place}.json")
        receipts[-1].write_text(json.dumps(shown))
    assert verify_home(home.root, receipt=receipts[0])["valid"]
    assert verify_home(fork, receipt=receipts[1])["valid"]
    assert _bad(home.root, receipt=receipts[1])["index"] in (size, size + 1)
    assert _bad(fork, receipt=receipts[0])["index"] in (size, size + 1)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda a: a.update(answer="Ten years."), "not the one shown"),
        (lambda a: a["citations"][0].update(quote="else"), "not the one shown"),
        (lambda a: a["ledger"].update(index=2), "does not lead"),
        (lambda a: a["ledger"].update(root="0" * 64), "does not lead"),
        (lambda a: a["ledger"].update(proof=[]), "does not lead"),
        (lambda a: a["ledger"].update(size="9"), "wrong kind"),
        (lambda a: a["ledger"].update(index=True), "wrong kind"),
        (lambda a: a["ledger"].update(leaf_hash="zz"), "malformed"),
        (lambda a: a["ledger"].update(proof=[1]), "malformed"),
        (lambda a: a.pop("ledger"), "wrong kind"),
    ],
)
def test_false_receipts(home: SampleHome, tmp_path: Path, change: Callable[[Any], Any], reason: str) -> None:
    """An answer changed after it was shown, or a receipt with a part changed, is refused with its reason."""
    _, shown = home.answer("policy@2", 2, "2024-05-01")
    change(shown)
    (tmp_path / "a.json").write_text(json.dumps(shown))
    bad = _bad(home.root, receipt=tmp_path / "a.json")
    assert bad["step"] == "5 receipt"
    assert reason in bad["reason"]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"citation": {"clause_id": "policy@3#1"}}, "no publication recorded before"),
        ({"citation": {"clause_id": "policy@2#9"}}, "no publication recorded before"),
        ({"citation": {"sha256": "0" * 64}}, "no publication recorded before"),
        ({"citation": {"clause_id": "nonsense"}}, "no publication recorded before"),
        ({"citation": {"quote": "cords ar!"}}, "quote does not stand"),
        ({"citation": {"quote_span": [3, 10]}}, "quote does not stand"),
        ({"citation": {"quote_span": [-30, 9]}}, "quote does not stand"),
        ({"citation": {"text": "Records are kept for nine years."}}, "not the recorded one"),
        ({"corpus_root": "0" * 64}, "corpus root"),
        ({"as_of": "2023-12-31"}, "not in force"),
        ({"as_of": "2023-99-31"}, "not a day"),
        ({"known_at": "2020-01-01T00:00:00Z"}, "not in force"),
        ({"known_at": "once"}, "not an instant"),
    ],
)
def test_answers_that_should_never_have_left(home: SampleHome, change: dict[str, Any], reason: str) -> None:
    """An answer recorded with a citation that fails one of law 5's first four parts is named, whoever recorded it."""
    committed, _ = home.answer("policy@2", 1, change.pop("as_of", "2024-05-01"), **change)
    bad = _bad(home.root)
    assert (bad["index"], bad["step"]) == (committed.index, "8 answers")
    assert reason in bad["reason"]


@pytest.mark.parametrize("name", ["sources", "extracted"])
def test_damaged_sources(home: SampleHome, name: str) -> None:
    """A flipped or missing source or extracted text is named with the publication it belongs to."""
    header = home.ledger.header(1)
    path = home.root / name / (header["source_sha256"] if name == "sources" else header["extracted_sha256"] + ".txt")
    data = bytearray(path.read_bytes())
    data[3] ^= 1
    path.write_bytes(data)
    assert (_bad(home.root)["index"], _bad(home.root)["step"]) == (1, "7 publications")
    path.unlink()
    assert (_bad(home.root)["index"], _bad(home.root)["step"]) == (1, "7 publications")


def test_any_bytes(home: SampleHome, tmp_path: Path) -> None:
    """Random and structure-aware junk in head, log, format, parts, keys and receipts: a report each time, never an error."""
    rng = random.Random(SEED)
    print("seed", SEED)
    _, shown = home.answer("policy@2", 2, "2024-05-01")
    words = [
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"null",
        b"1e9",
        b"-1",
        b"9" * 30,
        b"\xff",
        b"\n",
        b"\\ud800",
        b"NaN",
        b'{"a":1}',
        b"[" * 5000,
    ]
    files = [path for path in (home.root / "ledger").rglob("*") if path.is_file()]
    receipt = tmp_path / "a.json"
    for turn in range(400):
        receipt.write_text(json.dumps(shown))
        path = rng.choice([*files, receipt])
        data = path.read_bytes()
        at = rng.randrange(len(data) + 1)
        junk = rng.choice([rng.choice(words), os.urandom(rng.randrange(1, 40)), b""])
        path.write_bytes(rng.choice([data[:at] + junk + data[at + rng.randrange(9) :], junk, data[:at]]))
        report = verify_home(home.root, receipt=receipt)
        assert report["valid"] or report["first_bad"]["reason"], turn
        path.write_bytes(data)


def test_unreadable_homes(tmp_path: Path) -> None:
    """A missing home, an empty folder and a newer format cannot be read, and the report says so; the command exits 4."""
    (tmp_path / "empty").mkdir()
    for root in (tmp_path / "missing", tmp_path / "empty"):
        assert "cannot read" in _bad(root)["reason"]
        assert verifier.main([str(root)]) == 4
    home = filled(tmp_path / "home", 3)
    (home.root / "ledger/format").write_text("2\n")
    assert "cannot read" in _bad(home.root)["reason"]


def test_unknown_types_are_counted(home: SampleHome) -> None:
    """A record of a type the verifier doesn't know is checked as a leaf with its parts and counted, never an error."""
    report = verify_home(home.root)
    assert report["checked"]["unknown_types"] == 2
    part = home.ledger.header(4)["parts"][0]["sha256"]
    (home.root / "ledger/parts" / part).write_bytes(b"other")
    assert _bad(home.root)["index"] == 4


def test_time_story(tmp_path: Path) -> None:
    """What was in force by the record: corrections, voidings, repeals, redatings and drafts decide as DESIGN says."""
    home = SampleHome(tmp_path / "home")
    home.publish("law", "1", "2020-01-01", ["Ten days are given."])
    home.publish("law", "2", "2022-01-01", ["Twelve days are given."])
    first = home.publish("law", "2~2", "2022-06-01", ["Thirteen days, corrected."], corrects="2")
    home.publish("law", "3", "2023-01-01", ["Fourteen days are given."], status="draft")
    home.publish("law", "4", "2024-01-01", ["Fifteen days are given."])
    withdrawal = {"doc_id": "law", "version_id": "4", "from": None, "void": True, "actor": "ana"}
    story = verifier.Story

    def in_force(day: str, known: str = "2999-01-01T00:00:00Z") -> str | None:
        publications = list(home.ledger.headers(types={"publication"}))
        events = list(home.ledger.headers(types={"withdrawal", "redate"}))
        when = verifier.instant("", None, known)
        return story(publications, events, "en", when, "recorded").in_force(verifier.date.fromisoformat(day))

    from audit.ledger import RecordDraft

    assert in_force("2019-12-31") is None
    assert in_force("2022-03-01") == "1"
    assert (
        in_force("2022-03-01", first.recorded_at.replace(microsecond=max(first.recorded_at.microsecond - 1, 0)).isoformat())
        == "2"
    )
    assert in_force("2023-05-01") == "2~2"
    assert in_force("2024-05-01") == "4"
    home.ledger.append([RecordDraft("withdrawal", withdrawal)])
    assert in_force("2024-05-01") == "2~2"
    redate = {
        "doc_id": "law",
        "version_id": "2~2",
        "number": None,
        "effective_from": "2022-02-01",
        "effective_to": "2023-12-31",
    }
    home.ledger.append([RecordDraft("redate", redate | {"actor": "ana"})])
    assert in_force("2022-03-01") == "2~2"
    assert in_force("2024-05-01") is None
    home.ledger.append([RecordDraft("withdrawal", withdrawal | {"version_id": None, "from": "2021-01-01", "void": False})])
    assert in_force("2020-06-01") == "1"
    assert in_force("2021-06-01") is None
    home.publish("law", "5", "2025-01-01", ["Sixteen days are given."])
    assert in_force("2025-06-01") == "5"
    home.answer("law@5", 1, "2025-06-01")
    home.answer("law@1", 1, "2020-06-01")
    assert verify_home(home.root)["valid"]


def test_texts_kept_under_another_hash(home: SampleHome) -> None:
    """An answer recorded with a clause text that is not what its hash says is found at step 8."""
    committed, _ = home.answer("policy@2", 1, "2024-05-01")
    header = {key: value for key, value in committed.header.items() if key not in RESERVED}
    answer = home.ledger.part(committed.header, "answer")
    parts = [PartDraft("answer", answer), PartDraft("clauses", json.dumps({"0" * 64: "not it"}).encode())]
    home.ledger.append([RecordDraft("answer", header, parts)])
    first_bad = verify_home(home.root)["first_bad"]
    assert (first_bad["index"], first_bad["step"]) == (committed.index + 1, "8 answers")
    assert "clause text" in first_bad["reason"]
