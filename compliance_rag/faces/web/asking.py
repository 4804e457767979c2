"""Asking, the answer, and its source beside it."""

from __future__ import annotations

import threading
from typing import Annotated, Any

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import Response

from compliance_rag.faces.api import Rules
from compliance_rag.faces.http.access import need
from compliance_rag.faces.http.errors import status_of
from compliance_rag.faces.web.site import Site, same_site, see, states_of, titles_of, url
from compliance_rag.faces.web.source import page_of, read_source
from compliance_rag.service.readings import answer_header, own_answers
from compliance_rag.service.record import asked_of, stored_answer
from compliance_rag.service.review import show_review
from schemas.errors import InputRejected, NotFound, UsageError
from schemas.objects import Answer

# Answers just given, waiting to be shown for the first time to who asked; that is no later reading.
FRESH_KEPT = 1_000
# Earlier questions below the form.
OWN_SHOWN = 8
# A printed page is the same for ever; a browser may keep it for the session's length, for this person only.
_PAGE_CACHE = {"Cache-Control": "private, max-age=43200"}


class Fresh:
    """Answers that were just given and not shown yet."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._waiting: dict[tuple[str, str], None] = {}

    def put(self, actor: str, answer_id: str) -> None:
        """Given to ``actor``."""
        with self._guard:
            self._waiting[actor, answer_id] = None
            while len(self._waiting) > FRESH_KEPT:
                self._waiting.pop(next(iter(self._waiting)))

    def take(self, actor: str, answer_id: str) -> bool:
        """True once."""
        with self._guard:
            return self._waiting.pop((actor, answer_id), True) is None


def router(site: Site) -> APIRouter:
    """``/``, ``/ask``, ``/answers``, ``/source``, ``/page.png``."""
    pages, fresh = APIRouter(), Fresh()

    @pages.get("/")
    def start(
        request: Request, question: str = "", as_of: str = "", known_at: str = "", doc: Annotated[list[str], Query()] = [],  # noqa: B006  read only
        jurisdiction: str = "", conversation: str = "",
    ) -> Response:  # fmt: skip
        rules = site.rules(request)
        form = _form(question, as_of, known_at, doc, jurisdiction, conversation)
        return site.page(request, "ask.html", rules, form=form, problem=None, **_choices(rules), **_own(rules))

    @pages.post("/ask")
    def ask(
        request: Request, question: Annotated[str, Form()] = "", as_of: Annotated[str, Form()] = "",
        known_at: Annotated[str, Form()] = "", doc: Annotated[list[str], Form()] = [],  # noqa: B006  read only
        jurisdiction: Annotated[str, Form()] = "", conversation: Annotated[str, Form()] = "",
        follows: Annotated[str, Form()] = "",
    ) -> Response:  # fmt: skip
        same_site(request)
        rules = site.rules(request)
        need(rules.bearer, "analyst", "reviewer", "engineer")
        try:
            answer = rules.ask(
                question, as_of=as_of or None, known_at=known_at or None, docs=doc,
                jurisdictions=[jurisdiction] if jurisdiction else [], conversation=conversation or None,
                follows=follows or None,
            )  # fmt: skip
        except (InputRejected, NotFound, UsageError) as error:
            form = _form(question, as_of, known_at, doc, jurisdiction, conversation)
            values = {"form": form, "problem": error, **_choices(rules), **_own(rules)}
            return site.page(request, "ask.html", rules, status=status_of(error), **values)
        site.service.metrics.answer(answer.status)
        fresh.put(rules.bearer.name, answer.answer_id)
        return see(f"/answers/{answer.answer_id}")

    @pages.get("/answers/{answer_id}")
    def answer(request: Request, answer_id: str) -> Response:
        rules = site.rules(request)
        header = answer_header(rules.handle, answer_id, rules.bearer)
        if fresh.take(rules.bearer.name, answer_id):
            found = stored_answer(rules.handle.ledger, header["index"])
        else:
            found = rules.answer(answer_id)
        asked = asked_of(rules.handle.ledger, header)
        given = "" if not asked["known_at_given"] else header["known_at"]
        jurisdiction = (asked["jurisdictions"] or [""])[0]
        alone = found.question if found.follows is None else found.follows.read_as
        form = _form(alone, asked["as_of"] or "", given, asked["docs"], jurisdiction, asked["conversation"] or answer_id)
        return site.page(
            request,
            "answer.html",
            rules,
            form=form,
            problem=None,
            asked=asked,
            **_choices(rules),
            **answer_values(rules, found),
        )

    _sources(pages, site)
    return pages


def _sources(pages: APIRouter, site: Site) -> None:
    @pages.get("/source")
    def source(
        request: Request, clause: str, start: Annotated[int | None, Query(ge=0)] = None,
        end: Annotated[int | None, Query(ge=0)] = None, fragment: bool = False,
    ) -> Response:  # fmt: skip
        rules = site.rules(request)
        found = read_source(rules, clause, _span(start, end))
        name = "source-fragment.html" if fragment else "source.html"
        return site.page(request, name, rules, source=found, title=titles_of(rules.docs()).get(found.fields["doc_id"], ""))

    @pages.get("/page.png")
    def page(
        request: Request, clause: str, page: int, start: Annotated[int | None, Query(ge=0)] = None,
        end: Annotated[int | None, Query(ge=0)] = None,
    ) -> Response:  # fmt: skip
        data = page_of(site.rules(request), clause, page, _span(start, end))
        return Response(data, media_type="image/png", headers=_PAGE_CACHE)


def _span(start: int | None, end: int | None) -> tuple[int, int] | None:
    return None if start is None or end is None else (start, end)


def _form(question: str, as_of: str, known_at: str, docs: list[str], jurisdiction: str, conversation: str) -> dict[str, Any]:
    return {
        "question": question, "as_of": as_of, "known_at": known_at, "docs": docs, "jurisdiction": jurisdiction,
        "conversation": conversation,
    }  # fmt: skip


def _own(rules: Rules) -> dict[str, Any]:
    """The questions that the person asked before, where they may ask at all."""
    asks = rules.bearer.may("analyst", "reviewer", "engineer")
    return {"mine": own_answers(rules.handle, rules.bearer, OWN_SHOWN) if asks else []}


def _choices(rules: Rules) -> dict[str, Any]:
    """What the filters offer."""
    documents = rules.docs()
    unique = {doc.doc_id: doc.title for doc in documents}
    return {"documents": unique, "jurisdictions": sorted({doc.jurisdiction for doc in documents if doc.jurisdiction})}


def answer_values(rules: Rules, answer: Answer) -> dict[str, Any]:
    """What the answer's template needs: the JSON as shown, titles, badges, decisions, the first source."""
    documents = rules.docs()
    shown = answer.model_dump(mode="json")
    states = states_of(documents)
    day = rules.day(None).isoformat()
    for item in shown["citations"]:
        item["badges"] = _badges(item, shown, states, day)
        item["href"] = _href(item)
    decisions = show_review(rules.handle, answer.answer_id)
    first = next(iter(shown["citations"] or shown["nearest"]), None)
    source = None
    if first is not None:
        source = read_source(rules, first["clause_id"], _quote(first) if shown["citations"] else None)
    return {
        "answer": shown, "langs": {doc.doc_id: doc.language for doc in documents}, "titles": titles_of(documents),
        "review": decisions, "source": source,
        "title": "" if first is None else titles_of(documents).get(first["doc_id"], ""), "link": _href,
    }  # fmt: skip


def _quote(item: dict[str, Any]) -> tuple[int, int] | None:
    """The quoted characters of a citation's text; a locator's quote is its heading."""
    return None if item["role"] == "locator" else (item["quote_span"][0], item["quote_span"][1])


def _href(item: dict[str, Any]) -> str:
    start, end = _quote(item) or (None, None)
    return url("/source", clause=item["clause_id"], start=None if start is None else str(start), end=end)


def _badges(
    item: dict[str, Any], answer: dict[str, Any], states: dict[tuple[str, str], str], today: str
) -> list[dict[str, str]]:
    """What to know of a cited clause at a glance: in force on the day asked, what it is today, when it changes."""
    found = [{"kind": "good", "key": "in_force_on", "day": answer["as_of"]}]
    state = states.get((item["doc_id"], item["version_id"]), "in_force")
    ended = item["effective_to"] is not None and item["effective_to"] <= today
    if state != "in_force" or ended:
        found.append({"kind": "warn", "key": f"today_{state if state != 'in_force' else 'expired'}", "day": ""})
    ahead = [
        change["day"] for change in answer["upcoming_changes"]
        if change["doc_id"] == item["doc_id"] and change.get("number") in (None, item["number"])
    ]  # fmt: skip
    if ahead:
        found.append({"kind": "note", "key": "changes_on", "day": min(ahead)})
    return found
