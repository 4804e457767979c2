"""Which clauses, and which words of them, answer a question: the deterministic choice behind the verbatim answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from compliance_rag.answer.attach import (
    Ties,
    attach,
    is_aside,
    is_broad,
    is_schedule,
    lead_ins,
    points_to,
    speaks_little,
    words_of,
)
from compliance_rag.answer.breadth import SET_LIMIT, asks_for_set, belonging
from compliance_rag.answer.cues import parts_of
from compliance_rag.answer.further import for_part, primary
from compliance_rag.answer.need import holds_kind, labels
from compliance_rag.answer.numbered import NamedClauses, pieces_of
from compliance_rag.answer.orders import spoken_units
from compliance_rag.answer.pieces import QUOTE_LIMIT, SAID_LIMIT, Piece, make_piece
from compliance_rag.answer.reading import Reading, by_range, ordered, read_clause, speaking
from compliance_rag.answer.scoring import (
    Asked,
    best_unit,
    clause_terms,
    prepare,
    score_units,
    told_apart,
)
from compliance_rag.answer.sentences import Unit
from compliance_rag.retrieve.hints import parties_in
from compliance_rag.retrieve.question import read_question
from compliance_rag.retrieve.types import Candidate, EvidenceItem, Ranking
from compliance_rag.store.rows import StoredClause
from schemas.objects import Role

__all__ = ["CITATION_LIMIT", "QUOTE_LIMIT", "READ_LIMIT", "Choice", "Piece", "choose"]

# Six citations are what an analyst reads; the clause that answers is first.
CITATION_LIMIT = 6
# Items of an exception's list that may go beyond it.
LIST_REST = 4
# Candidates read sentence by sentence; what ranks below never became a first citation on the questions tried.
READ_LIMIT = 30
# A sub-clause brought in under a candidate takes this part of its place in the ranking.
CHILD_PLACE = 0.95
# A second passage of the same clause is quoted when it is this near to the first and stands outside its quote.
SECOND_PASSAGE = 0.9
_PRONOUN = re.compile(r"[“\"](?:we|us|our|you|your|i|me)[”\"]|“(?:我们|您|你|我方|贵方)”", re.I)
# Exceptions quoted beside a clause asked for by its number; more are named.
BESIDE_NAMED = 3


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen, what was in evidence as an exception and could not be quoted, and why each other candidate was not.
    ``unmet``: what is asked for and not in the chosen words; ``cut``: parts of a quoted list for which there was no room."""

    pieces: tuple[Piece, ...]
    named: tuple[StoredClause, ...]
    why_not: Mapping[str, str]
    unmet: str | None = None
    cut: tuple[StoredClause, ...] = ()


def _second(reading: Reading, first: Piece) -> Piece | None:
    """A second passage of a long clause, when it answers nearly as well and the first quote does not hold it."""
    best = best_unit(reading.units)
    outside = [s for s in reading.units if s.unit.start >= first.span[1] or s.unit.end <= first.span[0]]
    if not outside or best.score <= 0:
        return None
    other = best_unit(outside)
    if other.score < SECOND_PASSAGE * best.score:
        return None
    piece = make_piece(reading.clause, "primary", other, reading.score, "a second passage of the same clause")
    apart = piece.span[0] >= first.span[1] or piece.span[1] <= first.span[0]
    return piece if apart else replace(piece, span=piece.sentence)


def _children(evidence: Sequence[EvidenceItem], candidates: Sequence[Candidate]) -> list[Candidate]:
    """Sub-clauses brought in under a candidate compete with it for the answer, a little behind it."""
    by_id = {c.clause.clause_id: c for c in candidates}
    found: dict[str, Candidate] = {}
    for item in evidence:
        parent = by_id.get(item.clause.parent_id or "")
        if parent is not None and item.clause.clause_id not in by_id and item.clause.clause.text.strip():
            under = replace(parent, clause=item.clause, score=CHILD_PLACE * parent.score, number=None, why=item.why)
            found.setdefault(item.clause.clause_id, under)
    return list(found.values())


def _pointing(chosen: Sequence[Reading], readings: Sequence[Reading]) -> list[Reading]:
    """For a schedule that answers, the rule that points to it: a table says nothing without it."""
    found: list[Reading] = []
    for one in chosen:
        if (
            is_schedule(one.clause)
            and best_unit(one.units).unit.kind == "row"
            and not any(points_to(other.clause, one.clause) for other in chosen)
        ):
            pointing = [r for r in readings if r not in chosen and points_to(r.clause, one.clause)]
            found += pointing[:1]
    return found


def _answers_both(reading: Reading, asked: Asked) -> bool:
    """True when other sentences of a short clause answer other parts of the question: then the clause speaks as a whole."""
    parts = parts_of(asked.question)
    text = reading.clause.clause.text
    if len(parts) < 2 or len(text) > SAID_LIMIT or any(one.unit.kind == "row" for one in reading.units):
        return False
    answering: set[Unit] = set()
    for part in parts:
        alone = for_part(part, asked)
        if alone.weights:
            answering.add(best_unit(score_units(reading.clause, alone)).unit)
        else:
            # "… and when?" has no word of its own: whatever gives a time may answer it.
            kinds = alone.kinds | ({"duration"} if "date" in alone.kinds else set())
            answering |= {one.unit for one in reading.units if holds_kind(text[one.unit.start : one.unit.end], kinds)}
    return len(answering) > 1


def _pieces(chosen: Sequence[Reading], asked: Asked) -> list[Piece]:
    pieces: list[Piece] = []
    for reading in chosen:
        first = make_piece(reading.clause, "primary", best_unit(reading.units), reading.score, reading.candidate.why)
        whole = not told_apart(reading.units) or _answers_both(reading, asked)
        first = replace(first, sentence=first.span) if whole and first.span[1] - first.span[0] <= QUOTE_LIMIT else first
        pieces.append(first)
        second = _second(reading, first) if reading is chosen[0] else None
        if second is not None:
            pieces.append(second)
    return pieces


def _as_exceptions(pieces: Sequence[Piece], ties: Ties) -> list[Piece]:
    """A clause chosen for itself that takes back one chosen before it is that one's exception."""
    found: list[Piece] = []
    for piece in pieces:
        rule = next((one for one in found if _takes_back(piece, one, ties)), None)
        taking = piece if rule is None else replace(piece, role="exception", part="exception", origin=rule.clause.clause_id)
        found.append(taking)
    return found


def _takes_back(piece: Piece, rule: Piece, ties: Ties) -> bool:
    return any(item.clause.clause_id == piece.clause.clause_id for item in ties.of(rule.clause, "exception"))


def choose(question: str, ranking: Ranking, evidence: Sequence[EvidenceItem], *, limit: int | None = None) -> Choice:
    """The smallest set of clauses that covers the question; deterministic. At most ``limit`` citations, which a question for a
    set fills; None: ``CITATION_LIMIT``, or ``SET_LIMIT`` for a question for a set, as far as clauses are likely to belong.

    The operative clause comes first, then clauses that add to it, then what must be read with them (:func:`attach`), then, for
    a question that asks for a set, what else belongs to it (:func:`belonging`). Clauses that only give orders to a machine are
    quoted only when the question names them by number; in others these are passed over.
    """
    for_set = asks_for_set(question)
    room = limit or (SET_LIMIT if for_set else CITATION_LIMIT)
    candidates = [c for c in ranking.candidates[:READ_LIMIT] if c.clause.clause.text.strip()]
    safe = [c for c in candidates if c.number is not None or spoken_units(c.clause.clause.text)]
    roles = set(ranking.hints)
    meaning = read_question(question).meaning
    safe = [
        c for c in safe if not _names_parties(c.clause, roles) and (meaning or c.number is not None or not _says_who(c.clause))
    ]
    why_not = {c.clause.clause_id: _why_left(c) for c in candidates if c not in safe}
    evidence = [item for item in evidence if spoken_units(item.clause.clause.text)]
    pool = list({clause.clause_id: clause for clause in [*(c.clause for c in safe), *(i.clause for i in evidence)]}.values())
    asked = prepare(question, pool, ranking.query.as_of, ranking.hints)
    ranked = list(safe)
    safe += _children(evidence, safe)
    best_rank = max((c.score for c in safe), default=0.0)
    ties = Ties(evidence, pool)
    read = [read_clause(c, best_rank, asked, _lead_text(c.clause, ties)) for c in safe]
    readings = ordered(by_range([one for one in read if one is not None], asked), asked, ranking.hints)
    first, passed = primary(question, readings, asked, ties)
    why_not |= passed
    first += _pointing(first, readings)
    looked_up = any(reading.candidate.number is not None for reading in first)
    pieces = _as_exceptions(_pieces(first, asked), ties)
    choice = _complete(pieces, ties, asked, pool, room, why_not, looked_up=looked_up)
    listed = any(piece.part == "child" for piece in choice.pieces)  # a list that answers is the set
    if not for_set or listed or looked_up or not first or choice.unmet is not None:
        return choice
    of = {reading.clause.clause_id: reading for reading in readings}
    found = belonging(first[0].candidate, ranked, likely=limit is None)
    belong = [of[one.clause.clause_id] for one in found if one.clause.clause_id in of]
    return _widened(choice, belong, ties, asked, room)


def _widened(choice: Choice, belong: Sequence[Reading], ties: Ties, asked: Asked, room: int) -> Choice:
    """``choice`` with the clauses that belong to it, as far as there is room, each under the words it stands under; what
    takes something back from them is named."""
    pieces, named = list(choice.pieces), list(choice.named)
    held = {piece.clause.clause_id for piece in pieces}
    for reading in belong:
        over = [item for item in lead_ins(reading.clause, ties) if item.clause.clause_id not in held]
        above = [piece for item in over if (piece := _attached_piece(item, "lead_in", asked)) is not None]
        if reading.clause.clause_id in held or len(pieces) + 1 + len(above) > room:
            continue
        own = make_piece(reading.clause, "primary", best_unit(reading.units), reading.score, "belongs to what is asked for")
        pieces += [own, *above]
        held |= {piece.clause.clause_id for piece in (own, *above)}
        named += [item.clause for item in ties.of(reading.clause, "exception")]
    unsaid = {clause.clause_id: clause for clause in named if clause.clause_id not in held}
    left = {clause_id: why for clause_id, why in choice.why_not.items() if clause_id not in held}
    return replace(choice, pieces=in_reading_order(pieces), named=tuple(unsaid.values()), why_not=left)


def _why_left(candidate: Candidate) -> str:
    if not spoken_units(candidate.clause.clause.text):
        return "gives orders to a machine; shown as text only on request"
    return "says who the parties are; read to understand the question"


def _names_parties(clause: StoredClause, roles: Collection[str]) -> bool:
    """True for a first page that says who plays one of ``roles``: it was read to understand the question, and rules nothing."""
    return clause.clause.number is None and any(role in roles for _, role in parties_in([clause.clause.text]))


def _says_who(clause: StoredClause) -> bool:
    """True for a clause that only says who "we" and "you" are: every question says these words, and it rules nothing."""
    text = clause.clause.text
    return "definition" in clause.clause.kinds and all(_PRONOUN.search(text[one.start : one.end]) for one in spoken_units(text))


def _lead_text(clause: StoredClause, ties: Ties) -> str:
    return "\n".join(item.clause.clause.text for item in lead_ins(clause, ties))


def _unmet(
    pieces: Sequence[Piece], leads: Mapping[str, Sequence[StoredClause]], asked: Asked, pool: Sequence[StoredClause]
) -> str | None:
    """What is asked for and stands in none of the chosen words, nor in the words above them."""
    need = asked.need
    held = [lead.clause.text for above in leads.values() for lead in above]
    for piece in pieces:
        scored = score_units(piece.clause, asked)
        sentences = speaking(scored, piece.clause, asked)
        held += [piece.quote, *sentences] if is_schedule(piece.clause) else sentences
    lacking = need.missing_kind(held) or need.missing_word(words_of(pieces, leads))
    if lacking is not None or not need.narrowing:
        return lacking
    everything = frozenset().union(*(clause_terms(clause) for clause in pool))
    unknown = need.narrowing - everything
    return f"no {' '.join(sorted(unknown))} is spoken of" if unknown else None


def choose_named(question: str, ranking: Ranking, evidence: Sequence[EvidenceItem], named: NamedClauses) -> Choice:
    """The clauses asked for by number, whole, with what stands under them, then their exceptions."""
    every = [*named.clauses, *(item.clause for item in evidence)]
    pool = list({clause.clause_id: clause for clause in every}.values())
    asked = prepare(question, pool, ranking.query.as_of)
    pieces, cut = pieces_of(named)
    safe = [item for item in evidence if item.role == "exception" and spoken_units(item.clause.clause.text)]
    choice = _complete(pieces, Ties(safe, pool), asked, pool, len(pieces) + BESIDE_NAMED, {}, looked_up=True)
    return replace(choice, cut=(*cut, *choice.cut))


def _complete(
    pieces: list[Piece],
    ties: Ties,
    asked: Asked,
    pool: Sequence[StoredClause],
    limit: int,
    why_not: dict[str, str],
    *,
    looked_up: bool,
) -> Choice:
    """Add what belongs to ``pieces`` as far as there is room, and say what is missing."""
    pieces = pieces[:limit]
    primaries = tuple(pieces)
    found = attach(pieces, ties, asked, [clause for clause in pool if clause.clause.text.strip()])
    leads = {piece.clause.clause_id: [item.clause for item in lead_ins(piece.clause, ties)] for piece in pieces}
    named: list[StoredClause] = []
    cut: list[StoredClause] = []
    single = len(parts_of(asked.question)) == 1
    for item in found:
        if item.part == "delimits" and item.about not in {piece.clause.clause_id for piece in pieces}:
            continue  # of an exception that is named only
        part_of_list = item.part == "child"
        # Beside the one thing asked for, a near clause's exceptions are not what a reader needs; two questions need both.
        aside = single and item.origin != pieces[0].clause.clause_id and speaks_little(item, asked)
        aside = aside or is_aside(item, primaries, asked)
        if item.role == "exception" and not looked_up and (aside or is_broad(item, asked)):
            named.append(item.clause)
            continue
        piece = _attached_piece(item, "primary" if part_of_list else item.role, asked)
        # The items of an exception's list are the rest of its sentence: half an exception misleads.
        rest = item.role == "exception" and item.clause.parent_id in {one.clause.clause_id for one in pieces}
        if piece is not None and len(pieces) < limit + (LIST_REST if rest else 0):
            pieces.append(piece)
        elif part_of_list:
            cut.append(item.clause)
        elif item.role == "exception":
            named.append(item.clause)
    unmet = None if looked_up or not pieces else _unmet(pieces, leads, asked, pool)
    if unmet is not None:
        why_not = {piece.clause.clause_id: unmet for piece in pieces} | why_not
    return Choice(in_reading_order(pieces), tuple(named), why_not, unmet, tuple(cut))


_AFTER: dict[str, int] = {
    "exception": 1,
    "delimits": 1,
    "amendment": 2,
    "rule": 3,
    "precedence": 3,
    "reference": 4,
    "definition": 5,
    "transitional": 6,
}


def in_reading_order(pieces: Sequence[Piece]) -> tuple[Piece, ...]:
    """The pieces as they are read: each document once, the one that answers first; in it the clauses that answer, each followed
    by the words it stands under and the parts it opens, then what takes back, explains and supplements."""
    first = [p for p in pieces if p.role == "primary" and p.part != "child"]
    found: list[Piece] = []
    for piece in first:
        if piece not in found:
            found.append(piece)
        under = [p for p in pieces if p.origin == piece.clause.clause_id and (p.role == "lead_in" or p.part == "child")]
        found += [p for p in under if p not in found]
    rest = [p for p in pieces if p not in found]
    found += sorted(rest, key=lambda p: _AFTER.get(p.part or p.role, 0))
    documents = list(dict.fromkeys(p.clause.version.ref for p in found))
    return tuple(sorted(found, key=lambda p: documents.index(p.clause.version.ref)))


def _attached_piece(item: EvidenceItem, role: Role, asked: Asked) -> Piece | None:
    scored = score_units(item.clause, asked)
    if not scored:
        return None
    chosen = best_unit(scored)
    if role == "lead_in":
        # What an item stands under are the words that open the list, whatever else the clause above it says.
        text = item.clause.clause.text
        opening = [one for one in scored if text[one.unit.start : one.unit.end].rstrip().endswith((":", "："))]
        chosen = opening[-1] if opening else chosen
    piece = make_piece(item.clause, role, chosen, item.score, item.why, origin=item.origin, part=item.part)
    # A schedule pointed to speaks as a whole; which of its rows applies, the question did not say.
    whole = is_schedule(item.clause) and role == "reference" and labels(asked.question) == {}
    return replace(piece, sentence=piece.span) if whole else piece
