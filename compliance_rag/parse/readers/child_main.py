"""The reading child: a template that forks a confined reader for each file. Only :mod:`child` starts it.

The template reads a request's header, imports what that kind of file needs, and forks; the fork takes the file from the same
pipe, confines itself, reads, answers and ends. A fork that ends badly ends the template: its parent then knows and starts anew.
"""

from __future__ import annotations

import gc
import json
import os
import signal
import socket
import struct
import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from io import FileIO
from pathlib import PurePath
from typing import Any

from compliance_rag.parse.readers import read_source, wire
from compliance_rag.parse.readers.confine import Held, forbid_calls, forbid_files, hook_python, limit_files, limit_work
from compliance_rag.parse.readers.ocr_types import ReadPage
from compliance_rag.parse.readers.ocr_words import known_words
from compliance_rag.parse.readers.scans import ScansNeeded, read_here
from schemas.errors import InputRejected

_SIZE = struct.Struct("<Q")
_REPLY = struct.Struct("<cQ")
_CHUNK = 1 << 20
_READERS = "compliance_rag.parse.readers."
# What to import before forking, by the end of the file's name; anything else is imported by the fork itself.
_MODULES = {
    ".docx": ("docx",), ".pdf": ("pdf",), ".md": ("markdown",), ".markdown": ("markdown",), ".txt": ("plain",),
    ".html": ("html",), ".htm": ("html",), ".xml": ("xml",), ".akn": ("xml",), ".json": ("clauses_json",),
    ".png": ("pdf",), ".jpg": ("pdf",), ".jpeg": ("pdf",), ".tif": ("pdf",), ".tiff": ("pdf",),
}  # fmt: skip


def serve() -> None:
    """Answer requests from standard input until it ends."""
    source, answers = FileIO(os.dup(0)), FileIO(os.dup(1), "w")
    quiet = os.open("/dev/null", os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(quiet, descriptor)
    os.close(quiet)
    limit_files()
    landlock = forbid_files(_readable())
    gc.disable()
    while True:
        try:
            header = json.loads(_receive(source, _SIZE.unpack(_receive(source, _SIZE.size))[0]))
        except EOFError:
            return
        for module in _MODULES.get(PurePath(str(header.get("name", ""))).suffix.lower(), ()):
            import_module(_READERS + module)
            if module == "pdf":
                known_words()
        if header.get("pages"):
            import_module(_READERS + "ocr_engine").prepare()
        gc.freeze()
        fork = os.fork()
        if fork == 0:
            _work(header, source, answers, landlock)
        _, status = os.waitpid(fork, 0)
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGXCPU:
            _answer(answers, b"R", json.dumps({"code": "reader_timeout", "message": ""}).encode())
        elif status != 0:
            return


def _readable() -> list[str]:
    """Folders of the interpreter, of installed packages and of this project's code."""
    found = {os.path.realpath(sys.prefix), os.path.realpath(sys.base_prefix)}
    for path in map(os.path.realpath, filter(None, sys.path)):
        if os.path.isdir(os.path.join(path, "compliance_rag")) and os.path.isdir(os.path.join(path, "schemas")):
            found |= {os.path.join(path, room) for room in ("compliance_rag", "schemas", "audit")}
        elif path.endswith(("site-packages", "dist-packages")):
            found.add(path)
    return sorted(found)


def _work(header: dict[str, Any], source: FileIO, answers: FileIO, landlock: int) -> None:
    """Read one file and end this process."""
    data = _receive(source, header["size"])
    source.close()
    limit_work(header["memory"], header["seconds"])
    seccomp = forbid_calls()
    if not seccomp:
        hook_python()
    if header.get("probe"):
        held = Held(True, seccomp, landlock, not seccomp)
        _answer(answers, b"P", json.dumps({"held": held.as_json(), "escapes": _escapes()}).encode())
    else:
        _answer(answers, *_read(data, header))
    os._exit(0)


def _read(data: bytes, header: dict[str, Any]) -> tuple[bytes, bytes]:
    name = header["name"]
    try:
        if header.get("pages"):
            return b"O", wire.pack_pages(read_here(data, name, header["pages"]))
        corrections = {int(page): text for page, text in header.get("corrections", {}).items()}
        given = header.get("scans")
        scans = partial(_given, None if given is None else wire.unpack_pages(given.encode()))
        return b"D", wire.pack(read_source(data, name, tracked=header["tracked"], scans=scans, corrections=corrections))
    except ScansNeeded as needed:
        return b"S", json.dumps(needed.pages).encode()
    except InputRejected as refusal:
        code, message = refusal.code, refusal.message
    except MemoryError:
        code, message = "reader_memory", ""
    except RecursionError:
        code, message = "too_deep", f"{name}: its parts are nested too deep to be read; save it anew and add that."
    return b"R", json.dumps({"code": code, "message": message}).encode()


def _given(found: list[ReadPage] | None, data: bytes, name: str, pages: Sequence[int]) -> list[ReadPage]:
    """The pages that the parent had read; without them it is asked to."""
    if found is None:
        raise ScansNeeded(pages)
    return found


def _escapes() -> list[str]:
    """The forbidden acts that succeed."""
    out: list[str] = []
    attempts: tuple[tuple[str, Callable[[], None]], ...] = (
        ("connect", lambda: socket.socket().close()),
        ("write", lambda: os.close(os.open("/tmp", os.O_RDWR | os.O_TMPFILE))),
        ("remove", lambda: os.rmdir("/nowhere-at-all")),
        ("fork", _fork),
        ("run", lambda: os.execv("/bin/true", ["true"])),
        ("read", lambda: os.close(os.open("/etc/passwd", os.O_RDONLY))),
    )
    for act, attempt in attempts:
        try:
            attempt()
            out.append(act)
        except PermissionError:
            continue
        except OSError as error:
            out.append(f"{act}: {error.strerror}")
    return out


def _fork() -> None:
    if os.fork() == 0:
        os._exit(0)


def _receive(source: FileIO, size: int) -> bytes:
    chunks: list[bytes] = []
    while size > 0:
        chunk = source.read(min(size, _CHUNK))
        if not chunk:
            raise EOFError
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


def _answer(answers: FileIO, kind: bytes, body: bytes) -> None:
    view = memoryview(_REPLY.pack(kind, len(body)) + body)
    while view:
        view = view[answers.write(view) :]
