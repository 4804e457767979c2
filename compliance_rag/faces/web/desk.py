"""The desk: stale answers, the review queue, the audit trail."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from compliance_rag.faces.api import Rules
from compliance_rag.faces.http.access import need
from compliance_rag.faces.http.errors import status_of
from compliance_rag.faces.http.routes import bundle
from compliance_rag.faces.web.asking import answer_values
from compliance_rag.faces.web.site import RECORD_ROLES, Site, same_site, see
from compliance_rag.service.checkpoints import sign_checkpoint
from compliance_rag.service.erasing import erase_answer
from compliance_rag.service.held_pages import is_page_id
from schemas.dates import parse_day
from schemas.errors import InputRejected, NotFound, UsageError

# Records on one page of the trail.
TRAIL_PAGE = 50


def router(site: Site) -> APIRouter:
    """``/stale``, ``/review``, ``/audit``."""
    pages = APIRouter()
    _stale(pages, site)
    _review(pages, site)
    _audit(pages, site)
    return pages


def _stale(pages: APIRouter, site: Site) -> None:
    @pages.get("/stale")
    def stale(request: Request, open: bool = False) -> Response:  # noqa: A002  the query's name
        return _stale_shown(site, request, only_open=open)

    @pages.post("/stale/{answer_id}/assign")
    def give(
        request: Request, answer_id: str, owner: Annotated[str, Form()] = "", due: Annotated[str, Form()] = ""
    ) -> Response:
        same_site(request)
        rules = site.rules(request)
        need(rules.bearer, "reviewer", "engineer")
        try:
            rules.assign_stale(answer_id, owner=owner, due=parse_day(due, "due"))
        except InputRejected as error:
            return _stale_shown(site, request, problem=error, draft={"answer_id": answer_id, "owner": owner, "due": due})
        return see("/stale")

    @pages.post("/stale/{answer_id}/close")
    def done(
        request: Request, answer_id: str, decision: Annotated[Literal["no_impact", "updated", "withdrawn"], Form()],
        note: Annotated[str, Form()] = "",
    ) -> Response:  # fmt: skip
        same_site(request)
        rules = site.rules(request)
        need(rules.bearer, "reviewer", "engineer")
        try:
            rules.close_stale(answer_id, decision=decision, note=note)
        except InputRejected as error:
            return _stale_shown(
                site, request, problem=error, draft={"answer_id": answer_id, "decision": decision, "note": note}
            )
        return see("/stale")


def _stale_shown(
    site: Site, request: Request, *, only_open: bool = False, problem: InputRejected | None = None,
    draft: Mapping[str, str] | None = None,
) -> Response:  # fmt: skip
    """The list; ``problem``: why what was sent about one item (``draft``) was not taken, said there with what was typed."""
    rules = site.rules(request)
    items = rules.stale(only_open=only_open)
    return site.page(
        request, "stale.html", rules, status=200 if problem is None else status_of(problem), items=items, only_open=only_open,
        readable=rules.readable([item.answer_id for item in items]), problem=problem, draft=draft or {},
    )  # fmt: skip


def _review(pages: APIRouter, site: Site) -> None:
    @pages.get("/review")
    def queue(request: Request, all: bool = False) -> Response:  # noqa: A002  the query's name
        rules = site.rules(request)
        need(rules.bearer, "reviewer", "auditor")
        items = [item.model_dump(mode="json") for item in rules.reviews(decided=all)]
        pages_held = [item.model_dump(mode="json") for item in rules.held_pages(decided=all)]
        return site.page(request, "review.html", rules, items=items, pages=pages_held, all=all)

    @pages.get("/review/{answer_id}")
    def one(request: Request, answer_id: str) -> Response:
        return _page_shown(site, request, answer_id) if is_page_id(answer_id) else _shown(site, request, answer_id)

    @pages.get("/review/{page_id}/page.png")
    def picture(request: Request, page_id: str) -> Response:
        rules = site.rules(request)
        need(rules.bearer, "reviewer", "auditor")
        return Response(rules.held_page_picture(page_id), media_type="image/png")

    @pages.post("/review/{answer_id}")
    def decide(
        request: Request, answer_id: str, decision: Annotated[Literal["approve", "amend", "reject"], Form()],
        note: Annotated[str, Form()] = "", text: Annotated[str, Form()] = "",
    ) -> Response:  # fmt: skip
        same_site(request)
        rules = site.rules(request)
        need(rules.bearer, "reviewer")
        decided, shown = (rules.decide_page, _page_shown) if is_page_id(answer_id) else (rules.decide, _shown)
        try:
            decided(answer_id, decision, note=note, text=text if decision == "amend" else None)
        except (InputRejected, UsageError) as error:
            draft = {"decision": decision, "note": note, "text": text}
            return shown(site, request, answer_id, problem=error, draft=draft)
        return see("/review")


def _shown(
    site: Site, request: Request, answer_id: str, *, problem: Any = None, draft: dict[str, str] | None = None
) -> Response:
    """An answer under review beside its evidence. The reading is on the ledger."""
    rules = site.rules(request)
    need(rules.bearer, "reviewer", "auditor")
    found = rules.review(answer_id)
    values = {} if found.answer is None else answer_values(rules, found.answer)
    return site.page(
        request, "review-one.html", rules, status=200 if problem is None else status_of(problem), problem=problem,
        draft=draft or {"decision": "", "note": "", "text": ""},
        **{"answer": None, "titles": {}, "langs": {}, "review": found, "source": None, "title": "", **values},
    )  # fmt: skip


def _page_shown(
    site: Site, request: Request, page_id: str, *, problem: Any = None, draft: dict[str, str] | None = None
) -> Response:
    """A held page as it was read, beside its picture."""
    rules = site.rules(request)
    need(rules.bearer, "reviewer", "auditor")
    found = rules.held_page(page_id)
    return site.page(
        request, "review-page.html", rules, status=200 if problem is None else status_of(problem), problem=problem,
        draft=draft or {"decision": "", "note": "", "text": found.text}, page=found,
    )  # fmt: skip


def _audit(pages: APIRouter, site: Site) -> None:
    @pages.get("/audit")
    def trail(
        request: Request, before: Annotated[int | None, Query(ge=0)] = None, erase: str = ""
    ) -> Response:  # fmt: skip
        return _trail(site, request, site.rules(request), before=before, answer_id=erase)

    @pages.post("/audit/verify")
    def verify(request: Request) -> Response:
        same_site(request)
        rules = site.rules(request)
        need(rules.bearer, "auditor", "engineer", whole=True)
        return site.page(request, "audit-verdict.html", rules, verdict=rules.verify())

    @pages.post("/audit/checkpoint")
    def sign(request: Request) -> Response:
        same_site(request)
        rules = site.rules(request)
        need(rules.bearer, "checkpointer", whole=True)
        try:
            return _trail(site, request, rules, signed=sign_checkpoint(rules.handle, rules.bearer.name))
        except InputRejected as error:
            return _trail(site, request, rules, problem=error)

    @pages.post("/audit/erase")
    def erase(request: Request, answer_id: Annotated[str, Form()] = "", reason: Annotated[str, Form()] = "") -> Response:
        same_site(request)
        rules = site.rules(request)
        need(rules.bearer, "eraser", whole=True)
        who = {"actor": rules.bearer.name, "actor_auth": rules.bearer.auth}
        try:
            erased = erase_answer(rules.handle, answer_id.strip(), reason=reason, **who)
        except (InputRejected, NotFound) as error:
            return _trail(site, request, rules, problem=error, answer_id=answer_id, reason=reason)
        return _trail(site, request, rules, erased=erased)

    @pages.get("/audit/{name}")
    def record(request: Request, name: str) -> Response:
        rules = site.rules(request)
        return site.page(request, "audit-record.html", rules, record=rules.record(name), again=None)

    @pages.get("/audit/{answer_id}/reconstruct")
    def again(request: Request, answer_id: str) -> Response:
        rules = site.rules(request)
        found = rules.reconstruct(answer_id)
        return site.page(request, "audit-record.html", rules, record=rules.record(answer_id), again=found)

    @pages.get("/audit/{answer_id}/export")
    def export(request: Request, answer_id: str) -> Response:
        return bundle(site.rules(request), answer_id)


def _trail(
    site: Site, request: Request, rules: Rules, *, before: int | None = None, problem: Any = None, answer_id: str = "",
    **done: Any,
) -> Response:  # fmt: skip
    """What the bearer may do with the record: all of it page by page for an auditor, verify, sign, erase for who may; ``done``:
    what was just ``signed`` or ``erased``, and the ``reason`` typed."""
    need(rules.bearer, *RECORD_ROLES, whole=True)
    ledger = rules.handle.ledger
    ledger.refresh()
    end = ledger.size if before is None else min(before, ledger.size)
    start = max(0, end - TRAIL_PAGE)
    shown = reversed(range(start, end)) if rules.bearer.may("auditor") else ()
    return site.page(
        request, "audit.html", rules, status=200 if problem is None else status_of(problem), problem=problem,
        headers=[ledger.header(index) for index in shown], start=start, end=end, size=ledger.size, page=TRAIL_PAGE,
        root=ledger.root, answer_id=answer_id, signs=rules.handle.settings.ledger.checkpoint_key is not None,
        **{"signed": None, "erased": None, "reason": "", **done},
    )  # fmt: skip
