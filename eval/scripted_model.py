"""A scripted OpenAI-compatible server on loopback: it answers what it is told to, lies included."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Script = Callable[[dict[str, Any]], "str | dict[str, Any] | int"]
"""From the request body to the reply: text sent as it is, an object sent as JSON text, or an HTTP status."""


class ModelServer:
    """The server's address and what it was asked, in order."""

    def __init__(self, base_url: str) -> None:
        self.base_url = base_url
        self.requests: list[dict[str, Any]] = []


def evidence_of(request: dict[str, Any]) -> list[dict[str, Any]]:
    """The labelled evidence in a request of ours, as a model would read it."""
    for message in request["messages"]:
        content = message["content"]
        if message["role"] == "user" and content.lstrip().startswith("{"):
            return list(json.JSONDecoder().raw_decode(content.lstrip())[0]["evidence"])
    return []


@contextmanager
def model_server(script: Script) -> Iterator[ModelServer]:
    """Serve ``script`` on a free loopback port until the block ends."""
    server: ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            told.requests.append(body)
            reply = script(body)
            if isinstance(reply, int):
                self._send(reply, {"error": {"message": "scripted failure"}})
                return
            content = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
            message = {"role": "assistant", "content": content}
            usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            self._send(
                200,
                {
                    "id": "x",
                    "object": "chat.completion",
                    "created": 0,
                    "model": body["model"],
                    "choices": [choice],
                    "usage": usage,
                },
            )

        def _send(self, status: int, body: dict[str, Any]) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002  the base class's name
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told = ModelServer(f"http://127.0.0.1:{server.server_address[1]}/v1")
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
