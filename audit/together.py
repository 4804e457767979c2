"""Appends that wait for each other: who comes to the lock first commits for all who wait, with one set of fsyncs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from schemas.errors import ComplianceError, IntegrityError

T = TypeVar("T")
R = TypeVar("R")


class _Waiting(Generic[T, R]):
    """One caller's piece of work and what came of it."""

    def __init__(self, work: T) -> None:
        self.work = work
        self.ended = False
        self.result: R | None = None
        self.error: Exception | None = None


class Together(Generic[T, R]):
    """Runs ``commit`` over what several threads brought, in the order they brought it, one run at a time. ``commit`` does all
    it is asked or nothing."""

    def __init__(self, commit: Callable[[list[T]], list[R]]) -> None:
        self._turn = threading.Lock()
        self._commit = commit
        self._waiting: list[_Waiting[T, R]] = []
        self._door = threading.Lock()

    def run(self, work: T) -> R:
        """What ``commit`` gives for ``work``. Raises what it raises, to each whose work it had in hand; IntegrityError
        ``ledger_write_failed`` when the thread that committed for this one was broken off."""
        mine: _Waiting[T, R] = _Waiting(work)
        with self._door:
            self._waiting.append(mine)
        with self._turn:
            if not mine.ended:
                self._run_all()
        if mine.error is not None:
            raise mine.error
        assert mine.result is not None
        return mine.result

    def _run_all(self) -> None:
        with self._door:
            waiting, self._waiting = self._waiting, []
        try:
            results = self._commit([one.work for one in waiting])
        except BaseException as error:
            # Not tried again for the others: what reached the disk may be taken in by whoever opens it next.
            for one in waiting:
                one.ended, one.error = True, _told(error)
            raise
        for one, result in zip(waiting, results, strict=True):
            one.ended, one.result = True, result


def _told(error: BaseException) -> Exception:
    if isinstance(error, ComplianceError | OSError):
        return error
    return IntegrityError("ledger_write_failed", "The ledger's writer was broken off; nothing was acknowledged.")
