"""Numerals as printed in labels: Chinese, Roman, letters, circled and full-width forms to integers."""

from __future__ import annotations

import re

_ZH_DIGIT = {c: i for i, c in enumerate("零一二三四五六七八九")} | {
    "〇": 0,
    "○": 0,
    "两": 2,
    "壹": 1,
    "贰": 2,
    "叁": 3,
    "肆": 4,
}
_ZH_DIGIT |= {"伍": 5, "陆": 6, "柒": 7, "捌": 8, "玖": 9}
_ZH_UNIT = {"十": 10, "百": 100, "千": 1000, "拾": 10, "佰": 100, "仟": 1000}
ZH_NUMERAL = "零〇○一二两三四五六七八九十百千壹贰叁肆伍陆柒捌玖拾佰仟"
"""The characters a Chinese label numeral may hold, for use in a character class."""

_ROMAN = re.compile(r"(?=[ivxlcdm])m{0,3}(cm|cd|d?c{0,3})(xc|xl|l?x{0,3})(ix|iv|v?i{0,3})\Z")
_ROMAN_VALUE = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
# A label numeral of more digits is a year, an amount or noise; no statute or contract counts further.
MAX_DIGITS = 4

_WIDE = {ord("０") + i: ord("0") + i for i in range(10)}
_WIDE |= {ord("Ａ") + i: ord("A") + i for i in range(26)} | {ord("ａ") + i: ord("a") + i for i in range(26)}
_WIDE |= {ord(w): ord(n) for w, n in zip("（）．　［］：－﹒", "(). []:-.", strict=True)}
_WIDE |= dict.fromkeys((0x00A0, 0x2002, 0x2003, 0x2007, 0x2009, 0x202F), 0x20) | {0x2010: 0x2D, 0x2011: 0x2D}


def narrow(text: str) -> str:
    """Full-width digits, letters, brackets, dots and spaces as ASCII, one code point for one: offsets stay."""
    return text.translate(_WIDE)


def chinese_int(text: str) -> int | None:
    """The integer a Chinese numeral below 10,000 writes, positional (一〇三) or with units (一百零三); None when it is none."""
    if not text or any(c not in _ZH_DIGIT and c not in _ZH_UNIT for c in text):
        return None
    if not any(c in _ZH_UNIT for c in text):
        return int("".join(str(_ZH_DIGIT[c]) for c in text)) if len(text) <= MAX_DIGITS else None
    total, digit, last = 0, -1, 10_000
    for char in text:
        if char in _ZH_UNIT:
            unit = _ZH_UNIT[char]
            if unit >= last or digit == 0:
                return None
            total += (1 if digit < 0 else digit) * unit
            digit, last = -1, unit
        elif _ZH_DIGIT[char] == 0:
            if digit > 0:
                return None
            digit = -1
        elif digit > 0:
            return None
        else:
            digit = _ZH_DIGIT[char]
    return total + max(digit, 0)


def roman_int(text: str) -> int | None:
    """The integer a Roman numeral (one case throughout, canonical form) writes, or None."""
    lower = text.lower()
    if text not in (lower, text.upper()) or not _ROMAN.match(lower):
        return None
    values = [_ROMAN_VALUE[c] for c in lower]
    return sum(-v if i + 1 < len(values) and values[i + 1] > v else v for i, v in enumerate(values))


def letter_int(text: str) -> int | None:
    """a=1 … z=26, then doubled letters aa=27 … zz=52 (as statutes letter them); None for any other word."""
    lower = text.lower()
    if len(lower) > 3 or not lower.isascii() or not lower.isalpha() or len(set(lower)) != 1:
        return None
    return ord(lower[0]) - 96 + 26 * (len(lower) - 1)


def circled_int(char: str) -> int | None:
    """①…⑳, ⑴…⒇, ⒈…⒛, ㈠…㈩ as integers; None for any other character."""
    code = ord(char)
    for first, last in ((0x2460, 0x2473), (0x2474, 0x2487), (0x2488, 0x249B), (0x3220, 0x3229)):
        if first <= code <= last:
            return code - first + 1
    return None


def chinese_numeral(value: int) -> str:
    """An integer from 1 to 9,999 as a statute writes it: 十七, 一百二十, 一千零五."""
    digits = "零一二三四五六七八九"
    out, zero = "", False
    for unit, name in ((1000, "千"), (100, "百"), (10, "十"), (1, "")):
        digit = value // unit % 10
        if digit:
            out += ("零" if zero and out else "") + digits[digit] + name
            zero = False
        else:
            zero = True
    return out[1:] if out.startswith("一十") else out
