"""Header lines, the head and the format number: built and read here and nowhere else in this room."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

import rfc8785

from audit.durable import locked, make_folder, replace
from audit.parts import Prepared
from audit.tree import EMPTY_ROOT
from schemas.canonical import canonical_header, canonical_json, has_float
from schemas.dates import print_instant
from schemas.errors import InputRejected, IntegrityError
from schemas.home import LEDGER_FORMAT
from schemas.ledger import HEADER_LIMIT

_HEX = re.compile(r"[0-9a-f]{64}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class Head:
    """What was last acknowledged: number of records, their root, and the last one's leaf hash (None when empty), hex."""

    origin: str
    size: int
    root: str
    leaf: str | None

    def as_bytes(self) -> bytes:
        """The file's content: canonical JSON and LF."""
        value = {"format": LEDGER_FORMAT, "leaf": self.leaf, "origin": self.origin, "root": self.root, "size": self.size}
        return canonical_json(value) + b"\n"


def as_head(folder: Path) -> Head:
    """Read ``folder/head``. Raises IntegrityError ``ledger_head_missing`` or ``ledger_unreadable``."""
    try:
        data = (folder / "head").read_bytes()
    except FileNotFoundError as error:
        raise IntegrityError(
            "ledger_head_missing", "ledger/head is missing, so nothing says how many records there were; restore it.", "head"
        ) from error
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, dict):
        origin, size, root, leaf = (value.get(name) for name in ("origin", "size", "root", "leaf"))
        if isinstance(origin, str) and type(size) is int and isinstance(root, str) and (leaf is None or isinstance(leaf, str)):
            head = Head(origin, size, root, leaf)
            if size >= 0 and _HEX.match(root) and head.as_bytes() == data:
                return head
    raise IntegrityError("ledger_unreadable", "ledger/head is not the head of a ledger of this format.", "head")


def build_line(
    origin: str,
    record_type: str,
    fields: Mapping[str, Any],
    parts: Prepared,
    index: int,
    previous: bytes | None,
    recorded_at: datetime,
    *,
    set_back: bool,
) -> bytes:
    """The canonical header line, without LF. Raises InputRejected ``bad_record`` (a float, a number or text JSON can't carry),
    ``header_too_large``."""
    header: dict[str, Any] = {
        **fields,
        "format": LEDGER_FORMAT,
        "type": record_type,
        "index": index,
        "origin": origin,
        "previous": None if previous is None else previous.hex(),
        "recorded_at": print_instant(recorded_at),
        "parts": parts.entries,
    }
    if parts.key_id is not None:
        header["sealed_under"] = parts.key_id
    if set_back:
        header["clock_set_back"] = True
    if has_float(header):
        raise InputRejected("bad_record", f"A header of type {record_type!r} may hold no float.", record_type)
    try:
        line = canonical_header(header)
    except (rfc8785.CanonicalizationError, UnicodeEncodeError) as error:
        raise InputRejected(
            "bad_record", f"A header of type {record_type!r} can't be written: {error}.", record_type
        ) from error
    if len(line) > HEADER_LIMIT:
        raise InputRejected(
            "header_too_large",
            f"A header of type {record_type!r} takes {len(line)} bytes, the limit is {HEADER_LIMIT}.",
            record_type,
        )
    return line


def read_header(line: bytes, index: int) -> dict[str, Any]:
    """The header in a log line. Raises IntegrityError ``ledger_unreadable``; proves no hash."""
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        header = None
    if not isinstance(header, dict) or not {"type", "index", "previous", "origin", "recorded_at", "parts"} <= header.keys():
        raise IntegrityError("ledger_unreadable", f"Record {index} is not a ledger header.", str(index))
    return header


def read_format(folder: Path) -> None:
    """Prove that this code reads ``folder``.

    Raises InputRejected ``home_newer``, ``home_older``; IntegrityError ``ledger_unreadable``.
    """
    try:
        text = (folder / "format").read_text("ascii").strip()
    except (OSError, UnicodeDecodeError):
        text = ""
    if not (text.isascii() and text.isdigit()):
        raise IntegrityError("ledger_unreadable", "ledger/format holds no format number; restore it or ingest again.", "format")
    if int(text) > LEDGER_FORMAT:
        raise InputRejected(
            "home_newer", f"The ledger has format {text}, this release reads {LEDGER_FORMAT}; update it.", "format"
        )
    if int(text) < LEDGER_FORMAT:
        raise InputRejected("home_older", f"The ledger has format {text}, which is read no more; ingest again.", "format")


def write_format(folder: Path) -> None:
    """Write the format number. Raises OSError."""
    replace(folder / "format", b"%d\n" % LEDGER_FORMAT)


def create_empty(folder: Path, origin: str) -> None:
    """Make an empty ledger where there is none; an existing one, even one that lost its head, is left as it is."""
    if (folder / "head").exists():
        return
    folder.mkdir(parents=True, exist_ok=True)
    with locked(folder / "lock"):
        for name in ("log", "parts", "keys", "checkpoints"):
            make_folder(folder / name)
        if not (folder / "head").exists() and not any((folder / "log").iterdir()):
            write_format(folder)
            replace(folder / "head", Head(origin=origin, size=0, root=EMPTY_ROOT.hex(), leaf=None).as_bytes())
