"""The report of `eval` on the terminal: figures, a table by category, and each failing question with where it went wrong."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from compliance_rag.faces.render import console, short

# Entries of a list that is no list of failures; the whole is in --json.
ENTRIES_SHOWN = 10
# What a failing question is told by, in this order, with the words before it; any other field follows under its own name.
_TOLD = {
    "stage": "went wrong in", "why_not": "went wrong in", "refusal": "refused", "missing": "missing", "extra": "beside them",
    "cited": "cited", "retrieved": "retrieved first",
}  # fmt: skip
_SILENT = frozenset({"id", "question", "right", "category", "language", "complete", "precision", "phrases"})
_LISTS = ("failing", "rows")


def show_eval(report: Mapping[str, Any]) -> None:
    """Every suite of ``report`` in turn."""
    out = console()
    for name, figures in report.items():
        out.print(Text(name, style="bold"))
        _show(out, figures, 1)


def _show(out: Console, figures: Mapping[str, Any], depth: int) -> None:
    indent = "  " * depth
    for name, value in figures.items():
        if name in _LISTS and isinstance(value, list):
            _failing(out, [row for row in value if not row.get("right")], indent)
        elif _is_table(value):
            _table(out, name, value)
        elif isinstance(value, Mapping) and value:
            out.print(Text(f"{indent}{name}"))
            _show(out, value, depth + 1)
        elif isinstance(value, list):
            _list(out, name, value, indent)
        else:
            out.print(Text(f"{indent}{name}: {_value(value)}"))


def _is_table(value: Any) -> bool:
    """Several rows of the same figures, as by category."""
    rows = list(value.values()) if isinstance(value, Mapping) else []
    return len(rows) > 1 and all(isinstance(row, Mapping) and row.keys() == rows[0].keys() for row in rows)


def _table(out: Console, name: str, rows: Mapping[str, Mapping[str, Any]]) -> None:
    table = Table(title=None, box=None, pad_edge=False, padding=(0, 2))
    table.add_column(name)
    columns = list(next(iter(rows.values())))
    for column in columns:
        table.add_column(column, justify="right")
    for row_name, row in rows.items():
        table.add_row(row_name, *(_value(row[column]) for column in columns))
    out.print(table)


def _failing(out: Console, rows: Sequence[Mapping[str, Any]], indent: str) -> None:
    out.print(Text(f"{indent}failing: {len(rows) or 'none'}"))
    for row in rows:
        name = row.get("id") or row.get("attack") or row.get("genuine") or ""
        out.print(Text(f"{indent}  {name}  {short(str(row.get('question') or ''), 100)}".rstrip(), style="yellow"))
        told = [f"{words}: {_value(row[field])}" for field, words in _TOLD.items() if row.get(field)]
        told += [
            f"{field}: {short(_value(v))}" for field, v in row.items() if v and field not in _TOLD and field not in _SILENT
        ]
        out.print(Text(f"{indent}    {'; '.join(told)}"))


def _list(out: Console, name: str, values: Sequence[Any], indent: str) -> None:
    if not values:
        out.print(Text(f"{indent}{name}: none"))
        return
    out.print(Text(f"{indent}{name}: {len(values)}"))
    for value in values[:ENTRIES_SHOWN]:
        out.print(Text(f"{indent}  {short(_value(value))}"))
    if len(values) > ENTRIES_SHOWN:
        out.print(Text(f"{indent}  … {len(values) - ENTRIES_SHOWN} more; all are in --json", style="dim"))


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {_value(inner)}" for name, inner in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(_value(inner) for inner in value)
    if value is None:
        return "–"
    return f"{value:g}" if isinstance(value, float) else str(value)
