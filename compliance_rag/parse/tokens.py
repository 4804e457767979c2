"""Steps of numbers and labels: what they are, their running order, and how they are printed."""

from __future__ import annotations

from dataclasses import dataclass

from compliance_rag.parse.numerals import chinese_numeral, letter_int, roman_int

# Labels with more steps do not occur; the limit keeps reading linear on hostile text such as "1.1.1.1…".
MAX_TOKENS = 16
# No printed label is longer, words included ("8.3.6.Guidance on Politically Exposed Persons (PEPs) and corruption.1.").
MAX_LABEL = 120
# Lists do not run further in Roman numerals; beyond this a word ("mix", "civil") is a word, and a letter (L, C, D, M) a letter.
MAX_ROMAN = 89
INVISIBLE = "\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad"
"""Characters that print nothing and may stand before a label."""

CONTAINERS = {
    "book": 5, "title": 8, "part": 10, "division": 12, "subpart": 14, "chapter": 20, "subchapter": 24, "section-group": 30,
    "schedule": 2, "annex": 2, "appendix": 2, "exhibit": 2, "attachment": 2,
}  # fmt: skip
"""Container kinds with their usual rank, outermost lowest."""
ANNEXES = frozenset({"schedule", "annex", "appendix", "exhibit", "attachment"})


@dataclass(frozen=True, slots=True)
class Token:
    """One step of a number. ``key`` is the path token, ``shown`` what a citation prints, ``joint`` how it joins the number
    before it (``.``, ``(``, ``zh`` or a space), ``value`` and ``suffix`` its place in running order."""

    key: str
    shown: str
    joint: str
    value: int
    suffix: str = ""


@dataclass(frozen=True, slots=True)
class Label:
    """One reading of a label. ``style`` is equal for labels of one list; ``kind`` is a container kind, ``article``,
    ``section``, ``rule``, ``clause`` or ``item``; ``containers`` are the container steps printed in front (`Part 1.Chapter 2`);
    ``absolute``: the label prints its parents' numbers too; ``end`` is the offset after the label in the text read;
    ``bare``: digits without any mark, the weakest of labels; ``tight``: text follows without a space."""

    style: str
    kind: str
    tokens: tuple[Token, ...]
    end: int
    absolute: bool = False
    containers: tuple[tuple[str, Token], ...] = ()
    bare: bool = False
    tight: bool = False

    @property
    def container(self) -> bool:
        """True for parts, chapters, schedules and their like."""
        return self.kind in CONTAINERS


def number_token(num: str, suf: str | None, joint: str, prefix: str | None = None) -> Token:
    """A step written in digits, with an inserted suffix (28A, 28-1) or a letter prefix (A9)."""
    suffix = (suf or "").lstrip("-").upper() if suf else ""
    dash = "-" if suf and suf.startswith("-") else ""
    shown = f"{prefix or ''}{int(num)}{dash}{suffix if suf else ''}"
    return Token(shown.lower(), shown, joint, int(num), dash + suffix)


def letter_tokens(word: str, joint: str) -> list[tuple[str, Token]]:
    """Readings of a letter label as (form, token); forms ``a`` ``A`` ``i`` ``I``."""
    upper = word.isupper()
    readings = []
    as_letter, as_roman = letter_int(word), roman_int(word)
    if as_letter is not None:
        readings.append(("A" if upper else "a", Token(word.lower(), word, joint, as_letter)))
    if as_roman is not None and (as_roman <= MAX_ROMAN and word.lower() != "l"):
        readings.append(("I" if upper else "i", Token(word.lower(), word, joint, as_roman)))
    return readings


def follows(before: Token, after: Token) -> bool:
    """True when ``after`` is the next number: 2→3, 28→28A, 28A→28AA, 28A→28B, 28AA→29, 120→120-1, 1L→2L."""
    if after.value == before.value + 1:
        return after.suffix in ("", "A", "-1", before.suffix)
    return after.value == before.value and after.suffix != before.suffix and after.suffix != ""


def join_number(parent: str | None, token: Token, *, list_item: bool = False) -> str:
    """The full number as cited of a step under ``parent``; ``list_item``: a list number under a decimal clause whose own
    sub-clauses print all their steps, so that `2.1` with item `5.` is `2.1(5)`, never to be taken for a clause 2.1.5."""
    if not parent:
        return token.shown if token.joint != "(" else f"({token.shown})"
    if token.joint == "zh" and token.shown[:1] == "（" and parent[-1:] in "条款":
        return f"{parent}第{token.shown}项"
    if token.joint == "zh":
        return f"{parent}{token.shown}"
    if ord(parent[-1]) > 0x2E7F and token.joint == "." and parent[-1] not in "）":
        return f"{parent}、{token.shown}"
    if token.joint == "(" or list_item or token.shown.islower():
        return f"{parent}({token.shown})"
    return f"{parent}.{token.shown}" if parent[-1:].isalnum() or parent[-1:] == ")" else f"{parent}{token.shown}"


def chinese_ordinal(value: int) -> str:
    """The numeral of 第…款 and the like."""
    return chinese_numeral(value)


def closed(text: str, pos: int) -> tuple[int, bool]:
    """Offset after closing marks (`.`, `:`, a dash is left alone), and whether white space or the end follows."""
    while pos < len(text) and text[pos] in ".:":
        pos += 1
    return pos, pos >= len(text) or text[pos].isspace()
