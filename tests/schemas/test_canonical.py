"""Canonical JSON is RFC 8785's, whichever way it is printed."""

from __future__ import annotations

import math

import pytest
import rfc8785
from hypothesis import example, given, settings
from hypothesis import strategies as st

from schemas.canonical import canonical_json

_LEAVES = st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.characters(codec=None).map(str)
_VALUES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4), max_leaves=12
)


def _printed(one: object) -> bytes | type[Exception]:
    try:
        return canonical_json(one)
    except ValueError as error:
        return type(error)


def _oracle(one: object) -> bytes | type[Exception]:
    try:
        return rfc8785.dumps(one)
    except ValueError as error:
        return type(error)


@given(_VALUES)
@example({"\U0001f600": 1, "\ufb33": 2, "é": 3, "z": 4})
@example(["\ud800", '\x7f\x00\x1f\b\f\n\r\t"\\/\u2028', ("a", 1), {"b": (1.0, None)}])
def test_the_same_bytes_as_an_independent_rfc_8785(value: object) -> None:
    """Every value gives the bytes, or the refusal, of the rfc8785 package."""
    assert _printed(value) == _oracle(value)


# One at a time: in a list, a single value that is not plain sends all of them the long way round.
_EDGES = [
    *(0.0, 1e-7, 1e-6, 1e-5, 0.0001, 0.00012345, 5.0, 0.1, 123456.789, 4503599627370495.5, 1e15, 1e16, 1e17, 1e20, 1e21, 1e22),
    *(2.0**53 - 1, 2.0**53, 2.0**53 + 2, 9.999999999999999e15, math.nextafter(0.0001, 0), math.nextafter(0.0001, 1)),
    *(2**53 - 1, 2**53, 2**53 + 1, 10**30, float("nan"), float("inf"), 5e-324, 1.7976931348623157e308),
]


@pytest.mark.parametrize("value", [*_EDGES, *(-one for one in _EDGES)])
def test_numbers_at_the_edges_are_printed_as_rfc_8785_does(value: float) -> None:
    """A number at an edge of what the standard library prints alike gives the bytes, or the refusal, of the rfc8785 package."""
    assert _printed(value) == _oracle(value)


@given(st.floats(allow_nan=False) | st.floats(-1e22, 1e22) | st.integers(-(2**54), 2**54).map(float))
@settings(max_examples=2000)
def test_a_number_alone_is_printed_as_rfc_8785_does(value: float) -> None:
    """A single double gives the bytes of the rfc8785 package."""
    assert _printed(value) == _oracle(value)
