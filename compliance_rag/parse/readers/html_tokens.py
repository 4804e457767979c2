"""HTML tokens with source offsets, in one pass and in linear time. Tolerant: what is no tag is text."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from compliance_rag.parse.readers.decode import without_messages

_OPEN = re.compile(r"</?[A-Za-z]")
_NAME = re.compile(r"</?([A-Za-z][^\s/>]{0,80})")
_TAG_END = re.compile(r"[^<>\"']{0,4000}(?:\"[^\"]{0,20000}\"[^<>\"']{0,4000}|'[^']{0,20000}'[^<>\"']{0,4000}){0,200}>")
_ATTRIBUTE = re.compile(r"([^\s=/>\"']{1,80})(?:\s{0,9}=\s{0,9}(?:\"([^\"]*)\"|'([^']*)'|([^\s>]{1,4000})))?")
# Entities in a row that may spell a message in characters without width; each alone may have its use.
_ENTITIES = re.compile(r"(?:&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|zwj|zwnj|ZeroWidthSpace);){4,}")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};?)")

# Elements whose content is not markup.
RAW = frozenset(("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes"))


@dataclass(slots=True)
class Tag:
    """A start or end tag at ``start``; ``end`` is after its ``>``."""

    name: str
    closing: bool
    attributes: dict[str, str]
    start: int
    end: int
    selfclosing: bool = False


@dataclass(slots=True)
class Text:
    """Characters between tags. ``raw``: the content of a raw element, entities not read."""

    text: str
    start: int
    raw: bool = False


@dataclass(slots=True)
class Comment:
    """What a comment says."""

    text: str


def tokens(text: str) -> Iterator[Tag | Text | Comment]:
    """Tags, texts and comments in order; doctypes and processing instructions are left out."""
    at = 0
    size = len(text)
    missing: set[str] = set()
    while at < size:
        mark = text.find("<", at)
        if mark < 0:
            yield Text(text[at:], at)
            return
        if mark > at:
            yield Text(text[at:mark], at)
        skipped = _skip(text, mark, missing)
        if skipped > mark:
            if text.startswith("<!--", mark):
                yield Comment(text[mark + 4 : skipped].removesuffix("-->"))
            at = skipped
            continue
        tag = _tag(text, mark) if _OPEN.match(text, mark) else None
        if tag is None:
            yield Text("<", mark)
            at = mark + 1
            continue
        yield tag
        at = tag.end
        if tag.name in RAW and not tag.closing and not tag.selfclosing:
            end = _raw_end(text, at, tag.name, missing)
            if end > at:
                yield Text(text[at:end], at, raw=True)
            at = end


def _skip(text: str, mark: int, missing: set[str]) -> int:
    """The end of a comment, doctype or instruction at ``mark``; ``mark`` when there is none."""
    for opening, closing in (("<!--", "-->"), ("<![CDATA[", "]]>"), ("<!", ">"), ("<?", ">")):
        if text.startswith(opening, mark):
            end = -1 if closing in missing else text.find(closing, mark + len(opening))
            if end >= 0:
                return end + len(closing)
            missing.add(closing)
            return len(text) if opening == "<!--" else mark
    return mark


def _raw_end(text: str, at: int, name: str, missing: set[str]) -> int:
    if name in missing:
        return len(text)
    match = re.compile(f"</{name}", re.IGNORECASE).search(text, at)
    if match:
        return match.start()
    missing.add(name)
    return len(text)


def _tag(text: str, mark: int) -> Tag | None:
    name = _NAME.match(text, mark)
    if name is None:
        return None
    end = _TAG_END.match(text, name.end())
    if end is None:
        return None
    body = text[name.end() : end.end() - 1]
    attributes: dict[str, str] = {}
    if body and not body.isspace():
        for match in _ATTRIBUTE.finditer(body):
            value = next((group for group in match.groups()[1:] if group is not None), "")
            attributes.setdefault(match.group(1).lower(), html.unescape(value) if "&" in value else value)
    closing = text[mark + 1] == "/"
    return Tag(name.group(1).lower(), closing, attributes, mark, end.end(), body.endswith("/"))


def unescaped(text: str) -> Iterator[tuple[str, int, bool]]:
    """Runs of plain text and read entities: ``(text, offset, inserted)``; entities in a row that write what nothing draws are
    one."""
    at = 0
    rows = [(m.start(), m.end()) for m in _ENTITIES.finditer(text) if not without_messages(html.unescape(m.group()))[0]]
    for start, end in rows:
        yield from _unescaped(text, at, start)
        yield html.unescape(text[start:end]), start, True
        at = end
    yield from _unescaped(text, at, len(text))


def _unescaped(text: str, at: int, stop: int) -> Iterator[tuple[str, int, bool]]:
    for match in _ENTITY.finditer(text, at, stop):
        value = html.unescape(match.group())
        if value == match.group():
            continue
        if match.start() > at:
            yield text[at : match.start()], at, False
        yield value.replace("\r", "").replace("\x00", ""), match.start(), True
        at = match.end()
    if at < stop:
        yield text[at:stop], at, False
