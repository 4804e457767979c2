"""Watermarks: large type that lies across the lines of the text, level with them."""

from __future__ import annotations

from compliance_rag.parse.readers.pdf_types import Line

# Type this much larger than the text's that lies on lines of it is printed behind them: a watermark.
BEHIND = 1.8
# What such a line and one of the text share of the width, in font sizes of the text.
CROSSED = 1.0


def overprinted(lines: list[Line], usual: float) -> list[Line]:
    """Lines of type much larger than the text's on which lines of text are printed, or they on those: watermarks."""
    large = [line for line in lines if line.size >= BEHIND * usual]
    small = [line for line in lines if line.size < BEHIND * usual] if large else []
    return [line for line in large if any(_crosses(line, other) for other in small)]


def _crosses(large: Line, small: Line) -> bool:
    """True when the middle of a line runs through the ink of a larger one."""
    x0, y0, x1, y1 = large.box
    left, top, right, bottom = small.box
    if large.turn != small.turn or large.turn % 180:
        return False
    return y0 < (top + bottom) / 2 < y1 and min(x1, right) - max(x0, left) > CROSSED * small.size
