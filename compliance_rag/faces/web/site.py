"""What all pages share: templates, language, who is signed in, where a form may come from."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote, urlencode, urlsplit

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup, escape
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse

from compliance_rag.changes.history_words import say_record, say_status
from compliance_rag.changes.html_words import clause_name, say_path, say_signal, words_for
from compliance_rag.changes.redline import redline
from compliance_rag.faces.api import Rules
from compliance_rag.faces.http.access import COOKIE
from compliance_rag.faces.http.app import Service
from compliance_rag.faces.http.errors import Refused
from compliance_rag.faces.web.words import Language, choose, translator
from compliance_rag.faces.web.words_codes import say_name
from compliance_rag.faces.web.words_errors import say_code, say_error
from compliance_rag.faces.web.words_ingest import say_finding
from compliance_rag.faces.web.words_reasons import say_reason
from compliance_rag.faces.web.words_sentences import say_sentence
from compliance_rag.service.keys import Bearer, Role
from compliance_rag.store.naming import FIRST_RECORDED
from schemas.objects import DocumentObject

LANGUAGE_COOKIE = "compliance_rag_language"
# Characters of unchanged text that are shown beside a change.
BESIDE = 200
# Whose keys do anything with the record as a whole.
RECORD_ROLES: Final[tuple[Role, ...]] = ("auditor", "engineer", "eraser", "checkpointer")
_MARKER = re.compile(r"\[(\d{1,3})\]")


def until(version: Any) -> str | None:
    """The day before which a version is in force: its own end, or the day on which a successor cuts it short."""
    held = version if isinstance(version, Mapping) else vars(version)
    found: str | None = held.get("in_force_until") or held.get("effective_to")
    return found


def by_id(version_id: str, corrected: bool = True) -> str:
    """What names this very version in an address: of one that was ``corrected``, its label means the correction."""
    return f"{version_id}{FIRST_RECORDED}" if corrected else version_id


class SignInNeeded(Refused):
    """Nobody is signed in; the page goes to sign-in and comes back to ``where``."""

    def __init__(self, back: str) -> None:
        super().__init__(401, "sign_in", "Sign in first.", back)


class Site:
    """Renders pages of one service."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self._templates = Environment(
            loader=PackageLoader("compliance_rag.faces.web"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
            lstrip_blocks=True,
        )  # fmt: skip
        self._templates.globals |= {
            "url": url, "cited": cited, "pretty": pretty, "say_reason": say_reason, "words_for": words_for,
            "say_signal": say_signal, "say_path": say_path, "clause_name": clause_name, "say_status": say_status,
            "say_record": say_record, "say_finding": say_finding, "say_code": say_code, "until": until, "clipped": clipped,
            "by_id": by_id,
            "say_error": say_error, "say_name": say_name, "say_sentence": say_sentence,
        }  # fmt: skip

    def rules(self, request: Request) -> Rules:
        """The calls as the person signed in may make them. Raises SignInNeeded."""
        bearer = self.service.access.of_session(request.cookies.get(COOKIE, ""))
        if bearer is None:
            back = request.url.path + (f"?{request.url.query}" if request.url.query else "")
            raise SignInNeeded(back if request.method == "GET" else "/")
        return Rules(self.service.handle, bearer, self.service.desk)

    def page(
        self, request: Request, name: str, rules: Rules | None = None, *, status: int = 200, **values: Any
    ) -> HTMLResponse:
        """A page from its template. ``rules``: of who is signed in."""
        language = language_of(request)
        here = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        shared = {
            "t": translator(language),
            "lang": language,
            "other": "en" if language == "zh" else "zh",
            "bearer": None if rules is None else rules.bearer,
            "may_ask": rules is not None and rules.bearer.may("analyst", "reviewer", "engineer"),
            "may_export": rules is not None and rules.bearer.may("exporter"),
            "may_erase": rules is not None and rules.bearer.may("eraser") and rules.bearer.docs is None,
            "places": [] if rules is None else places_of(rules.bearer),
            "here": here if request.method == "GET" else "/",
            "section": "ask" if name == "answer.html" else re.split(r"[.-]", name)[0],
        }
        text = self._templates.get_template(name).render(**{**shared, **values})
        return HTMLResponse(text, status)


def places_of(bearer: Bearer) -> list[tuple[str, str]]:
    """The pages beside the first one that ``bearer`` may open, by the key of their name."""
    found = [("documents", "/documents"), ("changes", "/changes"), ("stale", "/stale")]
    if bearer.may("reviewer", "auditor"):
        found.append(("review", "/review"))
    if bearer.may(*RECORD_ROLES) and bearer.docs is None:
        found.append(("audit", "/audit"))
    return found


def clipped(before: str, after: str) -> list[tuple[str, str]]:
    """The redline of two texts, runs in which nothing changed cut to what stands beside a change."""
    found: list[tuple[str, str]] = []
    runs = redline(before, after)
    for at, (mark, words) in enumerate(runs):
        if mark == "=" and len(words) > 2 * BESIDE:
            head = "" if at == 0 and len(runs) > 1 else words[:BESIDE]
            tail = "" if at == len(runs) - 1 else words[-BESIDE:]
            words = f"{head} … {tail}"
        found.append((mark, words))
    return found


def language_of(request: Request) -> Language:
    """The language of the page: as chosen, else the browser's."""
    return choose(request.cookies.get(LANGUAGE_COOKIE), request.headers.get("accept-language"))


def same_site(request: Request) -> None:
    """A form is taken from our own pages only. Raises Refused 403 ``cross_site``."""
    origin = request.headers.get("origin")
    fetched = request.headers.get("sec-fetch-site", "same-origin")
    foreign = origin is not None and urlsplit(origin).netloc != request.headers.get("host")
    if foreign or fetched not in ("same-origin", "none"):
        raise Refused(403, "cross_site", "This form was sent from another site.", "Origin")


def see(path: str) -> RedirectResponse:
    """After a form: go there with GET."""
    return RedirectResponse(path, 303)


def own_path(path: str) -> str:
    """``path`` when it leads to a page of ours, else the first page."""
    return path if path.startswith("/") and not path.startswith(("//", "/\\")) else "/"


def url(path: str, **values: Any) -> str:
    """A path with a query; values that are None or empty are left out, lists repeated."""
    pairs = [(key.rstrip("_"), value) for key, value in values.items() if value not in (None, "", [], ())]
    query = urlencode(pairs, doseq=True, quote_via=quote)
    return f"{path}?{query}" if query else path


def cited(line: str, citations: list[dict[str, Any]], href: Callable[[dict[str, Any]], str]) -> Markup:
    """A line of an answer, its [n] markers made links."""
    numbers = {item["n"]: item for item in citations}
    found = Markup("")
    at = 0
    for match in _MARKER.finditer(line):
        item = numbers.get(int(match[1]))
        if item is None:
            continue
        link = Markup('<a class="cite" href="{}" data-card="card-{}" aria-describedby="card-{}">{}</a>')
        found += escape(line[at : match.start()]) + link.format(href(item), item["n"], item["n"], item["n"])
        at = match.end()
    return found + escape(line[at:])


def pretty(value: Any) -> str:
    """JSON for people."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def states_of(documents: list[DocumentObject]) -> dict[tuple[str, str], str]:
    """The state today of each version, ``corrected`` and ``void`` among them."""
    return {
        (doc.doc_id, one.version_id): "corrected" if one.corrected_by else "void" if one.void else one.state
        for doc in documents for one in doc.versions
    }  # fmt: skip


def titles_of(documents: list[DocumentObject]) -> dict[str, str]:
    """Titles by document."""
    return {doc.doc_id: doc.title for doc in documents}
