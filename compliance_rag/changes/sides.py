"""The two versions compared, with their clauses, links and the matches between them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property, lru_cache

from compliance_rag.store.clause_keys import typographic_key, words
from compliance_rag.store.corpus import EVERYTHING, Corpus
from compliance_rag.store.lineage import Match, match_clauses
from compliance_rag.store.links import Links, links_of
from compliance_rag.store.rows import StoredClause, VersionRow
from compliance_rag.store.timeline import Knowledge
from schemas.clause import Clause, Span

# Matches of the pairs last compared; they follow from the clauses alone, so none can go stale. About 2 MB a long pair.
PAIRS_KEPT = 16


@dataclass(frozen=True)
class Side:
    """One version: ``links`` run beside ``clauses`` (document order)."""

    version: VersionRow
    clauses: tuple[StoredClause, ...]
    links: tuple[Links, ...]

    @cached_property
    def places(self) -> dict[str, int]:
        """Index of each clause id."""
        return {clause.clause_id: at for at, clause in enumerate(self.clauses)}

    @cached_property
    def vocabulary(self) -> Counter[str]:
        """How often each lower-case word stands in the version."""
        return Counter(word for clause in self.clauses for word in words(clause.clause.text))


@dataclass(frozen=True)
class Pair:
    """Two versions of one document and what became of every clause."""

    before: Side
    after: Side
    matches: tuple[Match, ...]

    @cached_property
    def mates(self) -> dict[str, str]:
        """Clause id before to clause id after, of the clause that continues it."""
        return {
            self.before.clauses[b].clause_id: self.after.clauses[match.after[0]].clause_id
            for match in self.matches
            if match.after
            for b in match.before
        }

    @cached_property
    def unchanged(self) -> frozenset[str]:
        """Clause ids after of the clauses whose own words continue one clause of the version before, typography aside."""
        return frozenset(
            self.after.clauses[match.after[0]].clause_id
            for match in self.matches
            if len(match.before) == len(match.after) == 1
            and _key(self.before.clauses[match.before[0]]) == _key(self.after.clauses[match.after[0]])
        )


def _key(clause: StoredClause) -> str:
    return typographic_key(clause.clause.text)


def load_side(corpus: Corpus, version: VersionRow, knowledge: Knowledge = EVERYTHING) -> Side:
    """A version's clauses and links; references to other documents are read on the version's own first day."""
    clauses = tuple(corpus.clauses_of(version.doc_id, version.version_id, knowledge))
    standing = corpus.standing(version.doc_id, version.version_id, knowledge)
    start = version.declared.start if standing is None else standing.start
    day = start if start is not None else version.recorded_at.date()
    return Side(version, clauses, tuple(links_of(corpus, clauses, day, knowledge)))


def load_pair(corpus: Corpus, before: VersionRow, after: VersionRow, knowledge: Knowledge = EVERYTHING) -> Pair:
    """Both sides and their matches."""
    return pair_of(load_side(corpus, before, knowledge), load_side(corpus, after, knowledge))


def pair_of(before: Side, after: Side) -> Pair:
    """Match two sides that are already loaded."""
    return Pair(before, after, _matched(tuple(c.clause for c in before.clauses), tuple(c.clause for c in after.clauses)))


@lru_cache(maxsize=PAIRS_KEPT)
def _matched(before: tuple[Clause, ...], after: tuple[Clause, ...]) -> tuple[Match, ...]:
    return match_clauses(before, after)


def inside(clause: StoredClause, span: Span) -> Span | None:
    """Where ``span`` of the extracted text stands in the clause's ``text``; None when it lies outside or over a joint."""
    done = 0
    for start, end in clause.clause.spans:
        if start <= span[0] and span[1] <= end:
            return done + span[0] - start, done + span[1] - start
        done += end - start + 1
    return None
