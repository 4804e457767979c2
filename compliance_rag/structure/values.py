"""Numbers, durations, dates, amounts and percentages in both scripts as values: 七年, "seven (7) years" and 7 年 are one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Literal

Kind = Literal["number", "duration", "date", "amount", "percent", "count"]
Bound = Literal["min", "max", "over", "under"]

# A hostile run of digits is cut here: no rule counts to 10**30, and longer runs only cost time.
NUMBER_LIMIT = 30
# A bound word counts when it stands this close before the number ("no later than the end of the … 30 days" does not).
BOUND_REACH = 32


@dataclass(frozen=True, slots=True)
class Value:
    """A quantity. ``unit``: year month week day hour minute second (durations; ``business day`` apart), a currency code, ``%``,
    a Chinese counter, or empty. ``amount`` is exact; for dates it is 0 and ``unit`` the ISO day, month or month-day.
    ``bound`` is what the words beside it make of it: at least, at most, more than, less than."""

    kind: Kind
    amount: Fraction
    unit: str = ""
    bound: Bound | None = None

    def same(self, other: Value) -> bool:
        """Equal as a quantity, bounds aside. A bare number equals any quantity of that amount except a date."""
        if self.kind == "number" and other.kind != "date":
            return self.amount == other.amount
        if self.kind == "count" and other.kind in ("count", "number"):
            return self.amount == other.amount
        if self.kind == "date" and other.kind == "date":
            return self.unit == other.unit or other.unit.startswith(self.unit + "-") or self.unit.endswith(other.unit)
        return self.kind == other.kind and self.amount == other.amount and self.unit == other.unit


_HAN_DIGIT = {
    c: v for v, cs in enumerate(("零〇", "一壹", "二贰两", "三叁", "四肆", "五伍", "六陆", "七柒", "八捌", "九玖")) for c in cs
}
_HAN_SMALL = {"十": 10, "拾": 10, "百": 100, "佰": 100, "千": 1000, "仟": 1000}
_HAN_BIG = {"万": 10_000, "亿": 100_000_000}
_HAN_NUM = "零〇一壹二贰两三叁四肆五伍六陆七柒八捌九玖十拾百佰千仟万亿"


def read_han_number(text: str) -> int | None:
    """The value of a Chinese numeral (二百, 两万五千, 二〇二六), None when ``text`` is not one."""
    if not text or any(char not in _HAN_NUM for char in text):
        return None
    if all(char in _HAN_DIGIT for char in text):
        return int("".join(str(_HAN_DIGIT[char]) for char in text))
    total = section = digit = 0
    for char in text:
        if char in _HAN_DIGIT:
            digit = _HAN_DIGIT[char]
        elif char in _HAN_SMALL:
            section += (digit or 1) * _HAN_SMALL[char]
            digit = 0
        else:
            total = (total + section + digit) * _HAN_BIG[char] if section or digit or not total else total * _HAN_BIG[char]
            section = digit = 0
    return total + section + digit


_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "seventeen",
    "eighteen",
    "nineteen",
]
_TENS = dict(
    zip(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], range(20, 100, 10), strict=True)
)
_WORD_VALUE = {word: value for value, word in enumerate(_ONES)} | _TENS
_WORD_SCALE = {"hundred": 100, "thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000}
_EN_WORD = "|".join([*sorted(_WORD_VALUE, key=len, reverse=True), *_WORD_SCALE])
_EN_NUM = rf"(?:{_EN_WORD})(?:(?:[\s-]+and)?[\s-]+(?:{_EN_WORD}))*"


def read_english_number(text: str) -> int | None:
    """The value of an English number in words ("two hundred and fifty", "twenty-one"), None when ``text`` is not one."""
    total = current = 0
    words = [word for word in re.split(r"[\s-]+", text.lower()) if word and word != "and"]
    for word in words:
        if word in _WORD_VALUE:
            current += _WORD_VALUE[word]
        elif word == "hundred":
            current = (current or 1) * 100
        elif word in _WORD_SCALE:
            total += (current or 1) * _WORD_SCALE[word]
            current = 0
        else:
            return None
    return total + current if words else None


_DIGITS = rf"\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,{NUMBER_LIMIT}}}(?:\.\d{{1,{NUMBER_LIMIT}}})?"
_NUM = rf"(?:(?:{_DIGITS})(?:[万亿千百]{{1,2}}|\s*(?:million|billion|thousand)\b)?|\b{_EN_NUM}\b|[{_HAN_NUM}]+)"
_DOUBLED = rf"(?P<num>{_NUM})(?:\s*[(（]\s*(?:{_DIGITS}|{_EN_NUM}|[{_HAN_NUM}]+)\s*[)）])?"


def read_number(text: str) -> Fraction | None:
    """The value of a number in digits (with thousands commas, 万/亿, million), English words or Chinese numerals."""
    text = text.strip().lower().replace(",", "")
    scale = 1
    for word, factor in (("million", 10**6), ("billion", 10**9), ("thousand", 10**3)):
        if text.endswith(word) and text[: -len(word)].strip()[:1].isdigit():
            text, scale = text[: -len(word)].strip(), factor
    while text[:1].isdigit() and text[-1:] in ("万", "亿", "千", "百"):
        scale *= {"百": 100, "千": 1000, "万": 10_000, "亿": 100_000_000}[text[-1]]
        text = text[:-1]
    if text[:1].isdigit():
        try:
            return Fraction(Decimal(text)) * scale
        except InvalidOperation:
            return None
    whole = read_han_number(text)
    if whole is None:
        whole = read_english_number(text)
    return None if whole is None else Fraction(whole)


_UNITS = {
    "year": "year", "yr": "year", "年": "year", "周年": "year", "month": "month", "个月": "month", "月": "month",
    "week": "week", "周": "week", "星期": "week", "个星期": "week", "calendar day": "day", "day": "day", "日": "day",
    "天": "day", "自然日": "day", "日历日": "day", "business day": "business day", "working day": "business day",
    "个工作日": "business day", "工作日": "business day", "trading day": "trading day", "交易日": "trading day",
    "个交易日": "trading day", "hour": "hour", "小时": "hour", "个小时": "hour", "minute": "minute", "分钟": "minute",
    "second": "second", "秒": "second",
}  # fmt: skip
_UNIT = "|".join(
    (rf"{u}s?\b" if u.isascii() else u) for u in sorted(_UNITS, key=lambda u: (-len(u), u)) if u != "月"
)  # 月 alone names a month of the year (6月), never a length
_CURRENCIES = {
    "$": "USD", "us$": "USD", "usd": "USD", "dollar": "USD", "美元": "USD", "€": "EUR", "eur": "EUR", "euro": "EUR",
    "欧元": "EUR", "£": "GBP", "gbp": "GBP", "pound": "GBP", "英镑": "GBP", "¥": "CNY", "￥": "CNY", "rmb": "CNY",
    "cny": "CNY", "yuan": "CNY", "元": "CNY", "人民币": "CNY", "s$": "SGD", "sgd": "SGD", "hk$": "HKD", "hkd": "HKD",
    "港元": "HKD", "jpy": "JPY", "日元": "JPY", "aed": "AED", "chf": "CHF",
}  # fmt: skip
_BEFORE = "|".join(
    re.escape(c) for c in sorted(_CURRENCIES, key=len, reverse=True) if c not in ("元", "dollar", "pound", "euro", "yuan")
)
_AFTER = "|".join(
    (rf"{c}s?\b" if c.isascii() else c)
    for c in sorted((c for c in _CURRENCIES if c.isalpha() and c != "人民币"), key=len, reverse=True)
)
_COUNTERS = "人|名|次|倍|个|份|家|项|件|部|条|款|台|套|层|级|例|股|户|席|票|位|期"
_MONTHS = [
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november",
    "december",
]  # fmt: skip
_MONTH = "|".join(rf"{m}|{m[:3]}\.?" if len(m) > 3 else m for m in _MONTHS) + "|sept\\.?"

_DATE = re.compile(
    rf"(?P<iso>\b\d{{4}}[-/]\d{{1,2}}[-/]\d{{1,2}}\b)"
    rf"|(?P<zy>\d{{4}}|[〇零一二三四五六七八九]{{4}})\s*年\s*(?P<zm>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})\s*月(?:\s*(?P<zd>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})\s*日)?"
    rf"|(?P<zm2>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})\s*月\s*(?P<zd2>\d{{1,2}}|[一二三四五六七八九十]{{1,3}})\s*日"
    rf"|\b(?P<d1>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:day\s+of\s+)?(?P<m1>{_MONTH})\b,?(?:\s+(?P<y1>\d{{4}})\b)?"
    rf"|\b(?P<m2>{_MONTH})\s+(?P<d2>\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<y2>\d{{4}})\b)?"
    rf"|\b(?P<m3>{_MONTH})\s+(?P<y3>\d{{4}})\b",
    re.I,
)
_QUANTITY = re.compile(
    rf"(?P<pct>百分之(?P<pz>(?:{_DIGITS})|[{_HAN_NUM}]+)|千分之(?P<qz>(?:{_DIGITS})|[{_HAN_NUM}]+)|万分之(?P<wz>(?:{_DIGITS})|[{_HAN_NUM}]+))"
    rf"|(?P<frz>[{_HAN_NUM}]+)分之(?P<nrz>[{_HAN_NUM}]+)"
    rf"|\b(?P<fre>one|two|three|four)[\s-](?P<dre>half|third|quarter|fifth|tenth)s?\b"
    rf"|(?P<half>半\s*(?:年|个月|日|小时)|\bhalf\s+an?\s+(?:year|month|day|hour)\b)"
    rf"|(?P<cur>{_BEFORE})\s*(?P<anum>{_NUM})(?:\s*(?:{_AFTER}))?"
    rf"|第\s*(?P<ord>{_NUM})"
    rf"|{_DOUBLED}\s*(?P<percent>%|percent\b|per\s?cent\b)"
    rf"|{_DOUBLED.replace('?P<num>', '?P<cnum>')}\s*(?P<after>{_AFTER})"
    rf"|{_DOUBLED.replace('?P<num>', '?P<dnum>')}(?:\s+full|\s+consecutive|\s+calendar)?[\s-]*(?P<unit>{_UNIT})"
    rf"|{_DOUBLED.replace('?P<num>', '?P<znum>')}\s*(?P<count>{_COUNTERS})"
    rf"|(?P<bare>(?:{_DIGITS})(?:[万亿]|\s*(?:million|billion|thousand)\b)?)|\b(?P<word>{_EN_NUM})\b",
    re.I,
)
_BOUNDS: tuple[tuple[Bound, re.Pattern[str]], ...] = (
    ("min", re.compile(
        r"at least|not less than|no less than|no fewer than|not fewer than|minimum(?: of)?"
        r"|至少|不少于|不低于|不得少于|不得低于|最低|不小于", re.I)),
    ("max", re.compile(
        r"at most|not more than|no more than|no later than|not exceed(?:ing)?|not to exceed|up to|maximum(?: of)?|within"
        r"|不超过|不得超过|最多|不高于|不得高于|最长|最高", re.I)),
    ("over", re.compile(r"more than|over|exceed(?:s|ing)?|longer than|greater than|older than|超过|多于|高于", re.I)),
    ("under", re.compile(r"less than|fewer than|under|below|shorter than|少于|低于|不足|不满", re.I)),
)  # fmt: skip
_BOUND_AFTER = re.compile(r"\s*(?:(?P<min>以上|or more|or longer)|(?P<max>以下|以内|之?内|or less|or fewer))", re.I)
_DENOMINATOR = {"half": 2, "third": 3, "quarter": 4, "fifth": 5, "tenth": 10}


def _bound(text: str, start: int, end: int) -> Bound | None:
    after = _BOUND_AFTER.match(text, end)
    if after:
        return "min" if after.group("min") else "max"
    head = text[max(0, start - BOUND_REACH) : start]
    last: tuple[int, int, Bound] | None = None
    for name, pattern in _BOUNDS:
        for match in pattern.finditer(head):
            if len(head[match.end() :].split()) <= 2 and (last is None or (match.end(), -match.start()) > last[:2]):
                last = (match.end(), -match.start(), name)
    return None if last is None else last[2]


def _iso(year: str | None, month: int, day: str | None) -> str:
    number = read_number(day) if day else None
    tail = f"{month:02d}" + ("" if number is None else f"-{int(number):02d}")
    year_number = read_number(year) if year else None
    return tail if year_number is None else f"{int(year_number):04d}-{tail}"


def _month(name: str) -> int:
    return next(at for at, month in enumerate(_MONTHS, 1) if month.startswith(name.lower().rstrip(".")[:3]))


def _date_value(match: re.Match[str]) -> str:
    group = match.groupdict()
    if group["iso"]:
        year, month, day = re.split(r"[-/]", group["iso"])
        return _iso(year, int(month), day)
    if group["zm"] or group["zm2"]:
        month_number = read_number(group["zm"] or group["zm2"])
        return _iso(group["zy"], int(month_number or 0), group["zd"] or group["zd2"])
    name = group["m1"] or group["m2"] or group["m3"]
    return _iso(group["y1"] or group["y2"] or group["y3"], _month(name), group["d1"] or group["d2"])


def _fraction(text: str) -> Fraction:
    return read_number(text) or Fraction(0)


def _share(group: dict[str, str | None]) -> Value | None:
    for name, base in (("pz", 1), ("qz", 10), ("wz", 100)):
        if group[name]:
            return Value("percent", _fraction(str(group[name])) / base, "%")
    if group["frz"] and group["nrz"]:
        below = _fraction(group["frz"])
        return Value("percent", _fraction(group["nrz"]) / below * 100, "%") if below else None
    if group["fre"] and group["dre"]:
        return Value("percent", Fraction(_WORD_VALUE[group["fre"].lower()] * 100, _DENOMINATOR[group["dre"].lower()]), "%")
    if group["percent"]:
        return Value("percent", _fraction(str(group["num"])), "%")
    return None


def _unit_name(text: str) -> str:
    text = re.sub(r"\s+", " ", text.lower())
    return _UNITS.get(text) or _UNITS[text.removesuffix("s")]


def _quantity(match: re.Match[str]) -> Value | None:
    group = match.groupdict()
    share = _share(group)
    if share or group["pct"] or group["frz"]:
        return share
    if group["half"]:
        unit = next(unit for word, unit in _UNITS.items() if group["half"].lower().endswith(word))
        return Value("duration", Fraction(6), "month") if unit == "year" else Value("duration", Fraction(1, 2), unit)
    if group["cur"]:
        return Value("amount", _fraction(str(group["anum"])), _CURRENCIES[group["cur"].lower()])
    if group["ord"]:
        return Value("number", _fraction(group["ord"]))
    if group["after"]:
        name = group["after"].lower()
        code = _CURRENCIES.get(name) or _CURRENCIES[name.removesuffix("s")]
        return Value("amount", _fraction(str(group["cnum"])), code)
    if group["unit"]:
        return Value("duration", _fraction(str(group["dnum"])), _unit_name(group["unit"]))
    if group["count"]:
        return Value("count", _fraction(str(group["znum"])), group["count"])
    number = read_number(str(group["bare"] or group["word"]))
    # "one" alone is mostly a pronoun ("one of the following"); as a quantity it comes with a unit and is read above.
    return None if number is None or (group["word"] and number == 1) else Value("number", number)


def read_values(text: str) -> Iterator[tuple[Value, int, int]]:
    """Every quantity of ``text`` with its offsets in the NFKC form of ``text``, dates first taken out, in order of kind.

    Clause numbers are numbers too: the caller decides whose. Says nothing about what a quantity is a quantity *of*.
    """
    folded = unicodedata.normalize("NFKC", text)
    pieces: list[str] = []
    done = 0
    for match in _DATE.finditer(folded):
        if (match.group("m1") or match.group("m2") or match.group("m3")) == "may":
            continue  # "may 3 times": the month is written with a capital, the verb is not
        yield Value("date", Fraction(0), _date_value(match)), match.start(), match.end()
        pieces += [folded[done : match.start()], "\x00" * (match.end() - match.start())]
        done = match.end()
    masked = "".join(pieces) + folded[done:]
    for match in _QUANTITY.finditer(masked):
        value = _quantity(match)
        if value is not None:
            bound = _bound(masked, match.start(), match.end())
            yield Value(value.kind, value.amount, value.unit, bound), match.start(), match.end()


def values(text: str) -> tuple[Value, ...]:
    """The quantities of ``text``, without positions."""
    return tuple(value for value, _, _ in read_values(text))
