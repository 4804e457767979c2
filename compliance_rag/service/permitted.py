"""The permitted in-force set as a record keeps it: which versions were searched, by what parser, and which of their clauses
were not in force."""

from __future__ import annotations

import weakref
from typing import Any

import numpy as np

from compliance_rag.store.corpus import Corpus
from compliance_rag.store.inforce import InForceSet
from schemas.canonical import canonical_json

# Sets kept ready as bytes: as many as the postings keep statistics of. One of 1,000 versions takes 200 kB.
SETS_KEPT = 4

_SETS: weakref.WeakKeyDictionary[Corpus, dict[tuple[str, tuple[int, ...]], bytes]] = weakref.WeakKeyDictionary()


def permitted_record(corpus: Corpus, in_force: InForceSet) -> dict[str, Any]:
    """``versions``: doc and version id, the ledger record of the clause list, its root and parser, in order; ``left_out``: ids
    of their clauses that were not in force on their own dates; ``clauses``: how many were. With the clause lists of the ledger
    that is the set, clause by clause."""
    rows = sorted(in_force.versions, key=lambda row: row.index)
    out = [corpus.first_row(row) + np.flatnonzero(~in_force.mask[corpus.first_row(row) :][: row.clause_count]) for row in rows]
    left_out = np.concatenate(out) if out else np.empty(0, np.int64)
    return {
        "versions": [
            {
                "doc_id": row.doc_id, "version_id": row.version_id, "record": corpus.content_of(row), "root": row.root,
                "parser": row.parser_version,
            }
            for row in rows
        ],
        "left_out": [clause.clause_id for clause in corpus.by_rows(left_out.tolist(), in_force.knowledge)],
        "clauses": in_force.scope["clauses"],
    }  # fmt: skip


def permitted_bytes(corpus: Corpus, in_force: InForceSet) -> bytes:
    """The same as canonical JSON; asked again on the same set, the same bytes without the work."""
    sets = _SETS.setdefault(corpus, {})
    key = (in_force.epoch, tuple(row.index for row in in_force.versions))
    if key not in sets:
        while len(sets) >= SETS_KEPT:
            sets.pop(next(iter(sets)))
        sets[key] = canonical_json(permitted_record(corpus, in_force))
    return sets[key]
