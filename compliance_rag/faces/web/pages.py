"""The pages: signing in, errors, static files; the others are mounted from their own modules."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated
from urllib.parse import quote

from fastapi import APIRouter, Depends, FastAPI, Form, Request
from starlette.responses import RedirectResponse, Response
from starlette.staticfiles import StaticFiles

from compliance_rag.faces.http.access import COOKIE, KEY_LIMIT, SESSION_SECONDS
from compliance_rag.faces.http.app import Service
from compliance_rag.faces.http.errors import status_of
from compliance_rag.faces.http.parameters import page_parameters
from compliance_rag.faces.web import asking, bringing, desk, library
from compliance_rag.faces.web.site import LANGUAGE_COOKIE, SignInNeeded, Site, own_path, same_site, see
from compliance_rag.faces.web.words import LANGUAGES
from schemas.errors import ComplianceError

_STATIC = Path(__file__).parent / "static"
_YEAR_SECONDS = 365 * 24 * 60 * 60


def mount(app: FastAPI, service: Service) -> None:
    """Put all pages under ``/``."""
    site = Site(service)
    app.state.site = site
    app.mount("/static", StaticFiles(directory=_STATIC), name="static")
    app.include_router(_door(site), include_in_schema=False, dependencies=[Depends(page_parameters)])
    # Who is not signed in is sent to sign in before anything of an address is judged.
    known = [Depends(site.rules), Depends(page_parameters)]
    for room in (asking, bringing, library, desk):
        app.include_router(room.router(site), include_in_schema=False, dependencies=known)


def error_page(request: Request, error: ComplianceError) -> Response:
    """An error as a page; who is not signed in is sent to sign in."""
    if isinstance(error, SignInNeeded):
        return see(f"/sign-in?back={quote(error.where or '/', safe='')}")
    site: Site = request.app.state.site
    try:
        rules = site.rules(request)
    except SignInNeeded:
        rules = None
    return site.page(request, "error.html", rules, status=status_of(error), error=error)


def _door(site: Site) -> APIRouter:
    pages = APIRouter()

    @pages.get("/sign-in")
    def sign_in_form(request: Request, back: str = "/") -> Response:
        return site.page(request, "sign-in.html", back=own_path(back), failed=False)

    @pages.post("/sign-in")
    def sign_in(
        request: Request, key: Annotated[str, Form(max_length=KEY_LIMIT)] = "", back: Annotated[str, Form()] = "/"
    ) -> Response:
        same_site(request)
        token = site.service.access.sign_in(key.strip())
        if token is None:
            return site.page(request, "sign-in.html", status=401, back=own_path(back), failed=True)
        answer = see(own_path(back))
        secure = request.url.scheme == "https"
        answer.set_cookie(COOKIE, token, max_age=SESSION_SECONDS, httponly=True, samesite="strict", secure=secure)
        return answer

    @pages.post("/sign-out")
    def sign_out(request: Request) -> Response:
        same_site(request)
        site.service.access.sign_out(request.cookies.get(COOKIE, ""))
        answer = see("/sign-in")
        answer.delete_cookie(COOKIE)
        return answer

    @pages.get("/language/{code}")
    def language(code: str, back: str = "/") -> Response:
        answer: RedirectResponse = see(own_path(back))
        if code in LANGUAGES:
            answer.set_cookie(LANGUAGE_COOKIE, code, max_age=_YEAR_SECONDS, httponly=True, samesite="lax")
        return answer

    return pages
