"""Days that a clause's own words name as turning points: "issued on or after 15 March 2029", 自2029年3月15日起."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date

from compliance_rag.structure.calendar import find_dates
from schemas.clause import Span

# Characters before and after a date that can make a turning point of it.
_BEFORE = 40
_AFTER = 12
# A row of a table or a sentence is quoted whole up to this length, then cut around the date.
QUOTE_LIMIT = 240
_TURN = re.compile(
    r"\b(?:on\s+(?:or\s+after|and\s+from)|after|from|since|beginning(?:\s+on)?|starting(?:\s+on)?|effective(?:\s+on|\s+as\s+of)?|"
    r"before|prior\s+to|until|through|by|no\s+later\s+than)\s+(?:the\s+)?$|(?:自|从|于|至|截至|不晚于)\s*$",
    re.IGNORECASE,
)
_TURN_AFTER = re.compile(r"\s*(?:起|之前|以前|之后|以后|前|后|or\s+(?:later|after|earlier|before)|onwards?)", re.IGNORECASE)
_CELL = re.compile(r"\|\s*$")
_BREAK = re.compile(r"\n|(?<=[。；;])|(?<=\.)\s")


@dataclass(frozen=True, slots=True)
class Turn:
    """A day named, where it stands in the text, and the sentence or row around it, verbatim."""

    day: date
    span: Span
    quote: str


def turning_points(text: str) -> list[Turn]:
    """Every full calendar day of ``text`` that something starts or ends by in its own words, each day once, in order of days.
    A day in a cell of a table counts: schedules are tables. It does not say what happens on the day: the quote does."""
    found: dict[date, Turn] = {}
    for item in find_dates(text, "mixed"):
        start, end = item.span
        if item.day is None or item.day in found:
            continue
        before, after = text[max(0, start - _BEFORE) : start], text[end : end + _AFTER]
        if _TURN.search(before) or _TURN_AFTER.match(after) or _CELL.search(before):
            found[item.day] = Turn(item.day, item.span, _sentence(text, item.span))
    return [found[day] for day in sorted(found)]


def _sentence(text: str, span: Span) -> str:
    start = max((match.end() for match in _BREAK.finditer(text, 0, span[0])), default=0)
    match = _BREAK.search(text, span[1])
    end = len(text) if match is None else match.start()
    if end - start > QUOTE_LIMIT:
        start, end = max(start, span[0] - QUOTE_LIMIT // 2), min(end, span[1] + QUOTE_LIMIT // 2)
    return text[start:end].strip()
