"""The OpenAPI document: the key, and an example of every parameter, answer and error that holds to its schema."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from compliance_rag.faces.http.app import create_app
from tests.service.building import make_home


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The document as it is served."""
    return create_app(make_home(tmp_path_factory.mktemp("described") / "home")).openapi()


def operations(document: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every call."""
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield f"{method.upper()} {path}", operation


def test_calls_need_a_bearer_key(document: dict[str, Any]) -> None:
    """The scheme is declared and asked for everywhere but for health."""
    scheme = document["components"]["securitySchemes"]["bearer"]
    assert (scheme["type"], scheme["scheme"], document["security"]) == ("http", "bearer", [{"bearer": []}])
    assert [name for name, operation in operations(document) if operation.get("security") == []] == ["GET /healthz"]


def test_every_answer_and_error_has_an_example_that_holds(document: dict[str, Any]) -> None:
    """Answers in JSON, errors in the one shape: examples validate against the schemas beside them."""
    checked = 0
    for name, operation in operations(document):
        for status, answer in operation["responses"].items():
            content = answer.get("content", {}).get("application/json")
            if content is None:
                continue
            schema = {**content["schema"], "components": document["components"]}
            faults = [error.message[:200] for error in Draft202012Validator(schema).iter_errors(content["example"])]
            assert faults == [], (name, status)
            checked += status.startswith("2")
    assert checked == len(list(operations(document))) - 3  # metrics, events and the bundle are no JSON


def test_every_parameter_has_an_example_that_holds(document: dict[str, Any]) -> None:
    """In the path and in the query."""
    for name, operation in operations(document):
        for parameter in operation.get("parameters", []):
            schema = {**parameter["schema"], "components": document["components"]}
            assert not list(Draft202012Validator(schema).iter_errors(parameter["example"])), (name, parameter["name"])


def test_examples_name_no_machine() -> None:
    """No path of the machine on which they were made."""
    text = (Path(create_app.__code__.co_filename).parent / "examples.json").read_text("utf-8")
    assert [word for word in ("/tmp/", "/home/", "/root/", "/work/") if word in text] == []
