"""Law 10 measured: the same clause ids and hashes whatever the number of threads and processes."""

from __future__ import annotations

import multiprocessing
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from compliance_rag.parse.parse import parse_version
from schemas.canonical import sha256_text
from schemas.errors import ComplianceError

# Threads of one process, and processes started afresh (each with its own seed of string hashes).
THREADS = 3
PROCESSES = 2
# A process takes this many files at a time: sending each alone costs more than parsing it.
CHUNK = 16


def outline_digest(path: Path) -> str:
    """A hash over the extracted text and every clause's path, label, hash and positions; the code of a refusal."""
    try:
        parsed = parse_version(path.read_bytes(), path.name)
    except ComplianceError as error:
        return error.code
    rows = [f"{'/'.join(item.path)}\t{item.label}\t{item.sha256}\t{item.spans}\t{item.flags}" for item in parsed.clauses]
    return sha256_text("\n".join([parsed.extracted_sha256, *rows]))


def same_everywhere(paths: Sequence[Path]) -> dict[str, Any]:
    """Every file parsed in one process by several threads and again by several processes; files that differ are named."""
    with ThreadPoolExecutor(THREADS) as threads:
        ours = list(threads.map(outline_digest, paths))
    with ProcessPoolExecutor(PROCESSES, mp_context=multiprocessing.get_context("spawn")) as processes:
        theirs = list(processes.map(outline_digest, paths, chunksize=CHUNK))
    different = [path.name for path, one, other in zip(paths, ours, theirs, strict=True) if one != other]
    return {"files": len(paths), "threads": THREADS, "processes": PROCESSES, "different": different}
