"""Leaves of a Word file, and rows of its tables as leaves: rows of values, numbered words, clauses laid out in cells."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from compliance_rag.parse.blocks import BlockKind
from compliance_rag.parse.readers.docx_numbering import TYPED, Rendered
from compliance_rag.parse.readers.docx_runs import Piece
from compliance_rag.parse.readers.lines import LABEL_START
from compliance_rag.parse.readers.pdf_types import wide

# A cell longer than this that opens with a number is a clause set in a table, not a value.
MAX_VALUE = 80
_STOPS = tuple(".;:。；：")


@dataclass(slots=True)
class Leaf:
    """A block waiting to be written. ``outline``: heading level from 0 (the title is -1), None for body text;
    ``rung``: the same as a level from 1, among the headings that only their type tells; ``left``: where its lines begin,
    ``at``: where its label stands, in twentieths of a point; ``cells``: the cells of a table row, each a list of leaves;
    ``table`` numbers the table of a row, ``within`` the one
    in whose cells it stands; ``section``: a section ends with it; ``codes``: flags that belong to it;
    ``again``: it says once more what a merged cell says in the row above."""

    kind: BlockKind
    pieces: list[Piece] = field(default_factory=list)
    label: Rendered | None = None
    outline: int | None = None
    rung: int | None = None
    left: int = 0
    at: int = 0
    cells: list[list[Leaf]] | None = None
    table: int = 0
    within: int = 0
    section: bool = False
    codes: set[str] = field(default_factory=set)
    again: bool = False

    @property
    def text(self) -> str:
        """Its words, ends trimmed."""
        return "".join(piece.text for piece in self.pieces).strip()

    @property
    def size(self) -> int:
        """Its smallest type in half points; 0 where it says none or shows no words."""
        return min((piece.size for piece in self.pieces if not piece.text.isspace()), default=0)

    @property
    def numbered(self) -> bool:
        """True when it has a computed number."""
        return self.label is not None and bool(self.label.text) and not self.label.bullet


def again(cell: list[Leaf]) -> list[Leaf]:
    """What a merged cell says, for the next of its rows: words that stand for markup. A number or a clause holds once."""
    if not _is_value(cell) or _is_label(cell[0]):
        return []
    return [Leaf(leaf.kind, [replace(piece, inserted=True) for piece in leaf.pieces], again=True) for leaf in cell]


def _is_value(cell: list[Leaf]) -> bool:
    """True for a few words without numbers and tables."""
    plain = all(leaf.cells is None and (leaf.label is None or not leaf.label.text) for leaf in cell)
    return bool(cell) and plain and sum(len(leaf.text) for leaf in cell) <= MAX_VALUE


def _inline(cell: list[Leaf]) -> list[Leaf]:
    """A cell with the tables of values in it as its words, their cells parted by strokes."""
    out: list[Leaf] = []
    for leaf in cell:
        if leaf.cells is None:
            out.append(leaf)
            continue
        for at, inner in enumerate(part for part in leaf.cells if part):
            inner[0].pieces[:0] = [Piece("/ ", inserted=True)] if at else []
            inner[0].codes |= leaf.codes
            out += inner
    return out


def row_leaves(cells: list[list[Leaf]], table: int) -> list[Leaf]:
    """A row of values is a table row; a number beside its words is an item; a row that lays out clauses is read block by
    block."""
    notes = [leaf for cell in cells for leaf in cell if leaf.kind == "footnote"]
    cells = [[leaf for leaf in cell if leaf.kind != "footnote"] for cell in cells]
    full = [cell for cell in cells if cell]
    leaves = [leaf for cell in full for leaf in cell if not leaf.again] + notes
    nested = [cell for cell in full if any(leaf.cells is not None for leaf in cell)]
    if len(full) > 1 and nested and all(_is_value([one for leaf in cell for one in _parts(leaf)]) for cell in nested):
        return [Leaf("table", cells=[_inline(cell) for cell in cells], table=table), *notes]
    beside = full[1:] if full and len(full[0]) == 1 and _is_label(full[0][0]) else []
    alone = len(beside) == 1 or (_in_two_languages(beside) and all(cell[-1].text[-1:] in _STOPS for cell in beside))
    if alone and all(leaf.cells is None for cell in beside for leaf in cell) and beside[0][0].label is None:
        first, second = full[0][0], beside[0][0]
        second.label = first.label or Rendered(first.text, "", "\t", False, "", 0, TYPED)
        second.kind = "item"
        return [leaf for cell in beside for leaf in cell] + notes
    if _in_two_languages(full) and all(_opens(cell[0]) for cell in full):
        return leaves
    single = len(full) == 1 and len(cells) > 1 and len(full[0]) == 1 and len(full[0][0].text) <= MAX_VALUE
    if (len(full) < 2 and not single) or any(_lays_out(cell) for cell in full):
        return leaves
    return [Leaf("table", cells=cells, table=table), *notes]


def _in_two_languages(cells: list[list[Leaf]]) -> bool:
    """True for two cells of words, one in Chinese and one not."""
    return len(cells) == 2 and len({any(map(wide, leaf.text)) for cell in cells for leaf in cell[:1]}) == 2


def _opens(leaf: Leaf) -> bool:
    """True for a paragraph that opens with a number, computed or typed."""
    return leaf.numbered or (leaf.cells is None and LABEL_START.match(leaf.text) is not None)


def _parts(leaf: Leaf) -> list[Leaf]:
    return [leaf] if leaf.cells is None else [part for cell in leaf.cells for part in cell]


def _is_label(leaf: Leaf) -> bool:
    if leaf.cells is not None or leaf.outline is not None:
        return False
    if leaf.label is not None:
        return not leaf.text and not leaf.label.bullet and bool(leaf.label.text)
    match = LABEL_START.match(leaf.text + " x")
    return match is not None and match.end() >= len(leaf.text.rstrip("."))


def _lays_out(cell: list[Leaf]) -> bool:
    """True when a cell holds clauses and not a value: a table, several numbered paragraphs, or a long one that opens with a
    number."""
    if any(leaf.cells is not None for leaf in cell):
        return True
    numbered = [leaf for leaf in cell if leaf.label is not None and leaf.label.text and not leaf.label.bullet]
    if len(cell) > 1 and numbered:
        return True
    first = cell[0]
    opens = bool(numbered) or LABEL_START.match(first.text + " x") is not None
    return opens and len(first.text) > MAX_VALUE
