"""Labels that open a line because they go on a count: the line before may have lost its stop, or leads in without one.

"… by more than 5 per cent" / "1.2 A notice …" after 1.1 is a new clause; "… from day 11, unless" / "(a) the tenant …" with
"(b)" at the start of a later line opens a list. A number that a sentence cites does neither.
"""

from __future__ import annotations

import re
from itertools import pairwise

from compliance_rag.parse.readers.pdf_types import Line

# The second member of a list begins within this many lines of the first.
WITHIN = 14
# Members of a list begin at one edge, give or take this many font sizes.
SAME_EDGE = 0.5
_DECIMAL = re.compile(r"(\d{1,3}(?:\.\d{1,3}){1,5})\.?\s+[A-Z“\"]|(\d{1,3})\.\s+[A-Z“\"]")
_FIRST = re.compile(r"([(（]?)(a|i|1|一)([)）])\s?\S")
_SECOND = {"a": "b", "i": "ii", "1": "2", "一": "二"}
_NAMES = r"(?:sub)?(?:sections?|clauses?|paragraphs?|articles?|rules?|regulations?|schedules?|items?|points?)"
_CITES = re.compile(rf"(?i)(?:\b(?:{_NAMES}|and|or|to|of|in|see|with|under|by|nos?)\.?|[,§])\Z")
_CITES_MEMBER = re.compile(rf"(?i)\b(?:{_NAMES}|see|under)\Z")


def counted_on(opening: str, before: str, line: str) -> bool:
    """True when the number that opens ``line`` goes on the one that opened the paragraph, and ``before`` does not cite it."""
    last, found = _value(opening), _value(line)
    if last is None or found is None or _CITES.search(before):
        return False
    child = found[:-1] == last and found[-1] == 1
    return child or any(found == (*last[:depth], last[depth] + 1) for depth in range(len(last)))


def first_members(lines: list[Line]) -> set[int]:
    """Ids of lines that open with the first member of a list whose second opens a later line at the same edge."""
    out: set[int] = set()
    for at, line in enumerate(lines):
        match = _FIRST.match(line.text)
        if match is None or (at and _CITES_MEMBER.search(lines[at - 1].text)):
            continue
        second = match[1] + _SECOND[match[2]] + match[3]
        for before, other in pairwise(lines[at : at + WITHIN]):
            if other.text.startswith(second) and abs(_indent(other) - _indent(line)) <= SAME_EDGE * line.size:
                if before.text[-1:] in ".;；。,，" or before.text.endswith((" and", " or")):
                    out.add(id(line))
                break
    return out


def _indent(line: Line) -> float:
    return line.upright[0] - line.column[0]


def _value(text: str) -> tuple[int, ...] | None:
    match = _DECIMAL.match(text)
    return None if match is None else tuple(int(part) for part in (match[1] or match[2]).split("."))
