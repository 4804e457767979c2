"""Erasing an answer on request: the question and all that was computed from it are destroyed, the proofs stand."""

from __future__ import annotations

from typing import Any

from audit.erasure import erase, erased_roles
from audit.ledger import Ledger
from compliance_rag.service.homes import HomeHandle
from schemas.errors import InputRejected, NotFound
from schemas.texts import check_texts


def erase_answer(handle: HomeHandle, answer_id: str, *, reason: str, actor: str, actor_auth: str) -> dict[str, Any]:
    """``index`` of the answer, the ``record`` of its erasure, the roles ``erased``; again the same. Who erases need not be one
    who may read it. Raises NotFound ``unknown_answer``; InputRejected ``no_reason``, ``bad_text`` and those of ``erase``."""
    check_texts({"reason": reason})
    if not reason.strip():
        raise InputRejected("no_reason", "Erasing needs a reason: it goes on the record.", "reason")
    ledger = handle.ledger
    ledger.refresh()
    index = ledger.find("answer", "answer_id", answer_id)
    if index is None:
        raise NotFound("unknown_answer", f"There is no answer {answer_id!r} in this ledger.", answer_id)
    return erase_at(ledger, index, reason=reason, actor=actor, actor_auth=actor_auth)


def erase_at(ledger: Ledger, index: int, *, reason: str, actor: str, actor_auth: str) -> dict[str, Any]:
    """The same of the record at ``index``, without looking at the reason. Raises as ``erase``."""
    record = erase(ledger, index, reason=reason, actor=actor, actor_auth=actor_auth)
    return {"index": index, "record": record, "erased": erased_roles(ledger, ledger.header(index))}
