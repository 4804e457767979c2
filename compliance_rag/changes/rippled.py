"""The clauses whose words stayed, or were only re-pointed or put right, and whose meaning changed, with the changes that touch
them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from schemas.objects import Change, RippleObject

# Shown of one clause, and only ways as short as the nearest: a longer one mostly leads over the same clauses.
PATHS_SHOWN = 2


@dataclass(frozen=True, slots=True)
class Way:
    """A path with the change it starts from."""

    ripple: RippleObject
    change: Change


@dataclass(frozen=True, slots=True)
class Rippled:
    """One clause with equal text, or text edited without substance: the nearest ways that changes reach it; ``more`` ways, as
    near or longer, are left out."""

    ways: tuple[Way, ...]
    more: int

    @property
    def clause(self) -> RippleObject:
        """The clause itself."""
        return self.ways[0].ripple


def rippled(changes: Sequence[Change]) -> list[Rippled]:
    """The clauses with equal text, or text edited without substance, that these changes touch, nearest first and then in the
    order reached."""
    found: dict[str, list[Way]] = {}
    for change in changes:
        for ripple in change.ripples:
            if ripple.text_equal or ripple.edited is not None:
                found.setdefault(ripple.clause_id, []).append(Way(ripple, change))
    gathered = []
    for ways in found.values():
        ways.sort(key=_length)
        shown = [way for way in ways[:PATHS_SHOWN] if _length(way) == _length(ways[0])]
        gathered.append(Rippled(tuple(shown), len(ways) - len(shown)))
    gathered.sort(key=lambda item: _length(item.ways[0]))
    return gathered


def _length(way: Way) -> int:
    return len(way.ripple.path)
