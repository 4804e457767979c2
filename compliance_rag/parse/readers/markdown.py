"""Markdown blocks by a line scanner of our own, because exact source offsets of every character are wanted.

Follows CommonMark for containers, headings, fences and lists, and GFM for tables. Three departures, all towards the
words: text indented by four columns is a paragraph (legal drafters indent without meaning code), a table row keeps its
spacing, and an item whose typed number goes up keeps it: where clause 3 is repealed, clause 4 is still cited as 4.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from compliance_rag.parse.blocks import Extracted
from compliance_rag.parse.readers.compose import Composer
from compliance_rag.parse.readers.decode import Source
from compliance_rag.parse.readers.limits import MAX_DEPTH
from compliance_rag.parse.readers.markdown_bold import mark_bold_headings
from compliance_rag.parse.readers.markdown_emit import Emitter, Leaf, inline_flags
from compliance_rag.parse.readers.markdown_inline import normalise_label
from compliance_rag.parse.readers.markdown_lists import LIST_TAG, HtmlLists
from compliance_rag.parse.readers.markdown_marks import (
    ATTRIBUTES,
    ATX,
    ATX_CLOSE,
    BULLET,
    FENCE,
    FOOTNOTE,
    ORDERED,
    REFERENCE,
    RULE_CHARS,
    TAB_STOP,
    front_matter,
    indent_of,
    is_rule,
    is_table_rule,
)  # fmt: skip
from compliance_rag.parse.readers.remarks import READ
from schemas.clause import Flag


@dataclass(slots=True)
class _List:
    """A list that is open: what its markers look like and how many items it has shown."""

    ordered: bool
    mark: str
    number: int


@dataclass(slots=True)
class _Container:
    """A list item (``column``: where its content begins) or a block quote (``column`` -1)."""

    column: int
    first_line: bool = True


@dataclass(slots=True)
class _State:
    stack: list[_Container] = field(default_factory=list)
    lists: list[_List | None] = field(default_factory=lambda: [None])
    leaf: Leaf | None = None
    fence: tuple[str, int, int, int] | None = None
    comment: bool = False
    label: tuple[str, int, bool, int] | None = None
    blank: bool = True
    last_item: bool = False


def read_markdown(source: Source, *, original: bool = False) -> Extracted:
    """Extracted text and blocks of a Markdown file. ``original``: show struck text (``<del>``, ``~~``) instead of inserted."""
    composer = Composer()
    text = source.text
    title, body = front_matter(text)
    refs = {normalise_label(match.group(1)) for match in REFERENCE.finditer(text, body)}
    emitter = Emitter(composer, refs, original)
    scanner = _Scanner(emitter)
    at = body
    lines = text[body:].split("\n")
    for index, line in enumerate(lines):
        scanner.line(line, at, lines[index + 1] if index + 1 < len(lines) else "")
        at += len(line) + 1
    scanner.close_leaf()
    composer.flags += inline_flags(emitter)
    if body:
        composer.flags.append(Flag("front_matter", "The YAML front matter is metadata and is in no clause."))
    extracted = composer.finish("markdown", source, title)
    mark_bold_headings(extracted)
    return extracted


class _Scanner:
    def __init__(self, emitter: Emitter) -> None:
        self.emitter = emitter
        self.state = _State()
        self.html = HtmlLists()

    def line(self, line: str, at: int, following: str) -> None:
        """Take one source line that begins at offset ``at``."""
        state = self.state
        if state.comment:
            end = line.find("-->")
            self._more_comment(line[: end if end >= 0 else None])
            if end < 0:
                return
            state.comment = False
            at, line = at + end + 3, line[end + 3 :]
            if not line.strip():
                return
        pos, column, depth = self._match(line)
        blank = not line[pos:].strip()
        if state.fence and self._fenced(line, at, pos, column, depth, blank):
            return
        if blank:
            self._blank(depth)
            return
        lazy = depth < len(state.stack)
        if lazy and self._is_open_paragraph() and not self._opens_block(line[pos:], column, depth):
            self._continue(line, at, pos, column)
            state.blank = False
            return
        if lazy:
            self._unwind(depth)
        self._open(line, at, pos, column, following)
        state.blank = False

    def _match(self, line: str) -> tuple[int, int, int]:
        """Walk the open containers; gives position and column after the indent, and how many containers the line is in."""
        pos, column = indent_of(line, 0, 0)
        if pos == len(line):
            quotes = [index for index, container in enumerate(self.state.stack) if container.column < 0]
            return pos, column, (quotes[0] if quotes else len(self.state.stack))
        depth = 0
        for container in self.state.stack:
            if container.column < 0:
                if pos < len(line) and line[pos] == ">":
                    pos, column = indent_of(line, pos + 1, column + 1)
                else:
                    break
            elif column < container.column and pos < len(line):
                break
            depth += 1
        return pos, column, depth

    def _is_open_paragraph(self) -> bool:
        leaf = self.state.leaf
        return leaf is not None and leaf.kind in ("paragraph", "item", "footnote") and not leaf.literal and bool(leaf.lines)

    def _blank(self, depth: int) -> None:
        state = self.state
        if state.label and state.blank:
            self.close_leaf()
        self.close_leaf(keep_label=True)
        if depth < len(state.stack):
            self._unwind(depth)
        state.blank = True

    def _unwind(self, depth: int) -> None:
        self.close_leaf()
        del self.state.stack[depth:]
        del self.state.lists[depth + 1 :]

    def close_leaf(self, *, keep_label: bool = False) -> None:
        """Emit the leaf in the making, and a list label that never got text."""
        state = self.state
        if state.leaf is not None:
            self.emitter.emit(state.leaf)
            state.leaf = None
        if state.label is not None and not keep_label:
            leaf = self._leaf("item", [])
            self.emitter.emit(leaf)

    def _leaf(self, kind: str, lines: list[tuple[int, str, int]], **fields: object) -> Leaf:
        """A leaf at the present place; takes the label of an item just opened."""
        state = self.state
        items = sum(container.column >= 0 for container in state.stack)
        items += len(self.html)
        leaf = Leaf("paragraph", lines, level=items - 1 if items else None, indent=lines[0][2] if lines else 0)
        leaf.tight = not state.blank
        if state.label is not None:
            text, source, printed, indent = state.label
            leaf.label, leaf.label_printed, leaf.indent = (text, source), printed, indent
            state.label = None
            kind = "item" if kind == "paragraph" else kind
        leaf.kind = kind  # type: ignore[assignment]
        for name, value in fields.items():
            setattr(leaf, name, value)
        return leaf

    def _continue(self, line: str, at: int, pos: int, column: int) -> None:
        assert self.state.leaf is not None
        self.state.leaf.lines.append((at + pos, line[pos:], column))

    def _fenced(self, line: str, at: int, pos: int, column: int, depth: int, blank: bool) -> bool:
        """Take a line of a fenced code block; False when the block's container has ended."""
        state = self.state
        assert state.fence is not None
        assert state.leaf is not None
        mark, size, indent, inside = state.fence
        if depth < inside and not blank:
            state.fence = None
            self.close_leaf()
            return False
        rest = line[pos:].strip()
        if not blank and rest.startswith(mark * size) and not rest.strip(mark) and column < indent + TAB_STOP:
            state.fence = None
            self.close_leaf()
            return True
        start = pos
        while start > 0 and line[start - 1] in " \t" and column > indent:
            start -= 1
            column -= 1
        state.leaf.lines.append((at + start, line[start:], column))
        return True

    def _opens_block(self, rest: str, column: int, depth: int) -> bool:
        """True when ``rest`` opens a block that ends a paragraph it does not belong to."""
        base = next((c.column for c in reversed(self.state.stack[:depth]) if c.column >= 0), 0)
        if column - base >= TAB_STOP:
            return False
        first = rest[0]
        if first == "#":
            return ATX.match(rest) is not None
        if first in "`~":
            return FENCE.match(rest) is not None
        if first == ">" or is_rule(rest):
            return True
        if first in "*+-":
            return BULLET.match(rest) is not None
        return ORDERED.match(rest) is not None

    def _open(self, line: str, at: int, pos: int, column: int, following: str) -> None:
        """Open the containers the line starts, then its leaf."""
        state = self.state
        while pos < len(line):
            base = next((c.column for c in reversed(state.stack) if c.column >= 0), 0)
            if column - base >= TAB_STOP or len(state.stack) >= MAX_DEPTH:
                break
            if line[pos] == ">":
                self.close_leaf()
                state.lists[len(state.stack)] = None
                state.stack.append(_Container(-1))
                state.lists.append(None)
                pos, column = indent_of(line, pos + 1, column + 1)
                continue
            step = self._item(line, at, pos, column)
            if step is None:
                break
            pos, column = step
        if pos < len(line):
            self._content(line, at, pos, column, following)

    def _item(self, line: str, at: int, pos: int, column: int) -> tuple[int, int] | None:
        """Open a list item at ``pos``; None when none opens there."""
        state = self.state
        rest = line[pos:]
        if rest[0] not in "*+-0123456789" or (rest[0] in RULE_CHARS and is_rule(rest)):
            return None
        match = ORDERED.match(rest) or BULLET.match(rest)
        if match is None:
            return None
        ordered = match.re is ORDERED
        empty = not rest[match.end() :].strip()
        if self._is_open_paragraph() and (empty or (ordered and int(match.group(1)) != 1)):
            return None
        self.close_leaf()
        depth = len(state.stack)
        mark = match.group(2) if ordered else match.group(1)
        current = state.lists[depth]
        typed = int(match.group(1)) if ordered else 0
        if current is None or current.ordered != ordered or current.mark != mark:
            current = _List(ordered, mark, typed)
            state.lists[depth] = current
        else:
            current.number = max(current.number + 1, typed)
        label = f"{current.number}{mark} " if ordered else "- "
        state.label = (label, at + pos, ordered, column)
        after = column + match.end()
        end, content = indent_of(line, pos + match.end(), after)
        if content - after > TAB_STOP or end == len(line):
            end, content = (end, after + 1) if end == len(line) else (pos + match.end() + 1, after + 1)
        state.stack.append(_Container(content))
        state.lists.append(None)
        return end, content

    def _content(self, line: str, at: int, pos: int, column: int, following: str) -> None:
        """The leaf that stands at ``pos``."""
        state = self.state
        rest = line[pos:]
        here = [(at + pos, rest, column)]
        base = next((c.column for c in reversed(state.stack) if c.column >= 0), 0)
        first = rest[0]
        deep = column - base >= TAB_STOP
        if (first == "<" or self.html) and self._html_list(line, at, pos, column):
            return
        if self._is_open_paragraph() and not deep:
            assert state.leaf is not None
            if first in "=-" and not rest.strip().strip(first) and state.leaf.kind == "paragraph":
                state.leaf.kind = "heading"
                state.leaf.level = 1 if first == "=" else 2
                self.close_leaf()
                return
        if not deep and self._heading(rest, at, pos, column):
            return
        if not deep and is_rule(rest):
            self.close_leaf()
            state.lists[len(state.stack)] = None
            return
        fence = FENCE.match(rest) if first in "`~" else None
        if fence and not deep:
            self.close_leaf(keep_label=True)
            state.fence = (first, len(fence.group()), column, len(state.stack))
            state.leaf = self._leaf("code", [], literal=True)
            state.leaf.kind = "code"
            return
        if first == "<" and rest.startswith("<!--"):
            self._comment(line, at, pos, column, following)
            return
        if state.leaf is not None and state.leaf.kind == "table":
            if len(state.leaf.lines) > 1 or state.leaf.head_only is False or not is_table_rule(rest):
                state.leaf.lines.extend(here)
            state.leaf.head_only = False
            return
        if "|" in rest and is_table_rule(following) and not is_table_rule(rest):
            self.close_leaf(keep_label=True)
            state.leaf = self._leaf("table", here)
            return
        self._paragraph(rest, here)

    def _html_list(self, line: str, at: int, pos: int, column: int) -> bool:
        """Take a line with tags of an HTML list: what stands between them, each item with its label; False without any."""
        state = self.state
        tag = LIST_TAG.search(line, pos)
        if tag is None or not (self.html or (tag.start() == pos and tag["name"].lower() != "li")):
            return False
        while tag is not None:
            if line[pos : tag.start()].strip():
                self._content(line[: tag.start()], at, pos, column, "")
            self.close_leaf()
            item = self.html.take(tag)
            if item is not None:
                state.label = (item[0], at + tag.start(), item[1], column)
            pos, _ = indent_of(line, tag.end(), column)
            tag = LIST_TAG.search(line, pos)
        if pos < len(line):
            self._content(line, at, pos, column, "")
        return True

    def _paragraph(self, rest: str, here: list[tuple[int, str, int]]) -> None:
        state = self.state
        if self._is_open_paragraph():
            assert state.leaf is not None
            state.leaf.lines.extend(here)
            return
        if rest[0] == "[" and REFERENCE.match(rest):
            self.close_leaf(keep_label=True)
            return
        footnote = rest[0] == "[" and FOOTNOTE.match(rest) is not None
        self.close_leaf(keep_label=True)
        if not state.stack or state.label is None:
            state.lists[len(state.stack)] = None
        state.leaf = self._leaf("footnote" if footnote else "paragraph", here)

    def _heading(self, rest: str, at: int, pos: int, column: int) -> bool:
        match = ATX.match(rest) if rest[0] == "#" else None
        if match is None:
            return False
        self.close_leaf(keep_label=True)
        self.html.clear()
        title = ATTRIBUTES.sub("", rest[match.end() :].rstrip())
        title = ATX_CLOSE.sub("", title).rstrip()
        self.state.lists[len(self.state.stack)] = None
        here = [(at + pos + match.end(), title, column)]
        self.state.leaf = self._leaf("heading", here, level=len(match.group(1)))
        self.close_leaf()
        return True

    def _more_comment(self, line: str) -> None:
        comments = self.emitter.comments
        if len(comments[-1]) < READ:
            comments[-1] += " " + line[:READ]

    def _comment(self, line: str, at: int, pos: int, column: int, following: str) -> None:
        """Skip a comment that opens the line; what stands after it on the line is read."""
        state = self.state
        end = line.find("-->", pos + 4)
        self.emitter.comments.append(line[pos + 4 : end if end >= 0 else None])
        if end < 0:
            state.comment = True
            return
        rest, _ = indent_of(line, end + 3, column)
        if rest < len(line):
            self._content(line, at, rest, column, following)
