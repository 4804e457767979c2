"""The units a clause is quoted in: sentences, list items, table rows and paragraphs, as spans of the clause's text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from compliance_rag.answer.terms import is_han

UnitKind = Literal["sentence", "item", "row"]
# A line longer than this goes to the sentence rule in pieces: the splitter is linear, its dictionary look-ups are not free.
LINE_LIMIT = 20_000

_ITEM = re.compile(
    r"\s*(?:[-*•·●◦▪–—]\s|\(?[0-9]{1,3}[.)]\s|\(?[a-z]{1,4}[.)]\s|[（(][一二三四五六七八九十0-9]{1,4}[）)]"
    r"|[一二三四五六七八九十]{1,3}、)"
)
_TABLE = re.compile(r"\s*\|.*\|\s*$|[^\t\n]+\t[^\n]*$")
_RULE = re.compile(r"\s*\|?[\s:|\-–—+=]+\|?\s*$")
_CHINESE = re.compile(r"[^。！？；\n]*[。！？；]+[”’」』）)】]*|[^。！？；\n]+")
_OPENERS = (":", "：")
_ENDS = re.compile(r"[.;:!?。；：！？][”’\"')\]）」』]*\s*$")


@dataclass(frozen=True, slots=True)
class Unit:
    """One quotable piece: ``[start, end)`` in the clause's text; ``block`` numbers the paragraph or table it stands in;
    ``header`` is the span of a table row's header line (a first line that holds no figure, or that a rule follows);
    ``lead`` the span of the sentence that a row or an item stands under."""

    start: int
    end: int
    kind: UnitKind
    block: int
    header: tuple[int, int] | None = None
    lead: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    start: int
    end: int
    text: str


def _lines(text: str) -> list[_Line]:
    found: list[_Line] = []
    at = 0
    for line in text.split("\n"):
        for cut in range(0, max(1, len(line)), LINE_LIMIT):
            found.append(_Line(at + cut, min(at + cut + LINE_LIMIT, at + len(line)), line[cut : cut + LINE_LIMIT]))
        at += len(line) + 1
    return found


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def _english(text: str, start: int, end: int) -> list[tuple[int, int]]:
    import nupunkt

    spans = [(start + left, start + right) for left, right in nupunkt.sent_spans(text[start:end])]
    return _glue(text, spans)


def _glue(text: str, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """A piece without a word of its own (a stray label, a closing quote) belongs to the sentence before it."""
    joined: list[tuple[int, int]] = []
    for left, right in spans:
        if joined and not re.search(r"\w\w", text[left:right]):
            joined[-1] = (joined[-1][0], right)
        else:
            joined.append((left, right))
    return joined


def _chinese(text: str, start: int, end: int) -> list[tuple[int, int]]:
    return [match.span() for match in _CHINESE.finditer(text, start, end)]


def _sentences(text: str, start: int, end: int) -> list[tuple[int, int]]:
    piece = text[start:end]
    spans = _chinese(text, start, end) if is_han(piece) else _english(text, start, end)
    trimmed = [_trim(text, left, right) for left, right in spans]
    return [(left, right) for left, right in trimmed if left < right]


def _paragraphs(lines: list[_Line]) -> list[list[_Line]]:
    """Lines grouped into paragraphs: a wrapped line continues, an ended one does not; table lines stay together."""
    groups: list[list[_Line]] = []
    for line in lines:
        if not line.text.strip():
            groups.append([])
            continue
        last = groups[-1][-1] if groups and groups[-1] else None
        table = bool(_TABLE.match(line.text))
        joins = last is not None and (
            (table and bool(_TABLE.match(last.text)))
            or (not table and not _TABLE.match(last.text) and not _ENDS.search(last.text) and not _ITEM.match(line.text))
        )
        if joins:
            groups[-1].append(line)
        else:
            groups.append([line])
    return [group for group in groups if group]


def _rows(group: list[_Line], block: int) -> list[Unit]:
    ruled = len(group) > 1 and _RULE.match(group[1].text)
    header = group[0] if ruled or (len(group) > 1 and not re.search(r"\d", group[0].text)) else None
    header_span = None if header is None else (header.start, header.end)
    body = [line for line in group if line is not header and not _RULE.match(line.text)]
    return [Unit(line.start, line.end, "row", block, header_span) for line in body or group]


@lru_cache(maxsize=16_384)
def units(text: str) -> tuple[Unit, ...]:
    """The units of a clause's text in order. Together they hold every word of it except the rule lines of tables.

    English sentences are cut by nupunkt, Chinese ones after 。！？；. Items and table rows are units of their own.
    """
    found: list[Unit] = []
    lead: tuple[int, int] | None = None
    for block, group in enumerate(_paragraphs(_lines(text))):
        first, last = group[0].start, group[-1].end
        if _TABLE.match(group[0].text):
            rows = _rows(group, block)
            found += [Unit(*_trim(text, row.start, row.end), "row", block, row.header, lead) for row in rows]
        elif _ITEM.match(group[0].text):
            found += [Unit(*span, "item", block, None, lead) for span in _sentences(text, first, last)]
        else:
            spans = _sentences(text, first, last)
            found += [Unit(*span, "sentence", block) for span in spans]
            if spans:
                # A caption under its sentence ("… as in this table:", "Table: periods"): both lead the rows.
                caption = lead is not None and len(spans) == 1 and text[: spans[0][0]].rstrip()[-1:] in _OPENERS
                lead = (lead[0], spans[-1][1]) if caption and lead is not None else spans[-1]
    return tuple(found)


def passage(text: str, chosen: Unit, limit: int) -> tuple[int, int]:
    """The span to quote for ``chosen``: the whole text when it has at most ``limit`` characters, else its paragraph, else it
    with as many neighbours as fit, a table row with the rows up to its header where they fit."""
    if len(text) <= limit:
        return _trim(text, 0, len(text))
    if chosen.header is not None and chosen.end - chosen.header[0] <= limit:
        return _trim(text, chosen.header[0], chosen.end)
    every = units(text)
    here = every.index(chosen)
    block = [at for at, unit in enumerate(every) if unit.block == chosen.block]
    start, end = _grow(every, here, block[0], block[-1], limit)
    # A short paragraph alone is quoted with its neighbours: the words that qualify it often stand beside it.
    return (start, end) if (end - start) * 2 >= limit else _grow(every, here, 0, len(every) - 1, limit)


def _grow(every: tuple[Unit, ...], here: int, first: int, last: int, limit: int) -> tuple[int, int]:
    left = right = here
    while True:
        if right < last and every[right + 1].end - every[left].start <= limit:
            right += 1
        elif left > first and every[right].end - every[left - 1].start <= limit:
            left -= 1
        else:
            return every[left].start, every[right].end


def unit_texts(text: str) -> list[str]:
    """The words of each unit of ``text``, in order."""
    return [text[unit.start : unit.end] for unit in units(text)]
