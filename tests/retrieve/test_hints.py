"""The documents' own words for what a question calls otherwise."""

from __future__ import annotations

import pytest

from compliance_rag.retrieve.hints import called_by, parties_in


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'BETWEEN Calder Mutual Society, whose office is in Leeds (the "Client"), '
            'AND Northgate Data Limited (the "Supplier").',
            [("Calder", "Client"), ("Northgate", "Supplier")],
        ),
        ("甲方：云和城市商业银行股份有限公司\n乙方：澄远信息技术有限公司", [("云和", "甲方"), ("澄远", "乙方")]),
        ("澄远信息技术有限公司（以下简称“服务商”）承诺", [("澄远", "服务商")]),
    ],
)
def test_parties_are_known_by_name_and_role(text: str, expected: list[tuple[str, str]]) -> None:
    """A first page gives each party's role, and a question may call the party by the first word of its name."""
    found = [
        (called_by(name, f"Must {short} pay? {short}"), role)
        for (name, role), (short, _) in zip(parties_in([text]), expected, strict=True)
    ]
    assert found == expected


def test_a_common_first_word_names_nobody() -> None:
    """ "The First National Bank" is not meant by every question that says first."""
    assert called_by("First National Bank", "What is due first?") is None
