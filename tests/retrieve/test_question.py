"""What is read from a question."""

from __future__ import annotations

import pytest

from compliance_rag.retrieve.question import PHRASE_WEIGHT, asked_numbers, read_question


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("Article 6 of the rules", [("6",)]),
        ("section 4.2.1(a)", [("4", "2", "1", "a")]),
        ("does clause 8.4 or 8.5 apply", [("8", "4"), ("8", "5")]),
        ("第十七条第二款怎么规定", [("17", "2")]),
        ("Schedule 1", [("schedule-1",)]),
        ("what does 7.1.4.2 say", [("7", "1", "4", "2")]),  # bare, three levels or more
        ("a rate of 4.5 per cent", []),  # two levels may be any figure
        ("within 30 days", []),
    ],
)
def test_cited_numbers(text: str, numbers: list[tuple[str, ...]]) -> None:
    """Clause numbers cited in a question, by table."""
    assert list(asked_numbers(text)) == numbers


def test_words_around_a_question_are_not_searched() -> None:
    """Function words and words of asking are left out, words that carry the law stay, phrases weigh less."""
    asked = read_question("Please explain whether the client may not transfer assets")
    assert asked.words == ("client", "may", "not", "transfer", "asset")
    assert asked.weights[asked.terms.index("transfer_asset")] == PHRASE_WEIGHT
    assert asked.weights[asked.terms.index("client")] == 1.0


def test_a_question_of_function_words_is_still_searched() -> None:
    """Where nothing else is asked, everything is searched."""
    assert read_question("what is it?").words == ("what", "is", "it")


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("What does “vehicle” mean?", True),
        ("What is a vehicle?", True),
        ("个人信息是指什么", True),
        ("What are Client Assets?", True),
        ("How is fee defined in the schedule?", True),
        ("什么是个人信息", True),
        ("What is a Relevant Person required to do?", False),
        ("Who registers a vehicle?", False),
        ("What is the fee for a vehicle?", False),
    ],
)
def test_a_question_of_meaning(text: str, meaning: bool) -> None:
    """Whether a question asks what a term means."""
    assert read_question(text).meaning is meaning


@pytest.mark.parametrize(
    ("text", "looked_up"),
    [
        ("What does section 4.2.1 require?", True),
        ("notice period in clause 8.4", True),  # two words besides the number
        ("第六条怎么规定", True),
        ("When a client transfers assets under Rule 9.1.2, which records must an auditor keep?", False),  # a mention
        ("how long are records kept?", False),
    ],
)
def test_a_number_looked_up_or_mentioned(text: str, looked_up: bool) -> None:
    """A short question asks for the clause it cites; a long one mentions it and is about its subject."""
    assert read_question(text).looked_up is looked_up
