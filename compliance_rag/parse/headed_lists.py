"""Lists on the line of their heading (`3.1 List: (a) x; (b) y.`, 丁：（一）子；（二）丑。), cut into their members."""

from __future__ import annotations

import re
from itertools import pairwise

from compliance_rag.parse.labels import Label, follows, read_labels
from compliance_rag.parse.unit import Unit, back

# Longer words before the list are a sentence that holds it, which is read better in one piece.
MAX_LEAD = 60
# A line holds a handful of members; beyond this it is data, not drafting.
MAX_MEMBERS = 200
# As text: the members go on one from another right after a heading, which is hardly prose.
_PLAIN = 4.2
_WINDOW = 16
_SHAPE = r"[(（]\s?(?:\d{1,3}|[A-Za-z]{1,4}|[一二三四五六七八九十]{1,3})\s?[)）]\s{0,4}(?=[^\s,，、;；.。)）])"
_FIRST = re.compile(rf"(?P<mark>[.:：])\s{{0,4}}(?={_SHAPE})")
_NEXT = re.compile(rf"[;；]\s{{0,4}}(?:(?:and|or|and/or)\s+)?(?={_SHAPE})")


def split_headed(text: str, unit: Unit, label: Label) -> list[Unit]:
    """The members of a list that opens right after the clause's first few words; ``unit`` is cut where they begin. Empty when
    there are fewer than two, or when they do not go on from one another."""
    after = unit.start + label.end
    first = _FIRST.search(text, after, min(unit.end, after + MAX_LEAD + _WINDOW))
    if first is None or not 0 < len(text[after : first.start()].strip()) <= MAX_LEAD:
        return []
    if re.search(r"[.;。；，]", text[after : first.start()]):
        return []
    starts = [first.end(), *(match.end() for match in _NEXT.finditer(text, first.end(), unit.end))][:MAX_MEMBERS]
    found = [read_labels(text[start : min(unit.end, start + _WINDOW)]) for start in starts]
    opening = next((reading for reading in found[0] if reading.tokens[0].value == 1), None)
    if opening is None or len(starts) < 2:
        return []
    chain = _chain(opening, found)
    if not chain:
        return []
    out: list[Unit] = []
    for start, end, member in zip(starts, [*starts[1:], unit.end], chain, strict=True):
        item = None if unit.item is None else unit.item + 0.5
        out.append(
            Unit(
                start,
                back(text, end),
                unit.block,
                unit.kind,
                (member,),
                _PLAIN,
                0.0,
                indent=unit.indent,
                inline=True,
                item=item,
            )
        )
    unit.end = back(text, starts[0])
    return out


def _chain(opening: Label, found: list[tuple[Label, ...]]) -> list[Label]:
    """One reading per place, all of one style in running order; empty when there is none."""
    chain = [opening]
    for readings in found[1:]:
        following = next((reading for reading in readings if reading.style == opening.style), None)
        if following is None:
            return []
        chain.append(following)
    return chain if all(follows(a.tokens[0], b.tokens[0]) for a, b in pairwise(chain)) else []
