"""A document whose title has the form of a label: "Rule K", "Part B", "附件一" on the first line, with clauses counted on
their own below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from compliance_rag.parse.labels import Label
from compliance_rag.parse.tokens import ANNEXES
from compliance_rag.parse.unit import Unit

# Marks that may close the title line and say nothing of what it is.
_CLOSING = " \t.:：。"
# Styles of clauses that are counted through a whole document; a list in brackets or letters belongs to what it stands under.
_COUNTED = frozenset({"1.", "dec", "第条"})
# What a document may be called by. A chapter is one of several, whatever stands in the file.
_NAMING = ANNEXES | {"rule", "part", "division"}
_COUNTED_KINDS = frozenset({"article", "section", "clause"})


def free_title(text: str, units: Sequence[Unit]) -> list[Unit]:
    """``units`` with the first one's label taken off when that line is the document's title: it holds nothing but the label of
    a container or a rule, no other label of that kind and no heading of its level or above follows, and what is counted first
    below it is a clause of a document of its own. "Rule 26" over (a) and (b) stays the rule that it is, "Part 1" with a Part 2
    the part."""
    titled = list(units)
    if len(titled) < 2 or not _stands_alone(text, titled[0]):
        return titled
    first, rest = titled[0], titled[1:]
    kinds = {label.kind for label in first.labels}
    levels = [unit.heading for unit in rest if unit.heading is not None]
    level = first.heading
    alone = level is None or not any(other <= level for other in levels if other)
    counted = next((unit for unit in rest if unit.labels), None)
    if alone and counted is not None and _counts(counted.labels) and not _again(rest, kinds):
        titled[0] = replace(first, labels=(), plain=0.0, prose=0.0, firm=False)
    return titled


def _stands_alone(text: str, unit: Unit) -> bool:
    """The line is a label and nothing else, of a kind that may name a document, and set as a heading; a rule needs no setting:
    it holds nothing that would be counted on past it."""
    named = [label for label in unit.labels if label.kind in _NAMING]
    if not named or text.startswith("第", unit.start) or text[unit.start + named[0].end : unit.end].strip(_CLOSING):
        return False
    return unit.heading is not None or named[0].kind == "rule"


def _counts(labels: Sequence[Label]) -> bool:
    """The first of the clauses is counted for itself: 1., 1.1, Section 1, 第一条."""
    return any(
        not label.containers and (label.kind in _COUNTED_KINDS or label.style in _COUNTED) and not label.container
        for label in labels
    )


def _again(units: Sequence[Unit], kinds: set[str]) -> bool:
    return any(label.kind in kinds for unit in units for label in unit.labels)
