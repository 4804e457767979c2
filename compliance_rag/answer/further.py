"""Which clauses answer beside the first: those that answer another part of the question, add to it, or rule as nearly the same.
A definition is no further rule, and where the question's parts ask for exceptions the rule's own exceptions answer them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compliance_rag.answer.attach import Ties, asks_for_exception
from compliance_rag.answer.bearing import changes_duty
from compliance_rag.answer.cues import opens_exception, parts_of, wants, without_dates
from compliance_rag.answer.need import need_of, of_another
from compliance_rag.answer.pieces import make_piece
from compliance_rag.answer.reading import Reading, defines, opens_a_list, same_text, speaking, unnumbered_loss, uses
from compliance_rag.answer.scoring import (
    CLAUSE_WEIGHT,
    RANK_WEIGHT,
    Asked,
    best_unit,
    contrary,
    says_scope,
    score_units,
    settles,
    summarises,
)
from compliance_rag.answer.terms import terms
from compliance_rag.retrieve.question import read_question

# Of the citations, so many clauses may answer by rank alone; the rest are kept for exceptions and definitions.
PRIMARY_LIMIT = 3
# A further clause is cited when its score is this near the best one …
NEAR_BEST = 0.9
# … or when it alone holds this part of the question's weight and scores at least FAR_BEST of the best.
NEW_TERMS = 0.25
FAR_BEST = 0.65
# … and this part of the best place in the ranking: on the questions tried a clause that added words from further down was wrong
# 7 times in 7.
FAR_PLACE = 0.72
# The clause that answers one part of a joined question is cited from this part of the best score.
PART_SCORE = 0.44
# A clause of another document answers the same question in its own way from here: two rules are shown, never one of them.
OTHER_DOCUMENT = 0.7
OTHER_SHARE = 0.6
OTHER_PLACE = 0.75
# A duty speaks of the question as much as what puts it off from this part of its weight.
AS_MUCH = 0.9
# A definition beside a rule that uses its term adds this part of the question's weight.
DEFINITION_ADDS = 0.2
_PROVISO = re.compile(r"\b(?:except|unless|provided\s+that|save)\b|除外|但", re.I)


def primary(question: str, readings: Sequence[Reading], asked: Asked, ties: Ties) -> tuple[list[Reading], dict[str, str]]:
    """The readings that answer, first first, and why each other one does not."""
    chosen: list[Reading] = []
    readings, why_not = _duty_first(readings, asked, ties)
    top = max((reading.score for reading in readings), default=0.0)
    needed = _by_part(question, readings, asked, ties)
    covered: frozenset[str] = frozenset()
    for reading in readings:
        answers_part = any(reading is one and reading.score >= PART_SCORE * top for one in needed)
        always = not chosen or reading.candidate.number is not None or answers_part
        reason = None if always else _reason(reading, chosen, covered, asked, top)
        if not always and reason is None and opens_a_list(chosen[0], asked):
            reason = "the list that answers is quoted"
        kept = sum(one not in chosen and one is not reading and one.score >= PART_SCORE * top for one in needed)
        if len(chosen) >= PRIMARY_LIMIT - (0 if answers_part else min(kept, PRIMARY_LIMIT - 1)):
            reason = "better clauses fill the answer"
        if reason is None:
            chosen.append(reading)
            covered |= reading.terms
        else:
            why_not[reading.clause.clause_id] = reason
    return chosen, why_not


def _duty_first(readings: Sequence[Reading], asked: Asked, ties: Ties) -> tuple[Sequence[Reading], dict[str, str]]:
    """``readings`` with the duty in the place of a clause that only puts it off, where the question speaks of the duty as much
    and asks for no exception; why that one is left out."""
    if not readings or readings[0].candidate.number is not None or asks_for_exception(asked.question):
        return readings, {}
    first = readings[0]
    piece = make_piece(first.clause, "primary", best_unit(first.units), first.score, "")
    duties = {item.clause.clause_id for item in ties.of(first.clause, "reference") if changes_duty(piece, item.clause)}
    duty = next((one for one in readings if one.clause.clause_id in duties), None)
    if duty is None or asked.share(duty.terms) < AS_MUCH * asked.share(first.terms):
        return readings, {}
    rest = [one for one in readings if one not in (first, duty)]
    return [duty, *rest], {first.clause.clause_id: "puts off the duty that is asked about"}


def _by_part(question: str, readings: Sequence[Reading], asked: Asked, ties: Ties) -> list[Reading]:
    """The readings that the parts of a joined question need. A part that asks for exceptions is answered by those of the first
    clause, where it has any."""
    parts = parts_of(question)
    if len(parts) < 2 or not readings:
        return []
    first = readings[0]
    excepted = bool(ties.of(first.clause, "exception")) or _has_proviso(first)
    asking = [part for at, part in enumerate(parts) if not (at and excepted and asks_for_exception(part))]
    found = [_best_of_part(part, readings, asked) for part in asking]
    return [reading for reading in found if reading is not None]


def _has_proviso(reading: Reading) -> bool:
    text = reading.clause.clause.text
    return any(
        opens_exception(words) or _PROVISO.search(words)
        for words in (text[scored.unit.start : scored.unit.end] for scored in reading.units)
    )


def for_part(part: str, asked: Asked) -> Asked:
    """The question as it stands in one of its parts."""
    own = {term: asked.weights[term] for term in terms(without_dates(part)) if term in asked.weights}
    return Asked(own, frozenset(wants(part)), asked.day, alike=asked.alike)


def _best_of_part(part: str, readings: Sequence[Reading], asked: Asked) -> Reading | None:
    """The reading that answers one part of a joined question best: the ranking's place still counts, the other parts do not."""
    alone = for_part(part, asked)
    own = alone.weights
    kinds = need_of(part).kinds
    if not own and kinds:
        # "… and how fast?": of what the other parts speak of, the words that hold the quantity.
        held = [
            reading for reading in readings if not need_of(part).missing_kind(speaking(reading.units, reading.clause, asked))
        ]
        return max(held, key=lambda reading: round(reading.score, 6), default=None)
    if not own:
        return None

    def score(reading: Reading) -> tuple[float, str]:
        best = best_unit(score_units(reading.clause, alone)).score
        found = (
            RANK_WEIGHT * reading.place + CLAUSE_WEIGHT * alone.share(reading.terms) + best - unnumbered_loss(reading.clause)
        )
        return round(found, 6), reading.clause.clause_id

    speaking_of_it = [reading for reading in readings if alone.share(reading.terms) > 0]
    return max(speaking_of_it or readings, key=score, default=None)


def _only_defines(reading: Reading, chosen: Sequence[Reading], asked: Asked) -> bool:
    """True for a definition beside a rule, unless the rule is about the term and the question only describes it."""
    names = [name.lower() for name in defines(reading)]
    if not names or any("definition" in one.clause.clause.kinds for one in chosen) or read_question(asked.question).meaning:
        return False
    beside = [one for one in chosen if one.clause.version.ref == reading.clause.version.ref]
    rules = " ".join(one.clause.clause.text for one in beside).lower()
    hinted = {hint.lower() for hint in asked.hints} if beside else set()
    return not any(name not in asked.question.lower() and (name in rules or name in hinted) for name in names)


def _reason(reading: Reading, chosen: Sequence[Reading], covered: frozenset[str], asked: Asked, top: float) -> str | None:
    """Why ``reading`` is not cited beside ``chosen`` by rank; None when it is. ``top``: the best score of any."""
    best = chosen[0]
    near = reading.score >= NEAR_BEST * top
    adds = asked.share(covered | reading.terms) - asked.share(covered)
    apart = reading.clause.version.doc_id not in {one.clause.version.doc_id for one in chosen}
    helps = adds >= NEW_TERMS and reading.score >= FAR_BEST * top and reading.place >= FAR_PLACE and not apart
    beside = (
        apart
        and reading.score >= OTHER_DOCUMENT * top
        and reading.place >= OTHER_PLACE
        and asked.share(reading.terms) >= OTHER_SHARE * asked.share(best.terms)
    )
    if not (near or helps or beside):
        return f"scores {reading.score:.2f} against {top:.2f} and adds {adds:.0%} of the question's terms"
    if best.score < top and (apart or (uses(best, asked.hints) and not uses(reading, asked.hints))):
        return "is no rule on the term that the question describes"
    if apart and asked.hints and not uses(reading, asked.hints):
        return "speaks of none whom the question names"
    text, unit = reading.clause.clause.text, best_unit(reading.units).unit
    if asked.draws_line and defines(best):
        return "the definition draws the line that is asked for"
    if _only_defines(reading, chosen, asked):
        return "defines a term and rules nothing"
    if defines(reading) and not any(defines(one) for one in chosen) and adds < DEFINITION_ADDS and not apart:
        return "defines a term, and the rule holds the question's words without it"
    if asked.permission and not adds and not apart and not settles(text[unit.start : unit.end]):
        return "neither allows nor forbids"
    if reading.lead and not asked.share(terms(reading.lead)):
        return "stands under words that speak of something else"
    if says_scope(text[unit.start : unit.end], asked):
        return "says what the document is about"
    if summarises(text) and any(one.clause.parent_id == reading.clause.clause_id for one in chosen):
        return "sums up the clauses under it, of which one answers"
    if not apart and any(same_text(reading, one) for one in chosen):
        return "says the same as a clause cited"
    if of_another(asked.question, text) or contrary(asked.question, text[unit.start : unit.end]) > 0:
        return "speaks of another one than the question"
    lacking = reading.lacks(asked)
    # A clause that adds to the rule need not repeat what the rule gives; where a quantity is asked for, only a definition adds.
    return (
        None if lacking is None or (helps and (not (asked.need.kinds or asked.need.concepts) or defines(reading))) else lacking
    )
