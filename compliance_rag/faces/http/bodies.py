"""What callers send: the command line's options by their JSON names, as ``--batch`` takes them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator

from schemas.texts import check_texts

# A filter that names more documents than this is a mistake; a corpus of 1,000 is searched whole.
FILTER_LIMIT = 1_000
# Hits of one search, citations of one answer.
HITS_LIMIT = 200
NAME_LIMIT = 200


def _as_list(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Names = Annotated[
    list[Annotated[str, Field(max_length=NAME_LIMIT)]],
    BeforeValidator(_as_list, json_schema_input_type=str | list[str]),
    Field(default_factory=list, max_length=FILTER_LIMIT),
]


class _Body(BaseModel):
    """A body whose texts are all valid Unicode; InputRejected ``bad_text`` otherwise. A value of another type is told, never
    made into one that fits: ``"limit": true`` is no 1."""

    model_config = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _texts(cls, value: Any) -> Any:
        if isinstance(value, dict):
            check_texts(value)
        return value


class _Asked(_Body):
    """What a question and a search share."""

    as_of: str | None = Field(default=None, description="YYYY-MM-DD; the day the question is about")
    known_at: str | None = Field(default=None, description="RFC 3339, or a day: as known then")
    known_basis: Literal["recorded", "published"] = "recorded"
    doc: Names
    jurisdiction: Names
    language: str | None = Field(default=None, max_length=35)
    limit: int | None = Field(default=None, ge=1, le=HITS_LIMIT)


class AskBody(_Asked):
    """``POST /api/ask``."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={
            "examples": [
                {
                    "question": "Within what time must the supervisor hear from us about a material incident?",
                    "doc": ["halvorsen-retention"],
                    "as_of": "2024-11-29",
                }
            ]
        },
    )
    question: str
    request_id: str | None = Field(
        default=None, min_length=1, max_length=NAME_LIMIT, description="the same id, the same record"
    )
    conversation: str | None = Field(default=None, max_length=NAME_LIMIT)
    follows: str | None = Field(
        default=None, max_length=NAME_LIMIT, description="the answer_id of an answer that the question follows"
    )
    no_model: bool = Field(default=False, description="verbatim answer even when an endpoint is configured")


class SearchBody(_Asked):
    """``POST /api/search``."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"query": "retention of records", "jurisdiction": ["US"], "limit": 5}]}
    )
    query: str


class DecisionBody(_Body):
    """``POST /api/review/{id}``."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"decision": "approve", "note": "agrees with the clause as printed"}]},
    )
    decision: Literal["approve", "amend", "reject"]
    note: str
    text: str | None = None


class AssignBody(_Body):
    """``POST /api/stale/{id}/assign``."""

    model_config = ConfigDict(extra="forbid", json_schema_extra={"examples": [{"owner": "ada", "due": "2027-01-31"}]})
    owner: str = Field(max_length=NAME_LIMIT)
    due: str = Field(description="YYYY-MM-DD")


class CloseBody(_Body):
    """``POST /api/stale/{id}/close``."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"decision": "updated", "note": "asked again, the customer was told"}]},
    )
    decision: Literal["no_impact", "updated", "withdrawn"]
    note: str = Field(max_length=6_000, description="goes on the record with the decision")


class HoldBody(_Body):
    """``POST /api/audit/{id}/hold`` and ``/release``."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"reason": "proceedings 2026-114; ask counsel before anything goes"}]}
    )
    reason: str = Field(default="", max_length=6_000, description="goes on the record, and may be erased itself")


class EraseBody(_Body):
    """``POST /api/audit/{id}/erase``."""

    model_config = ConfigDict(
        extra="forbid", json_schema_extra={"examples": [{"reason": "the person asked about wants it gone, request 14"}]}
    )
    reason: str = Field(max_length=6_000, description="goes on the record, and may be erased itself")


class PublishBody(_Body):
    """``POST /api/publish/{doc}``."""

    model_config = ConfigDict(
        extra="forbid",
        json_schema_extra={"examples": [{"version": "v2.0", "note": "compared with the signed original"}]},
    )
    version: str = Field(min_length=1, max_length=2 * NAME_LIMIT)
    note: str = Field(default="", max_length=6_000, description="kept with the record")
