"""The review queue: answers that a person should look at, and what was decided about them, as records on the ledger."""

from __future__ import annotations

import json
import weakref
from collections.abc import Callable, Mapping
from typing import Any, Literal

from audit.ledger import Ledger, PartDraft, RecordDraft
from compliance_rag.answer.routing import listed
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.record import find_answer, stored_answer
from schemas.errors import InputRejected, NotFound, UsageError
from schemas.objects import Answer, ReviewDecision, ReviewItem, ReviewShown

Verdict = Literal["approve", "amend", "reject"]

# An amended answer is read by people beside the original; a document pasted in its place is a mistake. 20 pages.
TEXT_LIMIT = 60_000
# A note says why; two pages.
NOTE_LIMIT = 6_000

# The codes of the review reasons of the answer at a place in the ledger: none of its words, so that erasing reaches all.
_CODES: weakref.WeakKeyDictionary[Ledger, dict[int, tuple[str, ...]]] = weakref.WeakKeyDictionary()


def list_reviews(
    handle: HomeHandle, *, decided: bool = False, readable: Callable[[Mapping[str, Any]], bool] | None = None
) -> list[ReviewItem]:
    """Answers whose status is ``needs_review`` or that the settings route to a person, in the order asked: those waiting for a
    decision, or with ``decided`` all of them. ``readable`` says of an answer's header whether its words may be seen.

    Raises IntegrityError as ``Ledger.part``.
    """
    ledger = handle.ledger
    ledger.refresh()
    decisions = _decisions(ledger)
    found: list[ReviewItem] = []
    for index, header in ledger.headers(0, {"answer"}):
        made = decisions.get(header["answer_id"], [])
        if (made and not decided) or not _asks_for_person(handle, index, header):
            continue
        if readable is not None and not readable(header):
            continue
        answer = _answer(ledger, index)
        found.append(
            ReviewItem(
                answer_id=header["answer_id"],
                status=header["status"],
                question=None if answer is None else answer.question,
                asked_at=header["recorded_at"],
                asked_by=header["actor"],
                as_of=header["as_of"],
                reasons=[] if answer is None else answer.review.reasons,
                decision=decision_of(ledger, made[-1]) if made else None,
            )
        )
    return found


def show_review(handle: HomeHandle, answer_id: str) -> ReviewShown:
    """The answer as it was given, beside every decision about it. Raises NotFound ``unknown_answer``; IntegrityError as
    ``Ledger.part``."""
    header = find_answer(handle.ledger, answer_id)
    made = [decision_of(handle.ledger, record) for record in _decisions(handle.ledger).get(answer_id, [])]
    return ReviewShown(
        answer_id=answer_id,
        answer=_answer(handle.ledger, header["index"]),
        decisions=made,
        decision=made[-1] if made else None,
    )


def decide(
    handle: HomeHandle,
    answer_id: str,
    *,
    decision: Verdict,
    note: str,
    text: str | None = None,
    actor: str,
    actor_auth: str = "asserted",
) -> ReviewShown:
    """Record a decision about an answer, in the queue or not. ``text`` is what an amendment says; it stands beside the answer,
    which stays as it was given. Deciding again adds a record, and the last holds.

    Raises NotFound ``unknown_answer``; UsageError ``amend_needs_text``, ``text_not_taken``; InputRejected ``no_note``,
    ``note_too_long``, ``no_text``, ``text_too_long``, ``answer_erased``.
    """
    header = find_answer(handle.ledger, answer_id)
    if _answer(handle.ledger, header["index"]) is None:
        raise InputRejected("answer_erased", f"Answer {answer_id!r} was erased; there is nothing to decide about.", answer_id)
    parts = [PartDraft("note", checked_words(note, "note", NOTE_LIMIT))]
    if decision == "amend":
        if text is None:
            raise UsageError("amend_needs_text", "An amendment needs its text; send it with the decision.", "--text")
        parts.append(PartDraft("text", checked_words(text, "text", TEXT_LIMIT)))
    elif text is not None:
        raise UsageError("text_not_taken", f"A decision to {decision} takes no text; only `amend` does.", "--text")
    fields = {
        "answer_id": answer_id, "reviews": header["index"], "decision": decision, "actor": actor, "actor_auth": actor_auth,
    }  # fmt: skip
    handle.ledger.append([RecordDraft("review", fields, parts)])
    return show_review(handle, answer_id)


def checked_words(words: str, what: str, limit: int) -> bytes:
    """What a person wrote, as bytes. Raises InputRejected ``no_<what>``, ``<what>_too_long``."""
    if not words.strip():
        raise InputRejected(f"no_{what}", f"A {what} is needed: it goes on the record with the decision.", f"--{what}")
    if len(words) > limit:
        message = f"The {what} has {len(words)} characters; the limit is {limit}."
        raise InputRejected(f"{what}_too_long", message, f"--{what}")
    return words.encode("utf-8")


def _decisions(ledger: Ledger) -> dict[str, list[dict[str, Any]]]:
    """Headers of the decisions by answer, in the order recorded."""
    found: dict[str, list[dict[str, Any]]] = {}
    for _, header in ledger.headers(0, {"review"}):
        if header.get("answer_id") is not None:
            found.setdefault(header["answer_id"], []).append(header)
    return found


def decision_of(ledger: Ledger, header: Mapping[str, Any]) -> ReviewDecision:
    """A decision as its record says it."""
    return ReviewDecision(
        record=header["index"],
        decision=header["decision"],
        note=_words(ledger, header, "note"),
        text=_words(ledger, header, "text"),
        actor=header["actor"],
        actor_auth=header["actor_auth"],
        recorded_at=header["recorded_at"],
    )


def _words(ledger: Ledger, header: Mapping[str, Any], role: str) -> str | None:
    """What was typed, None when there is none or it was erased."""
    if not any(entry["role"] == role for entry in header["parts"]):
        return None
    try:
        return ledger.part(header, role).decode("utf-8")
    except NotFound as error:
        if error.code != "erased":
            raise
        return None


def _answer(ledger: Ledger, index: int) -> Answer | None:
    """The answer as shown, None when it was erased."""
    try:
        return stored_answer(ledger, index)
    except NotFound as error:
        if error.code != "erased":
            raise
        return None


def _asks_for_person(handle: HomeHandle, index: int, header: Mapping[str, Any]) -> bool:
    if header["status"] == "needs_review":
        return True
    known = _CODES.setdefault(handle.ledger, {})
    if index not in known:
        try:
            reasons = json.loads(handle.ledger.part(header, "answer"))["review"]["reasons"]
        except NotFound as error:
            if error.code != "erased":
                raise
            return False
        known[index] = tuple(reason["code"] for reason in reasons)
    return listed(known[index], header["refusal_reason"], handle.settings.review.route)
