"""Scores of `changes` against lists of (kind, number) made by people; pure functions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from schemas.objects import Change, ClauseObject

Row = tuple[str, str]
"""(kind, number): the number after, of a removed or split clause the number before."""


@dataclass(frozen=True, slots=True)
class ListScore:
    """``missing`` stand in the list alone, ``extra`` in what was found alone."""

    found: int
    listed: int
    right: int
    missing: tuple[Row, ...]
    extra: tuple[Row, ...]

    @property
    def precision(self) -> float:
        """Share of what was found that is in the list."""
        return 1.0 if not self.found else self.right / self.found

    @property
    def recall(self) -> float:
        """Share of the list that was found."""
        return 1.0 if not self.listed else self.right / self.listed

    def as_row(self) -> dict[str, Any]:
        """For a report."""
        return {
            "listed": self.listed, "found": self.found, "right": self.right, "precision": round(self.precision, 4),
            "recall": round(self.recall, 4), "missing": [list(row) for row in self.missing],
            "extra": [list(row) for row in self.extra],
        }  # fmt: skip


def rows_of(changes: Iterable[Change]) -> list[Row]:
    """(kind, number) of the changes of numbered clauses, in order."""
    found: list[Row] = []
    for change in changes:
        side = change.before if change.kind in ("removed", "split") else change.after
        clause = side[0] if isinstance(side, list) else side
        if isinstance(clause, ClauseObject) and clause.number is not None:
            found.append((change.kind, clause.number))
    return found


def score_list(wanted: Sequence[Mapping[str, Any]], found: Sequence[Row]) -> ListScore:
    """``wanted``: ``{"type", "clause"}`` each, or ``{"any": [[…], …]}`` where a change may rightly be told in several ways; the
    telling that fits best counts."""
    left = Counter(found)
    listed: list[Row] = []
    for item in wanted:
        if "any" not in item:
            listed.append((item["type"], item["clause"]))
    for item in wanted:
        if "any" in item:
            ways: list[list[Row]] = [[(one["type"], one["clause"]) for one in way] for way in item["any"]]
            fits = [_fit(way, left) for way in ways]
            listed += ways[fits.index(max(fits))]
    want = Counter(listed)
    right = left & want
    return ListScore(
        sum(left.values()), len(listed), sum(right.values()), tuple(sorted((want - left).elements())),
        tuple(sorted((left - want).elements())),
    )  # fmt: skip


def _fit(way: list[Row], found: Counter[Row]) -> tuple[float, int]:
    hits = sum(found[row] > 0 for row in way)
    return hits / len(way), hits
