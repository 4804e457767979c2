"""What is said of a version's days: in refusals, in changes to come, in lists, and of texts that never governed."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.changes.html_words import CHINESE, ENGLISH, say_span, say_version
from compliance_rag.faces.render import dates, show_docs
from compliance_rag.faces.render_history import show_history
from compliance_rag.service.ask import ask
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.changes import changes
from compliance_rag.service.history import clause_history
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.reads import docs, outline
from compliance_rag.service.times import withdraw
from schemas.dates import print_instant
from schemas.objects import Answer, VersionObject
from tests.service.building import make_home, policy, publish, staged

DAY = date(2026, 1, 1)
QUESTION = "Within how many days shall the employee notify the office of the event?"
ZH = "# 报告办法\n\n第一条 员工应当在{}日内向办公室报告事件。\n"
ZH_QUESTION = "员工应当在几日内向办公室报告事件？"


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """An empty home."""
    return make_home(tmp_path / "home")


def put(handle: HomeHandle, days: int, version: str, start: str, **more: Any) -> None:
    """A version of the policy."""
    done = publish(handle, staged(handle, policy(days), version, start, title="Records Policy", **more))
    assert done.published, done


def asked(handle: HomeHandle, as_of: str, question: str = QUESTION, **more: Any) -> Answer:
    """The answer as of a day."""
    return ask(handle, AskRequest(question, as_of=date.fromisoformat(as_of), actor="tester", **more))


def versions(handle: HomeHandle) -> dict[str, VersionObject]:
    """By version id."""
    return {version.version_id: version for one in docs(handle.corpus(), DAY) for version in one.versions}


def test_a_refusal_in_time_names_version_and_day(handle: HomeHandle) -> None:
    """Not yet, a gap, expired, withdrawn: the version that is not in force, its day, and what follows it."""
    put(handle, 10, "v1", "2020-01-01", effective_to="2021-01-01")
    assert "Records Policy, version v1, was in force until 2021-01-01." in asked(handle, "2024-01-01").answer
    put(handle, 12, "v2", "2023-01-01")
    for day, reason, words in (
        ("2019-06-01", "not_yet_in_force", "Records Policy, version v1, is in force from 2020-01-01."),
        ("2022-01-01", "gap",
         "Records Policy, version v1, was in force until 2021-01-01; version v2 is in force from 2023-01-01."),
    ):  # fmt: skip
        answer = asked(handle, day)
        assert (answer.refusal_reason, words in answer.answer) == (reason, True), answer.answer
    withdraw(handle, "policy", start=date(2025, 1, 1), reason="replaced", actor="ada")
    answer = asked(handle, "2025-06-01")
    assert answer.refusal_reason == "withdrawn"
    assert "Records Policy, version v2, was withdrawn from 2025-01-01." in answer.answer


def test_a_refusal_in_time_in_chinese(handle: HomeHandle) -> None:
    """The same, in Chinese."""
    for number, version, start, more in (
        ("三", "甲", "2020-01-01", {"effective_to": "2021-01-01"}),
        ("五", "乙", "2023-01-01", {}),
    ):
        publish(handle, staged(handle, ZH.format(number), version, start, "zh", language="zh", title="报告办法", **more))
    assert "《报告办法》甲自2020-01-01起施行。" in asked(handle, "2019-06-01", ZH_QUESTION).answer
    assert "《报告办法》甲有效期至2021-01-01（不含）；乙自2023-01-01起施行。" in asked(handle, "2022-01-01", ZH_QUESTION).answer


def test_before_anything_was_recorded_nothing_can_say(handle: HomeHandle) -> None:
    """Known at an instant before the first record: that, and not that the documents are silent."""
    put(handle, 10, "v1", "2020-01-01")
    first = handle.corpus().versions[0].recorded_at - timedelta(hours=1)
    for question, words in (
        (QUESTION, f"Nothing was recorded by {print_instant(first)}."),
        (ZH_QUESTION, f"截至{print_instant(first)}尚未录入任何文件。"),
    ):  # fmt: skip
        answer = asked(handle, "2024-01-01", question, known_at=first)
        assert (answer.status, answer.answer.startswith(words)) == ("refused", True), answer.answer
    later = asked(handle, "2024-01-01", "Who repairs the roof of the harbour chapel?", known_at=first + timedelta(days=1))
    assert "Nothing was recorded" not in later.answer


def test_the_end_of_another_version_is_said_to_be_its(handle: HomeHandle) -> None:
    """Of the cited version's successor the end is listed with the successor's name."""
    put(handle, 10, "v1", "2020-01-01")
    put(handle, 12, "v2", "2022-01-01", effective_to="2024-01-01")
    ahead = asked(handle, "2021-06-01").upcoming_changes
    assert [change["text"] for change in ahead] == [
        "Records Policy: Changes on 2022-01-01 (version v2).", "Records Policy: Version v2 is in force until 2024-01-01.",
    ]  # fmt: skip


def test_a_declared_end_that_a_successor_cuts_short(handle: HomeHandle, capsys: pytest.CaptureFixture[str]) -> None:
    """JSON keeps the declared end beside the day it stops governing; a person reads that day."""
    put(handle, 10, "v1", "2020-01-01", effective_to="2024-01-01")
    put(handle, 12, "v2", "2023-01-01")
    one, two = versions(handle)["v1"], versions(handle)["v2"]
    assert (one.effective_to, one.in_force_until, two.in_force_until) == ("2024-01-01", "2023-01-01", None)
    assert "in_force_until" not in two.model_dump(mode="json")
    assert say_version(ENGLISH, one) == "v1 (in force from 2020-01-01 until 2023-01-01)"
    corpus = handle.corpus()
    shown = outline(corpus, handle.home, corpus.find_version("policy", "v1"), DAY)
    assert (shown["effective_to"], shown["in_force_until"]) == ("2024-01-01", "2023-01-01")
    show_docs(docs(corpus, DAY))
    assert "2024-01-01" not in capsys.readouterr().out


def test_a_text_that_never_governed_has_no_days(handle: HomeHandle, capsys: pytest.CaptureFixture[str]) -> None:
    """Corrected away, void, or withdrawn from its first day: never in force, in lists and in a clause's history."""
    put(handle, 10, "v1", "2020-01-01")
    put(handle, 12, "v2", "2025-07-01")
    put(handle, 14, "v2", "2025-07-01", correct=True)
    put(handle, 16, "v3", "2025-10-01")
    withdraw(handle, "policy", version="v3", void=True, reason="never adopted", actor="ada")
    found = versions(handle)
    assert say_version(ENGLISH, found["v2"]) == "v2 (corrected by v2~2, never in force)"
    assert (say_version(ENGLISH, found["v3"]), found["v3"].void) == ("v3 (void, never in force)", True)
    assert say_version(CHINESE, found["v3"]) == "v3（无效，自始不生效）"
    show_docs(docs(handle.corpus(), DAY))
    out = " ".join(capsys.readouterr().out.split())
    assert "until 2025-07-01 ━" not in out.replace("from 2020-01-01 until 2025-07-01", "")
    show_history(clause_history(handle.corpus(), handle.ledger, "policy@v1#2", DAY), "en")
    shown = capsys.readouterr().out
    assert "from 2025-07-01 until 2025-07-01" not in shown
    assert "corrected by v2~2, never in force" in " ".join(shown.split())


def test_a_withdrawn_version_keeps_its_days(handle: HomeHandle) -> None:
    """The header of `changes` says from when until when it governed, and that it was withdrawn."""
    put(handle, 10, "v1", "2020-01-01")
    put(handle, 12, "v2", "2025-01-01")
    withdraw(handle, "policy", version="v2", start=date(2025, 9, 1), reason="replaced", actor="ada")
    found = changes(handle.corpus(), "policy", "v1", "v2", DAY)
    assert say_version(ENGLISH, found.to) == "v2 (in force from 2025-01-01 until 2025-09-01, withdrawn)"
    assert say_version(CHINESE, found.to) == "v2（自2025-01-01起施行，2025-09-01前有效，已撤回）"


def test_a_valid_version_is_compared_with_a_valid_one(handle: HomeHandle, capsys: pytest.CaptureFixture[str]) -> None:
    """Versions 2 and 3 are void: what version 4 did is measured against version 1."""
    for number, (version, start) in enumerate([("v1", "2020"), ("v2", "2021"), ("v3", "2022"), ("v4", "2023")]):
        put(handle, 10 + number, version, f"{start}-01-01")
    for version in ("v2", "v3"):
        withdraw(handle, "policy", version=version, void=True, reason="never adopted", actor="ada")
    entries = clause_history(handle.corpus(), handle.ledger, "policy@v1#2", DAY)
    assert [entry["change"] and entry["change"]["signals"] for entry in entries] == [
        None, ["number: 10 → 11"], ["number: 10 → 12"], ["number: 10 → 13"],
    ]  # fmt: skip
    show_history(entries, "en")
    assert capsys.readouterr().out.count("first version held") == 1


def test_days_in_words() -> None:
    """No start is no "from always"; a start at the end is never."""
    assert dates(None, "2027-12-31") == "until 2027-12-31"
    assert (dates(None, None), dates("2024-01-01", "2024-01-01")) == ("always", "never in force")
    assert say_span(ENGLISH, None, "2027-12-31") == "in force until 2027-12-31"
    assert say_span(CHINESE, "2024-01-01", "2024-01-01") == "从未施行"
