"""The ingest report of a recorded version: what a careful editor wants to see before and after publishing."""

from __future__ import annotations

from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.records import read_publication
from compliance_rag.store.rows import VersionRow
from compliance_rag.structure.report import editor_report


def ingest_report(handle: HomeHandle, row: VersionRow) -> dict[str, object]:
    """:func:`compliance_rag.structure.report.editor_report` of the parse as it is recorded on the ledger.

    Raises IntegrityError when the record or the extracted text is damaged."""
    stored = read_publication(handle.ledger, handle.home, handle.ledger.header(row.index))
    return editor_report(stored.parsed)
