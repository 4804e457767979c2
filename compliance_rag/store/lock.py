"""One writer a home: an exclusive ``flock`` on a side file, held for a whole batch and let go when its process dies."""

from __future__ import annotations

from contextlib import AbstractContextManager

from audit.durable import locked
from schemas.home import Home


def writer_lock(home: Home) -> AbstractContextManager[None]:
    """Wait for, then hold, the home's writer lock. Not re-entrant: the outermost service function takes it once.

    Raises IntegrityError when the lock file can't be opened for writing.
    """
    return locked(home.writer_lock)
