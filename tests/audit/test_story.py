"""Two readings of DESIGN's rule of the version in force, written apart, agree on random histories."""

from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

from audit.verifier import Story
from compliance_rag.service.records import event_draft
from compliance_rag.store.clauses import publication_fields
from compliance_rag.store.rows import TimeEvent, VersionRow
from compliance_rag.store.timeline import Knowledge, build, decide
from schemas.dates import Interval, print_instant

SEED = 2024
START = date(2020, 1, 1)
RECORDED = datetime(2020, 6, 1, tzinfo=UTC)


def _day(rng: random.Random) -> date:
    return START + timedelta(days=rng.randrange(12))


def _version(rng: random.Random, index: int, number: int) -> VersionRow:
    start = _day(rng)
    return VersionRow(
        doc_id="d", version=str(number), version_id=str(number), title="T", jurisdiction=None, kind=None,
        language=rng.choice(["en", "en", "fr"]), status=rng.choice(["official", "official", "official", "draft"]),
        state=rng.choice(["published", "published", "published", "held"]),
        declared=Interval(start, start + timedelta(days=rng.randrange(1, 9)) if rng.random() < 0.3 else None),
        published_on=_day(rng) if rng.random() < 0.5 else None, recorded_at=RECORDED + timedelta(hours=index), index=index,
        root="0" * 64, source_sha256="0" * 64, extracted_sha256="0" * 64, parser_version="1", clause_count=1,
        supersedes=str(rng.randrange(number)) if number and rng.random() < 0.25 else None,
    )  # fmt: skip


def _event(rng: random.Random, index: int, versions: int) -> TimeEvent:
    kind: Any = rng.choice(["withdraw", "void", "redate"])
    version_id = str(rng.randrange(versions)) if versions and (kind == "redate" or rng.random() < 0.6) else None
    start = None if kind == "void" else _day(rng)
    end = _day(rng) + timedelta(days=6) if kind == "redate" and rng.random() < 0.5 else None
    return TimeEvent(kind, "d", version_id, None, start, end, "r", RECORDED + timedelta(hours=index), index)


def _history(rng: random.Random) -> tuple[list[VersionRow], list[TimeEvent]]:
    versions: list[VersionRow] = []
    events: list[TimeEvent] = []
    for index in range(rng.randrange(1, 9)):
        if not versions or rng.random() < 0.65:
            versions.append(_version(rng, index, len(versions)))
        else:
            events.append(_event(rng, index, len(versions)))
    return versions, events


@pytest.mark.parametrize("rounds", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_the_verifier_and_the_store_tell_one_story(rounds: int) -> None:
    """For random histories, days, instants and both bases, the verifier and the timeline name the same version in force."""
    rng = random.Random(SEED)
    print("seed", SEED)
    for turn in range(rounds):
        versions, events = _history(rng)
        headers = [(row.index, publication_fields(row) | {"recorded_at": print_instant(row.recorded_at)}) for row in versions]
        facts = []
        for event in events:
            draft = event_draft(event, "a", "os")
            stamped = draft.fields | {"type": draft.type, "recorded_at": print_instant(event.recorded_at)}
            facts.append((event.index, stamped))
        for _ in range(6):
            known_at = RECORDED + timedelta(hours=rng.randrange(10), minutes=30)
            basis: Any = rng.choice(["recorded", "published"])
            as_of = _day(rng)
            if basis == "published":
                known_at = datetime(as_of.year, as_of.month, as_of.day, 23, tzinfo=UTC) + timedelta(days=rng.randrange(-3, 9))
            timeline = build(versions, events, Knowledge(known_at, basis))
            for language in ("en", "fr"):
                decision = decide(("d", language), timeline.get(("d", language), ()), as_of)
                expected = None if decision.version is None else decision.version.version_id
                found = Story(headers, facts, language, known_at, basis).in_force(as_of)
                assert found == expected, (turn, as_of, known_at, basis, versions, events)
