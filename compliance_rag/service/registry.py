"""The clause tables and the ledger as validation asks them: a clause read now, and its hash as the ledger recorded it."""

from __future__ import annotations

import json
import weakref

from audit.ledger import Ledger
from compliance_rag.store.corpus import Corpus
from compliance_rag.store.rows import StoredClause
from compliance_rag.store.timeline import Knowledge
from schemas.errors import IntegrityError, NotFound
from schemas.ids import read_clause_id

# Hash lists of publications kept, each proved by the ledger when read: about 10 MB for versions of 1,000 clauses.
LISTS_KEPT = 100

_LISTS: weakref.WeakKeyDictionary[Ledger, dict[int, dict[str, str]]] = weakref.WeakKeyDictionary()


class HomeRegistry:
    """Reads for :func:`compliance_rag.answer.validate.validate` on one snapshot."""

    def __init__(self, corpus: Corpus, ledger: Ledger, knowledge: Knowledge) -> None:
        self._corpus = corpus
        self._ledger = ledger
        self._knowledge = knowledge

    def fresh(self, clause_id: str) -> StoredClause | None:
        """The clause read from the tables and re-hashed; None when it is not known. A text that is not what was published comes
        back as no clause only where it does not exist: damage raises IntegrityError ``clause_hash_mismatch``."""
        try:
            return self._corpus.clause(clause_id, self._knowledge)
        except NotFound:
            return None

    def recorded_sha256(self, clause_id: str) -> str | None:
        """The sha256 in the clause list of the clause's publication record. Raises IntegrityError of ``Ledger.part``."""
        doc_id, version_id, path = read_clause_id(clause_id)
        standing = self._corpus.standing(doc_id, version_id, self._knowledge)
        if standing is None:
            return None
        return self._hashes(self._corpus.content_of(standing.row)).get("/".join(path))

    def check(self, clause: StoredClause) -> None:
        """Raises IntegrityError ``clause_hash_mismatch`` when the text of ``clause`` is not what was published."""
        name = clause.clause_id
        if self.recorded_sha256(name) != clause.clause.sha256:
            raise IntegrityError("clause_hash_mismatch", f"The text of {name} is not what was published.", name)

    def _hashes(self, index: int) -> dict[str, str]:
        lists = _LISTS.setdefault(self._ledger, {})
        if index not in lists:
            header = self._ledger.header(index)
            rows = json.loads(self._ledger.part(header, "clauses"))
            if not isinstance(rows, list):
                raise IntegrityError("part_damaged", f"The clause list of record {index} is no list.", str(index))
            while len(lists) >= LISTS_KEPT:
                lists.pop(next(iter(lists)))
            lists[index] = {row["path"]: row["sha256"] for row in rows}
        return lists[index]
