"""Ranking: the in-force set first, its own statistics, the past standing still."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from compliance_rag.retrieve.search import DECIMALS, KEPT, rank
from compliance_rag.retrieve.types import Ranking
from compliance_rag.store.vectors import Vectors
from schemas.clause import Definition
from schemas.errors import IntegrityError, NotFound
from tests.retrieve.shelves import EMBEDDER, Made, make_shelf, query, recorded

SEED = 20261129
WORDS = [
    "record",
    "notify",
    "regulator",
    "client",
    "fee",
    "asset",
    "transfer",
    "audit",
    "report",
    "breach",
    "shall",
    "not",
    "unless",
]


def _clauses(rng: random.Random, count: int) -> dict[str, str]:
    return {str(n): " ".join(rng.choices(WORDS, k=rng.randint(4, 25))) + "." for n in range(1, count + 1)}


def _seen(ranking: Ranking) -> list[tuple[str, float, float | None, float | None]]:
    return [(c.clause.clause_id, c.score, c.lexical_score, c.dense_score) for c in ranking.candidates]


def test_the_past_stands_still(tmp_path: Path) -> None:
    """Law 4: 1,000 searches give the same ids, order and scores as of their day and knowledge after the corpus doubles."""
    rng = random.Random(SEED)
    early = [Made(f"d{i}", f"v{n}", f"{2020 + n}-01-01", _clauses(rng, 12)) for n in range(3) for i in range(6)]
    late = [Made(f"d{i}", f"v{n}", f"{2018 + n}-06-01", _clauses(rng, 12)) for n in range(3, 6) for i in range(6)]
    late += [Made(f"e{i}", f"v{n}", f"{2016 + n}-06-01", _clauses(rng, 12)) for n in range(3, 6) for i in range(4)]
    days, known = ["2020-06-01", "2021-06-01", "2022-06-01", "2030-01-01"], recorded(len(early) - 1)
    asked = [query(" ".join(rng.choices(WORDS, k=6)), rng.choice(days), known_at=known, limit=20) for _ in range(1000)]
    shelf = make_shelf(tmp_path / "before", early)
    before = [rank(shelf, item, EMBEDDER) for item in asked]
    later = make_shelf(tmp_path / "after", [*early, *late])
    for item, was in zip(asked, before, strict=True):
        now = rank(later, item, EMBEDDER, vector=np.frombuffer(was.vector, "<f4"))
        assert (_seen(now), now.coverage, now.clauses_in_scope) == (_seen(was), was.coverage, was.clauses_in_scope)


def test_case_24_fifty_in_force(tmp_path: Path) -> None:
    """CASE 24: 600 clauses in force from 2020, 300 more from 2030; as of 2021 at k = 50: 50 hits, all in force in 2021."""
    rng = random.Random(SEED + 1)
    versions = [Made(f"old{i}", "1", "2020-01-01", _clauses(rng, 100)) for i in range(6)]
    versions += [Made(f"new{i}", "1", "2030-01-01", _clauses(rng, 100)) for i in range(3)]
    ranking = rank(make_shelf(tmp_path, versions), query("notify the regulator of a breach", "2021-01-01", limit=50), EMBEDDER)
    assert len(ranking.candidates) == 50
    assert {c.clause.version.doc_id[:3] for c in ranking.candidates} == {"old"}
    assert ranking.clauses_in_scope == 600


def test_filters_mask_the_result_only(tmp_path: Path) -> None:
    """A document filter leaves every score by words and by meaning, and the order of the best, as it was: statistics are
    those of everything in force."""
    rng = random.Random(SEED + 2)
    shelf = make_shelf(tmp_path, [Made(f"d{i}", "1", "2020-01-01", _clauses(rng, 20)) for i in range(3)])
    whole = rank(shelf, query("client fee report", limit=60), EMBEDDER)
    part = rank(shelf, query("client fee report", limit=60, docs=("d1",)), EMBEDDER)
    own = {c.clause.clause_id: (c.lexical_score, c.dense_score) for c in whole.candidates if c.clause.version.doc_id == "d1"}
    assert {c.clause.clause_id: (c.lexical_score, c.dense_score) for c in part.candidates} == own
    best = [entry for entry in _seen(whole)[:KEPT] if entry[0].startswith("d1@")]
    assert _seen(part)[: len(best)] == best
    assert len(part.candidates) == 20


def test_a_neighbour_of_the_best_stands_before_a_stranger(tmp_path: Path) -> None:
    """Below the first five, which stand by their own scores, a clause beside one of the three best goes before its equal in
    another document; scores never rise with rank."""
    same = "The clerk shall keep the register of boats in a dry place."
    first = {"1": "Fees for moorings are due in May. Fees for moorings are EUR 9.", "2": same, "3": "Dogs are held on a lead."}
    far = {str(n): "Dogs are held on a lead at all times." for n in range(1, 9)} | {"9": same}
    fees = {str(n): "Fees for moorings are due in May." for n in range(1, 7)}
    shelf = make_shelf(
        tmp_path, [Made("b", "1", "2020-01-01", first), Made("a", "1", "2020-01-01", far), Made("c", "1", "2020-01-01", fees)]
    )
    found = rank(shelf, query("fees for moorings", limit=30), EMBEDDER).candidates
    order = [c.clause.clause_id for c in found]
    assert order[0] == "b@1#1"
    assert order.index("b@1#2") < order.index("a@1#9")
    assert [c.score for c in found] == sorted((c.score for c in found), reverse=True)
    with pytest.raises(NotFound):
        rank(shelf, query("client", docs=("d9",)), EMBEDDER)


def test_equal_scores_are_ordered_by_id(tmp_path: Path) -> None:
    """Clauses of one text under one heading have one score and are ordered by id."""
    same = {"3": "Records are kept for seven years.", "1": "Records are kept for seven years.", "2": "Fees are due."}
    shelf = make_shelf(tmp_path, [Made(name, "1", "2020-01-01", same) for name in ("d3", "d1", "d2")])
    found = rank(shelf, query("how long are records kept"), EMBEDDER).candidates
    for doc in ("d1", "d2", "d3"):
        assert [c.clause.clause_id for c in found if c.clause.version.doc_id == doc][:2] == [f"{doc}@1#1", f"{doc}@1#3"]
    assert all(round(c.score, DECIMALS) == c.score for c in found)
    assert len(shelf.postings) == 6  # a text counts once in a document, and once for each title it stands under


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("What does section 28A require?", "28a"),  # never 28
        ("section 28", "28"),  # never 28A
        ("clause 8.4", "8/4"),  # two levels
        ("第六条", "6"),  # Chinese article
        ("what is in 8.4.1", "8/4/1"),  # a bare number of three levels
        ("section 7", "part-2/7"),  # numbering restarts under the part
    ],
)
def test_cited_numbers_come_first(tmp_path: Path, text: str, first: str) -> None:
    """A clause number in the question finds exactly that clause, before any found by its words."""
    paths = ["6", "8", "8/4", "8/4/1", "28", "28a", "84", "8/7", "part-2/7"]
    shelf = make_shelf(tmp_path, [Made("d", "1", "2020-01-01", {path: f"Text about matter {path}." for path in paths})])
    best = rank(shelf, query(text), EMBEDDER).candidates
    assert [("/".join(c.clause.clause.path), c.number) for c in best if c.number] == [(first, 1)]
    assert best[0].number == 1


def test_a_meaning_is_asked_for(tmp_path: Path) -> None:
    """Asked what a term means, the clause that defines it stands first, above clauses that only use it."""
    clauses = {
        "1": "“Vehicle” means any self-propelled device used on a road or elsewhere by any person at any time.",
        "2": "A vehicle is a vehicle when the vehicle is registered.",
        "3": "Each vehicle pays a fee.",
    }
    links = {"definitions": (Definition("Vehicle", ("1",)),)}
    shelf = make_shelf(tmp_path, [Made("d", "1", "2020-01-01", clauses, links)])
    best = rank(shelf, query("what does vehicle mean?"), EMBEDDER).candidates[0]
    assert (best.clause.clause.number, best.term) == ("1", 1)
    other = rank(shelf, query("who pays for a vehicle?"), EMBEDDER).candidates[0]
    assert other.clause.clause.number == "3"


def test_a_text_without_a_vector_is_an_error(tmp_path: Path) -> None:
    """When the vectors lack a text in force, ranking refuses: it would be silently unfindable by meaning."""
    shelf = make_shelf(tmp_path, [Made("d", "1", "2020-01-01", {"1": "Records are kept."})])
    shelf.vectors = Vectors.open(str(tmp_path / "other"), EMBEDDER.identity)
    with pytest.raises(IntegrityError) as error:
        rank(shelf, query("records"), EMBEDDER)
    assert error.value.code == "vectors_damaged"


def test_nothing_in_force_and_nothing_known(tmp_path: Path) -> None:
    """Nothing in force, or only unknown words asked, gives no error and no invented reason."""
    shelf = make_shelf(tmp_path, [Made("d", "1", "2020-01-01", {"1": "Records are kept."})])
    assert rank(shelf, query("records", "2019-01-01"), EMBEDDER).candidates == ()
    unknown = rank(shelf, query("zyzzyva"), EMBEDDER)
    assert unknown.coverage == 0.0
    assert unknown.candidates[0].lexical is None
