"""Every field of headers, parts, bundles and receipts given values of other JSON types, with the trees, roots, seals and proofs
made to fit again: a verdict each time, and never one that the last resort gave."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import pytest
from test_deep_junk import _everything, _spots

from audit import seal, verifier
from audit.bundle import export_bundle
from audit.tree import Tree
from audit.verifier import UNFORESEEN, verify_home
from schemas.errors import IntegrityError
from schemas.home import Home
from tests.audit.sample_home import ORIGIN, SampleHome

SEED = 20261130
SHAPES: list[Any] = [
    None, True, False, 0, 1, -1, 2**53, 10**30, 1.5, 1e300, "", "x", "\ud800", "0" * 64, "0" * 32, "2024-01-01", "policy@2#1",
    [], [[]], [1], ["x"], [{}], {}, {"a": []}, {"sha256": {}},
]  # fmt: skip
ANSWER = "answer"


def _substituted(value: Any, rng: random.Random) -> Any:
    """A copy with one value of another shape."""
    changed = copy.deepcopy(value)
    spots = _spots(changed)
    if not spots:
        return copy.deepcopy(rng.choice(SHAPES))
    *way, last = rng.choice(spots)
    place = changed
    for key in way:
        place = place[key]
    place[last] = copy.deepcopy(rng.choice(SHAPES))
    return changed


def _dump(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")


def _sealing(root: Path, header: Any, ordinal: int) -> bytes | None:
    """The key of a sealed part; None for an unsealed one. Raises KeyError when it was erased."""
    if "hmac" not in header["parts"][ordinal]:
        return None
    path = root / "ledger/keys" / header["sealed_under"]
    if not path.exists():
        raise KeyError(path.name)
    return seal.read_key(path.read_bytes(), "key")


def _open_part(root: Path, header: Any, ordinal: int) -> Any:
    entry, key = header["parts"][ordinal], _sealing(root, header, ordinal)
    data = (root / "ledger/parts" / entry["sha256"]).read_bytes()
    return json.loads(data if key is None else seal.unseal(key, ordinal, entry["role"], data, entry["hmac"]))


def _close_part(root: Path, header: Any, ordinal: int, value: Any) -> None:
    entry, key = header["parts"][ordinal], _sealing(root, header, ordinal)
    data = _dump(value)
    if key is not None:
        data, entry["hmac"] = seal.seal(key, ordinal, entry["role"], data)
    entry["sha256"], entry["length"] = hashlib.sha256(data).hexdigest(), len(data)
    (root / "ledger/parts" / entry["sha256"]).write_bytes(data)


def _ordinal(header: Any, role: str) -> int | None:
    return next((at for at, entry in enumerate(header["parts"]) if entry["role"] == role), None)


def _fit(root: Path, headers: list[Any], touched: int) -> None:
    """Version root, corpus roots and what repeats them, made to fit what was put in record ``touched``."""
    corpus, moved = verifier.Tree(), {}
    for at, header in enumerate(headers):
        try:
            if header["type"] == "publication":
                if at == touched:
                    rows = _open_part(root, header, 0)
                    leaves = [verifier.sha(b"\x00compliance-rag/clause/v1\n" + _dump(row)) for row in rows]
                    header["root"] = verifier.tree_of(leaves).root(len(leaves))
                row = {name: header.get(name) for name in verifier.PUBLICATION_FIELDS}
                corpus.add(verifier.sha(b"\x00compliance-rag/publication/v1\n" + _dump(row)))
                new = corpus.root(len(corpus.levels[0]))
                moved[header["corpus_root"]], header["corpus_root"] = new, new
            elif header["type"] == ANSWER and moved.get(header["corpus_root"], "") != header["corpus_root"]:
                header["corpus_root"] = moved[header["corpus_root"]]
                ordinal = _ordinal(header, ANSWER)
                if ordinal is not None:
                    answer = _open_part(root, header, ordinal)
                    answer["corpus_root"] = header["corpus_root"]
                    _close_part(root, header, ordinal, answer)
        except (KeyError, TypeError, ValueError, IndexError, OSError, IntegrityError):
            continue  # what was put there is no part, or opens no more


def _lines(headers: list[Any]) -> tuple[list[bytes], list[bytes]]:
    """Lines that link up, and their leaf hashes."""
    lines, leaves = [], []
    for header in headers:
        if isinstance(header, dict):
            header["previous"] = leaves[-1].hex() if leaves else None
            if header.get("type") == "checkpoint" and type(header.get("size")) is int:
                size = min(max(header["size"], 0), len(leaves))
                header["root"] = verifier.tree_of(leaves[:size]).root(size)
        lines.append(_dump(header))
        leaves.append(verifier.sha(b"\x00" + lines[-1]))
    return lines, leaves


def _write_home(root: Path, headers: list[Any]) -> None:
    lines, leaves = _lines(headers)
    (root / "ledger/log/0000000000.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    tree = verifier.tree_of(leaves)
    head = {"format": 1, "leaf": leaves[-1].hex(), "origin": ORIGIN, "root": tree.root(len(leaves)), "size": len(leaves)}
    (root / "ledger/head").write_bytes(verifier.canonical(head) + b"\n")


def _change(root: Path, headers: list[Any], at: int, rng: random.Random) -> None:
    """One value of record ``at`` or of one of its JSON parts."""
    if headers[at]["parts"] and rng.random() < 0.6:
        ordinal = rng.randrange(len(headers[at]["parts"]))
        try:
            _close_part(root, headers[at], ordinal, _substituted(_open_part(root, headers[at], ordinal), rng))
            return
        except (KeyError, ValueError):
            pass  # erased, or no JSON
    headers[at] = _substituted(headers[at], rng)


class _Tally:
    """What was found, and that it was found by a step and not by the last resort."""

    def __init__(self) -> None:
        self.steps: dict[str, int] = {}

    def take(self, root: Path, receipt: Path | None = None) -> None:
        report = verify_home(root, receipt=receipt)
        json.dumps(report)
        bad = report["first_bad"]
        assert report["valid"] == (bad is None)
        assert bad is None or (bad["reason"] and UNFORESEEN not in bad["reason"]), bad
        assert report["checked"]["in_words"]
        step = "valid" if bad is None else bad["step"]
        self.steps[step] = self.steps.get(step, 0) + 1


ROUNDS = [250, pytest.param(8_000, marks=pytest.mark.slow)]


@pytest.mark.parametrize("rounds", ROUNDS)
def test_a_home_of_any_shape(tmp_path: Path, rounds: int) -> None:
    """One value in a home's headers or parts has another type and all roots fit it: a step decides, whatever it is."""
    rng, tally = random.Random(SEED), _Tally()
    print("seed", SEED)
    home = _everything(tmp_path / "home")
    (home.root / "ledger/checkpoints").rename(tmp_path / "notes")
    original = [json.loads(line) for line in (home.root / "ledger/log/0000000000.jsonl").read_bytes().splitlines()]
    for _ in range(rounds):
        headers = copy.deepcopy(original)
        at = rng.randrange(len(headers))
        _change(home.root, headers, at, rng)
        _fit(home.root, headers, at)
        _write_home(home.root, headers)
        tally.take(home.root)
    assert {"2 lines", "6 parts", "7 publications", "8 answers", "valid"} <= set(tally.steps), tally.steps


def _bundled(home: SampleHome, tmp_path: Path) -> Path:
    """An unsigned bundle, unpacked."""
    committed, _ = home.answer("policy@2", 2, "2024-05-01")
    export_bundle(home.ledger, Home(home.root), committed.index, tmp_path / "x.zip")
    with zipfile.ZipFile(tmp_path / "x.zip") as archive:
        archive.extractall(tmp_path / "away")
    return tmp_path / "away"


def _write_bundle(away: Path, bundle: Any, headers: dict[int, Any], rng: random.Random) -> None:
    """The bundle of these headers, its proofs and root made to fit; then, half the time, one value of bundle.json changed."""
    tree = Tree()
    lines = {at: _dump(header) for at, header in headers.items()}
    for at in range(bundle["size"]):
        tree.add(verifier.sha(b"\x00" + lines.get(at, b"%d" % at)))
    records = [
        {
            "index": at,
            "line": line.decode("utf-8", "surrogatepass"),
            "proof": [item.hex() for item in tree.inclusion(at, bundle["size"])],
        }
        for at, line in lines.items()
    ]
    made = bundle | {"root": tree.root().hex(), "records": records, "consistency": []}
    (away / "bundle.json").write_bytes(json.dumps(made if rng.random() < 0.5 else _substituted(made, rng)).encode())


@pytest.mark.parametrize("rounds", ROUNDS)
def test_a_bundle_of_any_shape(home: SampleHome, tmp_path: Path, rounds: int) -> None:
    """One value in a bundle's records, parts, bundle.json or answer.json has another type: a step decides."""
    rng, tally = random.Random(SEED + 1), _Tally()
    print("seed", SEED + 1)
    away = _bundled(home, tmp_path)
    bundle = json.loads((away / "bundle.json").read_bytes())
    original = {record["index"]: json.loads(record["line"]) for record in bundle["records"]}
    shown = json.loads((away / "answer.json").read_bytes())
    for _ in range(rounds):
        headers = copy.deepcopy(list(original.values()))
        at = rng.randrange(len(headers))
        if rng.random() < 0.7:
            _change(away, headers, at, rng)
            _fit(away, headers, at)
        (away / "answer.json").unlink(missing_ok=True)
        if rng.random() < 0.5:
            (away / "answer.json").write_bytes(json.dumps(_substituted(shown, rng)).encode())
        _write_bundle(away, bundle, dict(zip(original, headers, strict=True)), rng)
        tally.take(away)
    assert {"1 head", "2 lines", "7 publications", "8 answers", "9 page"} <= set(tally.steps), tally.steps


@pytest.mark.parametrize("rounds", ROUNDS)
def test_a_receipt_of_any_shape(home: SampleHome, tmp_path: Path, rounds: int) -> None:
    """One value of a shown answer has another type, in its receipt or outside it: never a traceback, and never taken for it."""
    rng, tally = random.Random(SEED + 2), _Tally()
    print("seed", SEED + 2)
    _, shown = home.answer("policy@2", 2, "2024-05-01")
    receipt = tmp_path / "answer.json"
    for _ in range(rounds):
        changed = _substituted(shown, rng)
        receipt.write_bytes(json.dumps(changed).encode())
        before = tally.steps.get("valid", 0)
        tally.take(home.root, receipt)
        same = json.dumps(changed, sort_keys=True) == json.dumps(shown, sort_keys=True)
        assert tally.steps.get("valid", 0) - before == same
    assert set(tally.steps) <= {"5 receipt", "valid"}, tally.steps
