"""Where a clause stands on its pages: one box a line, cut to the clause's own words, and which of its words stand in each."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from math import isnan

from compliance_rag.parse.blocks import Block, BoxEdges
from schemas.clause import Box, Span


@dataclass(slots=True)
class Places:
    """Where text stands on pages: stretches of extracted text in order, each with its box and the edges of its characters."""

    starts: list[int]
    rows: list[tuple[Span, Box, BoxEdges | None]]

    @classmethod
    def of(cls, blocks: list[Block]) -> Places:
        """The places of all blocks; a block that does not say which box holds which words counts with each of its boxes."""
        rows: list[tuple[Span, Box, BoxEdges | None]] = []
        for block in blocks:
            count = len(block.boxes)
            spans = block.box_spans if len(block.box_spans) == count else (block.span,) * count
            edges = block.box_edges if len(block.box_edges) == count else (None,) * count
            rows += zip(spans, block.boxes, edges, strict=True)
        return cls([row[0][0] for row in rows], rows)

    def boxes(self, text: str, head: Sequence[Span | None], pieces: Sequence[Span]) -> tuple[tuple[Box, ...], tuple[Span, ...]]:
        """The boxes of a clause's label and heading (``head``) and own text (``pieces``) in order, and for each the stretch of
        the clause's text that stands in it: ``[0, n)`` in all, without gaps, empty for a box of label or heading alone."""
        found: dict[int, list[tuple[int, int, int]]] = {}
        for span in head:
            if span is not None:
                self._collect(span, -1, found)
        at = 0
        for piece in pieces:
            self._collect(piece, at, found)
            at += piece[1] - piece[0] + 1
        length = max(0, at - 1)
        boxes: list[Box] = []
        starts: list[int | None] = []
        for row in sorted(found):
            for start, end, own in _runs(text, found[row]):
                boxes.append(self._cut(row, start, end))
                starts.append(own if own >= 0 else None)
        return tuple(boxes), _ranges(starts, length)

    def parts(self, span: Span) -> list[tuple[Span, Box, BoxEdges | None]]:
        """The places of the words of ``span``: of each line the stretch, the part of its box and the edges in it."""
        found: dict[int, list[tuple[int, int, int]]] = {}
        self._collect(span, -1, found)
        out: list[tuple[Span, Box, BoxEdges | None]] = []
        for row in sorted(found):
            first, edges = self.rows[row][0][0], self.rows[row][2]
            for start, end, _ in found[row]:
                marks = None if edges is None else (edges[0], edges[1][2 * (start - first) : 2 * (end - first)])
                out.append(((start, end), self._cut(row, start, end), marks))
        return out

    def _collect(self, span: Span, offset: int, found: dict[int, list[tuple[int, int, int]]]) -> None:
        """Add the parts of ``span`` by row, each with where it begins in the clause's text (-1 for label and heading)."""
        at = max(0, bisect_right(self.starts, span[0]) - 1)
        while at > 0 and self.rows[at - 1][0][1] > span[0]:
            at -= 1
        while at < len(self.rows) and self.rows[at][0][0] < span[1]:
            (first, last), _, _ = self.rows[at]
            start, end = max(first, span[0]), min(last, span[1])
            if start < end:
                found.setdefault(at, []).append((start, end, offset + start - span[0] if offset >= 0 else -1))
            at += 1

    def _cut(self, row: int, start: int, end: int) -> Box:
        """The part of a line's box in which the characters from ``start`` to ``end`` stand."""
        (first, last), box, edges = self.rows[row]
        if edges is None or (start <= first and end >= last):
            return box
        vertical, marks = edges
        inside = _extent(marks[2 * (start - first) : 2 * (end - first)])
        whole = _extent(marks)
        if inside is None or inside == whole:
            return box
        low, high = round(inside[0], 2), round(inside[1], 2)
        page, x0, y0, x1, y1 = box
        return (page, x0, low, x1, high) if vertical else (page, low, y0, high, y1)


def _extent(marks: array[float]) -> tuple[float, float] | None:
    seen = [mark for mark in marks if not isnan(mark)]
    return (min(seen), max(seen)) if seen else None


def _runs(text: str, parts: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    """Parts of one line, those with nothing but white space between them put together; each with where its own text begins."""
    out: list[tuple[int, int, int]] = []
    for start, end, own in sorted(parts):
        if out and not text[out[-1][1] : start].strip():
            before = out[-1]
            out[-1] = (before[0], end, before[2] if before[2] >= 0 else own)
        else:
            out.append((start, end, own))
    return out


def _ranges(starts: list[int | None], length: int) -> tuple[Span, ...]:
    """Stretches that begin at ``starts`` and run to the next; the first takes what stands before it. A box without text of its
    own has an empty one where it stands."""
    out: list[Span] = []
    following = length
    for start in reversed(starts):
        at = following if start is None else start
        out.append((at, following))
        following = at
    if out and following > 0:
        first = next(index for index in range(len(out) - 1, -1, -1) if out[index][1] > out[index][0])
        out[first] = (0, out[first][1])
        for index in range(first + 1, len(out)):
            out[index] = (0, 0)
    return tuple(reversed(out))
