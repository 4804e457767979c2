"""Who looks after a stale answer, and what was decided: records on the ledger."""

from __future__ import annotations

from datetime import date
from typing import Literal

from audit.ledger import PartDraft, RecordDraft
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.stale import covers, list_stale
from schemas.errors import InputRejected, NotFound
from schemas.stale import StaleItem

Decision = Literal["no_impact", "updated", "withdrawn"]


def assign(handle: HomeHandle, name: str, *, owner: str, due: date, actor: str, actor_auth: str = "asserted") -> StaleItem:
    """Give a stale answer (its item id, or the answer's) to ``owner`` until ``due``; a later assignment takes over.

    Raises NotFound ``unknown_item``; InputRejected ``no_owner``.
    """
    if not owner.strip():
        raise InputRejected("no_owner", "An owner is needed: someone looks after the item.", "--owner")
    item = find_item(handle, name)
    fields = {"event": "assign", "owner": owner, "due": due.isoformat()}
    _append(handle, item, fields, (), actor, actor_auth)
    return find_item(handle, name)


def close(
    handle: HomeHandle, name: str, *, decision: Decision, note: str, actor: str, actor_auth: str = "asserted"
) -> StaleItem:
    """Record what was decided about everything the answer is stale by now; a change after that opens the item again. Closing a
    closed item with another decision, or for another reason, adds a record and the last holds; the same decision by the same
    person for the same reason is on record already and is not recorded twice.

    Raises NotFound ``unknown_item``; InputRejected ``no_note``.
    """
    if not note.strip():
        raise InputRejected("no_note", "A note is needed: it goes on the record with the decision.", "--note")
    item = find_item(handle, name)
    last = item.decisions[-1] if item.decisions else None
    if last is not None and (last.decision, last.note, last.actor) == (decision, note, actor):
        return item
    fields = {"event": "close", "decision": decision, "covers": covers(item.clauses)}
    _append(handle, item, fields, (PartDraft("note", note.encode("utf-8")),), actor, actor_auth)
    return find_item(handle, name)


def find_item(handle: HomeHandle, name: str) -> StaleItem:
    """The stale item with this id, or of the answer with this id. Raises NotFound ``unknown_item``."""
    for item in list_stale(handle):
        if name in (item.id, item.answer_id):
            return item
    raise NotFound("unknown_item", f"No answer {name!r} is stale; `stale` lists those that are.", name)


def _append(
    handle: HomeHandle, item: StaleItem, fields: dict[str, str], parts: tuple[PartDraft, ...], actor: str, actor_auth: str
) -> None:
    own = {"answer_id": item.answer_id, "actor": actor, "actor_auth": actor_auth}
    handle.ledger.append([RecordDraft("stale", own | fields, parts)])
