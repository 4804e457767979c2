"""Places in the open stack where a label may belong, each with what speaks against it as a cost."""

from __future__ import annotations

import re

from compliance_rag.parse.frames import ARTICLES, GROUPING, Frame, child_on_stack, group_of, root_of
from compliance_rag.parse.labels import ANNEXES, CONTAINERS, Label, Token, follows
from compliance_rag.parse.unit import Unit

# Lists of one style nest in nested HTML and Markdown lists; nobody nests "1." in itself more often than this.
MAX_SAME_STYLE = 5
_OPEN = 0.6
SINGLETON = 3.0
_RESTART = 2.6
_EXCERPT = 0.8
_FIRM_GAP = 1.2
# Items of a Chinese article hold no items of their own style: a second （一） is the next paragraph's, dearer than a restart.
_ZH_NESTED = 4.0
# Nor does one to which nothing leads in, set no further in: its 1 begins anew, unless the numbers before it go on later.
_FLUSH_NESTED = 3.4
# In a text in two languages each number comes twice, once in each.
_TWIN = 0.3
_NAMED = frozenset({"article", "section", "rule", "clause", "第条"})

# Styles of lists inside a clause: its first numbered sub-clause after one of them restarts nothing.
_LISTED = re.compile(r"[(①]|[a-z]\)|[ai]\.$")

Place = tuple[Frame, Frame | None, float, tuple[str, ...]]


def _order(previous: Token | None, token: Token, memo: Token | None, firm: bool = False) -> tuple[float, tuple[str, ...]]:
    """Cost and notes of a number after ``previous`` in its list, or opening a list (``memo``: where an earlier one stopped).
    ``firm``: the label is printed so that a gap is likelier than prose: extracts leave clauses out."""
    if previous is not None:
        return _after(previous, token, firm)
    if token.value == 0 or (token.value == 1 and not token.suffix):
        return 0.0, ()
    if memo is not None:
        cost, notes = _after(memo, token, firm)
        if cost <= 2.5:
            return cost + 0.2, notes
    return (_FIRM_GAP + min(token.value, 12) * 0.1 if firm else 2.2 + min(token.value, 12) * 0.3), ("numbering_gap",)


def _opening(top: Frame, token: Token, parent: Frame, memo: Token | None, firm: bool = False) -> tuple[float, tuple[str, ...]]:
    """As :func:`_order` for a new list; the first number of a text may be any: the text may be an excerpt."""
    if parent is top and parent.parent is None and not parent.memo and token.value > 1:
        return _EXCERPT, ()
    return _order(None, token, memo, firm)


def _after(previous: Token, token: Token, firm: bool = False) -> tuple[float, tuple[str, ...]]:
    if follows(previous, token) or (token.value == 0 and token.key != previous.key):
        return 0.0, ()
    if token.key == previous.key:
        return 2.2, ("duplicate_label",)
    if token.value > previous.value and firm:
        return _FIRM_GAP + min(token.value - previous.value, 10) * 0.1, ("numbering_gap",)
    if token.value > previous.value:
        return 1.6 + min(token.value - previous.value, 10) * 0.3, ("numbering_gap",)
    return (3.6 if token.value == 1 else 5.0), ("numbering_restart",)


def relative_places(top: Frame, label: Label, unit: Unit) -> list[Place]:
    """For a label that prints one step: next in an open list, next in a list that was interrupted, or first of a new one."""
    token = label.tokens[0]
    firm = _firm(label, unit)
    out: list[Place] = []
    siblings = 0
    frame: Frame | None = top
    while frame is not None and siblings < 3:
        if frame.style == label.style and frame.parent is not None:
            cost, notes = _told_twice(_order(frame.token, token, None, firm), frame, unit)
            out.append((frame.parent, frame, cost + 0.15 * siblings, notes))
            siblings += 1
            if cost == 0.0 and siblings == 1 and level_cost(frame.parent, frame, unit) == 0.0 and len(unit.labels) == 1:
                return out
        elif {label.style, frame.style} == ARTICLES and frame.parent is not None:
            cost, notes = _told_twice(_order(frame.token, token, None, firm), frame, unit)
            if cost <= _TWIN:
                out.append((frame.parent, frame, cost, notes))
        elif label.style in frame.memo and frame.style != label.style:
            cost, notes = _after(frame.memo[label.style], token)
            if cost == 0.0:
                named = label.kind in _NAMED or label.style in ("1.", "一、", "第条")
                out.append((frame, None, 0.25 if named else 0.9, notes))
        frame = frame.parent
    if _nested(top, label.style) >= MAX_SAME_STYLE:
        return out
    for parent in _homes(top, label, unit):
        cost, notes = _opening(top, token, parent, parent.memo.get(label.style), firm)
        open_child = child_on_stack(top, parent)
        beside = open_child is not None and open_child.style == label.style
        if cost > 0.0 and beside:
            continue  # out of order in the list that is open there: its own place says so
        if cost == 0.0 and (label.style in parent.seen or beside):
            cost, notes = _RESTART, ("numbering_restart",)
        out.append((parent, None, cost + _OPEN + _nesting(parent, label, unit), notes))
    return out


def _told_twice(found: tuple[float, tuple[str, ...]], previous: Frame, unit: Unit) -> tuple[float, tuple[str, ...]]:
    """The cost of a number that comes again, when it is said once more in the other language."""
    cost, notes = found
    return (min(cost, _TWIN), notes) if notes == ("duplicate_label",) and previous.wide != unit.wide else found


def _firm(label: Label, unit: Unit) -> bool:
    """True for a label of one reading where it hardly is prose."""
    return unit.firm and not label.tight and len(unit.labels) == 1


def _nested(top: Frame, style: str) -> int:
    """How many open levels bear this style."""
    count = 0
    frame: Frame | None = top
    while frame is not None:
        count += frame.style == style
        frame = frame.parent
    return count


def _homes(top: Frame, label: Label, unit: Unit) -> list[Frame]:
    """Where a new list may open: under the open clause, and under the one that heading level, list depth or rank points to."""
    homes = [top]
    frame: Frame = top
    if unit.heading:
        while frame.parent is not None and not (frame.level is not None and frame.level < unit.heading):
            frame = frame.parent
    elif label.kind in _NAMED:
        while frame.parent is not None and not frame.groups and frame.kind not in ("article",) and frame.style not in GROUPING:
            frame = frame.parent
    elif unit.item is not None:
        while frame.parent is not None and frame.item is not None and frame.item >= unit.item:
            frame = frame.parent
    elif top.style.startswith("(") and unit.indent < top.indent:
        while frame.parent is not None and frame.indent >= unit.indent and frame.style.startswith("("):
            frame = frame.parent
    if frame is not top:
        homes.append(frame)
    if label.style in ("1.", "一、", "A.", "I.") and not any(f.groups and f.parent is None for f in homes):
        while frame.parent is not None and not frame.groups:
            frame = frame.parent
        if frame not in homes:
            homes.append(frame)
    return homes


def _nesting(parent: Frame, label: Label, unit: Unit) -> float:
    """Small preference for the usual order of styles: numbers, then letters, then Roman numerals, then capitals."""
    if parent.style == label.style:
        return _ZH_NESTED if label.style == "(一)" else _FLUSH_NESTED if _anew(parent, unit) else 1.5
    if {label.style, parent.style} == ARTICLES:
        return _RESTART
    if label.kind in _NAMED and not parent.groups and parent.kind != "article" and parent.style not in GROUPING:
        return 2.0
    if label.style == "一、" and not parent.groups:
        return 1.0
    if label.style == "1." and parent.style.startswith("(") and parent.style != "(一)":
        return 1.0
    return 0.0


def _anew(parent: Frame, unit: Unit) -> bool:
    """True when nothing says that a list stands in the open clause: nothing leads in to it, or it is in the other language, and
    it stands no further in."""
    return (unit.fresh or parent.wide != unit.wide) and not _deeper(parent, unit)


def _deeper(parent: Frame, unit: Unit) -> bool:
    """True when the source sets the unit further in than the open clause: by its list depth, else by its indentation."""
    if unit.item is not None and parent.item is not None:
        return unit.item > parent.item
    return unit.indent > parent.indent + 1


def level_cost(parent: Frame, previous: Frame | None, unit: Unit) -> float:
    """Disagreement with what the source says of headings and lists."""
    if previous is not None:
        cost = 0.0
        if (previous.level is None) != (unit.heading is None):
            cost += 2.0
        elif previous.level and unit.heading and previous.level != unit.heading:
            cost += 1.5
        if previous.item is not None and unit.item is not None and previous.item != unit.item:
            cost += 3.0
        elif previous.table and not unit.table and previous.item is not None and unit.item is None:
            # A typed number after a table goes on the count around it and not the computed one in its cells.
            cost += 3.0
        elif previous.item is None and unit.item is None and abs(previous.indent - unit.indent) > 1:
            cost += 0.4
        return cost
    if unit.heading is not None:
        if parent.level is None and parent.parent is not None:
            return 4.0
        return 3.0 if unit.heading and parent.level and parent.level >= unit.heading else 0.0
    if unit.item is not None and parent.item is not None and parent.item >= unit.item + (0.5 if unit.item % 1 else 0.0):
        return 3.0
    return 0.4 if unit.item is None and unit.indent + 1 < parent.indent else 0.0


def container_places(top: Frame, label: Label, unit: Unit) -> list[Place]:
    """For a part, chapter, schedule …: beside an open one of its kind, or under the nearest container that outranks it."""
    token = label.tokens[0]
    rank = CONTAINERS[label.kind]
    out: list[Place] = []
    frame: Frame | None = top
    base: Frame | None = None
    while frame is not None:
        if frame.kind == label.kind and frame.parent is not None:
            cost, notes = _told_twice(_order(frame.token, token, None), frame, unit)
            out.append((frame.parent, frame, cost, notes))
        elif base is None and (frame.parent is None or (frame.kind in CONTAINERS and CONTAINERS[frame.kind] < rank)):
            base = frame
        frame = frame.parent
    if base is not None and not (out and out[0][2] == 0.0):
        memo = base.memo.get(label.style)
        cost, notes = _order(None, token, memo)
        inner = label.kind in ANNEXES and base.kind in CONTAINERS
        out.append((base, None, cost * 0.7 + 0.3 + (1.0 if inner else 0.0), notes))
    if top.groups and base is not top and top.kind not in ANNEXES:
        cost, notes = _order(None, token, top.memo.get(label.style))
        out.append((top, None, cost + 1.3, notes))
    return out


def absolute_places(top: Frame, label: Label, unit: Unit) -> list[Place]:
    """The one place where a number that prints its parents belongs: under the deepest open clause whose number it extends."""
    base, missing = _printed_container(top, label)
    keys = tuple(token.key for token in label.tokens)
    home: Frame | None = None
    frame: Frame | None = top
    while frame is not None and frame is not base:
        size = len(frame.tokens)
        if not frame.groups and size and size < len(keys) and frame.tokens == keys[:size]:
            home = frame
            break
        frame = frame.parent
    if home is None:
        home = base or group_of(top)
    known = len(home.tokens) if not home.groups else 0
    open_child = child_on_stack(top, home)
    cost = (
        0.3 * (len(keys) - known - 1) + 0.5 * missing + (1.0 if known == 0 and home.parent is None and len(keys) > 1 else 0.0)
    )
    previous = open_child
    notes: tuple[str, ...] = ()
    listed = open_child is not None and open_child.style != label.style and _LISTED.match(open_child.style) is not None
    if open_child is not None and len(open_child.tokens) > known and not open_child.groups and not listed:
        found = _compare(open_child.tokens[known:], keys[known:], open_child.token, label.tokens[known:])
        extra, notes = _told_twice(found, open_child, unit)
        cost += extra
    else:
        previous = None
        extra, notes = _opening(top, label.tokens[known], home, home.memo.get(f"@{known}"), _firm(label, unit))
        if len(keys) - known > 1 or known == 0:
            extra *= 0.4
        cost += extra
    return [(home, previous, cost, notes)]


def _compare(
    before: tuple[str, ...], after: tuple[str, ...], token: Token | None, tokens: tuple[Token, ...]
) -> tuple[float, tuple[str, ...]]:
    """Order of two full numbers under one parent."""
    if before == after:
        return 3.0, ("duplicate_label",)
    if len(before) == 1 and token is not None:
        return _after(token, tokens[0])
    old, new = _sort_key(before), _sort_key(after)
    return (0.2, ()) if new > old else (4.0, ("numbering_restart",))


def _sort_key(keys: tuple[str, ...]) -> list[tuple[int, str]]:
    out = []
    for key in keys:
        digits = "".join(c for c in key if c.isdigit())[:6]
        out.append((int(digits) if digits else 0, key))
    return out


def _printed_container(top: Frame, label: Label) -> tuple[Frame | None, int]:
    """The open container that the label names in front, and how many of the named ones are not open."""
    wanted = [
        f"{kind}-{token.key}" if kind in CONTAINERS and token.key != kind else token.key for kind, token in label.containers
    ]
    if not wanted:
        return None, 0
    frame: Frame | None = top
    while frame is not None:
        if frame.groups and frame.token is not None and frame.token.key in wanted:
            return frame, len(wanted) - 1 - wanted.index(frame.token.key)
        frame = frame.parent
    return root_of(top), len(wanted)
