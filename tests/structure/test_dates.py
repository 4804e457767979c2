"""Dates in documents and in questions: CASES 15, 16a (the document's side), 19a and others of their kind."""

from __future__ import annotations

from datetime import date

import pytest

from compliance_rag.structure.analyse import analyse
from compliance_rag.structure.dates import find_dates, question_day
from schemas.clause import ParsedVersion
from tests.structure.hand_made import Row, clause, made


@pytest.mark.parametrize(
    ("text", "rule", "day"),
    [
        ("Effective 2/11/41", "two_digit_year", None),
        ("on 29 February 2025", "impossible", None),
        ("by 03/04/2025", "ambiguous", None),
        ("Effective 202", "unreadable", None),
        ("on 29 February 2024", "day", date(2024, 2, 29)),
        ("by 13/04/2025", "day", date(2025, 4, 13)),
        ("by 04/13/2025", "day", date(2025, 4, 13)),
        ("on 04/04/2025", "day", date(2025, 4, 4)),
        ("date: 17-August-2023", "day", date(2023, 8, 17)),
        ("date: 2 June, 2021", "day", date(2021, 6, 2)),
        ("April 27, 2026", "day", date(2026, 4, 27)),
        ("the 1st day of July, 2026", "day", date(2026, 7, 1)),
        ("2026-03-15", "day", date(2026, 3, 15)),
        ("自2024年7月1日起", "day", date(2024, 7, 1)),
        ("二〇二四年三月三十一日", "day", date(2024, 3, 31)),
        ("２０２４年３月１日", "day", date(2024, 3, 1)),
        ("2023年2月30日", "impossible", None),
        ("2026-13-01", "impossible", None),
    ],
)
def test_case_15_date_phrases(text: str, rule: str, day: date | None) -> None:
    """Each form is read, or said to be ambiguous, impossible or cut short; never guessed."""
    [found] = find_dates(text, "en")
    assert (found.rule, found.day) == (rule, day)
    assert text[slice(*found.span)] == found.text


@pytest.mark.parametrize("text", ["version 1.2.2023", "section 10.2.1", "192.168.10.2020", "1/2", "tel. 03-04-20251", "2023"])
def test_numbers_that_are_no_dates(text: str) -> None:
    """Versions, sections, addresses and bare years are no dates."""
    assert [found for found in find_dates(text, "en") if found.day is not None] == []


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("What do the Data Protection Regulations 2015 say about consent?", None),
        ("What holds for certificates issued on or after 15 March 2029?", None),
        ("What does the 2020 annual report show?", None),
        ("How long may validation data be reused for a certificate issued on 1 June 2026?", date(2026, 6, 1)),
        ("截至2024年3月1日，注册资本最低是多少？", date(2024, 3, 1)),
        ("2024年3月1日时谁负责备案？", date(2024, 3, 1)),
        ("What was the notice period as of March 1, 2024?", date(2024, 3, 1)),
        ("On 1 June 2024, who had to sign?", date(2024, 6, 1)),
        ("Which rule was in force on 2024-06-01?", date(2024, 6, 1)),
        ("What does the Order of 1 May 2019 require?", None),
        ("What changed between 1 May 2020 and 2 May 2021?", date(2021, 5, 2)),
        ("《2015年3月1日决定》规定了什么？", None),
        ("2019年4月23日修订的法律规定了什么？", None),
        ("As of 1 June 2026, what holds for a certificate issued on 1 March 2020?", date(2026, 6, 1)),
        ("What does the Act passed on 1 May 2019 require?", None),
        ("Does the 30 June 2024 deadline still apply?", None),
        ("Who answers the notice of 5 May 2024?", None),
        ("Was the notice of 5 May 2024 valid on 9 May 2024?", date(2024, 5, 9)),
        ("Which text of 1 June 2023 is right for fees?", date(2023, 6, 1)),
        ("What is the fee?", None),
    ],
)
def test_case_19a_the_day_a_question_is_about(question: str, day: date | None) -> None:
    """A full date tied to an event or to "as of" names the day; a bare year, a title or a bound does not, and asks nothing."""
    assert (question_day(question).day, question_day(question).clarify) == (day, [])


@pytest.mark.parametrize(
    "question",
    [
        "What held for a contract signed on 03/04/2025?",
        "What was due on 29 February 2025?",
        "Effective 2/11/41, who pays?",
        "Who pays on 1 June 2023 and on 1 June 2025?",
        "What was the limit 1 June 2024?",
        "What was effective 202?",
    ],
)
def test_case_15_an_unclear_day_is_asked_about(question: str) -> None:
    """Ambiguous, impossible, cut short, several, or tied to nothing: no day, and a sentence to clarify."""
    asked = question_day(question)
    assert asked.day is None
    assert len(asked.clarify) >= 1


ACT = (
    "This Act commences on 1 January 2025, except section 4, which commences on 1 July 2026; "
    "section 9 ceases to have effect on 31 December 2027."
)


def _act(*, text: str = ACT, effective_from: date | None = date(2025, 1, 1)) -> ParsedVersion:
    rows = [
        Row("1", "1.", text, "Commencement"),
        Row("4", "4.", "Pay.", "Fees"),
        Row("4/1", "(1)", "Monthly."),
        Row("9", "9.", "Report.", "Reports"),
        Row("10", "10.", "Keep.", "Records"),
    ]
    return analyse(made(rows), doc_id="act", title="Fees Act", effective_from=effective_from)


def test_case_16a_commencement_in_parts_is_proposed_with_its_quote() -> None:
    """Three proposals, each quoting the sentence; section 4 and 9 carry dates_unconfirmed, the others do not."""
    version = _act()
    assert [(p.number, p.effective_from, p.effective_to) for p in version.proposed_dates] == [
        (None, date(2025, 1, 1), None),
        ("4.", date(2026, 7, 1), None),
        ("9.", None, date(2027, 12, 31)),
    ]
    assert {p.quote for p in version.proposed_dates} == {ACT}
    flagged = {c.path for c in version.clauses if "dates_unconfirmed" in c.flags}
    assert flagged == {("4",), ("4", "1"), ("9",)}
    assert clause(version, "1").kinds.count("commencement") == 1
    assert not [f for f in version.flags if f.code == "date_disagreement"]


def test_disagreement_with_the_manifest_is_flagged() -> None:
    """A version dated otherwise than its own text says is reported, and the given date stands."""
    version = _act(effective_from=date(2025, 2, 1))
    assert [f.path for f in version.flags if f.code == "date_disagreement"] == [("1",)]


def test_the_first_commencement_in_a_revised_text_is_no_disagreement() -> None:
    """A revised contract prints its first day and its revision's; it agrees when the latest of them does."""
    rows = [Row("9", "第九条", "本合同自2024年3月1日起生效；本次修订自2026年4月1日起施行。")]
    for day, codes in ((date(2026, 4, 1), []), (date(2026, 5, 1), ["date_disagreement"] * 2)):
        version = analyse(made(rows, "zh"), doc_id="d", title=None, effective_from=day)
        assert [f.code for f in version.flags] == codes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("This Act comes into force on 1 March 2024.", [(None, date(2024, 3, 1), None)]),
        ("Section 4 comes into force on 1 March 2024.", [("4.", date(2024, 3, 1), None)]),
        ("Sections 4 and 9 take effect on 1 March 2024.", [("4.", date(2024, 3, 1), None), ("9.", date(2024, 3, 1), None)]),
        ("This Act, except section 4, commences on 1 March 2024.", [(None, date(2024, 3, 1), None)]),
        ("Section 9 expires on 31 December 2027.", [("9.", None, date(2028, 1, 1))]),
        ("The licence is granted on 1 March 2024 and the fee applies.", []),
        ("The certificate expires on 31 December 2027.", []),
    ],
)
def test_commencement_clauses(text: str, expected: list[tuple[str | None, date | None, date | None]]) -> None:
    """What commences or lapses is what the sentence says does, and nothing else."""
    version = _act(text=text, effective_from=None)
    assert [(p.number, p.effective_from, p.effective_to) for p in version.proposed_dates] == expected


def test_the_day_after_publication_is_a_rule_with_its_resolved_date() -> None:
    """Rule, source and, once the publication day is known, the day."""
    rows = [Row("1", "1.", "This Act shall be in force on the day after publication.")]
    bare = analyse(made(rows), doc_id="d", title=None).proposed_dates
    dated = analyse(made(rows), doc_id="d", title=None, published_on=date(2024, 2, 28)).proposed_dates
    assert [(p.effective_from, p.rule) for p in bare] == [(None, "day after publication")]
    assert [(p.effective_from, p.rule, p.quote) for p in dated] == [(date(2024, 2, 29), "day after publication", rows[0].text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("本法自2024年7月1日起施行。", [(None, date(2024, 7, 1))]),
        ("第四条自2025年1月1日起施行。", [("第四条", date(2025, 1, 1))]),
        ("本解释自公布之日起施行。", [(None, None)]),
        ("判决自2024年7月1日起生效。", []),
        ("本合同自2024年3月1日起生效；本次修订自2026年4月1日起施行。", [(None, date(2024, 3, 1)), (None, date(2026, 4, 1))]),
    ],
)
def test_chinese_commencement(text: str, expected: list[tuple[str | None, date | None]]) -> None:
    """自…起施行 of the law, of an article, by rule, and of something that is not the law."""
    rows = [Row("4", "第四条", "应当登记。"), Row("9", "第九条", text)]
    version = analyse(made(rows, "zh"), doc_id="d", title=None)
    assert [(p.number, p.effective_from) for p in version.proposed_dates] == expected


def test_printed_dates_and_revision_tables() -> None:
    """A title block's effective date and the last row of a revision table are proposed for the version."""
    head = [Row("~1", "", "Effective date: April 27, 2026"), Row("1", "1.", "x")]
    assert [p.effective_from for p in analyse(made(head), doc_id="d", title=None).proposed_dates] == [date(2026, 4, 27)]
    table = (
        "Ver. | Description | Adopted | Effective*\n1.0 | first | 2019-01-01 | 2019-02-01\n1.1 | next | 2020-01-01 | 2020-03-15"
    )
    rows = [Row("1", "1.", table, "Revisions")]
    assert [p.effective_from for p in analyse(made(rows), doc_id="d", title=None).proposed_dates] == [date(2020, 3, 15)]


def test_an_unclear_date_is_flagged_on_its_clause() -> None:
    """Ambiguous and impossible dates are flags, never resolved silently."""
    rows = [
        Row("1", "1.", "Pay by 03/04/2025."),
        Row("2", "2.", "Report on 29 February 2025."),
        Row("3", "3.", "Effective 2/11/41"),
    ]
    version = analyse(made(rows), doc_id="d", title=None)
    assert [clause(version, n).flags for n in "123"] == [("ambiguous_date",), ("impossible_date",), ("ambiguous_date",)]


@pytest.mark.parametrize(
    ("question", "day"),
    [
        ("截止2024/3/1，费用是多少？", date(2024, 3, 1)),
        ("截止到2024-03-01，费用是多少？", date(2024, 3, 1)),
        ("在13/04/2024时费用是多少？", date(2024, 4, 13)),
        ("截至二〇二四年三月一日，费用是多少？", date(2024, 3, 1)),
        ("于2024年3月1日发生的事故如何处理？", date(2024, 3, 1)),
        ("银发2024-3-1号文规定的费用是多少？", None),
        ("2024年3月1日之前的合同如何处理？", None),
        ("2020年年度报告的费用是多少？", None),
    ],
)
def test_a_day_in_figures_beside_chinese(question: str, day: date | None) -> None:
    """A date in figures is read right beside Chinese characters; the number of an official letter is none."""
    found = question_day(question)
    assert (found.day, found.clarify) == (day, [])


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("As of 202, what is the fee?", "'202'"),
        ("As of March 2024, what is the fee?", "'March 2024'"),
        ("As of the end of 2023, what was the fee?", "'end of 2023'"),
        ("As of yesterday, what is the fee?", "'yesterday'"),
        ("截至2024年3月，费用是多少？", "“2024年3月”"),
        ("截至去年，费用是多少？", "“去年”"),
        ("截至202年，费用是多少？", "“202”"),
        ("截至03/04/2025，费用是多少？", "2025-03-04 还是 2025-04-03"),
        ("截至2025年2月30日，费用是多少？", "“2025年2月30日”"),
    ],
)
def test_as_of_what_is_no_day_is_asked_back(question: str, words: str) -> None:
    """ "As of" a month, a year, a day told from today or half a number never means today; asked in the question's language."""
    found = question_day(question)
    assert found.day is None
    assert words in found.clarify[0]


@pytest.mark.parametrize(
    "question", ["As of today, what is the fee?", "What is the 2023 fee?", "As of May 3, 2024, is it due?"]
)
def test_what_needs_no_asking_back(question: str) -> None:
    """Today, a bare year without "as of", and a whole date."""
    assert question_day(question).clarify == []


def test_a_chinese_revision_table_is_read() -> None:
    """生效日期 heads the column, and the last row's day is this version's."""
    table = "版本 | 生效日期 | 说明\n1.0 | 2023年2月1日 | 首次发布\n2.0 | 2025年4月1日 | 护目镜"
    rows = [Row("~1", "", table, "修订记录"), Row("1", "第一条", "实验人员应当佩戴护目镜。")]
    version = analyse(made(rows, "zh"), doc_id="d", title=None)
    assert [p.effective_from for p in version.proposed_dates] == [date(2025, 4, 1)]
