"""What is in force, as a plain walk over lists: the oracle that the store is measured against, and random histories for it.

Written from the rule in the design, not from the store: nothing is shared with it but the words.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta

Dates = tuple[date | None, date | None]
FIRST_DAY = date(2020, 1, 1)
# Days are drawn from a coarse grid, so that starts and ends fall together often.
STEPS = 14
STEP_DAYS = 90
NUMBERS = {"1": None, "2": None, "2(a)": "2", "3": None}
"""Number of each clause of every made version, with its parent's."""


@dataclass(slots=True)
class Op:
    """One record: ``publish`` (with ``corrects``), ``withdraw``, ``void`` or ``redate`` (of ``number``). ``at`` is the instant
    that the ledger gave it."""

    kind: str
    version: str | None
    start: date | None = None
    end: date | None = None
    corrects: str | None = None
    draft: bool = False
    number: str | None = None
    clauses: dict[str, Dates] = field(default_factory=dict)
    at: datetime | None = None


def known(ops: list[Op], instant: datetime) -> list[Op]:
    """The records that had been made by then."""
    return [op for op in ops if op.at is not None and op.at <= instant]


def own_days(ops: list[Op], version: Op) -> tuple[date, date | None]:
    """A version's start and end after redatings, then withdrawals."""
    start, end = version.start or FIRST_DAY, version.end
    for op in ops:
        if op.kind == "redate" and op.number is None and op.version == version.version:
            start, end = op.start or start, op.end or end
    for op in ops:
        if op.kind != "withdraw" or op.version not in (None, version.version):
            continue
        day = op.start or start
        again = op.version is None and ops.index(version) > ops.index(op) and start >= day
        if not again and (end is None or day < end):
            end = day
    return start, end


def in_force(ops: list[Op], as_of: date, instant: datetime) -> Op | None:
    """The version in force on a day as known at an instant: of those not draft, not void and not replaced by a correction that
    stands, the latest start; none when that one has ended."""
    heard = known(ops, instant)
    versions = [op for op in heard if op.kind == "publish"]
    void = {
        op.version
        for op in versions
        if any(
            other.kind == "void" and other.version in (None, op.version) and heard.index(other) > heard.index(op)
            for other in heard
        )
    }
    standing = [op for op in versions if not op.draft and op.version not in void]
    replaced: set[str] = set()
    for op in standing:
        target = op.corrects
        while target is not None:
            replaced.add(target)
            target = next((other.corrects for other in versions if other.version == target), None)
    best: Op | None = None
    for op in standing:
        if op.version in replaced or own_days(heard, op)[0] > as_of:
            continue
        if best is None or own_days(heard, op)[0] >= own_days(heard, best)[0]:
            best = op
    if best is None:
        return None
    end = own_days(heard, best)[1]
    return None if end is not None and end <= as_of else best


def clauses_in_force(ops: list[Op], as_of: date, instant: datetime) -> set[str]:
    """Numbers of the clauses in force, empty when no version is."""
    version = in_force(ops, as_of, instant)
    return set() if version is None else {number for number in NUMBERS if holds(ops, version, number, as_of, instant)}


def holds(ops: list[Op], version: Op, number: str | None, as_of: date, instant: datetime) -> bool:
    """Whether a clause of a version in force has commenced and not lapsed, and its parents too."""
    if number is None:
        return True
    start, end = version.clauses.get(number, (None, None))
    for op in known(ops, instant):
        if op.kind == "redate" and op.version == version.version and op.number == number:
            start, end = op.start or start, op.end or end
    own = (start is None or start <= as_of) and (end is None or as_of < end)
    return own and holds(ops, version, NUMBERS[number], as_of, instant)


def a_day(rng: random.Random) -> date:
    """A day of the grid."""
    return FIRST_DAY + timedelta(days=STEP_DAYS * rng.randrange(STEPS))


def interval(rng: random.Random) -> Dates:
    """A start, and an end after it half of the time."""
    start = a_day(rng)
    return start, start + timedelta(days=STEP_DAYS * rng.randint(1, 5)) if rng.random() < 0.5 else None


def history(rng: random.Random) -> list[Op]:
    """Three to eight records of one document, each valid after those before it."""
    ops: list[Op] = []
    for _ in range(rng.randint(3, 8)):
        kinds = ["publish", "publish", "correct", "withdraw", "void", "redate", "clause", "clause"]
        published = [op for op in ops if op.kind == "publish"]
        kind = rng.choice(kinds) if published else "publish"
        target = rng.choice(published) if published else None
        start, end = interval(rng)
        if kind == "publish":
            label = f"v{sum(op.corrects is None for op in published) + 1}"
            ops.append(Op("publish", label, start, end, draft=rng.random() < 0.1, clauses=some_dates(rng)))
        elif target is None:
            continue
        elif kind == "correct":
            label = (target.version or "").partition("~")[0]
            twins = [op for op in published if (op.version or "").partition("~")[0] == label]
            ops.append(Op("publish", f"{label}~{len(twins) + 1}", start, end, twins[-1].version, clauses=some_dates(rng)))
        elif kind == "withdraw":
            ops.append(Op("withdraw", rng.choice([None, target.version]), start))
        elif kind == "void":
            ops.append(Op("void", target.version))
        else:
            number = rng.choice(list(NUMBERS)) if kind == "clause" else None
            given = rng.choice([(start, None), (None, end or start), (start, end)])
            if number is not None or proper(ops, target, given):
                ops.append(Op("redate", target.version, given[0], given[1], number=number))
    return ops


def some_dates(rng: random.Random) -> dict[str, Dates]:
    """Clause dates of a manifest, for one version in three."""
    return {rng.choice(list(NUMBERS)): interval(rng)} if rng.random() < 0.33 else {}


def proper(ops: list[Op], target: Op, given: Dates) -> bool:
    """Whether the version's days are still an interval after this redating."""
    start, end = own_days(ops, target)
    start, end = given[0] or start, given[1] or end
    return end is None or start < end
