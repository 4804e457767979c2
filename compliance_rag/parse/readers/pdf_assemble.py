"""Pages to one extracted text: sentences that run over a page stay whole, what stands between is set down after them.

A page's footer and the next page's header would break the sentence that runs past them. The extracted text is in reading
order, so both come after the paragraph, and footnotes too; each line keeps the page and the place it was printed at.
"""

from __future__ import annotations

from array import array
from collections import Counter
from dataclasses import dataclass, field
from math import nan

from compliance_rag.parse.blocks import Block, BlockKind, BoxEdges, Extracted
from compliance_rag.parse.readers.compose import tile
from compliance_rag.parse.readers.decode import odd_characters
from compliance_rag.parse.readers.furniture import contents_entries
from compliance_rag.parse.readers.pdf_columns import Gutters
from compliance_rag.parse.readers.pdf_flags import page_flags
from compliance_rag.parse.readers.pdf_furniture import Body, set_aside
from compliance_rag.parse.readers.pdf_layout import Item, join_notes, lay_out, text_size
from compliance_rag.parse.readers.pdf_paragraphs import Steps, goes_on, is_mark, learn_steps, paragraphs
from compliance_rag.parse.readers.pdf_raised import marks, note_number, note_opening, written
from compliance_rag.parse.readers.pdf_slant import steps_of
from compliance_rag.parse.readers.pdf_strikes import strikes
from compliance_rag.parse.readers.pdf_symbols import unknown_symbols
from compliance_rag.parse.readers.pdf_types import Column, Line, Note, Page, Table
from compliance_rag.parse.readers.pdf_words import Joined, Vocabulary, join_lines
from compliance_rag.parse.readers.type_sizes import HEADING_CHARS, heading_sizes, may_head
from schemas.clause import Box, Span

# A heading is no longer than this many lines.
HEADING_LINES = 3
# A column that begins further in than this share of its width is another column and not a page of indented text.
INSET = 0.2
# About the width of a character: what indents are counted in.
POINTS_A_COLUMN = 6.0


@dataclass(slots=True)
class _Waiting:
    """What is set down once the paragraph that is open ends."""

    kind: BlockKind
    lines: list[Line]


@dataclass(slots=True)
class _Assembly:
    words: Vocabulary
    usual: float
    parts: list[str] = field(default_factory=list)
    length: int = 0
    page: int = 1
    blocks: list[Block] = field(default_factory=list)
    starts: dict[int, int] = field(default_factory=dict)
    open: list[Line] = field(default_factory=list)
    rows: list[list[list[Line]]] = field(default_factory=list)
    bars: int = 0
    sized: list[tuple[Block, float, str]] = field(default_factory=list)
    waiting: list[_Waiting] = field(default_factory=list)
    notes: dict[tuple[int, str], list[Line]] = field(default_factory=dict)
    numbers: dict[int, frozenset[str]] = field(default_factory=dict)

    def paragraph(self, lines: list[Line], first: bool) -> None:
        """A paragraph; the ``first`` of a column may go on from the one before."""
        if first and self.open and goes_on(self.open, lines):
            self.open += lines
            return
        self.close()
        self.open = list(lines)

    def close(self) -> None:
        """End the open paragraph and set down what waits."""
        if self.open:
            lines, self.open = self.open, []
            self._put(lines, "paragraph")
        if self.rows:
            rows, self.rows = self.rows, []
            self._table(rows)
        waiting, self.waiting = self.waiting, []
        for item in waiting:
            self._put(item.lines, item.kind)

    def know_notes(self, items: list[Item]) -> None:
        """Know the footnotes of a page of which its text bears the mark, before the page is put together."""
        borne = {mark for item in items if not isinstance(item, Note) for line in _lines(item) for mark in marks(line.text)}
        for item in items:
            number = note_number(item.lines[0]) if isinstance(item, Note) else None
            if isinstance(item, Note) and number in borne:
                page = item.lines[0].page
                self.notes.setdefault((page, number), item.lines)
                self.numbers[page] = self.numbers.get(page, frozenset()) | {number}

    def note(self, lines: list[Line]) -> None:
        """A footnote: it comes after the text that bears its mark, which may be open or set down; else after what is open."""
        key = lines[0].page, note_number(lines[0]) or ""
        borne = [*self.open, *(line for row in self.rows for cell in row for line in cell)]
        if key in self.notes and not any(line.page == key[0] and key[1] in marks(line.text) for line in borne):
            self.wait("footnote", self.notes.pop(key))
        elif key[1] not in self.numbers.get(key[0], ()):
            self.wait("footnote", lines)

    def _marked(self, lines: list[Line]) -> tuple[list[Line], list[list[Line]]]:
        """Lines with the raised figures written, and the notes whose marks they bear."""
        out: list[Line] = []
        notes: list[list[Line]] = []
        for line in lines:
            text, brackets = written(line, self.numbers.get(line.page, frozenset()))
            out.append(text)
            self.bars += brackets
            found = [self.notes.pop((line.page, mark), None) for mark in marks(line.text)]
            notes += [note for note in found if note is not None]
        return out, notes

    def _note(self, lines: list[Line]) -> None:
        first, brackets = note_opening(lines[0])
        self.bars += brackets
        self._put([first, *lines[1:]], "footnote")

    def wait(self, kind: BlockKind, lines: list[Line]) -> None:
        """Something that breaks no sentence."""
        self.waiting.append(_Waiting(kind, lines))

    def table(self, table: Table) -> None:
        """A table; what stands at the top of a page may go on from the one before: its titles are printed again, and a row
        without a title goes on the last."""
        rows = table.rows
        last = self.rows[-1] if self.rows else None
        if last is None or len(last) != len(rows[0]) or not self._next_page(last, rows[0]):
            self.close()
            self.rows = rows
            return
        if _words(rows[0]) == _words(self.rows[0]):
            self.wait("furniture", [line for cell in rows[0] for line in cell])
            rows = rows[1:]
        elif not rows[0][0]:
            self.rows[-1] = [[*cell, *more] for cell, more in zip(last, rows[0], strict=True)]
            rows = rows[1:]
        self.rows += rows

    @staticmethod
    def _next_page(before: list[list[Line]], after: list[list[Line]]) -> bool:
        """True when the second row is the first thing on the page after the first row's."""
        pages = {line.page for cell in before for line in cell}, {line.page for cell in after for line in cell}
        return bool(pages[0] and pages[1]) and max(pages[0]) + 1 == min(pages[1])

    def _table(self, rows: list[list[list[Line]]]) -> None:
        """Rows as lines ``| a | b |``, the way the other readers write tables."""
        text = ""
        ends: list[int] = []
        edges: list[array[float]] = []
        lines: list[Line] = []
        notes: list[list[Line]] = []
        for row in rows:
            text += "\n" if text else ""
            for at, marked in enumerate(row):
                text += " | " if at else "| "
                cell, found = self._marked(marked)
                notes += found
                if cell:
                    joined = join_lines(cell, self.words)
                    bars = len(text) - (ends[-1] if ends else 0)
                    joined.edges[0] = array("f", (nan, nan) * bars) + joined.edges[0]
                    ends += [len(text) + end for end in joined.ends]
                    edges += joined.edges
                    lines += cell
                    text += joined.text
            text += " |"
        if lines:
            self.bars += sum(len(row) + 1 for row in rows)
            self._block(Joined(text, ends, edges, 0), lines, "table")
        for note in notes:
            self._note(note)

    def _put(self, lines: list[Line], kind: BlockKind) -> None:
        lines, notes = self._marked(lines)
        block = self._block(join_lines(lines, self.words), lines, kind)
        if kind == "paragraph":
            text = self.parts[-1] if len(lines) <= HEADING_LINES else ""
            self.sized.append((block, _half(min(line.size for line in lines)), text))
        for note in notes:
            self._note(note)

    def headings(self) -> None:
        """Know the headings by their type, the largest of the first level."""
        found = [(size, text or "." * HEADING_CHARS) for _, size, text in self.sized]
        sizes = sorted(heading_sizes(found, self.usual), reverse=True)
        for block, size, text in self.sized:
            if size in sizes and may_head(text):
                block.kind, block.level = "heading", sizes.index(size) + 1

    def _block(self, joined: Joined, lines: list[Line], kind: BlockKind) -> Block:
        page = lines[0].page
        if self.length:
            # A form feed stands where a page begins, as in every text that was printed.
            gap = "\f" if page > self.page else "\n\n"
            self.parts.append(gap)
            self.length += len(gap)
        self.page = max(self.page, *(line.page for line in lines))
        start = self.length
        block = Block(kind, (start, start + len(joined.text)), page=page)
        places: list[tuple[Box, Span, BoxEdges]] = []
        at = start
        for line, end, edges in zip(lines, joined.ends, joined.edges, strict=True):
            self.starts.setdefault(line.page, at)
            self.starts[line.page] = min(self.starts[line.page], at)
            for first, last, (x0, y0, x1, y1) in steps_of(line, edges):
                box = (line.page, round(x0, 2), round(y0, 2), round(x1, 2), round(y1, 2))
                to = start + end if last == len(edges) // 2 else at + last
                places.append((box, (at + first, to), (line.turn % 180 == 90, edges[2 * first : 2 * last])))
            at = start + end
        block.boxes, block.box_spans, block.box_edges = (tuple(column) for column in zip(*places, strict=True))
        block.bold = all(line.bold for line in lines)
        if 0 < joined.lead < len(joined.text):
            block.lead_span = (start, start + joined.lead)
        block.indent = max(0, round((lines[0].upright[0] - lines[0].column[0]) / POINTS_A_COLUMN))
        self.blocks.append(block)
        self.parts.append(joined.text)
        self.length += len(joined.text)
        return block


def _lines(item: Column | Table) -> list[Line]:
    return item.lines if isinstance(item, Column) else [line for row in item.rows for cell in row for line in cell]


def _words(row: list[list[Line]]) -> list[str]:
    return [" ".join(line.text for line in cell) for cell in row]


def assemble(pages: list[Page], title: str | None) -> Extracted:
    """The extracted text of pages. Pure: the same pages give the same text."""
    bodies = set_aside(pages)
    usual = text_size(bodies)
    items: list[list[Item]] = []
    known = Gutters()
    for body in bodies:
        known = Gutters(known.here)
        items.append([] if body.page.flags.scan else lay_out(body, usual, known))
    join_notes(items)
    _align(items)
    words, steps = _learn(items)
    steps.cuts = {body.page.number: body.cuts for body in bodies if body.cuts}
    out = _Assembly(words, usual)
    for body, found in zip(bodies, items, strict=True):
        _page(out, body, found, steps)
    out.close()
    out.headings()
    text = "".join(out.parts)
    blocks, unplaced = tile(text, out.blocks)
    for index in contents_entries([text[slice(*block.span)] for block in blocks]):
        blocks[index].kind = "furniture"
    marked, struck = strikes(pages, blocks, text)
    signs, unnamed = unknown_symbols(text, blocks)
    flags = page_flags(pages) + struck + unplaced + odd_characters(text) + unnamed
    hidden = [("hidden_text", page.flags.hidden) for page in pages if page.flags.hidden]
    hidden += [("unread_ink", page.flags.unread) for page in pages if page.flags.unread]
    hidden += [aside for page in pages for aside in page.flags.aside]
    breaks = _breaks(out.starts, len(pages), len(text))
    return Extracted(
        text,
        blocks,
        "pdf",
        title=title,
        page_breaks=breaks,
        flags=flags,
        inserted=out.bars,
        remainder=hidden,
        marked=sorted(marked + signs),
    )


def _page(out: _Assembly, body: Body, items: list[Item], steps: Steps) -> None:
    for group in body.head:
        out.wait("furniture", group)
    if body.page.flags.scan:
        # A stamp on a scan is no text of the document.
        for line in body.lines:
            out.wait("furniture", [line])
    for line in body.page.stamps:
        out.wait("furniture", [line])
    out.know_notes(items)
    for item in items:
        if isinstance(item, Table):
            out.table(item)
        elif isinstance(item, Note):
            out.note(item.lines)
        else:
            for number, lines in enumerate(paragraphs(item.lines, steps)):
                if len(lines) == 1 and is_mark(lines[0]):
                    out.wait("furniture", lines)
                else:
                    out.paragraph(lines, first=number == 0)
                while item.beside and item.beside[0][0].upright[1] <= lines[-1].upright[3]:
                    out.wait("footnote", item.beside.pop(0))
    for group in body.foot:
        out.wait("furniture", group)


def _learn(items: list[list[Item]]) -> tuple[Vocabulary, Steps]:
    """The document's words and its line steps."""
    words = Vocabulary()
    columns = [item.lines for page in items for item in page if isinstance(item, Column)]
    for lines in columns:
        words.learn(lines)
    return words, learn_steps(columns)


def _align(items: list[list[Item]]) -> None:
    """Let columns of pages on which no line reaches the text's left edge begin there: indents are counted from it."""
    columns = [item.lines for page in items for item in page if isinstance(item, Column)]
    edges: Counter[float] = Counter()
    for lines in columns:
        edges[round(lines[0].column[0])] += len(lines)
    if not edges:
        return
    edge = max(edges.items(), key=lambda item: (item[1], -item[0]))[0]
    for lines in columns:
        left, right = lines[0].column
        if edge + 1 < left <= edge + INSET * (right - edge):
            for line in lines:
                line.column = (edge, right)


def _half(size: float) -> float:
    return round(2 * size) / 2


def _breaks(starts: dict[int, int], count: int, length: int) -> tuple[int, ...]:
    """The offset at which each page from the second begins; a page without text begins where the next one does."""
    out: list[int] = []
    at = length
    for page in range(count, 1, -1):
        at = min(at, starts.get(page, at))
        out.append(at)
    return tuple(reversed(out))
