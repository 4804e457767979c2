"""Date phrases in both languages, found where they stand and never guessed."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from compliance_rag.structure.numerals import chinese_value
from schemas.clause import Span

DateRule = Literal["day", "ambiguous", "impossible", "two_digit_year", "unreadable"]

_MONTHS = {
    name: number
    for number, names in enumerate(
        ("january jan", "february feb", "march mar", "april apr", "may", "june jun", "july jul", "august aug",
         "september sept sep", "october oct", "november nov", "december dec"), start=1,
    )
    for name in names.split()
}  # fmt: skip
_MONTH = "(?:" + "|".join(sorted(_MONTHS, key=len, reverse=True)) + r")\.?"
_GAP = r"[\s\u00a0\u200e,\-]{1,4}"
# Han characters are letters to ``\\w``, but a date in figures may stand right beside them (截止2024/3/1).
_WORD = r"(?![\u4e00-\u9fff])\w"
_ZH_DIGIT = "〇○零一二三四五六七八九"
_DATE = re.compile(
    rf"""(?<!\.)(?<!{_WORD})(?P<iso>(?P<iy>\d{{4}})(?P<isep>[-/.])(?P<im>\d{{1,2}})(?P=isep)(?P<id>\d{{1,2}}))(?!{_WORD})(?!-|号|\.\d)
    |(?<![\w.])(?P<dmy>(?P<dd>\d{{1,2}})(?:st|nd|rd|th)?(?:\s{{1,2}}day)?(?:\s{{1,2}}of)?{_GAP}(?P<dm>{_MONTH}){_GAP}(?P<dy>\d{{4}}))(?!\w)
    |(?<!\w)(?P<mdy>(?P<mm>{_MONTH}){_GAP}(?P<md>\d{{1,2}})(?:st|nd|rd|th)?{_GAP}(?P<my>\d{{4}}))(?!\w)
    |(?<![./])(?<!{_WORD})(?P<num>(?P<na>\d{{1,2}})(?P<nsep>[/.\-])(?P<nb>\d{{1,2}})(?P=nsep)(?P<ny>\d{{4}}|\d{{2}}))(?!{_WORD})(?!/|号|\.\d)
    |(?P<zhshort>(?<![\d０-９.])(?:\d{{2}}|[０-９]{{2}})\s?年\s?(?:\d{{1,2}}|[０-９]{{1,2}})\s?月\s?(?:\d{{1,2}}|[０-９]{{1,2}})\s?[日号])
    |(?P<zh>(?<!\d)(?P<zy>\d{{4}}|[０-９]{{4}}|[{_ZH_DIGIT}]{{4}})\s?年\s?(?P<zm>\d{{1,2}}|[０-９]{{1,2}}|[一二三四五六七八九十]{{1,2}})\s?月\s?(?P<zd>\d{{1,2}}|[０-９]{{1,2}}|[一二三四五六七八九十]{{1,3}})\s?[日号])""",
    re.IGNORECASE | re.VERBOSE,
)
_MAY_HOLD = re.compile(r"\d{2}|年")
_CUT_YEAR = re.compile(
    r"\b(?:effective(?:\s{1,2}date)?|in force(?: from| on)?|commenc(?:es|ing)|"
    r"dated|as (?:of|at))\s{0,2}:?\s{1,2}(?:on |from |as of )?(\d{3})(?=\s{0,2}(?:[.,;\n?]|\Z))|"
    r"截[至止]\s?(\d{3})(?=年|[，,。？])",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class FoundDate:
    """A date phrase: ``span`` counts in the text searched; ``day`` is None unless ``rule`` is ``day``.

    ``rule``: ``day`` one calendar day; ``ambiguous`` day and month may be swapped; ``impossible`` no such day;
    ``two_digit_year``; ``unreadable`` a number standing where a date should. ``readings`` are the days an ambiguous one may be.
    """

    span: Span
    day: date | None
    rule: DateRule
    text: str
    readings: tuple[date, ...] = ()


def find_dates(text: str, language: str) -> list[FoundDate]:
    """Every date phrase of ``text`` in order; both languages' forms are read whatever ``language`` says."""
    del language  # both forms occur in documents of either language
    if not _MAY_HOLD.search(text):
        return []
    found = [_read(match) for match in _DATE.finditer(text) if not _is_number(match)]
    taken = [item.span for item in found]
    for match in _CUT_YEAR.finditer(text):
        span = match.span(match.lastindex or 1)
        if not any(start <= span[0] < end for start, end in taken):
            found.append(FoundDate(span, None, "unreadable", text[slice(*span)]))
    return sorted(found, key=lambda item: item.span)


def _is_number(match: re.Match[str]) -> bool:
    """``4.9.10`` is a section and ``99-12-2020`` a telephone number: dots want four-digit years, dashes real days."""
    if not match["num"] or match["nsep"] == "/":
        return False
    first, second = sorted((int(match["na"]), int(match["nb"])))
    return (match["nsep"] == "." and len(match["ny"]) == 2) or first > 12 or second > 31 or first == 0


def _read(match: re.Match[str]) -> FoundDate:
    span, text = match.span(), match[0]
    if match["iso"]:
        return _day(span, text, int(match["iy"]), int(match["im"]), int(match["id"]))
    if match["dmy"]:
        return _day(span, text, int(match["dy"]), _month(match["dm"]), int(match["dd"]))
    if match["mdy"]:
        return _day(span, text, int(match["my"]), _month(match["mm"]), int(match["md"]))
    if match["zhshort"]:
        return FoundDate(span, None, "two_digit_year", text)
    if match["zh"]:
        year, month, day = (_zh(match[key]) for key in ("zy", "zm", "zd"))
        return _day(span, text, year, month, day)
    return _numeric(span, text, int(match["na"]), int(match["nb"]), match["ny"])


def _numeric(span: Span, text: str, first: int, second: int, year_text: str) -> FoundDate:
    """``03/04/2025``: one reading only when the other is no day, or both are the same day."""
    if len(year_text) == 2:
        return FoundDate(span, None, "two_digit_year", text)
    year = int(year_text)
    readings = {day for day in (_make(year, second, first), _make(year, first, second)) if day is not None}
    if not readings:
        return FoundDate(span, None, "impossible", text)
    if len(readings) == 1:
        return FoundDate(span, readings.pop(), "day", text)
    return FoundDate(span, None, "ambiguous", text, tuple(sorted(readings)))


def _day(span: Span, text: str, year: int, month: int, day: int) -> FoundDate:
    made = _make(year, month, day)
    return FoundDate(span, made, "impossible" if made is None else "day", text)


def _make(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def _month(name: str) -> int:
    return _MONTHS[name.lower().rstrip(".")]


def after(day: date, unit: str, count: int) -> date | None:
    """``count`` days, weeks, months or years after ``day``; the last day of a month that has no such day; None beyond the
    calendar's end."""
    if unit in ("day", "week"):
        try:
            return day + timedelta(days=count * (7 if unit == "week" else 1))
        except OverflowError:
            return None
    months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return next(
        (made for last in range(day.day, 27, -1) if (made := _make(year, month + 1, last))), _make(year, month + 1, day.day)
    )


def _zh(text: str) -> int:
    value = chinese_value(text.replace("○", "〇"))
    return 0 if value is None else value
