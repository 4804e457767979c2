"""Labels: what is read from a line's start, and what a cited number is in path tokens."""

from __future__ import annotations

from itertools import pairwise

import pytest

from compliance_rag.parse.labels import Token, follows, join_number, read_labels, read_number
from compliance_rag.parse.numerals import chinese_int, chinese_numeral, letter_int, roman_int
from compliance_rag.parse.parse import parse_version

LABELS = [
    # (line, style, path tokens of the likeliest reading, reason it is in the table)
    ("1. Fees", "1.", ("1",), "plain list number"),
    ("1.2.3 Scope", "dec", ("1", "2", "3"), "decimal"),
    ("1) one", "1)", ("1",), "right bracket only"),
    ("(1) one", "(1)", ("1",), "both brackets"),
    ("§ 5 Fees", "section", ("5",), "section sign"),
    ("Article 6", "article", ("6",), "named, digits"),
    ("ARTICLE VI Fees", "article", ("6",), "named, Roman: one value with 6"),
    ("Section 7(b)(iii) applies", "dec", ("7", "b", "iii"), "named with bracketed steps"),
    ("(aa) x", "(a)", ("aa",), "doubled letter after z"),
    ("28A Second", "1.", ("28a",), "inserted number"),
    ("28AA Third", "1.", ("28aa",), "inserted twice"),
    ("28-1 Fourth", "1.", ("28-1",), "inserted with a dash"),
    ("14.2.3.Guidance.10\tText", "dec", ("14", "2", "3", "guidance", "10"), "word step"),
    ("2.Guidance\t", "dec", ("2", "guidance"), "word step at the end before a tab"),
    ("8.3.2.Guidance on CDD.1.\tThe", "dec", ("8", "3", "2", "guidance-on-cdd", "1"), "several words"),
    ("Rule 3.2 Text", "dec", ("3", "2"), "named decimal"),
    ("APP9.A9.9.9\tText", "dec", ("a9", "9", "9"), "lettered decimal in an appendix"),
    ("D.1.1.\tPrinciple", "dec", ("d", "1", "1"), "lettered section with steps"),
    ("A. Definitions", "A.", ("a",), "lettered section"),
    ("Schedule 1", "schedule", ("schedule-1",), "container token"),
    ("Annex", "annex", ("annex",), "container without a number"),
    ("EXHIBIT 10.15", "exhibit", ("exhibit-10.15",), "an exhibit's dotted number is one step"),
    ("(xxviii) Due", "(i)", ("xxviii",), "long Roman numeral"),
    ("第一章 总则", "chapter", ("chapter-1",), "章"),
    ("第十七条第二款 文", "第条", ("17", "2"), "条 with 款"),
    ("第一百二十条之一 文", "第条", ("120-1",), "之一 is another article"),
    ("第１２条　文", "第条", ("12",), "full-width digits, ideographic space"),
    ("一、服务", "一、", ("1",), "一、"),
    ("（一）甲", "(一)", ("1",), "full-width brackets"),
    ("⑴甲", "(1)", ("1",), "parenthesised digit character"),
    ("①甲", "①", ("1",), "circled digit"),
    ("附录A", "appendix", ("appendix-a",), "附录 with a letter"),
    ("附件一", "annex", ("annex-1",), "附件 with a Chinese numeral"),
]


@pytest.mark.parametrize(("line", "style", "path", "reason"), LABELS, ids=[row[3] for row in LABELS])
def test_label_forms(line: str, style: str, path: tuple[str, ...], reason: str) -> None:
    """Every form of label in the table is read with its style and its path tokens."""
    readings = read_labels(line)
    assert readings
    chosen = next((label for label in readings if label.style == style), readings[0])
    assert (chosen.style, tuple(token.key for token in chosen.tokens)) == (style, path)


@pytest.mark.parametrize(
    "line", ["the thing", "A person", "I am", "1.5% of it", "1,000 units", "12345 x", "3rd party", "mix. it", "", "(see x)"]
)
def test_no_label(line: str) -> None:
    """Words, percentages, amounts, years of five digits and bracketed words are no labels."""
    assert read_labels(line) == ()


def test_letter_and_roman_are_both_read() -> None:
    """(i) has two readings, (h) and (ii) have one each that counts."""
    assert [label.style for label in read_labels("(i) x")] == ["(a)", "(i)"]
    assert [label.style for label in read_labels("(h) x")] == ["(a)"]
    assert "(i)" in [label.style for label in read_labels("(ii) x")]


NUMBERS = [
    ("4.1.1(1)", ("4", "1", "1", "1")),
    ("D.9", ("d", "9")),
    ("J.3", ("j", "3")),
    ("K", ("k",)),
    ("第十七条第二款第（三）项", ("17", "2", "3")),
    ("第十七条第二款第三项", ("17", "2", "3")),
    ("第一百二十条之一", ("120-1",)),
    ("Article 6(1)(a)", ("6", "1", "a")),
    ("Schedule 1, 3(a)", ("schedule-1", "3", "a")),
    ("附录A", ("appendix-a",)),
    ("附件一", ("annex-1",)),
    ("12(a)(1)(iii)", ("12", "a", "1", "iii")),
    ("14.2.3.Guidance.10", ("14", "2", "3", "guidance", "10")),
    ("28AA", ("28aa",)),
]


@pytest.mark.parametrize(("number", "path"), NUMBERS)
def test_cited_numbers(number: str, path: tuple[str, ...]) -> None:
    """A number as cited is the path of the clause that bears it."""
    assert read_number(number) == path


def test_chinese_numerals_round_trip() -> None:
    """Every number a statute can bear is written and read back: the whole language of the numeral, 1 to 9,999."""
    for value in range(1, 10_000):
        assert chinese_int(chinese_numeral(value)) == value
    assert chinese_int("一〇三") == 103
    assert [chinese_int(text) for text in ("", "十百", "一二三四五", "第", "二零零")] == [None, None, None, None, 200]


def test_roman_and_letters() -> None:
    """Only canonical Roman numerals of one case count; letters go on doubled after z."""
    assert [roman_int(t) for t in ("iv", "IX", "iiii", "iX", "vx", "")] == [4, 9, None, None, None, None]
    assert [letter_int(t) for t in ("a", "z", "aa", "bb", "ab")] == [1, 26, 27, 28, None]


def test_running_order() -> None:
    """Inserted numbers follow the number they were inserted after, and the next plain number follows them."""
    row = [
        Token("28", "28", ".", 28),
        Token("28a", "28A", ".", 28, "A"),
        Token("28aa", "28AA", ".", 28, "AA"),
        Token("28-1", "28-1", ".", 28, "-1"),
    ]
    assert all(follows(a, b) for a, b in pairwise(row))
    assert follows(row[3], Token("29", "29", ".", 29))
    assert not follows(row[0], Token("30", "30", ".", 30))


def test_list_item_never_looks_like_a_section() -> None:
    """Item 5 of a decimal clause 2.1 is 2.1(5), of a letter D it is D.5."""
    five = Token("5", "5", ".", 5)
    assert join_number("2.1", five, list_item=True) == "2.1(5)"
    assert join_number("D", five) == "D.5"
    assert join_number("第十七条", Token("1", "（一）", "zh", 1)) == "第十七条第（一）项"


def test_a_number_of_three_steps_may_touch_a_chinese_numeral() -> None:
    """4.1.1一份 is clause 4.1.1; 4.1一 and 3.5元 may be quantities and are none."""
    assert [token.key for token in read_labels("4.1.1一份有记录的流程")[0].tokens] == ["4", "1", "1"]
    assert read_labels("4.1一份") == ()
    assert read_labels("3.5元") == ()


@pytest.mark.parametrize("opening", ["1.—(1)", "1.–(1)", "1 (1)", "1(1)", "1. (1)"])
def test_a_section_whose_first_subsection_opens_on_its_line(opening: str) -> None:
    """Statutes print the numbers of a section and of its first subsection on one line, with a dash or nothing between."""
    second = opening.replace("1", "2", 1)
    text = f"{opening} A person shall register.\n\n(2) The council answers.\n\n{second} The fine is 5 EUR.\n"
    paths = [clause.path for clause in parse_version(text.encode(), "a.txt").clauses]
    assert paths == [("1",), ("1", "1"), ("1", "2"), ("2",), ("2", "1")]


def test_a_cited_subsection_at_the_start_of_a_line_is_no_section() -> None:
    """A line that begins with a citation goes on its sentence."""
    text = "5 Duty. The duty of\n12(1) of the old Act stays.\n\n6 End. It ends.\n"
    assert [clause.path for clause in parse_version(text.encode(), "a.txt").clauses] == [("5",), ("6",)]


def test_a_number_and_the_first_member_of_its_list_on_one_line() -> None:
    """``3.4 a)`` opens clause 3.4 and its first member; articles may be numbered after a dash, as in "ARTICLE – 3"."""
    text = (
        "ARTICLE – 3 MEMORANDUM\n\n3.1 The term is a year.\n\n3.2 a) The Board has five members.\n\nb) The others help.\n\n"
        "3.3 The Board meets in May.\n\nARTICLE - IV SHARES\n\n4.1 The shares are held in trust.\n"
    )
    paths = ["/".join(clause.path) for clause in parse_version(text.encode(), "a.txt").clauses]
    assert paths == ["3", "3/1", "3/2", "3/2/a", "3/2/b", "3/3", "4", "4/1"]
