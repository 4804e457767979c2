"""Text laid out in the columns of a table, a language or a party to each: read cell by cell, for a row read as one line would
mix their sentences."""

from __future__ import annotations

import re
from dataclasses import replace

from compliance_rag.parse.readers.lines import is_label, starts_label
from compliance_rag.parse.readers.ocr_words import known_words
from compliance_rag.parse.readers.pdf_types import LABEL_GAP, Column, Line, Table, join, wide

# Columns are of two languages when the share of Chinese, or of English among the other words, differs by this much.
OTHER_LANGUAGE = 0.4
# Fewer words, or Chinese characters, than this do not show a language.
MIN_WORDS = 6
# Of the rows in two languages this share are numbered or sentences; a glossary is to be read row by row.
LAID_OUT = 0.5
# A sentence has this many gaps between words.
SENTENCE_GAPS = 2
STOPS = tuple(".;:,。；：，")
_WORDS = re.compile(r"[^\W\d_]{2,30}")

Cells = list[list[Line]]
"""The cells of one column or one row."""


def in_two_languages(table: Table) -> bool:
    """True when two columns of a table say the same in two languages, in numbered paragraphs or sentences."""
    spoken = [shares for column in columns_of(table) if (shares := _language(column)) is not None]
    other = any(abs(a - b) >= OTHER_LANGUAGE for one in spoken for two in spoken for a, b in zip(one, two, strict=True))
    return other and sum(map(_states, table.rows)) >= LAID_OUT * len(table.rows)


def columns_of(table: Table) -> list[Cells]:
    """The cells of each column, from top to bottom."""
    return [list(column) for column in zip(*table.rows, strict=True)]


def as_columns(table: Table) -> list[Column]:
    """The cells of a table as columns of text: row by row where rules or a column of labels part the rows, else one column
    after the other. A label in a cell of its own opens the cell beside it."""
    columns = columns_of(table)
    edges = [max((line.upright[2] for cell in column for line in cell), default=0.0) for column in columns]
    labelled = any(all(len(cell) == 1 and is_label(cell[0].text) for cell in column) for column in columns)
    if not table.ruled and not labelled:
        merged = [[line for cell in column for line in cell] for column in columns]
        return [_column(lines, edge) for lines, edge in zip(merged, edges, strict=True) if lines]
    out: list[Column] = []
    for row in table.rows:
        label: list[Line] = []
        for cell, edge in zip(row, edges, strict=True):
            if len(cell) == 1 and is_label(cell[0].text):
                label = cell
            elif cell:
                first = join([*label, cell[0]], LABEL_GAP) if label else cell[0]
                out.append(_column([first, *cell[1:]], edge))
                label = []
        out += [_column(label, edges[-1])] if label else []
    return out


def is_sentence(cell: list[Line]) -> bool:
    """True when a cell holds words that end with a stop."""
    words = "".join(line.text for line in cell)
    return words[-1:] in STOPS and (words.count(" ") >= SENTENCE_GAPS or any(map(wide, words)))


def _column(lines: list[Line], right: float) -> Column:
    """Lines as a column that begins where they do: cells have margins of their own."""
    left = min(line.upright[0] for line in lines)
    return Column([replace(line, column=(left, right)) for line in lines])


def _language(column: Cells) -> tuple[float, float] | None:
    """The share of Chinese characters in a column, and that of English among its other words; None for too few to tell."""
    text = " ".join(line.text for cell in column for line in cell)
    chars = sum(map(wide, text))
    words = [word.lower() for word in _WORDS.findall(text) if not wide(word[0])]
    if chars + len(words) < MIN_WORDS:
        return None
    english = sum(word in known_words() for word in words) / len(words) if len(words) >= MIN_WORDS else 1.0
    return chars / (chars + len(words)), english


def _states(row: Cells) -> bool:
    """True when two cells of a row each open with a label, or are sentences."""
    return sum(bool(cell) and (starts_label(cell[0].text) or is_sentence(cell)) for cell in row) > 1
