"""Erasing a record's personal parts by destroying its key, and holds against that. The log itself is never touched."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from audit.durable import destroy, locked, replace, sync_folder
from audit.ledger import Committed, Ledger, PartDraft, RecordDraft
from schemas.canonical import canonical_json
from schemas.errors import InputRejected, IntegrityError


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
        ledger.header(index)
        fields = {"holds": index, "released": released, "actor": actor, "actor_auth": actor_auth}
        return ledger.append([RecordDraft("hold", fields, [PartDraft("reason", reason.encode(), personal=True)])])[0]


def erase(ledger: Ledger, index: int, *, reason: str, actor: str, actor_auth: str) -> int:
    """Destroy the key of record ``index`` and record the fact; the erasure record's index. Again: the same index.

    An intent file makes it whole: a process that dies between is finished at the next opening. Raises NotFound ``no_record``;
    InputRejected ``legal_hold``, ``nothing_to_erase``; IntegrityError ``ledger_write_failed``.
    """
    with locked(_lock(ledger)):
        ledger.refresh()
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
        try:
            replace(_intent(ledger.folder), canonical_json(intent) + b"\n")
        except OSError as error:
            raise IntegrityError("ledger_write_failed", f"The erasure could not begin ({error.strerror}).") from error
        return _carry_out(ledger, intent)


def finish(ledger: Ledger) -> None:
    """Finish an erasure that a process began and did not end; nothing when there is none."""
    if not _intent(ledger.folder).exists():
        return
    with locked(_lock(ledger)):
        try:
            intent = json.loads(_intent(ledger.folder).read_bytes())
        except FileNotFoundError:
            return
        except ValueError as error:
            raise IntegrityError("ledger_unreadable", "ledger/erasing can't be read; run audit verify.", "erasing") from error
        ledger.refresh()
        _carry_out(ledger, intent)


def _carry_out(ledger: Ledger, intent: Mapping[str, Any]) -> int:
    try:
        destroy(ledger.folder / "keys" / intent["key_id"])
        done = ledger.find("erasure", "key_id", intent["key_id"])
        if done is None:
            fields = {name: intent[name] for name in ("erases", "key_id", "actor", "actor_auth")}
            reason = PartDraft("reason", intent["reason"].encode(), personal=True)
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
