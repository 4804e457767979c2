"""How fast the ledger appends against the disk's own speed, and how fast the verifier reads: figures printed as JSON.

python -m eval.bench_ledger [FOLDER]      FOLDER: where to write, so that a disk may be chosen; default a temporary one
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from audit.ledger import Ledger, PartDraft, RecordDraft
from audit.verifier import verify_home

ORIGIN = "bench.example/ledger"
# What the append figure is about: a header of 4 kB with 20 kB of parts, as an answer with ten citations has.
HEADER_BYTES = 4_000
PART_BYTES = (600, 6_400, 7_000, 6_000)
APPENDS = 300
# Rounds of append and bare loop by turns: a disk that others use gives the two the same luck.
ROUNDS = 5
# Headers of 1 kB; the larger log is four times the smaller, so that a rate that falls shows.
SMALL_HEADER_BYTES = 1_000
HEADERS = (10_000, 40_000)
PARTS = (64, 256)
PART_SIZE = 1_000_000
BATCH = 2_500
# What the ledger's own fields take in a header, and a sealed part's entry.
FRAME_BYTES = 240
ENTRY_BYTES = 215


def _padded(size: int, parts: int = 0) -> dict[str, Any]:
    """Fields that make a header of about ``size`` bytes with that many parts."""
    return {"actor": "bench", "padding": "x" * max(0, size - FRAME_BYTES - parts * ENTRY_BYTES)}


def _draft(number: int) -> RecordDraft:
    body = b"%08d" % number
    parts = [PartDraft(f"p{at}", body * (size // 8), personal=at != 1) for at, size in enumerate(PART_BYTES)]
    return RecordDraft("x-bench", _padded(HEADER_BYTES, len(parts)), parts)


def _append(folder: Path) -> Callable[[int], None]:
    ledger = Ledger.open(folder / "ledger", origin=ORIGIN, create=True)

    def one(number: int) -> None:
        ledger.append([_draft(number)])

    return one


def _bare(folder: Path) -> Callable[[int], None]:
    """Write and fsync the same files, nothing else: four parts, a key, a line, a head."""
    folder.mkdir()
    log = os.open(folder / "log", os.O_WRONLY | os.O_CREAT | os.O_APPEND)

    def put(name: str, data: bytes) -> None:
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.write(descriptor, data)
        os.fsync(descriptor)
        os.close(descriptor)

    def one(number: int) -> None:
        for at, size in enumerate(PART_BYTES):
            put(f"{number}-{at}", b"%08d" % number * (size // 8))
        put(f"{number}.key", b"k" * 65)
        os.write(log, b"x" * HEADER_BYTES)
        os.fsync(log)
        put("head", b"h" * 250)

    return one


def appends(folder: Path) -> dict[str, Any]:
    """Appends a second with one writer, the bare loop's in the same run, and their ratio (median of the rounds)."""
    mine, bare = _append(folder), _bare(folder / "bare")
    rates: list[tuple[float, float]] = []
    number = 0
    for _ in range(ROUNDS):
        taken = []
        for act in (mine, bare):
            start = time.perf_counter()
            for turn in range(APPENDS // ROUNDS):
                act(number + turn)
            taken.append(APPENDS / ROUNDS / (time.perf_counter() - start))
        number += APPENDS // ROUNDS
        rates.append((taken[0], taken[1]))
    ratios = sorted(one / other for one, other in rates)
    line = (folder / "ledger" / "log" / "0000000000.jsonl").read_bytes().split(b"\n", 1)[0]
    return {
        "header_bytes": len(line), "part_bytes": sum(PART_BYTES),
        "appends_per_s": round(sorted(rate for rate, _ in rates)[ROUNDS // 2], 1),
        "bare_per_s": round(sorted(rate for _, rate in rates)[ROUNDS // 2], 1),
        "ratio": round(ratios[ROUNDS // 2], 2), "ratio_lowest": round(ratios[0], 2),
    }  # fmt: skip


def _verified(folder: Path) -> float:
    """Processor seconds of one verification in this process; the wall clock would measure the neighbours too."""
    start = time.process_time()
    report = verify_home(folder)
    taken = time.process_time() - start
    if not report["valid"]:
        raise RuntimeError(f"the bench's own ledger does not verify: {report['first_bad']}")
    return taken


def headers(folder: Path) -> dict[str, Any]:
    """Headers of 1 kB verified a second on one core, at two sizes."""
    rates: dict[str, Any] = {}
    for count in HEADERS:
        home = folder / f"headers-{count}"
        home.mkdir()
        ledger = Ledger.open(home / "ledger", origin=ORIGIN, create=True)
        for _ in range(count // BATCH):
            ledger.append([RecordDraft("x-bench", _padded(SMALL_HEADER_BYTES))] * BATCH)
        rates[str(count)] = round(count / _verified(home))
    return {"per_s": rates, "header_bytes": len(ledger.line(count - 1))}


def parts(folder: Path) -> dict[str, Any]:
    """Megabytes of parts verified a second on one core, at two sizes."""
    rates: dict[str, Any] = {}
    for count in PARTS:
        home = folder / f"parts-{count}"
        home.mkdir()
        ledger = Ledger.open(home / "ledger", origin=ORIGIN, create=True)
        for number in range(count):
            ledger.append(
                [RecordDraft("x-bench", _padded(0), [PartDraft("body", os.urandom(PART_SIZE - 8) + b"%08d" % number)])]
            )
        rates[f"{count} MB"] = round(count * PART_SIZE / 1e6 / _verified(home))
    return {"mb_per_s": rates}


def measure_ledger(folder: Path) -> dict[str, Any]:
    """All figures, written under ``folder``."""
    return {"append": appends(folder), "verify_headers": headers(folder), "verify_parts": parts(folder)}


def main(arguments: list[str]) -> str:
    """The figures as JSON."""
    with tempfile.TemporaryDirectory(prefix="compliance-rag-bench-", dir=arguments[0] if arguments else None) as scratch:
        return json.dumps(measure_ledger(Path(scratch)), indent=1)


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:]) + "\n")
