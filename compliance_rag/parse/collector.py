"""The cyclic garbage collector, set aside while one version is read."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def collector_paused() -> Iterator[None]:
    """No cyclic collection inside the block.

    A version of n characters makes a number of lasting objects linear in n and no cycles to speak of; each full collection
    walks all of them again, which made the time grow faster than the text (2.7 for 2 at 5 MB) and a third longer.
    A collector that the caller had off stays off.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
