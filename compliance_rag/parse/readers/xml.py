"""Legal XML: Akoma Ntoso, the D.C. Council's XML, USLM and the eCFR's, read by what their elements share.

An element that carries a number or a heading is a unit: it cuts, and its identifier is kept. Amendments quoted in a document
are text of the document, never its units. Positions come from the parser, so every character maps to its byte.
"""

from __future__ import annotations

import html
from dataclasses import dataclass, field
from xml.parsers import expat

from compliance_rag.parse.blocks import Block, BlockKind, Extracted
from compliance_rag.parse.readers.compose import Composer
from compliance_rag.parse.readers.decode import Source
from compliance_rag.parse.readers.flow import Flow, emit, write
from compliance_rag.parse.readers.limits import MAX_XML_DEPTH
from compliance_rag.parse.readers.raised import raised
from schemas.clause import Flag
from schemas.errors import InputRejected

# Elements that stand inside a line of text.
_INLINE_NAMES = """
a abbr affecteddocument amendingaction b bold br citation cite concept date def del docdate docketnumber docnumber
docproponent docpurpose docstage docstatus doctitle doctype documentref e em embeddedtext entity eol event fillin i
img inline ins italic judge lawyer location marker mmod mod mref neutralcitation noteref object omissis organization
party person placeholder prefix process quantity quotedtext ref relateddocument remark rmod role rref session
shorttitle signature span strong su sub sup term time u
"""
_INLINE = frozenset(_INLINE_NAMES.split())
# Elements no reader of the document sees: metadata and instructions to machines.
_UNSEEN = frozenset(("meta", "references", "proprietary", "search-text", "script", "style", "processing-instruction"))
# Elements whose content is another document's text, quoted.
_QUOTED = frozenset(("quotedstructure", "embeddedstructure", "include", "quotedcontent"))
# Elements whose number or heading names the document, not a unit of it.
_DOCUMENTS = frozenset(
    (
        "document",
        "akomantoso",
        "act",
        "bill",
        "doc",
        "debate",
        "judgment",
        "documentcollection",
        "preface",
        "coverpage",
        "toc",
        "tocitem",
    )
)
_NUM = frozenset(("num", "no"))
_HEADING = frozenset(("heading", "head", "subheading"))
# In a quoted text these go on on the line of the number before them.
_RUN_ON = frozenset(("num", "heading", "text", "p", "content", "intro"))
_FURNITURE = frozenset(("toc", "coverpage"))
_NOTES = frozenset(("authorialnote", "annotations", "editorialnote", "sourcecredit", "notes", "footnote", "ftnt"))
_ROWS = frozenset(("tr", "row"))
_CELLS = frozenset(("td", "th", "entry"))
# Element names shown to say what was found; a reader knows the format from a few.
NAMES_SHOWN = 6
# Raised figures stand in at most this many elements of their own (a link, bold type).
RAISED_DEPTH = 3
_IDS = ("eId", "id", "identifier", "currentId", "GUID", "node")


@dataclass(slots=True)
class _Unit:
    """A unit that is open: its depth, and its head until the head is written."""

    depth: int
    source_id: str | None
    num: Flow | None = None
    heading: Flow | None = None
    written: bool = False
    number: str | None = None
    kind: str = ""


@dataclass(slots=True)
class _Frame:
    name: str
    source_id: str | None
    unit: _Unit | None = None
    kind: BlockKind | None = None
    number: str | None = None


@dataclass(slots=True)
class _Note:
    """A footnote set aside while its paragraph goes on."""

    depth: int
    flow: Flow
    kind: BlockKind | None


@dataclass(slots=True)
class _State:
    frames: list[_Frame] = field(default_factory=list)
    units: list[_Unit] = field(default_factory=list)
    flow: Flow = field(default_factory=Flow)
    notes: list[Flow] = field(default_factory=list)
    waiting: list[_Note] = field(default_factory=list)
    unseen: int = 0
    quoted: int = 0
    capture: Flow | None = None
    captured: str = ""
    title: str | None = None


def read_xml(source: Source, name: str) -> Extracted:
    """Extracted text of an XML document, its units as blocks with ``cuts`` and ``number``; ``level`` is the depth of the unit a
    block opens or belongs to. Raises InputRejected ``dtd_refused``, ``too_deep``, ``damaged_file``."""
    composer = Composer()
    reader = _Reader(composer, source, name)
    reader.run()
    if composer.length and not any(block.cuts for block in composer.blocks):
        composer.flags.append(_unknown(reader.seen))
    if not composer.length:
        raise InputRejected("empty_file", f"{name}: the XML holds no text; give the file that holds the text.", name)
    return composer.finish("xml", source)


class _Reader:
    def __init__(self, out: Composer, source: Source, name: str) -> None:
        self.out = out
        self.name = name
        self.data = source.text.encode("utf-8")
        self.ascii = source.text.isascii()
        self.cursor = (0, 0)
        self.state = _State()
        self.seen: dict[str, None] = {}
        self.parser = expat.ParserCreate("utf-8", namespace_separator=" ")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text
        self.parser.EntityDeclHandler = self._entity
        self.parser.SkippedEntityHandler = self._skipped

    def run(self) -> None:
        try:
            self.parser.Parse(self.data, True)
        except expat.ExpatError as error:
            where = f"line {error.lineno}, column {error.offset + 1}"
            raise InputRejected(
                "damaged_file",
                f"{self.name}: the XML breaks at {where} ({expat.ErrorString(error.code)}); mend it or fetch it again.",
                where,
            ) from None
        self._flush()

    def _at(self) -> int:
        """The offset in ``Source.text`` of what the parser is at."""
        byte: int = self.parser.CurrentByteIndex
        if self.ascii:
            return byte
        done, chars = self.cursor
        chars += len(self.data[done:byte].decode("utf-8", "replace"))
        self.cursor = (byte, chars)
        return chars

    def _entity(self, entity: str, *_: object) -> None:
        raise InputRejected(
            "dtd_refused",
            f"{self.name}: the file declares its own entities ({entity}), which are not expanded; save it without them.",
            self.name,
        )

    def _skipped(self, entity: str, is_parameter: bool) -> None:
        if not is_parameter and not self.state.unseen:
            self._target().put(html.unescape(f"&{entity};"), self._at())

    def _target(self) -> Flow:
        return self.state.capture if self.state.capture is not None else self.state.flow

    def _text(self, text: str) -> None:
        if not self.state.unseen:
            high = any(frame.name == "sup" for frame in self.state.frames[-RAISED_DEPTH:])
            self._target().add(raised(text) if high else text, self._at())

    def _start(self, qualified: str, attributes: dict[str, str]) -> None:
        state = self.state
        space, _, local = qualified.rpartition(" ")
        name = local.lower()
        if len(state.frames) >= MAX_XML_DEPTH:
            raise InputRejected(
                "too_deep", f"{self.name}: elements are nested deeper than {MAX_XML_DEPTH}; flatten the file.", self.name
            )
        self.seen.setdefault(local)
        frame = _Frame(name, next((attributes[key] for key in _IDS if attributes.get(key)), None), number=attributes.get("N"))
        state.frames.append(frame)
        if state.unseen or name in _UNSEEN or "codify" in space:
            state.unseen += 1
            return
        if name in ("br", "eol"):
            self._target().put("\n", self._at())
        elif name in ("img", "graphic"):
            self.out.flags.append(_figure(attributes))
        elif name in _QUOTED:
            self._flush()
            state.quoted += 1
        elif name in _NOTES and name in ("authorialnote", "footnote", "ftnt"):
            self._open_note(attributes)
        elif (name in _NUM or name in _HEADING) and not state.quoted and self._unit_for_head() is not None:
            state.capture = Flow()
        elif name in _CELLS:
            state.flow.put("| " if not state.flow.visible else " | ", self._at())
        elif name not in _INLINE and not _in_row(state.frames) and not self._goes_on(name):
            self._flush()

    def _goes_on(self, name: str) -> bool:
        """In a quoted text a number runs on into the words after it."""
        previous = self.state.frames[-2].name if len(self.state.frames) > 1 else ""
        return self.state.quoted > 0 and (name in _NUM or name in _HEADING or previous not in _QUOTED) and name in _RUN_ON

    def _open_note(self, attributes: dict[str, str]) -> None:
        state = self.state
        marker = attributes.get("marker", "")
        if marker:
            state.flow.put(f"[{marker}]", self._at())
        state.waiting.append(_Note(len(state.frames), state.flow, None))
        state.flow = Flow()
        if marker:
            state.flow.put(f"[{marker}] ", self._at())

    def _unit_for_head(self) -> _Unit | None:
        """The unit whose number or heading opens here; made when its parent element has none yet."""
        state = self.state
        parent = state.frames[-2] if len(state.frames) > 1 else None
        if parent is None or parent.name in _DOCUMENTS or state.waiting or parent.name in _NOTES:
            return None
        if parent.unit is None:
            self._flush()
            for unit in state.units:
                self._write_head(unit)
            parent.unit = _Unit(len(state.units), parent.source_id, number=parent.number, kind=parent.name)
            state.units.append(parent.unit)
        elif parent.unit.written:
            return None
        return parent.unit

    def _end(self, _: str) -> None:
        state = self.state
        frame = state.frames.pop()
        if state.unseen:
            state.unseen -= 1
            return
        if state.capture is not None and (frame.name in _NUM or frame.name in _HEADING):
            self._head(frame.name)
        elif frame.name in _QUOTED:
            self._flush()
            state.quoted -= 1
        elif state.waiting and state.waiting[-1].depth == len(state.frames) + 1:
            note = state.flow
            state.flow = state.waiting.pop().flow
            state.notes.append(note)
        elif frame.name in _ROWS:
            state.flow.put(" |", self._at())
            self._flush("table")
        elif state.quoted and frame.name in _NUM:
            state.flow.put(" ", self._at())
        elif frame.name not in _INLINE and frame.name not in _CELLS and not _in_row(state.frames):
            self._flush(self._kind(frame.name))
        if frame.unit is not None:
            self._write_head(frame.unit)
            state.units.pop()

    def _head(self, name: str) -> None:
        """A number or a heading is complete: it joins its unit's head."""
        state = self.state
        flow = state.capture
        state.capture = None
        unit = state.frames[-1].unit
        if flow is None or unit is None:
            return
        if name in _NUM and unit.num is None:
            unit.num = flow
            unit.number = unit.number or flow.text or None
        elif unit.heading is None:
            unit.heading = flow
        else:
            unit.heading.put(" ", self._at())
            unit.heading.pieces += flow.pieces

    def _kind(self, name: str) -> BlockKind:
        names = {frame.name for frame in self.state.frames} | {name}
        if names & _FURNITURE:
            return "furniture"
        if names & _NOTES:
            return "footnote"
        return "heading" if name in _HEADING else "paragraph"

    def _flush(self, kind: BlockKind | None = None) -> None:
        """Write what has gathered as a block of the innermost unit, then the notes that hang on it."""
        state = self.state
        if state.waiting:
            state.flow.put(" ", self._at())
            return
        flow, state.flow = state.flow, Flow()
        if flow.visible:
            kind = kind or self._kind("")
            unit = state.units[-1] if state.units else None
            for outer in state.units[:-1]:
                self._write_head(outer)
            block = self._first_text(unit, flow) if unit and not unit.written and kind == "paragraph" else None
            if block is None:
                if unit:
                    self._write_head(unit)
                block = emit(self.out, flow, kind)
            if block is not None and block.level is None and unit is not None:
                block.level = unit.depth
        for note in state.notes:
            emit(self.out, note, "footnote")
        state.notes = []

    def _first_text(self, unit: _Unit, flow: Flow) -> Block | None:
        """The first words of a unit with a number and no heading stand on the number's line."""
        if unit.heading is not None or unit.num is None or not unit.num.visible:
            return None
        return self._write_unit(unit, flow)

    def _write_head(self, unit: _Unit) -> None:
        if not unit.written and (unit.num is not None or unit.heading is not None):
            self._write_unit(unit, None)

    def _write_unit(self, unit: _Unit, flow: Flow | None) -> Block | None:
        unit.written = True
        out = self.out
        out.gap("\n\n" if unit.heading is not None or unit.depth == 0 else "\n")
        start = out.length
        label = heading = None
        if unit.num is not None and unit.num.visible:
            label = write(out, unit.num).span
        if unit.heading is not None and unit.heading.visible:
            out.gap(" " if label else "")
            heading = write(out, unit.heading).span
        lead = None
        if flow is not None:
            out.gap(" ")
            lead = write(out, flow).lead
        if out.length == start:
            return None
        number = unit.number if unit.kind != "recital" or not unit.number else f"Recital {unit.number}"
        block = Block(
            "heading" if heading else "item", (start, out.length), level=unit.depth, label_span=label, heading_span=heading
        )
        block.number, block.cuts, block.source_id, block.lead_span = number, True, unit.source_id, lead
        out.blocks.append(block)
        return block


def _in_row(frames: list[_Frame]) -> bool:
    return any(frame.name in _ROWS for frame in frames)


def _unknown(seen: dict[str, None]) -> Flag:
    names = ", ".join(list(seen)[:NAMES_SHOWN])
    text = (
        f"No element of this XML is known as a clause with a number or a heading (it has {names}): where clauses begin was read"
    )
    return Flag("unknown_markup", f"{text} from the words alone; for the owner's own cuts give it as NAME.clauses.json.")


def _figure(attributes: dict[str, str]) -> Flag:
    text = attributes.get("alt") or attributes.get("src") or ""
    return Flag("figure", f"A figure is not read; its description: {text!r}.")
