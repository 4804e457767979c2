"""The log's files, `ledger/log/*.jsonl`, 10,000 lines each: reads on from what is known, appends, cuts a torn end."""

from __future__ import annotations

import os
from array import array
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from audit.durable import sync_folder, write_all
from schemas.errors import IntegrityError
from schemas.ledger import LINES_PER_FILE


def file_name(index: int) -> str:
    """The log file that holds record ``index``: ten digits of its first record."""
    return f"{index - index % LINES_PER_FILE:010d}.jsonl"


class LogLines:
    """Where each known line lies. Known lines are those a caller took by :meth:`read_on`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._ends = array("Q")  # end of each line in its file, LF included

    def __len__(self) -> int:
        return len(self._ends)

    def line(self, index: int) -> bytes:
        """The bytes of a known line without LF, as they are on disk now. Raises IntegrityError ``ledger_behind_head``."""
        start, end = self._start(index), self._ends[index]
        try:
            with open(self.folder / file_name(index), "rb") as file:
                data = os.pread(file.fileno(), end - start, start)
        except FileNotFoundError:
            data = b""
        if len(data) != end - start:
            raise _missing(index)
        return data[:-1]

    def lines(self, start: int, stop: int) -> Iterator[bytes]:
        """Known lines ``[start, stop)`` in order, as they are on disk now, a file at a time. Raises as :meth:`line`."""
        for first, end in _file_slices(start, stop):
            begin = self._start(first)
            try:
                with open(self.folder / file_name(first), "rb") as file:
                    data = os.pread(file.fileno(), self._ends[end - 1] - begin, begin)
            except FileNotFoundError:
                data = b""
            for index in range(first, end):
                line = data[self._start(index) - begin : self._ends[index] - begin]
                if len(line) != self._ends[index] - self._start(index):
                    raise _missing(index)
                yield line[:-1]

    def read_on(self, limit: int | None = None) -> tuple[list[bytes], bytes]:
        """Lines after the known ones, up to ``limit`` lines in all, which become known; and, when none limits, the bytes after
        the last LF (a torn line, not known)."""
        found: list[bytes] = []
        while limit is None or len(self) < limit:
            room = LINES_PER_FILE - len(self) % LINES_PER_FILE
            wanted = room if limit is None else min(room, limit - len(self))
            lines, rest = self._read_file(wanted)
            found += lines
            if len(lines) < wanted or (limit is None and rest):
                return found, rest if limit is None else b""
        return found, b""

    def _read_file(self, wanted: int) -> tuple[list[bytes], bytes]:
        """Up to ``wanted`` more lines of the file that holds the next record, and what follows them."""
        start = self._end_of_file(len(self))
        try:
            with open(self.folder / file_name(len(self)), "rb") as file:
                file.seek(start)
                data = file.read()
        except FileNotFoundError:
            return [], b""
        pieces = data.split(b"\n", wanted)
        rest = pieces.pop()
        if rest and len(pieces) == LINES_PER_FILE - len(self) % LINES_PER_FILE:
            name = file_name(len(self))
            raise IntegrityError("ledger_log_changed", f"log/{name} goes on after its {LINES_PER_FILE} lines.", name)
        for piece in pieces:
            start += len(piece) + 1
            self._ends.append(start)
        return pieces, rest

    def append(self, first: int, lines: Sequence[bytes]) -> list[tuple[int, int]]:
        """Write lines (without LF) after the ``first`` that are known and fsync; gives what :meth:`cut_back` undoes. They
        become known by :meth:`read_on`.

        On OSError the files are cut back as far as the system lets us and the error goes on. Raises IntegrityError
        ``ledger_log_changed`` when a file isn't as long as known.
        """
        touched: list[tuple[int, int]] = []
        try:
            for start, stop in _file_slices(first, first + len(lines)):
                touched.append((start, self._end_of_file(start)))
                self._write(start, lines[start - first : stop - first])
        except OSError:
            self.cut_back(touched)
            raise
        return touched

    def cut_back(self, touched: Sequence[tuple[int, int]]) -> None:
        """Cut each ``(record, length)``'s file to that length; a failure to cut is left to the next opening, which takes in or
        cuts what lies beyond the head."""
        for index, length in touched:
            with suppress(OSError):
                os.truncate(self.folder / file_name(index), length)

    def cut_torn(self) -> None:
        """Cut what follows the known lines: the half-written line of a writer that died. Raises OSError."""
        path = self.folder / file_name(len(self))
        if path.exists() and path.stat().st_size > self._end_of_file(len(self)):
            with open(path, "rb+") as file:
                file.truncate(self._end_of_file(len(self)))
                os.fsync(file.fileno())

    def forget(self, known: int) -> None:
        """Know only the first ``known`` lines."""
        del self._ends[known:]

    def _write(self, index: int, lines: Sequence[bytes]) -> None:
        path = self.folder / file_name(index)
        fresh = index % LINES_PER_FILE == 0
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        try:
            if os.fstat(descriptor).st_size != self._end_of_file(index):
                raise IntegrityError(
                    "ledger_log_changed", f"log/{path.name} changed under the lock; run audit verify.", path.name
                )
            write_all(descriptor, b"".join(line + b"\n" for line in lines))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        if fresh:
            sync_folder(self.folder)

    def _start(self, index: int) -> int:
        return self._ends[index - 1] if index % LINES_PER_FILE else 0

    def _end_of_file(self, index: int) -> int:
        """Length of the file that holds record ``index`` when only records before it are written."""
        return self._start(index)


def _missing(index: int) -> IntegrityError:
    return IntegrityError("ledger_behind_head", f"Record {index} is no longer in the log.", f"log/{file_name(index)}")


def _file_slices(start: int, stop: int) -> list[tuple[int, int]]:
    """``[start, stop)`` cut where files end."""
    slices = []
    while start < stop:
        end = min(stop, start - start % LINES_PER_FILE + LINES_PER_FILE)
        slices.append((start, end))
        start = end
    return slices
