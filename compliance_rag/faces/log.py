"""Events to stderr, as JSON lines when asked, with request ids and never a question's text."""

from __future__ import annotations

import logging
import sys

import structlog


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
