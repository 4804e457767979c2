"""The checked-in JSON Schemas are those of the models, and what this code prints and records fits them."""

from __future__ import annotations

import json
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from compliance_rag.retrieve.types import Query
from compliance_rag.service.ask import ask, search
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.times import redate, withdraw
from schemas.dates import parse_instant
from schemas.generate import FOLDER, schemas
from tests.service.building import make_home, policy, publish, staged
from tests.service.test_ask import request


def _validator(name: str) -> Draft202012Validator:
    return Draft202012Validator(json.loads((FOLDER / f"{name}.json").read_bytes()))


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """A home with a version, an answer, a redating and a withdrawal."""
    found = make_home(tmp_path / "home")
    publish(found, staged(found, policy(10), "1", "2024-01-01"))
    redate(found, "policy", "1", number="3", effective_from=date(2025, 1, 1), reason="later", actor="ada")
    withdraw(found, "policy", start=date(2030, 1, 1), reason="done", actor="ada")
    return found


def test_checked_in_schemas_are_current() -> None:
    """`python -m schemas.generate` would change nothing."""
    found = {path.name: path.read_bytes() for path in FOLDER.glob("*.json")}
    assert found == schemas(), "run: python -m schemas.generate"


@pytest.mark.parametrize("name", sorted(schemas()))
def test_each_is_a_schema(name: str) -> None:
    """Each file is a valid schema of its dialect."""
    Draft202012Validator.check_schema(json.loads(schemas()[name]))


def test_what_is_recorded_fits(handle: HomeHandle) -> None:
    """Every header of a home fits the schema of its type; a header without its index or with another type fits none."""
    ask(handle, request("Within how many days shall the employee notify the office?"))
    seen = set()
    for _, header in handle.ledger.headers():
        validator = _validator(f"ledger-{header['type']}")
        assert not list(validator.iter_errors(header)), header
        seen.add(header["type"])
        bad: Any
        for bad in ({**header, "type": "x"}, {**header, "index": -1}, {k: v for k, v in header.items() if k != "parts"}):
            assert list(validator.iter_errors(bad))
    assert seen == {"publication", "redate", "withdrawal", "answer"}


def test_what_is_printed_fits(handle: HomeHandle) -> None:
    """An answer, its clause objects and a search fit their schemas; an answer without its status does not."""
    answer = ask(handle, request("Within how many days shall the employee notify the office?")).model_dump(mode="json")
    assert answer["citations"]
    assert not list(_validator("answer").iter_errors(answer))
    assert list(_validator("answer").iter_errors({key: value for key, value in answer.items() if key != "status"}))
    assert not list(_validator("receipt").iter_errors(answer["ledger"]))
    known = parse_instant("2999-01-01T00:00:00.000000Z")
    found = search(handle, Query("notify", date(2025, 1, 1), known)).model_dump(mode="json")
    assert not list(_validator("search").iter_errors(found))
    for clause in handle.corpus().clauses_of("policy", "1"):
        assert not list(_validator("clause").iter_errors(clause.to_object().model_dump(mode="json")))


def test_manifest_entries_fit() -> None:
    """An entry as written fits; one without its document does not; unknown keys are metadata."""
    entry = {"file": "a.md", "doc_id": "a", "version": "1", "effective_from": "2024-01-01", "owner": "legal"}
    validator = _validator("manifest-entry")
    assert not list(validator.iter_errors(entry))
    assert list(validator.iter_errors({key: value for key, value in entry.items() if key != "doc_id"}))
