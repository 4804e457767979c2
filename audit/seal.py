"""Sealing personal parts under a key of the record's own: destroying the key destroys them and the log still verifies.

AES-256-CTR with a fresh key for every part (HKDF-Expand with SHA-256, RFC 5869, from the record's key): the counter starts
at zero and ``openssl enc -aes-256-ctr`` opens it; an HMAC-SHA256 of the plaintext under a second derived key proves the opening
and, once the key is gone, confirms no guess.
"""

from __future__ import annotations

import hmac
import os
import re

from schemas.errors import IntegrityError

KEY_BYTES = 32
KEY_ID_BYTES = 16
_KEY_FILE = re.compile(rb"[0-9a-f]{64}\n\Z")


def new_key() -> tuple[str, bytes]:
    """A random key id (hex, names the file) and a random key."""
    return os.urandom(KEY_ID_BYTES).hex(), os.urandom(KEY_BYTES)


def print_key(key: bytes) -> bytes:
    """The key file's content: hex and LF."""
    return key.hex().encode() + b"\n"


def read_key(data: bytes, where: str) -> bytes:
    """The key in a key file. Raises IntegrityError ``key_damaged``."""
    if not _KEY_FILE.match(data):
        raise IntegrityError("key_damaged", f"Key file {where} is not 64 hex digits and a line feed.", where)
    return bytes.fromhex(data[:-1].decode())


def derive(key: bytes, use: str, ordinal: int, role: str) -> bytes:
    """HKDF-Expand to 32 bytes with info ``compliance-rag/part/v1 USE ORDINAL ROLE``; ``use`` is ``encrypt`` or ``mac``."""
    info = f"compliance-rag/part/v1 {use} {ordinal} {role}".encode()
    return hmac.digest(key, info + b"\x01", "sha256")


def seal(key: bytes, ordinal: int, role: str, data: bytes) -> tuple[bytes, str]:
    """Ciphertext of the record's part number ``ordinal`` (from 0) and the hex HMAC of its plaintext."""
    return _stream(derive(key, "encrypt", ordinal, role), data), _mac(key, ordinal, role, data)


def unseal(key: bytes, ordinal: int, role: str, data: bytes, mac: str) -> bytes:
    """The plaintext, proved to be what was sealed. Raises IntegrityError ``part_damaged`` when the HMAC differs."""
    plain = _stream(derive(key, "encrypt", ordinal, role), data)
    if _mac(key, ordinal, role, plain) != mac:
        raise IntegrityError("part_damaged", f"Part {role} opened under its key isn't what was sealed.", role)
    return plain


def _mac(key: bytes, ordinal: int, role: str, data: bytes) -> str:
    return hmac.digest(derive(key, "mac", ordinal, role), data, "sha256").hex()


def _stream(key: bytes, data: bytes) -> bytes:
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    worker = Cipher(algorithms.AES(key), modes.CTR(bytes(16))).encryptor()
    return worker.update(data) + worker.finalize()
