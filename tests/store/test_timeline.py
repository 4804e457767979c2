"""Which version is in force: CASES 16, 16a, 17, 19, 19b and law 3 against a list-based oracle."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from compliance_rag.store.rows import TimeEvent, VersionRow
from compliance_rag.store.timeline import (
    Basis,
    Knowledge,
    build,
    clause_intervals,
    clause_reason,
    clause_redates,
    decide,
    in_force,
    state,
    upcoming,
)
from schemas.canonical import sha256_text
from schemas.clause import Clause
from schemas.dates import Interval

BASE = datetime(2024, 1, 1, tzinfo=UTC)


def at(index: int) -> datetime:
    """The instant record ``index`` was committed."""
    return BASE + timedelta(hours=index)


def version(version_id: str, start: str, index: int, end: str | None = None, **other: Any) -> VersionRow:
    """A published version of document ``a``."""
    row = VersionRow(
        doc_id="a", version=version_id, version_id=version_id, title="A", jurisdiction="US", language="en", kind=None,
        status="official", state="published",
        declared=Interval(date.fromisoformat(start), date.fromisoformat(end) if end else None),
        published_on=None, recorded_at=at(index), index=index, root="0" * 64, source_sha256="0" * 64,
        extracted_sha256="0" * 64, parser_version="1", clause_count=1,
    )  # fmt: skip
    return replace(row, **other)


def event(kind: Any, index: int, version_id: str | None = None, start: str | None = None, end: str | None = None,
          number: str | None = None) -> TimeEvent:  # fmt: skip
    """A time event on document ``a``."""
    day = date.fromisoformat
    return TimeEvent(
        kind, "a", version_id, number, day(start) if start else None, day(end) if end else None, "r", at(index), index
    )


def answer(versions: list[VersionRow], events: list[TimeEvent], as_of: str, known: int = 999, basis: Basis = "recorded") -> str:
    """The version id in force, or the reason for none; ``unknown`` when nothing is known."""
    decision = in_force(versions, events, date.fromisoformat(as_of), at(known), basis).get(("a", "en"))
    if decision is None:
        return "unknown"
    return decision.version.version_id if decision.version else str(decision.reason)


def test_correction_from_the_same_day_wins_only_once_known() -> None:
    """CASE 16: the later recorded of two equal starts governs, and only for those who know it."""
    versions = [
        version("v1", "2024-01-01", 1, "2025-07-01"),
        version("v2", "2025-07-01", 2),
        version("v2~2", "2025-07-01", 5, supersedes="v2"),
    ]
    assert answer(versions, [], "2025-06-30") == "v1"
    assert answer(versions, [], "2025-07-01") == "v2~2"
    assert answer(versions, [], "2023-12-31") == "not_yet_in_force"
    assert answer(versions, [], "2025-08-01", known=4) == "v2"
    assert answer(versions, [], "2025-08-01", known=5) == "v2~2"


@pytest.mark.parametrize(
    ("start", "as_of", "expected", "why"),
    [
        ("2025-08-01", "2025-07-15", "v1", "the wrong start no longer counts once corrected to a later one"),
        ("2025-06-01", "2025-07-15", "v2~2", "the wrong text does not outlive a correction to an earlier start"),
    ],
)
def test_correction_with_another_start_replaces_what_it_corrects(start: str, as_of: str, expected: str, why: str) -> None:
    """A corrected version is out of the running whatever its dates, and comes back only when its correction is voided."""
    versions = [version("v1", "2024-01-01", 1), version("v2", "2025-07-01", 2), version("v2~2", start, 3, supersedes="v2")]
    assert answer(versions, [], as_of) == expected, why
    assert answer(versions, [event("void", 4, "v2~2")], as_of) == "v2"


def test_chain_of_corrections_with_a_voided_link() -> None:
    """A correction of a voided correction still replaces the first one."""
    versions = [
        version("v2", "2025-07-01", 2),
        version("v2~2", "2025-07-01", 3, supersedes="v2"),
        version("v2~3", "2025-09-01", 5, supersedes="v2~2"),
    ]
    assert answer(versions, [event("void", 4, "v2~2")], "2025-08-01", known=4) == "v2"
    assert answer(versions, [event("void", 4, "v2~2")], "2025-08-01") == "not_yet_in_force"


def test_amendments_apply_from_their_day() -> None:
    """CASE 17: an amendment scheduled for 2099 changes nothing before."""
    versions = [version("v1", "2020-01-01", 1), version("v2", "2024-07-01", 2), version("v3", "2099-01-01", 3)]
    assert [answer(versions, [], day) for day in ("2024-06-30", "2024-07-01", "2026-11-29")] == ["v1", "v2", "v2"]


def test_replaced_then_withdrawn() -> None:
    """CASE 19: after a withdrawal none is in force; the days before keep their versions, and so does what was known before."""
    versions = [version("ten", "2025-01-01", 1), version("fourteen", "2025-02-01", 2)]
    events = [event("withdraw", 3, start="2025-03-01")]
    assert [answer(versions, events, day) for day in ("2025-01-31", "2025-02-28", "2025-03-01")] == [
        "ten",
        "fourteen",
        "withdrawn",
    ]
    assert answer(versions, events, "2025-03-01", known=2) == "fourteen"


def test_new_version_after_a_withdrawal_lives() -> None:
    """A document-wide withdrawal binds what was recorded before it and late-found history, not a later re-enactment."""
    versions = [version("v1", "2024-01-01", 1), version("v2", "2026-01-01", 3), version("late", "2024-06-01", 4)]
    events = [event("withdraw", 2, start="2025-01-01")]
    assert answer(versions, events, "2025-06-01") == "withdrawn"
    assert answer(versions, events, "2024-07-01") == "late"
    assert answer(versions, events, "2026-06-01") == "v2"


def test_scheduled_version_is_withdrawn_with_its_document() -> None:
    """A version scheduled after the withdrawal's day and recorded before it never starts."""
    versions = [version("v1", "2024-01-01", 1), version("v2", "2026-01-01", 2)]
    assert answer(versions, [event("withdraw", 3, start="2025-01-01")], "2026-06-01") == "withdrawn"


def test_the_dead_stay_dead() -> None:
    """CASE 19b: an ended version never gives way to an earlier one, unless it is voided."""
    versions = [version("v1", "2020-01-01", 1), version("v2", "2022-01-01", 2, "2024-01-01")]
    assert answer(versions, [], "2023-01-01") == "v2"
    assert answer(versions, [], "2025-01-01") == "expired"
    assert answer(versions, [event("void", 3, "v2")], "2025-01-01") == "v1"
    assert answer(versions, [event("void", 3, "v2")], "2025-01-01", known=2) == "expired"
    later = [*versions, version("v3", "2026-01-01", 4)]
    assert answer(later, [], "2025-01-01") == "gap"


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        ({"status": "draft"}, "not_in_force"),
        ({"state": "held"}, "held"),
        ({"state": "staged"}, "held"),
        ({"metadata": {"repealed_by": "act-9"}, "declared": Interval(date(2020, 1, 1), date(2021, 1, 1))}, "repealed"),
    ],
)
def test_what_never_governs(other: dict[str, Any], reason: str) -> None:
    """Drafts, held and staged versions are never in force; a repealing act is named as the end."""
    assert answer([version("v1", "2020-01-01", 1, **other)], [], "2025-01-01") == reason


def test_held_successor_is_pending_beside_the_version_in_force() -> None:
    """A held version that should already apply is told beside the one in force."""
    versions = [version("v1", "2020-01-01", 1), version("v2", "2022-01-01", 2, state="held")]
    decision = in_force(versions, [], date(2023, 1, 1), at(9), "recorded")["a", "en"]
    assert decision.version is not None
    assert decision.version.version_id == "v1"
    assert [row.version_id for row in decision.pending] == ["v2"]


def test_staged_version_published_by_a_later_record() -> None:
    """The last known record of a version decides: staged before its publication was recorded, in force after."""
    versions = [version("v1", "2020-01-01", 1, state="staged"), version("v1", "2020-01-01", 4)]
    assert answer(versions, [], "2023-01-01", known=3) == "held"
    assert answer(versions, [], "2023-01-01", known=4) == "v1"


def test_redate_moves_only_the_dates_given() -> None:
    """A redating changes the start or the end it names, from its recording on."""
    versions = [version("v1", "2024-01-01", 1, "2025-01-01")]
    events = [event("redate", 2, "v1", start="2024-06-01"), event("redate", 3, "v1", end="2026-01-01")]
    assert answer(versions, events, "2024-03-01", known=1) == "v1"
    assert answer(versions, events, "2024-03-01") == "not_yet_in_force"
    assert answer(versions, events, "2025-06-01", known=2) == "expired"
    assert answer(versions, events, "2025-06-01") == "v1"


def test_published_basis_compares_the_published_date() -> None:
    """With ``known_basis published`` a version counts from its own promulgation, not from our recording."""
    versions = [version("v1", "2020-01-01", 1, published_on=date(2019, 5, 1))]
    early = datetime(2019, 6, 1, tzinfo=UTC)
    day = date(2020, 2, 1)
    assert in_force(versions, [], day, early, "recorded") == {}
    decision = in_force(versions, [], day, early, "published")["a", "en"]
    assert decision.version == versions[0]
    bounded = build(versions, [], Knowledge(early, "published", recorded_by=at(0)))
    assert bounded == {}, "a published reading can be bounded to what the home held"


def make_clause(path: tuple[str, ...], parent: tuple[str, ...] | None, start: date | None = None) -> Clause:
    """A clause numbered by its path."""
    digest = sha256_text("x")
    return Clause(
        path=path, number=".".join(path), label=path[-1], heading="", heading_path=(), depth=len(path), parent=parent, text="x",
        sha256=digest, sha256_normalised=digest, spans=((0, 1),), full_span=(0, 1), effective_from=start,
    )  # fmt: skip


def test_commencement_in_parts() -> None:
    """CASE 16a: a clause and its sub-clauses commence and lapse on their own days, as recorded."""
    clauses = [make_clause(("3",), None), make_clause(("4",), None, date(2026, 7, 1)), make_clause(("4", "1"), ("4",)),
               make_clause(("9",), None)]  # fmt: skip
    events = [event("redate", 5, "v1", end="2027-12-31", number="9"), event("redate", 6, "v1", end="2028-01-01", number="9")]
    redates = clause_redates(events, Knowledge(at(9)), "a", "v1")
    intervals = clause_intervals(clauses, redates)
    assert [clause_reason(item, date(2026, 6, 30)) for item in intervals] == [
        None,
        "not_yet_in_force",
        "not_yet_in_force",
        None,
    ]
    assert [clause_reason(item, date(2027, 12, 31)) for item in intervals] == [None] * 4
    assert [clause_reason(item, date(2028, 1, 1)) for item in intervals] == [None, None, None, "expired"]
    assert clause_redates(events, Knowledge(at(4)), "a", "v1") == {}


def test_states_and_upcoming() -> None:
    """Every state of `docs` on one day, and what is coming."""
    versions = [
        version("v1", "2020-01-01", 1), version("v2", "2022-01-01", 2), version("v3", "2030-01-01", 3),
        version("d", "2020-01-01", 4, status="draft"), version("h", "2020-01-01", 5, state="held"),
        version("s", "2020-01-01", 6, state="staged"), version("x", "2021-01-01", 7),
    ]  # fmt: skip
    timeline = build(versions, [event("void", 8, "x")], Knowledge(at(99)))
    standings = timeline["a", "en"]
    states = {item.row.version_id: state(standings, item, date(2025, 1, 1)) for item in standings}
    assert states == {
        "v1": "superseded", "v2": "in_force", "v3": "future", "d": "draft", "h": "held", "s": "staged", "x": "withdrawn",
    }  # fmt: skip
    assert [(change.day, change.version_id) for change in upcoming(timeline, "a", date(2025, 1, 1))] == [
        (date(2030, 1, 1), "v3")
    ]
    shown = {item.row.version_id: item.shown_end for item in standings}
    assert shown["v1"] == date(2022, 1, 1)
    assert shown["v3"] is None


def oracle(versions: list[VersionRow], events: list[TimeEvent], as_of: date, known: datetime) -> str | None:
    """The rule written as one plain list walk: the version id in force or None (no corrections, one language)."""
    best: tuple[date, int, str, bool] | None = None
    heard = [event for event in events if event.recorded_at <= known]
    for row in versions:
        mine = [event for event in heard if event.version_id in (None, row.version_id)]
        if row.recorded_at > known or row.status == "draft" or row.state != "published":
            continue
        if any(event.kind == "void" and event.index > row.index for event in mine):
            continue
        start, end = row.declared.start, row.declared.end
        for change in mine:
            if change.kind == "redate":
                start, end = change.start or start, change.end or end
        assert start is not None
        ends = [end] if end else []
        for change in mine:
            if change.kind == "withdraw":
                assert change.start is not None
                if change.version_id is not None or row.index < change.index or start < change.start:
                    ends.append(change.start)
        if start <= as_of and (best is None or (start, row.index) > best[:2]):
            best = (start, row.index, row.version_id, any(day <= as_of for day in ends))
    return None if best is None or best[3] else best[2]


DAYS = st.integers(0, 12).map(lambda month: date(2020 + month // 6, 1 + (month % 6) * 2, 1))


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[VersionRow], list[TimeEvent]]:
    """Random versions and events of one document in the order recorded."""
    versions: list[VersionRow] = []
    events: list[TimeEvent] = []
    for index in range(draw(st.integers(1, 8))):
        kind = draw(st.sampled_from(["version", "version", "version", "withdraw", "void", "redate"]))
        start = draw(DAYS)
        end = draw(st.none() | DAYS)
        if kind == "version" or not versions:
            row = version(
                f"v{index}", start.isoformat(), index, status=draw(st.sampled_from(["official", "official", "draft"])),
                state=draw(st.sampled_from(["published", "published", "held", "staged"])),
            )  # fmt: skip
            versions.append(replace(row, declared=Interval(start, end if end and end > start else None)))
        else:
            target = draw(st.sampled_from([row.version_id for row in versions]))
            whole = kind == "withdraw" and draw(st.booleans())
            moved = start if kind != "void" else None
            events.append(TimeEvent(kind, "a", None if whole else target, None, moved, end, "r", at(index), index))  # type: ignore[arg-type]
    return versions, events


@settings(max_examples=400, deadline=None, print_blob=True)
@given(histories(), DAYS, st.integers(0, 9))
def test_law_3_one_in_force_as_the_oracle_says(
    history: tuple[list[VersionRow], list[TimeEvent]], as_of: date, known: int
) -> None:
    """Law 3: at most one version for any (as_of, known_at), the one a plain list walk finds, inside its window alone."""
    versions, events = history
    timeline = build(versions, events, Knowledge(at(known)))
    standings = timeline.get(("a", "en"), ())
    expected = oracle(versions, events, as_of, at(known))
    decision = decide(("a", "en"), standings, as_of) if standings else None
    found = decision.version.version_id if decision and decision.version else None
    assert found == expected
    holding = [item.row.version_id for item in standings if item.live and item.window.holds(as_of)]
    assert holding == ([expected] if expected else []), "the windows of live versions never overlap"
    in_force_states = [item.row.version_id for item in standings if state(standings, item, as_of) == "in_force"]
    assert in_force_states == holding
