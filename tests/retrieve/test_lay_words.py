"""Everyday words searched in the words of rules."""

from __future__ import annotations

from pathlib import Path

import pytest

from compliance_rag.retrieve.lay_words import in_other_words
from compliance_rag.retrieve.question import read_question
from compliance_rag.retrieve.search import rank
from tests.retrieve.shelves import EMBEDDER, Made, make_shelf, query


@pytest.mark.parametrize(
    ("question", "said", "word"),
    [
        ("How long must we hang on to the ledgers?", "hang on to", "retain"),
        ("Do we have to let the neighbours know?", "let the neighbours know", "notify"),
        ("Were they filmed secretly?", "secretly", "covert"),
        ("被辞退以后能不能要钱", "辞退", "解除"),
    ],
)
def test_an_expression_has_the_words_of_rules(question: str, said: str, word: str) -> None:
    """Inflected, over a gap, and in Chinese."""
    assert any(one.said == said and word in one.words for one in in_other_words(question))


def test_longer_expressions_go_first_and_nothing_else_is_read() -> None:
    """ "Member of staff" is one expression, and a question in the law's own words has none."""
    assert [one.said for one in in_other_words("every member of staff")] == ["member of staff"]
    assert in_other_words("The obligation of the grantor under the deed") == ()


def test_a_clause_is_found_by_words_that_no_document_uses(tmp_path: Path) -> None:
    """Nobody wrote "sack"; the clause on dismissal is first, and its words count as found."""
    clauses = {
        "1": "The employer may dismiss a cook who sleeps on duty.",
        "2": "A cook washes the pans at the end of the shift.",
        "3": "A cook who is on duty wears a hat.",
    }
    shelf = make_shelf(tmp_path, [Made("kitchen", "1", "2024-01-01", clauses)])
    found = rank(shelf, query("When may a cook be sacked?"), EMBEDDER)
    assert found.candidates[0].clause.clause.number == "1"
    plain = rank(shelf, query("When may a cook be zorbed?"), EMBEDDER)
    assert found.coverage > plain.coverage


def test_a_number_looked_up_is_searched_as_it_is() -> None:
    """ "What does section 4 say?" asks for that clause and not for notices."""
    assert read_question("Please tell me section 4").alike == ()
    assert read_question("Who must be told of the fire?").alike != ()
