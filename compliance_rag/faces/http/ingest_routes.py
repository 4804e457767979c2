"""Bringing documents in over HTTP: a batch, how far it is, its report, and publication by a second person."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from typing import Annotated, Any, Final

import anyio
from anyio.to_thread import run_sync
from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from compliance_rag.faces.api import Rules
from compliance_rag.faces.http.app import Service
from compliance_rag.faces.http.bodies import PublishBody
from compliance_rag.faces.http.errors import json_response, told
from compliance_rag.faces.http.shapes import Added, BatchShown, ReportShown
from compliance_rag.faces.http.uploads import files_of, form_of, text_of
from compliance_rag.faces.ingest.batches import ENDED, Batch, Row, new_batch, problem_of, write_manifest
from compliance_rag.faces.ingest.rights import need_ingest, need_publish, need_report
from schemas.errors import InputRejected
from schemas.texts import check_texts

# A person sees a step at most so much later; a look costs nothing.
LOOK_SECONDS: Final = 0.2
# A proxy closes a connection on which nothing is said for a minute.
SILENCE_SECONDS: Final = 15.0
_ENTRY: Final = {
    "file": "v2.0.md", "doc_id": "halvorsen-retention", "version": "v2.0", "effective_from": "2024-12-01",
    "title": "Halvorsen Records Policy", "kind": "policy",
}  # fmt: skip
_FORM: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {
            "multipart/form-data": {
                "schema": {
                    "type": "object",
                    "required": ["manifest", "files"],
                    "properties": {
                        "manifest": {
                            "type": "string",
                            "description": "JSON: a list of entries as for `add --manifest`; `file` names a file sent",
                        },
                        "files": {"type": "array", "items": {"type": "string", "format": "binary"}},
                    },
                },
                "examples": {"one version": {"value": {"manifest": json.dumps([_ENTRY]), "files": ["v2.0.md"]}}},
            }
        },
    }
}
_EVENTS: Final = {
    "text/event-stream": {
        "schema": {"type": "string"},
        "example": (
            'event: progress\ndata: {"state": "running", "stage": "embedding", "done": 64, "total": 118}\n\n'
            'event: end\ndata: {"state": "done", "stage": "embedding", "done": 118, "total": 118}\n\n'
        ),
    }
}


def add_routes(api: APIRouter, service: Service, rules_of: Callable[[Request], Rules]) -> None:
    """``/ingest``, ``/report``, ``/publish``."""
    _batches(api, service, rules_of)
    _publishing(api, rules_of)


def _batches(api: APIRouter, service: Service, rules_of: Callable[[Request], Rules]) -> None:
    @api.post(
        "/ingest", tags=["ingest"], status_code=202, openapi_extra=_FORM,
        responses={202: {"model": BatchShown}, **told(400, 401, 403, 413, 422, 500)},
        summary="Ingest files in the background: all of the good ones, each bad one with its reason",
        description="For the role engineer with every document; where no second person publishes, for a publisher as well.",
    )  # fmt: skip
    async def ingest(request: Request) -> Response:
        rules = await run_sync(rules_of, request)
        need_ingest(rules.handle, rules.bearer)
        async with form_of(request) as form:
            batch = await run_sync(_begin, service, rules, files_of(form), text_of(form, "manifest"))
        return json_response(service.ingests.seen(batch)[1], 202, {"Location": f"/api/ingest/{batch.id}"})

    @api.get(
        "/ingest/{batch_id}", tags=["ingest"], responses={200: {"model": BatchShown}, **told(401, 404, 422, 500)},
        summary="How far a batch is; at its end what was recorded, with the ingest report of each version",
    )  # fmt: skip
    def shown(batch_id: str, request: Request) -> Response:
        rules = rules_of(request)
        return json_response(service.ingests.seen(service.ingests.shelf.get(batch_id, rules.bearer.name))[1])

    @api.get(
        "/ingest/{batch_id}/events", tags=["ingest"], response_class=Response,
        responses={200: {"content": _EVENTS, "description": "events until the batch is over"}, **told(401, 404, 422, 500)},
        summary="The same live: an event for each step, `end` at the end",
    )  # fmt: skip
    def events(batch_id: str, request: Request) -> Response:
        rules = rules_of(request)
        return stream(service, service.ingests.shelf.get(batch_id, rules.bearer.name), _step)


def _begin(service: Service, rules: Rules, files: list[tuple[str, Any]], manifest: str | None) -> Batch:
    if manifest is None:
        raise InputRejected(
            "bad_manifest", "The form has no field `manifest`: a JSON list with an entry for each file.", "manifest"
        )
    try:
        entries = json.loads(manifest)
    except (ValueError, RecursionError) as error:
        raise InputRejected("bad_manifest", f"The field `manifest` is not JSON: {error}.", "manifest") from error
    check_texts({"manifest": entries})
    if isinstance(entries, dict):
        entries = entries.get("versions")
    if not isinstance(entries, list) or not entries:
        raise InputRejected("bad_manifest", "The field `manifest` holds no list of entries.", "manifest")
    batch = new_batch(rules.bearer.name, files)
    try:
        found = write_manifest(batch, entries)
        batch.rows = [Row(item.file, {}, problem_of(item)) for item in found.bad]
        if not found.entries:
            raise InputRejected(found.bad[0].code, found.bad[0].message, found.bad[0].file)
        service.ingests.shelf.put(batch)
        service.ingests.start(batch, found.entries, rules.bearer)
    except InputRejected:
        service.ingests.shelf.drop(batch)
        raise
    return batch


def _step(seen: dict[str, Any]) -> dict[str, Any]:
    return {name: seen[name] for name in ("state", "stage", "done", "total")}


def stream(service: Service, batch: Batch, say: Callable[[dict[str, Any]], dict[str, Any]]) -> Response:
    """Server-sent events of a batch until it is over; ``say`` makes an event's data of the batch as shown."""

    async def lines() -> AsyncIterator[bytes]:
        last, silent = -1, 0.0
        while True:
            revision, seen = service.ingests.seen(batch)
            if revision != last:
                ended = seen["state"] in ENDED
                data = json.dumps(say(seen), ensure_ascii=False)
                yield f"event: {'end' if ended else 'progress'}\ndata: {data}\n\n".encode()
                if ended:
                    return
                last, silent = revision, 0.0
            elif silent >= SILENCE_SECONDS:
                yield b": still here\n\n"
                silent = 0.0
            await anyio.sleep(LOOK_SECONDS)
            silent += LOOK_SECONDS

    return StreamingResponse(lines(), media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


def _publishing(api: APIRouter, rules_of: Callable[[Request], Rules]) -> None:
    errors = told(400, 401, 403, 404, 422, 500)

    @api.get(
        "/report/{doc}", tags=["ingest"], responses={200: {"model": ReportShown}, **errors},
        summary="The ingest report of a version: what a careful editor looks at before publishing",
        description="For the roles engineer, publisher, reviewer and auditor with every document.",
    )  # fmt: skip
    def report(doc: str, version: Annotated[str, Query()], request: Request) -> Response:
        rules = rules_of(request)
        need_report(rules.bearer)
        return json_response(rules.report(doc, version))

    @api.post(
        "/publish/{doc}", tags=["ingest"], responses={200: {"model": Added}, **errors, **told(413)},
        summary="Publish a version that another person staged",
        description="For the role publisher with every document; never for who staged the version (`same_person`).",
    )  # fmt: skip
    def publish(doc: str, body: PublishBody, request: Request) -> Response:
        rules = rules_of(request)
        need_publish(rules.bearer)
        return json_response(rules.publish(doc, body.version, note=body.note).as_json())
