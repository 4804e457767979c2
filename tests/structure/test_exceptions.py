"""Exceptions both ways round, and the kinds and risks of clauses."""

from __future__ import annotations

import pytest

from compliance_rag.structure.analyse import analyse
from tests.structure.hand_made import Row, clause, made

BODY = [
    Row("4", "4.", "Pay within ten days."),
    Row("4/1", "4.1", "In euro."),
    Row("4/2", "4.2", "By transfer."),
    Row("8", "8.", "Relief."),
    Row("8/4", "8.4", "No fee in May."),
    Row("12", "12.", "Notices."),
]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Notwithstanding 4.1 and Section 4.2, cash is taken.", [("20", "4/1"), ("20", "4/2")]),
        ("Notwithstanding Section 4.1, cash is taken.", [("20", "4/1")]),
        ("Notwithstanding anything to the contrary in Sections 4.1 and 4.2, cash is taken.", [("20", "4/1"), ("20", "4/2")]),
        ("Except as provided in Section 8.4, a fee is due.", [("8/4", "20")]),
        ("Except as otherwise expressly set forth in this Section and in Section 8.4, a fee is due.", [("8/4", "20")]),
        ("Subject to Section 8.4, a fee is due.", [("8/4", "20")]),
        ("Subject to the terms and conditions of Sections 8.4 and 4.2, a fee is due.", [("8/4", "20"), ("4/2", "20")]),
        ("Unless otherwise provided in Section 8.4, a fee is due.", [("8/4", "20")]),
        ("Section 12 does not apply to branches.", [("20", "12")]),
        ("Section 12 shall not apply to branches.", [("20", "12")]),
        ("Nothing in Section 12 limits this.", [("20", "12")]),
        ("The limits in Section 4.1 on notice do not apply to a regulator.", [("20", "4/1")]),
        ("Section 12 does not excuse a late report.", [("20", "12")]),
        ("Copies on tape are excepted from Section 4.1.", [("20", "4/1")]),
        ("Answer 4.1 does not apply where a lender asks.", [("20", "4/1")]),
        ("If under Section 4.1 the rules do not apply, tell us.", []),
        ("A fee is due under Section 4.1.", []),
        ("Goods subject to inspection under Section 12 are listed.", []),
        ("Where Section 12 applies, no fee is due.", []),
        ("The buyer shall not be liable under Section 4.1.", []),
    ],
)
def test_english_exceptions(text: str, expected: list[tuple[str, str]]) -> None:
    """The clause that is the exception, and the one it modifies."""
    version = analyse(made([*BODY, Row("20", "20.", text)]), doc_id="d", title=None)
    assert [("/".join(e.path), "/".join(e.modifies)) for e in version.exceptions] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("除本法第四条规定外，应当登记。", [("4", "20")]),
        ("除第四条另有规定的以外，应当登记。", [("4", "20")]),
        ("不适用本法第四条的规定。", [("20", "4")]),
        ("第四条的规定不适用于分公司。", [("20", "4")]),
        ("不受本法第四条规定的限制。", [("20", "4")]),
        ("依照第四条规定登记。", []),
        ("除法律另有规定外，应当登记。", []),
    ],
)
def test_chinese_exceptions(text: str, expected: list[tuple[str, str]]) -> None:
    """除…外, 不适用, 不受…限制."""
    version = analyse(made([Row("4", "第四条", "登记。"), Row("20", "第二十条", text)], "zh"), doc_id="d", title=None)
    assert [("/".join(e.path), "/".join(e.modifies)) for e in version.exceptions] == expected


def test_a_subsection_headed_exceptions_modifies_what_it_stands_beside() -> None:
    """ "Exceptions." in a section modifies it and the subsections before; "this section does not apply" the section."""
    rows = [
        Row("5", "5.", "A permit is needed."),
        Row("5/a", "(a)", "Apply in writing."),
        Row("5/b", "(b)", "Exceptions. Farms need none."),
        Row("5/c", "(c)", "This section does not apply to schools."),
    ]
    version = analyse(made(rows), doc_id="d", title=None)
    found = [("/".join(e.path), "/".join(e.modifies)) for e in version.exceptions]
    assert found == [("5/b", "5"), ("5/b", "5/a"), ("5/c", "5")]


def test_a_proviso_of_its_own_modifies_the_clause_before_it() -> None:
    """但 at the head of a 款 and "Provided that" at the head of an item modify what they follow."""
    zh = [Row("3", "第三条", ""), Row("3/1", "", "应当登记。"), Row("3/2", "", "但是，个人除外。")]
    assert [(e.path, e.modifies) for e in analyse(made(zh, "zh"), doc_id="d", title=None).exceptions] == [
        (("3", "2"), ("3", "1"))
    ]
    en = [Row("3", "3.", "A fee is due."), Row("3/a", "(a)", "Provided that no fee is due in May.")]
    assert [(e.path, e.modifies) for e in analyse(made(en), doc_id="d", title=None).exceptions] == [(("3", "a"), ("3",))]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("The supplier shall keep logs.", {"obligation"}),
        ("The supplier shall not share logs.", {"prohibition"}),
        ("The CA MUST NOT issue such certificates.", {"prohibition"}),
        ("The CA SHOULD log it and MAY keep it.", {"obligation", "permission"}),
        ("The customer may inspect the books.", {"permission"}),
        ("Dated 5 May 2020.", set()),
        ("Either party may terminate this agreement on notice.", {"permission", "termination"}),
        ("A fine not exceeding 5,000 is due.", {"penalty"}),
        ("The Old Rules are repealed.", {"repeal"}),
        ("This Act comes into force on 1 March 2024.", {"commencement"}),
        ("Section 9 ceases to have effect on 1 May 2027.", {"sunset"}),
        ("用人单位应当保密，不得收费。", {"obligation", "prohibition"}),
        ("当事人可以申请复议。", {"permission", "procedure"}),
        ("处一万元以下罚款。", {"penalty"}),
        ("本法自2024年7月1日起施行，旧法同时废止。", {"commencement", "repeal"}),
        ("本法所称公司，是指有限责任公司。", {"definition", "interpretation"}),
    ],
)
def test_kinds(text: str, kinds: set[str]) -> None:
    """Several kinds may hold; negated modals are prohibitions, not obligations."""
    assert set(clause(analyse(made([Row("1", "1.", text)]), doc_id="d", title=None), "1").kinds) == kinds


@pytest.mark.parametrize(
    ("text", "risk"),
    [
        ("The Provider may terminate this Agreement at any time without cause.", ("unilateral_termination", "high")),
        ("This Agreement renews automatically for successive terms.", ("auto_renewal", "medium")),
        ("Neither party is liable for force majeure.", ("force_majeure", "low")),
        ("The Supplier shall indemnify the Customer.", ("liability", "high")),
        ("甲方有权随时单方解除合同。", ("unilateral_termination", "high")),
        ("本合同到期自动续期一年。", ("auto_renewal", "medium")),
        ("乙方不得泄露商业秘密。", ("confidentiality", "medium")),
        ("提交北京仲裁委员会仲裁。", ("jurisdiction", "medium")),
        ("应支付合同总额百分之二十的违约金。", ("penalty", "high")),
    ],
)
def test_risks(text: str, risk: tuple[str, str]) -> None:
    """Each rule points at its kind with its level, in both languages."""
    found = clause(analyse(made([Row("1", "1.", text)]), doc_id="d", title=None), "1").risks
    assert risk in {(r.kind, r.level) for r in found}
