"""Publishing: laws 2 and 8, labels, corrections, held and staged versions, and CASES 16, 19, 19b through real stores."""

from __future__ import annotations

from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest

from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.ingest import known_titles, publish_staged
from compliance_rag.service.stage import Rejected, Staged, check_parsed
from compliance_rag.service.times import redate, withdraw
from compliance_rag.store.timeline import Knowledge
from schemas.clause import TermUse
from schemas.dates import Interval
from schemas.errors import InputRejected, NotFound, UsageError
from tests.service.building import digest, make_home, policy, publish, reopen, staged

DAY = date.fromisoformat


@pytest.fixture
def home(tmp_path: Path) -> HomeHandle:
    """An empty home."""
    return make_home(tmp_path / "home")


def in_force(handle: HomeHandle, day: str, knowledge: Knowledge | None = None) -> str:
    """The version id of ``policy`` in force on ``day``, or the reason for none."""
    corpus = handle.corpus()
    decisions = corpus.decisions(DAY(day), knowledge) if knowledge else corpus.decisions(DAY(day))
    decision = decisions["policy", "en"]
    return decision.version.version_id if decision.version else str(decision.reason)


def test_published_version_is_in_every_store(home: HomeHandle) -> None:
    """A published version reads back with its words, hashes, dates and one row per clause."""
    result = publish(home, staged(home, policy(10), "1.0", "2024-01-01"))
    assert [item["version_id"] for item in result.published] == ["1.0"]
    assert result.corpus_root == home.corpus().corpus_root != ""
    chosen = home.corpus().in_force_set(DAY("2024-05-01"))
    texts = [item.clause.text for item in home.corpus().by_rows(chosen.rows)]
    assert any("within 10 days" in text for text in texts)
    assert len(chosen.text_rows) == home.corpus().row_count
    assert home.ledger.header(0)["corpus_root"] == result.corpus_root


def test_same_again_is_unchanged(home: HomeHandle) -> None:
    """Law 2: the same bytes, document and dates leave ledger, tables and root as they were."""
    item = staged(home, policy(10), "1.0", "2024-01-01")
    first = publish(home, item)
    size = home.ledger.size
    again = publish(reopen(home), item)
    assert [one["version_id"] for one in again.unchanged] == ["1.0"]
    assert (again.published, again.corpus_root, reopen(home).ledger.size) == ([], first.corpus_root, size)


def test_taken_label_is_rejected_and_corrected_with_a_twin(home: HomeHandle) -> None:
    """CASE 16: other bytes under a label are refused; with ``correct`` they become ``~2`` and govern from their recording."""
    publish(home, staged(home, policy(9), "1", "2024-01-01", effective_to="2025-07-01"))
    publish(home, staged(home, policy(10), "2", "2025-07-01"))
    before = home.corpus().versions[-1].recorded_at
    refused = publish(home, staged(home, policy(14), "2", "2025-07-01"))
    assert [item["code"] for item in refused.rejected] == ["label_taken"]
    fixed = publish(home, staged(home, policy(14), "2", "2025-07-01", correct=True))
    assert [item["version_id"] for item in fixed.published] == ["2~2"]
    assert in_force(home, "2025-06-30") == "1"
    assert in_force(home, "2025-08-01") == "2~2"
    assert in_force(home, "2025-08-01", Knowledge(before)) == "2"
    assert in_force(home, "2023-12-31") == "not_yet_in_force"
    again = publish(home, staged(home, policy(14), "2", "2025-07-01", correct=True))
    assert [item["version_id"] for item in again.unchanged] == ["2~2"]


def test_replaced_then_withdrawn(home: HomeHandle) -> None:
    """CASE 19: after a withdrawal today has no version, earlier days keep theirs, and the words of both still read."""
    publish(home, staged(home, policy(10), "1", "2026-01-01"), staged(home, policy(14), "2", "2026-02-01"))
    withdraw(home, "policy", start=DAY("2026-03-01"), reason="replaced by the group policy", actor="ada")
    assert [in_force(home, day) for day in ("2026-01-15", "2026-02-15", "2026-03-01")] == ["1", "2", "withdrawn"]
    found = home.corpus().clauses_of("policy", "1")
    assert any("within 10 days" in item.clause.text for item in found)


def test_the_dead_stay_dead_until_voided(home: HomeHandle) -> None:
    """CASE 19b: an ended version gives way to none; once voided the one before is back, as known from then."""
    publish(home, staged(home, policy(10), "1", "2020-01-01"))
    publish(home, staged(home, policy(14), "2", "2022-01-01", effective_to="2024-01-01"))
    known = Knowledge(home.corpus().versions[-1].recorded_at)
    assert in_force(home, "2025-01-01") == "expired"
    withdraw(home, "policy", version="2", void=True, reason="never adopted", actor="ada")
    assert in_force(home, "2025-01-01") == "1"
    assert in_force(home, "2025-01-01", known) == "expired"


def test_clause_dates_from_manifest_and_redate(home: HomeHandle) -> None:
    """A clause commences on the day that the manifest or a redating confirms; the others are untouched."""
    item = staged(home, policy(10), "1", "2024-01-01", clause_dates={"2": {"effective_from": "2025-01-01"}})
    publish(home, item)
    knowledge = Knowledge(home.corpus().versions[-1].recorded_at)

    def numbers(day: str, known: Knowledge | None = None) -> set[str | None]:
        corpus = home.corpus()
        chosen = corpus.in_force_set(DAY(day), known) if known else corpus.in_force_set(DAY(day))
        return {found.clause.number for found in corpus.by_rows(chosen.rows)} - {None}

    assert numbers("2024-06-01") == {"1", "3"}
    assert numbers("2025-01-01") == {"1", "2", "3"}
    redate(home, "policy", "1", number="3", effective_to=DAY("2024-03-01"), reason="sunset confirmed", actor="ada")
    assert numbers("2024-06-01") == {"1"}
    assert numbers("2024-06-01", knowledge) == {"1", "3"}, "what was known before stands still"
    (clause,) = [found for found in home.corpus().clauses_of("policy", "1") if found.clause.number == "3"]
    assert clause.interval == Interval(DAY("2024-01-01"), DAY("2024-03-01"))


@pytest.mark.parametrize(
    ("call", "error", "code"),
    [
        (lambda h: withdraw(h, "none", reason="r", actor="a"), NotFound, "unknown_document"),
        (lambda h: withdraw(h, "policy", version="9", reason="r", actor="a"), NotFound, "unknown_version"),
        (lambda h: withdraw(h, "policy", reason=" ", actor="a"), InputRejected, "no_reason"),
        (lambda h: withdraw(h, "policy", void=True, start=DAY("2024-01-01"), reason="r", actor="a"), UsageError,
         "void_with_date"),
        (lambda h: redate(h, "policy", "1", reason="r", actor="a"), UsageError, "no_dates"),
        (lambda h: redate(h, "policy", "1", effective_to=DAY("2023-01-01"), reason="r", actor="a"), InputRejected,
         "empty_interval"),
        (
            lambda h: redate(h, "policy", "1", number="77", effective_to=DAY("2025-01-01"), reason="r", actor="a"),
            NotFound,
            "unknown_clause_number",
        ),
    ],
)  # fmt: skip
def test_refused_time_events_leave_no_record(home: HomeHandle, call, error, code) -> None:  # type: ignore[no-untyped-def]
    """A time event that names nothing or says nothing is refused with its code, and nothing is recorded."""
    publish(home, staged(home, policy(10), "1", "2024-01-01"))
    with pytest.raises(error) as caught:
        call(home)
    assert caught.value.code == code
    assert home.ledger.size == 1


def test_bad_files_never_stop_the_others(home: HomeHandle) -> None:
    """Law 8: missing and empty files are rejected with codes, the good version beside them is published."""
    good = staged(home, policy(10), "1", "2024-01-01")
    empty = staged(home, "", "2", "2025-01-01")
    assert isinstance(good, Staged)
    missing = Rejected(good.entry.model_copy(update={"file": "gone.md"}), "missing_file", "There is no file.")
    result = publish(home, missing, empty, good)
    assert [item["code"] for item in result.rejected] == ["missing_file", "empty_file"]
    assert len(result.published) == 1


def test_held_version_answers_only_once_resolved(home: HomeHandle) -> None:
    """A held version is recorded and never in force; added again with its choice it is published under the same id."""
    item = staged(home, policy(10), "1", "2024-01-01")
    assert isinstance(item, Staged)
    held = publish(home, replace(item, held=(("tracked_changes", "holds tracked changes"),)))
    assert [one["reasons"][0]["code"] for one in held.held] == ["tracked_changes"]
    assert in_force(home, "2024-06-01") == "held"
    chosen = replace(item, entry=item.entry.model_copy(update={"tracked": "final"}))
    assert [one["version_id"] for one in publish(home, chosen).published] == ["1"]
    assert in_force(home, "2024-06-01") == "1"


def test_second_person_publishes_what_the_first_staged(tmp_path: Path) -> None:
    """Four eyes: a staged version waits, its own actor may not publish it, another may, and its clauses are stored once."""
    home = make_home(tmp_path / "home", publishing={"second_person": True})
    publish(home, staged(home, policy(10), "1", "2024-01-01"), actor="ada")
    rows = home.corpus().row_count
    assert in_force(home, "2024-06-01") == "held"
    with pytest.raises(InputRejected) as caught:
        publish_staged(home, "policy", "1", actor="ada")
    assert caught.value.code == "same_person"
    assert [one["version_id"] for one in publish_staged(home, "policy", "1", actor="bob").published] == ["1"]
    assert in_force(home, "2024-06-01") == "1"
    assert home.corpus().row_count == rows
    assert len(publish_staged(home, "policy", "1", actor="bob").unchanged) == 1


def test_lineage_follows_a_clause_through_renumbering(home: HomeHandle) -> None:
    """A clause keeps its lineage id when another is inserted before it; the new one gets its own."""
    publish(home, staged(home, policy(10), "1", "2024-01-01"))
    longer = policy(10).replace("2. Notice", "2. Audit\n\nThe board examines the accounts every spring.\n\n3. Notice")
    publish(home, staged(home, longer.replace("3. Retention", "4. Retention"), "2", "2025-01-01"))
    corpus = home.corpus()
    first = {item.clause.heading: item.lineage_id for item in corpus.clauses_of("policy", "1")}
    second = {item.clause.heading: item.lineage_id for item in corpus.clauses_of("policy", "2")}
    assert {name: second[name] for name in ("Scope", "Notice", "Retention")} == {
        name: first[name] for name in ("Scope", "Notice", "Retention")
    }
    assert second["Audit"] not in first.values()


def test_distinct_texts_are_stored_once(home: HomeHandle) -> None:
    """Two versions that share clauses store each distinct text and each indexed text once."""
    publish(home, staged(home, policy(10), "1", "2024-01-01"), staged(home, policy(14), "2", "2025-01-01"))
    corpus = home.corpus()
    ((texts, distinct),) = corpus.query("SELECT count(*), count(DISTINCT sha256) FROM texts")
    assert texts == distinct
    assert len(set(corpus.text_keys)) == len(corpus.text_keys) < corpus.row_count


def test_jurisdiction_filter_takes_ancestors(home: HomeHandle) -> None:
    """``US-DC`` takes what holds in the US, not other countries or documents without one; unknown codes are refused."""
    from compliance_rag.store.inforce import Filters

    for doc, code in (("us", "US"), ("dc", "US-DC"), ("ny", "US-NY"), ("de", "DE"), ("none", None)):
        other = {"jurisdiction": code} if code else {}
        publish(home, staged(home, policy(10), "1", "2024-01-01", doc_id=doc, **other))
    chosen = home.corpus().in_force_set(DAY("2024-06-01"), filters=Filters(jurisdictions=("US-DC",)))
    assert {row.doc_id for row in chosen.versions} == {"us", "dc"}
    assert int(chosen.in_force.sum()) == home.corpus().row_count, "statistics come from all that is in force"
    with pytest.raises(InputRejected) as caught:
        home.corpus().in_force_set(DAY("2024-06-01"), filters=Filters(jurisdictions=("XX",)))
    assert caught.value.code == "unknown_jurisdiction"


def test_reopened_home_is_the_same(home: HomeHandle) -> None:
    """What one process published another reads: ids, hashes, lineage, roots."""
    publish(home, staged(home, policy(10), "1", "2024-01-01"))
    assert digest(reopen(home)) == digest(home)


def test_a_voided_version_can_be_recorded_again_and_a_draft_adopted(home: HomeHandle) -> None:
    """The same bytes are news when the version before them was voided or a draft."""
    publish(home, staged(home, policy(10), "1", "2024-01-01", status="draft"))
    assert in_force(home, "2024-06-01") == "not_in_force"
    publish(home, staged(home, policy(10), "1", "2024-01-01", correct=True))
    assert in_force(home, "2024-06-01") == "1~2"
    withdraw(home, "policy", version="1~2", void=True, reason="by mistake", actor="ada")
    assert in_force(home, "2024-06-01") != "1~2"
    publish(home, staged(home, policy(10), "1", "2024-01-01", correct=True))
    assert in_force(home, "2024-06-01") == "1~3"


def test_links_with_a_missing_end_are_never_recorded(home: HomeHandle) -> None:
    """A parse whose links point nowhere, or whose text does not follow from its spans, is refused before the ledger."""
    item = staged(home, policy(10), "1", "2024-01-01")
    assert isinstance(item, Staged)
    use = TermUse(item.parsed.clauses[0].path, "x", ("99",))
    first = replace(item.parsed.clauses[0], spans=((0, 3),))
    for broken in (replace(item.parsed, term_uses=(use,)), replace(item.parsed, clauses=(first, *item.parsed.clauses[1:]))):
        with pytest.raises(InputRejected) as caught:
            check_parsed(broken)
        assert caught.value.code == "parser_fault"


def test_known_titles_name_one_document_each(home: HomeHandle) -> None:
    """Titles of the home and the manifest lead to their document; a title that two share leads nowhere."""
    publish(home, staged(home, policy(10), "1", "2024-01-01", title="Records Rule"))
    others = [staged(home, policy(11), "1", "2024-01-01", doc_id=doc, title="Common Name") for doc in ("b", "c")]
    assert known_titles(home, [item.entry for item in others]) == {"records rule": "policy"}
