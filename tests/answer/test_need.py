"""What an answer must hold: quantities by kind, things by name, one of several things by its label."""

from __future__ import annotations

import pytest

from compliance_rag.answer.cues import wants
from compliance_rag.answer.need import labels, need_of, of_another, row_fit
from compliance_rag.answer.select import choose
from compliance_rag.retrieve.types import EvidenceItem
from tests.answer.made import clause, evidence, ranking

SILENT = [
    ("What fine does a guest pay who smokes in the lobby?", "No guest shall smoke in the lobby."),
    ("How much deposit must the guest leave?", "The guest shall pay 90 pounds for each night."),
    ("What rate of interest does a late bill bear?", "A late bill shall be paid within ten days."),
    ("Within how many days must the guest complain?", "The guest may complain to the manager."),
    ("How many porters must the hotel employ?", "The hotel shall employ porters."),
    ("How much tourist tax does the guest pay?", "The guest shall pay 90 pounds for each night."),
    ("住客在大堂吸烟的，罚款多少？", "住客不得在大堂吸烟。"),
    ("住客应当交多少押金？", "住客应当每晚支付九百元房费。"),
]
ANSWERED = [
    ("What fine does a guest pay who smokes in the lobby?", "A guest who smokes in the lobby shall pay a fine of 50 pounds."),
    ("Within how many days must the guest complain?", "The guest shall complain within three days."),
    ("How long is luggage kept?", "Luggage is kept for the period stated in Annex 2."),
    ("How soon must the porter answer the bell?", "The porter shall answer the bell immediately."),
    ("What fee does the guest pay for the safe?", "The guest pays the fee for the safe set out in the price list."),
    ("Which city is the hotel in?", "The hotel is in Bath."),
    ("住客在大堂吸烟的，罚款多少？", "住客在大堂吸烟的，罚款五百元。"),
]


@pytest.mark.parametrize(("question", "text"), SILENT)
def test_what_is_not_given_is_not_answered(question: str, text: str) -> None:
    """A clause on the subject that does not give what is asked for leaves the question unmet."""
    assert choose(question, ranking(question, clause("1.1", text)), []).unmet is not None


@pytest.mark.parametrize(("question", "text"), ANSWERED)
def test_what_is_given_is_answered(question: str, text: str) -> None:
    """In figures, in words, or by saying where it stands."""
    assert choose(question, ranking(question, clause("1.1", text)), []).unmet is None


def test_the_words_above_an_item_may_give_it() -> None:
    """An item under "within seven days if:" is answered by the words it stands under, which are cited with it."""
    above = clause("4.1", "The hotel shall repay the price within seven days if:")
    item = clause("4.1.a", "the room was not clean;", seq=1)
    tie = EvidenceItem(above, "lead_in", "made", 0.5, item.clause_id, "lead_in")
    question = "Within how many days is the price repaid when the room was not clean?"
    choice = choose(question, ranking(question, item), [tie])
    assert choice.unmet is None
    assert {piece.role for piece in choice.pieces} == {"primary", "lead_in"}


def test_a_clause_that_gives_it_goes_before_a_better_one_that_does_not() -> None:
    """Purposes repeat every word of a question and rule nothing."""
    purpose = clause("1.1", "This manual sets out how long luggage left in the hotel is kept.")
    rule = clause("3.1", "Luggage left is kept for thirty days.")
    question = "How long is luggage left in the hotel kept?"
    choice = choose(question, ranking(question, purpose, rule), [])
    assert [piece.clause.clause.number for piece in choice.pieces] == ["3.1"]


def test_a_question_for_several_things_is_not_refused_for_one() -> None:
    """The need of a joined question is empty: each part is answered by its own clause."""
    assert not need_of("How long is luggage kept, and who may open it?").kinds


def test_things_are_told_apart_by_their_labels() -> None:
    """A sentence on category C does not speak of B; a row is taken by its cell; numbers of clauses and days are no labels."""
    assert of_another("Where are goods of category B kept?", "Goods of category C are kept below.")
    assert not of_another("Where are goods of category B kept?", "Goods of category B and category C are kept below.")
    assert row_fit("the period of category B", "| Category | Period |", "| B | 6 years |") == 1
    assert row_fit("the period of category B", "| Category | Period |", "| A | 2 years |") == -1
    assert labels("in section 4, within 3 days from 5 May") == {}


def test_a_clause_looked_up_by_number_is_shown_whatever_it_holds() -> None:
    """ "What fine does clause 1.1 set?" shows clause 1.1, which a reader can see sets none."""
    from dataclasses import replace

    question = "What fine does clause 1.1 set?"
    found = ranking(question, clause("1.1", "No guest shall smoke."))
    found = replace(found, candidates=(replace(found.candidates[0], number=1),))
    assert choose(question, found, evidence()).unmet is None


@pytest.mark.parametrize(
    ("question", "text", "missing"),
    [
        ("How old may reused data be?", "The data was obtained no more than 825 days before.", False),
        ("How old may a report be when it is filed?", "A report is filed on paper.", True),
        ("How old must I be to open an account?", "An account is opened in ten minutes.", True),
        ("How old must I be to open an account?", "You must be thirteen years old.", False),
    ],
)
def test_the_age_of_a_thing_is_a_length_of_time(question: str, text: str, missing: bool) -> None:
    """How old data or a report may be asks for a time; how old a person must be asks for an age."""
    need = need_of(question)
    assert (need.missing_kind([text]) is not None or need.missing_word(text) is not None) is missing


def test_when_inside_a_sentence_asks_for_no_day() -> None:
    """ "When must …" asks for a day; "… when it is issued" says on which occasion."""
    assert "date" in wants("When must the report be filed?")
    assert "date" not in wants("How old may data be when the certificate is issued?")


def test_whose_a_thing_is_to_do_speaks_of_the_thing() -> None:
    """由哪一方 asks who does a thing; words that do not name the thing answer nothing."""
    need = need_of("驻场人员的工伤保险由哪一方购买？")
    assert need.missing_word("乙方应当指派不少于六名人员驻场服务。") is not None
    assert need.missing_word("乙方应当为驻场人员购买工伤保险。") is None


def test_a_part_that_only_asks_for_exceptions_asks_for_nothing_else() -> None:
    """ "…，有没有例外情况？" and "…, and are there any exceptions?" leave the need of the part before them."""
    assert need_of("甲方付款晚了要承担什么责任？有没有例外情况？") == need_of("甲方付款晚了要承担什么责任？")
    assert (
        need_of("How long is luggage kept, and are there any exceptions?").kinds == need_of("How long is luggage kept?").kinds
    )
    assert not need_of("How long is luggage kept, and are there any lockers?").kinds


def test_a_liability_is_answered_by_words_that_name_one() -> None:
    """承担什么责任: that the other side may end the contract is no liability."""
    need = need_of("甲方逾期付款要承担什么责任？")
    assert need.missing_word("甲方逾期付款超过六十日的，乙方可以解除本合同。") is not None
    assert need.missing_word("甲方逾期付款的，应当支付违约金。") is None
