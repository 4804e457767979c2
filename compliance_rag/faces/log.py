"""Events to stderr, as JSON lines when asked, with request ids and never a question's text."""

from __future__ import annotations

import json
import logging
import sys
from datetime import UTC, datetime
from typing import TextIO

import structlog


class _Lines(logging.Formatter):
    """A line of JSON for what a library logs, its traceback as plain text: no values of variables, which may be a question."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        at = datetime.fromtimestamp(record.created, UTC).isoformat()
        event = {
            "event": record.getMessage().strip(),
            "logger": record.name,
            "level": record.levelname.lower(),
            "timestamp": at,
        }
        if record.exc_info:
            event["exception"] = self.formatException(record.exc_info)
        return json.dumps(event)


class _Stderr(logging.StreamHandler[TextIO]):
    """Whoever replaces stderr, and closes what stood there, is followed."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write the line."""
        self.stream = sys.stderr
        super().emit(record)


def configure(*, quiet: bool, as_json: bool) -> None:
    """Set structlog up for one command: warnings only when quiet or when a person reads the terminal."""
    level = logging.WARNING if quiet or not as_json else logging.INFO
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        # Looked up at each event: whoever replaces stderr, and closes what stood there, is followed.
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
        cache_logger_on_first_use=False,
    )


def plain_faults() -> None:
    """What libraries log goes to stderr, a line of JSON each, unless the process has handlers already. Libraries that find none
    set up their own, which draw every frame with its variables: seconds for each fault, in which nothing is served."""
    handler = _Stderr(sys.stderr)
    handler.setFormatter(_Lines())
    logging.basicConfig(level=logging.WARNING, handlers=[handler])
