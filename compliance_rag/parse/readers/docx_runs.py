"""The words of a Word paragraph in one view of its tracked changes: what a reader of that page sees, in order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from lxml import etree

from compliance_rag.parse.readers.docx_formats import format_number
from compliance_rag.parse.readers.docx_math import FORMULAS, MATH, brackets, is_raised, sign_before
from compliance_rag.parse.readers.docx_package import MC, W, integer, value_of
from compliance_rag.parse.readers.docx_styles import Look, ParagraphStyle, Styles, look_of
from compliance_rag.parse.readers.docx_symbols import BULLETS, of_font, symbol
from compliance_rag.parse.readers.raised import raised
from schemas.clause import Flag

_VML = "{urn:schemas-microsoft-com:vml}"
_BLIP = "{http://schemas.openxmlformats.org/drawingml/2006/main}blip"
_DRAWING_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_DOC_PROPERTIES = "{http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing}docPr"
_SPACE = "{http://www.w3.org/XML/1998/namespace}space"
TEXT_BOX = f"{W}txbxContent"
INSERTED = frozenset((f"{W}ins", f"{W}moveTo"))
DELETED = frozenset((f"{W}del", f"{W}moveFrom"))
_SILENT_NAMES = """
pPr rPr sdtPr sdtEndPr tblPr tblGrid trPr tcPr sectPr bookmarkStart bookmarkEnd proofErr permStart permEnd commentRangeStart
commentRangeEnd commentReference annotationRef lastRenderedPageBreak fldData smartTagPr customXmlPr moveFromRangeStart
moveFromRangeEnd moveToRangeStart moveToRangeEnd separator continuationSeparator softHyphen
"""
# Properties and marks: nothing in them is a word of the page.
SILENT = frozenset(W + name for name in _SILENT_NAMES.split()) | {
    f"{MC}Fallback", f"{MATH}oMathParaPr", f"{MATH}ctrlPr", f"{MATH}rPr",
}  # fmt: skip
_MARKS = {
    f"{W}tab": "\t", f"{W}ptab": "\t", f"{W}br": "\n", f"{W}cr": "\n", f"{W}noBreakHyphen": "-",
}  # fmt: skip
_WHITE = str.maketrans("\n\r\t", "   ")
# Fields whose result lists other places of the document.
_CONTENTS = frozenset(("TOC", "TOA", "INDEX"))
# Fields whose number Word computes on the page and never stores.
_NUMBERING = frozenset(("LISTNUM", "AUTONUM", "AUTONUMLGL", "AUTONUMOUT"))
MAX_SHOWN = 80


@dataclass(slots=True)
class Piece:
    """A stretch of text. ``lead``: set off by bold or underlined type; ``size`` in half points, 0 where no style says it;
    ``inserted``: it stands for markup; ``contents``: it belongs to a table of contents; ``struck``: it is struck out."""

    text: str
    bold: bool = False
    lead: bool = False
    size: int = 0
    inserted: bool = False
    contents: bool = False
    struck: bool = False


@dataclass(slots=True)
class Words:
    """What a paragraph holds: its pieces, the notes it refers to, the text boxes anchored in it, its hidden words."""

    pieces: list[Piece] = field(default_factory=list)
    notes: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[etree._Element] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)

    @property
    def visible(self) -> bool:
        """True when a reader sees anything of it."""
        return any(not piece.text.isspace() for piece in self.pieces)

    @property
    def contents(self) -> bool:
        """True when all that is seen belongs to a table of contents."""
        return self.visible and all(piece.contents for piece in self.pieces if not piece.text.isspace())


@dataclass(slots=True)
class _Field:
    code: str = ""
    result: bool = False
    shown: bool = False
    display: str = ""
    contents: bool = False


@dataclass(slots=True)
class Notes:
    """Footnotes or endnotes: their texts by identifier, and how they are counted."""

    bodies: dict[str, etree._Element] = field(default_factory=dict)
    format: str = "decimal"
    start: int = 1
    numbers: dict[str, str] = field(default_factory=dict)

    def mark(self, key: str) -> str:
        """The mark of a note, counted at its first reference."""
        if key not in self.numbers:
            self.numbers[key] = f"[{format_number(self.start + len(self.numbers), self.format)}]"
        return self.numbers[key]


class RunReader:
    """Reads the runs of one document; ``original`` chooses the view. Fields may stretch over paragraphs, so paragraphs are read
    in order. ``tracked`` counts the changes met, ``flags`` collects what could not be read, ``noted`` the codes of flags that
    belong to the paragraph that is read, or to the next when it shows no words."""

    def __init__(self, styles: Styles, notes: dict[str, Notes], *, original: bool) -> None:
        self.styles = styles
        self.notes = notes
        self.original = original
        self.tracked = 0
        self.flags: list[Flag] = []
        self.noted: set[str] = set()
        self.unknown: dict[str, int] = {}
        self._fields: list[_Field] = []
        self._unended: set[etree._Element] = set()
        self._note: str = ""
        self._words = Words()
        self._look = Look()
        self._shaded = False

    def open(self, story: etree._Element) -> None:
        """Prepare for a story (the body, a header, a note): a field that begins and never ends would hide all that follows it,
        so it is read as if it were not there."""
        self._fields.clear()
        self._unended.clear()
        stack: list[etree._Element] = []
        for element in story.iter(f"{W}fldChar"):
            kind = element.get(f"{W}fldCharType")
            if any(self._absent(around) for around in element.iterancestors(*INSERTED, *DELETED)):
                continue
            if kind == "begin":
                stack.append(element)
            elif kind == "end" and stack:
                stack.pop()
        self._unended.update(stack)

    def _absent(self, element: etree._Element) -> bool:
        return (element.tag in INSERTED) == self.original

    def read(self, paragraph: etree._Element, style: ParagraphStyle, *, shaded: bool, note: str = "") -> Words:
        """The words of a paragraph. ``shaded``: a colour lies behind it; ``note``: the mark of the note it stands in."""
        self._words, self._look, self._shaded, self._note = Words(), style.look, shaded, note
        self._children(paragraph)
        return self._words

    def leaves_out(self, element: etree._Element) -> bool:
        """True when the element is a tracked change that this view does not show; counts it."""
        if element.tag not in INSERTED and element.tag not in DELETED:
            return False
        self.changed(next(element.iter(f"{W}r", f"{W}p"), None) is not None)
        return self._absent(element)

    def changed(self, count: int = 1) -> None:
        """Note so many tracked changes."""
        self.tracked += count
        if count:
            self.noted.add("tracked_changes")

    def _flag(self, code: str, text: str) -> None:
        self.flags.append(Flag(code, text))
        self.noted.add(code)

    def _children(self, element: etree._Element) -> None:
        for child in element:
            tag = child.tag
            if not isinstance(tag, str) or tag in SILENT:
                continue
            if tag == f"{W}r":
                self._run(child)
            elif tag == f"{MC}AlternateContent":
                self._children(chosen(child))
            elif tag == f"{MATH}t":
                self._add(child.text or "", child)
            elif tag in FORMULAS:
                self._formula(child)
            elif tag == f"{W}fldSimple":
                self._fields.append(_Field(code=child.get(f"{W}instr") or "", result=True))
                self._children(child)
                self._end_field()
            elif not self.leaves_out(child):
                self._children(child)

    def _formula(self, formula: etree._Element) -> None:
        """A formula on one line, with the signs and brackets that say what stands above, below or around."""
        for part in formula:
            if not isinstance(part.tag, str) or part.tag.endswith("Pr"):
                continue
            opening, closing = brackets(part)
            self._put(sign_before(part) + opening)
            before = self._look
            if is_raised(part):
                self._look = Look(raised=True).over(before)
            self._children(part)
            self._look = before
            self._put(closing)

    def _run(self, run: etree._Element) -> None:
        now = run.find(f"{W}rPr")
        former = now.find(f"{W}rPrChange/{W}rPr") if now is not None else None
        look = self._styled(now)
        if former is not None:
            then = self._styled(former)
            # A change of type says something else only where it hides, strikes out or raises words.
            around, shaded = self._look, self._shaded
            self.changed(look.over(around).says(shaded) != then.over(around).says(shaded))
            look = then if self.original else look
        before, self._look = self._look, look.over(self._look)
        self._content(run)
        self._look = before

    def _styled(self, properties: etree._Element | None) -> Look:
        style = value_of(properties, "rStyle")
        look = look_of(properties)
        return look.over(self.styles.character(style)) if style else look

    def _content(self, run: etree._Element) -> None:
        for child in run:
            tag = child.tag
            if not isinstance(tag, str) or tag in SILENT:
                continue
            if tag == f"{W}t" or (tag == f"{W}delText" and self.original):
                self._add(child.text or "", child)
            elif tag in _MARKS:
                self._put(_MARKS[tag])
            elif tag == f"{W}sym":
                self._symbol(child)
            elif tag == f"{W}fldChar":
                self._field(child)
            elif tag in (f"{W}instrText", f"{W}delInstrText"):
                self._code(child.text or "")
            elif tag in (f"{W}footnoteReference", f"{W}endnoteReference"):
                self._reference(child)
            elif tag in (f"{W}footnoteRef", f"{W}endnoteRef"):
                self._put(self._note + " ")
            elif tag == f"{W}ruby":
                self._ruby(child)
            elif tag == f"{MC}AlternateContent":
                self._content(chosen(child))
            elif tag in (f"{W}drawing", f"{W}pict", f"{W}object"):
                self._drawing(child)
            elif tag != f"{W}delText":
                self._children(child)

    @property
    def _shows(self) -> bool:
        return all(entry.result for entry in self._fields)

    def _add(self, text: str, element: etree._Element) -> None:
        text = text.translate(_WHITE)
        if element.get(_SPACE) != "preserve" and element.tag != f"{MATH}t":
            text = text.strip(" ")
        font = (self._look.font or "").lower()
        if font in ("symbol", "wingdings", "wingdings 2") and any("\uf000" <= char <= "\uf0ff" for char in text):
            text = "".join(of_font(font, char)[0] for char in text)
        self._piece(raised(text) if self._look.raised else text.translate(BULLETS))

    def _put(self, text: str) -> None:
        self._piece(text, inserted=True)

    def _piece(self, text: str, *, inserted: bool = False) -> None:
        if not text or not self._shows:
            return
        for entry in self._fields:
            entry.shown = True
        if self._look.unseen(self._shaded):
            self._words.hidden.append(text)
            if not text.isspace():
                self.noted.add("hidden_text")
            return
        bold = bool(self._look.bold)
        contents = any(entry.contents for entry in self._fields)
        lead, struck = bold or bool(self._look.lined), bool(self._look.struck)
        self._words.pieces.append(Piece(text, bold, lead, self._look.size or 0, inserted, contents, struck))

    def _symbol(self, element: etree._Element) -> None:
        text, known = symbol(element.get(f"{W}font") or "", element.get(f"{W}char") or "")
        if not known:
            self.unknown[element.get(f"{W}font") or ""] = self.unknown.get(element.get(f"{W}font") or "", 0) + 1
        self._put(text)

    def _ruby(self, element: etree._Element) -> None:
        """Words with their reading above them: the words, then the reading in brackets."""
        for base in element.iterfind(f"{W}rubyBase"):
            self._children(base)
        for reading in element.iterfind(f"{W}rt"):
            self._put("（")
            self._children(reading)
            self._put("）")

    def _reference(self, element: etree._Element) -> None:
        kind = "footnote" if element.tag == f"{W}footnoteReference" else "endnote"
        key = element.get(f"{W}id") or ""
        if not self._shows or self._look.unseen(self._shaded):
            return
        if element.get(f"{W}customMarkFollows") in ("1", "true", "on"):
            self.notes[kind].numbers.setdefault(key, "")
        else:
            self._put(self.notes[kind].mark(key))
        self._words.notes.append((kind, key))

    def _field(self, element: etree._Element) -> None:
        kind = element.get(f"{W}fldCharType")
        if kind == "begin" and element not in self._unended:
            self._fields.append(_Field(display=_form_value(element.find(f"{W}ffData"))))
        elif kind == "separate" and self._fields:
            entry = self._fields[-1]
            entry.result = True
            entry.contents = _name(entry.code) in _CONTENTS
        elif kind == "end" and self._fields:
            self._end_field()

    def _end_field(self) -> None:
        entry = self._fields.pop()
        name = _name(entry.code)
        if not entry.shown and entry.display:
            self._put(entry.display)
        if name in _NUMBERING and not entry.shown and self._shows:
            self._flag("computed_number", f"A {name} field prints a number that the file does not hold.")

    def _code(self, text: str) -> None:
        if self._fields and not self._fields[-1].result:
            self._fields[-1].code = (self._fields[-1].code + text)[: 4 * MAX_SHOWN].lstrip()

    def _drawing(self, element: etree._Element) -> None:
        if not self._shows or self._look.hidden:
            return
        parts = list(_outside_boxes(element))
        self._words.boxes += [part for part in parts if part.tag == TEXT_BOX]
        for part in parts:
            if part.tag == f"{_VML}textpath":
                self._put(part.get("string") or "")
            elif part.tag == _DRAWING_TEXT:
                self._piece(part.text or "")
        if any(part.tag in (_BLIP, f"{_VML}imagedata") for part in parts) or element.tag == f"{W}object":
            about = next((part for part in parts if part.tag == _DOC_PROPERTIES), None)
            text = (about.get("descr") or about.get("name") or "") if about is not None else ""
            self._flag("figure", f"A figure is not read; its description: {text[:MAX_SHOWN]!r}.")


def _name(code: str) -> str:
    return (code.split(None, 1) or [""])[0].upper()


def _outside_boxes(element: etree._Element) -> Iterator[etree._Element]:
    """The elements of a drawing, of alternatives the chosen one, without those inside its text boxes."""
    for child in element:
        if not isinstance(child.tag, str):
            continue
        yield child
        if child.tag == f"{MC}AlternateContent":
            yield from _outside_boxes(chosen(child))
        elif child.tag != TEXT_BOX:
            yield from _outside_boxes(child)


def chosen(alternatives: etree._Element) -> etree._Element:
    """The one of several renderings of the same thing that is read: the newer, unless only the older has words."""
    choice = alternatives.find(f"{MC}Choice")
    fallback = alternatives.find(f"{MC}Fallback")
    if choice is None:
        return alternatives if fallback is None else fallback
    if fallback is not None and next(choice.iter(f"{W}t"), None) is None and next(fallback.iter(f"{W}t"), None) is not None:
        return fallback
    return choice


def _form_value(form: etree._Element | None) -> str:
    """What a form field of the older kind shows where it stores no words: a box, ticked or not, or the chosen entry."""
    if form is None:
        return ""
    box = form.find(f"{W}checkBox")
    if box is not None:
        state = box.find(f"{W}checked")
        state = box.find(f"{W}default") if state is None else state
        ticked = state is not None and state.get(f"{W}val", "1") not in ("0", "false", "off")
        return "☒" if ticked else "☐"
    entries = form.findall(f"{W}ddList/{W}listEntry")
    at = integer(value_of(form.find(f"{W}ddList"), "result") or value_of(form.find(f"{W}ddList"), "default"), 0)
    return (entries[at].get(f"{W}val") or "") if 0 <= at < len(entries) else ""
