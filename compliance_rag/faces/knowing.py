"""The instant that ``known_at`` means."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal


def knowable(at: datetime | None, basis: Literal["recorded", "published"]) -> datetime | None:
    """``at``; None, which is now, where it lies ahead: nobody knows yet what will be recorded. An answer that claimed to be as
    known at such an instant would never go stale over what is recorded before it, and could not be derived again. On the
    published basis a day ahead is one on which more will have been published, and stays."""
    ahead = at is not None and basis == "recorded" and at > datetime.now(UTC)
    return None if ahead else at
