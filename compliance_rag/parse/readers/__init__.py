"""Readers: source bytes to extracted text and blocks. :func:`read_source` decides the kind of file by content and name."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Literal

from compliance_rag.parse.blocks import Extracted
from compliance_rag.parse.readers.decode import Source, decode
from compliance_rag.parse.readers.limits import MAX_FILE_BYTES
from schemas.errors import InputRejected

Tracked = Literal["final", "original"]


def read_source(data: bytes, name: str, *, tracked: Tracked | None = None) -> Extracted:
    """Read one source file. ``name`` gives the extension; ``tracked`` chooses the wording where the file marks deletions and
    insertions (None reads the final wording and flags ``tracked_changes``).

    Raises InputRejected: ``empty_file``, ``file_too_large``, ``unknown_type``, ``unreadable_text``, ``damaged_file``,
    ``encrypted_pdf``, ``no_text``, ``dtd_refused``, ``too_deep``, ``too_many_pages``.
    """
    if not data:
        raise InputRejected("empty_file", f"{name}: the file is empty; give the file that holds the text.", name)
    if len(data) > MAX_FILE_BYTES:
        raise InputRejected(
            "file_too_large", f"{name}: {len(data):,} bytes; at most {MAX_FILE_BYTES:,} are read, split the file.", name
        )
    return _READERS[_kind(data, name)](data, name, tracked == "original")


def _kind(data: bytes, name: str) -> str:
    suffix = PurePath(name).suffix.lower()
    if suffix in (".md", ".markdown"):
        return "markdown"
    if suffix in (".txt", ".text", ""):
        return "text"
    raise InputRejected("unknown_type", f"{name}: the kind of file is not known.", name)


def _markdown(data: bytes, name: str, original: bool) -> Extracted:
    from compliance_rag.parse.readers.markdown import read_markdown

    return read_markdown(decode(data, name), original=original)


def _text(data: bytes, name: str, original: bool) -> Extracted:
    from compliance_rag.parse.readers.plain import read_plain

    return read_plain(decode(data, name))


_READERS: dict[str, Callable[[bytes, str, bool], Extracted]] = {"markdown": _markdown, "text": _text}
__all__ = ["Source", "Tracked", "read_source"]
