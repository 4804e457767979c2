"""Bringing documents in on the page: drop files, describe them, watch, read the report; publish what another person staged."""

from __future__ import annotations

from typing import Annotated, Any, Final

from anyio.to_thread import run_sync
from fastapi import APIRouter, Form, Request
from starlette.datastructures import FormData
from starlette.responses import Response

from compliance_rag.faces.api import Rules
from compliance_rag.faces.http.errors import status_of
from compliance_rag.faces.http.ingest_routes import stream
from compliance_rag.faces.http.uploads import files_of, form_of, text_of
from compliance_rag.faces.ingest.batches import Batch, mark_bad, new_batch, take_manifest, write_manifest
from compliance_rag.faces.ingest.rights import need_ingest, need_publish, need_report
from compliance_rag.faces.web.library import documents_page
from compliance_rag.faces.web.site import Site, language_of, same_site, see, url
from compliance_rag.faces.web.words import translator
from compliance_rag.faces.web.words_ingest import say_step
from schemas.errors import InputRejected, NotFound

# What a row of the form asks for; other keys of a manifest entry are kept as they came.
FIELDS: Final = (
    "doc_id", "version", "effective_from", "effective_to", "published_on", "title", "kind", "jurisdiction", "language",
    "status", "tracked",
)  # fmt: skip


def router(site: Site) -> APIRouter:
    """``/documents/ingest``, ``/documents/{doc}/report``. Mounted before the pages of single documents."""
    pages = APIRouter()
    _batches(pages, site)
    _publishing(pages, site)
    return pages


def _batches(pages: APIRouter, site: Site) -> None:
    ingests = site.service.ingests

    @pages.post("/documents/ingest")
    async def send(request: Request) -> Response:
        same_site(request)
        rules = await run_sync(site.rules, request)
        need_ingest(rules.handle, rules.bearer)
        try:
            async with form_of(request) as form:
                batch = await run_sync(new_batch, rules.bearer.name, files_of(form))
            ingests.shelf.put(batch)
            await run_sync(take_manifest, batch)
        except InputRejected as error:
            return await run_sync(documents_page, site, request, rules, error)
        return see(f"/documents/ingest/{batch.id}")

    @pages.get("/documents/ingest/{batch_id}")
    def batch(request: Request, batch_id: str) -> Response:
        rules = site.rules(request)
        return _shown(site, request, rules, ingests.shelf.get(batch_id, rules.bearer.name))

    @pages.get("/documents/ingest/{batch_id}/events")
    def events(request: Request, batch_id: str) -> Response:
        rules, t = site.rules(request), translator(language_of(request))

        def say(seen: dict[str, Any]) -> dict[str, Any]:
            return {"text": say_step(t, seen), "done": seen["done"], "total": seen["total"]}

        return stream(site.service, ingests.shelf.get(batch_id, rules.bearer.name), say)

    @pages.post("/documents/ingest/{batch_id}/discard")
    def discard(request: Request, batch_id: str) -> Response:
        same_site(request)
        rules = site.rules(request)
        ingests.discard(ingests.shelf.get(batch_id, rules.bearer.name))
        return see("/documents")

    @pages.post("/documents/ingest/{batch_id}")
    async def go(request: Request, batch_id: str) -> Response:
        same_site(request)
        rules = await run_sync(site.rules, request)
        need_ingest(rules.handle, rules.bearer)
        found = ingests.shelf.get(batch_id, rules.bearer.name)
        if found.under_way:
            return see(f"/documents/ingest/{batch_id}")
        async with form_of(request) as form:
            _fill(found, form)
        return await run_sync(_begin, site, request, rules, found)


def _fill(batch: Batch, form: FormData) -> None:
    """What was typed, by file; an empty field says nothing."""
    for at, row in enumerate(batch.rows):
        for name in FIELDS:
            typed = text_of(form, f"{name}-{at}")
            if typed is not None:
                row.fields.pop(name, None)
                row.fields |= {name: typed.strip()} if typed.strip() else {}
        row.fields["correct"] = form.get(f"correct-{at}") == "on"


def _begin(site: Site, request: Request, rules: Rules, batch: Batch) -> Response:
    """Start the ingest of what can be taken; what cannot waits beside what is wrong with it."""
    try:
        found = write_manifest(batch, [{"file": row.file, **row.fields} for row in batch.rows])
        mark_bad(batch, found)
        if found.entries:
            site.service.ingests.start(batch, found.entries, rules.bearer)
            return see(f"/documents/ingest/{batch.id}")
    except InputRejected as error:
        return _shown(site, request, rules, batch, problem=error)
    return _shown(site, request, rules, batch, status=422)


def _shown(
    site: Site, request: Request, rules: Rules, batch: Batch, *, problem: InputRejected | None = None, status: int = 200
) -> Response:
    _, seen = site.service.ingests.seen(batch)
    status = status if problem is None else status_of(problem)
    known = {doc.doc_id: doc.title for doc in rules.docs()}
    step = say_step(translator(language_of(request)), seen)
    return site.page(
        request, "documents-ingest.html", rules, status=status, batch=batch, seen=seen, problem=problem, known=known, step=step
    )


def _publishing(pages: APIRouter, site: Site) -> None:
    @pages.get("/documents/{doc_id}/report")
    def report(request: Request, doc_id: str, version: str) -> Response:
        rules = site.rules(request)
        need_report(rules.bearer)
        return _report(site, request, rules, doc_id, version)

    @pages.post("/documents/{doc_id}/publish")
    def publish(
        request: Request, doc_id: str, version: Annotated[str, Form()], note: Annotated[str, Form(max_length=6_000)] = ""
    ) -> Response:
        same_site(request)
        rules = site.rules(request)
        need_publish(rules.bearer)
        try:
            rules.publish(doc_id, version, note=note)
        except (InputRejected, NotFound) as error:
            return _report(site, request, rules, doc_id, version, error)
        return see(url(f"/documents/{doc_id}/report", version=version))


def _report(
    site: Site, request: Request, rules: Rules, doc_id: str, version: str, problem: InputRejected | NotFound | None = None
) -> Response:
    found = rules.report(doc_id, version)
    return site.page(
        request, "documents-report.html", rules, status=200 if problem is None else status_of(problem), report=found,
        problem=problem, mine=found["recorded_by"] == rules.bearer.name,
    )  # fmt: skip
