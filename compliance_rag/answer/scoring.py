"""How well a clause, and each sentence of it, answers a question: figures behind the deterministic choice."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache

from compliance_rag.answer.cues import (
    answers_kind,
    day_fit,
    opens_exception,
    operative,
    question_day,
    wants,
    without_dates,
)
from compliance_rag.answer.modality import modals, polarity
from compliance_rag.answer.need import Need, holds_kind, need_of, of_another, row_fit
from compliance_rag.answer.orders import spoken_units
from compliance_rag.answer.ranges import range_weights
from compliance_rag.answer.sentences import Unit
from compliance_rag.answer.terms import terms
from compliance_rag.retrieve.lay_words import in_other_words
from compliance_rag.store.rows import StoredClause

# Weights of a clause's score: its place in the ranking, the question's terms it holds, the terms in its best sentence, and what
# its best sentence holds of the kind asked for.
RANK_WEIGHT, CLAUSE_WEIGHT, UNIT_WEIGHT, KIND_WEIGHT, DAY_WEIGHT = 0.7, 0.2, 0.25, 0.15, 0.15
# What a length of time is worth in the very unit asked for ("in hours"); a rule may answer in another.
TIME_UNIT_WEIGHT = 0.1
# What a permission or a prohibition is worth to a question for whether something may be done.
PERMISSION_WEIGHT = 0.1
# What a heading is worth that names the subject of the question and little else.
HEADING_WEIGHT = 0.2
# What a sentence that opens a list is worth to a question that asks for one.
LIST_BONUS = 0.1
# What a clause without a number loses: it is found by names that every question repeats.
UNNUMBERED_LOSS = 0.15
# What a sentence loses that says what the document is about and rules nothing: it repeats the words of every question.
SCOPE_LOSS = 0.3
# What a sentence loses that only asks: a question in a document answers nobody's.
ASKS_LOSS = 0.5
# What an item loses that says what must be told ("how long it is kept") and tells nothing itself.
INDIRECT_LOSS = 0.25
# What a sentence loses that speaks of another one of several labelled things ("category C" where B is asked about).
LABEL_LOSS = 0.3
# What one loses that is about the contrary of what is asked about, and what the rule on all other cases is worth then.
CONTRARY_LOSS, OTHERS_BONUS = 0.6, 0.15
# What a row of a table is worth whose cell is the label asked for, and loses whose cell is another one.
ROW_WEIGHT = 0.2
# What the drafter's word is worth where the question's own would be worth 1: it may mean something else here.
ALIKE_PART = 0.8
# What a word of the question is worth that a title holds: it says which document is meant, and every clause may repeat it.
TITLE_WORD = 0.3
# What a sentence loses that holds nothing of a kind the question cannot do without.
KIND_LOSS = 0.12
# What one loses that does not speak of the very thing asked for (an age, a fine): more than all other words can make up.
CONCEPT_LOSS = 0.5

_SCOPE = re.compile(
    r"\s*(?:this|these)\s+(?:\w+\s+){0,2}?(?:manual|policy|procedure|guid\w+|document|section|part|chapter|schedule|rules?|terms|standard|act|regulations?"
    r"|requirements|agreement|notice)\s+(?:\w+\s+)?(?:sets?\s+out|describes?|explains?|provides?|contains?|covers?|summari[sz]es?|gives?|outlines?|deals?)\b"
    r"|\s*为了?[^。]{4,80}(?:制定|订立|签订)本",
    re.I,
)
# A sentence that says for the layman what the rule beside it says; such words call themselves so and bind nobody.
_SUMMARY = re.compile(
    r"\W*(?:(?:the\s+)?short\s+version|in\s+(?:short|brief|plain\s+(?:english|language))|summary|tl;?\s?dr|at\s+a\s+glance"
    r"|摘要|简而言之|通俗地说|要点提示)\W{0,3}[:：]",
    re.I,
)
_INDIRECT = re.compile(r"\s*(?:for\s+)?(?:who|whom|whether|how\s+\w+|what|where|why|which)\s+[^:：]{3,}[.;]?\s*$")
_NOT_SO = re.compile(
    r"\b(?:that|which|who)\s+(?:is|are|was|were|has|have)\s*(?:n['’]t|\s+not)\s+(?:been\s+)?(?:an?\s+)?(?P<so>\w{4,})|\bnon-(?P<non>\w{4,})",
    re.I,
)
_OTHERS = re.compile(r"\b(?:(?:every|any|all|each)\s+other|other\s+than|otherwise)\b|其他|其余|以外", re.I)
# The verb, not the day: "how long does the leave last" speaks of no last day.
_LASTS = re.compile(r"(?P<before>\bhow\s+long\b[^?]*?)\blasts?\b", re.I)
_ASKS_LIST = re.compile(r"\b(?:what|which|when|list|name)\b|哪些|哪几|什么|何种|有哪", re.I)
_ASKS_SEVERAL = re.compile(
    r"\bwhich\s+(?:\w+\s+)?\w+s\b|\bwhat\s+(?:are|(?:\w+\s+)?\w+s\s+(?:are|must|shall|do|may))\b|\blist\b"
    r"|\bwhat\s+must\b.*\b(?:contain|state|include|consist|cover)\b|哪些|哪几|有哪|什么条件",
    re.I,
)
_ASKS_UNIT = re.compile(
    r"\b(?:how\s+many\s+(?:\w+\s+)?|in\s+)(?P<en>minutes?|hours?|days?|weeks?|months?|years?)\b"
    r"|[几多][少个]?个?(?P<zh>分钟|小时|天|日|周|月|年)",
    re.I,
)
_ASKS_LINE = re.compile(
    r"\b(?:counts?|qualif(?:y|ies)|ranks?|(?:is|are)\s+(?:considered|deemed|treated|regarded))\s+(?:as|to\s+be)\b|\bbecomes?\s+an?\b"
    r"|\b(?:is|are)\s+(?:\w+\s+){1,4}?(?:part\s+of|included\s+in)\b|\bdo(?:es)?\s+(?:\w+\s+){1,4}?(?:include|belong\s+to)\b"
    r"|(?:算|属于|视为|认定为|构成)",
    re.I,
)
_ASKS_PERMISSION = re.compile(
    r"(?:^|[.?!,;]\s*)\W*(?:and\s+|so\s+|but\s+)?(?:can|may|could|might)\s+(?!be\b)\w+|\b(?:allowed|permitted|free|entitled)\s+to\b"
    r"|能不能|可不可以|可以[^。，]{0,30}吗|能[^。，]{0,20}吗|是否可以|行不行|允不允许",
    re.I,
)
_ASKS_SCOPE = re.compile(r"\b(?:purpose|scope|aim|about|cover|set\s+out|deal\s+with|apply|applies)\b|目的|宗旨|依据|适用", re.I)


@lru_cache(maxsize=16_384)
def _asks(pattern: re.Pattern[str], question: str) -> bool:
    return pattern.search(question) is not None


@lru_cache(maxsize=4_096)
def _unit_asked(question: str) -> re.Pattern[str] | None:
    found = _ASKS_UNIT.search(question)
    if found is None:
        return None
    unit = (found.group("en") or found.group("zh")).lower().rstrip("s")
    return re.compile(rf"{unit}s?\b" if unit.isascii() else rf"[\d零一二三四五六七八九十百两]+个?{unit}", re.I)


@dataclass(frozen=True, slots=True)
class Scored:
    """A unit of a clause and its score for the question."""

    unit: Unit
    score: float
    matched: frozenset[str]


@dataclass(frozen=True, slots=True)
class Asked:
    """A question prepared: its terms with their weights among the candidates, the kinds it wants, the day it speaks of;
    ``hints``: the documents' own words for what it describes; ``alike``: terms, each with what a text may hold in its stead."""

    weights: Mapping[str, float]
    kinds: frozenset[str]
    day: date
    question: str = ""
    need: Need = field(default_factory=Need)
    hints: tuple[str, ...] = ()
    alike: Mapping[str, tuple[frozenset[str], ...]] = field(default_factory=dict)

    @property
    def enumerates(self) -> bool:
        """True when the question plainly asks for several things."""
        return _asks(_ASKS_SEVERAL, self.question) and not self.need.kinds

    @property
    def lists(self) -> bool:
        """True when the question may be answered by a list: it asks what or which, and for no quantity."""
        return _asks(_ASKS_LIST, self.question) and not self.need.kinds

    @property
    def draws_line(self) -> bool:
        """True when the question asks what makes a thing one of a kind."""
        return _asks(_ASKS_LINE, self.question)

    @property
    def permission(self) -> bool:
        """True when the question asks whether something may be done."""
        return _asks(_ASKS_PERMISSION, self.question)

    @property
    def time_unit(self) -> re.Pattern[str] | None:
        """How a length of time in the unit asked for is written; None when the question names no unit."""
        return _unit_asked(self.question)

    @property
    def total(self) -> float:
        """The weight of all terms, at least a sliver so that nothing divides by zero."""
        return math.fsum(self.weights.values()) or 1e-9

    def share(self, held: frozenset[str]) -> float:
        """The part of the question's weight that ``held`` covers, 0 to 1; summed exactly, in whatever order a set gives."""
        own = [self.weights[term] for term in self.weights.keys() & held]
        put_otherwise = self.weights.keys() & self.alike.keys() - held
        other = [self.weights[term] * self.holding(term, held) for term in put_otherwise]
        return math.fsum((*own, *other)) / self.total

    def holding(self, term: str, held: frozenset[str]) -> float:
        """1 where ``held`` has the term, :data:`ALIKE_PART` where it has the drafter's word for it, else 0."""
        if term in held:
            return 1.0
        return ALIKE_PART if any(words <= held for words in self.alike.get(term, ())) else 0.0


def _context(clause: StoredClause) -> str:
    return " ".join([*clause.clause.heading_path, clause.clause.heading])


def clause_terms(clause: StoredClause) -> frozenset[str]:
    """Terms of a clause's text and of the headings above it."""
    return terms(clause.clause.text) | terms(_context(clause))


def prepare(question: str, clauses: Sequence[StoredClause], as_of: date, hints: Sequence[str] = ()) -> Asked:
    """Weigh the question's terms, and those of the documents' own words for them (``hints``), by how few of ``clauses`` hold
    them (Lucene idf over the candidates)."""
    held = [clause_terms(clause) for clause in clauses]
    titles = terms(" ".join(sorted({clause.version.title for clause in clauses})))
    count = len(held)
    alike = _alike(question)
    asked = sorted(terms(_LASTS.sub(r"\g<before>", without_dates(question))) | terms(" ".join(hints)))
    weights = {
        term: math.log(1 + (count - df + 0.5) / (df + 0.5)) * (TITLE_WORD if term in titles else 1.0)
        for term in asked
        for df in (sum(_says(term, one, alike) for one in held),)
        if df  # a word no candidate holds tells them not apart; that it is missing is silence's business
    }
    return Asked(
        weights, frozenset(wants(question)), question_day(question, as_of), question, need_of(question), tuple(hints), alike
    )


def _alike(question: str) -> dict[str, tuple[frozenset[str], ...]]:
    """The terms of the question's expressions with the terms of the drafter's words for them."""
    found: dict[str, tuple[frozenset[str], ...]] = {}
    for one in in_other_words(question):
        others = tuple(words for word in one.words if (words := terms(word)))
        for term in terms(one.said):
            found[term] = (*found.get(term, ()), *others)
    return found


def _says(term: str, held: frozenset[str], alike: Mapping[str, tuple[frozenset[str], ...]]) -> bool:
    return term in held or any(words <= held for words in alike.get(term, ()))


def says_scope(words: str, asked: Asked) -> bool:
    """True for a sentence that says what the document is about, where the question is not about that."""
    return _SCOPE.match(words) is not None and not _asks(_ASKS_SCOPE, asked.question)


def summarises(words: str) -> bool:
    """True for words that call themselves the short version of what stands beside it."""
    return _SUMMARY.match(words) is not None


@lru_cache(maxsize=4_096)
def _denied(question: str) -> frozenset[str] | None:
    found = _NOT_SO.search(question)
    return None if found is None else terms(found["so"] or found["non"])


def contrary(question: str, words: str) -> float:
    """What a sentence loses that is about what is so where the question is about what is not ("an accident that is not
    serious"); less than nothing for the rule on every other case."""
    denied = _denied(question)
    if denied is None:
        return 0.0
    if _OTHERS.search(words) is not None:
        return -OTHERS_BONUS
    said = polarity(words)
    return CONTRARY_LOSS if denied & (said.said - said.denied) else 0.0


def _losses(words: str, lead: str, asked: Asked) -> float:
    loss = 0.0
    if says_scope(words, asked) or _SUMMARY.match(words):
        loss += SCOPE_LOSS
    if of_another(asked.question, words):
        loss += LABEL_LOSS
    loss += contrary(asked.question, words)
    if words.rstrip(' "”’」』')[-1:] in ("?", "？"):
        loss += ASKS_LOSS
    if _INDIRECT.match(words):
        loss += INDIRECT_LOSS
    if any(not holds_kind(words, kinds) and not holds_kind(lead, kinds) for kinds in asked.need.kinds):
        loss += KIND_LOSS
    if any(not concept.search(words) and not concept.search(lead) for concept in asked.need.concepts):
        loss += CONCEPT_LOSS
    return loss


@lru_cache(maxsize=65_536)
def settles(words: str) -> bool:
    """True for a sentence that permits or forbids."""
    return bool(modals(words) & {"permission", "prohibition"})


def heading_share(clause: StoredClause, asked: Asked) -> float:
    """How nearly the clause's own heading is the subject of the question, 0 to 1 (harmonic mean of the shares both ways)."""
    named = terms(clause.clause.heading)
    if not named:
        return 0.0
    there, back = asked.share(named), sum(term in asked.weights for term in named) / len(named)
    return 2 * there * back / (there + back) if there + back else 0.0


def score_units(clause: StoredClause, asked: Asked, lead: str = "") -> list[Scored]:
    """Every unit of the clause with its score: terms covered, a quantity of the kind asked for, the days it holds between.
    ``lead``: the words above an item, which may hold the quantity for it."""
    text = clause.clause.text
    heading = terms(_context(clause))
    found: list[Scored] = []
    for unit in spoken_units(text):
        words = text[unit.start : unit.end]
        matched = terms(words)
        own = matched
        for above in (unit.header, unit.lead):
            if above is not None:
                matched |= terms(text[above[0] : above[1]])
        matched |= terms(lead)
        # Words a row only stands under count half: the sentence that holds them itself is the better quote.
        share = (asked.share(own) + asked.share(matched)) / 2
        score = UNIT_WEIGHT * share + UNIT_WEIGHT / 4 * asked.share(matched | heading)
        if asked.kinds and (answers_kind(words, asked.kinds) or answers_kind(lead, asked.kinds)):  # type: ignore[arg-type]
            score += KIND_WEIGHT * min(1.0, 2 * share)
        if asked.time_unit is not None and asked.time_unit.search(words):
            score += TIME_UNIT_WEIGHT * min(1.0, 2 * share)
        opens_list = words.rstrip()[-1:] in ":：" or "下列" in words
        score += LIST_BONUS * share if opens_list and asked.lists else -0.04 * opens_list
        score += 0.03 * operative(words) - 0.03 * opens_exception(words)
        if asked.permission and settles(words):
            score += PERMISSION_WEIGHT * min(1.0, 2 * share)
        score -= _losses(words, lead, asked)
        if unit.header is not None:
            score += ROW_WEIGHT * row_fit(asked.question, text[unit.header[0] : unit.header[1]], words)
        fit = day_fit(words, None if unit.header is None else text[unit.header[0] : unit.header[1]], asked.day)
        if fit.bounded:
            # A revision table holds any day: its rows count only as far as they speak of the subject.
            score += DAY_WEIGHT * min(1.0, 2 * share) if fit.inside else -DAY_WEIGHT
        found.append(Scored(unit, score, matched))
    return _by_range(found, text, asked)


def _by_range(scored: list[Scored], text: str, asked: Asked) -> list[Scored]:
    """``scored`` with the items or rows that are cases by a figure weighed by the figure in the question."""
    cases = [one for one in scored if one.unit.kind != "sentence"]
    weights = range_weights(asked.question, [text[one.unit.start : one.unit.end] for one in cases])
    gained = {one.unit: weight for one, weight in zip(cases, weights, strict=True)}
    return [replace(one, score=one.score + gained.get(one.unit, 0.0)) for one in scored]


def told_apart(scored: Sequence[Scored]) -> bool:
    """False when the best unit is a table row and another row of its table scores the same: the question does not say which of
    them it is about, and one alone would be taken for the answer."""
    best = best_unit(scored)
    rows = [one for one in scored if one.unit.kind == "row" and one.unit.block == best.unit.block]
    return best.unit.kind != "row" or sum(round(one.score - best.score, 6) == 0 for one in rows) == 1


def best_unit(scored: Sequence[Scored]) -> Scored:
    """The unit that answers best; the earlier one of equals."""
    return max(scored, key=lambda item: (round(item.score, 6), -item.unit.start))
