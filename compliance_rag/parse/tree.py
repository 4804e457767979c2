"""Decisions to the clause tree: every unit's text goes to one node, headings are told from text."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.headings import heading_end, is_title
from compliance_rag.parse.labels import CONTAINERS, Label, Token
from compliance_rag.parse.outline import Decision
from compliance_rag.parse.unit import Unit
from schemas.clause import Span

_LIST = re.compile(r"[(①]|[a-z0-9A-Z一]\)|[aAiI1]\.|1、")
_ANNOUNCES = frozenset(":：")
_ZH_END = frozenset("。；：！？”）:;")


@dataclass(slots=True)
class Node:
    """A clause in the making. ``parent`` indexes the node list, -1 for the root. ``tokens`` are its own steps."""

    parent: int
    start: int
    end: int
    unit: int
    kind: str
    label: Label | None = None
    label_span: Span | None = None
    heading_span: Span | None = None
    pieces: list[Span] = field(default_factory=list)
    units: list[int] = field(default_factory=list)
    children: list[int] = field(default_factory=list)
    flags: list[str] = field(default_factory=list)
    other: Label | None = None
    level: int | None = None
    item: float | None = None
    indent: int = 0
    tokens: tuple[Token, ...] = ()
    block: Block | None = None

    @property
    def container(self) -> bool:
        """True for what groups clauses: parts, chapters, unnumbered headings."""
        return self.kind in CONTAINERS or self.kind == "heading"

    @property
    def listed(self) -> bool:
        """True for a member of a list (`(a)`, `1)`, `i.`), False for a section or article."""
        return self.label is not None and self.kind == "item" and _LIST.match(self.label.style) is not None


def build_tree(extracted: Extracted, units: list[Unit], decisions: list[Decision], language: str) -> list[Node]:
    """Nodes in document order."""
    builder = _Builder(extracted, units, language)
    chosen = {decision.unit: decision for decision in decisions}
    for index, unit in enumerate(units):
        decision = chosen.get(index)
        if decision is not None and (decision.label is not None or unit.heading is not None):
            builder.open(index, unit, decision)
        else:
            builder.text(index, unit)
            if decision is not None and decision.doubtful:
                builder.nodes[builder.last].flags.append("ambiguous_marker")
    _set_notes_beside(builder.nodes)
    return builder.nodes


def _set_notes_beside(nodes: list[Node]) -> None:
    """A note on a clause (`8.3.5.Guidance`) stands beside the clause it comments on, not in it: guidance is no part of a rule's
    own text. It stays inside only where sub-clauses of the same clause come after it."""
    for index in range(len(nodes) - 1, -1, -1):
        node = nodes[index]
        if node.parent < 0 or not node.tokens or node.label is None or not node.label.absolute:
            continue
        parent = nodes[node.parent]
        if not parent.tokens or parent.container or parent.children[-1] != index:
            continue
        worded = any(token.value == 0 for token in node.tokens)
        if not worded or any(token.value == 0 for token in parent.tokens):
            continue
        parent.children.pop()
        node.parent = parent.parent
        if node.parent >= 0:
            siblings = nodes[node.parent].children
            siblings.insert(sum(child < index for child in siblings), index)


class _Builder:
    def __init__(self, extracted: Extracted, units: list[Unit], language: str) -> None:
        self.text_of = extracted.text
        self.blocks = extracted.blocks
        self.units = units
        self.language = language
        self.nodes: list[Node] = []
        self.by_unit: dict[int, int] = {}
        self.last = -1

    def open(self, index: int, unit: Unit, decision: Decision) -> None:
        """A unit that opens a clause or an unnumbered heading."""
        label = decision.label
        parent = self.by_unit.get(decision.parent, -1)
        kind = label.kind if label else "heading"
        if not self.nodes and label is None and self._is_title(index, unit):
            kind = "preamble"
        node = Node(parent, unit.start, unit.end, index, kind, label, level=unit.heading, item=unit.item, indent=unit.indent)
        node.block = self.blocks[unit.block]
        node.flags = [note for note in decision.notes if note != "numbering_restart"]
        node.other = decision.other
        if decision.doubtful:
            node.flags.append("ambiguous_marker")
        after = unit.start
        if label is not None:
            node.tokens = label.tokens
            node.label_span = (unit.start, unit.start + label.end)
            after = unit.start + label.end
        after = self._skip(after, unit.end)
        follows = self.units[index + 1] if index + 1 < len(self.units) else None
        cut = heading_end(self.text_of, unit, node.block, label, after, follows)
        if cut > after:
            node.heading_span = (after, cut)
        after = self._skip(cut, unit.end)
        if after < unit.end:
            node.pieces.append((after, unit.end))
            node.units.append(index)
        self._add(node, index)

    def _is_title(self, index: int, unit: Unit) -> bool:
        """The first heading is the title when no other heading is as high."""
        if index > 0 and any(self.units[i].kind != "text" for i in range(index)):
            return False
        level = unit.heading or 0
        later = (u for u in self.units[index + 1 :] if u.heading is not None)
        return level > 0 and all((u.heading or 99) > level for u in later)

    def _add(self, node: Node, index: int) -> None:
        position = len(self.nodes)
        if node.parent >= 0 and self.nodes[node.parent].kind == "preamble":
            node.parent = -1
        self.nodes.append(node)
        if node.parent >= 0:
            self.nodes[node.parent].children.append(position)
        self.by_unit[index] = position
        self.last = position

    def _skip(self, start: int, end: int) -> int:
        while start < end and self.text_of[start].isspace():
            start += 1
        return start

    def text(self, index: int, unit: Unit) -> None:
        """A unit of plain text: to the clause it continues or closes."""
        if not self.nodes:
            self._add(Node(-1, unit.start, unit.start, index, "preamble"), index)
        if self._titles(unit, index):
            self.nodes[self.last].heading_span = (unit.start, unit.end)
            return
        node = self.nodes[self._owner(unit, index)]
        runs_on = bool(node.pieces and node.units) and node.units[-1] == index - 1 and self.units[index - 1].block == unit.block
        if runs_on and node.pieces[-1][1] <= unit.start and not self._paragraph_break(node.pieces[-1][1], unit):
            node.pieces[-1] = (node.pieces[-1][0], unit.end)
            return
        node.pieces.append((unit.start, unit.end))
        node.units.append(index)

    def _titles(self, unit: Unit, index: int) -> bool:
        """True when the unit is the title of a clause whose label stands on a line of its own."""
        node = self.nodes[self.last]
        if node.unit != index - 1 or node.label is None or node.heading_span or node.pieces or unit.kind != "text":
            return False
        return index + 1 < len(self.units) and is_title(self.text_of[unit.start : unit.end], node.label)

    def _paragraph_break(self, end: int, unit: Unit) -> bool:
        return self.language == "zh" and self.text_of[end - 1] in _ZH_END

    def _owner(self, unit: Unit, index: int) -> int:
        position = self.last
        node = self.nodes[position]
        if unit.item is not None and unit.inline:
            return position  # it goes on in its own line
        if unit.item is not None:
            while node.parent >= 0 and node.item is not None and not self._inside(unit, node):
                position = node.parent
                node = self.nodes[position]
            return position
        if node.item is not None:
            if self._announced(node, index):
                return position
            while node.parent >= 0 and node.item is not None:
                position = node.parent
                node = self.nodes[position]
            return position
        if not node.listed:
            return self._flush(position, unit)
        if self.language == "zh":
            return self._after_zh_list(position, unit, index)
        return self._closing(position, unit, index)

    def _flush(self, position: int, unit: Unit) -> int:
        """Where a paragraph after a sub-clause belongs on a printed page: to the clause whose own text stands as far in as it,
        when the sub-clause's number stands further in."""
        node = self.nodes[position]
        if node.block is None or not node.block.boxes or node.label is None or node.kind in CONTAINERS:
            return position
        while node.parent >= 0 and unit.indent < node.indent:
            above = self.nodes[node.parent]
            text = [self.units[one].indent for one in above.units]
            if above.label is None or all(abs(unit.indent - one) > 1 for one in text):
                break
            position = node.parent
            node = above
        return position

    def _announced(self, node: Node, index: int) -> bool:
        """True when the words just before, the clause's own, end with a colon: what follows is theirs, however it is set."""
        own = index - 1 == node.unit or (bool(node.units) and node.units[-1] == index - 1)
        return own and self.text_of[self.units[index - 1].end - 1] in _ANNOUNCES

    def _inside(self, unit: Unit, node: Node) -> bool:
        """A bullet or a paragraph in a list item belongs to the item when it is nested deeper, or stands in it."""
        assert unit.item is not None
        assert node.item is not None
        bullet = self.blocks[unit.block].kind == "item"
        return unit.item > node.item or (unit.item == node.item and not bullet)

    def _after_zh_list(self, position: int, unit: Unit, index: int) -> int:
        """A paragraph after the items of an article is the next of the article; elsewhere where it is printed tells."""
        node = self.nodes[position]
        if not self._in_article(position):
            return self._flush(position, unit)
        if self.text_of[self.units[index - 1].end - 1] not in _ZH_END:
            return position
        while node.listed and node.parent >= 0 and self._in_article(position):
            position = node.parent
            node = self.nodes[position]
        return position

    def _in_article(self, position: int) -> bool:
        while position >= 0:
            label = self.nodes[position].label
            if label is not None and label.style == "第条":
                return True
            position = self.nodes[position].parent
        return False

    def _closing(self, position: int, unit: Unit, index: int) -> int:
        """Flush text after a list goes to the clause that holds the list: it stands further out, or goes on in lower case after
        an item that ended."""
        node = self.nodes[position]
        before = self.text_of[self.units[index - 1].end - 1]
        lower = self.text_of[unit.start].islower()
        if lower and before.isalnum():
            return position
        flush = lower
        if unit.indent < node.indent:
            while node.parent >= 0 and node.listed and node.indent > unit.indent:
                position = node.parent
                node = self.nodes[position]
            return position
        if not flush:
            return position
        same = node.indent
        while node.parent >= 0 and node.listed and node.indent == same:
            position = node.parent
            node = self.nodes[position]
        return position
