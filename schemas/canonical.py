"""Hashes and canonical JSON: the only module that turns text and objects into digests."""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from typing import Any

import rfc8785

# Sixteen digits in a row may be an integer that RFC 8785 refuses, or the hex of a hash; which one is rfc8785's to say.
_LONG_NUMBER = re.compile(r"[:,\[]-?\d{16}")
_WHITE = re.compile(r"\s+")


# Integers that RFC 8785 takes; beyond them a double is no longer exact.
_EXACT = 2**53
# From here to _EXACT Python prints a broken double as ECMAScript does: the shortest digits, no exponent. From _EXACT on every
# double is whole, and Python would print its ".0".
_PLAIN_FROM = 1e-4


class _NotPlain(ValueError):
    """A value that the standard library would print otherwise, or that RFC 8785 refuses."""


def canonical_json(value: Any) -> bytes:
    """RFC 8785 canonical JSON bytes of ``value`` (dicts, lists, str, int, bool, None; floats as RFC 8785 has them), at the
    standard library's speed where it prints the same bytes: an answer's record holds a hundred kilobytes of it."""
    try:
        return _printed(_plain(value)).encode("utf-8")
    except (_NotPlain, UnicodeEncodeError, RecursionError):
        return rfc8785.dumps(value)


def _printed(value: Any) -> str:
    return json.dumps(value, sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _plain(value: Any) -> Any:
    """``value`` with whole floats as integers. Raises _NotPlain."""
    kind = type(value)
    if kind is str or value is None or kind is bool:
        return value
    if kind is dict:
        if not all(type(key) is str and key.isascii() for key in value):
            raise _NotPlain  # sorted by UTF-16 units there, by code points here
        return {key: _plain(item) for key, item in value.items()}
    if kind is list or kind is tuple:
        return [_plain(item) for item in value]
    if kind is int and -_EXACT < value < _EXACT:
        return value
    if kind is float:
        if value.is_integer() and abs(value) < _EXACT:
            return int(value)
        if _PLAIN_FROM <= abs(value) < _EXACT:
            return value
    raise _NotPlain


def canonical_header(value: dict[str, Any]) -> bytes:
    """The same bytes for an object without floats, at the standard library's speed where it is plain ASCII with exact integers
    (ten times rfc8785's, measured on a header of 4 kB). Raises as :func:`canonical_json`."""
    try:
        text = _printed(value)
    except (TypeError, ValueError, RecursionError):
        return canonical_json(value)
    if not text.isascii() or _LONG_NUMBER.search(text):
        return canonical_json(value)
    return text.encode("ascii")


def has_float(value: Any) -> bool:
    """True when a float stands anywhere in ``value``; ledger headers and hashed rows may hold none."""
    if isinstance(value, float):
        return True
    if isinstance(value, dict):
        return any(has_float(item) for item in value.values())
    if isinstance(value, list | tuple):
        return any(has_float(item) for item in value)
    return False


def sha256_hex(data: bytes) -> str:
    """Lower-case hex sha256 of bytes."""
    return hashlib.sha256(data).hexdigest()


def sha256_text(text: str) -> str:
    """sha256 over exactly this text, UTF-8: a clause's ``sha256``."""
    return sha256_hex(text.encode("utf-8", "surrogatepass"))


def normalise(text: str) -> str:
    """NFC with white space folded to single spaces; case and punctuation stay."""
    return _WHITE.sub(" ", unicodedata.normalize("NFC", text)).strip()


def sha256_normalised(text: str) -> str:
    """sha256 over :func:`normalise`: equal for texts that differ in white space and Unicode form only."""
    return sha256_text(normalise(text))
