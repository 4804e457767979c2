"""A clause asked for by its number is the answer, whole, or a refusal that says there is none."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from compliance_rag.service.ask import ask
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.homes import HomeHandle, open_home
from tests.embedding import HashingEmbedder
from tests.service.test_ask import put

RULES = """# Harbour Rules

## Part I General

### 3 Berths

3.1 A vessel shall pay for its berth:
(a) in advance; and
(b) in full.

3.2 Clause 3.1 does not apply to lifeboats.

### 4 Fuel

4.1 Fuel shall be stored ashore.

## A. Quays

Nobody may fish from a quay.

## B. Cranes

A crane shall be inspected yearly.
"""
LAW = """# 港口条例

第一章　总则

第一条　为了管理港口，制定本条例。

第二条　船舶应当缴纳泊位费。
船舶应当按时离港。

第二章　罚则

第三条　违反本条例的，处以罚款。
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> HomeHandle:
    """English rules, one clause of which starts later, and a Chinese regulation."""
    root = tmp_path_factory.mktemp("lookup")
    handle = open_home(root / "home", create=True, embedder=HashingEmbedder())
    later: dict[str, Any] = {"clause_dates": {"4.1": {"effective_from": date(2030, 1, 1)}}}
    put(handle, root, "harbour", "1", "2020-01-01", RULES, title="Harbour Rules", **later)
    put(handle, root, "port-law", "1", "2020-01-01", LAW, title="港口条例", language="zh")
    return handle


def cited(home: HomeHandle, question: str) -> list[str]:
    """The numbers cited for a question on a day of 2026."""
    answer = ask(home, AskRequest(question, as_of=date(2026, 1, 1)))
    return [str(citation.number) for citation in answer.citations]


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What does clause 3.1 say?", ["3.1", "3.1(a)", "3.1(b)", "3.2"]),
        ("3.2", ["3.2"]),
        ("What does section B say?", ["B"]),
        ("Show me clause 3.1(b) of the Harbour Rules", ["3.1(b)", "3.2"]),
        ("第二条", ["第二条第一款", "第二条第二款"]),
        ("港口条例第三条规定了什么？", ["第三条"]),
        ("第三条第一款", ["第三条"]),
        ("港口条例第二章", ["第三条"]),
    ],
)
def test_a_clause_asked_for_by_number_is_cited_whole_and_nothing_else_but_its_exceptions(
    home: HomeHandle, question: str, expected: list[str]
) -> None:
    """The clause of that number, what stands under it and what takes it back are cited, in their order."""
    assert cited(home, question) == expected


def test_a_number_that_no_document_has_is_a_refusal_that_says_so(home: HomeHandle) -> None:
    """No neighbour is quoted for a clause that does not exist."""
    answer = ask(home, AskRequest("What does clause 99.4 say?", as_of=date(2026, 1, 1)))
    assert (answer.status, answer.refusal_reason) == ("refused", "silent")
    assert "No clause numbered 99.4" in answer.answer


def test_a_clause_asked_for_before_its_day_is_not_yet_in_force(home: HomeHandle) -> None:
    """A clause with a later day of its own is named and not quoted."""
    answer = ask(home, AskRequest("What does clause 4.1 say?", as_of=date(2026, 1, 1)))
    assert answer.refusal_reason == "not_yet_in_force"
    assert [clause.number for clause in answer.nearest] == ["4.1"]
