"""The tools for programs over HTTP: MCP's streamable transport, each call with its key, without sessions."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from anyio.to_thread import run_sync
from starlette.requests import Request
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from compliance_rag.faces.api import Rules
from compliance_rag.faces.http.errors import Refused, error_response
from compliance_rag.faces.http.middle import BODY_LIMIT

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context
    from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

    from compliance_rag.faces.http.app import Service

PATH = "/mcp"


class McpDoor:
    """``/mcp`` as an ASGI application. ``running`` goes around the application's life."""

    def __init__(self, service: Service) -> None:
        from mcp.server.transport_security import TransportSecuritySettings

        from compliance_rag.faces.tools import create_server

        self._service = service
        server = create_server(_rules_of)
        # The layer around every call checks the host, we the origin; a call without sessions may come to any process.
        server.streamable_http_app(
            stateless_http=True, json_response=True, max_request_body_size=BODY_LIMIT,
            transport_security=TransportSecuritySettings(enable_dns_rebinding_protection=False),
        )  # fmt: skip
        self._route = Route(PATH, endpoint=self, include_in_schema=False)
        self._manager: StreamableHTTPSessionManager = server.session_manager

    def route(self) -> Route:
        """For the application's router."""
        return self._route

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve while this is held."""
        async with self._manager.run():
            yield

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """ASGI. Who calls is known before anything of the call is read."""
        scope["route"] = self._route  # what the counts name it
        request = Request(scope, receive)
        try:
            _own_origin(request)
            rules = await run_sync(self._service.rules, request)
            if request.method != "POST":
                # Without sessions there is nothing to send unasked: a stream would stay open, and silent, for ever.
                raise Refused(405, "wrong_method", "Tools are called with POST; there is no session to listen to.", PATH)
        except Refused as error:
            refused = error_response(error)
            if error.status == 405:
                refused.headers["Allow"] = "POST"
            await refused(scope, receive, send)
            return
        scope.setdefault("state", {})["rules"] = rules
        await self._manager.handle_request(scope, receive, send)


def _own_origin(request: Request) -> None:
    """A browser on another site's page calls nothing here, whatever name it found this machine under. Raises Refused 403
    ``cross_site``."""
    origin = request.headers.get("origin")
    if origin is not None and urlsplit(origin).netloc != request.headers.get("host"):
        raise Refused(403, "cross_site", "This call was sent from another site.", "Origin")


def _rules_of(call: Context[Any, Any]) -> Rules:
    request = call.request_context.request
    assert isinstance(request, Request), "a call over HTTP has its request"
    rules: Rules = request.state.rules
    return rules
