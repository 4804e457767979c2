"""Confidences kept apart, review reasons by code."""

from __future__ import annotations

from dataclasses import replace

from compliance_rag.answer.confidence import Confidence, answer_confidence, retrieval_confidence, review
from compliance_rag.answer.routing import listed, waits
from compliance_rag.answer.validate import CheckedCitation
from compliance_rag.retrieve.types import EvidenceItem
from schemas.objects import Review
from schemas.settings import ReviewSettings
from tests.answer.made import clause, ranking

RULE = clause("4.1", "The bank shall keep every record for seven years.")
CITED = CheckedCitation(RULE, "primary", (0, len(RULE.clause.text)), "verified", 0)
SURE = Confidence(0.9, 0.9)


def codes(found: Review) -> set[str]:
    """The reasons' codes."""
    return {reason.code for reason in found.reasons}


def run(cited: CheckedCitation | None = CITED, confidence: Confidence = SURE, *, gaps: tuple[str, ...] = ()) -> Review:
    """A review of one citation."""
    return review(confidence, [cited] if cited else [], [], gaps=gaps, best_score=1.0, settings=ReviewSettings())


def test_a_sure_answer_needs_nobody() -> None:
    """Nothing wrong, no reason."""
    assert not run().recommended
    assert codes(run()) == set()


def needs_person(found: Review) -> bool:
    """Whether the answer's status is ``needs_review`` where settings say nothing."""
    return waits(codes(found), {})


def test_nothing_cited_is_a_reason() -> None:
    """An answer that cites nothing is routed; a refusal because the documents do not say is not."""
    assert "nothing_cited" in codes(run(None))
    assert needs_person(run(None))
    silent = review(SURE, [], [], gaps=["No version."], best_score=1.0, settings=ReviewSettings(), refused="silent")
    assert (codes(silent), silent.recommended) == ({"nothing_cited", "gap"}, False)


def test_refusals_that_a_person_can_put_right_are_listed() -> None:
    """Damage, a held version and failed checks are in the queue, ordinary refusals are not; settings turn each either way, by
    the refusal or by the reason."""
    for refused, wanted in (("integrity", True), ("held", True), ("validation", True), ("silent", False), ("gap", False)):
        assert listed({"nothing_cited"}, refused, {}) is wanted
        assert listed({"nothing_cited"}, refused, {refused: not wanted}) is not wanted
    assert listed({"nothing_cited"}, "silent", {"nothing_cited": True})
    assert not listed({"held_page"}, None, {"held_page": False})
    assert listed({"figure"}, None, {"figure": True})
    assert waits({"figure"}, {"figure": True})
    assert not waits({"held_page"}, {"held_page": False})


def test_kinds_are_routed_by_settings() -> None:
    """An answer that cites a clause of a kind named in settings goes to a person and says why."""
    duty = replace(CITED, clause=replace(RULE, clause=replace(RULE.clause, kinds=("obligation",))))
    routed = review(SURE, [duty], [], gaps=[], best_score=1.0, settings=ReviewSettings(kinds=("obligation",)))
    assert "routed_kind" in codes(routed)
    assert (routed.recommended, needs_person(routed)) == (True, True)


def test_low_confidence_is_a_reason_at_the_threshold_and_not_at_it() -> None:
    """Under the threshold a reason, at the threshold none; settings move it."""
    assert "low_answer_confidence" in codes(run(confidence=Confidence(0.9, 0.3499)))
    assert "low_answer_confidence" not in codes(run(confidence=Confidence(0.9, 0.35)))
    moved = review(
        Confidence(0.9, 0.5),
        [CITED],
        [],
        gaps=[],
        best_score=1.0,
        settings=ReviewSettings(thresholds={"answer_confidence": 0.6}),
    )
    assert "low_answer_confidence" in codes(moved)


def test_a_rule_without_an_exception_in_scope_says_so_and_waits_for_nobody() -> None:
    """The absence of exceptions is said of obligations, prohibitions and penalties only."""
    duty = replace(CITED, clause=replace(RULE, clause=replace(RULE.clause, kinds=("obligation",))))
    assert codes(run(duty)) == {"no_exception_in_scope"}
    assert not run(duty).recommended
    exception = EvidenceItem(clause("4.2", "Clause 4.1 does not apply."), "exception", "made", 1.0)
    assert codes(review(SURE, [duty], [exception], gaps=[], best_score=1.0, settings=ReviewSettings())) == set()


def test_flags_of_cited_clauses_become_reasons() -> None:
    """Unconfirmed dates, pending amendments and held pages of a cited clause are in the answer."""
    for flag, code in (
        ("dates_unconfirmed", "dates_unconfirmed"),
        ("amendment_not_applied", "pending_amendment"),
        ("held_page", "held_page"),
        ("struck_text", "struck_text"),
        ("tracked_changes", "tracked_changes"),
        ("hidden_text", "hidden_text"),
    ):
        flagged = replace(CITED, clause=replace(RULE, clause=replace(RULE.clause, flags=(flag,))))
        assert code in codes(run(flagged))
        assert run(flagged).recommended


def test_a_held_page_of_a_cited_document_is_a_reason_wherever_it_is() -> None:
    """A page that was not read may bear on any clause of its document: every answer from it says so and waits for a person;
    a figure is said of the clauses on its page alone, and alone is no reason to wait."""
    for flag, said in (("held_page", True), ("scan", True), ("figure", False)):
        row = replace(RULE.version, flags={flag: 1})
        found = run(replace(CITED, clause=replace(RULE, version=row)))
        assert ("held_page" in codes(found)) is said
        assert needs_person(found) is said
    figure = run(replace(CITED, clause=replace(RULE, clause=replace(RULE.clause, flags=("figure", "unread_ink")))))
    assert (codes(figure), figure.recommended) == ({"figure", "unread_ink"}, False)


def test_a_gap_is_a_reason() -> None:
    """What is missing in time is said."""
    assert "gap" in codes(run(gaps=("No version is in force.",)))


def test_confidences_stay_between_zero_and_one_and_apart() -> None:
    """No candidates: no retrieval confidence. No citation: no answer confidence, however sure the retrieval."""
    question = "How long?"
    assert retrieval_confidence(ranking(question), 1.0) == 0.0
    assert 0.0 < retrieval_confidence(ranking(question, RULE), 1.0) <= 1.0
    assert answer_confidence([], 1.0, share=1.0, written=False, retried=False) == 0.0
    whole = answer_confidence([CITED], 1.0, share=1.0, written=False, retried=False)
    assert answer_confidence([CITED], 1.0, share=1.0, written=True, retried=True) < whole <= 1.0
