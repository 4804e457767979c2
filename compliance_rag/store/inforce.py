"""The in-force set of a day: which versions, which clause rows, as masks over the rows of one snapshot."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import numpy as np
import numpy.typing as npt

from compliance_rag.store.clauses import Placed
from compliance_rag.store.rows import VersionRow
from compliance_rag.store.timeline import Decision, Key, Knowledge, clause_reason
from schemas.dates import Interval
from schemas.jurisdictions import with_ancestors

Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class InForceSet:
    """What is in force on ``as_of`` as known, and the part of it that the filters permit.

    ``in_force`` (n,) is the mask over all clause rows of the snapshot whatever the filters (term statistics come from it, so
    that scores stay comparable), ``mask`` (n,) the permitted part. ``text_rows`` (n,) gives each clause row's index into
    ``text_keys`` (-1: nothing to find it by). ``decisions`` say for every permitted document and language what is in force, or
    why nothing is; ``versions`` are those in force. ``epoch`` names ``in_force``: equal epochs mean equal masks.
    """

    as_of: date
    knowledge: Knowledge
    decisions: Mapping[Key, Decision]
    versions: tuple[VersionRow, ...]
    in_force: Mask
    mask: Mask
    text_rows: Rows
    text_keys: Sequence[str]
    epoch: str

    @property
    def rows(self) -> Rows:
        """Permitted clause rows in force, ascending."""
        return np.flatnonzero(self.mask)

    @property
    def scope(self) -> dict[str, int]:
        """How much was searched: documents, versions, clauses."""
        documents = len({row.doc_id for row in self.versions})
        return {"documents": documents, "versions": len(self.versions), "clauses": int(np.count_nonzero(self.mask))}


@dataclass(frozen=True, slots=True)
class Filters:
    """What a question may look at; empty means everything."""

    docs: tuple[str, ...] = ()
    jurisdictions: tuple[str, ...] = ()
    language: str | None = None

    def permit(self, rows: Sequence[VersionRow]) -> set[str]:
        """References of the rows that pass. Raises InputRejected ``unknown_jurisdiction``."""
        allowed = frozenset[str]().union(*(with_ancestors(code) for code in self.jurisdictions))
        return {
            row.ref
            for row in rows
            if (not self.docs or row.doc_id in self.docs)
            and (not allowed or (row.jurisdiction is not None and row.jurisdiction in allowed))
            and (self.language is None or same_language(self.language, row.language))
        }


def same_language(wanted: str, held: str) -> bool:
    """``zh`` takes ``zh-CN``; ``zh-CN`` takes only itself."""
    return held.lower() == wanted.lower() or held.lower().startswith(wanted.lower() + "-")


def version_masks(
    count: int, chosen: Sequence[Placed], dated: Mapping[int, Sequence[Interval]], as_of: date
) -> tuple[Mask, list[tuple[int, Mask | None]]]:
    """The mask over ``count`` rows of the chosen versions, and each one's own mask where single clauses have dates.

    ``dated`` holds the clause intervals of versions that have any, by first row.
    """
    mask = np.zeros(count, np.bool_)
    parts: list[tuple[int, Mask | None]] = []
    for placed in chosen:
        part: Mask | None = None
        if placed.first_rid in dated:
            intervals = dated[placed.first_rid]
            part = np.fromiter((clause_reason(item, as_of) is None for item in intervals), np.bool_, len(intervals))
            mask[placed.first_rid : placed.end_rid] = part
        else:
            mask[placed.first_rid : placed.end_rid] = True
        parts.append((placed.first_rid, part))
    return mask, parts


def epoch_of(snapshot: str, parts: Sequence[tuple[int, Mask | None]]) -> str:
    """A name for an in-force mask: the snapshot and the versions in it, with the clauses left out of each."""
    digest = hashlib.sha256(snapshot.encode())
    for first, part in sorted(parts, key=lambda item: item[0]):
        digest.update(b"%d:" % first + (b"" if part is None else np.packbits(part).tobytes()) + b";")
    return digest.hexdigest()
