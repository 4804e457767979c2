"""Ripples: clauses whose words stayed and whose meaning a change touches, with the path that leads to each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from compliance_rag.changes.sides import Pair, Side

Link = Literal["definition", "reference", "exception", "lead_in"]
_Edges = dict[str, list[tuple[str, Link, str]]]


@dataclass(frozen=True, slots=True)
class Step:
    """``clause_id`` is reached because it uses the term, cites the clause, is its rule or its exception, or stands under
    it; ``name`` is
    the term or the reference as printed."""

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

    def reached(self, after_id: str | None, before_id: str | None = None, *, through_terms: bool = False) -> list[Ripple]:
        """What a change of meaning of this clause touches in the version after: the clauses that use its terms
        (``through_terms``: and the terms defined by them, and so on), cite it, are its exceptions or the rule it excepts, or
        stand under its lead-in. ``before_id``: the clause before, whose dependants still count where they go on (a definition
        removed, a term no longer defined). Nearest first."""
        found: dict[str, Ripple] = {}
        start = [step for step in self._steps(after_id, before_id) if step.clause_id != after_id]
        queue = [Ripple(step.clause_id, (step,)) for step in start]
        for ripple in queue:
            if ripple.clause_id in found or ripple.clause_id == after_id:
                continue
            found[ripple.clause_id] = ripple
            queue += [
                Ripple(name, (*ripple.path, Step(name, link, word))) for name, link, word in self._onward(ripple, through_terms)
            ]
        places = self.pair.after.places
        return sorted(found.values(), key=lambda ripple: (len(ripple.path), places[ripple.clause_id]))

    def _onward(self, ripple: Ripple, through_terms: bool) -> Iterator[tuple[str, Link, str]]:
        """Under a lead-in everything below goes along; a definition that changed meaning carries on to its users; a citation or
        an exception reached over another clause says too little to follow."""
        last = ripple.path[-1].link
        for name, link, word in self.after.get(ripple.clause_id, ()):
            if (through_terms and link == "definition") or (link == "lead_in" and last == "lead_in"):
                yield name, link, word

    def _steps(self, after_id: str | None, before_id: str | None) -> Iterator[Step]:
        for name, link, word in self.after.get(after_id or "", ()):
            yield Step(name, link, word)
        for name, link, word in self.before.get(before_id or "", ()):
            mate = self.pair.mates.get(name)
            if mate is not None:
                yield Step(mate, link, word)

    def retargeted(self, before_id: str) -> list[Ripple]:
        """Clauses whose reference to this clause kept its words and names another clause, or none, in the version after: a
        renumbering they were not adjusted to."""
        if self._moved_targets is None:
            self._moved_targets = _retargeted(self.pair)
        return [Ripple(step.clause_id, (step,)) for step in self._moved_targets.get(before_id, ())]


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
            edges[own].append((modified, "exception", ""))
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
                found[item.target].append(Step(mate, "reference", item.reference.text))
    return found


def _targets(side: Side, clause_id: str) -> dict[str, set[str | None]]:
    found: dict[str, set[str | None]] = defaultdict(set)
    for item in side.links[side.places[clause_id]].references:
        found[item.reference.text].add(item.target)
    return found


def all_ripples(
    pair: Pair, changed: Iterable[tuple[str | None, str | None]], *, through_terms: bool = False
) -> dict[str, Ripple]:
    """For each clause of the version after that is not itself in ``changed``, the shortest path to it from any that is;
    ``changed``: (before, after) clause ids of changes in meaning."""
    ripples = Ripples(pair)
    pairs = list(changed)
    own = {after for _, after in pairs if after is not None}
    found: dict[str, Ripple] = {}
    for before_id, after_id in pairs:
        for ripple in ripples.reached(after_id, before_id, through_terms=through_terms):
            known = found.get(ripple.clause_id)
            if ripple.clause_id not in own and (known is None or len(ripple.path) < len(known.path)):
                found[ripple.clause_id] = ripple
    return found
