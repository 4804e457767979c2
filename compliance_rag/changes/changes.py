"""What changed between two versions of a document: kinds, redline, signals, weight, and whom each change touches."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

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
    ripples = Ripples(pair)
    standing = _standing(pair.before, {b for match in pair.matches if match.after for b in match.before})
    standing_after = _standing(pair.after, {a for match in pair.matches if match.before for a in match.after})
    return [
        _change(pair, match, ripples)
        for match in pair.matches
        if match.kind != "same"
        and not (match.kind == "removed" and match.before[0] in standing)
        and not (match.kind == "added" and match.after[0] in standing_after)
    ]


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


def _change(pair: Pair, match: Match, ripples: Ripples) -> Change:
    olds = [pair.before.clauses[at] for at in match.before]
    news = [pair.after.clauses[at] for at in match.after]
    signals, weight = _signals(pair, match)
    lineage = (news or olds)[0].lineage_id
    if match.kind == "merged":
        lineage = olds[0].lineage_id
    touched = _ripples(ripples, match, weight, olds, news)
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
    ripples: Ripples, match: Match, weight: Weight, olds: Sequence[StoredClause], news: Sequence[StoredClause]
) -> list[RippleObject]:
    """Clauses of the version after. A change of words only, or of number only, touches those whose references it left
    behind; a change of meaning also those that depend on the clause."""
    own = {clause.clause_id for clause in news}
    found: dict[str, RippleObject] = {}
    if weight == "substantive":
        for old, new in zip_longest(olds, news):
            ids = [None if clause is None else clause.clause_id for clause in (new, old)]
            for ripple in ripples.reached(*ids):
                found.setdefault(ripple.clause_id, _ripple(ripples.pair, ripple, new or old, match))
    if match.renumbered or match.kind in ("removed", "merged"):
        for old, new in zip_longest(olds, news):
            for ripple in () if old is None else ripples.retargeted(old.clause_id):
                found.setdefault(ripple.clause_id, _ripple(ripples.pair, ripple, new or old, match))
    return [ripple for name, ripple in found.items() if name not in own]


def _ripple(pair: Pair, ripple: Ripple, origin: StoredClause, match: Match) -> RippleObject:
    side = pair.after
    clause = side.clauses[side.places[ripple.clause_id]]
    return RippleObject(
        clause_id=ripple.clause_id,
        number=clause.clause.number,
        heading=clause.clause.heading,
        text_equal=ripple.clause_id in pair.unchanged,
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
