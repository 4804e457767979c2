"""Forced expansion: what must be read with a clause is put beside it, each clause with its reason, within a budget."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from compliance_rag.retrieve.types import Candidate, EvidenceItem, Expansion, Query, Ranking
from compliance_rag.store.corpus import Corpus
from compliance_rag.store.inforce import InForceSet
from compliance_rag.store.linked import VersionLinks
from compliance_rag.store.links import references_of
from compliance_rag.store.rows import StoredClause
from compliance_rag.store.timeline import Knowledge
from schemas.ids import clause_id
from schemas.objects import Role

# Clauses added to the primaries: about 2,000 tokens at 80 words a clause, two thirds of what a question may send to a model.
BUDGET: Final = 24
# References are followed this far: the clause named, not what that clause names in turn.
HOPS: Final = 1
# A part of sixty sections is not the content of one clause: its children are left to the ranking beyond this many.
CHILDREN_LIMIT: Final = 16
# Items under a sub-paragraph under a paragraph; deeper ones are cited by their own rank.
CHILDREN_DEPTH: Final = 2
# Transitional rules matter while matters begun under the old version are open, and shortly before the new one starts.
AFTER_CHANGE: Final = timedelta(days=365)
BEFORE_CHANGE: Final = timedelta(days=90)
_TRANSITION: Final = frozenset({"transitional", "savings", "application", "commencement"})
# A question for which of two rules holds, and the clauses that say so.
_WHICH: Final = re.compile(
    r"\b(?:which|what|who)\b[^?]{0,40}\b(?:wins?|prevails?|governs?|controls?|trumps?|comes?\s+first|(?:takes?|has|have)\s+(?:precedence|priority))\b"
    r"|\b(?:prevail|precedence|overrid|conflict|contradict|inconsisten)\w*|以哪[^，。？]{0,8}为准|以何为准|冲突|不一致|优先",
    re.IGNORECASE,
)
_PREVAILS: Final = re.compile(
    r"\bprevails?\b|\bprevailing\b|\b(?:takes?|has|have)\s+(?:precedence|priority)\b|\b(?:shall|will|does)\s+(?:govern|override|control)\b"
    r"|\border\s+of\s+precedence\b|不一致[^。]{0,30}(?:为准|执行|优先)|以[^，。]{1,20}为准|优先适用",
    re.IGNORECASE,
)
# Documents whose clauses are read for it: more never stand against each other in one answer.
WHICH_LIMIT: Final = 3
# What is kept first when the budget is short. Neighbours go before any exception or definition.
_ORDER: Final[tuple[str, ...]] = (
    "exception", "rule", "delimits", "precedence", "definition", "lead_in", "amendment", "child", "reference", "transitional",
)  # fmt: skip


# An exception whose reach stands in another clause: "a firm to which section 13 applies", 第十三条所列的机构.
_REACHES: Final = re.compile(
    r"\b(?:to|in|under)\s+(?:which|whom)\s+(?:sections?|clauses?|articles?|regulations?|rules?|paragraphs?)\s+[\w().]+\s+appl(?:y|ies)\b"
    r"|\b(?:referred\s+to|described|listed|named|specified|set\s+out|falling|mentioned)\s+(?:with)?in\s+"
    r"(?:sections?|clauses?|articles?|regulations?|rules?|paragraphs?|schedules?|annex(?:es)?|appendix)\s+[\w().]+"
    r"|第[一二三四五六七八九十百\d]+条[^，。；]{0,8}(?:所列|所称|列明|规定)的",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Draw:
    """Clause rows that one primary draws in, and in what part."""

    part: str
    role: Role
    rows: tuple[int, ...]
    why: str
    origin: StoredClause
    about: str


class _Basket:
    """Evidence in the making. Rows are gathered first and their clauses read together: a read apiece took three quarters of a
    question's time."""

    def __init__(self, corpus: Corpus, in_force: InForceSet, ranking: Ranking) -> None:
        self.corpus = corpus
        self.in_force = in_force
        self.scores = {candidate.clause.clause_id: candidate.score for candidate in ranking.candidates}
        self.ranked: dict[str, int] = {}
        for candidate in ranking.candidates:
            self.ranked.setdefault(candidate.clause.version.ref, corpus.row_of(candidate.clause))
        self.draws: list[_Draw] = []

    def add(self, part: str, role: Role, rows: Iterable[int], why: str, origin: StoredClause, about: str = "") -> None:
        """Put clauses beside ``origin``; those not in force on the day are not evidence for it."""
        own = self.corpus.row_of(origin)
        held = tuple(row for row in rows if row != own and self.in_force.in_force[row])
        if held:
            self.draws.append(_Draw(part, role, held, why, origin, about))

    def rows(self, ids: Iterable[str]) -> list[int]:
        """The rows of these ids that are known, each once, in order."""
        names = list(dict.fromkeys(ids))
        known = self.corpus.row_ids(names, self.in_force.knowledge)
        return [known[name] for name in names if name in known]

    def reach(self, exception: StoredClause) -> int:
        """How many rules this exception takes something from; a part of many sections counts as these."""
        links = self.corpus.links(exception.version)
        under = links.children_of
        rules = links.excepted_by.get(self.corpus.row_of(exception), ())
        return sum(len(under[row]) if any(under.get(child) for child in under.get(row, ())) else 1 for row in rules)

    def read(self, rows: Iterable[int]) -> dict[int, StoredClause]:
        """The clauses at these rows."""
        wanted = list(dict.fromkeys(rows))
        return dict(zip(wanted, self.corpus.by_rows(wanted, self.in_force.knowledge), strict=True))

    def settle(self) -> tuple[dict[str, tuple[int, EvidenceItem]], list[EvidenceItem]]:
        """What was drawn, by clause id: each clause once, in the strongest part it plays, with that part's place; and every
        tie, once for each primary and part. Clauses without words are no evidence."""
        clauses = self.read(row for draw in self.draws for row in draw.rows)
        taken: dict[str, tuple[int, EvidenceItem]] = {}
        ties: dict[tuple[str, str, str, str], EvidenceItem] = {}
        for draw in self.draws:
            place, origin = _ORDER.index(draw.part), draw.origin.clause_id
            for clause in (clauses[row] for row in draw.rows):
                if not clause.clause.text.strip():
                    continue
                name = clause.clause_id
                score = self.scores.get(name, 0.0)
                reach = self.reach(clause) if draw.part == "exception" else 1
                item = EvidenceItem(clause, draw.role, draw.why, score, origin, draw.part, draw.about, reach)
                ties.setdefault((draw.part, name, origin, draw.about), item)
                if name not in taken or place < taken[name][0]:
                    taken[name] = (place, item)
        return taken, list(ties.values())


def expand(
    corpus: Corpus, ranking: Ranking, primaries: Sequence[Candidate], budget: int = BUDGET, *, hops: int = HOPS
) -> Expansion:
    """The primaries and what must be read with them: exceptions both ways, definitions of used terms with their exclusions, the
    lead-ins of parents, children, references ``hops`` far, transitional clauses near a change of version, family documents.

    ``budget`` bounds the clauses added; exceptions and definitions are dropped only when nothing else is left to drop.
    """
    query = ranking.query
    knowledge = Knowledge(query.known_at, query.known_basis, docs=query.permitted)
    basket = _Basket(corpus, corpus.in_force_set(query.as_of, knowledge), ranking)
    hits = [candidate.clause for candidate in primaries]
    above = {clause.clause_id: _ancestors(corpus.links(clause.version), corpus.row_of(clause)) for clause in hits}
    ancestors = basket.read(row for rows in above.values() for row in rows)
    for clause in hits:
        parents = [ancestors[row] for row in above[clause.clause_id]]
        _exceptions(basket, clause, parents)
        _definitions(basket, clause)
        _lead_ins(basket, clause, parents)
        _children(basket, clause)
        _references(basket, clause, query, hops)
        _family(basket, clause)
    for version in {clause.version.ref: clause for clause in hits}.values():
        _transitional(basket, version, query)
    _precedence(basket, hits, query)
    _delimits(basket, query)
    taken, ties = basket.settle()
    chosen = {clause.clause_id for clause in hits}
    first = [EvidenceItem(c.clause, "primary", c.why or "ranked", c.score) for c in primaries]
    order = {clause.clause_id: at for at, clause in enumerate(hits)}
    drawn = sorted(
        (entry for name, entry in taken.items() if name not in chosen),
        key=lambda entry: (entry[0], order[entry[1].origin or ""], entry[1].clause.version.ref, entry[1].clause.seq),
    )
    items = [item for _, item in drawn]
    kept = chosen | {item.clause.clause_id for item in items[: max(budget, 0)]}
    held = tuple(item for item in ties if item.clause.clause_id in kept)
    return Expansion((*first, *items[: max(budget, 0)]), tuple(items[max(budget, 0) :]), held)


def _ancestors(links: VersionLinks, row: int) -> list[int]:
    """Rows of the parents, nearest first."""
    found: list[int] = []
    parent = links.parent_of.get(row)
    while parent is not None and parent not in found:
        found.append(parent)
        parent = links.parent_of.get(parent)
    return found


def _exceptions(basket: _Basket, clause: StoredClause, parents: Sequence[StoredClause]) -> None:
    links = basket.corpus.links(clause.version)
    for at in (clause, *parents):
        row = basket.corpus.row_of(at)
        modifying, modified = links.exceptions_of.get(row, ()), links.excepted_by.get(row, ())
        basket.add("exception", "exception", modifying, f"an exception to {_name(at)}", clause)
        basket.add("rule", "reference", modified, f"the rule that {_name(at)} is an exception to", clause)


def _definitions(basket: _Basket, clause: StoredClause) -> None:
    """Definitions of the terms a clause uses or defines, with the clauses that say what a term does not include."""
    links, own = basket.corpus.links(clause.version), basket.corpus.row_of(clause)
    uses = links.uses_of.get(own, ())
    words = {term for term, _ in uses} | {definition.term for definition in links.definitions_of.get(own, ())}
    for term, target in uses:
        basket.add("definition", "definition", [target], f"defines “{term}”", clause, term)
    defining = {*(target for _, target in uses), own}
    for row, definition in links.definitions if words else ():
        if definition.term in words and (definition.exclusion or row in defining):
            term = definition.term
            why = f"says what “{term}” does not include" if definition.exclusion else f"defines “{term}”"
            basket.add("definition", "definition", [row], why, clause, term)


def _lead_ins(basket: _Basket, clause: StoredClause, parents: Sequence[StoredClause]) -> None:
    leading = [basket.corpus.row_of(parent) for parent in parents if not parent.clause.container]
    basket.add("lead_in", "lead_in", leading, f"the words that lead in {_name(clause)}", clause)


def _children(basket: _Basket, clause: StoredClause) -> None:
    under = basket.corpus.links(clause.version).children_of
    level = [basket.corpus.row_of(clause)]
    found: list[int] = []
    for _ in range(CHILDREN_DEPTH):
        level = [child for parent in level for child in under.get(parent, ())]
        found.extend(level)
        if not level or len(found) > CHILDREN_LIMIT:
            break
    if len(found) <= CHILDREN_LIMIT:
        basket.add("child", "reference", found, f"a part of {_name(clause)}", clause)


def _references(basket: _Basket, clause: StoredClause, query: Query, hops: int) -> None:
    level, seen = [clause], {clause.clause_id}
    for hop in range(hops):
        following: list[int] = []
        for source, known in zip(
            level, references_of(basket.corpus, level, query.as_of, basket.in_force.knowledge), strict=True
        ):
            for resolved in known:
                if resolved.target is None or resolved.target in seen:
                    continue
                seen.add(resolved.target)
                targets = basket.rows([resolved.target])
                why = f"{_name(source)} refers to it (“{resolved.reference.text}”)"
                basket.add("reference", "reference", targets, why, clause)
                following.extend(targets)
        if hop + 1 < hops:
            level = list(basket.read(following).values())


def _delimits(basket: _Basket, query: Query) -> None:
    """The clauses that say whom or what an exception reaches, where it only names them: who is spared stands there."""
    drawn = [(row, draw.origin) for draw in basket.draws if draw.part == "exception" for row in draw.rows]
    reaching = {row: one for row, one in basket.read(row for row, _ in drawn).items() if _REACHES.search(one.clause.text)}
    known = references_of(basket.corpus, list(reaching.values()), query.as_of, basket.in_force.knowledge)
    named = {
        row: basket.rows(one.target for one in resolved if one.target is not None)
        for row, resolved in zip(reaching, known, strict=True)
    }
    for row, origin in drawn:
        if row in named:
            exception = reaching[row]
            under = basket.corpus.links(exception.version).children_of
            rows = [found for target in named[row] for found in (target, *under.get(target, ())[:1])]
            why = f"says whom or what {_name(exception)} reaches"
            basket.add("delimits", "reference", rows, why, origin, exception.clause_id)


def _family(basket: _Basket, clause: StoredClause) -> None:
    """A document is read with what it is part of or amends, and with what amends it: the clause there of the same number, or
    one that names this clause, or the best ranked one."""
    own = clause.version
    above = {name: f"{own.doc_id} is part of it" for name in (own.part_of,) if name is not None}
    above |= {name: f"{own.doc_id} amends it" for name in (own.amends,) if name is not None}
    for version in basket.in_force.decisions.values():
        row = version.version
        if row is None or row.ref == own.ref or row.language != own.language:
            continue
        ranked = [basket.ranked[row.ref]] if row.ref in basket.ranked else []
        if row.doc_id in above:
            same = basket.rows([clause_id(row.doc_id, row.version_id, clause.clause.path)])
            basket.add("amendment", "amendment", same or ranked, above[row.doc_id], clause)
        elif row.amends == own.doc_id:
            naming = basket.corpus.links(row).naming.get((own.doc_id, "/".join(clause.clause.path)), ())
            basket.add("amendment", "amendment", naming or ranked, f"{row.doc_id} amends {own.doc_id}", clause)


def _transitional(basket: _Basket, clause: StoredClause, query: Query) -> None:
    """Transitional, savings, application and commencement clauses when the day is near the start or the end of the version."""
    decision = basket.in_force.decisions.get((clause.version.doc_id, clause.version.language))
    if decision is None or decision.interval is None:
        return
    start, end = decision.interval.start, decision.next_start
    near_start = start is not None and query.as_of - start <= AFTER_CHANGE and clause.version.supersedes is not None
    earlier = any(
        row.doc_id == clause.version.doc_id
        and row.ref != clause.version.ref
        and (row.declared.start or query.as_of) < query.as_of
        for row in basket.corpus.versions
    )
    near_start = near_start or (start is not None and query.as_of - start <= AFTER_CHANGE and earlier)
    near_end = end is not None and end - query.as_of <= BEFORE_CHANGE
    if not (near_start or near_end):
        return
    by_kind = basket.corpus.links(clause.version).by_kind
    found = sorted({row for kind in _TRANSITION for row in by_kind.get(kind, ())})
    why = "the version changed in the year before this day" if near_start else "the version changes soon after this day"
    basket.add("transitional", "transitional", found, why, clause)


def _precedence(basket: _Basket, hits: Sequence[StoredClause], query: Query) -> None:
    """Where a question asks which of two documents holds, the clauses of these that say so."""
    versions = {clause.version.ref: clause.version for clause in hits}
    if len(versions) < 2 or not _WHICH.search(query.text):
        return
    for ref in list(versions)[:WHICH_LIMIT]:
        first = basket.corpus.first_row(versions[ref])
        rows = range(first, first + versions[ref].clause_count)
        saying = [row for row, one in basket.read(rows).items() if _PREVAILS.search(one.clause.text)]
        for clause in hits:
            if clause.version.ref == ref:
                basket.add("precedence", "reference", saying, "says which of two documents holds", clause)


def _name(clause: StoredClause) -> str:
    return clause.clause.number or clause.clause.heading or "/".join(clause.clause.path)
