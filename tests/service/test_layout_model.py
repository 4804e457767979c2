"""The optional model pass over irregular layouts: off by default, through the home's endpoint, held to the words."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.service.layout import layout_model
from compliance_rag.service.manifest import check_entry
from compliance_rag.service.report import ingest_report
from compliance_rag.service.stage import Staged, stage
from schemas.errors import InputRejected
from schemas.settings import Settings
from tests.model_server import ModelServer, model_server
from tests.service.building import make_home, publish

BODY = "The parties keep every record of the service for seven years after it ends, and show it when asked."
TEXT = "\n\n".join(f"{head} {BODY} {BODY}" for head in ("Records of the service", "Termination by notice", "Law"))
HEADS = ("Records of the service", "Termination by notice", "Law")


def truthful(body: dict[str, Any]) -> dict[str, Any]:
    """The headings cut off, every character kept."""
    pieces = []
    for paragraph in body["messages"][-1]["content"].split("\n"):
        head = next(words for words in HEADS if paragraph.startswith(words))
        pieces += [{"text": head, "level": 1}, {"text": paragraph[len(head) :], "level": 0}]
    return {"pieces": pieces}


def lying(body: dict[str, Any]) -> dict[str, Any]:
    """The same with seven years made into six."""
    found: dict[str, Any] = json.loads(json.dumps(truthful(body)).replace("seven", "six"))
    return found


def _said(report: dict[str, Any]) -> tuple[int, str]:
    """How many sentences the report has on the layout, and how the first begins."""
    finding = report["findings"]["layout by a model"]
    return finding["count"], finding["first"][0].split(":")[0]


def _settings(server: ModelServer, **more: Any) -> dict[str, Any]:
    return {"model": {"base_url": server.base_url, "name": "cutter"}, "reading": {"layout_model": True}, **more}


def _staged(root: Path, settings: dict[str, Any], **fields: Any) -> tuple[Any, Staged]:
    handle = make_home(root / "home", **settings)
    (root / "a.txt").write_text(TEXT, "utf-8")
    entry = check_entry(
        {"file": "a.txt", "doc_id": "deal", "version": "v1", "effective_from": "2024-01-01", "language": "en", **fields},
        "a.txt",
    )
    return handle, stage(entry, root, handle.home, layout=layout_model(handle.settings))


def test_a_truthful_model_moves_boundaries_and_the_report_says_so(tmp_path: Path) -> None:
    """The headings become clauses' headings, the words stay, and the recorded version bears the flag."""
    with model_server(truthful) as server:
        handle, item = _staged(tmp_path, _settings(server))
    assert [clause.heading for clause in item.parsed.clauses] == list(HEADS)
    assert item.parsed.extracted == TEXT
    assert publish(handle, item).rejected == []
    row = handle.corpus().versions[0]
    assert row.parser_version.endswith("+layout:cutter")
    assert _said(ingest_report(handle, row)) == (1, "cutter proposed where headings and paragraphs begin")


def test_a_lying_model_changes_nothing_and_is_recorded(tmp_path: Path) -> None:
    """A reply with one word changed is rejected; the clauses are those of a reading without the model, the flag is kept."""
    with model_server(lying) as server:
        handle, item = _staged(tmp_path, _settings(server))
    (tmp_path / "plain").mkdir()
    _, plain = _staged(tmp_path / "plain", {})
    assert [clause.sha256 for clause in item.parsed.clauses] == [clause.sha256 for clause in plain.parsed.clauses]
    publish(handle, item)
    report = ingest_report(handle, handle.corpus().versions[0])
    assert _said(report) == (1, "A proposal of cutter for the layout was rejected")


@pytest.mark.parametrize("reply", [500, "no JSON at all", {"pieces": []}])
def test_a_model_that_gives_nothing_usable_stops_no_ingest(tmp_path: Path, reply: Any) -> None:
    """An error, prose or an empty list leaves the text as it was read, with a flag."""
    with model_server(lambda body: reply) as server:
        _, item = _staged(tmp_path, _settings(server))
    assert [flag.code for flag in item.parsed.flags if flag.code.startswith("layout")] == ["layout_rejected"]


def test_nobody_is_asked_by_default_or_against_the_documents_rule(tmp_path: Path) -> None:
    """With the setting off, and for a document whose ``model_use`` is ``never``, no request leaves the house."""
    with model_server(truthful) as server:
        _staged(tmp_path, {"model": {"base_url": server.base_url, "name": "cutter"}})
        (tmp_path / "closed").mkdir()
        _staged(tmp_path / "closed", _settings(server), model_use="never")
        assert server.requests == []


def test_switched_on_without_an_endpoint_is_an_error() -> None:
    """The setting without ``[model]`` is refused with a sentence that says what to set."""
    with pytest.raises(InputRejected) as caught:
        layout_model(Settings.model_validate({"reading": {"layout_model": True}}))
    assert caught.value.code == "no_model"
    assert "reading" not in Settings().public()
