"""Word-level redline: what a lawyer marks up. Chinese is cut into words by rjieba, so that a mark never halves one."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal

from compliance_rag.store.clause_keys import typographic_key

Op = Literal["=", "-", "+"]
Redline = list[tuple[Op, str]]

_PIECE = re.compile(
    r"(?P<han>[\u3400-\u4dbf\u4e00-\u9fff]+)|\s+|\d{4}-\d{2}-\d{2}(?!\w)|[^\W_\u3400-\u4dbf\u4e00-\u9fff]+(?:[.,'’][^\W_\u3400-\u4dbf\u4e00-\u9fff]+)*|."
    , re.S)  # fmt: skip
# The word cutter's cost grows faster than its input on unbroken text.
HAN_RUN = 2_000
# "of", "to", 的 between two changes: marks that jump over them read as noise.
WEAK = 2
# difflib compares every repeat with every repeat: above this product of lengths the text is first cut at words that stand once.
DIRECT_PRODUCT = 40_000


@dataclass(frozen=True, slots=True)
class Block:
    """A run of text that stayed (``same``) or changed: ``[b0, b1)`` of the text before, ``[a0, a1)`` of the text after."""

    same: bool
    b0: int
    b1: int
    a0: int
    a1: int


def cut(text: str) -> list[str]:
    """Words, runs of white space and single marks; joined they give ``text``."""
    found: list[str] = []
    for match in _PIECE.finditer(text):
        if match.lastgroup == "han":
            found.extend(_han(match.group()))
        else:
            found.append(match.group())
    return found


def _han(run: str) -> list[str]:
    import rjieba

    found: list[str] = []
    for start in range(0, len(run), HAN_RUN):
        found.extend(rjieba.cut(run[start : start + HAN_RUN]))
    return found


def blocks(before: Sequence[str], after: Sequence[str], *, weak: int = 0) -> list[Block]:
    """The runs of two token lists, same and changed in turn, as *token* positions. White space alone between two changes, or
    up to ``weak`` characters, belongs to the change: "seven years" to "five months" is one mark, not two."""
    same = _same_runs(before, after)
    result: list[Block] = []
    b = a = 0
    for b0, a0, size in [*same, (len(before), len(after), 0)]:
        blank = size and len("".join(before[b0 : b0 + size]).strip()) <= weak
        inner = b0 + size < len(before) and a0 + size < len(after) and (b0 > b or a0 > a)
        if blank and inner:
            continue
        if b0 > b or a0 > a:
            result.append(Block(False, b, b0, a, a0))
        if size:
            result.append(Block(True, b0, b0 + size, a0, a0 + size))
        b, a = b0 + size, a0 + size
    return result


def text_blocks(before: str, after: str) -> list[Block]:
    """:func:`blocks` of two texts, in code points."""
    left, right = cut(before), cut(after)
    starts, others = _offsets(left), _offsets(right)
    return [
        Block(item.same, starts[item.b0], starts[item.b1], others[item.a0], others[item.a1])
        for item in blocks(left, right, weak=WEAK)
    ]


def redline(before: str, after: str) -> Redline:
    """``("=" | "-" | "+", text)`` in reading order: "=" and "-" joined give ``before`` exactly, "=" and "+" give ``after``."""
    result: Redline = []
    for item in text_blocks(before, after):
        if item.same:
            result.append(("=", before[item.b0 : item.b1]))
            continue
        if item.b1 > item.b0:
            result.append(("-", before[item.b0 : item.b1]))
        if item.a1 > item.a0:
            result.append(("+", after[item.a0 : item.a1]))
    return result


def _offsets(tokens: Sequence[str]) -> list[int]:
    result = [0]
    for token in tokens:
        result.append(result[-1] + len(token))
    return result


def _same_runs(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int, int]]:
    """Common runs ``(before, after, length)``, increasing; method: common ends, then words that stand once (patience), then
    Ratcliff-Obershelp between them."""
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    runs: list[tuple[int, int, int]] = [(0, 0, start)] if start else []
    last_b, last_a = len(before) - end, len(after) - end
    cuts = [(start, start)]
    if (last_b - start) * (last_a - start) > DIRECT_PRODUCT:
        cuts += [(start + b, start + a) for b, a in _anchors(before[start:last_b], after[start:last_a])]
    for (b0, a0), (b1, a1) in pairwise([*cuts, (last_b, last_a)]):
        matcher = SequenceMatcher(None, before[b0:b1], after[a0:a1], autojunk=False)
        runs += [(b0 + b, a0 + a, size) for b, a, size in matcher.get_matching_blocks() if size]
    if end:
        runs.append((last_b, last_a, end))
    return _joined(runs)


def _joined(runs: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    result: list[tuple[int, int, int]] = []
    for b, a, size in runs:
        if result and result[-1][0] + result[-1][2] == b and result[-1][1] + result[-1][2] == a:
            result[-1] = (result[-1][0], result[-1][1], result[-1][2] + size)
        else:
            result.append((b, a, size))
    return result


def _anchors(before: Sequence[str], after: Sequence[str]) -> list[tuple[int, int]]:
    """Tokens that stand once on each side, the longest run of them in one order."""
    left, right = Counter(before), Counter(after)
    places = {token: at for at, token in enumerate(after) if right[token] == 1}
    pairs = [(at, places[token]) for at, token in enumerate(before) if left[token] == 1 and token in places]
    tails: list[int] = []
    tops: list[int] = []
    links: list[int] = []
    for at, (_, a) in enumerate(pairs):
        place = bisect_left(tails, a)
        tails[place : place + 1] = [a]
        tops[place : place + 1] = [at]
        links.append(tops[place - 1] if place else -1)
    chain: list[tuple[int, int]] = []
    at = tops[-1] if tops else -1
    while at >= 0:
        chain.append(pairs[at])
        at = links[at]
    return chain[::-1]


def marked(redline: Sequence[tuple[str, str]]) -> list[tuple[str, str, bool]]:
    """The redline with whether each run is to be marked: one that differs in white space, width and typography alone is not."""
    found: list[tuple[str, str, bool]] = []
    at = 0
    while at < len(redline):
        end = at + 1
        if redline[at][0] != "=":
            while end < len(redline) and redline[end][0] != "=":
                end += 1
            gone = "".join(text for op, text in redline[at:end] if op == "-")
            came = "".join(text for op, text in redline[at:end] if op == "+")
            differs = typographic_key(gone) != typographic_key(came)
        else:
            differs = False
        found += [(op, text, differs) for op, text in redline[at:end]]
        at = end
    return found


def as_read(marks: Sequence[tuple[str, str, bool]]) -> list[tuple[str, str]]:
    """Runs to show in one column: unmarked ones as they stand in the version after, joined to what is unchanged beside them."""
    found: list[tuple[str, str]] = []
    for op, text, marked in marks:
        shown = op if marked else "="
        if not marked and op == "-":
            continue
        if found and shown == "=" and found[-1][0] == "=":
            found[-1] = ("=", found[-1][1] + text)
        else:
            found.append((shown, text))
    return found
