"""Vectors of indexed texts in Lance: a cache keyed by text, never quoted from, rebuilt from the clause tables at any time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from compliance_rag.store.embedder import DIMENSION
from compliance_rag.store.indexed import windows
from compliance_rag.store.postings import Mask, Postings, Rows
from schemas.canonical import canonical_json, sha256_hex
from schemas.errors import IntegrityError

# Texts in force up to which every vector is compared: one float32 product, 18 ms at 290,000 (Lance flat 100 ms).
EXACT_LIMIT: Final = 300_000
# Lance adds a fragment at each write; batches of this many rows keep a first ingest to a few fragments.
WRITE_ROWS: Final = 20_000
# IVF_HNSW_SQ compares this many times the wanted candidates in full precision: recall 1.00 measured.
REFINE: Final = 5
# Components are rounded to multiples of 2^-20: any sum of 384 products is then exact in float64, in any order.
FIXED_POINT: Final = 2.0**20
# Float32 products differ from the fixed-point ones by under this: 384 roundings of 2^-24 and of 2^-21.
FLOAT_ERROR: Final = 5e-5
DIGEST_BYTES: Final = 16
# Rows read at once: 13 MB of vectors.
READ_ROWS: Final = 8_192
PANICS: Final = frozenset({"RustPanic", "PanicException"})

Matrix = npt.NDArray[np.float32]
Progress = Callable[[int, int], None]
Encode = Callable[[Sequence[str], "Progress | None"], Matrix]


def damaged(what: str) -> IntegrityError:
    """The error for a vector table that is not what was written."""
    return IntegrityError("vectors_damaged", f"vectors: {what}; run `rebuild` to make them again from the clauses.", "vectors")


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of the table: ``keys`` (n,) S32, ``window`` (n,) from 0, ``count`` (n,) windows of that text, ``vectors`` (n, d)."""

    keys: npt.NDArray[np.bytes_]
    window: npt.NDArray[np.int32]
    count: npt.NDArray[np.int32]
    vectors: Matrix


class Vectors:
    """The vectors of one embedder: a table per model identity, so that models and number types never mix.

    Insert-only; writing is for one writer at a time, under the caller's lock. Readers keep what they opened.
    """

    def __init__(self, uri: str, identity: Mapping[str, str], dimension: int) -> None:
        import lancedb

        self._connection: Any = lancedb.connect(uri)
        self._name = "vectors_" + sha256_hex(canonical_json(dict(identity)))[:16]
        self._dimension = dimension
        self._table: Any = None
        self._rows = _empty(dimension)
        self._known: frozenset[bytes] = frozenset()

    @classmethod
    def open(cls, uri: str, identity: Mapping[str, str], dimension: int = DIMENSION) -> Vectors:
        """Open the table of this embedder under ``uri`` and read it into memory; an absent one is empty.

        Raises IntegrityError ``vectors_damaged`` when it cannot be read, a row's digest is wrong or windows are missing.
        """
        store = cls(uri, identity, dimension)
        try:
            if store._name in store._connection.list_tables().tables:
                store._table = store._connection.open_table(store._name)
                store._rows = store._read()
        except (OSError, RuntimeError, ValueError) as error:
            raise damaged(f"the table cannot be read ({type(error).__name__})") from error
        except BaseException as error:
            # Lance panics on some damaged manifests, by a class that no module exports: only its name tells it.
            if type(error).__name__ not in PANICS:
                raise
            raise damaged("the table cannot be read (it panics)") from error
        store._known = frozenset(store._rows.keys.tolist())
        return store

    def __len__(self) -> int:
        return len(self._rows.keys)

    @property
    def rows(self) -> _Rows:
        """All rows in memory."""
        return self._rows

    def missing(self, text_keys: Sequence[str]) -> list[str]:
        """The distinct keys without vectors, in order."""
        known = self._known
        return [key for key in dict.fromkeys(text_keys) if bytes.fromhex(key).rstrip(b"\0") not in known]

    def add(self, texts: Mapping[str, str], encode: Encode, progress: Progress | None = None) -> int:
        """Embed and add ``{text_key: indexed text}``, leaving keys already held. Returns how many texts were added.

        ``encode(pieces, progress)`` gives unit rows (n, dimension). After each write the table's row count and id set are
        compared with what was meant; raises IntegrityError ``vectors_damaged`` when they differ.
        """
        keys = self.missing(list(texts))
        pieces: list[str] = []
        owners: list[tuple[str, int, int]] = []
        for key in keys:
            cut = windows(texts[key])
            owners.extend((key, number, len(cut)) for number in range(len(cut)))
            pieces.extend(cut)
        if not pieces:
            return 0
        vectors = np.ascontiguousarray(encode(pieces, progress), np.float32)
        fresh = _Rows(
            np.frombuffer(b"".join(bytes.fromhex(key) for key, _, _ in owners), "S32"),
            np.array([number for _, number, _ in owners], np.int32),
            np.array([count for _, _, count in owners], np.int32),
            vectors,
        )
        for start in range(0, len(pieces), WRITE_ROWS):
            self._write(_part(fresh, slice(start, start + WRITE_ROWS)))
        return len(keys)

    def _write(self, fresh: _Rows) -> None:
        batch = _arrow(fresh, len(self._rows.keys))
        if self._table is None:
            self._table = self._connection.create_table(self._name, data=batch)
        else:
            self._table.add(batch)
        after = self._table.search().select(["key", "window"]).limit(self._table.count_rows() + 1).to_arrow()
        meant = _join(self._rows, fresh)
        if after.num_rows != len(meant.keys) or _ids(after) != {*zip(meant.keys.tolist(), meant.window.tolist(), strict=True)}:
            raise damaged(f"{after.num_rows} rows after a write that should have left {len(meant.keys)}")
        self._rows = meant
        self._known = self._known | frozenset(fresh.keys.tolist())

    def _read(self) -> _Rows:
        """All rows by ordinal, batch by batch into arrays made once: a whole Arrow table beside them took 2.3 GB for 0.45."""
        size = self._table.count_rows()
        rows = _Rows(
            np.empty(size, "S32"),
            np.empty(size, np.int32),
            np.empty(size, np.int32),
            np.empty((size, self._dimension), np.float32),
        )
        seen = np.zeros(size, np.bool_)
        for batch in self._table.search().limit(size + 1).to_batches(READ_ROWS):
            part, ordinal = _rows_of(batch, self._dimension)
            if part.vectors.shape[1] != self._dimension:
                raise damaged("rows have another shape than was written")
            if batch["digest"].to_pylist() != _digests(part):
                raise damaged("a row's digest does not fit its vector")
            if len(ordinal) and (ordinal.min() < 0 or ordinal.max() >= size):
                raise damaged("rows are missing or doubled")
            rows.keys[ordinal], rows.window[ordinal], rows.count[ordinal] = part.keys, part.window, part.count
            rows.vectors[ordinal] = part.vectors
            seen[ordinal] = True
        if not seen.all():
            raise damaged("rows are missing or doubled")
        _, first, held = np.unique(rows.keys, return_index=True, return_counts=True)
        if not np.array_equal(rows.count[first], held):
            raise damaged("a text's windows are incomplete")
        return rows

    def approximate(self, vector: Matrix, inside: Mask, limit: int) -> Rows:
        """Row numbers of about the ``limit`` nearest among ``inside`` (n,) by IVF_HNSW_SQ with the set as prefilter."""
        from lancedb.index import HnswSq

        if not any(index.index_type == "IvfHnswSq" for index in self._table.list_indices()):
            self._table.create_index("vector", config=HnswSq(distance_type="dot"))
        within, without = np.flatnonzero(inside), np.flatnonzero(~inside)
        word, rows = ("IN", within) if len(within) <= len(without) else ("NOT IN", without)
        search = self._table.search(vector, vector_column_name="vector").distance_type("dot")
        if len(rows):
            search = search.where(f"ordinal {word} ({','.join(map(str, rows.tolist()))})", prefilter=True)
        found = search.select(["ordinal"]).refine_factor(REFINE).limit(limit).to_arrow()
        ordinals: Rows = found["ordinal"].to_numpy().astype(np.int64)
        return ordinals


class DenseIndex:
    """Vectors laid beside postings: dense scores by the same row numbers as the lexical ones, a text's score being the best
    of its windows."""

    def __init__(self, vectors: Vectors, postings: Postings) -> None:
        self._vectors = vectors
        rows = vectors.rows
        self.row: Rows = postings.rows_of([key.ljust(32, b"\0").hex() for key in rows.keys.tolist()])
        self._size = len(postings)
        self._first = np.flatnonzero((rows.window == 0) & (self.row >= 0))
        self._later = np.flatnonzero((rows.window > 0) & (self.row >= 0))
        order = np.argsort(self.row, kind="stable")
        self._by_row, self._order = self.row[order], order

    @property
    def held(self) -> Mask:
        """Which texts (n,) have vectors."""
        mask = np.zeros(self._size, np.bool_)
        mask[self.row[self.row >= 0]] = True
        return mask

    def nearest(self, vector: Matrix, masks: Sequence[Mask], limit: int) -> tuple[list[Rows], str]:
        """For each mask (n,), the rows inside it with the ``limit`` best exact scores (ties kept), in no order; the method.

        A few more may come: everything within the float error of the last is kept, so that the set does not hang on how
        the product was summed. ``exact`` up to ``EXACT_LIMIT`` texts in the largest set, above it ``ivf_hnsw_sq``.
        """
        if not len(self.row):
            return [np.empty(0, np.int64) for _ in masks], "exact"
        if max(int(mask.sum()) for mask in masks) > EXACT_LIMIT:
            return [self._approximate(vector, mask, limit) for mask in masks], "ivf_hnsw_sq"
        # One thread, row by row: a threaded BLAS product took 152 ms of the clock on a busy machine where this takes 1 ms
        # (13,000 vectors), and is no faster on a quiet one, since reading the vectors is what costs.
        product = np.einsum("ij,j->i", self._vectors.rows.vectors, np.asarray(vector, np.float32))
        scores = np.full(self._size, -np.inf, np.float32)
        scores[self.row[self._first]] = product[self._first]
        np.maximum.at(scores, self.row[self._later], product[self._later])
        return [_best(scores, mask, limit) for mask in masks], "exact"

    def _approximate(self, vector: Matrix, mask: Mask, limit: int) -> Rows:
        member = np.where(self.row >= 0, mask[self.row], False)
        if not member.any():
            return np.empty(0, np.int64)
        found: Rows = np.unique(self.row[self._vectors.approximate(vector, member, limit)])
        return found

    def exact(self, vector: Matrix, rows: Rows) -> npt.NDArray[np.float64]:
        """The cosine of each text (n,), in fixed point: the same bits whatever else is held. -1 for a text without vectors."""
        question = np.rint(vector.astype(np.float64) * FIXED_POINT)
        first = np.searchsorted(self._by_row, rows, "left")
        last = np.searchsorted(self._by_row, rows, "right")
        counts = last - first
        owner = np.repeat(np.arange(len(rows)), counts)
        place = np.arange(len(owner)) - np.repeat(np.cumsum(counts) - counts, counts) + np.repeat(first, counts)
        held = np.rint(self._vectors.rows.vectors[self._order[place]].astype(np.float64) * FIXED_POINT)
        best = np.full(len(rows), -1.0)
        np.maximum.at(best, owner, (held @ question) / FIXED_POINT**2)
        return best

    def likeness(self, row: int, rows: Rows) -> npt.NDArray[np.float64]:
        """The cosine of each text (n,) with the first window of the text at ``row``, as :meth:`exact`; 0 when that has none."""
        at = int(np.searchsorted(self._by_row, row, "left"))
        if at == len(self._by_row) or self._by_row[at] != row:
            return np.zeros(len(rows))
        return self.exact(self._vectors.rows.vectors[self._order[at]], rows)


def _best(scores: Matrix, mask: Mask, limit: int) -> Rows:
    inside: Rows = np.flatnonzero(mask & np.isfinite(scores))
    if len(inside) <= limit:
        return inside
    held = scores[inside]
    cut = np.partition(held, len(held) - limit)[len(held) - limit]
    best: Rows = inside[held >= cut - FLOAT_ERROR]
    return best


def _empty(dimension: int) -> _Rows:
    none = np.empty(0, np.int32)
    return _Rows(np.empty(0, "S32"), none, none, np.empty((0, dimension), np.float32))


def _part(rows: _Rows, which: slice | Rows) -> _Rows:
    return _Rows(rows.keys[which], rows.window[which], rows.count[which], rows.vectors[which])


def _join(left: _Rows, right: _Rows) -> _Rows:
    if not len(left.keys):
        return right
    names = ("keys", "window", "count", "vectors")
    return _Rows(*(np.concatenate([getattr(left, name), getattr(right, name)]) for name in names))


def _digests(rows: _Rows) -> list[bytes]:
    """One digest a row over key, window, count and vector: Lance itself reads flipped bits back without an error."""
    heads = zip(rows.keys.tolist(), rows.window.tolist(), rows.count.tolist(), strict=True)
    return [
        hashlib.sha256(key.ljust(32, b"\0") + window.to_bytes(4) + count.to_bytes(4) + vector.tobytes()).digest()[:DIGEST_BYTES]
        for (key, window, count), vector in zip(heads, rows.vectors.astype("<f4", copy=False), strict=True)
    ]


def _arrow(rows: _Rows, start: int) -> Any:
    import pyarrow as pa

    size, dimension = rows.vectors.shape
    flat = pa.array(rows.vectors.reshape(-1), pa.float32())
    return pa.table(
        {
            "ordinal": pa.array(np.arange(start, start + size, dtype=np.int64)),
            "key": pa.array([key.ljust(32, b"\0") for key in rows.keys.tolist()], pa.binary(32)),
            "window": pa.array(rows.window),
            "count": pa.array(rows.count),
            "digest": pa.array(_digests(rows), pa.binary(DIGEST_BYTES)),
            "vector": pa.FixedSizeListArray.from_arrays(flat, dimension),
        }
    )


def _rows_of(batch: Any, dimension: int) -> tuple[_Rows, Rows]:
    """The rows of a batch as written, and their ordinals."""
    blob = b"".join(batch["key"].to_pylist())
    if len(blob) != 32 * batch.num_rows:
        raise damaged("rows have another shape than was written")
    flat = batch["vector"].flatten().to_numpy(zero_copy_only=False)
    vectors = flat.reshape(batch.num_rows, -1) if batch.num_rows else np.empty((0, dimension), np.float32)
    window, count = (batch[name].to_numpy(zero_copy_only=False).astype(np.int32) for name in ("window", "count"))
    ordinal = batch["ordinal"].to_numpy(zero_copy_only=False).astype(np.int64)
    return _Rows(np.frombuffer(blob, "S32"), window, count, np.ascontiguousarray(vectors, np.float32)), ordinal


def _ids(table: Any) -> set[tuple[bytes, int]]:
    keys = (key.rstrip(b"\0") for key in table["key"].to_pylist())
    return {*zip(keys, table["window"].to_pylist(), strict=True)}
