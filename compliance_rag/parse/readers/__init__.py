"""Readers: source bytes to extracted text and blocks. :func:`read_source` decides the kind of file by content and name."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import PurePath
from typing import Literal

from compliance_rag.parse.blocks import Extracted
from compliance_rag.parse.readers import pictures
from compliance_rag.parse.readers.decode import Source, declared_html, declared_xml, decode
from compliance_rag.parse.readers.limits import MAX_DIRECTORY_BYTES, MAX_FILE_BYTES
from compliance_rag.parse.readers.scans import Corrections, PageReader, read_here
from schemas.errors import InputRejected

Tracked = Literal["final", "original"]

_KNOWN = "give Word (.docx), Markdown, text, HTML, Akoma Ntoso or D.C. XML, .clauses.json, a PDF, or a scan (PNG, JPEG, TIFF)."
_LATER_DEFAULT = f"a packed or binary office file is not read; {_KNOWN}"
_OLD_WORD = "this is the Word format of before 2007; open it in Word or LibreOffice, save it as .docx and add that."
_LATER = {
    ".doc": _OLD_WORD,
    ".dot": _OLD_WORD,
    ".rtf": "RTF is not read; open it in Word, save it as .docx and add that.",
    ".odt": "OpenDocument files are not read; save the document as .docx and add that.",
    ".wpd": "WordPerfect files are not read; open it in Word or LibreOffice, save it as .docx and add that.",
}
_WORD_SUFFIXES = frozenset((".docx", ".docm", ".dotx", ".dotm"))
# The name under which Office keeps an encrypted package in its older container.
_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_SUFFIXES = {
    ".md": "markdown", ".markdown": "markdown", ".txt": "text", ".text": "text", ".html": "html", ".htm": "html",
    ".xhtml": "html", ".xml": "xml", ".akn": "xml",
}  # fmt: skip


def read_source(
    data: bytes,
    name: str,
    *,
    tracked: Tracked | None = None,
    scans: PageReader = read_here,
    corrections: Corrections | None = None,
) -> Extracted:
    """Read one source file. ``name`` gives the extension; ``tracked`` chooses the wording where the file marks deletions and
    insertions (None reads the final wording and flags ``tracked_changes``); ``scans`` reads the pages that are pictures;
    ``corrections`` is what a person decided about such pages, by their number.

    Raises InputRejected: ``empty_file``, ``file_too_large``, ``unknown_type``, ``unreadable_text``, ``damaged_file``,
    ``encrypted_pdf``, ``encrypted_docx``, ``macros_refused``, ``external_content``, ``unpacks_too_large``, ``no_text``,
    ``dtd_refused``, ``too_deep``, ``too_many_pages``, ``no_ocr``.
    """
    if not data:
        raise InputRejected("empty_file", f"{name}: the file is empty; give the file that holds the text.", name)
    if len(data) > MAX_FILE_BYTES:
        raise InputRejected(
            "file_too_large", f"{name}: {len(data):,} bytes; at most {MAX_FILE_BYTES:,} are read, split the file.", name
        )
    kind = _kind(data, name)
    if kind in ("pdf", "picture"):
        return _pages(data, name, scans, corrections)
    return _READERS[kind](data, name, tracked == "original")


def _kind(data: bytes, name: str) -> str:
    """Which reader: by content where the content says so, by extension where it cannot."""
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    lower = name.lower()
    suffix = PurePath(lower).suffix
    if data.startswith(b"\xd0\xcf\x11\xe0") and _ENCRYPTED in data:
        raise InputRejected(
            "encrypted_docx", f"{name}: it is protected by a password; remove it in Word and add it again.", name
        )
    if data.startswith(b"PK\x03\x04") and (suffix in _WORD_SUFFIXES or _holds_word(data)):
        return "docx"
    if suffix in _WORD_SUFFIXES:
        if data.startswith(b"\xd0\xcf\x11\xe0"):
            raise InputRejected("unknown_type", f"{name}: {_OLD_WORD}", name)
        raise InputRejected("damaged_file", f"{name}: it is named {suffix} and holds no Word file; fetch it again.", name)
    if pictures.is_picture(data):
        return "picture"
    if suffix in pictures.SUFFIXES:
        raise InputRejected("damaged_file", f"{name}: it is named {suffix} and holds no such picture; scan it anew.", name)
    if suffix in _LATER or data.startswith((b"PK\x03\x04", b"\xd0\xcf\x11\xe0", b"\xffWPC")):
        raise InputRejected("unknown_type", f"{name}: {_LATER.get(suffix, _LATER_DEFAULT)}", name)
    if data.startswith(b"{\\rtf"):
        raise InputRejected("unknown_type", f"{name}: {_LATER['.rtf']}", name)
    if data[:1024].find(b"%PDF-") >= 0 and (suffix == ".pdf" or data.startswith(b"%PDF-")):
        return "pdf"
    if suffix == ".pdf":
        raise InputRejected("damaged_file", f"{name}: it is named .pdf and holds no PDF; fetch it again.", name)
    if lower.endswith(".clauses.json"):
        return "clauses"
    kind = _SUFFIXES.get(suffix)
    if kind == "xml" and re.match(rb"(?:<\?xml[^>]{0,200}\?>\s{0,99})?(?:<!DOCTYPE html|<html)", head, re.IGNORECASE):
        return "html"
    if kind is None:
        raise InputRejected("unknown_type", f"{name}: this kind of file is not read; {_KNOWN}", name)
    return kind


def _holds_word(data: bytes) -> bool:
    """True for an archive with a Word document in it, whatever it is named. The names stand in its directory at the end."""
    return b"word/document.xml" in data[-MAX_DIRECTORY_BYTES:]


def _docx(data: bytes, name: str, original: bool) -> Extracted:
    from compliance_rag.parse.readers.docx import read_docx

    return read_docx(data, name, original=original)


def _markdown(data: bytes, name: str, original: bool) -> Extracted:
    from compliance_rag.parse.readers.markdown import read_markdown

    return read_markdown(decode(data, name), original=original)


def _text(data: bytes, name: str, original: bool) -> Extracted:
    from compliance_rag.parse.readers.plain import read_plain

    return read_plain(decode(data, name))


def _xml(data: bytes, name: str, original: bool) -> Extracted:
    from compliance_rag.parse.readers.xml import read_xml

    return read_xml(decode(data, name, declared_xml(data)), name)


def _clauses(data: bytes, name: str, original: bool) -> Extracted:
    from compliance_rag.parse.readers.clauses_json import read_clauses_json

    return read_clauses_json(decode(data, name), name)


def _html(data: bytes, name: str, original: bool) -> Extracted:
    from compliance_rag.parse.readers.html import read_html

    return read_html(decode(data, name, declared_html(data)), name, original=original)


def _pages(data: bytes, name: str, scans: PageReader, corrections: Corrections | None) -> Extracted:
    from compliance_rag.parse.readers.pdf import read_pdf

    return read_pdf(data, name, scans, corrections)


_READERS: dict[str, Callable[[bytes, str, bool], Extracted]] = {
    "markdown": _markdown,
    "text": _text,
    "xml": _xml,
    "clauses": _clauses,
    "html": _html,
    "docx": _docx,
}
__all__ = ["Source", "Tracked", "read_source"]
