"""Documents and their timeline, the outline of a version, a clause through its versions, what changed."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, Response

from compliance_rag.changes.rippled import Rippled, rippled
from compliance_rag.faces.api import Rules
from compliance_rag.faces.http.errors import Refused, status_of
from compliance_rag.faces.ingest.rights import may_ingest, need_ingest
from compliance_rag.faces.web.site import Site, titles_of
from compliance_rag.faces.web.words import Language
from compliance_rag.service.changes import redline_page
from schemas.errors import ComplianceError, IntegrityError
from schemas.objects import DocumentObject

# Width of the timeline's drawing, in its own units, and the years shown after today.
TIMELINE_WIDTH = 1_000
YEARS_AHEAD = 2
# Years shown after today at most: a version that starts in 2999 is cut at the edge.
YEARS_AHEAD_AT_MOST = 20
# Years shown at most: a statute of 1890 would leave the versions of this decade no room.
YEARS_SHOWN = 40
# The redline page brings its own styles; it runs nothing and fetches nothing.
_REDLINE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"


def router(site: Site) -> APIRouter:
    """``/documents``, ``/clause``, ``/changes``."""
    pages = APIRouter()

    @pages.get("/documents")
    def documents(request: Request) -> Response:
        return documents_page(site, request, site.rules(request))

    @pages.get("/documents/{doc_id}")
    def document(request: Request, doc_id: str, version: str | None = None, as_of: str | None = None) -> Response:
        rules = site.rules(request)
        found = [item for item in rules.docs() if item.doc_id == doc_id]
        if version is None and not as_of and found and not any(v.state == "in_force" for v in found[0].versions):
            version = found[0].versions[-1].version_id
        outline = rules.outline(doc_id, version=version, as_of=as_of or None)
        return site.page(
            request, "documents-one.html", rules, documents=found, outline=outline,
            timeline=timeline(found, rules.day(None)), title=titles_of(found)[doc_id],
        )  # fmt: skip

    @pages.get("/clause")
    def clause(request: Request, id: str) -> Response:  # noqa: A002  the query's name
        rules = site.rules(request)
        found = rules.clause(id, history=True)
        return site.page(request, "documents-clause.html", rules, clause=found, titles=titles_of(rules.docs()))

    _changes(pages, site)
    return pages


def documents_page(site: Site, request: Request, rules: Rules, problem: ComplianceError | None = None) -> Response:
    """All documents; ``problem``: why the files just sent were not taken."""
    found = rules.docs()
    why_not: ComplianceError | None = None
    if rules.bearer.may("engineer"):
        try:
            need_ingest(rules.handle, rules.bearer)
        except Refused as error:
            why_not = error
    waiting = [(doc, version) for doc in found for version in doc.versions if version.state == "staged"]
    return site.page(
        request, "documents.html", rules, status=200 if problem is None else status_of(problem), documents=found,
        timeline=timeline(found, rules.day(None)), problem=problem, waiting=waiting,
        may_add=may_ingest(rules.handle, rules.bearer), why_not=why_not,
    )  # fmt: skip


def _changes(pages: APIRouter, site: Site) -> None:
    @pages.get("/changes")
    def changes(request: Request, doc: str = "", start: str = "", end: str = "", about: str = "") -> Response:
        rules = site.rules(request)
        documents = rules.docs()
        found, problem, status = None, None, 200
        touched: list[Rippled] = []
        if doc and start and end:
            try:
                compared = rules.changes(doc, start, end, about=about or None)
                touched = rippled(compared.changes)
                found = compared.model_dump(mode="json", by_alias=True)
            except IntegrityError:
                raise
            except ComplianceError as error:
                problem, status = error, status_of(error)
        start, end = _last_two(documents, doc, start, end)
        form = {"doc": doc, "start": start, "end": end, "about": about}
        return site.page(
            request, "changes.html", rules, status=status, documents=documents, form=form, changes=found, problem=problem,
            rippled=touched,
        )  # fmt: skip

    @pages.get("/changes/redline")
    def redline(
        request: Request, doc: str, start: str, end: str, about: str = "", lang: Language | None = None
    ) -> Response:  # fmt: skip
        rules = site.rules(request)
        found = rules.changes(doc, start, end, about=about or None)
        text = redline_page(rules.handle.corpus(), found, rules.known(), question=about or None, language=lang)
        return HTMLResponse(text, headers={"Content-Security-Policy": _REDLINE_POLICY})


def _last_two(documents: Sequence[DocumentObject], doc: str, start: str, end: str) -> tuple[str, str]:
    """What the form offers when nothing is chosen: the last two versions of the document."""
    versions = next((item.versions for item in documents if item.doc_id == doc), [])
    if len(versions) > 1:
        return start or versions[-2].version, end or versions[-1].version
    return start, end


def timeline(documents: Sequence[DocumentObject], today: date) -> dict[str, Any]:
    """Bars of the versions over the years: ``rows`` of ``bars`` (x, width, state, label), ``ticks`` of years, ``today``."""
    starts = [date.fromisoformat(version.effective_from) for doc in documents for version in doc.versions]
    last = min(max([today.year + YEARS_AHEAD, *(day.year + 1 for day in starts)]), today.year + YEARS_AHEAD_AT_MOST)
    first = max(min([today.year, *(day.year for day in starts)]), last - YEARS_SHOWN)
    begin, span = date(first, 1, 1), (date(last, 1, 1) - date(first, 1, 1)).days

    def place(day: date) -> float:
        return round(min(max((day - begin).days / span, 0), 1) * TIMELINE_WIDTH, 1)

    rows = []
    for doc in documents:
        bars = []
        for version in doc.versions:
            if version.state in ("draft", "held", "staged") or version.corrected_by is not None:
                continue
            x = place(date.fromisoformat(version.effective_from))
            last_day = version.in_force_until or version.effective_to
            end = TIMELINE_WIDTH if last_day is None else place(date.fromisoformat(last_day))
            bars.append({"x": x, "width": max(round(end - x, 1), 2), "version": version})
        rows.append({"doc": doc, "bars": bars})
    step = max(1, (last - first) // 8)
    ticks = [{"x": place(date(year, 1, 1)), "year": year} for year in range(first, last, step)]
    return {"rows": rows, "ticks": ticks, "today": place(today), "width": TIMELINE_WIDTH}
