"""Which of several cases a figure in the question falls under: "after three years" is "up to five years", not "after five
years, three months", whatever words the two share."""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from compliance_rag.structure.values import Bound, Value, read_values

# What the case that holds the figure is worth, and what one loses that does not: more than a word they share by chance.
RANGE_WEIGHT = 0.25
# Days of a unit of time, to compare months with years: cases are drawn far apart.
_DAYS = {
    "minute": Fraction(1, 1440), "hour": Fraction(1, 24), "day": Fraction(1), "business day": Fraction(7, 5),
    "week": Fraction(7), "month": Fraction(365, 12), "year": Fraction(365),
}  # fmt: skip
# "After five years of service" opens a case as "more than five years" does; alone it may be a time limit.
_OPENS = re.compile(r"(?:\b(?:after|beyond|from)|满|逾)\s*$", re.I)
_REACH = 8


@lru_cache(maxsize=65_536)
def _limits(words: str) -> tuple[tuple[str, Fraction, Bound], ...]:
    found: list[tuple[str, Fraction, Bound]] = []
    for value, start, _ in read_values(words):
        opens: Bound | None = "over" if _OPENS.search(words[max(0, start - _REACH) : start]) else None
        bound = value.bound or opens
        if bound is not None and value.kind in ("duration", "amount", "number", "count"):
            found.append((*_measure(value), bound))
    return tuple(found)


def _measure(value: Value) -> tuple[str, Fraction]:
    if value.kind == "duration" and value.unit in _DAYS:
        return "days", value.amount * _DAYS[value.unit]
    return f"{value.kind} {value.unit}", value.amount


@lru_cache(maxsize=4_096)
def _figures(question: str) -> tuple[tuple[str, Fraction], ...]:
    return tuple(_measure(value) for value, _, _ in read_values(question) if value.kind != "date" and value.bound is None)


def range_fit(question: str, words: str) -> int:
    """1 when a figure of the question lies between the limits that ``words`` set on figures of its kind, -1 when it lies
    outside one of them, 0 when there is no such figure or no such limit."""
    asked = _figures(question)
    fits = [_holds(amount, limit, bound) for kind, amount in asked for other, limit, bound in _limits(words) if kind == other]
    return 0 if not fits else 1 if all(fits) else -1


def _holds(amount: Fraction, limit: Fraction, bound: Bound) -> bool:
    if bound in ("min", "over"):
        return amount >= limit if bound == "min" else amount > limit
    return amount <= limit if bound == "max" else amount < limit


def range_weights(question: str, cases: Sequence[str]) -> list[float]:
    """What each of ``cases`` gains or loses by the figure in the question: nothing, unless it falls under one of them and
    outside another. A single limit that a figure breaks is the rule asked for, and no case beside others."""
    fits = [range_fit(question, case) for case in cases]
    return [RANGE_WEIGHT * fit for fit in fits] if 1 in fits and -1 in fits else [0.0] * len(fits)
