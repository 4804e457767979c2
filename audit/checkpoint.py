"""Checkpoints: the log's root signed and carried to a witness folder outside the home, only when it continues the last one."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from audit.durable import make_folder, replace
from audit.ledger import Ledger, PartDraft, RecordDraft
from audit.notes import Note, key_id, read_note, read_private, sign_note, signed_by
from audit.tree import DIGEST, verify_consistency
from schemas.dates import parse_instant
from schemas.errors import InputRejected, IntegrityError
from schemas.ids import slug

_OWN_TYPES = frozenset({"checkpoint", "key"})
"""Records that checkpointing itself writes: alone they are no reason for another checkpoint."""


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """What stands signed: size, root and note; ``new`` False when nothing but checkpoints came since the last one."""

    size: int
    root: str
    key_id: str
    note: bytes
    new: bool


@dataclass(frozen=True, slots=True)
class LogKey:
    """A checkpoint key as the log knows it; ``state`` is ``active``, ``replaced`` or ``revoked``."""

    key_id: str
    public: bytes
    state: str
    index: int


def log_keys(ledger: Ledger) -> dict[str, LogKey]:
    """Every key the log's ``key`` records name, by id, in the order recorded."""
    keys: dict[str, LogKey] = {}
    for index, header in ledger.headers(types={"key"}):
        name, event = header["key_id"], header["event"]
        public = base64.b64decode(header["public_key"])
        if event == "rotate" and header.get("replaces") in keys:
            old = keys[header["replaces"]]
            keys[old.key_id] = LogKey(old.key_id, old.public, "replaced", old.index)
        keys[name] = LogKey(name, public, "revoked" if event == "revoke" else "active", index)
    return keys


def revoke_key(ledger: Ledger, name: str, *, reason: str, actor: str, actor_auth: str) -> int:
    """Record that a key is trusted no more for checkpoints from here on; the record's index. Raises InputRejected
    ``key_unknown``."""
    ledger.refresh()
    key = log_keys(ledger).get(name)
    if key is None:
        raise InputRejected("key_unknown", f"The log names no checkpoint key {name!r}.", name)
    fields = _key_fields("revoke", key.key_id, key.public, None, actor, actor_auth)
    return ledger.append([RecordDraft("key", fields, [PartDraft("reason", reason.encode(), personal=True)])])[0].index


def write_checkpoint(
    ledger: Ledger, pem: bytes, *, actor: str, actor_auth: str, witness: Path | None = None, rotate: bool = False
) -> Checkpoint:
    """Sign the log's root with an Ed25519 key in PEM, write the note to the witness folder and then to the home, and record it.

    First the log must continue the last note of both folders by a consistency proof, and every leaf hash the witness kept must
    still be the log's. The first key ever used is recorded as ``add``; another one needs ``rotate`` and is recorded as taking
    over.
    Raises InputRejected ``bad_key``, ``key_unknown``, ``key_revoked``; IntegrityError ``checkpoint_fork``, ``bad_checkpoint``,
    ``witness_unwritable`` and the ledger's own.
    """
    key = read_private(pem)
    public = key.public_key().public_bytes_raw()
    name = key_id(ledger.origin, public).hex()
    ledger.refresh()
    folders = [ledger.folder / "checkpoints"]
    if witness is not None:
        folders.insert(0, witness_folder(witness, ledger.origin))
    keys = log_keys(ledger)
    _check_key(keys, name, rotate=rotate)
    notes = [note for folder in folders if (note := last_note(folder)) is not None]
    for note in notes:
        _check_continues(ledger, note, [*(known.public for known in keys.values()), public])
    if witness is not None:
        _check_leaves(ledger, folders[0])
    last = max(notes, key=lambda note: note.size, default=None)
    if name not in keys or keys[name].state != "active":
        active = next((known.key_id for known in keys.values() if known.state == "active"), None)
        ledger.append([RecordDraft("key", _key_fields("rotate" if active else "add", name, public, active, actor, actor_auth))])
    elif last is not None and all(header["type"] in _OWN_TYPES for _, header in ledger.headers(last.size)):
        data = sign_note(key, ledger.origin, last.size, last.root)
        _publish(ledger, folders, last.size, data, witness is not None)
        return Checkpoint(last.size, last.root, name, data, new=False)
    size, root = ledger.size, ledger.root
    data = sign_note(key, ledger.origin, size, root)
    _publish(ledger, folders, size, data, witness is not None)
    fields: dict[str, Any] = {"size": size, "root": root, "key_id": name, "actor": actor, "actor_auth": actor_auth}
    if last is not None:
        proof = [digest.hex() for digest in ledger.tree.consistency(last.size, size)]
        fields |= {"from_size": last.size, "consistency": proof}
    else:
        fields |= {"from_size": None, "consistency": []}
    ledger.append([RecordDraft("checkpoint", fields, [PartDraft("note", data)])])
    return Checkpoint(size, root, name, data, new=True)


def checkpoint_due(ledger: Ledger, *, answers: int, age: timedelta, now: datetime) -> bool:
    """Whether ``answers`` answers, or any record older than ``age``, came since the last checkpoint.

    A schedule asks this and then starts the checkpoint command as a process of its own, the only reader of the key.
    """
    note = last_note(ledger.folder / "checkpoints")
    since = [header for _, header in ledger.headers(0 if note is None else note.size) if header["type"] not in _OWN_TYPES]
    if sum(header["type"] == "answer" for header in since) >= answers:
        return True
    return any(now - parse_instant(header["recorded_at"]) >= age for header in since[:1])


def witness_folder(witness: Path, origin: str) -> Path:
    """The folder of one log in a witness folder that may hold several."""
    return witness / f"{slug(origin, 'origin')}-{hashlib.sha256(origin.encode()).hexdigest()[:8]}"


def last_note(folder: Path) -> Note | None:
    """The note of the largest size in a folder, None when there is none. Raises IntegrityError ``bad_checkpoint``."""
    names = sorted(folder.glob("*.note"))
    return read_note(names[-1].read_bytes(), names[-1].name) if names else None


def _key_fields(event: str, name: str, public: bytes, replaces: str | None, actor: str, actor_auth: str) -> dict[str, Any]:
    return {
        "event": event,
        "key_id": name,
        "public_key": base64.b64encode(public).decode(),
        "replaces": replaces,
        "actor": actor,
        "actor_auth": actor_auth,
    }


def _check_key(keys: dict[str, LogKey], name: str, *, rotate: bool) -> None:
    known = keys.get(name)
    if known is not None and known.state != "active":
        raise InputRejected("key_revoked", f"Key {name} was {known.state}; sign with the key in use.", name)
    if known is None and not rotate and any(key.state == "active" for key in keys.values()):
        raise InputRejected("key_unknown", f"Key {name} is not the log's key; say rotate to let it take over.", name)


def _check_continues(ledger: Ledger, note: Note, publics: list[bytes]) -> None:
    if note.origin != ledger.origin:
        raise IntegrityError("checkpoint_fork", f"The last checkpoint is of {note.origin!r}, this log is {ledger.origin!r}.")
    if not any(signed_by(note, public) for public in publics):
        raise IntegrityError("bad_checkpoint", f"No known key signed the checkpoint at {note.size} records.")
    if note.size > ledger.size:
        raise IntegrityError(
            "checkpoint_fork", f"A checkpoint names {note.size} records and the log holds {ledger.size}: it was rolled back."
        )
    proof = ledger.tree.consistency(note.size, ledger.size)
    if not verify_consistency(note.size, ledger.size, proof, bytes.fromhex(note.root), bytes.fromhex(ledger.root)):
        raise IntegrityError(
            "checkpoint_fork", f"The log does not continue the checkpoint at {note.size} records; run audit verify."
        )


def _kept_leaves(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in sorted(folder.glob("*.leaves")))


def _check_leaves(ledger: Ledger, folder: Path) -> None:
    kept = _kept_leaves(folder)
    count = len(kept) // DIGEST
    mine = ledger.tree.leaves(0, count)
    if len(kept) % DIGEST or kept[: len(mine)] != mine:
        at = next(
            (place for place in range(count) if kept[place * DIGEST : (place + 1) * DIGEST] != ledger.tree.leaf(place)), count
        )
        raise IntegrityError("checkpoint_fork", f"Record {at} is not the one the witness saw; run audit verify.", str(at))
    if count > ledger.size:
        raise IntegrityError(
            "checkpoint_fork", f"The witness saw {count} records, the log holds {ledger.size}: it was rolled back."
        )


def _publish(ledger: Ledger, folders: list[Path], size: int, data: bytes, witnessed: bool) -> None:
    """Witness first: leaf hashes (so that a changed record can be named), then the note; then the home's copy."""
    try:
        if witnessed:
            folders[0].mkdir(parents=True, exist_ok=True)
            done = len(_kept_leaves(folders[0])) // DIGEST
            if done < size:
                replace(folders[0] / f"{done:020d}.leaves", ledger.tree.leaves(done, size))
        for folder in folders:
            make_folder(folder)
            path = folder / f"{size:020d}.note"
            if not path.exists():
                replace(path, data)
    except OSError as error:
        raise IntegrityError("witness_unwritable", f"The checkpoint could not be written ({error.strerror}).") from error
