"""HTML: what a browser shows, in order, with list counters rendered and hidden text set aside."""

from __future__ import annotations

from dataclasses import dataclass, field

from compliance_rag.parse.blocks import Block, BlockKind, Extracted
from compliance_rag.parse.readers import html_style
from compliance_rag.parse.readers.compose import Composer
from compliance_rag.parse.readers.counters import counter, ordinal
from compliance_rag.parse.readers.decode import Source
from compliance_rag.parse.readers.flow import Flow, Piece, emit, write
from compliance_rag.parse.readers.html_tokens import Comment, Tag, Text, tokens, unescaped
from compliance_rag.parse.readers.limits import MAX_DEPTH
from compliance_rag.parse.readers.lines import LABEL_START
from compliance_rag.parse.readers.raised import raised
from compliance_rag.parse.readers.remarks import comment_flags, said
from schemas.clause import Flag
from schemas.errors import InputRejected

_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLOCK_NAMES = """
address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure footer form
header hgroup hr html legend li main menu nav ol option p pre search section select summary table tbody td tfoot th thead tr ul
"""
_BLOCK = frozenset(_BLOCK_NAMES.split()) | frozenset(_HEADINGS)
_VOID_NAMES = "area base br col embed hr img input link meta param source track wbr"
_VOID = frozenset(_VOID_NAMES.split())
_UNSEEN = frozenset(
    ("script", "style", "template", "noscript", "title", "textarea", "iframe", "object", "svg", "head", "noembed", "noframes")
)
# Of the page itself, outside what it holds, these are its running header and footer.
_EDGES = frozenset(("header", "footer"))
_HOLDS = ("main", "article", "section", "blockquote", "td", "li")
_STRONG = frozenset(("b", "strong", "th")) | frozenset(_HEADINGS)
_DELETED = frozenset(("del", "s", "strike"))
_LISTS = frozenset(("ol", "ul", "menu", "dir"))
# A start tag on the left ends the open elements on its right, up to the nearest of the stops.
_CLOSES: dict[str, tuple[frozenset[str], frozenset[str]]] = {
    "li": (frozenset(("li",)), _LISTS),
    "dt": (frozenset(("dt", "dd")), frozenset(("dl",))),
    "dd": (frozenset(("dt", "dd")), frozenset(("dl",))),
    "tr": (frozenset(("tr", "td", "th")), frozenset(("table",))),
    "td": (frozenset(("td", "th")), frozenset(("table", "tr"))),
    "th": (frozenset(("td", "th")), frozenset(("table", "tr"))),
    "tbody": (frozenset(("tr", "td", "th", "thead", "tbody")), frozenset(("table",))),
    "option": (frozenset(("option",)), frozenset(("select",))),
}


@dataclass(slots=True)
class _Leaf:
    """A block waiting to be written: the cells of a row are collected before it is known how to write them."""

    flow: Flow
    kind: BlockKind
    level: int | None = None
    indent: int = 0
    source_id: str | None = None
    label: Piece | None = None
    cells: list[Flow] | None = None
    table: int = 0


@dataclass(slots=True)
class _Row:
    """A table row in the making: for each cell, the blocks in it."""

    cells: list[list[_Leaf]] = field(default_factory=list)


@dataclass(slots=True)
class _Element:
    name: str
    unseen: str = ""
    bold: bool = False
    dark: bool = False
    number: int = 0
    step: int = 1
    style: str | None = None
    row: _Row | None = None
    source_id: str | None = None
    start: int = 0


def read_html(source: Source, name: str, *, original: bool = False) -> Extracted:
    """Extracted text of a page. ``original``: show ``<del>`` and leave ``<ins>`` out. Raises InputRejected ``empty_file``."""
    composer = Composer()
    reader = _Reader(composer, original)
    for token in tokens(source.text):
        if isinstance(token, Tag):
            reader.tag(token)
        elif isinstance(token, Comment):
            reader.comments.append(token.text)
        else:
            reader.text(token)
    reader.finish()
    if not composer.length:
        raise InputRejected("empty_file", f"{name}: the page shows no text; give the file that holds the text.", name)
    return composer.finish("html", source, reader.title)


class _Reader:
    def __init__(self, out: Composer, original: bool) -> None:
        self.out = out
        self.original = original
        self.stack: list[_Element] = []
        self.counts: dict[str, int] = {}
        self.flow = Flow()
        self.label: Piece | None = None
        self.anchor: str | None = None
        self.title: str | None = None
        self.selectors: set[str] = set()
        self.unseen = self.deep = self.tables = 0
        self.hidden: list[str] = []
        self.comments: list[str] = []
        self.tracked = 0
        self.last_table = 0

    def finish(self) -> None:
        """Close what is open and turn what was left out into flags."""
        while self.stack:
            self._pop()
        self._flush()
        flags = self.out.flags
        flags += [Flag("hidden_text", f"Hidden text is in no clause: {text!r}.") for text in self.hidden]
        flags += comment_flags(self.comments)
        if self.tracked:
            view = "original" if self.original else "final"
            flags.append(Flag("tracked_changes", f"{self.tracked} marked changes; the {view} wording, once chosen, answers."))
        if self.deep:
            flags.append(
                Flag("deep_nesting", f"{self.deep} elements nested deeper than {8 * MAX_DEPTH} were read as plain text.")
            )

    def text(self, token: Text) -> None:
        """Take the characters between two tags."""
        top = self.stack[-1] if self.stack else None
        if token.raw:
            if top and top.name == "title" and self.title is None:
                self.title = " ".join("".join(text for text, _, _ in unescaped(token.text)).split()) or None
            elif top and top.name == "style":
                self.selectors |= html_style.hidden_selectors(token.text)
            return
        if self.unseen:
            self._note_unseen(token)
            return
        bold, high = top is not None and top.bold, bool(self.counts.get("sup"))
        for text, at, inserted in unescaped(token.text) if "&" in token.text else ((token.text, 0, False),):
            (self.flow.put if inserted else self.flow.add)(raised(text) if high else text, token.start + at, bold)

    def _note_unseen(self, token: Text) -> None:
        """Hidden words are reported; scripts, struck words and the like are not words of the document."""
        kind = next((element.unseen for element in self.stack if element.unseen), "")
        words = " ".join(token.text.split())
        if kind == "hidden" and words:
            self.hidden.append(words[:80])

    def tag(self, tag: Tag) -> None:
        """Take a start or an end tag."""
        if tag.closing:
            self._close(tag.name)
        elif tag.name in _VOID:
            self._void(tag)
        else:
            self._open(tag)

    def _void(self, tag: Tag) -> None:
        if self.unseen:
            return
        if tag.name == "br":
            self.flow.put("\n", tag.start)
        elif tag.name == "hr":
            self._flush()
        elif tag.name == "img":
            text = tag.attributes.get("alt") or tag.attributes.get("src", "")[:80]
            self.out.flags.append(Flag("figure", f"A figure is not read; its description: {text!r}."))

    def _open(self, tag: Tag) -> None:
        name = tag.name
        if name in _CLOSES:
            self._imply(*_CLOSES[name])
        elif name in _BLOCK and self.counts.get("p"):
            self._imply(frozenset(("p",)), frozenset(("td", "th", "li", "div", "table", "button")))
        if name in _BLOCK:
            self._flush()
        if len(self.stack) >= 8 * MAX_DEPTH:
            self.deep += 1
            return
        spoken = said(tag.attributes.get("aria-label", ""))
        if spoken:
            self.hidden.append(spoken)
        around = self.stack[-1] if self.stack else None
        element = _Element(name, start=tag.start, source_id=tag.attributes.get("id"))
        element.dark = (around.dark if around else False) or html_style.paints(tag.attributes)
        element.bold = (around.bold if around else False) or name in _STRONG or html_style.bold(tag.attributes)
        element.unseen = self._unseen(tag, element.dark)
        if name == "a" and not self.unseen:
            self.anchor = self.anchor or tag.attributes.get("name") or tag.attributes.get("id")
        self.stack.append(element)
        self.counts[name] = self.counts.get(name, 0) + 1
        self.unseen += bool(element.unseen)
        if self.unseen:
            return
        if name in _LISTS:
            self._list(element, tag)
        elif name == "li":
            self._item(tag)
        elif name == "tr":
            element.row = _Row()
        elif name in ("td", "th"):
            self._cell()
        elif name == "table":
            self.tables += 1
        elif name == "pre":
            self.flow.pre = True

    def _unseen(self, tag: Tag, dark: bool) -> str:
        if tag.name in _UNSEEN:
            return "machine"
        if tag.name in _DELETED or tag.name == "ins":
            self.tracked += not self.unseen
            return "tracked" if (tag.name == "ins") == self.original else ""
        return "hidden" if html_style.hides(tag.attributes, self.selectors, dark=dark) else ""

    def _list(self, element: _Element, tag: Tag) -> None:
        style = html_style.list_style(tag.attributes) or tag.attributes.get("type")
        if tag.name == "ol":
            element.style = style or "1"
            element.step = -1 if "reversed" in tag.attributes else 1
            element.number = ordinal(tag.attributes.get("start"), 1) - element.step
        else:
            element.style = "none" if style == "none" else "-"

    def _item(self, tag: Tag) -> None:
        owner = next((element for element in reversed(self.stack) if element.name in _LISTS), None)
        if owner is None or owner.style is None:
            self.label = Piece("- ", tag.start, inserted=True)
            return
        style = html_style.list_style(tag.attributes) or tag.attributes.get("type") or owner.style
        owner.number = ordinal(tag.attributes.get("value"), owner.number + owner.step)
        if style == "none" or owner.style == "none":
            self.label = None
        elif owner.style == "-":
            self.label = Piece("- ", tag.start, inserted=True)
        else:
            self.label = Piece(counter(owner.number, style), tag.start, inserted=True)

    def _cell(self) -> None:
        row = self._row()
        if row is not None:
            row.cells.append([])

    def _row(self) -> _Row | None:
        """The row whose cell is being read: the innermost that is open in this table."""
        for element in reversed(self.stack):
            if element.row is not None:
                return element.row
        return None

    def _imply(self, closed: frozenset[str], stops: frozenset[str]) -> None:
        """End the elements that a start tag ends by implication."""
        if not any(self.counts.get(name) for name in closed):
            return
        for index in range(len(self.stack) - 1, max(-1, len(self.stack) - 1 - 8 * MAX_DEPTH), -1):
            name = self.stack[index].name
            if name in stops:
                return
            if name in closed:
                while len(self.stack) > index:
                    self._pop()
                if closed & {element.name for element in self.stack[-3:]}:
                    self._imply(closed, stops)
                return

    def _close(self, name: str) -> None:
        if name == "p" and not self.counts.get("p"):
            self._flush()
            return
        if name == "br":
            self.flow.put("\n", self.flow.pieces[-1].source if self.flow.pieces else 0)
        if not self.counts.get(name):
            return
        while self.stack[-1].name != name:
            if self.stack[-1].name in ("td", "table") and name not in _BLOCK:
                return
            self._pop()
        self._pop()

    def _pop(self) -> None:
        element = self.stack[-1]
        if element.name in _BLOCK and not self.unseen:
            self._flush()
        self.stack.pop()
        self.counts[element.name] -= 1
        self.unseen -= bool(element.unseen)
        if element.row is not None:
            self._end_row(element.row)

    def _flush(self) -> None:
        """End the block in the making."""
        if self.unseen:
            return
        flow, self.flow = self.flow, Flow(pre=any(element.name == "pre" for element in self.stack[-4:]))
        label = self.label
        if not flow.visible:
            return
        self.label = None
        leaf = self._leaf(flow, label)
        row = self._row()
        if row is not None and row.cells:
            row.cells[-1].append(leaf)
        else:
            self._write(leaf)

    def _leaf(self, flow: Flow, label: Piece | None) -> _Leaf:
        kind: BlockKind = "paragraph"
        level = None
        lists = -1
        source_id = self.anchor
        self.anchor = None
        for element in self.stack:
            lists += element.name in _LISTS
            if element.name in _HEADINGS:
                kind, level = "heading", _HEADINGS[element.name]
            elif element.name == "nav" or (element.name in _EDGES and not any(map(self.counts.get, _HOLDS))):
                kind = "furniture"
            elif element.name == "pre" and kind == "paragraph":
                kind = "code"
        for element in reversed(self.stack):
            if source_id is None and element.source_id and element.name not in ("body", "html", "main", "table", "div"):
                source_id, element.source_id = element.source_id, None
            if element.name in _BLOCK:
                break
        if kind == "paragraph" and label is not None:
            kind = "item"
        if level is None and lists >= 0:
            level = lists
        return _Leaf(flow, kind, level, 2 * (lists + 1), source_id, label)

    def _end_row(self, row: _Row) -> None:
        """A row of cells with at most one block each is a table row, unless it lays out a number beside its words; a row whose
        cells hold more is a page laid out in a table, read block by block."""
        outer = self._row()
        full = [cell for cell in row.cells if cell]
        if not full:
            return
        leaves = [leaf for cell in full for leaf in cell]
        single = all(len(cell) == 1 and cell[0].cells is None and cell[0].kind != "heading" for cell in full)
        if len(full) == 2 and single and _is_label(full[0][0].flow.text):
            first, second = full[0][0], full[1][0]
            second.label = Piece(first.flow.text + " ", first.flow.pieces[0].source, inserted=True)
            second.kind, second.source_id = "item", second.source_id or first.source_id
            leaves = [second]
        elif single and len(full) > 1:
            cells = [cell[0].flow if cell else Flow() for cell in row.cells]
            for cell in full:
                if cell[0].label is not None:
                    cell[0].flow.pieces.insert(0, cell[0].label)
            leaves = [_Leaf(Flow(), "table", cells=cells, table=self.tables)]
        if outer is not None and outer.cells:
            outer.cells[-1] += leaves
        else:
            for leaf in leaves:
                self._write(leaf)

    def _write(self, leaf: _Leaf) -> None:
        if leaf.cells is not None:
            self._write_row(leaf, leaf.cells)
            return
        self.last_table = 0
        block = emit(self.out, leaf.flow, leaf.kind, gap="\n" if leaf.kind == "item" else "\n\n", label=leaf.label)
        if block is None:
            return
        if leaf.label is not None and leaf.label.text == "- ":
            block.label_span = None
        block.level, block.indent, block.source_id = leaf.level, leaf.indent, leaf.source_id

    def _write_row(self, leaf: _Leaf, cells: list[Flow]) -> None:
        """A row is one line ``| a | b |``; rows of one table are one block."""
        out = self.out
        goes_on = leaf.table == self.last_table and bool(out.blocks)
        out.gap("\n" if goes_on else "\n\n")
        start = out.length
        for cell in cells:
            out.mark("| " if out.length == start else " | ")
            write(out, cell, line=True)
        out.mark(" |")
        if goes_on:
            out.blocks[-1].span = (out.blocks[-1].span[0], out.length)
        else:
            out.blocks.append(Block("table", (start, out.length)))
        self.last_table = leaf.table


def _is_label(text: str) -> bool:
    match = LABEL_START.match(text + " x")
    return match is not None and match.end() >= len(text.rstrip("."))
