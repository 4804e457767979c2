"""Raised smaller figures of a PDF: marks of notes, written ``[1]`` as in Word files, and exponents.

Between the reading of a page and the putting together of its text they are kept as characters of their own (of a private
plane, which no file uses), so that a line can be cut and joined without losing which of its figures are raised.
"""

from __future__ import annotations

import re
from array import array
from dataclasses import replace
from math import nan

import numpy as np
from numpy.typing import NDArray

from compliance_rag.parse.readers.pdf_types import Line

# A raised figure is at most this share of its line's type, and stands this many font sizes above its base line.
RAISED_SIZE = 0.8
RAISED_BY = 0.12
# Larger ones, up to this share, stand higher.
LARGE_SIZE, LARGE_BY = 0.88, 0.28
_FIRST = 0xF5F30
# Signs of an exponent, after the ten figures.
_SIGNS = {"-": _FIRST + 10, "\u2212": _FIRST + 10, "+": _FIRST + 11}
_RUN = re.compile(f"[{chr(_FIRST + 10)}{chr(_FIRST + 11)}]?[{chr(_FIRST)}-{chr(_FIRST + 9)}]{{1,4}}")
# Units of length whose powers are areas and volumes, after a figure or a word.
_UNIT = re.compile(r"(?:^|[\s\d(/])(?:[cdkm]?m|ft|yd|mi)\s?$")
_NOTE = re.compile(r"(\d{1,3})\s?")
_TO_PLAIN = {_FIRST + at: char for at, char in enumerate("0123456789-+")}
_TO_EXPONENT = {_FIRST + at: char for at, char in enumerate("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺")}
_FROM_PLAIN = {ord(str(digit)): chr(_FIRST + digit) for digit in range(10)} | {
    ord(sign): chr(code) for sign, code in _SIGNS.items()
}
_FIGURES = re.compile("[-\u2212+]?[0-9]{1,9}")


def stands_raised(own: float, rise: float, size: float) -> bool:
    """True for type of size ``own`` that stands ``rise`` above the base line of type of ``size`` as a raised figure does."""
    return (own <= RAISED_SIZE * size and rise >= RAISED_BY * size) or (own <= LARGE_SIZE * size and rise >= LARGE_BY * size)


def mark_raised(chars: NDArray[np.str_], sizes: list[float], bases: list[float], usual: int, first: int, last: int) -> None:
    """Turn the raised figures of the line from ``first`` to ``last`` into characters of their own, in place. ``usual`` is a
    character of the line's usual type; ``sizes`` and ``bases``: of each character, in points, upright."""
    size, base = sizes[usual], bases[usual]
    if min(sizes[first:last]) > LARGE_SIZE * size:
        return
    for at in range(first, last):
        if not stands_raised(sizes[at], base - bases[at], size):
            continue
        if "0" <= chars[at] <= "9":
            chars[at] = chr(_FIRST + int(chars[at]))
        # A sign stands before a raised figure; between two of them it parts the marks of notes.
        elif chars[at] in _SIGNS and at + 1 < last and "0" <= chars[at + 1] <= "9" and sizes[at + 1] <= LARGE_SIZE * size:
            chars[at] = chars[at] if at > first and _is_raised(chars[at - 1]) else chr(_SIGNS[chars[at]])


def _is_raised(char: str) -> bool:
    return chr(_FIRST) <= char <= chr(_FIRST + 9)


def raised(line: Line) -> Line:
    """A line of figures alone, with a sign it may be, with its figures raised."""
    return replace(line, text=line.text.translate(_FROM_PLAIN)) if _FIGURES.fullmatch(line.text) else line


def plain(text: str) -> str:
    """``text`` with raised figures as figures."""
    return text.translate(_TO_PLAIN)


def plain_end(text: str) -> str:
    """The last character of a text before the raised figures that end it: the stop before the mark of a note."""
    return text.rstrip("".join([*map(chr, _TO_PLAIN), *_TO_EXPONENT.values(), " "]))[-1:]


def marks(text: str) -> list[str]:
    """The raised numbers of a text that may be marks of notes, in order: the powers of units are none."""
    return [plain(match[0]) for match in _RUN.finditer(text) if not _is_power(text, match)]


def _is_power(text: str, match: re.Match[str]) -> bool:
    """True for the 2 or 3 of an area or a volume."""
    return plain(match[0]) in ("2", "3") and _UNIT.search(text[: match.start()]) is not None


def written(line: Line, notes: frozenset[str]) -> tuple[Line, int]:
    """A line with its raised figures written: ``[1]`` for the mark of one of the page's ``notes``, else as
    raised figures, which stay apart from the words and figures before them; and how many brackets were put in."""
    if not _RUN.search(line.text):
        return line, 0
    text, edges, brackets, lead, at = "", array("f"), 0, line.lead, 0
    for match in _RUN.finditer(line.text):
        before, number = line.text[at : match.start()], plain(match[0])
        text += before
        edges.extend(line.edges[2 * at : 2 * match.start()])
        own = line.edges[2 * match.start() : 2 * match.end()]
        if number in notes and not _is_power(line.text, match):
            text += f"[{number}]"
            edges.extend((nan, nan, *own, nan, nan))
            brackets += 2
            lead += 2 if match.start() < line.lead else 0
        else:
            text += match[0].translate(_TO_EXPONENT)
            edges.extend(own)
        at = match.end()
    text += line.text[at:]
    edges.extend(line.edges[2 * at :])
    return replace(line, text=text, edges=edges, lead=lead), brackets


def note_number(line: Line) -> str | None:
    """The number that a note opens with."""
    match = _NOTE.match(plain(line.text))
    return match[1] if match is not None else None


def note_opening(line: Line) -> tuple[Line, int]:
    """The first line of a note with its number written ``[1]``, and how many brackets were put in."""
    text = plain(line.text)
    match = _NOTE.match(text)
    if match is None:
        return line, 0
    end, rest = match.end(1), text[match.end() :]
    edges = array("f", (nan, nan))
    edges.extend(line.edges[: 2 * end])
    edges.extend((nan, nan, nan, nan))
    edges.extend(line.edges[2 * match.end() :])
    return replace(line, text=f"[{match[1]}] {rest}", edges=edges), 2
