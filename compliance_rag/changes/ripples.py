"""Ripples: clauses whose words stayed and whose meaning a change touches, with the path that leads to each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from compliance_rag.changes.defining import Entry, entry_of, same_terms, term_of, terms_of
from compliance_rag.changes.sides import Pair, Side
from schemas.objects import RippleLink as Link

_Edges = dict[str, list[tuple[str, Link, str]]]
# What is passed on by a clause that is itself only touched: its term to those who use it, its lead-in to what stands under it.
_CARRIED: tuple[Link, ...] = ("definition", "lead_in")


@dataclass(frozen=True, slots=True)
class Step:
    """``clause_id`` is reached because of ``link``, as :class:`schemas.objects.RippleStep` says; ``name`` is the term or the
    reference as printed."""

    clause_id: str
    link: Link
    name: str


@dataclass(frozen=True, slots=True)
class Ripple:
    """A clause of the version after that a changed clause touches; ``path`` leads from the changed one to it."""

    clause_id: str
    path: tuple[Step, ...]


class Ripples:
    """Who depends on whom in two versions. Built once for a pair; ``reached`` then costs what it finds."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.after = _dependants(pair.after)
        self.before = _dependants(pair.before)
        self._moved_targets: dict[str, list[Step]] | None = None
        self._same: dict[tuple[str, str], frozenset[str]] = {}
        self._entries: dict[tuple[str, str], Entry | None] = {}

    def reached(self, after_id: str | None, before_id: str | None = None) -> list[Ripple]:
        """What a change of meaning of this clause touches in the version after: the clauses that use its terms (and those that
        use terms defined by them, and so on), cite it, are its exceptions or the rule it excepts, or stand under its lead-in.
        ``before_id``: the clause before, whose dependants still count where they go on (a definition removed, a term no longer
        defined). Nearest first."""
        found: dict[str, Ripple] = {}
        queue = list(self._first(after_id, before_id))
        for ripple in queue:
            if ripple.clause_id in found or ripple.clause_id == after_id:
                continue
            found[ripple.clause_id] = ripple
            queue += [Ripple(name, (*ripple.path, Step(name, link, word))) for name, link, word in self._onward(ripple)]
        places = self.pair.after.places
        return sorted(found.values(), key=lambda ripple: (len(ripple.path), places[ripple.clause_id]))

    def _onward(self, ripple: Ripple) -> Iterator[tuple[str, Link, str]]:
        """A definition or a lead-in that means something else carries on to its users and to what stands under it; a citation
        or an exception reached over another clause says too little to follow. A glossary carries on the terms alone whose
        entries use the word that it was reached by."""
        last = ripple.path[-1]
        if last.link not in _CARRIED:
            return
        for name, link, word in self.after.get(ripple.clause_id, ()):
            if link not in _CARRIED:
                continue
            entry = self._entry(ripple.clause_id, word) if link == last.link == "definition" else None
            if entry is None or entry.mentions(last.name):
                yield name, link, word

    def _first(self, after_id: str | None, before_id: str | None) -> list[Ripple]:
        """The dependants of the changed clause itself, those of its terms whose own entries changed before those whose entries
        use them."""
        edges = [(name, link, word) for name, link, word in self.after.get(after_id or "", ())]
        mates = self.pair.mates
        edges += [(mates[name], link, word) for name, link, word in self.before.get(before_id or "", ()) if name in mates]
        within = self._within(after_id, before_id) if any(link == "definition" for _, link, _ in edges) else {}
        found = []
        for name, link, word in edges:
            steps: tuple[Step, ...] | None = ()
            if link == "definition" and self._still_defined(after_id, before_id, word):
                steps = within.get(term_of(self.pair.after, after_id or "", word))
            if steps is not None:
                found.append(Ripple(name, (*steps, Step(name, link, word))))
        return sorted(found, key=lambda ripple: len(ripple.path))

    def _within(self, after_id: str | None, before_id: str | None) -> dict[str, tuple[Step, ...]]:
        """Terms of a changed glossary whose entries stayed and use, over one another, a term whose entry changed; with the
        steps inside the glossary that lead there."""
        if after_id is None or before_id is None:
            return {}
        stayed = [word for word in terms_of(self.pair.after, after_id) if self._still_defined(after_id, before_id, word)]
        reached: dict[str, tuple[Step, ...]] = {
            word: () for word in terms_of(self.pair.after, after_id) if word not in set(stayed)
        }
        found: dict[str, tuple[Step, ...]] = {}
        for word, steps in _growing(reached):
            for other in stayed:
                entry = self._entry(after_id, other)
                if other not in reached and entry is not None and entry.mentions(word):
                    found[other] = reached[other] = (*steps, Step(after_id, "definition", word))
        return found

    def _entry(self, clause_id: str, word: str) -> Entry | None:
        key = (clause_id, word)
        if key not in self._entries:
            self._entries[key] = entry_of(self.pair.after, clause_id, word)
        return self._entries[key]

    def _still_defined(self, after_id: str | None, before_id: str | None, word: str) -> bool:
        """The entry that defines the word in a glossary is the same in both versions."""
        if after_id is None or before_id is None:
            return False
        key = (before_id, after_id)
        if key not in self._same:
            self._same[key] = same_terms(self.pair.before, self.pair.after, *key)
        return term_of(self.pair.after, after_id, word) in self._same[key]

    def retargeted(self, before_id: str) -> list[Ripple]:
        """Clauses whose reference to this clause kept its words and names another clause, or none, in the version after: a
        renumbering they were not adjusted to."""
        if self._moved_targets is None:
            self._moved_targets = _retargeted(self.pair)
        return [Ripple(step.clause_id, (step,)) for step in self._moved_targets.get(before_id, ())]


def _growing(found: dict[str, tuple[Step, ...]]) -> Iterator[tuple[str, tuple[Step, ...]]]:
    """The items of a dict that grows while it is walked."""
    done = 0
    while done < len(found):
        for item in list(found.items())[done:]:
            done += 1
            yield item


def _dependants(side: Side) -> _Edges:
    edges: _Edges = defaultdict(list)
    for clause, links in zip(side.clauses, side.links, strict=True):
        own = clause.clause_id
        for term, target in links.uses:
            edges[target].append((own, "definition", term))
        for item in links.references:
            if item.target is not None:
                edges[item.target].append((own, "reference", item.reference.text))
        for modified in links.excepts:
            edges[own].append((modified, "rule", ""))
            edges[modified].append((own, "exception", ""))
        parent = clause.parent_id
        if parent is not None and parent in side.places and side.clauses[side.places[parent]].clause.text:
            edges[parent].append((own, "lead_in", ""))
    return edges


def _retargeted(pair: Pair) -> dict[str, list[Step]]:
    found: dict[str, list[Step]] = defaultdict(list)
    for clause, links in zip(pair.before.clauses, pair.before.links, strict=True):
        mate = pair.mates.get(clause.clause_id)
        if mate is None:
            continue
        now = _targets(pair.after, mate)
        for item in links.references:
            if item.target is None or item.reference.text not in now or item.target not in pair.before.places:
                continue
            if pair.mates.get(item.target) not in now[item.reference.text]:
                found[item.target].append(Step(mate, "left_behind", item.reference.text))
    return found


def _targets(side: Side, clause_id: str) -> dict[str, set[str | None]]:
    found: dict[str, set[str | None]] = defaultdict(set)
    for item in side.links[side.places[clause_id]].references:
        found[item.reference.text].add(item.target)
    return found
