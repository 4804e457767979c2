"""The text a clause is found by: its own words in their context. Stored nowhere, recomputed from the clause tables."""

from __future__ import annotations

import re
from collections.abc import Sequence

from schemas.canonical import sha256_text
from schemas.clause import Clause

# A lead-in says what its items have in common in its first words; a whole parent paragraph would drown the item.
LEAD_IN_LIMIT = 300
# An ancestor's text up to this length reads as a heading ("Resolutions and Sanctions") in documents cut by their owner.
HEADING_LIMIT = 120
# A text shorter than this ("(a) the name;") means nothing alone: the embedder sees its context too. Longer ones are embedded
# without it: recall@10 of the vectors on ObliQA dev 0.726 alone, 0.697 with headings before every text.
ALONE_LIMIT = 60
# A Chinese provision names neither its law nor its subject where the law's title has said them: under the title recall@10 of
# the ranking on STARD is 0.577, alone 0.553. A state's name before every title tells none of its laws from another.
STATE = "中华人民共和国"
CONTEXT_MARK = " > "
# How texts are cut for the embedder, by number: part of its identity, so that vectors of one way never stand beside another's.
CUT = "2"
# The embedder reads 512 tokens: English takes about 4.5 characters a token, Chinese 1.5; context takes up to a third.
WINDOW_UNITS = 1_500
CONTEXT_UNITS = 500
# A Chinese character costs the embedder about as many tokens as three Latin letters.
HAN_UNITS = 3
# Neighbouring windows share this part, so that a sentence on the border is whole in one of them.
OVERLAP_UNITS = 200
# The middle of a text of 30,000 characters is found by its words; more windows would only slow the exact search.
WINDOWS_LIMIT = 24

_WHITE = re.compile(r"\s+")


def lead_in_of(ancestors: Sequence[Clause]) -> str:
    """The lead-in of a clause from its ancestors, outermost first: short texts stand for headings, and the parent's text.

    Empty when no ancestor has words of its own.
    """
    parts = [_line(ancestor.text) for ancestor in ancestors[:-1] if 0 < len(ancestor.text.strip()) <= HEADING_LIMIT]
    if ancestors and ancestors[-1].text.strip():
        parts.append(_line(ancestors[-1].text)[:LEAD_IN_LIMIT])
    return " > ".join(parts)


def indexed_text(clause: Clause, title: str, lead_in: str) -> str:
    """Two parts joined by the first LF: one line of context (title, heading path, lead-in), then heading and own text.

    A clause without words of its own and without a heading gives an empty string: there is nothing to find it by.
    """
    body = "\n".join(part for part in (_line(clause.heading), clause.text.strip()) if part)
    if not body:
        return ""
    context = [_line(part) for part in (title, *clause.heading_path, lead_in)]
    return CONTEXT_MARK.join(part for part in context if part) + "\n" + body


def text_key(indexed: str) -> str:
    """Lower-case hex sha256 of the indexed text: the key of its postings and its vectors."""
    return sha256_text(indexed)


def windows(indexed: str) -> list[str]:
    """Pieces for the embedder, each under its 512 tokens, one for most clauses; short texts are led by their context, Chinese
    ones by their document's title."""
    context, _, body = indexed.partition("\n")
    head = _head(context, body)
    room = WINDOW_UNITS - _units(head)
    pieces: list[str] = []
    start = 0
    while start < len(body) and len(pieces) < WINDOWS_LIMIT:
        end = _end(body, start, room)
        pieces.append(f"{head}\n{body[start:end]}" if head else body[start:end])
        if end >= len(body):
            break
        start = _back(body, end, start)
    return pieces or ([head] if head else [])


def _head(context: str, body: str) -> str:
    units = _units(body)
    if units < ALONE_LIMIT:
        return _cut(context, CONTEXT_UNITS)
    mostly_han = units > (1 + HAN_UNITS) / 2 * len(body)
    return _cut(context.partition(CONTEXT_MARK)[0].removeprefix(STATE), CONTEXT_UNITS) if mostly_han else ""


def _line(text: str) -> str:
    return _WHITE.sub(" ", text).strip()


def _unit(char: str) -> int:
    return HAN_UNITS if ord(char) >= 0x2E80 else 1


def _units(text: str) -> int:
    return len(text) if text.isascii() else sum(map(_unit, text))


def _cut(text: str, units: int) -> str:
    """``text`` itself, or its last part of at most ``units``: the nearest headings say most."""
    if _units(text) <= units:
        return text
    taken, at = 0, len(text)
    while at and taken + _unit(text[at - 1]) <= units:
        at -= 1
        taken += _unit(text[at])
    return text[at:]


def _end(text: str, start: int, units: int) -> int:
    """Where the window from ``start`` ends: after white space or a full stop in its last fifth when there is one."""
    if _units(text[start:]) <= units:
        return len(text)
    taken, at = 0, start
    while at < len(text) and taken + _unit(text[at]) <= units:
        taken += _unit(text[at])
        at += 1
    if at == len(text):
        return at
    for back in range(at, at - max(1, (at - start) // 5), -1):
        if text[back - 1].isspace() or text[back - 1] in "。；;.":
            return back
    return at


def _back(text: str, end: int, start: int) -> int:
    """Where the next window starts: ``OVERLAP_UNITS`` before ``end``, always past ``start``."""
    taken, at = 0, end
    while at > start + 1 and taken + _unit(text[at - 1]) <= OVERLAP_UNITS:
        at -= 1
        taken += _unit(text[at])
    return at
