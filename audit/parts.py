"""Parts and the keys of sealed ones: `ledger/parts/<sha256 of the stored bytes>`, `ledger/keys/<key id>`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from audit import seal
from audit.durable import Stored, sync_all, write_content, write_new
from schemas.canonical import sha256_hex
from schemas.errors import InputRejected, IntegrityError, NotFound
from schemas.ledger import PART_LIMIT, ROLE_NAME

# Parts remembered as durable: settings, sets searched, and texts come back from answer to answer. Some 300 bytes each.
DURABLE_LIMIT = 10_000


@dataclass(frozen=True, slots=True)
class Prepared:
    """The ``parts`` entries of a header, the id of the key that seals the personal ones (None when none is), and the files that
    :meth:`PartStore.sync` makes durable (None as the file: one that no one else writes)."""

    entries: list[dict[str, Any]]
    key_id: str | None
    files: tuple[tuple[Path, Stored | None], ...] = ()


class PartStore:
    """Reads and writes parts in a ledger folder."""

    def __init__(self, folder: Path) -> None:
        self._parts = folder / "parts"
        self._keys = folder / "keys"
        self._durable: dict[Path, Stored] = {}

    def write(self, drafts: Sequence[tuple[str, bytes, bool]]) -> Prepared:
        """Store ``(role, data, personal)`` in order; durable after :meth:`sync`.

        Raises InputRejected ``bad_record``, ``part_too_large``; OSError.
        """
        for role, data, _ in drafts:
            if not ROLE_NAME.match(role):
                raise InputRejected("bad_record", f"A part's role is a lower-case word, not {role!r}.", role)
            if len(data) > PART_LIMIT:
                raise InputRejected("part_too_large", f"Part {role} takes {len(data)} bytes, the limit is {PART_LIMIT}.", role)
        key_id: str | None = None
        key = b""
        files: list[tuple[Path, Stored | None]] = []
        if any(personal for _, _, personal in drafts):
            key_id, key = seal.new_key()
            write_new(self.key_path(key_id), seal.print_key(key), 0o600)
            files.append((self.key_path(key_id), None))
        entries: list[dict[str, Any]] = []
        for ordinal, (role, data, personal) in enumerate(drafts):
            mac = None
            if personal:
                data, mac = seal.seal(key, ordinal, role, data)
            digest = sha256_hex(data)
            path = self._parts / digest
            files.append((path, write_content(path, data)))
            entry: dict[str, Any] = {"role": role, "length": len(data), "sha256": digest}
            entries.append(entry if mac is None else {**entry, "hmac": mac})
        return Prepared(entries, key_id, tuple(files))

    def sync(self, written: Sequence[Prepared]) -> None:
        """Make what was written durable, bytes and names, in one go; not again what this store did before. Raises OSError."""
        files = {path: file for prepared in written for path, file in prepared.files}
        paths = [path for path, file in files.items() if file is None or self._durable.get(path) != file]
        if not paths:
            return
        sync_all([*paths, *dict.fromkeys(path.parent for path in paths)])
        if len(self._durable) > DURABLE_LIMIT:
            self._durable.clear()
        self._durable |= {path: file for path in paths if (file := files[path]) is not None}

    def key_path(self, key_id: str) -> Path:
        """Where a record's key lies."""
        return self._keys / key_id

    def read(self, header: Mapping[str, Any], role: str) -> bytes:
        """The plaintext of the first part with ``role``, proved. Raises NotFound ``no_part``, ``key_missing``; IntegrityError
        ``part_missing``, ``part_damaged``, ``key_damaged``."""
        for ordinal, entry in enumerate(header["parts"]):
            if entry["role"] == role:
                data = self._stored(entry)
                if "hmac" not in entry:
                    return data
                return seal.unseal(self._key(header), ordinal, role, data, entry["hmac"])
        raise NotFound("no_part", f"Record {header['index']} has no part {role!r}.", role)

    def check(self, header: Mapping[str, Any]) -> None:
        """Prove that every part is there with its hash. Raises IntegrityError ``part_missing``, ``part_damaged``."""
        for entry in header["parts"]:
            self._stored(entry)

    def _stored(self, entry: Mapping[str, Any]) -> bytes:
        digest, role = entry["sha256"], entry["role"]
        try:
            data: bytes = (self._parts / digest).read_bytes()
        except FileNotFoundError as error:
            raise IntegrityError("part_missing", f"Part {role} ({digest}) is missing from ledger/parts.", digest) from error
        if len(data) != entry["length"] or sha256_hex(data) != digest:
            raise IntegrityError("part_damaged", f"Part {role} ({digest}) is not what was recorded.", digest)
        return data

    def _key(self, header: Mapping[str, Any]) -> bytes:
        key_id = header["sealed_under"]
        try:
            data = self.key_path(key_id).read_bytes()
        except FileNotFoundError as error:
            raise NotFound(
                "key_missing", f"The personal parts of record {header['index']} were erased.", str(header["index"])
            ) from error
        return seal.read_key(data, key_id)
