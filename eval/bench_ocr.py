"""How well scans are read: ``python -m eval.bench_ocr [PAGES]``.

Twelve pages of known text with noise, askew and turned, in two languages: the share of characters wrong (edit distance, white
space aside) must be under one in a hundred on the whole, and none held. Twelve bad pages, blurred or at 90 dots an inch: each
must be held for a person. With ``PAGES`` only that many of each; the seed is printed.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from compliance_rag.parse.readers import read_source
from compliance_rag.parse.readers.ocr_quality import quality_of
from compliance_rag.parse.readers.ocr_types import ReadPage
from compliance_rag.parse.readers.scans import read_here
from eval.homes import Progress, no_progress
from eval.ocr_pages import BAD, GOOD, Look, scan

SEED = 20261130


def wrong_characters(known: str, read: str) -> int:
    """Characters to put in, take out or change to make one of the other (Levenshtein), a row of the table at a time."""
    other = np.frombuffer(read.encode("utf-32-le"), np.uint32)
    steps = np.arange(len(other) + 1)
    row = steps.copy()
    for at, char in enumerate(known, 1):
        best = np.minimum(row[:-1] + (other != ord(char)), row[1:] + 1)
        row = np.minimum.accumulate(np.concatenate(([at], best)) - steps) + steps
    return int(row[-1])


def _plain(text: str) -> str:
    return "".join(text.split()).replace("|", "")


def read_scan(look: Look, seed: int, rows: int | None = None) -> dict[str, Any]:
    """One page read: characters, how many are wrong, whether it is held, its quality."""
    page = scan(look, seed, rows)
    kept: list[ReadPage] = []

    def reader(data: bytes, name: str, pages: Sequence[int]) -> list[ReadPage]:
        kept.extend(read_here(data, name, pages))
        return kept

    start = time.process_time()
    extracted = read_source(page.data, "page.pdf", scans=reader)
    seconds = time.process_time() - start
    known, read = _plain(page.text), _plain(extracted.text)
    found = quality_of(kept[0])
    return {
        "language": look.language, "dots": look.dots, "skew": look.skew, "turn": look.turn, "blur": look.blur,
        "characters": len(known), "wrong": wrong_characters(known, read),
        "found_turn": kept[0].turn, "found_skew": kept[0].skew,
        "held": any(flag.code == "held_page" for flag in extracted.flags), "confidence": found.confidence,
        "doubtful": found.doubtful, "known": found.known, "seconds": round(seconds, 1),
    }  # fmt: skip


def measure(pages: int = len(GOOD), progress: Progress = no_progress) -> dict[str, Any]:
    """The figures over the first ``pages`` pages of each kind."""
    results: dict[str, list[dict[str, Any]]] = {}
    for kind, looks in (("good", GOOD), ("bad", BAD)):
        results[kind] = []
        for number, look in enumerate(looks[:pages]):
            results[kind].append(read_scan(look, SEED + number))
            progress(f"{kind} pages", number + 1, len(looks[:pages]))
    good, bad = results["good"], results["bad"]
    return {
        "seed": SEED,
        "error": round(sum(one["wrong"] for one in good) / sum(one["characters"] for one in good), 5),
        "error_by_language": {
            language: round(
                sum(one["wrong"] for one in good if one["language"] == language)
                / max(1, sum(one["characters"] for one in good if one["language"] == language)),
                5,
            )
            for language in ("en", "zh")
        },
        "good_held": sum(one["held"] for one in good),
        "bad_held": sum(one["held"] for one in bad),
        "bad": len(bad),
        "seconds_a_page": round(sum(one["seconds"] for one in good) / len(good), 1),
        "pages": results,
    }


def main() -> None:
    """Print the figures."""
    found = measure(int(sys.argv[1]) if len(sys.argv) > 1 else len(GOOD))
    sys.stdout.write(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
