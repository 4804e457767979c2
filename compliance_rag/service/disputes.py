"""Versions whose own text names another first day than their record: on the days between, both readings are law to somebody.

A disagreement is a report, not a choice (law 9): the record decides what is in force, and every answer that the dispute touches
says so. A redating of the version settles it, whichever day it confirms.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from compliance_rag.service.asking import Situation
from compliance_rag.store.links import proposed_dates
from compliance_rag.store.timeline import Standing
from schemas.dates import print_day

# The flag of a version whose text names another day.
FLAG: Final = "date_disagreement"
_SAID = (
    "The record dates version {version} of {title} from {recorded}, its own text from {said} (“{quote}”): "
    "on {day} the two give different law.",
    "《{title}》{version}按记录自{recorded}起施行，而其文本写明自{said}起施行（“{quote}”）：在{day}，两者所适用的规定不同。",
)
# Characters of the words that name the day.
_QUOTE_LIMIT: Final = 120


@dataclass(frozen=True, slots=True)
class Dispute:
    """A version dated ``recorded`` whose text says ``said`` in ``quote``; the day asked about lies between the two."""

    standing: Standing
    recorded: date
    said: date
    quote: str


def disputes(situation: Situation, docs: Iterable[str]) -> list[Dispute]:
    """Disputes of the documents ``docs`` that touch the day asked about, by document and day."""
    wanted, found = frozenset(docs), list[Dispute]()
    timeline = situation.corpus.timeline(situation.knowledge)
    for key in sorted(situation.in_force.decisions):
        if key[0] not in wanted:
            continue
        for standing in timeline[key]:
            if standing.live and FLAG in standing.row.flags and standing.start == standing.row.declared.start:
                found += _of(standing, situation)
    return found


def _of(standing: Standing, situation: Situation) -> list[Dispute]:
    if _settled(standing, situation):
        return []
    days = {item.effective_from: item.quote for item in proposed_dates(situation.corpus, standing.row) if item.number is None}
    return [
        Dispute(standing, standing.start, said, quote)
        for said, quote in days.items()
        if said is not None and min(said, standing.start) <= situation.as_of < max(said, standing.start)
    ]


def _settled(standing: Standing, situation: Situation) -> bool:
    row = standing.row
    return any(
        event.kind == "redate" and event.number is None and (event.doc_id, event.version_id) == (row.doc_id, row.version_id)
        for event in situation.corpus.events
        if situation.knowledge.event(event)
    )


def lines(found: Iterable[Dispute], day: date, *, chinese: bool) -> list[str]:
    """A sentence for each dispute, in the question's language."""
    said = _SAID[1 if chinese else 0]
    return [
        said.format(
            version=one.standing.row.version, title=one.standing.row.title.strip("《》") if chinese else one.standing.row.title,
            recorded=print_day(one.recorded), said=print_day(one.said), quote=one.quote[:_QUOTE_LIMIT], day=print_day(day),
        )
        for one in found
    ]  # fmt: skip
