"""Bodies that bring files: who sends one is known before any of it is read."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import IO

from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.requests import Request

from compliance_rag.faces.ingest.batches import FILES_LIMIT, MANIFEST_BYTES
from schemas.errors import InputRejected

# Fields of a form of one row for each file.
FIELDS_LIMIT = 30 * FILES_LIMIT


@asynccontextmanager
async def form_of(request: Request) -> AsyncIterator[FormData]:
    """The form of a request; its files are closed at the end. Raises InputRejected ``bad_form``."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind not in ("multipart/form-data", "application/x-www-form-urlencoded"):
        raise InputRejected("bad_form", "Send the files as multipart/form-data.", "Content-Type")
    try:
        form = await request.form(max_files=FILES_LIMIT + 1, max_fields=FIELDS_LIMIT, max_part_size=MANIFEST_BYTES)
    except HTTPException as error:
        raise InputRejected("bad_form", f"The form cannot be read: {error.detail}", "body") from error
    try:
        yield form
    finally:
        await form.close()


def files_of(form: FormData, name: str = "files") -> list[tuple[str, IO[bytes]]]:
    """The files under ``name``, as sent; a form without a choice sends one without a name."""
    found = [item for item in form.getlist(name) if isinstance(item, UploadFile)]
    return [(item.filename or "", item.file) for item in found if item.filename]


def text_of(form: FormData, name: str) -> str | None:
    """The text under ``name``, None where there is none."""
    value = form.get(name)
    return value if isinstance(value, str) else None
