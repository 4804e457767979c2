"""What the service and its workers say to each other, pickled over pairs of sockets that no one else holds."""

from __future__ import annotations

from dataclasses import dataclass

from compliance_rag.retrieve.types import Query
from compliance_rag.service.asking import AskRequest
from schemas.canonical import canonical_json, sha256_hex
from schemas.errors import ComplianceError
from schemas.objects import Answer, SearchResult
from schemas.settings import Settings


@dataclass(frozen=True, slots=True)
class Start:
    """The order on a worker's stdin, as JSON: the home, the settings that the service runs under (:func:`settings_digest`) and
    the sockets to answer on, one thread each."""

    home: str
    settings_sha256: str
    sockets: list[int]


@dataclass(frozen=True, slots=True)
class Ready:
    """The first thing said, on the first socket. ``problem``: why no question can be answered as the stores are; ``refused``:
    why the worker ends at once."""

    problem: ComplianceError | None = None
    refused: ComplianceError | None = None


@dataclass(frozen=True, slots=True)
class Call:
    """One question or search, and the id of the HTTP call that brought it, for the log."""

    asked: AskRequest | Query
    request_id: str | None


@dataclass(frozen=True, slots=True)
class Reply:
    """What came of a call: what was found, or an error of the family, or neither where the worker is at fault (its log says
    how)."""

    found: Answer | SearchResult | None = None
    error: ComplianceError | None = None


def settings_digest(settings: Settings) -> str:
    """The settings by their hash, for two processes to see that they run under the same."""
    return sha256_hex(canonical_json(settings.model_dump(mode="json")))
