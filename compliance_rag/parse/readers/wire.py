"""An extracted text as bytes and back: what the reading child says to its parent.

The parent does not trust the child that read a hostile file, so this is no pickle: JSON of known fields, each checked against
the type its dataclass declares, then plain arrays of numbers. :func:`unpack` raises ValueError for anything else.
"""

from __future__ import annotations

import json
import math
import struct
import types
from array import array
from collections.abc import Callable, Sequence
from dataclasses import asdict, fields, is_dataclass
from functools import cache
from operator import attrgetter
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.readers.ocr_types import ReadPage
from schemas.clause import Flag

_LENGTH = struct.Struct("<Q")
_CODES = frozenset("bBhHiIlLqQfd")
_PAIR = 2
_EDGES = "box_edges"
# Fields of spans and offsets are checked against the text; a JSON number may be anything.
_SPANS = ("span", "label_span", "heading_span", "lead_span")

Decoder = Callable[[Any], Any]


def pack(extracted: Extracted) -> bytes:
    """The bytes of an extracted text."""
    arrays: list[array[Any]] = [array("q", (number for pair in extracted.offsets for number in pair))]
    body = {name: value for name, value in _told(extracted).items() if name not in ("offsets", "blocks")}
    body["flags"] = [_told(flag) for flag in extracted.flags]
    body["blocks"] = [_block(block, arrays) for block in extracted.blocks]
    body["arrays"] = [[item.typecode, len(item)] for item in arrays]
    head = json.dumps(body, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return b"".join([_LENGTH.pack(len(head)), head, *(item.tobytes() for item in arrays)])


def _told(value: Any) -> dict[str, Any]:
    """The fields that differ from their defaults."""
    read, told = _TOLD[type(value)]
    return {name: item for (name, default), item in zip(told, read(value), strict=True) if item != default}


def _block(block: Block, arrays: list[array[Any]]) -> dict[str, Any]:
    out = _told(block)
    if _EDGES in out:
        arrays += [numbers for _, numbers in block.box_edges]
        first = len(arrays) - len(block.box_edges)
        out[_EDGES] = [(up, first + at) for at, (up, _) in enumerate(block.box_edges)]
    return out


def pack_pages(pages: Sequence[ReadPage]) -> bytes:
    """The bytes of pages that were read from their pictures."""
    return json.dumps([asdict(page) for page in pages], ensure_ascii=False).encode("utf-8", "surrogatepass")


def unpack_pages(data: bytes) -> list[ReadPage]:
    """The pages that :func:`pack_pages` wrote. Raises ValueError for anything it did not write."""
    decode = _decoder(list[ReadPage])
    try:
        pages: list[ReadPage] = decode(json.loads(data.decode("utf-8", "surrogatepass")))
    except (TypeError, KeyError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError(f"no pages ({error})") from error
    return pages


def _reading(kind: type) -> tuple[Callable[[Any], tuple[Any, ...]], tuple[tuple[str, Any], ...]]:
    """How to read all fields of a dataclass at once, and their names with their defaults."""
    told = tuple((item.name, item.default) for item in fields(kind))
    return attrgetter(*(name for name, _ in told)), told


_TOLD: dict[type, tuple[Callable[[Any], tuple[Any, ...]], tuple[tuple[str, Any], ...]]] = {
    kind: _reading(kind) for kind in (Extracted, Block, Flag)
}


def unpack(data: bytes) -> Extracted:
    """The extracted text that :func:`pack` wrote. Raises ValueError for anything it did not write."""
    try:
        (size,) = _LENGTH.unpack_from(data)
        body = json.loads(data[_LENGTH.size : _LENGTH.size + size].decode("utf-8", "surrogatepass"))
        arrays = _arrays(body.pop("arrays"), data, _LENGTH.size + size)
        return _checked(_build(body, arrays))
    except (struct.error, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError) as error:
        raise ValueError(f"not an extracted text ({error})") from error


def _arrays(described: list[list[Any]], data: bytes, at: int) -> list[array[Any]]:
    out: list[array[Any]] = []
    for code, count in described:
        if code not in _CODES or not isinstance(count, int) or count < 0:
            raise ValueError("no array")
        numbers: array[Any] = array(code)
        end = at + count * numbers.itemsize
        if end > len(data):
            raise ValueError("an array is cut short")
        numbers.frombytes(data[at:end])
        out.append(numbers)
        at = end
    return out


def _build(body: dict[str, Any], arrays: list[array[Any]]) -> Extracted:
    flat = arrays[0]
    body["offsets"] = []
    decode = _decoders(Extracted)
    block = _decoders(Block)
    blocks = [
        Block(**{name: block[name](_array(name, value, arrays)) for name, value in item.items()}) for item in body["blocks"]
    ]
    body["blocks"] = []
    extracted = Extracted(**{name: decode[name](value) for name, value in body.items()})
    extracted.blocks = blocks
    extracted.offsets = list(zip(flat[::_PAIR], flat[1::_PAIR], strict=True))
    return extracted


def _array(name: str, value: Any, arrays: list[array[Any]]) -> Any:
    """Box edges name their arrays by number."""
    return [(up, arrays[at]) for up, at in value] if name == _EDGES else value


@cache
def _decoders(kind: type) -> dict[str, Decoder]:
    hints = get_type_hints(kind, localns={"array": list})  # the class array takes no parameter at run time
    return {item.name: _edges if item.name == _EDGES else _decoder(hints[item.name]) for item in fields(kind)}


def _edges(value: Any) -> Any:
    """Box edges, their arrays already in place."""
    if not all(type(up) is bool and isinstance(numbers, array) for up, numbers in value):
        raise ValueError("no box edges")
    return tuple((up, numbers) for up, numbers in value)


def _decoder(hint: Any) -> Decoder:
    """A function that gives the value of a JSON value as ``hint`` declares it, or raises ValueError."""
    origin, args = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        inner = [_decoder(arg) for arg in args if arg is not types.NoneType]
        return (lambda value: None if value is None else inner[0](value)) if len(inner) == 1 else _refuse
    if origin is Literal:
        return lambda value: value if value in args else _refuse(value)
    if hint == tuple[int, int]:
        return _span
    if origin is tuple and len(args) == _PAIR and args[1] is Ellipsis:
        each = _decoder(args[0])
        return lambda value: tuple(each(item) for item in _sequence(value))
    if origin is tuple:
        parts = [_decoder(arg) for arg in args]
        return lambda value: tuple(part(item) for part, item in zip(parts, _sequence(value), strict=True))
    if origin is list:
        each = _decoder(args[0])
        return lambda value: [each(item) for item in _sequence(value)]
    if is_dataclass(hint) and isinstance(hint, type):
        return lambda value: hint(**{name: _decoders(hint)[name](item) for name, item in value.items()})
    if hint is float:
        return lambda value: float(value) if isinstance(value, int | float) and math.isfinite(value) else _refuse(value)
    return lambda value: value if type(value) is hint else _refuse(value)


def _span(value: Any) -> tuple[int, int]:
    start, end = value
    if type(start) is not int or type(end) is not int:
        raise ValueError("no span")
    return start, end


def _sequence(value: Any) -> Sequence[Any]:
    if not isinstance(value, list):
        raise ValueError("a list was expected")
    return value


def _refuse(value: Any) -> Any:
    raise ValueError(f"unexpected value {str(value)[:40]!r}")


def _checked(extracted: Extracted) -> Extracted:
    """Spans lie in the text, blocks stand in order, offsets run forward."""
    at = 0
    for block in extracted.blocks:
        start, end = block.span
        inner = (getattr(block, name) for name in _SPANS)
        if not at <= start < end <= len(extracted.text) or any(s and not start <= s[0] <= s[1] <= end for s in inner):
            raise ValueError("a block lies outside the text")
        at = end
    if any(not 0 <= start < end <= len(extracted.text) for (start, end), _ in extracted.marked):
        raise ValueError("a mark lies outside the text")
    last = -1
    for offset, _ in extracted.offsets:
        if offset <= last:
            raise ValueError("offsets run backwards")
        last = offset
    return extracted
