"""Where a definition says it holds, and definitions that stand in tables."""

from __future__ import annotations

import pytest

from compliance_rag.structure.analyse import analyse
from tests.structure.hand_made import Row, made


@pytest.mark.parametrize(
    ("text", "scopes"),
    [
        ('In clause 3, "Levy" means a tax.', ["3"]),
        ('In clauses 2, 3 and 4, "Levy" means a tax.', ["2", "3", "4"]),
        ('For the purposes of clauses 2 and 3, "Levy" means a tax.', ["2", "3"]),
        ('"Levy" means, for the purposes of clauses 2 and 3, a tax.', ["2", "3"]),
        ('In this clause 3 only, "Levy" means a tax.', ["3"]),
        ('In subsection (2), "Levy" means a tax.', ["2/2"]),
        ('In clause 3.1, "Levy" means a tax.', ["3/1"]),
        ('In the event of fire, "Levy" means a tax.', ["document"]),
        ('"Levy" means a sum paid for the purposes of clause 3.', ["document"]),
    ],
)
def test_the_clauses_a_definition_names_are_its_scope(text: str, scopes: list[str]) -> None:
    """A definition holds in the clauses it names; words of the definition itself narrow nothing."""
    rows = [
        Row("2", "2.", "Main."),
        Row("2/1", "(1)", text),
        Row("2/2", "(2)", "Two."),
        Row("3", "3.", "Three."),
        Row("3/1", "3.1", "Inner."),
        Row("4", "4.", "Four."),
    ]
    version = analyse(made(rows), doc_id="d", title=None)
    assert [(item.term, item.scope) for item in version.definitions] == [("Levy", scope) for scope in scopes]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "| Term | Definition |\n|---|---|\n| Account | a login |\n| **Root Key** | the topmost key |",
            [("Account", ()), ("Root Key", ())],
        ),
        ("Term | Meaning\nAccount | a login\nPersonal Data (PD) | facts", [("Account", ()), ("Personal Data", ("PD",))]),
        ("术语 | 定义\n客户 | 购买服务的人\n账户 | 登录凭证", [("客户", ()), ("账户", ())]),
        ("Term | Rate\nOne year | 5\nTwo years | 6", []),
        ("Term | Definition\nAccount | a login\n\nOne | two", [("Account", ())]),
        ('"Account" represents a login.', [("Account", ())]),
        ('"Agreement" refers to this contract.', [("Agreement", ())]),
        ("“Notify” or “notification” means telling.", [("Notify", ("notification",))]),
    ],
)
def test_tables_and_verbs_that_define(text: str, expected: list[tuple[str, tuple[str, ...]]]) -> None:
    """A table whose header says term and definition defines its first column; other tables define nothing."""
    version = analyse(made([Row("1", "1.", text)]), doc_id="d", title=None)
    assert [(item.term, item.aliases) for item in version.definitions] == expected
