"""Paths and full numbers of the nodes of a tree; the one place where `~n` and `~2` are given out."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from compliance_rag.parse.labels import ANNEXES, CONTAINERS, Token, join_number
from compliance_rag.parse.tree import Node

# Kinds that are clauses in one document and mere containers in the next (articles that group running sections).
_EITHER = ("article", "section")


Kept = set[tuple[str, str]]
"""Pairs (container kind, what it holds): the container is in the path of what it holds; ``clause`` stands for any clause."""


@dataclass(slots=True)
class Named:
    """Path and number of a node; ``duplicate``: another clause bears the same number."""

    path: tuple[str, ...]
    number: str | None
    duplicate: bool = False


def name_nodes(nodes: list[Node]) -> list[Named]:
    """Paths and numbers, in node order.

    Containers are in a path only where numbering restarts under them: starting with none, the container kinds at which two
    equal numbers part are put in, innermost first, until no two differ by their containers alone.
    """
    _mark_groups(nodes)
    grouping = _grouping_kinds(nodes)
    kept: Kept = set()
    for _ in range(len(CONTAINERS) * 3):
        pair = _colliding_kind(nodes, grouping, kept)
        if pair is None:
            break
        kept.add(pair)
    return _names(nodes, grouping, kept)


def _mark_groups(nodes: list[Node]) -> None:
    """Headings numbered 一、二、 that hold articles are containers, like the 节 of a statute."""
    for node in nodes:
        if node.kind == "item" and node.tokens and any(nodes[child].kind == "article" for child in node.children):
            node.kind = "section-group"
            first = node.tokens[0]
            node.tokens = (Token(f"section-{first.key}", first.shown, first.joint, first.value),)


def _grouping_kinds(nodes: list[Node]) -> set[str]:
    """Container kinds, plus `article` or `section` where they only group clauses whose numbers run on across them."""
    kinds = {*CONTAINERS, "heading"}
    for kind in _EITHER:
        firsts: list[int] = []
        seen: set[str] = set()
        clash = False
        for node in nodes:
            if node.kind != kind or not node.children:
                continue
            own = [nodes[c] for c in node.children if nodes[c].label is not None and not nodes[c].listed and nodes[c].tokens]
            own = [c for c in own if c.label is not None and not c.label.absolute]
            if not own:
                continue
            firsts.append(own[0].tokens[0].value)
            keys = {c.tokens[-1].key for c in own}
            clash = clash or bool(keys & seen)
            seen |= keys
        if len(firsts) > 1 and not clash and any(value > 1 for value in firsts[1:]):
            kinds.add(kind)
    return kinds


def _chain(nodes: list[Node], index: int, grouping: set[str]) -> list[int]:
    """Containers above a node, outermost first."""
    out = []
    parent = nodes[index].parent
    while parent >= 0:
        if nodes[parent].kind in grouping and not _is_caption(nodes[parent]):
            out.append(parent)
        parent = nodes[parent].parent
    return out[::-1]


def _is_caption(node: Node) -> bool:
    """True for an unnumbered heading that the source gives no level: never in a path, so that what stands under one keeps its
    path when captions come and go; equal numbers under two of them are duplicates."""
    return node.kind == "heading" and node.level == 0


def _is_group(node: Node, grouping: set[str]) -> bool:
    return node.kind in grouping


def _own_key(node: Node, grouping: set[str]) -> tuple[str, ...]:
    if node.kind in _EITHER and node.kind in grouping:
        return (f"{node.kind}-{node.tokens[0].key}",)
    return tuple(token.key for token in node.tokens)


def _held(node: Node, grouping: set[str]) -> str:
    return node.kind if node.kind in grouping else "clause"


def _colliding_kind(nodes: list[Node], grouping: set[str], kept: Kept) -> tuple[str, str] | None:
    """The container kind whose instances hold equal numbers of one kind, innermost first; None when there is none."""
    seen: dict[tuple[str, ...], list[int]] = {}
    best: tuple[int, tuple[str, str]] | None = None
    for index, node in enumerate(nodes):
        if not node.tokens or not (node.parent < 0 or _is_group(nodes[node.parent], grouping)):
            continue
        chain = _chain(nodes, index, grouping)
        held = _held(node, grouping)
        full = (*_prefix(nodes, chain, held, grouping, kept), *_own_key(node, grouping))
        other = seen.setdefault(full, chain)
        if other is chain or other == chain:
            continue
        shared = 0
        while shared < min(len(chain), len(other)) and chain[shared] == other[shared]:
            shared += 1
        kinds = [nodes[c[shared]].kind for c in (chain, other) if shared < len(c)]
        kinds = [kind for kind in kinds if kind in ANNEXES] or kinds
        fresh = [kind for kind in kinds if (kind, held) not in kept]
        if fresh and (best is None or shared > best[0]):
            best = (shared, (fresh[0], held))
    return None if best is None else best[1]


def _prefix(nodes: list[Node], chain: list[int], held: str, grouping: set[str], kept: Kept) -> tuple[str, ...]:
    """Steps that the containers of a chain put in front of what they hold."""
    out: tuple[str, ...] = ()
    for depth, index in enumerate(chain):
        if (nodes[index].kind, held) in kept:
            own = _own_key(nodes[index], grouping) or (f"~{index}",)
            above = _prefix(nodes, chain[:depth], _held(nodes[index], grouping), grouping, kept)
            out = (*above, *own)
    return out


def _names(nodes: list[Node], grouping: set[str], kept: Kept) -> list[Named]:
    out: list[Named] = []
    taken: set[tuple[str, ...]] = set()
    numbers: set[str] = set()
    counts: dict[tuple[str, ...], int] = defaultdict(int)
    twins: dict[tuple[str, ...], int] = defaultdict(lambda: 1)
    printed = {_own_key(n, grouping) for n in nodes if n.label is not None and n.label.absolute}
    for index, node in enumerate(nodes):
        base, number = _base(nodes, index, out, grouping, kept)
        if not node.tokens:
            counts[base] += 1
            path = (*base, f"~{counts[base]}")
            while path in taken:
                counts[base] += 1
                path = (*base, f"~{counts[base]}")
            taken.add(path)
            out.append(Named(path, None))
            continue
        keys = _own_key(node, grouping)
        path = (*base, *keys)
        shown = _shown(nodes, node, number, grouping)
        first = path
        listed = node.label is not None and not node.label.absolute
        while path in taken or (listed and path in printed):
            twins[first] += 1
            path = (*first[:-1], f"{first[-1]}~{twins[first]}")
            listed = False
        taken.add(path)
        out.append(Named(path, shown, shown in numbers))
        numbers.add(shown)
    return out


def _base(
    nodes: list[Node], index: int, out: list[Named], grouping: set[str], kept: Kept
) -> tuple[tuple[str, ...], str | None]:
    """Path and number that a node's own steps are added to."""
    node = nodes[index]
    label = node.label
    parent = node.parent
    held = _held(node, grouping)
    while parent >= 0 and node.tokens and _passed(nodes[parent], grouping, held, kept):
        parent = nodes[parent].parent
    if parent < 0:
        return (), None
    if label is None or not label.absolute or _is_group(nodes[parent], grouping):
        if not node.tokens:
            return out[node.parent].path, None
        shown = out[parent].number
        if _is_group(nodes[parent], grouping):
            shown = None if shown is None else f"{shown}, " if not _is_zh(shown) else shown
        return out[parent].path, shown
    container = parent
    while container >= 0 and (not _is_group(nodes[container], grouping) or _passed(nodes[container], grouping, held, kept)):
        container = nodes[container].parent
    keys = tuple(token.key for token in node.tokens)
    above = out[parent].path
    own = above[len(out[container].path) if container >= 0 else 0 :]
    size = len(own)
    if tuple(key.split("~")[0] for key in own) == keys[:size]:
        return above[: len(above) - size] if own == keys[:size] else (), None
    return out[container].path if container >= 0 else (), None


def _passed(node: Node, grouping: set[str], held: str, kept: Kept) -> bool:
    """True for a container that is no step of the paths of what it holds."""
    return _is_group(node, grouping) and (_is_caption(node) or (node.kind, held) not in kept)


def _is_zh(number: str) -> bool:
    return ord(number[0]) > 0x2E7F


def _shown(nodes: list[Node], node: Node, number: str | None, grouping: set[str]) -> str:
    """The number as cited."""
    text = number
    first = True
    for token in node.tokens:
        if first and node.kind == "article" and token.joint == " ":
            named = f"Article {token.shown}"
            text = f"{text}{named}" if text else named
        elif text is not None and text.endswith(", "):
            text = f"{text}{join_number(None, token)}"
        else:
            text = join_number(text, token, list_item=_listed_under_decimal(nodes, node))
            if first and node.kind == "section" and number is not None and number.startswith("Article "):
                text = f"{number}, Section {token.shown}"
        first = False
    return text or ""


def _listed_under_decimal(nodes: list[Node], node: Node) -> bool:
    if node.parent < 0 or node.label is None or node.label.absolute or node.label.style != "1.":
        return False
    above = nodes[node.parent].label
    return above is not None and (above.absolute or above.kind == "article")


def token_text(tokens: tuple[Token, ...]) -> str:
    """Tokens as one number, for reports."""
    text: str | None = None
    for token in tokens:
        text = join_number(text, token)
    return text or ""
