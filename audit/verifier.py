#!/usr/bin/env python3
"""Verify a home folder's ledger, or an evidence bundle, trusting nothing but this file, Python's standard library and, for
sealed parts and signatures, the package ``cryptography`` or else the program ``openssl``.

    python verifier.py HOME [--witness DIR] [--receipt ANSWER.json] [--key PUB] [--origin NAME] [--expect home]
    python verifier.py BUNDLE.zip [the same]

Prints JSON ``{"valid", "size", "root", "checked", "first_bad"}``; ``checked.in_words`` says it in sentences, what was not
proved included. Exit 0 when valid, 4 when not. Only regular files are opened. The procedure for a home:

 1. head         ledger/format is 1; ledger/head is canonical: how many records were acknowledged, their root, the last leaf;
                 the log's name is the pinned one where one is.
 2. lines        every log line is a canonical JSON header of at most 16 KiB without floats or integers beyond 2^53 - 1, at its
                 own index, of this log's origin, naming the hash of the line before it, recorded later; at least as many as
                 the head says. A half-written line after the acknowledged ones is the trace of a writer that died.
 3. root         the RFC 9162 root re-derived from the lines' bytes is the head's.
 4. checkpoints  every signed note in ledger/checkpoints and the witness folder is a strict C2SP checkpoint of this origin,
                 named for its size, signed by the pinned key or one the log names, and not after the record that ended that
                 key; the log is at least as long and has its root at its size; every checkpoint record's root and consistency
                 proof hold.
 5. receipt      the receipt's record is in the log; its proof leads from the leaf to its root; the log has that root at its
                 size; the recorded answer is the one shown, type for type. Where the recorded answer can't be opened, all
                 that its header holds in clear is compared, and it counts as receipts_text_not_compared, not as receipts.
 6. parts        every part has its length and sha256; every sealed part opens under its key to its HMAC, or its erasure is on
                 record, names that key, and is not against a hold. A key that is gone without such a record is a fault,
                 whatever ledger/erasing says. A type this file doesn't know is checked this far and counted.
 7. publications the source and the extracted text have their hashes; every clause's text, sliced by its spans, has its
                 hash; version root and corpus root are re-derived.
 8. answers      the header agrees with the answer; every cited clause exists in a publication recorded before, was in force
                 by the recorded dates, its sliced text has the cited hash, and the quote stands in it where it says; the
                 clause texts kept with it have the hashes they stand under.

A bundle is a zip without a log, or a folder with bundle.json and nothing that only a home has (HOME_MARKS); it holds one answer
with what proves it. Steps 6 to 8 are the same, but the corpus root is not re-derived (corpus_roots_unchecked). Else:

 1. head         bundle.json is JSON of format 1 with a size above 0 and one answer's record at least.
 2. lines        every record's line as above; each index once.
 3. root         every record's inclusion proof leads to the bundle's root.
 4. checkpoints  a note in the bundle signs that very size and root. With a witness folder: its note of that size has that root;
                 where its .leaves files give its newest note, the records and the root are those it saw. Otherwise nothing
                 links trees of two sizes, and in_words says so.
 5. receipt      the receipt is of the bundle's answer. The bundle's consistency proof, from the answer's own receipt to the
                 bundle's tree, makes that receipt vouch for the whole bundle; an unsigned bundle without it is refused.
 9. page         answer.json is the recorded answer; index.html is, byte for byte, what this file prints from the records. Any
                 other file beside them is named in in_words as no part of the proof.

Not proved: that a cited clause *supports* its statement (counted as recorded, not re-checked); that nothing was recorded
after the newest checkpoint or receipt you hold and then cut away; that a clock told the truth; in a bundle, that no record
left out of it withdrew or dated anew what it cites, or revoked a key.
"""

from __future__ import annotations

import argparse
import base64
import errno
import gc
import hashlib
import itertools
import json
import os
import re
import shutil
import stat
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import Any

FORMAT = 1
HEADER_LIMIT = 16 * 1024
LINES_PER_FILE = 10_000
INTEGER_LIMIT = 2**53 - 1
SMALL_FILE_LIMIT = 64 * 1024  # a head, a key, a note
JSON_LIMIT = 256 * 1024 * 1024
BUNDLE_LIMIT = 1024 * 1024 * 1024  # unpacked bytes
BUNDLE_FILES = 200_000  # entries of a zip
HEADERS_KEPT = 2_000  # parsed headers not read again at step 6; 16 KiB each at most
TEXTS_KEPT = 20_000  # clause texts proved once, since many answers keep the same
PARTS_KEPT = 20_000  # unsealed parts proved once: many answers have the same settings
DATES_KEPT = 4_096
REASON_LENGTH = 300  # characters of a reason that are printed
VALUE_LENGTH = 60  # characters of a value that a reason quotes
NAMES_SHOWN = 8  # of files that are no part of a bundle's proof
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
    "records", "beyond_head", "torn_bytes", "unknown_types", "checkpoints", "signed_size", "pinned_size", "receipts",
    "receipts_text_not_compared", "parts", "part_bytes", "sealed_opened", "sealed_unopened", "erased", "publications",
    "clauses", "answers", "answers_unopened", "citations", "supports_recorded", "corpus_roots_unchecked", "pages",
)  # fmt: skip
CLEAR = (
    "answer_id", "request_id", "as_of", "known_at", "known_basis", "corpus_root", "status", "refusal_reason",
)  # fmt: skip
"""What an answer's header repeats of the answer, in clear."""
HOME_MARKS = ("ledger/log", "ledger/head", "ledger/format", "ledger/lock", "settings.toml", "clauses")
"""What a home has and a bundle never."""
INNER_PAD, OUTER_PAD = (bytes(byte ^ pad for byte in range(256)) for pad in (0x36, 0x5C))
HEX = re.compile(r"[0-9a-f]{64}\Z", re.ASCII)
NAME = re.compile(r"[0-9a-f]{32}\Z", re.ASCII)
NUMBER = re.compile(r"0\Z|[1-9][0-9]{0,18}\Z", re.ASCII)
INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z\Z", re.ASCII)


class Malformed(ValueError):
    """Bytes that are not what they should be; its text is fit to print."""


class Fault(Exception):
    """The first thing found wrong: at which step, why, and in which record (None: not in a record)."""

    def __init__(self, step: str, reason: str, index: int | None = None) -> None:
        super().__init__(reason)
        self.step, self.reason, self.index = step, reason, index


# --- bytes, JSON, hashes ----------------------------------------------------------------------------------------------------


def open_plain(path: Path | str) -> int:
    """A descriptor of a regular file. A pipe would wait for ever and a device never end, so neither is opened; OSError."""
    if stat.S_ISREG(os.stat(path).st_mode):
        file = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        if stat.S_ISREG(os.fstat(file).st_mode):
            return file
        os.close(file)
    raise OSError(errno.EINVAL, "it is not a regular file", str(path))


def read(path: Path | str, limit: int = JSON_LIMIT) -> bytes:
    """A file's bytes; more than ``limit`` can't be read. A thousand records have ten thousand parts: no buffer is made."""
    file = open_plain(path)
    try:
        size = os.fstat(file).st_size
        if size > limit:
            raise OSError(errno.EFBIG, f"it is longer than {limit} bytes", str(path))
        data = os.read(file, size)
        while len(data) < size and (more := os.read(file, size - len(data))):
            data += more
        return data
    finally:
        os.close(file)


def _no_float(text: str) -> Any:
    raise Malformed(f"the number {text[:20]} is not an integer")


def _finite(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise Malformed(f"the number {text[:20]} is too large")
    return value


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise Malformed("a key stands in it twice")
    return value


_JSON = json.JSONDecoder(parse_float=_finite, parse_constant=_no_float, object_pairs_hook=_once)
_EXACT_JSON = json.JSONDecoder(parse_float=_no_float, parse_constant=_no_float)
# Sixteen digits in a row may be an integer beyond the limit, or stand in a string: then all are looked at.
LONG_NUMBER = re.compile(rb"[:,\[]-?[0-9]{16}")


def _decoded(decoder: json.JSONDecoder, data: bytes) -> Any:
    try:
        return decoder.decode(data.decode("utf-8"))
    except Malformed:
        raise
    except UnicodeDecodeError as error:
        raise Malformed("it is not UTF-8 text") from error
    except RecursionError as error:
        raise Malformed("it is nested too deeply") from error
    except ValueError as error:
        raise Malformed("it is not JSON") from error


def parse(data: bytes) -> Any:
    """JSON, strictly UTF-8, every key once; Malformed otherwise."""
    return _decoded(_JSON, data)


def parse_exact(data: bytes) -> Any:
    """Canonical JSON without floats or integers beyond the limit; Malformed otherwise. That the bytes are canonical (with a key
    twice they never are) the caller proves, by printing the value again."""
    value = _decoded(_EXACT_JSON, data)
    if LONG_NUMBER.search(data) and _beyond(value):
        raise Malformed("an integer lies beyond 2^53 - 1")
    return value


def _beyond(value: Any) -> bool:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting += item.values()
        elif isinstance(item, list):
            waiting += item
        elif isinstance(item, int) and abs(item) > INTEGER_LIMIT:
            return True
    return False


def is_int(value: Any) -> bool:
    """Whether it is an integer, which true and false are not, small enough to be exact everywhere."""
    return type(value) is int and abs(value) <= INTEGER_LIMIT


def exactly(value: Any) -> str:
    """A text that two JSON values share only when they are the same, types included: 1, 1.0 and true print differently."""
    try:
        return json.dumps(value, sort_keys=True)
    except RecursionError as error:
        raise Malformed("it is nested too deeply") from error


def quoted(value: Any) -> str:
    """A value as a reason quotes it: JSON, cut."""
    try:
        text = json.dumps(value, ensure_ascii=False)
    except (TypeError, ValueError, RecursionError):
        text = "a value that can't be printed"
    return text if len(text) <= VALUE_LENGTH else f"{text[:VALUE_LENGTH]}…"


def plain(text: str) -> str:
    """A reason as printed: no control characters, no half characters, cut."""
    clean = "".join(sign if sign.isprintable() else "?" for sign in text[: REASON_LENGTH + 1])
    return clean if len(clean) <= REASON_LENGTH else f"{clean[:REASON_LENGTH]}…"


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
    """Canonical base64; Malformed otherwise."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except ValueError as error:
        raise Malformed("it is not base64") from error
    if base64.b64encode(data).decode() != text:
        raise Malformed("its base64 is not canonical")
    return data


def key_id(name: str, public: bytes) -> bytes:
    """The C2SP key id: the first four bytes of sha256(name, LF, 0x01, key)."""
    return sha(name.encode() + b"\n\x01" + public)[:4]


def read_public(data: bytes) -> bytes:
    """The raw Ed25519 key in a PEM file or a C2SP verifier key ``name+id+base64``; Malformed otherwise."""
    text = data.decode("ascii", "replace").strip()
    if text.startswith("-----BEGIN PUBLIC KEY-----"):
        der = exact64("".join(text.splitlines()[1:-1]))
        if der[:-32] == ED25519_DER:
            return der[-32:]
    elif text.count("+") >= 2:
        name, _, rest = text.partition("+")
        short, _, tail = rest.partition("+")
        raw = exact64(tail)
        if len(raw) == 33 and raw[0] == 1 and key_id(name, raw[1:]).hex() == short:
            return raw[1:]
    raise Malformed("it is neither an Ed25519 public key in PEM nor a verifier key")


def read_note(data: bytes) -> tuple[str, int, str, bytes, list[tuple[str, bytes]]]:
    """``(origin, size, root hex, signed text, [(key name, id and signature)])`` of a checkpoint note; Malformed otherwise."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Malformed("it is not UTF-8 text") from error
    body, gap, tail = text.partition("\n\n")
    lines = body.split("\n")
    if any(ord(sign) < 32 and sign != "\n" for sign in text) or not gap or not tail.endswith("\n") or len(lines) != 3:
        raise Malformed("it is not three lines, an empty line and signatures")
    if not lines[0] or not NUMBER.match(lines[1]):
        raise Malformed("its origin or size is malformed")
    root = exact64(lines[2])
    signatures = []
    for line in tail[:-1].split("\n"):
        dash, _, rest = line.partition(" ")
        name, _, coded = rest.partition(" ")
        raw = exact64(coded)
        if dash != "\u2014" or not name or len(raw) < 5:
            raise Malformed("a signature line is malformed")
        signatures.append((name, raw))
    if len(root) != 32:
        raise Malformed("its root is not 32 bytes")
    return lines[0], int(lines[1]), root.hex(), (body + "\n").encode("utf-8"), signatures


# --- the procedure ----------------------------------------------------------------------------------------------------------


def want(step: str, index: int | None, value: Any, name: str, kind: Any) -> Any:
    """``value[name]`` when it is of ``kind`` (never a bool for an int, nor one that is not exact); a fault otherwise."""
    found = value.get(name) if isinstance(value, dict) else None
    if not isinstance(found, kind) or (isinstance(found, int) and kind is not bool and not is_int(found)):
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
        raise Fault(step, f"{quoted(text)} is not a day", index) from error


def instant(step: str, index: int | None, text: Any) -> datetime:
    """An RFC 3339 instant; a fault otherwise."""
    try:
        return _instant(text)
    except (TypeError, ValueError, OverflowError) as error:
        raise Fault(step, f"{quoted(text)} is not an instant", index) from error


Records = list[tuple[int, dict[str, Any]]]  # (index, header), in order


class Verifier:
    """One run over one home or bundle. ``checked`` counts what was proved."""

    def __init__(
        self,
        home: Path,
        witness: Path | None,
        receipt: Path | None,
        key: Path | None,
        pinned: str | None = None,
        expect: str | None = None,
    ) -> None:
        self.pinned, self.expect = pinned, expect
        self.home, self.ledger, self.witness, self.receipt, self.key = home, home / "ledger", witness, receipt, key
        self.checked: dict[str, Any] = dict.fromkeys(COUNTS, 0)
        self.checked["supports"] = "recorded, not re-checked"
        self.said: list[str] = []  # sentences on what was found out, or could not be, on the way
        self.origin, self.size, self.root, self.last_leaf = "", 0, EMPTY_ROOT, None
        self.acknowledged = 0  # records that the head names
        self.at: int | None = None  # the record in hand at steps 6 to 8
        self.tree = Tree()
        self.keys: dict[str, bytes] = {}  # the raw keys that the log names, by key id
        self.reigns: dict[str, list[tuple[int, int | None]]] = {}  # by key id: in use from a record on, until another
        self.points: list[tuple[int, dict[str, Any]]] = []
        self.erased: dict[int, tuple[str, int]] = {}  # a record erased -> the key id it was sealed under, the erasure's record
        self.held: dict[int, bool] = {}
        self.publications: dict[str, Records] = {}  # by document
        self.events: dict[str, Records] = {}  # by document
        self.headers: dict[int, dict[str, Any]] = {}  # of publications
        self.corpus = Tree()
        self.corpus_roots = {EMPTY_ROOT}
        self.files: dict[Path, bool] = {}
        self.bundle, self.answer = False, -1  # of a bundle, the index of its answer's record
        self.shown: tuple[dict[str, Any] | None, list[CitedClause]] = (None, [])  # of a bundle: its answer, opened
        self.slip: tuple[Any, Any] = (None, None)  # of a bundle: the size its consistency proof starts from, and the proof
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
            raise Fault("1 head", f"this log is {quoted(origin)}, the name pinned is {quoted(self.pinned)}")
        return origin

    def _is_bundle(self) -> bool:
        """Whether this is an evidence bundle. A bundle.json dropped into a home makes no bundle of it."""
        found = os.path.lexists(self.home / "bundle.json") and not any(os.path.lexists(self.home / mark) for mark in HOME_MARKS)
        if self.expect is not None and (self.expect == "bundle") != found:
            kinds = ("an evidence bundle", "a home") if found else ("a home", "an evidence bundle")
            raise Fault("1 head", f"cannot read: {kinds[1]} was expected, and this is {kinds[0]} or nothing of ours")
        return found

    def run(self) -> None:
        """The steps; raises the first fault."""
        self.bundle = self._is_bundle()
        if self.bundle:
            found = self.bundle_records()
            self._bundle_checkpoint()
            self._bundle_witness(found)
            if self.receipt is not None:
                self._bundle_receipt(found, self.receipt)
            self.step_6_to_8(found.items())
            self.step_9_page(found)
        else:
            self.step_1_head()
            self.step_2_lines()
            self.step_4_checkpoints()
            self.step_5_receipt()
            self.step_6_to_8(self.lines())

    def step_6_to_8(self, records: Iterable[tuple[int, bytes]]) -> None:
        """Parts, then what publications and answers say, record by record."""
        for index, line in records:
            self.at = index
            header = self.parsed.pop(index, None) or parse_exact(line)
            self.step_6_parts(index, header)
            if header["type"] == "publication":
                self.step_7_publication(index, header)
            elif header["type"] == "answer":
                self.step_8_answer(index, header)
            elif header["type"] in ("withdrawal", "redate"):
                self._event(index, header)

    def _event(self, index: int, header: dict[str, Any]) -> None:
        """Keep a withdrawal or redating for the stories of its document."""
        step = "8 answers"
        for name in ("version_id", "number", "path"):
            if not isinstance(header.get(name), str | None):
                raise Fault(step, f"{name} is of the wrong kind", index)
        if not isinstance(header.get("void", False), bool):
            raise Fault(step, "void is of the wrong kind", index)
        self.events.setdefault(want(step, index, header, "doc_id", str), []).append((index, header))

    def bundle_records(self) -> dict[int, bytes]:
        """Steps 1 to 3 of a bundle: its records by index, in order, each proved to be in the tree of the bundle's root."""
        step = "2 lines"
        try:
            bundle = parse(read(self.home / "bundle.json"))
        except Malformed as error:
            raise Fault("1 head", f"cannot read: bundle.json: {error}") from error
        self.origin = self._own(want("1 head", None, bundle, "origin", str))
        size, self.root = want("1 head", None, bundle, "size", int), want("1 head", None, bundle, "root", str)
        if not is_int(bundle.get("format")) or bundle["format"] != FORMAT or not HEX.match(self.root):
            raise Fault("1 head", f"cannot read: this verifier reads bundles of format {FORMAT}")
        if size < 1:
            raise Fault("1 head", "the bundle names a tree without records")
        self.size, self.slip = size, (bundle.get("from_size"), bundle.get("consistency"))
        found: dict[int, bytes] = {}
        kept: Records = []
        for record in want("1 head", None, bundle, "records", list):
            index, proof = want(step, None, record, "index", int), self._hashes(step, None, record, "proof")
            line = want(step, index, record, "line", str).encode("utf-8", "surrogatepass")
            if not 0 <= index < size or index in found:
                raise Fault(step, "it lies beyond the bundle's tree or stands in it twice", index)
            kept.append((index, self._header(index, line)))
            if not proof_holds(index, size, sha(b"\x00" + line), proof, bytes.fromhex(self.root)):
                raise Fault("3 root", "its proof does not lead to the bundle's root", index)
            found[index] = line
        kept.sort(key=lambda record: record[0])
        answers = [index for index, header in kept if header["type"] == "answer"]
        if len(answers) != 1:
            raise Fault("1 head", f"a bundle holds the record of one answer, this one of {len(answers)}")
        self.answer = answers[0]
        for index, header in kept:
            self.checked["unknown_types"] += header["type"] not in KNOWN
            if header["type"] in ("key", "hold", "erasure"):
                self._keep(index, header)
        self.checked["records"] = len(found)
        return dict(sorted(found.items()))

    def _hashes(self, step: str, index: int | None, value: Any, name: str) -> list[bytes]:
        """A list of hashes in hex."""
        items = want(step, index, value, name, list)
        if not all(isinstance(item, str) and HEX.match(item) for item in items):
            raise Fault(step, f"{name} is malformed", index)
        return [bytes.fromhex(item) for item in items]

    def _bundle_checkpoint(self) -> None:
        """The bundle's root is signed: by the key given, else by one the log names."""
        pinned = self._pinned()
        notes = self._notes(self.ledger / "checkpoints", pinned)
        for size, root, path in notes:
            if (size, root) != (self.size, self.root):
                raise Fault("4 checkpoints", f"{path.name} does not sign the bundle's tree")
        self.checked["checkpoints"] = len(notes)
        if pinned is not None and not self.checked["pinned_size"]:
            raise Fault("4 checkpoints", "no checkpoint in it is signed by the key given")

    def _bundle_witness(self, found: dict[int, bytes]) -> None:
        """What the witness folder can tell of a bundle: its note of the same size, and the leaf hashes it kept."""
        step = "4 checkpoints"
        if self.witness is None:
            return
        signed_here = self.checked["pinned_size"], self.checked["signed_size"]
        notes = self._witness_notes(self._pinned())
        self.checked["pinned_size"], self.checked["signed_size"] = signed_here
        for size, root, path in notes:
            if size == self.size and root != self.root:
                raise Fault(step, f"the witness's {path.name} has another root than the bundle; one of its records was changed")
        size, root, path = notes[-1]
        leaves = self._kept_leaves(path.parent, size, root)
        if leaves is None:
            if all(size != self.size for size, _, _ in notes):
                self.said.append(
                    f"The witness folder was NOT COMPARED with the bundle: its newest checkpoint is of {size} records, the "
                    f"bundle's tree of {self.size}, and without its .leaves files nothing shows that one grew into the other."
                )
            return
        for index, line in found.items():
            if index < size and sha(b"\x00" + line) != leaves[index]:
                raise Fault(step, "it is not the record that the witness saw", index)
        if self.size <= size and tree_of(leaves[: self.size]).root(self.size) != self.root:
            raise Fault(step, f"the first {self.size} records that the witness saw do not give the bundle's root")
        if self.size > size:
            self.said.append(
                f"The witness folder saw the first {size} records: those of them in the bundle are the same. NOT SHOWN is that "
                f"the bundle's tree of {self.size} grew out of them."
            )

    def _bundle_receipt(self, found: dict[int, bytes], path: Path) -> None:
        """A receipt of the bundle's answer; it vouches for the bundle's tree where a consistency proof leads there."""
        step = "5 receipt"
        index, size, leaf, root, _, shown = self._slip(path)
        if index != self.answer or sha(b"\x00" + found[index]) != leaf:
            raise Fault(step, "the receipt is not of the answer in this bundle", index)
        from_size, consistency = self.slip
        if size == self.size:
            linked = root.hex() == self.root
        elif from_size is not None and from_size == size and is_int(from_size):
            proof = self._hashes(step, None, {"consistency": consistency}, "consistency")
            linked = consistent(size, self.size, proof, root, bytes.fromhex(self.root))
        else:
            linked = bool(self.checked["checkpoints"])
            self.said.append(
                f"Nothing shows that the receipt's tree of {size} records grew into the bundle's tree of {self.size}: the "
                "receipt vouches for the answer's own record only."
            )
        if not linked:
            raise Fault(step, f"the receipt's tree of {size} records is not shown to have grown into the bundle's")
        self._same_answer(index, parse_exact(found[index]), shown)

    def step_1_head(self) -> None:
        """Read the format number and the head."""
        try:
            number = read(self.ledger / "format", SMALL_FILE_LIMIT).strip()
            data = read(self.ledger / "head", SMALL_FILE_LIMIT)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise Fault("1 head", f"cannot read: {Path(error.filename).name} is missing from {self.ledger.name}/") from error
        if number != b"%d" % FORMAT:
            told = quoted(number[:20].decode("ascii", "replace"))
            raise Fault("1 head", f"cannot read: ledger/format is {told}, this verifier reads {FORMAT}")
        try:
            head = parse_exact(data)
            fine = canonical(head) + b"\n" == data
        except (ValueError, TypeError, RecursionError):
            fine = False
        if not fine:
            raise Fault("1 head", "the head is not canonical JSON and a line feed")
        self.origin = self._own(want("1 head", None, head, "origin", str))
        self.size = want("1 head", None, head, "size", int)
        self.root = want("1 head", None, head, "root", str)
        self.last_leaf = head.get("leaf")
        if (
            self.size < 0
            or not is_int(head.get("format"))
            or head["format"] != FORMAT
            or set(head) != {"format", "leaf", "origin", "root", "size"}
        ):
            raise Fault("1 head", "the head's fields are not those of format 1")

    def lines(self) -> Iterator[tuple[int, bytes]]:
        """``(index, line)`` from the log files in order; a half-written line at the very end is counted, not given."""
        names = sorted(path.name for path in (self.ledger / "log").glob("*.jsonl"))
        index = 0
        for number, name in enumerate(names):
            if name != f"{number * LINES_PER_FILE:010d}.jsonl" or index != number * LINES_PER_FILE:
                raise Fault("2 lines", f"log/{name} does not begin with record {index}", index)
            with open(open_plain(self.ledger / "log" / name), "rb") as file:
                while raw := file.readline(HEADER_LIMIT + 2):
                    if raw[-1:] != b"\n":
                        rest = len(raw) + os.fstat(file.fileno()).st_size - file.tell()
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
        self.acknowledged = self.size
        self.size, self.root = count, self.tree.root(count)

    def _header(self, index: int, line: bytes) -> dict[str, Any]:
        step = "2 lines"
        try:
            header = parse_exact(line)
            if canonical(header) != line:
                raise Malformed("it is not canonical")
        except Malformed as error:
            raise Fault(step, f"not a header: {error}", index) from error
        except (ValueError, TypeError, RecursionError) as error:
            raise Fault(step, "not a header: it has no canonical form", index) from error
        if len(line) > HEADER_LIMIT or not isinstance(header, dict):
            raise Fault(step, "not a header: it is too long or no JSON object", index)
        if not is_int(header.get("index")) or header["index"] != index:
            raise Fault(step, f"the record here says it is number {quoted(header.get('index'))}", index)
        if not is_int(header.get("format")) or header["format"] != FORMAT or header.get("origin") != self.origin:
            raise Fault(step, "it is of another format or another log", index)
        want(step, index, header, "type", str)
        if not INSTANT.match(want(step, index, header, "recorded_at", str)):
            raise Fault(step, "recorded_at is not an instant", index)
        if not isinstance(header.get("previous", 0), str | None) or not isinstance(header.get("sealed_under", ""), str):
            raise Fault(step, "previous or sealed_under is of the wrong kind", index)
        for entry in want(step, index, header, "parts", list):
            want(step, index, entry, "role", str)
            if want(step, index, entry, "length", int) < 0:
                raise Fault(step, "a part's length is negative", index)
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
            held = self._earlier(index, header, "holds")
            self.held[held] = not want("6 parts", index, header, "released", bool)
        elif kind == "erasure":
            gone, name = self._earlier(index, header, "erases"), want("6 parts", index, header, "key_id", str)
            if self.held.get(gone):
                raise Fault("6 parts", f"record {gone} was erased under a hold", index)
            self.erased.setdefault(gone, (name, index))

    def _earlier(self, index: int, header: dict[str, Any], name: str) -> int:
        """The index of a record before this one."""
        found = want("6 parts", index, header, name, int)
        if not 0 <= found < index:
            raise Fault("6 parts", f"{name} names record {found}, which was not there yet", index)
        return int(found)

    def _keep_key(self, index: int, header: dict[str, Any]) -> None:
        """A key comes into use, or ends: revoked, or replaced by the one that takes over."""
        step = "4 checkpoints"
        event, name = want(step, index, header, "event", str), want(step, index, header, "key_id", str)
        try:
            raw = exact64(want(step, index, header, "public_key", str))
        except Malformed as error:
            raise Fault(step, "public_key is malformed", index) from error
        if key_id(self.origin, raw).hex() != name or event not in ("add", "rotate", "revoke"):
            raise Fault(step, "key_id is not that of the public key, or the event is unknown", index)
        ended = name if event == "revoke" else header.get("replaces")
        if isinstance(ended, str):
            reigns = self.reigns.setdefault(ended, [])
            # A key that the log never took into use ends all the same.
            began, end = reigns.pop() if reigns else (index, None)
            reigns.append((began, index if end is None else end))
        if event in ("add", "rotate"):
            self.keys[name] = raw
            self.reigns.setdefault(name, []).append((index, None))

    def _ended(self, public: bytes, size: int) -> int | None:
        """The record that ended a key before ``size``, None when none did (or the log does not know the key)."""
        reigns = self.reigns.get(key_id(self.origin, public).hex(), [])
        if any((at == 0 or begin < size) and (end is None or size <= end) for at, (begin, end) in enumerate(reigns)):
            return None
        return max((end for _, end in reigns if end is not None and end < size), default=None)

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
        for notes in (
            [] if self.witness is None else self._witness_notes(pinned),
            self._notes(self.ledger / "checkpoints", pinned),
        ):
            self._against_log(notes)
            self.checked["checkpoints"] += len(notes)
        for index, header in self.points:
            self._checkpoint_record(index, header)
        if pinned is not None and not self.checked["pinned_size"]:
            raise Fault(step, "no checkpoint is signed by the key given")

    def _notes(self, folder: Path, pinned: bytes | None) -> list[tuple[int, str, Path]]:
        """The notes of this log in a folder and those below it, by size, each signature proved."""
        notes = [self._note(path, pinned) for path in sorted(folder.rglob("*.note"))] if folder.is_dir() else []
        return sorted(note for note in notes if note is not None)

    def _witness_notes(self, pinned: bytes | None) -> list[tuple[int, str, Path]]:
        """The notes of this log in the witness folder, one at least."""
        notes = [] if self.witness is None else self._notes(self.witness, pinned)
        if not notes:
            raise Fault("4 checkpoints", f"the witness folder holds no checkpoint of {quoted(self.origin)}")
        self.said.append(f"The witness folder's newest checkpoint of this log is of {notes[-1][0]} records.")
        return notes

    def _against_log(self, notes: list[tuple[int, str, Path]]) -> None:
        """The log is at least as long as every note says, and has its root at its size."""
        step, count, good = "4 checkpoints", len(self.tree.levels[0]), 0
        for size, root, path in notes:
            if size > count:
                raise Fault(step, f"{path.name} names {size} records, the log holds {count}", count)
            if size > self.acknowledged:
                reason = f"{path.name} signs {size} records, the head acknowledges {self.acknowledged}: it was set back"
                raise Fault(step, reason, self.acknowledged)
            if self.tree.root(size) != root:
                reason = f"the log's first {size} records do not give the root of {path.name}"
                leaves = self._kept_leaves(path.parent, size, root)
                if leaves is not None:
                    raise Fault(step, reason, next(at for at in range(size) if leaves[at] != self.tree.levels[0][at]))
                raise self._somewhere(step, reason, good, size)
            good = size

    def _somewhere(self, step: str, reason: str, start: int, end: int) -> Fault:
        """A fault in one of the records from ``start`` to before ``end``, of which nothing tells which."""
        if end - start == 1:
            return Fault(step, reason, start)
        return Fault(
            step,
            f"{reason}; some record from {start} to {end - 1} was changed, and nothing here tells which: the witness's .leaves "
            "files, or receipts of these records, would",
        )

    def _pinned(self) -> bytes | None:
        if self.key is None:
            return None
        try:
            return read_public(read(self.key, SMALL_FILE_LIMIT))
        except Malformed as error:
            raise Fault("4 checkpoints", f"cannot read: {self.key.name}: {error}") from error

    def _checkpoint_record(self, index: int, header: dict[str, Any]) -> None:
        step = "4 checkpoints"
        size = want(step, index, header, "size", int)
        root = want(step, index, header, "root", str)
        proof = self._hashes(step, index, header, "consistency")
        old = header.get("from_size")
        if not 0 <= size <= index or self.tree.root(size) != root:
            raise Fault(step, "the recorded checkpoint's root is not the log's at its size", index)
        if old is not None:
            if not is_int(old) or not 0 <= old <= size:
                raise Fault(step, "the recorded consistency proof is malformed", index)
            if not consistent(old, size, proof, bytes.fromhex(self.tree.root(old)), bytes.fromhex(root)):
                raise Fault(step, "the recorded consistency proof does not hold", index)

    def _note(self, path: Path, pinned: bytes | None) -> tuple[int, str, Path] | None:
        """A note of this log, its signature proved; None for another log's."""
        step = "4 checkpoints"
        try:
            origin, size, root, text, signatures = read_note(read(path, SMALL_FILE_LIMIT))
        except Malformed as error:
            raise Fault(step, f"{path.name} is not a checkpoint: {error}") from error
        if origin != self.origin:
            return None
        if path.name != f"{size:020d}.note":
            raise Fault(step, f"{path.name} is a checkpoint of {size} records under a name that is not its own")
        in_use = {
            self.keys[name] for name in self.keys if any(b < size and (e is None or size <= e) for b, e in self.reigns[name])
        }
        known = {*self.keys.values(), *([pinned] if pinned else [])}
        if not any(key_id(origin, public) == coded[:4] for _, coded in signatures for public in known):
            count = len(self.tree.levels[0])
            if not self.bundle and size > count:  # the record that names its key may be among those cut away
                raise Fault(step, f"{path.name} names {size} records, the log holds {count}", count)
            if self.bundle and self.witness is not None and path.is_relative_to(self.witness):
                self.said.append(
                    f"{path.name} is signed with a key that the bundle does not name; give the owner's with --key."
                )
                return size, root, path  # the folder is the reader's own: what it saw counts, signature or none
        why = ""
        for name, coded in signatures:
            for public in {*in_use, *([pinned] if pinned else [])}:
                if name == origin and key_id(name, public) == coded[:4] and signed(public, text, coded[4:]):
                    end = self._ended(public, size)
                    if end is not None:
                        why = f": the key that signed it was ended by record {end}"
                        continue
                    self.checked["signed_size"] = max(self.checked["signed_size"], size)
                    if public == pinned:
                        self.checked["pinned_size"] = max(self.checked["pinned_size"], size)
                    return size, root, path
        raise Fault(step, f"{path.name} bears no valid signature of a key in use at {size} records{why}")

    def _kept_leaves(self, folder: Path, size: int, root: str) -> list[bytes] | None:
        """The leaf hashes kept beside a checkpoint, when they give its root."""
        data = b"".join(read(path) for path in sorted(folder.glob("*.leaves")))
        leaves = [data[at : at + 32] for at in range(0, size * 32, 32)]
        return leaves if len(data) >= size * 32 and tree_of(leaves).root(size) == root else None

    def step_5_receipt(self) -> None:
        """The shown answer, as its own receipt, against the log."""
        if self.receipt is None:
            return
        step = "5 receipt"
        index, size, leaf, root, proof, shown = self._slip(self.receipt)
        count = len(self.tree.levels[0])
        if size > count:
            raise Fault(step, f"the receipt was given on {size} records, the log holds {count}", count)
        if size > self.acknowledged:
            reason = f"the receipt was given on {size} records, the head acknowledges {self.acknowledged}: it was set back"
            raise Fault(step, reason, self.acknowledged)
        if self.tree.root(size) != root.hex():
            raise self._moved_by_proof(index, size, leaf, proof)
        for at, line in self.lines():
            if at == index:
                self._same_answer(index, parse_exact(line), shown)
                break

    def _slip(self, path: Path) -> tuple[int, int, bytes, bytes, list[bytes], dict[str, Any]]:
        """``(index, size, leaf, root, proof, answer without it)`` of a receipt, its proof checked."""
        step = "5 receipt"
        try:
            shown = parse(read(path))
        except Malformed as error:
            raise Fault(step, f"cannot read: {path.name}: {error}") from error
        slip = want(step, None, shown, "ledger", dict)
        index, size = want(step, None, slip, "index", int), want(step, None, slip, "size", int)
        hashes = [want(step, None, slip, "leaf_hash", str), want(step, None, slip, "root", str)]
        if not all(map(HEX.match, hashes)) or not 0 <= index < size:
            raise Fault(step, "the receipt is malformed")
        leaf, root = map(bytes.fromhex, hashes)
        proof = self._hashes(step, None, slip, "proof")
        if not proof_holds(index, size, leaf, proof, root):
            raise Fault(step, "the receipt's proof does not lead from its leaf to its root")
        return index, size, leaf, root, proof, {name: value for name, value in shown.items() if name != "ledger"}

    def _moved_by_proof(self, index: int, size: int, leaf: bytes, proof: list[bytes]) -> Fault:
        """The fault in the first subtree whose hash the proof contradicts: the record itself, or a range before or after it."""
        ranges, start, end = [(index, index + 1)], 0, size
        path = []
        while end - start > 1:
            middle = start + (1 << (end - start - 1).bit_length() - 1)
            path.append((middle, end) if index < middle else (start, middle))
            start, end = (start, middle) if index < middle else (middle, end)
        ranges += reversed(path)
        moved = [
            (low, high) for (low, high), digest in zip(ranges, [leaf, *proof], strict=True)
            if tree_of(self.tree.levels[0][low:high]).root(high - low) != digest.hex()
        ]  # fmt: skip
        return self._somewhere("5 receipt", "the log's records do not give the receipt's root", *min(moved, default=(0, size)))

    def _same_answer(self, index: int, header: dict[str, Any], shown: dict[str, Any]) -> None:
        """The answer shown is the recorded one; where that can't be opened, it fits what the header holds in clear."""
        step = "5 receipt"
        if header["type"] != "answer":
            raise Fault(step, "the receipt's record is not an answer", index)
        data = self._part(index, header, "answer")
        if data is None:
            self._fits(step, index, header, shown, "answer shown")
            self.checked["receipts_text_not_compared"] = 1
            return
        try:
            recorded = parse(data)
            # The lines of a batch carry the caller's id, which is no part of the answer.
            mine = {
                name: value
                for name, value in shown.items()
                if name != "id" or (isinstance(recorded, dict) and "id" in recorded)
            }
            same = exactly(recorded) == exactly(mine)
        except Malformed as error:
            raise Fault(step, f"the recorded answer can't be compared: {error}", index) from error
        if not same:
            typed = "" if recorded != mine else ": a number or a truth value in it has another type"
            raise Fault(step, f"the recorded answer is not the one shown{typed}", index)
        self.checked["receipts"] = 1

    def _fits(self, step: str, index: int, header: dict[str, Any], answer: Any, what: str) -> list[dict[str, Any]]:
        """An answer agrees with all that its header holds in clear; its citations."""
        for name in CLEAR:
            if name in header and (not isinstance(answer, dict) or exactly(answer.get(name)) != exactly(header[name])):
                raise Fault(step, f"the {what} has another {name} than the record's header", index)
        cited = set()
        for entry in want(step, index, header, "cited", list):
            cited.add((want(step, index, entry, "clause_id", str), want(step, index, entry, "sha256", str)))
        shown: list[dict[str, Any]] = want(step, index, answer, "citations", list)
        if {(want(step, index, item, "clause_id", str), want(step, index, item, "sha256", str)) for item in shown} != cited:
            raise Fault(step, f"the {what} cites other clauses than the record's header", index)
        return shown

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
        except (FileNotFoundError, NotADirectoryError) as error:
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
        """The HMAC under the key of a record's sealed parts; None when its erasure is on record, or a bundle leaves out
        the key of a record that is not its answer."""
        step, name = "6 parts", header.get("sealed_under", "")
        gone, _ = self.erased.get(index, ("", 0))
        if not NAME.match(name):
            raise Fault(step, "a sealed part names no key", index)
        try:
            text = read(f"{self.ledger}/keys/{name}", SMALL_FILE_LIMIT)
        except (FileNotFoundError, NotADirectoryError) as error:
            if gone == name or (self.bundle and header["type"] != "answer"):
                return None
            raise Fault(step, f"its key is gone and no erasure is on record{self._begun()}", index) from error
        if gone == name:
            raise Fault(step, "it was erased, but its key is still there", index)
        if text[-1:] == b"\n" and HEX.match(text[:-1].decode("latin-1")):
            return hmac_sha256(bytes.fromhex(text[:-1].decode()))
        raise Fault(step, f"its key file is damaged{self._begun()}", index)

    def _begun(self) -> str:
        """A hint that proves nothing: an erasure cut off by a crash leaves ledger/erasing, and so may anyone."""
        if not os.path.lexists(self.ledger / "erasing"):
            return ""
        return (
            "; ledger/erasing tells of an erasure: if one was cut off, any command on the home finishes it, then verify again"
        )

    def step_6_parts(self, index: int, header: dict[str, Any]) -> None:
        """Every part of one record."""
        sealed = any("hmac" in entry for entry in header["parts"])
        if index in self.erased and (not sealed or self.erased[index][0] != header.get("sealed_under")):
            reason = f"it records the erasure of record {index} under a key that is not that record's"
            raise Fault("6 parts", reason, self.erased[index][1])
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
        self.checked["erased"] += index in self.erased

    def _whole(self, step: str, index: int, path: Path, digest: str) -> None:
        """Prove once that a file has its hash."""
        if path not in self.files:
            try:
                with open(open_plain(path), "rb") as file:
                    self.files[path] = hashlib.file_digest(file, "sha256").hexdigest() == digest
            except (FileNotFoundError, NotADirectoryError) as error:
                raise Fault(step, f"{path.parent.name}/{path.name} is missing", index) from error
        if not self.files[path]:
            raise Fault(step, f"{path.parent.name}/{path.name} is damaged", index)

    def _load(self, index: int) -> tuple[str, dict[str, dict[str, Any]], str]:
        """A publication's extracted text, its clause rows by path, in order, and the text of the clause list."""
        step = "7 publications"
        header = self.headers[index]
        data = self._part(index, header, "clauses") or b""
        try:
            text = read(self.home / "extracted" / f"{header['extracted_sha256']}.txt").decode("utf-8", "surrogatepass")
            rows, listed = parse_exact(data), data.decode("utf-8")
        except Malformed as error:
            raise Fault(step, f"the clause list can't be read: {error}", index) from error
        except UnicodeDecodeError as error:
            raise Fault(step, "the extracted text is not UTF-8", index) from error
        if not isinstance(rows, list) or not all(isinstance(row, dict) and set(row) == set(CLAUSE_FIELDS) for row in rows):
            raise Fault(step, "the clause list is malformed", index)
        by_path = {want(step, index, row, "path", str): row for row in rows}
        if len(by_path) != len(rows):
            raise Fault(step, "two clauses have one path", index)
        return text, by_path, listed

    def sliced(self, step: str, index: int, text: str, row: dict[str, Any]) -> str:
        """A clause's text by its spans; a fault when its hash is another."""
        spans = want(step, index, row, "spans", list)
        pieces = []
        for span in spans:
            if not (type(span) is list and len(span) == 2 and type(span[0]) is type(span[1]) is int):
                raise Fault(step, f"clause {quoted(row['path'])}: a span is malformed", index)
            if not 0 <= span[0] <= span[1] <= len(text):
                raise Fault(step, f"clause {quoted(row['path'])}: a span lies outside the text", index)
            pieces.append(text[span[0] : span[1]])
        found = "\n".join(pieces)
        if hashlib.sha256(found.encode("utf-8", "surrogatepass")).hexdigest() != row["sha256"]:
            raise Fault(step, f"clause {quoted(row['path'])}: the text at its spans has another hash", index)
        return found

    def step_7_publication(self, index: int, header: dict[str, Any]) -> None:
        """One publication against the files it was made from."""
        step = "7 publications"
        for name in ("doc_id", "version_id", "source_sha256", "extracted_sha256", "root", "corpus_root"):
            want(step, index, header, name, str)
        for name in PUBLICATION_FIELDS:
            if not isinstance(header.get(name), str | None):
                raise Fault(step, f"{name} is of the wrong kind", index)
        if not HEX.match(header["source_sha256"]) or not HEX.match(header["extracted_sha256"]):
            raise Fault(step, "a file's hash is malformed", index)
        self._whole(step, index, self.home / "sources" / header["source_sha256"], header["source_sha256"])
        extracted = self.home / "extracted" / f"{header['extracted_sha256']}.txt"
        self._whole(step, index, extracted, header["extracted_sha256"])
        self.headers[index] = header
        self.publications.setdefault(header["doc_id"], []).append((index, header))
        text, rows, listed = self.load(index)
        for row in rows.values():
            self.sliced(step, index, text, row)
        if tree_of(clause_leaves(step, index, list(rows.values()), listed)).root(len(rows)) != header["root"]:
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
        except Malformed as error:
            raise Fault(step, f"the answer can't be read: {error}", index) from error
        basis = header.get("known_basis", answer.get("known_basis", "recorded") if isinstance(answer, dict) else "recorded")
        if basis not in ("recorded", "published"):
            raise Fault(step, "known_basis is neither recorded nor published", index)
        known = (day(step, index, header["as_of"]), instant(step, index, header["known_at"]), basis)
        for entry in want(step, index, header, "cited", list):
            self._cited(index, want(step, index, entry, "clause_id", str), want(step, index, entry, "sha256", str), *known)
        if data is None:
            return
        cited = [self._quote(index, item) for item in self._fits(step, index, header, answer, "answer")]
        self._texts(index, header)
        if self.bundle:
            self.shown = (answer, cited)

    def _texts(self, index: int, header: dict[str, Any]) -> None:
        """The clause texts kept with an answer have the hashes they stand under."""
        if not any(entry["role"] == "clauses" for entry in header["parts"]):
            return
        data = self._part(index, header, "clauses")
        try:
            texts = {} if data is None else parse(data)
        except Malformed as error:
            raise Fault("8 answers", f"the clause texts kept can't be read: {error}", index) from error
        if not isinstance(texts, dict):
            raise Fault("8 answers", "the clause texts kept are malformed", index)
        for digest, text in texts.items():
            if isinstance(text, str) and self.texts.get(digest) == text:
                continue
            if not isinstance(text, str) or sha(text.encode("utf-8", "surrogatepass")).hex() != digest:
                raise Fault("8 answers", "a clause text kept with it has another hash", index)
            if len(self.texts) < TEXTS_KEPT:
                self.texts[digest] = text

    def _quote(self, index: int, item: dict[str, Any]) -> CitedClause:
        """The quote stands where it says, in the clause sliced from the extracted text."""
        step = "8 answers"
        publication, row = self._find(index, item["clause_id"], item["sha256"])
        extracted = self.load(publication)[0]
        text = self.sliced(step, index, extracted, row)
        if item.get("text", text) != text:
            raise Fault(step, f"{item['clause_id']}: the text shown is not the recorded one", index)
        if item.get("role") == "locator":
            text = want(step, index, row, "heading", str)
        span, quote = want(step, index, item, "quote_span", list), want(step, index, item, "quote", str)
        if len(span) != 2 or not all(is_int(at) and at >= 0 for at in span) or text[span[0] : span[1]] != quote:
            raise Fault(step, f"{item['clause_id']}: the quote does not stand where it says", index)
        self.checked["citations"] += 1
        checks = item.get("checks")
        self.checked["supports_recorded"] += isinstance(checks, dict) and checks.get("supports") is True
        return CitedClause(item, extracted, [(span[0], span[1]) for span in row["spans"]])

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

    def step_9_page(self, found: dict[int, bytes]) -> None:
        """The bundle's answer.json and index.html against its records; whatever else lies there is named."""
        step, (answer, cited) = "9 page", self.shown
        proved = {"bundle.json"}
        if not self.can_open:
            self.said.append("answer.json and index.html were NOT COMPARED with the record, which this machine can't open.")
            return
        header = parse_exact(found[self.answer])
        for name in ("answer.json", "index.html"):
            if not os.path.lexists(self.home / name):
                self.said.append(f"{name} is not in the bundle; the record is complete without it.")
                continue
            proved.add(name)
            if name == "answer.json":
                before = self.checked["receipts"], self.checked["receipts_text_not_compared"]
                try:
                    self._bundle_receipt(found, self.home / name)
                except Fault as fault:
                    raise Fault(
                        step, f"answer.json is not the recorded answer with its receipt: {fault.reason}", fault.index
                    ) from fault
                compared = self.checked["receipts"] > 0 and self.checked["receipts_text_not_compared"] == before[1]
                self.checked["receipts"], self.checked["receipts_text_not_compared"] = before
                if not compared:
                    raise Fault(step, "answer.json is there and the recorded answer can't be opened to compare it", self.answer)
            else:
                signed = self.checked["checkpoints"] > 0
                page = print_page(header, answer, cited, verdict_rows(self.origin, self.root, self.size, signed=signed))
                if read(self.home / name) != page.encode("utf-8", "surrogatepass"):
                    raise Fault(
                        step,
                        "index.html is not the page that these records print: it was changed, or another release printed it; "
                        "do not rely on it (take it away to check the rest)",
                        self.answer,
                    )
            self.checked["pages"] += 1
        others = sorted(str(path.relative_to(self.home)) for path in self._others(proved))
        if others:
            more = f" and {len(others) - NAMES_SHOWN} more" if len(others) > NAMES_SHOWN else ""
            self.said.append(f"No part of the proof: {', '.join(others[:NAMES_SHOWN])}{more}.")

    def _others(self, proved: set[str]) -> Iterator[Path]:
        """The files of a bundle outside the folders that the steps read."""
        for path in self.home.rglob("*"):
            inside = path.relative_to(self.home).parts
            if inside[0] not in ("ledger", "sources", "extracted") and inside[0] not in proved and not path.is_dir():
                yield path


def clause_leaves(step: str, index: int, rows: list[dict[str, Any]], listed: str) -> list[bytes]:
    """The leaf hashes of a version's clause rows: printed as one list, which must be the text of the part, then cut where a row
    begins. A quote inside a string is escaped, so only a forged row with an object in it has that cut within."""
    first = '{"boxes":'
    try:
        if _SORTED.encode(rows) != listed:
            raise Fault(step, "the clause list is not canonical", index)
        lines = listed[len("[" + first) : -len("}]")].split("}," + first) if rows else []
        if len(lines) != len(rows):
            raise Fault(step, "the clause list is malformed", index)
        return [sha(b"\x00compliance-rag/clause/v1\n" + f"{first}{line}}}".encode()) for line in lines]
    except (ValueError, RecursionError) as error:
        raise Fault(step, "a row has no canonical form", index) from error


def publication_leaf(step: str, index: int, row: dict[str, Any]) -> bytes:
    """The leaf hash of a publication's row."""
    try:
        return sha(b"\x00compliance-rag/publication/v1\n" + canonical(row))
    except (ValueError, RecursionError) as error:
        raise Fault(step, "its row has no canonical form", index) from error


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


# --- the readable page of a bundle ------------------------------------------------------------------------------------------

# Enough of the neighbouring text to read a clause in its place, on both sides of it, in code points.
CONTEXT = 400
STYLE = """
body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1a1a1a;background:#fff}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}dt{color:#555}dd{margin:0 0 .4rem}
.said{white-space:pre-wrap}
.context{white-space:pre-wrap;color:#666;border-left:3px solid #ccc;padding-left:1rem}
.context .clause{color:#111}.context mark{background:#ffe58a}code{font-size:.85em;word-break:break-all}
"""


@dataclass(frozen=True)
class CitedClause:
    """A citation of the answer with the extracted text it stands in and the clause's spans in that text."""

    citation: Mapping[str, Any]
    extracted: str
    spans: Sequence[tuple[int, int]]


def verdict_rows(origin: str, root: str, size: int, *, signed: bool) -> list[tuple[str, str]]:
    """How to check the bundle, as (label, value)."""
    said = "by the checkpoint in this bundle" if signed else "not yet: compare the root with a receipt or a later checkpoint"
    return [("Log", origin), ("Root", f"{root} over {size} records"), ("Signed", said), ("Command", "python verifier.py .")]


def print_page(
    header: Mapping[str, Any],
    answer: Mapping[str, Any] | None,
    cited: Iterable[CitedClause],
    verdict: Sequence[tuple[str, str]],
) -> str:
    """The page. ``answer`` None: its parts were erased, and the page says so."""
    facts = [
        ("Answer", header["answer_id"]),
        ("Asked and answered", f"{header['recorded_at']}, by {header.get('actor')} ({header.get('actor_auth')})"),
        ("As of", header["as_of"]),
        ("As known at", header["known_at"]),
        ("Status", header["status"]),
        ("Corpus root", header["corpus_root"]),
    ]
    if answer is None:
        body = "<p><strong>The question and the answer were erased.</strong> What was cited stands in the record below.</p>"
    else:
        said = f'<p class="said">{_escaped(answer.get("answer"))}</p>'
        body = f"<h2>Question</h2><p>{_escaped(answer.get('question'))}</p><h2>Answer</h2>{said}"
    clauses = "".join(map(_clause, cited))
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Evidence: {_escaped(header["answer_id"])}</title>'
        f"<style>{STYLE}</style><h1>Evidence for answer {_escaped(header['answer_id'])}</h1>{_list(facts)}{body}"
        f"{clauses}<h2>How to check this</h2>{_list(verdict)}</html>\n"
    )


def _escaped(value: Any) -> str:
    return escape(value if isinstance(value, str) else quoted(value))


def _list(facts: Sequence[tuple[str, Any]]) -> str:
    rows = "".join(f"<dt>{escape(name)}</dt><dd>{_escaped(value)}</dd>" for name, value in facts)
    return f"<dl>{rows}</dl>"


def _clause(item: CitedClause) -> str:
    citation = item.citation
    start, end = citation.get("effective_from") or "the beginning", citation.get("effective_to") or "further notice"
    number = citation.get("number")
    title = f"[{citation.get('n', '')}] {f'{number} · ' if number else ''}{citation['clause_id']}"
    path = citation.get("heading_path")
    where = " › ".join(map(_escaped, path if isinstance(path, list) else []))
    return (
        f"<h2>{escape(title)}</h2><p>{where}</p><p>in force from {_escaped(start)} to {_escaped(end)} · "
        f"sha256 <code>{_escaped(citation['sha256'])}</code></p>"
        f'<div class="context">{_context(item)}</div>'
    )


def _context(item: CitedClause) -> str:
    """The extracted text around the clause, the clause set off and the quoted words marked."""
    if not item.spans:
        return ""
    marked = _quoted_spans(item)
    start, end = max(0, item.spans[0][0] - CONTEXT), min(len(item.extracted), item.spans[-1][1] + CONTEXT)
    edges = sorted({start, end, *(edge for span in [*item.spans, *marked] for edge in span)})
    pieces = []
    for left, right in pairwise(edges):
        text = escape(item.extracted[left:right])
        if any(low <= left and right <= high for low, high in marked):
            text = f"<mark>{text}</mark>"
        if any(low <= left and right <= high for low, high in item.spans):
            text = f'<span class="clause">{text}</span>'
        pieces.append(text)
    return "".join(pieces)


def _quoted_spans(item: CitedClause) -> list[tuple[int, int]]:
    """The quote's spans in the extracted text; the clause's text is its pieces joined by one line feed each."""
    if item.citation.get("role") == "locator" or not item.citation.get("quote_span"):
        return []
    start, end = item.citation["quote_span"]
    marked, at = [], 0
    for low, high in item.spans:
        left, right = max(start, at), min(end, at + high - low)
        if left < right:
            marked.append((low + left - at, low + right - at))
        at += high - low + 1
    return marked


# --- archives, the report, the command line ---------------------------------------------------------------------------------


def unpack(path: Path, folder: Path) -> None:
    """A bundle's files into an empty folder; OSError for anything that is no such archive."""
    try:
        with open(open_plain(path), "rb") as file, zipfile.ZipFile(file) as archive:
            _unpack(archive, folder)
    except (zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, NotImplementedError, ValueError) as error:
        raise OSError(f"{path.name} is not an archive that can be unpacked") from error


def _unpack(archive: zipfile.ZipFile, folder: Path) -> None:
    """Plain relative names only, each once, stored or deflated, and no more bytes than a bundle may hold."""
    room, entries = BUNDLE_LIMIT, archive.infolist()
    if len(entries) > BUNDLE_FILES:
        raise OSError("the bundle has more files than this verifier unpacks")
    for entry in entries:
        pieces = entry.filename.split("/")
        if entry.is_dir() or any(piece in ("", ".", "..") or "\\" in piece for piece in pieces):
            raise OSError(f"{quoted(entry.filename)} has no place in a bundle")
        if entry.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise OSError(f"{quoted(entry.filename)} is packed in another way than a bundle's files are")
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
    expect: str | None = None,
) -> dict[str, Any]:
    """Run the procedure; the report as printed, ``first_bad`` None when valid. ``expect`` ``home`` or ``bundle``: the other is
    not valid. Never raises for what the files hold."""
    collecting = gc.isenabled()
    gc.disable()  # records make no cycles, and the collector would walk every one of them again and again
    try:
        if not Path(home).exists() or Path(home).is_dir():
            return _report(Verifier(Path(home), witness, receipt, key, origin, expect))
        with tempfile.TemporaryDirectory() as folder:
            return _report(Verifier(Path(folder), witness, receipt, key, origin, expect), Path(home))
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
        bad = {"index": fault.index, "step": fault.step, "reason": plain(fault.reason)}
    except (OSError, subprocess.SubprocessError, MemoryError) as error:
        bad = {"index": run.at, "step": "0 read", "reason": plain(f"cannot read: {_unread(error)}")}
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError, RecursionError):
        # The last resort: no byte of a home may end in a traceback, and none that was not foreseen is called valid.
        bad = {"index": run.at, "step": "0 read", "reason": f"cannot read: {UNFORESEEN}"}
    run.checked["in_words"] = [plain(said) for said in in_words(run, bad)]
    return {"valid": bad is None, "size": run.size, "root": run.root, "checked": run.checked, "first_bad": bad}


UNFORESEEN = "it holds something that this verifier did not foresee"


def _unread(error: Exception) -> str:
    """Why something could not be read, in words, without a command line (which may hold a key)."""
    if isinstance(error, MemoryError):
        return "there is not enough memory for it"
    if isinstance(error, subprocess.SubprocessError):
        return "the program openssl failed"
    name = getattr(error, "filename", None)
    if isinstance(name, str | bytes | Path) and name:
        place = Path(os.fsdecode(name))
        return f"{place.parent.name}/{place.name}: {getattr(error, 'strerror', None) or 'it could not be opened'}"
    return getattr(error, "strerror", None) or str(error) or "the machine gives no reason"


def in_words(run: Verifier, bad: dict[str, Any] | None) -> list[str]:
    """The report in sentences for someone who reads no code: the verdict, what stands behind it, and what was not proved."""
    if bad is not None:
        reason, where = bad["reason"], "" if bad["index"] is None else f", at record {bad['index']}"
        if reason.startswith("cannot read: "):
            return [f"CANNOT BE READ, so not valid{where} (step {bad['step']}): {reason.removeprefix('cannot read: ')}."]
        return [f"NOT VALID{where} (step {bad['step']}): {reason}."]
    count = run.checked
    name = quoted(run.origin)
    if run.bundle:
        part = f"{count['records']} records out of the first {run.size} of the log {name}"
        first = f"VALID: an evidence bundle, not a whole log: {part}."
    else:
        first = f"VALID: the whole log {name}, {run.size} records, is what was recorded, as far as the next sentences say."
    return [first, _signed_words(run), *dict.fromkeys(run.said), *_receipt_words(run), *_rest_in_words(run)]


def _signed_words(run: Verifier) -> str:
    """How far signatures reach."""
    reach, own = run.checked["pinned_size"], run.checked["signed_size"]
    if run.key is not None:
        after = run.size - reach
        tail = f"; no checkpoint of that key vouches for the {after} after them" if after else ""
        return f"Signed with the key you gave: up to record {reach} of {run.size}{tail}."
    if own:
        tail = f"; no checkpoint vouches for the {run.size - own} after them" if own < run.size else ""
        return (
            f"Signed up to record {own} of {run.size}{tail}. The key is one that the log itself names: whoever could write it "
            "all anew could name another, so give the owner's with --key."
        )
    if run.bundle:
        return (
            f"NOT SIGNED: no checkpoint is in this bundle; nothing vouches for its tree of {run.size} records but a receipt "
            "(--receipt) or a witness folder (--witness)."
        )
    return (
        "NO CHECKPOINT: nothing signed is in this home; whoever can write to it could have made it all anew. Only a receipt "
        "(--receipt) or a witness folder kept elsewhere (--witness) would show that."
    )


def _receipt_words(run: Verifier) -> Iterator[str]:
    if run.checked["receipts"]:
        yield "The answer shown is the recorded one, word for word."
    if run.checked["receipts_text_not_compared"]:
        yield (
            "The TEXT of the answer shown was NOT COMPARED: the recorded one can't be opened. Its record is in the log, "
            "with the same dates, status and cited clauses."
        )


def _rest_in_words(run: Verifier) -> Iterator[str]:
    count = run.checked
    if run.bundle:
        yield "Only the whole log shows that no record left out here withdrew or dated anew what is cited, or ended a key."
    if count["beyond_head"]:
        yield f"{count['beyond_head']} records at the end were written and not yet acknowledged when the writer stopped."
    if count["torn_bytes"]:
        yield f"{count['torn_bytes']} bytes at the end are a record that a writer left half written; they count for nothing."
    if count["unknown_types"]:
        yield f"{count['unknown_types']} records are of types that this verifier does not know: only their hashes were checked."
    if count["erased"]:
        yield f"The personal parts of {count['erased']} records were erased, with a record of each erasure."
    if count["sealed_unopened"]:
        why = "their keys were erased or are not in the bundle" if run.can_open else (
            "this machine has neither the Python package cryptography nor the program openssl"
        )  # fmt: skip
        if run.can_open and not library():
            why = "without the Python package cryptography only answers are opened, or their keys were erased"
        yield f"{count['sealed_unopened']} sealed parts have the recorded hash and were not opened: {why}."
    if count["answers_unopened"]:
        yield f"The words of {count['answers_unopened']} answers were not opened; the clauses they cite were checked."
    if not run.bundle and os.path.lexists(run.ledger / "erasing"):
        yield "An erasure was begun and nothing is erased yet: any command on the home finishes it, or refuses it."
    if count["supports_recorded"]:
        yield f"That a clause supports what was said is recorded for {count['supports_recorded']} citations, not checked again."


def main(arguments: list[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Verify a home folder's ledger, or an evidence bundle.")
    parser.add_argument("home", type=Path)
    parser.add_argument("--witness", type=Path, help="the folder outside the home that holds signed checkpoints")
    parser.add_argument("--receipt", type=Path, help="an answer as shown (JSON)")
    parser.add_argument("--key", type=Path, help="the public key you pinned: PEM, or a C2SP verifier key")
    parser.add_argument("--origin", help="the log's name you pinned")
    parser.add_argument("--expect", choices=("home", "bundle"), help="what it must be; the other is not valid")
    options = parser.parse_args(arguments)
    pinned = {name: getattr(options, name) for name in ("witness", "receipt", "key", "origin", "expect")}
    report = verify_home(options.home, **pinned)
    sys.stdout.write(json.dumps(report, indent=1) + "\n")
    return 0 if report["valid"] else 4


if __name__ == "__main__":
    sys.exit(main())
