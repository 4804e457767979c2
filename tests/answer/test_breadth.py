"""Questions that ask for a set, and what belongs to their answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from compliance_rag.answer.breadth import asks_for_set, belonging
from compliance_rag.answer.select import choose
from compliance_rag.retrieve.types import EvidenceItem
from compliance_rag.store.rows import StoredClause
from tests.answer.made import clause, ranking, version

QUESTION = "What are the requirements for the outsourcing of critical functions?"
RULE = "An institution must keep a register of the outsourcing of critical functions and give it to the Authority on request."
NEXT = "The contract on such a function must give the institution and the Authority full access to its premises."
LATER = "Where the provider fails, the institution must be able to move the work elsewhere without harm to clients at any time."
FAR = "An institution must keep its own premises clean and safe, and must count the chairs in them at the end of every year."


@pytest.mark.parametrize(
    "question",
    [
        QUESTION,
        "Could you clarify the expectations on a body's arrangements for monitoring?",
        "Are there any specific restrictions on the sale of units?",
        "Can you provide examples of safeguards for client money?",
        "境内机构报送数据应当遵守哪些要求？",
        "法律对数据出境有什么规定？",
    ],
)
def test_a_set_is_asked_for(question: str) -> None:
    """Questions for requirements, measures, examples and the like ask for all there is, in both languages."""
    assert asks_for_set(question)


@pytest.mark.parametrize(
    "question",
    [
        "Within what time must the supervisor hear from us about a material incident?",
        "Which legislation governs the use of Confidential Information by the Regulator?",
        "Who has to agree before an incident is put into a lower class?",
        "May Calder hold back part of the sum?",
        "云和银行每年要付给澄远多少服务费？",
    ],
)
def test_one_thing_is_asked_for(question: str) -> None:
    """A question for a time, a person, a permission or a sum keeps the smallest answer."""
    assert not asks_for_set(question)


def _held() -> tuple[StoredClause, ...]:
    other = version("manual")
    return (
        clause("9.1", RULE, seq=40), clause("3.1", FAR, row=other, seq=3), clause("9.2", NEXT, seq=41),
        clause("9", "Outsourcing", seq=39), clause("9.3", LATER, seq=42),
    )  # fmt: skip


def test_neighbours_of_the_answer_belong_to_it() -> None:
    """Of candidates with about the same score, those beside the first clause go before one of another document; a mere
    heading comes last."""
    found = ranking(QUESTION, *_held())
    order = [one.clause.clause_id for one in belonging(found.candidates[0], found.candidates, likely=False)]
    assert order[:2] == ["policy@1#9/2", "policy@1#9/3"]
    assert order.index("policy@1#9") > order.index("policy@1#9/2")


def test_a_set_is_cited_and_one_thing_is_not_widened() -> None:
    """The same clauses give more citations to a question for a set, at most as many as asked for, and one to a narrow one."""
    wide = choose(QUESTION, ranking(QUESTION, *_held()), []).pieces
    assert {piece.clause.clause_id for piece in wide} >= {"policy@1#9/1", "policy@1#9/2", "policy@1#9/3"}
    assert len(choose(QUESTION, ranking(QUESTION, *_held()), [], limit=2).pieces) == 2
    narrow = "To whom must the register of the outsourcing of critical functions be given?"
    assert [piece.clause.clause_id for piece in choose(narrow, ranking(narrow, *_held()), []).pieces] == ["policy@1#9/1"]


def test_what_takes_back_a_clause_of_the_set_is_named() -> None:
    """An exception to a clause that was cited because it belongs to the set is quoted or named, never dropped."""
    exception = clause("9.9", "This does not apply to a provider of the same group as the institution or its parent.", seq=48)
    item = EvidenceItem(exception, "exception", "modifies 9.2", 0.5, "policy@1#9/2", "exception")
    choice = choose(QUESTION, ranking(QUESTION, *_held()), [item])
    cited = {piece.clause.clause_id for piece in choice.pieces}
    assert "policy@1#9/2" in cited
    assert exception.clause_id in cited | {one.clause_id for one in choice.named}


def test_the_order_of_the_candidates_decides_nothing_else() -> None:
    """Equal odds are told apart by clause id: the same set whatever order equal candidates came in."""
    found = ranking(QUESTION, *_held())
    flat = [replace(one, score=1.0) for one in found.candidates]
    first = flat[0]
    again = [first, *reversed(flat[1:])]
    assert {one.clause.clause_id for one in belonging(first, flat)} == {one.clause.clause_id for one in belonging(first, again)}
