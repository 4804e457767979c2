"""What optical character recognition says of a page: plain data that passes from the confined child to its parent."""

from __future__ import annotations

from dataclasses import dataclass

from compliance_rag.parse.readers.pdf_types import Rect


@dataclass(frozen=True, slots=True)
class ReadLine:
    """Characters that stand side by side. ``sure``: for each how sure the recogniser is, 0 to 1; ``edges``: two numbers a
    character, where it starts and ends along the line in displayed points. ``box`` is around its ink as displayed, ``upright``
    the same with the page turned and straightened so that its text runs to the right, its height that of the type; ``size`` in
    points; ``base`` the height of its base line (upright)."""

    text: str
    sure: tuple[float, ...]
    edges: tuple[float, ...]
    box: Rect
    upright: Rect
    size: float
    base: float


@dataclass(frozen=True, slots=True)
class ReadPage:
    """One page as read from its picture. ``turn``: which way its text runs as displayed (0, 90, 180, 270); ``skew``: by how
    many degrees it lies askew beside that; ``ink``: the share of it that is dark; ``dots``: dots an inch of the picture in the
    file, 0 where it is drawn and not a picture; ``figures``: regions of ink in which no line was found, as displayed; ``edge``:
    how wide the edges of its strokes are, in points, 0 where that was not measured; ``crossed``: lines through which the ink of
    a figure, or along which a stroke, runs."""

    number: int
    width: float
    height: float
    turn: int
    skew: float
    ink: float
    dots: float
    lines: tuple[ReadLine, ...]
    figures: tuple[Rect, ...]
    edge: float = 0.0
    crossed: int = 0
