"""From what was worked out to the contract's answer: confidences, review reasons, what lies ahead, the text."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from compliance_rag.answer.confidence import Confidence, answer_confidence, retrieval_confidence, review
from compliance_rag.answer.render import Rendered, place
from compliance_rag.answer.routing import waits
from compliance_rag.answer.scoring import clause_terms, prepare
from compliance_rag.answer.terms import is_han
from compliance_rag.answer.validate import CheckedCitation
from compliance_rag.retrieve.types import Candidate, EvidenceItem, Ranking
from compliance_rag.service import compared as earlier_texts
from compliance_rag.service.answering import Outcome
from compliance_rag.service.asking import AskRequest, Situation, changes_ahead, gaps, unread
from compliance_rag.service.compared import Compared
from compliance_rag.service.conflicts import find_conflicts, side_by_side
from compliance_rag.service.disputes import disputes
from compliance_rag.service.disputes import lines as dispute_lines
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.incorporated import Brought, as_evidence, as_objects, unresolved
from compliance_rag.service.incorporated import lines as incorporated_lines
from compliance_rag.service.phrases import change_line, refusal_text
from compliance_rag.service.searching import Found
from compliance_rag.store.rows import StoredClause
from compliance_rag.store.timeline import Upcoming
from compliance_rag.structure.question_forms import asks_what_changed
from schemas.dates import print_day, print_instant
from schemas.objects import Answer, Considered, Evidence, Reason, RefusalReason, Review

# Nearest clauses shown with a refusal.
NEAREST_LIMIT = 3
# Candidates listed as considered.
CONSIDERED_LIMIT = 10


@dataclass(slots=True)
class Work:
    """One question on its way: what was settled, found and said. ``refused`` wins over whatever was said;
    ``missing`` are sentences on what was asked for and is not there; ``brought`` the texts that the cited clauses
    incorporate; ``earlier`` what they said before, where that is asked; ``turned``:
    a follow-up that names a day was answered by what the answer before cites; ``subject``: what the question is searched as."""

    request: AskRequest
    request_id: str
    situation: Situation
    found: Found | None = None
    outcome: Outcome | None = None
    refused: RefusalReason | None = None
    nearest: tuple[StoredClause, ...] = ()
    notes: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    brought: list[Brought] = field(default_factory=list)
    earlier: list[Compared] = field(default_factory=list)
    turned: bool = False
    subject: str = ""

    @property
    def comparing(self) -> bool:
        """True for a question that asks what changed."""
        return asks_what_changed(self.request.question)

    @property
    def ranking(self) -> Ranking | None:
        """The ranking, None when nothing was searched."""
        return None if self.found is None else self.found.ranking

    @property
    def checked(self) -> tuple[CheckedCitation, ...]:
        """The citations that stand; none when refused."""
        done = self.outcome is not None and self.outcome.validation is not None and self.refused is None
        return self.outcome.validation.citations if done and self.outcome and self.outcome.validation else ()

    @property
    def evidence(self) -> list[EvidenceItem]:
        """What was put before the answerer: the chosen clauses first, then what expansion brought."""
        if self.found is None:
            return []
        chosen = () if self.outcome is None else self.outcome.evidence
        known: dict[str, EvidenceItem] = {}
        beside = [*as_evidence(self.brought, self.situation), *earlier_texts.as_evidence(self.earlier)]
        for item in (*chosen, *beside, *self.found.evidence):
            known.setdefault(item.clause.clause_id, item)
        return list(known.values())


def _share(work: Work) -> float:
    """The part of the question's weight that the cited clauses hold, 0 to 1."""
    if work.ranking is None or not work.checked:
        return 0.0
    asked = prepare(work.request.question, [c.clause for c in work.ranking.candidates], work.situation.as_of)
    held: frozenset[str] = frozenset().union(*(clause_terms(one.clause) for one in work.checked))
    return asked.share(held)


def _considered(candidates: Sequence[Candidate], outcome: Outcome | None, cited: set[str], refused: bool) -> list[Considered]:
    why = {} if outcome is None or outcome.draft is None else outcome.draft.choice.why_not
    default = "the documents were found not to say" if refused else "not needed for the answer"
    return [
        Considered(clause_id=c.clause.clause_id, rank=rank, why_not=why.get(c.clause.clause_id, default))
        for rank, c in enumerate(candidates[:CONSIDERED_LIMIT], 1)
        if c.clause.clause_id not in cited
    ]


def _reasons(work: Work) -> list[Reason]:
    found: list[Reason] = []
    outcome = work.outcome
    if outcome is None:
        return found
    if outcome.validations and not outcome.written and any(str(v["of"]).startswith("model") for v in outcome.validations):
        found.append(Reason(code="model_rejected", text="A written answer failed validation; the verbatim one is shown."))
    for note in outcome.notes:
        if note.startswith("egress"):
            found.append(Reason(code="egress", text="A document in evidence may not be sent to the model endpoint."))
    if outcome.draft is not None and outcome.draft.named and not outcome.written:
        names = ", ".join(clause.clause_id for clause in outcome.draft.named)
        found.append(Reason(code="exceptions_not_quoted", text=f"Exceptions in scope and not quoted: {names}."))
    if work.found is not None and work.found.left_out:
        found.append(Reason(code="evidence_left_out", text=f"Left out by the budget: {', '.join(work.found.left_out)}."))
    return found


def _review(handle: HomeHandle, work: Work, confidence: Confidence, missing: Sequence[str]) -> Review:
    best = max((c.score for c in work.ranking.candidates), default=0.0) if work.ranking else 0.0
    evidence = () if work.found is None else work.found.evidence
    return review(
        confidence,
        work.checked,
        evidence,
        gaps=missing,
        best_score=best,
        settings=handle.settings.review,
        refused=None if work.checked else work.refused or "validation",
        extra=_reasons(work),
    )


def build(handle: HomeHandle, work: Work) -> Answer:
    """The answer's JSON, receipt still missing."""
    request, situation, outcome = work.request, work.situation, work.outcome
    checked = work.checked
    rendered: Rendered | None = outcome.rendered if outcome is not None and checked else None
    cited = [one.clause for one in checked]
    cited_docs = list(dict.fromkeys(clause.version.doc_id for clause in cited))
    brought = work.brought if checked else []
    missing = [*work.missing, *unresolved(brought, chinese=is_han(request.question))]
    missing += gaps(situation, request.docs, cited_docs, chinese=is_han(request.question))
    if work.refused == "silent":
        missing += [gap for gap in unread(situation, chinese=is_han(request.question)) if gap not in missing]
    touched = [*request.docs, *cited_docs]
    missing += dispute_lines(disputes(situation, touched), situation.as_of, chinese=is_han(request.question))
    ahead = changes_ahead(situation, cited_docs, cited)
    answerable = outcome.silence.score if outcome is not None else 0.0
    retrieval = retrieval_confidence(work.ranking, answerable) if work.ranking is not None else 0.0
    written = outcome is not None and outcome.written
    retried = outcome is not None and outcome.retried
    confidence = Confidence(
        retrieval, answer_confidence(checked, retrieval, share=_share(work), written=written, retried=retried)
    )
    candidates = work.ranking.candidates if work.ranking is not None else ()
    nearest = work.nearest or tuple(c.clause for c in candidates[:NEAREST_LIMIT])
    seen = _review(handle, work, confidence, missing)
    person = waits([reason.code for reason in seen.reasons], handle.settings.review.route)
    status = "refused" if rendered is None else "needs_review" if person else "answered"
    return Answer(
        answer_id=f"a-{uuid.uuid4().hex}",
        request_id=work.request_id,
        status=status,  # type: ignore[arg-type]  # one of the three literals
        question=request.said or request.question,
        as_of=print_day(situation.as_of) or "",
        as_of_from=situation.as_of_from,
        known_at=print_instant(situation.knowledge.known_at),
        known_basis=situation.knowledge.basis,
        corpus_root=situation.corpus_root,
        answer=_text(work, rendered, missing, ahead),
        statements=list(rendered.statements) if rendered else [],
        citations=list(rendered.citations) if rendered else [],
        evidence=[_evidence(item) for item in work.evidence],
        considered=_considered(candidates, outcome, {clause.clause_id for clause in cited}, rendered is None),
        retrieval_confidence=confidence.retrieval,
        answer_confidence=confidence.answer,
        review=seen,
        gaps=missing,
        conflicts=find_conflicts(request.question, checked),
        upcoming_changes=[_change(change, situation, chinese=is_han(request.question)) for change in ahead],
        refusal_reason=None if rendered else work.refused or "validation",
        clarify=[*situation.clarify, *side_by_side(request, checked)],
        nearest=[] if rendered else [clause.to_object() for clause in nearest],
        scope=situation.in_force.scope,
        model=None if outcome is None else outcome.model,
        incorporated=as_objects(brought, situation),
        follows=request.reading,
        earlier=earlier_texts.as_objects(work.earlier if checked else ()),
    )


def _evidence(item: EvidenceItem) -> Evidence:
    return Evidence(clause_id=item.clause.clause_id, role=item.role, why=item.why, score=item.score)


def _change(change: Upcoming, situation: Situation, *, chinese: bool) -> dict[str, Any]:
    return {
        "text": change_line(change, situation, chinese=chinese),
        "day": print_day(change.day),
        "kind": change.kind,
        "doc_id": change.doc_id,
        "language": change.language,
        "version_id": change.version_id,
        "number": change.number,
        "quote": change.quote,
    }


def _text(work: Work, rendered: Rendered | None, missing: Sequence[str], ahead: Sequence[Upcoming]) -> str:
    chinese = is_han(work.request.question)
    if rendered is None:
        dormant = work.nearest[0] if work.nearest else None
        return refusal_text(work.refused or "validation", work.situation, missing, dormant, chinese=chinese)
    lines = [rendered.text, *incorporated_lines(work.brought, {one.clause.clause_id for one in work.checked}, chinese=chinese)]
    lines += earlier_texts.lines(work.earlier, chinese=chinese)
    if work.earlier:
        lines += earlier_texts.also_changed(work.subject, work.earlier, work.situation, chinese=chinese)
    firsts: dict[str, Upcoming] = {}
    for change in ahead:
        if change.number is None:
            firsts.setdefault(change.doc_id, change)
    cut = () if work.outcome is None or work.outcome.draft is None or work.outcome.written else work.outcome.draft.choice.cut
    if cut:
        names = ("、" if chinese else ", ").join(place(clause) for clause in cut)
        lines.append(f"该列举中未引用的部分：{names}。" if chinese else f"Further parts of the list, not quoted: {names}.")
    several = len({one.clause.version.doc_id for one in work.checked}) > 1
    lines += [
        change_line(change, work.situation, chinese=chinese, titled=several)
        for change in firsts.values()
        if change.kind != "version_ends" or (print_day(change.day) or "") not in rendered.text
    ]
    lines += [change_line(item, work.situation, chinese=chinese, titled=False) for item in ahead if item.kind == "clause_ends"]
    return "\n".join(dict.fromkeys([*lines, *missing]))
