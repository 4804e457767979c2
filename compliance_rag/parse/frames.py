"""Frames: the levels that are open while an outline is read, as a linked stack."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field

from compliance_rag.parse.labels import CONTAINERS, Token

GROUPING = frozenset({"一、"})
"""Styles of numbered headings across which the numbering of articles runs on."""

ARTICLES = frozenset({"article", "第条"})
"""Styles of one list of articles, in a text that says each in two languages."""


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """An open level: the last label read there. ``tokens`` are the keys of its number from the last container down; ``wide``:
    its words are Chinese."""

    parent: Frame | None
    node: int
    style: str
    kind: str
    tokens: tuple[str, ...]
    token: Token | None
    depth: int
    level: int | None = None
    item: float | None = None
    indent: int = 0
    count: int = 1
    doubtful: bool = False
    memo: dict[str, Token] = field(default_factory=dict)
    key: int = 0
    table: int = 0
    seen: frozenset[str] = frozenset()
    wide: bool = False

    @property
    def groups(self) -> bool:
        """True for containers and unnumbered headings: numbering may run on across them."""
        return self.kind in CONTAINERS or self.kind in ("heading", "root")


def frame_key(parent: Frame, *parts: object) -> int:
    """A checksum of the stack, equal for equal stacks and the same in every process."""
    return zlib.crc32(repr((parent.key, parts)).encode("utf-8", "surrogatepass"))


def root_of(frame: Frame) -> Frame:
    """The bottom of the stack."""
    while frame.parent is not None:
        frame = frame.parent
    return frame


def group_of(frame: Frame) -> Frame:
    """The innermost open container, or the root."""
    while frame.parent is not None and not (frame.groups and frame.kind not in ("heading",)):
        frame = frame.parent
    return frame


def child_on_stack(top: Frame, home: Frame) -> Frame | None:
    """The open level right above ``home``, None when ``home`` is the top."""
    frame: Frame | None = top
    while frame is not None and frame.parent is not home:
        frame = frame.parent
    return frame


def running_lists(style: str, memo: dict[str, Token]) -> dict[str, Token]:
    """Of a closed clause's lists, those that may run on in the next one: articles under headings numbered 一、二、."""
    return {name: token for name, token in memo.items() if name == "第条"} if style in GROUPING else {}


def carried_lists(top: Frame, parent: Frame) -> dict[str, Token]:
    """Where the lists above ``parent`` stopped, for numbering that runs on."""
    chain: list[Frame] = []
    frame: Frame = top
    while frame is not parent and frame.parent is not None:
        chain.append(frame)
        frame = frame.parent
    memo: dict[str, Token] = {}
    for frame in chain:
        memo = {**frame.memo, **memo} if frame.groups else running_lists(frame.style, {**frame.memo, **memo})
        if frame.token is not None:
            memo[frame.style] = frame.token
            if frame.style in ARTICLES:
                # Articles said in two languages are one list.
                memo |= {style: frame.token for style in ARTICLES if style not in memo}
            if frame.style == "dec" and frame.parent is not None and len(frame.tokens) == len(frame.parent.tokens) + 1:
                memo[f"@{len(frame.tokens) - 1}"] = frame.token
    return memo


def with_memo(frame: Frame, memo: dict[str, Token], top: Frame) -> Frame:
    """``frame`` as it is once the levels up to ``top`` are closed: it knows where their lists stopped."""
    child = child_on_stack(top, frame)
    seen = frame.seen if child is None else frame.seen | {child.style}
    return Frame(
        frame.parent, frame.node, frame.style, frame.kind, frame.tokens, frame.token, frame.depth, frame.level, frame.item,
        frame.indent, frame.count, frame.doubtful, {**frame.memo, **memo}, frame.key, frame.table, seen, frame.wide,
    )  # fmt: skip
