"""The outline: cases 3 to 6 and others of their kind, containers, Chinese paragraphs, notes, contents pages, cuts."""

# ruff: noqa: E501 — a case is one line, as it would be written by hand
from __future__ import annotations

import json

import pytest

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.tiling import check_tiling
from schemas.clause import ParsedVersion


def parsed(text: str, name: str = "a.txt") -> ParsedVersion:
    """The version of a text, which must tile."""
    version = parse_version(text.encode(), name)
    assert check_tiling(version) == []
    return version


def paths(version: ParsedVersion) -> list[str]:
    """Paths as printed, in order."""
    return ["/".join(clause.path) for clause in version.clauses]


def numbers(version: ParsedVersion) -> list[str | None]:
    """Full numbers in order."""
    return [clause.number for clause in version.clauses]


CASES = [
    (
        "4: number inside prose",
        "5.2 Testing\nThe test of 5.2.4 applies to pumps.\n5.2.4 of the former edition is withdrawn.\n5.3 Reports\n",
        ["5/2", "5/3"],
    ),
    (
        "4: article cited at a line's start",
        "Article 1\nThis holds.\nArticle 5 of the Act applies here.\nArticle 2\nMore.\n",
        ["1", "2"],
    ),
    ("4: 第三条规定的", "第一条 甲。\n第二条 依照本法\n第三条规定的条件办理。\n第三条 乙。\n", ["1", "2", "3"]),
    ("5: four letters on lines", "(g) g.\n(h) h.\n(i) i.\n(j) j.\n", ["g", "h", "i", "j"]),
    ("5: four letters in one line", "(g) g. (h) h. (i) i. (j) j.", ["g", "h", "i", "j"]),
    (
        "5: Roman inside, letter after, one line",
        "(h) Keep: (i) logs; (ii) keys. (i) Renew yearly. (j) Report.",
        ["h", "h/i", "h/ii", "i", "j"],
    ),
    (
        "5: Roman inside, letter after, lines",
        "(h) Keep:\n(i) logs;\n(ii) keys.\n(i) Renew yearly.\n(j) Report.\n",
        ["h", "h/i", "h/ii", "i", "j"],
    ),
    ("5: v and x as letters", "(u) u.\n(v) v.\n(w) w.\n(x) x.\n(y) y.\n", ["u", "v", "w", "x", "y"]),
    (
        "5: c, d as letters around Roman",
        "(b) b.\n(c) Keep:\n(i) one;\n(ii) two;\n(iii) three.\n(d) d.\n",
        ["b", "c", "c/i", "c/ii", "c/iii", "d"],
    ),
    ("6: inserted sections", "28 First.\n28A Second.\n28AA Third.\n28-1 Fourth.\n", ["28", "28a", "28aa", "28-1"]),
    ("6: 之一", "第一百二十条 甲。\n第一百二十条之一 乙。\n第一百二十一条 丙。\n", ["120", "120-1", "121"]),
    ("18: lines", "1 A.\n2 B, see clause 3.\n3 C.\n", ["1", "2", "3"]),
    ("18: one line", "1 A. 2 B, see clause 3. 3 C.", ["1", "2", "3"]),
    (
        "10: numbered definitions in one line",
        '(1) "Vehicle" means any device. (2) "Vehicle" does not include a chair.',
        ["1", "2"],
    ),
    (
        "two labels at one place",
        "1.1 In case of:\n(a) one; or\n(b)\t(i) two; and\n(ii) three.\n",
        ["1/1", "1/1/a", "1/1/b", "1/1/b/i", "1/1/b/ii"],
    ),
    (
        "number then text without line breaks",
        "2. TERM 2.1 It begins today. 2.2 It ends on notice.\n3. LAW 3.1 English law.\n",
        ["2", "2/1", "2/2", "3", "3/1"],
    ),
]


@pytest.mark.parametrize(("name", "text", "want"), CASES, ids=[row[0] for row in CASES])
def test_cases(name: str, text: str, want: list[str]) -> None:
    """The clauses of each case are the ones a lawyer would name, in order."""
    assert [path for path in paths(parsed(text)) if not path.startswith("~")] == want


def test_case_3_duplicate_label() -> None:
    """A number that stands twice gives two paths, one number, and a flag."""
    version = parsed("1. Duties\n\n2. Reports\n\n2. Fees\n\n3. Law\n", "a.md")
    version = parsed("1. Duties\nOne.\n2. Reports\nTwo.\n2. Fees\nThree.\n3. Law\nFour.\n")
    assert paths(version) == ["1", "2", "2~2", "3"]
    assert numbers(version) == ["1", "2", "2", "3"]
    assert [flag.path for flag in version.flags if flag.code == "duplicate_label"] == [("2~2",)]


@pytest.mark.parametrize(
    "text", ["(a) One. (i) Two.", "(a) One.\n(i) Two.\n", "1. Fees\n(a) One.\n(i) Two.\n2. Law\nEnglish.\n"]
)
def test_case_5_ambiguous_marker(text: str) -> None:
    """(a) then (i) and no more: flagged, both readings said."""
    version = parsed(text)
    flags = [flag for flag in version.flags if flag.code == "ambiguous_marker"]
    assert len(flags) == 1
    assert "(i)" in flags[0].text
    assert "(a)" in flags[0].text
    assert any("ambiguous_marker" in clause.flags for clause in version.clauses)


def test_settled_markers_are_not_flagged() -> None:
    """Where neighbours settle the reading there is no flag."""
    version = parsed("(a) x:\n(i) one;\n(ii) two;\n(b) y.\n")
    assert not [flag for flag in version.flags if flag.code == "ambiguous_marker"]


def test_gap_is_flagged() -> None:
    """A missing number is a flag on the clause after it."""
    version = parsed("1. One\nText.\n2. Two\nText.\n5. Five\nText.\n")
    assert [flag.path for flag in version.flags if flag.code == "numbering_gap"] == [("5",)]


def test_letter_sections_of_markdown() -> None:
    """Lettered headings with list items and numbered headings under them give D.9 and d/9."""
    version = parsed("## A. Terms\n\n1. One.\n2. Two.\n\n## B. More\n\n#### 1. First\nText.\n\n#### 2. Second\nText.\n", "t.md")
    assert numbers(version) == ["A", "A.1", "A.2", "B", "B.1", "B.2"]
    assert paths(version) == ["a", "a/1", "a/2", "b", "b/1", "b/2"]


def test_nested_lists_of_markdown() -> None:
    """Lists in lists print one step and are cited with all: 2.1(a)."""
    version = parsed(
        "1. Service\n    1. Use.\n    2. Support.\n2. Duties\n    1. Customer.\n        a. One\n        b. Two\n", "t.md"
    )
    assert numbers(version) == ["1", "1.1", "1.2", "2", "2.1", "2.1(a)", "2.1(b)"]


def test_list_under_decimal_heading() -> None:
    """Item 1 of 2.1 is 2.1(1); a section 2.1.1 keeps its own path."""
    version = parsed("## 2. CA\n\n### 2.1 Operations\n\n1. one;\n2. two.\n\n#### 2.1.1 Rules\n\nText.\n", "t.md")
    assert numbers(version) == ["2", "2.1", "2.1(1)", "2.1(2)", "2.1.1"]
    assert len(set(paths(version))) == 5
    assert paths(version)[4] == "2/1/1"


def test_containers_only_where_numbering_restarts() -> None:
    """Chapters over running sections stay out of the path; chapters over restarting ones are in it."""
    running = parsed("Chapter 1\nGeneral\n1. One\nText.\n2. Two\nText.\nChapter 2\nSpecial\n3. Three\nText.\n")
    assert paths(running) == ["chapter-1", "1", "2", "chapter-2", "3"]
    restarting = parsed("Chapter 1\nGeneral\n1. One\nText.\n2. Two\nText.\nChapter 2\nSpecial\n1. Three\nText.\n")
    assert paths(restarting) == ["chapter-1", "chapter-1/1", "chapter-1/2", "chapter-2", "chapter-2/1"]


def test_schedules() -> None:
    """Paragraphs of a schedule never take the numbers of the body."""
    version = parsed("1. Intro\nText.\n2. Scope\nText.\nSchedule 1\nForms\n1. First\nText.\nSchedule 2\nFees\n1. Fee\nTen.\n")
    assert paths(version) == ["1", "2", "schedule-1", "schedule-1/1", "schedule-2", "schedule-2/1"]
    assert numbers(version)[3] == "Schedule 1, 1"


def test_chinese_paragraphs() -> None:
    """An article of several paragraphs holds 款 that hold their 项; an article of one holds its text itself."""
    version = parsed("第十七条 有下列情形之一的：\n（一）甲；\n（二）乙。\n前款规定不适用于丁。\n第十八条 戊。\n")
    assert paths(version) == ["17", "17/1", "17/1/1", "17/1/2", "17/2", "18"]
    assert numbers(version)[1:5] == ["第十七条第一款", "第十七条第一款第（一）项", "第十七条第一款第（二）项", "第十七条第二款"]
    assert version.clauses[0].text == ""
    assert version.clauses[5].text == "戊。"


def test_chinese_single_paragraph_with_items() -> None:
    """With one paragraph the 项 stand right under the article."""
    version = parsed("第九条 应当：\n（一）甲；\n（二）乙。\n第十条 丙。\n")
    assert paths(version) == ["9", "9/1", "9/2", "10"]


def test_articles_run_on_under_chinese_headings() -> None:
    """Headings 一、二、 over articles are containers: 第二条 is 2, whatever heading it stands under."""
    version = parsed("# 解释\n\n## 一、管辖\n\n第一条 甲。\n\n第二条 乙。\n\n## 二、回避\n\n第三条 丙。\n", "t.md")
    assert [p for p in paths(version) if not p.startswith("~")] == ["section-1", "1", "2", "section-2", "3"]


def test_chinese_contract() -> None:
    """一、（一）1． nest, and an annex is its own container."""
    version = parsed(
        "一、服务内容\n（一）甲方提供：\n1．数据；\n2．报告。\n（二）乙方付款。\n二、附则\n自签字之日起生效。\n附件一 价格\n1. 单价\n"
    )
    assert paths(version) == ["1", "1/1", "1/1/1", "1/1/2", "1/2", "2", "annex-1", "annex-1/1"]


def test_articles_with_sections() -> None:
    """ARTICLE I with Section 1.1 is 1 and 1/1; with Section 1 restarting it is Article I, Section 1."""
    version = parsed(
        "ARTICLE I\nTERMS\nSection 1.1 Use. It is used.\nSection 1.2 More. It is.\nARTICLE II\nLAW\nSection 2.1 Law. English.\n"
    )
    assert paths(version) == ["1", "1/1", "1/2", "2", "2/1"]
    assert version.clauses[0].heading == "TERMS"
    version = parsed(
        "ARTICLE I\nSection 1. Name. The name.\nSection 2. Seat. The seat.\nARTICLE II\nSection 1. Members. All.\n"
    )
    assert numbers(version) == [
        "Article I",
        "Article I, Section 1",
        "Article I, Section 2",
        "Article II",
        "Article II, Section 1",
    ]


def test_notes_stand_beside_their_clause() -> None:
    """Guidance on 1.2 is not in the full text of 1.2."""
    version = parsed(
        "1.\tAPPLICATION\n1.1\tA person must:\n(a)\tdo; and\n(b)\tkeep.\n1.1.Guidance\t\n1.1.Guidance.1.\tIt helps.\n1.2\tNext rule here.\n"
    )
    rule = next(clause for clause in version.clauses if clause.number == "1.1")
    assert "helps" not in version.extracted[slice(*rule.full_span)]
    assert "1/1/guidance/1" in paths(version)


def test_contents_page_is_furniture() -> None:
    """Entries of a contents page are no clauses; the headings they announce are."""
    head = "\n".join(f"{n}. {t} {n + 2}" for n, t in enumerate(["Definitions", "Fees", "Term", "Law", "Notices"], 1))
    body = "\n".join(f"{n}. {t}\nText of {t}." for n, t in enumerate(["Definitions", "Fees", "Term", "Law", "Notices"], 1))
    version = parsed(f"CONTENTS\n\n{head}\n\n{body}\n")
    assert [p for p in paths(version) if not p.startswith("~")] == ["1", "2", "3", "4", "5"]
    assert version.furniture


def test_repeated_items_are_no_contents_page() -> None:
    """Items that two articles share word for word stay clauses: a list is no contents page."""
    items = "（一）污染；\n（二）霉变；\n（三）过期；\n（四）掺假；\n"
    version = parsed(
        f"第一条 不得出库：\n{items}第二条 从事收购的经营者应当遵守。\n第三条 违反的处罚：\n{items}第四条 本法自公布之日起施行。\n"
    )
    assert paths(version) == ["1", "1/1", "1/2", "1/3", "1/4", "2", "3", "3/1", "3/2", "3/3", "3/4", "4"]


def test_reference_with_brackets_is_not_cut() -> None:
    """`subparagraph 3.(b) of this Agreement` in a bracketed item opens nothing."""
    version = parsed("(a) Sales as defined in subparagraph 3.(b) of this Agreement count.\n(b) Others do not.\n")
    assert paths(version) == ["a", "b"]


def test_closing_words_belong_to_the_lead_in() -> None:
    """Words that go on flush after a list belong to the clause that holds the list."""
    version = parsed("1.1\tA person who:\n(a)\tsells; or\n(b)\tbuys;\ncommits an offence.\n1.2\tNext.\n")
    assert version.clauses[0].text.endswith("commits an offence.")


def test_cuts_are_kept() -> None:
    """A document cut by its owner keeps its cuts, numbers, ids and dates; flat numbers nest by extension."""
    entries = [
        {"number": "4", "heading": "Fees", "source_id": "x4"},
        {"number": "4.1", "text": "Pay. (a) now (b) here", "effective_from": "2024-01-01"},
        {"number": "5", "text": "Two years.", "children": [{"number": "a", "text": "more"}]},
    ]
    version = parsed(json.dumps({"title": "T", "clauses": entries}), "c.clauses.json")
    assert [(c.number, c.parent) for c in version.clauses if c.number] == [
        ("4", None),
        ("4.1", ("4",)),
        ("5", None),
        ("5(a)", ("5",)),
    ]
    assert version.clauses[1].source_id == "x4"
    assert str(version.clauses[2].effective_from) == "2024-01-01"


def test_same_in_same_out() -> None:
    """Law 10: the same bytes give the same version, object for object."""
    text = "1. One\n(a) x.\n(i) y.\n2. Two\nText.\n"
    assert parsed(text) == parsed(text)


@pytest.mark.parametrize(
    ("text", "headed"),
    [
        (
            "1.1 The bank notifies the supervisor within 72 hours of a material\n\nincident, and not later.\n1.2 It pays.\n",
            False,
        ),
        ("1.1 Termination for Convenience and Orderly Exit\n\nthe client may end this contract.\n1.2 It pays.\n", True),
        ("1.1 Scope of works\n\nthe works are listed.\n1.2 It pays.\n", True),
        ("1.1 To request Party B to submit more information or documentary evidence\u037e\n1.2 It pays.\n", False),
        ("# 1.1 To request more information or documentary evidence;\n\n# 1.2 Payment\n\nIt pays.\n", False),
        ("# 1.1 The supplier must keep a record of each delivery it makes.\n\n# 1.2 Payment\n\nIt pays.\n", False),
        ("# 1.1 Records of each delivery.\n\nThey are kept.\n\n# 1.2 Payment\n\nIt pays.\n", True),
    ],
)
def test_a_sentence_is_no_heading(text: str, headed: bool) -> None:
    """A line that goes on in lower case, a member of a list and a sentence are text, also where a font maps the semicolon to
    its Greek twin; a title above words in lower case and a heading with a stop stay headings."""
    clause = next(c for c in parsed(text, "a.md" if text[0] == "#" else "a.txt").clauses if c.number == "1.1")
    assert bool(clause.heading) is headed
    assert clause.text
