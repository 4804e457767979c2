"""The body of a Word file as leaves: paragraphs with their computed labels, rows of tables, notes and text boxes, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from compliance_rag.parse.readers.docx_numbering import Numbering, indent
from compliance_rag.parse.readers.docx_package import MC, W, flag_of, integer, value_of
from compliance_rag.parse.readers.docx_rows import Leaf, again, row_leaves
from compliance_rag.parse.readers.docx_runs import DELETED, INSERTED, SILENT, TEXT_BOX, Piece, RunReader, Words, chosen
from compliance_rag.parse.readers.docx_styles import ParagraphStyle, Styles, shade

_HEADING_NAME = re.compile(r"heading ([1-9])\Z")
_TITLES = frozenset(("title",))
_BODY_TEXT = 9
# A large first letter stands in a paragraph of its own; a reader reads it with the next.
_DROPPED = frozenset(("drop", "margin"))


@dataclass(slots=True)
class _Carry:
    """A paragraph whose end is not there in this view: its words go on in the next. ``leaf``: the paragraph that leads."""

    pieces: list[Piece] = field(default_factory=list)
    leaf: Leaf | None = None


class Body:
    """Walks the stories of one document, in document order, so that the numbering counts as Word does."""

    def __init__(self, styles: Styles, numbering: Numbering, runs: RunReader) -> None:
        self.styles = styles
        self.numbering = numbering
        self.runs = runs
        self.hidden: list[str] = []
        self.plain_formats: set[str] = set()
        self.unread = 0
        self._tables = 0
        self._carry = _Carry()
        self._contents = 0
        self._note = ""
        self._shaded = False

    def story(self, root: etree._Element) -> list[Leaf]:
        """The leaves of a story."""
        self.runs.open(root)
        out: list[Leaf] = []
        self._blocks(root, out)
        self._flush(out)
        if out:
            self._note_codes(out[-1])
        self.runs.noted.clear()
        return out

    def _note_codes(self, leaf: Leaf) -> None:
        """What was met since the last paragraph with words belongs to this one: its own, and what stands before it unseen."""
        leaf.codes |= self.runs.noted
        self.runs.noted.clear()

    def _blocks(self, parent: etree._Element, out: list[Leaf]) -> None:
        for child in parent:
            tag = child.tag
            if not isinstance(tag, str) or tag in SILENT:
                continue
            if tag == f"{W}p":
                self._paragraph(child, out)
            elif tag == f"{W}tbl":
                self._flush(out)
                self._table(child, out)
            elif tag == f"{W}sdt":
                contents = value_of(child.find(f"{W}sdtPr/{W}docPartObj"), "docPartGallery") == "Table of Contents"
                self._contents += contents
                self._blocks(child, out)
                self._contents -= contents
            elif tag == f"{MC}AlternateContent":
                self._blocks(chosen(child), out)
            elif tag in (f"{W}altChunk", f"{W}subDoc"):
                self.unread += 1
            elif not self.runs.leaves_out(child):
                self._blocks(child, out)

    def _flush(self, out: list[Leaf]) -> None:
        """Write what was to go on in a paragraph that does not come."""
        carry, self._carry = self._carry, _Carry()
        leaf = carry.leaf or Leaf("paragraph")
        leaf.pieces = [*carry.pieces, *leaf.pieces]
        if leaf.text or (leaf.label is not None and leaf.label.text):
            self._note_codes(leaf)
            out.append(leaf)

    def _paragraph(self, element: etree._Element, out: list[Leaf]) -> None:
        properties = self._properties(element.find(f"{W}pPr"))
        style = self.styles.paragraph(value_of(properties, "pStyle"))
        shaded = self._shaded or bool(shade(properties))
        words = self.runs.read(element, style, shaded=shaded, note=self._note)
        self._note = ""
        if words.hidden and (text := " ".join("".join(words.hidden).split())):
            self.hidden.append(text)
        marks = element.find(f"{W}pPr/{W}rPr")
        dropped = _drop_cap(properties) in _DROPPED
        if (marks is not None and self._unended(marks)) or dropped:
            self._carry.pieces += words.pieces
        else:
            self._complete(element, properties, style, words, marks, out)
        self._anchored(words, out)

    def _unended(self, marks: etree._Element) -> bool:
        """True when the end of the paragraph is a tracked change that this view does not show."""
        found = [child.tag in INSERTED for child in marks if child.tag in INSERTED or child.tag in DELETED]
        self.runs.changed(len(found))
        return self.runs.original in found

    def _complete(
        self,
        element: etree._Element,
        properties: etree._Element | None,
        style: ParagraphStyle,
        words: Words,
        marks: etree._Element | None,
        out: list[Leaf],
    ) -> None:
        """A paragraph with its end: alone, after words carried over, or led by the one before (a run-in heading)."""
        hidden_mark = marks is not None and flag_of(marks, "vanish") is True
        lead = self._carry.leaf
        if lead is not None:
            lead.pieces += words.pieces
        elif words.visible or self._carry.pieces or not hidden_mark:
            lead = self._leaf(properties, style, words)
            lead.pieces[:0] = self._carry.pieces
            self._carry.pieces = []
        if hidden_mark and words.visible:
            self._carry.leaf = lead
            return
        self._carry = _Carry()
        if lead is None:
            return
        lead.section = properties is not None and properties.find(f"{W}sectPr") is not None
        label = lead.label is not None and lead.label.text and not lead.label.bullet
        if lead.text or label:
            self._note_codes(lead)
            out.append(lead)

    def _properties(self, properties: etree._Element | None) -> etree._Element | None:
        """The properties as they were, in the original view; a change of style or list counts as a tracked change."""
        change = properties.find(f"{W}pPrChange/{W}pPr") if properties is not None else None
        if properties is None or change is None:
            return properties
        names = (f"{W}numPr", f"{W}pStyle")
        now, then = ([_shape(found.find(name)) for name in names] for found in (properties, change))
        self.runs.changed(now != then)
        return change if self.runs.original else properties

    def _leaf(self, properties: etree._Element | None, style: ParagraphStyle, words: Words) -> Leaf:
        leaf = Leaf("furniture" if self._contents or words.contents else "paragraph", list(words.pieces))
        leaf.outline = _outline(properties, style)
        num_id, level, own = self._list_of(properties, style)
        defined = self.numbering.level(num_id, level) if num_id else None
        left, first = indent(properties.find(f"{W}ind") if properties is not None else None)
        sources = [defined, style] if own else [style, defined]
        for source in sources:
            left = source.left if left is None and source is not None else left
            first = source.first if first is None and source is not None else first
        leaf.left, leaf.at = left or 0, (left or 0) + (first or 0)
        if num_id:
            leaf.label = self.numbering.advance(num_id, level)
            if leaf.label is not None and leaf.label.plain:
                self.plain_formats.add(leaf.label.format)
        return leaf

    def _list_of(self, properties: etree._Element | None, style: ParagraphStyle) -> tuple[str, int, bool]:
        """The list and level of a paragraph, and whether it names the list itself; an empty list for none."""
        numbering = properties.find(f"{W}numPr") if properties is not None else None
        if numbering is not None and numbering.find(f"{W}ins") is not None:
            self.runs.changed()
            numbering = None if self.runs.original else numbering
        own, at = value_of(numbering, "numId"), value_of(numbering, "ilvl")
        num_id = own if own is not None else style.num_id
        if num_id is None or num_id == "0":
            return "", 0, False
        if at is not None:
            return num_id, integer(at, 0), own is not None
        for style_id, level in style.chain:
            linked = self.numbering.level_of_style(num_id, style_id)
            level = linked if linked is not None else level
            if level is not None:
                return num_id, level, own is not None
        return num_id, 0, own is not None

    def _anchored(self, words: Words, out: list[Leaf]) -> None:
        """Notes and text boxes after the paragraph that refers to them."""
        added: list[Leaf] = []
        carry, self._carry = self._carry, _Carry()
        for kind, key in words.notes:
            notes = self.runs.notes[kind]
            body = notes.bodies.get(key)
            if body is not None:
                self._note = notes.numbers.get(key, "")
                start = len(added)
                self._blocks(body, added)
                self._flush(added)
                for leaf in added[start:]:
                    leaf.kind = "footnote" if leaf.cells is None else leaf.kind
                self._note = ""
        for box in words.boxes:
            self._blocks(box, added)
            self._flush(added)
        self._carry = carry
        out += added

    def _table(self, element: etree._Element, out: list[Leaf]) -> None:
        self._tables += 1
        table = self._tables
        around = self._shaded
        above: dict[int, list[Leaf]] = {}
        style = value_of(element.find(f"{W}tblPr"), "tblStyle")
        self._shaded = around or self.styles.shades(style) or bool(shade(element.find(f"{W}tblPr")))
        for row in _through(element, f"{W}tr"):
            marks = row.find(f"{W}trPr")
            if marks is not None and self._row_left_out(marks):
                continue
            if flag_of(marks, "hidden") is True:
                self.hidden.append(" ".join(text.text or "" for text in row.iter(f"{W}t")))
                self.runs.noted.add("hidden_text")
                continue
            leaves = row_leaves(self._cells(row, above), table)
            for leaf in leaves:
                leaf.within = leaf.within or (table if leaf.cells is None else 0)
            out += leaves
        if out and out[-1].table == table:
            self._note_codes(out[-1])
        self._shaded = around

    def _row_left_out(self, marks: etree._Element) -> bool:
        found = [child.tag in INSERTED for child in marks if child.tag in INSERTED or child.tag in DELETED]
        self.runs.changed(len(found))
        return self.runs.original in found

    def _cells(self, row: etree._Element, above: dict[int, list[Leaf]]) -> list[list[Leaf]]:
        """The cells of a row. ``above``: by column, the words of cells merged downwards, which hold in each of their rows."""
        out: list[list[Leaf]] = []
        column = 0
        for element in _through(row, f"{W}tc"):
            cell = self._cell(element)
            properties = element.find(f"{W}tcPr")
            merged = properties.find(f"{W}vMerge") if properties is not None else None
            if merged is None or merged.get(f"{W}val") == "restart":
                above[column] = cell if merged is not None else []
            elif not cell:
                cell = again(above.get(column, []))
            out.append(cell)
            column += max(1, integer(value_of(properties, "gridSpan"), 1))
        return out

    def _cell(self, element: etree._Element) -> list[Leaf]:
        properties = element.find(f"{W}tcPr")
        for name, inserted in (("cellIns", True), ("cellDel", False)):
            if properties is not None and properties.find(W + name) is not None:
                self.runs.changed()
                if inserted == self.runs.original:
                    return []
        around = self._shaded
        self._shaded = around or bool(shade(properties))
        out: list[Leaf] = []
        self._blocks(element, out)
        self._flush(out)
        self._shaded = around
        return out


def _drop_cap(properties: etree._Element | None) -> str | None:
    """How the frame of a paragraph lets its letter down into the lines of the next."""
    frame = properties.find(f"{W}framePr") if properties is not None else None
    return frame.get(f"{W}dropCap") if frame is not None else None


def _shape(element: etree._Element | None) -> bytes:
    return b"" if element is None else etree.tostring(element, method="c14n")


def _outline(properties: etree._Element | None, style: ParagraphStyle) -> int | None:
    """Heading level from 0, -1 for the title, None for body text."""
    own = value_of(properties, "outlineLvl")
    level = integer(own, _BODY_TEXT) if own is not None else style.outline
    if level is not None:
        return level if 0 <= level < _BODY_TEXT else None
    for name in style.names:
        if name in _TITLES:
            return -1
        match = _HEADING_NAME.match(name)
        if match:
            return int(match[1]) - 1
    return None


def _through(element: etree._Element, tag: str) -> list[etree._Element]:
    """Children of this tag, through content controls and the like."""
    out: list[etree._Element] = []
    for child in element:
        if child.tag == tag:
            out.append(child)
        elif child.tag == f"{MC}AlternateContent":
            out += _through(chosen(child), tag)
        elif isinstance(child.tag, str) and child.tag not in SILENT and child.tag != TEXT_BOX:
            out += _through(child, tag)
    return out
