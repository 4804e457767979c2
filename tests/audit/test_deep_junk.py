"""Junk that reaches the verifier's last steps: links, roots, hashes and seals recomputed around it, as a forger would."""

from __future__ import annotations

import copy
import hashlib
import json
import random
from pathlib import Path
from typing import Any

import pytest
from test_checkpoint import _check, _pem

from audit import seal, verifier
from audit.erasure import erase, hold
from audit.ledger import RecordDraft
from audit.verifier import verify_home
from tests.audit.sample_home import ORIGIN, SampleHome, filled

SEED = 77
WHO: Any = {"actor": "ana", "actor_auth": "asserted"}
NO_DATES: Any = {"effective_from": None, "effective_to": None}
VALUES: list[Any] = [
    None, True, False, 0, 1, -1, 2**53 - 1, "", "x", "0" * 64, "0" * 32, "2024-01-01", "2024-01-01T00:00:00Z", "9999-12-31",
    "0001-01-01T00:00:00+14:00", "policy@2#1", "\x00", "\U0001f600", "\ud800", [], [[]], [0, 1], [1, 0], [[0, 5], [3, 99999]],
    {}, {"a": 1}, [{"role": "answer", "length": 0, "sha256": "0" * 64}], "../../x", "/etc/hostname", "%s%n",
]  # fmt: skip


def _everything(root: Path) -> SampleHome:
    """A home with every published type."""
    home = filled(root, 9)
    home.ledger.append(
        [
            RecordDraft("redate", {"doc_id": "policy", "version_id": "2", "number": "1", **NO_DATES, **WHO}),
            RecordDraft("withdrawal", {"doc_id": "other", "version_id": None, "from": "2030-01-01", "void": False, **WHO}),
            RecordDraft("settings", {"x": {"y": [1, "z"]}, **WHO}),
            RecordDraft("review", {"decision": "approve", **WHO}),
        ]
    )  # fmt: skip
    hold(home.ledger, 2, released=False, reason="r", **WHO)
    erase(home.ledger, 3, reason="r", **WHO)
    _check(home, _pem())
    home.answer("policy@2", 1, "2024-05-01")
    return home


def _spots(value: Any, way: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [way] if way else []
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        found += _spots(item, (*way, key))
    return found


def _junk(value: Any, rng: random.Random) -> Any:
    """A copy with one or two spots replaced, taken away, or doubled."""
    changed = copy.deepcopy(value)
    for _ in range(rng.choice((1, 1, 2))):
        spots = _spots(changed)
        if not spots:
            return rng.choice(VALUES)
        *way, last = rng.choice(spots)
        place = changed
        for key in way:
            place = place[key]
        choice = rng.randrange(6)
        if choice == 0:
            del place[last]
        elif choice == 1 and isinstance(place, list):
            place.append(copy.deepcopy(place[last]))
        else:
            place[last] = copy.deepcopy(rng.choice(VALUES))
    return changed


def _rewrite(root: Path, headers: list[Any]) -> None:
    """The log and head of these headers, every link right."""
    lines, leaves = [], []
    for header in headers:
        if isinstance(header, dict) and "previous" in header:
            header["previous"] = leaves[-1].hex() if leaves else None
        if isinstance(header, dict) and header.get("from_size", 0) is None and type(header.get("size")) is int:
            size = min(max(header["size"], 0), len(leaves))
            header["root"] = verifier.tree_of(leaves[:size]).root(size)
        lines.append(
            json.dumps(header, sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        )
        leaves.append(verifier.sha(b"\x00" + lines[-1]))
    (root / "ledger/log/0000000000.jsonl").write_bytes(b"".join(line + b"\n" for line in lines))
    tree = verifier.tree_of(leaves)
    head = {"format": 1, "leaf": leaves[-1].hex(), "origin": ORIGIN, "root": tree.root(len(leaves)), "size": len(leaves)}
    (root / "ledger/head").write_bytes(verifier.canonical(head) + b"\n")


def _junk_part(root: Path, header: dict[str, Any], rng: random.Random) -> None:
    """One JSON part with junk in it, its hash and seal made to fit."""
    ordinal = rng.randrange(len(header["parts"]))
    entry = header["parts"][ordinal]
    data = (root / "ledger/parts" / entry["sha256"]).read_bytes()
    key = None
    if "hmac" in entry:
        path = root / "ledger/keys" / header["sealed_under"]
        if not path.exists():
            return
        key = seal.read_key(path.read_bytes(), "key")
        data = seal.unseal(key, ordinal, entry["role"], data, entry["hmac"])
    try:
        changed = json.dumps(_junk(json.loads(data), rng)).encode()
    except ValueError:
        changed = rng.choice([b"", b"{", b"[1", b"\xff", b"[" * 3000])
    if key is not None:
        changed, entry["hmac"] = seal.seal(key, ordinal, entry["role"], changed)
    entry["sha256"], entry["length"] = hashlib.sha256(changed).hexdigest(), len(changed)
    (root / "ledger/parts" / entry["sha256"]).write_bytes(changed)


@pytest.mark.parametrize("rounds", [400, pytest.param(20_000, marks=pytest.mark.slow)])
def test_deep_junk(tmp_path: Path, rounds: int) -> None:
    """Headers and parts of every type with junk in them and everything around it recomputed: a report each time, no error."""
    rng = random.Random(SEED)
    print("seed", SEED)
    home = _everything(tmp_path / "home")
    (home.root / "ledger/checkpoints").rename(tmp_path / "notes")
    assert verify_home(home.root)["valid"], verify_home(home.root)
    original = [json.loads(line) for line in (home.root / "ledger/log/0000000000.jsonl").read_bytes().splitlines()]
    steps: dict[str, int] = {}
    for _ in range(rounds):
        headers = copy.deepcopy(original)
        at = rng.randrange(len(headers))
        if headers[at]["parts"] and rng.random() < 0.5:
            _junk_part(home.root, headers[at], rng)
        else:
            headers[at] = _junk(headers[at], rng)
        _rewrite(home.root, headers)
        report = verify_home(home.root)
        assert report["valid"] == (report["first_bad"] is None)
        json.dumps(report)
        step = "valid" if report["valid"] else report["first_bad"]["step"]
        steps[step] = steps.get(step, 0) + 1
    assert {"2 lines", "4 checkpoints", "6 parts", "7 publications", "8 answers"} <= set(steps), steps
