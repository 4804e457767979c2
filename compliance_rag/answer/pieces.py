"""One citation to be: a clause, the part it plays, the words to quote, and the sentence that speaks."""

from __future__ import annotations

import re
from dataclasses import dataclass

from compliance_rag.answer.cues import opens_exception
from compliance_rag.answer.orders import addresses_machine, spoken_units
from compliance_rag.answer.scoring import Scored
from compliance_rag.answer.sentences import Unit, passage
from compliance_rag.store.rows import StoredClause
from schemas.objects import Role

# A quote holds whole sentences up to this length: one screen of text, and no clause of the samples needs more to be understood.
QUOTE_LIMIT = 600
# What is said of a clause with the sentences that complete the one that answers: four lines of a page.
SAID_LIMIT = 400

# A sentence that says of the thing in the one before it what is not so ("It does not apply to contractors").
_ALSO_NOT = re.compile(
    r"\s*(?:it|they|this|these|those|such\b[^.;,]{0,40}?|the\s+same)\s+(?:(?:shall|must|may|will|can|do|does|did|is|are)\s+not\b|only\b|ceases?\b)",
    re.I,
)
# A Chinese part between semicolons is no sentence: its subject, or what is taken out of it, may stand in the next.
_GOES_ON = "；"


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


def said(piece: Piece) -> tuple[int, int]:
    """The span that speaks for ``piece``, within its quote and up to :data:`SAID_LIMIT`: its sentence to the full stop, and the
    sentence beside it that takes something back from it, or that it takes something back from. A rule without the exception
    in its own clause misleads, and so does an exception without its rule."""
    text = piece.clause.clause.text
    inside = [unit for unit in spoken_units(text) if piece.span[0] <= unit.start and unit.end <= piece.span[1]]
    here = next((at for at, unit in enumerate(inside) if (unit.start, unit.end) == piece.sentence), None)
    if here is None:
        return piece.sentence
    first = last = here
    while first > 0 and _joined(text, inside[first - 1], inside[first]) and _fits(inside[first - 1], inside[last]):
        first -= 1
    while last + 1 < len(inside) and _joined(text, inside[last], inside[last + 1]) and _fits(inside[first], inside[last + 1]):
        last += 1
    return inside[first].start, inside[last].end


def _fits(first: Unit, last: Unit) -> bool:
    return last.end - first.start <= SAID_LIMIT


def _joined(text: str, left: Unit, right: Unit) -> bool:
    """True when the second of two neighbours goes on with the first, or takes something back from it."""
    if left.block != right.block or "row" in (left.kind, right.kind):
        return False
    after = text[right.start : right.end]
    return text[left.start : left.end].rstrip().endswith(_GOES_ON) or opens_exception(after) or bool(_ALSO_NOT.match(after))
