"""CASES 9 and 15 to 19b, asked of a real home."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.service.ask import ask
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.changes import changes
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.ingest import known_titles, publish_batch
from compliance_rag.service.manifest import check_entry
from compliance_rag.service.reads import clause, docs, outline
from compliance_rag.service.reconstruct import reconstruct
from compliance_rag.service.stage import stage_or_reject
from compliance_rag.service.times import redate, withdraw
from compliance_rag.store.links import links_of, proposed_dates
from compliance_rag.store.timeline import Knowledge
from schemas.objects import Answer
from tests.service.building import make_home

NOTICE = "# Notice Policy\n\n1. Scope of this policy.\n\n2. The employee shall notify the office within {} days of the event.\n"
QUESTION = "Within how many days shall the employee notify the office of the event?"


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """An empty home."""
    return make_home(tmp_path / "home")


def put(handle: HomeHandle, text: str, version: str, start: str, doc_id: str = "notice", **more: Any) -> None:
    """Publish a version as `add` does, with titles known."""
    folder = handle.home.root.parent
    path = folder / f"{doc_id}-{version}-{handle.ledger.size}.md"
    path.write_text(text, "utf-8")
    fields = {"file": path.name, "doc_id": doc_id, "version": version, "effective_from": start, **more}
    entry = check_entry(fields, path.name)
    done = publish_batch(handle, [stage_or_reject(entry, folder, handle.home, known_titles(handle, [entry]))], actor="ada")
    assert done.published, done


def put_notices(handle: HomeHandle, *versions: tuple[str, str, int], **more: Any) -> None:
    """Versions of the notice policy: label, first day, days."""
    for label, start, days in versions:
        put(handle, NOTICE.format(days), label, start, **more)


def asked(handle: HomeHandle, as_of: str | None, question: str = QUESTION, **more: Any) -> Answer:
    """An answer on a day."""
    return ask(handle, AskRequest(question, as_of=None if as_of is None else date.fromisoformat(as_of), actor="t", **more))


def told(handle: HomeHandle, as_of: str | None, question: str = QUESTION, **more: Any) -> str:
    """The version that answers, else the reason for the refusal."""
    answer = asked(handle, as_of, question, **more)
    return answer.citations[0].version_id if answer.citations else str(answer.refusal_reason)


def test_case_9_dynamic_and_static_references(handle: HomeHandle) -> None:
    """A dynamic reference takes the edition of the day, a static one its own on every day, one we don't hold is unresolved."""
    for version, words in (("2023-01-01", "old"), ("2025-01-01", "new")):
        text = f"# Reserve Rule\n\n15. Reserves\n\n(a) Keep them.\n\n(f) The {words} reserve applies.\n"
        put(handle, text, version, version, "reserve-rule", title="Reserve Rule")
    policy = (
        "# Policy\n\n9. Apply Reserve Rule, s. 15(f).\n\n10. Apply Reserve Rule as in force on 1 June 2023, s. 15(f).\n\n"
        "11. Apply Reserve Rule as in force on 1 June 1999, s. 15(f).\n"
    )
    put(handle, policy, "1", "2023-01-01", "policy", title="Policy")
    corpus = handle.corpus()

    def targets(number: str, day: str) -> list[str | None]:
        (links,) = links_of(corpus, [corpus.clause(f"policy@1#{number}")], date.fromisoformat(day))
        return [item.version and item.version.version_id for item in links.references if item.reference.target_doc]

    assert targets("9", "2024-06-01")[0] == "2023-01-01"
    assert targets("9", "2025-06-01")[0] == "2025-01-01"
    assert {*targets("10", "2024-06-01"), *targets("10", "2025-06-01")} == {"2023-01-01"}
    assert set(targets("11", "2025-06-01")) == {None}


@pytest.mark.parametrize("day", ["03/04/2025", "2/11/41", "29 February 2025", "2025/13/45", "202", "March 2025"])
def test_case_15_an_unclear_day_is_asked_back(handle: HomeHandle, day: str) -> None:
    """A day that may be two, is none, or lacks its century: refused as ambiguous with a question back, and recorded."""
    put_notices(handle, ("1", "2024-01-01", 10))
    answer = asked(handle, None, f"As of {day}, within how many days shall the employee notify the office?")
    assert (answer.status, answer.refusal_reason) == ("refused", "ambiguous_date"), answer.answer
    assert answer.clarify
    assert answer.ledger is not None


def test_case_15_a_rule_is_kept_with_its_resolved_day(handle: HomeHandle) -> None:
    """ "The day after publication" is proposed as rule, resolved day and quote."""
    text = NOTICE.format(10) + "\n3. This policy comes into force on the day after publication.\n"
    put(handle, text, "1", "2025-03-01", published_on="2025-02-28")
    (found,) = proposed_dates(handle.corpus(), handle.corpus().versions[0])
    assert (found.rule, found.effective_from) == ("day after publication", date(2025, 3, 1))
    assert "the day after publication" in found.quote


def test_case_16_a_correction_governs_once_known(handle: HomeHandle) -> None:
    """As of and as known; the earlier answer still reconstructs with the text it was given on."""
    put_notices(handle, ("v1", "2024-01-01", 10), effective_to="2025-07-01")
    put_notices(handle, ("v2", "2025-07-01", 12))
    earlier = asked(handle, "2025-08-01")
    before = datetime.now(UTC)
    put_notices(handle, ("v2", "2025-07-01", 14), correct=True)
    days = ("2025-06-30", "2025-07-01", "2023-12-31", "2025-08-01")
    assert [told(handle, day) for day in days] == ["v1", "v2~2", "not_yet_in_force", "v2~2"]
    assert told(handle, "2025-08-01", known_at=before) == "v2"
    found = reconstruct(handle, earlier.answer_id)
    assert found["rederived"] == "equal"
    assert found["seen"]["citations"][0]["version_id"] == "v2"


def test_case_16a_commencement_in_parts(handle: HomeHandle) -> None:
    """Proposed with the quote; until confirmed answers carry the flag; once confirmed the clauses come and go on their days."""
    text = (
        "# Fees Act\n\n1. This Act commences on 1 January 2025, except section 4, which commences on 1 July 2026; section 9"
        " ceases to have effect on 31 December 2027.\n\n2. The clerk keeps the register of boats.\n\n"
        "3. Buoys are green.\n\n4. The harbour master shall collect the anchorage fee from every yacht.\n\n"
        "5. Piers are swept.\n\n6. Nets are dried.\n\n7. Bells are rung.\n\n8. Ropes are coiled.\n\n"
        "9. The pilot shall carry a signal lantern on board.\n"
    )
    put(handle, text, "1", "2025-01-01", "fees")
    fee = "Who shall collect the anchorage fee from every yacht?"
    lantern = "Who shall carry a signal lantern on board?"
    proposed = {item.number: item for item in proposed_dates(handle.corpus(), handle.corpus().versions[0])}
    assert proposed["4"].effective_from == date(2026, 7, 1)
    assert "section 4" in proposed["4"].quote
    first = asked(handle, "2025-06-01", fee)
    assert first.citations
    assert any("dates_unconfirmed" in cited.flags for cited in first.citations)
    redate(handle, "fees", "1", number="4", effective_from=date(2026, 7, 1), reason="section 1", actor="ada")
    redate(handle, "fees", "1", number="9", effective_to=date(2027, 12, 31), reason="section 1", actor="ada")
    assert told(handle, "2026-06-30", fee) == "not_yet_in_force"
    assert told(handle, "2026-07-01", fee) == "1"
    assert told(handle, "2028-01-01", lantern) == "expired"
    assert told(handle, "2026-06-30", "Who keeps the register of boats?") == "1"
    until = asked(handle, "2026-08-01", lantern)
    assert "9 is in force until 2027-12-31." in until.answer
    assert ("clause_ends", "2027-12-31") in {(change["kind"], change["day"]) for change in until.upcoming_changes}


def test_a_gap_is_told_in_the_language_of_the_question(handle: HomeHandle) -> None:
    """Asked in Chinese of a document with nothing in force: the title and the reason in Chinese."""
    put(
        handle,
        "# 差旅费办法\n\n第一条 出差补贴为每日一百元。\n",
        "1",
        "2025-01-01",
        "chailv",
        language="zh",
        title="差旅费办法",
    )
    answer = asked(handle, "2024-06-01", "出差补贴是多少？", docs=("chailv",))
    assert "《差旅费办法》在2024-06-01没有有效版本：尚未施行，下一版本自2025-01-01起施行。" in answer.answer
    assert "No version" not in answer.answer


def _unconfirmed(handle: HomeHandle, number: str, **more: Any) -> bool:
    """Whether the clause carries the flag in `outline`."""
    corpus = handle.corpus()
    found = outline(corpus, handle.home, corpus.versions[0], date(2025, 6, 1), **more)["clauses"]
    return "dates_unconfirmed" in next(item["flags"] for item in found if item["number"] == number)


def test_a_redating_confirms_the_days_a_text_names(handle: HomeHandle) -> None:
    """Also with the very day proposed: the flag goes from the clause, what stands under it, answers and review reasons, and
    stays where nobody confirmed it and in what was known before."""
    text = (
        "# Fees Act\n\n1. This Act commences on 1 January 2025, except section 4 and section 5, which commence on"
        " 1 July 2026.\n\n2. The clerk keeps the register of boats.\n\n3. Buoys are green.\n\n4. Fees\n\n"
        "(1) The harbour master shall collect the anchorage fee from every yacht.\n\n5. Piers are swept by the warden.\n"
    )
    put(handle, text, "1", "2025-01-01", "fees")
    fee = "Who shall collect the anchorage fee from every yacht?"
    assert (_unconfirmed(handle, "4(1)"), _unconfirmed(handle, "5")) == (True, True)
    assert "dates_unconfirmed" in {reason.code for reason in asked(handle, "2026-07-01", fee).review.reasons}
    before = datetime.now(UTC)
    redate(handle, "fees", "1", number="4", effective_from=date(2026, 7, 1), reason="section 1", actor="ada")
    answer = asked(handle, "2026-07-01", fee)
    assert answer.citations
    assert not any("dates_unconfirmed" in cited.flags for cited in answer.citations if cited.number in ("4", "4(1)"))
    assert "dates_unconfirmed" not in {reason.code for reason in answer.review.reasons}
    assert (_unconfirmed(handle, "4(1)"), _unconfirmed(handle, "5")) == (False, True)
    assert _unconfirmed(handle, "4(1)", knowledge=Knowledge(before))
    found = clause(handle.corpus(), handle.home, "fees@1#4/1", date(2026, 7, 1))
    assert "dates_unconfirmed" not in found["flags"]


def test_a_label_voids_every_text_of_its_version(handle: HomeHandle) -> None:
    """A corrected version voided by its label: neither its correction nor the text first recorded governs, the version before
    does. Voided by its id, the correction alone goes, and the text first recorded comes back."""
    put_notices(handle, ("v2", "2024-01-01", 10), ("v3", "2025-01-01", 12))
    put_notices(handle, ("v3", "2025-01-01", 14), correct=True)
    assert told(handle, "2025-06-01") == "v3~2"
    before = datetime.now(UTC)
    done = withdraw(handle, "notice", version="v3", void=True, reason="never adopted", actor="ada")
    assert done.version_id == "v3~2"
    assert told(handle, "2025-06-01") == "v2"
    assert told(handle, "2025-06-01", known_at=before) == "v3~2"
    size = handle.ledger.size
    assert withdraw(handle, "notice", version="v3", void=True, reason="again", actor="ada").index == done.index
    assert handle.ledger.size == size


@pytest.mark.parametrize(("name", "governs"), [("v3~2", "v3"), ("v3~1", "v3~2")])
def test_an_id_voids_one_text(handle: HomeHandle, name: str, governs: str) -> None:
    """`LABEL~2` is the correction, `LABEL~1` the text first recorded; the other text of the version stays."""
    put_notices(handle, ("v2", "2024-01-01", 10), ("v3", "2025-01-01", 12))
    put_notices(handle, ("v3", "2025-01-01", 14), correct=True)
    withdraw(handle, "notice", version=name, void=True, reason="typed wrongly", actor="ada")
    assert told(handle, "2025-06-01") == governs


def test_case_16a_in_chinese(handle: HomeHandle) -> None:
    """Articles that commence later and lapse, dated in Chinese by their own clause: proposed, then refused with the day."""
    text = (
        "# 港口收费办法\n\n第一条 本办法自2025年1月1日起施行，第三条自2026年7月1日起施行。\n\n"
        "第二条 港务员负责登记船舶。\n\n第三条 港务长向游艇收取停泊费。\n\n第四条 引航员应当携带信号灯。\n"
    )
    put(handle, text, "1", "2025-01-01", "gangkou", language="zh")
    proposed = {item.number: item.effective_from for item in proposed_dates(handle.corpus(), handle.corpus().versions[0])}
    assert proposed.get("第三条") == date(2026, 7, 1), proposed
    redate(handle, "gangkou", "1", number="第三条", effective_from=date(2026, 7, 1), reason="第一条", actor="ada")
    redate(handle, "gangkou", "1", number="第四条", effective_to=date(2027, 12, 31), reason="第一条", actor="ada")
    refused = asked(handle, "2026-06-30", "谁向游艇收取停泊费？")
    assert (refused.refusal_reason, "第三条自2026-07-01起施行" in refused.answer) == ("not_yet_in_force", True), refused.answer
    assert told(handle, "2026-07-01", "谁向游艇收取停泊费？") == "1"
    assert told(handle, "2028-01-01", "谁应当携带信号灯？") == "expired"
    assert told(handle, "2026-06-30", "谁负责登记船舶？") == "1"


def test_case_17_an_amendment_waits_for_its_day(handle: HomeHandle) -> None:
    """The day before, the day itself, and one scheduled for 2099 that changes nothing today."""
    put_notices(handle, ("v1", "2020-01-01", 10), ("v2", "2024-07-01", 12), ("v3", "2099-01-01", 14))
    assert [told(handle, day) for day in ("2024-06-30", "2024-07-01", None)] == ["v1", "v2", "v2"]
    answer = asked(handle, None)
    assert "Changes on 2099-01-01" in answer.answer


def test_case_18_renumbering_is_not_editing(handle: HomeHandle) -> None:
    """One added, one modified, one renumbered; nothing removed; the re-pointed reference is editorial."""
    put(handle, "1 A.\n2 B, see clause 3.\n3 C.\n", "1", "2024-01-01", "abc", language="en")
    put(handle, "1 A.\n2 X.\n3 B, see clause 4.\n4 C.\n", "2", "2025-01-01", "abc", language="en")
    found = changes(handle.corpus(), "abc", "1", "2", date(2026, 1, 1)).changes
    assert [item.kind for item in found] == ["added", "modified", "renumbered"]
    assert (found[1].signals, found[1].weight) == (["renumbered: 2 → 3", "reference: 3 → 4"], "editorial")


def test_case_19_replaced_then_withdrawn(handle: HomeHandle) -> None:
    """Today refused as withdrawn, before that each its own number; what was said before stays as it was."""
    put_notices(handle, ("ten", "2024-01-01", 10), ("fourteen", "2024-06-01", 14))
    earlier = asked(handle, "2025-06-01")
    withdraw(handle, "notice", start=date(2025, 3, 1), reason="repealed", actor="ada")
    assert told(handle, None) == "withdrawn"
    assert [told(handle, day) for day in ("2024-05-31", "2025-02-28", "2025-03-01")] == ["ten", "fourteen", "withdrawn"]
    assert reconstruct(handle, earlier.answer_id)["rederived"] == "equal"
    until = asked(handle, "2025-02-28")
    assert "2025-03-01" in until.answer


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("Under the Data Protection Regulations 2015, within how many days shall the employee notify the office?", None),
        ("For events on or after 15 March 2029, within how many days shall the employee notify the office?", None),
        ("Within how many days shall the employee notify the office of the 2020 annual report?", None),
        ("Within how many days shall the employee notify the office for an event notified on 1 June 2026?", "2026-06-01"),
        ("截至2024年3月1日，employee 应当在多少 days 内 notify the office?", "2024-03-01"),
        ("截止2024/3/1，employee 应当在多少 days 内 notify the office?", "2024-03-01"),
        ("2024年3月1日以后的 event，employee 应当在多少 days 内 notify the office?", None),
        ("按照《2015年数据保护条例》，employee 应当在多少 days 内 notify the office?", None),
        ("For an event notified on May 3rd, 2024, within how many days shall the employee notify the office?", "2024-05-03"),
    ],
)
def test_case_19a_which_day_a_question_names(handle: HomeHandle, question: str, day: str | None) -> None:
    """A title, a bound and a bare year name no day; an event's day and 截至 do, and the answer says where its day is from."""
    put_notices(handle, ("1", "2020-01-01", 10))
    answer = asked(handle, None, question)
    assert (answer.as_of, answer.as_of_from) == ((day, "question") if day else (date.today().isoformat(), "today"))


def test_case_19b_the_dead_stay_dead(handle: HomeHandle) -> None:
    """An ended version never gives way to the one before it, until it is voided."""
    put_notices(handle, ("v1", "2020-01-01", 10))
    put_notices(handle, ("v2", "2022-01-01", 14), effective_to="2024-01-01")
    assert told(handle, "2023-01-01") == "v2"
    assert told(handle, "2025-01-01") in ("gap", "expired")
    withdraw(handle, "notice", version="v2", void=True, reason="never adopted", actor="ada")
    assert told(handle, "2025-01-01") == "v1"
    (document,) = docs(handle.corpus(), date(2025, 1, 1))
    assert {version.version: version.state for version in document.versions} == {"v1": "in_force", "v2": "withdrawn"}


def test_a_schedule_in_the_words_of_a_clause_is_said(handle: HomeHandle) -> None:
    """A cited clause that names later days itself: they are listed with the sentence that names them, past ones are not."""
    text = (
        "# Certificates\n\n6. A certificate issued before 15 March 2026 is valid for 398 days at most."
        " A certificate issued on or after 15 March 2026 is valid for 200 days at most."
        " A certificate issued on or after 15 March 2029 is valid for 47 days.\n"
    )
    put(handle, text, "1", "2025-01-01", "certificates")
    answer = asked(handle, "2026-06-01", "For how many days is a certificate valid at most?")
    (named,) = [change for change in answer.upcoming_changes if change["kind"] == "clause_names_day"]
    assert (named["day"], named["number"]) == ("2029-03-15", "6")
    assert named["quote"] == "A certificate issued on or after 15 March 2029 is valid for 47 days."
