"""The process that ingests one batch for the service: an order on stdin, a line of JSON for each step on stdout.

A process of its own, so that parsing and embedding take no turn from the questions that the service answers meanwhile.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from compliance_rag.faces.environment import environment_value, read_context
from compliance_rag.faces.log import configure
from compliance_rag.service.homes import HomeHandle, PassageEmbedder, open_home
from compliance_rag.service.ingest import AddResult
from schemas.errors import ComplianceError, InputRejected

# Questions go first; a batch may take a little longer.
NICENESS = 10


def main() -> None:
    """Run the order on stdin."""
    run(json.load(sys.stdin))


def run(order: Mapping[str, Any], embedder: PassageEmbedder | None = None) -> None:
    """Ingest the manifest that ``order`` names and print what happens: ``{"stage", "done", "total"}`` lines, then
    ``{"result", "made_stale", "reports"}`` or ``{"error"}``. ``embedder`` None: the home's own."""
    os.nice(NICENESS)
    configure(quiet=True, as_json=True)
    try:
        _say(_ingest(order, embedder))
    except ComplianceError as error:
        _say(error.as_json())


def _ingest(order: Mapping[str, Any], embedder: PassageEmbedder | None) -> dict[str, Any]:
    from compliance_rag.service.manifest import read_manifest
    from pipelines.run import add

    def progress(stage: str, done: int, total: int) -> None:
        _say({"stage": stage, "done": done, "total": total})

    context = read_context(order["home"], order["actor"], as_json=True, quiet=True)
    handle = open_home(context.home, overlay=context.overlay, embedder=embedder)
    if handle.settings.publishing.second_person != order["second_person"]:
        message = "[publishing] second_person changed since the service started; restart it, then send the batch again."
        raise InputRejected("settings_changed", message, "publishing.second_person")
    entries = read_manifest(Path(order["manifest"]))
    who = {"actor": order["actor"], "actor_auth": order["actor_auth"]}
    key = environment_value(handle.settings.model.api_key_env)
    result = add(handle, entries, Path(order["files"]), **who, progress=progress, api_key=key)
    return {"result": result.as_json(), "made_stale": result.made_stale, "reports": _reports(handle, result)}


def _reports(handle: HomeHandle, result: AddResult) -> list[dict[str, Any]]:
    """The ingest report of each version that was added, held ones included."""
    from compliance_rag.service.report import ingest_report

    corpus = handle.corpus()
    found = []
    for item in [*result.published, *result.held]:
        row = corpus.find_version(item["doc_id"], item["version_id"])
        names = {"doc_id": row.doc_id, "version": row.version, "version_id": row.version_id, "state": row.state}
        found.append(names | ingest_report(handle, row))
    return found


def _say(value: Mapping[str, Any]) -> None:
    print(json.dumps(value, ensure_ascii=False), flush=True)


if __name__ == "__main__":
    main()
