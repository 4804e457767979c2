"""Days in questions that are cut short, bounded or told from today: asked back, never taken for today."""

from __future__ import annotations

from datetime import date

import pytest

from compliance_rag.structure.question import question_day


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("How many days has a claim filed on 12 May 22?", "'12 May 22'"),
        ("How many days has a claim filed on May 12, '22?", '"May 12, \'22"'),
        ("What is the limit as of 1 March 202?", "'1 March 202'"),
        ("22年3月1日出差的员工补贴是多少？", "“22年3月1日”"),
        ("What holds for a claim filed before 1 June 2022?", "'1 June 2022'"),
        ("Must records made before 1 May 2020 be kept?", "'1 May 2020'"),
        ("What was the allowance until 31 May 2022?", "'31 May 2022'"),
        ("What is owed to staff hired since 1 June 2022?", "'1 June 2022'"),
        ("Before 1 June 2022, how many days were given?", "'1 June 2022'"),
        ("Which fee applied until 31 May 2022 for boats?", "'31 May 2022'"),
        ("2023年7月20日前出差的员工补贴是多少？", "“2023年7月20日”"),
        ("2023年7月20日前，补贴是多少？", "“2023年7月20日”"),
        ("2024年7月1日之后成立的公司如何出资？", "“2024年7月1日”"),
        ("2022年3月出差的员工补贴是多少？", "“2022年3月”"),
        ("What is the limit for a claim filed in March 2022?", "'March 2022'"),
        ("What is the allowance for a trip I took yesterday?", "'yesterday'"),
        ("昨天出差的补贴是多少？", "“昨天”"),
    ],
)
def test_a_time_that_settles_no_day_is_asked_back(question: str, words: str) -> None:
    """No day, and a sentence in the question's language that quotes the words that leave it open."""
    found = question_day(question)
    assert found.day is None
    assert words in found.clarify[0]


@pytest.mark.parametrize(
    "question",
    [
        "On the 1st of March, 2022, how many days were given?",
        "How many days has a claim filed on the 1st of March, 2022?",
        "What was the limit as of the 1st of March 2022?",
    ],
)
def test_an_ordinal_names_its_day(question: str) -> None:
    """With article, "of" and comma."""
    assert question_day(question) == question_day("What was the limit as of 2022-03-01?")
    assert question_day(question).day == date(2022, 3, 1)


@pytest.mark.parametrize(
    "question",
    [
        "What holds for certificates issued on or after 15 March 2029?",
        "What do the Data Protection Regulations 2015 require?",
        "What does the 2022 report say of claims filed in 2022?",
        "What does the March 2022 Report say?",
        "2022年3月公布的办法规定了什么？",
        "2024年3月1日之前的合同如何处理？",
        "What changed between 1 May 2020 and 2 May 2021?",
        "May 2 officers open the vault within 5 days?",
        "Is a notice of 5 May 30 days long?",
        "提前天数是多少？",
    ],
)
def test_schedules_titles_and_years_ask_nothing(question: str) -> None:
    """No day and nothing asked: today holds."""
    found = question_day(question)
    assert (found.day, found.clarify) == (None, [])
