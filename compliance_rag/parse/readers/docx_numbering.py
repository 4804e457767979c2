"""The numbers Word computes and does not store: ``numbering.xml`` played through the paragraphs in document order.

Method: ISO/IEC 29500-1, 17.9, with what Word does where the text is silent: lists that share an abstract definition share
their counters; a start override restarts a level once, where the first paragraph of its list stands at that level, and is
where that level starts whenever it restarts; a level that was skipped stands at its start value and counts as used; a level
restarts after any higher one, or after the one that ``lvlRestart`` names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from lxml import etree

from compliance_rag.parse.readers.docx_formats import MAX_COUNT, format_number, known_format
from compliance_rag.parse.readers.docx_package import W, flag_of, integer, value_of

# Word has nine levels; a file that names more is damaged or hostile.
LEVELS = 9
# Word's dialog takes labels of this length; a longer one is text smuggled into a list definition.
MAX_LABEL_TEXT = 255
# Links between a list and the numbering style that defines it: one in every real file.
MAX_LINKS = 8
TYPED = "typed"
"""The format of a label that the author typed in a cell of its own."""
_STEP = re.compile("%([1-9])")
_SUFFIXES = {"space": " ", "nothing": ""}


@dataclass(frozen=True, slots=True)
class Level:
    """One level of a list definition. ``text`` is the pattern (``%1.%2``); ``restart``: after which level (1-based, 0 never,
    None any higher one); ``left`` and ``first``: the indentation of its paragraphs in twentieths of a point."""

    start: int = 1
    format: str = "decimal"
    pattern: str = ""
    text: str = ""
    suffix: str = "\t"
    legal: bool = False
    restart: int | None = None
    style: str | None = None
    left: int | None = None
    first: int | None = None
    hidden: bool = False


@dataclass(frozen=True, slots=True)
class Rendered:
    """A label as Word prints it. ``number``: the decimal values of the levels it prints, joined by dots (empty when it prints
    none); ``suffix`` what stands between it and the text; ``list_id`` the counters it belongs to; ``plain`` the format was
    unknown and its value is printed in decimals."""

    text: str
    number: str
    suffix: str
    bullet: bool
    list_id: str
    level: int
    format: str
    plain: bool = False


@dataclass(slots=True)
class _Num:
    """A list: its definition, the levels it defines anew, the values it starts at."""

    abstract: str
    levels: dict[int, Level] = field(default_factory=dict)
    starts: dict[int, int] = field(default_factory=dict)


def _read_level(element: etree._Element) -> Level:
    fmt = element.find(f".//{W}numFmt")
    ind = element.find(f"{W}pPr/{W}ind")
    restart = value_of(element, "lvlRestart")
    text = value_of(element, "lvlText") or ""
    return Level(
        start=integer(value_of(element, "start"), 0),
        format=(fmt.get(f"{W}val") if fmt is not None else None) or "decimal",
        pattern=(fmt.get(f"{W}format") if fmt is not None else None) or "",
        text=text[:MAX_LABEL_TEXT],
        suffix=_SUFFIXES.get(value_of(element, "suff") or "tab", "\t"),
        legal=flag_of(element, "isLgl") is True,
        restart=None if restart is None else integer(restart, 0),
        style=value_of(element, "pStyle"),
        left=indent(ind)[0],
        first=indent(ind)[1],
        hidden=flag_of(element.find(f"{W}rPr"), "vanish") is True,
    )


def indent(element: etree._Element | None) -> tuple[int | None, int | None]:
    """Left indentation of a ``w:ind`` and that of its first line against it; None where it says nothing."""
    if element is None:
        return None, None
    left = element.get(f"{W}left") or element.get(f"{W}start")
    hanging, first = element.get(f"{W}hanging"), element.get(f"{W}firstLine")
    lead = -integer(hanging, 0) if hanging is not None else None if first is None else integer(first, 0)
    return (None if left is None else integer(left, 0)), lead


class Numbering:
    """The list definitions of a document and its counters. Use one object for one walk through the document."""

    def __init__(self, root: etree._Element | None, style_links: dict[str, str]) -> None:
        """``root``: ``numbering.xml``; ``style_links``: the list (``numId``) of each numbering style."""
        self._abstracts: dict[str, dict[int, Level]] = {}
        self._links: dict[str, str] = {}
        self._nums: dict[str, _Num] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[str] = set()
        self._style_links = style_links
        if root is not None:
            self._read(root)

    def _read(self, root: etree._Element) -> None:
        for element in root.iterfind(f"{W}abstractNum"):
            key = element.get(f"{W}abstractNumId") or ""
            self._abstracts[key] = dict(_levels(element))
            link = value_of(element, "numStyleLink")
            if link is not None:
                self._links[key] = link
        for element in root.iterfind(f"{W}num"):
            num = _Num(value_of(element, "abstractNumId") or "")
            for override in element.iterfind(f"{W}lvlOverride"):
                at = integer(override.get(f"{W}ilvl"), 0)
                start = value_of(override, "startOverride")
                if start is not None:
                    num.starts[at] = integer(start, 1)
                num.levels.update((at, level) for _, level in _levels(override))
            self._nums[element.get(f"{W}numId") or ""] = num

    def _abstract(self, num: _Num) -> str:
        """The definition a list goes back to, through numbering styles."""
        key = num.abstract
        for _ in range(MAX_LINKS):
            linked = self._nums.get(self._style_links.get(self._links.get(key, ""), ""))
            if linked is None or linked.abstract == key:
                break
            key = linked.abstract
        return key

    def level(self, num_id: str, at: int) -> Level | None:
        """The definition of a level of a list, None when there is none."""
        num = self._nums.get(num_id)
        if num is None:
            return None
        return num.levels.get(at) or self._abstracts.get(self._abstract(num), {}).get(at)

    def level_of_style(self, num_id: str, style_id: str) -> int | None:
        """The level that a paragraph style is linked to in a list."""
        return next((at for at in range(LEVELS) if (found := self.level(num_id, at)) and found.style == style_id), None)

    def advance(self, num_id: str, at: int) -> Rendered | None:
        """Count the next paragraph of a list at level ``at`` and give its label; None when the list or level is not defined."""
        level = self.level(num_id, at)
        if level is None or not 0 <= at < LEVELS:
            return None
        num = self._nums[num_id]
        key = self._abstract(num)
        counts = self._counts.setdefault(key, [None] * LEVELS)
        for above in range(at):
            if counts[above] is None:
                counts[above] = self._start(num_id, above)
        current = counts[at]
        if at in num.starts and num_id not in self._begun:
            counts[at] = num.starts[at]
        else:
            counts[at] = num.starts.get(at, level.start) if current is None else min(current + 1, MAX_COUNT)
        self._begun.add(num_id)
        for below in range(at + 1, LEVELS):
            deeper = self.level(num_id, below)
            restart = deeper.restart if deeper is not None else None
            if restart is None or at < restart:
                counts[below] = None
        return self._render(num_id, at, level, counts, key)

    def _start(self, num_id: str, at: int) -> int:
        level = self.level(num_id, at)
        return level.start if level is not None else 1

    def _render(self, num_id: str, at: int, level: Level, counts: list[int | None], key: str) -> Rendered:
        values: list[int] = []
        plain = False

        def step(match: re.Match[str]) -> str:
            nonlocal plain
            where = min(int(match[1]) - 1, at)
            shown = self.level(num_id, where) or level
            value = counts[where] or 0
            form = shown.format
            if level.legal and form not in ("none", "decimalZero"):
                form = "decimal"
            if form not in ("none", "bullet"):
                values.append(value)
                plain = plain or not known_format(form)
            return "" if form == "bullet" else format_number(value, form, shown.pattern)

        marks = level.format == "bullet" or not any(c.isalnum() or c == "%" for c in level.text)
        text = level.text if marks else _STEP.sub(step, level.text)
        number = ".".join(map(str, values))
        hidden = level.hidden or not text.strip()
        return Rendered(
            "" if hidden else text.strip(), number, level.suffix, marks and not hidden, key, at, level.format, plain
        )


def _levels(element: etree._Element) -> list[tuple[int, Level]]:
    found = ((integer(lvl.get(f"{W}ilvl"), 0), lvl) for lvl in element.iterfind(f"{W}lvl"))
    return [(at, _read_level(lvl)) for at, lvl in found if 0 <= at < LEVELS]
