"""The clause, the links between clauses, and one parsed version: what `parse` and `structure` give and the stores keep."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Literal

Span = tuple[int, int]
"""``[start, end)`` in Unicode code points of the extracted text."""
Box = tuple[int, float, float, float, float]
"""``[page, x0, y0, x1, y1]``: page from 1, PDF points as displayed, origin top left."""
Path = tuple[str, ...]
"""The tokens of the number a lawyer would cite, lower-case."""

KINDS = (
    "definition", "obligation", "prohibition", "permission", "exception", "condition", "termination", "penalty", "scope",
    "procedure", "commencement", "transitional", "savings", "application", "sunset", "repeal", "amendment", "interpretation",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Flag:
    """Something not read, resolved, placed or applied (law 9). ``code`` is stable; ``path`` names the clause or is None."""

    code: str
    text: str
    path: Path | None = None
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Risk:
    """A risk a reviewer looks for in this clause, with its level."""

    kind: str
    level: Literal["low", "medium", "high"]


@dataclass(frozen=True, slots=True)
class Clause:
    """One clause of one version.

    ``text`` is ``"\\n".join(extracted[s:e] for s, e in spans)``: the clause's own words after number and heading, sub-clauses
    left out; ``sha256`` is over exactly that. ``full_span`` runs from its number to the end of its last sub-clause.
    ``number`` is the full number as cited (None when unnumbered), ``label`` what is printed at the clause.
    ``boxes``: one a line of each page it is printed on; ``box_ranges``: for each of them the stretch of ``text`` that stands in
    it, in order and without gaps, empty for a box that holds label or heading alone.
    ``effective_from``/``effective_to`` are the clause's own confirmed dates, None where the version's hold.
    """

    path: Path
    number: str | None
    label: str
    heading: str
    heading_path: tuple[str, ...]
    depth: int
    parent: Path | None
    text: str
    sha256: str
    sha256_normalised: str
    spans: tuple[Span, ...]
    full_span: Span
    heading_span: Span | None = None
    label_span: Span | None = None
    aliases: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    page: int | None = None
    boxes: tuple[Box, ...] = ()
    effective_from: date | None = None
    effective_to: date | None = None
    source_id: str | None = None
    risks: tuple[Risk, ...] = ()
    flags: tuple[str, ...] = ()
    container: bool = False
    box_ranges: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Definition:
    """A defined term. ``scope`` is ``document`` or the path of the part it holds in (joined by ``/``); ``exclusion`` marks
    a clause that says what the term does not include."""

    term: str
    path: Path
    scope: str = "document"
    aliases: tuple[str, ...] = ()
    exclusion: bool = False


@dataclass(frozen=True, slots=True)
class TermUse:
    """A clause uses a term defined at ``target`` (same version) ."""

    path: Path
    term: str
    target: Path


@dataclass(frozen=True, slots=True)
class Reference:
    """A cross-reference as printed in the clause at ``path``; ``span`` counts in the extracted text.

    ``target`` is the path in ``target_doc`` (None: this document). ``target`` None: unresolved. ``static`` references name
    an edition: ``edition`` is the day or the version label it names.
    """

    path: Path
    text: str
    span: Span
    mode: Literal["dynamic", "static"] = "dynamic"
    target: Path | None = None
    target_doc: str | None = None
    edition: str | None = None


@dataclass(frozen=True, slots=True)
class ExceptionLink:
    """The clause at ``path`` is an exception to the clause at ``modifies``."""

    path: Path
    modifies: Path


@dataclass(frozen=True, slots=True)
class ProposedDate:
    """Dates found in the text, in force only once the manifest or a person confirms them. ``number`` None: the version."""

    number: str | None
    effective_from: date | None
    effective_to: date | None
    quote: str
    rule: str | None = None


@dataclass(frozen=True, slots=True)
class ParsedVersion:
    """Everything read from the bytes of one version; pure data, picklable, the same on any machine (law 10).

    Clauses are in document order. ``furniture`` are the spans set aside (page headers, contents pages, markup leftovers):
    clause labels, headings, texts and furniture together cover every visible character once (law 1).
    """

    source_sha256: str
    extracted: str
    extracted_sha256: str
    parser_version: str
    language: str
    title: str | None
    clauses: tuple[Clause, ...]
    furniture: tuple[Span, ...] = ()
    definitions: tuple[Definition, ...] = ()
    term_uses: tuple[TermUse, ...] = ()
    references: tuple[Reference, ...] = ()
    exceptions: tuple[ExceptionLink, ...] = ()
    proposed_dates: tuple[ProposedDate, ...] = ()
    flags: tuple[Flag, ...] = ()
    report: dict[str, object] = field(default_factory=dict)
