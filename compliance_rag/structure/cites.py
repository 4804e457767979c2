"""What a reference says before anyone looks for its target: unit, number, base, document, edition, and its printed span."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from schemas.clause import Span

BaseKind = Literal["none", "this", "own", "other", "cite", "previous"]


@dataclass(slots=True)
class Cite:
    """One citation as printed.

    ``unit``: ``section``, ``paragraph``, ``schedule`` …, ``条`` forms as ``article``, ``款`` as ``zh-paragraph``, ``项`` as
    ``zh-item``. ``tokens``: the number cut at dots and brackets, lower-case; ``levels`` (Chinese only) names each token's
    level. ``end``: the last number of a range, ``end_levels`` its levels. ``base``: where the number counts from: ``this`` an
    enclosing unit (``base_unit``), ``own`` this document, ``other`` another document (``document`` when it is one we know),
    ``cite`` the clause of another citation (``outer``), ``previous`` the ``back``-th unit before this one.
    ``weak`` citations are dropped, not reported, when nothing stands at their number.
    """

    span: Span
    unit: str
    tokens: tuple[str, ...]
    levels: tuple[str, ...] = ()
    end: tuple[str, ...] | None = None
    end_levels: tuple[str, ...] = ()
    base: BaseKind = "none"
    base_unit: str = ""
    outer: Cite | None = None
    document: str | None = None
    back: int = 1
    edition: str | None = None
    bracketed: bool = False
    plural: bool = False
    weak: bool = False
    parts: list[Span] = field(default_factory=list)
