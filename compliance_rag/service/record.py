"""The record of an answer: what the ledger keeps, by part, and finding it again by request id."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from audit.ledger import Ledger, PartDraft, RecordDraft
from compliance_rag import __version__
from compliance_rag.retrieve.types import Candidate, EvidenceItem, Ranking
from compliance_rag.service.asking import AskRequest
from compliance_rag.store.rows import StoredClause
from schemas.canonical import canonical_json
from schemas.dates import parse_instant
from schemas.errors import InputRejected, NotFound
from schemas.objects import Answer
from schemas.settings import Settings

ANSWER_FORMAT = 1
# Parts that repeat the question or what was said about it: sealed, so that erasing them leaves the proofs whole.
PERSONAL = frozenset({"question", "vector", "messages", "answer"})


def candidates_record(candidates: Sequence[Candidate]) -> list[dict[str, Any]]:
    """Candidates with both ranks and raw scores, best first."""
    return [
        {
            "clause_id": c.clause.clause_id, "sha256": c.clause.clause.sha256, "score": c.score,
            "lexical": c.lexical, "dense": c.dense,
            "number": c.number, "term": c.term, "lexical_score": c.lexical_score, "dense_score": c.dense_score, "why": c.why,
        }
        for c in candidates
    ]  # fmt: skip


def evidence_record(evidence: Sequence[EvidenceItem]) -> list[dict[str, Any]]:
    """Expansions with their reasons and where each came from."""
    return [
        {"clause_id": e.clause.clause_id, "role": e.role, "why": e.why, "score": e.score, "origin": e.origin} for e in evidence
    ]


def retrieval_record(ranking: Ranking) -> dict[str, Any]:
    """What the ranking was made with."""
    return {
        "embedder": ranking.embedder,
        "dense_method": ranking.dense_method,
        "coverage": ranking.coverage,
        "usual": list(ranking.usual),
        "hints": list(ranking.hints),
    }


def versions_record(ranking: Ranking | None, model: Mapping[str, Any] | None) -> dict[str, Any]:
    """What made the answer: this code, the embedder and the model by identity; None where there was none. The parsers are those
    of the permitted versions."""
    named = None if model is None else {key: value for key, value in model.items() if key != "tokens"}
    return {"code": __version__, "embedder": None if ranking is None else ranking.embedder, "model": named}


def request_record(request: AskRequest) -> dict[str, Any]:
    """The question as typed and how it was asked; no key. ``permitted`` only where the asker might not know of every document,
    ``follows`` (how it was read) only of a follow-up."""
    permitted: dict[str, Any] = {} if request.permitted is None else {"permitted": sorted(request.permitted)}
    follows = {} if request.reading is None else {"follows": request.reading.model_dump(mode="json")}
    return (
        permitted
        | follows
        | {
            "question": request.said or request.question,
            "as_of": None if request.as_of is None else request.as_of.isoformat(),
            "docs": list(request.docs),
            "jurisdictions": list(request.jurisdictions),
            "language": request.language,
            "limit": request.limit,
            "conversation": request.conversation,
            "use_model": request.use_model,
            "known_at_given": request.known_at is not None,
        }
    )


def shown(answer: Answer) -> bytes:
    """The answer as shown, without its receipt: what part ``answer`` holds. Not canonical: keys and numbers stay as they were
    printed, so that reconstructing gives the same bytes."""
    value = answer.model_dump(mode="json")
    value.pop("ledger")
    return json.dumps(value, ensure_ascii=False).encode("utf-8")


def answer_draft(
    request: AskRequest,
    answer: Answer,
    settings: Settings,
    ranking: Ranking | None,
    evidence: Sequence[EvidenceItem],
    used: Sequence[StoredClause],
    trail: Mapping[str, Any],
    *,
    permitted: bytes,
    left_out: Sequence[str] = (),
) -> RecordDraft:
    """The record: what is cited in clear in the header, everything else in parts. ``trail`` holds silence, validations, notes;
    its ``attempts`` (messages sent and raw replies) go into a sealed part of their own. ``permitted``: the set searched;
    ``left_out``: expansions that the budget did not hold."""
    parts: dict[str, Any] = {
        "question": request_record(request),
        "settings": settings.public(),
        "versions": versions_record(ranking, answer.model),
        "candidates": {
            "ranked": [] if ranking is None else candidates_record(ranking.candidates),
            "expansions": evidence_record(evidence),
            "left_out": list(left_out),
            "considered": [item.model_dump(mode="json") for item in answer.considered],
            "retrieval": {} if ranking is None else retrieval_record(ranking),
        },
        "validation": {key: value for key, value in trail.items() if key != "attempts"},
        "clauses": {clause.clause.sha256: clause.clause.text for clause in used},
    }
    if trail.get("attempts"):
        parts["messages"] = trail["attempts"]
    drafts = [PartDraft(role, canonical_json(value), role in PERSONAL) for role, value in parts.items()]
    drafts.append(PartDraft("permitted", permitted))
    if ranking is not None and ranking.vector:
        drafts.append(PartDraft("vector", ranking.vector, personal=True))
    drafts.append(PartDraft("answer", shown(answer), personal=True))
    cited = {citation.clause_id: citation.sha256 for citation in answer.citations}
    fields: dict[str, Any] = {
        "answer_id": answer.answer_id,
        "answer_format": ANSWER_FORMAT,
        "request_id": answer.request_id,
        "as_of": answer.as_of,
        "known_at": answer.known_at,
        "known_basis": answer.known_basis,
        "corpus_root": answer.corpus_root,
        "status": answer.status,
        "refusal_reason": answer.refusal_reason,
        "cited": [{"clause_id": clause_id, "sha256": sha256} for clause_id, sha256 in cited.items()],
        "actor": request.actor,
        "actor_auth": request.actor_auth,
    }
    return RecordDraft("answer", fields, tuple(drafts))


def find_answer(ledger: Ledger, answer_id: str) -> dict[str, Any]:
    """The header of the answer's record. Raises NotFound ``unknown_answer``."""
    ledger.refresh()
    index = ledger.find("answer", "answer_id", answer_id)
    if index is None:
        raise NotFound("unknown_answer", f"There is no answer {answer_id!r} in this ledger.", answer_id)
    return ledger.header(index)


def stored_answer(ledger: Ledger, index: int) -> Answer:
    """The answer of record ``index`` as it was shown, its receipt put back. Raises NotFound ``erased``; IntegrityError as
    ``Ledger.part``."""
    header = ledger.header(index)
    value = json.loads(ledger.part(header, "answer"))
    return Answer(**value, ledger=ledger.receipt(index))


def asked_of(ledger: Ledger, header: Mapping[str, Any]) -> dict[str, Any]:
    """How the question of an answer's record was asked, as :func:`request_record`. Raises NotFound ``erased``; IntegrityError
    as ``Ledger.part``."""
    found: dict[str, Any] = json.loads(ledger.part(header, "question"))
    return found


def find_request(ledger: Ledger, request: AskRequest) -> Answer | None:
    """The answer already given under this request id, or None. Raises InputRejected ``request_id_taken`` when the id was used
    for another question, or by another person: an answer of theirs is read by its id, and the reading is on record."""
    if request.request_id is None:
        return None
    index = ledger.find("answer", "request_id", request.request_id)
    if index is None:
        return None
    header = ledger.header(index)
    asked = json.loads(ledger.part(header, "question"))
    same = asked == request_record(request) and header["known_basis"] == request.known_basis
    same = same and header["actor"] == request.actor
    if request.known_at is not None:
        same = same and parse_instant(header["known_at"]) == request.known_at
    if not same:
        raise InputRejected(
            "request_id_taken", f"Request id {request.request_id!r} belongs to another question.", request.request_id
        )
    return stored_answer(ledger, index)
