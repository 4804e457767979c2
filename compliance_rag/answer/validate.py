"""Validation of a proposed answer, as numbered steps: what leaves the service passed every one of them.

 1. every label cited is one the server made
 2. the clause behind it exists in the clause tables now
 3. it is in force at (as_of, known_at)
 4. its text re-hashed now equals the hash in the ledger
 5. the quote stands in it: verified, or repaired to the stored text
 6. the quote is operative text (a heading is evidence for a locator only)
 7. numbers, dates, amounts, negation and modal words of the statement are in the quoted words
 8. every statement cites
 9. every exception in evidence is cited or named as not applying

It proves where words stand and what quantities they hold; it does not prove that a statement follows from them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Protocol

from compliance_rag.answer.quotes import QuoteStatus, locate
from compliance_rag.answer.sentences import units
from compliance_rag.answer.support import supported
from compliance_rag.answer.terms import is_han
from compliance_rag.retrieve.types import EvidenceItem
from compliance_rag.store.rows import StoredClause
from compliance_rag.store.timeline import Knowledge
from schemas.canonical import sha256_text
from schemas.objects import Role

# A quote shorter than this names no rule ("shall", "不得"): unless it is the clause's whole text it is no evidence.
QUOTE_LEAST_WORDS = 3
QUOTE_LEAST_HAN = 4


class Registry(Protocol):
    """The clause tables and the ledger as they are now."""

    def fresh(self, clause_id: str) -> StoredClause | None:
        """The stored clause read again, None when it is not there."""

    def recorded_sha256(self, clause_id: str) -> str | None:
        """The clause's sha256 as the ledger recorded it, None when no publication names it."""


@dataclass(frozen=True, slots=True)
class ProposedCitation:
    """A label and the words said to stand behind it; ``heading`` asks for the heading (a locator)."""

    label: str
    quote: str
    heading: bool = False


@dataclass(frozen=True, slots=True)
class ProposedStatement:
    """A sentence of the answer with what is cited for it."""

    text: str
    citations: tuple[ProposedCitation, ...]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A whole answer as proposed; ``applies_not`` labels the exceptions said not to apply."""

    statements: tuple[ProposedStatement, ...]
    applies_not: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Failure:
    """A step not passed: its number, a stable code, the statement's place and the label, and a sentence for the record."""

    step: int
    code: str
    text: str
    statement: int | None = None
    label: str | None = None


@dataclass(frozen=True, slots=True)
class CheckedCitation:
    """A citation that stands: the clause, its role, the span of its text (of its heading for a locator),
    ``part`` as in the evidence."""

    clause: StoredClause
    role: Role
    span: tuple[int, int]
    status: QuoteStatus
    statement: int
    part: str = ""

    @property
    def quote(self) -> str:
        """The stored words, never the proposed ones."""
        source = self.clause.clause.heading if self.role == "locator" else self.clause.clause.text
        return source[self.span[0] : self.span[1]]

    @property
    def sentences(self) -> str:
        """The whole sentences that the quote touches: what a statement is held against, so that a quote cut behind its "not"
        supports nothing."""
        text = self.clause.clause.text
        touched = [unit for unit in units(text) if unit.start < self.span[1] and unit.end > self.span[0]]
        if self.role == "locator" or not touched:
            return self.quote
        return text[min(self.span[0], touched[0].start) : max(self.span[1], touched[-1].end)]


@dataclass(frozen=True, slots=True)
class Validation:
    """The outcome: ``citations`` is meaningful only when ``failures`` is empty."""

    proposal: Proposal
    citations: tuple[CheckedCitation, ...] = ()
    failures: tuple[Failure, ...] = ()
    statuses: tuple[str, ...] = field(default=())

    @property
    def passed(self) -> bool:
        """True when every step passed."""
        return not self.failures

    @property
    def integrity(self) -> bool:
        """True when a cited clause is damaged (step 4)."""
        return any(failure.step == 4 for failure in self.failures)

    def as_record(self) -> dict[str, object]:
        """What the ledger keeps: the quotes' statuses and each failure."""
        return {
            "passed": self.passed,
            "quotes": list(self.statuses),
            "failures": [
                {"step": f.step, "code": f.code, "text": f.text, "statement": f.statement, "label": f.label}
                for f in self.failures
            ],
        }


def label_evidence(evidence: Sequence[EvidenceItem]) -> dict[str, EvidenceItem]:
    """Server-made labels C1, C2, … in the order given; a model sees these and never an id."""
    return {f"C{at}": item for at, item in enumerate(evidence, 1)}


def _clause_failures(label: str, item: EvidenceItem, registry: Registry, as_of: date, known: Knowledge) -> list[Failure]:
    """Steps 2 to 4 for one label."""
    held = item.clause
    fresh = registry.fresh(held.clause_id)
    if fresh is None:
        return [Failure(2, "no_such_clause", f"{held.clause_id} is not in the clause tables", label=label)]
    version = fresh.version
    live = version.state == "published" and version.status != "draft" and known.version(version)
    if not live or not fresh.interval.holds(as_of):
        return [Failure(3, "not_in_force", f"{held.clause_id} is not in force on {as_of}", label=label)]
    now = sha256_text(fresh.clause.text)
    if now != fresh.clause.sha256 or now != registry.recorded_sha256(held.clause_id) or held.clause.text != fresh.clause.text:
        return [
            Failure(4, "hash_differs", f"the text of {held.clause_id} does not hash to what the ledger recorded", label=label)
        ]
    return []


def _quote_failure(cited: ProposedCitation, at: int, status: str, found: Sequence[str]) -> Failure:
    where = f" (words of {', '.join(found)})" if found else ""
    return Failure(5, status, f"{cited.label}: the quote is {status.replace('_', ' ')}{where}", at, cited.label)


def _too_short(quote: str, text: str) -> bool:
    if quote.strip() == text.strip():
        return False
    if is_han(quote):
        return len(re.sub(r"\W", "", quote)) < QUOTE_LEAST_HAN
    return len(quote.split()) < QUOTE_LEAST_WORDS


def _check_citation(
    cited: ProposedCitation, at: int, labels: Mapping[str, EvidenceItem]
) -> tuple[CheckedCitation | None, Failure | None]:
    """Steps 5 and 6 for one citation of a known label."""
    item = labels[cited.label]
    clause = item.clause.clause
    if cited.heading:
        located = locate(cited.quote, clause.heading)
        if located.span is None:
            return None, _quote_failure(cited, at, located.status, ())
        return CheckedCitation(item.clause, "locator", located.span, located.status, at), None
    others = [label for label in labels if label != cited.label]
    located = locate(cited.quote, clause.text, [labels[label].clause.clause.text for label in others])
    if located.span is None:
        if locate(cited.quote, " ".join([*clause.heading_path, clause.label, clause.heading])).span is not None:
            return None, Failure(6, "heading", f"{cited.label}: a heading is no evidence for a rule", at, cited.label)
        names = [cited.label, *others]
        return None, _quote_failure(cited, at, located.status, [names[place] for place in located.found_in])
    quote = clause.text[located.span[0] : located.span[1]]
    if _too_short(quote, clause.text):
        return None, Failure(6, "not_operative", f"{cited.label}: the quoted words are no rule", at, cited.label)
    return CheckedCitation(item.clause, item.role, located.span, located.status, at, item.part), None


def _statement(
    statement: ProposedStatement, at: int, labels: Mapping[str, EvidenceItem], bad: set[str]
) -> tuple[list[CheckedCitation], list[Failure], list[str]]:
    """Steps 1, 5, 6, 7 and 8 for one statement."""
    if not statement.citations:
        return [], [Failure(8, "not_cited", f"statement {at + 1} cites nothing", at)], []
    checked: list[CheckedCitation] = []
    failures: list[Failure] = []
    statuses: list[str] = []
    for cited in statement.citations:
        if cited.label not in labels:
            failures.append(Failure(1, "unknown_label", f"{cited.label!r} is no label of this evidence", at, cited.label))
            continue
        citation, failure = _check_citation(cited, at, labels)
        statuses.append(citation.status if citation else failure.code if failure else "")
        if failure:
            failures.append(failure)
        elif citation and cited.label not in bad:
            checked.append(citation)
    if checked and not failures and not any(citation.role == "locator" for citation in checked):
        clauses = [citation.clause.clause for citation in checked]
        names = [name for c in clauses for name in (c.number or "", c.label, c.heading, *c.aliases, *c.heading_path) if name]
        problems = supported(statement.text, [citation.sentences for citation in checked], names, [c.text for c in clauses])
        failures += [Failure(7, f"unsupported_{p.code}", p.text, at) for p in problems]
    return checked, failures, statuses


def _exceptions(proposal: Proposal, labels: Mapping[str, EvidenceItem]) -> list[Failure]:
    """Step 9."""
    cited = {c.label for statement in proposal.statements for c in statement.citations}
    origins = {labels[label].clause.clause_id for label in cited if label in labels}
    named = cited | set(proposal.applies_not)
    return [
        Failure(
            9, "exception_ignored", f"{label} is an exception in evidence, neither cited nor named as not applying", label=label
        )
        for label, item in labels.items()
        if item.role == "exception" and label not in named and (item.origin is None or item.origin in origins)
    ]


def validate(
    proposal: Proposal, labels: Mapping[str, EvidenceItem], registry: Registry, as_of: date, known: Knowledge
) -> Validation:
    """Run the nine steps over ``proposal``. Nothing is dropped to make the rest pass: one failure fails the whole."""
    failures: list[Failure] = []
    if not proposal.statements:
        failures.append(Failure(8, "not_cited", "nothing is stated"))
    used = sorted({c.label for s in proposal.statements for c in s.citations if c.label in labels})
    for label in used:
        failures += _clause_failures(label, labels[label], registry, as_of, known)
    for at, statement in enumerate(proposal.statements):
        if statement in proposal.statements[:at]:
            failures.append(Failure(8, "repeated", f"statement {at + 1} is said before", at))
    bad = {failure.label for failure in failures if failure.label}
    checked: list[CheckedCitation] = []
    statuses: list[str] = []
    for at, statement in enumerate(proposal.statements):
        found, problems, states = _statement(statement, at, labels, bad)
        checked += found
        failures += problems
        statuses += states
    failures += [
        Failure(1, "unknown_label", f"{label!r} is no label of this evidence", label=label)
        for label in proposal.applies_not
        if label not in labels
    ]
    failures += _exceptions(proposal, labels)
    failures.sort(key=lambda failure: failure.step)
    return Validation(proposal, tuple(checked), tuple(failures), tuple(statuses))


def repaired(proposal: Proposal, validation: Validation) -> Proposal:
    """``proposal`` with every passed quote replaced by the stored words, for the record."""
    quotes = iter(validation.citations)
    return replace(
        proposal,
        statements=tuple(
            replace(s, citations=tuple(replace(c, quote=next(quotes).quote) for c in s.citations)) for s in proposal.statements
        ),
    )
