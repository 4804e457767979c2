"""CASE 9 whole, through `ask`: what a clause incorporates as it stood, what it cites as it stands, what is not held."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from audit.verifier import verify_home
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.reconstruct import reconstruct
from schemas.objects import Answer
from tests.service.building import make_home
from tests.service.test_time_cases import asked, put

RULE = (
    "# Rule K\n\n15. Reserves\n\n(a) The board keeps a list of funds.\n\n(f) The {} reserve is {} percent of deposits.\n\n"
    "16. Boats are painted green.\n\n17. Piers are swept weekly.\n\n18. Nets are dried daily.\n"
)
POLICY = (
    "# Treasury Policy\n\n9. The treasurer sets the liquidity buffer under Rule K, s. 15(f).\n\n"
    "10. The treasurer sets the pension buffer from deposits under Rule K as in force on 1 June 2023.\n\n"
    "11. The treasurer sets the travel buffer under Rule K as in force on 1 June 1999, s. 15(f).\n\n"
    "12. The treasurer sets the fleet buffer under s. 15(f) of Rule K as in force on 1 June 2023.\n\n"
    "13. The treasurer sets the garden buffer under Rule K as in force on 1 June 2023, s. 99.\n"
)
DAYS = ["2024-06-01", "2025-06-01"]


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """Rule K of 2023 and of 2025, and a policy that refers to it in five ways."""
    handle = make_home(tmp_path / "home")
    for start, word, share in (("2023-01-01", "old", "ten"), ("2025-01-01", "new", "twelve")):
        put(handle, RULE.format(word, share), start, start, "rule-k", title="Rule K")
    put(handle, POLICY, "1", "2023-01-01", "treasury")
    return handle


def buffer(handle: HomeHandle, name: str, day: str, **more: object) -> Answer:
    """An answer from the policy."""
    return asked(handle, day, f"How does the treasurer set the {name} buffer?", docs=("treasury",), **more)


@pytest.mark.parametrize("day", DAYS)
def test_a_static_reference_brings_its_own_edition_on_every_day(handle: HomeHandle, day: str) -> None:
    """Clause 12, s. 15(f) as in force on 1 June 2023: the words of 2023 in the answer, as evidence with version, days and
    reason, never as a citation; the record verifies and derives again."""
    answer = buffer(handle, "fleet", day)
    assert [cited.clause_id for cited in answer.citations] == ["treasury@1#12"]
    assert (
        "version 2023-01-01, in force from 2023-01-01 until 2025-01-01, 15(f): “The old reserve is ten percent" in answer.answer
    )
    assert "twelve percent" not in answer.answer
    (brought,) = answer.incorporated
    assert brought.clause is not None
    assert (brought.cited_by, brought.edition, brought.clause.clause_id) == (
        "treasury@1#12", "2023-06-01", "rule-k@2023-01-01#15/f",
    )  # fmt: skip
    (evidence,) = [item for item in answer.evidence if item.clause_id == "rule-k@2023-01-01#15/f"]
    assert evidence.role == "reference"
    assert evidence.why.startswith("12 incorporates it as it stood (“s. 15(f) of Rule K”): version 2023-01-01")
    assert evidence.why.endswith("; not in force on 2025-06-01") == (day == "2025-06-01")
    assert verify_home(handle.home.root, origin=handle.settings.ledger.origin)["valid"] is True
    assert reconstruct(handle, answer.answer_id)["rederived"] == "equal"


@pytest.mark.parametrize("day", DAYS)
def test_a_document_incorporated_as_a_whole(handle: HomeHandle, day: str) -> None:
    """Clause 10, all of Rule K as in force on 1 June 2023: the clauses of that edition that the question is about, three at
    most."""
    answer = buffer(handle, "pension", day)
    assert [cited.clause_id for cited in answer.citations] == ["treasury@1#10"]
    brought = [item.clause.clause_id for item in answer.incorporated if item.clause is not None]
    assert "rule-k@2023-01-01#15/f" in brought or "The old reserve is ten percent of deposits." in answer.answer
    assert {name.partition("#")[0] for name in brought} == {"rule-k@2023-01-01"}
    assert len(brought) == 3


@pytest.mark.parametrize(("day", "version"), [("2024-06-01", "2023-01-01"), ("2025-06-01", "2025-01-01")])
def test_a_dynamic_reference_brings_the_edition_of_the_day(handle: HomeHandle, day: str, version: str) -> None:
    """Clause 9, Rule K, s. 15(f): the text in force on the day, and nothing incorporated."""
    answer = buffer(handle, "liquidity", day)
    assert answer.incorporated == []
    assert {item.clause_id for item in answer.evidence if "rule-k" in item.clause_id} == {f"rule-k@{version}#15/f"}


@pytest.mark.parametrize("day", DAYS)
def test_an_edition_or_a_clause_that_is_not_held_is_unresolved(handle: HomeHandle, day: str) -> None:
    """Clause 11, as in force in 1999, and 13, a section that the edition has not: said in the answer and among its gaps, and no
    other edition stands in."""
    for name, told in (
        ("travel", "11 refers to “Rule K as in force on 1 June 1999, s. 15(f)”, an edition that is not held"),
        ("garden", "version 2023-01-01 of Rule K has no such clause"),
    ):
        answer = buffer(handle, name, day)
        assert any(told in gap for gap in answer.gaps), answer.gaps
        assert told in answer.answer
        assert [item.clause for item in answer.incorporated] == [None]
        assert "reserve is" not in answer.answer


def test_an_edition_that_the_asker_may_not_know_is_not_held(handle: HomeHandle) -> None:
    """To who may read the policy alone the edition does not exist: no word, title or version of it is shown."""
    answer = buffer(handle, "fleet", "2025-06-01", permitted=frozenset({"treasury"}))
    assert [item.clause for item in answer.incorporated] == [None]
    assert "2023-01-01#" not in json.dumps(answer.model_dump(mode="json"))
    assert "ten percent" not in answer.answer


def test_told_in_the_language_of_the_question(handle: HomeHandle) -> None:
    """Asked in Chinese: the sentence around the words is Chinese."""
    answer = asked(handle, "2025-06-01", "第12条规定了什么？", docs=("treasury",))
    assert (
        "12引用“s. 15(f) of Rule K”，即《Rule K》2023-01-01（自2023-01-01起施行，2025-01-01前有效）15(f)：“The old"
        in answer.answer
    )
