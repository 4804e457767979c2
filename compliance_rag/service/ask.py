"""Asking: from a question to an answer that is recorded before anyone sees it; and searching, which records nothing."""

from __future__ import annotations

import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from audit.durable import locked
from compliance_rag.answer.model import Endpoint
from compliance_rag.answer.select import READ_LIMIT
from compliance_rag.answer.terms import is_han
from compliance_rag.retrieve.search import Vector
from compliance_rag.retrieve.types import EvidenceItem, Query
from compliance_rag.service.answering import Material, answer
from compliance_rag.service.asking import AskRequest, check_question, none_in_force, query_of, situate
from compliance_rag.service.build import CONSIDERED_LIMIT, Work, build
from compliance_rag.service.compared import compared, subject_of
from compliance_rag.service.dormant import find_dormant, out_ranked
from compliance_rag.service.events import answered
from compliance_rag.service.following import as_they_stand, taken_up
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.incorporated import incorporated
from compliance_rag.service.lookup import LookUp, look_up
from compliance_rag.service.permitted import permitted_bytes
from compliance_rag.service.phrases import no_such_clause
from compliance_rag.service.record import answer_draft, find_request
from compliance_rag.service.registry import HomeRegistry
from compliance_rag.service.searching import find, headings_in, with_chosen, with_named
from compliance_rag.service.settings_record import settings_changed
from compliance_rag.store.rows import StoredClause
from schemas.dates import print_day, print_instant
from schemas.errors import IntegrityError
from schemas.objects import Answer, Hit, SearchResult

# Codes of an error that means: a stored text is not what was published.
DAMAGE = frozenset({"clause_hash_mismatch", "part_damaged", "part_missing", "record_damaged"})


def ask(handle: HomeHandle, request: AskRequest) -> Answer:
    """Answer a question as of a day, as known at an instant. The record is durable before this returns (law 6); the same
    request id gives the stored answer back. A refusal is an answer; reason ``integrity``: a cited clause is damaged.

    Raises InputRejected ``question_empty``, ``question_too_long``, ``request_id_taken``, ``unknown_jurisdiction``; NotFound
    ``unknown_document``, ``unknown_answer`` or ``erased`` of an answer that is followed; IntegrityError of the stores and the
    ledger when they cannot be read or written.
    """
    started = time.perf_counter()
    handle.ledger.refresh()
    request = taken_up(handle, request)
    earlier = find_request(handle.ledger, request)
    if earlier is not None:
        answered(earlier, started, repeated=True)
        return earlier
    work = work_out(handle, request)
    built = build(handle, work)
    done = _commit(handle, work, built)
    answered(done, started, repeated=False)
    return done


def work_out(
    handle: HomeHandle, request: AskRequest, *, vector: Vector | None = None, recorded_by: datetime | None = None
) -> Work:
    """Everything before the record: settle, search, answer. Writes nothing. ``vector`` and ``recorded_by`` are a past answer's
    own, when it is derived again."""
    situation = situate(handle, request, recorded_by)
    work = Work(request, request.request_id or uuid.uuid4().hex, situation)
    if situation.clarify:
        work.refused = "ambiguous_date"
        return work
    work.refused = none_in_force(list(situation.in_force.decisions.values()))
    if work.refused is not None:
        return work
    try:
        _answer(handle, work, vector)
    except IntegrityError as error:
        if error.code not in DAMAGE:
            raise
        work.refused = "integrity"
        work.notes.append(error.message)
    return work


def _answer(handle: HomeHandle, work: Work, vector: Vector | None) -> None:
    request, situation = work.request, work.situation
    work.subject = subject_of(request.question, situation)
    query = replace(query_of(request, situation, READ_LIMIT), text=work.subject)
    work.found = find(handle, query, situation, vector=vector)
    asked = look_up(request.question, situation)
    if asked is not None and asked.named is None:
        _not_there(work, asked)
        return
    named = None if asked is None else asked.named
    if request.reading is not None and request.reading.same:
        named = as_they_stand(request.reading.clauses, situation)
        work.turned = named is not None
    if named is not None:
        work.found = with_named(handle, work.found, named)
    registry = HomeRegistry(situation.corpus, handle.ledger, situation.knowledge)
    material = Material(
        question=work.subject if work.comparing else request.question,
        ranking=work.found.ranking,
        evidence=work.found.evidence,
        headings=headings_in(request.question, situation),
        named=named,
        registry=registry,
        as_of=situation.as_of,
        knowledge=situation.knowledge,
        limit=request.limit,
        in_force=int(situation.in_force.in_force.sum()),
        expanded=work.found.expanded,
        more=lambda clauses: _more(handle, work, clauses),
    )
    work.outcome = answer(material, _endpoint(handle, request))
    work.refused = work.outcome.reason
    cited = list({one.clause.clause_id: one.clause for one in work.checked}.values())
    work.brought = incorporated(request.question, cited, situation, registry)
    work.earlier = compared(request.question, work.checked, situation, registry)
    if work.refused in (None, "silent") and not _looked_up(work):
        best = [candidate.clause for candidate in work.found.ranking.candidates[:CONSIDERED_LIMIT]]
        dormant = out_ranked(handle, work.found.ranking, situation) or find_dormant(
            request.question, situation, best, answered=work.refused is None
        )
        if dormant is not None:
            work.refused, work.nearest = dormant.reason, (dormant.clause,)


def _more(handle: HomeHandle, work: Work, clauses: Sequence[StoredClause]) -> tuple[EvidenceItem, ...]:
    if work.found is None:
        return ()
    work.found = with_chosen(handle, work.found, clauses)
    return work.found.evidence


def _not_there(work: Work, asked: LookUp) -> None:
    """The clause asked for by number is not in force on the day, or no document in scope has one of that number."""
    if asked.out is not None:
        clause, reason = asked.out
        work.refused, work.nearest = reason, (clause,)
        return
    work.refused = "silent"
    work.missing.append(no_such_clause(asked.name, work.situation, chinese=is_han(work.request.question)))


def _looked_up(work: Work) -> bool:
    """True when the question asked for a clause by number, for a place, or for another day of what was cited, and got it."""
    if work.turned:
        return True
    numbered = work.ranking is not None and any(candidate.number is not None for candidate in work.ranking.candidates)
    return numbered or any(one.role == "locator" for one in work.checked)


def _endpoint(handle: HomeHandle, request: AskRequest) -> Endpoint | None:
    settings = handle.settings.model
    if not request.use_model or not settings.base_url or not settings.name:
        return None
    return Endpoint(settings.base_url, settings.name, request.api_key, settings.timeout)


def _commit(handle: HomeHandle, work: Work, built: Answer) -> Answer:
    """Record, then give the receipt back with the answer. Under the request lock when the caller named the request: of two that
    come at once, the second gets the first one's answer."""
    outcome = work.outcome
    trail: dict[str, Any] = {
        "silence": None if outcome is None else {"score": outcome.silence.score, "features": outcome.silence.features},
        "validations": [] if outcome is None else outcome.validations,
        "notes": [*work.notes, *([] if outcome is None else outcome.notes)],
        "attempts": [] if outcome is None else outcome.attempts,
    }
    evidence = work.evidence
    considered = () if work.ranking is None else work.ranking.candidates[:CONSIDERED_LIMIT]
    used = [*(item.clause for item in evidence), *(one.clause for one in work.checked)]
    used += [*(candidate.clause for candidate in considered), *work.nearest]
    draft = answer_draft(
        work.request, built, handle.settings, work.ranking, evidence, used, trail,
        permitted=permitted_bytes(work.situation.corpus, work.situation.in_force),
        left_out=() if work.found is None else work.found.left_out,
    )  # fmt: skip
    changed = settings_changed(handle.ledger, handle.settings, work.request.actor, work.request.actor_auth)
    if work.request.request_id is None:
        done = handle.ledger.append([*changed, draft])[-1]
        return built.model_copy(update={"ledger": done.receipt})
    with locked(handle.home.request_lock):
        handle.ledger.refresh()
        earlier = find_request(handle.ledger, work.request)
        if earlier is not None:
            return earlier
        done = handle.ledger.append([*changed, draft])[-1]
    return built.model_copy(update={"ledger": done.receipt})


def search(handle: HomeHandle, query: Query) -> SearchResult:
    """Ranked clauses on the permitted in-force set. Never infers a date, records nothing.

    Raises InputRejected ``question_empty``, ``question_too_long``, ``unknown_jurisdiction``; NotFound ``unknown_document``.
    """
    check_question(query.text, "query")
    request = AskRequest(
        question=query.text,
        as_of=query.as_of,
        known_at=query.known_at,
        known_basis=query.known_basis,
        docs=query.docs,
        jurisdictions=query.jurisdictions,
        language=query.language,
        permitted=query.permitted,
    )
    situation = situate(handle, request)
    found = find(handle, replace(query, known_at=situation.knowledge.known_at), situation, expanded=False)
    hits = [
        Hit(
            **c.clause.fields(),
            rank=rank,
            score=c.score,
            sources={"lexical": c.lexical, "dense": c.dense, "number": c.number, "term": c.term},
            why=c.why,
        )
        for rank, c in enumerate(found.ranking.candidates[: query.limit], 1)
    ]
    return SearchResult(
        as_of=print_day(query.as_of) or "",
        known_at=print_instant(situation.knowledge.known_at),
        corpus_root=situation.corpus_root,
        hits=hits,
    )
