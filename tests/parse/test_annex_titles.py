"""A schedule or appendix without a number, with its title on the same line."""

from __future__ import annotations

import pytest

from compliance_rag.parse.parse import parse_version
from tests.parse.docxs import docx, para, run

BODY = "1. FEES\n\n1.1 Pay us.\n\n{line}\n\n1. Our rates are high.\n\n2. Travel is half.\n"


@pytest.mark.parametrize(
    ("line", "kind", "title"),
    [
        ("APPENDIX HOURLY RATES", "appendix", "HOURLY RATES"),
        ("## Appendix: Hourly rates", "appendix", "Hourly rates"),
        ("## Schedule — Other materials", "schedule", "— Other materials"),
    ],
)
def test_its_clauses_stand_under_it(line: str, kind: str, title: str) -> None:
    """Its numbers start again under its own name, and its title is a heading."""
    clauses = parse_version(BODY.format(line=line).encode(), "a.md").clauses
    assert [("/".join(c.path), c.heading) for c in clauses][-3:] == [(kind, title), (f"{kind}/1", ""), (f"{kind}/2", "")]


@pytest.mark.parametrize("line", ["Appendix shows that our rates are fair.", "APPENDIX RATES ARE PAID.", "Schedule a call."])
def test_a_sentence_is_no_schedule(line: str) -> None:
    """A sentence that begins with the word opens nothing."""
    clauses = parse_version(BODY.format(line=line).encode(), "a.txt").clauses
    assert not [c for c in clauses if c.path[0].startswith(("appendix", "schedule"))]


def test_a_title_and_its_subtitles_stand_apart_from_the_clause_above() -> None:
    """Bold capitals after a clause, one line or two over a text, head it: editorial notes are no words of the section above."""
    note = run("2012—The words were struck out of the first clause of this section, and others were put in their place.")
    bold = [para(xml=run(text, "<w:b/>")) for text in ("EDITORIAL NOTES", "AMENDMENTS OF 2012")]
    body = para("§7. Marriage is valid where it is entered.") + "".join(bold) + para(xml=note) + para("§8. A person is born.")
    found = parse_version(docx(body), "a.docx").clauses
    assert [(clause.number, clause.heading) for clause in found if clause.heading] == [
        (None, "EDITORIAL NOTES"), (None, "AMENDMENTS OF 2012"),
    ]  # fmt: skip
    assert all("2012" not in clause.text for clause in found if clause.number)
