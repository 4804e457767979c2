"""Run-on text: lines that lost their line breaks (a page, a whole contract on one line), cut at numbers in running order.

A place is only *proposed* here: after the end of a sentence, a heading in capitals or a wide gap, before a capital, with the
number before or after it found as well. Which of the proposed labels are read is the outline's decision, as for every label.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from compliance_rag.parse.labels import Label, Token, follows, read_labels
from compliance_rag.parse.unit import Unit, back

# Nobody sets a paragraph of this length; the longest single sentences of contracts reach about 800 characters.
RUN_ON_LINE = 1_000
# A text has lost its line breaks when at least this share of it stands in such lines; long definitions alone stay below.
RUN_ON_SHARE = 0.33
# Shorter stretches hold no second clause worth a cut.
MIN_STRETCH = 120
# No printed label of a run-on text is longer.
_WINDOW = 32
_BEFORE = r"(?:(?<=[.;:!?)\]”\"’_*])|(?<=[A-Z][A-Z])|(?<=[A-Z]\))|(?<= {2}))"
_CAPITAL = r"[A-Z\"“(\[]"
_PLACE = re.compile(
    rf"{_BEFORE}[ \u00a0]{{1,40}}(?:(?:and|or)\s)?(?="
    rf"\d{{1,2}}\.(?!\d)\s{{0,4}}{_CAPITAL}|\d{{1,2}}\)\s{{1,4}}[A-Z\"“]"
    r"|[(\[](?:[a-z]{1,4}|[A-Z]|\d{1,2})[)\]]\s{0,4}[A-Z\"“]"
    r"|[A-Za-z]\.\s{1,4}(?:[A-Z][a-z]|[\"“])|[A-Z]\.\s{1,4}[A-Z]{2}|[a-z]\)\s{1,4}[A-Z\"“]"
    r"|(?:ARTICLE|Article)\s(?:[IVXLC]{1,7}|\d{1,2})[.:]?\s{1,4}[-–—:]?\s{0,2}[A-Z]"
    r"|(?:SECTION|Section)\s\d{1,2}(?:\.\d{1,2})?[.:]?\s{1,4}[A-Z\"“\[]"
    r"|(?:SCHEDULE|EXHIBIT|APPENDIX|ANNEX)\s[A-Z0-9](?:-\d)?[.:]?\s{1,4}(?:[A-Z]{2}|[A-Z0-9][.)]\s))"
    r"|(?<=,)[ \u00a0]{1,4}(?=[(\[][a-z]{1,3}[)\]]\s{1,4}(?:The|If|In|Each|Any|All|No|Either|Neither|For|Upon|During|Subject"
    r"|This|Such|Except|Unless|Where|At|Notwithstanding)\s)"
    rf"|(?<=\S)[ \u00a0]{{1,40}}(?=\d{{1,2}}(?:\.\d{{1,2}}){{1,4}}\.?\s{{1,4}}{_CAPITAL})"
)
_CITES = re.compile(
    r"(?i)(?:\b(?:sections?|clauses?|paragraphs?|articles?|rules?|and|or|to|of|see|in|with|under|exhibit|schedule|no\.)|§)\s*\Z"
)
_PLAIN = {"(": 1.6, "article": 2.6, "section": 2.6, "1.": 2.0}
_PLAIN_OTHER = 1.5


@dataclass(slots=True)
class _Place:
    unit: int
    start: int
    labels: tuple[Label, ...]
    own: bool = False


def split_run_on(text: str, units: list[Unit]) -> list[Unit]:
    """The units, those of a run-on text cut at proposed labels. Linear in the text."""
    lines = [len(line) for line in text.split("\n")]
    long = sum(size for size in lines if size >= RUN_ON_LINE)
    if not long or long < RUN_ON_SHARE * sum(lines):
        return units
    places = _kept(_places(text, units))
    at: dict[int, list[_Place]] = {}
    for place in places:
        at.setdefault(place.unit, []).append(place)
    out: list[Unit] = []
    for index, unit in enumerate(units):
        out.append(unit)
        end = unit.end
        for place in at.get(index, ()):
            out[-1].end = back(text, place.start)
            plain = next((cost for head, cost in _PLAIN.items() if place.labels[0].style.startswith(head)), _PLAIN_OTHER)
            out.append(Unit(place.start, end, unit.block, "text", place.labels, plain, indent=unit.indent, inline=True))
    return out


def _places(text: str, units: list[Unit]) -> list[_Place]:
    """Every place that looks like a label's, with the labels at which units open already."""
    out: list[_Place] = []
    for index, unit in enumerate(units):
        if unit.labels:
            out.append(_Place(index, unit.start, unit.labels, own=True))
        if unit.kind not in ("text", "item") or unit.end - unit.start < MIN_STRETCH:
            continue
        first = reach = unit.start + max((label.end for label in unit.labels), default=0)
        for match in _PLACE.finditer(text, first, unit.end):
            start = match.end()
            if start < reach:
                continue  # a step of the label before
            labels = read_labels(text[start : min(unit.end, start + _WINDOW)])
            cited = _CITES.search(text, max(unit.start, match.start() - 12), match.start())
            if labels and not cited and (text[start] in "([" or text[match.start() - 1] != ","):
                out.append(_Place(index, start, labels))
                reach = start + max(label.end for label in labels)
    return out


def _kept(places: list[_Place]) -> list[_Place]:
    """The places whose number goes on from one before or is gone on from by one behind: a number alone proves nothing. A
    schedule in capitals stands for itself."""
    keep = [place.own or place.labels[0].container for place in places]
    for order in (range(len(places)), range(len(places) - 1, -1, -1)):
        seen: dict[tuple[str, ...], dict[int, Label]] = {}
        ahead = order.step == 1
        for index in order:
            for label in places[index].labels:
                family = (label.style, *(token.key for token in label.tokens[:-1]))
                value = label.tokens[-1].value
                near = seen.setdefault(family, {})
                other = near.get(value - 1 if ahead else value + 1)
                if other is not None and follows(*_ordered(other, label, ahead)):
                    keep[index] = True
                if ahead and value == 1 and len(label.tokens) > 1 and _parent_seen(seen, label):
                    keep[index] = True
                near[value] = label
    return [place for place, kept in zip(places, keep, strict=True) if kept and not place.own]


def _ordered(other: Label, label: Label, ahead: bool) -> tuple[Token, Token]:
    return (other.tokens[-1], label.tokens[-1]) if ahead else (label.tokens[-1], other.tokens[-1])


def _parent_seen(seen: dict[tuple[str, ...], dict[int, Label]], label: Label) -> bool:
    above = label.tokens[:-1]
    value = above[-1].value
    families: list[tuple[str, ...]] = [("dec", *(token.key for token in above[:-1]))]
    if len(above) == 1:
        families += [("1.",), ("article",), ("section",)]
    return any(value in seen.get(family, {}) for family in families)
