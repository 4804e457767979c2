"""One partition per document version, keyed `doc_id@version`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import dagster as dg

from compliance_rag.store.rows import VersionRow
from schemas.ids import slug, version_id_for, version_ref
from schemas.manifest import ManifestEntry

PARTITIONS_NAME = "document_versions"
# Measured: one run of 1,000 versions costs 50 to 100 s of Dagster's own time, growing with the run; 100 keeps it near 7 s.
VERSIONS_PER_RUN = 100

document_versions = dg.DynamicPartitionsDefinition(name=PARTITIONS_NAME)
backfill_policy = dg.BackfillPolicy.multi_run(max_partitions_per_run=VERSIONS_PER_RUN)


def partition_key(entry: ManifestEntry, recorded: Iterable[VersionRow]) -> str:
    """The partition of ``entry``; a correction takes the next free twin of its label."""
    taken = {row.version_id for row in recorded if row.doc_id == entry.doc_id}
    if not entry.correct:
        return version_ref(entry.doc_id, slug(entry.version, "version"))
    return version_ref(entry.doc_id, version_id_for(entry.version, taken, correction=True))


def runs_of(keys: Sequence[str], order: Sequence[str]) -> list[list[str]]:
    """``keys`` cut, in their order, into runs of neighbours in ``order``, at most :data:`VERSIONS_PER_RUN` each.

    A Dagster run takes a range of the partition list, so a run may hold only keys that stand side by side there.
    """
    place = {key: index for index, key in enumerate(order)}
    runs: list[list[str]] = []
    for key in keys:
        if runs and place[key] == place[runs[-1][-1]] + 1 and len(runs[-1]) < VERSIONS_PER_RUN:
            runs[-1].append(key)
        else:
            runs.append([key])
    return runs
