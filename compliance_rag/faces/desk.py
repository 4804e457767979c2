"""Where questions and searches are worked out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from compliance_rag.service.homes import HomeHandle
from schemas.objects import Answer, SearchResult

if TYPE_CHECKING:
    from compliance_rag.retrieve.types import Query
    from compliance_rag.service.asking import AskRequest


class Desk(Protocol):
    """Where questions are worked out: here (:class:`Here`), or in processes of their own."""

    def ask(self, request: AskRequest) -> Answer:
        """As :func:`compliance_rag.service.ask.ask`."""

    def search(self, query: Query) -> SearchResult:
        """As :func:`compliance_rag.service.ask.search`."""

    def check(self) -> None:
        """Raises what keeps every question from being worked out."""


class Here:
    """Questions are worked out by the thread that asks."""

    def __init__(self, handle: HomeHandle) -> None:
        self._handle = handle

    def ask(self, request: AskRequest) -> Answer:
        """As :func:`compliance_rag.service.ask.ask`."""
        from compliance_rag.service.ask import ask

        return ask(self._handle, request)

    def search(self, query: Query) -> SearchResult:
        """As :func:`compliance_rag.service.ask.search`."""
        from compliance_rag.service.ask import search

        return search(self._handle, query)

    def check(self) -> None:
        """Nothing but the stores could, and who opens them says so."""
