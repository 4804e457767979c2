"""API keys: who may call the service, in which roles, and which documents they may know of. Only hashes are kept."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from audit.durable import locked, replace
from audit.ledger import RecordDraft
from compliance_rag.service.homes import HomeHandle
from schemas.dates import today
from schemas.errors import InputRejected, IntegrityError, NotFound

# The last five are single rights, apart from the work that people do all day: what leaves the house, what is destroyed, what
# must not be, what is signed, and what is put in force.
Role = Literal["analyst", "reviewer", "engineer", "auditor", "publisher", "exporter", "eraser", "checkpointer", "holder"]
ROLES: Final[tuple[Role, ...]] = get_args(Role)

# What a key starts with, so that scanners for leaked secrets know it.
PREFIX: Final = "crk_"
# 256 random bits can't be guessed, so that one plain hash is as good as a slow one, and a look-up costs nothing.
KEY_BYTES: Final = 32
# A name goes into every record that its bearer makes.
NAME_LIMIT: Final = 100
ID_BYTES: Final = 6


class KeyEntry(BaseModel):
    """A key as the home keeps it. ``docs`` None: any document; else the only ones its bearer may know of. ``expires``: the
    first day on which it opens nothing (None: it never ends by itself)."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    key_id: str
    name: str
    roles: tuple[Role, ...]
    docs: tuple[str, ...] | None = None
    created_at: str
    expires: date | None = None
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")

    def public(self) -> dict[str, Any]:
        """Everything but the hash."""
        return self.model_dump(mode="json", exclude={"sha256"})

    def holds_on(self, day: date) -> bool:
        """Whether it opens anything on ``day``."""
        return self.expires is None or day < self.expires


@dataclass(frozen=True, slots=True)
class Bearer:
    """Who calls: a name for the record, how it was proved, roles, and the documents they may know of (None: any)."""

    name: str
    auth: str
    roles: frozenset[Role]
    docs: frozenset[str] | None = None

    def may(self, *roles: Role) -> bool:
        """True when any of ``roles`` is held."""
        return not self.roles.isdisjoint(roles)


def list_keys(handle: HomeHandle) -> list[KeyEntry]:
    """All keys, oldest first. Raises IntegrityError ``keys_damaged``."""
    path = handle.home.api_keys
    try:
        value = json.loads(path.read_bytes())
        return [KeyEntry.model_validate(item) for item in value["keys"]]
    except FileNotFoundError:
        return []
    except (ValueError, KeyError, TypeError, ValidationError) as error:
        raise IntegrityError(
            "keys_damaged", f"{path.name} cannot be read; restore it, or make keys anew.", path.name
        ) from error


def add_key(
    handle: HomeHandle,
    name: str,
    roles: Iterable[Role],
    *,
    docs: Iterable[str] | None = None,
    expires: date | None = None,
    actor: str,
    actor_auth: str = "asserted",
) -> tuple[KeyEntry, str]:
    """A new key: what is kept, and the key itself, which nobody can read again. The grant is on the ledger first, with the
    day from which it opens nothing (``expires``, in the home's time zone) where one is given.

    Raises InputRejected ``no_name``, ``name_taken``, ``no_role``, ``expires_passed``; IntegrityError ``keys_damaged`` and
    those of the ledger.
    """
    held = tuple(role for role in ROLES if role in set(roles))
    if not name.strip() or len(name) > NAME_LIMIT or not name.isprintable():
        raise InputRejected("no_name", f"A key needs a name of 1 to {NAME_LIMIT} printable characters.", "name")
    if not held:
        raise InputRejected("no_role", f"A key needs a role: {', '.join(ROLES)}.", "role")
    if expires is not None and expires <= today(handle.settings.time_zone):
        raise InputRejected(
            "expires_passed", f"expires: a key that ends on {expires} opens nothing; name a later day.", "expires"
        )
    key = PREFIX + secrets.token_urlsafe(KEY_BYTES)
    with locked(handle.home.request_lock):
        entries = list_keys(handle)
        if any(entry.name == name for entry in entries):
            raise InputRejected("name_taken", f"There is a key named {name!r} already; revoke it or take another name.", name)
        key_id = secrets.token_hex(ID_BYTES)
        fields: dict[str, Any] = {"event": "grant", "key_id": key_id, "name": name, "roles": list(held)}
        if expires is not None:
            fields["expires"] = expires.isoformat()
        done = _record(handle, fields | {"docs": None if docs is None else sorted(docs)}, actor, actor_auth)
        entry = KeyEntry(
            key_id=key_id,
            name=name,
            roles=held,
            docs=None if docs is None else tuple(sorted(docs)),
            created_at=done.isoformat(),
            expires=expires,
            sha256=_digest(key),
        )
        _write(handle, [*entries, entry])
    return entry, key


def revoke_key(handle: HomeHandle, name: str, *, actor: str, actor_auth: str = "asserted") -> KeyEntry:
    """Take a key (its id or its name) away: it opens nothing from the next call on. Raises NotFound ``unknown_key``;
    IntegrityError ``keys_damaged`` and those of the ledger."""
    with locked(handle.home.request_lock):
        entries = list_keys(handle)
        found = next((entry for entry in entries if name in (entry.key_id, entry.name)), None)
        if found is None:
            raise NotFound("unknown_key", f"There is no key {name!r}; `keys list` shows them.", name)
        _write(handle, [entry for entry in entries if entry is not found])
        _record(handle, {"event": "revoke", "key_id": found.key_id, "name": found.name}, actor, actor_auth)
    return found


def bearer_of(entries: Iterable[KeyEntry], key: str, day: date) -> Bearer | None:
    """Whose key this is on ``day``, None when it is nobody's or has expired. Every entry is compared, so that time says
    nothing."""
    digest, found = _digest(key), None
    for entry in entries:
        if hmac.compare_digest(entry.sha256, digest):
            found = entry
    if found is None or not found.holds_on(day):
        return None
    return Bearer(found.name, "key", frozenset(found.roles), None if found.docs is None else frozenset(found.docs))


def _digest(key: str) -> str:
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


def _write(handle: HomeHandle, entries: list[KeyEntry]) -> None:
    # A key without an end is written as it was before keys had one, so that an earlier release reads it.
    kept = [entry.model_dump(mode="json", exclude={"expires"} if entry.expires is None else None) for entry in entries]
    value = {"format": 1, "keys": kept}
    replace(handle.home.api_keys, json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8"))


def _record(handle: HomeHandle, fields: dict[str, Any], actor: str, actor_auth: str) -> datetime:
    own = fields | {"actor": actor, "actor_auth": actor_auth}
    return handle.ledger.append([RecordDraft("access", own)])[0].recorded_at
