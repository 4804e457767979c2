"""Running text of a markup language: pieces with their source offsets, white space collapsed as a browser does."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from compliance_rag.parse.blocks import Block, BlockKind
from compliance_rag.parse.readers.compose import Composer

_WHITE = re.compile(r"[ \t\n\r\f]+")
_NEEDS_WORK = re.compile(r"[\t\n\r\f]| {2}")


@dataclass(slots=True)
class Piece:
    """``text`` as decoded; ``source`` its offset there. ``inserted``: it stands for markup (a counter, an entity);
    ``size`` is then how much of the source it stands for."""

    text: str
    source: int
    bold: bool = False
    inserted: bool = False


@dataclass(slots=True)
class Flow:
    """Pieces of one block in the making."""

    pieces: list[Piece] = field(default_factory=list)
    pre: bool = False

    def add(self, text: str, source: int, bold: bool = False) -> None:
        """Add characters that stand in the source one for one."""
        if text:
            self.pieces.append(Piece(text, source, bold))

    def put(self, text: str, source: int, bold: bool = False) -> None:
        """Add characters that stand for markup."""
        if text:
            self.pieces.append(Piece(text, source, bold, True))

    @property
    def visible(self) -> bool:
        """True when a reader would see anything."""
        return any(not piece.text.isspace() for piece in self.pieces)

    @property
    def text(self) -> str:
        """The text as it will be written, ends trimmed."""
        return _WHITE.sub(" ", "".join(piece.text for piece in self.pieces)).strip()


@dataclass(slots=True)
class Written:
    """Where a flow went: its span, whether all of it is bold, and the span of its opening bold words."""

    span: tuple[int, int]
    bold: bool
    lead: tuple[int, int] | None


def write(out: Composer, flow: Flow, *, line: bool = False) -> Written:
    """Write a flow; runs of white space become one space (a line feed where one was put), ends trimmed. ``line``: line feeds
    too become spaces, for a cell of a table row."""
    start = out.length
    white: tuple[str, int] | None = None
    first_bold = last_bold = -1
    lead_open = all_bold = True
    for piece in flow.pieces:
        for text, source, blank in _split(piece, flow.pre):
            if blank:
                mark = "\n" if piece.inserted and "\n" in text and not line else " "
                white = (mark if white is None or white[0] == " " else white[0], source if white is None else white[1])
                continue
            if white is not None and out.length > start:
                out.keep(white[0], white[1])
            white = None
            at = out.length
            (out.put if piece.inserted else out.keep)(text.replace("\n", " ") if line else text, source)
            if piece.bold and lead_open:
                first_bold = at if first_bold < 0 else first_bold
                last_bold = out.length
            elif text.strip():
                all_bold = False
                lead_open = lead_open and first_bold < 0 and len(text.strip()) <= MAX_LABEL
    lead = (first_bold, last_bold) if first_bold >= 0 else None
    return Written((start, out.length), all_bold and lead is not None, None if all_bold else lead)


# A number before bold words does not keep them from being a run-in heading.
MAX_LABEL = 8


def _split(piece: Piece, pre: bool) -> list[tuple[str, int, bool]]:
    """Cut a piece into words with single spaces and runs of white space."""
    text = piece.text
    if pre or (not _NEEDS_WORK.search(text) and text[0] != " " and text[-1] != " "):
        return [(text, piece.source, False)]
    if piece.inserted:
        stripped = text.strip(" \t\n\r\f")
        if not stripped:
            return [(text, piece.source, True)]
        out = [(" ", piece.source, True)] if text[0] in " \n" else []
        return [*out, (stripped, piece.source, False), *([(" ", piece.source, True)] if text[-1] in " \n" else [])]
    out = []
    at = 0
    for match in _WHITE.finditer(text):
        start, end = match.span()
        if end - start == 1 and text[start] == " " and start > 0 and end < len(text):
            continue
        if start > at:
            out.append((text[at:start], piece.source + at, False))
        out.append((match.group(), piece.source + start, True))
        at = end
    if at < len(text):
        out.append((text[at:], piece.source + at, False))
    return out


def emit(out: Composer, flow: Flow, kind: BlockKind, *, gap: str = "\n\n", label: Piece | None = None) -> Block | None:
    """Write a flow as one block, its label before it. None when there is nothing to see."""
    if not flow.visible and label is None:
        return None
    out.gap(gap)
    start = out.length
    label_span = None
    if label is not None:
        (out.put if label.inserted else out.keep)(label.text, label.source)
        label_span = (start, start + len(label.text.rstrip()))
        if flow.visible and not label.text.endswith(" "):
            out.gap(" ")
    written = write(out, flow)
    block = Block(kind, (start, out.length), bold=written.bold, label_span=label_span, lead_span=written.lead)
    out.blocks.append(block)
    return block
