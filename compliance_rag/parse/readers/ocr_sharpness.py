"""How sharp a picture of a page is: how wide the edges of its strokes are."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from compliance_rag.parse.readers.ocr_engine import Picture

# Of the slopes along the edges of the ink this percentile counts: ends and crossings of strokes are flatter whatever the blur,
# and the steepest are noise.
SLOPE_PERCENTILE = 75
# Shades of paper and of ink: most of a page is paper, and the core of its strokes is the darkest tenth of what is near ink.
PAPER_PERCENTILE, INK_PERCENTILE = 90, 10
# Fewer pixels of edge than this are a few specks.
MIN_EDGE = 500


def edge_width(picture: Picture, ink: NDArray[np.bool_]) -> float:
    """The usual width of an edge of ``ink`` (true where there is ink) in pixels: the step from paper to ink divided by the
    slope of the shade there. 0 where there is too little ink to tell. A Gaussian blur of s pixels gives about 2.5 s."""
    import cv2

    smooth = cv2.GaussianBlur(picture, (3, 3), 0)
    across = cv2.Sobel(smooth, cv2.CV_32F, 1, 0, ksize=3, scale=1 / 8)
    down = cv2.Sobel(smooth, cv2.CV_32F, 0, 1, ksize=3, scale=1 / 8)
    mask, square = ink.astype(np.uint8), np.ones((3, 3), np.uint8)
    near = cv2.dilate(mask, square) > 0
    edge = near & ~(cv2.erode(mask, square) > 0)
    if int(edge.sum()) < MIN_EDGE:
        return 0.0
    slopes = np.hypot(across[edge], down[edge])
    step = float(np.percentile(smooth[::2, ::2], PAPER_PERCENTILE)) - float(np.percentile(smooth[near], INK_PERCENTILE))
    slope = float(np.percentile(slopes, SLOPE_PERCENTILE))
    return max(0.0, step) / slope if slope > 0 else 0.0
