"""A question's vector is worked out once for as long as it is kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from compliance_rag.store.embedder import DIMENSION, Embedder, Vectors


class _Counted(Embedder):
    """Counts what it works out."""

    def __init__(self) -> None:
        super().__init__(Path(), {}, packaged=True)
        self.worked_out: list[str] = []

    def _query_vector(self, text: str) -> Vectors:
        self.worked_out.append(text)
        return np.full(DIMENSION, len(self.worked_out), np.float32)


def test_the_same_question_gets_the_same_vector() -> None:
    """Asked again it is not worked out again; nobody can write into what others will get."""
    embedder = _Counted()
    first = embedder.encode_query("one")
    assert embedder.encode_query("one") is first
    assert embedder.worked_out == ["one"]
    with pytest.raises(ValueError, match="read-only"):
        first[0] = 0


def test_only_the_last_ones_are_kept() -> None:
    """What was not asked for longest goes first; with none kept every question is worked out."""
    embedder = _Counted()
    embedder.keep(2)
    for text in ("one", "two", "one", "three", "one", "two"):
        embedder.encode_query(text)
    assert embedder.worked_out == ["one", "two", "three", "two"]
    embedder.keep(0)
    embedder.encode_query("two")
    embedder.encode_query("two")
    assert embedder.worked_out[4:] == ["two", "two"]
