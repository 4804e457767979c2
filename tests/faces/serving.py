"""The real HTTP server on a free port, in a thread of the test."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import httpx
import uvicorn

from compliance_rag.faces.desk import Desk
from compliance_rag.faces.http.app import create_app
from compliance_rag.service.homes import HomeHandle

STARTING_SECONDS = 60
# An ingest with the tests' embedder.
HASHING_CHILD = (sys.executable, "-m", "tests.faces.hashing_child")


@contextmanager
def serving(handle: HomeHandle, ingest_command: Sequence[str] = HASHING_CHILD, *, desk: Desk | None = None) -> Iterator[str]:
    """The address of a server of this home; it is stopped at the end. ``desk``: where its questions are worked out."""
    app = create_app(handle, hosts={"127.0.0.1", "localhost"}, desk=desk, ingest_command=ingest_command)
    config = uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + STARTING_SECONDS
    while not server.started:
        assert thread.is_alive(), "the server ended"
        assert time.monotonic() < deadline, "the server did not start"
        time.sleep(0.02)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(STARTING_SECONDS)


def client(address: str, key: str | None) -> httpx.Client:
    """A caller with this key."""
    headers = {} if key is None else {"Authorization": f"Bearer {key}"}
    return httpx.Client(base_url=address, headers=headers, timeout=60)
