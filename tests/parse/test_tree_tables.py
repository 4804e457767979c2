"""What a clause announces with a colon is its own, however the file sets it."""

from __future__ import annotations

import pytest

from compliance_rag.parse.parse import parse_version

TABLE = "| Class | Period |\n|---|---|\n| Logs | two years |"


@pytest.mark.parametrize("body", [TABLE, "Logs are kept for two years."])
def test_what_follows_a_colon_belongs_to_the_item_that_announces_it(body: str) -> None:
    """A table or a paragraph set flush below a list item that ends with a colon is the item's, not its parent's."""
    head = "# Rules\n\n## 1 Scope\n\nAll.\n\n"
    text = f"{head}## Schedule 1\n\n1. The following periods apply:\n\n{body}\n\n2. Others are kept for a year.\n"
    clauses = {clause.number: clause.text for clause in parse_version(text.encode(), "a.md").clauses}
    assert "two years" in clauses["Schedule 1, 1"]
    assert clauses["Schedule 1, 2"] == "Others are kept for a year."
    assert clauses["Schedule 1"] == ""


def test_flush_text_after_a_list_that_announces_nothing_closes_the_list() -> None:
    """Without a colon before it, a paragraph set flush below a list belongs to what holds the list."""
    text = "## 4 Duties\n\n1. Keep logs.\n\n2. Keep keys.\n\nBoth duties end with the contract.\n"
    clauses = {clause.number: clause.text for clause in parse_version(text.encode(), "a.md").clauses}
    assert clauses["4"] == "Both duties end with the contract."
