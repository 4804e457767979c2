"""Two texts as comparison tokens: white space left out, typography folded, a reference one token that knows its target."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from compliance_rag.changes.cited import Cited
from compliance_rag.changes.redline import Block, blocks, cut
from compliance_rag.store.clause_keys import typographic_key
from compliance_rag.structure.dates import find_dates

# The words of any two long documents; about 5 MB.
WORDS_KEPT = 32_768


@dataclass(frozen=True, slots=True)
class Token:
    """A word, a mark, a date or a reference at ``[start, end)`` of its text; equal ``key`` means it says the same."""

    key: str
    start: int
    end: int
    cited: Cited | None = None


def tokens(text: str, references: Sequence[Cited], targets: Sequence[str]) -> list[Token]:
    """Tokens of ``text``; ``targets`` run beside ``references`` and name what each points at, the same on both sides."""
    found: list[Token] = []
    done = 0
    for reference, target in zip(references, targets, strict=True):
        found += _plain(text[done : reference.start], done)
        found.append(Token(f"\x00{target}", reference.start, reference.end, reference))
        done = reference.end
    return _with_dates(text, found + _plain(text[done:], done))


def _with_dates(text: str, found: list[Token]) -> list[Token]:
    """``found`` with each full date as one token, so that 1 July 2012 and 2012-07-01 say the same."""
    days = [item for item in find_dates(text, "mixed") if item.day is not None]
    if not days:
        return found
    merged: list[Token] = []
    at = 0
    for item in days:
        start, end = item.span
        while at < len(found) and found[at].end <= start:
            merged.append(found[at])
            at += 1
        inside = at
        while inside < len(found) and found[inside].start < end:
            inside += 1
        taken = found[at:inside]
        if taken and (taken[0].start, taken[-1].end) == (start, end) and not any(token.cited for token in taken):
            merged.append(Token(f"\x01{item.day}", start, end))
            at = inside
    return merged + found[at:]


@lru_cache(maxsize=WORDS_KEPT)
def _key(word: str) -> str:
    return typographic_key(word)


def _plain(text: str, start: int) -> list[Token]:
    found: list[Token] = []
    for word in cut(text):
        key = _key(word)
        if key:
            found.append(Token(key, start, start + len(word)))
        start += len(word)
    return found


@dataclass(frozen=True)
class Difference:
    """Two token lists and the runs they share or differ in (token positions)."""

    before_text: str
    after_text: str
    before: list[Token]
    after: list[Token]

    @cached_property
    def runs(self) -> list[Block]:
        """Same and changed runs in turn."""
        return blocks([token.key for token in self.before], [token.key for token in self.after])

    @cached_property
    def marks(self) -> list[Block]:
        """The changed runs."""
        return [run for run in self.runs if not run.same]

    @cached_property
    def _starts(self) -> tuple[list[int], list[int]]:
        return [token.start for token in self.before], [token.start for token in self.after]

    def token_after(self, place: int) -> int:
        """The token of the text after that holds code point ``place``."""
        return max(0, bisect_right(self._starts[1], place) - 1)

    def token_before(self, place: int) -> int:
        """The token of the text before that holds code point ``place``."""
        return max(0, bisect_right(self._starts[0], place) - 1)

    @cached_property
    def _opens(self) -> tuple[list[int], list[int], list[int], list[int], list[int]]:
        """First tokens of the runs before; first and last of the marks before, and of the marks after."""
        marks = self.marks
        return (
            [run.b0 for run in self.runs],
            [mark.b0 for mark in marks],
            [mark.b1 for mark in marks],
            [mark.a0 for mark in marks],
            [mark.a1 for mark in marks],
        )

    def follow(self, place: int) -> int | None:
        """Where the token at ``place`` of the text before stands after; None inside a change."""
        at = self.token_before(place)
        for run in self.runs[max(0, bisect_right(self._opens[0], at) - 2) :]:
            if run.b0 <= at < run.b1:
                return run.a0 + at - run.b0 if run.same else None
            if run.b0 > at:
                break
        return None

    def mark_before(self, place: int) -> int:
        """The change at or nearest to code point ``place`` of the text before."""
        return self._nearest(self.token_before(place), self._opens[1], self._opens[2])

    def mark_after(self, place: int) -> int:
        """The change at or nearest to code point ``place`` of the text after."""
        return self._nearest(self.token_after(place), self._opens[3], self._opens[4])

    @staticmethod
    def _nearest(at: int, opens: Sequence[int], ends: Sequence[int]) -> int:
        after = bisect_right(opens, at)
        beside = [mark for mark in (after - 2, after - 1, after) if 0 <= mark < len(opens)]
        return min(beside, key=lambda mark: _distance(at, opens[mark], ends[mark]), default=0)


def _distance(at: int, start: int, end: int) -> int:
    if at < start:
        return start - at
    return max(0, at - max(end - 1, start))
