"""Contents pages: a run of entries that stand again, in the same order, as headings further on. They are furniture."""

from __future__ import annotations

import re

from compliance_rag.parse.unit import Unit

# Fewer entries in a row may be a form or a list that happens to repeat.
MIN_ENTRIES = 4
# Lines of another kind that may stand between two entries (page headers, a wrapped title).
MAX_GAP = 2
# A title longer than this is a paragraph that was repeated.
MAX_ENTRY = 200
_PAGE = re.compile(r"(?:[.…·\s_]{2,}|\s|\()\d{1,4}\)?\s*\Z")
_SENTENCE = ("。", "；", ";", "，", ",", "：")
# Members of lists inside a clause recur word for word in statutes; contents pages name sections.
_LISTED = ("(", "①", "1)", "a", "A)", "i", "I)", "1、")
_WHITE = re.compile(r"\s+")
CONTENTS_TITLE = re.compile(r"(?i)(?:table\s+of\s+)?contents(?:\s+page)?:?|index|目\s*录|目\s*次")


def drop_contents(text: str, units: list[Unit]) -> list[Unit]:
    """The units without those of contents pages; what is dropped is set aside with the furniture by the caller, who sees it
    missing. Linear: every entry is compared with the later units of the same label only."""
    keys = [_key(text, unit) for unit in units]
    later: dict[tuple[str, ...], list[int]] = {}
    for index, unit in enumerate(units):
        later.setdefault(_handle(unit, keys[index]), []).append(index)
    repeats = [_repeat(index, units, keys, later) for index in range(len(units))]
    dropped: set[int] = set()
    index = 0
    while index < len(units):
        if repeats[index] < 0:
            index += 1
            continue
        run = _run(text, units, index, repeats)
        entries = [i for i in run if repeats[i] >= 0]
        if len(entries) >= MIN_ENTRIES and len(entries) >= 0.7 * len(run):
            dropped.update(run)
            if index and CONTENTS_TITLE.fullmatch(text[units[index - 1].start : units[index - 1].end].strip()):
                dropped.add(index - 1)
        index = run[-1] + 1
    return [unit for index, unit in enumerate(units) if index not in dropped] if dropped else units


def _key(text: str, unit: Unit) -> str:
    """The entry without its page number and white space; empty for what cannot be one."""
    if (
        unit.end - unit.start > MAX_ENTRY
        or unit.kind in ("table", "code", "footnote")
        or not (unit.labels or unit.heading is not None)
    ):
        return ""
    body = text[unit.start : unit.end]
    if body.endswith(_SENTENCE) or (unit.labels and unit.labels[0].style.startswith(_LISTED)):
        return ""
    return _WHITE.sub("", _PAGE.sub("", body)).strip(".…·_")


def _handle(unit: Unit, key: str) -> tuple[str, ...]:
    if unit.labels:
        label = unit.labels[0]
        return (label.style, *(token.key for token in label.tokens))
    return ("heading", key)


def _repeat(index: int, units: list[Unit], keys: list[str], later: dict[tuple[str, ...], list[int]]) -> int:
    """The index of the later unit that this entry announces, -1 when there is none."""
    key = keys[index]
    if len(key) < 3 or key.isdigit():
        return -1
    same = later[_handle(units[index], key)]
    # Only the nearest few: a handle as common as "(a)" must not make this quadratic.
    place = _after(same, index)
    for other in same[place : place + 3]:
        if keys[other].casefold().startswith(key.casefold()) and other > index + 1:
            return other
    return -1


def _after(places: list[int], index: int) -> int:
    low, high = 0, len(places)
    while low < high:
        middle = (low + high) // 2
        if places[middle] <= index:
            low = middle + 1
        else:
            high = middle
    return low


def _run(text: str, units: list[Unit], start: int, repeats: list[int]) -> list[int]:
    """Indices from ``start`` to the last entry whose repetitions stand in the same order, after the run itself."""
    end, target, index = start, repeats[start], start + 1
    first = repeats[start]
    while index < first and index - end <= MAX_GAP + 1:
        if repeats[index] > target:
            end, target = index, repeats[index]
        elif units[index].end - units[index].start > MAX_ENTRY or text[units[index].end - 1] in "。；;":
            break
        index += 1
    return list(range(start, end + 1))
