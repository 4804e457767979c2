"""The unit: a stretch of text at which a clause may begin, what every reader of the outline works on."""

from __future__ import annotations

from dataclasses import dataclass

from compliance_rag.parse.labels import Label


@dataclass(slots=True)
class Unit:
    """A stretch of extracted text that either opens a clause (``labels``) or belongs to one.

    ``plain`` is the cost of taking a labelled unit for mere text, ``prose`` the cost of taking it for a label. ``heading``:
    heading level from 1, 0 for a heading that the source does not level, None for no heading. ``item``: list depth from 0.
    ``table``: as in the block. ``firm``: the label stands at a line's start, after an ended line, before a capital: hardly
    prose. ``fresh``: what stands before it ended with a stop, so that nothing leads in to it;
    ``wide``: it opens in Chinese.
    """

    start: int
    end: int
    block: int
    kind: str
    labels: tuple[Label, ...] = ()
    plain: float = 0.0
    prose: float = 0.0
    heading: int | None = None
    item: float | None = None
    indent: int = 0
    inline: bool = False
    bold: bool = False
    firm: bool = False
    table: int = 0
    fresh: bool = False
    wide: bool = False


def back(text: str, at: int) -> int:
    """The offset after the last visible character before ``at``."""
    while text[at - 1].isspace():
        at -= 1
    return at
