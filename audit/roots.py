"""Version roots and corpus roots: what a leaf holds, and the roots over them (DESIGN 3)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from audit.tree import Frontier, leaf_hash, root_of
from schemas.canonical import canonical_json, has_float
from schemas.clause import Clause
from schemas.dates import print_day
from schemas.errors import InputRejected
from schemas.ledger import CLAUSE_LEAF, PUBLICATION_LEAF

CLAUSE_FIELDS = (
    "path", "sha256", "number", "heading", "effective_from", "effective_to", "spans", "page", "boxes",
)  # fmt: skip
"""What a version root covers of a clause."""
PUBLICATION_FIELDS = (
    "doc_id", "version", "version_id", "language", "jurisdiction", "status", "state", "effective_from", "effective_to",
    "published_on", "source_sha256", "extracted_sha256", "parser", "root", "corrects",
)  # fmt: skip
"""What a corpus root covers of a publication; a field its header lacks is null."""
# Boxes are hashed in thousandths of a point: finer than any renderer shows, and integers are exact everywhere.
BOX_SCALE = 1000


def clause_row(clause: Clause) -> dict[str, Any]:
    """The canonical row of a clause: path tokens joined by ``/``, ISO days or None, spans in code points of the extracted text,
    boxes ``[page, x0, y0, x1, y1]`` in thousandths of a point."""
    return {
        "path": "/".join(clause.path),
        "sha256": clause.sha256,
        "number": clause.number,
        "heading": clause.heading,
        "effective_from": print_day(clause.effective_from),
        "effective_to": print_day(clause.effective_to),
        "spans": [list(span) for span in clause.spans],
        "page": clause.page,
        "boxes": [[box[0], *(round(edge * BOX_SCALE) for edge in box[1:])] for box in clause.boxes],
    }


def clauses_part(rows: Sequence[Mapping[str, Any]]) -> bytes:
    """The publication record's part ``clauses``: the rows as one canonical JSON list."""
    return canonical_json([{name: row[name] for name in CLAUSE_FIELDS} for row in rows])


def version_root(rows: Iterable[Mapping[str, Any]]) -> str:
    """The root over a version's clause rows in document order, hex. Raises InputRejected ``bad_record`` on a float."""
    return root_of(_leaf(CLAUSE_LEAF, {name: row[name] for name in CLAUSE_FIELDS}) for row in rows).hex()


def publication_row(header: Mapping[str, Any]) -> dict[str, Any]:
    """What the corpus root covers of a ``publication`` header (or of the fields it is to get)."""
    return {name: header.get(name) for name in PUBLICATION_FIELDS}


def corpus_root(publications: Iterable[Mapping[str, Any]]) -> str:
    """The root over publication headers in the order recorded, hex."""
    return CorpusRoot(publications).root


class CorpusRoot:
    """The corpus root as publications come in: O(log n) memory, O(log n) a publication."""

    def __init__(self, publications: Iterable[Mapping[str, Any]] = ()) -> None:
        self._frontier = Frontier()
        for header in publications:
            self.add(header)

    def add(self, header: Mapping[str, Any]) -> str:
        """Take in one publication; the corpus root with it, hex."""
        self._frontier.add(_leaf(PUBLICATION_LEAF, publication_row(header)))
        return self.root

    @property
    def size(self) -> int:
        """Number of publications."""
        return self._frontier.size

    @property
    def root(self) -> str:
        """The corpus root so far, hex."""
        return self._frontier.root().hex()

    def copy(self) -> CorpusRoot:
        """An independent copy, for working out the root of a publication that is not committed yet."""
        other = CorpusRoot()
        other._frontier = self._frontier.copy()
        return other


def _leaf(type_line: str, row: dict[str, Any]) -> bytes:
    if has_float(row):
        raise InputRejected("bad_record", f"A row of {type_line} holds a float, which is not exact everywhere.", type_line)
    return leaf_hash(type_line.encode() + b"\n" + canonical_json(row))
