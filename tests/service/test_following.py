"""Follow-ups: what is taken over, when the subject stands beside the words, what is refused, and the record of it."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from audit.erasure import erase
from compliance_rag.service.ask import ask
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.following import leans, own_terms
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.reconstruct import reconstruct
from schemas.errors import NotFound
from schemas.objects import Answer
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office of the event?"
OTHER = "# Travel Policy\n\n1. Notice\n\nThe traveller shall notify the desk within 3 days of the journey.\n"


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """Two versions of a policy, and another policy."""
    handle = make_home(tmp_path / "home")
    publish(
        handle,
        staged(handle, policy(10), "1", "2024-01-01"),
        staged(handle, policy(14), "2", "2025-01-01"),
        staged(handle, OTHER, "1", "2024-01-01", "travel"),
    )
    return handle


def first(handle: HomeHandle) -> Answer:
    """The answer that is followed."""
    answer = ask(handle, AskRequest(QUESTION, as_of=date(2024, 6, 1), docs=(), actor="ada"))
    assert "within 10 days" in answer.answer
    return answer


def follow(handle: HomeHandle, question: str, before: Answer, **other: object) -> Answer:
    """A follow-up by the same person."""
    return ask(handle, AskRequest(question, follows=before.answer_id, actor="ada", **other))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("question", "leaning", "own"),
    [
        ("And how long are records kept?", True, True),
        ("What if it is late?", True, True),
        ("And now?", True, False),
        ("And as of 1 May 2026?", True, False),
        ("那逾期呢？", True, True),
        ("2024年5月1日呢？", True, False),
        ("How long must a bank keep the records of a customer?", False, True),
        ("银行应当保存客户交易记录多少年？", False, True),
    ],
)
def test_what_leans_on_the_answer_before(question: str, leaning: bool, own: bool) -> None:
    """Openers, pronouns and empty questions lean; only those without words of their own get the subject."""
    assert (leans(question), bool(own_terms(question))) == (leaning, own)


def test_day_and_documents_are_taken_over(handle: HomeHandle) -> None:
    """A question that leans is asked on the same day of the documents cited, on its own words, and says so."""
    before = first(handle)
    answer = follow(handle, "And how long are records kept?", before)
    assert "seven years" in answer.answer
    assert (answer.question, answer.as_of, {citation.doc_id for citation in answer.citations}) == (
        "And how long are records kept?", "2024-06-01", {"policy"},
    )  # fmt: skip
    wanted = {"answer_id": before.answer_id, "read_as": answer.question, "as_of": "2024-06-01", "docs": ["policy"]}
    assert answer.follows is not None
    assert answer.follows.model_dump() == wanted | {"jurisdictions": [], "clauses": []}


@pytest.mark.parametrize("question", ["And as of 2025-06-01?", "2025年6月1日呢？", "And now?"])
def test_a_day_alone_turns_the_answer(handle: HomeHandle, question: str) -> None:
    """ "And as of …?" is answered by the clauses cited before, as they stand on the other day, and by nothing else; the record
    holds the clauses and none of the earlier words, and derives again."""
    before = first(handle)
    answer = follow(handle, question, before)
    assert "within 14 days" in answer.answer
    lineages = {citation.lineage_id for citation in before.citations if citation.role == "primary"}
    assert {citation.lineage_id for citation in answer.citations if citation.role == "primary"} == lineages
    assert answer.follows is not None
    assert (answer.follows.same, answer.follows.read_as) == (True, question)
    assert answer.follows.clauses == ["policy@1#2"]
    assert reconstruct(handle, answer.answer_id)["rederived"] == "equal"


def test_a_clause_that_does_not_stand_on_the_other_day(handle: HomeHandle) -> None:
    """On a day before the first version nothing cited stands: refused for that reason, never answered from elsewhere."""
    answer = follow(handle, "And on 1 June 2019?", first(handle))
    assert (answer.status, answer.refusal_reason) == ("refused", "not_yet_in_force")


def test_what_the_documents_do_not_say_stays_refused(handle: HomeHandle) -> None:
    """The answer before lends its documents, not its words: a follow-up on something else is refused."""
    answer = follow(handle, "And who won the football championship?", first(handle))
    assert (answer.status, answer.refusal_reason) == ("refused", "silent")


def test_what_is_said_wins_over_what_is_taken_over(handle: HomeHandle) -> None:
    """A day and a document of the follow-up's own."""
    answer = follow(handle, "And within how many days for a journey?", first(handle), as_of=date(2025, 6, 1), docs=("travel",))
    assert (answer.as_of, {citation.doc_id for citation in answer.citations}) == ("2025-06-01", {"travel"})
    assert answer.follows is not None
    assert (answer.follows.as_of, answer.follows.docs) == (None, [])


def test_a_follow_up_is_recorded_and_derived_again_without_the_answer_before(handle: HomeHandle) -> None:
    """Its record holds how it was read: derived again it is equal, also once the answer before is erased; nothing of the erased
    question that is not the clauses' own stands in it. The same follow-up is read the same."""
    before = ask(handle, AskRequest(f"{QUESTION[:-1]}, says Quetzal?", as_of=date(2024, 6, 1), actor="ada"))
    answer = follow(handle, "And as of 2025-06-01?", before)
    again = follow(handle, "And as of 2025-06-01?", before)
    assert answer.follows == again.follows
    assert before.ledger is not None
    erase(handle.ledger, before.ledger.index, reason="asked", actor="ada", actor_auth="asserted")
    assert reconstruct(handle, answer.answer_id)["rederived"] == "equal"
    assert answer.follows is not None
    assert "uetzal" not in answer.follows.read_as
    with pytest.raises(NotFound) as caught:
        follow(handle, "And now?", before)
    assert caught.value.code == "erased"


def test_an_answer_that_is_none_is_not_followed(handle: HomeHandle) -> None:
    """Raises unknown_answer."""
    with pytest.raises(NotFound) as caught:
        ask(handle, AskRequest("And now?", follows="a-none"))
    assert caught.value.code == "unknown_answer"
