"""`clause --history`: what each text of a clause is by now, from which day, and who recorded it when."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.changes.history_words import say_record, say_status
from compliance_rag.faces.http.shapes import Stage
from compliance_rag.faces.render_history import show_history
from compliance_rag.service.history import clause_history
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.times import redate, withdraw
from compliance_rag.store.timeline import Knowledge
from tests.service.building import make_home, policy, publish, staged

DAY = date(2026, 1, 1)


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """An empty home."""
    return make_home(tmp_path / "home")


def put(handle: HomeHandle, days: int, version: str, start: str, **more: Any) -> None:
    """A version of the policy."""
    publish(handle, staged(handle, policy(days), version, start, **more), actor=more.pop("actor", "ada"))


def told(handle: HomeHandle, name: str = "policy@1#2", day: date = DAY, known: datetime | None = None) -> dict[str, Any]:
    """Status, its day and what took its place, by version id; every entry is what the service says it gives."""
    knowledge = {} if known is None else {"knowledge": Knowledge(known)}
    entries = clause_history(handle.corpus(), handle.ledger, name, day, **knowledge)
    assert [Stage.model_validate(entry).status for entry in entries]
    return {entry["version_id"]: (entry["status"], entry["status_from"], entry["status_by"]) for entry in entries}


def test_superseded_corrected_and_void_are_three_things(handle: HomeHandle) -> None:
    """A text replaced by the next, one corrected away, one declared void: each by its own name, with what took its place."""
    put(handle, 10, "1", "2024-01-01")
    put(handle, 12, "2", "2025-01-01")
    put(handle, 13, "2", "2025-01-01", correct=True)
    put(handle, 14, "3", "2025-06-01")
    before = datetime.now(UTC)
    withdraw(handle, "policy", version="3", void=True, reason="never adopted", actor="bob")
    assert told(handle) == {
        "1": ("superseded", "2025-01-01", "2~2"), "2": ("corrected", None, "2~2"), "2~2": ("in_force", "2025-01-01", None),
        "3": ("void", None, None),
    }  # fmt: skip
    assert told(handle, known=before)["3"] == ("in_force", "2025-06-01", None)


def test_withdrawn_repealed_and_expired_are_three_things(handle: HomeHandle) -> None:
    """An end by our own record, by the law that repealed it, by its own words: each with its day."""
    put(handle, 10, "1", "2024-01-01")
    withdraw(handle, "policy", start=date(2025, 3, 1), reason="no longer ours", actor="bob")
    assert told(handle) == {"1": ("withdrawn", "2025-03-01", None)}
    assert told(handle, day=date(2025, 2, 28)) == {"1": ("in_force", "2024-01-01", None)}
    put(handle, 10, "1", "2024-01-01", doc_id="lapsed", effective_to="2025-01-01")
    put(handle, 10, "1", "2024-01-01", doc_id="repealed", effective_to="2025-01-01", repealed_by="Act 9")
    assert told(handle, "lapsed@1#2") == {"1": ("expired", "2025-01-01", None)}
    assert told(handle, "repealed@1#2") == {"1": ("repealed", "2025-01-01", None)}


def test_an_ended_version_is_not_superseded_by_a_later_one(handle: HomeHandle) -> None:
    """With a gap between them the first expired on its own day; without one it was superseded."""
    put(handle, 10, "1", "2024-01-01", effective_to="2024-07-01")
    put(handle, 12, "2", "2025-01-01")
    assert told(handle)["1"] == ("expired", "2024-07-01", None)
    put(handle, 10, "1", "2024-01-01", doc_id="next", effective_to="2025-01-01")
    put(handle, 12, "2", "2025-01-01", doc_id="next")
    assert told(handle, "next@1#2")["1"] == ("superseded", "2025-01-01", "2")


def test_a_clause_may_come_and_go_on_its_own_days(handle: HomeHandle) -> None:
    """Redated apart from its version: in force from its day, expired on its day; the other clauses are as the version is."""
    put(handle, 10, "1", "2024-01-01")
    redate(handle, "policy", "1", number="2", effective_from=date(2024, 6, 1), reason="section 1", actor="bob")
    redate(handle, "policy", "1", number="2", effective_to=date(2025, 6, 1), reason="section 1", actor="bob")
    assert told(handle) == {"1": ("expired", "2025-06-01", None)}
    assert told(handle, day=date(2024, 3, 1)) == {"1": ("future", "2024-06-01", None)}
    assert told(handle, "policy@1#3") == {"1": ("in_force", "2024-01-01", None)}


def test_a_clause_that_the_next_version_dropped(handle: HomeHandle) -> None:
    """The last text that had it says in which version it is gone."""
    put(handle, 10, "1", "2024-01-01")
    publish(handle, staged(handle, policy(10).split("3. Retention")[0], "2", "2025-01-01"))
    (entry,) = clause_history(handle.corpus(), handle.ledger, "policy@1#3", DAY)
    assert (entry["status"], entry["gone_in"]) == ("superseded", "2")
    assert say_status(entry, "en") == "superseded from 2025-01-01 by 2, gone in 2"
    assert say_status(entry, "zh") == "自2025-01-01起被2取代，2中已无此条款"


def test_every_record_is_named_with_who_when_and_why(handle: HomeHandle) -> None:
    """Recording, redating, correction, withdrawal and voiding, in the order recorded, each with its reason; a redating of
    another clause is no record about this one."""
    put(handle, 10, "1", "2024-01-01")
    redate(handle, "policy", "1", number="3", effective_from=date(2024, 2, 1), reason="other clause", actor="bob")
    redate(handle, "policy", "1", number="2", effective_from=date(2024, 3, 1), reason="printed late", actor="bob")
    put(handle, 11, "1", "2024-01-01", correct=True)
    withdraw(handle, "policy", start=date(2025, 3, 1), reason="repealed", actor="eve")
    withdraw(handle, "policy", version="1~1", void=True, reason="wrong file", actor="eve")
    entries = clause_history(handle.corpus(), handle.ledger, "policy@1#2", DAY)
    first, second = sorted(entries, key=lambda entry: str(entry["version_id"]))
    assert [(item["what"], item["actor"], item["reason"]) for item in first["records"]] == [
        ("published", "ada", None), ("redated", "bob", "printed late"), ("corrected", "ada", None),
        ("withdrawn", "eve", "repealed"), ("voided", "eve", "wrong file"),
    ]  # fmt: skip
    assert [item["what"] for item in second["records"]] == ["published", "withdrawn"]
    at = first["records"][3]["recorded_at"][:16].replace("T", " ")
    assert say_record(first["records"][3], "en") == f"withdrawn from 2025-03-01 on {at} by eve: repealed"
    assert say_record(first["records"][3], "zh") == f"{at}由eve自2025-03-01起撤回：repealed"


def test_the_history_is_read_in_the_language_of_the_document(handle: HomeHandle, capsys: pytest.CaptureFixture[str]) -> None:
    """English and Chinese: standing, days, and who recorded what."""
    for language, words in (
        ("en", ("superseded from 2025-01-01 by 2", "in force since 2025-01-01", "recorded on", "by ada", "modified")),
        ("zh", ("自2025-01-01起被2取代", "自2025-01-01起有效", "由ada录入", "修改", "所存最早版本")),
    ):
        put(handle, 10, "1", "2024-01-01", doc_id=language, language=language)
        put(handle, 12, "2", "2025-01-01", doc_id=language, language=language)
        show_history(clause_history(handle.corpus(), handle.ledger, f"{language}@2#2", DAY), language)
        shown = capsys.readouterr().out
        for word in words:
            assert word in shown, shown
