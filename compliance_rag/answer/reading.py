"""One candidate read for a question: its sentences scored, its place, what it lacks; and the order in which they answer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from compliance_rag.answer.attach import needs_lead, opens_list
from compliance_rag.answer.need import row_read
from compliance_rag.answer.ranges import range_weights
from compliance_rag.answer.scoring import (
    CLAUSE_WEIGHT,
    HEADING_WEIGHT,
    RANK_WEIGHT,
    UNNUMBERED_LOSS,
    Asked,
    Scored,
    best_unit,
    clause_terms,
    heading_share,
    score_units,
)
from compliance_rag.answer.terms import terms
from compliance_rag.retrieve.types import Candidate
from compliance_rag.store.rows import StoredClause

# Texts that share this part of their terms say the same: one of them is enough.
SAME_TEXT = 0.8
# The words that open a list go first when a list is asked for, from this part of the best score.
OPENS_LIST = 0.8
# A clause that holds the kind of thing asked for goes before a better one that does not, from this part of its score.
MEETS_NEED = 0.65
# A sentence speaks of the question's subject when it, with the headings and the words above it, holds this part of it.
SPEAKS_SHARE = 0.15
# A rule that uses the term a question describes goes before its definition from this part of the definition's score.
RULE_SCORE = 0.5
# Without such hints the definition must be what the ranking found first, and be read among the first.
FOUND_FIRST, TOP_READ = 0.95, 3
# What a definition is worth to a question for where the line of its term runs ("when does it count as …?").
LINE_WEIGHT = 0.35
# Characters before a term with which a sentence opens: "The", "Each", "All".
TERM_OPENS = 12
# A shorter word that ends in s is no plural.
PLURAL_LEAST = 4
# What an item loses under words which hold nothing of the question: "during probation, one week" is about the notice.
FOREIGN_LEAD = 0.2
# Terms that a definition names: more than these are a page of definitions.
NAMES_READ = 3

_QUOTED = re.compile(r"[“\"「『](\w[^”\"」』]{0,60})[”\"」』]|所称的?([^，,。；]{2,20})[，,]\s*(?:是指|指|包括)")
_MEANS = re.compile(r"\bmeans?\b|\bhas\s+the\s+meaning\b|是指|系指", re.I)


@dataclass(frozen=True, slots=True)
class Reading:
    """A candidate with its scored sentences, its score for the question, the terms it holds, its place in the ranking (1 for
    the best) and the words it stands under."""

    candidate: Candidate
    units: tuple[Scored, ...]
    score: float
    terms: frozenset[str]
    place: float
    lead: str = ""

    @property
    def clause(self) -> StoredClause:
        """The clause read."""
        return self.candidate.clause

    def lacks(self, asked: Asked) -> str | None:
        """What of the need the clause lacks by itself and the words it stands under."""
        inner = self.clause.clause
        words = "\n".join([inner.text, inner.heading, *inner.heading_path, self.clause.version.title, self.lead])
        kind = asked.need.missing_kind([*speaking(self.units, self.clause, asked), self.lead])
        return kind or asked.need.missing_word(words)


def unnumbered_loss(clause: StoredClause) -> float:
    """What a clause without a number loses: title pages and recitals repeat every name and rule nothing."""
    return UNNUMBERED_LOSS if clause.clause.number is None else 0.0


def speaking(scored: Sequence[Scored], clause: StoredClause, asked: Asked) -> list[str]:
    """The sentences of a clause that speak of what the question is about, in its words or by the term for what it describes: a
    quantity elsewhere in the clause answers something else. Table rows with the units of their columns."""
    heading = terms(" ".join([clause.clause.heading, *clause.clause.heading_path]))
    text = clause.clause.text
    found: list[str] = []
    for one in scored:
        words = text[one.unit.start : one.unit.end]
        if asked.share(one.matched | heading) >= SPEAKS_SHARE or any(hint.lower() in words.lower() for hint in asked.hints):
            header = one.unit.header
            found.append(words if header is None else row_read(text[header[0] : header[1]], words))
    return found


def read_clause(candidate: Candidate, best_rank: float, asked: Asked, lead: str) -> Reading | None:
    """``candidate`` read for the question; None when it has no sentence. ``best_rank``: the best candidate's ranking score."""
    clause = candidate.clause
    scored = score_units(clause, asked, lead)
    if not scored:
        return None
    held = clause_terms(clause)
    place = candidate.score / best_rank if best_rank > 0 else 0.0
    score = RANK_WEIGHT * place + CLAUSE_WEIGHT * asked.share(held) + best_unit(scored).score - unnumbered_loss(clause)
    score += HEADING_WEIGHT * heading_share(clause, asked)
    score -= FOREIGN_LEAD if lead and not asked.share(terms(lead)) else 0.0
    reading = Reading(candidate, tuple(scored), score, held, place, lead)
    # What makes a thing a critical function stands in the definition of critical functions.
    named = asked.draws_line and any(words and words <= frozenset(asked.weights) for words in map(terms, defines(reading)))
    return replace(reading, score=score + LINE_WEIGHT) if named else reading


def by_range(readings: Sequence[Reading], asked: Asked) -> list[Reading]:
    """``readings`` with the items of one list that are cases by a figure weighed by the figure in the question."""
    weight: dict[str, float] = {}
    for parent in {reading.clause.parent_id for reading in readings if reading.clause.parent_id}:
        items = [reading for reading in readings if reading.clause.parent_id == parent and reading.lead]
        gains = range_weights(asked.question, [item.clause.clause.text for item in items])
        weight |= {item.clause.clause_id: gain for item, gain in zip(items, gains, strict=True)}
    return [replace(reading, score=reading.score + weight.get(reading.clause.clause_id, 0.0)) for reading in readings]


def defines(reading: Reading) -> tuple[str, ...]:
    """The terms that a clause defines, or a part of whose definition it is; none for a rule."""
    words = "\n".join([reading.lead, reading.clause.clause.text])
    if "definition" not in reading.clause.clause.kinds and not (reading.lead and _MEANS.search(reading.lead)):
        return ()
    return tuple((one or other).strip() for one, other in _QUOTED.findall(words)[:NAMES_READ])


def described(reading: Reading, asked: Asked) -> tuple[str, ...]:
    """The terms that a clause defines and the question puts in other words: "watched in secret" is covert monitoring."""
    others = frozenset().union(*(words for choices in asked.alike.values() for words in choices if len(words) == 1))
    own = frozenset(asked.weights)
    named = [(name, terms(name)) for name in defines(reading)]
    return tuple(name for name, words in named if words and words <= own | others and words & others and not words <= own)


def same_text(left: Reading, right: Reading) -> bool:
    """True when two clauses share most of their terms: they say the same."""
    mine, other = terms(left.clause.clause.text), terms(right.clause.clause.text)
    return len(mine & other) >= SAME_TEXT * max(1, len(mine | other))


def ordered(readings: list[Reading], asked: Asked, hints: Sequence[str]) -> list[Reading]:
    """Best first: looked up by number, then by score; among those near the top, the ones that hold what is asked for first."""
    readings = sorted(readings, key=lambda r: (r.candidate.number is None, -round(r.score, 6), r.clause.clause_id))
    readings = _without_items(readings, asked)
    led = _rule_first(readings, hints, asked)
    if led[:1] != readings[:1]:
        return led
    if asked.enumerates and readings and readings[0].candidate.number is None:
        opening = [r for r in readings if opens_a_list(r, asked) and r.score >= OPENS_LIST * readings[0].score]
        readings = opening[:1] + [r for r in readings if r not in opening[:1]]
    if not readings or readings[0].candidate.number is not None or readings[0].lacks(asked) is None:
        return readings
    floor = MEETS_NEED * readings[0].score
    meeting = [r for r in readings if r.score >= floor and r.lacks(asked) is None]
    return meeting[:1] + [r for r in readings if r not in meeting[:1]]


def _rule_first(readings: list[Reading], hints: Sequence[str], asked: Asked) -> list[Reading]:
    """``readings`` with a rule that uses the term before the clause that defines it, where the question only described the
    term: it asks for the rule. Without hints, where the definition itself does not hold what is asked for."""
    defining = [r for r in readings[:TOP_READ] if "definition" in r.clause.clause.kinds]
    first = next((r for r in defining if r.place >= FOUND_FIRST or described(r, asked)), None)
    if first is None and readings and "definition" in readings[0].clause.clause.kinds and uses(readings[0], hints):
        first = readings[0]
    if first is None:
        return readings
    names: Sequence[str] = hints or described(first, asked)
    if not names and first.lacks(asked) is not None:
        names = defines(first)[:1]
    floor = RULE_SCORE * first.score
    rules = [r for r in readings if r is not first and "definition" not in r.clause.clause.kinds and uses(r, names)]
    used = [r for r in rules if r.score >= floor and _same_document(r, first) and _holds_kind(r, asked)]
    # A rule that opens with the term rules about it; one that mentions it further on rules about something else.
    used.sort(key=lambda r: not _opens_with(r, names))
    leading = [*used[:1], first] if used else []
    return leading + [r for r in readings if r not in leading]


def _holds_kind(reading: Reading, asked: Asked) -> bool:
    """The rule holds the kind of thing asked for, in whatever sentence: it speaks of the subject by its term."""
    return asked.need.missing_kind([reading.clause.clause.text]) is None


def _same_document(left: Reading, right: Reading) -> bool:
    return left.clause.version.ref == right.clause.version.ref


def uses(reading: Reading, hints: Sequence[str]) -> bool:
    """True when the clause uses one of the terms."""
    text = reading.clause.clause.text.lower()
    return any(_singular(hint.lower()) in text for hint in hints)


def _singular(term: str) -> str:
    """A term defined in the plural ("Insured Risks") is used in the singular too."""
    return term[:-1] if term.isascii() and term.endswith("s") and not term.endswith("ss") and len(term) > PLURAL_LEAST else term


def _without_items(readings: Sequence[Reading], asked: Asked) -> list[Reading]:
    """``readings`` with the items of a list that hold nothing of the question by themselves left to the words above them: they
    were found by these words, which then stand where the best of the items stood."""
    by_id = {reading.clause.clause_id: reading for reading in readings}
    items = [r for r in readings if r.clause.parent_id in by_id and _adds_nothing(r, by_id[r.clause.parent_id or ""], asked)]
    best: dict[str, float] = {}
    for item in items:
        parent = item.clause.parent_id or ""
        best[parent] = max(best.get(parent, 0.0), item.score)
    left = {item.clause.clause_id for item in items}
    kept = [r for r in readings if r.clause.clause_id not in left]
    raised = [replace(r, score=max(r.score, best.get(r.clause.clause_id, 0.0))) for r in kept]
    return sorted(raised, key=lambda r: (r.candidate.number is None, -round(r.score, 6), r.clause.clause_id))


def _adds_nothing(item: Reading, parent: Reading, asked: Asked) -> bool:
    own, above = item.clause.clause.text, parent.clause.clause.text
    return needs_lead(item.clause, parent.clause) and asked.share(terms(above) | terms(own)) <= asked.share(terms(above))


def _opens_with(reading: Reading, hints: Sequence[str]) -> bool:
    text = reading.clause.clause.text.lower()
    return any(0 <= text.find(hint.lower()) <= TERM_OPENS for hint in hints)


def opens_a_list(reading: Reading, asked: Asked) -> bool:
    """True when the question may be answered by a list and the clause opens one."""
    return asked.lists and opens_list(reading.clause.clause.text)
