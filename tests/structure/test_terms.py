"""Defined terms: CASE 10 and others of its kind in both languages."""

from __future__ import annotations

import pytest

from compliance_rag.structure.analyse import analyse
from schemas.clause import ParsedVersion
from tests.structure.hand_made import Row, made


def _definitions(version: ParsedVersion) -> list[tuple[str, str, str, bool]]:
    return [(d.term, "/".join(d.path), d.scope, d.exclusion) for d in version.definitions]


def _uses(version: ParsedVersion, path: str) -> set[tuple[str, str]]:
    return {(u.term, "/".join(u.target)) for u in version.term_uses if "/".join(u.path) == path}


CASE_10 = [
    Row("8", "8.", "", "Meaning of words"),
    Row("8/1", "(1)", '"Vehicle" means any self-propelled device.'),
    Row("8/2", "(2)", '"Vehicle" does not include a wheelchair.'),
    Row("8/3", "(3)", 'For the purposes of this section and section 9, "fee" means a yearly sum.'),
    Row("8/4", "(4)", "A fee is due for each Vehicle."),
    Row("9", "9.", "The fee for Vehicles is paid in May."),
    Row("10", "10.", "No fee is due from the owner of a wheelchair; the Vehicle's papers are free."),
]


def test_case_10_exclusion_and_scope() -> None:
    """One definition of vehicle with an exclusion; fee holds in this section and section 9, and nowhere else."""
    version = analyse(made(CASE_10), doc_id="d", title=None)
    assert _definitions(version) == [
        ("Vehicle", "8/1", "document", False),
        ("Vehicle", "8/2", "document", True),
        ("fee", "8/3", "8", False),
        ("fee", "8/3", "9", False),
    ]
    assert _uses(version, "8/4") == {("fee", "8/3"), ("Vehicle", "8/1"), ("Vehicle", "8/2")}
    assert _uses(version, "9") == {("fee", "8/3"), ("Vehicle", "8/1"), ("Vehicle", "8/2")}
    assert _uses(version, "10") == {("Vehicle", "8/1"), ("Vehicle", "8/2")}


def test_a_definition_uses_not_itself() -> None:
    """The defining clause is no use of its own term; the exclusion uses the definition."""
    version = analyse(made(CASE_10), doc_id="d", title=None)
    assert _uses(version, "8/1") == {("Vehicle", "8/2")}
    assert _uses(version, "8/2") == {("Vehicle", "8/1")}


@pytest.mark.parametrize(
    ("text", "heading", "expected"),
    [
        ("“Affiliate” shall mean a company under common control.", "", [("Affiliate", ())]),
        ("“Provider” or “We” refers to Northgate Ltd.", "", [("Provider", ("We",))]),
        ("“Business Day” has the meaning given in Schedule 1.", "", [("Business Day", ())]),
        ("“Losses”, in relation to a party, means all costs.", "", [("Losses", ())]),
        ("Northgate Ltd (the “Company”) and Ana Ruiz (“Consultant”) agree.", "", [("Company", ()), ("Consultant", ())]),
        ('Both of them (collectively, the "Parties") agree.', "", [("Parties", ())]),
        ("A Qualified Auditor means a natural person.", "", [("Qualified Auditor", ())]),
        (
            "Reserved IP Address: An address set aside.\nRoot Key: The topmost key.",
            "Definitions",
            [("Reserved IP Address", ()), ("Root Key", ())],
        ),
        ("Account | A user's account.\nContent | Text and pictures.", "Glossary", [("Account", ()), ("Content", ())]),
        ("Certification Authority (CA): An organisation.", "Definitions", [("Certification Authority", ("CA",))]),
        ("Each Certification Authority (CA) keeps logs.", "", [("Certification Authority", ("CA",))]),
        ("means a person who pays.", "Customer", [("Customer", ())]),
        ("This means that the fee is due. It refers to the old rule.", "", []),
        ("We only use email and other electronic means to reach you.", "", []),
        ("The notice does not include a price.", "", []),
        ("“Fee” does not include tax.", "", []),
    ],
)
def test_english_definitions(text: str, heading: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    """The forms a term is defined in, and sentences that only look alike."""
    version = analyse(made([Row("1", "1.", text, heading)]), doc_id="d", title=None)
    assert [(d.term, d.aliases) for d in version.definitions] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("本法所称上市公司，是指其股票在证券交易所上市交易的股份有限公司。", ["上市公司"]),
        ("道路旅客运输经营（以下简称客运经营）和货物运输经营（以下简称“货运经营”）。", ["客运经营", "货运经营"]),
        ("“保密信息”是指任何未公开的信息。", ["保密信息"]),
        ("“设备”系指附件一所列的机器。", ["设备"]),
        ("（一）高级管理人员，是指公司的经理、副经理。", ["高级管理人员"]),
        ("发包人与承包人合称“双方”。", ["双方"]),
        ("人民法院指定的期间，是指定的。", []),
        ("本法所称公司是指依照本法设立的有限责任公司。", ["公司"]),
    ],
)
def test_chinese_definitions(text: str, expected: list[str]) -> None:
    """是指, 系指, 以下简称, 合称, 本法所称."""
    version = analyse(made([Row("2", "第二条", text)], "zh"), doc_id="d", title=None)
    assert [d.term for d in version.definitions] == expected


def test_chinese_scope_and_exclusion() -> None:
    """本章所称 holds in the chapter; 不包括 excludes from the same term; uses are found in the chapter only."""
    rows = [
        Row("c1", "第一章", "", "总则", container=True),
        Row("1", "第一条", "本章所称设备，是指起重机。", parent="c1"),
        Row("2", "第二条", "“设备”不包括手推车。", parent="c1"),
        Row("3", "第三条", "设备应当每年检验。", parent="c1"),
        Row("c2", "第二章", "", "分则", container=True),
        Row("4", "第四条", "设备费用另计。", parent="c2"),
    ]
    version = analyse(made(rows, "zh"), doc_id="d", title=None)
    assert _definitions(version) == [("设备", "1", "c1", False), ("设备", "2", "document", True)]
    assert _uses(version, "3") == {("设备", "1"), ("设备", "2")}


def test_uses_are_whole_words_longest_first_and_case_sensitive() -> None:
    """ "Root Key Ceremony" is not "Root Key"; "account" is not "Account"; plural and possessive are uses."""
    rows = [
        Row("1", "1.", "", "Definitions"),
        Row("1/1", "1.1", "“Account” means a login."),
        Row("1/2", "1.2", "“Root Key” means the topmost key."),
        Row("1/3", "1.3", "“Root Key Ceremony” means its making."),
        Row("2", "2.", "On account of the Root Key Ceremony, Accountants wait."),
        Row("3", "3.", "Accounts hold the Account's Root Keys."),
    ]
    version = analyse(made(rows), doc_id="d", title=None)
    assert _uses(version, "2") == {("Root Key Ceremony", "1/3")}
    assert _uses(version, "3") == {("Account", "1/1"), ("Root Key", "1/2")}


def test_a_letter_of_another_script_is_another_word() -> None:
    """A Cyrillic look-alike in a text is no use of the term: text is data and is compared exactly."""
    rows = [Row("1", "1.", "“Account” means a login."), Row("2", "2.", "The \u0410ccount is closed.")]
    assert _uses(analyse(made(rows), doc_id="d", title=None), "2") == set()


PLAIN = [
    Row("1", "1.", '"Device" means a computer.\n"Personal Data" means data on any device.', "Definitions"),
    Row("2", "2.", "An auditor inspects each device. Devices are sealed."),
    Row("3", "3.", "Personal data is kept on the devices of staff."),
    Row("4", "4.", "Staff may take a break."),
]


def test_a_capitalised_term_is_used_in_lower_case_where_the_document_writes_it_so() -> None:
    """A capital in the definition and at the start of a sentence is no habit; the plain word is the term, in the plural too."""
    version = analyse(made(PLAIN), doc_id="d", title=None)
    assert _uses(version, "2") == {("Device", "1")}
    assert _uses(version, "3") == {("Device", "1"), ("Personal Data", "1")}
    assert _uses(version, "4") == set()


def test_case_10_in_lower_case() -> None:
    """The exclusion and the definition of "Vehicle" hold of "a vehicle"."""
    rows = [
        *CASE_10[:3],
        Row("9", "9.", "A person shall register a vehicle."),
        Row("10", "10.", "A vehicle shall carry a lamp."),
    ]
    version = analyse(made(rows), doc_id="d", title=None)
    assert _uses(version, "9") == _uses(version, "10") == {("Vehicle", "8/1"), ("Vehicle", "8/2")}


@pytest.mark.parametrize(
    "rows",
    [
        [
            Row("1", "1.", "“Services” means the hosting named in Schedule 1. “Term” means five years.", "Definitions"),
            Row("2", "2.", "Calder shall perform the Services with care."),
            Row("3", "3.", "No other services are owed, and no term of trade applies."),
            Row("4", "4.", "The Client pays for the Services in advance."),
        ],
        [
            Row("1", "1.", "“Services” means hosting.\n“Client” means Calder.\n“Notice” means a letter.", "Definitions"),
            Row("2", "2.", "The Services are given to the Client on 30 days' written notice."),
        ],
    ],
)
def test_a_document_that_capitalises_its_terms_means_plain_words_by_plain_words(rows: list[Row]) -> None:
    """Where the terms are written with their capitals, the word in lower case is none, be it the term's only mention."""
    version = analyse(made(rows), doc_id="d", title=None)
    assert {name for path in ("2", "3", "4") for name, _ in _uses(version, path)} <= {"Services", "Client"}
    assert _uses(version, "3") == set()


def test_a_verb_is_no_use_of_a_term() -> None:
    """Who "shall record" a sale makes no use of "Record"; who keeps "a record" does."""
    rows = [
        Row("1", "1.", '"Record" means a written note.', "Definitions"),
        Row("2", "2.", "The clerk shall record each sale and may not record a gift."),
        Row("3", "3.", "A record is kept for five years."),
    ]
    version = analyse(made(rows), doc_id="d", title=None)
    assert (_uses(version, "2"), _uses(version, "3")) == (set(), {("Record", "1")})


def test_an_acronym_has_no_lower_case() -> None:
    """ "US" is not "us"."""
    rows = [Row("1", "1.", "“US” means the United States."), Row("2", "2.", "Write to us.")]
    assert _uses(analyse(made(rows), doc_id="d", title=None), "2") == set()
