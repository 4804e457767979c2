"""Immutable postings files: written once, named by their hash, memory-mapped, verified when opened."""

from __future__ import annotations

import hashlib
import json
import mmap
import os
from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from compliance_rag.store.tokens import terms
from schemas.errors import IntegrityError

# Postings written under another rule for terms would miss words silently: a change of `terms` is a change of format.
FORMAT = "compliance-rag/postings/2"
SUFFIX = ".seg"
# Arrays start on this border, which suits every number type and a memory map.
ALIGN = 64
# A length over this would overflow a term count; no clause comes near, a pasted table of numbers may.
COUNT_LIMIT = int(np.iinfo(np.uint16).max)

Ints = npt.NDArray[np.int64]


def damaged(name: str, what: str) -> IntegrityError:
    """The error for a postings file that is not what was written."""
    return IntegrityError(
        "postings_damaged", f"postings/{name}: {what}; run `rebuild` to make it again from the clauses.", name
    )


@dataclass(frozen=True, slots=True)
class Arrays:
    """A segment's content: ``keys`` (n,32) uint8, ``length`` (n,) int32, ``vocabulary`` sorted, and its postings as
    ``indptr`` (terms+1,) int64, ``text_id`` int32 counted from the segment's start, ``tf`` uint16."""

    keys: npt.NDArray[np.uint8]
    length: npt.NDArray[np.int32]
    vocabulary: list[str]
    indptr: npt.NDArray[np.int64]
    text_id: npt.NDArray[np.int32]
    tf: npt.NDArray[np.uint16]


def invert(texts: Mapping[str, str]) -> Arrays:
    """Postings of ``{text_key: indexed text}`` in the mapping's order."""
    numbers: dict[str, int] = {}
    # Typed arrays: a Chinese corpus has 150 postings a text, and lists of Python integers would take eight times the room.
    term_ids, text_ids, counts = array("q"), array("q"), array("q")
    lengths: list[int] = []
    for row, text in enumerate(texts.values()):
        counted = Counter(terms(text))
        lengths.append(counted.total())
        for term, count in counted.items():
            term_ids.append(numbers.setdefault(term, len(numbers)))
            text_ids.append(row)
            counts.append(min(count, COUNT_LIMIT))
    vocabulary = sorted(numbers)
    place = np.empty(len(numbers), np.int64)
    place[[numbers[term] for term in vocabulary]] = np.arange(len(vocabulary))
    keys = np.frombuffer(b"".join(bytes.fromhex(key) for key in texts), np.uint8).reshape(-1, 32)
    columns, rows, tf = (np.frombuffer(held, np.int64) for held in (term_ids, text_ids, counts))
    return _sorted(keys, np.array(lengths, np.int32), vocabulary, place[columns], rows, tf)


def merge(parts: Sequence[Arrays]) -> Arrays:
    """One segment from neighbours, in order: rows keep their places, so no row number ever changes."""
    vocabulary = sorted(set().union(*(part.vocabulary for part in parts)))
    number = {term: at for at, term in enumerate(vocabulary)}
    columns, rows, start = [], [], 0
    for part in parts:
        place = np.array([number[term] for term in part.vocabulary], np.int64)
        columns.append(np.repeat(place, np.diff(part.indptr)))
        rows.append(part.text_id.astype(np.int64) + start)
        start += len(part.length)
    return _sorted(
        np.concatenate([part.keys for part in parts]),
        np.concatenate([part.length for part in parts]),
        vocabulary,
        np.concatenate(columns),
        np.concatenate(rows),
        np.concatenate([part.tf for part in parts]),
    )


def _sorted(keys: Any, length: Any, vocabulary: list[str], columns: Any, rows: Any, counts: Any) -> Arrays:
    order = np.lexsort((rows, columns)) if len(columns) else np.empty(0, np.int64)
    indptr = np.zeros(len(vocabulary) + 1, np.int64)
    np.cumsum(np.bincount(columns, minlength=len(vocabulary)), out=indptr[1:])
    return Arrays(keys, length, vocabulary, indptr, rows[order].astype(np.int32), counts[order].astype(np.uint16))


def pack(arrays: Arrays) -> bytes:
    """The file's bytes: a JSON line saying where each array lies, then the arrays."""
    blobs = {
        "keys": np.ascontiguousarray(arrays.keys).tobytes(),
        "length": arrays.length.astype("<i4").tobytes(),
        "vocabulary": "\n".join(arrays.vocabulary).encode(),
        "indptr": arrays.indptr.astype("<i8").tobytes(),
        "text_id": arrays.text_id.astype("<i4").tobytes(),
        "tf": arrays.tf.astype("<u2").tobytes(),
    }
    layout, at = {}, 0
    for name, blob in blobs.items():
        layout[name] = [at, len(blob)]
        at += -(-len(blob) // ALIGN) * ALIGN
    header = json.dumps({"format": FORMAT, "texts": len(arrays.length), "layout": layout}).encode()
    header += b" " * (-(len(header) + 1) % ALIGN) + b"\n"
    return header + b"".join(blob.ljust(-(-len(blob) // ALIGN) * ALIGN, b"\0") for blob in blobs.values())


def write_segment(folder: Path, arrays: Arrays) -> str:
    """Write the segment, fsync'd, under the name of its sha256. Returns that name."""
    data = pack(arrays)
    name = hashlib.sha256(data).hexdigest() + SUFFIX
    write_durably(folder, name, data)
    return name


def write_durably(folder: Path, name: str, data: bytes) -> None:
    """Temp file, fsync, rename, folder fsync: after it returns, the file is whole after a power cut, or the old one is."""
    draft = folder / f".{name}.{os.getpid()}"
    with open(draft, "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.replace(draft, folder / name)
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Segment:
    """An open segment file, its hash compared with its name. Raises IntegrityError ``postings_damaged``."""

    def __init__(self, folder: Path, name: str) -> None:
        self.name = name
        with open(folder / name, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size == 0:
                raise damaged(name, "the file is empty")
            self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if hashlib.sha256(self._map).hexdigest() + SUFFIX != name:
            raise damaged(name, "its hash is not its name")
        self._start = self._map.find(b"\n") + 1
        header = json.loads(self._map[: self._start])
        if header["format"] != FORMAT:
            raise damaged(name, f"format {header['format']!r} is not {FORMAT!r}")
        self._layout: dict[str, list[int]] = header["layout"]
        self.size = int(header["texts"])
        self.keys: npt.NDArray[np.uint8] = self._array("keys", np.uint8).reshape(-1, 32)
        self.length: npt.NDArray[np.int32] = self._array("length", np.int32)
        self.indptr: npt.NDArray[np.int64] = self._array("indptr", np.int64)
        self.text_id: npt.NDArray[np.int32] = self._array("text_id", np.int32)
        self.tf: npt.NDArray[np.uint16] = self._array("tf", np.uint16)

    def _array(self, name: str, kind: Any) -> Any:
        at, size = self._layout[name]
        return np.frombuffer(self._map, kind, size // np.dtype(kind).itemsize, self._start + at)

    @cached_property
    def vocabulary(self) -> list[str]:
        """All terms, sorted."""
        at, size = self._layout["vocabulary"]
        text = self._map[self._start + at : self._start + at + size].decode()
        return text.split("\n") if text else []

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {term: number for number, term in enumerate(self.vocabulary)}

    def postings(self, term: str) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint16]] | None:
        """Row numbers in this segment (ascending, distinct) and counts of ``term``, or None where it does not occur."""
        number = self._numbers.get(term)
        if number is None:
            return None
        cut = slice(int(self.indptr[number]), int(self.indptr[number + 1]))
        return self.text_id[cut], self.tf[cut]

    def arrays(self) -> Arrays:
        """The content, for merging."""
        return Arrays(self.keys, self.length, self.vocabulary, self.indptr, self.text_id, self.tf)
