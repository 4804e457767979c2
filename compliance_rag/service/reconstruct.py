"""A past answer: what was seen, byte for byte, and the same question derived again as of then, as known then."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import numpy as np

from audit.ledger import Ledger
from compliance_rag.service.ask import work_out
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.build import build
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.record import candidates_record, evidence_record
from schemas.dates import parse_day, parse_instant
from schemas.errors import NotFound

# Fields of an answer that say which record it is, not what it says; a written answer's words are its model's and not derived.
_IDENTITY = frozenset({"answer_id", "request_id", "ledger", "corpus_root", "as_of_from"})


def find_answer(ledger: Ledger, answer_id: str) -> dict[str, Any]:
    """The header of the answer's record. Raises NotFound ``unknown_answer``."""
    ledger.refresh()
    index = ledger.find("answer", "answer_id", answer_id)
    if index is None:
        raise NotFound("unknown_answer", f"There is no answer {answer_id!r} in this ledger.", answer_id)
    return ledger.header(index)


def reconstruct(handle: HomeHandle, answer_id: str) -> dict[str, Any]:
    """``seen``: the answer as shown, with its receipt (None when erased). ``rederived``: ``equal``, or the layers that differ
    with both sides, or ``not_re_derivable`` when the question is erased. ``erased``: roles whose bytes were destroyed.

    Raises NotFound ``unknown_answer``; IntegrityError ``part_missing``, ``part_damaged`` and those of the stores.
    """
    header = find_answer(handle.ledger, answer_id)
    ledger = handle.ledger
    parts = {entry["role"] for entry in header["parts"]}
    held: dict[str, bytes] = {}
    erased: list[str] = []
    for role in sorted(parts):
        try:
            held[role] = ledger.part(header, role)
        except NotFound as error:
            if error.code != "erased":
                raise
            erased.append(role)
    seen: dict[str, Any] | None = None
    if "answer" in held:
        seen = {**json.loads(held["answer"]), "ledger": ledger.receipt(header["index"]).model_dump(mode="json")}
    if seen is None or "question" not in held:
        return {"seen": seen, "rederived": "not_re_derivable", "erased": erased}
    return {"seen": seen, "rederived": _derive_again(handle, header, held, seen), "erased": erased}


def _request(header: dict[str, Any], asked: dict[str, Any]) -> AskRequest:
    given = asked["as_of"]
    return AskRequest(
        question=asked["question"],
        as_of=parse_day(header["as_of"]) if given is None else date.fromisoformat(given),
        known_at=parse_instant(header["known_at"]),
        known_basis=header["known_basis"],
        docs=tuple(asked["docs"]),
        jurisdictions=tuple(asked["jurisdictions"]),
        language=asked["language"],
        limit=asked["limit"],
        conversation=asked["conversation"],
        use_model=False,
    )


def _derive_again(
    handle: HomeHandle, header: dict[str, Any], held: dict[str, bytes], seen: dict[str, Any]
) -> str | list[dict[str, Any]]:
    """Ask again without a model and compare layer by layer, the first difference first. Where the question's recorded vector
    is at hand it is used, so that a changed embedder shows as its own layer and not as another ranking."""
    vector = np.frombuffer(held["vector"], "<f4") if "vector" in held else None
    recorded_by = parse_instant(header["recorded_at"]) if header["known_basis"] == "published" else None
    work = work_out(handle, _request(header, json.loads(held["question"])), vector=vector, recorded_by=recorded_by)
    again = json.loads(build(handle, work).model_dump_json())
    ranking = work.ranking
    found: list[dict[str, Any]] = []

    def compare(layer: str, before: Any, after: Any) -> None:
        if before != after:
            found.append({"layer": layer, "before": before, "after": after})

    compare("settings", json.loads(held["settings"]), json.loads(json.dumps(handle.settings.public())))
    found_then = json.loads(held["candidates"])
    if ranking is not None:
        compare("embedder", found_then["retrieval"].get("embedder"), ranking.embedder)
        compare("ranking", found_then["ranked"], json.loads(json.dumps(candidates_record(ranking.candidates))))
    compare("corpus", seen["scope"], again["scope"])
    if seen["model"] is None:
        compare("expansion", found_then["expansions"], json.loads(json.dumps(evidence_record(work.evidence))))
        compare("answer", _said(seen), _said(again))
    return found or "equal"


def _said(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key not in _IDENTITY}
