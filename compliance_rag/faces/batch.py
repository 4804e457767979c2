"""`--batch`: one question a line of JSON Lines, each checked by itself so that a bad line spoils only its own answer."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from schemas.errors import ComplianceError, InputRejected
from schemas.texts import check_texts

_LISTS = ("doc", "jurisdiction")
_TEXTS = ("as_of", "known_at", "known_basis", "language", "request_id", "conversation", "follows")


def read_batch(path: Path, defaults: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """``{"id", "given"}`` a line, in order; ``given`` is the question with ``defaults`` below it, or the error of the line.

    Raises InputRejected ``missing_file``, ``unreadable_text``.
    """
    try:
        lines = path.read_bytes().decode("utf-8-sig").split("\n")
    except OSError as error:
        raise InputRejected("missing_file", f"There is no batch file {path.name!r}.", path.name) from error
    except UnicodeDecodeError as error:
        raise InputRejected("unreadable_text", f"{path.name} is not UTF-8; save it as UTF-8.", path.name) from error
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield _read_line(line, f"{path.name} line {number}", defaults)


def _read_line(line: str, where: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
    name: Any = None
    try:
        value = json.loads(line)
        if not isinstance(value, dict):
            raise _bad(where, "is not a JSON object")
        check_texts({"id": value.get("id")})
        name = value.get("id")
        check_texts(value)
        return {"id": name, "given": _given(value, where, defaults)}
    except (json.JSONDecodeError, RecursionError):
        return {"id": name, "given": _bad(where, "is not JSON")}
    except ComplianceError as error:
        return {"id": name, "given": error}


def _given(value: Mapping[str, Any], where: str, defaults: Mapping[str, Any]) -> dict[str, Any]:
    given = dict(defaults)
    question = value.get("question", value.get("query"))
    if not isinstance(question, str):
        raise _bad(where, "has no question or query")
    given["question"] = question
    for key in _TEXTS:
        if value.get(key) is not None:
            if not isinstance(value[key], str):
                raise _bad(where, f"{key} must be text")
            given[key] = value[key]
    for key in _LISTS:
        if value.get(key) is not None:
            items = [value[key]] if isinstance(value[key], str) else value[key]
            if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
                raise _bad(where, f"{key} must be text or a list of texts")
            given[key] = items
    limit = value.get("limit")
    if limit is not None:
        if type(limit) is not int or limit < 1:
            raise _bad(where, "limit must be a whole number from 1")
        given["limit"] = limit
    return given


def _bad(where: str, what: str) -> InputRejected:
    return InputRejected("bad_batch_line", f"{where}: {what}.", where)
