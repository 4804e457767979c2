"""One error shape for every refusal of the service: the command line's, with its stable codes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel
from starlette.responses import Response

from schemas.errors import ComplianceError, InputRejected, IntegrityError, NotFound, UsageError

# An error of the family to the status that says the same; the order matters only for subclasses, of which there are none.
STATUS: Mapping[type[ComplianceError], int] = {UsageError: 400, InputRejected: 422, NotFound: 404, IntegrityError: 500}


class ErrorBody(BaseModel):
    """What went wrong: a stable code, one sentence, and where."""

    code: str
    message: str
    where: str | None


class ErrorObject(BaseModel):
    """The one error shape."""

    error: ErrorBody


class Refused(ComplianceError):
    """The service does not serve this call: no key, no permission, too large. ``status`` is the HTTP status."""

    def __init__(self, status: int, code: str, message: str, where: str | None = None) -> None:
        super().__init__(code, message, where)
        self.status = status


def status_of(error: ComplianceError) -> int:
    """The HTTP status of an error of the family."""
    return error.status if isinstance(error, Refused) else STATUS.get(type(error), 422)


def error_response(error: ComplianceError) -> Response:
    """The error as the service answers it; 401 names the scheme that is wanted."""
    status = status_of(error)
    headers = {"WWW-Authenticate": "Bearer"} if status == 401 else None
    return json_response(told_by_field(error), status, headers)


def told_by_field(error: ComplianceError) -> dict[str, dict[str, str | None]]:
    """The error shape; where the command line names an option, a caller of ours sent the field of that name."""
    shape = error.as_json()
    where = shape["error"]["where"]
    if where is not None and where.startswith("--"):
        shape["error"]["where"] = where.removeprefix("--").replace("-", "_")
    return shape


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """JSON exactly as the command line prints it."""
    body = json.dumps(value, ensure_ascii=False).encode("utf-8", "surrogatepass")
    return Response(body, status, dict(headers or {}), media_type="application/json")


_TOLD = {
    400: "the call is made wrongly", 401: "no key, or one that is not known", 403: "the key's roles do not allow this call",
    404: "what was named does not exist, or is not for this key", 413: "the body is too large",
    422: "the input cannot be taken", 500: "integrity failure: a store disagrees with the ledger",
    503: "no process can work on this now; ask again",
}  # fmt: skip


def told(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The errors of a route for the OpenAPI document."""
    return {status: {"model": ErrorObject, "description": _TOLD[status]} for status in statuses}
