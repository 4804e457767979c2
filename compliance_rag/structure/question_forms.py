"""Forms of words in questions: the days they write out, and that they ask what changed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date

from compliance_rag.structure.calendar import FoundDate, find_dates
from schemas.clause import Span

_ASKS = re.compile(
    r"\bchang(?:e|es|ed|ing)\b|\bdiffer(?:s|ed|ent|ence|ences)?\b|\bamended\b|\brevised\b|\b(?:become|became|made|get|got|grown)\s+"
    r"(?:\w+\s+)?(?:weaker|stricter|looser|tighter|longer|shorter|higher|lower|easier|harder|stronger)\b"
    r"|\b(?:previous|earlier|former|old(?:er)?)\s+(?:version|edition|text|rule|policy|wording)\b|\bbefore\s+the\s+(?:revision|amendment)\b"
    r"|变化|修改了|改了|改动|变动|有何不同|有什么不同|区别|相比|修订前|旧版|原来的",
    re.I,
)
_BETWEEN = re.compile(
    r"\bbetween\b.+\band\b|\bfrom\b.+\bto\b|\bsince\b|\bcompared\b|\b(?:version|edition|revision)s?\b|从.+到|之间|版|修订|相比",
    re.I | re.S,
)
_ORDINAL_LINE = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth "
    "sixteenth seventeenth eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth "
    "twenty-sixth twenty-seventh twenty-eighth twenty-ninth thirtieth thirty-first"
)
_MONTH_LINE = "january february march april may june july august september october november december"
_ORDINALS, _MONTHS = tuple(_ORDINAL_LINE.split(" ")), tuple(_MONTH_LINE.split(" "))
_ORDINAL_WORD = "|".join(sorted((word.replace("-", r"[-\s]") for word in _ORDINALS), key=len, reverse=True))
_MONTH_WORD = "|".join(_MONTHS)
# The first of March 2024; March the first, 2024.
_SPELLED = re.compile(
    rf"\b(?P<day>{_ORDINAL_WORD})\s+(?:day\s+)?of\s+(?P<month>{_MONTH_WORD}),?\s+(?P<year>(?:19|20)\d\d)\b"
    rf"|\b(?P<month2>{_MONTH_WORD})\s+(?:the\s+)?(?P<day2>{_ORDINAL_WORD}),?\s+(?P<year2>(?:19|20)\d\d)\b",
    re.IGNORECASE,
)
# 20240301, and the day of a time stamp.
_COMPACT = re.compile(r"(?<![\w./-])(?P<y>(?:19|20)\d\d)(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])(?![\w./-]*\w)")
_STAMP = re.compile(
    r"(?<![\w./-])(?P<y>\d{4})-(?P<m>\d{2})-(?P<d>\d{2})T\d{2}(?::?\d{2}){0,2}(?:\.\d+)?(?:Z|[+-]\d{2}:?\d{2})?(?!\w)"
)
_FEASTS = (
    (re.compile(r"\bnew\s+year['’]?s?\s+day,?\s+(?:of\s+)?(?P<y>(?:19|20)\d\d)\b", re.IGNORECASE), 1, 1),
    (re.compile(r"\bnew\s+year['’]?s?\s+eve,?\s+(?:of\s+)?(?P<y>(?:19|20)\d\d)\b", re.IGNORECASE), 12, 31),
    (re.compile(r"\bchristmas\s+day,?\s+(?:of\s+)?(?P<y>(?:19|20)\d\d)\b", re.IGNORECASE), 12, 25),
    (re.compile(r"(?P<y>(?:19|20)\d\d)年元旦"), 1, 1),
    (re.compile(r"(?P<y>(?:19|20)\d\d)年(?:国庆节|国庆日)"), 10, 1),
)  # fmt: skip
_NAMED_MONTH = r"(?:jan|feb|mar|apr|(?-i:May)|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|tember|ober|ember)?\.?"
# A day whose year is cut short; a number with a unit after it is none.
_SHORT_YEAR = re.compile(
    rf"(?<![\w./])(?:\d{{1,2}}(?:st|nd|rd|th)?\s{{1,2}}(?:of\s{{1,2}})?{_NAMED_MONTH}|{_NAMED_MONTH}\s{{1,2}}\d{{1,2}}(?:st|nd|rd|th)?)"
    r",?\s{1,2}['’]?\d{1,3}(?![\w/:%])(?!\.\d)(?!\s*(?:calendar\s|working\s|business\s)?(?:day|week|month|year|hour|per\s?cent))"
    r"|(?<![\d〇零一二三四五六七八九十])\d{1,3}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号]",
    re.IGNORECASE,
)


def asks_what_changed(question: str) -> bool:
    """True when a question asks what became of a rule from one version to another."""
    return bool(_ASKS.search(question) and _BETWEEN.search(question))


def dates_of_question(text: str) -> list[FoundDate]:
    """The date phrases of a question in order: those of documents, and the forms that people write in questions (spelled out,
    20240301, time stamps, feasts with their year), those whose year is cut short included."""
    found = find_dates(text, "mixed")
    for made in (*_spelled(text), *_figures(text), *_feasts(text), *_short(text)):
        if not any(start < made.span[1] and made.span[0] < end for start, end in (item.span for item in found)):
            found.append(made)
    return sorted(found, key=lambda item: item.span)


def without(text: str, spans: Iterable[Span]) -> str:
    """``text`` with a blank in the place of each span; spans do not overlap."""
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]} {text[end:]}"
    return text


def _made(match: re.Match[str], year: int, month: int, day: int) -> FoundDate:
    try:
        return FoundDate(match.span(), date(year, month, day), "day", match[0])
    except ValueError:
        return FoundDate(match.span(), None, "impossible", match[0])


def _spelled(text: str) -> list[FoundDate]:
    found: list[FoundDate] = []
    for match in _SPELLED.finditer(text):
        word = re.sub(r"\s", "-", (match["day"] or match["day2"]).lower())
        month = _MONTHS.index((match["month"] or match["month2"]).lower()) + 1
        found.append(_made(match, int(match["year"] or match["year2"]), month, _ORDINALS.index(word) + 1))
    return found


def _figures(text: str) -> list[FoundDate]:
    matches = [*_STAMP.finditer(text), *_COMPACT.finditer(text)]
    return [_made(match, int(match["y"]), int(match["m"]), int(match["d"])) for match in matches]


def _feasts(text: str) -> list[FoundDate]:
    return [_made(match, int(match["y"]), month, day) for pattern, month, day in _FEASTS for match in pattern.finditer(text)]


def _short(text: str) -> list[FoundDate]:
    return [FoundDate(match.span(), None, "two_digit_year", match[0]) for match in _SHORT_YEAR.finditer(text)]
