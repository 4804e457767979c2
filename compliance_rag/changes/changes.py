"""What changed between two versions of a document: kinds, redline, signals, weight, and whom each change touches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest
from typing import Literal

from compliance_rag.changes.defining import changed_terms
from compliance_rag.changes.redline import Redline, redline
from compliance_rag.changes.ripples import Ripple, Ripples
from compliance_rag.changes.sides import Pair, Side
from compliance_rag.changes.signals import NONE
from compliance_rag.changes.weigh import Weight, weigh
from compliance_rag.store.clause_keys import heading_key, typographic_key
from compliance_rag.store.lineage import Match
from compliance_rag.store.rows import StoredClause
from schemas.objects import Change, ClauseObject, RippleObject, RippleStep

_TOP = "top level"


def list_changes(pair: Pair) -> list[Change]:
    """The changes in the order of the version after, a removed clause where it would stand. Clauses that differ in white space,
    width and typography alone, or not at all, are not listed, nor is a mere
    number that came or went above clauses that stay."""
    listed = _Listed(pair)
    standing = _standing(pair.before, {b for match in pair.matches if match.after for b in match.before})
    standing_after = _standing(pair.after, {a for match in pair.matches if match.before for a in match.after})
    return [
        _change(listed, match)
        for match in pair.matches
        if match.kind != "same"
        and not (match.kind == "removed" and match.before[0] in standing)
        and not (match.kind == "added" and match.after[0] in standing_after)
    ]


class _Listed:
    """What is found once for all changes of a pair: who depends on whom, and how each clause itself was edited."""

    def __init__(self, pair: Pair) -> None:
        self.pair = pair
        self.ripples = Ripples(pair)
        self._edited: dict[Match, tuple[list[str], Weight]] = {}
        self._after = {
            pair.after.clauses[match.after[0]].clause_id: match for match in pair.matches if match.kind == "modified"
        }

    def edited(self, match: Match) -> tuple[list[str], Weight]:
        """Signals and weight of a match."""
        if match not in self._edited:
            self._edited[match] = _signals(self.pair, match)
        return self._edited[match]

    def edited_only(self, clause_id: str) -> Literal["repointed", "editorial"] | None:
        """Of a clause of the version after that no change of substance rewrote, how its words differ."""
        match = self._after.get(clause_id)
        if match is None or clause_id in self.pair.unchanged:
            return None
        signals, weight = self.edited(match)
        if weight != "editorial":
            return None
        return "repointed" if any(signal.startswith("reference:") for signal in signals) else "editorial"


def _standing(side: Side, lasting: set[int]) -> set[int]:
    """Clauses without words or heading that have a lasting clause under them: an article whose one paragraph became its first
    of two has neither come nor gone, and its paragraphs say what changed."""
    held: set[str] = set()
    for at in lasting:
        parent = side.clauses[at].parent_id
        while parent is not None and parent in side.places and parent not in held:
            held.add(parent)
            parent = side.clauses[side.places[parent]].parent_id
    return {side.places[name] for name in held if not _words(side.clauses[side.places[name]])}


def _words(clause: StoredClause) -> str:
    return clause.clause.text + clause.clause.heading


def _change(listed: _Listed, match: Match) -> Change:
    pair = listed.pair
    olds = [pair.before.clauses[at] for at in match.before]
    news = [pair.after.clauses[at] for at in match.after]
    signals, weight = listed.edited(match)
    lineage = (news or olds)[0].lineage_id
    if match.kind == "merged":
        lineage = olds[0].lineage_id
    touched = _ripples(listed, match, weight, olds, news)
    return Change(
        kind=match.kind,  # type: ignore[arg-type]  # "same" was left out by the caller
        lineage_id=lineage,
        before=_side(olds, match.kind == "merged"),
        after=_side(news, match.kind == "split"),
        redline=_redline(match, olds, news),
        weight=weight,
        signals=signals,
        affects=[ripple.clause_id for ripple in touched],
        ripples=touched,
    )


def _side(clauses: Sequence[StoredClause], several: bool) -> ClauseObject | list[ClauseObject] | None:
    objects = [clause.to_object() for clause in sorted(clauses, key=lambda clause: clause.seq)]
    if several:
        return objects
    return objects[0] if objects else None


def _text(clauses: Sequence[StoredClause]) -> str:
    """Texts in document order, joined by one LF; empty ones leave nothing."""
    return "\n".join(clause.clause.text for clause in sorted(clauses, key=lambda clause: clause.seq) if clause.clause.text)


def _redline(match: Match, olds: Sequence[StoredClause], news: Sequence[StoredClause]) -> Redline:
    """Of a clause whose number or place alone changed, the words as they now stand: white space, width and typography are no
    change."""
    if match.kind in ("renumbered", "moved"):
        return [("=", _text(news))] if _text(news) else []
    return redline(_text(olds), _text(news))


def _signals(pair: Pair, match: Match) -> tuple[list[str], Weight]:
    if match.kind in ("added", "removed"):
        side, at = (pair.after, match.after[0]) if match.after else (pair.before, match.before[0])
        terms = _defined(pair, match)
        return terms, "substantive" if side.clauses[at].clause.text or terms else "editorial"
    before, after = match.before[0], match.after[0]
    old, new = pair.before.clauses[before], pair.after.clauses[after]
    signals: list[str] = []
    if match.renumbered:
        signals.append(f"renumbered: {_number(old)} → {_number(new)}")
    if match.moved:
        signals.append(_moved(pair, old, new))
    if heading_key(old.clause.heading) != heading_key(new.clause.heading):
        signals.append(f"heading: {old.clause.heading or NONE} → {new.clause.heading or NONE}")
    weight: Weight = "editorial"
    if match.kind == "modified":
        found, weight = weigh(pair, before, after)
        signals += found
    elif match.kind in ("split", "merged"):
        olds = [pair.before.clauses[at] for at in match.before]
        news = [pair.after.clauses[at] for at in match.after]
        weight = "editorial" if typographic_key(_text(olds)) == typographic_key(_text(news)) else "substantive"
    return signals + (_defined(pair, match) if weight == "substantive" else []), weight


def _number(clause: StoredClause) -> str:
    return clause.clause.number or "unnumbered"


def _moved(pair: Pair, old: StoredClause, new: StoredClause) -> str:
    parent, other = old.parent_id, new.parent_id
    if (None if parent is None else pair.mates.get(parent)) == other:
        return "moved: order"
    before = _TOP if parent is None else _number(pair.before.clauses[pair.before.places[parent]])
    after = _TOP if other is None else _number(pair.after.clauses[pair.after.places[other]])
    return "moved: order" if before == after else f"moved: {before} → {after}"


def _defined(pair: Pair, match: Match) -> list[str]:
    """The terms whose definition stands in the clauses; of a glossary that stayed one clause those whose entries differ."""
    if len(match.before) == len(match.after) == 1:
        return [f"definition: {term}" for term in changed_terms(pair.before, pair.after, match.before[0], match.after[0])]
    links = [pair.before.links[at] for at in match.before] + [pair.after.links[at] for at in match.after]
    return list(dict.fromkeys(f"definition: {item.term}" for link in links for item in link.definitions))


def _ripples(
    listed: _Listed, match: Match, weight: Weight, olds: Sequence[StoredClause], news: Sequence[StoredClause]
) -> list[RippleObject]:
    """Clauses of the version after. A change of words only, or of number only, touches those whose references it left
    behind; a change of meaning also those that depend on the clause."""
    ripples = listed.ripples
    own = {clause.clause_id for clause in news}
    found: dict[str, RippleObject] = {}
    if weight == "substantive":
        for old, new in zip_longest(olds, news):
            ids = [None if clause is None else clause.clause_id for clause in (new, old)]
            for ripple in ripples.reached(*ids):
                found.setdefault(ripple.clause_id, _ripple(listed, ripple, new or old, match))
    if match.renumbered or match.kind in ("removed", "merged"):
        for old, new in zip_longest(olds, news):
            for ripple in () if old is None else ripples.retargeted(old.clause_id):
                found.setdefault(ripple.clause_id, _ripple(listed, ripple, new or old, match))
    return [ripple for name, ripple in found.items() if name not in own]


def _ripple(listed: _Listed, ripple: Ripple, origin: StoredClause, match: Match) -> RippleObject:
    pair = listed.pair
    side = pair.after
    clause = side.clauses[side.places[ripple.clause_id]]
    return RippleObject(
        clause_id=ripple.clause_id,
        number=clause.clause.number,
        heading=clause.clause.heading,
        text_equal=ripple.clause_id in pair.unchanged,
        edited=listed.edited_only(ripple.clause_id),
        origin=origin.clause_id,
        origin_number=origin.clause.number,
        origin_kind=match.kind,  # type: ignore[arg-type]  # "same" was left out by the caller
        path=[
            RippleStep(
                clause_id=step.clause_id,
                number=side.clauses[side.places[step.clause_id]].clause.number,
                link=step.link,
                name=step.name,
            )
            for step in ripple.path
        ],
    )
