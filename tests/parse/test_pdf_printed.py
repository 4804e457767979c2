"""What a PDF printed from Word shows and does not say: marks set apart, ruled rows, lists that wrap, where text belongs."""

from __future__ import annotations

from array import array

import pytest

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import read_source
from compliance_rag.parse.readers.pdf_types import Line, join, threaded
from compliance_rag.parse.readers.pdf_words import Vocabulary
from tests.parse.pdfs import line, pdf


def _line(text: str, *places: float, size: float = 11.0) -> Line:
    """Characters that start at these places, each ten points wide (three for a quotation mark)."""
    edges = array("f")
    for char, start in zip(text, places, strict=True):
        edges.extend((start, start + (3 if char in "“”" else 10)))
    box = (edges[0], 100.0, edges[-1], 110.0)
    return Line(text, edges, box, box, 1, 0, size, 0, 109.0)


def test_marks_set_after_the_line_they_stand_in_are_put_in_their_place() -> None:
    """Quotation marks of another font come after the words, into gaps left for them; no white is put in beside them."""
    words = _line("甲是服务，指", 61, 71, 90, 100, 117, 127)
    parts = threaded([words, _line("“", 84), _line("”", 112)])
    ordered = sorted(parts, key=lambda part: part.upright[0])
    assert join(ordered).text == "甲是“服务”，指"
    apart = _line("另一行", 300, 310, 320)
    assert threaded([words, apart]) == [words, apart]


@pytest.mark.parametrize("ruled", [True, False])
def test_rules_across_a_gutter_make_rows(ruled: bool) -> None:
    """Two stacks of short paragraphs are a table when rules part its rows, and columns of text when none do."""
    left = ["Agreement names the deal made", "Amendment date of this paper", "Subject of the change made now"]
    right = [
        "The agreement between the parties is amended",
        "It takes effect on the first day of May",
        "The price in section two is ten pounds",
    ]
    content = ""
    for at in range(3):
        content += line(left[at], 60, 700 - 30 * at, size=9) + line(right[at], 300, 700 - 30 * at, size=9)
        content += f"50 {690 - 30 * at} m 560 {690 - 30 * at} l S\n" if ruled else ""
    extracted = read_source(pdf([content]), "a.pdf")
    kinds = [block.kind for block in extracted.blocks]
    assert ("table" in kinds) is ruled
    assert ("| Agreement names the deal made | The agreement between the parties is amended |" in extracted.text) is ruled


def test_a_list_inside_a_sentence_that_wraps_stays_in_it() -> None:
    """ "(b)" that happens to open a line of a running sentence opens no paragraph; a list set out line by line does."""
    wrapped = (
        line("1. Each party represents to the other that: (a) it has the power to enter into it;", 72, 700)
        + line("(b) it is duly organized under the laws of its seat; and (c) it will comply.", 72, 686)
        + line("2. Term.", 72, 650)
    )
    inside = read_source(pdf([wrapped]), "a.pdf")
    assert [inside.text[slice(*block.span)][:2] for block in inside.blocks] == ["1.", "2."]
    listed = line("1. Each party keeps:", 72, 700) + line("(a) logs;", 90, 686) + line("(b) keys.", 90, 672)
    apart = read_source(pdf([listed + line("The supplier shall keep every record for seven years.", 72, 640)]), "a.pdf")
    assert [apart.text[slice(*block.span)][:3] for block in apart.blocks[1:3]] == ["(a)", "(b)"]


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [("contract", "law", True), ("indemnifi", "cation", False), ("under", "taking", False), ("con", "tract", False)],
)
def test_a_hyphen_between_two_words_that_make_none_is_kept(before: str, after: str, kept: bool) -> None:
    """contract-law keeps its hyphen though the document prints neither word alone; a broken word loses it."""
    assert Vocabulary().keeps_hyphen(before, after) is kept


def test_the_first_numbered_sub_clause_may_follow_a_list() -> None:
    """1.3.1 after a) and b) of 1.3 is its sub-clause and restarts nothing."""
    text = "1.3 Awareness\n\nThe staff know:\n\na) The policy;\n\nb) The aims.\n\n1.3.1 Evidence of it.\n\n1.4 Scope\n\nAll.\n"
    assert ["/".join(clause.path) for clause in parse_version(text.encode(), "a.txt").clauses] == [
        "1/3", "1/3/a", "1/3/b", "1/3/1", "1/4",
    ]  # fmt: skip


def test_text_that_stands_as_far_in_as_the_clause_s_own_is_the_clause_s() -> None:
    """After a sub-clause printed further in, a paragraph that stands where the clause's own text stands is the clause's."""
    content = "".join(
        line(text, x, y)
        for text, x, y in (
            ("1.1 Policy", 72, 720), ("A written policy exists that governs the supplied software.", 108, 700),
            ("1.1.1 A documented policy.", 126, 680), ("1.1.2 A documented procedure.", 126, 660),
            ("Rationale: to ensure that steps are taken to create the policy.", 108, 630), ("1.2 Competence", 72, 600),
        )
    )  # fmt: skip
    clauses = {"/".join(clause.path): clause for clause in parse_version(pdf([content]), "a.pdf").clauses}
    assert "Rationale" in clauses["1/1"].text
    assert "Rationale" not in clauses["1/1/2"].text
