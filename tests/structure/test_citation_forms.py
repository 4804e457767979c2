"""Forms of citation: editions of another document, clauses of annexes, ranges in one bracket, neighbours, title lines."""

from __future__ import annotations

import pytest

from compliance_rag.structure.analyse import analyse
from tests.structure.hand_made import Row, made, references, targets

KNOWN = {"rule k": "rule-k", "fees code": "fees-code"}


@pytest.mark.parametrize(
    ("text", "target", "edition"),
    [
        ("See Rule K, s. 15(f) as in force on 1 June 2023.", ("15", "f"), "2023-06-01"),
        ("See Rule K, s. 15(f) as it stood on 1 March 2024.", ("15", "f"), "2024-03-01"),
        ("See section 15(e) of Rule K as in force on 1 June 2023.", ("15", "e"), "2023-06-01"),
        ("See section 15(f) of Rule K.", ("15", "f"), None),
        ("See clause 15 of Rule K.", ("15",), None),
        ("See s 15(f) of Rule K.", ("15", "f"), None),
        ("See s 15(f) of Rule K as it stood on 1 March 2024.", ("15", "f"), "2024-03-01"),
        ("See paragraph (b) of section 15 of Rule K.", ("15", "b"), None),
        ("See Schedule 2, paragraph 3 of the Fees Code.", ("schedule-2", "3"), None),
    ],
)
def test_a_clause_of_a_known_document_with_its_edition(text: str, target: tuple[str, ...], edition: str | None) -> None:
    """A number before or after the document's name counts in that document; a printed edition makes the reference static."""
    version = analyse(made([Row("1", "1.", text), Row("15", "15.", "Own.")]), doc_id="d", title=None, known_titles=KNOWN)
    [found] = references(version, "1")
    assert (found.target, found.edition) == (target, edition)
    assert found.target_doc in KNOWN.values()
    assert found.mode == ("static" if edition else "dynamic")


def test_each_member_of_a_list_has_the_edition() -> None:
    """ "Sections 15 and 16 of Rule K as in force on …": both are that document's, in that edition."""
    text = "See sections 15 and 16 of Rule K as in force on 1 June 2023."
    version = analyse(made([Row("1", "1.", text), Row("15", "15.", "Own.")]), doc_id="d", title=None, known_titles=KNOWN)
    found = [(r.target, r.target_doc, r.edition) for r in references(version, "1")]
    assert found == [(("15",), "rule-k", "2023-06-01"), (("16",), "rule-k", "2023-06-01")]


ANNEXED = [
    Row("2", "第二条", "甲。"),
    Row("2/1", "2.1", "乙。"),
    Row("annex-1", "附件一", "清单。", container=True),
    Row("annex-1/2", "第2条", "甲。"),
    Row("annex-1/3", "第三条", "乙。"),
    Row("annex-2", "附件2", "表。", container=True),
    Row("annex-2/1", "第一条", "甲。"),
    Row("annex-2/3", "（三）", "乙。"),
    Row("appendix-a", "附录A", "图。", container=True),
    Row("appendix-a/1", "第一条", "甲。"),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("见附件一第2条。", ["annex-1/2"]),
        ("见附件一第二条。", ["annex-1/2"]),
        ("见附件一第2条、第3条和本法第二条。", ["annex-1/2", "annex-1/3", "2"]),
        ("见附件二第1条。", ["annex-2/1"]),
        ("见附件二的第一条。", ["annex-2/1"]),
        ("见附件2第3项。", ["annex-2/3"]),
        ("见附录A第一条。", ["appendix-a/1"]),
        ("见附件一第9条。", [None]),
        ("见附件一和第二条。", ["annex-1", "2"]),
        ("见第 2.1 条。", ["2/1"]),
        ("见第 二 条。", ["2"]),
    ],
)
def test_chinese_clauses_of_annexes(text: str, expected: list[str | None]) -> None:
    """附件一第2条 is clause 2 of the annex, never the main clause 2 beside the annex."""
    version = analyse(made([Row("1", "第一条", text), *ANNEXED], "zh"), doc_id="d", title=None)
    assert targets(version, "1") == expected


BOOK = [
    Row("2", "2.", "Main."),
    Row("2/1", "(1)", "First."),
    Row("2/2", "(2)", "Second."),
    Row("3", "3.", "Lists."),
    Row("3/1", "3.1", "Of:"),
    *[Row(f"3/1/{letter}", f"({letter})", "x") for letter in "abc"],
    Row("4", "4.", "Deep."),
    Row("4/c", "(c)", "Of:"),
    *[Row(f"4/c/{number}", f"({number})", "x") for number in ("i", "ii", "iii")],
    Row("schedule-1", "Schedule 1", "", container=True),
    Row("schedule-1/2", "2.", "In the schedule."),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Subparagraphs 4(c)(i-iii) apply.", ["4/c/i", "4/c/ii", "4/c/iii"]),
        ("Clauses 3.1(a–c) apply.", ["3/1/a", "3/1/b", "3/1/c"]),
        ("Part 2 of Schedule 1 applies.", [None]),
        ("Paragraph 2 of Schedule 1 applies.", ["schedule-1/2"]),
        ("Subject to 3, pay.", ["3"]),
        ("Subject to 3 days' notice, pay.", []),
        ("Subject to 3,000 units, pay.", []),
        ("EXHIBIT B\nForm of note", []),
        ("Pay the company's 3 offices.", []),
        ("Insert the following section after it.", []),
        ("The following sections are new.", []),
    ],
)
def test_compressed_lists_parts_and_bare_numbers(text: str, expected: list[str | None]) -> None:
    """Ranges in one bracket name each member; a Part that is not there is unresolved; what only looks alike is none."""
    version = analyse(made([Row("1", "1.", text), *BOOK]), doc_id="d", title=None)
    assert targets(version, "1") == expected
    assert [f.code for f in version.flags] == ["dangling_reference"] * expected.count(None)


@pytest.mark.parametrize(
    ("text", "in_item", "in_section"),
    [
        ("The preceding clause applies.", [None], ["2"]),
        ("See the following section.", ["3"], ["4"]),
        ("See the next section.", ["3"], ["4"]),
        ("See the previous subsection.", ["2/1"], []),
        ("See the immediately preceding paragraph.", ["2/1"], ["2"]),
    ],
)
def test_neighbours_by_place(text: str, in_item: list[str | None], in_section: list[str]) -> None:
    """ "The preceding clause" and its like are the neighbours of the unit's own rank, and nothing where there is none."""
    rows = [BOOK[0], BOOK[1], Row("2/2", "(2)", text), Row("3", "3.", text), Row("4", "4.", "Last.")]
    version = analyse(made(rows), doc_id="d", title=None)
    assert targets(version, "2/2") == [path for path in in_item if path]
    assert targets(version, "3") == in_section


def test_a_section_of_a_public_law_is_not_dangling() -> None:
    """ "Pub. L. 101–369, § 9" is that law's section."""
    version = analyse(made([Row("1", "1.", "As amended (Pub. L. 101–369, § 9)."), *BOOK]), doc_id="d", title=None)
    assert (version.report["dangling_references"], version.report["references_external"]) == (0, 1)
