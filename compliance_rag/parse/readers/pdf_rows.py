"""Fragments that stand on one line of a page, whatever column they belong to."""

from __future__ import annotations

from dataclasses import dataclass

from compliance_rag.parse.readers.pdf_types import Line

# Base lines further apart than this share of the type are two lines'.
OWN_BASE = 0.5
# A fragment is compared with this many that joined its row before it: a printed line has a handful.
BESIDE = 40


@dataclass(slots=True)
class Row:
    """Fragments that overlap in height, from left to right."""

    lines: list[Line]
    text: str = ""
    top: float = 0.0
    bottom: float = 0.0


def rows_of(lines: list[Line]) -> list[Row]:
    """Rows from top to bottom. A fragment joins a row when it overlaps the row's last fragment by half of the smaller, and does
    not stand under what the row holds already."""
    rows: list[Row] = []
    for line in sorted(lines, key=lambda item: ((item.upright[1] + item.upright[3]) / 2, item.upright[0])):
        top, bottom = line.upright[1], line.upright[3]
        if rows:
            row = rows[-1]
            overlap = min(bottom, row.bottom) - max(top, row.top)
            if overlap >= 0.5 * min(bottom - top, row.bottom - row.top) and not _under(line, row):
                row.lines.append(line)
                continue
        rows.append(Row([line], top=top, bottom=bottom))
    for row in rows:
        row.lines.sort(key=lambda item: item.upright[0])
        row.text = " ".join(line.text for line in row.lines)
    return rows


def _under(line: Line, row: Row) -> bool:
    """True when a fragment stands on a base line of its own below or above one it shares its width with."""
    return any(
        abs(line.base - other.base) > OWN_BASE * min(line.size, other.size)
        and min(line.upright[2], other.upright[2]) - max(line.upright[0], other.upright[0])
        > 0.5 * min(line.upright[2] - line.upright[0], other.upright[2] - other.upright[0])
        for other in row.lines[-BESIDE:]
    )
