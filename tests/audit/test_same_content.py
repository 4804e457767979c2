"""The same bytes stored by many at once: whole from the moment their name is there, and nobody takes them for damage."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from audit.durable import write_content

WRITERS, ROUNDS = 8, 60
# A writer that fails leaves the others waiting.
WAIT_SECONDS = 30
# Large enough that a write is caught half-way.
DATA = b"the same for everybody " * 40_000


def test_many_writers_of_the_same_bytes(tmp_path: Path) -> None:
    """Writers that start together all succeed; the file holds the bytes, nothing is moved aside and nothing is left over."""
    gate = threading.Barrier(WRITERS)

    def write(number: int) -> None:
        for turn in range(ROUNDS):
            gate.wait(WAIT_SECONDS)
            write_content(tmp_path / f"{turn}", DATA)
            assert (tmp_path / f"{turn}").read_bytes() == DATA, number

    with ThreadPoolExecutor(WRITERS) as pool:
        list(pool.map(write, range(WRITERS)))
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(str(turn) for turn in range(ROUNDS))
