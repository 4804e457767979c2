"""Events for operators: what happened, to which ids, how long it took; never a question's or a document's words."""

from __future__ import annotations

import time

import structlog

from compliance_rag.service.homes import HomeHandle
from schemas.objects import Answer


def answered(answer: Answer, started: float, *, repeated: bool) -> None:
    """An answer left; ``started`` is a `time.perf_counter` value, ``repeated``: the record was there already."""
    structlog.get_logger().info(
        "answered",
        request_id=answer.request_id,
        answer_id=answer.answer_id,
        status=answer.status,
        refusal_reason=answer.refusal_reason,
        citations=len(answer.citations),
        corpus_root=answer.corpus_root,
        record=None if answer.ledger is None else answer.ledger.index,
        repeated=repeated,
        milliseconds=round((time.perf_counter() - started) * 1000),
    )


def recorded(handle: HomeHandle, kinds: dict[str, int]) -> None:
    """A batch of versions or an event in time is on the ledger; ``kinds`` counts the records by type."""
    structlog.get_logger().info("recorded", ledger_size=handle.ledger.size, corpus_root=handle.corpus().corpus_root, **kinds)


def went_stale(answers: int, newly: int) -> None:
    """How many past answers are stale, and how many of them a batch made so."""
    structlog.get_logger().info("stale_answers", answers=answers, newly=newly)
