"""Reading in a child process that may not write, connect or start anything, with bounds on memory and time.

:func:`read_guarded` is ``read_source`` done there. One *template* process per parent stays warm with the readers imported; each
file is read by a fork of it, which ends with the file, so that a hostile file meets no other file's words. The parent trusts
nothing that comes back: no pickle, every field checked (:mod:`wire`). A child that dies, hangs or talks nonsense is a refusal
of that one file.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from functools import partial
from pathlib import Path
from queue import Queue
from typing import IO, Any, TypeVar

from compliance_rag.parse.blocks import Extracted
from compliance_rag.parse.readers import wire
from compliance_rag.parse.readers.confine import MAX_CPU_SECONDS, MAX_MEMORY_BYTES
from compliance_rag.parse.readers.limits import MAX_PAGES
from compliance_rag.parse.readers.ocr_types import ReadPage
from compliance_rag.parse.readers.scans import Corrections, ScansNeeded, checked
from schemas.errors import InputRejected

# The longest rules in print take under a minute on one core; a file that takes ten is stuck.
READ_SECONDS = 600.0
# An extracted text with its positions is a few times its source, which has 200 MB at most.
MAX_REPLY_BYTES = 2 << 30
# Starting takes half a second; a machine that needs a minute for it is ill.
START_SECONDS = 60.0
# A page takes about eight seconds of a processor; a crowded one with a thousand lines half a minute more. On a busy machine a
# page waits for its turn: the clock on the wall is given five times that.
OCR_CPU_SECONDS, OCR_SECONDS = 60, 300.0
# Models, sessions and libraries take one gigabyte of address space, a page's picture and what is made of it another.
MAX_OCR_BYTES = 4 << 30
# Pages read by one child before it ends: loading the models costs a second, and progress is told after each child.
PAGES_A_CHILD = 4
Progress = Callable[[int, int], None]
_T = TypeVar("_T")
_SIZE = struct.Struct("<Q")
_REPLY = struct.Struct("<cQ")
_ROOT = Path(__file__).resolve().parents[3]
_DONE, _REFUSED, _PROBED, _SCANS, _READ = b"D", b"R", b"P", b"S", b"O"
_LATE = "{name}: reading it takes longer than {seconds:g} s; split it, or save it anew and add that."
_MEMORY = "it needs more than {limit} GB to read; split it into parts and add those"


class _Template:
    """The warm process that forks a reader for each file."""

    def __init__(self) -> None:
        paths = [str(_ROOT), *(path for path in sys.path if path)]
        code = "import sys, json; sys.path[:0] = json.loads(sys.argv[1])\nfrom compliance_rag.parse.readers import child_main\n"
        environment = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "LC_ALL": "C.UTF-8"}
        self.owner = os.getpid()
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-c", f"{code}child_main.serve()", json.dumps(paths)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd="/", env=environment,
            close_fds=True, start_new_session=True, bufsize=0,
        )  # fmt: skip

    @property
    def alive(self) -> bool:
        return self.owner == os.getpid() and self.process.poll() is None

    def ask(self, header: dict[str, Any], data: bytes, seconds: float) -> tuple[bytes, bytes]:
        """One request and its answer ``(kind, body)``. Raises TimeoutError when the time is up, ConnectionAbortedError when the
        child was gone before it had the file, EOFError when it goes after or says more than it may."""
        late = threading.Event()

        def stop() -> None:
            late.set()
            self.kill()

        timer = threading.Timer(seconds, stop)
        timer.daemon = True
        timer.start()
        try:
            return self._talk(header, data)
        except ConnectionAbortedError:
            self.kill()
            if late.is_set():
                raise TimeoutError from None
            raise
        except (EOFError, OSError) as error:
            self.kill()
            if late.is_set():
                raise TimeoutError from error
            raise EOFError from error
        finally:
            timer.cancel()

    def _talk(self, header: dict[str, Any], data: bytes) -> tuple[bytes, bytes]:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        head = json.dumps({**header, "size": len(data)}).encode()
        try:
            _send(self.process.stdin, _SIZE.pack(len(head)) + head)
            _send(self.process.stdin, data)
        except OSError as error:
            raise ConnectionAbortedError from error
        kind, size = _REPLY.unpack(receive(self.process.stdout, _REPLY.size))
        if size > MAX_REPLY_BYTES:
            raise EOFError
        return kind, receive(self.process.stdout, size)

    def kill(self) -> None:
        """End the template and what it forked."""
        if self.owner != os.getpid():
            return
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def close(self) -> None:
        """End it kindly: it stops when its input ends."""
        if self.owner == os.getpid() and self.process.stdin is not None and self.process.stdout is not None:
            self.process.stdin.close()
            self.process.stdout.close()
            self.kill()


def _send(stream: IO[bytes], data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[stream.write(view) or 0 :]


def receive(stream: IO[bytes], size: int) -> bytes:
    """Exactly ``size`` bytes. Raises EOFError when the stream ends before."""
    chunks: list[bytes] = []
    while size > 0:
        chunk = stream.read(min(size, 1 << 20))
        if not chunk:
            raise EOFError
        chunks.append(chunk)
        size -= len(chunk)
    return b"".join(chunks)


class _Warm:
    """The template of this process, started when first needed; one request at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._template: _Template | None = None

    def ask(self, header: dict[str, Any], data: bytes, seconds: float) -> tuple[bytes, bytes]:
        """As :meth:`_Template.ask`, by a living template; one that was gone before it had the file is replaced once."""
        with self._lock:
            for _ in range(2):
                if self._template is None or not self._template.alive:
                    self._template = _Template()
                with suppress(ConnectionAbortedError):
                    return self._template.ask(header, data, seconds)
        raise EOFError

    def close(self) -> None:
        """End the template, if there is one."""
        with self._lock:
            if self._template is not None:
                self._template.close()
            self._template = None


_WARM = _Warm()
atexit.register(_WARM.close)


def read_guarded(
    data: bytes,
    name: str,
    *,
    tracked: str | None = None,
    seconds: float = READ_SECONDS,
    memory: int = MAX_MEMORY_BYTES,
    corrections: Corrections | None = None,
    progress: Progress | None = None,
    read_scans: bool = True,
) -> Extracted:
    """Read one source file in a confined child. Pages that are pictures are read by more such children, some pages each, on all
    processors; ``progress(done, total)`` counts them. ``corrections``: what a person decided about such pages;
    without ``read_scans`` a file with such pages is not read.

    Raises InputRejected: those of ``read_source``, and ``reader_timeout``, ``reader_memory``, ``reader_failed`` for a file at
    which the reader takes too long, needs too much or dies; :class:`ScansNeeded` without ``read_scans``. The next file is read
    as if nothing had been.
    """
    limits = {"memory": memory, "seconds": min(int(seconds) + 1, MAX_CPU_SECONDS)}
    told = {str(page): text for page, text in (corrections or {}).items()}
    header: dict[str, Any] = {"name": name, "tracked": tracked, "corrections": told, **limits}
    kind, body = _asked(_WARM, header, data, seconds)
    if kind == _SCANS:
        pages = _understood(name, _numbers, body)
        if not read_scans:
            raise ScansNeeded(pages)
        read = _read_scans(data, name, pages, progress)
        header["scans"] = wire.pack_pages(read).decode("utf-8", "surrogatepass")
        kind, body = _asked(_WARM, header, data, seconds)
    if kind == _DONE:
        return _understood(name, wire.unpack, body)
    raise _understood(name, partial(_refusal, name=name, memory=memory, seconds=seconds), body)


def _asked(who: _Warm | _Template, header: dict[str, Any], data: bytes, seconds: float) -> tuple[bytes, bytes]:
    """A child's answer. Raises InputRejected ``reader_timeout``, ``reader_failed``."""
    name = header["name"]
    try:
        return who.ask(header, data, seconds)
    except TimeoutError as error:
        raise InputRejected("reader_timeout", _LATE.format(name=name, seconds=seconds), name) from error
    except (EOFError, ConnectionAbortedError) as error:
        raise InputRejected(
            "reader_failed", f"{name}: the reader gave up on it; open the file, save it anew and add that.", name
        ) from error


def _understood(name: str, decode: Callable[[bytes], _T], body: bytes) -> _T:
    try:
        return decode(body)
    except ValueError as error:
        raise InputRejected(
            "reader_failed", f"{name}: the reader's answer makes no sense; the file is not taken.", name
        ) from error


def _numbers(body: bytes) -> list[int]:
    pages = json.loads(body)
    if not isinstance(pages, list) or not all(type(page) is int and 0 < page <= MAX_PAGES for page in pages):
        raise ValueError("no page numbers")
    return sorted(set(pages))


def _read_scans(data: bytes, name: str, pages: list[int], progress: Progress | None) -> list[ReadPage]:
    """These pages, read by as many confined children at once as there are processors; the first that fails ends it."""
    workers = max(1, min(len(os.sched_getaffinity(0)), len(pages)))
    step = max(1, min(PAGES_A_CHILD, len(pages) // (2 * workers)))
    chunks = [pages[at : at + step] for at in range(0, len(pages), step)]
    free: Queue[_Template] = Queue()
    templates = [_Template() for _ in range(workers)]
    for template in templates:
        free.put(template)
    found: dict[int, ReadPage] = {}
    try:
        with ThreadPoolExecutor(workers) as pool:
            waiting = [pool.submit(_read_chunk, free, data, name, chunk) for chunk in chunks]
            try:
                for done in as_completed(waiting):
                    found |= {page.number: page for page in done.result()}
                    if progress is not None:
                        progress(len(found), len(pages))
            except InputRejected:
                for one in waiting:
                    one.cancel()
                raise
    finally:
        for template in templates:
            template.close()
    return [found[page] for page in pages]


def _read_chunk(free: Queue[_Template], data: bytes, name: str, pages: list[int]) -> list[ReadPage]:
    template = free.get()
    try:
        header = {"name": name, "pages": pages, "memory": MAX_OCR_BYTES, "seconds": OCR_CPU_SECONDS * len(pages)}
        kind, body = _asked(template, header, data, OCR_SECONDS * len(pages))
    finally:
        free.put(template)
    if kind == _READ:
        return _understood(name, lambda answer: checked(wire.unpack_pages(answer), pages), body)
    seconds = OCR_SECONDS * len(pages)
    raise _understood(name, partial(_refusal, name=name, memory=MAX_OCR_BYTES, seconds=seconds), body)


def _refusal(body: bytes, *, name: str, memory: int, seconds: float) -> InputRejected:
    answer = json.loads(body)
    if not isinstance(answer, dict) or not all(isinstance(answer.get(key), str) for key in ("code", "message")):
        raise ValueError("no refusal")
    if answer["code"] == "reader_memory":
        return InputRejected("reader_memory", f"{name}: {_MEMORY.format(limit=round(memory / (1 << 30), 1))}.", name)
    if answer["code"] == "reader_timeout":
        return InputRejected("reader_timeout", _LATE.format(name=name, seconds=seconds), name)
    return InputRejected(answer["code"], answer["message"], name)


def confinement() -> dict[str, Any]:
    """What the confined child of this machine is held by (:class:`confine.Held`), and which forbidden acts it could do all the
    same when it tried them: ``{"held": {…}, "escapes": […]}``. Raises InputRejected ``reader_failed``."""
    try:
        _, body = _WARM.ask({"probe": True, "memory": MAX_MEMORY_BYTES, "seconds": MAX_CPU_SECONDS}, b"", START_SECONDS)
    except (TimeoutError, EOFError) as error:
        raise InputRejected("reader_failed", "The reading child does not start.") from error
    found: dict[str, Any] = json.loads(body)
    return found
