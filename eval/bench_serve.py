"""The service under load: 50 people at once for two minutes while a batch is ingested through the service itself.

``python -m eval.bench_serve [--seconds 120] [--clients 50] [--pause 0] [--fresh] [--data DIR]``: a scratch home of the manifest
in DIR (the sample corpus by default), `serve` as a process of its own, one caller alone first, then all of them; prints JSON.
Each caller waits for an answer, then ``pause`` seconds, then calls again: without a pause they ask for more than two cores
give, which measures throughput and what waiting costs; with one the times are what people see. The questions are those of the
gold set, over and over; with ``--fresh`` each carries a number of its own, so that none was ever asked before.
"""

from __future__ import annotations

import argparse
import http.client
import json
import os
import random
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from eval.bench import percentile
from eval.suites import own_corpus

SEED = 20261130
ALONE_SECONDS = 20.0
MEMORY_SECONDS = 1.0
# What people do: mostly ask, then search, read a clause and an outline.
MIX = (("ask", 5), ("search", 2), ("clause", 2), ("docs", 1))
# The batch: as many versions of a manual of so many clauses as keep an ingest busy for the two minutes.
BATCH_VERSIONS, BATCH_CLAUSES = 40, 150
# The share of the run after which memory should stand: the first part fills caches.
SETTLED = 0.25
CALL_SECONDS = 60.0
_WORDS = (
    "officer", "branch", "record", "customer", "report", "notice", "day", "approval", "account", "contract", "review",
    "committee", "register",
)  # fmt: skip


@dataclass(slots=True)
class Calls:
    """What callers saw: seconds by kind of call, faults by status."""

    seconds: dict[str, list[float]] = field(default_factory=lambda: {name: [] for name, _ in MIX})
    faults: Counter[str] = field(default_factory=Counter)
    guard: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str, seconds: float, status: int) -> None:
        """One call."""
        with self.guard:
            self.seconds[name].append(seconds)
            if status != 200:
                self.faults[f"{name} {status}"] += 1

    def report(self, span: float) -> dict[str, Any]:
        """Figures over ``span`` seconds."""
        every = [one for values in self.seconds.values() for one in values]
        found: dict[str, Any] = {"calls": len(every), "errors": dict(self.faults), "per_s": round(len(every) / span, 1)}
        for name, values in (("all", every), *self.seconds.items()):
            if values:
                found[name] = {
                    "p50_ms": round(percentile(values, 0.5) * 1000), "p95_ms": round(percentile(values, 0.95) * 1000),
                    "max_ms": round(max(values) * 1000),
                }  # fmt: skip
        return found


class Caller:
    """One person: a connection kept open, calls chosen by a seeded draw."""

    def __init__(
        self, port: int, key: str, number: int, questions: Sequence[dict[str, Any]], clauses: Sequence[str], *, fresh: bool
    ) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=CALL_SECONDS)
        self._headers = {"Authorization": f"Bearer {key}", "Content-Type": "application/json"}
        self._draw = random.Random(SEED + number)
        self._fresh = fresh
        self._questions, self._clauses = questions, clauses

    def call(self, into: Calls) -> None:
        """One call, whatever comes of it."""
        name = self._draw.choices([name for name, _ in MIX], [weight for _, weight in MIX])[0]
        method, path, body = self._made(name)
        started = time.perf_counter()
        try:
            self._connection.request(method, path, body, self._headers)
            answer = self._connection.getresponse()
            answer.read()
            status = answer.status
        except (OSError, http.client.HTTPException):
            self._connection.close()
            status = 0
        into.add(name, time.perf_counter() - started, status)

    def _made(self, name: str) -> tuple[str, str, str | None]:
        if name == "clause":
            return "GET", f"/api/clause/{quote(self._draw.choice(self._clauses), safe='/@~.')}", None
        if name == "docs":
            return "GET", "/api/docs", None
        asked = self._draw.choice(self._questions)
        words = f"{asked['question']} ({self._draw.randrange(10**6)})" if self._fresh else asked["question"]
        text = {"question": words} if name == "ask" else {"query": words}
        return "POST", f"/api/{name}", json.dumps(text | {"as_of": asked["as_of"]})


def drive(callers: Sequence[Caller], seconds: float, pause: float) -> tuple[Calls, float]:
    """All callers at once for ``seconds``; what they saw, and the span it took."""
    calls, stop = Calls(), time.perf_counter() + seconds

    def work(caller: Caller) -> None:
        while time.perf_counter() < stop:
            caller.call(calls)
            if pause:
                time.sleep(pause)

    started = time.perf_counter()
    threads = [threading.Thread(target=work, args=(caller,)) for caller in callers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return calls, time.perf_counter() - started


class Memory:
    """The resident megabytes of a service and its workers, looked at each second; the process of a batch comes and goes and is
    not counted."""

    def __init__(self, pid: int) -> None:
        self._paths = [Path(f"/proc/{one}/status") for one in (pid, *workers_of(pid))]
        self._ended = threading.Event()
        self.seen: list[float] = []
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()

    def _look(self) -> None:
        while not self._ended.wait(MEMORY_SECONDS):
            self.seen.append(sum(_resident(path) for path in self._paths))

    def report(self) -> dict[str, float]:
        """At the start, once settled, at the end, and the greatest; ``growth`` from settled to the end."""
        self._ended.set()
        self._thread.join()
        settled, last = self.seen[int(SETTLED * len(self.seen))], self.seen[-1]
        found = {"start_mb": self.seen[0], "settled_mb": settled, "end_mb": last, "max_mb": max(self.seen)}
        return {name: round(value) for name, value in found.items()} | {"growth": round(last / settled - 1, 3)}


def batch(number: int) -> tuple[str, list[dict[str, Any]], dict[str, bytes]]:
    """A manifest and its files: versions of a seeded manual, each with some clauses changed."""
    draw = random.Random(SEED + number)
    lines = [" ".join(draw.choices(_WORDS, k=24)) for _ in range(BATCH_CLAUSES)]
    entries, files = [], {}
    for version in range(BATCH_VERSIONS):
        for at in draw.sample(range(BATCH_CLAUSES), BATCH_CLAUSES // 3):
            lines[at] = " ".join(draw.choices(_WORDS, k=24))
        text = "# Load Manual\n\n" + "\n\n".join(f"{at}. The {line}." for at, line in enumerate(lines, 1))
        name = f"load-{version}.md"
        files[name] = text.encode()
        day = f"{2000 + version // 12}-{version % 12 + 1:02d}-01"
        entries.append({"file": name, "doc_id": f"load-manual-{number}", "version": f"v{version}", "effective_from": day})
    return uuid.uuid4().hex, entries, files


def send_batch(port: int, key: str, number: int) -> str:
    """Hand a batch to the service; its id."""
    boundary, entries, files = batch(number)
    pieces = [_part(boundary, 'name="manifest"', json.dumps(entries).encode())]
    pieces += [_part(boundary, f'name="files"; filename="{name}"', data) for name, data in files.items()]
    body = b"".join([*pieces, f"--{boundary}--\r\n".encode()])
    headers = {"Authorization": f"Bearer {key}", "Content-Type": f"multipart/form-data; boundary={boundary}"}
    status, answer = _call(port, "POST", "/api/ingest", body, headers)
    if status != 202:
        raise RuntimeError(f"the batch was not taken: {status} {answer}")
    return str(answer["id"])


def _part(boundary: str, named: str, data: bytes) -> bytes:
    return f"--{boundary}\r\nContent-Disposition: form-data; {named}\r\n\r\n".encode() + data + b"\r\n"


def _call(port: int, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> tuple[int, Any]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=CALL_SECONDS)
    try:
        connection.request(method, path, body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


@contextmanager
def served(home: Path) -> Iterator[tuple[int, str, int]]:
    """The service of ``home`` as a process: port, key, process id."""
    port = random.randrange(20_000, 60_000)
    command = [sys.executable, "-m", "compliance_rag", "--home", str(home), "--json", "serve", "--port", str(port)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        key = json.loads(process.stdout.readline())["key"]
        try:
            while True:
                try:
                    _call(port, "GET", "/healthz", None, {})
                    break
                except ConnectionError:
                    time.sleep(0.05)
            yield port, key, process.pid
        finally:
            process.terminate()


def _known(port: int, key: str, clauses: Sequence[str]) -> list[str]:
    """Those of ``clauses`` that this corpus holds: a gold set may name versions that a later manifest brings."""
    headers = {"Authorization": f"Bearer {key}"}
    paths = {name: f"/api/clause/{quote(name, safe='/@~.')}" for name in clauses}
    return [name for name, path in paths.items() if _call(port, "GET", path, None, headers)[0] == 200]


def workers_of(pid: int) -> list[int]:
    """The processes that answer for the service ``pid``."""
    children = [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]
    return [one for one in children if b"workers.child" in Path(f"/proc/{one}/cmdline").read_bytes()]


def _resident(path: Path) -> float:
    line = next(line for line in path.read_text("ascii").splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) / 1024


def measure(home: Path, data: Path, *, clients: int, seconds: float, pause: float, fresh: bool = False) -> dict[str, Any]:
    """Alone, then all at once beside an ingest. ``home`` holds the corpus of ``data``."""
    questions = [json.loads(line) for line in (data / "gold.jsonl").read_text("utf-8").splitlines() if line.strip()]
    asked = [{"question": one["question"], "as_of": one["as_of"]} for one in questions]
    with served(home) as (port, key, pid):
        clauses = _known(port, key, sorted({gold for one in questions for gold in one["gold"]}))

        def caller(number: int) -> Caller:
            return Caller(port, key, number, asked, clauses, fresh=fresh)

        drive([caller(clients)], ALONE_SECONDS / 4, 0.0)
        alone, span = drive([caller(clients + 1)], ALONE_SECONDS, 0.0)
        one = alone.report(span)
        sent, memory, started = [send_batch(port, key, 0)], Memory(pid), time.perf_counter()
        headers = {"Authorization": f"Bearer {key}"}
        ended: list[float] = []

        def follow() -> None:
            while time.perf_counter() < started + seconds:
                _, seen = _call(port, "GET", f"/api/ingest/{sent[-1]}", None, headers)
                if seen["state"] in ("done", "failed"):
                    ended.append(round(time.perf_counter() - started, 1))
                    if seen["state"] == "failed" or len(seen["result"]["published"]) != BATCH_VERSIONS:
                        raise RuntimeError(f"the batch failed: {seen['error']} {seen['result']}")
                    sent.append(send_batch(port, key, len(sent)))
                time.sleep(1.0)

        following = threading.Thread(target=follow)
        following.start()
        many, span = drive([caller(number) for number in range(clients)], seconds, pause)
        following.join()
        figures = many.report(span)
        grown = memory.report()
    cores = len(os.sched_getaffinity(0))
    ratio = round(figures["per_s"] / (one["per_s"] * cores), 2)
    return {
        "clients": clients, "pause_s": pause, "fresh": fresh, "cores": cores, "alone": one, "together": figures,
        "of_one_caller_times_cores": ratio, "memory": grown,
        "ingest": {"versions_a_batch": BATCH_VERSIONS, "batches_done_at_s": ended},
    }  # fmt: skip


def main() -> None:
    """Print the figures as JSON."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--pause", type=float, default=0.0)
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--data", type=Path, default=None)
    given = parser.parse_args()
    data = given.data or own_corpus()
    with tempfile.TemporaryDirectory(prefix="compliance-rag-bench-") as scratch:
        home = Path(scratch) / "home"
        subprocess.run(
            [sys.executable, "-m", "compliance_rag", "--home", str(home), "--quiet", "--json", "add", "--manifest",
             str(data / "manifest.json")],
            check=True, stdout=subprocess.DEVNULL,
        )  # fmt: skip
        found = measure(home, data, clients=given.clients, seconds=given.seconds, pause=given.pause, fresh=given.fresh)
    sys.stdout.write(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
