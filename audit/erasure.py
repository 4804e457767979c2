"""Erasing a record's personal parts by destroying its key, and holds against that. The log itself is never touched."""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.durable import destroy, locked, replace, sync_folder
from audit.ledger import Committed, Ledger, PartDraft, RecordDraft
from schemas.canonical import canonical_json
from schemas.errors import InputRejected, IntegrityError

INTENT_FIELDS = frozenset({"erases", "key_id", "reason", "actor", "actor_auth"})
# A reason is typed by a person; whatever is longer is no intent of ours.
INTENT_LIMIT = 64 * 1024
_KEY_ID = re.compile(r"[0-9a-f]{32}\Z", re.ASCII)


def is_held(ledger: Ledger, index: int) -> bool:
    """Whether the last ``hold`` record naming ``index`` holds it."""
    held = False
    for _, header in ledger.headers(types={"hold"}):
        if header["holds"] == index:
            held = not header["released"]
    return held


def erased_roles(ledger: Ledger, header: Mapping[str, Any]) -> list[str]:
    """The roles of the parts that were erased with the record's key; empty when none were."""
    key = header.get("sealed_under")
    if key is None or ledger.find("erasure", "key_id", key) is None:
        return []
    return [entry["role"] for entry in header["parts"] if "hmac" in entry]


def hold(ledger: Ledger, index: int, *, released: bool, reason: str, actor: str, actor_auth: str) -> Committed:
    """Forbid (or allow again) erasing record ``index``. Raises NotFound ``no_record``."""
    with locked(_lock(ledger)):
        ledger.refresh()
        _finish(ledger)
        ledger.header(index)
        fields = {"holds": index, "released": released, "actor": actor, "actor_auth": actor_auth}
        return ledger.append([RecordDraft("hold", fields, [PartDraft("reason", reason.encode(), personal=True)])])[0]


def erase(ledger: Ledger, index: int, *, reason: str, actor: str, actor_auth: str) -> int:
    """Destroy the key of record ``index`` and record the fact; the erasure record's index. Again: the same index.

    An intent file makes it whole: a process that dies between is finished at the next opening. Raises NotFound ``no_record``;
    InputRejected ``legal_hold``, ``nothing_to_erase``, ``reason_too_long``; IntegrityError ``ledger_write_failed``,
    ``bad_erasing``.
    """
    with locked(_lock(ledger)):
        ledger.refresh()
        _finish(ledger)
        header = ledger.header(index)
        key = header.get("sealed_under")
        if key is None:
            raise InputRejected("nothing_to_erase", f"Record {index} holds no personal part.", str(index))
        done = ledger.find("erasure", "key_id", key)
        if done is not None:
            return done
        if is_held(ledger, index):
            raise InputRejected("legal_hold", f"Record {index} is under a legal hold; release it first.", str(index))
        intent = {"erases": index, "key_id": key, "reason": reason, "actor": actor, "actor_auth": actor_auth}
        data = canonical_json(intent) + b"\n"
        if len(data) > INTENT_LIMIT:
            raise InputRejected("reason_too_long", f"The reason takes more than {INTENT_LIMIT} bytes; shorten it.", str(index))
        try:
            replace(_intent(ledger.folder), data)
        except OSError as error:
            raise IntegrityError("ledger_write_failed", f"The erasure could not begin ({error.strerror}).") from error
        return _carry_out(ledger, intent)


def finish(ledger: Ledger) -> None:
    """Finish an erasure that a process began and did not end; nothing when there is none.

    ``ledger/erasing`` can be written by anyone who can write the home: it is believed only where it names a record of this log
    by that record's own key and no hold forbids it. Raises IntegrityError ``bad_erasing`` otherwise, with nothing erased.
    """
    if not os.path.lexists(_intent(ledger.folder)):
        return
    with locked(_lock(ledger)):
        ledger.refresh()
        _finish(ledger)


def _finish(ledger: Ledger) -> None:
    """Under the lock: what :func:`finish` does."""
    intent = _read_intent(ledger)
    if intent is not None:
        # Nothing proves who wrote the file, so its actor is no more than asserted, and the record says how it came about.
        _carry_out(ledger, intent | {"actor_auth": "asserted"}, finished=True)


def _read_intent(ledger: Ledger) -> dict[str, Any] | None:
    """The erasure begun, proved against the log; None when there is none. Raises IntegrityError ``bad_erasing``."""
    path = _intent(ledger.folder)
    try:
        found = os.lstat(path)
        if not stat.S_ISREG(found.st_mode) or found.st_size > INTENT_LIMIT:
            raise _refused("it is no file that this program writes")
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _refused(f"it can't be read ({error.strerror})") from error
    try:
        intent = json.loads(data)
        fine = isinstance(intent, dict) and canonical_json(intent) + b"\n" == data
    except (ValueError, RecursionError):
        fine = False
    if not fine or set(intent) != INTENT_FIELDS or type(intent["erases"]) is not int:
        raise _refused("it is not what this program writes")
    if not all(isinstance(intent[name], str) for name in INTENT_FIELDS - {"erases"}) or not _KEY_ID.match(intent["key_id"]):
        raise _refused("it is not what this program writes")
    _prove_intent(ledger, intent)
    return dict(intent)


def _prove_intent(ledger: Ledger, intent: Mapping[str, Any]) -> None:
    """The intent names a record of this log, by the key of that record, and no hold forbids it."""
    index = intent["erases"]
    if not 0 <= index < ledger.size:
        raise _refused(f"the ledger has no record {index}")
    if ledger.header(index).get("sealed_under") != intent["key_id"]:
        raise _refused(f"the key it names is not that of record {index}")
    if is_held(ledger, index):
        raise _refused(f"record {index} is under a legal hold")


def _refused(why: str) -> IntegrityError:
    message = (
        f"ledger/erasing tells of an erasure begun, and {why}: nothing was erased. Move the file away and run audit verify."
    )
    return IntegrityError("bad_erasing", message, "erasing")


def _carry_out(ledger: Ledger, intent: Mapping[str, Any], *, finished: bool = False) -> int:
    try:
        destroy(ledger.folder / "keys" / intent["key_id"])
        done = ledger.find("erasure", "key_id", intent["key_id"])
        if done is None:
            fields = {name: intent[name] for name in ("erases", "key_id", "actor", "actor_auth")}
            if finished:
                fields["finished"] = True
            reason = PartDraft("reason", intent["reason"].encode("utf-8", "surrogatepass"), personal=True)
            done = ledger.append([RecordDraft("erasure", fields, [reason])])[0].index
        os.unlink(_intent(ledger.folder))
        sync_folder(ledger.folder)
    except OSError as error:
        raise IntegrityError(
            "ledger_write_failed", f"The erasure stopped ({error.strerror}); opening again finishes it."
        ) from error
    return done


def _intent(folder: Path) -> Path:
    return folder / "erasing"


def _lock(ledger: Ledger) -> Path:
    return ledger.folder / "erasing.lock"
