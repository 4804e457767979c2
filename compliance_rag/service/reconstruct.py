"""A past answer: what was seen, byte for byte, and the same question derived again as of then, as known then."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt

from compliance_rag.service.ask import work_out
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.build import build
from compliance_rag.service.homes import HomeHandle, settle
from compliance_rag.service.permitted import permitted_record
from compliance_rag.service.record import candidates_record, evidence_record, find_answer
from schemas.dates import parse_day, parse_instant
from schemas.errors import ComplianceError, IntegrityError, NotFound
from schemas.objects import Follows

# Fields of an answer that say which record it is, not what it says; a written answer's words are its model's and not derived.
_IDENTITY = frozenset({"answer_id", "request_id", "ledger", "corpus_root", "as_of_from"})


class RecordedEmbedder:
    """Stands where the embedder of a past answer stood: its identity, and the question's vector as recorded. No model is
    needed to derive an answer again, and none is asked."""

    def __init__(self, identity: Mapping[str, str], vector: npt.NDArray[np.float32]) -> None:
        self.identity = dict(identity)
        self._vector = vector

    def encode_passages(self, texts: Sequence[str], progress: Any = None) -> npt.NDArray[np.float32]:
        """Raises NotFound ``model_absent``: texts that have no vectors yet can't be given any."""
        raise NotFound("model_absent", "A past answer is derived from recorded vectors; none can be made for other texts.")

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        """The recorded row."""
        return self._vector


def reconstruct(handle: HomeHandle, answer_id: str) -> dict[str, Any]:
    """``seen``: the answer as shown, with its receipt (None when erased). ``rederived``: ``equal``, or the layers that differ
    with both sides, or ``not_re_derivable`` with a ``reason`` (code and message) when the question is erased or a store is
    missing or damaged. ``erased``: roles whose bytes were destroyed.

    What was seen comes from the ledger alone: no store, no model and no network is needed for it. Open the home with ``check``
    False. Raises NotFound ``unknown_answer``; IntegrityError of ``Ledger.part``.
    """
    header = find_answer(handle.ledger, answer_id)
    ledger = handle.ledger
    held: dict[str, bytes] = {}
    erased: list[str] = []
    for role in sorted({entry["role"] for entry in header["parts"]}):
        try:
            held[role] = ledger.part(header, role)
        except NotFound as error:
            if error.code != "erased":
                raise
            erased.append(role)
    seen: dict[str, Any] | None = None
    if "answer" in held:
        seen = {**json.loads(held["answer"]), "ledger": ledger.receipt(header["index"]).model_dump(mode="json")}
    found: dict[str, Any] = {"seen": seen, "rederived": "not_re_derivable", "erased": erased}
    if seen is None or "question" not in held:
        return found | {"reason": {"code": "erased", "message": "The question was erased; nothing can be asked again."}}
    try:
        settle(handle)
        return found | {"rederived": _derive_again(handle, header, held, seen)}
    except (IntegrityError, NotFound) as error:
        return found | {"reason": {"code": error.code, "message": error.message}}


def _request(header: dict[str, Any], asked: dict[str, Any]) -> AskRequest:
    given = asked["as_of"]
    reading = Follows.model_validate(asked["follows"]) if "follows" in asked else None
    return AskRequest(
        question=asked["question"] if reading is None else reading.read_as,
        said=None if reading is None else asked["question"],
        follows=None if reading is None else reading.answer_id,
        reading=reading,
        as_of=parse_day(header["as_of"]) if given is None else date.fromisoformat(given),
        known_at=parse_instant(header["known_at"]),
        known_basis=header["known_basis"],
        docs=tuple(asked["docs"]),
        jurisdictions=tuple(asked["jurisdictions"]),
        language=asked["language"],
        limit=asked["limit"],
        conversation=asked["conversation"],
        use_model=False,
        permitted=frozenset(asked["permitted"]) if "permitted" in asked else None,
    )


def _as_then(handle: HomeHandle, held: Mapping[str, bytes], retrieval: Mapping[str, Any]) -> HomeHandle:
    """The home with the embedder as recorded; the home itself when nothing was searched then."""
    if "vector" not in held:
        return handle
    recorded = RecordedEmbedder(retrieval["embedder"], np.frombuffer(held["vector"], "<f4"))
    return HomeHandle(handle.home, handle.settings, handle.ledger, recorded)


def _embedder_now(handle: HomeHandle) -> dict[str, str] | None:
    """The identity of the embedder that the settings name, None when it is not on this machine."""
    try:
        return dict(handle.embedder.identity)
    except ComplianceError:
        return None


def _derive_again(
    handle: HomeHandle, header: dict[str, Any], held: dict[str, bytes], seen: dict[str, Any]
) -> str | list[dict[str, Any]]:
    """Ask again without a model, with the question's recorded vector, and compare layer by layer in the order they build on
    each other: another embedder shows as its own layer and not as another ranking."""
    candidates = json.loads(held["candidates"])
    then = _as_then(handle, held, candidates["retrieval"])
    recorded_by = parse_instant(header["recorded_at"]) if header["known_basis"] == "published" else None
    work = work_out(then, _request(header, json.loads(held["question"])), recorded_by=recorded_by)
    again = json.loads(build(then, work).model_dump_json())
    found: list[dict[str, Any]] = []

    def compare(layer: str, before: Any, after: Any) -> None:
        if before != after:
            found.append({"layer": layer, "before": before, "after": after})

    compare("settings", json.loads(held["settings"]), json.loads(json.dumps(handle.settings.public())))
    permitted, permitted_now = json.loads(held["permitted"]), permitted_record(then.corpus(), work.situation.in_force)
    compare("parser", *(_parsers(one) for one in (permitted, permitted_now)))
    compare("corpus", *(_without_parsers(one) for one in (permitted, permitted_now)))
    if candidates["retrieval"]:
        now = _embedder_now(handle)
        if now is not None:
            compare("embedder", candidates["retrieval"]["embedder"], now)
    ranked = [] if work.ranking is None else json.loads(json.dumps(candidates_record(work.ranking.candidates)))
    compare("ranking", candidates["ranked"], ranked)
    if seen["model"] is None:
        compare("expansion", candidates["expansions"], json.loads(json.dumps(evidence_record(work.evidence))))
        compare("answer", _said(seen), _said(again))
    return found or "equal"


def _parsers(permitted: Mapping[str, Any]) -> list[str]:
    return sorted({version["parser"] for version in permitted["versions"]})


def _without_parsers(permitted: Mapping[str, Any]) -> dict[str, Any]:
    versions = [{key: value for key, value in one.items() if key != "parser"} for one in permitted["versions"]]
    return {**permitted, "versions": versions}


def _said(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key not in _IDENTITY}
