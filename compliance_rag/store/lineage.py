"""Lineage: the same clause through versions. Kinds of change between two versions' clauses, and the ids that stay."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from compliance_rag.store.clause_keys import ClauseKeys, clause_keys, contained
from compliance_rag.store.matching import Pairing, pair
from schemas.canonical import sha256_text
from schemas.clause import Clause
from schemas.ids import clause_id

MatchKind = Literal["same", "modified", "renumbered", "moved", "split", "merged", "added", "removed"]

# A part of a split holds at least this many words; a shorter text stands inside a longer one by chance.
PART_WORDS = 4
# This share of a part's word pairs must stand in the whole …
PART_CONTAINED = 0.7
# … and this share must have left the clause that kept the lineage: what stands in both was copied, not split off.
PART_LEFT = 0.5
# A sub-clause beside parts already found under the same lead-in was cut from the same text when this much of it stands there.
SIBLING_CONTAINED = 0.35
# Word pairs in more clauses than this don't lead to the whole.
WHOLE_RARE = 24
# Hex digits of a lineage id: 64 bits, one collision expected in four billion clauses of one store.
LINEAGE_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Match:
    """One clause's fate. ``before``/``after``: indices into the two sequences; several before = merged, several after = split;
    the first index named is the one whose lineage continues. ``moved`` and ``renumbered`` say what else is true of a
    ``modified`` or ``moved`` clause."""

    kind: MatchKind
    before: tuple[int, ...]
    after: tuple[int, ...]
    renumbered: bool = False
    moved: bool = False


def match_clauses(before: Sequence[Clause], after: Sequence[Clause]) -> tuple[Match, ...]:
    """Every clause of both versions in exactly one Match; ordered by place in ``after``, a removed clause standing where the
    clause before it went. ``before`` and ``after``: all clauses of a version in document order."""
    left, right = clause_keys(before), clause_keys(after)
    pairing = pair(left, right)
    splits = _parts(pairing.after, pairing.backward, pairing.before, pairing.forward)
    merges = _parts(pairing.before, pairing.forward, pairing.after, pairing.backward)
    _rewritten(pairing, {part for parts in splits.values() for part in parts}, {p for parts in merges.values() for p in parts})
    return _ordered(_matches(pairing, splits, merges))


def assign_lineage(
    doc_id: str,
    version_id: str,
    clauses: Sequence[Clause],
    neighbours: Sequence[tuple[Sequence[Clause], Sequence[str]]] = (),
) -> list[str]:
    """A lineage id for each of ``clauses``, unique within the version.

    ``neighbours``: other versions of the document with their lineage ids, the nearest earlier one first, then, for a version
    that lands between two others, the nearest later one: no id already given changes. A clause found in none gets a new id
    made from its own clause id, so that ids are the same on any machine.
    """
    found: list[str | None] = [None] * len(clauses)
    for others, lineages in neighbours:
        taken = {lineage for lineage in found if lineage is not None}
        for match in match_clauses(others, clauses):
            if match.before and match.after and found[match.after[0]] is None and lineages[match.before[0]] not in taken:
                found[match.after[0]] = lineages[match.before[0]]
                taken.add(lineages[match.before[0]])
    return [
        lineage if lineage is not None else new_lineage(doc_id, version_id, clause)
        for lineage, clause in zip(found, clauses, strict=True)
    ]


def new_lineage(doc_id: str, version_id: str, clause: Clause) -> str:
    """The lineage id of a clause first seen in this version."""
    return "L" + sha256_text(clause_id(doc_id, version_id, clause.path))[:LINEAGE_DIGITS]


def _parts(
    small: Sequence[ClauseKeys], mates: Sequence[int | None], large: Sequence[ClauseKeys], homes: Sequence[int | None]
) -> dict[int, list[int]]:
    """Unmatched clauses of ``small`` that were cut out of a matched clause of ``large``: ``{large index: [small indices]}``.

    ``mates`` maps small to large, ``homes`` large to small. Read with the versions exchanged it finds merges.
    """
    loose = [at for at, mate in enumerate(mates) if mate is None and small[at].words >= PART_WORDS]
    wanted = {item for at in loose for item in small[at].pairs}
    index: dict[tuple[str, str], list[int]] = defaultdict(list)
    for at, keys in enumerate(large):
        if homes[at] is not None:
            for item in keys.pairs & wanted:
                index[item].append(at)
    parts: dict[int, list[int]] = defaultdict(list)
    for at in loose:
        whole = _whole(small[at], large, index)
        rest = None if whole is None else homes[whole]
        if whole is not None and rest is not None and _cut_out(small[at], large[whole], small[rest]):
            parts[whole].append(at)
    for whole, found in parts.items():
        kept = homes[whole]
        under = [at for at in loose if at not in found and small[at].cited_parent == kept]
        if any(small[at].cited_parent == kept for at in found):
            found += [at for at in under if contained(small[at].pairs, large[whole].pairs) >= SIBLING_CONTAINED]
        found.sort()
    return dict(parts)


def _whole(part: ClauseKeys, large: Sequence[ClauseKeys], index: dict[tuple[str, str], list[int]]) -> int | None:
    counts: dict[int, int] = defaultdict(int)
    for item in part.pairs:
        holders = index.get(item, ())
        if len(holders) <= WHOLE_RARE:
            for at in holders:
                counts[at] += 1
    if not counts:
        return None
    best = min(counts, key=lambda at: (-counts[at], at))
    return best if contained(part.pairs, large[best].pairs) >= PART_CONTAINED else None


def _cut_out(part: ClauseKeys, whole: ClauseKeys, rest: ClauseKeys) -> bool:
    """Its words left the clause that kept the lineage; of two near twins drawn together most words stand in both, and then the
    part counts where it stands whole in the whole and not in the rest."""
    if part.text in whole.text and part.text not in rest.text:
        return True
    gone = (part.pairs & whole.pairs) - rest.pairs
    return len(gone) >= PART_LEFT * len(part.pairs)


def _rewritten(pairing: Pairing, parts: set[int], sources: set[int]) -> None:
    """A clause alone between the same siblings, under the same number and parent, was rewritten whole."""
    left, right = _siblings(pairing.before), _siblings(pairing.after)
    numbers = {(keys.cited_parent, keys.number): at for at, keys in enumerate(pairing.after) if keys.number is not None}
    for b in pairing.free_before():
        keys = pairing.before[b]
        parent = None if keys.cited_parent is None else pairing.forward[keys.cited_parent]
        a = None if keys.number is None else numbers.get((parent, keys.number))
        if a is None or not pairing.free(b, a) or b in sources or a in parts or not pairing.same_parent(b, a):
            continue
        if all(_met(pairing, one, other) for one, other in zip(left[b], right[a], strict=True)):
            pairing.join(b, a)


def _met(pairing: Pairing, b: int | None, a: int | None) -> bool:
    return a is None if b is None else pairing.forward[b] == a


def _siblings(keys: Sequence[ClauseKeys]) -> list[tuple[int | None, int | None]]:
    """The sibling before and after each clause."""
    previous: list[int | None] = [None] * len(keys)
    following: list[int | None] = [None] * len(keys)
    last: dict[int | None, int] = {}
    for at, key in enumerate(keys):
        earlier = last.get(key.cited_parent)
        if earlier is not None:
            previous[at], following[earlier] = earlier, at
        last[key.cited_parent] = at
    return list(zip(previous, following, strict=True))


def _matches(pairing: Pairing, splits: dict[int, list[int]], merges: dict[int, list[int]]) -> list[Match]:
    moved = _moved(pairing, splits)
    result: list[Match] = []
    used_before: set[int] = set()
    used_after: set[int] = set()
    for b, a in enumerate(pairing.forward):
        if a is None:
            continue
        outgoing, incoming = splits.get(b, []), merges.get(a, [])
        if outgoing and len(outgoing) >= len(incoming):
            result.append(Match("split", (b,), _leading(pairing.after, (a, *outgoing), pairing.before[b].number)))
            used_after.update(outgoing)
        elif incoming:
            result.append(Match("merged", _leading(pairing.before, (b, *incoming), pairing.after[a].number), (a,)))
            used_before.update(incoming)
        else:
            result.append(_one_to_one(pairing.before[b], pairing.after[a], b, a, b in moved))
    result += [Match("removed", (b,), ()) for b in pairing.free_before() if b not in used_before]
    result += [Match("added", (), (a,)) for a in pairing.free_after() if a not in used_after]
    return result


def _leading(keys: Sequence[ClauseKeys], parts: tuple[int, ...], number: str | None) -> tuple[int, ...]:
    """``parts`` with the one that bears ``number`` first, else the likest, which stands first: it continues the lineage."""
    return tuple(sorted(parts, key=lambda at: (keys[at].number != number, at != parts[0], at)))


def _one_to_one(one: ClauseKeys, other: ClauseKeys, b: int, a: int, moved: bool) -> Match:
    renumbered = one.number != other.number
    kind: MatchKind = "same"
    if one.text != other.text or one.heading != other.heading:
        kind = "modified"
    elif moved:
        kind = "moved"
    elif renumbered:
        kind = "renumbered"
    return Match(kind, (b,), (a,), renumbered, moved)


def _moved(pairing: Pairing, splits: dict[int, list[int]]) -> set[int]:
    """Left indices whose parent or whose order among its siblings changed; of an order changed, the fewest clauses."""
    families: dict[tuple[int | None, int | None], list[tuple[int, int]]] = defaultdict(list)
    moved: set[int] = set()
    for b, a in enumerate(pairing.forward):
        if a is None:
            continue
        parent = _standing_parent(pairing.before, pairing.forward, b)
        other = _standing_parent(pairing.after, pairing.backward, a)
        if _follows(pairing, parent, other, splits):
            families[parent, other].append((b, a))
        elif pairing.before[b].number != pairing.after[a].number:
            moved.add(b)
    for family in families.values():
        moved.update(b for b in _out_of_order(family) if pairing.before[b].number is None or not _same_number(pairing, b))
    return moved


def _same_number(pairing: Pairing, b: int) -> bool:
    """A clause that kept its number among its siblings stands where it stood, whatever went past it."""
    a = pairing.forward[b]
    return a is not None and pairing.before[b].number == pairing.after[a].number


def _standing_parent(keys: Sequence[ClauseKeys], mates: Sequence[int | None], at: int) -> int | None:
    """The parent of clause ``at``; an unmatched one without words or heading is looked through: an article of one paragraph
    that gets a second one has not moved."""
    parent = keys[at].cited_parent
    while parent is not None and mates[parent] is None and keys[parent].bare:
        parent = keys[parent].cited_parent
    return parent


def _follows(pairing: Pairing, parent: int | None, other: int | None, splits: dict[int, list[int]]) -> bool:
    if parent is None or other is None:
        return parent == other
    return pairing.forward[parent] == other or other in splits.get(parent, ())


def _out_of_order(family: list[tuple[int, int]]) -> set[int]:
    """The pairs outside a longest increasing run (patience sorting), by left index."""
    tails: list[int] = []
    tops: list[int] = []
    links: list[int] = []
    for at, (_, a) in enumerate(family):
        place = bisect_left(tails, a)
        tails[place : place + 1] = [a]
        tops[place : place + 1] = [at]
        links.append(tops[place - 1] if place else -1)
    kept: set[int] = set()
    at = tops[-1] if tops else -1
    while at >= 0:
        kept.add(family[at][0])
        at = links[at]
    return {b for b, _ in family if b not in kept}


def _ordered(matches: list[Match]) -> tuple[Match, ...]:
    went = {b: match.after[0] for match in matches if match.after for b in match.before}
    places: dict[int, tuple[int, int]] = {}
    last = -1
    gone = {match.before[0] for match in matches if not match.after}
    for b in sorted([*went, *gone]):
        last = went.get(b, last)
        places[b] = (last, 1 + b)
    return tuple(sorted(matches, key=lambda match: (match.after[0], 0) if match.after else places[match.before[0]]))
