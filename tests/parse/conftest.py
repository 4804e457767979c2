"""Helpers of the parse tests."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.readers import read_source


def check_tiling(extracted: Extracted) -> None:
    """Blocks stand in order, are trimmed, and hold every visible character once."""
    at = 0
    for block in extracted.blocks:
        start, end = block.span
        assert at <= start < end <= len(extracted.text), block
        assert not extracted.text[at:start].strip(), extracted.text[at:start]
        assert not extracted.text[start].isspace()
        assert not extracted.text[end - 1].isspace()
        for inner in (block.label_span, block.heading_span, block.lead_span):
            assert inner is None or start <= inner[0] <= inner[1] <= end, block
        at = end
    assert not extracted.text[at:].strip()
    assert "\x00" not in extracted.text
    assert "\r" not in extracted.text


def check_offsets(extracted: Extracted, data: bytes) -> None:
    """The offset map runs forward in both columns and stays inside the file."""
    for (first, source), (second, following) in zip(extracted.offsets, extracted.offsets[1:], strict=False):
        assert first < second
        assert source <= following
    assert all(0 <= source <= len(data) for _, source in extracted.offsets)


def texts(extracted: Extracted) -> list[str]:
    """The text of each block."""
    return [extracted.text[slice(*block.span)] for block in extracted.blocks]


@pytest.fixture
def read() -> Callable[..., tuple[list[str], list[Block], Extracted]]:
    """Read a source given as text; gives block texts, blocks and the whole, with law 1 and the map checked."""

    def run(text: str | bytes, name: str = "a.md", **options: str) -> tuple[list[str], list[Block], Extracted]:
        data = text.encode() if isinstance(text, str) else text
        extracted = read_source(data, name, **options)  # type: ignore[arg-type]
        check_tiling(extracted)
        check_offsets(extracted, data)
        return texts(extracted), extracted.blocks, extracted

    return run
