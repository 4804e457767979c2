"""How sure the retrieval was, how sure the answer is, and which reasons send it to a person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compliance_rag.answer.routing import listed
from compliance_rag.answer.validate import CheckedCitation
from compliance_rag.retrieve.types import EvidenceItem, Ranking
from schemas.objects import Reason, RefusalReason, Review
from schemas.settings import ReviewSettings

# Under these an answer goes to a person; settings.review.thresholds overrides each by name. A first setting, below every right
# answer on the facts and the sample corpus; calibrated bands replace it.
THRESHOLDS: dict[str, float] = {"retrieval_confidence": 0.35, "answer_confidence": 0.35, "weak_best_source": 0.3}
# Flags of a clause or version that an answer touching it must carry, with the review code each becomes.
FLAG_CODES: dict[str, str] = {
    "dates_unconfirmed": "dates_unconfirmed",
    "pending_amendment": "pending_amendment",
    "amendment_not_applied": "pending_amendment",
    "hidden_text": "hidden_text",
    "struck_text": "struck_text",
    "held_page": "held_page",
    "ocr_quality": "held_page",
    "scan": "held_page",
    "broken_font_map": "broken_font_map",
    "figure": "figure",
    "unread_ink": "unread_ink",
    "form_field": "unread_ink",
    "annotation": "unread_ink",
    "tracked_changes": "tracked_changes",
    "conflicting_dates": "dates_unconfirmed",
    "ambiguous_marker": "ambiguous_structure",
    "duplicate_label": "ambiguous_structure",
    "dangling_reference": "unresolved_reference",
    "unresolved_reference": "unresolved_reference",
}
# Flags that concern every clause of their document: what stands on a page that could not be read may bear on any of them.
DOCUMENT_FLAGS = frozenset({"held_page", "ocr_quality", "scan"})
_TEXTS: dict[str, str] = {
    "dates_unconfirmed": "Dates found in the text of a cited clause are not confirmed.",
    "pending_amendment": "An amendment that touches a cited clause has not been applied.",
    "hidden_text": "A cited document holds text that a reader does not see.",
    "struck_text": "Words of a cited clause are struck out; whether they hold, a person must say.",
    "held_page": "A page of a cited document was not read well enough and is held.",
    "broken_font_map": "A cited clause stands on a page whose font does not give the characters that are printed.",
    "figure": "A page of a cited clause shows a figure that is not read as text.",
    "unread_ink": "A page of a cited clause bears ink that was not read as text: a seal, a signature, a hand.",
    "tracked_changes": "A cited document carries tracked changes.",
    "ambiguous_structure": "The numbering around a cited clause can be read in two ways.",
    "unresolved_reference": "A cited clause refers to something that was not found.",
}


@dataclass(frozen=True, slots=True)
class Confidence:
    """Both confidences, 0 to 1, rounded to 1e-4, kept apart: what was found, and what was said of it."""

    retrieval: float
    answer: float


def retrieval_confidence(ranking: Ranking, answerable: float) -> float:
    """From ``answerable`` (the calibrated odds of :func:`silence.decide`, 0 to 1), the margin of the first candidate, and
    whether both searches put it first. A weighted mean, 0 when nothing was found; the odds alone are calibrated."""
    if not ranking.candidates:
        return 0.0
    best = ranking.candidates[0]
    later = ranking.candidates[4].score if len(ranking.candidates) > 4 else 0.0
    margin = min(1.0, max(0.0, (best.score - later) / best.score)) if best.score > 0 else 0.0
    agree = 1.0 if best.number is not None else sum(1 / rank for rank in (best.lexical, best.dense) if rank is not None) / 2
    return round(0.6 * answerable + 0.15 * margin + 0.25 * min(1.0, agree), 4)


def answer_confidence(
    checked: Sequence[CheckedCitation], retrieval: float, *, share: float, written: bool, retried: bool
) -> float:
    """From the retrieval, the share of the question's terms the quotes hold, repairs made, and whether a model had to be asked
    twice. 0 when nothing is cited."""
    if not checked:
        return 0.0
    verified = sum(one.status == "verified" for one in checked) / len(checked)
    score = 0.45 * retrieval + 0.4 * share + 0.15 * verified
    return round(max(0.0, score - 0.1 * retried - 0.05 * written), 4)


def flag_reasons(flags: Sequence[str]) -> list[Reason]:
    """Review reasons for the flags of what was cited, each code once."""
    codes = dict.fromkeys(FLAG_CODES[flag] for flag in flags if flag in FLAG_CODES)
    return [Reason(code=code, text=_TEXTS[code]) for code in codes]


def review(
    confidence: Confidence,
    checked: Sequence[CheckedCitation],
    evidence: Sequence[EvidenceItem],
    *,
    gaps: Sequence[str],
    best_score: float,
    settings: ReviewSettings,
    refused: RefusalReason | None = None,
    extra: Sequence[Reason] = (),
) -> Review:
    """Whether a person should look, with each reason by its stable code. ``refused``: why nothing was answered."""
    limits = {**THRESHOLDS, **settings.thresholds}
    reasons: list[Reason] = []
    if not checked:
        reasons.append(Reason(code="nothing_cited", text="No clause is cited."))
    elif best_score < limits["weak_best_source"]:
        reasons.append(Reason(code="weak_best_source", text=f"The best source scores {best_score:.2f}."))
    if checked and confidence.retrieval < limits["retrieval_confidence"]:
        reasons.append(Reason(code="low_retrieval_confidence", text=f"Retrieval confidence is {confidence.retrieval:.2f}."))
    if checked and confidence.answer < limits["answer_confidence"]:
        reasons.append(Reason(code="low_answer_confidence", text=f"Answer confidence is {confidence.answer:.2f}."))
    kinds = sorted({kind for one in checked for kind in one.clause.clause.kinds if kind in settings.kinds})
    if kinds:
        reasons.append(Reason(code="routed_kind", text=f"Settings have a person look at answers about: {', '.join(kinds)}."))
    strict = any({"obligation", "prohibition", "penalty"} & set(one.clause.clause.kinds) for one in checked)
    if strict and not any(item.role == "exception" for item in evidence):
        reasons.append(Reason(code="no_exception_in_scope", text="No exception to the cited rules was found in scope."))
    reasons += [Reason(code="gap", text=gap) for gap in gaps]
    flags = [flag for one in checked for flag in one.clause.clause.flags]
    flags += [flag for one in checked for flag in one.clause.version.flags if flag in DOCUMENT_FLAGS]
    reasons += flag_reasons(flags)
    reasons += [reason for reason in extra if reason.code not in {r.code for r in reasons}]
    return Review(recommended=listed([reason.code for reason in reasons], refused, settings.route), reasons=reasons)
