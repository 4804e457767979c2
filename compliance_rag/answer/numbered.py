"""The answer to a question that asks for a clause by number: its own words, whole, and what stands under it."""

from __future__ import annotations

from dataclasses import dataclass

from compliance_rag.answer.pieces import Piece
from compliance_rag.answer.sentences import passage, units
from compliance_rag.store.rows import StoredClause


@dataclass(frozen=True, slots=True)
class NamedClauses:
    """The clauses a question asks for by number, each followed by what stands under it; ``heads``: the ids of those named,
    ``why`` they are."""

    clauses: tuple[StoredClause, ...]
    heads: frozenset[str]
    why: str = "its number is asked for"


# A clause asked for by its number is quoted whole up to this length: some four screens, longer than any clause of the samples.
WHOLE_LIMIT = 2_400
# Citations for one look-up: an article with its paragraphs and a list of items; what is left is named.
LOOK_UP_LIMIT = 12


def pieces_of(named: NamedClauses) -> tuple[list[Piece], list[StoredClause]]:
    """The pieces that quote the clauses named, every document's share where several have the number, and the clauses there was
    no room for."""
    spoken = [clause for clause in named.clauses if units(clause.clause.text)]
    documents = list(dict.fromkeys(clause.version.ref for clause in spoken))
    room = max(1, LOOK_UP_LIMIT // max(1, len(documents)))
    taken: dict[str, int] = {}
    pieces: list[Piece] = []
    cut: list[StoredClause] = []
    for clause in spoken:
        ref = clause.version.ref
        taken[ref] = taken.get(ref, 0) + 1
        if taken[ref] > room or len(pieces) >= LOOK_UP_LIMIT:
            cut.append(clause)
            continue
        span = passage(clause.clause.text, units(clause.clause.text)[0], WHOLE_LIMIT)
        head = clause.clause_id in named.heads
        why = named.why if head else "it stands under the clause asked for"
        pieces.append(Piece(clause, "primary", span, span, 1.0, why))
    return pieces, cut
