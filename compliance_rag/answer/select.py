"""Which clauses, and which words of them, answer a question: the deterministic choice behind the verbatim answer."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from compliance_rag.answer.cues import (
    addresses_machine,
    answers_kind,
    day_fit,
    opens_exception,
    operative,
    parts_of,
    question_day,
    wants,
    without_dates,
)
from compliance_rag.answer.sentences import Unit, passage, units
from compliance_rag.answer.terms import terms
from compliance_rag.retrieve.types import Candidate, EvidenceItem, Ranking
from compliance_rag.store.rows import StoredClause
from schemas.objects import Role

# Six citations are what an analyst reads; the clause that answers is first.
CITATION_LIMIT = 6
# Of these, so many clauses may answer by rank alone; the rest are kept for exceptions and definitions.
PRIMARY_LIMIT = 4
# A quote holds whole sentences up to this length: one screen of text, and no clause of the samples needs more to be understood.
QUOTE_LIMIT = 600
# Candidates read sentence by sentence; what ranks below never became a first citation on the questions tried.
READ_LIMIT = 30
# A further clause is cited when its score is this near the best one …
NEAR_BEST = 0.86
# … or when it alone holds this part of the question's weight and scores at least FAR_BEST of the best.
NEW_TERMS = 0.2
FAR_BEST = 0.6
# Weights of a clause's score: its place in the ranking, the question's terms it holds, the terms in its best sentence, and what
# its best sentence holds of the kind asked for. On 74 answerable questions of the sample corpus and the 19 facts (complete,
# precision, facts): place 0.45 41, 0.50, 19; 0.7 43, 0.52, 19; 0.9 43, 0.51, 19. NEAR_BEST 0.9: 42, 0.54, 18.
RANK_WEIGHT, CLAUSE_WEIGHT, UNIT_WEIGHT, KIND_WEIGHT, DAY_WEIGHT = 0.7, 0.2, 0.25, 0.15, 0.15
# A sub-clause brought in under a candidate takes this part of its place in the ranking.
CHILD_PLACE = 0.95
# What a clause without a number loses: it is found by names that every question repeats.
UNNUMBERED_LOSS = 0.15
# Definitions, references and amendments are cited when they hold this part of the question's weight.
ATTACHED_SHARE = 0.45
# A second passage of the same clause is quoted when it is this near to the first and stands outside its quote.
SECOND_PASSAGE = 0.85


@dataclass(frozen=True, slots=True)
class Scored:
    """A unit of a clause and its score for the question."""

    unit: Unit
    score: float
    matched: frozenset[str]


@dataclass(frozen=True, slots=True)
class Piece:
    """One citation to be: the clause, its role, the span to quote, and the span of the sentence that speaks."""

    clause: StoredClause
    role: Role
    span: tuple[int, int]
    sentence: tuple[int, int]
    score: float
    why: str
    origin: str | None = None


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, what was in evidence as an exception and could not be quoted, and why each other candidate was not."""

    pieces: tuple[Piece, ...]
    named: tuple[StoredClause, ...]
    why_not: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question prepared: its terms with their weights among the candidates, the kinds it wants, the day it speaks of."""

    weights: Mapping[str, float]
    kinds: frozenset[str]
    day: date

    @property
    def total(self) -> float:
        """The weight of all terms, at least a sliver so that nothing divides by zero."""
        return sum(self.weights.values()) or 1e-9

    def share(self, held: frozenset[str]) -> float:
        """The part of the question's weight that ``held`` covers, 0 to 1."""
        return sum(weight for term, weight in self.weights.items() if term in held) / self.total


def _context(clause: StoredClause) -> str:
    return " ".join([*clause.clause.heading_path, clause.clause.heading])


def clause_terms(clause: StoredClause) -> frozenset[str]:
    """Terms of a clause's text and of the headings above it."""
    return terms(clause.clause.text) | terms(_context(clause))


def prepare(question: str, clauses: Sequence[StoredClause], as_of: date) -> Asked:
    """Weigh the question's terms by how few of ``clauses`` hold them (Lucene idf over the candidates)."""
    held = [clause_terms(clause) for clause in clauses]
    count = len(held)
    weights = {
        term: math.log(1 + (count - df + 0.5) / (df + 0.5))
        for term in sorted(terms(without_dates(question)))
        for df in (sum(term in one for one in held),)
        if df  # a word no candidate holds tells them not apart; that it is missing is silence's business
    }
    return Asked(weights, frozenset(wants(question)), question_day(question, as_of))


def score_units(clause: StoredClause, asked: Asked) -> list[Scored]:
    """Every unit of the clause with its score: terms covered, a quantity of the kind asked for, the days it holds between."""
    text = clause.clause.text
    heading = terms(_context(clause))
    found: list[Scored] = []
    for unit in units(text):
        words = text[unit.start : unit.end]
        matched = terms(words)
        own = matched
        for above in (unit.header, unit.lead):
            if above is not None:
                matched |= terms(text[above[0] : above[1]])
        # Words a row only stands under count half: the sentence that holds them itself is the better quote.
        share = (asked.share(own) + asked.share(matched)) / 2
        score = UNIT_WEIGHT * share + UNIT_WEIGHT / 4 * asked.share(matched | heading)
        if asked.kinds and answers_kind(words, asked.kinds):  # type: ignore[arg-type]
            score += KIND_WEIGHT * min(1.0, 2 * share)
        score += 0.03 * operative(words) - 0.04 * (words.rstrip()[-1:] in ":：") - 0.03 * opens_exception(words)
        fit = day_fit(words, None if unit.header is None else text[unit.header[0] : unit.header[1]], asked.day)
        if fit.bounded:
            # A revision table holds any day: its rows count only as far as they speak of the subject.
            score += DAY_WEIGHT * min(1.0, 2 * share) if fit.inside else -DAY_WEIGHT
        found.append(Scored(unit, score, matched))
    return found


def _best(scored: Sequence[Scored]) -> Scored:
    return max(scored, key=lambda item: (round(item.score, 6), -item.unit.start))


def _piece(clause: StoredClause, role: Role, chosen: Scored, score: float, why: str, origin: str | None = None) -> Piece:
    span = passage(clause.clause.text, chosen.unit, QUOTE_LIMIT)
    return Piece(clause, role, span, (chosen.unit.start, chosen.unit.end), score, why, origin)


@dataclass(frozen=True, slots=True)
class _Reading:
    candidate: Candidate
    units: tuple[Scored, ...]
    score: float
    terms: frozenset[str]
    place: float


def _unnumbered(clause: StoredClause) -> float:
    """What a clause without a number loses: title pages and recitals repeat every name and rule nothing."""
    return UNNUMBERED_LOSS if clause.clause.number is None else 0.0


def _read(candidate: Candidate, best_rank: float, asked: Asked) -> _Reading | None:
    clause = candidate.clause
    scored = score_units(clause, asked)
    if not scored:
        return None
    held = clause_terms(clause)
    place = candidate.score / best_rank if best_rank > 0 else 0.0
    score = RANK_WEIGHT * place + CLAUSE_WEIGHT * asked.share(held) + _best(scored).score - _unnumbered(clause)
    return _Reading(candidate, tuple(scored), score, held, place)


def _best_of_part(part: str, readings: Sequence[_Reading], asked: Asked) -> _Reading | None:
    """The reading that answers one part of a joined question best: the ranking's place still counts, the other parts do not."""
    own = {term: asked.weights[term] for term in terms(without_dates(part)) if term in asked.weights}
    if not own:
        return None
    alone = Asked(own, frozenset(wants(part)), asked.day)

    def score(reading: _Reading) -> tuple[float, str]:
        clause = reading.candidate.clause
        best = _best(score_units(clause, alone)).score
        found = RANK_WEIGHT * reading.place + CLAUSE_WEIGHT * alone.share(reading.terms) + best - _unnumbered(clause)
        return round(found, 6), clause.clause_id

    return max(readings, key=score, default=None)


def _primary(question: str, readings: Sequence[_Reading], asked: Asked) -> tuple[list[_Reading], dict[str, str]]:
    chosen: list[_Reading] = []
    why_not: dict[str, str] = {}
    parts = parts_of(question)
    needed = [_best_of_part(part, readings, asked) for part in parts] if len(parts) > 1 else []
    covered: frozenset[str] = frozenset()
    for reading in readings:
        name = reading.candidate.clause.clause_id
        near = not chosen or reading.score >= NEAR_BEST * chosen[0].score
        adds = asked.share(covered | reading.terms) - asked.share(covered)
        helps = bool(chosen) and adds >= NEW_TERMS and reading.score >= FAR_BEST * chosen[0].score
        numbered = reading.candidate.number is not None
        if len(chosen) >= PRIMARY_LIMIT:
            why_not[name] = "better clauses fill the answer"
        elif near or helps or numbered or any(reading is one for one in needed):
            chosen.append(reading)
            covered |= reading.terms
        else:
            why_not[name] = (
                f"scores {reading.score:.2f} against {chosen[0].score:.2f} and adds {adds:.0%} of the question's terms"
            )
    return chosen, why_not


def _second(reading: _Reading, first: Piece) -> Piece | None:
    """A second passage of a long clause, when it answers nearly as well and the first quote does not hold it."""
    best = _best(reading.units)
    outside = [s for s in reading.units if s.unit.start >= first.span[1] or s.unit.end <= first.span[0]]
    if not outside or best.score <= 0:
        return None
    other = _best(outside)
    if other.score < SECOND_PASSAGE * best.score:
        return None
    piece = _piece(reading.candidate.clause, "primary", other, reading.score, "a second passage of the same clause")
    apart = piece.span[0] >= first.span[1] or piece.span[1] <= first.span[0]
    return piece if apart else Piece(piece.clause, piece.role, piece.sentence, piece.sentence, piece.score, piece.why)


def _children(evidence: Sequence[EvidenceItem], candidates: Sequence[Candidate]) -> list[Candidate]:
    """Sub-clauses brought in under a candidate compete with it for the answer, a little behind it."""
    by_id = {c.clause.clause_id: c for c in candidates}
    found: list[Candidate] = []
    for item in evidence:
        parent = by_id.get(item.clause.parent_id or "")
        if parent is not None and item.clause.clause_id not in by_id and item.clause.clause.text.strip():
            found.append(replace(parent, clause=item.clause, score=CHILD_PLACE * parent.score, number=None, why=item.why))
    return found


def _needs_lead(piece: Piece) -> bool:
    """True for an item that is no sentence without the words it stands under."""
    text = piece.clause.clause.text.lstrip()
    return (
        piece.role == "primary"
        and piece.clause.clause.parent is not None
        and (not operative(text) or text[:1].islower() or text.rstrip()[-1:] in "；;")
    )


_ORDER: dict[Role, int] = {"lead_in": 1, "exception": 2, "definition": 3, "amendment": 2, "transitional": 4, "reference": 5}


def _attached(evidence: Sequence[EvidenceItem], cited: set[str], leaderless: set[str], asked: Asked) -> list[EvidenceItem]:
    """Evidence that belongs to a cited clause, in reading order: lead-ins, exceptions, definitions of words asked about."""
    found: list[EvidenceItem] = []
    for item in evidence:
        role, name = item.role, item.clause.clause_id
        if role not in _ORDER or name in cited or (item.origin is not None and item.origin not in cited):
            continue
        always = role == "exception" or (role == "lead_in" and item.origin in leaderless)
        asked_about = role != "lead_in" and asked.share(clause_terms(item.clause)) >= ATTACHED_SHARE
        if always or asked_about:
            found.append(item)
    return sorted(found, key=lambda item: (_ORDER[item.role], -round(item.score, 6), item.clause.clause_id))


def choose(question: str, ranking: Ranking, evidence: Sequence[EvidenceItem], *, limit: int = CITATION_LIMIT) -> Choice:
    """The smallest set of clauses, at most ``limit`` citations, that covers the question; deterministic.

    The operative clause comes first, then clauses that add terms, then the exceptions and definitions tied to them. Clauses
    that give orders to a machine are quoted only when the question names them by number.
    """
    candidates = [c for c in ranking.candidates[:READ_LIMIT] if c.clause.clause.text.strip()]
    safe = [c for c in candidates if c.number is not None or not addresses_machine(c.clause.clause.text)]
    why_not = {
        c.clause.clause_id: "gives orders to a machine; shown as text only on request" for c in candidates if c not in safe
    }
    pool = [c.clause for c in safe] + [item.clause for item in evidence]
    asked = prepare(question, pool, ranking.query.as_of)
    safe += _children(evidence, safe)
    best_rank = max((c.score for c in safe), default=0.0)
    readings = [reading for c in safe if (reading := _read(c, best_rank, asked)) is not None]
    readings.sort(key=lambda r: (r.candidate.number is None, -round(r.score, 6), r.candidate.clause.clause_id))
    primary, passed = _primary(question, readings, asked)
    why_not |= passed
    pieces: list[Piece] = []
    for reading in primary:
        first = _piece(reading.candidate.clause, "primary", _best(reading.units), reading.score, reading.candidate.why)
        pieces.append(first)
        second = _second(reading, first) if reading is primary[0] else None
        if second is not None:
            pieces.append(second)
    pieces = pieces[: min(limit, PRIMARY_LIMIT + 1)]
    cited = {piece.clause.clause_id for piece in pieces}
    named: list[StoredClause] = []
    for item in _attached(evidence, cited, {p.clause.clause_id for p in pieces if _needs_lead(p)}, asked):
        if item.clause.clause_id in {p.clause.clause_id for p in pieces} or not item.clause.clause.text.strip():
            continue
        scored = score_units(item.clause, asked)
        if len(pieces) < limit and scored:
            pieces.append(_piece(item.clause, item.role, _best(scored), item.score, item.why, item.origin))
        elif item.role == "exception":
            named.append(item.clause)
    return Choice(tuple(pieces), tuple(named), why_not)
