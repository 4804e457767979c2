"""A label shared with its correction, drafts and voided versions: which one a name means, and what lists say of the others."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from compliance_rag.service.changes import changes, find_version
from compliance_rag.service.history import clause_history
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.reads import docs, outline
from compliance_rag.service.times import redate, withdraw
from compliance_rag.store.timeline import Knowledge
from tests.service.building import make_home, policy, publish, staged

DAY = date(2026, 1, 1)


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """Version 1, version 2, a draft."""
    found = make_home(tmp_path / "home")
    publish(found, staged(found, policy(10), "1", "2024-01-01"), staged(found, policy(12), "2", "2025-01-01"))
    publish(found, staged(found, policy(99), "3", "2025-06-01", status="draft"))
    return found


def correct(handle: HomeHandle, days: int) -> None:
    """Version 2 again, corrected."""
    assert publish(handle, staged(handle, policy(days), "2", "2025-01-01", correct=True)).published


def to_words(handle: HomeHandle, start: str, end: str, knowledge: Knowledge | None = None) -> list[tuple[str, str]]:
    """What was rewritten between two versions by name: (what went, what came)."""
    corpus = handle.corpus()
    found = changes(corpus, "policy", start, end, DAY, *([] if knowledge is None else [knowledge]))
    marks = [{mark: words for mark, words in change.redline if mark != "="} for change in found.changes]
    return [(mark.get("-", ""), mark.get("+", "")) for mark in marks]


def test_a_label_means_its_last_correction_as_known(handle: HomeHandle) -> None:
    """Before the correction the label is the first text, after each the last one known; `~1` is the first."""
    assert to_words(handle, "1", "2") == [("10", "12")]
    before = datetime.now(UTC)
    correct(handle, 14)
    between = datetime.now(UTC)
    correct(handle, 15)
    assert to_words(handle, "1", "2") == [("10", "15")]
    assert to_words(handle, "1", "2", Knowledge(between)) == [("10", "14")]
    assert to_words(handle, "1", "2", Knowledge(before)) == [("10", "12")]
    assert to_words(handle, "2~1", "2") == [("12", "15")]
    assert to_words(handle, "2~2", "2~3") == [("14", "15")]
    assert find_version(handle.corpus(), "policy", "2025-03-01").version_id == "2~3"


def test_a_voided_correction_gives_the_label_back(handle: HomeHandle) -> None:
    """A correction voided by its id leaves the label to the text it replaced; redating by label reaches what stands."""
    correct(handle, 14)
    assert redate(handle, "policy", "2", effective_from=date(2025, 2, 1), reason="misprint", actor="ada").version_id == "2~2"
    withdraw(handle, "policy", version="2~2", void=True, reason="wrong file", actor="ada")
    assert find_version(handle.corpus(), "policy", "2").version_id == "2"


def test_lists_mark_what_does_not_govern(handle: HomeHandle) -> None:
    """A draft and a corrected-away text say so in `docs`, `outline`, `changes` and a clause's history."""
    correct(handle, 14)
    corpus = handle.corpus()
    marks = {item.version_id: (item.state, item.corrected_by) for (one,) in [docs(corpus, DAY)] for item in one.versions}
    wanted = {"1": ("superseded", None), "2": ("superseded", "2~2"), "2~2": ("in_force", None), "3": ("draft", None)}
    assert marks == wanted
    for name in wanted:
        row = corpus.find_version("policy", name)
        shown = outline(corpus, handle.home, row, DAY)
        marked = (shown["state"], shown["corrected_by"]) if "state" in shown else None
        assert marked == (None if row.version_id in ("1", "2~2") else wanted[name])
    history = clause_history(corpus, handle.ledger, "policy@2~2#2", DAY)
    assert {item["version_id"]: (item["state"], item["corrected_by"]) for item in history} == wanted
    found = changes(corpus, "policy", "2~1", "3", DAY)
    assert (found.from_.corrected_by, found.to.state) == ("2~2", "draft")
