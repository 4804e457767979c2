"""The ingest report of a recorded version: what a careful editor wants to see before and after publishing."""

from __future__ import annotations

from dataclasses import replace

from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.records import read_publication
from compliance_rag.store.corpus import EVERYTHING
from compliance_rag.store.rows import VersionRow
from compliance_rag.store.timeline import Knowledge
from compliance_rag.structure.report import editor_report


def ingest_report(handle: HomeHandle, row: VersionRow, knowledge: Knowledge = EVERYTHING) -> dict[str, object]:
    """:func:`compliance_rag.structure.report.editor_report` of the parse as it is recorded on the ledger, without the
    days that a redating known has confirmed since.

    Raises IntegrityError when the record or the extracted text is damaged."""
    parsed = read_publication(handle.ledger, handle.home, handle.ledger.header(row.index)).parsed
    if any(flag.code == "dates_unconfirmed" for flag in parsed.flags):
        clauses = handle.corpus().clauses_of(row.doc_id, row.version_id, knowledge)
        open_paths = {item.clause.path for item in clauses if "dates_unconfirmed" in item.clause.flags}
        flags = tuple(flag for flag in parsed.flags if flag.code != "dates_unconfirmed" or flag.path in open_paths)
        parsed = replace(parsed, flags=flags)
    return editor_report(parsed)
