"""Which of several cases a figure in a question falls under, with hand-made lists and tables."""

from __future__ import annotations

import pytest

from compliance_rag.answer.ranges import range_fit, range_weights
from compliance_rag.answer.select import choose
from tests.answer.made import clause, ranking
from tests.answer.test_further import numbers, tie


@pytest.mark.parametrize(("asked", "case", "fit"), [
    ("after three years", "up to five years of service, one month", 1),
    ("after three years", "after five years of service, three months", -1),
    ("two months late", "more than one month and up to three months", 1),
    ("两个月", "满一年不满三年的", -1),
    ("四十天后", "超过三十日不满六十日的", 1),
    ("18 months", "not less than two years", -1),
    ("three years", "a fee of 100 euro at most", 0),
    ("how long?", "after five years", 0),
])  # fmt: skip
def test_a_figure_lies_within_the_limits_of_a_case(asked: str, case: str, fit: int) -> None:
    """Months are held against years, and limits of another kind say nothing."""
    assert range_fit(asked, case) == fit


def test_a_single_limit_is_a_rule_and_no_case() -> None:
    """ "May I keep 40 litres?" is answered by "not more than 20 litres" although 40 breaks it."""
    assert range_weights("May I stay for ten days?", ["not more than five days"]) == [0.0]


def test_the_case_that_holds_the_figure_answers() -> None:
    """The item for more than five years shares the word three with the question, and is the wrong one."""
    above = clause("7", "The notice period for a berth is:", seq=7)
    short = clause("7.1", "up to five years of tenancy, one month;", seq=8)
    long = clause("7.2", "after five years of tenancy, three months.", seq=9)
    question = "What is the notice period of a berth after three years?"
    ties = [tie(above, short, "lead_in", "lead_in"), tie(above, long, "lead_in", "lead_in")]
    found = numbers(choose(question, ranking(question, long, short), ties))
    assert found[0] == "7.1"
    assert "7.2" not in found


def test_the_row_that_holds_the_figure_answers() -> None:
    """Late by two months is the row for more than one month and up to three."""
    text = "| Late | Fee |\n|---|---|\n| up to one month | €20 |\n| more than one month and up to three months | €90 |"
    question = "What is the late fee for a list handed in two months late?"
    assert "€90" in choose(question, ranking(question, clause("2", text)), []).pieces[0].spoken
