"""`changes` on a real home: versions by label or day, the contract's shape, history through renumbering."""

from __future__ import annotations

from datetime import date, timedelta
from pathlib import Path

import pytest

from compliance_rag.changes.fates import several
from compliance_rag.changes.history import history
from compliance_rag.service.changes import changes, find_version, redline_page
from compliance_rag.service.homes import HomeHandle
from compliance_rag.store.timeline import Knowledge
from schemas.dates import print_instant
from schemas.errors import NotFound
from tests.service.building import make_home, publish, staged

TODAY = date(2026, 1, 1)
ONE = "1 Reports are made within 72 hours.\n2 The board keeps records, see clause 3.\n3 Fees are due every year.\n"
TWO = (
    "1 Reports are made within 24 hours.\n2 Staff are trained.\n3 The board keeps records, see clause 4.\n"
    "4 Fees are due every year.\n"
)


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """Two versions of one policy; the second is labelled like a day that lies in the first one's time."""
    home = make_home(tmp_path / "home")
    publish(home, staged(home, ONE, "1.0", "2024-01-01"))
    publish(home, staged(home, TWO, "2024-06-01", "2025-01-01"))
    return home


def test_before_anything_was_recorded(handle: HomeHandle) -> None:
    """A document not known then says when it was first recorded; to who may not know of it, it is not there."""
    corpus = handle.corpus()
    first = min(row.recorded_at for row in corpus.versions)
    early = Knowledge(first - timedelta(days=1))
    for name in ("1.0", "2024-02-01"):
        with pytest.raises(NotFound, match=f"was not known then: it was first recorded at {print_instant(first)}"):
            find_version(corpus, "policy", name, early)
    with pytest.raises(NotFound, match="There is no document 'policy' here"):
        find_version(corpus, "policy", "1.0", Knowledge(early.known_at, docs=frozenset({"other"})))


def test_an_exact_label_wins_over_a_day(handle: HomeHandle) -> None:
    """2024-06-01 is the second version's label; any other day of 2024 means the first."""
    corpus = handle.corpus()
    assert find_version(corpus, "policy", "2024-06-01").version == "2024-06-01"
    assert find_version(corpus, "policy", "2024-06-02").version == "1.0"
    assert find_version(corpus, "policy", "1.0").version == "1.0"


@pytest.mark.parametrize(
    ("doc", "name", "code"),
    [("policy", "9", "unknown_version"), ("none", "1.0", "unknown_document"), ("policy", "2020-01-01", "not_in_force")],
)
def test_what_is_not_there_is_named(handle: HomeHandle, doc: str, name: str, code: str) -> None:
    """An unknown version or document and a day without a version in force are told apart."""
    with pytest.raises(NotFound) as caught:
        find_version(handle.corpus(), doc, name)
    assert caught.value.code == code


def test_the_shape_and_the_kinds(handle: HomeHandle) -> None:
    """Keys as the contract has them; a number changed, a clause added, two renumbered, none removed."""
    found = changes(handle.corpus(), "policy", "2024-02-01", "2025-02-01", TODAY).model_dump(mode="json", by_alias=True)
    assert set(found) == {"doc_id", "from", "to", "changes"}
    assert (found["from"]["version"], found["to"]["version"], found["to"]["state"]) == ("1.0", "2024-06-01", "in_force")
    assert [(item["kind"], item["weight"]) for item in found["changes"]] == [
        ("modified", "substantive"), ("added", "substantive"), ("modified", "editorial"), ("renumbered", "editorial"),
    ]  # fmt: skip
    assert found["changes"][0]["signals"] == ["number: 72 → 24"]
    assert found["changes"][2]["signals"] == ["renumbered: 2 → 3", "reference: 3 → 4"]
    assert found["changes"][3]["before"]["lineage_id"] == found["changes"][3]["after"]["lineage_id"]


def test_a_version_against_itself_has_no_changes(handle: HomeHandle) -> None:
    """Nothing is listed, and the page says so."""
    same = changes(handle.corpus(), "policy", "1.0", "1.0", TODAY)
    assert same.changes == []
    assert "No clause changed." in redline_page(handle.corpus(), same)


def test_history_goes_through_a_renumbering(handle: HomeHandle) -> None:
    """Clause 3 of the first version and clause 4 of the second are one clause, and the second version renumbered it."""
    first, second = history(handle.corpus(), "policy@2024-06-01#4")
    assert (first.clause.clause_id, first.change) == ("policy@1.0#3", None)
    assert second.change is not None
    assert (second.clause.clause_id, second.change.kind) == ("policy@2024-06-01#4", "renumbered")


def test_about_picks_the_changes_of_a_subject(handle: HomeHandle) -> None:
    """The change that shares words of substance with the question, with both clauses; none for another subject; a clause that
    is named by its number."""
    corpus = handle.corpus()

    def numbers(question: str) -> list[object]:
        found = changes(corpus, "policy", "1.0", "2024-06-01", TODAY, about=question).changes
        return [(item.kind, one.number) for item in found for one in several(item.after)]

    assert numbers("What changed about the hours to report a breach?") == [("modified", "1")]
    assert numbers("What changed about dogs in the canteen?") == []
    assert numbers("What changed in clause 4?")[0] == ("renumbered", "4")
