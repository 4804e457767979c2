"""Counts and times for operators, in the Prometheus text format: never a word of a question or a document, no ids."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator

# Seconds; a warm question takes 60 to 150 ms, a verification seconds.
BUCKETS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counters of one process; safe for several threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._within: Counter[tuple[str, float]] = Counter()
        self._seconds: dict[str, float] = {}
        self._counts: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """A request was answered; ``route`` is its template, never its path."""
        with self._guard:
            self._requests[method, route, status] += 1
            self._counts[route] += 1
            self._seconds[route] = self._seconds.get(route, 0.0) + seconds
            for bound in BUCKETS:
                if seconds <= bound:
                    self._within[route, bound] += 1

    def answer(self, status: str) -> None:
        """An answer was given with this status."""
        with self._guard:
            self._answers[status] += 1

    def text(self, *, ledger_size: int) -> str:
        """Everything, a line each."""
        with self._guard:
            return "\n".join([*self._lines(ledger_size), ""])

    def _lines(self, ledger_size: int) -> Iterator[str]:
        yield "# HELP compliance_rag_requests_total Requests answered."
        yield "# TYPE compliance_rag_requests_total counter"
        for (method, route, status), count in sorted(self._requests.items()):
            yield f'compliance_rag_requests_total{{method="{method}",route="{route}",status="{status}"}} {count}'
        yield "# HELP compliance_rag_request_seconds Time to answer."
        yield "# TYPE compliance_rag_request_seconds histogram"
        for route, count in sorted(self._counts.items()):
            for bound in BUCKETS:
                yield f'compliance_rag_request_seconds_bucket{{route="{route}",le="{bound}"}} {self._within[route, bound]}'
            yield f'compliance_rag_request_seconds_bucket{{route="{route}",le="+Inf"}} {count}'
            yield f'compliance_rag_request_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}'
            yield f'compliance_rag_request_seconds_count{{route="{route}"}} {count}'
        yield "# HELP compliance_rag_answers_total Answers given."
        yield "# TYPE compliance_rag_answers_total counter"
        for outcome, count in sorted(self._answers.items()):
            yield f'compliance_rag_answers_total{{status="{outcome}"}} {count}'
        yield "# HELP compliance_rag_ledger_records Records on the ledger."
        yield "# TYPE compliance_rag_ledger_records gauge"
        yield f"compliance_rag_ledger_records {ledger_size}"
