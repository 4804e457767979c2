"""Cross-references: CASES 8 and 9, and others of their kind in both languages."""

from __future__ import annotations

import pytest

from compliance_rag.structure.analyse import analyse
from tests.structure.hand_made import Row, clause, made, references, targets

CASE_8 = "See paragraphs 12(a)(1)(i) through (iii) and Section 14.9(d)(2)(i)."
TWELVE = [
    Row("12", "12.", "Duties."),
    Row("12/a", "(a)", "First."),
    Row("12/a/1", "(1)", "Keep:"),
    Row("12/a/1/i", "(i)", "logs;"),
    Row("12/a/1/ii", "(ii)", "keys;"),
    Row("12/a/1/iii", "(iii)", "codes."),
]
FOURTEEN = [
    Row("14", "14.", "Reports."),
    Row("14/9", "14.9", "Yearly."),
    Row("14/9/d", "(d)", "To:"),
    Row("14/9/d/2", "(2)", "the board"),
    Row("14/9/d/2/i", "(i)", "in writing."),
]


def test_case_8_a_range_and_a_deep_number_resolve_exactly() -> None:
    """Every member of the range and the deep section are found; each span covers the whole printed text."""
    version = analyse(made([Row("3", "3.", CASE_8), *TWELVE, *FOURTEEN]), doc_id="d", title=None)
    assert targets(version, "3") == ["12/a/1/i", "12/a/1/ii", "12/a/1/iii", "14/9/d/2/i"]
    texts = {r.text for r in references(version, "3")}
    assert texts == {"paragraphs 12(a)(1)(i) through (iii)", "Section 14.9(d)(2)(i)"}


def test_case_8_a_missing_target_is_unresolved_and_flagged() -> None:
    """Where 14.9(d)(2)(i) does not exist nothing stands for it, though its parent 14.9(d)(2) does."""
    version = analyse(made([Row("3", "3.", CASE_8), *TWELVE, *FOURTEEN[:-1]]), doc_id="d", title=None)
    assert targets(version, "3") == ["12/a/1/i", "12/a/1/ii", "12/a/1/iii", None]
    assert "dangling_reference" in clause(version, "3").flags
    assert version.report["dangling_references"] == 1


SEVEN = [
    Row("7", "§ 7", "Credit.", "Disclosure"),
    Row("7/b", "(b)", "Terms:"),
    Row("7/b/1", "(1)", "rate;"),
    Row("7/b/2", "(2)", "fees."),
]


@pytest.mark.parametrize(
    "commentary",
    [
        Row("7/commentary", "Commentary", "Fees due under paragraph (b)(2) of this section are yearly."),
        Row("c", "", "Fees due under paragraph (b)(2) of this section are yearly.", "Commentary on § 7"),
    ],
)
def test_case_9_a_commentary_speaks_of_the_section_it_explains(commentary: Row) -> None:
    """ "this section" in a commentary on section 7 is section 7."""
    version = analyse(made([*SEVEN, commentary]), doc_id="d", title=None)
    assert targets(version, commentary.path) == ["7/b/2"]


def test_case_9_dynamic_and_static_references_to_another_document() -> None:
    """ "Rule K, s. 15(f)" is dynamic in rule-k; "as in force on 1 June 2023" is static to that day."""
    rows = [Row("9", "9", "Apply Rule K, s. 15(f)."), Row("10", "10", "Apply Rule K as in force on 1 June 2023.")]
    version = analyse(made(rows), doc_id="d", title=None, known_titles={"rule k": "rule-k"})
    nine, ten = references(version, "9"), references(version, "10")
    assert [(r.text, r.target, r.target_doc, r.mode, r.edition) for r in nine] == [
        ("Rule K, s. 15(f)", ("15", "f"), "rule-k", "dynamic", None)
    ]
    assert [(r.text, r.target, r.target_doc, r.mode, r.edition) for r in ten] == [
        ("Rule K as in force on 1 June 2023", (), "rule-k", "static", "2023-06-01")
    ]


def test_a_document_we_do_not_know_stays_unresolved() -> None:
    """ "Rule K, s. 15(f)" without such a title in the corpus names nothing, not even our own section 15(f)."""
    rows = [Row("9", "9.", "Apply Rule K, s. 15(f)."), Row("15", "15.", "Own."), Row("15/f", "(f)", "Item.")]
    version = analyse(made(rows), doc_id="d", title=None)
    assert set(targets(version, "9")) == {None}


BOOK = [
    Row("p1", "Part I", "", "General", container=True),
    Row("1", "1.", "One.", parent="p1"),
    Row("4", "4.", "Four.", parent="p1"),
    Row("4/1", "4.1", "x"),
    Row("4/2", "4.2", "y"),
    Row("p2", "Part II", "", "Duties", container=True),
    Row("5", "5.", "Five.", parent="p2"),
    Row("6", "6.", "Six.", parent="p2"),
    Row("6/1", "(1)", "first"),
    Row("6/2", "(2)", "second"),
    Row("7", "7.", "Seven.", parent="p2"),
    Row("28", "28", "x", parent="p2"),
    Row("28a", "28A", "y", parent="p2"),
    Row("28-1", "28-1", "z", parent="p2"),
    Row("29", "29", "w", parent="p2"),
    Row("schedule-2", "Schedule 2", "", "Fees", container=True),
    Row("schedule-2/1", "1.", "fee"),
    Row("schedule-2/3", "3.", "late fee"),
    Row("annex-b", "Annex B", "Forms.", container=True),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Subject to Article 6(2), pay.", ["6/2"]),
        ("clauses 5 to 7 apply", ["5", "6", "7"]),
        ("Sections 4.1, 4.2 and 5 apply", ["4/1", "4/2", "5"]),
        ("sections 5-7 apply", ["5", "6", "7"]),
        ("sections 28 to 29", ["28", "28a", "28-1", "29"]),
        ("section 28A and section 28-1", ["28a", "28-1"]),
        ("see Schedule 2", ["schedule-2"]),
        ("see paragraph 3 of Schedule 2", ["schedule-2/3"]),
        ("see Schedule 2, paragraph 1", ["schedule-2/1"]),
        ("see paragraph 9 of Schedule 2", [None]),
        ("the form in Annex B", ["annex-b"]),
        ("Part II applies", ["p2"]),
        ("Part III applies", [None]),
        ("within 5 days of section 4 and 30 days after", ["4"]),
        ("paragraph (2) of section 6 and subsection (1) of section 6", ["6/2", "6/1"]),
        ("§ 4.2 of this Agreement", ["4/2"]),
        ("Section 9 of the Companies Act applies", [None]),
        ("17 CFR § 4.2", [None]),
        ("section 4.2 of the FCC's rules", [None]),
        ("include in Section 4.2 of the CA's CPS a reference", [None]),
        ("RFC 5280 (Section 4.2) and RFC 5280, Section 4.1", [None, None]),
        ("section 4.9 and section 4.2.7 of the TLS BRs", [None, None]),
        ("33 U.S.C. §§ 5 et seq.", [None]),
        ("Section 4, (a) the fee", ["4"]),
        ("under section 6(1) and (2)", ["6/1", "6/2"]),
        ("| Section(s) | Summary", []),
        ("pursuant to Section 4.2 above and Section 5 hereof", ["4/2", "5"]),
        ("Rule \u200e4.2 applies", ["4/2"]),
        ("as used in this Section 4.1", ["4/1"]),
        ("section 280 applies", [None]),
        ("see sections 4.1 and/or 4.2", ["4/1", "4/2"]),
    ],
)
def test_english_references(text: str, expected: list[str | None]) -> None:
    """Lists, ranges, nesting, containers and annexes name exactly the clauses printed, or none."""
    version = analyse(made([*BOOK, Row("1/1", "1.1", text)]), doc_id="d", title=None)
    assert targets(version, "1/1") == expected


def test_a_foreign_section_is_not_reported_as_dangling() -> None:
    """ "Section 9 of the Companies Act" is unresolved, and not a fault of this document."""
    version = analyse(made([*BOOK, Row("1/1", "1.1", "Section 9 of the Companies Act applies")]), doc_id="d", title=None)
    assert version.report["dangling_references"] == 0
    assert version.report["references_external"] == 1


LAW = [
    Row("c1", "第一章", "", "总则", container=True),
    Row("16", "第十六条", "公司可以投资。", parent="c1"),
    Row("17", "第十七条", "", parent="c1"),
    Row("17/1", "", "第一段。"),
    Row("17/2", "", "第二段：依照前款规定办理。"),
    Row("17/2/1", "（一）", "甲；"),
    Row("17/2/2", "（二）", "乙；"),
    Row("17/2/3", "（三）", "丙。"),
    Row("c2", "第二章", "", "分则", container=True),
    Row("18", "第十八条", "单段。", parent="c2"),
    Row("18/1", "（一）", "子；"),
    Row("18/2", "（二）", "丑。"),
    Row("120", "第一百二十条", "甲。", parent="c2"),
    Row("120-1", "第一百二十条之一", "乙。", parent="c2"),
    Row("annex-1", "附件一", "清单。", container=True),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("依照第十七条第二款的规定处理", ["17/2"]),
        ("依照本法第十七条第二款第（三）项", ["17/2/3"]),
        ("依照本法第十七条第二款第三项", ["17/2/3"]),
        ("第十七条第三款", [None]),
        ("第十六条至第十八条", ["16", "17", "18"]),
        ("第十六条、第十七条第一款和第十八条", ["16", "17/1", "18"]),
        ("第十七条第一款、第二款", ["17/1", "17/2"]),
        ("第十八条第一款", ["18"]),
        ("第十八条第二项", ["18/2"]),
        ("第一百二十条之一", ["120-1"]),
        ("第一百二十条", ["120"]),
        ("第二百条", [None]),
        ("详见附件一", ["annex-1"]),
        ("参照第二章的规定", ["c2"]),
        ("依照《民法典》第十七条", [None]),
        ("依照民事诉讼法第十七条、第十八条", [None, None]),
        ("前条规定的情形", ["120-1"]),
    ],
)
def test_chinese_references(text: str, expected: list[str | None]) -> None:
    """条 款 项, lists, ranges, containers, annexes and other laws."""
    version = analyse(
        made([*LAW[:-1], Row("121", "第一百二十一条", text, parent="c2"), LAW[-1]], "zh"), doc_id="d", title="某法"
    )
    assert targets(version, "121") == expected


def test_chinese_relative_references() -> None:
    """前款 is the paragraph before in the same article, 本条第一款 its first; a first paragraph has none before it."""
    rows = [*LAW[:3], Row("17/1", "", "前款不适用。"), Row("17/2", "", "依照前款和本条第一款规定。")]
    version = analyse(made(rows, "zh"), doc_id="d", title=None)
    assert targets(version, "17/2") == ["17/1", "17/1"]
    assert targets(version, "17/1") == [None]


def test_another_law_by_title() -> None:
    """《某法》第…条 goes to the document of that title, with its edition when one is printed."""
    titles = {"中华人民共和国公司法": "company-law", "公司法": "company-law"}
    rows = [Row("1", "第一条", "依照《中华人民共和国公司法》第十六条，以及公司法（2018年修正）第二十条第一款。")]
    version = analyse(made(rows, "zh"), doc_id="d", title=None, known_titles=titles)
    found = [(r.target, r.target_doc, r.mode, r.edition) for r in references(version, "1")]
    assert found == [(("16",), "company-law", "dynamic", None), (("20", "1"), "company-law", "static", "2018年修正")]


@pytest.mark.parametrize(
    ("cited", "expected"),
    [
        ("第一条至第三条第二款", ["1", "2", "3/2"]),
        ("第一条至第三款", ["1", None]),
        ("第二条第一项至第三条第二款", ["2/1", "2/2", "3/1", "3/2"]),
        ("第二条第一项至第二项", ["2/1", "2/2"]),
    ],
)
def test_a_range_may_end_deeper_than_it_begins(cited: str, expected: list[str | None]) -> None:
    """The last number of a range is read with its own levels, and ends at exactly that paragraph."""
    rows = [
        Row("1", "第一条", "甲应当保存记录。"), Row("2", "第二条", "甲应当报告："), Row("2/1", "（一）", "损失；"),
        Row("2/2", "（二）", "收益。"), Row("3", "第三条", "乙应当付款。"), Row("3/1", "第一款", "按月。"),
        Row("3/2", "第二款", "按年。"), Row("4", "第四条", f"依照{cited}办理。"),
    ]  # fmt: skip
    assert targets(analyse(made(rows), doc_id="d", title=None), "4") == expected
