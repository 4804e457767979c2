"""Identifiers: document, version and clause ids are built and read here and nowhere else."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Sequence

from schemas.errors import InputRejected

# A directory entry holds 255 bytes and partition keys join two slugs: 100 characters (300 bytes of CJK at most) fit any list.
SLUG_LIMIT = 100
_NOT_SLUG = re.compile(r"[^\w.]+", re.UNICODE)


def slug(label: str, where: str = "label") -> str:
    """Lower-case letters and digits of any script, ``.`` kept, everything else one ``-``.

    ``effective May 25, 2018`` -> ``effective-may-25-2018``; ``2023年第二次修订`` stays. Raises InputRejected ``bad_label``
    when nothing is left.
    """
    text = unicodedata.normalize("NFKC", label).lower()
    text = _NOT_SLUG.sub("-", text.replace("_", "-")).strip("-.")
    text = text[:SLUG_LIMIT].rstrip("-.")
    if not text:
        raise InputRejected("bad_label", f"{where}: {label!r} holds no letter or digit to make an id from.", where)
    return text


def check_doc_id(doc_id: str) -> str:
    """``doc_id`` itself when it is a slug. Raises InputRejected ``bad_doc_id`` otherwise."""
    if not doc_id or slug(doc_id, "doc_id") != doc_id:
        raise InputRejected(
            "bad_doc_id", f"doc_id {doc_id!r} must be lower-case letters, digits, '-' and '.'; try {slug(doc_id)!r}."
        )
    return doc_id


def version_id_for(label: str, taken: Collection[str], *, correction: bool = False) -> str:
    """The version id of ``label``; a correction, or a label whose slug is taken by another label, gets ``~2``, ``~3`` …"""
    base = slug(label, "version")
    if base not in taken and not correction:
        return base
    twin = 2
    while f"{base}~{twin}" in taken:
        twin += 1
    return f"{base}~{twin}" if base in taken else base


def version_ref(doc_id: str, version_id: str) -> str:
    """``doc_id@version_id``: also the Dagster partition key."""
    return f"{doc_id}@{version_id}"


def clause_id(doc_id: str, version_id: str, path: Sequence[str]) -> str:
    """``doc_id@version_id#4/1/1``."""
    return f"{doc_id}@{version_id}#{'/'.join(path)}"


def read_clause_id(text: str) -> tuple[str, str, tuple[str, ...]]:
    """Split a clause id into document, version id and path. Raises InputRejected ``bad_clause_id``."""
    head, mark, tail = text.partition("#")
    doc_id, at, version_id = head.partition("@")
    if not (mark and at and doc_id and version_id and tail):
        raise InputRejected("bad_clause_id", f"{text!r} is not a clause id; one looks like policy@2.1#4/1/a.", text)
    return doc_id, version_id, tuple(tail.split("/"))
