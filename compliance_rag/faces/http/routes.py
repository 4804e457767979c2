"""The contract's calls: bodies and answers are the command line's."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Request
from pydantic import BeforeValidator
from starlette.responses import Response

from compliance_rag.faces.api import DEFAULT_HITS, Rules
from compliance_rag.faces.http.access import need
from compliance_rag.faces.http.app import Service
from compliance_rag.faces.http.bodies import AskBody, AssignBody, CloseBody, DecisionBody, EraseBody, HoldBody, SearchBody
from compliance_rag.faces.http.errors import json_response, told
from compliance_rag.faces.http.ingest_routes import add_routes
from compliance_rag.faces.http.parameters import digits, known_parameters
from compliance_rag.faces.http.shapes import (
    Checkpointed,
    ClauseShown,
    Erased,
    Held,
    OutlineShown,
    Reconstructed,
    RecordShown,
    Verdict,
)
from compliance_rag.service.checkpoints import sign_checkpoint
from compliance_rag.service.erasing import erase_answer
from compliance_rag.service.held_pages import is_page_id
from compliance_rag.service.keys import ROLES
from schemas.held_page import HeldPage, HeldPageShown
from schemas.objects import Answer, Changes, DocumentObject, ReviewItem, ReviewShown, SearchResult
from schemas.stale import StaleItem

Basis = Literal["recorded", "published"]
# A page of a list; the whole list when none is asked for.
PAGE_LIMIT = 1_000
TOTAL = "X-Total-Count"

KnownAt = Annotated[str | None, Query(description="RFC 3339, or a day: as known then")]
AsOf = Annotated[str | None, Query(description="YYYY-MM-DD; default today")]
# As a whole number is written: `1_0`, ` 1` and `+1` are no numbers of a list.
Digits = BeforeValidator(digits)
Limit = Annotated[int | None, Digits, Query(ge=1, le=PAGE_LIMIT, description="at most so many; the total is in X-Total-Count")]
Offset = Annotated[int, Digits, Query(ge=0, le=2**31, description="from this one on")]


def rules_of(request: Request) -> Rules:
    """The calls as the bearer of this request may make them. Raises Refused 401."""
    service: Service = request.app.state.service
    return service.rules(request)


Mine = Annotated[Rules, Depends(rules_of)]


def _page(items: Sequence[Any], offset: int, limit: int | None) -> Response:
    shown = items[offset:] if limit is None else items[offset : offset + limit]
    return json_response(list(shown), headers={TOTAL: str(len(items))})


def _part(found: dict[str, Any], name: str, offset: int, limit: int | None) -> Response:
    """An object with a page of the list that it holds under ``name``."""
    items = found[name]
    shown = items[offset:] if limit is None else items[offset : offset + limit]
    return json_response({**found, name: shown}, headers={TOTAL: str(len(items))})


def _dump(items: Sequence[Any]) -> list[Any]:
    return [item.model_dump(mode="json") for item in items]


def router(service: Service) -> APIRouter:
    """All calls under ``/api``."""
    api = APIRouter(prefix="/api", dependencies=[Depends(rules_of), Depends(known_parameters)])
    _asking(api, service)
    _reading(api)
    _staleness(api)
    _reviewing(api)
    _auditing(api)
    _keeping(api)
    add_routes(api, service, rules_of)
    return api


def _asking(api: APIRouter, service: Service) -> None:
    @api.post(
        "/ask", tags=["asking"], responses={200: {"model": Answer}, **told(400, 401, 403, 404, 413, 422, 500, 503)},
        summary="An answer with citations and a receipt; on the ledger before it is sent",
    )  # fmt: skip
    def ask(body: AskBody, rules: Mine) -> Response:
        need(rules.bearer, "analyst", "reviewer", "engineer")
        answer = rules.ask(
            body.question, as_of=body.as_of, known_at=body.known_at, known_basis=body.known_basis, docs=body.doc,
            jurisdictions=body.jurisdiction, language=body.language, limit=body.limit, request_id=body.request_id,
            conversation=body.conversation, follows=body.follows, use_model=not body.no_model,
        )  # fmt: skip
        service.metrics.answer(answer.status)
        return json_response(answer.model_dump(mode="json"))

    @api.post(
        "/search", tags=["asking"], responses={200: {"model": SearchResult}, **told(400, 401, 404, 413, 422, 500, 503)},
        summary="Clauses in force, best first; records nothing",
    )  # fmt: skip
    def search(body: SearchBody, rules: Mine) -> Response:
        found = rules.search(
            body.query, as_of=body.as_of, known_at=body.known_at, known_basis=body.known_basis, docs=body.doc,
            jurisdictions=body.jurisdiction, language=body.language, limit=body.limit or DEFAULT_HITS,
        )  # fmt: skip
        return json_response(found.model_dump(mode="json"))


def _reading(api: APIRouter) -> None:
    errors = told(400, 401, 404, 422, 500)

    @api.get("/docs", tags=["documents"], responses={200: {"model": list[DocumentObject]}, **errors}, summary="Documents")
    def docs(
        rules: Mine, as_of: AsOf = None, known_at: KnownAt = None, known_basis: Basis = "recorded",
        offset: Offset = 0, limit: Limit = None,
    ) -> Response:  # fmt: skip
        return _page(_dump(rules.docs(as_of=as_of, known_at=known_at, known_basis=known_basis)), offset, limit)

    @api.get(
        "/outline/{doc}",
        tags=["documents"],
        responses={200: {"model": OutlineShown}, **errors},
        summary="The clauses of a version in order",
    )
    def outline(
        doc: str, rules: Mine, version: str | None = None, as_of: AsOf = None, full: bool = False, known_at: KnownAt = None,
        known_basis: Basis = "recorded", offset: Offset = 0, limit: Limit = None,
    ) -> Response:  # fmt: skip
        found = rules.outline(doc, version=version, as_of=as_of, full=full, known_at=known_at, known_basis=known_basis)
        return _part(found, "clauses", offset, limit)

    @api.get(
        "/clause/{clause_id:path}", tags=["documents"], responses={200: {"model": ClauseShown}, **errors},
        summary="One clause with its links; `#` in its id is written %23",
    )  # fmt: skip
    def clause(
        clause_id: str, rules: Mine, history: bool = False, known_at: KnownAt = None, known_basis: Basis = "recorded"
    ) -> Response:
        return json_response(rules.clause(clause_id, history=history, known_at=known_at, known_basis=known_basis))

    @api.get(
        "/changes/{doc}", tags=["documents"], responses={200: {"model": Changes}, **errors},
        summary="What changed between two versions or days",
    )  # fmt: skip
    def changes(
        doc: str, rules: Mine, start: Annotated[str, Query(alias="from")], to: str, about: str | None = None,
        known_at: KnownAt = None, known_basis: Basis = "recorded", offset: Offset = 0, limit: Limit = None,
    ) -> Response:  # fmt: skip
        found = rules.changes(doc, start, to, about=about, known_at=known_at, known_basis=known_basis)
        return _part(found.model_dump(mode="json", by_alias=True), "changes", offset, limit)

    @api.get("/stale", tags=["documents"], responses={200: {"model": list[StaleItem]}, **errors}, summary="Stale answers")
    def stale(
        rules: Mine, since: str | None = None, open: bool = False, known_at: KnownAt = None, known_basis: Basis = "recorded",  # noqa: A002  the option's name
        offset: Offset = 0, limit: Limit = None,
    ) -> Response:  # fmt: skip
        found = rules.stale(since=since, only_open=open, known_at=known_at, known_basis=known_basis)
        return _page(_dump(found), offset, limit)


def _staleness(api: APIRouter) -> None:
    told_here: Any = {200: {"model": StaleItem}, **told(400, 401, 403, 404, 413, 422, 500)}
    who = "For the roles reviewer and engineer; of an answer that they may not read they are not told the question."

    @api.post(
        "/stale/{answer_id}/assign", tags=["documents"], responses=told_here, description=who,
        summary="Give a stale answer to someone until a day; a later assignment takes over",
    )  # fmt: skip
    def assign(answer_id: str, body: AssignBody, rules: Mine) -> Response:
        need(rules.bearer, "reviewer", "engineer")
        return json_response(rules.assign_stale(answer_id, owner=body.owner, due=body.due).model_dump(mode="json"))

    @api.post(
        "/stale/{answer_id}/close", tags=["documents"], responses=told_here, description=who,
        summary="Record what was decided about a stale answer; the last decision holds",
    )  # fmt: skip
    def close(answer_id: str, body: CloseBody, rules: Mine) -> Response:
        need(rules.bearer, "reviewer", "engineer")
        return json_response(rules.close_stale(answer_id, decision=body.decision, note=body.note).model_dump(mode="json"))


def _reviewing(api: APIRouter) -> None:
    errors = told(400, 401, 403, 404, 422, 500)

    @api.get(
        "/review", tags=["review"], responses={200: {"model": list[ReviewItem | HeldPage]}, **errors},
        summary="Answers and scanned pages waiting for a person's decision",
    )  # fmt: skip
    def reviews(rules: Mine, all: bool = False, offset: Offset = 0, limit: Limit = None) -> Response:  # noqa: A002  the option's name
        need(rules.bearer, "reviewer", "auditor")
        return _page(_dump([*rules.reviews(decided=all), *rules.held_pages(decided=all)]), offset, limit)

    @api.get(
        "/review/{answer_id}", tags=["review"], responses={200: {"model": ReviewShown | HeldPageShown}, **errors},
        summary="An answer, or a held page as read, beside every decision about it; reading an answer is on the ledger",
    )  # fmt: skip
    def review(answer_id: str, rules: Mine) -> Response:
        need(rules.bearer, "reviewer", "auditor")
        found = rules.held_page(answer_id) if is_page_id(answer_id) else rules.review(answer_id)
        return json_response(found.model_dump(mode="json"))

    @api.post(
        "/review/{answer_id}", tags=["review"], responses={200: {"model": ReviewShown | HeldPageShown}, **errors, **told(413)},
        summary="Decide; the answer stays as it was given, a held page brings its version anew",
    )  # fmt: skip
    def decide(answer_id: str, body: DecisionBody, rules: Mine) -> Response:
        need(rules.bearer, "reviewer")
        one = rules.decide_page if is_page_id(answer_id) else rules.decide
        done: ReviewShown | HeldPageShown = one(answer_id, body.decision, note=body.note, text=body.text)
        return json_response(done.model_dump(mode="json"))


def _auditing(api: APIRouter) -> None:
    errors = told(401, 403, 404, 422, 500)

    @api.get("/audit", tags=["audit"], responses={200: {"model": list[dict[str, Any]]}, **errors}, summary="All records")
    def records(rules: Mine, offset: Offset = 0, limit: Limit = None) -> Response:
        need(rules.bearer, "auditor", whole=True)
        rules.handle.ledger.refresh()
        return _page([header for _, header in rules.handle.ledger.headers()], offset, limit)

    @api.get(
        "/audit/verify",
        tags=["audit"],
        responses={200: {"model": Verdict}, **errors},
        summary="Check everything from the bytes",
    )
    def verify(rules: Mine) -> Response:
        need(rules.bearer, "auditor", "engineer", whole=True)
        return json_response(rules.verify())

    @api.get(
        "/audit/{name}",
        tags=["audit"],
        responses={200: {"model": RecordShown}, **errors},
        summary="One record (an answer id, or an index) with its parts",
    )
    def record(name: str, rules: Mine) -> Response:
        return json_response(rules.record(name))

    @api.get(
        "/audit/{answer_id}/reconstruct",
        tags=["audit"],
        responses={200: {"model": Reconstructed}, **errors},
        summary="As it was seen, and derived again",
    )
    def reconstruct(answer_id: str, rules: Mine) -> Response:
        need(rules.bearer, *ROLES)
        return json_response(rules.reconstruct(answer_id))

    @api.get(
        "/audit/{answer_id}/export", tags=["audit"], responses={200: {"content": {"application/zip": {}}}, **errors},
        response_class=Response, summary="The evidence bundle (zip)",
        description="For the role exporter, of an answer that its bearer may read.",
    )  # fmt: skip
    def export(answer_id: str, rules: Mine) -> Response:
        return bundle(rules, answer_id)

    @api.post(
        "/audit/{answer_id}/erase", tags=["audit"], responses={200: {"model": Erased}, **errors, **told(400, 413)},
        summary="Destroy the question and all that was computed from it; the proofs stand",
        description="For the role eraser with every document. An answer on hold is refused (`legal_hold`).",
    )  # fmt: skip
    def erase(answer_id: str, body: EraseBody, rules: Mine) -> Response:
        need(rules.bearer, "eraser", whole=True)
        who = {"actor": rules.bearer.name, "actor_auth": rules.bearer.auth}
        return json_response(erase_answer(rules.handle, answer_id, reason=body.reason, **who))

    @api.post(
        "/audit/checkpoint", tags=["audit"], responses={200: {"model": Checkpointed}, **errors},
        summary="Sign the whole record now, with the key that the settings name",
        description="For the role checkpointer with every document. Another process reads the key; the service never does.",
    )  # fmt: skip
    def checkpoint(rules: Mine) -> Response:
        need(rules.bearer, "checkpointer", whole=True)
        return json_response(sign_checkpoint(rules.handle, rules.bearer.name))


def _keeping(api: APIRouter) -> None:
    told_here: Any = {200: {"model": Held}, **told(400, 401, 403, 404, 413, 422, 500)}
    who = "For the role holder with every document."

    @api.post(
        "/audit/{answer_id}/hold", tags=["audit"], responses=told_here, description=who,
        summary="Forbid erasing an answer until it is released",
    )  # fmt: skip
    def hold(answer_id: str, body: HoldBody, rules: Mine) -> Response:
        need(rules.bearer, "holder", whole=True)
        return json_response(rules.hold(answer_id, reason=body.reason))

    @api.post(
        "/audit/{answer_id}/release", tags=["audit"], responses=told_here, description=who,
        summary="End a hold",
    )  # fmt: skip
    def release(answer_id: str, body: HoldBody, rules: Mine) -> Response:
        need(rules.bearer, "holder", whole=True)
        return json_response(rules.hold(answer_id, reason=body.reason, released=True))


def bundle(rules: Rules, answer_id: str) -> Response:
    """The evidence bundle of an answer as a download. Raises Refused 403 ``no_permission``."""
    need(rules.bearer, "exporter")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "evidence.zip"
        rules.export(answer_id, path)
        data = path.read_bytes()
    name = "".join(letter for letter in answer_id if letter.isalnum() or letter == "-")
    headers = {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    return Response(data, media_type="application/zip", headers=headers)
