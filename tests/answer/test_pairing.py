"""Statements that hold the quoted words and figures and turn them round; quotes made by hand."""

from __future__ import annotations

import pytest

from compliance_rag.answer.pairing import mispaired, turned_round
from compliance_rag.answer.support import supported

SKIPPER = "The seller shall hand over the boat within 9 days after the survey."
CARDS = "A day card is valid for two tides; a season card is valid for forty tides."
TABLE = "Mooring | €40 | €55\nWinter berth | €210 | €260"
KEYS = "The landlord shall keep the jetty clean. The tenant shall keep the cabin clean."
MELDUNG = "发现人应当在三小时内报告港务长；港务长应当在四十小时内报告海事局。"


@pytest.mark.parametrize(("statement", "quote"), [
    ("The seller shall hand over the boat within 9 days before the survey.", SKIPPER),
    ("The buyer shall hand over the boat within 9 days after the survey.", SKIPPER),
    ("The crew is unpaid during the voyage.", "The crew is paid during the voyage."),
    ("密钥已泄露的，可以不报告。", "密钥未泄露的，可以不报告。"),
    ("甲方应当在九日内交付。", "乙方应当在九日内交付。"),
    ("应当口头通知承租人。", "应当书面通知承租人。"),
])  # fmt: skip
def test_the_opposite_of_a_quoted_word_is_not_supported(statement: str, quote: str) -> None:
    """Before for after, the buyer for the seller, done for not done."""
    assert turned_round(statement, [quote]) is not None
    assert "opposite" in {problem.code for problem in supported(statement, [quote])}


@pytest.mark.parametrize(("statement", "quote"), [
    ("A day card is valid for forty tides.", CARDS),
    ("A day card is valid for forty tides, a season card for two tides.", CARDS),
    ("A winter berth costs €40.", TABLE),
    ("The tenant shall keep the jetty clean.", KEYS),
    ("发现人应当在四十小时内报告港务长。", MELDUNG),
])  # fmt: skip
def test_a_figure_or_a_party_of_another_case_is_not_supported(statement: str, quote: str) -> None:
    """The figure stands in the quote, and the quote says it of something else."""
    assert mispaired(statement, [quote]) is not None
    assert supported(statement, [quote]) != []


@pytest.mark.parametrize(("statement", "quote"), [
    ("After the survey the boat must be handed over within nine days.", SKIPPER),
    ("A season card is valid for forty tides.", CARDS),
    ("Day cards are valid for two tides and season cards for forty.", CARDS),
    ("A winter berth costs €210.", TABLE),
    ("The tenant must keep the cabin clean.", KEYS),
    ("发现后三小时内应当报告港务长。", MELDUNG),
    ("乙方未经书面同意不得转让。", "未经甲方书面同意，不得转让给任何人。"),
    ("The boat must be handed over within 9 days.", SKIPPER),
    ("The harbour master is told within 3 hours.", MELDUNG),
])  # fmt: skip
def test_other_words_for_the_same_are_not_turned_round(statement: str, quote: str) -> None:
    """A paraphrase that keeps every figure with its thing passes these two checks."""
    assert turned_round(statement, [quote]) is None
    assert mispaired(statement, [quote]) is None


def test_a_whole_quoted_sentence_is_never_turned_round() -> None:
    """The verbatim answer says what stands there, whatever stands beside it."""
    for quote in (CARDS, KEYS, MELDUNG, TABLE):
        assert supported(quote, [quote]) == []


def test_a_whole_table_is_quoted_with_its_head() -> None:
    """The head of a table is no row; a table said from its head on is verbatim."""
    table = "| Berth | Period |\n|---|---|\n| North | 2 years |\n| South | 6 years |"
    said = " ".join(table.split())
    assert supported(said, [table]) == []
