"""The cases on typed text, from bytes to links: 3 to 10, 15 and 16a."""

# ruff: noqa: E501 — a case is one line, as it would be written by hand
from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

import pytest

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.tiling import check_tiling
from compliance_rag.structure.analyse import analyse
from schemas.clause import ParsedVersion


def read(text: str, known_titles: Mapping[str, str] | None = None, **options: Any) -> ParsedVersion:
    """The analysed version of a text; clauses tile it and every reference's span gives back its words."""
    version = analyse(parse_version(text.encode(), "a.txt"), doc_id="d", title=None, known_titles=known_titles or {}, **options)
    assert check_tiling(version) == []
    for item in version.references:
        assert version.extracted[slice(*item.span)] == item.text
    return version


def linked(version: ParsedVersion, path: str) -> list[tuple[str, str | None]]:
    """The references printed in a clause with their targets."""
    own = [item for item in version.references if item.path == tuple(path.split("/"))]
    return [(item.text, None if item.target is None else "/".join(item.target)) for item in own]


def flagged(version: ParsedVersion, code: str) -> list[str]:
    """Paths of the clauses that carry a flag."""
    return ["/".join(clause.path) for clause in version.clauses if code in clause.flags]


def test_case_3_both_are_named() -> None:
    """Two clauses numbered 2: `clause 2` names the number both bear."""
    version = read("1. Duties\nOne.\n2. Reports\nTwo.\n2. Fees\nThree.\n")
    assert ["/".join(clause.path) for clause in version.clauses if clause.number == "2"] == ["2", "2~2"]
    assert flagged(version, "duplicate_label") == ["2~2"]


def test_case_4_a_number_in_prose_is_a_reference() -> None:
    """5.2.4 is no heading and twice a reference, to nothing of this edition; a number that is no clause's is none."""
    version = read("5.2 Testing\nThe test of 5.2.4 applies to pumps.\n5.2.4 of the former edition is withdrawn.\n5.3 Reports\n")
    assert ["/".join(clause.path) for clause in version.clauses] == ["5/2", "5/3"]
    assert linked(version, "5/2") == [("5.2.4", None), ("5.2.4", None)]
    version = read(
        "5.2 Testing\nVersion 1.2.3 of 10.0.0.1 was made on 1.2.2024.\n5.2.1 Pumps\nPumps.\n5.3 See 5.2.1 and 5.2.1 of the former edition.\n"
    )
    assert linked(version, "5/2") == []
    assert linked(version, "5/3") == [("5.2.1", "5/2/1"), ("5.2.1", None)]


def test_case_6_inserted_numbers_are_told_apart() -> None:
    """Section 28A never is 28, 第一百二十条之一 never 第一百二十条."""
    version = read(
        "28 First.\n28A Second.\n28AA Third.\n28-1 Fourth.\n29 Section 28A, section 28, section 28AA and section 28-1 apply.\n"
    )
    assert [target for _, target in linked(version, "29")] == ["28a", "28", "28aa", "28-1"]
    version = read("第一百二十条 甲。\n第一百二十条之一 乙。\n第一百二十一条 违反第一百二十条之一和第一百二十条的，丙。\n")
    assert linked(version, "121") == [("第一百二十条之一", "120-1"), ("第一百二十条", "120")]


def test_case_8_deep_numbers_and_ranges() -> None:
    """A range and a deep number resolve to exactly their clauses; one that is missing to none, never to its parent."""
    text = "3. See paragraphs 12(a)(1)(i) through (iii) and Section 14.9(d)(2)(i).\n12. Duties\n(a) Keep:\n(1) records:\n(i) one;\n(ii) two;\n(iii) three.\n"
    version = read(text + "14. Law\n14.9 These:\n(d) All:\n(1) first;\n(2) more:\n(i) last.\n")
    assert [target for _, target in linked(version, "3")] == ["12/a/1/i", "12/a/1/ii", "12/a/1/iii", "14/9/d/2/i"]
    assert {words for words, _ in linked(version, "3")} == {"paragraphs 12(a)(1)(i) through (iii)", "Section 14.9(d)(2)(i)"}
    assert linked(read(text), "3")[-1] == ("Section 14.9(d)(2)(i)", None)
    assert flagged(read(text), "dangling_reference") == ["3"]


def test_case_9_commentary_and_editions() -> None:
    """`of this section` in a commentary is the section it explains; other documents are dynamic, or static with their edition."""
    text = "7. Access\n(a) One.\n(b) Rights:\n(1) read;\n(2) write.\n9. Rule K, s. 15(f) applies.\n10. Rule K as in force on 1 June 2023 applies.\n"
    version = read(text, {"rule k": "rule-k"})
    [dynamic] = [item for item in version.references if item.path == ("9",)]
    [static] = [item for item in version.references if item.path == ("10",)]
    assert (dynamic.target_doc, dynamic.target, dynamic.mode, dynamic.edition) == ("rule-k", ("15", "f"), "dynamic", None)
    assert (static.target_doc, static.target, static.mode, static.edition) == ("rule-k", (), "static", "2023-06-01")
    version = read(
        "7.\tACCESS\n7.1\tA person may:\n(a)\tread; and\n(b)\twrite:\n(1)\tnotes; or\n(2)\tletters.\n7.1.Guidance\tThe step under paragraph (b)(2) of this section is free.\n"
    )
    assert linked(version, "7/1/guidance") == [("paragraph (b)(2) of this section", "7/1/b/2")]


def test_case_10_definitions() -> None:
    """One definition of vehicle with its exclusion; fee holds in its section and section 9 only."""
    version = read(
        '4 Terms\n(1) "Vehicle" means any self-propelled device. (2) "Vehicle" does not include a wheelchair. (3) For the purposes of this section and section 9, "fee" means a yearly sum.\n9 Fees\nThe fee for a Vehicle is paid.\n10 Other\nNo fee.\n'
    )
    found = [(item.term.lower(), "/".join(item.path), item.scope, item.exclusion) for item in version.definitions]
    assert found == [
        ("vehicle", "4/1", "document", False),
        ("vehicle", "4/2", "document", True),
        ("fee", "4/3", "4", False),
        ("fee", "4/3", "9", False),
    ]
    uses = {("/".join(use.path), use.term.lower()) for use in version.term_uses if use.path in (("9",), ("10",))}
    assert uses == {("9", "fee"), ("9", "vehicle")}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1. Effective 2/11/41 it starts.", "ambiguous_date"),
        ("1. It ends on 29 February 2025.", "impossible_date"),
        ("1. It is due on 03/04/2025.", "ambiguous_date"),
        ("1. Effective 202.", "unreadable_date"),
    ],
)
def test_case_15_dates_are_not_guessed(text: str, code: str) -> None:
    """A date that can't be read, or not in one way, is a flag on its clause and no proposal."""
    version = read(text)
    assert flagged(version, code) == ["1"]
    assert version.proposed_dates == ()


PUBLISHED = date(2024, 1, 31)


@pytest.mark.parametrize(
    ("text", "rule", "day"),
    [
        ("This Act is in force on the day after publication.", "day after publication", date(2024, 2, 1)),
        ("This Act comes into force on the twentieth day following that of its publication.", None, None),
        (
            "This Act commences on the first day of the month after publication.",
            "first day of the month after publication",
            date(2024, 2, 1),
        ),
        (
            "This Act takes effect on the first day of the third month following its publication.",
            "first day of the 3. month after publication",
            date(2024, 4, 1),
        ),
        ("This Act takes effect three months after its publication.", "3 months after publication", date(2024, 4, 30)),
        ("This Act takes effect 30 days after the date of publication.", "30 days after publication", date(2024, 3, 1)),
        ("This Act commences on the day of its publication.", "day of publication", PUBLISHED),
        ("本法自公布之日起施行。", "day of publication", PUBLISHED),
        ("本法自公布之日起三十日后施行。", "30 days after publication", date(2024, 3, 1)),
        ("本法自公布之日起六个月后施行。", "6 months after publication", date(2024, 7, 31)),
        ("本法自公布次月1日起施行。", "first day of the month after publication", date(2024, 2, 1)),
    ],
)
def test_case_15_commencement_by_rule(text: str, rule: str | None, day: date | None) -> None:
    """A commencement counted from publication is kept as rule, sentence and, once the day of publication is given, its date."""
    version = read(f"1. {text}", published_on=PUBLISHED)
    if rule is None:
        assert all(item.effective_from is None or item.rule for item in version.proposed_dates)
        return
    assert [(item.rule, item.effective_from, item.quote) for item in version.proposed_dates] == [(rule, day, text)]
    assert [(item.rule, item.effective_from) for item in read(f"1. {text}").proposed_dates] == [(rule, None)]


def test_case_16a_commencement_in_parts() -> None:
    """Proposed with its quote; the clauses it touches carry `dates_unconfirmed`, the others don't."""
    act = "This Act commences on 1 January 2025, except section 4, which commences on 1 July 2026; section 9 ceases to have effect on 31 December 2027."
    version = read(f"1. {act}\n2. Two.\n3. Three.\n4. Four.\n(1) More.\n5. Five.\n9. Nine.\n10. Ten.\n")
    assert [(item.number, item.effective_from, item.effective_to, item.quote) for item in version.proposed_dates] == [
        (None, date(2025, 1, 1), None, act),
        ("4", date(2026, 7, 1), None, act),
        ("9", None, date(2027, 12, 31), act),
    ]
    assert flagged(version, "dates_unconfirmed") == ["4", "4/1", "9"]


def test_references_in_headings() -> None:
    """A heading's references are links of the clause and govern nothing."""
    version = read("4. Fees\nPay.\n5. Exceptions to section 4\nNone are made.\n")
    assert linked(version, "5") == [("section 4", "4")]


@pytest.mark.parametrize(
    ("words", "link"),
    [
        ("Section 4 does not apply to gifts.", ("1", "4")),
        ("All sections apply, with the exception of section 9.", ("9", "1")),
        ("All sections apply, except for section 9.", ("9", "1")),
        ("Notwithstanding section 4, gifts are free.", ("1", "4")),
    ],
)
def test_exceptions_name_both_sides(words: str, link: tuple[str, str]) -> None:
    """Which clause is the exception and which it modifies."""
    version = read(f"1. {words}\n4. Four.\n9. Nine.\n")
    assert [("/".join(item.path), "/".join(item.modifies)) for item in version.exceptions] == [link]


def test_an_amending_document_speaks_of_what_it_amends() -> None:
    """Bare numbers and `of the Agreement` are the amended document's; `of this Amendment` and brackets are its own."""
    text = '1. In section 4, for "72" substitute "24".\n2. Section 9(b) of the Agreement is deleted.\n(a) See paragraph (b).\n(b) Section 1 of this Amendment holds.\n4. Four.\n'
    version = read(text, amends="base")
    found = {item.text: (item.target_doc, item.target) for item in version.references}
    assert found["section 4"] == ("base", ("4",))
    assert found["Section 9(b)"] == ("base", ("9", "b"))
    assert found["paragraph (b)"] == (None, ("2", "b"))
    assert next(value for key, value in found.items() if key.startswith("Section 1")) == (None, ("1",))
    assert {item.text: item.target_doc for item in read(text).references}["section 4"] is None


def test_a_rule_of_an_amendment_cites_its_own_clauses() -> None:
    """Outside an instruction a bare number is the amendment's own where it has such a clause, and the Master Agreement's where
    it names that."""
    text = (
        '1. In clause 3, for "ten" substitute "six".\n2. For the change made by clause 1 a fee is due.\n'
        "3. Clause 4 of the Master Agreement does not apply to the fee in clause 2.\n4. Four.\n"
    )
    found = {item.text: (item.target_doc, item.target) for item in read(text, amends="services").references}
    assert found["clause 3"] == ("services", ("3",))
    assert found["clause 1"] == (None, ("1",))
    assert found["Clause 4"] == ("services", ("4",))
    assert found["clause 2"] == (None, ("2",))


def test_a_part_may_cite_the_master_agreement() -> None:
    """A statement of work names the document that it is part of; its bare numbers stay its own."""
    found = {
        item.text: item.target_doc
        for item in read("1. Clause 2 of the Master Agreement holds. See clause 2.\n2. Two.\n", part_of="services").references
    }
    assert found == {"Clause 2": "services", "clause 2": None}
