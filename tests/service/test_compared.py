"""Questions that ask what changed, through `ask`: the citation in force, and what it said before beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from audit.verifier import verify_home
from compliance_rag.service.compared import asks_what_changed
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.reconstruct import reconstruct
from schemas.objects import Answer
from tests.service.building import make_home
from tests.service.test_time_cases import asked, put

POLICY = (
    "# Harbour Policy\n\n1. The harbour master keeps a list of boats.\n\n"
    "2. A skipper shall report a collision within {} hours.\n\n3. Nets are dried daily on the eastern pier.{}\n"
)
CHINESE = (
    "# 港口管理办法\n\n第一条 港口应当登记船舶。\n\n第二条 船长应当在{}小时内报告碰撞事故。\n\n第三条 渔网应当每日晾晒。\n"
)
NEW = "\n\n4. A skipper shall carry a flare on every night voyage.\n"


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """A policy of three editions, 72, 48 and 24 hours, and a Chinese one of two."""
    handle = make_home(tmp_path / "home")
    for label, day, hours, more in (
        ("Edition A", "2022-01-01", "72", ""),
        ("Edition B", "2023-01-01", "48", ""),
        ("Edition C", "2024-01-01", "24", NEW),
    ):
        put(handle, POLICY.format(hours, more), label, day, "harbour")
    for label, day, hours in (("2022年版", "2022-01-01", "四十八"), ("2024年修订", "2024-01-01", "八")):
        put(handle, CHINESE.format(hours), label, day, "gangkou", language="zh")
    return handle


def harbour(handle: HomeHandle, question: str, day: str = "2025-06-01") -> Answer:
    """An answer from the English policy."""
    return asked(handle, day, question, docs=("harbour",))


def test_the_version_before_stands_beside_the_citation(handle: HomeHandle) -> None:
    """The clause in force is cited, the text before it is shown with version, days and redline, as evidence and never as a
    citation; the record verifies and derives again."""
    answer = harbour(handle, "How did the time for reporting a collision change in the newest version?")
    assert [cited.clause_id for cited in answer.citations] == ["harbour@edition-c#2"]
    (earlier,) = answer.earlier
    assert (earlier.cited, earlier.version, earlier.effective_from, earlier.effective_to) == (
        "harbour@edition-c#2", "Edition B", "2023-01-01", "2024-01-01",
    )  # fmt: skip
    assert [pair for pair in earlier.redline if pair[0] != "="] == [("-", "48"), ("+", "24")]
    assert "Before, in version Edition B (in force from 2023-01-01 until 2024-01-01), 2: “A skipper" in answer.answer
    assert verify_home(handle.home.root)["valid"]
    assert reconstruct(handle, answer.answer_id)["rederived"] == "equal"


def test_two_days_are_compared(handle: HomeHandle) -> None:
    """Between two days: the text in force on the later one is cited, the one in force on the earlier one stands beside it."""
    question = "How did the time for reporting a collision differ between 1 March 2022 and 1 June 2023?"
    answer = asked(handle, None, question, docs=("harbour",))
    assert (answer.as_of, answer.as_of_from) == ("2023-06-01", "question")
    assert [cited.clause_id for cited in answer.citations] == ["harbour@edition-b#2"]
    assert [entry.version for entry in answer.earlier] == ["Edition A"]


@pytest.mark.parametrize("named", ["between Edition A and Edition C", "between 2022 and 2024"])
def test_the_version_that_is_named_is_compared(handle: HomeHandle, named: str) -> None:
    """A version named by its label or by its year is compared, not the one just before."""
    (earlier,) = harbour(handle, f"What changed about the time for reporting a collision {named}?").earlier
    assert earlier.clause is not None
    assert earlier.clause.clause_id == "harbour@edition-a#2"


def test_words_that_stayed_are_said_to_be_the_same(handle: HomeHandle) -> None:
    """A clause that no version changed: no redline, and a sentence that says so."""
    answer = harbour(handle, "Did the drying of nets on the eastern pier change between Edition A and Edition C?")
    (earlier,) = answer.earlier
    assert earlier.redline == []
    assert "3 said the same in version Edition A" in answer.answer


def test_what_else_changed_on_the_subject_is_named(handle: HomeHandle) -> None:
    """The clause that answers stayed: the one on the same subject that did change is named with what changed in it."""
    text = (
        "# Dock Policy\n\n1. A report of a collision shall state the name of the boat.\n\n"
        "2. A report of a collision shall reach the master within {} hours.\n\n3. Nets are dried daily.\n"
    )
    for label, day, hours in (("Issue 1", "2022-01-01", "72"), ("Issue 2", "2024-01-01", "24")):
        put(handle, text.format(hours), label, day, "dock")
    question = "What changed about the boat's name in a report of a collision between Issue 1 and Issue 2?"
    answer = asked(handle, "2025-06-01", question, docs=("dock",))
    assert "1 said the same in version Issue 1" in answer.answer
    assert "these changed on the same subject: 2 (number: 72 → 24)" in answer.answer


def test_a_new_clause_has_no_counterpart(handle: HomeHandle) -> None:
    """A clause that the earlier version did not have is said to have no counterpart there."""
    answer = harbour(handle, "What changed about carrying a flare on a night voyage between Edition B and Edition C?")
    assert [entry.clause for entry in answer.earlier] == [None]
    assert "4 has no counterpart in version Edition B" in answer.answer


def test_the_first_version_has_nothing_before_it(handle: HomeHandle) -> None:
    """On a day of the first edition there is no earlier one, and the answer says that none is held."""
    answer = harbour(handle, "How did the time for reporting a collision change since the previous version?", "2022-06-01")
    assert [entry.version for entry in answer.earlier] == [None]
    assert "no earlier version" in answer.answer


def test_chinese_is_told_in_chinese(handle: HomeHandle) -> None:
    """从…到…有什么变化: the earlier words with their version, in the question's language."""
    answer = asked(handle, "2025-06-01", "从2022年版到2024年修订，报告碰撞事故的时限有什么变化？", docs=("gangkou",))
    assert [cited.clause_id for cited in answer.citations] == ["gangkou@2024年修订#2"]
    assert (
        "此前，2022年版（自2022-01-01起施行，2024-01-01前有效）第二条：“船长应当在四十八小时内报告碰撞事故。”" in answer.answer
    )


@pytest.mark.parametrize(
    "question",
    [
        "Within how many hours must a collision be reported?",
        "May the provider change its subcontractors?",
        "Must a change of address be reported between two voyages?",
        "甲方变更地址应当通知谁？",
    ],
)
def test_a_rule_about_changes_is_no_question_for_them(handle: HomeHandle, question: str) -> None:
    """A question for a rule, even a rule about changes, compares nothing."""
    assert not asks_what_changed(question)
    assert harbour(handle, "Within how many hours must a collision be reported?").earlier == []
