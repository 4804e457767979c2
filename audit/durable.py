"""Writing so that it survives the process and the power: the only module of this room that writes, renames or unlinks."""

from __future__ import annotations

import fcntl
import os
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path

from schemas.errors import IntegrityError

# An answer has nine parts, a key and two folders to make durable; more threads than this wait for one disk anyway.
SYNC_THREADS = 12

# Which file holds some bytes: its number and when it was written.
Stored = tuple[int, int]


def write_all(descriptor: int, data: bytes) -> None:
    """Write every byte; a short write goes on. Raises OSError."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def sync_folder(folder: Path) -> None:
    """Make names in ``folder`` durable. Raises OSError."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_folder(folder: Path) -> None:
    """Create ``folder`` (its parent must exist) and make its name durable."""
    if not folder.is_dir():
        folder.mkdir(exist_ok=True)
        sync_folder(folder.parent)


def write_new(path: Path, data: bytes, mode: int = 0o644) -> None:
    """Create ``path`` with ``data``; durable only after :func:`sync_all` of the file and its folder.

    Raises FileExistsError when it is there already; a half-written file of a failed write is taken away again.
    """
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        write_all(descriptor, data)
    except OSError:
        with suppress(OSError):
            os.unlink(path)
        raise
    finally:
        os.close(descriptor)


def write_content(path: Path, data: bytes) -> Stored:
    """Store bytes under the name of their own hash; equal bytes there already stay, damaged ones are moved aside. Durable only
    after :func:`sync_all`, also where they were there: another process may not have come to that yet. Gives which file holds
    them, so that who made that very file durable need not do so again.

    The name appears with all its bytes: others store the same ones at the same time, and would take half of them for damage.
    """
    found = _holding(path, data)
    if found is not None:
        return found
    temporary = path.with_name(f".{path.name}.{os.getpid()}.{threading.get_ident()}.tmp")
    with suppress(FileNotFoundError):  # of a dead process that had these numbers
        os.unlink(temporary)
    write_new(temporary, data)
    try:
        while True:
            try:
                os.link(temporary, path)
                return _stored(os.stat(temporary))
            except FileExistsError:
                found = _holding(path, data)
                if found is not None:
                    return found
                with suppress(FileNotFoundError):
                    os.replace(path, path.with_name(path.name + ".damaged"))
    finally:
        os.unlink(temporary)


def _holding(path: Path, data: bytes) -> Stored | None:
    try:
        with open(path, "rb", buffering=0) as file:
            return _stored(os.fstat(file.fileno())) if file.readall() == data else None
    except FileNotFoundError:
        return None


def _stored(found: os.stat_result) -> Stored:
    return found.st_ino, found.st_mtime_ns


def sync_all(paths: Sequence[Path]) -> None:
    """Make files' bytes and folders' names durable, all at once: the disk commits them together (six on a busy ext4: 13 ms one
    after another, 1.3 ms at once). Raises the first OSError after all have ended."""
    done = [_threads().submit(_sync, path) for path in paths[1:]]
    try:
        _sync(paths[0])
    finally:
        wait(done)
    for one in done:
        one.result()


@cache
def _threads() -> ThreadPoolExecutor:
    """The threads that sync, for all calls of this process: starting eight for each answer took a third of its time under
    load."""
    return ThreadPoolExecutor(SYNC_THREADS, thread_name_prefix="sync")


# A forked child has none of the threads.
os.register_at_fork(after_in_child=_threads.cache_clear)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace(path: Path, data: bytes) -> None:
    """Put ``data`` in place of ``path`` at once: temp file, fsync, rename, folder fsync. Raises OSError; then either the old
    or the new content stands there, never a mixture."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
    try:
        write_all(descriptor, data)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.replace(temporary, path)
    sync_folder(path.parent)


def destroy(path: Path) -> None:
    """Overwrite a small file with zeros, fsync, unlink, and make that durable; nothing when it is gone already."""
    try:
        descriptor = os.open(path, os.O_WRONLY)
    except FileNotFoundError:
        sync_folder(path.parent)
        return
    try:
        write_all(descriptor, bytes(os.fstat(descriptor).st_size))
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    os.unlink(path)
    sync_folder(path.parent)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the exclusive ``flock`` on ``path``, waiting for other processes and threads. Raises IntegrityError
    ``ledger_unwritable`` when the lock file can't be opened for writing."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise IntegrityError(
            "ledger_unwritable", f"{path.name} can't be locked ({error.strerror}); make the folder writable.", path.name
        ) from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
