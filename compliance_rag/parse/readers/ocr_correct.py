"""A person's text of a page set on the places of the lines that were read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher

from compliance_rag.parse.readers.ocr_types import ReadLine, ReadPage
from compliance_rag.parse.readers.pdf_types import Rect


def corrected_lines(read: Sequence[ReadLine], text: str, page: ReadPage) -> list[ReadLine]:
    """The lines of ``text`` as lines of the page. A line takes the place of the line read that shares most characters with it;
    several that belong to one share its place; one that is like none stands between its neighbours. No character of ``text`` is
    changed; what was read and is not in it is gone."""
    lines = [" ".join(line.split()) for line in text.replace("\f", "\n").splitlines()]
    lines = [line for line in lines if line]
    whole = _whole(page)
    if not read:
        return [_spread(line, _strip(whole, at, len(lines))) for at, line in enumerate(lines)]
    owners = _owners(read, lines)
    out: list[ReadLine] = []
    for at, line in enumerate(lines):
        owner = owners[at]
        same = [other for other in range(len(lines)) if owners[other] == owner]
        share = same.index(at), len(same)
        out.append(_placed(line, read[owner], *share))
    return out


def _owners(read: Sequence[ReadLine], lines: Sequence[str]) -> list[int]:
    """For each corrected line the line read whose place it takes, never running backwards."""
    before = [(at, char) for at, line in enumerate(read) for char in line.text if char != " "]
    after = [(at, char) for at, line in enumerate(lines) for char in line if char != " "]
    matcher = SequenceMatcher(None, [char for _, char in before], [char for _, char in after], autojunk=False)
    votes: list[dict[int, int]] = [{} for _ in lines]
    for one, other, size in matcher.get_matching_blocks():
        for step in range(size):
            line, owner = after[other + step][0], before[one + step][0]
            votes[line][owner] = votes[line].get(owner, 0) + 1
    owners = []
    last = 0
    for found in votes:
        best = max(found, key=lambda owner: (found[owner], -owner)) if found else last
        last = max(last, best)
        owners.append(last)
    return owners


def _placed(line: str, place: ReadLine, index: int, count: int) -> ReadLine:
    """A line on the place of one read; of several that share it, each has its stretch of the width."""
    low, high = min(place.edges), max(place.edges)
    start, end = low + (high - low) * index / count, low + (high - low) * (index + 1) / count
    x0, y0, x1, y1 = place.upright
    left, right = x0 + (x1 - x0) * index / count, x0 + (x1 - x0) * (index + 1) / count
    return replace(
        _spread(line, place.box, (start, end)), box=place.box, upright=(left, y0, right, y1), size=place.size, base=place.base
    )


def _spread(line: str, box: Rect, along: tuple[float, float] | None = None) -> ReadLine:
    """Characters at equal steps along a box."""
    start, end = along or (box[0], box[2])
    step = (end - start) / len(line)
    edges = tuple(round(start + step * (at + part), 2) for at in range(len(line)) for part in (0, 1))
    size = max(1.0, (box[3] - box[1]) / 1.2)
    return ReadLine(line, (1.0,) * len(line), edges, box, box, round(size, 2), box[3] - 0.2 * size)


def _whole(page: ReadPage) -> Rect:
    return 0.1 * page.width, 0.1 * page.height, 0.9 * page.width, 0.9 * page.height


def _strip(whole: Rect, index: int, count: int) -> Rect:
    step = (whole[3] - whole[1]) / max(1, count)
    return whole[0], whole[1] + step * index, whole[2], whole[1] + step * (index + 0.8)
