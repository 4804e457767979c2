"""What the styles of a Word file say of a paragraph or a run: numbering, outline level, indentation, bold, hidden."""

from __future__ import annotations

from dataclasses import dataclass, field

from lxml import etree

from compliance_rag.parse.readers.docx_numbering import indent
from compliance_rag.parse.readers.docx_package import W, flag_of, integer, value_of

# Styles build on each other a few deep; a longer chain is a circle.
MAX_CHAIN = 32
# Half points: text under one point is not meant to be read.
MIN_SIZE = 2
_WHITE = frozenset(("FFFFFF", "WHITE"))
_CLEAR = frozenset((None, "", "AUTO", "FFFFFF"))


@dataclass(frozen=True, slots=True)
class Look:
    """What is said of a run's look; None where nothing is. ``colour`` in capitals; ``size`` in half points;
    ``shaded``: a colour lies behind it; ``struck``: a line, or two, runs through it; ``raised``: it stands above the line."""

    hidden: bool | None = None
    bold: bool | None = None
    lined: bool | None = None
    colour: str | None = None
    size: int | None = None
    shaded: bool | None = None
    font: str | None = None
    struck: bool | None = None
    raised: bool | None = None

    def over(self, other: Look) -> Look:
        """This look with what it leaves open taken from ``other``."""
        return Look(
            self.hidden if self.hidden is not None else other.hidden,
            self.bold if self.bold is not None else other.bold,
            self.lined if self.lined is not None else other.lined,
            self.colour if self.colour is not None else other.colour,
            self.size if self.size is not None else other.size,
            self.shaded if self.shaded is not None else other.shaded,
            self.font if self.font is not None else other.font,
            self.struck if self.struck is not None else other.struck,
            self.raised if self.raised is not None else other.raised,
        )

    def unseen(self, shaded: bool) -> bool:
        """True when no reader of the page sees it: hidden, under one point, or white on white."""
        white = self.colour in _WHITE and not (self.shaded or shaded)
        return bool(self.hidden) or white or (self.size is not None and self.size <= MIN_SIZE)

    def says(self, shaded: bool) -> tuple[bool, bool, bool]:
        """What of the look changes what is read: unseen, struck out, raised."""
        return self.unseen(shaded), bool(self.struck), bool(self.raised)


NOTHING = Look()


def look_of(properties: etree._Element | None) -> Look:
    """The look that a ``w:rPr`` says itself."""
    if properties is None:
        return NOTHING
    size, colour, line = value_of(properties, "sz"), value_of(properties, "color"), value_of(properties, "u")
    highlight = value_of(properties, "highlight")
    fonts = properties.find(f"{W}rFonts")
    return Look(
        hidden=flag_of(properties, "vanish"),
        bold=flag_of(properties, "b"),
        lined=None if line is None else line != "none",
        colour=None if colour is None else colour.upper(),
        size=None if size is None else integer(size, MIN_SIZE + 1),
        shaded=True if highlight not in (None, "none", "white") else shade(properties),
        font=fonts.get(f"{W}ascii") if fonts is not None else None,
        struck=_either(flag_of(properties, "strike"), flag_of(properties, "dstrike")),
        raised=_raised(properties),
    )


def _raised(properties: etree._Element) -> bool | None:
    """Whether the letters stand above the line, set so or moved there; None when nothing is said of it."""
    align, position = value_of(properties, "vertAlign"), value_of(properties, "position")
    if align is None and position is None:
        return None
    return align == "superscript" or (align is None and integer(position, 0) > 0)


def _either(one: bool | None, other: bool | None) -> bool | None:
    """True when either says so, None when neither says anything."""
    return None if one is None and other is None else bool(one) or bool(other)


def shade(properties: etree._Element | None) -> bool | None:
    """Whether a ``w:shd`` lays a colour behind the text; None when there is none."""
    element = properties.find(f"{W}shd") if properties is not None else None
    if element is None:
        return None
    pattern = element.get(f"{W}val") or "clear"
    return (
        (element.get(f"{W}fill") or "").upper() not in _CLEAR or element.get(f"{W}themeFill") is not None or pattern == "solid"
    )


@dataclass(slots=True)
class Style:
    """One style as written; what it leaves open its base says."""

    id: str
    name: str
    base: str | None
    num_id: str | None = None
    level: int | None = None
    outline: int | None = None
    left: int | None = None
    first: int | None = None
    look: Look = NOTHING
    shaded: bool = False


@dataclass(slots=True)
class ParagraphStyle:
    """A paragraph style with its bases resolved. ``chain``: each style with the list level it says itself, nearest first."""

    names: tuple[str, ...] = ()
    num_id: str | None = None
    chain: tuple[tuple[str, int | None], ...] = ()
    outline: int | None = None
    left: int | None = None
    first: int | None = None
    look: Look = NOTHING


@dataclass(slots=True)
class Styles:
    """The styles of a file. ``links``: the list of each numbering style."""

    links: dict[str, str] = field(default_factory=dict)
    _styles: dict[str, Style] = field(default_factory=dict)
    _default: str | None = None
    _base: Look = NOTHING
    _resolved: dict[str | None, ParagraphStyle] = field(default_factory=dict)
    _looks: dict[str, Look] = field(default_factory=dict)

    @classmethod
    def of(cls, root: etree._Element | None) -> Styles:
        """Read ``styles.xml``."""
        styles = cls()
        if root is None:
            return styles
        styles._base = look_of(root.find(f"{W}docDefaults/{W}rPrDefault/{W}rPr"))
        for element in root.iterfind(f"{W}style"):
            style = _read(element)
            styles._styles.setdefault(style.id, style)
            kind = element.get(f"{W}type")
            if kind == "paragraph" and element.get(f"{W}default") in ("1", "true", "on"):
                styles._default = style.id
            if kind == "numbering" and style.num_id:
                styles.links[style.id] = style.num_id
        return styles

    def _chain(self, style_id: str | None) -> list[Style]:
        """A style and its bases, nearest first."""
        chain: list[Style] = []
        while style_id in self._styles and len(chain) < MAX_CHAIN:
            style = self._styles[style_id or ""]
            if style in chain:
                break
            chain.append(style)
            style_id = style.base
        return chain

    def paragraph(self, style_id: str | None) -> ParagraphStyle:
        """A paragraph style (None or unknown: the default one)."""
        if style_id not in self._styles:
            style_id = self._default
        found = self._resolved.get(style_id)
        if found is None:
            found = self._resolved[style_id] = self._resolve(style_id)
        return found

    def _resolve(self, style_id: str | None) -> ParagraphStyle:
        out = ParagraphStyle()
        chain = self._chain(style_id)
        out.names = tuple(style.name.lower() for style in chain)
        for style in chain:
            out.num_id = style.num_id if out.num_id is None else out.num_id
            out.outline = style.outline if out.outline is None else out.outline
            out.left = style.left if out.left is None else out.left
            out.first = style.first if out.first is None else out.first
            out.look = out.look.over(style.look)
        out.chain = tuple((style.id, style.level) for style in chain)
        out.look = out.look.over(self._base)
        return out

    def character(self, style_id: str) -> Look:
        """The look a character style gives."""
        found = self._looks.get(style_id)
        if found is None:
            found = NOTHING
            for style in self._chain(style_id):
                found = found.over(style.look)
            self._looks[style_id] = found
        return found

    def shades(self, style_id: str | None) -> bool:
        """True when a table style lays a colour behind some of its cells."""
        return any(style.shaded for style in self._chain(style_id))


def _read(element: etree._Element) -> Style:
    paragraph = element.find(f"{W}pPr")
    numbering = paragraph.find(f"{W}numPr") if paragraph is not None else None
    outline, level = value_of(paragraph, "outlineLvl"), value_of(numbering, "ilvl")
    left, first = indent(paragraph.find(f"{W}ind") if paragraph is not None else None)
    return Style(
        id=element.get(f"{W}styleId") or "",
        name=value_of(element, "name") or "",
        base=value_of(element, "basedOn"),
        num_id=value_of(numbering, "numId"),
        level=None if level is None else integer(level, 0),
        outline=None if outline is None else integer(outline, 9),
        left=left,
        first=first,
        look=look_of(element.find(f"{W}rPr")),
        shaded=any(shade(parent) for parent in element.iter(f"{W}tcPr", f"{W}tblPr")),
    )
