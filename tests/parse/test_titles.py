"""A title that looks like a label is a title; a label that looks like a title is a label."""

from __future__ import annotations

import pytest

from compliance_rag.parse.parse import parse_version
from schemas.clause import ParsedVersion

SECTIONS = "15. Reserves\n\n(a) Keep them.\n\n(f) The reserve is ten percent.\n"


def parsed(text: str, name: str = "a.md") -> ParsedVersion:
    """A version as read from a file of this name."""
    return parse_version(text.encode(), name)


@pytest.mark.parametrize(
    "title", ["Rule K", "Rule K.", "RULE K", "Part B", "PART B", "Schedule K", "Annex IV", "Appendix 2", "附件一"]
)
def test_a_label_alone_over_clauses_counted_anew_is_the_title(title: str) -> None:
    """The one-line heading of a document is its title; its clauses bear their own numbers alone."""
    version = parsed(f"# {title}\n\n{SECTIONS}")
    assert version.title == title
    assert [clause.number for clause in version.clauses] == [None, "15", "15(a)", "15(f)"]
    assert version.clauses[0].heading == title


@pytest.mark.parametrize(
    "below", ["## Section 1\n\nBoats.\n", "Scope of the rule.\n\n## 1. Boats\n\nAll.\n", "1.1 Boats.\n\n1.2 Piers.\n"]
)
def test_whatever_the_clauses_below_are_called(below: str) -> None:
    """Sections, an introduction before the first number, decimals."""
    version = parsed(f"# Rule K\n\n{below}")
    assert (version.title, version.clauses[0].number) == ("Rule K", None)
    assert not [clause.number for clause in version.clauses if "K" in (clause.number or "")]


def test_a_plain_text_rule() -> None:
    """Without markup the first line is no clause K either."""
    assert [clause.number for clause in parsed(f"Rule K\n\n{SECTIONS}", "a.txt").clauses] == [None, "15", "15(a)", "15(f)"]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("# Rule 26\n\n(a) Disclosure.\n\n(1) Initial.\n\n(2) Expert.\n", ["26", "26(a)", "26(a)(1)", "26(a)(2)"]),
        ("# Part 1\n\n1. Scope\n\n# Part 2\n\n2. Fees\n", ["Part 1", "1", "Part 2", "2"]),
        ("# Rule 1\n\n1. Boats.\n\n# Rule 2\n\n1. Piers.\n", ["1", "1.1", "2", "2.1"]),
        ("# Handbook\n\n# Part 1\n\n1. Scope\n", [None, "Part 1", "1"]),
        ("# Part 1 Duties\n\n1. Scope\n", ["Part 1", "1"]),
        ("# 第一章\n\n第一条 甲。\n\n第二条 乙。\n", ["第一章", "第一条", "第二条"]),
    ],
)
def test_what_is_counted_or_counts_lists_stays_a_label(text: str, numbers: list[str | None]) -> None:
    """A rule over a list in brackets is cited with it; one of several is one of several; what follows a title is no title; a
    heading with words is numbered by its label; a chapter is one of several whatever stands in the file."""
    assert [clause.number for clause in parsed(text).clauses] == numbers


def test_words_that_lead_in_are_no_heading() -> None:
    """A sentence without a stop before a list, or one whose stop was lost, is text that can be quoted, not a heading."""
    text = (
        "2.1 Interest on late rent runs at 8 % a year from day 11, unless\n\n(a) the bank was at fault; or\n\n"
        "(b) the sum is small.\n\n"
        "2.2 The notice names the number of clients, 1,250 or more\n\n2.3 Notices of a change of address\n\nA change is told.\n"
    )
    found = {clause.path: clause for clause in parse_version(text.encode(), "a.txt").clauses}
    assert found["2", "1"].text.endswith("from day 11, unless")
    assert found["2", "2"].text == "The notice names the number of clients, 1,250 or more"
    assert found["2", "3"].heading == "Notices of a change of address"


def test_a_caption_above_a_short_sentence_is_a_heading() -> None:
    """Capitals above a sentence of one short line head it; above an address or the name of a firm they do not."""
    text = (
        "POLICY\n\nThis policy is made by the board of the bank for all of its offices and for all staff in them.\n\nDUTIES\n\n"
        "Staff shall report each breach of it within one day.\n\nSANCTIONS\n\nA breach may lead to dismissal or to a fine.\n"
    )
    found = parse_version(text.encode(), "a.txt").clauses
    assert [(clause.heading, clause.text[:6]) for clause in found][-2:] == [("DUTIES", "Staff "), ("SANCTIONS", "A brea")]
    signed = parse_version(f"{text}\nSNAP\n\nSnap Technologies Limited, Inc.\n".encode(), "a.txt").clauses
    assert signed[-1].heading == "SANCTIONS"
