"""The counters of HTML lists as a browser renders them."""

from __future__ import annotations

from collections.abc import Callable

_ROMAN = (
    (1000, "m"),
    (900, "cm"),
    (500, "d"),
    (400, "cd"),
    (100, "c"),
    (90, "xc"),
    (50, "l"),
    (40, "xl"),
    (10, "x"),
    (9, "ix"),
    (5, "v"),
)
_ROMAN_END = ((4, "iv"), (1, "i"))
# Romans above this are not rendered as romans by any browser.
MAX_ROMAN = 3999
MAX_ORDINAL = 2**31 - 1
_DIGITS = "〇一二三四五六七八九"


def roman(number: int) -> str:
    """Lower-case Roman numeral; the decimal where Romans had none."""
    if not 1 <= number <= MAX_ROMAN:
        return str(number)
    out = ""
    for value, sign in _ROMAN + _ROMAN_END:
        out += sign * (number // value)
        number %= value
    return out


def letters(number: int) -> str:
    """a … z, aa, ab …; the decimal below one."""
    if number < 1:
        return str(number)
    out = ""
    while number:
        number, rest = divmod(number - 1, 26)
        out = chr(97 + rest) + out
    return out


def chinese(number: int) -> str:
    """一 … 九十九 as cjk-ideographic lists print them; the decimal above."""
    if not 1 <= number <= 99:
        return str(number)
    tens, ones = divmod(number, 10)
    head = ("" if tens < 2 else _DIGITS[tens]) + ("十" if tens else "")
    return head + (_DIGITS[ones] if ones else "")


_STYLES: dict[str, Callable[[int], str]] = {
    "a": letters,
    "A": lambda number: letters(number).upper(),
    "i": roman,
    "I": lambda number: roman(number).upper(),
    "1": str,
    "lower-alpha": letters,
    "lower-latin": letters,
    "upper-alpha": lambda number: letters(number).upper(),
    "upper-latin": lambda number: letters(number).upper(),
    "lower-roman": roman,
    "upper-roman": lambda number: roman(number).upper(),
    "cjk-ideographic": chinese,
    "simp-chinese-informal": chinese,
    "decimal": str,
    "decimal-leading-zero": lambda number: f"{number:02d}",
}


def counter(number: int, style: str) -> str:
    """The label of item ``number`` in ``style`` (an HTML ``type`` or a CSS list style)."""
    mark = "、" if style in ("cjk-ideographic", "simp-chinese-informal") else ". "
    return _STYLES.get(style, str)(number) + mark


def ordinal(text: str | None, default: int) -> int:
    """An integer attribute as HTML reads it."""
    try:
        value = int((text or "").strip()[:12])
    except ValueError:
        return default
    return max(-MAX_ORDINAL, min(MAX_ORDINAL, value))
