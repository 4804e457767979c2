"""The forms one numeral of a citation may be looked up under; values are read by the parser's own readers of numerals."""

from __future__ import annotations

from compliance_rag.parse.numerals import chinese_int, narrow, roman_int

_WORDS = {
    word: str(value)
    for value, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], start=1
    )
}


def roman_value(text: str) -> int | None:
    """The value of a roman numeral in one case, else None."""
    return roman_int(text)


def chinese_value(text: str) -> int | None:
    """The value of a Chinese or decimal numeral (full-width digits too), else None."""
    plain = narrow(text)
    return int(plain) if plain.isdecimal() and plain.isascii() else chinese_int(plain)


def numeral_keys(text: str) -> tuple[str, ...]:
    """How a numeral may be keyed: as printed in lower case, then its value where it is roman, Chinese or a word."""
    low = text.lower()
    value = int(_WORDS[low]) if low in _WORDS else roman_int(low)
    if value is None:
        value = chinese_value(low)
    return (low,) if value is None or str(value) == low else (low, str(value))
