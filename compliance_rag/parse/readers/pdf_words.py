"""Putting lines together: white space between them, words broken at their ends, hyphens that belong to the word."""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from math import nan

from compliance_rag.parse.readers.docx_symbols import BULLETS
from compliance_rag.parse.readers.ocr_words import known_words
from compliance_rag.parse.readers.pdf_glyphs import BROKEN_WORD
from compliance_rag.parse.readers.pdf_types import Line, wide

# Marks that only ever break a word.
_SOFT = frozenset(("\u00ad", BROKEN_WORD))
_HYPHENS = frozenset(("-", "\u2010", "\u00ad", BROKEN_WORD))
_OWN = ("-", "\u2010")
_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010][^\W\d_]+)*")
_TAIL = re.compile(r"([^\W\d_]+)[-\u2010\u00ad\x02]$")
_HEAD = re.compile(r"[^\W\d_]+")
# First parts that a hyphen follows in good spelling, when the document itself does not show the word unbroken.
_PREFIXES = frozenset({
    "non", "self", "ex", "co", "anti", "quasi", "cross", "inter", "sub", "multi", "semi", "half", "all", "well", "third",
    "first", "second", "long", "short", "full", "part", "pre", "post", "mid", "pro", "vice",
})  # fmt: skip


@dataclass(slots=True)
class Vocabulary:
    """The words of a document as it prints them inside its lines."""

    words: set[str] = field(default_factory=set)

    def learn(self, lines: Iterable[Line]) -> None:
        """Take in the words of consecutive lines, both parts of those broken at an end left out."""
        broken = False
        for line in lines:
            found = _WORD.findall(line.text)
            if found and broken:
                found.pop(0)
            broken = _TAIL.search(line.text) is not None
            if found and broken:
                found.pop()
            self.words.update(word.lower().replace("\u2010", "-") for word in found)

    def keeps_hyphen(self, before: str, after: str) -> bool:
        """True when the hyphen between the two parts of a word is the word's own: the document prints it so elsewhere, or
        prints both parts as words and never the whole, or the first part is one that takes a hyphen, or both parts are English
        words and the whole is none."""
        first, second = before.lower(), after.lower()
        if f"{first}-{second}" in self.words:
            return True
        if first + second in self.words:
            return False
        if second in self.words and (first in self.words or first in _PREFIXES) and len(second) > 2:
            return True
        english = known_words()
        return min(len(first), len(second)) > 2 and {first, second} <= english and first + second not in english

    def parts(self, before: str, after: str) -> bool:
        """True when two parts of a word with more hyphens ("state-of-the-art") are words and make none together."""
        first, second = before.lower(), after.lower()
        return all(self._known(word) for word in (first, second)) and not self._known(first + second)

    def _known(self, word: str) -> bool:
        return word in self.words or word in known_words()


@dataclass(slots=True)
class Joined:
    """Lines as one text: ``ends`` is, for each line, the offset at which its stretch of the text ends; ``edges`` of each."""

    text: str
    ends: list[int]
    edges: list[array[float]]
    lead: int


def join_lines(lines: list[Line], words: Vocabulary) -> Joined:
    """Lines of one paragraph as one text. White space between two belongs to the later, unless the earlier prints it."""
    text = ""
    ends: list[int] = []
    edges: list[array[float]] = []
    lead, going = 0, True
    for line in lines:
        piece, own = _clean(line)
        if text:
            drop, gap = _between(text, piece, words)
            if not drop and text[-1] in _SOFT:
                # The word's own hyphen, however the file writes it.
                text = text[:-1] + "-"
            if drop:
                text = text[:-drop]
                edges[-1] = edges[-1][: -2 * drop]
                ends[-1] -= drop
            if gap and lines[len(ends) - 1].spaced:
                text += gap
                edges[-1].extend((nan, nan))
                ends[-1] += 1
            elif gap:
                text += gap
                own = array("f", (nan, nan)) + own
        if going and line.lead:
            lead = len(text) + min(line.lead, len(piece))
        going = going and line.bold
        text += piece
        ends.append(len(text))
        edges.append(own)
    if text[-1:] in _SOFT:
        text = text[:-1] + "-"
    return Joined(text, ends, edges, lead)


def _clean(line: Line) -> tuple[str, array[float]]:
    """A soft hyphen inside a line is printed as a hyphen, a symbol font's bullet as a bullet."""
    text = line.text.translate(BULLETS)
    if "\u00ad" in text[:-1]:
        text = text[:-1].replace("\u00ad", "-") + text[-1]
    return text, array("f", line.edges)


def _between(text: str, piece: str, words: Vocabulary) -> tuple[int, str]:
    """How many characters to take off the end of ``text``, and what to put before ``piece``."""
    last = text[-1]
    if last in _HYPHENS and len(text) > 1 and text[-2].isalpha() and piece[0].isalpha():
        tail, head = _TAIL.search(text[-60:]), _HEAD.match(piece)
        if piece[0].islower() and tail is not None and head is not None:
            compound = text[-len(tail.group()) - 1 : -len(tail.group())] in _OWN or piece[head.end() : head.end() + 1] in _OWN
            if compound and last != "\u00ad" and words.parts(tail.group(1), head.group()):
                return 0, ""
            if last in ("\u00ad",) or not words.keeps_hyphen(tail.group(1), head.group()):
                return 1, ""
            return 0, ""
        return 0, ""
    if last in "-\u2010\u2011\u2013\u2014/" and (text[-2:-1].isalnum() and piece[0].isalnum()) and last in "-\u2010\u2011/":
        return 0, ""
    if wide(last) or wide(piece[0]):
        return 0, ""
    return 0, " "
