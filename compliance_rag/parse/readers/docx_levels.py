"""How deep a paragraph of a Word file stands in the lists around it: by its list, its level and its indentation."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise

from compliance_rag.parse.contents import CONTENTS_TITLE
from compliance_rag.parse.headings import MAX_HEADING, NOTE_MARK
from compliance_rag.parse.labels import read_labels
from compliance_rag.parse.readers.docx_numbering import TYPED, Rendered
from compliance_rag.parse.readers.docx_rows import Leaf
from compliance_rag.parse.readers.type_sizes import heading_sizes, may_head

# A heading style on more words than these, with a stop at their end, is used for its look on text.
MAX_STOPPED = 6
MAX_STOPPED_WIDE = 14
_STOPS = frozenset(".;,:。；，：")
# Half an inch apart is one step; the hands of authors differ by less than a tenth.
TOLERANCE = 144


@dataclass(slots=True)
class _Open:
    list_id: str
    level: int
    depth: int
    at: int
    left: int
    format: str


def sentence(text: str) -> bool:
    """True when words in a heading style read as text."""
    text = NOTE_MARK.sub("", text)
    if len(text) > MAX_HEADING or "\n" in text:
        return True
    if not text or text[-1] not in _STOPS:
        return False
    wide = ord(text[-1]) > 0x2E7F or ord(text[0]) > 0x2E7F
    return len(text) > MAX_STOPPED_WIDE if wide else len(text.split()) > MAX_STOPPED


def mark_contents(leaves: list[Leaf]) -> None:
    """The title above a table of contents is furniture as the table is."""
    for leaf, following in pairwise(leaves):
        if following.kind == "furniture" and leaf.kind != "furniture" and CONTENTS_TITLE.fullmatch(leaf.text):
            leaf.kind = "furniture"


def heading_levels(leaves: list[Leaf]) -> None:
    """Take the outline level from leaves whose heading style is used on text. A level of a list is headings or text as a whole:
    one clause in full under ``2.1`` makes all of ``2.x`` clauses."""
    groups: dict[tuple[str, int], list[Leaf]] = defaultdict(list)
    for leaf in leaves:
        if leaf.outline is None:
            continue
        if leaf.label is not None and leaf.label.text and not leaf.label.bullet:
            groups[leaf.label.list_id, leaf.label.level].append(leaf)
        elif sentence(leaf.text) or not leaf.text:
            leaf.outline = None
    for group in groups.values():
        if any(sentence(leaf.text) or not leaf.text for leaf in group):
            for leaf in group:
                leaf.outline = None


def usual_size(leaves: list[Leaf]) -> int:
    """The type size of most characters, in half points; 0 for a story without words."""
    sizes: Counter[int] = Counter()
    for leaf in leaves:
        for piece in leaf.pieces:
            sizes[piece.size] += len(piece.text)
    return sizes.most_common(1)[0][0] if sizes else 0


def heading_rungs(leaves: list[Leaf]) -> None:
    """The levels of headings: those that a style names keep their order, and those that only their type tells stand between
    them by its size. A paragraph in large type heads what follows although no style says so."""
    usual = usual_size(leaves)
    plain = [leaf for leaf in leaves if leaf.cells is None and leaf.kind == "paragraph" and leaf.outline is None and leaf.text]
    sizes = heading_sizes(((leaf.size, leaf.text) for leaf in plain), usual) if usual else set()
    named: dict[int, int] = {}
    for leaf in leaves:
        if leaf.outline is not None:
            named[leaf.outline] = max(named.get(leaf.outline, 0), leaf.size)
    rungs: list[tuple[float, int | None]] = []
    room = float("inf")
    for outline in sorted(named):
        # A deeper level in larger type is deeper all the same.
        room = min(room, named[outline])
        rungs.append((room, outline))
    alone = [(size, None) for size in sizes if not any(size == named[outline] for outline in named)]
    rungs = sorted([*rungs, *alone], key=lambda rung: -rung[0])
    for leaf in leaves:
        if leaf.outline is not None:
            leaf.rung = next(at for at, rung in enumerate(rungs, 1) if rung[1] == leaf.outline)
    for leaf in plain:
        if leaf.size in sizes and not leaf.label and may_head(leaf.text):
            leaf.rung = next(at for at, rung in enumerate(rungs, 1) if rung[0] <= leaf.size)


def inner_lists(leaves: list[Leaf]) -> dict[str, str]:
    """Lists that begin at 1 and end between two items of another, which then counts on: each with the other, in which it stands
    whatever its indentation."""
    places: dict[str, list[int]] = defaultdict(list)
    for at, leaf in enumerate(leaves):
        if leaf.numbered and leaf.label is not None and leaf.label.format != TYPED:
            places[leaf.label.list_id].append(at)
    lists = {at: list_id for list_id, found in places.items() for at in found}
    order = sorted(lists)
    before = dict(zip(order[1:], order, strict=False))
    next_of = {
        one: other
        for found in places.values()
        for one, other in pairwise(found)
        if _counts_on(leaves[one].label, leaves[other].label)
    }
    out: dict[str, str] = {}
    for list_id, found in places.items():
        first = leaves[found[0]].label
        outer = before.get(found[0])
        # A list that ended just before may stand in the same item.
        while outer is not None and outer not in next_of and lists[outer] in out:
            outer = before.get(places[lists[outer]][0])
        begins = first is not None and first.number.split(".")[-1] == "1"
        if begins and outer is not None and next_of.get(outer, -1) > found[-1]:
            out[list_id] = lists[outer]
    return out


def _counts_on(one: Rendered | None, other: Rendered | None) -> bool:
    """True when one item of a list is the next of its level after the other."""
    if one is None or other is None or one.level != other.level:
        return False
    last, value = one.number.split(".")[-1], other.number.split(".")[-1]
    return last.isdecimal() and value.isdecimal() and int(value) == int(last) + 1


class Depths:
    """Depths of list items, bullets and what stands between them, in document order. ``inner``: lists that stand in another."""

    def __init__(self, inner: Mapping[str, str] | None = None) -> None:
        self._open: list[_Open] = []
        self._inner = inner or {}

    def clear(self) -> None:
        """A heading or a section ends all lists."""
        self._open.clear()

    def item(self, leaf: Leaf, label: Rendered) -> int | None:
        """The depth of a numbered or bulleted paragraph; None when the indentation does not tell it from its neighbour."""
        if label.format == TYPED:
            return None
        stack = self._open
        same = next((entry for entry in stack if entry.list_id == label.list_id), None)
        if same is not None:
            depth = max(0, same.depth - same.level + label.level)
            while stack and stack[-1].depth >= depth:
                stack.pop()
            return self._push(leaf, label, depth)
        around = self._inner.get(label.list_id)
        if around is not None and any(entry.list_id == around for entry in stack):
            while stack[-1].list_id != around:
                stack.pop()
            return self._push(leaf, label, stack[-1].depth + 1 + label.level)
        if label.bullet:
            while stack and leaf.at < stack[-1].at - TOLERANCE:
                stack.pop()
            depth = (stack[-1].depth + 1 if stack else 0) + label.level
            return depth if stack and not self._is_bullet(stack[-1]) else self._push(leaf, label, depth)
        while stack and (leaf.at < stack[-1].at - TOLERANCE or self._is_bullet(stack[-1])):
            stack.pop()
        if stack and abs(leaf.at - stack[-1].at) <= TOLERANCE:
            if stack[-1].format != label.format:
                return None
            return self._push(leaf, label, stack.pop().depth)
        return self._push(leaf, label, (stack[-1].depth + 1 if stack else 0) + label.level)

    @staticmethod
    def _is_bullet(entry: _Open) -> bool:
        return entry.format == "bullet"

    def _push(self, leaf: Leaf, label: Rendered, depth: int) -> int:
        form = "bullet" if label.bullet else label.format
        self._open.append(_Open(label.list_id, label.level, depth, leaf.at, leaf.left, form))
        return depth

    def text(self, leaf: Leaf) -> int | None:
        """The depth of a plain paragraph: that of the deepest open item whose text begins no further in; None outside all
        lists, or when it opens with a number of its own."""
        if read_labels(leaf.text[:40]):
            return None
        return next((entry.depth for entry in reversed(self._open) if entry.left <= leaf.left + TOLERANCE), None)

    def inner(self) -> int | None:
        """The depth of the innermost open item, for notes and tables."""
        return self._open[-1].depth if self._open else None
