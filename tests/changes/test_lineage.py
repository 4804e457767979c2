"""Matching clauses of two versions: CASE 18, each kind by hand, and edit scripts on made documents."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from compliance_rag.store.lineage import Match, assign_lineage, match_clauses
from schemas.clause import Clause
from tests.changes.made_pairs import clause, clauses

_VOCABULARY = (
    "account", "agent", "annual", "answer", "audit", "bank", "board", "branch", "broker", "capital", "charge", "client",
    "company", "complaint", "control", "copy", "court", "credit", "customer", "data", "debt", "delay", "deposit",
    "director", "disclose", "document", "duty", "employee", "entity", "event", "evidence", "fee", "file", "firm",
    "fund", "group", "holder", "income", "interest", "invest", "issue", "law", "letter", "licence", "loss", "manager",
    "margin", "market", "member", "money", "notice", "officer", "order", "owner", "party", "payment", "penalty",
    "period", "person", "plan", "policy", "price", "product", "profit", "record", "refund", "register", "report",
    "request", "review", "risk", "rule", "sale", "security", "share", "staff", "statement", "supply", "tax", "term",
    "trade", "transfer", "trust", "value", "vendor", "witness",
)  # fmt: skip


def kinds(before: list[Clause], after: list[Clause]) -> list[tuple[str, list[str | None], list[str | None]]]:
    """Matches that are not ``same`` with the numbers on both sides."""
    return [
        (match.kind, [before[at].number for at in match.before], [after[at].number for at in match.after])
        for match in match_clauses(before, after)
        if match.kind != "same"
    ]


def test_case_18_renumbering_is_not_editing() -> None:
    """One added, one modified and renumbered, one renumbered, nothing removed."""
    before = clauses(("1", "A."), ("2", "B, see clause 3."), ("3", "C."))
    after = clauses(("1", "A."), ("2", "X."), ("3", "B, see clause 4."), ("4", "C."))
    assert match_clauses(before, after) == (
        Match("same", (0,), (0,)),
        Match("added", (), (1,)),
        Match("modified", (1,), (2,), renumbered=True),
        Match("renumbered", (2,), (3,), renumbered=True),
    )


def test_typography_is_no_change() -> None:
    """White space, width, quotation marks and dashes alone make no change; a letter does."""
    before = clauses(("1", 'Keep "logs" - all (10) of them.'), ("2", "处理者应当在24小时内报告，并留存。"))
    after = clauses(("1", "Keep  “logs” – all （10）\nof them."), ("2", "处理者应当在２４小时内报告,并留存。"))
    assert kinds(before, after) == []
    assert kinds(before, clauses(("1", "Keep logs."), ("2", "处理者应当在24小时内上报，并留存。")))


def test_unnumbered_clauses_are_matched_by_text() -> None:
    """An unnumbered paragraph pushed down by a new one is the same paragraph."""
    before = clauses(("~1", "Records of every sale are kept."), ("~2", "Complaints are answered by the board in writing."))
    after = clauses(
        ("~1", "This is a new opening."), *((path, item.text) for path, item in zip(("~2", "~3"), before, strict=True))
    )
    assert kinds(before, after) == [("added", [], [None])]


def test_a_renumbered_part_takes_its_children_along() -> None:
    """12 became 10: the part and its sub-clauses are renumbered, those also edited are modified, none is removed or added."""
    before = clauses(
        ("12", "", "Confidentiality"),
        ("12.1", "Recipient keeps Confidential Information secret for seven years."),
        ("12.2", "Recipient may disclose it to its advisers."),
        ("12.3", "name;"),
    )
    after = clauses(
        ("10", "", "Confidentiality"),
        ("10.1", "Recipient keeps Confidential Information secret for five years."),
        ("10.2", "Recipient may disclose it to its advisers."),
        ("10.3", "name;"),
    )
    assert [kind for kind, _, _ in kinds(before, after)] == ["renumbered", "modified", "renumbered", "renumbered"]


def test_a_clause_with_its_heading_only_is_rewritten() -> None:
    """Other words under the same number and heading are a modification, not a removal and an addition."""
    before = clauses(("4", "The firm holds client money in trust.", "Client money"), ("5", "Fees are paid yearly.", "Fees"))
    after = clauses(("4", "No broker takes deposits.", "Client money"), ("5", "Fees are paid yearly.", "Fees"))
    assert kinds(before, after) == [("modified", ["4"], ["4"])]


def test_order_changed_is_moved() -> None:
    """The one clause taken from the end to the front is moved; the others are renumbered."""
    texts = [
        f"Rule on {word} applies to every {word} holder and {word} agent." for word in ("audit", "credit", "margin", "trade")
    ]
    before = clauses(*((str(at + 1), text) for at, text in enumerate(texts)))
    after = clauses(*((str(at + 1), text) for at, text in enumerate([texts[3], *texts[:3]])))
    assert kinds(before, after) == [
        ("moved", ["4"], ["1"]), ("renumbered", ["1"], ["2"]), ("renumbered", ["2"], ["3"]), ("renumbered", ["3"], ["4"]),
    ]  # fmt: skip


def test_split_and_merged() -> None:
    """A clause cut in two is split, and read backwards merged; nothing is added or removed."""
    first = "The supplier reports every breach to the client without delay."
    second = "The client may audit the records of the supplier once a year."
    whole, parts = (
        clauses(("1", f"{first} {second}"), ("2", "Fees are due.")),
        clauses(("1", first), ("2", second), ("3", "Fees are due.")),
    )
    assert kinds(whole, parts)[0] == ("split", ["1"], ["1", "2"])
    assert kinds(parts, whole)[0] == ("merged", ["1", "2"], ["1"])


def test_a_second_paragraph_does_not_move_the_first() -> None:
    """An article of one paragraph that gets a second one: its text is 35 paragraph 1 now, renumbered and not moved."""
    before = clauses(("35", "公司成立后，股东不得抽逃出资。"), ("36", "股东会由全体股东组成。"))
    after = clauses(
        ("53", ""),
        ("53.1", "公司成立后，股东不得抽逃出资。"),
        ("53.2", "违反前款规定的，应当返还出资。"),
        ("54", "股东会由全体股东组成。"),
    )
    assert ("renumbered", ["35"], ["53.1"]) in kinds(before, after)


def test_repeated_short_texts_stay_under_their_parent() -> None:
    """ "Reserved." under 2 is not the "Reserved." that stood under 1."""
    before = clauses(
        ("1", "First part of the rules on trade."), ("1.1", "Reserved."), ("2", "Second part on audit of members.")
    )
    after = clauses(
        ("1", "First part of the rules on trade."),
        ("2", "Second part on audit of members."),
        ("2.1", "Reserved."),
        ("2.2", "Reserved."),
    )
    assert {kind for kind, _, _ in kinds(before, after)} <= {"removed", "added"}


def test_lineage_stays_through_renumbering() -> None:
    """Ids follow the clause, a new clause gets a new one, and all are unique and the same on every run."""
    before = clauses(("1", "A."), ("2", "B, see clause 3."), ("3", "C."))
    after = clauses(("1", "A."), ("2", "X."), ("3", "B, see clause 4."), ("4", "C."))
    first = assign_lineage("d", "1", before)
    second = assign_lineage("d", "2", after, [(before, first)])
    assert [second[0], second[2], second[3]] == first
    assert len(set(first) | set(second)) == 4
    assert second == assign_lineage("d", "2", after, [(before, first)])


def test_a_version_between_two_others_rewrites_none() -> None:
    """A clause absent from the earlier version takes the id it already has in the later one."""
    text = "The board reviews every complaint of a member."
    first, last = clauses(("1", "A rule on audit of firms.")), clauses(("1", "A rule on audit of firms."), ("2", text))
    ids = assign_lineage("d", "1", first)
    later = assign_lineage("d", "3", last, [(first, ids)])
    between = clauses(("1", "A rule on audit of firms."), ("2", "New duty of the trust officer."), ("3", text))
    found = assign_lineage("d", "2", between, [(first, ids), (last, later)])
    assert (found[0], found[2]) == (ids[0], later[1])
    assert found[1] not in {*ids, *later}


def _sentence(rng: random.Random, length: int) -> str:
    return " ".join(rng.choice(_VOCABULARY) for _ in range(length)).capitalize() + "."


def _document(rng: random.Random) -> list[str]:
    return [
        " ".join(_sentence(rng, rng.randrange(6, 14)) for _ in range(rng.randrange(2, 5))) for _ in range(rng.randrange(8, 25))
    ]


def _edited(rng: random.Random, texts: list[str], edit: str) -> tuple[list[str], Counter[str]]:
    """The document after one edit, and the kinds it must give besides ``renumbered``."""
    result = list(texts)
    at = rng.randrange(1, len(texts) - 1)
    if edit == "insert":
        result.insert(at, _sentence(rng, 12))
        return result, Counter(added=1)
    if edit == "delete":
        del result[at]
        return result, Counter(removed=1)
    if edit == "modify":
        words = result[at].split()
        words[rng.randrange(len(words))] = "instead"
        result[at] = " ".join(words)
        return result, Counter(modified=1)
    if edit == "move":
        to = (at + rng.randrange(3, len(texts) - 2)) % len(texts)
        result.insert(to, result.pop(at))
        return result, Counter(moved=1) if abs(to - at) > 1 else Counter()
    if edit == "split":
        head, _, tail = result[at].partition(". ")
        if not tail:
            return result, Counter()
        result[at : at + 1] = [head + ".", tail]
        return result, Counter(split=1)
    result[at : at + 2] = [result[at] + " " + result[at + 1]]
    return result, Counter(merged=1)


@pytest.mark.parametrize("edit", ["insert", "delete", "modify", "move", "split", "merge"])
def test_edit_scripts_are_recovered(edit: str) -> None:
    """One edit on each of 40 made documents comes back as its kind and nothing else but renumberings: at least 97 in 100."""
    wrong = []
    for seed in range(40):
        rng = random.Random(f"{edit} {seed}")
        texts = _document(rng)
        after, expected = _edited(rng, texts, edit)
        found = Counter(match.kind for match in match_clauses(_numbered(texts), _numbered(after)))
        found = Counter({kind: count for kind, count in found.items() if kind not in ("same", "renumbered")})
        if expected and found != expected:
            wrong.append((seed, dict(found)))
    assert len(wrong) <= 1, f"{edit}: {wrong}"


def _numbered(texts: list[str]) -> list[Clause]:
    return [clause(str(at), text, start=at * 10_000) for at, text in enumerate(texts, 1)]


@pytest.mark.parametrize("seed", range(30))
def test_every_clause_has_one_fate(seed: int) -> None:
    """After ten edits at random each clause of both versions stands in exactly one match, whatever was done to them."""
    rng = random.Random(seed)
    texts = _document(rng)
    after = list(texts)
    for _ in range(10):
        after, _ = (
            _edited(rng, after, rng.choice(["insert", "delete", "modify", "move", "split", "merge"]))
            if len(after) > 6
            else (after, None)
        )
    matches = match_clauses(_numbered(texts), _numbered(after))
    assert sorted(at for match in matches for at in match.before) == list(range(len(texts))), f"seed {seed}"
    assert sorted(at for match in matches for at in match.after) == list(range(len(after))), f"seed {seed}"
