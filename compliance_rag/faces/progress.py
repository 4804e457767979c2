"""Progress on stderr: a bar per stage on a terminal, a line every few seconds elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType

# Anything over two seconds shows progress; a line oftener than this only fills a log.
LINE_EVERY_SECONDS = 5.0


class Stages:
    """``update(stage, done, total)`` for as many stages as come; silent when quiet."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._tty = sys.stderr.isatty()
        self._last = 0.0
        self._open = False

    def __enter__(self) -> Stages:
        return self

    def update(self, stage: str, done: int, total: int) -> None:
        """Say how far ``stage`` is."""
        if self._quiet:
            return
        now = time.monotonic()
        finished = done >= total
        if self._tty:
            print(f"\r\033[K{stage} {done}/{total}", end="\n" if finished else "", file=sys.stderr, flush=True)
            self._open = not finished
        elif finished or now - self._last >= LINE_EVERY_SECONDS:
            print(f"{stage} {done}/{total}", file=sys.stderr, flush=True)
            self._last = now

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._open:
            print(file=sys.stderr)
