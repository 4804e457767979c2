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
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from compliance_rag.parse.blocks import Extracted
from compliance_rag.parse.readers import wire
from compliance_rag.parse.readers.confine import MAX_CPU_SECONDS, MAX_MEMORY_BYTES
from schemas.errors import InputRejected

# The longest rules in print take under a minute on one core; a file that takes ten is stuck.
READ_SECONDS = 600.0
# An extracted text with its positions is a few times its source, which has 200 MB at most.
MAX_REPLY_BYTES = 2 << 30
# Starting takes half a second; a machine that needs a minute for it is ill.
START_SECONDS = 60.0
_SIZE = struct.Struct("<Q")
_REPLY = struct.Struct("<cQ")
_ROOT = Path(__file__).resolve().parents[3]
_DONE, _REFUSED, _PROBED = b"D", b"R", b"P"
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
) -> Extracted:
    """Read one source file in a confined child.

    Raises InputRejected: those of ``read_source``, and ``reader_timeout``, ``reader_memory``, ``reader_failed`` for a file at
    which the reader takes too long, needs too much or dies. The next file is read as if nothing had been.
    """
    header = {"name": name, "tracked": tracked, "memory": memory, "seconds": min(int(seconds) + 1, MAX_CPU_SECONDS)}
    try:
        kind, body = _WARM.ask(header, data, seconds)
    except TimeoutError as error:
        raise InputRejected("reader_timeout", _LATE.format(name=name, seconds=seconds), name) from error
    except EOFError as error:
        raise InputRejected(
            "reader_failed", f"{name}: the reader gave up on it; open the file, save it anew and add that.", name
        ) from error
    try:
        if kind == _DONE:
            return wire.unpack(body)
        raise _refusal(json.loads(body), name, memory, seconds)
    except ValueError as error:
        raise InputRejected(
            "reader_failed", f"{name}: the reader's answer makes no sense; the file is not taken.", name
        ) from error


def _refusal(answer: Any, name: str, memory: int, seconds: float) -> InputRejected:
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
