"""Text that is in a PDF and not on its pages: found by asking the renderer whether the page changes without it.

What cannot be seen anyway (no ink, off the page, too small) needs no picture. The rest is suspected cheaply (pale, under
something painted later, on something of its own colour, optional content, clipped) and only then is the page drawn twice: with
the suspected text and without. A character whose place looks the same in both is hidden, whatever the reason.
"""

from __future__ import annotations

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from compliance_rag.parse.readers.pdf_calls import Calls
from compliance_rag.parse.readers.pdf_clips import ALL
from compliance_rag.parse.readers.pdf_glyphs import Glyphs
from compliance_rag.parse.readers.pdf_objects import IMAGE, PATH, SHADING, TEXT, Drawn
from compliance_rag.parse.readers.pdf_place import Boxes, Placer

# Text under this size, in points, is not for reading.
TINY_POINTS = 1.5
# Letters are at least a sixth as wide as the font is high; text of so many characters that are under this is squeezed away.
SQUEEZED, MIN_SQUEEZED = 0.06, 4
# A fill whose darkest channel is at least this is pale; on white paper 200 is the faintest grey in use for text.
PALE = 200
# Channels that differ by less than this are one colour to a reader.
NEAR_COLOUR = 48
# A difference of a pixel below this (of 255) is not seen: contrast under 1.15 to 1.
SEEN = 16
# Pixels a point at which the page is drawn: a full stop of 6-point type covers two pixels.
SCALE = 2.0
# A page is drawn no larger than this, whatever its size: 8 million pixels are four pages of A4, 24 MB a drawing.
MAX_PIXELS = 8_000_000
# A page with more areas than this is a drawing: all its text is asked about rather than compared with each of them.
MAX_COVERS = 1_000
# Ink may reach this many points out of its clip: the edge of a letter is not missed.
CLIPPED = 1.0
# Further than any page reaches, in points.
FAR = 1e6
# Thinner than this, in points, is a rule and hides nothing.
THIN = 2.5


def hidden_glyphs(raw: Any, calls: Calls, page: Any, glyphs: Glyphs, drawn: list[Drawn], placer: Placer) -> NDArray[np.bool_]:
    """For each character whether it is hidden. White space is never."""
    centre_x, centre_y = (glyphs.tight[:, 0] + glyphs.tight[:, 2]) / 2, (glyphs.tight[:, 1] + glyphs.tight[:, 3]) / 2
    off = (centre_x < 0) | (centre_y < 0) | (centre_x > placer.width) | (centre_y > placer.height)
    size = glyphs.loose[:, 2:] - glyphs.loose[:, :2]
    ink = glyphs.tight[:, 2:] - glyphs.tight[:, :2]
    tiny = (size.max(axis=1) < TINY_POINTS) & (ink.max(axis=1) < TINY_POINTS)
    inkless = np.array([item.inkless for item in glyphs.printed] + [False])[glyphs.owner]
    hidden: NDArray[np.bool_] = (off | tiny | inkless | _squeezed(glyphs, size)) & ~glyphs.blank
    withheld = _withheld(glyphs, drawn, placer)
    suspects = _suspects(glyphs, drawn, placer, hidden, withheld)
    if suspects:
        same = _unchanged(raw, calls, page, glyphs, suspects, placer)
        same = np.where(np.isin(glyphs.owner, sorted(withheld)), _whole_words(glyphs, same), same)
        hidden |= same & np.isin(glyphs.owner, suspects) & ~glyphs.blank
    return hidden


def _squeezed(glyphs: Glyphs, size: NDArray[np.float64]) -> NDArray[np.bool_]:
    """True for the characters of text objects that are set so narrow or so low that they are strokes and no letters."""
    count = len(glyphs.printed) + 1
    printed = ~glyphs.blank
    narrow = np.bincount(glyphs.owner[printed] + 1, size.min(axis=1)[printed], count)
    broad = np.bincount(glyphs.owner[printed] + 1, size.max(axis=1)[printed], count)
    many = np.bincount(glyphs.owner[printed] + 1, minlength=count) >= MIN_SQUEEZED
    gone = many & (narrow < SQUEEZED * broad)
    gone[0] = False
    return np.asarray(gone[glyphs.owner + 1])


def _whole_words(glyphs: Glyphs, same: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """``same`` with words whole: a clip that cuts a line in height leaves a word its taller letters."""
    begins = np.concatenate(([True], glyphs.blank[1:] | glyphs.blank[:-1] | (glyphs.owner[1:] != glyphs.owner[:-1])))
    starts = np.nonzero(begins)[0]
    whole = np.logical_and.reduceat(same, starts)
    return np.asarray(np.repeat(whole, np.diff([*starts.tolist(), len(same)])))


def _suspects(glyphs: Glyphs, drawn: list[Drawn], placer: Placer, hidden: NDArray[np.bool_], withheld: set[int]) -> list[int]:
    """Numbers of the text objects that may not be seen."""
    pale = {at for at, item in enumerate(glyphs.printed) if item.colour is None or min(item.colour[:3]) >= PALE}
    pale |= {at for at, item in enumerate(glyphs.printed) if item.colour is not None and item.colour[3] < PALE}
    pale |= withheld
    covers = [(z, item) for z, item in enumerate(drawn) if _covers(item)]
    if len(covers) > MAX_COVERS:
        pale = set(range(len(glyphs.printed)))
    elif covers:
        order = {item.address: z for z, item in enumerate(drawn) if item.kind == TEXT}
        boxes = placer.displayed(np.array([item.bounds for _, item in covers]))
        for at, box in _bounds(glyphs):
            if at not in pale and _under(glyphs, at, box, order, covers, boxes):
                pale.add(at)
    shown = set(np.unique(glyphs.owner[~hidden & ~glyphs.blank]).tolist())
    return sorted(pale & shown)


def _withheld(glyphs: Glyphs, drawn: list[Drawn], placer: Placer) -> set[int]:
    """Numbers of the text objects that are optional content, or reach out of what they are clipped to."""
    number = {address: at for at, address in enumerate(glyphs.addresses)}
    texts = [item for item in drawn if item.kind == TEXT and item.address in number]
    out = {number[item.address] for item in texts if item.optional}
    clipped = [item for item in texts if item.bounds != ALL]
    if not clipped:
        return out
    clips = {number[item.address]: box for item, box in zip(clipped, _shown(clipped, placer), strict=True)}
    for at, (x0, y0, x1, y1) in _bounds(glyphs):
        clip = clips.get(at)
        if clip is not None and not (
            clip[0] - CLIPPED <= x0 and clip[1] - CLIPPED <= y0 and x1 <= clip[2] + CLIPPED and y1 <= clip[3] + CLIPPED
        ):
            out.add(at)
    return out


def _shown(items: list[Drawn], placer: Placer) -> list[list[float]]:
    """The clips as displayed; those of other shapes than rectangles, and empty ones, hold nothing."""
    bounds = np.array([item.bounds for item in items])
    empty = (bounds[:, 0] >= bounds[:, 2]) | (bounds[:, 1] >= bounds[:, 3])
    shown = placer.displayed(np.where(empty[:, None], 0.0, np.clip(bounds, -FAR, FAR)))
    return [list(box) if not gone else [0.0, 0.0, -1.0, -1.0] for box, gone in zip(shown.tolist(), empty.tolist(), strict=True)]


def _covers(item: Drawn) -> bool:
    left, bottom, right, top = item.bounds
    return (
        item.kind in (PATH, IMAGE, SHADING)
        and item.filled
        and min(right - left, top - bottom) > THIN
        and (item.colour is None or item.colour[3] > 0)
    )


def _bounds(glyphs: Glyphs) -> list[tuple[int, list[float]]]:
    """The box of each text object that prints something."""
    at = np.nonzero(~glyphs.blank & (glyphs.owner >= 0))[0]
    if not len(at):
        return []
    at = at[np.argsort(glyphs.owner[at], kind="stable")]
    owners, starts = np.unique(glyphs.owner[at], return_index=True)
    low, high = np.minimum.reduceat(glyphs.tight[at][:, :2], starts), np.maximum.reduceat(glyphs.tight[at][:, 2:], starts)
    return list(zip(owners.tolist(), np.column_stack((low, high)).tolist(), strict=True))


def _under(
    glyphs: Glyphs, at: int, box: list[float], order: dict[int, int], covers: list[tuple[int, Drawn]], boxes: Boxes
) -> bool:
    """True when something painted later lies over the text, or something of its colour, or a picture, under it."""
    x0, y0, x1, y1 = box
    place = order.get(glyphs.addresses[at], -1)
    colour = glyphs.printed[at].colour
    meets = (boxes[:, 0] < x1) & (boxes[:, 2] > x0) & (boxes[:, 1] < y1) & (boxes[:, 3] > y0)
    for index in np.nonzero(meets)[0].tolist():
        z, item = covers[index]
        if z > place or item.colour is None or colour is None:
            return True
        if max(abs(a - b) for a, b in zip(item.colour[:3], colour[:3], strict=True)) < NEAR_COLOUR:
            return True
    return False


def _unchanged(raw: Any, calls: Calls, page: Any, glyphs: Glyphs, suspects: list[int], placer: Placer) -> NDArray[np.bool_]:
    """For each character whether its place looks the same without the suspected text objects."""
    scale = min(SCALE, (MAX_PIXELS / max(1.0, placer.width * placer.height)) ** 0.5)
    before = _drawn(page, scale)
    for at in suspects:
        calls.activate(ctypes.c_void_p(glyphs.addresses[at]), 0)
    after = _drawn(page, scale)
    for at in suspects:
        calls.activate(ctypes.c_void_p(glyphs.addresses[at]), 1)
    apart = np.maximum(before, after) - np.minimum(before, after) >= SEEN
    changed = apart[:, :, 0] | apart[:, :, 1] | apart[:, :, 2]  # a reduction over so short an axis takes ten times as long
    # Sums over rectangles: the number of changed pixels in any box in four look-ups.
    sums = np.zeros((changed.shape[0] + 1, changed.shape[1] + 1), np.int64)
    sums[1:, 1:] = changed.cumsum(0).cumsum(1)
    high, wide = changed.shape
    x0 = np.clip(np.floor(glyphs.tight[:, 0] * scale).astype(np.int64), 0, wide)
    y0 = np.clip(np.floor(glyphs.tight[:, 1] * scale).astype(np.int64), 0, high)
    x1 = np.clip(np.ceil(glyphs.tight[:, 2] * scale).astype(np.int64), 0, wide)
    y1 = np.clip(np.ceil(glyphs.tight[:, 3] * scale).astype(np.int64), 0, high)
    return np.asarray(sums[y1, x1] - sums[y0, x1] - sums[y1, x0] + sums[y0, x0] == 0)


def _drawn(page: Any, scale: float) -> NDArray[np.uint8]:
    return np.array(page.render(scale=scale).to_numpy()[:, :, :3], dtype=np.uint8)
