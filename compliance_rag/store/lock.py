"""One writer a home: an exclusive ``flock`` on a side file, held for a whole batch and let go when its process dies."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

from audit.durable import locked
from audit.ledger import UNWRITABLE
from schemas.home import Home


def writer_lock(home: Home) -> AbstractContextManager[None]:
    """Wait for, then hold, the home's writer lock. Not re-entrant: the outermost service function takes it once.

    Raises IntegrityError when the lock file can't be opened for writing.
    """
    return locked(home.writer_lock)


@contextmanager
def try_writer_lock(home: Home) -> Iterator[bool]:
    """Hold the lock when nobody does; gives False, at once, when a live writer has it or the home can't be written."""
    try:
        handle = os.open(home.writer_lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        if error.errno not in UNWRITABLE:
            raise
        yield False
        return
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(handle)
