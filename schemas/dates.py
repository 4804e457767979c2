"""Days, instants and half-open intervals: read and printed here and nowhere else."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from schemas.errors import InputRejected

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)


def parse_day(text: str, where: str = "date") -> date:
    """Read ``YYYY-MM-DD``. Raises InputRejected ``unreadable_date`` for anything else, impossible days included."""
    if _DAY.match(text):
        try:
            return date.fromisoformat(text)
        except ValueError:
            pass
    raise InputRejected("unreadable_date", f"{where}: {text!r} is not a calendar day; write it as YYYY-MM-DD.", where)


def parse_instant(text: str, where: str = "instant") -> datetime:
    """Read an RFC 3339 instant with offset; a bare day means the end of that day, UTC. Result is UTC."""
    if _DAY.match(text):
        day = parse_day(text, where)
        return datetime(day.year, day.month, day.day, 23, 59, 59, 999999, tzinfo=UTC)
    try:
        instant = datetime.fromisoformat(text)
        if instant.tzinfo is not None:
            return instant.astimezone(UTC)
    except (ValueError, OverflowError):  # OverflowError: in UTC it lies before year 1 or after year 9999
        pass
    raise InputRejected(
        "unreadable_date", f"{where}: {text!r} is not an instant; write 2026-01-31T12:00:00Z or a bare day.", where
    )


def print_instant(instant: datetime) -> str:
    """UTC with microseconds and ``Z``; sorts as text in time order, years before 1000 included."""
    return instant.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def print_day(day: date | None) -> str | None:
    """ISO day, or None."""
    return None if day is None else day.isoformat()


def today(time_zone: str | None) -> date:
    """The date now in ``time_zone`` (IANA name), or the machine's own zone when None."""
    return day_in(datetime.now(UTC), time_zone)


def day_in(instant: datetime, time_zone: str | None) -> date:
    """The date of an instant in ``time_zone`` (IANA name), or in the machine's own zone when None. Raises InputRejected
    ``unknown_time_zone``."""
    return instant.astimezone(None if time_zone is None else zone(time_zone)).date()


def zone(name: str) -> ZoneInfo:
    """The zone with this IANA name. Raises InputRejected ``unknown_time_zone``."""
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:  # OSError: the name of a folder of zones
        message = f"Setting time_zone: {name!r} is no IANA time zone such as Europe/Paris."
        raise InputRejected("unknown_time_zone", message, "time_zone") from error


def next_day(day: date) -> date:
    """The day after."""
    return day + timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Interval:
    """Half-open ``[start, end)`` in days; None is open on that side."""

    start: date | None
    end: date | None

    def holds(self, day: date) -> bool:
        """True when ``day`` lies inside."""
        return (self.start is None or self.start <= day) and (self.end is None or day < self.end)

    def meet(self, other: Interval) -> Interval:
        """The days in both."""
        starts = [d for d in (self.start, other.start) if d is not None]
        ends = [d for d in (self.end, other.end) if d is not None]
        return Interval(max(starts, default=None), min(ends, default=None))

    def overlaps(self, other: Interval) -> bool:
        """True when some day lies in both."""
        both = self.meet(other)
        return both.start is None or both.end is None or both.start < both.end
