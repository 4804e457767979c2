"""Who read a past answer, as records on the ledger; and which past answers someone may read."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Literal

from audit.ledger import RecordDraft
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import Bearer
from schemas.errors import NotFound

# More digits than any ledger's size has.
INDEX_DIGITS = 15
# Records looked through for a person's own questions: some milliseconds, whatever the ledger's size.
LOOKED_THROUGH = 500
Way = Literal["answer", "record", "reconstruct", "review", "export"]


def record_reading(handle: HomeHandle, header: Mapping[str, Any], way: Way, bearer: Bearer) -> None:
    """Put on the ledger that ``bearer`` reads the answer of this record. Raises IntegrityError of the ledger."""
    fields = {
        "answer_id": header["answer_id"], "reads": header["index"], "way": way,
        "actor": bearer.name, "actor_auth": bearer.auth,
    }  # fmt: skip
    handle.ledger.append([RecordDraft("reading", fields)])


def may_read(handle: HomeHandle, header: Mapping[str, Any], bearer: Bearer) -> bool:
    """Whether ``bearer`` may read the answer of this record: their own, or anyone's for a reviewer and an auditor; none
    that was searched for in a document they may not know of.

    Raises IntegrityError as ``Ledger.part``.
    """
    own = header["actor"] == bearer.name
    return (own or bearer.may("reviewer", "auditor")) and _known_documents(handle, header, bearer)


def may_close(handle: HomeHandle, header: Mapping[str, Any], bearer: Bearer) -> bool:
    """Whether ``bearer`` may decide about the answer of this record once it is stale: a reviewer, or an engineer, who need not
    be one who may read it. Raises IntegrityError as ``Ledger.part``."""
    return bearer.may("reviewer", "engineer") and _known_documents(handle, header, bearer)


def _known_documents(handle: HomeHandle, header: Mapping[str, Any], bearer: Bearer) -> bool:
    """Whether ``bearer`` may know of every document that the answer was searched for in."""
    if bearer.docs is None:
        return True
    searched = json.loads(handle.ledger.part(header, "permitted"))
    return {version["doc_id"] for version in searched["versions"]} <= bearer.docs


def answer_header(handle: HomeHandle, answer_id: str, bearer: Bearer) -> dict[str, Any]:
    """The header of an answer that ``bearer`` may read. Raises NotFound ``unknown_answer``: one that may not be read is as one
    that was never given."""
    return _allowed(handle, answer_id, bearer, may_read)


def closable_header(handle: HomeHandle, answer_id: str, bearer: Bearer) -> dict[str, Any]:
    """The header of an answer that ``bearer`` may decide about once it is stale. Raises NotFound ``unknown_answer``."""
    return _allowed(handle, answer_id, bearer, may_close)


def _allowed(
    handle: HomeHandle, answer_id: str, bearer: Bearer, may: Callable[[HomeHandle, Mapping[str, Any], Bearer], bool]
) -> dict[str, Any]:
    ledger = handle.ledger
    ledger.refresh()
    index = ledger.find("answer", "answer_id", answer_id)
    header = None if index is None else ledger.header(index)
    if header is None or not may(handle, header, bearer):
        raise NotFound("unknown_answer", f"There is no answer {answer_id!r} in this ledger.", answer_id)
    return header


def own_answers(handle: HomeHandle, bearer: Bearer, limit: int) -> list[dict[str, str]]:
    """The newest answers that ``bearer`` asked for and may read, at most ``limit``, newest first: ``answer_id``, ``question``,
    ``as_of``, ``asked_at``. An erased one is left out. Raises IntegrityError as ``Ledger.part``."""
    from compliance_rag.service.record import asked_of

    ledger, found = handle.ledger, list[dict[str, str]]()
    ledger.refresh()
    for index in reversed(range(max(0, ledger.size - LOOKED_THROUGH), ledger.size)):
        header = ledger.header(index)
        if header["type"] != "answer" or header["actor"] != bearer.name or not may_read(handle, header, bearer):
            continue
        try:
            question = asked_of(ledger, header)["question"]
        except NotFound:
            continue
        names = {"answer_id": header["answer_id"], "question": question}
        found.append({**names, "as_of": header["as_of"], "asked_at": header["recorded_at"]})
        if len(found) == limit:
            break
    return found


def find_record(handle: HomeHandle, name: str) -> dict[str, Any] | None:
    """The header of the record with this index, or of the answer with this id; None when there is none."""
    ledger = handle.ledger
    ledger.refresh()
    if name.isdecimal() and name.isascii():
        return ledger.header(int(name)) if len(name) <= INDEX_DIGITS and int(name) < ledger.size else None
    index = ledger.find("answer", "answer_id", name)
    return None if index is None else ledger.header(index)


def show_record(handle: HomeHandle, header: Mapping[str, Any]) -> dict[str, Any]:
    """``header``, ``parts`` by role (JSON or text where they are either, else hex; ``erased`` where destroyed), ``receipt``.
    Raises IntegrityError as ``Ledger.part``."""
    parts: dict[str, Any] = {}
    for entry in header["parts"]:
        try:
            parts[entry["role"]] = _readable(handle.ledger.part(header, entry["role"]))
        except NotFound as error:
            if error.code != "erased":
                raise
            parts[entry["role"]] = {"erased": True}
    return {"header": header, "parts": parts, "receipt": handle.ledger.receipt(header["index"]).model_dump(mode="json")}


def _readable(data: bytes) -> Any:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return {"hex": data.hex()}
    try:
        return json.loads(text)
    except ValueError:
        return text
