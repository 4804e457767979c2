"""What a reader gives the outline: extracted text and the blocks it consists of, with what the markup said of each."""

from __future__ import annotations

import sys
from array import array
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Literal

from schemas.clause import Box, Flag, Span

BoxEdges = tuple[bool, "array[float]"]
BlockKind = Literal["heading", "paragraph", "item", "table", "furniture", "footnote", "code"]


@dataclass(slots=True)
class Block:
    """A paragraph, heading, list item, table or piece of furniture: ``span`` in the extracted text, white space trimmed.

    ``level``: heading level from 1 (headings) or nesting depth from 0 (items), None when the source does not say.
    ``indent``: columns of leading white space. ``label_span``: the printed label when the source marks it up as one
    (an HTML list counter, an Akoma Ntoso ``num``), else None and the outline finds it. ``number``: the number that the source
    itself gives the block; in a source without cuts, the computed values of the steps that its label prints, in decimals joined
    by dots (Word lists): such a label is certain and its readings are told apart by the value. ``cuts``: the source itself says
    that this block opens a clause (XML elements, ``.clauses.json``); ``path_hint`` then holds its number.
    ``source_id``: the identifier of the XML element or JSON entry. ``bold``: all its words are bold. ``lead_span``: the opening
    words set off by bold type or by a heading class of the markup (a run-in heading), when they are not the whole block.
    ``boxes``: one a printed line, several along a line that lies askew. ``box_spans``: for each of ``boxes`` the stretch of
    extracted text that stands in it, in order and without gaps.
    ``box_edges``: for each of ``boxes`` whether its text runs up or down the page, and where each character of its stretch
    starts and ends along the line, in displayed points (NaN for white space and for characters that the reader put in).
    ``table``: the number of the table (from 1) in whose cells it stands, for a block that is not a row of one; 0 for none.
    An unordered item's text opens with ``- `` and an ordered item's with its rendered counter (``3. ``).
    """

    kind: BlockKind
    span: Span
    level: int | None = None
    indent: int = 0
    bold: bool = False
    label_span: Span | None = None
    heading_span: Span | None = None
    number: str | None = None
    cuts: bool = False
    source_id: str | None = None
    page: int | None = None
    boxes: tuple[Box, ...] = ()
    dates: tuple[str | None, str | None] = (None, None)
    lead_span: Span | None = None
    box_spans: tuple[Span, ...] = ()
    box_edges: tuple[BoxEdges, ...] = ()
    table: int = 0


@dataclass(slots=True)
class Extracted:
    """A reader's output.

    ``text`` is what a reader of the document sees, markup dropped, NUL and CR removed, code points kept as they are.
    ``blocks`` are in reading order and cover every visible character of ``text`` once. ``offsets`` maps extracted offsets to
    source byte offsets as sorted ``(extracted, source)`` pairs, each holding until the next. ``media`` is the reader's name.
    ``page_breaks`` are the offsets at which pages 2, 3 … begin (PDF only). ``inserted``: how many visible characters of
    ``text`` stand for markup and not for characters of the source (computed labels, bars of tables); ``remainder``: words of
    the source that are in no block, each with the code of the flag that says so. ``engine``: what read the words of pages that
    are pictures, None where none is; ``held``: pages that a person has to look at, each with its lines as read;
    ``marked``: stretches of ``text`` to which a flag's code belongs (a tracked change, words struck out), in order.
    """

    text: str
    blocks: list[Block]
    media: str
    offsets: list[tuple[int, int]] = field(default_factory=list)
    title: str | None = None
    page_breaks: tuple[int, ...] = ()
    flags: list[Flag] = field(default_factory=list)
    encoding: str = "utf-8"
    inserted: int = 0
    remainder: list[tuple[str, str]] = field(default_factory=list)
    engine: str | None = None
    held: list[tuple[int, str]] = field(default_factory=list)
    marked: list[tuple[Span, str]] = field(default_factory=list)

    def source_offset(self, offset: int, data: bytes) -> int:
        """The byte offset in the source ``data`` of extracted ``offset``; a character the reader put in (a rendered counter)
        maps to the markup it stands for. Not meaningful for PDF, whose positions are pages and boxes."""
        at = bisect_right(self.offsets, (offset, sys.maxsize)) - 1
        if at < 0:
            return 0
        extracted, source = self.offsets[at]
        end = self.offsets[at + 1][1] if at + 1 < len(self.offsets) else len(data)
        if self.encoding == "ascii":
            return min(source + offset - extracted, end)
        run = data[source:end].decode(self.encoding, "replace")[: offset - extracted]
        return source + len(run.encode(self.encoding))
