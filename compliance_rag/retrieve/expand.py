"""Forced expansion: what must be read with a clause is put beside it, each clause with its reason, within a budget."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Final

from compliance_rag.retrieve.types import Candidate, EvidenceItem, Expansion, Query, Ranking
from compliance_rag.store.corpus import Corpus
from compliance_rag.store.inforce import InForceSet
from compliance_rag.store.links import Links, children, defined_terms, links_of
from compliance_rag.store.rows import StoredClause, VersionRow
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
# What is kept first when the budget is short. Neighbours go before any exception or definition.
_ORDER: Final[tuple[str, ...]] = (
    "exception", "rule", "definition", "lead_in", "amendment", "child", "reference", "transitional",
)  # fmt: skip


class _Basket:
    """Evidence in the making: each clause once, in the strongest part it plays."""

    def __init__(self, corpus: Corpus, in_force: InForceSet, ranking: Ranking) -> None:
        self.corpus = corpus
        self.in_force = in_force
        self.scores = {candidate.clause.clause_id: candidate.score for candidate in ranking.candidates}
        self.taken: dict[str, tuple[int, EvidenceItem]] = {}
        self.ties: dict[tuple[str, str, str, str], EvidenceItem] = {}

    def add(
        self, part: str, role: Role, clauses: Iterable[StoredClause], why: str, origin: StoredClause, about: str = ""
    ) -> None:
        """Put clauses beside ``origin``; those not in force on the day are not evidence for it."""
        for clause in clauses:
            if clause.clause_id == origin.clause_id or not self.in_force.in_force[self.corpus.row_of(clause)]:
                continue
            if part not in ("child", "lead_in") and not clause.clause.text.strip():
                continue
            place = _ORDER.index(part)
            score = self.scores.get(clause.clause_id, 0.0)
            item = EvidenceItem(clause, role, why, score, origin.clause_id, part, about)
            self.ties.setdefault((part, clause.clause_id, origin.clause_id, about), item)
            known = self.taken.get(clause.clause_id)
            if known is None or place < known[0]:
                self.taken[clause.clause_id] = (place, item)

    def fetch(self, ids: Sequence[str]) -> list[StoredClause]:
        """The clauses of these ids that are known, in order."""
        rows = self.corpus.row_ids(list(dict.fromkeys(ids)), self.in_force.knowledge)
        return self.corpus.by_rows([rows[name] for name in dict.fromkeys(ids) if name in rows], self.in_force.knowledge)


def expand(
    corpus: Corpus, ranking: Ranking, primaries: Sequence[Candidate], budget: int = BUDGET, *, hops: int = HOPS
) -> Expansion:
    """The primaries and what must be read with them: exceptions both ways, definitions of used terms with their exclusions, the
    lead-ins of parents, children, references ``hops`` far, transitional clauses near a change of version, family documents.

    ``budget`` bounds the clauses added; exceptions and definitions are dropped only when nothing else is left to drop.
    """
    query = ranking.query
    knowledge = Knowledge(query.known_at, query.known_basis)
    in_force = corpus.in_force_set(query.as_of, knowledge)
    basket = _Basket(corpus, in_force, ranking)
    hits = [candidate.clause for candidate in primaries]
    for clause, links in zip(hits, links_of(corpus, hits, query.as_of, knowledge), strict=True):
        _exceptions(basket, clause, links)
        _definitions(basket, clause, links)
        _lead_ins(basket, clause)
        _children(basket, clause)
        _references(basket, clause, links, query, hops)
        _family(basket, clause, ranking)
    for version in {clause.version.ref: clause for clause in hits}.values():
        _transitional(basket, version, query)
    chosen = {clause.clause_id for clause in hits}
    first = [EvidenceItem(c.clause, "primary", c.why or "ranked", c.score) for c in primaries]
    order = {clause.clause_id: at for at, clause in enumerate(hits)}
    drawn = sorted(
        (entry for name, entry in basket.taken.items() if name not in chosen),
        key=lambda entry: (entry[0], order[entry[1].origin or ""], entry[1].clause.version.ref, entry[1].clause.seq),
    )
    items = [item for _, item in drawn]
    kept = chosen | {item.clause.clause_id for item in items[: max(budget, 0)]}
    ties = tuple(item for item in basket.ties.values() if item.clause.clause_id in kept)
    return Expansion((*first, *items[: max(budget, 0)]), tuple(items[max(budget, 0) :]), ties)


def _exceptions(basket: _Basket, clause: StoredClause, links: Links) -> None:
    basket.add("exception", "exception", basket.fetch(links.exceptions), f"an exception to {_name(clause)}", clause)
    basket.add("rule", "reference", basket.fetch(links.excepts), f"the rule that {_name(clause)} is an exception to", clause)
    for parent in _parents(basket, clause):
        above = links_of(basket.corpus, [parent], basket.in_force.as_of, basket.in_force.knowledge)[0]
        basket.add("exception", "exception", basket.fetch(above.exceptions), f"an exception to {_name(parent)}", clause)
        basket.add(
            "rule", "reference", basket.fetch(above.excepts), f"the rule that {_name(parent)} is an exception to", clause
        )


def _definitions(basket: _Basket, clause: StoredClause, links: Links) -> None:
    """Definitions of the terms a clause uses or defines, with the clauses that say what a term does not include."""
    terms = {term for term, _ in links.uses} | {definition.term for definition in links.definitions}
    if not terms:
        return
    for term, target in links.uses:
        basket.add("definition", "definition", basket.fetch([target]), f"defines “{term}”", clause, term)
    own = {*(target for _, target in links.uses), clause.clause_id}
    version = clause.version
    rows = [
        (row, definition.term, definition.exclusion)
        for row, definition in defined_terms(basket.corpus, [version])
        if definition.term in terms
        and (definition.exclusion or clause_id(version.doc_id, version.version_id, definition.path) in own)
    ]
    for row, term, exclusion in rows:
        why = f"says what “{term}” does not include" if exclusion else f"defines “{term}”"
        basket.add("definition", "definition", basket.corpus.by_rows([row], basket.in_force.knowledge), why, clause, term)


def _parents(basket: _Basket, clause: StoredClause) -> Iterator[StoredClause]:
    """Parents, nearest first."""
    at = clause
    while at.parent_id is not None:
        found = basket.fetch([at.parent_id])
        if not found:
            return
        at = found[0]
        yield at


def _lead_ins(basket: _Basket, clause: StoredClause) -> None:
    leading = [parent for parent in _parents(basket, clause) if parent.clause.text.strip() and not parent.clause.container]
    basket.add("lead_in", "lead_in", leading, f"the words that lead in {_name(clause)}", clause)


def _children(basket: _Basket, clause: StoredClause) -> None:
    level = [clause]
    found: list[StoredClause] = []
    for _ in range(CHILDREN_DEPTH):
        level = [child for parent in level for child in children(basket.corpus, parent, basket.in_force.knowledge)]
        found.extend(level)
        if not level or len(found) > CHILDREN_LIMIT:
            break
    if len(found) <= CHILDREN_LIMIT:
        worded = [child for child in found if child.clause.text.strip()]
        basket.add("child", "reference", worded, f"a part of {_name(clause)}", clause)


def _references(basket: _Basket, clause: StoredClause, links: Links, query: Query, hops: int) -> None:
    level, seen = [(clause, links)], {clause.clause_id}
    for _ in range(hops):
        following: list[StoredClause] = []
        for source, known in level:
            for resolved in known.references:
                if resolved.target is None or resolved.target in seen:
                    continue
                seen.add(resolved.target)
                targets = basket.fetch([resolved.target])
                why = f"{_name(source)} refers to it (“{resolved.reference.text}”)"
                basket.add("reference", "reference", targets, why, clause)
                following.extend(targets)
        found = links_of(basket.corpus, following, query.as_of, basket.in_force.knowledge)
        level = list(zip(following, found, strict=True))


def _family(basket: _Basket, clause: StoredClause, ranking: Ranking) -> None:
    """A document is read with what it is part of or amends, and with what amends it: the clause there of the same number, or
    one that names this clause, or the best ranked one."""
    own = clause.version
    above = {name: f"{own.doc_id} is part of it" for name in (own.part_of,) if name is not None}
    above |= {name: f"{own.doc_id} amends it" for name in (own.amends,) if name is not None}
    for version in basket.in_force.decisions.values():
        row = version.version
        if row is None or row.ref == own.ref or row.language != own.language:
            continue
        ranked = [candidate.clause for candidate in ranking.candidates if candidate.clause.version.ref == row.ref]
        if row.doc_id in above:
            same = basket.fetch([clause_id(row.doc_id, row.version_id, clause.clause.path)])
            basket.add("amendment", "amendment", same or ranked[:1], above[row.doc_id], clause)
        elif row.amends == own.doc_id:
            naming = _naming(basket, row, clause)
            basket.add("amendment", "amendment", naming or ranked[:1], f"{row.doc_id} amends {own.doc_id}", clause)


def _naming(basket: _Basket, version: VersionRow, clause: StoredClause) -> list[StoredClause]:
    """Clauses of ``version`` that refer to ``clause`` by document and number."""
    first = basket.corpus.first_row(version)
    rows = basket.corpus.query(
        "SELECT DISTINCT rid FROM refs WHERE rid >= ? AND rid < ? AND target_doc = ? AND target = ? ORDER BY rid",
        [first, first + version.clause_count, clause.version.doc_id, "/".join(clause.clause.path)],
    )
    return basket.corpus.by_rows([row for (row,) in rows], basket.in_force.knowledge)


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
    first = basket.corpus.first_row(clause.version)
    kinds = ", ".join(f"'{kind}'" for kind in sorted(_TRANSITION))
    rows = basket.corpus.query(
        f"SELECT rid FROM clauses WHERE rid >= ? AND rid < ? AND list_has_any(kinds, [{kinds}]) ORDER BY rid",
        [first, first + clause.version.clause_count],
    )
    found = basket.corpus.by_rows([row for (row,) in rows], basket.in_force.knowledge)
    why = "the version changed in the year before this day" if near_start else "the version changes soon after this day"
    basket.add("transitional", "transitional", found, why, clause)


def _name(clause: StoredClause) -> str:
    return clause.clause.number or clause.clause.heading or "/".join(clause.clause.path)
