"""Validation, a negative test for each numbered step (CASES 20, 21, 22)."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from compliance_rag.answer.render import render_written
from compliance_rag.answer.validate import Proposal, ProposedCitation, ProposedStatement, Validation, label_evidence, validate
from compliance_rag.retrieve.types import EvidenceItem
from compliance_rag.store.timeline import Knowledge
from schemas.dates import Interval
from tests.answer.made import AS_OF, KNOWN, Registry, clause

RISK = clause("3", "The contractor takes the risk of cost overruns.", "Risk")
PAY = clause("5", "The client shall pay each invoice within thirty (30) days.", "Payment")
NOT_HELD = clause("6", "Clause 5 does not apply where the client disputes the invoice.", "Disputes")
PART = replace(clause("ii", "", "PART II DUTIES"), clause=replace(clause("ii", "", "PART II DUTIES").clause, container=True))
EVIDENCE = [
    EvidenceItem(RISK, "primary", "made", 1.0),
    EvidenceItem(PAY, "primary", "made", 0.9),
    EvidenceItem(PART, "primary", "made", 0.5),
]
LABELS = label_evidence(EVIDENCE)


def propose(text: str, *cited: tuple[str, str], heading: bool = False) -> Proposal:
    """One statement with its citations."""
    return Proposal((ProposedStatement(text, tuple(ProposedCitation(label, quote, heading) for label, quote in cited)),))


def run(proposal: Proposal, registry: Registry | None = None, as_of: date = AS_OF, known: Knowledge = KNOWN) -> Validation:
    """Validate against the evidence above."""
    return validate(proposal, LABELS, registry or Registry(RISK, PAY, PART), as_of, known)


GOOD = propose("The client must pay within 30 days.".replace("must", "shall"), ("C2", PAY.clause.text))


def test_a_good_answer_passes() -> None:
    """The answer that every negative test below spoils in one place passes."""
    found = run(GOOD)
    assert found.passed, found.failures
    assert found.citations[0].quote == PAY.clause.text


def failure(found: Validation) -> tuple[int, str]:
    """The first failure's step and code."""
    assert not found.passed
    return found.failures[0].step, found.failures[0].code


def test_step_1_unknown_label() -> None:
    """CASES 22: known labels and one unknown reject the whole answer."""
    found = run(propose("The client shall pay within 30 days.", ("C2", PAY.clause.text), ("C9", "anything at all here")))
    assert failure(found) == (1, "unknown_label")


def test_step_2_clause_gone() -> None:
    """A clause that is no longer in the tables cannot be cited."""
    assert failure(run(GOOD, Registry(RISK, PART))) == (2, "no_such_clause")


@pytest.mark.parametrize("spoil", ["before", "after", "unknown_then", "held", "draft"])
def test_step_3_not_in_force(spoil: str) -> None:
    """Out of its days, recorded later than known_at, held, or a draft: not in force."""
    held = {
        "before": replace(PAY, interval=Interval(date(2027, 1, 1), None)),
        "after": replace(PAY, interval=Interval(date(2020, 1, 1), AS_OF)),
        "unknown_then": replace(PAY, version=replace(PAY.version, recorded_at=datetime(2026, 6, 1, tzinfo=UTC))),
        "held": replace(PAY, version=replace(PAY.version, state="held")),
        "draft": replace(PAY, version=replace(PAY.version, status="draft")),
    }[spoil]
    assert failure(run(GOOD, Registry(RISK, held, PART))) == (3, "not_in_force")


def test_step_4_text_changed_under_its_hash() -> None:
    """CASES 26: one character changed in the store is an integrity failure."""
    registry = Registry(RISK, PAY, PART)
    registry.damage(PAY.clause_id, PAY.clause.text.replace("thirty (30)", "thirty (31)"))
    found = run(GOOD, registry)
    assert failure(found) == (4, "hash_differs")
    assert found.integrity


def test_step_4_hash_unlike_the_ledgers() -> None:
    """Text and stored hash that agree with each other and not with the ledger fail too."""
    registry = Registry(RISK, PAY, PART)
    registry.recorded[PAY.clause_id] = RISK.clause.sha256
    assert failure(run(GOOD, registry)) == (4, "hash_differs")


@pytest.mark.parametrize(
    ("label", "quote", "code"),
    [
        ("C1", "takes the risk of cost overruns, including raw materials", "not_found"),
        ("C2", "The contractor takes the risk of cost overruns", "misattributed"),
        ("C1", "The contractor takes the risk and shall pay each invoice within thirty", "stitched"),
    ],
)
def test_step_5_quote(label: str, quote: str, code: str) -> None:
    """CASES 20: added words, another clause's words and joined halves reject the answer."""
    assert failure(run(propose("The contractor takes the risk of cost overruns.", (label, quote)))) == (5, code)


def test_step_5_repaired_quotes_are_shown_as_stored() -> None:
    """CASES 20: curly quotes and double spaces pass, and the stored words are what is quoted."""
    found = run(
        propose("The contractor takes the risk of cost overruns.", ("C1", "The contractor  takes the\nrisk of cost overruns."))
    )
    assert found.passed
    assert found.statuses == ("repaired",)
    assert found.citations[0].quote == RISK.clause.text


def test_step_6_a_heading_is_no_evidence() -> None:
    """CASES 21: the heading of a part cited for a rule is rejected as no operative text."""
    assert failure(run(propose("The supplier has duties.", ("C3", "PART II DUTIES")))) == (6, "heading")


def test_step_6_a_word_is_no_evidence() -> None:
    """A single word that stands in the clause supports nothing."""
    assert failure(run(propose("The client shall pay.", ("C2", "shall")))) == (6, "not_operative")


def test_step_7_support() -> None:
    """A number that is not in the quoted words is rejected."""
    assert failure(run(propose("The client shall pay within 60 days.", ("C2", PAY.clause.text)))) == (7, "unsupported_value")


def test_step_7_a_quote_cut_behind_its_negation() -> None:
    """A verbatim quote that starts after "No" is held against the whole sentence it was cut from."""
    rule = clause("7", "No employee may disclose client data. Data is kept for a year.")
    labels = label_evidence([EvidenceItem(rule, "primary", "made", 1.0)])
    cut = propose("An employee may disclose client data.", ("C1", "employee may disclose client data."))
    found = validate(cut, labels, Registry(rule), AS_OF, KNOWN)
    assert failure(found)[0] == 7


def test_step_8_every_statement_cites() -> None:
    """A statement without a citation, or no statement at all, is rejected."""
    two = Proposal((*GOOD.statements, ProposedStatement("The contractor takes the risk of overruns.", ())))
    assert failure(run(two)) == (8, "not_cited")
    assert failure(run(Proposal(()))) == (8, "not_cited")


def test_step_9_exceptions() -> None:
    """An exception to a cited clause must be cited or named as not applying; to an uncited clause it need not."""
    exception = EvidenceItem(NOT_HELD, "exception", "made", 0.8, origin=PAY.clause_id)
    labels = label_evidence([*EVIDENCE, exception])
    registry = Registry(RISK, PAY, PART, NOT_HELD)
    assert failure(validate(GOOD, labels, registry, AS_OF, KNOWN)) == (9, "exception_ignored")
    assert validate(replace(GOOD, applies_not=("C4",)), labels, registry, AS_OF, KNOWN).passed
    risk = propose("The contractor takes the risk of cost overruns.", ("C1", RISK.clause.text))
    assert validate(risk, labels, registry, AS_OF, KNOWN).passed


def test_a_locator_may_cite_a_heading() -> None:
    """CASES 21: the same heading answers a locator question, with role locator and a span in the heading."""
    found = run(propose("PART II DUTIES", ("C3", "PART II DUTIES"), heading=True))
    assert found.passed
    assert found.citations[0].role == "locator"
    assert found.citations[0].quote == "PART II DUTIES"


def test_a_models_own_markers_are_not_shown() -> None:
    """A "[2]" that a model writes would point to whatever citation has that number in our answer."""
    found = run(propose("The client shall pay within 30 days. [2]", ("C2", PAY.clause.text)))
    assert found.passed, found.failures
    rendered = render_written(found)
    assert rendered.text == "The client shall pay within 30 days. [1]"
    assert rendered.statements[0].text == "The client shall pay within 30 days."
