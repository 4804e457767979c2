"""What `changes` says of a pair: kinds, weight, signals, whom it touches; on text read by the real parser and analyser."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from compliance_rag.changes.changes import list_changes
from compliance_rag.changes.html import changes_html
from compliance_rag.changes.html_words import ENGLISH, say_path, say_rippled
from compliance_rag.changes.redline import as_read, marked
from compliance_rag.changes.rippled import rippled
from compliance_rag.changes.spelling import misspelling
from schemas.objects import Change, Changes, ClauseObject, VersionObject
from tests.changes.made_pairs import parsed_pair, read, text_pair


def _number(side: ClauseObject | list[ClauseObject] | None) -> object:
    if isinstance(side, list):
        return [item.number for item in side]
    return None if side is None else side.number


def _one(before: str, after: str) -> Change:
    (change,) = list_changes(text_pair(f"1. {before}\n2. Fees are due yearly.\n", f"1. {after}\n2. Fees are due yearly.\n"))
    return change


def test_case_18() -> None:
    """Renumbering is not editing: X is added; B is modified, editorial since it still points at C; C is renumbered."""
    pair = text_pair("1 A.\n2 B, see clause 3.\n3 C.\n", "1 A.\n2 X.\n3 B, see clause 4.\n4 C.\n")
    added, modified, renumbered = list_changes(pair)
    assert (added.kind, _number(added.after), added.before) == ("added", "2", None)
    assert (modified.kind, _number(modified.before), _number(modified.after)) == ("modified", "2", "3")
    assert (modified.signals, modified.weight) == (["renumbered: 2 → 3", "reference: 3 → 4"], "editorial")
    assert (renumbered.kind, _number(renumbered.before), _number(renumbered.after)) == ("renumbered", "3", "4")
    assert renumbered.lineage_id == pair.before.clauses[2].lineage_id


def test_a_reference_to_another_clause_is_substantive() -> None:
    """The same edit without the insertion points at another clause."""
    (change,) = list_changes(text_pair("1 A.\n2 B, see clause 3.\n3 C.\n4 D.\n", "1 A.\n2 B, see clause 4.\n3 C.\n4 D.\n"))
    assert (change.signals, change.weight) == (["reference: 3 → 4"], "substantive")


@pytest.mark.parametrize(
    ("before", "after", "signals"),
    [
        ("A breach is reported within 72 hours.", "A breach is reported within 24 hours.", ["number: 72 → 24"]),
        ("A breach is reported within 3 days.", "A breach is reported within 24 hours.", ["number: 3 day → 24 hour"]),
        ("The firm shall report it.", "The firm may report it.", ["modality: shall → may"]),
        ("The firm shall disclose it.", "The firm shall not disclose it.", ["modality: shall → shall not"]),
        ("It ends on 1 May 2024 at noon.", "It ends on 1 June 2025 at noon.", ["date: 2024-05-01 → 2025-06-01"]),
        ("The fine is USD 5,000 at once.", "The fine is USD 10,000 at once.", ["amount: USD 5000 → USD 10000"]),
        ("The costs fall on the Supplier.", "The costs fall on the Customer.", ["party: Supplier → Customer"]),
        ("Logs are kept at least 30 days.", "Logs are kept at most 30 days.", ["number: at least 30 → at most 30"]),
        ("处理者应当在七十二小时内报告。", "处理者可以在二十四小时内报告。", ["modality: 应当 → 可以", "number: 72 → 24"]),
    ],
)  # fmt: skip
def test_signals(before: str, after: str, signals: list[str]) -> None:
    """Each kind of thing a change turns on is named with both values, and the change is substantive."""
    change = _one(before, after)
    assert (change.kind, change.signals, change.weight) == ("modified", signals, "substantive")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Staff shall recieve the report.", "Staff shall receive the report."),  # letters exchanged
        ("An event that occured is reported.", "An event that occurred is reported."),  # double letter missed
        ("Oil shall be delived to the station.", "Oil shall be delivered to the station."),  # letters left out
        ("A commitee meets.", "A committee meets."),
        ("The agrement binds both.", "The agreement binds both."),
        ("The notiffication is filed.", "The notification is filed."),  # a letter too many
        ("It is sent to the the board.", "It is sent to the board."),  # word printed twice
        ("Records are kept for seven years.", "Records are kept for 7 years."),  # a number written another way
        ("Records are kept for five years", "Records are kept for five years; and"),  # joins a list that grew
        ("Keep the logs of every sale.", 'Keep the "logs" of every sale.'),  # quotation marks
        ("应当安照规定报告。", "应当按照规定报告。"),  # a character written wrongly
    ],
)  # fmt: skip
def test_editorial(before: str, after: str) -> None:
    """A change of no substance is listed with weight editorial."""
    change = _one(before, after)
    assert (change.kind, change.weight) == ("modified", "editorial")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Pay the insured at once.", "Pay the insurer at once."),
        ("The acts were casual to the loss.", "The acts were causal to the loss."),
        ("Terms confirmed by the board apply.", "Terms conformed by the board apply."),
        ("Keep logs, keys and tokens.", "Keep logs keys and tokens."),
        ("The content of the owner counts.", "The consent of the owner counts."),
        ("Any lawful act is allowed.", "Any unlawful act is allowed."),
        ("由买方承担费用。", "由卖方承担费用。"),
        ("The chargee keeps the deed.", "The charge keeps the deed."),
        ("The principal is repaid.", "The principle is repaid."),
        ("The form is filed.", "The from is filed."),
        ("The fee is fourten euros.", "The fee is fourteen euros."),
        ("The keeper is insured.", "The keeper is uninsured."),
        ("Ask Fergson for the key.", "Ask Ferguson for the key."),
        ("The rent is reassed yearly.", "The rent is reassessed, yearly."),
    ],
)  # fmt: skip
def test_near_words_are_substantive(before: str, after: str) -> None:
    """One letter or mark apart and another rule: never called editorial."""
    assert _one(before, after).weight == "substantive"


def test_a_reference_put_before_another_is_the_one_that_came() -> None:
    """What was cited is cited still, though another sentence cites it."""
    before = (
        "1. Fees are due.\n2. Logs are kept.\n3. Keys are kept.\n4. Except clause 1 and clause 2, the board may delegate all.\n"
    )
    after = before.replace("clause 1 and clause 2,", "clause 1, clause 2 and (from next May) clause 3,")
    (change,) = list_changes(text_pair(before, after))
    assert [signal for signal in change.signals if signal.startswith("reference")] == ["reference: none → 3"]


def test_a_section_number_is_one_thing() -> None:
    """3.2.2.4 is not 3.2 and 2.4, and an edition's number is told whole."""
    change = _one("Names are checked as section 3.2.2.4 of the Rules says by staff.", "Names are checked by trained staff.")
    assert not [signal for signal in change.signals if signal.startswith("number: 3.2 ") or "2.4" in signal.split(" → ")]
    other = _one("It follows edition 1.6.5 of the Rules.", "It follows edition 1.7.1 of the Rules.")
    assert other.signals == ["number: 1.6.5 → 1.7.1"]


def test_what_only_moved_within_its_clause_is_no_signal() -> None:
    """One sentence with "must" went and another came: what each said is in the redline, the modality is what it was."""
    change = _one(
        "The agent must file the deed with the court. Nothing is said about boats in this clause today.",
        "Nothing is said about boats in this clause today. Every pilot must keep the lamp lit at night.",
    )
    assert change.weight == "substantive"
    assert not [signal for signal in change.signals if signal.startswith("modality")]


def test_a_word_in_use_is_no_misspelling() -> None:
    """A word that stands elsewhere in the version is meant as it is written."""
    assert misspelling("recieve", "receive", Counter(recieve=1), Counter())
    assert not misspelling("recieve", "receive", Counter(recieve=2), Counter())


def test_white_space_width_and_typography_are_not_listed() -> None:
    """Nothing is listed when only these differ."""
    assert list_changes(text_pair('1. Keep "logs" - all.\n2. 应当，报告。\n', "1. Keep “logs” –  all.\n2. 应当,报告。\n")) == []


def test_a_changed_definition_touches_its_users() -> None:
    """The clauses that use the term, and only those, are named; their own words did not change."""
    text = '1. "Vehicle" means any {}.\n2. A Vehicle shall be insured.\n3. Fees are due.\n4. The owner of a Vehicle reports.\n'
    pair = text_pair(text.format("self-propelled device"), text.format("device with wheels"))
    (change,) = list_changes(pair)
    assert change.signals == ["definition: Vehicle"]
    assert change.affects == ["made@2#2", "made@2#4"]
    first = change.ripples[0]
    assert (first.clause_id, first.text_equal, first.origin, first.origin_kind) == ("made@2#2", True, "made@2#1", "modified")
    assert [(step.clause_id, step.link, step.name) for step in first.path] == [("made@2#2", "definition", "Vehicle")]


def test_a_chain_of_definitions_is_followed_to_its_end() -> None:
    """A term defined by a term defined by a changed term, and what stands under the lead-in that uses it: each is named with
    every step; a clause that only cites one of them is not."""
    text = (
        '1. "Vehicle" means any {}.\n2. "Lorry" means a Vehicle above two tonnes.\n3. "Fleet" means ten Lorry units.\n'
        "4. The keeper of a Fleet shall:\n(a) sign the log;\n(b) pay the fee.\n5. Subject to clause 4, fees are due.\n"
    )
    (change,) = list_changes(text_pair(text.format("self-propelled device"), text.format("device with wheels")))
    paths = {found.number: [(step.number, step.link, step.name) for step in found.path] for found in change.ripples}
    to_four = [("2", "definition", "Vehicle"), ("3", "definition", "Lorry"), ("4", "definition", "Fleet")]
    assert paths["4"] == to_four
    assert paths["4(a)"] == [*to_four, ("4(a)", "lead_in", "")]
    assert set(paths) == {"2", "3", "4", "4(a)", "4(b)"}
    assert all(found.text_equal for found in change.ripples)


def test_a_rewritten_clause_that_is_touched_is_not_called_equal() -> None:
    """A clause rewritten beside the definition it uses is touched too, and its words are not the same."""
    text = '1. "Vehicle" means any {}.\n2. A Vehicle shall be {} by its owner.\n'
    first, _ = list_changes(text_pair(text.format("device", "insured"), text.format("engine", "registered")))
    assert [(found.number, found.text_equal) for found in first.ripples] == [("2", False)]
    assert rippled([first]) == []


def test_a_clause_that_was_only_re_pointed_is_touched_like_one_that_stayed() -> None:
    """Its number in a reference followed a renumbering: it is listed with its path and says so, and is no rewritten clause."""
    before = "1. A fee is due within 72 hours.\n2. Records are kept, as clause 1 says.\n"
    after = (
        "1. These rules hold in the port of Aarhus.\n2. A fee is due within 24 hours.\n3. Records are kept, as clause 2 says.\n"
    )
    (found,) = rippled(list_changes(text_pair(before, after)))
    assert (found.clause.number, found.clause.text_equal, found.clause.edited) == ("3", False, "repointed")
    assert say_rippled(ENGLISH, found.clause, say_path(ENGLISH, found.clause)) == (
        "3: re-pointed, else text equal; cites “clause 2” ← 2 modified"
    )


def test_a_clause_put_right_is_touched_like_one_that_stayed() -> None:
    """A misspelling put right leaves the rule to the changed definition."""
    before = '1. "Vehicle" means any device.\n2. A Vehicle shall be registred by its owner.\n'
    after = before.replace("device", "engine").replace("registred", "registered")
    (found,) = rippled(list_changes(text_pair(before, after)))
    assert (found.clause.number, found.clause.text_equal, found.clause.edited) == ("2", False, "editorial")


def test_white_space_is_no_mark_of_a_renumbered_clause() -> None:
    """A clause that moved down and got a double space has nothing to show but its number."""
    before = "1. Dogs shall be held on a lead within the fence.\n2. Fees are due every year in May.\n"
    after = "1. The port is closed at night to everyone.\n2. Dogs shall be held on a lead within the  fence.\n"
    changes = list_changes(text_pair(before, after + "3. Fees are due every year in May.\n"))
    assert [(change.kind, {mark for mark, _ in change.redline}) for change in changes[1:]] == [("renumbered", {"="})] * 2
    assert as_read(marked([("=", "a"), ("-", " "), ("+", "  "), ("=", "b")])) == [("=", "a  b")]


def test_an_entry_of_a_glossary_touches_its_own_users() -> None:
    """One clause defines three terms and one entry changes: who uses that term is touched, and who uses a term whose entry
    rests on it; who uses the third is not."""
    text = (
        "1. Definitions\n\n“Vehicle” means any {} device.\n\n“Lorry” means a Vehicle above two tonnes.\n\n"
        "“Clerk” means an officer of the board.\n\n2. A Vehicle is insured.\n\n3. A Lorry is weighed.\n\n"
        "4. The Clerk keeps the log.\n"
    )
    changes = list_changes(text_pair(text.format("self-propelled"), text.format("wheeled")))
    assert changes[0].signals == ["definition: Vehicle"]
    paths = {found.number: [(step.number, step.name) for step in found.path] for change in changes for found in change.ripples}
    assert paths == {"2": [("2", "Vehicle")], "3": [("1", "Vehicle"), ("3", "Lorry")]}


def test_a_line_of_a_glossary_that_is_no_entry_touches_all_its_users() -> None:
    """What is said after the entries may be said of every term."""
    text = (
        "1. Definitions\n\n“Vehicle” means any wheeled device.\n\n“Clerk” means an officer of the board.\n\n"
        "These words hold {} leases.\n\n2. A Vehicle is insured.\n\n3. The Clerk keeps the log.\n"
    )
    (change,) = list_changes(text_pair(text.format("for"), text.format("except in")))
    assert [found.number for found in change.ripples] == ["2", "3"]


def test_a_removed_definition_touches_its_users() -> None:
    """Words that lose their definition are touched although nothing in the new version points at one."""
    rest = "A Vehicle shall be insured.\n"
    pair = text_pair(f'1. "Vehicle" means any device.\n2. {rest}3. Fees are due.\n', f"1. {rest}2. Fees are due.\n")
    removed = next(change for change in list_changes(pair) if change.kind == "removed")
    assert removed.affects == ["made@2#1"]


def test_a_changed_clause_touches_those_that_cite_it_and_those_under_it() -> None:
    """A citation and every sub-clause under a changed lead-in are named."""
    text = "1. The firm shall {} keep:\n(a) logs;\n(b) keys.\n2. Subject to clause 1, fees are due.\n3. Nothing else.\n"
    (change,) = list_changes(text_pair(text.format("always"), text.format("never")))
    assert set(change.affects) == {"made@2#1/a", "made@2#1/b", "made@2#2"}


def test_a_reference_left_behind_is_named() -> None:
    """Clause 3 became 4 and clause 1 still says "clause 3": the renumbering touches clause 1."""
    before = "1. See clause 3 on fees.\n2. Logs are kept by the firm.\n3. Fees are due every year.\n"
    after = (
        "1. See clause 3 on fees.\n2. Logs are kept by the firm.\n3. The board meets in spring.\n4. Fees are due every year.\n"
    )
    renumbered = next(change for change in list_changes(text_pair(before, after)) if change.kind == "renumbered")
    assert renumbered.affects == ["made@2#1"]
    assert [step.link for step in renumbered.ripples[0].path] == ["left_behind"]


def test_the_page_is_one_safe_file() -> None:
    """Text is escaped, nothing is scripted or fetched, the list comes before the columns, moved text is marked."""
    texts = [
        "<script>alert(1)</script> rules on audit apply.",
        "Every member pays the yearly fee.",
        "Boards & banks keep a register.",
    ]
    before = "".join(f"{at}. {text}\n" for at, text in enumerate(texts, 1))
    after = "".join(f"{at}. {text}\n" for at, text in enumerate([texts[2], texts[0], texts[1].replace("yearly", "monthly")], 1))
    pair = text_pair(before, after)
    version = VersionObject(
        version="1 <b>", version_id="1", effective_from="2024-01-01", effective_to=None, published_on=None, recorded_at="",
        state="in_force", clauses=3, flags={},
    )  # fmt: skip
    page = changes_html(Changes(**{"from": version}, doc_id="made", to=version, changes=list_changes(pair)), "A & B", "en")
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page
    assert "&lt;script&gt;" in page
    assert "1 &lt;b&gt;" in page
    assert page.index("List of changes") < page.index("Redline")
    assert "moved from" in page
    assert "<del>yearly</del>" in page


@pytest.mark.data
def test_common_paper_2_0_to_2_1_is_exact(measuring_data: Path) -> None:
    """The published change list, complete: two clauses modified, nothing else; the re-pointed reference names its target."""
    folder = measuring_data / "versioned" / "commonpaper-csa"
    pair = parsed_pair(*(read((folder / name).read_bytes(), name, "en") for name in ("2024-04-11.md", "2024-11-05.md")))
    changes = list_changes(pair)
    assert [(change.kind, _number(change.after)) for change in changes] == [("modified", "8.4"), ("modified", "13.31")]
    assert changes[0].signals == ["reference: 12 → 10"]


@pytest.mark.data
def test_common_paper_renumbering_is_no_removal(measuring_data: Path) -> None:
    """1.1 to 2.0 renumbers everything: no clause is both removed and added with the same words."""
    folder = measuring_data / "versioned" / "commonpaper-csa"
    pair = parsed_pair(*(read((folder / name).read_bytes(), name, "en") for name in ("2023-12-07.md", "2024-04-11.md")))
    gone = {item.before.text for item in list_changes(pair) if item.kind == "removed" and isinstance(item.before, ClauseObject)}
    new = {item.after.text for item in list_changes(pair) if item.kind == "added" and isinstance(item.after, ClauseObject)}
    assert not (gone & new) - {""}


def test_a_date_written_another_way_is_editorial() -> None:
    """1 July 2012 and 2012-07-01 are one day; another day is not."""
    change = _one("It applies from 1 July 2012 to all.", "It applies from 2012-07-01 to all.")
    assert (change.kind, change.signals, change.weight) == ("modified", [], "editorial")
    other = _one("It applies from 1 July 2012 to all.", "It applies from 2012-07-02 to all.")
    assert (other.signals, other.weight) == (["date: 2012-07-01 → 2012-07-02"], "substantive")


def test_the_page_marks_no_typography() -> None:
    """An apostrophe of another shape inside a rewritten clause is no mark; the rewritten word is."""
    change = _one("The Users' logs are kept for ten days.", "The Users’ logs are kept for nine days.")
    version = VersionObject(
        version="1", version_id="1", effective_from="2024-01-01", effective_to=None, published_on=None, recorded_at="",
        state="in_force", clauses=2, flags={},
    )  # fmt: skip
    page = changes_html(Changes(**{"from": version}, doc_id="made", to=version, changes=[change]), "A", "en")
    assert page.count("<del>") == page.count("<ins>") == 2
    assert "<del>ten</del>" in page
