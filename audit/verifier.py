#!/usr/bin/env python3
"""Verify a home folder's ledger, trusting nothing but this file, Python's standard library and, for sealed parts and
signatures, the package ``cryptography`` or else the program ``openssl``.

    python verifier.py HOME [--witness DIR] [--receipt ANSWER.json] [--key PUB] [--origin NAME]
    python verifier.py BUNDLE.zip [--receipt ANSWER.json] [--key PUB] [--origin NAME]

Prints JSON ``{"valid", "size", "root", "checked", "first_bad"}``; exit 0 when valid, 4 when not. The procedure:

 1. head         ledger/format is 1; ledger/head is canonical: how many records were acknowledged, their root, the last leaf;
                 the log's name is the pinned one where one is.
 2. lines        every log line is a canonical JSON header of at most 16 KiB without floats, at its own index, of this log's
                 origin, naming the hash of the line before it, recorded later; at least as many as the head says. A
                 half-written line after the acknowledged ones is the trace of a writer that died.
 3. root         the RFC 9162 root re-derived from the lines' bytes is the head's.
 4. checkpoints  every signed note in ledger/checkpoints and the witness folder is a strict C2SP checkpoint of this origin,
                 signed by the pinned key or one the log names; the log is at least as long and has its root at its size;
                 every checkpoint record's root and consistency proof hold.
 5. receipt      the receipt's record is in the log; its proof leads from the leaf to its root; the log has that root at its
                 size; the recorded answer is the one shown.
 6. parts        every part has its length and sha256; every sealed part opens under its key to its HMAC, or its erasure is
                 on record and not against a hold. A type this file doesn't know is checked this far and counted.
 7. publications the source and the extracted text have their hashes; every clause's text, sliced by its spans, has its
                 hash; version root and corpus root are re-derived.
 8. answers      the header agrees with the answer; every cited clause exists in a publication recorded before, was in force
                 by the recorded dates, its sliced text has the cited hash, and the quote stands in it where it says; the
                 clause texts kept with it have the hashes they stand under.

An evidence bundle holds some records only: each has its inclusion proof in the tree of the bundle's checkpoint instead of
steps 1 to 3, and the corpus root is not re-derived (counted as corpus_roots_unchecked).

Not proved: that a cited clause *supports* its statement (counted as recorded, not re-checked); that nothing was recorded
after the newest checkpoint or receipt you hold and then cut away; that a clock told the truth.
"""

from __future__ import annotations

import argparse
import base64
import gc
import hashlib
import itertools
import json
import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

FORMAT = 1
HEADER_LIMIT = 16 * 1024
LINES_PER_FILE = 10_000
INTEGER_LIMIT = 2**53 - 1
SMALL_FILE_LIMIT = 64 * 1024  # a head, a key, a note
JSON_LIMIT = 256 * 1024 * 1024
BUNDLE_LIMIT = 1024 * 1024 * 1024  # unpacked bytes
HEADERS_KEPT = 2_000  # parsed headers not read again at step 6; 16 KiB each at most
TEXTS_KEPT = 20_000  # clause texts proved once, since many answers keep the same
PARTS_KEPT = 20_000  # unsealed parts proved once: many answers have the same settings
DATES_KEPT = 4_096
GUESS_LIMIT = 8  # changed lines whose combinations are tried to name the first one
EMPTY_ROOT = hashlib.sha256(b"").hexdigest()
ED25519_DER = bytes.fromhex("302a300506032b6570032100")
CLAUSE_FIELDS = ("path", "sha256", "number", "heading", "effective_from", "effective_to", "spans", "page", "boxes")
PUBLICATION_FIELDS = (
    "doc_id", "version", "version_id", "language", "jurisdiction", "status", "state", "effective_from", "effective_to",
    "published_on", "source_sha256", "extracted_sha256", "parser", "root", "corrects",
)  # fmt: skip
KNOWN = (
    "publication", "answer", "review", "withdrawal", "redate", "erasure", "hold", "settings", "key", "checkpoint", "stale",
    "access", "reading",
)  # fmt: skip
COUNTS = (
    "records", "beyond_head", "torn_bytes", "unknown_types", "checkpoints", "pinned_size", "receipts", "parts", "part_bytes",
    "sealed_opened", "sealed_unopened", "erased", "publications", "clauses", "answers", "answers_unopened", "citations",
    "supports_recorded", "corpus_roots_unchecked",
)  # fmt: skip
INNER_PAD, OUTER_PAD = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
HEX = re.compile(r"[0-9a-f]{64}\Z", re.ASCII)
NAME = re.compile(r"[0-9a-f]{32}\Z", re.ASCII)
NUMBER = re.compile(r"0\Z|[1-9][0-9]{0,18}\Z", re.ASCII)
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z", re.ASCII)


class Fault(Exception):
    """The first thing found wrong: at which step, why, and in which record (None: not in a record)."""

    def __init__(self, step: str, reason: str, index: int | None = None) -> None:
        super().__init__(reason)
        self.step, self.reason, self.index = step, reason, index


# --- bytes, JSON, hashes ----------------------------------------------------------------------------------------------------


def read(path: Path | str, limit: int = JSON_LIMIT) -> bytes:
    """A file's bytes; more than ``limit`` can't be read. A thousand records have ten thousand parts: no buffer is made."""
    file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
    try:
        size = os.fstat(file).st_size
        if size > limit:
            raise OSError(f"{Path(path).name} is longer than {limit} bytes")
        data = os.read(file, size)
        while len(data) < size and (more := os.read(file, size - len(data))):
            data += more
        return data
    finally:
        os.close(file)


def _no_float(text: str) -> Any:
    raise ValueError(f"the number {text[:20]} is not an integer")


_JSON = json.JSONDecoder(parse_constant=_no_float)
_EXACT_JSON = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float)


def parse(data: bytes, *, floats: bool = True) -> Any:
    """JSON, strictly UTF-8; ValueError otherwise."""
    try:
        return (_JSON if floats else _EXACT_JSON).decode(data.decode("utf-8"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


_SORTED = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
_AS_IS = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)
# Only with one of these do the order of UTF-16 units, which RFC 8785 sorts by, and the order of code points differ.
ABOVE_SURROGATES = re.compile("[\ue000-\U0010ffff]")


def canonical(value: Any) -> bytes:
    """RFC 8785 of a value without floats."""
    text = _SORTED.encode(value)
    if not text.isascii() and ABOVE_SURROGATES.search(text):
        text = _AS_IS.encode(_by_utf16(value))
    return text.encode("utf-8")


def _by_utf16(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _by_utf16(value[key]) for key in sorted(value, key=lambda key: key.encode("utf-16-be", "surrogatepass"))}
    return [_by_utf16(item) for item in value] if isinstance(value, list) else value


def sha(data: bytes) -> bytes:
    """The sha256 of bytes."""
    return hashlib.sha256(data).digest()


class Tree:
    """RFC 9162 hashes of all complete subtrees; roots at any size."""

    def __init__(self) -> None:
        self.levels: list[list[bytes]] = [[]]

    def add(self, leaf: bytes) -> None:
        """Append one leaf hash."""
        for level in itertools.count():
            if level == len(self.levels):
                self.levels.append([])
            row = self.levels[level]
            row.append(leaf)
            if len(row) & 1:
                return
            leaf = sha(b"\x01" + row[-2] + row[-1])

    def root(self, size: int) -> str:
        """The root of the first ``size`` leaves, hex."""
        digest, done = b"", size
        for level in range(size.bit_length()):
            if size >> level & 1:
                done -= 1 << level
                peak = self.levels[level][done >> level]
                digest = sha(b"\x01" + peak + digest) if digest else peak
        return digest.hex() if size else EMPTY_ROOT


def tree_of(leaves: list[bytes]) -> Tree:
    """The tree of these leaf hashes."""
    tree = Tree()
    for leaf in leaves:
        tree.add(leaf)
    return tree


def proof_holds(index: int, size: int, leaf: bytes, proof: list[bytes], root: bytes) -> bool:
    """RFC 9162 2.1.3.2."""
    first, second = index, size - 1
    for sibling in proof:
        if second == 0:
            return False
        if first & 1 or first == second:
            leaf = sha(b"\x01" + sibling + leaf)
            while not first & 1 and first:
                first, second = first >> 1, second >> 1
        else:
            leaf = sha(b"\x01" + leaf + sibling)
        first, second = first >> 1, second >> 1
    return second == 0 and leaf == root


def consistent(old: int, size: int, proof: list[bytes], old_root: bytes, root: bytes) -> bool:
    """RFC 9162 2.1.4.2."""
    if old in (0, size):
        return not proof and (old_root == root if old == size else old_root.hex() == EMPTY_ROOT)
    path = [old_root, *proof] if old & (old - 1) == 0 else list(proof)
    if not path or old > size:
        return False
    first, second = old - 1, size - 1
    while first & 1:
        first, second = first >> 1, second >> 1
    before = after = path[0]
    for sibling in path[1:]:
        if second == 0:
            return False
        if first & 1 or first == second:
            before, after = sha(b"\x01" + sibling + before), sha(b"\x01" + sibling + after)
            while not first & 1 and first:
                first, second = first >> 1, second >> 1
        else:
            after = sha(b"\x01" + after + sibling)
        first, second = first >> 1, second >> 1
    return second == 0 and before == old_root and after == root


# --- sealed parts and signatures --------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def library() -> bool:
    """Whether ``cryptography`` can be imported."""
    try:
        import cryptography.hazmat.primitives.ciphers  # noqa: F401
    except ImportError:
        return False
    return True


Derive = Callable[[bytes], bytes]


def hmac_sha256(key: bytes) -> Derive:
    """HMAC-SHA256 (RFC 2104) under a key of at most 64 bytes; its two padded keys are hashed once."""
    padded = key.ljust(64, b"\0")
    inside, outside = hashlib.sha256(padded.translate(INNER_PAD)), hashlib.sha256(padded.translate(OUTER_PAD))

    def digest(data: bytes) -> bytes:
        inner, outer = inside.copy(), outside.copy()
        inner.update(data)
        outer.update(inner.digest())
        return outer.digest()

    return digest


def unseal(derive: Derive, ordinal: int, role: str, data: bytes, mac: str) -> bytes | None:
    """The plaintext when its HMAC holds, else None; ``derive`` is the HMAC under the record's key."""
    info = f" {ordinal} {role}".encode() + b"\x01"
    secret = derive(b"compliance-rag/part/v1 encrypt" + info)
    if library():
        plain = _cipher()(secret, data)
    else:
        command = ["openssl", "enc", "-d", "-aes-256-ctr", "-K", secret.hex(), "-iv", "00" * 16]
        plain = subprocess.run(command, input=data, capture_output=True, check=True).stdout
    found = hmac_sha256(derive(b"compliance-rag/part/v1 mac" + info))(plain)
    return plain if found.hex() == mac else None


@lru_cache(maxsize=1)
def _cipher() -> Callable[[bytes, bytes], bytes]:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    start = modes.CTR(bytes(16))
    return lambda secret, data: Cipher(algorithms.AES(secret), start).decryptor().update(data)


def signed(public: bytes, text: bytes, signature: bytes) -> bool:
    """Whether ``signature`` is the Ed25519 signature of ``text`` under the raw public key. OSError without a way to tell."""
    if library():
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        try:
            Ed25519PublicKey.from_public_bytes(public).verify(signature, text)
        except (InvalidSignature, ValueError):
            return False
        return True
    if shutil.which("openssl") is None:
        raise OSError("signatures need the Python package cryptography or the program openssl")
    with tempfile.TemporaryDirectory() as folder:
        names = [str(Path(folder) / name) for name in ("key", "text", "signature")]
        for name, data in zip(names, (ED25519_DER + public, text, signature), strict=True):
            Path(name).write_bytes(data)
        command = ["openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", names[0], "-rawin", "-in", names[1]]
        return subprocess.run([*command, "-sigfile", names[2]], capture_output=True, check=False).returncode == 0


def exact64(text: str) -> bytes:
    """Canonical base64; ValueError otherwise."""
    data = base64.b64decode(text.encode("ascii"), validate=True)
    if base64.b64encode(data).decode() != text:
        raise ValueError("base64 is not canonical")
    return data


def key_id(name: str, public: bytes) -> bytes:
    """The C2SP key id: the first four bytes of sha256(name, LF, 0x01, key)."""
    return sha(name.encode() + b"\n\x01" + public)[:4]


def read_public(data: bytes) -> bytes:
    """The raw Ed25519 key in a PEM file or a C2SP verifier key ``name+id+base64``; ValueError otherwise."""
    text = data.decode("ascii").strip()
    if text.startswith("-----BEGIN PUBLIC KEY-----"):
        der = base64.b64decode("".join(text.splitlines()[1:-1]), validate=True)
        if der[:-32] == ED25519_DER:
            return der[-32:]
    elif text.count("+") >= 2:
        name, _, rest = text.partition("+")
        short, _, tail = rest.partition("+")
        raw = exact64(tail)
        if len(raw) == 33 and raw[0] == 1 and key_id(name, raw[1:]).hex() == short:
            return raw[1:]
    raise ValueError("it is neither an Ed25519 public key in PEM nor a verifier key")


def read_note(data: bytes) -> tuple[str, int, str, bytes, list[tuple[str, bytes]]]:
    """``(origin, size, root hex, signed text, [(key name, id and signature)])`` of a checkpoint note; ValueError otherwise."""
    text = data.decode("utf-8")
    body, gap, tail = text.partition("\n\n")
    lines = body.split("\n")
    if any(ord(sign) < 32 and sign != "\n" for sign in text) or not gap or not tail.endswith("\n") or len(lines) != 3:
        raise ValueError("it is not three lines, an empty line and signatures")
    if not lines[0] or not NUMBER.match(lines[1]):
        raise ValueError("its origin or size is malformed")
    root = exact64(lines[2])
    signatures = []
    for line in tail[:-1].split("\n"):
        dash, _, rest = line.partition(" ")
        name, _, coded = rest.partition(" ")
        raw = exact64(coded)
        if dash != "\u2014" or not name or len(raw) < 5:
            raise ValueError("a signature line is malformed")
        signatures.append((name, raw))
    if len(root) != 32:
        raise ValueError("its root is not 32 bytes")
    return lines[0], int(lines[1]), root.hex(), (body + "\n").encode("utf-8"), signatures


# --- the procedure ----------------------------------------------------------------------------------------------------------


def want(step: str, index: int | None, value: Any, name: str, kind: Any) -> Any:
    """``value[name]`` when it is of ``kind`` (never a bool for an int); a fault otherwise."""
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, kind) or (isinstance(found, bool) and kind is not bool):
        raise Fault(step, f"{name} is missing or of the wrong kind", index)
    return found


@lru_cache(maxsize=DATES_KEPT)
def _day(text: str) -> date:
    return date.fromisoformat(text)


@lru_cache(maxsize=DATES_KEPT)
def _instant(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)


def day(step: str, index: int | None, text: Any) -> date | None:
    """An ISO day or None; a fault otherwise."""
    try:
        return None if text is None else _day(text)
    except (TypeError, ValueError) as error:
        raise Fault(step, f"{text!r} is not a day", index) from error


def instant(step: str, index: int | None, text: Any) -> datetime:
    """An RFC 3339 instant; a fault otherwise."""
    try:
        return _instant(text)
    except (TypeError, ValueError, OverflowError) as error:
        raise Fault(step, f"{text!r} is not an instant", index) from error


Records = list[tuple[int, dict[str, Any]]]  # (index, header), in order


class Verifier:
    """One run over one home. ``checked`` counts what was proved."""

    def __init__(
        self, home: Path, witness: Path | None, receipt: Path | None, key: Path | None, pinned: str | None = None
    ) -> None:
        self.pinned = pinned
        self.home, self.ledger, self.witness, self.receipt, self.key = home, home / "ledger", witness, receipt, key
        self.checked: dict[str, Any] = dict.fromkeys(COUNTS, 0)
        self.checked["supports"] = "recorded, not re-checked"
        self.origin, self.size, self.root, self.last_leaf = "", 0, EMPTY_ROOT, None
        self.tree = Tree()
        self.keys: list[tuple[int, int | None, bytes]] = []  # in use from a record on, until another; the raw key
        self.points: list[tuple[int, dict[str, Any]]] = []
        self.erased: dict[str, int] = {}  # key id -> the record it opened
        self.held: dict[int, bool] = {}
        self.publications: dict[str, Records] = {}  # by document
        self.events: dict[str, Records] = {}  # by document
        self.headers: dict[int, dict[str, Any]] = {}  # of publications
        self.corpus = Tree()
        self.corpus_roots = {EMPTY_ROOT}
        self.files: dict[Path, bool] = {}
        self.bundle = False
        self.parsed: dict[int, dict[str, Any]] = {}  # the first headers, from step 2
        self.stories: dict[tuple[str, Any], tuple[tuple[int, int], Story]] = {}  # by document and language
        self.texts: dict[str, str] = {}  # clause texts proved, by hash
        self.plain: dict[str, int] = {}  # unsealed parts proved, by hash: their length
        self.current: tuple[int, dict[str, bytes | None]] = (-1, {})  # the record in hand and its sealed parts, opened
        self.can_open = library() or shutil.which("openssl") is not None
        self.load = lru_cache(maxsize=64)(self._load)

    def _own(self, origin: str) -> str:
        """The log's name, which must be the one pinned where one is."""
        if self.pinned is not None and origin != self.pinned:
            raise Fault("1 head", f"this log is {origin[:100]!r}, the name pinned is {self.pinned!r}")
        return origin

    def run(self) -> None:
        """Steps 1 to 8; raises the first fault."""
        if (self.home / "bundle.json").is_file():
            records = self.bundle_records()
        else:
            self.step_1_head()
            self.step_2_lines()
            self.step_4_checkpoints()
            self.step_5_receipt()
            records = self.lines()
        for index, line in records:
            header = self.parsed.pop(index, None) or parse(line, floats=False)
            self.step_6_parts(index, header)
            if header["type"] == "publication":
                self.step_7_publication(index, header)
            elif header["type"] == "answer":
                self.step_8_answer(index, header)
            elif header["type"] in ("withdrawal", "redate"):
                self.events.setdefault(want("8 answers", index, header, "doc_id", str), []).append((index, header))

    def bundle_records(self) -> Iterator[tuple[int, bytes]]:
        """A bundle's records, each proved to be in the tree that its checkpoint signs."""
        step, self.bundle = "2 lines", True
        try:
            bundle = parse(read(self.home / "bundle.json"), floats=False)
        except ValueError as error:
            raise Fault("1 head", f"cannot read: bundle.json is not JSON: {error}") from error
        self.origin, self.size = (
            self._own(want("1 head", None, bundle, "origin", str)),
            want("1 head", None, bundle, "size", int),
        )
        self.root = want("1 head", None, bundle, "root", str)
        if bundle.get("format") != FORMAT or not HEX.match(self.root):
            raise Fault("1 head", f"cannot read: this verifier reads bundles of format {FORMAT}")
        found: dict[int, bytes] = {}
        for record in want("1 head", None, bundle, "records", list):
            index, proof = want(step, None, record, "index", int), want(step, None, record, "proof", list)
            line = want(step, index, record, "line", str).encode("utf-8", "surrogatepass")
            if not 0 <= index < self.size or not all(isinstance(item, str) and HEX.match(item) for item in proof):
                raise Fault(step, "its proof is malformed", index)
            header = self._header(index, line)
            hashes = [bytes.fromhex(item) for item in proof]
            if not proof_holds(index, self.size, sha(b"\x00" + line), hashes, bytes.fromhex(self.root)):
                raise Fault("3 root", "its proof does not lead to the bundle's root", index)
            found[index] = line
            if header["type"] in ("key", "hold", "erasure"):
                self._keep(index, header)
        self.checked["records"] = len(found)
        self._bundle_checkpoint()
        if self.receipt is not None:
            self._bundle_receipt(found)
        return iter(sorted(found.items()))

    def _bundle_checkpoint(self) -> None:
        """The bundle's root is signed: by the key given, else by one the log names."""
        pinned = self._pinned()
        folder = self.ledger / "checkpoints"
        notes = [self._note(path, pinned) for path in sorted(folder.glob("*.note"))] if folder.is_dir() else []
        for note in notes:
            if note is None or note[:2] != (self.size, self.root):
                raise Fault("4 checkpoints", "the bundle's checkpoint is not that of its root")
        self.checked["checkpoints"] = len(notes)
        if pinned is not None and not self.checked["pinned_size"]:
            raise Fault("4 checkpoints", "no checkpoint is signed by the key given")

    def _bundle_receipt(self, found: dict[int, bytes]) -> None:
        index, size, leaf, root, _, shown = self._slip()
        if index not in found or sha(b"\x00" + found[index]) != leaf:
            raise Fault("5 receipt", "the receipt is not of a record in this bundle", index)
        if size == self.size and root.hex() != self.root:
            raise Fault("5 receipt", "the receipt's root is not the bundle's", index)
        self._same_answer(index, parse(found[index], floats=False), shown)

    def step_1_head(self) -> None:
        """Read the format number and the head."""
        try:
            number = read(self.ledger / "format", SMALL_FILE_LIMIT).strip()
            data = read(self.ledger / "head", SMALL_FILE_LIMIT)
        except FileNotFoundError as error:
            raise Fault("1 head", f"cannot read: {Path(error.filename).name} is missing from {self.ledger.name}/") from error
        if number != b"%d" % FORMAT:
            raise Fault("1 head", f"cannot read: format {number[:20]!r}, this verifier reads {FORMAT}")
        try:
            head = parse(data, floats=False)
            fine = canonical(head) + b"\n" == data
        except (ValueError, TypeError, RecursionError):
            fine = False
        if not fine:
            raise Fault("1 head", "the head is not canonical JSON and a line feed")
        self.origin = self._own(want("1 head", None, head, "origin", str))
        self.size = want("1 head", None, head, "size", int)
        self.root = want("1 head", None, head, "root", str)
        self.last_leaf = head.get("leaf")
        if self.size < 0 or head.get("format") != FORMAT or set(head) != {"format", "leaf", "origin", "root", "size"}:
            raise Fault("1 head", "the head's fields are not those of format 1")

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """``(index, line)`` from the log files in order; a half-written line at the very end is counted, not given."""
        names = sorted(path.name for path in (self.ledger / "log").glob("*.jsonl"))
        index = 0
        for number, name in enumerate(names):
            if name != f"{number * LINES_PER_FILE:010d}.jsonl" or index != number * LINES_PER_FILE:
                raise Fault("2 lines", f"log/{name} does not begin with record {index}", index)
            with open(self.ledger / "log" / name, "rb") as file:
                while raw := file.readline(HEADER_LIMIT + 2):
                    if raw[-1:] != b"\n":
                        rest = len(raw) + len(file.read())
                        if index < self.size or number < len(names) - 1 or rest > HEADER_LIMIT:
                            raise Fault("2 lines", "the line is cut or too long", index)
                        self.checked["torn_bytes"] = rest
                        break
                    yield index, raw[:-1]
                    index += 1

    def step_2_lines(self) -> None:
        """Check every line against its place and the one before it, then (step 3) the root."""
        digest: bytes | None = None
        recorded, backward, unlinked, kept = "", None, {}, []
        for index, line in self.lines():
            header = self._header(index, line)
            if header["previous"] != (digest.hex() if digest else None):
                if index >= self.size:
                    raise Fault("2 lines", "it does not name the line before it", index)
                unlinked[index - 1] = header["previous"]
            if header["recorded_at"] <= recorded and backward is None:
                backward = index
            recorded = header["recorded_at"]
            digest = sha(b"\x00" + line)
            self.tree.add(digest)
            if index < HEADERS_KEPT:
                self.parsed[index] = header
            self.checked["unknown_types"] += header["type"] not in KNOWN
            if header["type"] in ("key", "checkpoint", "hold", "erasure"):
                kept.append((index, header))
        count = len(self.tree.levels[0])
        if count != self.size and self.root == self.tree.root(count):
            raise Fault("1 head", f"its size is {self.size}, its root that of {count} records")
        if count < self.size:
            raise Fault("2 lines", f"the head names {self.size} records, the log holds {count}", count)
        self.step_3_root(unlinked)
        if backward is not None:
            raise Fault("2 lines", "it was not recorded after the record before it", backward)
        for index, header in kept:
            self._keep(index, header)
        self.checked["records"], self.checked["beyond_head"] = count, count - self.size
        self.size, self.root = count, self.tree.root(count)

    def _header(self, index: int, line: bytes) -> dict[str, Any]:
        step = "2 lines"
        try:
            header = parse(line, floats=False)
            if canonical(header) != line:
                raise ValueError("it is not canonical")
        except (ValueError, TypeError, RecursionError) as error:
            raise Fault(step, f"not a header: {error}", index) from error
        if len(line) > HEADER_LIMIT or not isinstance(header, dict):
            raise Fault(step, "not a header", index)
        if header.get("index") != index or isinstance(header["index"], bool):
            raise Fault(step, f"the record here says it is number {header.get('index')!r}", index)
        if header.get("format") != FORMAT or header.get("origin") != self.origin:
            raise Fault(step, "it is of another format or another log", index)
        want(step, index, header, "type", str)
        if not INSTANT.match(want(step, index, header, "recorded_at", str)):
            raise Fault(step, "recorded_at is not an instant", index)
        if not isinstance(header.get("previous", 0), str | None) or not isinstance(header.get("sealed_under", ""), str):
            raise Fault(step, "previous or sealed_under is of the wrong kind", index)
        for entry in want(step, index, header, "parts", list):
            want(step, index, entry, "role", str)
            want(step, index, entry, "length", int)
            if not HEX.match(want(step, index, entry, "sha256", str)) or not isinstance(entry.get("hmac", ""), str):
                raise Fault(step, "a part's hash is malformed", index)
        return header

    def _keep(self, index: int, header: dict[str, Any]) -> None:
        kind = header["type"]
        if kind == "key":
            self._keep_key(index, header)
        elif kind == "checkpoint":
            self.points.append((index, header))
        elif kind == "hold":
            self.held[want("6 parts", index, header, "holds", int)] = not want("6 parts", index, header, "released", bool)
        elif kind == "erasure":
            if self.held.get(want("6 parts", index, header, "erases", int)):
                raise Fault("6 parts", f"record {header['erases']} was erased under a hold", index)
            self.erased.setdefault(want("6 parts", index, header, "key_id", str), header["erases"])

    def _keep_key(self, index: int, header: dict[str, Any]) -> None:
        """A key comes into use, or ends: revoked, or replaced by the one that takes over."""
        step = "4 checkpoints"
        event, name = want(step, index, header, "event", str), want(step, index, header, "key_id", str)
        try:
            raw = exact64(want(step, index, header, "public_key", str))
        except ValueError as error:
            raise Fault(step, "public_key is malformed", index) from error
        if key_id(self.origin, raw).hex() != name:
            raise Fault(step, "key_id is not that of the public key", index)
        ended = name if event == "revoke" else header.get("replaces")
        for place, (begin, end, known) in enumerate(self.keys):
            if end is None and key_id(self.origin, known).hex() == ended:
                self.keys[place] = (begin, index, known)
        if event in ("add", "rotate"):
            self.keys.append((index, None, raw))

    def step_3_root(self, unlinked: dict[int, Any]) -> None:
        """The acknowledged lines give the head's root; else name the first line that changed."""
        leaves = self.tree.levels[0][: self.size]
        actual = leaves[-1].hex() if leaves else None
        if self.last_leaf != actual:
            unlinked[self.size - 1] = self.last_leaf
        if not unlinked and self.tree.root(self.size) == self.root:
            return
        claims = {i: bytes.fromhex(c) for i, c in unlinked.items() if i >= 0 and isinstance(c, str) and HEX.match(c)}
        places = sorted(claims)[:GUESS_LIMIT]
        for chosen in itertools.product((False, True), repeat=len(places)):
            trial = list(leaves)
            changed = [place for place, yes in zip(places, chosen, strict=True) if yes]
            for place in changed:
                trial[place] = claims[place]
            if tree_of(trial).root(self.size) == self.root:
                if changed:
                    raise Fault("3 root", "its bytes are not those that the next record and the head vouch for", changed[0])
                linked = [place + 1 for place in sorted(unlinked) if place + 1 < self.size]
                raise Fault("3 root", "previous or the head's leaf is not the hash of the line", linked[0] if linked else None)
        if not unlinked:
            raise Fault("3 root", "the records link up, but the head's root is not theirs")
        raise Fault("3 root", "the records do not link up and do not give the head's root", max(min(unlinked), 0))

    def step_4_checkpoints(self) -> None:
        """Signed notes and checkpoint records against the log."""
        step = "4 checkpoints"
        pinned = self._pinned()
        # The witness first: the leaf hashes it kept name the very record that changed.
        for folder in (self.witness, self.ledger / "checkpoints"):
            if folder is None:
                continue
            notes = [self._note(path, pinned) for path in sorted(folder.rglob("*.note"))] if folder.is_dir() else []
            ours = sorted(note for note in notes if note is not None)
            if folder == self.witness and not ours:
                raise Fault(step, f"the witness folder holds no checkpoint of {self.origin!r}")
            self._against_log(ours)
            self.checked["checkpoints"] += len(ours)
        for index, header in self.points:
            self._checkpoint_record(index, header)
        if pinned is not None and not self.checked["pinned_size"]:
            raise Fault(step, "no checkpoint is signed by the key given")

    def _against_log(self, notes: list[tuple[int, str, Path]]) -> None:
        """The log is at least as long as every note says, and has its root at its size."""
        step, count, good = "4 checkpoints", len(self.tree.levels[0]), 0
        for size, root, path in notes:
            if size > count:
                raise Fault(step, f"{path.name} names {size} records, the log holds {count}", count)
            if self.tree.root(size) != root:
                index = self._first_moved(path.parent, size, root, good)
                raise Fault(step, f"the log's first {size} records do not give the root of {path.name}", index)
            good = size

    def _pinned(self) -> bytes | None:
        if self.key is None:
            return None
        try:
            return read_public(read(self.key, SMALL_FILE_LIMIT))
        except (ValueError, IndexError) as error:
            raise Fault("4 checkpoints", f"cannot read: {self.key.name}: {error}") from error

    def _checkpoint_record(self, index: int, header: dict[str, Any]) -> None:
        step = "4 checkpoints"
        size = want(step, index, header, "size", int)
        root = want(step, index, header, "root", str)
        proof = want(step, index, header, "consistency", list)
        old = header.get("from_size")
        if not 0 <= size <= index or self.tree.root(size) != root:
            raise Fault(step, "the recorded checkpoint's root is not the log's at its size", index)
        if old is not None:
            if not isinstance(old, int) or not 0 <= old <= size or not all(isinstance(p, str) and HEX.match(p) for p in proof):
                raise Fault(step, "the recorded consistency proof is malformed", index)
            hashes = [bytes.fromhex(item) for item in proof]
            if not consistent(old, size, hashes, bytes.fromhex(self.tree.root(old)), bytes.fromhex(root)):
                raise Fault(step, "the recorded consistency proof does not hold", index)

    def _note(self, path: Path, pinned: bytes | None) -> tuple[int, str, Path] | None:
        """A note of this log, its signature proved; None for another log's."""
        try:
            origin, size, root, text, signatures = read_note(read(path, SMALL_FILE_LIMIT))
        except ValueError as error:
            raise Fault("4 checkpoints", f"{path.name} is not a checkpoint: {error}") from error
        if origin != self.origin:
            return None
        trusted = {raw for begin, end, raw in self.keys if begin < size and (end is None or size <= end)}
        for name, coded in signatures:
            for public in {*trusted, *([pinned] if pinned else [])}:
                if name == origin and key_id(name, public) == coded[:4] and signed(public, text, coded[4:]):
                    if public == pinned:
                        self.checked["pinned_size"] = max(self.checked["pinned_size"], size)
                    return size, root, path
        raise Fault("4 checkpoints", f"{path.name} bears no valid signature of a key in use at {size} records")

    def _first_moved(self, folder: Path, size: int, root: str, good: int) -> int:
        """The first record whose hash is not the one kept beside the checkpoint; else the first not vouched for."""
        kept = b"".join(read(path) for path in sorted(folder.glob("*.leaves")))
        leaves = [kept[at : at + 32] for at in range(0, size * 32, 32)]
        if len(kept) >= size * 32 and tree_of(leaves).root(size) == root:
            return next(at for at, leaf in enumerate(leaves) if leaf != self.tree.levels[0][at])
        return good

    def step_5_receipt(self) -> None:
        """The shown answer, as its own receipt, against the log."""
        if self.receipt is None:
            return
        step = "5 receipt"
        index, size, leaf, root, proof, shown = self._slip()
        count = len(self.tree.levels[0])
        if size > count:
            raise Fault(step, f"the receipt was given on {size} records, the log holds {count}", count)
        if self.tree.root(size) != root.hex():
            raise Fault(
                step, "the log's records do not give the receipt's root", self._moved_by_proof(index, size, leaf, proof)
            )
        header = next(parse(line, floats=False) for at, line in self.lines() if at == index)
        self._same_answer(index, header, shown)

    def _slip(self) -> tuple[int, int, bytes, bytes, list[bytes], dict[str, Any]]:
        """``(index, size, leaf, root, proof, answer without it)`` of the receipt, its proof checked."""
        step, path = "5 receipt", self.receipt
        if path is None:
            raise Fault(step, "no receipt was given")
        try:
            shown = parse(read(path))
        except ValueError as error:
            raise Fault(step, f"cannot read: {path.name} is not JSON: {error}") from error
        slip = want(step, None, shown, "ledger", dict)
        index, size = want(step, None, slip, "index", int), want(step, None, slip, "size", int)
        hashes = [want(step, None, slip, "leaf_hash", str), want(step, None, slip, "root", str)]
        hashes += want(step, None, slip, "proof", list)
        if not all(isinstance(item, str) and HEX.match(item) for item in hashes) or not 0 <= index < size:
            raise Fault(step, "the receipt is malformed")
        leaf, root, *proof = (bytes.fromhex(item) for item in hashes)
        if not proof_holds(index, size, leaf, proof, root):
            raise Fault(step, "the receipt's proof does not lead from its leaf to its root")
        return index, size, leaf, root, proof, {name: value for name, value in shown.items() if name != "ledger"}

    def _moved_by_proof(self, index: int, size: int, leaf: bytes, proof: list[bytes]) -> int:
        """The start of the first subtree whose hash the proof contradicts: the record itself, or a range before or after it."""
        ranges, start, end = [(index, index + 1)], 0, size
        path = []
        while end - start > 1:
            middle = start + (1 << (end - start - 1).bit_length() - 1)
            path.append((middle, end) if index < middle else (start, middle))
            start, end = (start, middle) if index < middle else (middle, end)
        ranges += reversed(path)
        moved = [
            low for (low, high), digest in zip(ranges, [leaf, *proof], strict=True)
            if tree_of(self.tree.levels[0][low:high]).root(high - low) != digest.hex()
        ]  # fmt: skip
        return min(moved, default=index)

    def _same_answer(self, index: int, header: dict[str, Any], shown: dict[str, Any]) -> None:
        step = "5 receipt"
        if header["type"] != "answer":
            raise Fault(step, "the receipt's record is not an answer", index)
        data = self._part(index, header, "answer")
        if data is not None:
            try:
                same = parse(data) == shown
            except ValueError as error:
                raise Fault(step, f"the recorded answer is not JSON: {error}", index) from error
            if not same:
                raise Fault(step, "the recorded answer is not the one shown", index)
        self.checked["receipts"] = 1

    def _part(self, index: int, header: dict[str, Any], role: str) -> bytes | None:
        """A part's plaintext; None when it was erased or can't be opened here."""
        for ordinal, entry in enumerate(header["parts"]):
            if entry["role"] == role:
                if self.current[0] == index and "hmac" in entry:
                    return self.current[1][role]
                return self._proved_part(index, ordinal, entry, self._key(index, header) if "hmac" in entry else None)
        raise Fault("6 parts", f"it has no part {role}", index)

    def _proved_part(self, index: int, ordinal: int, entry: dict[str, Any], key: Derive | None) -> bytes | None:
        """A part proved by length and hash; a sealed one opened and proved by its HMAC when its key is at hand, else None."""
        step, role = "6 parts", entry["role"]
        try:
            data = read(f"{self.ledger}/parts/{entry['sha256']}")
        except FileNotFoundError as error:
            raise Fault(step, f"part {role} is missing", index) from error
        if len(data) != entry["length"] or hashlib.sha256(data).hexdigest() != entry["sha256"]:
            raise Fault(step, f"part {role} is not what was recorded", index)
        if "hmac" not in entry:
            return data
        if key is None or not self.can_open or (not library() and role != "answer"):
            return None
        plain = unseal(key, ordinal, role, data, entry["hmac"])
        if plain is None:
            raise Fault(step, f"part {role} does not open to what was sealed", index)
        return plain

    def _key(self, index: int, header: dict[str, Any]) -> Derive | None:
        """The HMAC under the key of a record's sealed parts; None when its erasure is on record or under way, or the bundle
        leaves it out."""
        step, name = "6 parts", header.get("sealed_under", "")
        if not NAME.match(name):
            raise Fault(step, "a sealed part names no key", index)
        try:
            text = read(f"{self.ledger}/keys/{name}", SMALL_FILE_LIMIT)
        except FileNotFoundError as error:
            if self.erased.get(name) == index or self._erasing() == index or self.bundle:
                return None
            raise Fault(step, "its key is gone and no erasure is on record", index) from error
        if name in self.erased:
            raise Fault(step, "it was erased, but its key is still there", index)
        if text[-1:] == b"\n" and HEX.match(text[:-1].decode("latin-1")):
            return hmac_sha256(bytes.fromhex(text[:-1].decode()))
        if self._erasing() == index:
            return None
        raise Fault(step, "its key file is damaged", index)

    def _erasing(self) -> int | None:
        """The record whose erasure was under way when the writer died."""
        try:
            value = parse(read(self.ledger / "erasing", SMALL_FILE_LIMIT))
        except (OSError, ValueError):
            return None
        return value.get("erases") if isinstance(value, dict) else None

    def step_6_parts(self, index: int, header: dict[str, Any]) -> None:
        """Every part of one record."""
        sealed = any("hmac" in entry for entry in header["parts"])
        key = self._key(index, header) if sealed else None
        opened: dict[str, bytes | None] = {}
        for ordinal, entry in enumerate(header["parts"]):
            self.checked["parts"] += 1
            self.checked["part_bytes"] += entry["length"]
            if "hmac" in entry:
                data = self._proved_part(index, ordinal, entry, key)
                self.checked["sealed_opened" if data is not None else "sealed_unopened"] += 1
                opened.setdefault(entry["role"], data)
            elif self.plain.get(entry["sha256"]) != entry["length"]:
                self._proved_part(index, ordinal, entry, None)
                if len(self.plain) < PARTS_KEPT:
                    self.plain[entry["sha256"]] = entry["length"]
        self.current = (index, opened)
        self.checked["erased"] += sealed and header["sealed_under"] in self.erased

    def _whole(self, step: str, index: int, path: Path, digest: str) -> None:
        """Prove once that a file has its hash."""
        if path not in self.files:
            try:
                with open(path, "rb") as file:
                    self.files[path] = hashlib.file_digest(file, "sha256").hexdigest() == digest
            except FileNotFoundError as error:
                raise Fault(step, f"{path.parent.name}/{path.name} is missing", index) from error
        if not self.files[path]:
            raise Fault(step, f"{path.parent.name}/{path.name} is damaged", index)

    def _load(self, index: int) -> tuple[str, dict[str, dict[str, Any]]]:
        """A publication's extracted text and clause rows by path, in order."""
        step = "7 publications"
        header = self.headers[index]
        data = self._part(index, header, "clauses")
        try:
            text = read(self.home / "extracted" / f"{header['extracted_sha256']}.txt").decode("utf-8", "surrogatepass")
            rows = parse(data or b"", floats=False)
        except ValueError as error:
            raise Fault(step, f"the extracted text or clause list can't be read: {error}", index) from error
        if not isinstance(rows, list) or not all(isinstance(row, dict) and set(row) == set(CLAUSE_FIELDS) for row in rows):
            raise Fault(step, "the clause list is malformed", index)
        by_path = {want(step, index, row, "path", str): row for row in rows}
        if len(by_path) != len(rows):
            raise Fault(step, "two clauses have one path", index)
        return text, by_path

    def sliced(self, step: str, index: int, text: str, row: dict[str, Any]) -> str:
        """A clause's text by its spans; a fault when its hash is another."""
        spans = want(step, index, row, "spans", list)
        pieces = []
        for span in spans:
            if not (type(span) is list and len(span) == 2 and type(span[0]) is type(span[1]) is int):
                raise Fault(step, f"clause {row['path']!r}: a span is malformed", index)
            if not 0 <= span[0] <= span[1] <= len(text):
                raise Fault(step, f"clause {row['path']!r}: a span lies outside the text", index)
            pieces.append(text[span[0] : span[1]])
        found = "\n".join(pieces)
        if hashlib.sha256(found.encode("utf-8", "surrogatepass")).hexdigest() != row["sha256"]:
            raise Fault(step, f"clause {row['path']!r}: the text at its spans has another hash", index)
        return found

    def step_7_publication(self, index: int, header: dict[str, Any]) -> None:
        """One publication against the files it was made from."""
        step = "7 publications"
        for name in ("doc_id", "version_id", "source_sha256", "extracted_sha256", "root", "corpus_root"):
            want(step, index, header, name, str)
        if not HEX.match(header["source_sha256"]) or not HEX.match(header["extracted_sha256"]):
            raise Fault(step, "a file's hash is malformed", index)
        self._whole(step, index, self.home / "sources" / header["source_sha256"], header["source_sha256"])
        extracted = self.home / "extracted" / f"{header['extracted_sha256']}.txt"
        self._whole(step, index, extracted, header["extracted_sha256"])
        self.headers[index] = header
        self.publications.setdefault(header["doc_id"], []).append((index, header))
        text, rows = self.load(index)
        for row in rows.values():
            self.sliced(step, index, text, row)
        if tree_of(clause_leaves(step, index, list(rows.values()))).root(len(rows)) != header["root"]:
            raise Fault(step, "the clause list does not give the version root", index)
        self.checked["publications"] += 1
        self.checked["clauses"] += len(rows)
        if self.bundle:
            self.checked["corpus_roots_unchecked"] += 1
            return
        row = {name: header.get(name) for name in PUBLICATION_FIELDS}
        self.corpus.add(publication_leaf(step, index, row))
        if self.corpus.root(len(self.headers)) != header["corpus_root"]:
            raise Fault(step, "the publications up to here do not give its corpus root", index)
        self.corpus_roots.add(header["corpus_root"])

    def step_8_answer(self, index: int, header: dict[str, Any]) -> None:
        """One answer's citations against what was recorded before it."""
        step = "8 answers"
        for name in ("answer_id", "as_of", "known_at", "corpus_root", "status"):
            want(step, index, header, name, str)
        if not self.bundle and header["corpus_root"] not in self.corpus_roots:
            raise Fault(step, "its corpus root is not one recorded before it", index)
        self.checked["answers"] += 1
        data = self._part(index, header, "answer")
        if data is None:
            self.checked["answers_unopened"] += 1
        try:
            answer = {} if data is None else parse(data)
        except ValueError as error:
            raise Fault(step, f"the answer is not JSON: {error}", index) from error
        basis = header.get("known_basis", answer.get("known_basis", "recorded") if isinstance(answer, dict) else "recorded")
        known = (day(step, index, header["as_of"]), instant(step, index, header["known_at"]), basis)
        cited = {}
        for entry in want(step, index, header, "cited", list):
            name = want(step, index, entry, "clause_id", str)
            cited[name] = want(step, index, entry, "sha256", str)
            self._cited(index, name, cited[name], *known)
        if data is None:
            return
        for name in ("answer_id", "as_of", "known_at", "corpus_root", "status"):
            if want(step, index, answer, name, str) != header[name]:
                raise Fault(step, f"the answer's {name} is not the header's", index)
        shown = want(step, index, answer, "citations", list)
        if {want(step, index, item, "clause_id", str): item.get("sha256") for item in shown} != cited:
            raise Fault(step, "the answer's citations are not the header's", index)
        for item in shown:
            self._quote(index, item)
        self._texts(index, header)

    def _texts(self, index: int, header: dict[str, Any]) -> None:
        """The clause texts kept with an answer have the hashes they stand under."""
        if not any(entry["role"] == "clauses" for entry in header["parts"]):
            return
        data = self._part(index, header, "clauses")
        try:
            texts = {} if data is None else parse(data)
        except ValueError as error:
            raise Fault("8 answers", f"the clause texts kept are not JSON: {error}", index) from error
        for digest, text in texts.items() if isinstance(texts, dict) else ():
            if isinstance(text, str) and self.texts.get(digest) == text:
                continue
            if not isinstance(text, str) or sha(text.encode("utf-8", "surrogatepass")).hex() != digest:
                raise Fault("8 answers", "a clause text kept with it has another hash", index)
            if len(self.texts) < TEXTS_KEPT:
                self.texts[digest] = text

    def _quote(self, index: int, item: dict[str, Any]) -> None:
        """The quote stands where it says, in the clause sliced from the extracted text."""
        step = "8 answers"
        publication, row = self._find(index, item["clause_id"], item["sha256"])
        text = self.sliced(step, index, self.load(publication)[0], row)
        if item.get("text", text) != text:
            raise Fault(step, f"{item['clause_id']}: the text shown is not the recorded one", index)
        if item.get("role") == "locator":
            text = want(step, index, row, "heading", str)
        span, quote = want(step, index, item, "quote_span", list), want(step, index, item, "quote", str)
        if len(span) != 2 or not all(type(at) is int and at >= 0 for at in span) or text[span[0] : span[1]] != quote:
            raise Fault(step, f"{item['clause_id']}: the quote does not stand where it says", index)
        self.checked["citations"] += 1
        checks = item.get("checks")
        self.checked["supports_recorded"] += isinstance(checks, dict) and checks.get("supports") is True

    def _find(self, index: int, clause_id: str, digest: str) -> tuple[int, dict[str, Any]]:
        """The publication and row of a cited clause, the latest recorded first."""
        ref, _, path = clause_id.partition("#")
        for at, header in reversed(self.publications.get(ref.partition("@")[0], [])):
            if f"{header['doc_id']}@{header['version_id']}" == ref:
                row = self.load(at)[1].get(path)
                if row is not None and row["sha256"] == digest:
                    return at, row
        raise Fault("8 answers", f"{clause_id}: no publication recorded before holds it with that hash", index)

    def _cited(self, index: int, clause_id: str, digest: str, as_of: date | None, known_at: datetime, basis: str) -> None:
        """The clause exists and was in force by what was recorded before the answer and known at ``known_at``."""
        step = "8 answers"
        at, row = self._find(index, clause_id, digest)
        header = self.headers[at]
        if as_of is None:
            raise Fault(step, "as_of is missing", index)
        rows, doc_id = self.load(at)[1], header["doc_id"]
        story = self._story(doc_id, header.get("language"), known_at, basis)
        if story.in_force(as_of) != header["version_id"]:
            raise Fault(step, f"{clause_id}: its version was not in force on {as_of} by what was known", index)
        tokens = row["path"].split("/")
        for length in range(len(tokens), 0, -1):
            part = rows.get("/".join(tokens[:length]))
            if part is not None:
                start, end = story.clause_dates(header["version_id"], part)
                if (start and as_of < start) or (end and end <= as_of):
                    raise Fault(step, f"{clause_id}: it was not in force on {as_of}", index)

    def _story(self, doc_id: str, language: Any, known_at: datetime, basis: str) -> Story:
        """What was known of a document; the same story serves every answer that knew all of its records."""
        publications, events = self.publications[doc_id], self.events.get(doc_id, [])
        at, newest = max([publications[-1], *events[-1:]], key=lambda record: record[0])
        if self.bundle or basis != "recorded" or known_at < instant("8 answers", at, newest["recorded_at"]):
            return Story(publications, events, language, known_at, basis)
        size = (len(publications), len(events))
        kept = self.stories.get((doc_id, language))
        if kept is None or kept[0] != size:
            kept = self.stories[doc_id, language] = (size, Story(publications, events, language, known_at, basis))
        return kept[1]


def clause_leaves(step: str, index: int, rows: list[dict[str, Any]]) -> list[bytes]:
    """The leaf hashes of a version's clause rows: printed as one list, then cut where a row begins. A quote inside a string is
    escaped, so only a forged row with an object in it has that cut within."""
    first = '{"boxes":'
    try:
        lines = _SORTED.encode(rows)[len("[" + first) : -len("}]")].split("}," + first) if rows else []
        if len(lines) != len(rows):
            raise Fault(step, "the clause list is malformed", index)
        return [sha(b"\x00compliance-rag/clause/v1\n" + f"{first}{line}}}".encode()) for line in lines]
    except (ValueError, RecursionError) as error:
        raise Fault(step, f"a row has no canonical form: {error}", index) from error


def publication_leaf(step: str, index: int, row: dict[str, Any]) -> bytes:
    """The leaf hash of a publication's row."""
    try:
        return sha(b"\x00compliance-rag/publication/v1\n" + canonical(row))
    except (ValueError, RecursionError) as error:
        raise Fault(step, f"a row has no canonical form: {error}", index) from error


class Story:
    """What was known of one document in one language: DESIGN's rule of the version in force, read from headers alone."""

    def __init__(self, publications: Records, events: Records, language: Any, known_at: datetime, basis: str) -> None:
        self.known_at, self.basis = known_at, basis
        self.events = [(at, event) for at, event in events if self._event_known(at, event)]
        self.versions: dict[str, tuple[int, dict[str, Any]]] = {}
        for at, header in publications:
            if self._version_known(at, header):
                self.versions[header["version_id"]] = (at, header)
        self.language = language
        self.reigns: list[tuple[date, int, str, date | None]] | None = None

    def _version_known(self, at: int, header: dict[str, Any]) -> bool:
        published = day("7 publications", at, header.get("published_on"))
        if self.basis == "published" and published is not None:
            return published <= self.known_at.date()
        return instant("7 publications", at, header["recorded_at"]) <= self.known_at

    def _event_known(self, at: int, event: dict[str, Any]) -> bool:
        if self.basis == "published":
            start = day("8 answers", at, event.get("from"))
            return event["type"] != "withdrawal" or bool(event.get("void")) or start is None or start <= self.known_at.date()
        return instant("8 answers", at, event["recorded_at"]) <= self.known_at

    def _touching(self, version_id: str) -> Iterator[tuple[int, dict[str, Any]]]:
        for at, event in self.events:
            if event.get("number") is None and event.get("version_id") in (None, version_id):
                yield at, event

    def _dates(self, at: int, header: dict[str, Any]) -> tuple[date, date | None]:
        step = "7 publications"
        start, end = day(step, at, header.get("effective_from")) or date.min, day(step, at, header.get("effective_to"))
        touching = list(self._touching(header["version_id"]))
        for place, event in touching:
            if event["type"] == "redate":
                start = day(step, place, event.get("effective_from")) or start
                end = day(step, place, event.get("effective_to")) or end
        for place, event in touching:
            if event["type"] == "withdrawal" and not event.get("void"):
                stop = day(step, place, event.get("from")) or start
                again = event.get("version_id") is None and at > place and start >= stop
                if not again and (end is None or stop < end):
                    end = stop
        return start, end

    def in_force(self, as_of: date) -> str | None:
        """The version id in force on a day: the latest start not after it, unless it has ended."""
        if self.reigns is None:
            self.reigns = sorted(self._reigns(), key=lambda item: item[:2])
        best = next((reign for reign in reversed(self.reigns) if reign[0] <= as_of), None)
        return None if best is None or (best[3] is not None and best[3] <= as_of) else best[2]

    def _reigns(self) -> Iterator[tuple[date, int, str, date | None]]:
        """Start, index, version id and end of every version that counts, in this language."""
        void = {
            name for name, (at, _) in self.versions.items()
            if any(e["type"] == "withdrawal" and e.get("void") and at < place for place, e in self._touching(name))
        }  # fmt: skip
        alive = {
            name: (at, header) for name, (at, header) in self.versions.items()
            if name not in void and header.get("status") != "draft" and header.get("state") in (None, "published")
        }  # fmt: skip
        gone: set[Any] = set()
        for name in alive:
            target = self.versions[name][1].get("corrects")
            while isinstance(target, str) and target not in gone:
                gone.add(target)
                target = self.versions[target][1].get("corrects") if target in self.versions else None
        for name, (at, header) in alive.items():
            start, end = self._dates(at, header)
            if name not in gone and header.get("language") == self.language:
                yield start, at, name, end

    def clause_dates(self, version_id: str, row: dict[str, Any]) -> tuple[date | None, date | None]:
        """A clause's own days: those of its publication, moved by redatings that name it."""
        step = "8 answers"
        start, end = day(step, None, row["effective_from"]), day(step, None, row["effective_to"])
        for at, event in self.events:
            path, number = event.get("path"), event.get("number")
            meant = path == row["path"] if path is not None else number in (row["number"], row["path"])
            mine = event.get("version_id") in (None, version_id) and number is not None and meant
            if event["type"] == "redate" and mine:
                start = day(step, at, event.get("effective_from")) or start
                end = day(step, at, event.get("effective_to")) or end
        return start, end


def unpack(path: Path, folder: Path) -> None:
    """A bundle's files into an empty folder; OSError for anything that is no such archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            _unpack(archive, folder)
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise OSError(f"{path.name} is not an archive that can be unpacked: {error}") from error


def _unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    """Plain relative names only, each once, and no more bytes than a bundle may hold."""
    room = BUNDLE_LIMIT
    for entry in archive.infolist():
        pieces = entry.filename.split("/")
        if entry.is_dir() or any(piece in ("", ".", "..") or "\\" in piece for piece in pieces):
            raise OSError(f"{entry.filename!r} has no place in a bundle")
        target = folder.joinpath(*pieces)
        target.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(entry) as source, open(target, "xb") as out:
            while block := source.read(1 << 20):
                room -= len(block)
                if room < 0:
                    raise OSError("the bundle is larger than this verifier unpacks")
                out.write(block)


def verify_home(
    home: Path,
    *,
    witness: Path | None = None,
    receipt: Path | None = None,
    key: Path | None = None,
    origin: str | None = None,
) -> dict[str, Any]:
    """Run the procedure; the report as printed, ``first_bad`` None when valid. Never raises for what the files hold."""
    collecting = gc.isenabled()
    gc.disable()  # records make no cycles, and the collector would walk every one of them again and again
    try:
        if not Path(home).is_file():
            return _report(Verifier(Path(home), witness, receipt, key, origin))
        with tempfile.TemporaryDirectory() as folder:
            return _report(Verifier(Path(folder), witness, receipt, key, origin), Path(home))
    finally:
        if collecting:
            gc.enable()


def _report(run: Verifier, archive: Path | None = None) -> dict[str, Any]:
    """Run the procedure, on what ``archive`` holds where one is given."""
    bad: dict[str, Any] | None = None
    try:
        if archive is not None:
            unpack(archive, run.home)
        run.run()
    except Fault as fault:
        bad = {"index": fault.index, "step": fault.step, "reason": fault.reason}
    except (OSError, subprocess.SubprocessError, MemoryError) as error:
        bad = {"index": None, "step": "0 read", "reason": f"cannot read: {error}"}
    return {"valid": bad is None, "size": run.size, "root": run.root, "checked": run.checked, "first_bad": bad}


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Verify a home folder's ledger.")
    parser.add_argument("home", type=Path)
    parser.add_argument("--witness", type=Path, help="the folder outside the home that holds signed checkpoints")
    parser.add_argument("--receipt", type=Path, help="an answer as shown (JSON)")
    parser.add_argument("--key", type=Path, help="the public key you pinned: PEM, or a C2SP verifier key")
    parser.add_argument("--origin", help="the log's name you pinned")
    options = parser.parse_args(arguments)
    pinned = {name: getattr(options, name) for name in ("witness", "receipt", "key", "origin")}
    report = verify_home(options.home, **pinned)
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return 0 if report["valid"] else 4


if __name__ == "__main__":
    sys.exit(main())
