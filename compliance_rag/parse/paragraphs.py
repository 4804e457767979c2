"""Paragraphs of a Chinese article (款): counted where an article has several, each a clause that holds its items (项)."""

from __future__ import annotations

from compliance_rag.parse.labels import Token, chinese_ordinal
from compliance_rag.parse.tree import Node
from schemas.clause import Span

_ENDED = frozenset("。；：！？”）;:!?")


def split_paragraphs(text: str, nodes: list[Node], tables: frozenset[int]) -> list[Node]:
    """Nodes with the paragraphs of every article of several paragraphs as nodes of their own; order is kept. ``tables``: start
    offsets of pieces that are tables, which belong to the paragraph before them."""
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


def _emit(entry: tuple[int, int, Node], out: list[Node], owner: dict[int, int]) -> None:
    owner[entry[1]] = len(out)
    out.append(entry[2])


def _new_parent(node: Node, index: int, nodes: list[Node], moved: dict[int, int], owner: dict[int, int]) -> int:
    if node.parent < 0:
        return -1
    return owner.get(node.parent, moved[node.parent])


def _groups(text: str, node: Node, nodes: list[Node], tables: frozenset[int]) -> list[list[Span]]:
    """The pieces of an article by paragraph: a piece after an ended one, or after items, begins a new paragraph."""
    if node.label is None or node.label.style != "第条" or len(node.label.tokens) > 1:
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
