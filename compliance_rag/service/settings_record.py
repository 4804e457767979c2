"""The settings in force as records: a change of them is on the ledger before the first answer or change made under it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from audit.ledger import Ledger, PartDraft, RecordDraft
from schemas.canonical import canonical_json
from schemas.errors import IntegrityError
from schemas.settings import Settings

SETTINGS_ROLE = "settings"


def settings_changed(ledger: Ledger, settings: Settings, actor: str, actor_auth: str) -> list[RecordDraft]:
    """The record to put before the next one: empty where the last record that names its settings (of a change, or an answer)
    has these, or where they are the defaults and none is named yet. Raises IntegrityError as :meth:`Ledger.part`."""
    now = settings.public()
    before = _last_named(ledger)
    if before is None:
        before = Settings(ledger=settings.ledger.model_copy(update=_default_clock())).public()
    changed = _differences(before, json.loads(canonical_json(now)))
    if not changed:
        return []
    fields = {"changed": changed, "actor": actor, "actor_auth": actor_auth}
    return [RecordDraft("settings", fields, [PartDraft(SETTINGS_ROLE, canonical_json(now))])]


def _default_clock() -> dict[str, int]:
    """Of the log's section only its name is the home's own from the start."""
    fresh = Settings().ledger
    return {"every_answers": fresh.every_answers, "every_minutes": fresh.every_minutes}


def _last_named(ledger: Ledger) -> dict[str, Any] | None:
    for index in reversed(range(ledger.size)):
        header = ledger.header(index)
        if any(entry["role"] == SETTINGS_ROLE for entry in header["parts"]):
            try:
                value = json.loads(ledger.part(header, SETTINGS_ROLE))
            except ValueError as error:
                raise IntegrityError("part_damaged", f"The settings of record {index} are not JSON.", str(index)) from error
            return value if isinstance(value, dict) else {}
    return None


def _differences(before: Mapping[str, Any], now: Mapping[str, Any], path: str = "") -> list[str]:
    """The dotted names of the settings that differ, in order."""
    found = []
    for name in sorted({*before, *now}):
        one, other = before.get(name), now.get(name)
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            found += _differences(one, other, f"{path}{name}.")
        elif one != other:
            found.append(f"{path}{name}")
    return found
