"""One citation to be: a clause, the part it plays, the words to quote, and the sentence that speaks."""

from __future__ import annotations

from dataclasses import dataclass

from compliance_rag.answer.orders import addresses_machine
from compliance_rag.answer.scoring import Scored
from compliance_rag.answer.sentences import passage
from compliance_rag.store.rows import StoredClause
from schemas.objects import Role

# A quote holds whole sentences up to this length: one screen of text, and no clause of the samples needs more to be understood.
QUOTE_LIMIT = 600


@dataclass(frozen=True, slots=True)
class Piece:
    """One citation to be: the clause, its role, the span to quote, and the span of the sentence that speaks; ``part`` and
    ``origin`` as in the evidence it came from."""

    clause: StoredClause
    role: Role
    span: tuple[int, int]
    sentence: tuple[int, int]
    score: float
    why: str
    origin: str | None = None
    part: str = ""

    @property
    def quote(self) -> str:
        """The words to quote."""
        return self.clause.clause.text[self.span[0] : self.span[1]]

    @property
    def spoken(self) -> str:
        """The sentence that speaks."""
        return self.clause.clause.text[self.sentence[0] : self.sentence[1]]


def make_piece(
    clause: StoredClause,
    role: Role,
    chosen: Scored,
    score: float,
    why: str,
    *,
    origin: str | None = None,
    part: str = "",
) -> Piece:
    """The piece that quotes the passage around ``chosen``; where orders to a machine stand beside it, the sentence alone."""
    span = passage(clause.clause.text, chosen.unit, QUOTE_LIMIT)
    if addresses_machine(clause.clause.text[slice(*span)]):
        span = (chosen.unit.start, chosen.unit.end)
    return Piece(clause, role, span, (chosen.unit.start, chosen.unit.end), score, why, origin, part)
