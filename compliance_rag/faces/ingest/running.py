"""Running batches one after the other, each in a process of its own, while the service goes on answering."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Final

from compliance_rag.faces.ingest.batches import Batch, Shelf, keep_entries, settle
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import Bearer
from schemas.errors import InputRejected
from schemas.manifest import ManifestEntry

COMMAND: Final = (sys.executable, "-m", "compliance_rag.faces.ingest.child")
# Batches that wait; whoever comes after is told to come again.
WAITING_LIMIT: Final = 20
# A process that was told to end has this long to let its batch go; it may be killed anywhere (nothing half-done is kept).
ENDING_SECONDS: Final = 10
_ENDED_EARLY = "The service ended before this batch did; Documents shows what is recorded."
_INTERRUPTED = {"code": "interrupted", "message": _ENDED_EARLY, "where": None}


class Ingests:
    """The batches of a service and the thread that runs them. ``command``: the process that ingests."""

    def __init__(self, handle: HomeHandle, command: Sequence[str] = COMMAND) -> None:
        self.shelf = Shelf()
        self._handle = handle
        self._command = tuple(command)
        self._guard = threading.Lock()
        self._waiting: queue.Queue[tuple[Batch, Bearer] | None] = queue.Queue(WAITING_LIMIT)
        self._thread: threading.Thread | None = None
        self._process: subprocess.Popen[str] | None = None
        self._closing = threading.Event()

    def start(self, batch: Batch, entries: Sequence[ManifestEntry], bearer: Bearer) -> None:
        """Put the batch in line; ``entries`` are the good ones of its manifest. Raises InputRejected ``batch_under_way``,
        ``too_many_batches``."""
        with self._guard:
            if batch.under_way:
                raise InputRejected("batch_under_way", "This batch is being ingested already; wait for its end.", batch.id)
            keep_entries(batch, entries)
            batch.result, batch.error, batch.reports = None, None, []
            batch.stage, batch.done, batch.total = "", 0, 0
            try:
                self._waiting.put_nowait((batch, bearer))
            except queue.Full as error:
                raise InputRejected("too_many_batches", "Too many batches wait already; try again later.", batch.id) from error
            batch.state = "waiting"
            batch.revision += 1
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="ingests", daemon=True)
                self._thread.start()

    def seen(self, batch: Batch) -> tuple[int, dict[str, Any]]:
        """Its revision, and the batch as shown, at one moment."""
        with self._guard:
            return batch.revision, batch.shown()

    def discard(self, batch: Batch) -> None:
        """Let a batch go that is not under way. Raises InputRejected ``batch_under_way``."""
        with self._guard:
            if batch.under_way:
                raise InputRejected("batch_under_way", "This batch is being ingested already; wait for its end.", batch.id)
        self.shelf.drop(batch)

    def close(self) -> None:
        """End what runs, let everything go."""
        with self._guard:
            self._closing.set()
            process, thread = self._process, self._thread
        if process is not None:
            process.terminate()
            try:
                process.wait(ENDING_SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # with the processes that it parses in
        if thread is not None:
            self._drain()
            thread.join(ENDING_SECONDS)
        self.shelf.clear()

    def _drain(self) -> None:
        while True:
            try:
                self._waiting.get_nowait()
            except queue.Empty:
                break
        self._waiting.put(None)

    def _work(self) -> None:
        while True:
            item = self._waiting.get()
            if item is None or self._closing.is_set():
                return
            batch, bearer = item
            told = self._run(batch, bearer)
            with self._guard:
                settle(batch, told)
                batch.revision += 1

    def _run(self, batch: Batch, bearer: Bearer) -> Mapping[str, Any]:
        """What the process said at its end."""
        order = {
            "home": str(self._handle.home.root), "manifest": str(batch.manifest), "files": str(batch.files),
            "actor": bearer.name, "actor_auth": bearer.auth,
            "second_person": self._handle.settings.publishing.second_person,
        }  # fmt: skip
        with self._guard:
            if self._closing.is_set():
                return {"error": _INTERRUPTED}
            process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8",
                start_new_session=True,
            )  # fmt: skip
            self._process = process
            batch.state = "running"
            batch.revision += 1
        last: Mapping[str, Any] = {"error": _died()}
        with process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                process.stdin.write(json.dumps(order))
                process.stdin.close()
            except BrokenPipeError:  # it died before it read: its end says so
                pass
            for line in process.stdout:
                told = _read(line)
                if "stage" not in told:
                    last = told or last
                    continue
                with self._guard:
                    batch.stage, batch.done, batch.total = told["stage"], told["done"], told["total"]
                    batch.revision += 1
        with self._guard:
            self._process = None
            return {"error": _INTERRUPTED} if self._closing.is_set() and "result" not in last else last


def _read(line: str) -> dict[str, Any]:
    """A line of the process; what a library printed there is none of ours."""
    try:
        value = json.loads(line)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def _died() -> dict[str, Any]:
    message = (
        "The ingest ended before it said what it did; Documents shows what is recorded. The files are kept: send the batch "
        "again, and what is recorded already stays as it is."
    )
    return {"code": "ingest_ended", "message": message, "where": None}
