"""The outline as a sequence problem: the cheapest consistent reading of all labels, by beam search over stacks of open levels.

Every unit is text or one reading of its label at one place in the open stack. Costs say how odd a choice is: a number out of
order, a list that begins in the middle, a label that sounds like prose, a heading or list level that disagrees. The beam keeps
the best few states; states with equal stacks are merged. Where the loser of a merge read a label differently for nearly the
same cost, the label is ambiguous. Method: constraint reading of paragraph markers as in regulation parsers, decoded as in
tagging.
"""

from __future__ import annotations

from dataclasses import dataclass

from compliance_rag.parse.frames import GROUPING, Frame, carried_lists, frame_key, root_of, running_lists, with_memo
from compliance_rag.parse.labels import CONTAINERS, Label, Token, follows
from compliance_rag.parse.places import SINGLETON, absolute_places, container_places, level_cost, relative_places
from compliance_rag.parse.unit import Unit

# States kept per unit: real documents need two or three at a time; eight leaves room for nested doubt.
BEAM_WIDTH = 8
# A state this much dearer than the best never won on real documents.
BEAM_MARGIN = 9.0
# Below this difference of cost the evidence does not settle a reading.
AMBIGUITY_MARGIN = 1.3
# A unit whose cost as text is as high as this is a label for certain.
ALWAYS = 9.0
# Deeper nesting is damage or an attack; deeper labels become text.
MAX_DEPTH = 64
# Two readings that parted further back than this differ in more than a label; looking further would cost quadratic time.
MAX_LOOKBACK = 60


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """One decision, linked to the one before. ``label`` None: the unit is text."""

    before: Choice | None
    unit: int
    label: Label | None
    parent: int
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Doubt:
    """A label that a nearly as cheap reading takes otherwise, linked to the doubt before."""

    before: Doubt | None
    unit: int
    other: Label


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """A reading of everything so far: its cost, the open stack, its last decision, the labels that another reading disputes."""

    cost: float
    top: Frame
    last: Choice | None
    doubts: Doubt | None = None


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
    best = _merge([_close(state, root_of(state.top)) for state in states])
    winner = min(best, key=lambda s: s.cost)
    doubts: dict[int, Label] = {}
    doubt = winner.doubts
    while doubt is not None:
        doubts.setdefault(doubt.unit, doubt.other)
        doubt = doubt.before
    out: list[Decision] = []
    step = winner.last
    while step is not None:
        if step.label is not None or units[step.unit].heading is not None or step.unit in doubts:
            out.append(Decision(step.unit, step.label, step.parent, step.notes, doubts.get(step.unit), step.unit in doubts))
        step = step.before
    out.reverse()
    return out


@dataclass(frozen=True, slots=True)
class Move:
    """A way to read the next unit from a state, before it is carried out. ``label`` None: as text."""

    cost: float
    state: State
    label: Label | None
    parent: Frame
    previous: Frame | None = None
    notes: tuple[str, ...] = ()


def _step(states: list[State], index: int, unit: Unit) -> list[State]:
    moves: list[Move] = []
    for state in states:
        options = _options(state, unit)
        moves.extend(options)
        if not options or (unit.plain < ALWAYS and min(o.cost for o in options) - state.cost > 0.75) or unit.plain < 2.0:
            moves.append(Move(state.cost + unit.plain, state, None, state.top))
    if len(moves) > 1:
        floor = min(move.cost for move in moves) + BEAM_MARGIN
        moves = sorted((move for move in moves if move.cost <= floor), key=lambda move: move.cost)[: BEAM_WIDTH + 4]
    kept = _merge([_carry_out(move, index, unit) for move in moves])
    if len(kept) > BEAM_WIDTH:
        kept.sort(key=lambda s: s.cost)
        del kept[BEAM_WIDTH:]
    return kept


def _carry_out(move: Move, index: int, unit: Unit) -> State:
    if move.label is None:
        state = move.state
        return State(move.cost, state.top, Choice(state.last, index, None, state.top.node), state.doubts)
    return _push(move, move.label, index, unit)


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
            doubts = _differences(better.last, worse.last, better.doubts)
            better = State(better.cost, better.top, better.last, doubts)
        found[state.top.key] = better
    return list(found.values())


def _differences(one: Choice | None, other: Choice | None, doubts: Doubt | None) -> Doubt | None:
    """``doubts`` with the labels that two histories read in another style, as far as they part within ``MAX_LOOKBACK``."""
    for _ in range(MAX_LOOKBACK):
        if one is other or one is None or other is None:
            break
        if one.unit > other.unit:
            one = one.before
        elif other.unit > one.unit:
            other = other.before
        else:
            if one.label is not None and other.label is not None and one.label.style != other.label.style:
                doubts = Doubt(doubts, one.unit, other.label)
            one, other = one.before, other.before
    return doubts


def _options(state: State, unit: Unit) -> list[Move]:
    out: list[Move] = []
    for label in unit.labels:
        if label.absolute or label.containers:
            places = absolute_places(state.top, label, unit)
        elif label.container:
            places = container_places(state.top, label, unit)
        else:
            places = relative_places(state.top, label, unit)
        for parent, previous, cost, notes in places:
            if parent.depth < MAX_DEPTH:
                total = state.cost + cost + unit.prose + level_cost(parent, previous, unit)
                out.append(Move(total, state, label, parent, previous, notes))
        if out and out[0].cost - state.cost <= 0.05 and len(unit.labels) == 1:
            break
    return out


def _close(state: State, parent: Frame) -> State:
    """The state with every level above ``parent`` closed; a list of one doubtful member costs."""
    cost, frame = 0.0, state.top
    while frame is not parent and frame.parent is not None:
        if frame.doubtful and frame.count == 1:
            cost += SINGLETON
        frame = frame.parent
    return State(state.cost + cost, parent, state.last, state.doubts) if cost or parent is not state.top else state


def _push(move: Move, label: Label, index: int, unit: Unit) -> State:
    """The state after a label is read: levels above its place closed, its own opened."""
    state, parent, previous = move.state, move.parent, move.previous
    carried = carried_lists(state.top, parent) if state.top is not parent else {}
    closed = _close(state, previous if previous is not None else parent)
    base = () if parent.groups else parent.tokens
    keys = tuple(token.key for token in label.tokens)
    tokens = keys if label.absolute or label.container else (*base, *keys)
    memo: dict[str, Token] = {}
    if label.container:
        tokens = ()
        memo = {style: token for style, token in {**parent.memo, **carried}.items() if style != label.style}
    elif label.style in GROUPING:
        memo = running_lists(label.style, {**parent.memo, **carried})
    home = parent
    if carried and previous is None:
        home = with_memo(parent, carried, state.top)
    doubtful = previous is None and len(unit.labels) > 1 and not label.absolute
    frame = Frame(
        home, index, label.style, label.kind, tokens, label.tokens[-1],
        parent.depth + 1, unit.heading, unit.item, unit.indent, 1 if previous is None else previous.count + 1, doubtful, memo,
        frame_key(parent, label.style, tokens or keys), unit.table, wide=unit.wide,
    )  # fmt: skip
    choice = Choice(state.last, index, label, parent.node, move.notes)
    return State(closed.cost - state.cost + move.cost, frame, choice, state.doubts)


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
    carried = carried_lists(state.top, parent)
    home = with_memo(parent, carried, state.top) if carried else parent
    frame = Frame(
        home, index, "heading", "heading", (), None, parent.depth + 1, level or (99 if not unit.heading else None), None,
        unit.indent, memo={**parent.memo, **carried}, key=frame_key(parent, "heading", index),
    )  # fmt: skip
    closed = _close(state, parent)
    if frame.depth > MAX_DEPTH:
        return state
    return State(closed.cost, frame, Choice(state.last, index, None, parent.node), state.doubts)


def _heading_home(top: Frame, following: Unit | None) -> Frame:
    """Where a heading without a level belongs: beside the open list that goes on below it, else outside all clauses."""
    frame: Frame = top
    if following is not None and following.labels:
        styles = {label.style for label in following.labels}
        while frame.parent is not None:
            if (
                frame.style in styles
                and frame.token is not None
                and any(label.style == frame.style and follows(frame.token, label.tokens[-1]) for label in following.labels)
            ):
                return frame.parent
            if frame.tokens and any(_extends(label, frame) for label in following.labels):
                return frame
            frame = frame.parent
        frame = top
    while frame.parent is not None and frame.kind not in CONTAINERS:
        frame = frame.parent
    return frame


def _extends(label: Label, frame: Frame) -> bool:
    """True when a number that prints its parents goes on right under the open clause: `2.1` under 2."""
    keys = tuple(token.key for token in label.tokens)
    return label.absolute and len(keys) == len(frame.tokens) + 1 and keys[:-1] == frame.tokens
