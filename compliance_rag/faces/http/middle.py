"""Around every call: a request id, a bound on the body, the hosts answered to, headers that keep a browser strict, counts."""

from __future__ import annotations

import re
import time
import uuid
from collections.abc import Collection

import structlog
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from compliance_rag.faces.http.errors import Refused, error_response
from compliance_rag.faces.http.metrics import Metrics

REQUEST_ID = "X-Request-ID"
_ID = re.compile(r"[A-Za-z0-9._-]{1,64}\Z", re.ASCII)
# Some charsets write what is not Unicode; our own pages and every client of JSON send UTF-8.
_CHARSET = re.compile(r"charset\s*=(?!\s*\"?(?:utf-?8|us-ascii)\b)", re.IGNORECASE)
# A question has at most 4,000 characters, an amended text 60,000: 4 bytes each, escaped at worst six to one.
BODY_LIMIT = 1_000_000
# Files for an ingest: two of the largest that a reader takes.
UPLOAD_LIMIT = 400_000_000
UPLOAD_PATHS = frozenset({"/api/ingest", "/documents/ingest"})
# Nothing is fetched from elsewhere, nothing runs that is not ours, no other page may frame ours.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'self'; "
    "base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",  # under no-referrer a browser hides where our own forms come from
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Middle:
    """The outermost layer. ``hosts`` are the names the service answers to, None: any (a proxy in front checks)."""

    def __init__(self, app: ASGIApp, metrics: Metrics, hosts: Collection[str] | None = None) -> None:
        self._app = app
        self._metrics = metrics
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        given = headers.get(REQUEST_ID, "")
        request_id = given if _ID.match(given) else uuid.uuid4().hex
        scope.setdefault("state", {})["request_id"] = request_id
        started, status = time.perf_counter(), 500
        limit = UPLOAD_LIMIT if scope["path"] in UPLOAD_PATHS else BODY_LIMIT
        bounded = _Bounded(receive, limit)

        async def sending(message: Message) -> None:
            nonlocal status
            if bounded.exceeded and not bounded.told:
                return  # whatever was made of half a body; the refusal follows
            if message["type"] == "http.response.start":
                status = message["status"]
                out = MutableHeaders(scope=message)
                out[REQUEST_ID] = request_id
                for name, value in _HEADERS.items():
                    out[name] = value
                out.setdefault("Content-Security-Policy", POLICY)
                out.setdefault("Cache-Control", "no-store")
            await send(message)

        structlog.contextvars.bind_contextvars(request_id=request_id)
        try:
            refused = self._refused(headers, limit)
            if refused is not None:
                await error_response(refused)(scope, receive, sending)
            else:
                await self._app(scope, bounded, sending)
            if bounded.exceeded:
                bounded.told = True
                await error_response(_too_large(limit))(scope, receive, sending)
        finally:
            seconds = time.perf_counter() - started
            route = _route_of(scope)
            self._metrics.request(scope["method"], route, status, seconds)
            structlog.get_logger().info(
                "request", method=scope["method"], route=route, status=status, milliseconds=round(seconds * 1000)
            )
            structlog.contextvars.unbind_contextvars("request_id")

    def _refused(self, headers: Headers, limit: int) -> Refused | None:
        host = headers.get("host", "").rsplit("]", 1)
        name = (f"{host[0]}]" if len(host) == 2 else host[0].rsplit(":", 1)[0]).lower()  # as names of hosts are compared
        if self._hosts is not None and name not in self._hosts:
            return Refused(400, "unknown_host", "This service answers to its own address only.", "Host")
        if _CHARSET.search(headers.get("content-type", "")):
            return Refused(422, "bad_form", "Send texts as UTF-8: the Content-Type names another charset.", "Content-Type")
        if headers.get("content-encoding", "identity").strip().lower() != "identity":
            return Refused(422, "bad_body", "Send the body as it is: a compressed one is not read.", "Content-Encoding")
        length = headers.get("content-length", "0")
        return _too_large(limit) if length.isdecimal() and int(length) > limit else None


def _route_of(scope: Scope) -> str:
    """The template of what answered: of a call its path, of a folder of files where it hangs, else the fixed path."""
    found: str | None = getattr(scope.get("route"), "path", None)
    if found is None and "endpoint" in scope and not scope.get("path_params", {}).keys() - {"path"}:
        found = scope.get("root_path") or scope["path"]
    return found or "unmatched"


def _too_large(limit: int) -> Refused:
    return Refused(413, "body_too_large", f"The body is larger than {limit:,} bytes.", "body")


class _Bounded:
    """Receives a body up to the limit, whatever its length was said to be; what goes past it ends the body."""

    def __init__(self, receive: Receive, limit: int) -> None:
        self._receive = receive
        self._limit = limit
        self._read = 0
        self.exceeded = False
        self.told = False

    async def __call__(self) -> Message:
        """ASGI."""
        message = await self._receive()
        self._read += len(message.get("body", b""))
        if self._read > self._limit:
            self.exceeded = True
            return {"type": "http.request", "body": b"", "more_body": False}
        return message
