"""References as they stand in a clause's text, and whether two of them name the same clause in two versions."""

from __future__ import annotations

import re
from dataclasses import dataclass

from compliance_rag.changes.sides import Pair, Side, inside
from compliance_rag.store.clause_keys import typographic_key
from compliance_rag.store.links import ResolvedReference
from schemas.ids import read_clause_id

_FIGURE = re.compile(r"\d[\w.\-]*(?:\([\w]+\))*|(?<=第)[零〇一二两三四五六七八九十百千]+|\([\w]+\)|\b[A-Z](?:\.\d+)*\b")
_NAMED = re.compile(r"\s*[(（]([^()（）]{2,120})[)）]")


@dataclass(frozen=True, slots=True)
class Cited:
    """References printed at ``[start, end)`` of a clause's text (one, or several that share words).

    ``targets``: clause ids they name, in order; unresolved ones are missing. ``figures``: the numbers as printed.
    ``named``: the heading printed in brackets after it, as a comparison key, or empty. ``document``: the other document,
    None for its own."""

    start: int
    end: int
    text: str
    targets: tuple[str, ...]
    resolved: bool
    figures: tuple[str, ...]
    named: str
    document: str | None


def cited(side: Side, at: int) -> list[Cited]:
    """The references of clause ``at`` in order, those with overlapping words as one."""
    clause = side.clauses[at]
    text = clause.clause.text
    placed = [(inside(clause, item.reference.span), item) for item in side.links[at].references]
    groups: list[tuple[int, int, list[ResolvedReference]]] = []
    for span, item in sorted(((span, item) for span, item in placed if span is not None), key=lambda found: found[0]):
        if groups and span[0] < groups[-1][1]:
            start, end, items = groups[-1]
            groups[-1] = (start, max(end, span[1]), [*items, item])
        else:
            groups.append((*span, [item]))
    return [_cited(text, start, end, items) for start, end, items in groups]


def _cited(text: str, start: int, end: int, items: list[ResolvedReference]) -> Cited:
    printed = text[start:end]
    figures = _FIGURE.findall(printed)
    named = _NAMED.match(text, end)
    return Cited(
        start,
        end,
        printed,
        tuple(item.target for item in items if item.target is not None),
        all(item.target is not None for item in items),
        tuple(figures) or (printed.strip(),),
        "" if named is None else typographic_key(named.group(1)).lower(),
        items[0].reference.target_doc,
    )


def still_points(pair: Pair, before: Cited, after: Cited) -> bool:
    """True unless the two are known to name different clauses: the target continued; or it is named in words by the same
    heading, which the target after bears (a wrong number put right); or a target is not held and nothing but the number
    differs. References to other documents compare by document and path. It does not prove where an unheld target went."""
    if before.resolved and after.resolved and len(before.targets) == len(after.targets) > 0:
        if all(_continues(pair, one, other) for one, other in zip(before.targets, after.targets, strict=True)):
            return True
    elif not before.resolved or not after.resolved:
        return before.document == after.document and _unnumbered(before) == _unnumbered(after)
    if not before.named or before.named != after.named or len(after.targets) != 1:
        return False
    place = pair.after.places.get(after.targets[0])
    return place is not None and typographic_key(pair.after.clauses[place].clause.heading).lower().rstrip(".") == after.named


def _unnumbered(reference: Cited) -> str:
    return typographic_key(_FIGURE.sub("#", reference.text))


def _continues(pair: Pair, before: str, after: str) -> bool:
    if before in pair.before.places or after in pair.after.places:
        return pair.mates.get(before) == after
    (doc, _, path), (other, _, other_path) = read_clause_id(before), read_clause_id(after)
    return (doc, path) == (other, other_path)
