"""From a PDF page's own space (origin anywhere, y upwards) to the page as displayed, after crop and rotation."""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compliance_rag.parse.readers.pdf_types import Turn

Boxes = NDArray[np.float64]
"""``(n, 4)``: x0, y0, x1, y1 of each."""
_TURNS: tuple[Turn, ...] = (0, 90, 180, 270)


class Placer:
    """The transform of one page. ``width`` and ``height`` are those of the displayed page, in points."""

    def __init__(self, raw: Any, page: Any) -> None:
        # The bounding box that the renderer itself uses: crop box within media box, both possibly inherited.
        box = raw.FS_RECTF()
        raw.FPDF_GetPageBoundingBox(page, ctypes.byref(box))
        self.left, self.right = min(box.left, box.right), max(box.left, box.right)
        self.bottom, self.top = min(box.bottom, box.top), max(box.bottom, box.top)
        self.rotation: int = raw.FPDFPage_GetRotation(page) % 4 * 90
        across, along = self.right - self.left, self.top - self.bottom
        self.width, self.height = (along, across) if self.rotation % 180 else (across, along)

    def displayed(self, boxes: Boxes) -> Boxes:
        """Boxes of page space as displayed, origin top left."""
        x0, y0 = boxes[:, 0] - self.left, boxes[:, 1] - self.bottom
        x1, y1 = boxes[:, 2] - self.left, boxes[:, 3] - self.bottom
        across, along = self.right - self.left, self.top - self.bottom
        if self.rotation == 90:
            out = (y0, x0, y1, x1)
        elif self.rotation == 180:
            out = (across - x1, y0, across - x0, y1)
        elif self.rotation == 270:
            out = (along - y1, across - x1, along - y0, across - x0)
        else:
            out = (x0, along - y1, x1, along - y0)
        return np.column_stack(out)

    def turn(self, turn: Turn) -> Turn:
        """The direction on the displayed page of text that runs at ``turn`` in page space."""
        found: Turn = _TURNS[(turn - self.rotation) % 360 // 90]
        return found


def upright(boxes: Boxes, turn: Turn) -> Boxes:
    """Displayed boxes with the page turned so that text running at ``turn`` runs to the right."""
    x0, y0, x1, y1 = boxes.T
    if turn == 90:
        return np.column_stack((-y1, x0, -y0, x1))
    if turn == 180:
        return np.column_stack((-x1, -y1, -x0, -y0))
    if turn == 270:
        return np.column_stack((y0, -x1, y1, -x0))
    return boxes
