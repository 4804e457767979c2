"""A written answer from an OpenAI-compatible endpoint, through instructor; what was sent and what came back, byte for byte."""

from __future__ import annotations

import ipaddress
import json
import logging
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field

from compliance_rag.answer.prompt import Message
from compliance_rag.answer.validate import Proposal, ProposedCitation, ProposedStatement
from compliance_rag.store.rows import VersionRow

# SDK and instructor each try once more; their retries multiply, so that one attempt of ours costs at most four calls.
SDK_RETRIES = 1
PARSE_RETRIES = 1
# An answer of twelve statements with quotes takes about 900 tokens; more is a model that runs on.
REPLY_TOKENS = 1_500
# Statements and citations taken from a reply; a longer one is rejected by the schema.
STATEMENT_LIMIT = 20
CITATION_LIMIT = 8
TEXT_LIMIT = 4_000
# Bytes of a reply kept on the record.
REPLY_BYTES_LIMIT = 1_000_000


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where answers are written. ``api_key`` is handed in by a face and goes on no record."""

    base_url: str
    name: str
    api_key: str | None = None
    timeout: float = 60.0


class WrittenCitation(BaseModel):
    """A label and the words quoted from it."""

    label: str = Field(max_length=20)
    quote: str = Field(max_length=TEXT_LIMIT)


class WrittenStatement(BaseModel):
    """One sentence with its citations."""

    text: str = Field(max_length=TEXT_LIMIT)
    citations: list[WrittenCitation] = Field(max_length=CITATION_LIMIT)


class Written(BaseModel):
    """A model's answer."""

    model_config = ConfigDict(extra="ignore")
    statements: list[WrittenStatement] = Field(max_length=STATEMENT_LIMIT)
    applies_not: list[str] = Field(default_factory=list, max_length=STATEMENT_LIMIT)

    def proposal(self) -> Proposal:
        """The same, as validation takes it."""
        statements = tuple(
            ProposedStatement(s.text, tuple(ProposedCitation(c.label.strip().strip("[]"), c.quote) for c in s.citations))
            for s in self.statements
        )
        return Proposal(statements, tuple(label.strip().strip("[]") for label in self.applies_not))


@dataclass(slots=True)
class Exchange:
    """One HTTP request as sent and its reply as received; no headers."""

    request: str
    status: int | None = None
    reply: str = ""


@dataclass(slots=True)
class Attempt:
    """One attempt in one mode: what it exchanged, and what was filled in (``written`` where that is an answer) or why there is
    nothing."""

    mode: str
    exchanges: list[Exchange] = field(default_factory=list)
    filled: BaseModel | None = None
    error: str | None = None
    tokens: dict[str, int] = field(default_factory=dict)

    @property
    def written(self) -> Written | None:
        """The answer."""
        return self.filled if isinstance(self.filled, Written) else None

    def as_record(self) -> dict[str, Any]:
        """For the record: messages actually sent, raw replies, outcome."""
        sent = [{"request": e.request, "status": e.status, "reply": e.reply} for e in self.exchanges]
        return {"mode": self.mode, "exchanges": sent, "error": self.error, "tokens": self.tokens}


def is_internal(base_url: str) -> bool:
    """True when every address of the endpoint's host is loopback or private; a name that cannot be resolved is not."""
    host = urlsplit(base_url).hostname
    if not host:
        return False
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except (OSError, UnicodeError):
        return False
    addresses = [ipaddress.ip_address(str(address).split("%")[0]) for address in found]
    return bool(addresses) and all(a.is_loopback or (a.is_private and not a.is_unspecified) for a in addresses)


def may_send(versions: Iterable[VersionRow], base_url: str) -> bool:
    """The egress rule: ``never`` forbids, ``internal`` asks for an internal host, ``any`` allows; the strictest decides."""
    return rules_allow((version.model_use for version in versions), base_url)


def rules_allow(said: Iterable[str], base_url: str) -> bool:
    """:func:`may_send` of the rules themselves."""
    rules = set(said)
    if "never" in rules:
        return False
    return "internal" not in rules or is_internal(base_url)


def _client(endpoint: Endpoint, log: list[Exchange]) -> Any:
    import openai

    def on_request(request: Any) -> None:
        log.append(Exchange(request.read().decode("utf-8", "replace")))

    def on_response(response: Any) -> None:
        body = response.read()[:REPLY_BYTES_LIMIT]
        log[-1].status, log[-1].reply = response.status_code, body.decode("utf-8", "replace")

    # No proxies and no redirects: the host that the egress rule allowed is the host that is spoken to.
    http = openai.DefaultHttpxClient(
        trust_env=False,
        follow_redirects=False,
        timeout=endpoint.timeout,
        event_hooks={"request": [on_request], "response": [on_response]},
    )
    return openai.OpenAI(
        base_url=endpoint.base_url,
        api_key=endpoint.api_key or "none",
        organization="",
        project="",
        timeout=endpoint.timeout,
        max_retries=SDK_RETRIES,
        http_client=http,
    )


def _attempt(endpoint: Endpoint, said: Sequence[Message], mode: str, shape: type[BaseModel], tokens: int) -> Attempt:
    import instructor
    import openai
    from instructor.core.exceptions import InstructorError
    from pydantic import ValidationError

    # Its warnings print replies, which may repeat a question; the attempt keeps them where they can be erased.
    logging.getLogger("instructor").setLevel(logging.CRITICAL)
    attempt = Attempt(mode)
    client = _client(endpoint, attempt.exchanges)
    try:
        wrapped = instructor.from_openai(client, mode=instructor.Mode[mode])
        filled, completion = wrapped.chat.completions.create_with_completion(
            model=endpoint.name,
            messages=[dict(message) for message in said],
            response_model=shape,
            max_retries=PARSE_RETRIES,
            max_tokens=tokens,
            temperature=0,
        )
        attempt.filled = filled
        usage = getattr(completion, "usage", None)
        if usage is not None:
            attempt.tokens = {"prompt": int(usage.prompt_tokens or 0), "completion": int(usage.completion_tokens or 0)}
    except (InstructorError, openai.OpenAIError, ValidationError, json.JSONDecodeError) as error:
        attempt.error = f"{type(error).__name__}: {str(error)[:500]}"
    finally:
        client.close()
    return attempt


def write(endpoint: Endpoint, said: Sequence[Message]) -> list[Attempt]:
    """Ask for a written answer: JSON_SCHEMA first, MD_JSON when its reply could not be read. The last attempt holds the answer,
    or none of them does. Raises nothing for a bad endpoint: what went wrong is on the attempts."""
    return fill_in(endpoint, said, Written, REPLY_TOKENS)


def fill_in(endpoint: Endpoint, said: Sequence[Message], shape: type[BaseModel], tokens: int) -> list[Attempt]:
    """:func:`write` for a reply of any ``shape``, of at most ``tokens`` tokens."""
    first = _attempt(endpoint, said, "JSON_SCHEMA", shape, tokens)
    if first.filled is not None or not any(e.status is not None for e in first.exchanges):
        return [first]
    return [first, _attempt(endpoint, said, "MD_JSON", shape, tokens)]
