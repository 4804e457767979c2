"""The ledger's published format: header models by record type, part roles, limits. ``schemas/ledger.md`` is the text."""

from __future__ import annotations

import re
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from schemas.errors import InputRejected

# The longest log line, so that a reader may refuse what is longer and a tile entry (65,535 bytes at most) holds any of them.
HEADER_LIMIT = 16 * 1024
# A log file is closed here: 10 to 160 MB at most, small enough to copy and to re-read in a second.
LINES_PER_FILE = 10_000
# A part's bytes: a clause list of 50,000 clauses takes about 20 MB, a page image less.
PART_LIMIT = 256 * 1024 * 1024
# RFC 8785 numbers are IEEE doubles: beyond this integers are not exact.
INTEGER_LIMIT = 2**53 - 1

CLAUSE_LEAF = "compliance-rag/clause/v1"
PUBLICATION_LEAF = "compliance-rag/publication/v1"

RESERVED = frozenset(
    {"format", "type", "index", "origin", "previous", "recorded_at", "clock_set_back", "parts", "sealed_under"}
)  # fmt: skip
"""Header fields that the ledger sets and no caller may."""

TYPE_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}\Z", re.ASCII)
ROLE_NAME = re.compile(r"[a-z][a-z0-9_.-]{0,63}\Z", re.ASCII)

Digest = str
ActorAuth = Literal["asserted", "os", "key", "oidc"]


class PartEntry(BaseModel):
    """One part: ``length`` and ``sha256`` of the stored bytes; of a sealed part that is the ciphertext, and ``hmac`` proves its
    plaintext."""

    model_config = ConfigDict(extra="forbid")
    role: str
    length: int = Field(ge=0, le=PART_LIMIT)
    sha256: Digest
    hmac: Digest | None = None


class RecordFields(BaseModel):
    """What every record's own fields hold; more fields than a model names are kept."""

    model_config = ConfigDict(extra="allow")
    actor: str
    actor_auth: ActorAuth = "asserted"


class PublicationFields(RecordFields):
    """A version entered the corpus. ``root`` is its version root, ``corpus_root`` the corpus root with it. Part ``clauses``."""

    doc_id: str
    version: str
    version_id: str
    effective_from: str | None
    effective_to: str | None
    published_on: str | None = None
    status: str
    source_sha256: Digest
    extracted_sha256: Digest
    parser: str
    root: Digest
    corpus_root: Digest
    corrects: str | None = None


class CitedClause(BaseModel):
    """A clause an answer cites, in clear: what it is, and which text."""

    model_config = ConfigDict(extra="forbid")
    clause_id: str
    sha256: Digest


class AnswerFields(RecordFields):
    """An answer was committed. Part ``answer`` is the shown JSON without ``ledger``."""

    answer_id: str
    request_id: str
    as_of: str
    known_at: str
    corpus_root: Digest
    status: str
    cited: list[CitedClause]


class WithdrawalFields(RecordFields):
    """A repeal from a day, or (``void``) never valid, as known from now. ``version_id`` None: the whole document. Part
    ``reason``."""

    model_config = ConfigDict(extra="allow", populate_by_name=True)
    doc_id: str
    version_id: str | None
    from_: str | None = Field(alias="from")
    void: bool


class RedateFields(RecordFields):
    """New dates of a version, or of one clause: ``number`` as it was named, ``path`` the clause meant. Part ``reason``."""

    doc_id: str
    version_id: str
    number: str | None = None
    path: str | None = None
    effective_from: str | None
    effective_to: str | None


class ErasureFields(RecordFields):
    """The key of record ``erases`` was destroyed. Part ``reason``."""

    erases: int = Field(ge=0)
    key_id: str


class HoldFields(RecordFields):
    """Record ``holds`` may not be erased (``released`` False) or may be again (True). Part ``reason``."""

    holds: int = Field(ge=0)
    released: bool


class KeyFields(RecordFields):
    """A checkpoint key is in use (``add``), takes over from ``replaces`` (``rotate``), or is trusted no more (``revoke``)."""

    event: Literal["add", "rotate", "revoke"]
    key_id: str
    public_key: str
    replaces: str | None = None


class CheckpointFields(RecordFields):
    """A checkpoint was signed over the first ``size`` records; ``consistency`` proves it continues ``from_size``."""

    size: int = Field(ge=0)
    root: Digest
    key_id: str
    from_size: int | None = None
    consistency: list[Digest] = []


class SettingsFields(RecordFields):
    """The settings in force from here on: ``changed`` names, by dots, what differs from those named last. Part ``settings``."""

    changed: list[str] = []


class StaleFields(RecordFields):
    """An answer whose clauses changed was given to ``owner`` until ``due`` (``assign``), or decided upon (``close``):
    ``covers`` is the hash of the changes the decision is about. Part ``note``."""

    answer_id: str
    event: Literal["assign", "close"]
    owner: str | None = None
    due: str | None = None
    decision: Literal["no_impact", "updated", "withdrawn"] | None = None
    covers: Digest | None = None


class ReviewFields(RecordFields):
    """A person decided about the answer of record ``reviews``, or about a held page: ``page`` of ``version_id`` of ``doc_id``,
    published by record ``reviews``. Parts ``note`` and, of an amendment, ``text``: the words that stand beside the answer from
    now on, or on the page in the version recorded next. A later decision takes over; what was decided about stays as it was."""

    answer_id: str | None = None
    doc_id: str | None = None
    version_id: str | None = None
    page: int | None = Field(default=None, ge=1)
    reviews: int | None = Field(default=None, ge=0)
    decision: Literal["approve", "amend", "reject"]


class AccessFields(RecordFields):
    """A key to the service was made for ``name`` (``grant``) in these roles and documents (None: any), or taken away.
    ``expires``: the first day on which it opens nothing (None: it never ends by itself)."""

    event: Literal["grant", "revoke"]
    key_id: str
    name: str
    roles: list[str] = []
    docs: list[str] | None = None
    expires: str | None = None


class ReadingFields(RecordFields):
    """The answer of record ``reads`` was read again, in the way named."""

    answer_id: str
    reads: int = Field(ge=0)
    way: Literal["answer", "record", "reconstruct", "review", "export"]


RECORD_TYPES: dict[str, type[RecordFields]] = {
    "publication": PublicationFields,
    "answer": AnswerFields,
    "review": ReviewFields,
    "withdrawal": WithdrawalFields,
    "redate": RedateFields,
    "erasure": ErasureFields,
    "hold": HoldFields,
    "settings": SettingsFields,
    "key": KeyFields,
    "checkpoint": CheckpointFields,
    "stale": StaleFields,
    "access": AccessFields,
    "reading": ReadingFields,
}
"""The types of format 1. The set is open: a reader takes a type it doesn't know as a leaf with its parts."""


CLEAR_ANSWER_ROLES = frozenset({"settings", "versions", "permitted"})
"""The parts of an answer that neither hold the question nor are computed from it."""
FREE_TEXT_ROLES = frozenset({"reason", "note", "text", "reply"})
"""What a person typed, whatever the record."""


def must_seal(record_type: str, role: str) -> bool:
    """Whether the format seals this part: what holds or is computed from a question, and free text. Roles of an answer that are
    not named are sealed, so that a part added later can't leak."""
    if record_type == "answer":
        return role not in CLEAR_ANSWER_ROLES
    return record_type in RECORD_TYPES and record_type != "checkpoint" and role in FREE_TEXT_ROLES


def check_fields(record_type: str, fields: dict[str, Any]) -> None:
    """Refuse fields that the format does not allow. Raises InputRejected ``bad_record`` naming the field."""
    taken = RESERVED.intersection(fields)
    if taken or not TYPE_NAME.match(record_type):
        what = f"field {sorted(taken)[0]!r} is the ledger's own" if taken else "the type name is not a lower-case word"
        raise InputRejected("bad_record", f"Record of type {record_type!r}: {what}.", record_type)
    model = RECORD_TYPES.get(record_type)
    if model is None:
        return
    try:
        model.model_validate(fields)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(str(step) for step in first["loc"])
        raise InputRejected("bad_record", f"Record of type {record_type!r}: {where}: {first['msg']}.", where) from error
