"""Which version a person means by a label or an id."""

from __future__ import annotations

from typing import Final

from compliance_rag.store.corpus import EVERYTHING, Corpus
from compliance_rag.store.rows import VersionRow
from compliance_rag.store.timeline import Knowledge

# What follows an id that is also a label, to name the text first recorded and not its correction.
FIRST_RECORDED: Final = "~1"


def version_named(corpus: Corpus, doc_id: str, name: str, knowledge: Knowledge = EVERYTHING) -> VersionRow:
    """By its label the version that stands as known, so that of a version and its corrections the last one; else by its
    version id. ``label~1`` is the text first recorded under a label that is also an id.

    Raises NotFound ``unknown_document``, ``unknown_version``.
    """
    known = [item for (doc, _), group in corpus.timeline(knowledge).items() if doc == doc_id for item in group]
    labelled = [item for item in known if item.row.version == name]
    if labelled:
        return max(labelled, key=lambda item: (item.live, not item.void, item.row.index)).row
    first = name.removesuffix(FIRST_RECORDED)
    named_first = first != name and any(item.row.version_id == first for item in known)
    return corpus.find_version(doc_id, first if named_first else name, knowledge)


def waiting_version(corpus: Corpus, doc_id: str, name: str) -> VersionRow:
    """The last version of this label that is not published yet, else :func:`version_named`. Raises as that."""
    newest = {row.version_id: row for row in corpus.versions if row.doc_id == doc_id}
    waiting = [row for row in newest.values() if row.version == name and row.state != "published"]
    return max(waiting, key=lambda row: row.index) if waiting else version_named(corpus, doc_id, name)
