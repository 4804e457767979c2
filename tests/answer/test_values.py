"""Quantities and modal words of a statement against the words quoted for it."""

from __future__ import annotations

import pytest

from compliance_rag.answer.support import supported
from compliance_rag.structure.values import values

ONE_VALUE = [
    ("七年", "seven (7) years", "7 年", "7 years", "７年"),
    ("二十万元", "200,000 元", "人民币二十万元", "RMB 200,000", "20万元", "CNY 200,000"),
    ("百分之五", "5%", "five per cent", "5 percent", "5％"),
    ("2026年6月1日", "1 June 2026", "June 1, 2026", "2026-06-01", "二〇二六年六月一日", "the 1st day of June 2026"),
    ("三十日", "thirty (30) days", "30 天", "30 calendar days", "30-day"),
    ("五个工作日", "five (5) working days", "5 business days"),
    ("四百万英镑", "£4,000,000", "four million pounds", "£4 million"),
    ("二十四小时", "24 hours", "twenty-four (24) hours"),
    ("三分之二", "two-thirds"),
    ("半年", "half a year", "六个月", "6 months"),
]


@pytest.mark.parametrize("forms", ONE_VALUE, ids=lambda forms: forms[0])
def test_forms_of_one_value_are_equal_across_scripts(forms: tuple[str, ...]) -> None:
    """Every form in a row reads to one and the same value."""
    read = [values(form) for form in forms]
    assert all(len(found) == 1 for found in read), list(zip(forms, read, strict=True))
    assert len({(found[0].kind, found[0].amount, found[0].unit) for found in read}) == 1, list(zip(forms, read, strict=True))


NOT_A_VALUE = ["一般规定", "一切费用", "one of the following", "you may 3", "统一处理"]


@pytest.mark.parametrize("text", NOT_A_VALUE)
def test_words_that_hold_a_numeral_and_no_quantity(text: str) -> None:
    """A numeral inside a word, a pronoun or a verb is no unit-bearing quantity."""
    assert not [value for value in values(text) if value.kind != "number"]


SUPPORTED = [
    ("Records are kept for 7 years.", ["The bank shall keep records for at least seven (7) years."], "digits for words"),
    ("Client records are kept ten years.", ["客户身份资料应当至少保存十年。"], "across scripts"),
    ("客户资料至少保存10年。", ["客户身份资料应当至少保存十年。"], "Chinese digits"),
    ("The fine is RMB 200,000 to 2 million.", ["处二十万元以上二百万元以下罚款"], "amounts across scripts"),
    ("The provider may suspend the service.", ["If the customer does not pay, the provider may suspend the service."],
     "a denied condition"),
    ("乙方未经书面同意不得向第三方提供。", ["未经甲方书面同意，不得向任何第三方提供。"], "two negations"),
    ("The cap shall not exceed £5.", ["Liability: the cap shall not exceed £5."], "a bound is no negation"),
    ("Breach of Section 12 is excluded.", ["a breach of Section 12 (Confidentiality) is excluded"],
     "a reference that is quoted"),
]  # fmt: skip


@pytest.mark.parametrize(("statement", "quotes", "why"), SUPPORTED, ids=[row[2] for row in SUPPORTED])
def test_supported_statements(statement: str, quotes: list[str], why: str) -> None:
    """What the quoted words carry is not complained about."""
    assert supported(statement, quotes) == []


NOT_SUPPORTED = [
    ("Records are kept for 8 years.", ["keep records for seven (7) years"], "value", "another number"),
    ("Records are kept for 7 months.", ["keep records for seven (7) years"], "value", "another unit"),
    ("Records are kept at most seven years.", ["keep records for at least seven years"], "bound", "the other bound"),
    ("The fine is $200,000.", ["处二十万元罚款"], "value", "another currency"),
    ("Due on 2 June 2026.", ["due on 1 June 2026"], "value", "another day"),
    ("The provider is liable for loss.", ["The provider is not liable for loss."], "negation", "negation dropped"),
    ("The provider is not liable for loss.", ["The provider is liable for loss."], "negation", "negation added"),
    ("The provider may disclose data.", ["The provider may not disclose data."], "negation", "prohibition turned"),
    ("乙方可以向第三方提供数据。", ["未经甲方书面同意，乙方不得向第三方提供数据。"], "negation", "不得 turned into 可以"),
    ("The supplier must notify.", ["The supplier may notify."], "modality", "may turned into must"),
    ("The supplier should notify.", ["The supplier shall notify."], "modality", "shall turned into should"),
    ("甲方应当通知。", ["甲方可以通知。"], "modality", "可以 turned into 应当"),
    ("A breach of Section 13 is excluded.", ["a breach of Section 12 is excluded"], "value", "another section"),
    ("Part III applies.", ["See Part II; it applies."], "value", "another part"),
    ("Yes.", ["Keep records."], "terms", "no word shared"),
    ("Elephants enjoy long walks on beaches.", ["Keep records for seven years."], "terms", "another subject"),
    ("The.", ["Keep records."], "empty", "says nothing"),
]


@pytest.mark.parametrize(("statement", "quotes", "code", "why"), NOT_SUPPORTED, ids=[row[3] for row in NOT_SUPPORTED])
def test_unsupported_statements(statement: str, quotes: list[str], code: str, why: str) -> None:
    """What the quoted words do not carry is named by its kind."""
    assert code in {problem.code for problem in supported(statement, quotes)}


def test_a_statement_may_name_the_clause_it_cites() -> None:
    """The cited clause's own number and heading support a reference to it."""
    assert supported("Under Article 34, data is kept ten years.", ["data is kept ten years"], ["第三十四条"]) == []
    assert supported("Under Article 35, data is kept ten years.", ["data is kept ten years"], ["第三十四条"]) != []


def test_a_heading_supports_nothing_hung_on_behind() -> None:
    """What only the heading says is not in the quoted words."""
    quote = ["The operator shall report an incident within eight hours."]
    said = "The operator shall report an incident within eight hours, a rule that has been repealed."
    assert [problem.code for problem in supported(said, quote, ["2.1", "Reports, since repealed"])] == ["foreign"]
    assert not supported("The operator shall report an incident within eight hours.", quote, ["2.1"])
