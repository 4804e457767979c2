"""Leaves of a Word file to extracted text and blocks."""

from __future__ import annotations

from dataclasses import dataclass, field

from compliance_rag.parse.blocks import Block, BlockKind
from compliance_rag.parse.labels import Label, read_labels
from compliance_rag.parse.readers.docx_levels import Depths, inner_lists, usual_size
from compliance_rag.parse.readers.docx_numbering import TYPED, Rendered
from compliance_rag.parse.readers.docx_rows import Leaf
from compliance_rag.parse.readers.docx_runs import Piece
from compliance_rag.parse.readers.flow import MAX_LABEL

# Twentieths of a point in a column of text set in ten or twelve points.
TWIPS_A_COLUMN = 120
# Type a quarter larger than the usual sets a line off as bold type does.
LARGE_PERCENT = 125
BULLET = "- "
STRUCK = "struck_text"


@dataclass(slots=True)
class Emitter:
    """Writes leaves one after the other. ``inserted`` counts the visible characters that stand for markup: computed labels,
    bullets, bars of tables, marks of notes; ``marked``: stretches with the codes of their flags."""

    parts: list[str] = field(default_factory=list)
    length: int = 0
    inserted: int = 0
    blocks: list[Block] = field(default_factory=list)
    marked: list[tuple[tuple[int, int], str]] = field(default_factory=list)
    _depths: Depths = field(default_factory=Depths)
    _table: int = 0
    _large: int = 0

    def write(self, leaves: list[Leaf]) -> None:
        """Write the leaves of a story."""
        self._large = usual_size(leaves) * LARGE_PERCENT // 100
        self._depths = Depths(inner_lists(leaves))
        lists = {leaf.label.list_id for leaf in leaves if leaf.numbered and leaf.label is not None}
        for leaf in leaves:
            if leaf.cells is not None:
                first = next((cell[0] for cell in leaf.cells if cell), None)
                # A row counted on in the list of the clauses around the table is one of them.
                counted = first is not None and first.numbered and first.label is not None and first.label.list_id in lists
                self._row(leaf, leaf.cells, clause=first if counted else None)
            elif leaf.kind in ("furniture", "footnote"):
                self._block(leaf, leaf.kind, leaf.label).level = self._depths.inner()
            else:
                self._paragraph(leaf)
            if leaf.section:
                self._depths.clear()

    def furniture(self, leaves: list[Leaf]) -> None:
        """Write a header or a footer."""
        for leaf in leaves:
            if leaf.cells is not None:
                self._row(leaf, leaf.cells, "furniture")
            else:
                self._block(leaf, "furniture", leaf.label)
        self._table = 0

    def _put(self, text: str, *, inserted: bool = False) -> None:
        if text:
            self.parts.append(text)
            self.length += len(text)
            self.inserted += len("".join(text.split())) if inserted else 0

    def _piece(self, piece: Piece, text: str) -> None:
        start = self.length
        self._put(text, inserted=piece.inserted)
        if piece.struck and not text.isspace():
            self.marked.append(((start, self.length), STRUCK))

    def _mark(self, leaf: Leaf, start: int) -> None:
        if start < self.length:
            self.marked += [((start, self.length), code) for code in sorted(leaf.codes)]

    def _paragraph(self, leaf: Leaf) -> None:
        label = leaf.label if leaf.label is not None and leaf.label.text else None
        if leaf.rung is not None and (label is None or not label.bullet):
            self._depths.clear()
            block = self._block(leaf, "heading", label)
            block.level = leaf.rung
            return
        depth = self._depths.item(leaf, label) if label is not None else self._depths.text(leaf)
        typed = _numbered(leaf.text) if label is not None and label.bullet else None
        if label is not None and typed is not None:
            self._put("\n" if self.length else "")
            self._label(label)
            self.blocks.append(Block("furniture", (self.length - len(BULLET), self.length)))
            block = self._block(leaf, "item", None, gap="")
            block.level, block.number = depth, ".".join(str(token.value) for token in typed.tokens)
            start = block.span[0] + len(_all(leaf)) - len(_all(leaf).lstrip())
            block.label_span = (start, start + typed.end)
            return
        block = self._block(leaf, "item" if label is not None else "paragraph", label)
        block.level = depth

    def _block(self, leaf: Leaf, kind: BlockKind, label: Rendered | None, gap: str | None = None) -> Block:
        if self.length:
            self._put(("\n" if kind == "item" else "\n\n") if gap is None else gap)
        start = self.length
        label_span = self._label(label) if label is not None and label.text else None
        written = self._pieces(leaf.pieces)
        self._mark(leaf, start)
        block = Block(kind, (start, self.length), bold=written.bold, lead_span=written.lead, label_span=label_span)
        block.table = leaf.within
        block.indent = max(0, leaf.at) // TWIPS_A_COLUMN
        if label is not None and label_span is not None and label.number:
            block.number = label.number
        self.blocks.append(block)
        self._table = 0
        return block

    def _label(self, label: Rendered) -> tuple[int, int] | None:
        start = self.length
        if label.bullet:
            self._put(BULLET, inserted=True)
            return None
        self._put(label.text, inserted=label.format != TYPED)
        end = self.length
        self._put(label.suffix)
        return start, end

    def _pieces(self, pieces: list[Piece]) -> _Written:
        """Write pieces; find the bold or underlined words that open the paragraph."""
        first = last = -1
        lead_open = all_bold = all_lead = all_large = True
        for piece in pieces:
            at = self.length
            self._piece(piece, piece.text)
            words = piece.text.strip()
            if not words:
                continue
            all_bold, all_lead = all_bold and piece.bold, all_lead and piece.lead
            all_large = all_large and 0 < self._large <= piece.size
            if piece.lead and lead_open:
                first = at if first < 0 else first
                last = self.length
            elif not piece.lead:
                lead_open = lead_open and first < 0 and len(words) <= MAX_LABEL
        return _Written((all_bold and first >= 0) or all_large, None if all_lead or first < 0 else (first, last))

    def _row(self, leaf: Leaf, cells: list[list[Leaf]], kind: BlockKind = "table", clause: Leaf | None = None) -> None:
        """A row is one line ``| a | b |``; rows of one table are one block. ``clause``: the paragraph in it whose number makes
        the row a clause; the number then stands before the row."""
        goes_on = leaf.table == self._table and bool(self.blocks) and clause is None
        if self.length:
            self._put("\n" if goes_on or clause is not None else "\n\n")
        start = self.length
        label, label_span = clause.label if clause is not None else None, None
        if clause is not None and label is not None:
            clause.label, label_span = None, self._label(label)
        for index, cell in enumerate(cells):
            self._put(" | " if index else "| ", inserted=True)
            self._cell(cell)
        self._put(" |", inserted=True)
        self._mark(leaf, start)
        if goes_on:
            self.blocks[-1].span = (self.blocks[-1].span[0], self.length)
        elif clause is not None and label is not None:
            block = Block("item", (start, self.length), level=self._depths.item(clause, label), label_span=label_span)
            block.number = label.number or None
            self.blocks.append(block)
        else:
            self.blocks.append(Block(kind, (start, self.length), level=self._depths.inner() if kind == "table" else None))
        self._table = leaf.table if clause is None else 0

    def _cell(self, cell: list[Leaf]) -> None:
        for index, leaf in enumerate(cell):
            if index:
                self._put(" ")
            start = self.length
            if leaf.label is not None and leaf.label.text:
                self._label(leaf.label)
            for piece in leaf.pieces:
                self._piece(piece, piece.text.replace("\n", " ").replace("\t", " "))
            self._mark(leaf, start)


def _all(leaf: Leaf) -> str:
    return "".join(piece.text for piece in leaf.pieces)


def _numbered(text: str) -> Label | None:
    """The number of several steps with which the words of a bulleted paragraph open: it is cited by that, not by its bullet."""
    return next((label for label in read_labels(text) if label.absolute), None)


@dataclass(slots=True)
class _Written:
    bold: bool
    lead: tuple[int, int] | None
