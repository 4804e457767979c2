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
        ("What fee is payable between 1 March 2024 and 1 August 2024?", "'1 March 2024'"),
        ("What fee is payable from 1 March 2024 to 1 August 2024?", "'1 March 2024'"),
        ("What fee applies from 1 March 2024?", "'1 March 2024'"),
        ("2024年3月1日至2024年8月1日期间，事件应当在多少小时内报告？", "“2024年3月1日”"),
        ("自2024年3月1日起，事件应当在多少小时内报告？", "“2024年3月1日”"),
        ("2024年3月罚款数额是多少？", "“2024年3月”"),
        ("What fee was payable in March 2024?", "'March 2024'"),
        ("When must an incident that happened last month be notified?", "'last month'"),
        ("When must an incident that happened two years ago be notified?", "'two years ago'"),
        ("When must an incident that happened at the end of 2024 be notified?", "'the end of 2024'"),
        ("When had an incident to be notified before v2 took effect?", "'before v2 took effect'"),
        ("What fee was payable last year?", "'last year'"),
        ("What fee was payable three weeks ago?", "'three weeks ago'"),
        ("去年罚款数额是多少？", "“去年”"),
        ("2024年3月1日以后罚款数额是多少？", "“2024年3月1日”"),
        ("去年发生的数据泄露事件应当在多少小时内报告？", "“去年”"),
        ("上个月发生的数据泄露事件应当在多少小时内报告？", "“上个月”"),
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
        "What is owed for an incident that happened on the first of March 2022?",
        "What is owed for an incident that happened on March the first, 2022?",
        "What is owed for an incident that happened on the first day of March, 2022?",
        "What is owed for an incident that happened on 20220301?",
        "What is owed for an incident that happened on 2022-03-01T10:00:00Z?",
    ],
)
def test_an_ordinal_names_its_day(question: str) -> None:
    """With article, "of" and comma."""
    assert (question_day(question).day, question_day(question).clarify) == (date(2022, 3, 1), [])


@pytest.mark.parametrize(
    "question",
    [
        "What holds for certificates issued on or after 15 March 2029?",
        "What do the Data Protection Regulations 2015 require?",
        "What does the 2022 report say of claims filed in 2022?",
        "What does the March 2022 Report say?",
        "2022年3月公布的办法规定了什么？",
        "2024年3月1日之前的合同如何处理？",
        "How many days before it takes effect is a change announced?",
        "We had a breach last week. May we audit again?",
        "How do we reach account 20991342?",
        "自2024年3月1日起施行的办法规定了什么？",
        "Must a report be made by the first of the month?",
        "We audited it once last year; may we again?",
        "What does the guidance published in March 2022 say?",
        "May 2 officers open the vault within 5 days?",
        "Is a notice of 5 May 30 days long?",
        "提前天数是多少？",
    ],
)
def test_schedules_titles_and_years_ask_nothing(question: str) -> None:
    """No day and nothing asked: today holds."""
    found = question_day(question)
    assert (found.day, found.clarify) == (None, [])


def test_a_feast_with_its_year_is_a_day() -> None:
    """New Year's Day 2025, 2025年元旦."""
    assert question_day("What was owed for an incident that happened on New Year's Day 2025?").day == date(2025, 1, 1)
    assert question_day("2025年元旦发生的事件应当何时报告？").day == date(2025, 1, 1)


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("What fee was payable on 1 March 2024?", "1 March 2024"),
        ("What fee was in force on Friday, 1 March 2024?", "in force on Friday, 1 March 2024"),
        ("2024年3月1日有效的罚款数额是多少？", "2024年3月1日有效的"),
    ],
)
def test_the_words_that_name_the_day_are_told(question: str, words: str) -> None:
    """The span of the date and of the words that make it the day asked about is given, so that a search can leave it out."""
    (span,) = question_day(question).spans
    assert question[slice(*span)] == words


def test_of_two_days_compared_the_later_one_is_the_day() -> None:
    """What changed between two days is answered as of the later one."""
    assert question_day("What changed between 1 May 2020 and 2 May 2021?").day == date(2021, 5, 2)
    assert question_day("从2020年5月1日到2021年5月2日，补贴有什么变化？").day == date(2021, 5, 2)
