"""C2SP signed notes holding a tlog-checkpoint, Ed25519: read strictly, signed, proved. The only reader and printer of notes."""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from schemas.errors import InputRejected, IntegrityError

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

_NUMBER = re.compile(r"0\Z|[1-9][0-9]{0,18}\Z", re.ASCII)
_ED25519 = b"\x01"
_DASH = "\u2014"


@dataclass(frozen=True, slots=True)
class Note:
    """A checkpoint: the log's name, its size and root (hex), and who signed it: ``(name, key id, signature)``."""

    origin: str
    size: int
    root: str
    signatures: tuple[tuple[str, bytes, bytes], ...]

    @property
    def text(self) -> bytes:
        """The signed bytes: three lines."""
        return note_text(self.origin, self.size, self.root)


def note_text(origin: str, size: int, root: str) -> bytes:
    """Origin, size, base64 of the root, each with its line feed."""
    return f"{origin}\n{size}\n{base64.b64encode(bytes.fromhex(root)).decode()}\n".encode()


def key_id(name: str, public: bytes) -> bytes:
    """The first four bytes of sha256 over name, LF, 0x01 and the raw public key."""
    return hashlib.sha256(name.encode() + b"\n" + _ED25519 + public).digest()[:4]


def verifier_key(name: str, public: bytes) -> str:
    """The C2SP verifier key: ``name+id+base64``."""
    return f"{name}+{key_id(name, public).hex()}+{base64.b64encode(_ED25519 + public).decode()}"


def read_note(data: bytes, where: str = "checkpoint") -> Note:
    """A note of exactly three lines and at least one signature; proves nothing of them.

    Anything else (a leading zero, CR, base64 that is not canonical, lines missing or too many, bytes after the signatures)
    raises IntegrityError ``bad_checkpoint``.
    """
    try:
        return _read(data)
    except (ValueError, binascii.Error) as error:
        raise IntegrityError("bad_checkpoint", f"{where} is not a checkpoint note: {error}.", where) from error


def _read(data: bytes) -> Note:
    body, gap, tail = data.decode("utf-8").partition("\n\n")
    lines = body.split("\n")
    if any(ord(sign) < ord(" ") for sign in (body + tail).replace("\n", "")):
        raise ValueError("it holds a control character")
    if not gap or not tail.endswith("\n") or len(lines) != 3:
        raise ValueError("it is not three lines, an empty line and signatures")
    origin, size, root = lines
    if not origin or not _NUMBER.match(size):
        raise ValueError("its origin is empty or its size is not a plain number")
    digest = _exact(root)
    if len(digest) != hashlib.sha256().digest_size:
        raise ValueError("its root is not 32 bytes")
    return Note(origin, int(size), digest.hex(), tuple(_signature(line) for line in tail[:-1].split("\n")))


def _signature(line: str) -> tuple[str, bytes, bytes]:
    pieces = line.split(" ")
    if len(pieces) != 3 or pieces[0] != _DASH or not pieces[1] or "+" in pieces[1]:
        raise ValueError("a signature line is malformed")
    raw = _exact(pieces[2])
    if len(raw) < 5:
        raise ValueError("a signature is too short")
    return pieces[1], raw[:4], raw[4:]


def _exact(text: str) -> bytes:
    data = base64.b64decode(text.encode("ascii"), validate=True)
    if base64.b64encode(data).decode() != text:
        raise ValueError("base64 is not canonical")
    return data


def read_private(pem: bytes) -> Ed25519PrivateKey:
    """An unencrypted Ed25519 key in PEM (PKCS 8). Raises InputRejected ``bad_key``."""
    from cryptography.exceptions import UnsupportedAlgorithm
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    try:
        key = load_pem_private_key(pem, password=None)
    except (ValueError, TypeError, UnsupportedAlgorithm) as error:
        raise InputRejected(
            "bad_key", "The key is not an unencrypted private key in PEM; make one with openssl genpkey."
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise InputRejected("bad_key", "The key is not an Ed25519 key; make one with openssl genpkey -algorithm ed25519.")
    return key


def sign_note(key: Ed25519PrivateKey, origin: str, size: int, root: str) -> bytes:
    """The note's bytes, signed under the log's name."""
    text = note_text(origin, size, root)
    public = key.public_key().public_bytes_raw()
    signature = base64.b64encode(key_id(origin, public) + key.sign(text)).decode()
    return text + f"\n{_DASH} {origin} {signature}\n".encode()


def signed_by(note: Note, public: bytes) -> bool:
    """Proves that the holder of the raw public key signed this note under the log's name."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    for name, short, signature in note.signatures:
        if name == note.origin and short == key_id(note.origin, public):
            try:
                Ed25519PublicKey.from_public_bytes(public).verify(signature, note.text)
            except InvalidSignature:
                continue
            return True
    return False
