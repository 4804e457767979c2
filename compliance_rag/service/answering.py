"""From ranked clauses to a validated answer: written by a model where one may be asked, else verbatim, else a refusal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any

from compliance_rag.answer.further import PRIMARY_LIMIT
from compliance_rag.answer.model import Attempt, Endpoint, may_send, write
from compliance_rag.answer.numbered import NamedClauses
from compliance_rag.answer.orders import without_orders
from compliance_rag.answer.prompt import PROMPT_VERSION, fit_evidence, messages
from compliance_rag.answer.render import Rendered, render_verbatim, render_written
from compliance_rag.answer.silence import Silence, decide
from compliance_rag.answer.terms import is_han, terms
from compliance_rag.answer.validate import Failure, Proposal, Registry, Validation, label_evidence, validate
from compliance_rag.answer.verbatim import Draft, compose
from compliance_rag.retrieve.types import EvidenceItem, Ranking
from compliance_rag.store.rows import StoredClause
from compliance_rag.store.timeline import Knowledge
from schemas.dates import print_day
from schemas.objects import RefusalReason

# A rejected answer is sent back once with the reasons; a model that fails twice is not asked a third time.
MODEL_TRIES = 2
# Candidates put beside the chosen clauses before a model, so that it can use what the deterministic choice passed over.
BESIDE_LIMIT = 4
# A written answer holds this part of the question's words that the verbatim answer's sentences hold.
ON_THE_QUESTION = 0.34


@dataclass(slots=True)
class Outcome:
    """What came of a question. ``rendered`` and ``validation`` are set when it is answered, ``reason`` when it is refused."""

    silence: Silence
    reason: RefusalReason | None = None
    rendered: Rendered | None = None
    validation: Validation | None = None
    draft: Draft | None = None
    evidence: tuple[EvidenceItem, ...] = ()
    written: bool = False
    retried: bool = False
    model: dict[str, Any] | None = None
    attempts: list[dict[str, Any]] = field(default_factory=list)
    validations: list[dict[str, Any]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Material:
    """All that an answer is made from. ``in_force`` counts the clauses in force, filters aside; ``named`` are the clauses that
    the question asks for by number; ``expanded`` the candidates that ``evidence`` was expanded from, and ``more`` gives all
    evidence once further clauses are expanded."""

    question: str
    ranking: Ranking
    evidence: tuple[EvidenceItem, ...]
    headings: tuple[StoredClause, ...]
    named: NamedClauses | None
    registry: Registry
    as_of: date
    knowledge: Knowledge
    limit: int | None = None
    in_force: int = 1
    expanded: frozenset[str] = frozenset()
    more: Callable[[Sequence[StoredClause]], tuple[EvidenceItem, ...]] | None = None


def answer(material: Material, endpoint: Endpoint | None) -> Outcome:
    """Decide whether there is anything to say, then say it. Raises IntegrityError when a cited clause is damaged."""
    silence = decide(material.ranking, material.in_force)
    draft = _compose(material)
    further = _unexpanded(draft, material)
    if further and material.more is not None:
        material = replace(material, evidence=material.more(further), more=None)
        draft = _compose(material)
    by_heading = draft.locator is not None and any(item.role == "locator" for item in draft.labels.values())
    told = by_heading or material.named is not None
    outcome = Outcome(silence, draft=draft, evidence=tuple(draft.labels.values()))
    unmet = None if by_heading else draft.choice.unmet
    if (silence.silent and not told) or unmet is not None or not draft.proposal.statements:
        outcome.reason = "silent"
        if unmet is not None:
            outcome.notes.append(f"silent: {unmet}")
        return outcome
    if endpoint is not None and not told and _write(material, endpoint, draft, outcome):
        return outcome
    _verbatim(material, draft, outcome)
    return outcome


def _compose(material: Material) -> Draft:
    return compose(
        material.question,
        material.ranking,
        material.evidence,
        material.headings,
        named=material.named,
        limit=material.limit,
    )


def _unexpanded(draft: Draft, material: Material) -> list[StoredClause]:
    """The clauses that answer and come from so far down the ranking that nobody asked yet what belongs to them."""
    if material.named is not None:
        return []
    first = [piece.clause for piece in draft.choice.pieces if piece.role == "primary" and piece.part != "child"][:PRIMARY_LIMIT]
    return [clause for clause in first if clause.clause_id not in material.expanded]


def _verbatim(material: Material, draft: Draft, outcome: Outcome) -> None:
    proposal = draft.proposal
    found = _validate(material, proposal, draft.labels)
    outcome.validations.append({"of": "verbatim", **found.as_record()})
    unsupported = {failure.statement for failure in found.failures if failure.step == 7}
    if unsupported and all(failure.step == 7 for failure in found.failures):
        # Our own words, read too strictly: the sentence is left out, and with it what was quoted for it only.
        kept = tuple(s for at, s in enumerate(proposal.statements) if at not in unsupported)
        proposal = replace(proposal, statements=kept)
        found = _validate(material, proposal, draft.labels)
        outcome.validations.append({"of": "verbatim without unsupported sentences", **found.as_record()})
    if found.passed:
        outcome.validation, outcome.rendered = found, render_verbatim(found)
    else:
        outcome.reason = "integrity" if found.integrity else "validation"


def _validate(material: Material, proposal: Proposal, labels: Mapping[str, EvidenceItem]) -> Validation:
    return validate(proposal, labels, material.registry, material.as_of, material.knowledge)


def model_evidence(draft: Draft, material: Material) -> list[EvidenceItem]:
    """What a model may see: the chosen clauses, what is tied to them, the next candidates; nothing that addresses a machine."""
    chosen = list(draft.labels.values())
    ids = {item.clause.clause_id for item in chosen}
    tied = [item for item in material.evidence if item.origin in ids and item.role in ("exception", "definition", "lead_in")]
    beside = [
        EvidenceItem(c.clause, "primary", c.why or "ranked", c.score)
        for c in material.ranking.candidates[: BESIDE_LIMIT + len(ids)]
    ]
    found: dict[str, EvidenceItem] = {}
    for item in [*chosen, *tied, *beside]:
        text = item.clause.clause.text
        if without_orders(text).strip():
            found.setdefault(item.clause.clause_id, item)
    return list(found.values())


def _write(material: Material, endpoint: Endpoint, draft: Draft, outcome: Outcome) -> bool:
    """Try for a written answer; True when one passed. What was tried is on ``outcome`` either way."""
    evidence, left_out = fit_evidence(model_evidence(draft, material))
    if not evidence:
        return False
    if not may_send([item.clause.version for item in evidence], endpoint.base_url):
        outcome.notes.append("egress: a document in evidence may not be sent to this endpoint")
        return False
    labels = label_evidence(evidence)
    if left_out:
        outcome.notes.append("not sent for want of room: " + ", ".join(item.clause.clause_id for item in left_out))
    failures: Sequence[Failure] = ()
    tokens: dict[str, int] = {}
    for turn in range(MODEL_TRIES):
        said = messages(material.question, labels, print_day(material.as_of) or "", failures)
        tried = write(endpoint, said)
        outcome.attempts += [attempt.as_record() for attempt in tried]
        _add_tokens(tokens, tried)
        outcome.retried = turn > 0
        outcome.model = {"name": endpoint.name, "url": endpoint.base_url, "tokens": dict(tokens), "prompt": PROMPT_VERSION}
        written = tried[-1].written
        if written is None:
            return False
        found = _validate(material, written.proposal(), labels)
        found = _on_the_question(found, material.question, draft)
        outcome.validations.append({"of": f"model {turn + 1}", **found.as_record()})
        if found.passed:
            outcome.validation, outcome.rendered = found, render_written(found)
            outcome.written, outcome.evidence = True, tuple(evidence)
            return True
        failures = found.failures
    return False


def _on_the_question(found: Validation, question: str, draft: Draft) -> Validation:
    """``found``, failed where the statements hold next to nothing of the question that the verbatim answer holds: a true quote
    of something else is no answer."""
    written = " ".join(statement.text for statement in found.proposal.statements)
    held = terms(question) & terms(" ".join(piece.spoken for piece in draft.choice.pieces))
    if not found.passed or is_han(question) != is_han(written) or len(held & terms(written)) >= ON_THE_QUESTION * len(held):
        return found
    failure = Failure(8, "off_the_question", "the statements do not speak of the question")
    return replace(found, failures=(*found.failures, failure))


def _add_tokens(total: dict[str, int], tried: Sequence[Attempt]) -> None:
    for attempt in tried:
        for name, count in attempt.tokens.items():
            total[name] = total.get(name, 0) + count
