"""Headings known by their type: what is set larger than the text and reads as no sentence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

# Type this much larger than the text's sets a heading.
HEADING_SIZE = 1.15
# A heading is no longer than this, in characters.
HEADING_CHARS = 160
_STOPS = ".;,。；，"


def may_head(text: str) -> bool:
    """True when the words of a paragraph may be a heading: few, and no sentence."""
    return 0 < len(text) <= HEADING_CHARS and text[-1] not in _STOPS


def heading_sizes(paragraphs: Iterable[tuple[float, str]], usual: float) -> set[float]:
    """The type sizes that set headings, of paragraphs with their sizes: larger than the ``usual`` and used for words that may
    head more than for sentences (a page of instructions in large type is text)."""
    heads: Counter[float] = Counter()
    for size, text in paragraphs:
        if size >= HEADING_SIZE * usual:
            heads[size] += len(text) if may_head(text) else -len(text)
    return {size for size, balance in heads.items() if balance > 0}
