"""What a question asks for (a length of time, a sum, a number, a place in the text) and which days a passage speaks of."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from compliance_rag.structure.values import Kind, Value, read_values, values
from schemas.dates import Interval

_WANTS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (
        "duration",
        re.compile(
            r"\bhow\s+(?:long|soon|fast|quickly|old|often|many\s+(?:\w+\s+)?(?:years?|months?"
            r"|weeks?|days?|hours?|minutes?))\b|\bhow much\s+(?:notice|warning|time)\b"
            r"|\bby when\b|\bdeadlines?\b|\b(?:time[\s-]?)?(?:limit|frame)\b|\b(?:validity"
            r"|retention|notice|reuse)\s+period\b|\bperiods?\b|\bwithin what\b"
            r"|\bwhat\s+is\s+the\s+(?:maximum|minimum)?\s*(?:term|duration|age)\b"
            r"|多久|多长时间|多少[年天日月个小]|几[年天日个]|期限|时限|何时|多快|时间要求",
            re.I,
        ),
    ),
    (
        "amount",
        re.compile(
            r"\bhow\s+much\b|\bwhat\s+(?:is\s+the\s+)?(?:\w+\s+){0,2}(?:fines?|fees?|penalt\w+"
            r"|price|cap|ceiling|sums?|amounts?|cost)\b|\bthe most\b|罚款|多少钱|金额|费用"
            r"|服务费|多少元|上限|怎么扣",
            re.I,
        ),
    ),
    ("percent", re.compile(r"\bpercent\w*\b|\bwhat\s+(?:share|proportion|rate)\b|比例|百分之几|多少比例|利率|费率", re.I)),
    ("count", re.compile(r"\bhow\s+many\b|人数|多少[人名次份家]|几[人名次份家]", re.I)),
    (
        "date",
        re.compile(
            r"\bon\s+(?:what|which)\s+(?:date|day)\b|\bwhen\s+(?:else\s+)?(?:is|are|was|were|must|do|does|did"
            r"|will|shall|can|may|might|should|has|have|had|would|need)\b|\b(?:since|until|from|by|say|state|know|tell)\s+when\b|什么时候|哪一?天|何时|何日",
            re.I,
        ),
    ),
)
_START = re.compile(
    r"(?:on\s+or\s+after|on\s+and\s+after|effective(?:\s+(?:from|on|as\s+of))?|from|since|starting|commencing|after|自|从)\s*$",
    re.I,
)
_END = re.compile(r"(?:before|until|prior\s+to|up\s+to|through|to|至|到|截至)\s*$", re.I)
_START_AFTER = re.compile(r"\s*(?:起|以后|之后|后)")
_END_AFTER = re.compile(r"\s*(?:以前|之前|前|止)")
_HEAD_START = re.compile(r"on\s+or\s+after|from|start|after|since|自|起|开始", re.I)
_HEAD_END = re.compile(r"before|until|\bend|prior|止|截止|之前", re.I)
_REACH = 24
_EXCEPTION = re.compile(r"^\s*(?:except|unless|notwithstanding|provided|however|but)\b|^\s*(?:但|除|不适用|然而)", re.I)
_OPERATIVE = re.compile(r"\b(?:shall|must|may|will|is|are|means|required|prohibited)\b|应当|不得|可以|必须|是指|处|由", re.I)


@lru_cache(maxsize=4_096)
def wants(question: str) -> frozenset[Kind]:
    """The kinds of quantity an answer to ``question`` would hold; empty when it asks for none."""
    found = {kind for kind, pattern in _WANTS if pattern.search(question)}
    return frozenset(found | ({"number"} if "count" in found else set()))


_PART = re.compile(
    r"[,;]?\s+(?:and|but|or)\s+(?=(?:if\s+(?:so|not)\b|in\s+which|by\s+when|when|where|what|which|who|whom|how|why|does|do|is|are|may|can|must"
    r"|shall|should|will|has|have|need)\b)|[?？；;]\s*|[,，](?=[^,，]*(?:吗|多久|多少|什么|哪|谁|怎么|如何|是否|能不能|有没有|几))",
    re.I,
)


@lru_cache(maxsize=4_096)
def parts_of(question: str) -> tuple[str, ...]:
    """The questions that a question joins ("how long …, and may it …?"); one when it joins none."""
    found = tuple(part.strip() for part in _PART.split(question) if part.strip())
    return found or (question,)


def without_dates(text: str) -> str:
    """``text`` in NFKC with its dates taken out: a day narrows a question and is no subject of it."""
    folded = unicodedata.normalize("NFKC", text)
    for _, start, end in [found for found in read_values(text) if found[0].kind == "date"]:
        folded = folded[:start] + " " * (end - start) + folded[end:]
    return folded


@lru_cache(maxsize=65_536)
def quantities(text: str) -> tuple[Value, ...]:
    """The quantities of a passage, cached: candidates come back in question after question."""
    return values(text)


def answers_kind(text: str, kinds: frozenset[Kind]) -> bool:
    """True when ``text`` holds a quantity of a kind asked for."""
    return any(value.kind in kinds for value in quantities(text))


def question_day(question: str, as_of: date) -> date:
    """The single full day named in ``question``, else ``as_of``: the day its schedules and tables are read for."""
    days = [day for value in quantities(question) if value.kind == "date" and (day := _day(value.unit)) is not None]
    return days[0] if len(days) == 1 else as_of


def _day(unit: str) -> date | None:
    try:
        return date.fromisoformat(unit) if len(unit) == 10 else None
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class DayFit:
    """Whether a passage names days that bound it, and whether the day asked about lies between them."""

    bounded: bool
    inside: bool


@lru_cache(maxsize=65_536)
def _prose_interval(text: str) -> Interval | None:
    start: date | None = None
    end: date | None = None
    for value, left, right in read_values(text):
        day = _day(value.unit) if value.kind == "date" else None
        if day is None:
            continue
        head = text[max(0, left - _REACH) : left].rstrip()
        if _END.search(head) or _END_AFTER.match(text, right):
            end = day if end is None else min(end, day)
        elif _START.search(head) or _START_AFTER.match(text, right):
            start = day if start is None else max(start, day)
    return None if start is None and end is None else Interval(start, end)


def cells_of(line: str) -> list[str]:
    """The cells of a table row, between bars or tabs."""
    parts = line.strip().strip("|").split("|") if "|" in line else line.split("\t")
    return [part.strip(" *`") for part in parts]


@lru_cache(maxsize=65_536)
def _row_interval(row: str, header: str) -> Interval | None:
    cells, heads = cells_of(row), cells_of(header)
    start: date | None = None
    end: date | None = None
    for at, cell in enumerate(cells):
        day = next((_day(v.unit) for v in quantities(cell) if v.kind == "date"), None)
        if day is None:
            continue
        head = heads[at] if at < len(heads) else ""
        if _HEAD_END.search(head) and not _HEAD_START.search(head):
            end = day
        elif start is None and (_HEAD_START.search(head) or end is None):
            start = day
        else:
            end = day
    return None if start is None and end is None else Interval(start, end)


def day_fit(text: str, header: str | None, day: date) -> DayFit:
    """Read ``text`` (a table row when ``header`` is given) for the days it holds between; ends are exclusive."""
    interval = _prose_interval(text) if header is None else _row_interval(text, header)
    return DayFit(False, False) if interval is None else DayFit(True, interval.holds(day))


def opens_exception(text: str) -> bool:
    """True when a sentence begins by taking back what stands before it."""
    return bool(_EXCEPTION.match(text))


def operative(text: str) -> bool:
    """True when a sentence orders, forbids, allows or defines something."""
    return bool(_OPERATIVE.search(text))
