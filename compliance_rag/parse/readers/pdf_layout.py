"""A page's fragments to what is read one after the other: lines of columns, tables, footnotes."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from itertools import pairwise

from compliance_rag.parse.readers.lines import is_label
from compliance_rag.parse.readers.pdf_columns import Gutters, Region, regions_of
from compliance_rag.parse.readers.pdf_furniture import Body, page_range
from compliance_rag.parse.readers.pdf_languages import as_columns, in_two_languages
from compliance_rag.parse.readers.pdf_raised import plain, raised, stands_raised
from compliance_rag.parse.readers.pdf_rows import Row, rows_of
from compliance_rag.parse.readers.pdf_ruled_rows import carve
from compliance_rag.parse.readers.pdf_side_notes import side_notes
from compliance_rag.parse.readers.pdf_tables import cut_tables
from compliance_rag.parse.readers.pdf_types import LABEL_GAP, Column, Line, Note, Page, Rect, Table, Turn, cut, join, wide

# A gap this many font sizes wide after a label is a tab.
TAB = 0.9
# A footnote's type is at most this share of the text's.
NOTE_SIZE = 0.92
# Footnotes stand in the lower part of the page.
NOTE_ZONE = 0.5
# The rule above footnotes is no wider than this share of the text.
NOTE_RULE = 0.6
# A column with this many rows shows how wide its text is.
FULL_PAGE = 12
_MARKED_LABEL = re.compile(r"[\uf000-\uf0ff□■▪●○•☐☑☒✓✔➢❖] (?=\d{1,3}(?:\.\d{1,3}){1,5}\.?\s\S)")
_NOTE_MARK = re.compile(r"(?:\d{1,3}|[*†‡§¶]{1,3}|\[\d{1,3}\]|\(\d{1,3}\)|[①-⑳])(?:\s|(?=[A-Z\"“(\u3400-\u9fff]))")

Item = Column | Table | Note


def text_size(bodies: list[Body]) -> float:
    """The font size of most characters, to half a point; 10 for a document without text."""
    sizes: Counter[float] = Counter()
    for body in bodies:
        for line in body.lines:
            sizes[round(2 * line.size) / 2] += len(line.text)
    return max(sizes.items(), key=lambda item: (item[1], item[0]))[0] if sizes else 10.0


def lay_out(body: Body, usual: float, known: Gutters) -> list[Item]:
    """The items of one page in reading order; fragments that run in another direction than the page's text come last.
    ``known``: where columns begin, as :func:`regions_of` knows them."""
    turns: Counter[Turn] = Counter()
    for line in body.lines:
        turns[line.turn] += len(line.text)
    out: list[Item] = []
    for turn, _ in sorted(turns.items(), key=lambda item: (-item[1], item[0])):
        lines, aside = side_notes([line for line in body.lines if line.turn == turn], usual)
        first = len(out)
        rules = [*body.page.rules, *body.typed] if turn == body.page.turn else []
        drawn = body.page.rules if turn == body.page.turn else []
        for part in carve(lines, drawn, body.page.number):
            if isinstance(part, Table):
                out += _read(part)
                continue
            for region in regions_of(part, rules, known):
                out += _region(region, rules, body, usual)
        out += _put_beside(out[first:], aside)
    return out


def _put_beside(items: list[Item], notes: list[list[Line]]) -> list[Item]:
    """Give each note in the margin to the column beside which it begins; those that are left, as notes of the page."""
    columns = [item for item in items if isinstance(item, Column)]
    left: list[Item] = []
    for note in notes:
        low = note[0].upright[1]
        found = next(
            (c for c in columns if c.lines[0].upright[1] - low <= c.lines[0].size and low <= c.lines[-1].upright[3]), None
        )
        if found is None:
            left.append(Note(note))
        else:
            found.beside.append(note)
    return left


def _region(region: Region, rules: list[Rect], body: Body, usual: float) -> list[Item]:
    rows = rows_of(region.lines)
    note = _note_start(rows, rules, body, usual)
    out: list[Item] = []
    lines: list[Line] = []
    column = (region.left, region.right)
    for part in cut_tables(rows[:note], rules, body.page.number):
        if not isinstance(part, Row):
            if lines:
                out.append(Column(lines))
                lines = []
            out += _read(part)
        else:
            lines += _without_mark(_line(part, column))
    if lines:
        out.append(Column(lines))
    out += _notes(rows[note:], column)
    return out


def _read(table: Table) -> list[Item]:
    """A table as one, or its cells one after the other where they lay out text."""
    return [*as_columns(table)] if table.laid_out or in_two_languages(table) else [table]


def _line(row: Row, column: tuple[float, float]) -> Line:
    """A row as one line; after a label that stands apart, a tab."""
    first = row.lines[0]
    apart = len(row.lines) > 1 and row.lines[1].upright[0] - first.upright[2] > TAB * first.size
    size, base = max((part.size, part.base) for part in row.lines)
    parts = [raised(part) if stands_raised(part.size, base - part.base, size) else part for part in row.lines]
    line = join(parts, LABEL_GAP if apart and is_label(first.text) else " ")
    return replace(line, column=column)


def _without_mark(line: Line) -> list[Line]:
    """A box or bullet printed before a label, apart from it: the label opens the line."""
    if not _MARKED_LABEL.match(line.text):
        return [line]
    return [cut(line, 0, 1), cut(line, 2, len(line.text))]


def _note_start(rows: list[Row], rules: list[Rect], body: Body, usual: float) -> int:
    """The row at which the footnotes of a column begin; the number of rows when it has none."""
    low, high = page_range(body.page)
    start = len(rows)
    for at in range(len(rows) - 1, -1, -1):
        row = rows[at]
        if max(line.size for line in row.lines if line.text) > NOTE_SIZE * usual:
            break
        deep = row.top >= low + NOTE_ZONE * (high - low)
        ruled = _ruled_off(row, rows, at, rules, body.page)
        if _NOTE_MARK.match(plain(row.text)) and (ruled or (deep and _wide_above(rows, at))):
            start = at
        elif ruled and deep and (row.text[:1].islower() or wide(row.text[:1])):
            # The rest of a note of the page before.
            start = at
    return start


def _ruled_off(row: Row, rows: list[Row], at: int, rules: list[Rect], page: Page) -> bool:
    above = rows[at - 1].bottom if at else row.top - 100
    left, right = min(r.lines[0].upright[0] for r in rows), max(r.lines[-1].upright[2] for r in rows)
    # A page with little on it does not show how wide its text is.
    across = (
        right - left if len(rows) >= FULL_PAGE else max(right - left, (page.width if page.turn % 180 == 0 else page.height) / 2)
    )
    return any(
        above - 2 <= rule[1] <= row.top + 2 and 0 < rule[2] - rule[0] <= NOTE_RULE * across and rule[3] - rule[1] < 3
        for rule in rules
    )


def _wide_above(rows: list[Row], at: int) -> bool:
    return at > 0 and rows[at].top - rows[at - 1].bottom > 0.8 * rows[at].lines[0].size and not _small(rows[at - 1], rows[at])


def _small(row: Row, other: Row) -> bool:
    return max(line.size for line in row.lines) <= 1.05 * max(line.size for line in other.lines)


def join_notes(pages: list[list[Item]]) -> None:
    """Give the rest of a note, set at the foot of the next page, to the note that it goes on, in place."""
    for before, after in pairwise(pages):
        last = before[-1] if before else None
        rest = next((item for item in after if isinstance(item, Note)), None)
        if not isinstance(last, Note) or rest is None or _NOTE_MARK.match(plain(rest.lines[0].text)):
            continue
        first = rest.lines[0].text[:1]
        if (first.islower() or wide(first)) and last.lines[-1].text[-1:] not in ".。":
            last.lines += rest.lines
            after.remove(rest)


def _notes(rows: list[Row], column: tuple[float, float]) -> list[Item]:
    out: list[Note] = []
    for row in rows:
        line = _line(row, column)
        if out and not _NOTE_MARK.match(plain(line.text)):
            out[-1].lines.append(line)
        else:
            out.append(Note([line]))
    return list(out)
