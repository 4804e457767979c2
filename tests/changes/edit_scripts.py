"""Seeded edits on the clause trees of real documents, and what each must be called.

A document is taken as a tree of its own words under numbers counted anew (1, 1.1, 1.1.1), so that what an edit does to the
numbers is known. Every node bears its own id, which the reader hands through as ``source_id``.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from compliance_rag.store.clause_keys import typographic_key, words
from schemas.clause import ParsedVersion, Path

Row = tuple[str, str]
"""(kind, node id): of a removed, split or merged clause the node before."""
# An edit takes clauses long enough to be told by their words.
LONG = 12
_SENTENCE = re.compile(r"(?<=[.。;；])\s*(?=\S)")


@dataclass(slots=True)
class Node:
    """A clause with its children in order."""

    id: str
    heading: str
    text: str
    children: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class Script:
    """A tree before and after, the kinds that its edits must have, and the definition changed, if any."""

    before: list[Node]
    after: list[Node]
    wanted: set[Row] = field(default_factory=set)
    touched: set[str] = field(default_factory=set)
    defined: str | None = None


def tree_of(parsed: ParsedVersion) -> list[Node]:
    """The numbered clauses of a version, chapters and other containers looked through."""
    nodes: dict[Path, Node] = {}
    roots: list[Node] = []
    for at, clause in enumerate(parsed.clauses):
        if clause.number is None or clause.container or not (clause.text or clause.heading or clause.label):
            continue
        node = Node(f"n{at}", clause.heading, clause.text)
        nodes[clause.path] = node
        above = next(
            (nodes[clause.path[:end]] for end in range(len(clause.path) - 1, 0, -1) if clause.path[:end] in nodes), None
        )
        (roots if above is None else above.children).append(node)
    return roots


def copy(nodes: list[Node]) -> list[Node]:
    """The same tree, to be edited."""
    return [Node(node.id, node.heading, node.text, copy(node.children)) for node in nodes]


def walk(nodes: list[Node], number: str = "") -> Iterator[tuple[Node, str, list[Node]]]:
    """Every node with its number and the list it stands in, in document order."""
    for place, node in enumerate(nodes, 1):
        own = f"{number}.{place}" if number else str(place)
        yield node, own, nodes
        yield from walk(node.children, own)


def as_file(nodes: list[Node], title: str) -> bytes:
    """A ``.clauses.json`` of the tree."""
    entries = [
        {"number": number, "heading": node.heading, "text": node.text, "source_id": node.id} for node, number, _ in walk(nodes)
    ]
    return json.dumps({"title": title, "clauses": entries}, ensure_ascii=False).encode("utf-8")


class Editor:
    """Makes one script: edits of different kinds in places that have nothing to do with each other."""

    def __init__(self, tree: list[Node], foreign: list[str], terms: dict[str, list[str]], rng: random.Random) -> None:
        """``foreign``: texts of another document to insert; ``terms``: node ids that define a term, with those that use it."""
        self.script = Script(tree, copy(tree))
        self._foreign, self._terms, self._rng = foreign, terms, rng
        self._texts: dict[str, int] = {}
        for node, _, _ in walk(tree):
            self._texts[typographic_key(node.text)] = self._texts.get(typographic_key(node.text), 0) + 1
        self._used: set[int] = set()

    def run(self, kinds: list[str]) -> Script:
        """Apply edits of these kinds in turn; one that finds no place is left out. What moved up or down with them is wanted
        as renumbered."""
        for kind in kinds:
            getattr(self, f"_{kind}")()
        before = {node.id: number for node, number, _ in walk(self.script.before)}
        for node, number, _ in walk(self.script.after):
            if node.id in before and before[node.id] != number and node.id not in self.script.touched:
                self.script.wanted.add(("renumbered", node.id))
        return self.script

    def _leaf(self, least: int = LONG, following: bool = False) -> tuple[Node, list[Node], int] | None:
        """A childless clause of unique words in a family no edit has touched; with one ``following`` like it when asked."""
        found = [
            (node, family, family.index(node))
            for node, _, family in walk(self.script.after)
            if id(family) not in self._used and self._fits(node, least)
            and (not following or (family.index(node) + 1 < len(family) and self._fits(family[family.index(node) + 1], LONG)))
        ]  # fmt: skip
        if not found:
            return None
        chosen = self._rng.choice(found)
        self._used.add(id(chosen[1]))
        return chosen

    def _fits(self, node: Node, least: int) -> bool:
        alone = self._texts.get(typographic_key(node.text)) == 1
        return not node.children and alone and len(words(node.text)) >= least and node.id not in self._terms

    def _want(self, kind: str, *nodes: Node) -> None:
        self.script.wanted.add((kind, nodes[0].id))
        self.script.touched.update(node.id for node in nodes)

    def _insert(self) -> None:
        place = self._leaf()
        if place is None:
            return
        new = Node(f"new{len(self.script.wanted)}", "", self._rng.choice(self._foreign))
        place[1].insert(place[2], new)
        self._want("added", new)

    def _delete(self) -> None:
        place = self._leaf()
        if place is not None:
            place[1].remove(place[0])
            self._want("removed", place[0])

    def _renumber(self) -> None:
        """A number left free: those after it count one more."""
        place = self._leaf()
        if place is not None:
            empty = Node(f"free{len(self.script.wanted)}", "", "Reserved." if place[0].text.isascii() else "（空缺）")
            place[1].insert(place[2], empty)
            self._want("added", empty)

    def _move(self) -> None:
        place = self._leaf()
        target = None if place is None else self._leaf()
        if place is None or target is None:
            return
        place[1].remove(place[0])
        target[1].insert(target[2], place[0])
        self._want("moved", place[0])

    def _split(self) -> None:
        place = self._leaf(2 * LONG)
        if place is None:
            return
        node, family, at = place
        cuts = [match.start() for match in _SENTENCE.finditer(node.text)]
        good = [cut for cut in cuts if min(len(words(node.text[:cut])), len(words(node.text[cut:]))) >= LONG]
        if good:
            cut = self._rng.choice(good)
            part = Node(f"part{len(self.script.wanted)}", "", node.text[cut:].strip())
            node.text = node.text[:cut].strip()
            family.insert(at + 1, part)
            self._want("split", node, part)

    def _merge(self) -> None:
        place = self._leaf(following=True)
        if place is not None:
            node, family, at = place
            other = family.pop(at + 1)
            node.text = f"{node.text}\n{other.text}"
            self._want("merged", node, other)

    def _define(self) -> None:
        """A definition gets wider; every clause that uses its term means something else."""
        nodes = [(node, family) for node, _, family in walk(self.script.after) if node.id in self._terms and not node.children]
        nodes = [item for item in nodes if id(item[1]) not in self._used]
        if nodes:
            node, family = self._rng.choice(nodes)
            self._used.add(id(family))
            wider = (
                "，以及主管部门指定的其他事项"
                if not node.text.isascii() and "。" in node.text
                else " or whatever the board names"
            )
            stop = len(node.text.rstrip()) - 1 if node.text.rstrip()[-1:] in ".。;；" else len(node.text)
            node.text = node.text[:stop] + wider + node.text[stop:]
            self._want("modified", node)
            self.script.defined = node.id
