"""Search over a million clause versions: `python -m eval.bench_scale [--documents N] [--home DIR]`, a long command.

A seeded generator writes documents of 1 to 10 versions, a tenth of the clauses new in each, into the real stores: at the
default of 100 documents about 289,000 distinct clauses in 1.09 million clause versions. Words follow Zipf's law; vectors are
random unit vectors, so that what is measured is the search and not the embedder. Warm searches are then timed in a process of
its own, over days with different versions in force, by the clock and by processor time (which a busy machine does not change),
and the memory that process holds is read. ``--home`` keeps the corpus for another run.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from audit.roots import CorpusRoot
from compliance_rag.retrieve.search import rank
from compliance_rag.retrieve.shelf import Shelf
from compliance_rag.retrieve.types import Query
from compliance_rag.store.clauses import StoredVersion, publication_fields, write_batch
from compliance_rag.store.embedder import DIMENSION
from compliance_rag.store.indexed import indexed_text, text_key
from compliance_rag.store.postings import Postings
from compliance_rag.store.publish import copy_name, publish_copy
from compliance_rag.store.rows import VersionRow
from compliance_rag.store.vectors import Vectors
from eval.bench import percentile
from schemas.canonical import sha256_normalised, sha256_text
from schemas.clause import Clause, ParsedVersion
from schemas.dates import Interval
from schemas.home import Home
from schemas.settings import Settings

SEED = 20261130
# 100 documents of 2,000 clauses, 5.5 versions on average, a tenth new in each: the sizes the issue names.
DOCUMENTS = 100
CLAUSES = 2_000
VERSIONS = 10
NEW_SHARE = 0.1
WORDS = 30_000
# Exponent of Zipf's law: one word in ten is among the commonest three, as in statutes.
ZIPF = 1.05
LENGTHS = (15, 75)
FIRST_YEAR = 2010
FIRST_RECORD = datetime(2026, 1, 1, tzinfo=UTC)
LATE = datetime(2999, 1, 1, tzinfo=UTC)
QUESTION_WORDS = 12
SEARCHES = 200
# Searches before the clock starts: masks of each day, pages of the memory map, common words' contributions.
WARM = 50
DAYS = (2012, 2016, 2020, 2025)
FLOOR_P95_MS = 250
FLOOR_RESIDENT_GB = 3.0
_IDENTITY = {"name": "random-unit-vectors", "seed": str(SEED)}
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo", "ka", "lo")


class RandomVectors:
    """Unit vectors from one seeded stream; the texts are not read."""

    def __init__(self, seed: int) -> None:
        self.identity: Mapping[str, str] = _IDENTITY
        self._rng = np.random.default_rng(seed)

    def encode(self, texts: Sequence[str], progress: Any = None) -> npt.NDArray[np.float32]:
        """Unit rows (n, DIMENSION)."""
        rows = self._rng.standard_normal((len(texts), DIMENSION), np.float32)
        unit: npt.NDArray[np.float32] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return unit

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        """A unit vector (DIMENSION,)."""
        row: npt.NDArray[np.float32] = self.encode([text])[0]
        return row


class Words:
    """Made-up words by rank, drawn by Zipf's law."""

    def __init__(self, seed: int) -> None:
        self._rng = np.random.default_rng(seed)
        weights = 1.0 / np.arange(1, WORDS + 1) ** ZIPF
        self._sums = np.cumsum(weights / weights.sum())
        self.names = [self._name(number) for number in range(WORDS)]

    @staticmethod
    def _name(number: int) -> str:
        parts = []
        number += len(_SYLLABLES)
        while number:
            number, place = divmod(number, len(_SYLLABLES))
            parts.append(_SYLLABLES[place])
        return "".join(parts)

    def draw(self, count: int) -> str:
        """``count`` words with spaces between."""
        picked = np.minimum(np.searchsorted(self._sums, self._rng.random(count)), WORDS - 1)
        return " ".join(self.names[place] for place in picked.tolist())


def versions(documents: int, seed: int) -> Iterator[tuple[str, int, list[Clause], list[int]]]:
    """Each version in turn: document, number from 0, its clauses, and the places whose clauses are new in it."""
    rng, words = random.Random(seed), Words(seed)
    for number in range(documents):
        doc_id = f"d{number:05d}"
        clauses = [_clause(place, words.draw(rng.randint(*LENGTHS))) for place in range(1, CLAUSES + 1)]
        new = list(range(CLAUSES))
        for version in range(1 + number % VERSIONS):
            if version:
                new = rng.sample(range(CLAUSES), round(NEW_SHARE * CLAUSES))
                for place in new:
                    clauses[place] = _clause(place + 1, words.draw(rng.randint(*LENGTHS)))
            yield doc_id, version, list(clauses), new


def _clause(place: int, text: str) -> Clause:
    part, own = divmod(place - 1, 20)
    path = (str(part + 1), str(own + 1))
    return Clause(
        path=path, number=".".join(path), label=path[-1], heading="", heading_path=(f"Part {part + 1}",), depth=2, parent=None,
        text=text, sha256=sha256_text(text), sha256_normalised=sha256_normalised(text), spans=((0, len(text)),),
        full_span=(0, len(text)),
    )  # fmt: skip


def build(home: Home, documents: int) -> dict[str, Any]:
    """Write the corpus into the stores of an empty home."""
    start = time.perf_counter()
    texts: dict[str, str] = {}
    rows: list[VersionRow] = []
    keys: list[str] = []
    with write_batch(home) as writer:
        for doc_id, number, clauses, new in versions(documents, SEED):
            keys = keys if number else [""] * CLAUSES
            for place in new:
                indexed = indexed_text(clauses[place], doc_id, "")
                keys[place] = text_key(indexed)
                texts[keys[place]] = indexed
            row = _row(doc_id, number, len(rows))
            parsed = ParsedVersion("0" * 64, "", "0" * 64, "1", "en", None, tuple(clauses))
            writer.add_version(StoredVersion(row, parsed, [f"{doc_id}:{n}" for n in range(CLAUSES)], list(keys)))
            rows.append(row)
        root = CorpusRoot(publication_fields(row) for row in rows).root
        writer.set_applied(len(rows) - 1, root)
    publish_copy(home, copy_name(len(rows) - 1, root))
    Postings.open(home.postings).append(texts)
    Vectors.open(str(home.vectors), _IDENTITY).add(texts, RandomVectors(SEED).encode)
    return {
        "documents": documents, "versions": len(rows), "clause_versions": len(rows) * CLAUSES, "distinct": len(texts),
        "build_s": round(time.perf_counter() - start, 1), "seed": SEED,
    }  # fmt: skip


def _row(doc_id: str, number: int, index: int) -> VersionRow:
    return VersionRow(
        doc_id=doc_id, version=f"v{number}", version_id=f"v{number}", title=doc_id, jurisdiction=None, language="en", kind=None,
        status="official", state="published", published_on=None, index=index,
        declared=Interval(date(FIRST_YEAR + number, 1, 1), None), recorded_at=FIRST_RECORD + timedelta(seconds=index),
        root="0" * 64, source_sha256="0" * 64, extracted_sha256="0" * 64, parser_version="1", clause_count=CLAUSES,
    )  # fmt: skip


def search_times(folder: Path) -> dict[str, Any]:
    """Warm searches of a corpus built before, and what this process holds in memory."""
    start = time.perf_counter()
    shelf = Shelf.open(Home(folder), Settings(), _IDENTITY)
    rng, words, vectors = random.Random(SEED), Words(SEED + 1), RandomVectors(SEED + 1)
    taken: list[float] = []
    processor: list[float] = []
    in_scope = 0
    opened = 0.0
    for number in range(WARM + SEARCHES):
        query = Query(words.draw(QUESTION_WORDS), date(rng.choice(DAYS), 6, 1), LATE)
        began, used = time.perf_counter(), time.process_time()
        ranking = rank(shelf, query, vectors)
        if number == 0:
            opened = time.perf_counter() - start
        if number >= WARM:
            taken.append(time.perf_counter() - began)
            processor.append(time.process_time() - used)
        in_scope = max(in_scope, ranking.clauses_in_scope)
    return {
        "searches": len(taken), "p50_ms": round(percentile(taken, 0.5) * 1000, 1),
        "p95_ms": round(percentile(taken, 0.95) * 1000, 1),
        "processor_p50_ms": round(percentile(processor, 0.5) * 1000, 1),
        "processor_p95_ms": round(percentile(processor, 0.95) * 1000, 1),
        "clauses_in_force": in_scope, "dense": ranking.dense_method,
        "open_and_first_s": round(opened, 2), "resident_gb": round(_resident() / 1e9, 2),
        "peak_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9, 2),
        "floor_p95_ms": FLOOR_P95_MS, "floor_resident_gb": FLOOR_RESIDENT_GB,
    }  # fmt: skip


def _resident() -> int:
    """Bytes of this process in memory, shared pages of memory maps included."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) * 1024
    return 0


def main(arguments: Sequence[str]) -> str:
    """The figures as JSON."""
    parser = argparse.ArgumentParser(prog="python -m eval.bench_scale")
    parser.add_argument("--documents", type=int, default=DOCUMENTS)
    parser.add_argument("--home", type=Path)
    parser.add_argument("--search-only", action="store_true", help="time searches of the corpus already in --home")
    options = parser.parse_args(arguments)
    if options.search_only:
        return json.dumps(search_times(options.home), indent=1)
    with tempfile.TemporaryDirectory(prefix="compliance-rag-bench-") as scratch:
        folder = options.home or Path(scratch) / "home"
        report = {} if (folder / "postings").exists() else build(Home(folder), options.documents)
        command = [sys.executable, "-m", "eval.bench_scale", "--search-only", "--home", str(folder)]
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    return json.dumps(report | json.loads(done.stdout), indent=1)


if __name__ == "__main__":
    sys.stdout.write(main(sys.argv[1:]) + "\n")
