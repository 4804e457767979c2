"""``NAME.clauses.json``: a document its owner has cut into clauses. Its text is composed from the entries in order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.readers.compose import Composer
from compliance_rag.parse.readers.decode import Source, without_messages
from compliance_rag.parse.readers.limits import MAX_DEPTH
from schemas.dates import parse_day
from schemas.errors import InputRejected

_STRINGS = ("number", "heading", "text", "source_id", "effective_from", "effective_to")


def read_clauses_json(source: Source, name: str) -> Extracted:
    """Each entry is one block with ``cuts``: its number and heading on one line, its text below; ``level``: its depth.

    Raises InputRejected ``damaged_file`` (no JSON, or not of this shape, naming the entry), ``too_deep``, ``unreadable_date``,
    ``empty_file``.
    """
    try:
        data = json.loads(source.text)
    except RecursionError:
        raise _too_deep(name) from None
    except ValueError as error:
        raise InputRejected("damaged_file", f"{name}: not valid JSON ({error}); mend it or export it again.", name) from None
    entries = data.get("clauses") if isinstance(data, dict) else None
    if not isinstance(entries, list):
        raise InputRejected(
            "damaged_file", f'{name}: a clauses file is an object with a list "clauses"; see the contract.', name
        )
    out = Composer()
    title = data.get("title")
    if isinstance(title, str) and title.strip():
        out.put(clean(title), 0)
        out.blocks.append(Block("heading", (0, out.length), level=None))
    for where, depth, entry in _walk(entries, name):
        _write(out, entry, depth, where, name)
    if not any(block.cuts for block in out.blocks):
        raise InputRejected("empty_file", f"{name}: no entry holds a number, a heading or a text.", name)
    extracted = out.finish("clauses.json", source, title if isinstance(title, str) else None)
    extracted.offsets = []
    return extracted


def clean(text: str) -> str:
    """A string as extracted text has it: no NUL, no CR, no lone surrogate."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").replace("\x00", "")
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def _too_deep(name: str) -> InputRejected:
    return InputRejected(
        "too_deep", f"{name}: clauses are nested deeper than {MAX_DEPTH}; flatten the file, numbers keep the order.", name
    )


def _walk(entries: list[Any], name: str) -> Iterator[tuple[str, int, dict[str, Any]]]:
    """Entries in document order with their place and depth."""
    stack: list[tuple[str, int, Any]] = [(f"clauses[{i}]", 0, entry) for i, entry in reversed(list(enumerate(entries)))]
    while stack:
        where, depth, entry = stack.pop()
        if depth >= MAX_DEPTH:
            raise _too_deep(name)
        if not isinstance(entry, dict):
            raise _bad(name, where, "an entry is an object with number, heading, text")
        yield where, depth, entry
        children = entry.get("children") or []
        if not isinstance(children, list):
            raise _bad(name, where, '"children" is a list of entries')
        stack.extend((f"{where}.children[{i}]", depth + 1, child) for i, child in reversed(list(enumerate(children))))


def _bad(name: str, where: str, rule: str) -> InputRejected:
    return InputRejected("damaged_file", f"{name}: {where}: {rule}; mend the entry.", where)


def _write(out: Composer, entry: dict[str, Any], depth: int, where: str, name: str) -> None:
    values: dict[str, str] = {}
    for key in _STRINGS:
        value = entry.get(key)
        if isinstance(value, int | float) and not isinstance(value, bool) and key in ("number", "source_id"):
            value = str(value)
        if value is not None and not isinstance(value, str):
            raise _bad(name, where, f'"{key}" is a string')
        values[key], hidden = without_messages(clean(value or ""))
        out.messages += hidden
    dates = (_date(values["effective_from"], where, name), _date(values["effective_to"], where, name))
    if not (values["number"] or values["heading"] or values["text"]):
        return
    out.gap("\n\n")
    start = out.length
    label = heading = None
    if values["number"]:
        out.put(values["number"], 0)
        label = (start, out.length)
    if values["heading"]:
        out.gap(" " if label else "")
        heading = (out.length, out.length + len(values["heading"]))
        out.put(values["heading"], 0)
    if values["text"]:
        out.gap("\n" if out.length > start else "")
        out.put(values["text"], 0)
    block = Block("heading" if heading and not values["text"] else "item", (start, out.length), level=depth)
    block.label_span, block.heading_span, block.dates = label, heading, dates
    block.number, block.source_id, block.cuts = values["number"] or None, values["source_id"] or None, True
    out.blocks.append(block)


def _date(text: str, where: str, name: str) -> str | None:
    return parse_day(text, f"{name}: {where}").isoformat() if text else None
