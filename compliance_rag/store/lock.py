"""One writer a home: an exclusive ``flock`` on a side file, let go by the kernel when a process dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager

from schemas.home import Home


@contextmanager
def writer_lock(home: Home) -> Iterator[None]:
    """Wait for, then hold, the home's writer lock. Not re-entrant: the outermost service function takes it once."""
    home.root.mkdir(parents=True, exist_ok=True)
    handle = os.open(home.writer_lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
