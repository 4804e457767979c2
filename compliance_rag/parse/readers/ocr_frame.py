"""From the picture of a page as it is displayed to the same turned and straightened, and back."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from compliance_rag.parse.readers.ocr_engine import Picture
from compliance_rag.parse.readers.pdf_types import Rect, Turn

Points = NDArray[np.float64]
# Quarter turns, counter-clockwise, that make text of each direction run to the right.
_QUARTERS: dict[Turn, int] = {0: 0, 90: 3, 180: 2, 270: 1}


def turned(picture: Picture, turn: Turn) -> Picture:
    """The picture with text that runs at ``turn`` made to run to the right."""
    return np.ascontiguousarray(np.rot90(picture, _QUARTERS[turn]))


def turned_points(points: Points, turn: Turn, width: float, height: float) -> Points:
    """Points of a picture ``width`` by ``height`` where :func:`turned` puts them."""
    x, y = points[..., 0], points[..., 1]
    if turn == 90:
        return np.stack((height - y, x), -1)
    if turn == 180:
        return np.stack((width - x, height - y), -1)
    if turn == 270:
        return np.stack((y, width - x), -1)
    return points


@dataclass(frozen=True, slots=True)
class Frame:
    """A page's picture, ``width`` by ``height`` pixels as displayed and ``scale`` pixels a point, turned by ``turn`` and then
    straightened by ``skew`` degrees about its middle onto a canvas of ``canvas`` pixels."""

    turn: Turn
    skew: float
    width: int
    height: int
    scale: float
    canvas: tuple[int, int]

    @property
    def _middles(self) -> tuple[Points, Points]:
        wide, high = (self.height, self.width) if self.turn % 180 else (self.width, self.height)
        return np.array((wide / 2, high / 2)), np.array((self.canvas[0] / 2, self.canvas[1] / 2))

    def displayed(self, points: Points) -> Points:
        """Pixels of the straight picture as points of the displayed page."""
        middle, centre = self._middles
        angle = np.radians(self.skew)
        cos, sin = np.cos(angle), np.sin(angle)
        away = points - centre
        x = cos * away[..., 0] - sin * away[..., 1] + middle[0]
        y = sin * away[..., 0] + cos * away[..., 1] + middle[1]
        back: dict[Turn, tuple[Points, Points]] = {
            0: (x, y), 90: (y, self.height - x), 180: (self.width - x, self.height - y), 270: (self.width - y, x),
        }  # fmt: skip
        return np.stack(back[self.turn], -1) / self.scale

    def box(self, rect: Rect) -> Rect:
        """The displayed box around a rectangle of the straight picture, in points."""
        x0, y0, x1, y1 = rect
        corners = self.displayed(np.array(((x0, y0), (x1, y0), (x1, y1), (x0, y1)), np.float64))
        low, high = corners.min(0), corners.max(0)
        return round(float(low[0]), 2), round(float(low[1]), 2), round(float(high[0]), 2), round(float(high[1]), 2)

    def upright(self, rect: Rect) -> Rect:
        """A rectangle of the straight picture in the space of upright lines (see ``pdf_place.upright``), in points."""
        middle, centre = self._middles
        shift = {0: (0, 0), 90: (-self.height, 0), 180: (-self.width, -self.height), 270: (0, -self.width)}[self.turn]
        x, y = (float(middle[at] - centre[at]) + shift[at] for at in (0, 1))
        x0, y0, x1, y1 = rect
        return (
            round((x0 + x) / self.scale, 2), round((y0 + y) / self.scale, 2),
            round((x1 + x) / self.scale, 2), round((y1 + y) / self.scale, 2),
        )  # fmt: skip

    def edges(self, starts: NDArray[np.float64], ends: NDArray[np.float64], middle: float) -> tuple[float, ...]:
        """Where characters from ``starts`` to ``ends`` (pixels of the straight picture, at height ``middle``) start and end
        along the line as displayed: two numbers each, the smaller first."""
        axis = 1 if self.turn % 180 else 0
        at = np.full(len(starts), middle)
        one = self.displayed(np.column_stack((starts, at)))[:, axis]
        other = self.displayed(np.column_stack((ends, at)))[:, axis]
        pairs = np.column_stack((np.minimum(one, other), np.maximum(one, other)))
        return tuple(np.round(pairs, 2).ravel().tolist())


def straightened(picture: Picture, skew: float) -> Picture:
    """The picture turned by ``skew`` degrees so that lines which fall to the right by that much run level; white beyond it."""
    import cv2

    height, width = picture.shape
    angle = np.radians(abs(skew))
    wide = int(np.ceil(width * np.cos(angle) + height * np.sin(angle)))
    high = int(np.ceil(height * np.cos(angle) + width * np.sin(angle)))
    matrix = cv2.getRotationMatrix2D((width / 2, height / 2), skew, 1.0)
    matrix[:, 2] += (wide - width) / 2, (high - height) / 2
    out = cv2.warpAffine(picture, matrix, (wide, high), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_CONSTANT, borderValue=255)
    return np.asarray(out, np.uint8)
