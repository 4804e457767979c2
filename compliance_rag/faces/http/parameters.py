"""Parameters of a call that its description does not name are told, not passed over: a filter under a wrong name, left out in
silence, would widen what is asked."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from typing import get_origin
from urllib.parse import unquote_to_bytes

from fastapi import FastAPI, Request

from schemas.errors import InputRejected

# Of a name that nobody of ours gave, so much is said back.
_SAID = 80


async def known_parameters(request: Request) -> None:
    """A dependency of every call. Raises InputRejected ``unknown_parameter``, ``repeated_parameter``; of a body in JSON
    ``repeated_field``."""
    if request.headers.get("content-type", "").partition(";")[0].strip().lower().endswith("json"):
        _once(await request.body())
    if request.query_params:
        known = _query_of(request.app, request.method.lower(), request.scope["route"].path_format)
        _told(request, "call", dict.fromkeys(known, False))


def page_parameters(request: Request) -> None:
    """The same of the address of a page. Raises InputRejected ``unknown_parameter``, ``repeated_parameter``."""
    if request.query_params:
        fields = request.scope["route"].dependant.query_params
        _told(request, "page", {field.alias: get_origin(field.field_info.annotation) is list for field in fields})


def _told(request: Request, what: str, known: Mapping[str, bool]) -> None:
    """``known``: the names taken, and whether each may be given more than once."""
    try:
        unquote_to_bytes(request.scope["query_string"]).decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputRejected(
            "bad_text", "The address is not UTF-8; write other letters as %XX of their UTF-8.", "query"
        ) from error
    for name, times in Counter(name for name, _ in request.query_params.multi_items()).items():
        said = name[:_SAID]
        if name not in known:
            takes = f"it takes {', '.join(sorted(known))}" if known else "it takes none"
            raise InputRejected("unknown_parameter", f"{said}: this {what} has no such parameter; {takes}.", said)
        if times > 1 and not known[name]:
            raise InputRejected("repeated_parameter", f"{said}: given {times} times; give it once.", said)


def digits(value: object) -> object:
    """A number in a query is written in digits and nothing else; what reads it would take more. Raises ValueError."""
    if isinstance(value, str) and not (value.isascii() and value.removeprefix("-").isdecimal()):
        raise ValueError("Write a whole number in digits")
    return value


def _once(body: bytes) -> None:
    """A name that an object gives twice is told: of two days, readers of JSON silently take one."""

    def pairs(found: list[tuple[str, object]]) -> None:
        times = Counter(name for name, _ in found)
        for name, count in times.items():
            if count > 1:
                raise InputRejected("repeated_field", f"{name[:_SAID]}: given {count} times; give it once.", name[:_SAID])

    try:
        json.loads(body, object_pairs_hook=pairs)
    except (ValueError, RecursionError):
        return  # what is no JSON is told by who reads it


def _query_of(app: FastAPI, method: str, path: str) -> set[str]:
    """The names that the call's description gives its parameters after the question mark; none of them is a list."""
    described = app.openapi()["paths"][path][method].get("parameters", [])
    return {one["name"] for one in described if one["in"] == "query"}
