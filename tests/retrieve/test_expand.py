"""Forced expansion: what stands beside a hit, why, and what the budget leaves out."""

from __future__ import annotations

from pathlib import Path

import pytest

from compliance_rag.retrieve.expand import expand
from compliance_rag.retrieve.search import rank
from compliance_rag.retrieve.shelf import Shelf
from compliance_rag.retrieve.types import Expansion
from schemas.clause import Definition, ExceptionLink, Reference, TermUse
from tests.retrieve.shelves import EMBEDDER, Made, make_shelf, query

CLAUSES = {
    "1": "“Vehicle” means any self-propelled device.",
    "2": "“Vehicle” does not include a wheelchair.",
    "3": "Subject to clause 6, the owner shall:",
    "3/a": "register each vehicle; and",
    "3/b": "pay the fee.",
    "4": "The fee is ten dollars, payable as set out in clause 5.",
    "5": "Payment is by transfer.",
    "6": "Clause 3 does not apply to a diplomat.",
    "7": "Vehicles registered before this version remain registered.",
}
LINKS = {
    "definitions": (Definition("vehicle", ("1",)), Definition("vehicle", ("2",), exclusion=True)),
    "term_uses": (TermUse(("3", "a"), "vehicle", ("1",)), TermUse(("7",), "vehicle", ("1",))),
    "references": (Reference(("3",), "clause 6", (0, 8), target=("6",)), Reference(("4",), "clause 5", (0, 8), target=("5",))),
    "exceptions": (ExceptionLink(("6",), ("3",)),),
}
KINDS = {"7": ("transitional",)}


def _shelf(folder: Path) -> Shelf:
    old = Made("act", "1", "2015-01-01", {"3": "The owner shall register."})
    new = Made("act", "2", "2020-01-01", CLAUSES, LINKS, KINDS)
    return make_shelf(folder, [old, new])


def _expand(shelf: Shelf, path: str, as_of: str = "2024-01-01", **other: int) -> Expansion:
    ranking = rank(shelf, query("vehicle owner register fee diplomat", as_of, limit=50), EMBEDDER)
    hits = [c for c in ranking.candidates if "/".join(c.clause.clause.path) == path]
    return expand(shelf.corpus, ranking, hits, **other)


def _parts(items: tuple[object, ...]) -> dict[str, str]:
    return {"/".join(item.clause.clause.path): item.role for item in items}  # type: ignore[attr-defined]


def test_an_item_draws_in_its_rule_its_terms_and_exceptions(tmp_path: Path) -> None:
    """An item brings the definition with its exclusion, its lead-in, and the exception to the clause it stands under."""
    items = _expand(_shelf(tmp_path), "3/a").items
    assert _parts(items) == {"3/a": "primary", "6": "exception", "1": "definition", "2": "definition", "3": "lead_in"}
    assert [item.why for item in items[1:]] == [
        "an exception to 3", "defines “vehicle”", "says what “vehicle” does not include", "the words that lead in 3.a",
    ]  # fmt: skip
    assert {item.origin for item in items[1:]} == {"act@2#3/a"}


def test_a_parent_draws_in_its_items(tmp_path: Path) -> None:
    """A lead-in alone is half a rule: its items come with it."""
    assert _parts(_expand(_shelf(tmp_path), "3").items) == {
        "3": "primary", "6": "exception", "3/a": "reference", "3/b": "reference",
    }  # fmt: skip


def test_an_exception_draws_in_its_rule(tmp_path: Path) -> None:
    """The other direction: a hit that is an exception comes with the rule it is an exception to."""
    items = _expand(_shelf(tmp_path), "6").items
    assert ("3", "the rule that 6 is an exception to") in [(i.clause.clause.number, i.why) for i in items]


@pytest.mark.parametrize(("hops", "found"), [(0, {"4"}), (1, {"4", "5"})])
def test_references_are_followed_as_configured(tmp_path: Path, hops: int, found: set[str]) -> None:
    """One hop by default, none when told so."""
    assert set(_parts(_expand(_shelf(tmp_path), "4", hops=hops).items)) == found


@pytest.mark.parametrize(("as_of", "near"), [("2020-06-01", True), ("2020-12-31", True), ("2021-01-01", False)])
def test_transitional_clauses_near_a_change(tmp_path: Path, as_of: str, near: bool) -> None:
    """Within a year of the change of version the transitional clauses join, a day later they do not."""
    parts = _parts(_expand(_shelf(tmp_path), "5", as_of).items)
    assert ("7" in parts) is near


def test_the_budget_drops_neighbours_first_and_names_them(tmp_path: Path) -> None:
    """Exceptions and definitions outlast every neighbour, and what was left out is named with its reason."""
    shelf = _shelf(tmp_path)
    whole = _expand(shelf, "3/a")
    small = _expand(shelf, "3/a", budget=3)
    assert set(_parts(small.items)) == {"3/a", "6", "1", "2"}
    assert [(item.clause.clause.number, item.why) for item in small.left_out] == [("3", "the words that lead in 3.a")]
    assert small.items + small.left_out == whole.items
    assert len(_expand(shelf, "3/a", budget=0).items) == 1


def test_a_child_is_read_with_its_family(tmp_path: Path) -> None:
    """A statement of work brings the master's clause of the same number; a clause amended elsewhere brings the amendment."""
    master = Made("master", "1", "2020-01-01", {"1": "Fees are due in thirty days.", "2": "Notice is in writing."})
    work = Made("sow", "1", "2020-01-01", {"1": "Fees are ten dollars."}, fields={"part_of": "master"})
    links = {"references": (Reference(("1",), "clause 2 of the master", (0, 5), target=("2",), target_doc="master"),)}
    change = Made("change", "1", "2021-01-01", {"1": "Clause 2 allows e-mail."}, links, fields={"amends": "master"})
    shelf = make_shelf(tmp_path, [master, work, change])
    ranking = rank(shelf, query("fees notice", "2024-01-01"), EMBEDDER)
    by_id = {c.clause.clause_id: c for c in ranking.candidates}
    items = expand(shelf.corpus, ranking, [by_id["sow@1#1"]]).items
    assert [(i.clause.clause_id, i.role, i.why) for i in items[1:]] == [("master@1#1", "amendment", "sow is part of it")]
    items = expand(shelf.corpus, ranking, [by_id["master@1#2"]]).items
    assert [(i.clause.clause_id, i.why) for i in items[1:]] == [("change@1#1", "change amends master")]


def test_nothing_out_of_force_is_evidence(tmp_path: Path) -> None:
    """A reference to an edition that is not in force on the day brings nothing in."""
    links = {"references": (Reference(("1",), "clause 3 as in 2015", (0, 5), "static", ("3",), "act", "1"),)}
    other = Made("note", "1", "2016-01-01", {"1": "See clause 3 as in 2015."}, links)
    old = Made("act", "1", "2015-01-01", {"3": "The owner shall register."})
    new = Made("act", "2", "2020-01-01", {"3": "The owner may register."})
    shelf = make_shelf(tmp_path, [old, new, other])
    ranking = rank(shelf, query("see clause", "2024-01-01"), EMBEDDER)
    hit = [c for c in ranking.candidates if c.clause.version.doc_id == "note"]
    assert len(expand(shelf.corpus, ranking, hit).items) == 1


def test_an_exception_to_a_part_of_many_sections_reaches_them_all(tmp_path: Path) -> None:
    """What is excepted from a whole part is a general exception, one from a clause with items is not."""
    clauses = {
        "3": "Boats", "3/1": "Nets", "3/1/a": "A net is mended.", "3/2": "Oars", "3/2/a": "An oar is oiled.",
        "3/3": "A mast is scraped.", "4": "A keel shall be:", "4/a": "tarred.", "8": "Part 3 does not apply to a museum.",
        "9": "Clause 4 does not apply to a museum.",
    }  # fmt: skip
    links = {"exceptions": (ExceptionLink(("8",), ("3",)), ExceptionLink(("9",), ("4",)))}
    shelf = make_shelf(tmp_path, [Made("boats", "1", "2020-01-01", clauses, links)])
    ranking = rank(shelf, query("net mended keel tarred museum", limit=50), EMBEDDER)
    hits = [c for c in ranking.candidates if "/".join(c.clause.clause.path) in ("3/1/a", "4/a")]
    reach = {
        item.clause.clause.number: item.reach for item in expand(shelf.corpus, ranking, hits).items if item.part == "exception"
    }
    assert reach == {"8": 3, "9": 1}


def test_which_document_prevails_is_looked_up_only_when_asked(tmp_path: Path) -> None:
    """The clause on precedence holds no word of the rule; it is evidence for a question that asks which rule wins."""
    desk = {"1": "Where this guide and the code differ, the code prevails.", "4": "A flood is told within three days."}
    code = {"6": "A flood is told within one day."}
    shelf = make_shelf(tmp_path, [Made("guide", "1", "2020-01-01", desk), Made("code", "1", "2020-01-01", code)])

    def parts(text: str) -> set[str]:
        ranking = rank(shelf, query(text, limit=50), EMBEDDER)
        hits = [c for c in ranking.candidates if c.clause.clause.number in ("4", "6")]
        return {item.clause.clause_id for item in expand(shelf.corpus, ranking, hits).items if item.part == "precedence"}

    assert parts("Within how many days is a flood told, and which document prevails?") == {"guide@1#1"}
    assert parts("Within how many days is a flood told?") == set()


def test_whom_an_exception_reaches_stands_in_another_clause(tmp_path: Path) -> None:
    """ "A firm to which section 8 applies" is read with the first words of section 8, wherever the exception was drawn from."""
    clauses = {
        "3": "A firm shall register each branch.",
        "3/1": "A firm shall register the manager of each branch.",
        "6": "Clause 3 does not apply to a firm to which section 8 applies.",
        "8": "",
        "8/1": "This section applies to a firm of fewer than ten persons.",
        "8/2": "Such a firm keeps a list.",
    }
    links = {
        "exceptions": (ExceptionLink(("6",), ("3",)),),
        "references": (Reference(("6",), "section 8", (43, 52), target=("8",)),),
    }
    shelf = make_shelf(tmp_path, [Made("act", "1", "2015-01-01", clauses, links)])
    ranking = rank(shelf, query("firm register branch manager", "2024-01-01", limit=50), EMBEDDER)
    hits = [c for c in ranking.candidates if c.clause.clause.number in ("3", "3.1")]
    found = expand(shelf.corpus, ranking, hits)
    drawn = {(item.origin, item.clause.clause.number, item.about) for item in found.ties if item.part == "delimits"}
    assert drawn == {("act@1#3", "8.1", "act@1#6"), ("act@1#3/1", "8.1", "act@1#6")}
