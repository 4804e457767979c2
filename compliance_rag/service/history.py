"""A clause through its versions: what each did to it, what its standing is on a day, and who recorded what about it when."""

from __future__ import annotations

from datetime import date
from typing import Any, Literal

from audit.ledger import Ledger
from compliance_rag.changes.history import Stage, history
from compliance_rag.service.reads import standing_marks
from compliance_rag.store.corpus import EVERYTHING, Corpus
from compliance_rag.store.rows import StoredClause, TimeEvent
from compliance_rag.store.timeline import Knowledge, Standing, clause_reason, correction_of, state
from schemas.dates import print_day
from schemas.errors import NotFound

Status = Literal[
    "in_force", "future", "superseded", "corrected", "void", "withdrawn", "repealed", "expired", "draft", "held", "staged"
]  # fmt: skip


def clause_history(
    corpus: Corpus, ledger: Ledger, name: str, as_of: date, knowledge: Knowledge = EVERYTHING
) -> list[dict[str, Any]]:
    """Clause objects of the lineage by effective date, each with ``change`` (kind, weight, signals, redline; None in the first
    and where nothing changed), the version's ``state`` and ``corrected_by``, and:

    ``status`` on ``as_of``, finer than the state; ``status_from``, the day it holds from (None where no day is: a draft, a text
    voided or corrected away never governed); ``status_by``, the version that took its place; ``gone_in``, the version that
    follows and no longer has the clause; ``records``, what the ledger says of this text in the order recorded, each with
    ``record`` (its index), ``what``, ``version_id``, ``number``, ``effective_from``, ``effective_to``, ``recorded_at``,
    ``actor``, ``actor_auth``, ``reason`` (None: none given, or erased).

    Raises NotFound ``unknown_clause``; IntegrityError of the stores and the ledger.
    """
    stages = history(corpus, name, knowledge)
    held = {stage.clause.version.version_id for stage in stages}
    return [
        _stage(stage) | standing_marks(corpus, stage.clause.version, as_of, knowledge)
        | _standing(corpus, stage.clause, as_of, knowledge, held)
        | {"records": _records(corpus, ledger, stage.clause, knowledge)}
        for stage in stages
    ]  # fmt: skip


def _stage(stage: Stage) -> dict[str, Any]:
    change = None
    if stage.change is not None:
        change = stage.change.model_dump(mode="json", include={"kind", "weight", "signals", "redline"})
    return {**stage.clause.to_object().model_dump(mode="json"), "change": change}


def _standing(corpus: Corpus, clause: StoredClause, as_of: date, knowledge: Knowledge, held: set[str]) -> dict[str, str | None]:
    row = clause.version
    standings = corpus.timeline(knowledge)[row.doc_id, row.language]
    place, item = next((at, one) for at, one in enumerate(standings) if one.row.version_id == row.version_id)
    following = next((one.row.version_id for one in standings[place + 1 :] if one.live), None) if item.live else None
    status, day, by = _status(standings, item, clause, as_of, following)
    gone = following if following is not None and following not in held else None
    return {"status": status, "status_from": print_day(day), "status_by": by, "gone_in": gone}


def _status(
    standings: tuple[Standing, ...], item: Standing, clause: StoredClause, as_of: date, following: str | None
) -> tuple[Status, date | None, str | None]:
    if item.void:
        return "void", None, None
    correction = correction_of(standings, item)
    if correction is not None:
        return "corrected", None, correction.version_id
    whole = state(standings, item, as_of)
    if whole in ("draft", "held", "staged"):
        return whole, None, None
    if whole == "future":
        return "future", item.start, None
    ended = item.end is not None and item.end <= as_of and (item.successor is None or item.end < item.successor)
    if ended:
        return item.cause, item.end, None
    if whole == "superseded":
        return "superseded", item.successor, following
    own = clause.interval
    reason = clause_reason(own, as_of)
    if reason == "not_yet_in_force":
        return "future", own.start, None
    return ("expired", own.end, None) if reason == "expired" else ("in_force", own.start or item.start, None)


def _records(corpus: Corpus, ledger: Ledger, clause: StoredClause, knowledge: Knowledge) -> list[dict[str, Any]]:
    row = clause.version
    found = [_record(ledger, one.index, "published", one.version_id) for one in _publications(corpus, clause, knowledge)]
    later = [one for one in corpus.versions if one.doc_id == row.doc_id and one.supersedes == row.version_id]
    found += [_record(ledger, one.index, "corrected", one.version_id) for one in later if knowledge.version(one)]
    for event in corpus.events:
        if event.doc_id == row.doc_id and knowledge.event(event) and _about(event, clause):
            what = {"void": "voided", "withdraw": "withdrawn", "redate": "redated"}[event.kind]
            told = _record(ledger, event.index, what, event.version_id)
            days = {"effective_from": print_day(event.start), "effective_to": print_day(event.end)}
            found.append(told | {"number": event.number} | days)
    return sorted(found, key=lambda record: int(record["record"]))


def _publications(corpus: Corpus, clause: StoredClause, knowledge: Knowledge) -> list[Any]:
    own = clause.version
    return [row for row in corpus.versions if row.ref == own.ref and knowledge.version(row)]


def _about(event: TimeEvent, clause: StoredClause) -> bool:
    """The event touches the clause's version as a whole, or the clause itself or one that it stands under. A withdrawal or a
    voiding of the document touches what had been recorded by then."""
    row = clause.version
    if event.version_id not in (None, row.version_id) or (event.version_id is None and row.index > event.index):
        return False
    if event.number is None:
        return True
    path = clause.clause.path
    above = {"/".join(path[:end]) for end in range(1, len(path) + 1)}
    return event.number in above or event.number in (clause.clause.number, *clause.clause.aliases)


def _record(ledger: Ledger, index: int, what: str, version_id: str | None) -> dict[str, Any]:
    header = ledger.header(index)
    return {
        "record": index, "what": what, "version_id": version_id, "number": None,
        "effective_from": header.get("effective_from"), "effective_to": header.get("effective_to"),
        "recorded_at": header["recorded_at"], "actor": header["actor"], "actor_auth": header["actor_auth"],
        "reason": _reason(ledger, header),
    }  # fmt: skip


def _reason(ledger: Ledger, header: dict[str, Any]) -> str | None:
    try:
        return ledger.part(header, "reason").decode("utf-8")
    except NotFound:
        return None
