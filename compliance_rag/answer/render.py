"""A validated proposal as people and programs read it: numbered citations, statements, and the text with [1] markers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from compliance_rag.answer.attach import is_schedule
from compliance_rag.answer.terms import is_han
from compliance_rag.answer.validate import CheckedCitation, Validation
from compliance_rag.store.rows import StoredClause, VersionRow
from schemas.dates import print_day
from schemas.objects import Checks, Citation, Role, Statement

_WORDS_EN = {
    "exception": "Exception:", "definition": "Definition:", "reference": "See", "lead_in": "Under",
    "amendment": "Amended by", "transitional": "Transitional:", "locator": "Section", "rule": "The rule:", "schedule": "",
}  # fmt: skip
_WORDS_ZH = {
    "exception": "例外：", "definition": "定义：", "reference": "另见", "lead_in": "前提：",
    "amendment": "修改：", "transitional": "过渡规定：", "locator": "条款：", "rule": "一般规定：", "schedule": "",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Rendered:
    """``text`` with markers, and the objects behind it."""

    text: str
    statements: tuple[Statement, ...]
    citations: tuple[Citation, ...]


def _chinese(version: VersionRow) -> bool:
    return version.language.startswith("zh")


def place(clause: StoredClause) -> str:
    """How a clause is named in prose: number and heading, or the path of headings when it has no number."""
    inner = clause.clause
    number = inner.number or inner.label
    heading = inner.heading.rstrip(" .:：")
    if number and heading:
        return f"{number} {heading}"
    return number or inner.heading or " › ".join(inner.heading_path) or clause.clause_id


def headline(clause: StoredClause) -> str:
    """The document and version a clause speaks from, with its days in force."""
    version, interval = clause.version, clause.interval
    start, end = print_day(interval.start), print_day(interval.end)
    where = f" [{version.jurisdiction}]" if version.jurisdiction else ""
    if _chinese(version):
        days = f"自{start}起施行" + (f"，有效至{end}（不含当日）" if end else "")
        title = version.title if version.title.startswith("《") else f"《{version.title}》"
        return f"{title}（{version.version}，{days}）{where}"
    days = f"in force from {start}" + (f" until {end}" if end else "")
    return f"{version.title}, {version.version} ({days}){where}"


_MARKER = re.compile(r"\s*\[\d{1,3}\]")


def number_citations(checked: Sequence[CheckedCitation]) -> tuple[tuple[Citation, ...], dict[int, list[int]]]:
    """Citations renumbered 1..n in the order first used, equal ones once; and for each statement the numbers it cites."""
    order: dict[tuple[str, Role, tuple[int, int]], int] = {}
    made: list[Citation] = []
    used: dict[int, list[int]] = {}
    for one in checked:
        key = (one.clause.clause_id, one.role, one.span)
        if key not in order:
            order[key] = len(made) + 1
            checks = Checks(exists=True, in_force=True, hash=True, quote=True, supports=True)
            fields = one.clause.fields()
            made.append(Citation(**fields, n=order[key], role=one.role, quote=one.quote, quote_span=one.span, checks=checks))
        numbers = used.setdefault(one.statement, [])
        if order[key] not in numbers:
            numbers.append(order[key])
    return tuple(made), used


def _quoted(text: str, chinese: bool) -> str:
    return f"「{text}」" if chinese else f"“{text}”"


def _kind(cited: CheckedCitation) -> str:
    """The word a citation is introduced by: its role, or the part it plays where that says more."""
    if cited.role == "reference" and cited.part == "rule":
        return "rule"
    return "schedule" if cited.role == "reference" and is_schedule(cited.clause) else cited.role


def _plain(text: str) -> str:
    """Rows of a table without the lines around them: "Category | Period; A | 2 years"."""
    if not text.startswith("|"):
        return text
    return ("；" if is_han(text) else "; ").join(row.strip(" |") for row in text.split("| |") if row.strip(" |"))


def render_verbatim(validation: Validation) -> Rendered:
    """The deterministic answer as text: a line for each document's version, then each clause's number, heading and words."""
    citations, used = number_citations(validation.citations)
    statements: list[Statement] = []
    lines: list[str] = []
    by_statement: dict[int, CheckedCitation] = {}
    for one in validation.citations:
        by_statement.setdefault(one.statement, one)
    last = None
    for at, proposed in enumerate(validation.proposal.statements):
        cited = by_statement[at]
        if cited.clause.version.ref != last:
            last = cited.clause.version.ref
            lines.append(headline(cited.clause) + ("：" if _chinese(cited.clause.version) else ":"))
        chinese = _chinese(cited.clause.version)
        words = _WORDS_ZH if chinese else _WORDS_EN
        word = words.get(_kind(cited), "")
        role = word if chinese or not word else f"{word} "
        marks = "".join(f"[{n}]" for n in used[at])
        text = place(cited.clause) if cited.role == "locator" else _plain(proposed.text)
        colon = "：" if chinese else ": "
        said = text if cited.role == "locator" else f"{place(cited.clause)}{colon}{_quoted(text, chinese)}"
        line = f"{role}{said} {marks}"
        if line not in lines:
            lines.append(line)
        statements.append(Statement(text=text, citations=used[at]))
    return Rendered("\n".join(lines), tuple(statements), citations)


def render_written(validation: Validation) -> Rendered:
    """A model's validated statements with our markers; its words, our quotes. Markers of its own would point to whatever
    citation has that number here."""
    citations, used = number_citations(validation.citations)
    statements = [
        Statement(text=" ".join(_MARKER.sub("", proposed.text).split()), citations=used[at])
        for at, proposed in enumerate(validation.proposal.statements)
    ]
    text = " ".join(f"{s.text} {''.join(f'[{n}]' for n in s.citations)}" for s in statements)
    return Rendered(text, tuple(statements), citations)
