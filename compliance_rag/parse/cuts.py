"""The tree of a source that says itself where its clauses begin (XML elements, `.clauses.json`): its cuts are kept."""

from __future__ import annotations

import re

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.labels import Label, Token, read_labels, read_number
from compliance_rag.parse.tree import Node
from schemas.clause import Span


def has_cuts(extracted: Extracted) -> bool:
    """True when the reader found clauses cut by the document's owner."""
    return any(block.cuts for block in extracted.blocks)


def tree_from_cuts(extracted: Extracted) -> list[Node]:
    """Nodes in document order. A block's parent is the nearest one before it that is nested less deep; among equals, the latest
    whose number the block's own number extends (flat lists of `4`, `4.1`, `4.1(a)`)."""
    builder = _Cuts(extracted.text)
    for index, block in enumerate(extracted.blocks):
        if block.kind == "furniture":
            continue
        if block.cuts:
            builder.open(index, block)
        else:
            builder.text(index, block)
    return builder.nodes


class _Cuts:
    def __init__(self, text: str) -> None:
        self.text_of = text
        self.nodes: list[Node] = []
        self.keys: list[tuple[str, ...]] = []
        self.open_path: list[int] = []

    def open(self, index: int, block: Block) -> None:
        """A block that opens a clause."""
        depth = block.level or 0
        numbered = _tokens(block.number)
        keys = tuple(token.key for token in numbered)
        while self.open_path and not self._holds(self.open_path[-1], depth, keys):
            self.open_path.pop()
        parent = self.open_path[-1] if self.open_path else -1
        above = self.keys[parent] if parent >= 0 else ()
        extends = bool(above) and len(keys) > len(above) and keys[: len(above)] == above
        node = Node(parent, block.span[0], block.span[1], index, "heading", level=depth, block=block)
        if numbered:
            tokens, node.kind = numbered, _kind(block.number or "")
            if parent >= 0 and not extends and node.kind in ("item", "clause") and len(tokens) == 1 and above:
                tokens = (
                    Token(tokens[0].key, tokens[0].shown, "(" if tokens[0].joint == "." else tokens[0].joint, tokens[0].value),
                )
            node.label = Label("cut", node.kind, tokens, 0, absolute=extends or len(tokens) > 1)
            node.tokens = tokens
            full = keys if extends or not above else (*above, *keys)
            keys = () if node.container else full
        elif block.label_span is None and block.heading_span is None:
            node.kind = "clause"
        node.label_span, node.heading_span = block.label_span, block.heading_span
        node.pieces = _rest(self.text_of, block)
        node.units = [index] * bool(node.pieces)
        self.keys.append(keys if numbered else above)
        self._add(node)
        self.open_path.append(len(self.nodes) - 1)

    def _holds(self, position: int, depth: int, keys: tuple[str, ...]) -> bool:
        level = self.nodes[position].level or 0
        above = self.keys[position]
        return level < depth or (level == depth and bool(above) and len(keys) > len(above) and keys[: len(above)] == above)

    def _add(self, node: Node) -> None:
        self.nodes.append(node)
        if node.parent >= 0:
            self.nodes[node.parent].children.append(len(self.nodes) - 1)

    def text(self, index: int, block: Block) -> None:
        """A block of plain text: to the open clause of its depth."""
        if not self.nodes:
            self.keys.append(())
            self._add(Node(-1, block.span[0], block.span[0], index, "preamble"))
            self.open_path.append(0)
            if block.kind == "heading":
                self.nodes[0].heading_span = block.span
                return
        owner = next(
            (p for p in reversed(self.open_path) if block.level is None or (self.nodes[p].level or 0) <= block.level), None
        )
        node = self.nodes[owner if owner is not None else self.open_path[-1] if self.open_path else len(self.nodes) - 1]
        node.pieces.append(block.span)
        node.units.append(index)


def _tokens(number: str | None) -> tuple[Token, ...]:
    """Steps of a number as its owner writes it; one step of the whole where it follows no known form (`32-1003`)."""
    if not number:
        return ()
    text = number.strip(" .:—–-\u2003\u202f\u00a0")
    for form in (text, text + "."):
        for label in read_labels(form):
            if label.end >= len(text):
                return label.tokens
    keys = read_number(text) if re.fullmatch(r"[\w.()]+", text) else ()
    if len(keys) > 1:
        return tuple(Token(key, key, ".", 0) for key in keys)
    key = re.sub(r"[^\w.\-]+", "-", text.lower()).strip("-") or "~"
    return (Token(key, text, ".", 0),)


def _kind(number: str) -> str:
    labels = read_labels(number) or read_labels(number.strip() + ".")
    return labels[0].kind if labels else "clause"


def _rest(text: str, block: Block) -> list[Span]:
    start = max(span[1] for span in (block.label_span, block.heading_span, (0, block.span[0])) if span)
    while start < block.span[1] and text[start].isspace():
        start += 1
    return [(start, block.span[1])] if start < block.span[1] else []
