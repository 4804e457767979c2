"""Exact BM25 on any set of texts: term postings per distinct indexed text, statistics of the set that is asked."""

from __future__ import annotations

import hashlib
import json
import math
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from compliance_rag.store.segments import SUFFIX, Segment, damaged, invert, merge, write_durably, write_segment
from schemas.errors import IntegrityError

# Recall@10 / MAP@10 of the mix on 2,788 ObliQA dev questions at 1.2 0.800/0.677, at 0.8 0.803/0.680, at 0.5 0.802/0.679; on
# multi-passage val 0.619/0.501, 0.622/0.507, 0.615/0.505; of BM25 alone on 700 STARD questions at 1.2 0.506/0.341, at 0.8
# 0.507/0.341. A lower b costs STARD 0.004 to 0.012.
K1: Final = 0.8
B: Final = 0.75
LIST_NAME: Final = "segments.json"
LIST_FORMAT: Final = 1
# Neighbouring segments are folded while the earlier one is under this many times the later: a handful of files for any
# number of appends, and each text rewritten a logarithmic number of times.
FOLD_RATIO: Final = 2
# Most dates share one in-force set; a few sets cover a session that compares days.
EPOCHS_KEPT: Final = 4
# A word in more than this share of the texts costs its whole posting list at each question: its contribution is kept.
COMMON_SHARE: Final = 0.03
# Kept contributions of one epoch; 2.3 MB each at 289,000 texts, so the thirty commonest words there.
CONTRIBUTION_BYTES: Final = 96 * 1024 * 1024

Mask = npt.NDArray[np.bool_]
Scores = npt.NDArray[np.float64]
Rows = npt.NDArray[np.int64]


class Postings:
    """Texts by row number (from 0, never reused, never moved) and the terms in them.

    Insert-only. Appending is for one writer at a time, under the caller's lock; readers keep the state they opened.
    """

    def __init__(self, folder: Path, segments: Sequence[Segment]) -> None:
        self._folder = folder
        self._epochs: OrderedDict[bytes, Epoch] = OrderedDict()
        self._take(segments)

    def _take(self, segments: Sequence[Segment]) -> None:
        self._segments = tuple(segments)
        self.starts = [0]
        for segment in segments:
            self.starts.append(self.starts[-1] + segment.size)
        lengths = [segment.length for segment in segments]
        self.lengths: npt.NDArray[np.int32] = np.concatenate(lengths) if lengths else np.empty(0, np.int32)
        keys = np.concatenate([segment.keys for segment in segments]) if segments else np.empty((0, 32), np.uint8)
        packed = np.ascontiguousarray(keys).view("S32").reshape(-1)
        self._order: Rows = np.argsort(packed, kind="stable")
        self._sorted = packed[self._order]
        self._epochs.clear()

    @classmethod
    def open(cls, folder: Path) -> Postings:
        """Open the postings in ``folder``; a folder without any is empty postings.

        Raises IntegrityError ``postings_damaged`` when a file is missing or its hash is not its name.
        """
        for attempt in (1, 2):
            names = _names(folder)
            try:
                return cls(folder, [Segment(folder, name) for name in names])
            except FileNotFoundError as error:
                # A writer may fold segments between reading the list and opening them: the second list is the new one.
                if attempt == 2 or _names(folder) == names:
                    raise damaged(Path(str(error.filename)).name, "the file is missing") from error
        raise AssertionError

    def __len__(self) -> int:
        return self.starts[-1]

    @property
    def segment_names(self) -> tuple[str, ...]:
        """File names in order; together they identify the content."""
        return tuple(segment.name for segment in self._segments)

    def rows_of(self, text_keys: Sequence[str]) -> Rows:
        """Row numbers of the keys (n,), -1 where a key is not held."""
        if not len(text_keys) or not len(self):
            return np.full(len(text_keys), -1, np.int64)
        wanted = np.frombuffer(bytes.fromhex("".join(text_keys)), "S32")
        at = np.minimum(np.searchsorted(self._sorted, wanted), len(self) - 1)
        return np.where(self._sorted[at] == wanted, self._order[at], -1)

    def sample(self, mask: Mask, limit: int) -> Rows:
        """The ``limit`` masked rows whose keys sort first: keys are hashes, so these are drawn at random, and the same ones
        whatever else is held."""
        inside: Rows = self._order[mask[self._order]]
        return inside[:limit]

    def row_of(self, text_key: str) -> int:
        """The row number of the key, -1 when it is not held."""
        return int(self.rows_of([text_key])[0])

    def missing(self, text_keys: Sequence[str]) -> list[str]:
        """The distinct keys not held, in order."""
        rows = self.rows_of(text_keys)
        return list(dict.fromkeys(key for key, row in zip(text_keys, rows, strict=True) if row < 0))

    def mask_of(self, text_keys: Sequence[str]) -> Mask:
        """The set of these texts as a mask over rows. Raises IntegrityError ``postings_damaged`` when one is not held."""
        rows = self.rows_of(text_keys)
        if (rows < 0).any():
            raise damaged(LIST_NAME, f"{int((rows < 0).sum())} texts of the clause tables have no postings")
        mask = np.zeros(len(self), np.bool_)
        mask[rows] = True
        return mask

    def append(self, texts: Mapping[str, str]) -> int:
        """Add ``{text_key: indexed text}``; keys already held are left as they are. Returns how many were added.

        Durable when it returns: a crash before leaves the postings as they were.
        """
        absent = set(self.missing(list(texts)))
        if not absent:
            return 0
        self._folder.mkdir(parents=True, exist_ok=True)
        added = {key: text for key, text in texts.items() if key in absent}
        arrays = [invert(added)]
        old = self._segments
        kept = list(old)
        while kept and kept[-1].size < FOLD_RATIO * sum(len(part.length) for part in arrays):
            arrays.insert(0, kept.pop().arrays())
        if not old:
            # Before the first segment there is a list, so that a segment without a list always means a lost list.
            self._write_list([])
        name = write_segment(self._folder, merge(arrays) if len(arrays) > 1 else arrays[0])
        names = [*(segment.name for segment in kept), name]
        self._write_list(names)
        self._take([*kept, Segment(self._folder, name)])
        for path in self._folder.glob(f"*{SUFFIX}"):
            if path.name not in names:
                path.unlink()
        return len(added)

    def _write_list(self, names: Sequence[str]) -> None:
        body = json.dumps({"format": LIST_FORMAT, "segments": list(names)})
        line = json.dumps({"list": body, "sha256": hashlib.sha256(body.encode()).hexdigest()})
        write_durably(self._folder, LIST_NAME, line.encode())

    def epoch(self, mask: Mask) -> Epoch:
        """The statistics of the masked set; the few last asked are kept."""
        key = hashlib.sha256(np.packbits(mask).tobytes()).digest()
        epoch = self._epochs.get(key)
        if epoch is None:
            epoch = self._epochs[key] = Epoch(self, mask.copy())
            while len(self._epochs) > EPOCHS_KEPT:
                self._epochs.popitem(last=False)
        self._epochs.move_to_end(key)
        return epoch

    def score(self, question_terms: Sequence[str], mask: Mask, weights: Sequence[float] | None = None) -> Scores:
        """BM25 of every masked text for the terms (n,), 0 outside the mask. ``mask`` (n,) is the set whose statistics count."""
        return self.epoch(mask).score(question_terms, weights)

    def occurrences(self, term: str) -> tuple[Rows, npt.NDArray[np.float64]]:
        """All rows that hold ``term`` (ascending) and how often each does."""
        found = [(segment.postings(term), start) for segment, start in zip(self._segments, self.starts, strict=False)]
        held = [(pair, start) for pair, start in found if pair is not None]
        if not held:
            return np.empty(0, np.int64), np.empty(0, np.float64)
        rows = np.concatenate([pair[0].astype(np.int64) + start for pair, start in held])
        return rows, np.concatenate([pair[1].astype(np.float64) for pair, _ in held])


class Epoch:
    """One set of texts with its BM25 statistics: number of texts, average length, and document frequency per term.

    Lucene's idf, ``log(1 + (N - df + 0.5) / (df + 0.5))``, with ``math.log`` (numpy's differs in the last bit from machine
    to machine), summed in the order of the question's terms: the same bits as the textbook loop over the same texts.
    """

    def __init__(self, postings: Postings, mask: Mask) -> None:
        self._postings = postings
        self.mask = mask
        self.size = int(mask.sum())
        lengths = postings.lengths.astype(np.float64)
        self.average_length = float(int(postings.lengths[mask].sum(dtype=np.int64)) / self.size) if self.size else 1.0
        self._scale = K1 * (1 - B + B * lengths / (self.average_length or 1.0))
        self._samples: dict[int, Rows] = {}
        self._frequencies: dict[str, int] = {}
        self._common: OrderedDict[str, Scores] = OrderedDict()

    def sample(self, limit: int) -> Rows:
        """Up to ``limit`` rows of the set drawn by :meth:`Postings.sample`."""
        if limit not in self._samples:
            self._samples[limit] = self._postings.sample(self.mask, limit)
        return self._samples[limit]

    def document_frequency(self, term: str) -> int:
        """In how many texts of the set ``term`` stands."""
        known = self._frequencies.get(term)
        if known is None:
            rows, _ = self._postings.occurrences(term)
            known = self._frequencies[term] = int(np.count_nonzero(self.mask[rows]))
        return known

    def idf(self, term: str) -> float:
        """Lucene's inverse document frequency in the set."""
        frequency = self.document_frequency(term)
        return math.log(1 + (self.size - frequency + 0.5) / (frequency + 0.5))

    def score(self, question_terms: Sequence[str], weights: Sequence[float] | None = None) -> Scores:
        """Scores of all rows (n,), 0 outside the set. ``weights``: one factor a term, 1 without."""
        total = np.zeros(len(self._postings), np.float64)
        for term, weight in zip(question_terms, weights or [1.0] * len(question_terms), strict=True):
            kept = self._common.get(term)
            if kept is not None:
                self._common.move_to_end(term)
                total += weight * kept
                continue
            rows, counts = self._postings.occurrences(term)
            if not len(rows):
                continue
            part = self.idf(term) * (counts * (K1 + 1) / (counts + self._scale[rows]))
            total[rows] += weight * part
            if self.document_frequency(term) > COMMON_SHARE * self.size:
                self._keep(term, rows, part)
        total[~self.mask] = 0.0
        return total

    def holds(self, term: str, rows: Rows) -> Mask:
        """Whether each of ``rows`` (n,) holds ``term``."""
        held, _ = self._postings.occurrences(term)
        if not len(held):
            return np.zeros(len(rows), np.bool_)
        return np.asarray(held[np.minimum(np.searchsorted(held, rows), len(held) - 1)] == rows)

    def _keep(self, term: str, rows: Rows, part: Scores) -> None:
        vector = np.zeros(len(self._postings), np.float64)
        vector[rows] = part
        self._common[term] = vector
        while len(self._common) * vector.nbytes > CONTRIBUTION_BYTES:
            self._common.popitem(last=False)


def _names(folder: Path) -> list[str]:
    path = folder / LIST_NAME
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        if any(folder.glob(f"*{SUFFIX}")):
            raise damaged(LIST_NAME, "the list of segments is missing") from None
        return []
    try:
        line = json.loads(raw)
        body = line["list"]
        if hashlib.sha256(body.encode()).hexdigest() != line["sha256"]:
            raise damaged(LIST_NAME, "its hash does not fit its content")
        held = json.loads(body)
    except IntegrityError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise damaged(LIST_NAME, "it cannot be read") from error
    if held["format"] != LIST_FORMAT:
        raise damaged(LIST_NAME, f"format {held['format']} is not {LIST_FORMAT}")
    names: list[str] = held["segments"]
    return names
