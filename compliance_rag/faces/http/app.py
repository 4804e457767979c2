"""The application: the calls, the page, and what goes around them."""

from __future__ import annotations

import traceback
from collections.abc import AsyncIterator, Collection, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import anyio.to_thread
import structlog
from fastapi import Depends, FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.errors import ServerErrorMiddleware
from starlette.responses import Response

from compliance_rag import __version__
from compliance_rag.faces.api import Rules
from compliance_rag.faces.desk import Desk, Here
from compliance_rag.faces.http.access import Access, need
from compliance_rag.faces.http.describe import describe
from compliance_rag.faces.http.errors import Refused, error_response, json_response, told
from compliance_rag.faces.http.mcp import McpDoor
from compliance_rag.faces.http.metrics import CONTENT_TYPE, Metrics
from compliance_rag.faces.http.middle import Middle
from compliance_rag.faces.http.parameters import known_parameters
from compliance_rag.faces.ingest.running import COMMAND, Ingests
from compliance_rag.service.homes import HomeHandle
from schemas.errors import ComplianceError, InputRejected

# Calls in hand at once; more wait their turn. Most of them wait for a worker, for the disk or for DuckDB.
THREADS = 64
_ABOUT = (
    "The rule in force that day, the exact words, and the proof. Bodies and answers are those of the command line; every error "
    'is `{"error": {"code", "message", "where"}}` with a stable code. Keys are bearer keys (`keys add`).'
)


@dataclass(frozen=True, slots=True)
class Service:
    """What every call shares."""

    handle: HomeHandle
    access: Access
    metrics: Metrics
    ingests: Ingests
    desk: Desk

    def rules(self, request: Request) -> Rules:
        """The calls as the bearer of this request may make them. Raises Refused 401."""
        return Rules(self.handle, self.access.of_request(request), self.desk)


def create_app(
    handle: HomeHandle,
    *,
    hosts: Collection[str] | None = None,
    desk: Desk | None = None,
    ingest_command: Sequence[str] = COMMAND,
) -> FastAPI:
    """The service of one home. ``hosts``: the names it answers to (None: any); ``desk``: where questions are worked out (None:
    here); ``ingest_command``: the process that ingests a batch (:mod:`compliance_rag.faces.ingest.child`)."""
    from compliance_rag.faces.http import routes
    from compliance_rag.faces.web import pages

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS
        try:
            async with door.running():
                yield
        finally:
            await anyio.to_thread.run_sync(service.ingests.close)

    service = Service(handle, Access(handle), Metrics(), Ingests(handle, ingest_command), desk or Here(handle))
    door = McpDoor(service)
    app = FastAPI(
        title="compliance_rag", version=__version__, description=_ABOUT, lifespan=lifespan,
        openapi_url="/api/openapi.json", docs_url=None, redoc_url=None, redirect_slashes=False,
    )  # fmt: skip
    app.state.service = service
    _health(app, service)
    app.include_router(routes.router(service))
    pages.mount(app, service)
    app.router.routes.append(door.route())
    describe(app)
    app.add_exception_handler(ComplianceError, _ours)
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(HTTPException, _http)
    # Inside the layer that names and counts every call, so that a fault of ours is named and counted as well.
    app.add_middleware(ServerErrorMiddleware, handler=_fault)
    app.add_middleware(Middle, metrics=service.metrics, hosts=hosts)
    return app


def _health(app: FastAPI, service: Service) -> None:
    once = [Depends(known_parameters)]

    @app.get(
        "/healthz",
        tags=["operations"],
        dependencies=once,
        responses=told(422, 500, 503),
        summary="Whether the stores can be read and questions worked out",
    )
    def healthz() -> dict[str, str]:
        service.handle.ledger.refresh()
        service.handle.corpus()
        service.desk.check()
        return {"status": "ok"}

    @app.get(
        "/metrics", tags=["operations"], dependencies=once, response_class=Response,
        responses={200: {"content": {"text/plain": {}}}, **told(401, 403, 422)},
        summary="Counts and times (Prometheus text)",
    )  # fmt: skip
    def metrics(request: Request) -> Response:
        need(service.rules(request).bearer, "engineer", "auditor", whole=True)
        service.handle.ledger.refresh()
        text = service.metrics.text(ledger_size=service.handle.ledger.size)
        return Response(text, media_type=CONTENT_TYPE)


def _wants_page(request: Request) -> bool:
    return not request.url.path.startswith("/api/") and "text/html" in request.headers.get("accept", "")


async def _ours(request: Request, error: Exception) -> Response:
    assert isinstance(error, ComplianceError)
    if _wants_page(request):
        from compliance_rag.faces.web.pages import error_page

        return error_page(request, error)
    return error_response(error)


async def _invalid(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first: dict[str, Any] = dict(error.errors()[0])
    steps = [str(step) for step in first["loc"]]
    if first["type"] == "json_invalid":
        said = f"{first.get('ctx', {}).get('error', 'not JSON')} at character {steps[-1]}"
        return await _ours(request, InputRejected("bad_body", f"The body is not JSON: {said}.", "body"))
    where = ".".join(steps[1:]) or steps[0]
    return await _ours(request, InputRejected("bad_request", f"{where}: {first['msg']}.", where))


async def _http(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes = {404: "no_route", 405: "wrong_method"}
    if error.status_code == 400:
        # A body that nests too deep, or is not UTF-8: what it says cannot be told in words of ours.
        answer = Refused(400, "bad_body", "The body cannot be read; send what its Content-Type names, as UTF-8.", "body")
    else:
        code = codes.get(error.status_code, "http")
        answer = Refused(error.status_code, code, f"{error.detail}.", request.url.path[:200])
    if _wants_page(request):
        return await _ours(request, answer)
    return json_response(answer.as_json(), error.status_code, error.headers)


async def _fault(request: Request, error: Exception) -> Response:
    """A fault of ours: the one shape, and no word of what went wrong inside; the trace is in the log under the call's id. The
    server ends the connection after it, which is said."""
    structlog.get_logger().error("fault", exception="".join(traceback.format_exception(error)))
    answer = error_response(Refused(500, "internal", "The service failed; its log says where.", None))
    answer.headers["Connection"] = "close"
    return answer
