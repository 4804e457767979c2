"""The outline as a sequence problem: the cheapest consistent reading of all labels, by beam search over stacks of open levels.

Every unit is text or one reading of its label at one place in the open stack. Costs say how odd a choice is: a number out of
order, a list that begins in the middle, a label that sounds like prose, a heading or list level that disagrees. The beam keeps
the best few states; states with equal stacks are merged. Where the loser of a merge read a label differently for nearly the same
cost, the label is ambiguous. Method: constraint reading of paragraph markers as in regulation parsers, decoded as in tagging.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from compliance_rag.parse.candidates import Unit
from compliance_rag.parse.labels import ANNEXES, CONTAINERS, Label, Token, follows

# States kept per unit: real documents need two or three at a time; eight leaves room for nested doubt.
BEAM_WIDTH = 8
# A state this much dearer than the best never won on real documents.
BEAM_MARGIN = 9.0
# Below this difference of cost the evidence does not settle a reading.
AMBIGUITY_MARGIN = 1.3
# Deeper nesting is damage or an attack; deeper labels become text.
MAX_DEPTH = 64

_OPEN = 0.6
_SINGLETON = 3.0
_RESTART = 2.6
_EXCERPT = 0.8
_NAMED = frozenset({"article", "section", "rule", "clause", "第条"})


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """An open level: the last label read there. ``tokens`` are the keys of its number from the last container down."""

    parent: Frame | None
    node: int
    style: str
    kind: str
    tokens: tuple[str, ...]
    token: Token | None
    depth: int
    level: int | None = None
    item: float | None = None
    indent: int = 0
    count: int = 1
    doubtful: bool = False
    memo: dict[str, Token] = field(default_factory=dict)
    key: int = 0
    seen: frozenset[str] = frozenset()

    @property
    def groups(self) -> bool:
        """True for containers and unnumbered headings: numbering may run on across them."""
        return self.kind in CONTAINERS or self.kind in ("heading", "root")


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One decision, linked to the one before. ``label`` None: the unit is text."""

    before: Choice | None
    unit: int
    label: Label | None
    parent: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class State:
    cost: float
    top: Frame
    last: Choice | None
    doubts: tuple[tuple[int, Label | None], ...] = ()


@dataclass(slots=True)
class Decision:
    """What a unit was read as: ``parent`` is the index of the unit that opens its parent, -1 the root. ``other``: the second
    reading where the evidence does not settle it."""

    unit: int
    label: Label | None
    parent: int
    notes: tuple[str, ...] = ()
    other: Label | None = None
    doubtful: bool = False


def decode(units: list[Unit]) -> list[Decision]:
    """Decisions for the units that open a clause or an unnumbered heading, in order. Time is linear in the units: every step
    looks at no more than ``BEAM_WIDTH`` states and ``MAX_DEPTH`` levels."""
    states = [State(0.0, Frame(None, -1, "root", "root", (), None, 0), None)]
    for index, unit in enumerate(units):
        if unit.labels:
            states = _step(states, index, unit)
        elif unit.heading is not None:
            states = [_push_heading(state, index, unit, units) for state in states]
    best = _merge([_close(state, _root(state.top)) for state in states])
    winner = min(best, key=lambda s: s.cost)
    doubts = dict(winner.doubts)
    out: list[Decision] = []
    step = winner.last
    while step is not None:
        if step.label is not None or units[step.unit].heading is not None or step.unit in doubts:
            out.append(Decision(step.unit, step.label, step.parent, step.notes, doubts.get(step.unit), step.unit in doubts))
        step = step.before
    out.reverse()
    return out


def _root(frame: Frame) -> Frame:
    while frame.parent is not None:
        frame = frame.parent
    return frame


def _step(states: list[State], index: int, unit: Unit) -> list[State]:
    grown: list[State] = []
    for state in states:
        options = _options(state, index, unit)
        grown.extend(options)
        if not options or unit.plain < 9.0 and min(o.cost for o in options) - state.cost > 0.75 or unit.plain < 2.0:
            grown.append(State(state.cost + unit.plain, state.top, Choice(state.last, index, None, state.top.node), state.doubts))
    kept = _merge(grown)
    floor = min(state.cost for state in kept)
    kept = [state for state in kept if state.cost <= floor + BEAM_MARGIN]
    if len(kept) > BEAM_WIDTH:
        kept.sort(key=lambda s: s.cost)
        del kept[BEAM_WIDTH:]
    return kept


def _merge(states: list[State]) -> list[State]:
    """One state per equal stack; a close loser leaves its different readings as doubts."""
    if len(states) == 1:
        return states
    found: dict[int, State] = {}
    for state in states:
        rival = found.get(state.top.key)
        if rival is None:
            found[state.top.key] = state
            continue
        better, worse = (state, rival) if state.cost < rival.cost else (rival, state)
        if worse.cost - better.cost < AMBIGUITY_MARGIN:
            better = State(better.cost, better.top, better.last, better.doubts + _differences(better.last, worse.last))
        found[state.top.key] = better
    return list(found.values())


def _differences(one: Choice | None, other: Choice | None) -> tuple[tuple[int, Label | None], ...]:
    """Units that two histories read differently: another style, or label against text."""
    out: list[tuple[int, Label | None]] = []
    while one is not other and one is not None and other is not None:
        if one.unit > other.unit:
            one = one.before
        elif other.unit > one.unit:
            other = other.before
        else:
            if one.label is not other.label and one.label is not None and other.label is not None and one.label.style != other.label.style:
                out.append((one.unit, other.label))
            one, other = one.before, other.before
    return tuple(out)


def _options(state: State, index: int, unit: Unit) -> list[State]:
    out: list[State] = []
    for label in unit.labels:
        if label.absolute or label.containers:
            places = _absolute_places(state.top, label)
        elif label.container:
            places = _container_places(state.top, label)
        else:
            places = _relative_places(state.top, label, unit)
        for parent, previous, cost, notes in places:
            if parent.depth >= MAX_DEPTH:
                continue
            cost += unit.prose + _level_cost(parent, previous, unit)
            out.append(_push(state, index, unit, label, parent, previous, cost, notes))
        if out and out[0].cost - state.cost <= 0.05 and len(unit.labels) == 1:
            break
    return out


Place = tuple[Frame, Frame | None, float, tuple[str, ...]]


def _order(previous: Token | None, token: Token, memo: Token | None) -> tuple[float, tuple[str, ...]]:
    """Cost and notes of a number after ``previous`` in its list, or opening a list (``memo``: where an earlier one stopped)."""
    if previous is not None:
        return _after(previous, token)
    if token.value == 0 or (token.value == 1 and not token.suffix):
        return 0.0, ()
    if memo is not None:
        cost, notes = _after(memo, token)
        if cost <= 2.5:
            return cost + 0.2, notes
    return 2.2 + min(token.value, 12) * 0.3, ("numbering_gap",)


def _opening(top: Frame, token: Token, parent: Frame, memo: Token | None) -> tuple[float, tuple[str, ...]]:
    """As :func:`_order` for a new list; the first number of a text may be any: the text may be an excerpt."""
    if parent is top and parent.parent is None and not parent.memo and token.value > 1:
        return _EXCERPT, ()
    return _order(None, token, memo)


def _after(previous: Token, token: Token) -> tuple[float, tuple[str, ...]]:
    if follows(previous, token) or (token.value == 0 and token.key != previous.key):
        return 0.0, ()
    if token.key == previous.key:
        return 2.2, ("duplicate_label",)
    if token.value > previous.value:
        return 1.6 + min(token.value - previous.value, 10) * 0.3, ("numbering_gap",)
    return (3.6 if token.value == 1 else 5.0), ("numbering_restart",)


def _relative_places(top: Frame, label: Label, unit: Unit) -> list[Place]:
    token = label.tokens[0]
    out: list[Place] = []
    siblings = 0
    frame: Frame | None = top
    while frame is not None and siblings < 3:
        if frame.style == label.style and frame.parent is not None:
            cost, notes = _order(frame.token, token, None)
            out.append((frame.parent, frame, cost + 0.15 * siblings, notes))
            siblings += 1
            if cost == 0.0 and siblings == 1 and _level_cost(frame.parent, frame, unit) == 0.0 and len(unit.labels) == 1:
                return out
        elif label.style in frame.memo and not frame.style == label.style:
            cost, notes = _after(frame.memo[label.style], token)
            if cost == 0.0:
                named = label.kind in _NAMED or label.style in ("1.", "一、", "第条")
                out.append((frame, None, 0.25 if named else 0.9, notes))
        frame = frame.parent
    for parent in _homes(top, label, unit):
        cost, notes = _opening(top, token, parent, parent.memo.get(label.style))
        open_child = _child_on_stack(top, parent)
        if cost == 0.0 and (label.style in parent.seen or (open_child is not None and open_child.style == label.style)):
            cost, notes = _RESTART, ("numbering_restart",)
        out.append((parent, None, cost + _OPEN + _nesting(parent, label), notes))
    return out


def _homes(top: Frame, label: Label, unit: Unit) -> list[Frame]:
    """Where a new list may open: under the open clause, and under the one that heading level, list depth or rank points to."""
    homes = [top]
    frame: Frame = top
    if unit.heading:
        while frame.parent is not None and not (frame.level is not None and frame.level < unit.heading):
            frame = frame.parent
    elif label.kind in _NAMED:
        while frame.parent is not None and not frame.groups and frame.kind not in ("article",):
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


def _nesting(parent: Frame, label: Label) -> float:
    """Small preference for the usual order of styles: numbers, then letters, then Roman numerals, then capitals."""
    if parent.style == label.style:
        return 1.5
    if label.kind in _NAMED and not parent.groups and parent.kind != "article":
        return 2.0
    if label.style == "一、" and not parent.groups:
        return 1.0
    if label.style == "1." and parent.style.startswith("(") and parent.style != "(一)":
        return 1.0
    return 0.0


def _level_cost(parent: Frame, previous: Frame | None, unit: Unit) -> float:
    """Disagreement with what the source says of headings and lists."""
    if previous is not None:
        cost = 0.0
        if (previous.level is None) != (unit.heading is None):
            cost += 2.0
        elif previous.level and unit.heading and previous.level != unit.heading:
            cost += 1.5
        if previous.item is not None and unit.item is not None and previous.item != unit.item:
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


def _container_places(top: Frame, label: Label) -> list[Place]:
    token = label.tokens[0]
    rank = CONTAINERS[label.kind]
    out: list[Place] = []
    frame: Frame | None = top
    base: Frame | None = None
    while frame is not None:
        if frame.kind == label.kind and frame.parent is not None:
            cost, notes = _order(frame.token, token, None)
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


def _absolute_places(top: Frame, label: Label) -> list[Place]:
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
        home = base or _group(top)
    known = len(home.tokens) if not home.groups else 0
    open_child = _child_on_stack(top, home)
    cost = 0.3 * (len(keys) - known - 1) + 0.5 * missing + (1.0 if known == 0 and home.parent is None and len(keys) > 1 else 0.0)
    previous, notes = open_child, ()
    if open_child is not None and len(open_child.tokens) > known and not open_child.groups:
        extra, notes = _compare(open_child.tokens[known:], keys[known:], open_child.token, label.tokens[known:])
        cost += extra
    else:
        previous = None
        extra, notes = _opening(top, label.tokens[known], home, home.memo.get(f"@{known}"))
        if len(keys) - known > 1 or known == 0:
            extra *= 0.4
        cost += extra
    return [(home, previous, cost, notes)]


def _group(frame: Frame) -> Frame:
    while frame.parent is not None and not (frame.groups and frame.kind not in ("heading",)):
        frame = frame.parent
    return frame


def _child_on_stack(top: Frame, home: Frame) -> Frame | None:
    frame: Frame | None = top
    while frame is not None and frame.parent is not home:
        frame = frame.parent
    return frame


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
    wanted = [f"{kind}-{token.key}" if kind in CONTAINERS and token.key != kind else token.key for kind, token in label.containers]
    if not wanted:
        return None, 0
    frame: Frame | None = top
    while frame is not None:
        if frame.groups and frame.token is not None and frame.token.key in wanted:
            return frame, len(wanted) - 1 - wanted.index(frame.token.key)
        frame = frame.parent
    return _root(top), len(wanted)


def _close(state: State, parent: Frame) -> State:
    """The state with every level above ``parent`` closed; a list of one doubtful member costs."""
    cost, frame = 0.0, state.top
    while frame is not parent and frame.parent is not None:
        if frame.doubtful and frame.count == 1:
            cost += _SINGLETON
        frame = frame.parent
    return State(state.cost + cost, parent, state.last, state.doubts) if cost or parent is not state.top else state


def _carry(top: Frame, parent: Frame) -> dict[str, Token]:
    """Where the lists above ``parent`` stopped, for numbering that runs on."""
    chain: list[Frame] = []
    frame: Frame = top
    while frame is not parent and frame.parent is not None:
        chain.append(frame)
        frame = frame.parent
    memo: dict[str, Token] = {}
    for frame in chain:
        memo = {**frame.memo, **memo} if frame.groups else {}
        if frame.token is not None:
            memo[frame.style] = frame.token
            if frame.style == "dec" and frame.parent is not None and len(frame.tokens) == len(frame.parent.tokens) + 1:
                memo[f"@{len(frame.tokens) - 1}"] = frame.token
    return memo


def _push(
    state: State, index: int, unit: Unit, label: Label, parent: Frame, previous: Frame | None, cost: float, notes: tuple[str, ...]
) -> State:
    carried = _carry(state.top, parent) if state.top is not parent else {}
    closed = _close(state, previous if previous is not None else parent)
    base = () if parent.groups else parent.tokens
    keys = tuple(token.key for token in label.tokens)
    tokens = keys if label.absolute or label.container else (*base, *keys)
    memo: dict[str, Token] = {}
    if label.container:
        tokens = ()
        memo = {style: token for style, token in {**parent.memo, **carried}.items() if style != label.style}
    home = parent
    if carried and previous is None:
        home = _with_memo(parent, carried, state.top)
    doubtful = previous is None and len(unit.labels) > 1 and not label.absolute
    frame = Frame(
        home, index, label.style, label.kind, tokens, label.tokens[-1] if not label.absolute else label.tokens[-1],
        parent.depth + 1, unit.heading, unit.item, unit.indent, 1 if previous is None else previous.count + 1, doubtful, memo,
        hash((parent.key, label.style, tokens or keys)),
    )  # fmt: skip
    choice = Choice(state.last, index, label, parent.node, notes)
    return State(closed.cost + cost, frame, choice, state.doubts)


def _with_memo(frame: Frame, memo: dict[str, Token], top: Frame) -> Frame:
    child = _child_on_stack(top, frame)
    seen = frame.seen if child is None else frame.seen | {child.style}
    return Frame(
        frame.parent, frame.node, frame.style, frame.kind, frame.tokens, frame.token, frame.depth, frame.level, frame.item,
        frame.indent, frame.count, frame.doubtful, {**frame.memo, **memo}, frame.key, seen,
    )  # fmt: skip


def _push_heading(state: State, index: int, unit: Unit, units: list[Unit]) -> State:
    """An unnumbered heading: under the nearest heading of a higher level; without levels, a subheading of the open clause, or,
    when a label of an open list follows at once, the heading of what follows."""
    parent: Frame = state.top
    level = unit.heading or None
    if level:
        while parent.parent is not None and not (parent.level is not None and parent.level < level):
            parent = parent.parent
    else:
        following = next((u for u in units[index + 1 : index + 2] if u.labels), None)
        parent = _heading_home(state.top, following)
    carried = _carry(state.top, parent)
    home = _with_memo(parent, carried, state.top) if carried else parent
    frame = Frame(
        home, index, "heading", "heading", (), None, parent.depth + 1, level or (99 if not unit.heading else None), None,
        unit.indent, memo={**parent.memo, **carried}, key=hash((parent.key, "heading", index)),
    )  # fmt: skip
    closed = _close(state, parent)
    if frame.depth > MAX_DEPTH:
        return state
    return State(closed.cost, frame, Choice(state.last, index, None, parent.node), state.doubts)


def _heading_home(top: Frame, following: Unit | None) -> Frame:
    frame: Frame = top
    if following is not None and following.labels:
        styles = {label.style for label in following.labels}
        while frame.parent is not None:
            if frame.style in styles and frame.token is not None and any(
                label.style == frame.style and follows(frame.token, label.tokens[-1]) for label in following.labels
            ):
                return frame.parent
            frame = frame.parent
        frame = top
    while frame.parent is not None and frame.kind == "heading":
        frame = frame.parent
    return frame
