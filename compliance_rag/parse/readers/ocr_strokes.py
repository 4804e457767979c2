"""Lines of a scan that a stroke runs along: words struck out by hand or with a ruler, which are read all the same."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Pixels = tuple[int, int, int, int]
# A stroke is longer than this many heights of a line; no letter and no dash is.
LONG = 2.5
# It is followed through the ink in level pieces of this many heights, since it may fall a little on its way.
LEVEL = 1.2
# It runs through the letters: between these shares of the height of the ink, above their feet.
UPPER, LOWER = 0.25, 0.72
# Letters stand out above and below it over this share of its length; over a line to be filled in, or dashes, none do.
PIERCED = 0.3
# It is no thicker than this share of that height.
THICK = 0.25
# White type stands on a ground that covers more than this share of its line.
MAX_GROUND = 0.45
# A rectangle of fewer pixels in height holds no line of text.
MIN_HEIGHT = 8


def struck(ink: NDArray[np.bool_], lines: list[Pixels]) -> int:
    """Along how many of the ``lines`` a stroke runs. ``ink`` is the upright picture of the page."""
    return sum(_is_struck(ink[y0:y1, x0:x1]) for x0, y0, x1, y1 in lines)


def _is_struck(ink: NDArray[np.bool_]) -> bool:
    import cv2

    filled = np.nonzero(ink.any(axis=1))[0]
    if not len(filled) or len(ink) < MIN_HEIGHT or ink.mean() > MAX_GROUND:
        return False
    top, high = int(filled[0]), int(filled[-1] - filled[0]) + 1
    kernel = np.ones((1, max(2, round(LEVEL * high))), np.uint8)
    level = cv2.morphologyEx(ink.astype(np.uint8), cv2.MORPH_OPEN, kernel)
    count, named, stats, _ = cv2.connectedComponentsWithStats(level, connectivity=8)
    return any(stats[at][2] >= LONG * high and _pierced(ink, named == at, top, high) for at in range(1, count))


def _pierced(ink: NDArray[np.bool_], stroke: NDArray[np.bool_], top: int, high: int) -> bool:
    """True when somewhere along a stroke, over the length of a word, letters stand out on both its sides."""
    columns = np.nonzero(stroke.any(axis=0))[0]
    own, rest = stroke[:, columns], ink[:, columns]
    upper, lower = own.argmax(axis=0), len(own) - own[::-1].argmax(axis=0)
    rows = np.arange(len(own))[:, None]
    above, below = (rest & (rows < upper - 1)).any(axis=0), (rest & (rows > lower)).any(axis=0)
    size = round(LONG * high)
    if len(columns) < size:
        return False
    parts = ((upper + lower) / 2 - top) / high, (lower - upper) / high, above, below
    height, thick, over, under = (_running(part, size) for part in parts)
    through = (height >= UPPER) & (height <= LOWER) & (over >= PIERCED) & (under >= PIERCED)
    return bool((through & (thick <= THICK)).any())


def _running(values: NDArray[np.generic], size: int) -> NDArray[np.float64]:
    """The mean of each ``size`` values in a row."""
    total = np.concatenate(([0.0], np.cumsum(values, dtype=np.float64)))
    return np.asarray((total[size:] - total[:-size]) / size)
