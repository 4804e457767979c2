"""The workers of a service: which of them takes the next question, and what happens when one ends."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import asdict
from multiprocessing.connection import Connection
from typing import Final

import structlog

from compliance_rag.faces.http.errors import Refused
from compliance_rag.faces.workers.lines import Call, Ready, Reply, Start, settings_digest
from compliance_rag.retrieve.types import Query
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.homes import HomeHandle
from schemas.errors import ComplianceError
from schemas.objects import Answer, SearchResult

COMMAND: Final = (sys.executable, "-m", "compliance_rag.faces.workers.child")
# More processes than this is a service for more than one machine.
WORKERS_LIMIT: Final = 16
# Calls that one worker has in hand: others go on while one waits for the disk (4 gave 125 calls a
# second and 8 no more, each waiting longer).
AT_ONCE: Final = 4
# With an endpoint most of a call is waiting for it.
AT_ONCE_WITH_MODEL: Final = 16
# Loading takes seconds; a large home may take minutes on a slow disk.
STARTING_SECONDS: Final = 600
ENDING_SECONDS: Final = 10


class WorkerFault(RuntimeError):
    """A worker met a fault of ours; the trace is in its log."""


class _Worker:
    """One process and our ends of its sockets."""

    def __init__(self, handle: HomeHandle, command: Sequence[str], at_once: int) -> None:
        pairs = [_pair() for _ in range(at_once)]
        self.lines = [ours for ours, _ in pairs]
        numbers = [theirs.fileno() for _, theirs in pairs]
        order = Start(str(handle.home.root), settings_digest(handle.settings), numbers)
        # A group of its own: who interrupts the service in a terminal lets what is under way come to its end.
        self.process = subprocess.Popen(
            tuple(command),
            stdin=subprocess.PIPE,
            pass_fds=numbers,
            text=True,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
        )
        for _, theirs in pairs:
            theirs.close()
        assert self.process.stdin is not None
        try:
            self.process.stdin.write(json.dumps(asdict(order)))
            self.process.stdin.close()
        except BrokenPipeError:  # it died before it read; `ready` says so
            pass

    def ready(self) -> Ready:
        """Wait for its first word; whoever is refused ends it."""
        line = self.lines[0]
        try:
            if line.poll(STARTING_SECONDS):
                said: Ready = line.recv()
                return said
        except (EOFError, ConnectionError):
            pass
        return Ready(refused=_no_worker())

    def end(self) -> None:
        """End it wherever it is: nothing half-done is kept. Our ends are closed by whoever lets go of them last, for one may be
        waiting on them."""
        self.process.terminate()
        try:
            self.process.wait(ENDING_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


class Workers:
    """Answers questions and searches in ``count`` processes. Safe for several threads."""

    def __init__(self, handle: HomeHandle, count: int | None = None, command: Sequence[str] = COMMAND) -> None:
        self._handle = handle
        self._command = tuple(command)
        self._count = count or min(len(os.sched_getaffinity(0)), WORKERS_LIMIT)
        self._at_once = AT_ONCE_WITH_MODEL if handle.settings.model.base_url else AT_ONCE
        self._guard = threading.Lock()
        self._free: deque[tuple[_Worker, Connection]] = deque()
        self._waiting: deque[Future[tuple[_Worker, Connection]]] = deque()
        self._workers: list[_Worker] = []
        self._starting = 0
        self._closed = False

    def start(self) -> ComplianceError | None:
        """Start all and wait until they can answer; why no question can be answered as the stores are, if so. Raises what kept
        a worker from opening the home; Refused ``no_worker``."""
        started = [_Worker(self._handle, self._command, self._at_once) for _ in range(self._count)]
        said = [worker.ready() for worker in started]
        refused = next((one.refused for one in said if one.refused is not None), None)
        if refused is not None:
            for worker in started:
                worker.end()
            raise refused
        for worker in started:
            self._join(worker)
        return next((one.problem for one in said if one.problem is not None), None)

    def ask(self, request: AskRequest) -> Answer:
        """As :func:`compliance_rag.service.ask.ask`; Refused 503 ``worker_ended``, ``no_worker``; WorkerFault."""
        found = self._call(request)
        assert isinstance(found, Answer)
        return found

    def search(self, query: Query) -> SearchResult:
        """As :func:`compliance_rag.service.ask.search`; Refused 503 ``worker_ended``, ``no_worker``; WorkerFault."""
        found = self._call(query)
        assert isinstance(found, SearchResult)
        return found

    def check(self) -> None:
        """Raises Refused 503 ``no_worker`` while no process is there to work on a question."""
        with self._guard:
            if not self._workers:
                raise _no_worker()

    def close(self) -> None:
        """End all; who still waits is refused."""
        with self._guard:
            self._closed = True
            workers, self._workers = self._workers, []
            self._free.clear()
            self._refuse_waiting()
        for worker in workers:
            worker.end()

    def processes(self) -> list[int]:
        """The process ids."""
        with self._guard:
            return [worker.process.pid for worker in self._workers]

    def _call(self, asked: AskRequest | Query) -> Answer | SearchResult:
        request_id = structlog.contextvars.get_contextvars().get("request_id")
        worker, line = self._take()
        try:
            line.send(Call(asked, request_id))
            reply: Reply = line.recv()
        except (EOFError, OSError) as error:
            self._ended(worker)
            message = "The process that worked on this ended; ask again (under a request_id the same record comes back)."
            raise Refused(503, "worker_ended", message) from error
        self._give(worker, line)
        if reply.error is not None:
            raise reply.error
        if reply.found is None:
            raise WorkerFault("a worker met a fault; its log has the trace")
        return reply.found

    def _take(self) -> tuple[_Worker, Connection]:
        """A free line; who came first gets it first. Raises Refused 503 ``no_worker``."""
        with self._guard:
            if self._free and not self._waiting:
                return self._free.popleft()
            if not self._workers and not self._starting:
                self._replace()
            if self._closed:
                raise _no_worker()
            mine: Future[tuple[_Worker, Connection]] = Future()
            self._waiting.append(mine)
        return mine.result()

    def _give(self, worker: _Worker, line: Connection) -> None:
        with self._guard:
            if worker not in self._workers:
                return
            if self._waiting:
                self._waiting.popleft().set_result((worker, line))
            else:
                self._free.append((worker, line))

    def _ended(self, worker: _Worker) -> None:
        """It died: its lines are gone, another takes its place."""
        with self._guard:
            if worker not in self._workers:
                return
            self._workers.remove(worker)
            self._free = deque(pair for pair in self._free if pair[0] is not worker)
            self._replace()
        worker.end()
        structlog.get_logger().error("worker_ended", pid=worker.process.pid, returncode=worker.process.returncode)

    def _replace(self) -> None:
        """Under the guard: start one more, beside everything else."""
        if not self._closed:
            self._starting += 1
            threading.Thread(target=self._start_one, name="worker-start", daemon=True).start()

    def _start_one(self) -> None:
        worker = _Worker(self._handle, self._command, self._at_once)
        said = worker.ready()
        with self._guard:
            self._starting -= 1
            if said.refused is not None and not self._workers and not self._starting:
                self._refuse_waiting()
        if said.refused is not None:
            structlog.get_logger().error("no_worker", code=said.refused.code, message=said.refused.message)
            worker.end()
            return
        self._join(worker)

    def _join(self, worker: _Worker) -> None:
        with self._guard:
            if not self._closed:
                self._workers.append(worker)
                # Round the workers, not one after the other: the first questions go to different cores.
                pairs = [*self._free, *((worker, line) for line in worker.lines)]
                self._free = deque(sorted(pairs, key=lambda pair: pair[0].lines.index(pair[1])))
                while self._free and self._waiting:
                    self._waiting.popleft().set_result(self._free.popleft())
                return
        worker.end()

    def _refuse_waiting(self) -> None:
        while self._waiting:
            self._waiting.popleft().set_exception(_no_worker())


def _pair() -> tuple[Connection, socket.socket]:
    """Our end of a new pair, and the end to hand to a worker."""
    ours, theirs = socket.socketpair()
    return Connection(ours.detach()), theirs


def _no_worker() -> Refused:
    return Refused(503, "no_worker", "No process can work on questions now; the service's log says why. Try again later.")
