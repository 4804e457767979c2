"""Inline Markdown: which characters of a paragraph a reader does not see. Every step is linear in the paragraph."""

from __future__ import annotations

import html
import re
from collections.abc import Collection
from dataclasses import dataclass, field

from compliance_rag.parse.readers.limits import MAX_LABEL_CHARS, MAX_LINK_TITLE_CHARS
from compliance_rag.parse.readers.raised import raised

_SPECIAL = re.compile(r"[\\`*_\[\]<&~]")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_AUTOLINK = re.compile(r"<([A-Za-z][A-Za-z0-9+.\-]{1,31}:[^\s<>]{0,4000}|[\w.+\-]{1,80}@[\w.\-]{1,200})>")
_TAG = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9]{0,15})((?:\s[^<>]{0,4000})?)/?>")
_TICKS = re.compile("`+")
_LINK_TAIL = re.compile(
    r"\(\s{0,9}(?:<[^<>\n]{0,4000}>|[^\s()<>]{0,4000}(?:\([^\s()]{0,400}\)[^\s()]{0,400}){0,9})"
    rf"(?:\s{{1,9}}(?:\"[^\"]{{0,{MAX_LINK_TITLE_CHARS}}}\"|'[^']{{0,{MAX_LINK_TITLE_CHARS}}}'|\([^()]{{0,{MAX_LINK_TITLE_CHARS}}}\)))?\s{{0,9}}\)"
)
_HIDDEN = re.compile(
    r"\shidden(?=[\s=]|$)|display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|aria-hidden\s{0,3}=\s{0,3}[\"']?true", re.I
)
_ID = re.compile(r"\s(?:id|name)\s{0,3}=\s{0,3}[\"']?([^\s\"'>]{1,200})", re.I)
_HEAD_CLASS = re.compile(r"\sclass\s{0,3}=\s{0,3}[\"'][^\"']{0,80}(?:head|title)", re.I)
_SPACES = re.compile(r"\s+")

_BREAKS = "br p div tr li ul ol table tbody thead dl dt dd blockquote hr center"
BREAK_TAGS = frozenset(_BREAKS.split())
CELL_TAGS = frozenset(("td", "th"))
DELETED_TAGS = frozenset(("del", "s", "strike"))
INSERTED_TAGS = frozenset(("ins",))
UNSEEN_TAGS = frozenset(("script", "style", "template", "noscript", "title"))
_INLINE = """
    a abbr acronym b bdi bdo big cite code data details dfn em figcaption figure font h1 h2 h3 h4 h5 h6 i img kbd
    label mark nav q samp section article header footer small span strong sub summary sup time tt u var wbr
    caption col colgroup tfoot picture source input button form main aside address pre
"""
INLINE_TAGS = frozenset(_INLINE.split())
STRONG_TAGS = frozenset(("b", "strong", "h1", "h2", "h3", "h4", "h5", "h6"))
KNOWN_TAGS = BREAK_TAGS | CELL_TAGS | DELETED_TAGS | INSERTED_TAGS | UNSEEN_TAGS | INLINE_TAGS


@dataclass(slots=True)
class Inline:
    """What was found in a paragraph: ``drops`` are sorted ``(start, end, replacement)``; ``strong`` the ranges in bold type;
    ``leads`` ranges the markup calls a heading; ``ids`` are ``(offset, id)``; the lists of flags count what was left out."""

    drops: list[tuple[int, int, str]] = field(default_factory=list)
    strong: list[tuple[int, int]] = field(default_factory=list)
    leads: list[tuple[int, int]] = field(default_factory=list)
    ids: list[tuple[int, str]] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    figures: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)
    tracked: int = 0


@dataclass(slots=True)
class _Run:
    """A run of ``*`` or ``_``: characters from ``start`` to ``end`` still unmatched."""

    char: str
    start: int
    end: int
    opens: bool
    closes: bool
    size: int


def normalise_label(label: str) -> str:
    """A link label as CommonMark compares it."""
    return _SPACES.sub(" ", label).strip().casefold()


def scan_inline(text: str, refs: Collection[str], *, original: bool = False, in_row: bool = False) -> Inline:
    """Find the markup in ``text``. ``refs`` are the normalised labels of link definitions; ``original`` shows struck text and
    leaves inserted text out (else the other way round); ``in_row``: a table row, which stays on one line."""
    found = Inline()
    if _SPECIAL.search(text):
        _Scanner(text, refs, found, original, in_row).run()
    return found


class _Scanner:
    def __init__(self, text: str, refs: Collection[str], found: Inline, original: bool, in_row: bool) -> None:
        self.text = text
        self.refs = refs
        self.found = found
        self.original = original
        self.in_row = in_row
        self.runs: list[_Run] = []
        self.brackets: list[tuple[int, bool]] = []
        self.ticks: dict[int, list[int]] | None = None
        self.gone: dict[str, list[tuple[int, str]]] = {}
        self.regions: list[tuple[int, int, str]] = []
        self.open_tags: dict[str, list[tuple[int, bool]]] = {}
        self.comments = True
        self.tilde = -1

    def run(self) -> None:
        text = self.text
        at = 0
        while True:
            match = _SPECIAL.search(text, at)
            if match is None:
                break
            start = match.start()
            at = _HANDLERS[text[start]](self, start)
        self._emphasis()
        for spans in self.gone.values():
            for start, kind in spans:
                self._region(start, len(text), kind)
        self.found.drops.extend((start, end, "") for start, end, _ in self.regions)
        self.found.drops.sort(key=lambda drop: (drop[0], -drop[1]))
        self.found.strong.sort()
        self.found.leads.sort()

    def drop(self, start: int, end: int, put: str = "") -> None:
        self.found.drops.append((start, end, put))

    def escape(self, at: int) -> int:
        following = self.text[at + 1 : at + 2]
        if following == "\n" or (following and following in _PUNCTUATION):
            self.drop(at, at + 1)
            return at + 2
        return at + 1

    def code(self, at: int) -> int:
        if self.ticks is None:
            self.ticks = {}
            for match in _TICKS.finditer(self.text):
                self.ticks.setdefault(match.end() - match.start(), []).append(match.start())
            for places in self.ticks.values():
                places.reverse()
        size = _run_length(self.text, at)
        places = self.ticks.get(size, [])
        while places and places[-1] <= at:
            places.pop()
        if not places:
            return at + size
        close = places[-1]
        pad = self.text[at + size] == " " == self.text[close - 1] and close - at - size > 2
        self.drop(at, at + size + pad)
        self.drop(close - pad, close + size)
        return close + size

    def entity(self, at: int) -> int:
        match = _ENTITY.match(self.text, at)
        if match is None:
            return at + 1
        value = html.unescape(match.group())
        if value == match.group():
            return at + 1
        self.drop(at, match.end(), value.replace("\r", "").replace("\x00", ""))
        return match.end()

    def angle(self, at: int) -> int:
        text = self.text
        if self.comments and text.startswith("<!--", at):
            end = text.find("-->", at + 4)
            if end < 0:
                self.comments = False
                return at + 1
            self.drop(at, end + 3)
            self.found.comments.append(text[at + 4 : end])
            return end + 3
        auto = _AUTOLINK.match(text, at)
        if auto:
            self.drop(at, at + 1)
            self.drop(auto.end() - 1, auto.end())
            return auto.end()
        tag = _TAG.match(text, at)
        if tag is None or tag.group(2).lower() not in KNOWN_TAGS:
            return at + 1
        self._tag(tag)
        return tag.end()

    def _tag(self, tag: re.Match[str]) -> None:
        name, attributes = tag.group(2).lower(), tag.group(3)
        closing = bool(tag.group(1))
        put = ""
        if name in BREAK_TAGS:
            put = " " if self.in_row else "\n"
        elif name in CELL_TAGS and not closing:
            put = " | "
        self.drop(tag.start(), tag.end(), put)
        if name == "img":
            self.found.figures.append(attributes.strip()[:80])
        ident = _ID.search(attributes) if attributes else None
        if ident and not closing:
            self.found.ids.append((tag.end(), ident.group(1)))
        kind = self._unseen(name, attributes)
        stack = self.gone.setdefault(name, [])
        if not closing and (kind or stack):
            stack.append((tag.end(), kind))
        elif closing and stack:
            start, was = stack.pop()
            if was:
                self._region(start, tag.start(), was)
        self._styled(tag, name, attributes, closing)

    def _unseen(self, name: str, attributes: str) -> str:
        if name in UNSEEN_TAGS or (attributes and _HIDDEN.search(attributes)):
            return "hidden"
        if name in DELETED_TAGS or name in INSERTED_TAGS:
            return "tracked" if (name in INSERTED_TAGS) == self.original else "seen"
        return ""

    def _region(self, start: int, end: int, kind: str) -> None:
        if kind == "hidden":
            self.found.hidden.append(self.text[start : min(end, start + 80)])
        elif kind:
            self.found.tracked += 1
        if kind in ("hidden", "tracked") and start < end:
            self.regions.append((start, end, kind))

    def _styled(self, tag: re.Match[str], name: str, attributes: str, closing: bool) -> None:
        stack = self.open_tags.setdefault(name, [])
        if not closing:
            stack.append((tag.end(), name in STRONG_TAGS or bool(attributes and _HEAD_CLASS.search(attributes))))
        elif stack:
            start, head = stack.pop()
            if name == "sup":
                self._raise(start, tag.start())
            if head:
                (self.found.strong if name in STRONG_TAGS else self.found.leads).append((start, tag.start()))

    def _raise(self, start: int, end: int) -> None:
        for at, char in enumerate(raised(self.text[start:end]), start):
            if char != self.text[at]:
                self.drop(at, at + 1, char)

    def bracket(self, at: int) -> int:
        image = at > 0 and self.text[at - 1] == "!" and not (at > 1 and self.text[at - 2] == "\\")
        self.brackets.append((at, image))
        return at + 1

    def close(self, at: int) -> int:
        if not self.brackets:
            return at + 1
        start, image = self.brackets.pop()
        text = self.text
        end = self._link_end(start, at)
        if end < 0:
            return at + 1
        if image:
            self.found.figures.append(text[start + 1 : min(at, start + 81)])
        self.drop(start - image, start + 1)
        self.drop(at, end)
        return end

    def _link_end(self, start: int, at: int) -> int:
        """The end of the link whose text is ``[start+1, at)``, -1 when it is no link."""
        text = self.text
        if text.startswith("(", at + 1):
            tail = _LINK_TAIL.match(text, at + 1)
            if tail:
                return tail.end()
        if not self.refs or text.startswith("^", start + 1):
            return -1
        if text.startswith("[", at + 1):
            end = text.find("]", at + 2, at + 2 + MAX_LABEL_CHARS)
            label = text[at + 2 : end] if end > 0 else ""
            if end > 0 and normalise_label(label or text[start + 1 : at]) in self.refs:
                return end + 1
        if at - start <= MAX_LABEL_CHARS and normalise_label(text[start + 1 : at]) in self.refs:
            return at + 1
        return -1

    def tilde_run(self, at: int) -> int:
        size = _run_length(self.text, at)
        if size == 2:
            if self.tilde < 0:
                self.tilde = at
            else:
                kind = "seen" if self.original else "tracked"
                self.drop(self.tilde, self.tilde + 2)
                self.drop(at, at + 2)
                self._region(self.tilde + 2, at, kind)
                self.tilde = -1
        return at + size

    def delimiter(self, at: int) -> int:
        text = self.text
        char = text[at]
        end = at + _run_length(text, at)
        before = text[at - 1] if at else " "
        after = text[end] if end < len(text) else " "
        left = _flanks(before, after)
        right = _flanks(after, before)
        if char == "_":
            opens, closes = left and (not right or _mark(before)), right and (not left or _mark(after))
        else:
            opens, closes = left, right
        if opens or closes:
            self.runs.append(_Run(char, at, end, opens, closes, end - at))
        return end

    def _emphasis(self) -> None:
        """Match emphasis delimiters as CommonMark does; ``floor`` keeps the search for openers linear."""
        stack: list[_Run] = []
        floor: dict[tuple[str, bool, int], int] = {}
        for run in self.runs:
            if run.closes:
                self._match(run, stack, floor)
            if run.opens and run.start < run.end:
                stack.append(run)

    def _match(self, run: _Run, stack: list[_Run], floor: dict[tuple[str, bool, int], int]) -> None:
        while run.start < run.end:
            key = (run.char, run.opens, run.size % 3)
            bottom = floor.get(key, 0)
            at = len(stack) - 1
            while at >= bottom and not _pairs(stack[at], run):
                at -= 1
            if at < bottom:
                floor[key] = len(stack)
                return
            opener = stack[at]
            width = 2 if opener.end - opener.start >= 2 and run.end - run.start >= 2 else 1
            opener.end -= width
            self.drop(opener.end, opener.end + width)
            self.drop(run.start, run.start + width)
            if width == 2:
                self.found.strong.append((opener.end + 2, run.start))
            run.start += width
            del stack[at + 1 :]
            if opener.start == opener.end:
                stack.pop()
            for name, value in floor.items():
                if value > len(stack):
                    floor[name] = len(stack)


def _pairs(opener: _Run, closer: _Run) -> bool:
    if opener.char != closer.char:
        return False
    if (opener.closes or closer.opens) and (opener.size + closer.size) % 3 == 0:
        return opener.size % 3 == 0 and closer.size % 3 == 0
    return True


def _run_length(text: str, at: int) -> int:
    char = text[at]
    end = at + 1
    while end < len(text) and text[end] == char:
        end += 1
    return end - at


def _mark(char: str) -> bool:
    return char in _PUNCTUATION or (not char.isalnum() and not char.isspace() and ord(char) > 127)


def _flanks(before: str, after: str) -> bool:
    """A run flanks what comes ``after``. A wide character beside the run counts as a space: Chinese sets no spaces, and
    CommonMark's rule would leave ``**“合同”**是指`` with its asterisks."""
    if after.isspace():
        return False
    return not _mark(after) or before.isspace() or _mark(before) or "\u2e80" <= before <= "\uffef"


_HANDLERS = {
    "\\": _Scanner.escape,
    "`": _Scanner.code,
    "&": _Scanner.entity,
    "<": _Scanner.angle,
    "[": _Scanner.bracket,
    "]": _Scanner.close,
    "*": _Scanner.delimiter,
    "_": _Scanner.delimiter,
    "~": _Scanner.tilde_run,
}
