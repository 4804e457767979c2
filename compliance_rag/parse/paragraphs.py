"""Paragraphs of a Chinese article (款): counted where an article has several, each a clause that holds its items (项)."""

from __future__ import annotations

from itertools import pairwise

from compliance_rag.parse.labels import Token, chinese_ordinal, follows
from compliance_rag.parse.tree import Node
from schemas.clause import Span

_ENDED = frozenset("。；：！？”）;:!?")


def split_paragraphs(text: str, nodes: list[Node], tables: frozenset[int]) -> list[Node]:
    """Nodes with the paragraphs of every article of several paragraphs as nodes of their own; order is kept. ``tables``: start
    offsets of pieces that are tables, which belong to the paragraph before them."""
    for node in nodes:
        _keep_in_list(node, nodes, tables)
    plans = {index: groups for index, node in enumerate(nodes) if len(groups := _groups(text, node, nodes, tables)) > 1}
    if not plans:
        return nodes
    out: list[Node] = []
    moved: dict[int, int] = {}
    owner: dict[int, int] = {}
    pending: list[tuple[int, int, Node]] = []
    for index, node in enumerate(nodes):
        while pending and pending[0][0] < node.start:
            _emit(pending.pop(0), out, owner)
        node.parent = _new_parent(node, index, nodes, moved, owner)
        moved[index] = len(out)
        out.append(node)
        if index in plans:
            pending.extend(
                (group[0][0], index, _paragraph(node, moved[index], group, count))
                for count, group in enumerate(plans[index], 1)
            )
            pending.sort(key=lambda entry: entry[0])
            node.pieces, node.units = [], []
    for entry in pending:
        _emit(entry, out, owner)
    for node in out:
        node.children = []
    for position, node in enumerate(out):
        if node.parent >= 0:
            out[node.parent].children.append(position)
    return out


def _keep_in_list(node: Node, nodes: list[Node], tables: frozenset[int]) -> None:
    """Give a paragraph of an article that stands between two items of one list, whose numbering goes on behind it, to the item
    before it: it interrupts the list and begins no paragraph of the article."""
    if not _counts_paragraphs(node) or len(node.pieces) < 2 or len(node.children) < 2:
        return
    members = [nodes[child] for child in node.children]
    pieces = sorted(node.pieces)
    for before, after in pairwise(members):
        if before.label is None or after.label is None or before.label.style != after.label.style:
            continue
        if not follows(before.tokens[-1], after.tokens[-1]):
            continue
        between = [piece for piece in pieces if before.start < piece[0] < after.start and piece[0] not in tables]
        if between:
            node.pieces = [piece for piece in node.pieces if piece not in between]
            before.pieces.extend(between)


def _counts_paragraphs(node: Node) -> bool:
    return node.label is not None and node.label.style == "第条" and len(node.label.tokens) == 1


def _emit(entry: tuple[int, int, Node], out: list[Node], owner: dict[int, int]) -> None:
    owner[entry[1]] = len(out)
    out.append(entry[2])


def _new_parent(node: Node, index: int, nodes: list[Node], moved: dict[int, int], owner: dict[int, int]) -> int:
    if node.parent < 0:
        return -1
    return owner.get(node.parent, moved[node.parent])


def _groups(text: str, node: Node, nodes: list[Node], tables: frozenset[int]) -> list[list[Span]]:
    """The pieces of an article by paragraph: a piece after an ended one, or after items, begins a new paragraph."""
    if not _counts_paragraphs(node):
        return []
    starts = sorted(nodes[child].start for child in node.children)
    groups: list[list[Span]] = []
    for start, end in node.pieces:
        last = groups[-1][-1][1] if groups else -1
        items = any(last <= child < start for child in starts)
        if not groups or (start not in tables and (items or text[last - 1] in _ENDED)):
            groups.append([(start, end)])
        else:
            groups[-1].append((start, end))
    return groups


def _paragraph(article: Node, parent: int, group: list[Span], count: int) -> Node:
    token = Token(str(count), f"第{chinese_ordinal(count)}款", "zh", count)
    node = Node(parent, group[0][0], group[-1][1], article.unit, "款", pieces=list(group), tokens=(token,), block=article.block)
    node.units = list(article.units)
    return node
