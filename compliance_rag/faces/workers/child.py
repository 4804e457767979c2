"""The process that answers questions for the service: an order on stdin, then calls and replies over sockets.

A Python process works on one core; the service keeps one of these for each, so that many people's questions are worked out
at once and none of them holds up who only reads.
"""

from __future__ import annotations

import json
import sys
import threading
from multiprocessing.connection import Connection

import structlog

from compliance_rag.faces.environment import read_context
from compliance_rag.faces.log import configure
from compliance_rag.faces.workers.lines import Call, Ready, Reply, Start, settings_digest
from compliance_rag.retrieve.types import Query
from compliance_rag.service.ask import ask, search
from compliance_rag.service.homes import HomeHandle, PassageEmbedder, open_home
from compliance_rag.service.warming import warm
from schemas.errors import ComplianceError, InputRejected, IntegrityError

# The cores are shared by as many workers: a question's vector is worked out by the thread that needs it.
VECTOR_THREADS = 1


def main() -> None:
    """Run the order on stdin."""
    run(Start(**json.load(sys.stdin)))


def run(start: Start, embedder: PassageEmbedder | None = None) -> None:
    """Answer until the service lets go of the sockets. ``embedder`` None: the home's own."""
    configure(quiet=False, as_json=True)
    lines = [Connection(number) for number in start.sockets]
    try:
        handle = _opened(start, embedder)
    except ComplianceError as error:
        lines[0].send(Ready(refused=error))
        return
    lines[0].send(Ready(problem=_warmed(handle)))
    threads = [threading.Thread(target=_answer_all, args=(handle, line)) for line in lines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _opened(start: Start, embedder: PassageEmbedder | None) -> HomeHandle:
    from compliance_rag.store.embedder import Embedder

    context = read_context(start.home, None, as_json=True, quiet=False)
    handle = open_home(context.home, overlay=context.overlay, embedder=embedder)
    if settings_digest(handle.settings) != start.settings_sha256:
        raise InputRejected("settings_changed", "settings.toml changed since the service started; restart it.", "settings.toml")
    if embedder is None:
        handle.use(Embedder.load(handle.settings.embedder, threads=VECTOR_THREADS))
    return handle


def _warmed(handle: HomeHandle) -> ComplianceError | None:
    try:
        warm(handle)
    except IntegrityError as error:
        return error
    return None


def _answer_all(handle: HomeHandle, line: Connection) -> None:
    while True:
        try:
            call: Call = line.recv()
        except (EOFError, ConnectionError):  # the service is gone, or does not need this worker any more
            return
        try:
            line.send(_answered(handle, call))
        except ConnectionError:
            return


def _answered(handle: HomeHandle, call: Call) -> Reply:
    structlog.contextvars.bind_contextvars(request_id=call.request_id)
    try:
        asked = call.asked
        return Reply(search(handle, asked) if isinstance(asked, Query) else ask(handle, asked))
    except ComplianceError as error:
        return Reply(error=error)
    except Exception:  # noqa: BLE001  an entry point: the trace goes into the log, who called is told of a fault
        structlog.get_logger().exception("fault")
        return Reply()
    finally:
        structlog.contextvars.clear_contextvars()


if __name__ == "__main__":
    main()
