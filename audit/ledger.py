"""The ledger: records appended to plain files, nothing acknowledged before it is durable, every answer its own receipt."""

from __future__ import annotations

import errno
import os
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from audit.durable import locked, replace
from audit.lines import LogLines
from audit.parts import PartStore, Prepared
from audit.records import Head, as_head, build_line, create_empty, read_format, read_header
from audit.together import Together
from audit.tree import Tree, leaf_hash
from schemas.dates import parse_instant
from schemas.errors import IntegrityError, NotFound
from schemas.ledger import check_fields, must_seal
from schemas.objects import Receipt

# A batch stamps its records one microsecond apart, so 10,000 of them outrun the clock by 10 ms: no sign of a clock set back.
CLOCK_GRAIN = timedelta(milliseconds=10)
_ONE = timedelta(microseconds=1)
# No ledger comes to this many records.
_LAST_INDEX = 10**12
# A medium or a mode that lets nobody write is no damage of the disk.
UNWRITABLE = frozenset({errno.EROFS, errno.EACCES, errno.EPERM})


@dataclass(frozen=True, slots=True)
class PartDraft:
    """Bytes to keep with a record under a role; ``personal`` ones, and those the format names, are sealed under its own key."""

    role: str
    data: bytes
    personal: bool = False


@dataclass(frozen=True, slots=True)
class RecordDraft:
    """A record to append: its type, its own header fields (no floats) and its parts."""

    type: str
    fields: dict[str, Any]
    parts: Sequence[PartDraft] = field(default_factory=tuple)


@dataclass(frozen=True, slots=True)
class Committed:
    """An appended record: durable before anyone sees this."""

    index: int
    header: dict[str, Any]
    recorded_at: datetime
    receipt: Receipt


# A record whose parts are on disk.
_Ready = tuple[RecordDraft, Prepared]


@contextmanager
def _disk(*, writing: bool = False) -> Iterator[None]:
    """A disk that fails (full, read-only, broken) is an error of ours, with nothing acknowledged."""
    try:
        yield
    except OSError as error:
        if writing and error.errno in UNWRITABLE:
            message = f"This home can't be written ({error.strerror}), and every answer and change needs its record first."
            raise IntegrityError("ledger_unwritable", message) from error
        raise IntegrityError(
            "ledger_write_failed", f"The ledger could not be read or written ({error.strerror}); nothing was acknowledged."
        ) from error


def _now() -> datetime:
    return datetime.now(UTC)


class Ledger:
    """One home's ledger folder. Several processes and threads may append through their own or a shared object."""

    def __init__(self, folder: Path, origin: str) -> None:
        """Use :meth:`open`."""
        self._folder = folder
        self._origin = origin
        self._lines = LogLines(folder / "log")
        self._parts = PartStore(folder)
        self._tree = Tree()
        self._found: dict[tuple[str, str], tuple[int, dict[str, int]]] = {}
        self._guard = threading.RLock()
        self._together: Together[Sequence[_Ready], list[Committed]] = Together(self._commit)

    @classmethod
    def open(cls, folder: Path, *, origin: str, create: bool = False) -> Ledger:
        """Open the ledger in ``folder`` and prove the log against its head.

        The head's root is re-derived from the log's bytes (parts are not read). A log ahead of its head is the trace of a
        writer that died before acknowledging: whole records are taken in, a half-written line is cut. Where nothing can be
        written (a read-only medium), what was acknowledged can be read all the same, and appending raises.
        Raises InputRejected ``home_newer``, ``home_older``; IntegrityError ``ledger_missing``, ``ledger_behind_head``,
        ``ledger_root_mismatch``, ``ledger_head_missing``, ``ledger_unreadable``, ``foreign_ledger``, ``ledger_tail_damaged``,
        ``ledger_write_failed``, ``bad_erasing``.
        """
        if create:
            with _disk():
                create_empty(folder, origin)
        elif not folder.is_dir():
            raise IntegrityError(
                "ledger_missing",
                f"The ledger of {folder.parent.name or folder.name!r} is gone; restore it from a copy.",
                folder.name,
            )
        read_format(folder)
        ledger = cls(folder, origin)
        if not ledger._caught_up_for_writing():
            return ledger
        if os.path.lexists(folder / "erasing"):
            from audit.erasure import finish  # it builds on this module

            finish(ledger)
        return ledger

    def _caught_up_for_writing(self) -> bool:
        """Catch up under the lock; False, caught up to the head alone, where the lock can't be taken."""
        with _disk():
            try:
                with locked(self._folder / "lock"):
                    self._catch_up(recover=True)
            except IntegrityError as error:
                if error.code != "ledger_unwritable":
                    raise
                self._catch_up(recover=False)
                return False
        return True

    @property
    def folder(self) -> Path:
        """The ledger's folder."""
        return self._folder

    @property
    def origin(self) -> str:
        """The log's name, pinned by the caller."""
        return self._origin

    @property
    def tree(self) -> Tree:
        """The tree over the headers, for roots at earlier sizes and proofs."""
        return self._tree

    @property
    def size(self) -> int:
        """Number of records known (see :meth:`refresh`)."""
        return self._tree.size

    @property
    def root(self) -> str:
        """The root over them, hex."""
        return self._tree.root().hex()

    def append(self, drafts: Sequence[RecordDraft]) -> list[Committed]:
        """Commit records in this order, next to each other; durable when this returns, and not at all when it raises, except
        that a failure of the disk may leave them committed without an answer (then :meth:`find` gives them back).

        Parts are written and fsync'd first, then the lines, then the head; what several threads append at once shares the last
        two. Raises InputRejected ``bad_record``, ``header_too_large``, ``part_too_large``; IntegrityError
        ``ledger_write_failed`` and those of :meth:`open`.
        """
        for draft in drafts:
            check_fields(draft.type, draft.fields)
        if not drafts:
            return []
        with _disk(writing=True):
            prepared = [self._prepare(draft) for draft in drafts]
            self._parts.sync(prepared)
            return self._together.run(list(zip(drafts, prepared, strict=True)))

    def refresh(self) -> None:
        """Take in what other processes acknowledged since. Raises as :meth:`open`."""
        with self._guard, _disk():
            self._catch_up(recover=False)

    def headers(self, start: int = 0, types: Collection[str] | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
        """``(index, header)`` of known records from ``start`` on, in order, each checked against its leaf hash."""
        # A canonical line of a type holds these bytes, so the others need no parsing.
        marks = None if types is None else [f'"type":"{name}"'.encode() for name in types]
        for index, line in enumerate(self._lines.lines(start, self.size), start):
            if leaf_hash(line) != self._tree.leaf(index):
                raise _changed(index)
            if marks is None or any(mark in line for mark in marks):
                header = read_header(line, index)
                if types is None or header["type"] in types:
                    yield index, header

    def header(self, index: int) -> dict[str, Any]:
        """The header at ``index`` as it is on disk now. Raises NotFound ``no_record``; IntegrityError ``record_damaged``."""
        return read_header(self.line(index), index)

    def line(self, index: int) -> bytes:
        """The header's line as hashed, proved against its leaf hash. Raises as :meth:`header`."""
        with self._guard:
            if not 0 <= index < self.size:
                raise NotFound("no_record", f"The ledger holds {self.size} records, none at {index}.", str(index))
            with _disk():
                line = self._lines.line(index)
            if leaf_hash(line) != self._tree.leaf(index):
                raise _changed(index)
            return line

    def part(self, header: Mapping[str, Any], role: str) -> bytes:
        """The bytes of the record's first part with ``role``, proved against the header's hash (and HMAC when sealed).

        Raises NotFound ``no_part``, ``erased``; IntegrityError ``part_missing``, ``part_damaged``, ``key_missing``,
        ``key_damaged``.
        """
        try:
            with _disk():
                return self._parts.read(header, role)
        except NotFound as error:
            if error.code != "key_missing":
                raise
            self.refresh()
            if self.find("erasure", "key_id", header["sealed_under"]) is None:
                message = f"The key of record {header['index']} is gone and no erasure says so."
                raise IntegrityError("key_missing", message, error.where) from error
            raise NotFound("erased", error.message, error.where) from error

    def receipt(self, index: int, size: int | None = None) -> Receipt:
        """The receipt of record ``index``: by default in the tree that ends with it (``size`` = index + 1)."""
        size = index + 1 if size is None else size
        if not 0 <= index < size <= self.size:
            raise NotFound("no_record", f"The ledger holds {self.size} records: no receipt for {index} at {size}.", str(index))
        return Receipt(
            index=index,
            leaf_hash=self._tree.leaf(index).hex(),
            size=size,
            root=self._tree.root(size).hex(),
            proof=[digest.hex() for digest in self._tree.inclusion(index, size)],
        )

    def find(self, type: str, field: str, value: str) -> int | None:  # noqa: A002  the format's own word
        """The index of the first known record of ``type`` whose header field ``field`` is ``value``, or None."""
        with self._guard:
            upto, known = self._found.get((type, field), (0, {}))
            for index, header in self.headers(upto, {type}):
                found = header.get(field)
                if isinstance(found, str):
                    known.setdefault(found, index)
            self._found[type, field] = (self.size, known)
            return known.get(value)

    def _prepare(self, draft: RecordDraft) -> Prepared:
        parts = [(part.role, part.data, part.personal or must_seal(draft.type, part.role)) for part in draft.parts]
        prepared = self._parts.write(parts)
        # As long as its line may get: others' records are committed with it, and it must not fail them then.
        build_line(self._origin, draft.type, draft.fields, prepared, _LAST_INDEX, bytes(32), _now(), set_back=True)
        return prepared

    def _commit(self, brought: Sequence[Sequence[_Ready]]) -> list[list[Committed]]:
        """Commit what each of several threads brought, all next to each other. Others may read what was acknowledged before
        while this one waits for the lock and the disk."""
        with locked(self._folder / "lock"):
            with self._guard:
                self._catch_up(recover=True)
                first = self.size
                lines, head = self._built([ready for one in brought for ready in one])
            self._write(first, lines, head)
            with self._guard:
                self._catch_up(recover=False)
        headers = [read_header(line, index) for index, line in enumerate(lines, first)]
        done = iter(
            Committed(index, header, parse_instant(header["recorded_at"]), self.receipt(index))
            for index, header in enumerate(headers, first)
        )
        return [list(islice(done, len(one))) for one in brought]

    def _built(self, ready: Sequence[_Ready]) -> tuple[list[bytes], Head]:
        """The lines of what is ready, and the head once they are written; called under the lock and the guard, caught up."""
        first = self.size
        last = self._last_instant()
        previous = self._tree.leaf(first - 1) if first else None
        lines: list[bytes] = []
        leaves: list[bytes] = []
        for draft, parts in ready:
            last, set_back = _stamp(last, in_batch=bool(lines))
            index = first + len(lines)
            line = build_line(self._origin, draft.type, draft.fields, parts, index, previous, last, set_back=set_back)
            previous = leaf_hash(line)
            lines.append(line)
            leaves.append(previous)
        return lines, self._head(leaves)

    def _write(self, first: int, lines: Sequence[bytes], head: Head) -> None:
        """The lines, then the head; called under the lock. Known to this ledger once it catches up with the head."""
        touched = self._lines.append(first, lines)
        try:
            replace(self._folder / "head", head.as_bytes())
        except OSError:
            # A head that was replaced all the same keeps its lines; one that was not takes them back.
            if as_head(self._folder) != head:
                self._lines.cut_back(touched)
            raise

    def _last_instant(self) -> datetime | None:
        if not self.size:
            return None
        return parse_instant(read_header(self._lines.line(self.size - 1), self.size - 1)["recorded_at"])

    def _head(self, following: Sequence[bytes] = ()) -> Head:
        """The head, once the records with the leaf hashes ``following`` are written."""
        edge, last = self._tree.edge(), self._tree.leaf(self.size - 1) if self.size else None
        for last in following:
            edge.add(last)
        return Head(origin=self._origin, size=edge.size, root=edge.root().hex(), leaf=None if last is None else last.hex())

    def _catch_up(self, *, recover: bool) -> None:
        """Read on to the head and prove its root; under the lock (``recover``) also take in or cut what lies beyond it."""
        head = as_head(self._folder)
        if head.origin != self._origin:
            raise IntegrityError(
                "foreign_ledger", f"This ledger is {head.origin!r}, the settings say {self._origin!r}.", "head"
            )
        if head.size < self.size:
            raise IntegrityError("ledger_rolled_back", f"The head went back from {self.size} records to {head.size}.", "head")
        known = self.size
        for line in self._lines.read_on(head.size)[0]:
            self._tree.add(leaf_hash(line))
        if self.size < head.size:
            found = self.size
            self._forget(known)
            raise IntegrityError(
                "ledger_behind_head",
                f"The head names {head.size} records, the log holds {found}: {found} to {head.size - 1} are missing.",
                "log",
            )
        if self.root != head.root:
            self._forget(known)
            raise IntegrityError(
                "ledger_root_mismatch", f"The log's first {head.size} records do not give the head's root.", "log"
            )
        if self._head() != head:
            self._forget(known)
            raise IntegrityError("ledger_unreadable", "ledger/head names another last record than the log's.", "head")
        if recover:
            self._recover(head)

    def _recover(self, head: Head) -> None:
        """The log beyond the head: a writer died between its line and its head."""
        lines, torn = self._lines.read_on()
        try:
            for line in lines:
                self._take_in(line)
        except IntegrityError:
            self._forget(head.size)
            raise
        if torn:
            self._lines.cut_torn()
        if lines:
            replace(self._folder / "head", self._head().as_bytes())

    def _take_in(self, line: bytes) -> None:
        index = self.size
        previous = self._tree.leaf(index - 1).hex() if index else None
        header = read_header(line, index)
        if header["index"] != index or header["previous"] != previous or header["origin"] != self._origin:
            raise IntegrityError(
                "ledger_tail_damaged", f"Record {index}, beyond the head, does not continue the log.", str(index)
            )
        self._parts.check(header)
        self._tree.add(leaf_hash(line))

    def _forget(self, size: int) -> None:
        self._tree.cut(size)
        self._lines.forget(size)


def _stamp(last: datetime | None, *, in_batch: bool) -> tuple[datetime, bool]:
    """The recorded instant of the next record, after the last one's; and whether the clock was set back."""
    now = _now()
    if last is None:
        return now, False
    if now > last:
        return now, False
    return last + _ONE, not in_batch and now < last - CLOCK_GRAIN


def _changed(index: int) -> IntegrityError:
    return IntegrityError("record_damaged", f"Record {index} changed on disk since it was opened.", str(index))
