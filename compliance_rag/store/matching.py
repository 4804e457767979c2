"""Which clause of one version is which clause of another: a one-to-one pairing, near linear in the number of clauses.

Method: clauses equal in heading and text are anchors (unique ones first, grown to their neighbours, as in rsync and patience
diff); then equal but for figures; then the leftovers by overlap of word pairs found through an index of rare pairs, weighed
with number, heading, parent and neighbours; containers by their children; last, a clause alone between the same neighbours
under the same number was rewritten whole.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

from compliance_rag.store.clause_keys import ClauseKeys, Rarity

# A word pair in more leftover clauses than this tells nothing and would make the search quadratic.
RARE_LIMIT = 12
# Candidates weighed for one clause: the right one was within the first three in every measured pair.
CANDIDATE_LIMIT = 6
# Clauses of one heading, one number or one parent weighed against each other; longer lists are told by their text.
FAMILY_LIMIT = 24
# Dice over word pairs: from here the texts are one clause edited, whatever else changed.
ALIKE = 0.5
# From here they are one clause when the heading, the number in its place, or both neighbours agree.
RELATED = 0.2
# A text wholly inside a longer one counts this much of a likeness: a clause that grew threefold is still itself.
GREW = 0.7
GREW_WORDS = 8


_KeyOf = Callable[[ClauseKeys], Hashable | None]


class Pairing:
    """Matches between ``before`` and ``after`` (indices), each clause at most once."""

    def __init__(self, before: Sequence[ClauseKeys], after: Sequence[ClauseKeys]) -> None:
        self.before, self.after = before, after
        self.rarity = Rarity(before, after)
        self.forward: list[int | None] = [None] * len(before)
        self.backward: list[int | None] = [None] * len(after)

    def free(self, b: int, a: int) -> bool:
        """Both unmatched."""
        return self.forward[b] is None and self.backward[a] is None

    def join(self, b: int, a: int) -> None:
        """Match ``b`` with ``a``."""
        self.forward[b], self.backward[a] = a, b

    def same_parent(self, b: int, a: int) -> bool:
        """The parents their numbers hang from are one clause, or both are at the top."""
        parent, other = self.before[b].cited_parent, self.after[a].cited_parent
        return other is None if parent is None else other is not None and self.forward[parent] == other

    def near(self, b: int, a: int) -> bool:
        """A neighbour in document order is matched alongside."""
        before = b > 0 and a > 0 and self.forward[b - 1] == a - 1
        return before or (b + 1 < len(self.before) and a + 1 < len(self.after) and self.forward[b + 1] == a + 1)

    def free_before(self) -> list[int]:
        """Unmatched on the left, in order."""
        return [at for at, mate in enumerate(self.forward) if mate is None]

    def free_after(self) -> list[int]:
        """Unmatched on the right, in order."""
        return [at for at, mate in enumerate(self.backward) if mate is None]


def pair(before: Sequence[ClauseKeys], after: Sequence[ClauseKeys]) -> Pairing:
    """Pair two versions' clauses. Deterministic; says nothing of what kind of change each pair is."""
    pairing = Pairing(before, after)
    _equal(pairing, lambda keys: (keys.heading, keys.text) if keys.solid else None)
    _equal(pairing, lambda keys: keys.text if keys.solid else None)
    _equal(pairing, lambda keys: (keys.heading, keys.masked) if keys.solid else None)
    _equal(pairing, lambda keys: keys.masked if keys.solid else None)
    _by_children(pairing)
    for _ in range(2):  # the second round sees the parents and neighbours that the first one matched
        _short_in_place(pairing)
        _alike(pairing)
        _by_children(pairing)
    _equal(pairing, lambda keys: (keys.heading, keys.text) if keys.text or keys.heading else None, repeats=False)
    return pairing


def _groups(keys: Sequence[ClauseKeys], free: Iterable[int], key_of: _KeyOf) -> dict[Hashable, list[int]]:
    found: dict[Hashable, list[int]] = defaultdict(list)
    for at in free:
        key = key_of(keys[at])
        if key is not None:
            found[key].append(at)
    return found


def _equal(pairing: Pairing, key_of: _KeyOf, *, repeats: bool = True) -> None:
    """Join clauses of equal key: the unique ones, then their equal neighbours, then ``repeats`` by place and in order."""
    left = _groups(pairing.before, pairing.free_before(), key_of)
    right = _groups(pairing.after, pairing.free_after(), key_of)
    shared = [key for key in left if key in right]
    for key in shared:
        if len(left[key]) == len(right[key]) == 1:
            pairing.join(left[key][0], right[key][0])
            _grow(pairing, left[key][0], right[key][0])
    for key in shared if repeats else ():
        _repeats(pairing, left[key], right[key])


def _grow(pairing: Pairing, b: int, a: int) -> None:
    """From a match outwards both ways while the next clauses are equal in heading and text."""
    for step in (1, -1):
        at, to = b + step, a + step
        while 0 <= at < len(pairing.before) and 0 <= to < len(pairing.after) and pairing.free(at, to):
            one, other = pairing.before[at], pairing.after[to]
            if (one.heading, one.text) != (other.heading, other.text) or not (one.text or one.heading):
                break
            pairing.join(at, to)
            at, to = at + step, to + step


def _repeats(pairing: Pairing, left: list[int], right: list[int]) -> None:
    """A text that stands several times: by parent, number and neighbours while the list is short, the rest in order."""
    left = [b for b in left if pairing.forward[b] is None]
    right = [a for a in right if pairing.backward[a] is None]
    if len(left) != len(right) and len(left) <= FAMILY_LIMIT and len(right) <= FAMILY_LIMIT:
        ranked = sorted((-_context(pairing, b, a), b, a) for b in left for a in right)
        for rank, b, a in ranked:
            if rank < 0 and pairing.free(b, a):
                pairing.join(b, a)
        left = [b for b in left if pairing.forward[b] is None]
        right = [a for a in right if pairing.backward[a] is None]
    for b, a in zip(left, right, strict=False):
        if _context(pairing, b, a):
            pairing.join(b, a)


def _context(pairing: Pairing, b: int, a: int) -> int:
    one, other = pairing.before[b], pairing.after[a]
    same_number = one.number is not None and one.number == other.number
    return 2 * pairing.same_parent(b, a) + 2 * pairing.near(b, a) + same_number


def _short_in_place(pairing: Pairing) -> None:
    """Short equal texts ("name;") under one parent, with their figures or without."""
    for masked in (False, True):
        index: dict[Hashable, list[int]] = defaultdict(list)
        for a in pairing.free_after():
            index[_short_key(pairing, pairing.after[a], masked, pairing.after[a].cited_parent)].append(a)
        for b in pairing.free_before():
            parent = pairing.before[b].cited_parent
            home = None if parent is None else pairing.forward[parent]
            if parent is not None and home is None:
                continue
            mates = index.get(_short_key(pairing, pairing.before[b], masked, home), [])
            same = [a for a in mates if pairing.backward[a] is None]
            if same:
                number = pairing.before[b].number
                pairing.join(b, next((a for a in same if pairing.after[a].number == number), same[0]))


def _short_key(pairing: Pairing, keys: ClauseKeys, masked: bool, parent: int | None) -> Hashable:
    text = keys.masked if masked else keys.text
    return (parent, keys.heading, text) if text or keys.heading else (parent, object())


def _by_children(pairing: Pairing) -> None:
    """An unmatched clause is the one that most of its matched children hang from now, if most of that one's came from here."""
    votes: dict[int, Counter[int]] = defaultdict(Counter)
    arrivals: Counter[int] = Counter()
    for b in range(len(pairing.before) - 1, -1, -1):
        a = pairing.forward[b]
        if a is None and b in votes:
            home, count = votes[b].most_common(1)[0]
            enough = 2 * count >= max(votes[b].total(), arrivals[home])
            if enough and pairing.backward[home] is None and _parents_agree(pairing, b, home, count):
                pairing.join(b, home)
                a = home
        parent = pairing.before[b].cited_parent
        mate = None if a is None else pairing.after[a].cited_parent
        if parent is not None and mate is not None:
            votes[parent][mate] += 1
            arrivals[mate] += 1


def _parents_agree(pairing: Pairing, b: int, a: int, count: int) -> bool:
    one, other = pairing.before[b], pairing.after[a]
    alike = count > 1 or one.number == other.number or one.heading == other.heading
    return alike or pairing.rarity.dice(one.pairs, other.pairs) >= RELATED


def _alike(pairing: Pairing) -> None:
    """Join leftovers best likeness first; ties by closeness of place, then by order."""
    ranked: list[tuple[float, int, int, int]] = []
    for b, a in _candidates(pairing):
        score = _likeness(pairing, b, a)
        if score is not None:
            ranked.append((-round(score, 6), abs(b - a), b, a))
    for _, _, b, a in sorted(ranked):
        if pairing.free(b, a):
            pairing.join(b, a)


def _likeness(pairing: Pairing, b: int, a: int) -> float | None:
    """How much two clauses are one, or None when they are not."""
    one, other = pairing.before[b], pairing.after[a]
    same_heading = bool(one.heading) and one.heading == other.heading
    same_number = one.number is not None and one.number == other.number
    same_parent, near = pairing.same_parent(b, a), pairing.near(b, a)
    text = _text_likeness(pairing.rarity, one, other)
    other_heading = bool(one.heading and other.heading) and not same_heading
    score = text + 0.4 * same_heading - 0.2 * other_heading + 0.15 * same_number + 0.15 * same_parent + 0.1 * near
    if text >= ALIKE:
        told = (one.solid and other.solid) or same_parent or near or same_number or same_heading
        return score if told else None
    placed = same_heading or near or (same_number and same_parent)
    if text >= RELATED and placed and (same_parent or same_number or same_heading):
        return score
    return score if same_heading and (same_parent or same_number) else None


def _text_likeness(rarity: Rarity, one: ClauseKeys, other: ClauseKeys) -> float:
    if one.empty and other.empty:
        return rarity.dice(one.heading_pairs, other.heading_pairs)
    text = rarity.dice(one.pairs, other.pairs)
    small, large = (one, other) if one.words <= other.words else (other, one)
    if small.words >= GREW_WORDS:
        text = max(text, GREW * rarity.contained(small.pairs, large.pairs))
    return text


def _candidates(pairing: Pairing) -> Iterator[tuple[int, int]]:
    """Pairs of leftovers worth weighing, each once."""
    free = pairing.free_after()
    by_pair: dict[Hashable, list[int]] = defaultdict(list)
    families: dict[Hashable, list[int]] = defaultdict(list)
    for a in free:
        keys = pairing.after[a]
        for item in keys.pairs or keys.heading_pairs:
            by_pair[item].append(a)
        families["heading", keys.heading].append(a)
        families["number", keys.number].append(a)
        families["parent", keys.cited_parent].append(a)
    for b in pairing.free_before():
        seen = set(_overlapping(pairing.before[b], by_pair))
        for family in _families(pairing, b):
            members = families.get(family, [])
            if len(members) <= FAMILY_LIMIT:
                seen.update(members)
        seen.update(a for a in _beside(pairing, b) if pairing.backward[a] is None)
        yield from ((b, a) for a in sorted(seen))


def _overlapping(keys: ClauseKeys, by_pair: dict[Hashable, list[int]]) -> list[int]:
    counts: Counter[int] = Counter()
    for item in keys.pairs or keys.heading_pairs:
        holders = by_pair.get(item, ())
        if len(holders) <= RARE_LIMIT:
            counts.update(holders)
    return [a for a, _ in sorted(counts.items(), key=lambda found: (-found[1], found[0]))[:CANDIDATE_LIMIT]]


def _families(pairing: Pairing, b: int) -> Iterator[Hashable]:
    keys = pairing.before[b]
    if keys.heading:
        yield "heading", keys.heading
    if keys.number is not None:
        yield "number", keys.number
    if keys.cited_parent is None:
        yield "parent", None
    elif pairing.forward[keys.cited_parent] is not None:
        yield "parent", pairing.forward[keys.cited_parent]


def _beside(pairing: Pairing, b: int) -> Iterator[int]:
    for step in (-1, 1):
        mate = pairing.forward[b + step] if 0 <= b + step < len(pairing.before) else None
        if mate is not None and 0 <= mate - step < len(pairing.after):
            yield mate - step
