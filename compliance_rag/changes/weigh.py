"""Signals and weight of one clause that stayed itself: substantive unless every mark is shown to be editorial."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Literal

from compliance_rag.changes.cited import Cited, cited, still_points
from compliance_rag.changes.redline import Block
from compliance_rag.changes.sides import Pair, Side
from compliance_rag.changes.signals import NONE, text_signals
from compliance_rag.changes.spelling import misspelling
from compliance_rag.changes.tokens import Difference, Token, tokens
from compliance_rag.store.clause_keys import typographic_key
from compliance_rag.structure.values import read_values

Weight = Literal["substantive", "editorial"]
# Words that join the items of a list: they move when an item is added after, and say nothing of their own at a clause's end.
_ENDINGS = re.compile(r"[.;,:，；。、]*(?:and|or|和|或者|以及)?[.;,:，；。、]*\Z")
_QUOTES = re.compile(r"[\"'*_·]*\Z")
_SPELT = re.compile(r"[^\W\d_]+\Z")


def compare(pair: Pair, before: int, after: int) -> Difference:
    """The clauses at these indices as tokens: references that still point at the same clause are equal tokens."""
    return Difference(
        pair.before.clauses[before].clause.text,
        pair.after.clauses[after].clause.text,
        _tokens(pair, pair.before, before),
        _tokens(pair, pair.after, after),
    )


def _tokens(pair: Pair, side: Side, at: int) -> list[Token]:
    references = cited(side, at)
    return tokens(side.clauses[at].clause.text, references, [_target(pair, side, reference) for reference in references])


def _target(pair: Pair, side: Side, reference: Cited) -> str:
    if not reference.resolved or not reference.targets:
        return typographic_key(reference.text)
    found = []
    for target in reference.targets:
        if target in side.places:
            found.append(pair.mates.get(target, target) if side is pair.before else target)
        else:
            found.append(re.sub(r"@[^#]*#", "#", target, count=1))
    return " ".join(found)


def weigh(pair: Pair, before: int, after: int) -> tuple[list[str], Weight]:
    """Signals of the text, and whether anything but misspellings, references that still point at the same clause, a number
    written another way, quotation marks, and the mark or joining word at a clause's end has changed."""
    difference = compare(pair, before, after)
    signals = text_signals(difference)
    signals += _reference_signals(difference)
    editorial = all(_editorial(pair, difference, mark) for mark in difference.marks)
    return signals, "editorial" if editorial else "substantive"


def _reference_signals(difference: Difference) -> list[str]:
    """What each run of words cites otherwise. What is cited in the one text and in the other, though the words around it moved,
    is cited as before."""
    sides = [
        (
            [token.cited for token in difference.before[run.b0 : run.b1] if token.cited is not None],
            [token.cited for token in difference.after[run.a0 : run.a1] if token.cited is not None],
        )
        for run in difference.runs
    ]
    both = Counter(_cites(one) for olds, _ in sides for one in olds) & Counter(_cites(one) for _, news in sides for one in news)
    left, right = Counter(both), Counter(both)
    found: dict[str, None] = {}
    for one_side, other_side in sides:
        olds, news = _otherwise(one_side, left), _otherwise(other_side, right)
        for at in range(max(len(olds), len(news))):
            old = olds[at].figures if at < len(olds) else (NONE,)
            new = news[at].figures if at < len(news) else (NONE,)
            if len(old) == len(new):
                pairs = zip(old, new, strict=True)
            else:
                pairs = zip((", ".join(old),), (", ".join(new),), strict=True)
            found.update((f"reference: {one} → {other}", None) for one, other in pairs if _differ(one, other))
    return list(found)


def _cites(one: Cited) -> tuple[str, ...]:
    return tuple(typographic_key(figure) for figure in one.figures)


def _otherwise(cites: Sequence[Cited], same: Counter[tuple[str, ...]]) -> list[Cited]:
    """Those that ``same`` does not hold; what it holds is used up."""
    found = []
    for one in cites:
        if same[_cites(one)] > 0:
            same[_cites(one)] -= 1
        else:
            found.append(one)
    return found


def _differ(one: str, other: str) -> bool:
    return typographic_key(one) != typographic_key(other)


def _editorial(pair: Pair, difference: Difference, mark: Block) -> bool:
    olds, news = difference.before[mark.b0 : mark.b1], difference.after[mark.a0 : mark.a1]
    old_key, new_key = "".join(token.key for token in olds), "".join(token.key for token in news)
    if old_key == new_key or (_QUOTES.match(old_key) and _QUOTES.match(new_key)):
        return True
    if any(token.cited for token in [*olds, *news]):
        return _repointed(pair, olds, news)
    at_end = mark.b1 == len(difference.before) and mark.a1 == len(difference.after)
    if at_end and _ENDINGS.match(old_key) and _ENDINGS.match(new_key):
        return True
    if len(olds) == len(news) == 1 and _SPELT.match(old_key) and _SPELT.match(new_key):
        return misspelling(old_key, new_key, pair.before.vocabulary, pair.after.vocabulary)
    old, new = _words(difference.before_text, olds), _words(difference.after_text, news)
    return _same_values(old, new) or _doubled(difference, mark)


def _repointed(pair: Pair, olds: Sequence[Token], news: Sequence[Token]) -> bool:
    """Only references differ, and each still points at the same clause."""
    if len(olds) != len(news):
        return False
    return all(
        one.key == other.key
        or (one.cited is not None and other.cited is not None and still_points(pair, one.cited, other.cited))
        for one, other in zip(olds, news, strict=True)
    )


def _words(text: str, found: Sequence[Token]) -> str:
    return text[found[0].start : found[-1].end] if found else ""


def _same_values(old: str, new: str) -> bool:
    """The same quantities written another way (seven, 7, 七), and nothing else."""
    left, right = _without_values(old), _without_values(new)
    return bool(left[0]) and left == right


def _without_values(text: str) -> tuple[list[object], str]:
    folded = unicodedata.normalize("NFKC", text)
    found = sorted(read_values(folded), key=lambda item: item[1])
    rest = list(folded)
    for _, start, end in found:
        rest[start:end] = "\x00" * (end - start)
    return [(value.kind, value.amount, value.unit) for value, _, _ in found], typographic_key("".join(rest).replace("\x00", ""))


def _doubled(difference: Difference, mark: Block) -> bool:
    """A word printed twice by mistake ("the the") was taken out."""
    if mark.b1 - mark.b0 != 1 or mark.a1 != mark.a0 or not _SPELT.match(difference.before[mark.b0].key):
        return False
    key = difference.before[mark.b0].key
    beside = [at for at in (mark.b0 - 1, mark.b0 + 1) if 0 <= at < len(difference.before)]
    return any(difference.before[at].key == key for at in beside)
