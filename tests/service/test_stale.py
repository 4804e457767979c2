"""Answers gone stale: which cited clauses changed since, by whom they are looked after, and what makes no answer stale."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.changes.html_words import ENGLISH, clause_name, say_path
from compliance_rag.service.ask import ask
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.changes import changes
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.ingest import known_titles
from compliance_rag.service.manifest import check_entry
from compliance_rag.service.stage import stage_or_reject
from compliance_rag.service.stale import instant_before, list_stale
from compliance_rag.service.stale_records import assign, close
from compliance_rag.service.times import redate, withdraw
from compliance_rag.store.timeline import Knowledge
from schemas.errors import InputRejected, NotFound
from schemas.objects import Answer
from tests.service.building import make_home, publish, reopen, staged

ONE = (
    "# Key Policy\n\n"
    '1. In this policy "keyholder" means an officer of the branch.\n\n'
    "2. The keyholder shall report a lost vault key within 10 days.\n\n"
    "3. Visitors sign the visitors book at the front desk.\n\n"
    "4. Each branch pays the yearly licence fee in January.\n"
)
LATER = "2025-01-01"
QUESTION = "Within how many days shall the keyholder report a lost vault key?"


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """A policy in force from 2024."""
    home = make_home(tmp_path / "home")
    publish(home, staged(home, ONE, "1", "2024-01-01", "keys"))
    return home


def put(handle: HomeHandle, text: str, version: str, start: str = LATER, **more: Any) -> None:
    """One more version."""
    done = publish(handle, staged(handle, text, version, start, "keys", **more))
    assert done.published, done


def asked(handle: HomeHandle, question: str = QUESTION, as_of: str | None = None, **more: Any) -> Answer:
    """An answer that cites something."""
    day = None if as_of is None else date.fromisoformat(as_of)
    answer = ask(handle, AskRequest(question, as_of=day, actor="tester", **more))
    assert answer.citations, answer.answer
    return answer


def fates(handle: HomeHandle) -> list[tuple[str, str | None, str]]:
    """(before, after, cause) of every stale clause."""
    return [
        (clause.before.clause_id, clause.after and clause.after.clause_id, clause.cause)
        for item in list_stale(handle)
        for clause in item.clauses
    ]


def test_a_rewritten_clause_makes_its_answer_stale(handle: HomeHandle) -> None:
    """Old and new words, the question and the answer are named; asking again gives the new words."""
    answer = asked(handle)
    assert list_stale(handle) == []
    put(handle, ONE.replace("10 days", "14 days"), "2")
    (item,) = list_stale(handle)
    assert (item.answer_id, item.question, item.as_of, item.owner, item.decision) == (
        answer.answer_id, QUESTION, answer.as_of, None, None,
    )  # fmt: skip
    clause = next(clause for clause in item.clauses if clause.before.number == "2")
    assert clause.cause == "modified"
    assert "10 days" in clause.before.text
    assert clause.after is not None
    assert "14 days" in clause.after.text
    assert "14 days" in asked(handle).answer


def test_a_removed_clause_has_nothing_after(handle: HomeHandle) -> None:
    """A clause that the next version leaves out, and a document withdrawn."""
    answer = asked(handle, "Where do visitors sign the visitors book?")
    assert "3" in [citation.number for citation in answer.citations]
    gone = ONE[: ONE.index("3. ")] + ONE[ONE.index("4. ") :].replace("4. ", "3. ")
    put(handle, gone, "2")
    assert ("keys@1#3", None, "removed") in fates(handle)


def test_a_withdrawal_makes_answers_stale(handle: HomeHandle) -> None:
    """Nothing is in force today: what the answer cites is gone."""
    asked(handle)
    withdraw(handle, "keys", start=date(2025, 3, 1), reason="replaced", actor="ada")
    assert ("keys@1#2", None, "removed") in fates(handle)


def test_a_changed_definition_ripples(handle: HomeHandle) -> None:
    """The cited words are the same and mean something else."""
    answer = asked(handle)
    assert "2" in [citation.number for citation in answer.citations]
    put(handle, ONE.replace("an officer of the branch", "any member of staff"), "2")
    assert ("keys@1#2", "keys@2#2", "rippled") in fates(handle)


def test_a_renumbering_left_behind_ripples(tmp_path: Path) -> None:
    """The words "clause 3" stayed and name another clause now."""
    handle = make_home(tmp_path / "home")
    one = "# Keys\n\n1. Lost keys are reported as clause 3 says.\n\n2. Fees fall due.\n\n3. Report to the head office.\n"
    publish(handle, staged(handle, one, "1", "2024-01-01", "keys"))
    asked(handle, "How are lost keys reported?")
    two = one.replace("3. Report", "3. Visitors sign the book.\n\n4. Report")
    publish(handle, staged(handle, two, "2", LATER, "keys"))
    assert ("keys@1#1", "keys@2#1", "rippled") in fates(handle)


def test_a_reference_put_right_counts(tmp_path: Path) -> None:
    """The answer quoted the number that was wrong; a renumbering and a typing mark around it would not count."""
    handle = make_home(tmp_path / "home")
    one = "# Keys\n\n1. Losses of keys are governed by clause 3.\n\n2. Losses are reported.\n\n3. Fees fall due.\n"
    publish(handle, staged(handle, one, "1", "2024-01-01", "keys"))
    asked(handle, "By which clause are losses of keys governed?")
    publish(handle, staged(handle, one.replace("by clause 3", "by clause 2"), "2", LATER, "keys"))
    assert ("keys@1#1", "keys@2#1", "modified") in fates(handle)


def test_a_change_elsewhere_leaves_the_answer_alone(handle: HomeHandle) -> None:
    """Other clauses, numbers, and typing make no answer stale."""
    asked(handle)
    put(handle, ONE.replace("in January", "in March").replace("# Key Policy\n", "# Key Policy\n\n0. Aim of this text.\n"), "2")
    assert fates(handle) == []


def test_an_answer_about_the_past_stays(handle: HomeHandle) -> None:
    """Asked when version 2 was in force, about the time of version 1: version 3 changes nothing in it. A correction of
    version 1 does."""
    put(handle, ONE.replace("10 days", "14 days"), "2")
    asked(handle, as_of="2024-06-01")
    put(handle, ONE.replace("10 days", "20 days"), "3", "2025-06-01")
    assert fates(handle) == []
    put(handle, ONE.replace("10 days", "12 days"), "1", "2024-01-01", correct=True)
    assert ("keys@1#2", "keys@1~2#2", "modified") in fates(handle)


def test_a_later_version_leaves_the_days_before_it_alone(handle: HomeHandle) -> None:
    """The same version still governs the day asked about, though another was recorded since; one that reaches back to that day
    makes the answer stale."""
    asked(handle, as_of="2024-06-01")
    put(handle, ONE.replace("10 days", "14 days"), "2")
    assert fates(handle) == []
    put(handle, ONE.replace("10 days", "20 days"), "1a", "2024-03-01")
    assert ("keys@1#2", "keys@1a#2", "modified") in fates(handle)


def test_known_at_on_purpose_is_not_stale(handle: HomeHandle) -> None:
    """Asked as known before a correction that was already recorded: nothing changed since."""
    before = datetime.now(UTC)
    put(handle, ONE.replace("10 days", "12 days"), "1", "2024-01-01", correct=True)
    asked(handle, known_at=before)
    assert fates(handle) == []


def test_a_record_that_claims_to_know_what_is_ahead_goes_stale(handle: HomeHandle) -> None:
    """Earlier releases recorded an instant ahead as it was given; nothing was known after the record was made."""
    answer = asked(handle, known_at=datetime(2999, 1, 1, tzinfo=UTC), as_of="2025-06-01")
    put(handle, ONE.replace("10 days", "14 days"), "2")
    assert [item.answer_id for item in list_stale(handle)] == [answer.answer_id]


def test_a_clause_redated_away(handle: HomeHandle) -> None:
    """A clause that lapses by a record of its own is no longer in force, its version is."""
    asked(handle)
    redate(handle, "keys", "1", number="2", effective_to=date(2025, 1, 1), reason="sunset", actor="ada")
    assert ("keys@1#2", None, "removed") in fates(handle)


def two_documents(tmp_path: Path, cites: str) -> tuple[HomeHandle, str]:
    """A rule, and a policy whose clause 1 asks for what ``cites`` says; the home, and the text of the rule."""
    handle = make_home(tmp_path / "home")
    rule = "# Reserve Rule\n\n1. Aim of the rule.\n\n2. Capital is eight percent of assets.\n"
    policy = f"# Capital Policy\n\n1. The treasurer keeps the capital that {cites} asks for.\n"
    for doc_id, text, title in (("rule", rule, "Reserve Rule"), ("capital", policy, "Capital Policy")):
        path = tmp_path / f"{doc_id}.md"
        path.write_text(text, "utf-8")
        fields = {"file": path.name, "doc_id": doc_id, "version": "1", "effective_from": "2023-01-01", "title": title}
        entry = check_entry({**fields, "language": "en"}, doc_id)
        publish(handle, stage_or_reject(entry, tmp_path, handle.home, known_titles(handle, [entry])))
    return handle, rule


def test_a_clause_of_another_document_ripples(tmp_path: Path) -> None:
    """A policy that cites a rule without its edition is touched when the rule changes: the path and both texts of the changed
    clause are named, and a decision about it holds until the rule changes again."""
    handle, rule = two_documents(tmp_path, "Reserve Rule, s. 2")
    asked(handle, "What capital does the treasurer keep?", docs=("capital",))
    publish(handle, staged(handle, rule.replace("eight", "nine"), "2", LATER, "rule", title="Reserve Rule"))
    assert ("capital@1#1", "capital@1#1", "rippled") in fates(handle)
    (item,) = list_stale(handle)
    (clause,) = item.clauses
    assert clause.ripple is not None
    assert clause.origin is not None
    assert say_path(ENGLISH, clause.ripple) == "cites “Reserve Rule, s. 2” ← rule 2 modified"
    assert [side and side.text for side in (clause.origin.before, clause.origin.after)] == [
        "Capital is eight percent of assets.", "Capital is nine percent of assets.",
    ]  # fmt: skip
    close(handle, item.id, decision="no_impact", note="read again", actor="ada")
    assert list_stale(handle, only_open=True) == []
    publish(handle, staged(handle, rule.replace("eight", "ten"), "3", "2025-06-01", "rule", title="Reserve Rule"))
    assert [one.id for one in list_stale(handle, only_open=True)] == [item.id]


@pytest.mark.parametrize(
    ("cites", "touched"), [("Reserve Rule, s. 2", ["capital@1#1"]), ("Reserve Rule, s. 2 as in force on 1 June 2023", [])]
)
def test_a_change_lists_the_clauses_of_other_documents_that_cite_it(tmp_path: Path, cites: str, touched: list[str]) -> None:
    """Named with their document, where they mean the edition in force; one that names its edition is not touched."""
    handle, rule = two_documents(tmp_path, cites)
    publish(handle, staged(handle, rule.replace("eight", "nine"), "2", LATER, "rule", title="Reserve Rule"))
    found = changes(handle.corpus(), "rule", "1", "2", date(2026, 1, 1))
    assert [change.affects for change in found.changes] == [touched]
    assert [clause_name(ENGLISH, ripple) for ripple in found.changes[0].ripples] == ["capital 1"] * len(touched)
    hidden = Knowledge(datetime.now(UTC), docs=frozenset(["rule"]))
    assert changes(handle.corpus(), "rule", "1", "2", date(2026, 1, 1), hidden).changes[0].affects == []


def test_a_clause_that_was_only_re_pointed_names_the_change_that_touches_it(tmp_path: Path) -> None:
    """The number in its reference followed a renumbering, and what it cites says something else now."""
    handle = make_home(tmp_path / "home")
    one = "# Keys\n\n1. Lost keys are reported within 72 hours.\n\n2. Records of lost keys are kept as clause 1 says.\n"
    publish(handle, staged(handle, one, "1", "2024-01-01", "keys"))
    asked(handle, "How are records of lost keys kept?")
    two = (
        "# Keys\n\n1. This text holds in Aarhus only.\n\n2. Lost keys are reported within 24 hours.\n\n"
        "3. Records of lost keys are kept as clause 2 says.\n"
    )
    publish(handle, staged(handle, two, "2", LATER, "keys"))
    found = {clause.before.number: clause for item in list_stale(handle) for clause in item.clauses}
    assert found["2"].cause == "modified"
    assert found["2"].ripple is not None
    assert say_path(ENGLISH, found["2"].ripple) == "cites “clause 2” ← 2 modified"


def test_a_rippled_clause_names_what_was_changed(handle: HomeHandle) -> None:
    """Both texts of the definition stand beside the clause that uses it."""
    asked(handle)
    put(handle, ONE.replace("an officer of the branch", "any member of staff"), "2")
    clause = next(clause for item in list_stale(handle) for clause in item.clauses if clause.before.number == "2")
    assert clause.origin is not None
    assert clause.origin.before is not None
    assert clause.origin.after is not None
    assert "an officer of the branch" in clause.origin.before.text
    assert "any member of staff" in clause.origin.after.text


def test_a_decision_may_be_changed_and_is_not_recorded_twice(handle: HomeHandle) -> None:
    """The same decision by the same person for the same reason is on record already; another decision, reason or person adds a
    record, the last holds, and all of them are shown."""
    asked(handle)
    put(handle, ONE.replace("10 days", "14 days"), "2")
    (item,) = list_stale(handle)
    first = close(handle, item.id, decision="no_impact", note="memo covers it", actor="grace")
    assert [one.decision for one in first.decisions] == ["no_impact"]
    size = handle.ledger.size
    again = close(handle, item.id, decision="no_impact", note="memo covers it", actor="grace")
    assert (again, handle.ledger.size) == (first, size)
    changed = close(handle, item.id, decision="updated", note="memo was wrong", actor="ada")
    assert changed.decision == "updated"
    assert [(one.decision, one.note, one.actor) for one in changed.decisions] == [
        ("no_impact", "memo covers it", "grace"), ("updated", "memo was wrong", "ada"),
    ]  # fmt: skip
    back = close(handle, item.id, decision="no_impact", note="memo covers it", actor="grace")
    assert ([one.decision for one in back.decisions], back.decision) == (["no_impact", "updated", "no_impact"], "no_impact")
    put(handle, ONE.replace("10 days", "20 days"), "3", "2025-06-01")
    (opened,) = list_stale(handle)
    assert (opened.decision, opened.decisions) == (None, [])


def test_a_rippled_answer_says_how_it_is_reached(handle: HomeHandle) -> None:
    """The path from the changed definition to the clause cited."""
    asked(handle)
    put(handle, ONE.replace("an officer of the branch", "an officer or a clerk of the branch"), "2")
    (clause,) = [one for item in list_stale(handle) for one in item.clauses if one.cause == "rippled"]
    assert clause.ripple is not None
    assert [(step.number, step.link, step.name) for step in clause.ripple.path] == [("2", "definition", "keyholder")]
    assert (clause.ripple.origin_number, clause.ripple.origin_kind) == ("1", "modified")


def test_owner_due_and_decision_are_records(handle: HomeHandle) -> None:
    """Assigned, closed, and open again when a later version changes the clause once more; read back from the ledger."""
    answer = asked(handle)
    put(handle, ONE.replace("10 days", "14 days"), "2")
    (item,) = list_stale(handle)
    given = assign(handle, item.id, owner="grace", due=date(2026, 1, 31), actor="ada")
    assert (given.owner, given.due, given.decision) == ("grace", "2026-01-31", None)
    done = close(handle, answer.answer_id, decision="updated", note="the memo was sent again", actor="grace")
    assert (done.owner, done.decision) == ("grace", "updated")
    assert list_stale(handle, only_open=True) == []
    assert [entry.decision for entry in list_stale(reopen(handle))] == ["updated"]
    put(handle, ONE.replace("10 days", "20 days"), "3", "2025-06-01")
    (again,) = list_stale(handle, only_open=True)
    assert (again.id, again.owner, again.decision) == (item.id, "grace", None)
    kinds = [header["event"] for _, header in handle.ledger.headers(0, {"stale"})]
    assert kinds == ["assign", "close"]


def test_since_names_what_a_batch_made_stale(handle: HomeHandle) -> None:
    """Only what was not stale by the same changes before."""
    asked(handle)
    put(handle, ONE.replace("10 days", "14 days"), "2")
    between = instant_before(handle)
    asked(handle, "Where do visitors sign the visitors book?")
    put(handle, ONE.replace("10 days", "14 days").replace("front desk", "gate"), "3", "2025-06-01")
    fresh = list_stale(handle, since=between)
    assert [item.question for item in fresh] == ["Where do visitors sign the visitors book?"]
    assert list_stale(handle, since=datetime.now(UTC) + timedelta(seconds=1)) == []


def test_what_is_refused(handle: HomeHandle) -> None:
    """An item that is not there, no owner, no note."""
    with pytest.raises(NotFound, match=r"No answer 's-99' is stale"):
        assign(handle, "s-99", owner="grace", due=date(2026, 1, 1), actor="ada")
    asked(handle)
    put(handle, ONE.replace("10 days", "14 days"), "2")
    (item,) = list_stale(handle)
    for call in (
        lambda: assign(handle, item.id, owner=" ", due=date(2026, 1, 1), actor="ada"),
        lambda: close(handle, item.id, decision="no_impact", note="", actor="ada"),
    ):
        with pytest.raises(InputRejected):
            call()
