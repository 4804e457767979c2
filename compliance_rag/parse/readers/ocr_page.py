"""A page's picture to its lines: orientation by what reads best, straightening, ink, words with the place of each character."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from statistics import median

import numpy as np
from numpy.typing import NDArray

from compliance_rag.parse.readers.ocr_engine import Engine, Picture, Quads, Reading
from compliance_rag.parse.readers.ocr_frame import Frame, straightened, turned, turned_points
from compliance_rag.parse.readers.ocr_sharpness import edge_width
from compliance_rag.parse.readers.ocr_spaces import spaced, trimmed
from compliance_rag.parse.readers.ocr_strokes import struck
from compliance_rag.parse.readers.ocr_type_size import measured, same_sizes
from compliance_rag.parse.readers.ocr_types import ReadLine, ReadPage
from compliance_rag.parse.readers.pdf_types import Rect, Turn

Pixels = tuple[int, int, int, int]
"""``x0, y0, x1, y1`` in pixels of the upright picture."""

# The longer side of the picture on which lines are looked for: 10-point type is then some 18 pixels high.
DETECT_SIDE = 1440
# Lines read in each direction to decide which way a page lies: more are read only to be thrown away.
SAMPLED = 5
# When fewer lines than this share lie across, only the two directions of the others are tried.
ACROSS = 0.25
# A line is long enough to tell a direction from this many of its heights.
LONG = 1.5
# Lines of this share of the longest one's length tell how far the page lies askew.
LONG_SHARE = 0.3
# A page that lies askew by less, in degrees, is left as it is: a line 450 points long then rises by two.
MIN_SKEW = 0.25
# White wider than this many heights of a line's ink ends a piece of it, as in text of a PDF.
WIDE_GAP = 1.25
# A figure is larger than this, in points, both ways.
MIN_FIGURE = 72.0
# Ink runs through a line where it passes both its edges, no further aside than this many heights of it, and not along more than
# this share of it; what is ink all over is a ground and no drawing.
SLANT, MAX_RULED, MAX_GROUND = 1.5, 0.5, 0.35
# So many pixels around the ink of a page are looked at again where no line was found on all of it.
AROUND = 300
# Ink on a page without a line is told of from this share of it on: a word covers so much.
MIN_TRACE = 0.0002
# White around a line that is read, in pixels.
MARGIN = 4
# Lines that share less than this share of the shorter one's length stand beside one another, not under.
BESIDE = 0.5
# Two findings that share more than this of their height are one line found twice.
SHARED = 0.7
# A stroke is at least so many pixels wide; tails reach at most this share of the other ink of a line above or below it.
MIN_STROKE = 2
TAIL_REACH = 0.35
# Paper and ink are told apart where they differ by this much, of 255.
MIN_CONTRAST = 40
# Of the darkest pixels, in percent: text covers more than the first of a page, a few lines or a frame more than the second.
DARK, DARKEST = 1.0, 0.05


def read_picture(engine: Engine, picture: Picture, number: int, width: float, height: float, dots: float) -> ReadPage:
    """Everything read on the picture of page ``number``, which is ``width`` by ``height`` points as displayed."""
    high, wide = picture.shape
    scale = wide / width
    quads = _found(engine, picture)
    skew = _skew(quads)
    straight = straightened(picture, skew) if skew else picture
    if skew:
        quads = _found(engine, straight)
    turn = _direction(engine, straight, quads)
    # Turning and straightening about the middle may be done in either order.
    upright = turned(straight, turn)
    quads = turned_points(quads, turn, straight.shape[1], straight.shape[0])
    frame = Frame(turn, skew, wide, high, scale, (upright.shape[1], upright.shape[0]))
    ink = _ink(upright)
    rects = _rects(quads, upright.shape)
    bands = _bands(rects)
    lines = [line for rect, band in zip(rects, bands, strict=True) for line in _lines(engine, upright, ink, rect, band, frame)]
    left = _outside(ink, rects)
    found = _figures(left, frame)
    if not lines and not found and ink.mean() >= MIN_TRACE:
        found = [_spread(ink)]
    return ReadPage(
        number, round(width, 2), round(height, 2), turn, round(skew, 2), round(float(ink.mean()), 4), round(dots, 1),
        tuple(same_sizes(lines)), tuple(sorted((frame.box(rect) for rect in found), key=_largest)),
        round(edge_width(upright, ink) / scale, 2), _crossed(ink, rects, frame.scale) + struck(ink, rects),
    )  # fmt: skip


def _find(engine: Engine, picture: Picture) -> Quads:
    import cv2

    high, wide = picture.shape
    share = min(1.0, DETECT_SIDE / max(high, wide))
    small = cv2.resize(picture, (round(wide * share), round(high * share)), interpolation=cv2.INTER_AREA)
    return np.asarray(engine.find(np.asarray(small, np.uint8)) / share, np.float64)


def _found(engine: Engine, picture: Picture) -> Quads:
    """The lines of a page; where none is found, they are looked for around its ink: a single line on a page is missed."""
    quads = _find(engine, picture)
    ink = np.zeros((0, 0), np.bool_) if len(quads) else _ink(picture)
    if not ink.any():
        return quads
    x0, y0, x1, y1 = _spread(ink)
    x0, y0 = max(0, x0 - AROUND), max(0, y0 - AROUND)
    return _find(engine, picture[y0 : y1 + AROUND, x0 : x1 + AROUND]) + np.array((x0, y0), np.float64)


def _spread(ink: NDArray[np.bool_]) -> Pixels:
    """The rectangle around all ink."""
    rows, columns = np.nonzero(ink.any(axis=1))[0], np.nonzero(ink.any(axis=0))[0]
    return int(columns[0]), int(rows[0]), int(columns[-1]) + 1, int(rows[-1]) + 1


def _long_edges(quads: Quads) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The longer edge of each quad as a vector, and by how many times it is longer than the other. Which corner comes first
    says nothing: a line that runs up the page askew has its corners named in another order."""
    one, other = quads[:, 1] - quads[:, 0], quads[:, 2] - quads[:, 1]
    first, second = np.linalg.norm(one, axis=1), np.linalg.norm(other, axis=1)
    longer = np.where((first >= second)[:, None], one, other)
    return longer, np.maximum(first, second) / np.maximum(1.0, np.minimum(first, second))


def _direction(engine: Engine, picture: Picture, quads: Quads) -> Turn:
    """Which way the text of a straight page runs: the direction in which its longest lines are read with most certainty."""
    if not len(quads):
        return 0
    edges, ratio = _long_edges(quads)
    lengths = np.linalg.norm(edges, axis=1)
    lying = np.abs(edges[:, 0]) >= np.abs(edges[:, 1])
    level, across = float(lengths[lying & (ratio > LONG)].sum()), float(lengths[~lying & (ratio > LONG)].sum())
    turns: tuple[Turn, ...] = (0, 180) if level >= across else (90, 270)
    if min(level, across) > ACROSS * (level + across) or level + across == 0:
        turns = (0, 90, 180, 270)
    scores: dict[Turn, float] = {}
    for turn in turns:
        pieces = [turned(_cut(picture, _around(quads[at])), turn) for at in np.argsort(-lengths, kind="stable")[:SAMPLED]]
        scores[turn] = round(sum(sum(engine.read(piece).sure) for piece in pieces if piece.size), 3)
    return max(turns, key=lambda turn: (scores[turn], -turn))


def _skew(quads: Quads) -> float:
    """By how many degrees the text is off the nearest right angle, 0 when it is not worth straightening: the median of the
    lines, each as often as it is long."""
    if not len(quads):
        return 0.0
    edges, ratio = _long_edges(quads)
    lengths = np.linalg.norm(edges, axis=1)
    angles = (np.degrees(np.arctan2(edges[:, 1], edges[:, 0])) + 45) % 90 - 45
    kept = (ratio > LONG) & (lengths >= LONG_SHARE * lengths.max())
    if not kept.any():
        return 0.0
    order = np.argsort(angles[kept], kind="stable")
    along = np.cumsum(lengths[kept][order])
    found = float(angles[kept][order][int(np.searchsorted(along, along[-1] / 2))])
    return found if abs(found) >= MIN_SKEW else 0.0


def _around(quad: NDArray[np.float64]) -> Rect:
    low, high = quad.min(0), quad.max(0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


def _cut(picture: Picture, rect: Rect) -> Picture:
    x0, y0, x1, y1 = rect
    high, wide = picture.shape
    return picture[
        max(0, int(y0)) : min(high, int(np.ceil(y1)) + 1), max(0, int(x0) - MARGIN) : min(wide, int(np.ceil(x1)) + MARGIN)
    ]


def _rects(quads: Quads, shape: Sequence[int]) -> list[Pixels]:
    """Lines as upright rectangles in whole pixels, from the top."""
    out = []
    for quad in quads:
        x0, y0, x1, y1 = _around(quad)
        out.append((max(0, int(x0)), max(0, int(y0)), min(shape[1], int(np.ceil(x1))), min(shape[0], int(np.ceil(y1)))))
    return sorted((rect for rect in out if rect[2] > rect[0] and rect[3] > rect[1]), key=lambda rect: (rect[1], rect[0]))


def _bands(rects: list[Pixels]) -> list[tuple[int, int]]:
    """From and to which height each line's own ink may stand: lines set close are found with parts of their neighbours, and
    share what they both hold. ``rects`` from the top."""
    bands = [[rect[1], rect[3]] for rect in rects]
    for at, (x0, y0, x1, y1) in enumerate(rects):
        for under in range(at + 1, len(rects)):
            a0, b0, a1, b1 = rects[under]
            if b0 >= y1:
                break
            beside = min(x1, a1) - max(x0, a0) < BESIDE * min(x1 - x0, a1 - a0)
            if beside or y1 - b0 > SHARED * min(y1 - y0, b1 - b0):
                continue
            middle = (b0 + y1) // 2
            bands[at][1], bands[under][0] = min(bands[at][1], middle), max(bands[under][0], middle)
    return [(top, bottom) for top, bottom in bands]


def _ink(picture: Picture) -> NDArray[np.bool_]:
    """Which pixels are ink: darker than half way between the paper and the darkest around, specks left out."""
    import cv2

    smooth = cv2.medianBlur(picture, 3)
    paper, dark, darkest = np.percentile(smooth, (90, DARK, DARKEST))
    if paper - dark < MIN_CONTRAST:
        dark = darkest
    if paper - dark < MIN_CONTRAST:
        return np.zeros(picture.shape, np.bool_)
    return np.asarray(smooth < (paper + dark) / 2, np.bool_)


def _lines(
    engine: Engine,
    picture: Picture,
    ink: NDArray[np.bool_],
    rect: Pixels,
    band: tuple[int, int],
    frame: Frame,
) -> list[ReadLine]:
    """The pieces of one line found, each read by itself; its ink is what stands in its ``band``."""
    x0, y0, x1, y1 = rect
    local = ink[y0:y1, x0:x1].copy()
    local[: band[0] - y0] = False
    local[max(band[0], band[1]) - y0 :] = False
    out = []
    for left, right in _pieces(local):
        reading = engine.read(_cut(picture, (x0 + left, y0, x0 + right, y1)))
        if reading.text.strip():
            rows = np.nonzero(_rows(local[:, left:right]))[0]
            top, bottom = (int(rows[0]), int(rows[-1]) + 1) if len(rows) else (0, y1 - y0)
            out.append(_line(reading, local[top:bottom, left:right], (x0 + left, y0 + top, x0 + right, y0 + bottom), frame))
    return out


def _rows(ink: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The rows of a line's own ink: the run around its middle, without what hangs in from the lines above and below."""
    counts = ink.sum(axis=1)
    filled = np.asarray(counts > max(1, 0.01 * ink.shape[1]), np.bool_)
    if not filled.any():
        return filled
    heavy = int(np.argmax(np.convolve(counts, np.ones(max(1, len(counts) // 3)), "same")))
    start, end = heavy, heavy
    while start > 0 and (filled[start - 1] or filled[max(0, start - 3) : start].any()):
        start -= 1
    while end + 1 < len(filled) and (filled[end + 1] or filled[end + 1 : end + 4].any()):
        end += 1
    # The tail of a single letter is less than one part in a hundred of a long line and belongs to it all the same.
    inked, reach = np.asarray(counts >= MIN_STROKE, np.bool_), int(TAIL_REACH * (end + 1 - start))
    for _ in range(reach):
        start -= start > 0 and bool(inked[start - 1])
        end += end + 1 < len(inked) and bool(inked[end + 1])
    out = np.zeros_like(filled)
    out[start : end + 1] = True
    return out & (filled | inked)


def _pieces(ink: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Stretches of a line's ink with no wide white in them; the whole line when no ink is told from the paper."""
    columns = np.nonzero(ink.sum(axis=0) >= 2)[0]
    if not len(columns):
        return [(0, ink.shape[1])]
    rows = np.nonzero(_rows(ink))[0]
    height = max(int(rows[-1] - rows[0]) if len(rows) else 0, int(0.6 * ink.shape[0]))
    wide = np.nonzero(np.diff(columns) > WIDE_GAP * height)[0]
    starts = np.concatenate(([0], wide + 1))
    ends = np.concatenate((wide, [len(columns) - 1]))
    return [(int(columns[a]), int(columns[b]) + 1) for a, b in zip(starts, ends, strict=True)]


def _line(reading: Reading, ink: NDArray[np.bool_], rect: Rect, frame: Frame) -> ReadLine:
    """A reading with the place of each of its characters."""
    x0, y0, x1, y1 = rect
    # Places count in the picture that was read, which has a margin on both sides.
    wide = x1 - x0
    reading = replace(reading, places=tuple((place * (wide + 2 * MARGIN) - MARGIN) / wide for place in reading.places))
    text, sure, places = spaced(trimmed(reading), ink)
    centres = np.maximum.accumulate(np.clip(np.array(places) * wide + x0, x0, x1))
    between = (centres[1:] + centres[:-1]) / 2
    starts, ends = np.concatenate(([x0], between)), np.concatenate((between, [x1]))
    size, base = measured(text, y0, y1)
    loose = frame.upright((x0, base - 0.89 * size, x1, base + 0.21 * size))
    edges = frame.edges(starts, ends, (y0 + y1) / 2)
    foot = frame.upright((x0, base, x1, base))[1]
    return ReadLine(text, sure, edges, frame.box(rect), loose, round(size / frame.scale, 2), foot)


def _outside(ink: NDArray[np.bool_], rects: list[Pixels]) -> NDArray[np.bool_]:
    """The ink outside all lines."""
    left = ink.copy()
    for x0, y0, x1, y1 in rects:
        left[y0:y1, x0:x1] = False
    return left


def _figures(left: NDArray[np.bool_], frame: Frame) -> list[Pixels]:
    """Large regions of ink ``left`` outside all lines, in the upright picture."""
    import cv2

    # Ink nearer than about ten points belongs together: seen at a tenth of the size, it touches.
    step = max(1, round(5 * frame.scale))
    high, wide = left.shape[0] // step * step, left.shape[1] // step * step
    coarse = left[:high, :wide].reshape(high // step, step, wide // step, step).sum(axis=(1, 3)) > 0.02 * step * step
    joined = cv2.morphologyEx(coarse.astype(np.uint8), cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8))
    count, _, stats, _ = cv2.connectedComponentsWithStats(joined)
    found = []
    for at in range(1, count):
        x, y, w, h = (int(value) * step for value in stats[at][:4])
        if min(w, h) >= MIN_FIGURE * frame.scale:
            found.append((x, y, x + w, y + h))
    return found


def _largest(rect: Rect) -> tuple[float, Rect]:
    return -(rect[2] - rect[0]) * (rect[3] - rect[1]), rect


def _crossed(ink: NDArray[np.bool_], rects: list[Pixels], scale: float) -> int:
    """Through how many lines a large drawing of strokes runs: a seal, a signature, a line across the page."""
    import cv2

    count, named, stats, _ = cv2.connectedComponentsWithStats(ink.astype(np.uint8), connectivity=8)
    out: set[Pixels] = set()
    for at in range(1, count):
        x, y, wide, high, area = (int(value) for value in stats[at])
        if min(wide, high) >= MIN_FIGURE * scale and area <= MAX_GROUND * wide * high:
            out.update(rect for rect in rects if _crosses(named == at, rect, (x, y, x + wide, y + high)))
    return len(out)


def _crosses(drawn: NDArray[np.bool_], rect: Pixels, around: Pixels) -> bool:
    """True when a drawing runs through a line: in over its upper edge and out over its lower one, at about one place. The rule
    between two cells stands upright in it."""
    x0, x1 = max(rect[0], around[0]), min(rect[2], around[2])
    y0, y1 = rect[1], rect[3]
    if x1 <= x0 or y0 < around[1] or y1 > around[3]:
        return False
    inside = drawn[y0:y1, x0:x1]
    inside = inside & ~inside.all(axis=0)
    upper, lower = np.nonzero(inside[:MIN_STROKE].any(axis=0))[0], np.nonzero(inside[-MIN_STROKE:].any(axis=0))[0]
    if not len(upper) or not len(lower) or max(len(upper), len(lower)) > MAX_RULED * (x1 - x0):
        return False
    return bool(np.abs(upper[:, None] - lower[None, :]).min() <= SLANT * (y1 - y0))


def usual_size(page: ReadPage) -> float:
    """The type size of most characters of a page, in points; 0 without lines."""
    sizes = [line.size for line in page.lines for _ in line.text]
    return float(median(sizes)) if sizes else 0.0
