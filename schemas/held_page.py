"""The JSON of held pages: what `review` prints of pages that were not read well enough."""

from __future__ import annotations

from schemas.objects import Out, Reason, ReviewDecision


class HeldPage(Out):
    """``review list``: a page that was not read well enough. ``page_id`` is what ``review show`` and ``review decide`` take."""

    page_id: str
    doc_id: str
    version: str
    version_id: str
    page: int
    recorded_at: str
    recorded_by: str
    reasons: list[Reason]
    decision: ReviewDecision | None


class HeldPageShown(HeldPage):
    """``review show`` and ``review decide`` of a page: its lines as they were read, every decision about it, and the version
    that a decision brought, None before."""

    text: str
    decisions: list[ReviewDecision]
    revision: str | None
