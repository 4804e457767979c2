"""Forms in which a text says when it or a part of it starts and ends, each with the day and the clause it touches."""

from __future__ import annotations

from datetime import date

import pytest

from compliance_rag.structure.analyse import analyse
from tests.structure.hand_made import Row, made

Expected = list[tuple[str | None, date | None, date | None]]
RULES = [
    Row("2", "2.", "", "Commencement"),
    Row("2/2", "(2)", "Two."),
    Row("3", "3.", "Three."),
    Row("4", "4.", "Four."),
    Row("5", "5.", "Five."),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Subject to subsection (2), this Act comes into force on 1 April 2025.", [(None, date(2025, 4, 1), None)]),
        ("This Act, subject to section 4, comes into force on 1 April 2025.", [(None, date(2025, 4, 1), None)]),
        ("Except for sections 3 and 4, this Act commences on 1 April 2025.", [(None, date(2025, 4, 1), None)]),
        (
            "Subject to subsections (1) and (2), sections 4 and 5 come into force on 1 April 2025.",
            [("4.", date(2025, 4, 1), None), ("5.", date(2025, 4, 1), None)],
        ),
        ("Section 4 of this Act expires at midnight on 4 May 2028.", [("4.", None, date(2028, 5, 5))]),
        (
            "Section 4 has effect from 1 January 2025 until 31 December 2027.",
            [("4.", date(2025, 1, 1), None), ("4.", None, date(2028, 1, 1))],
        ),
        ("This Agreement shall terminate on June 30, 2026.", [(None, None, date(2026, 7, 1))]),
        ("Either party may terminate this Agreement on June 30, 2026.", []),
        ("Under this Agreement either party may terminate on June 30, 2026.", []),
        ("Clause 3 shall not apply until 1 September 2025.", [("3.", date(2025, 9, 1), None)]),
        (
            'This Agreement is made effective as of July 1, 2020 ("Effective Date") by and between A and B.',
            [(None, date(2020, 7, 1), None)],
        ),
        ("The fee in this schedule of rates is effective as of July 1, 2020.", []),
    ],
)
def test_english_starts_and_ends(text: str, expected: Expected) -> None:
    """A condition before or after the subject is not what commences; a last day is named through its end."""
    version = analyse(made([RULES[0], Row("2/1", "(1)", text), *RULES[1:]]), doc_id="d", title=None)
    assert [(p.number, p.effective_from, p.effective_to) for p in version.proposed_dates] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("第四条有效期至2027年12月31日。", [("第四条", None, date(2028, 1, 1))]),
        ("本规定第二条至2027年12月31日失效。", [("第二条", None, date(2028, 1, 1))]),
        ("本规定第二条自2027年12月31日起失效。", [("第二条", None, date(2027, 12, 31))]),
        ("本条自公布之日起三十日后施行。", [("第一条", date(2024, 3, 31), None)]),
        (
            "本办法自2024年1月1日起施行，有效期五年。",
            [(None, date(2024, 1, 1), None), (None, None, date(2029, 1, 1))],
        ),
        (
            "本办法自2024年1月1日起施行，有效期至2028年12月31日。",
            [(None, date(2024, 1, 1), None), (None, None, date(2029, 1, 1))],
        ),
        ("本办法自公布之日起施行，有效期为5年。", [(None, date(2024, 3, 1), None), (None, None, date(2029, 3, 1))]),
        ("除第四条外，本法自2024年7月1日起施行。", [(None, date(2024, 7, 1), None)]),
        ("证书有效期五年。", []),
    ],
)
def test_chinese_starts_and_ends(text: str, expected: Expected) -> None:
    """有效期至, 有效期五年, 至…失效 and 本条: the clause named, the last day through its end, a term from its start."""
    rows = [Row("1", "第一条", text), Row("2", "第二条", "甲。"), Row("4", "第四条", "乙。")]
    version = analyse(made(rows, "zh"), doc_id="d", title=None, published_on=date(2024, 3, 1))
    assert [(p.number, p.effective_from, p.effective_to) for p in version.proposed_dates] == expected


def test_a_chinese_year_of_two_digits_is_flagged() -> None:
    """25年2月30日 is no day anyone may guess."""
    version = analyse(made([Row("1", "第一条", "于25年2月30日前缴纳。")], "zh"), doc_id="d", title=None)
    assert [(f.code, f.path) for f in version.flags] == [("ambiguous_date", ("1",))]
