"""What the OpenAPI document says beyond types: the key, and an example of every parameter, error and answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from importlib.resources import files
from typing import Any, Final

from fastapi import FastAPI

_SCHEME: Final = "bearer"
# Calls that need no key.
_OPEN: Final = frozenset({"/healthz"})
# Examples of parameters, of the sample documents of this product.
_PARAMETERS: Final[dict[str, Any]] = {
    "as_of": "2024-11-29", "known_at": "2025-01-31T12:00:00Z", "known_basis": "recorded", "offset": 0, "limit": 50,
    "doc": "policy", "version": "2", "from": "1", "to": "2", "about": "notice", "full": False, "history": True,
    "clause_id": "policy@2#2", "since": "2025-01-31", "open": True, "all": False, "answer_id": "a-0f3c9d6e2b7a41c3",
    "name": "0", "batch_id": "5f0c9d6e2b7a41c38d9e0f11",
}  # fmt: skip
_ERRORS: Final[dict[str, tuple[str, str, str | None]]] = {
    "400": ("bad_body", "The body cannot be read; send what its Content-Type names, as UTF-8.", "body"),
    "401": ("no_key", "This call needs a key: Authorization: Bearer KEY.", "Authorization"),
    "403": ("no_permission", "This call is for the role reviewer or auditor.", "Authorization"),
    "404": ("unknown_document", "There is no document 'polixy'.", "polixy"),
    "413": ("body_too_large", "The body is larger than 1,000,000 bytes.", "body"),
    "422": ("unreadable_date", "as_of: '2024-02-30' is not a calendar day; write it as YYYY-MM-DD.", "as_of"),
    "500": ("internal", "The service failed; its log says where.", None),
    "503": ("no_worker", "No process can work on questions now; the service's log says why. Try again later.", None),
}


def describe(app: FastAPI) -> None:
    """Complete the document that the application makes of its routes, once."""
    plain, guard, made = app.openapi, threading.Lock(), dict[str, Any]()

    def openapi() -> dict[str, Any]:
        # The application keeps what it made before we complete it; nobody is given that.
        with guard:
            if not made:
                made.update(_complete(plain()))
        return made

    app.openapi = openapi  # type: ignore[method-assign]


def examples() -> dict[str, Any]:
    """Answers of the service about a policy of two versions, by method and path; long lists are cut."""
    found: dict[str, Any] = json.loads((files("compliance_rag.faces.http") / "examples.json").read_text("utf-8"))
    return found


def _complete(document: dict[str, Any]) -> dict[str, Any]:
    document.setdefault("components", {})["securitySchemes"] = {
        _SCHEME: {"type": "http", "scheme": "bearer", "description": "a key made with `keys add`"}
    }
    document["security"] = [{_SCHEME: []}]
    shown = examples()
    for path, method, operation in _operations(document):
        if path in _OPEN:
            operation["security"] = []
        for parameter in operation.get("parameters", []):
            parameter.setdefault("example", _PARAMETERS[parameter["name"]])
        for status, answer in operation["responses"].items():
            content = answer.get("content", {}).get("application/json")
            if content is None:
                continue
            if status in _ERRORS:
                code, message, where = _ERRORS[status]
                content["example"] = {"error": {"code": code, "message": message, "where": where}}
            else:
                content["example"] = shown[f"{method.upper()} {path}"]
    return document


def _operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield path, method, operation
