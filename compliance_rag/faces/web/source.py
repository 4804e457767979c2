"""The source beside an answer: the extracted text around a clause, or its printed pages, with the very words marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from compliance_rag.faces.api import Rules
from compliance_rag.service.reads import extracted_text
from compliance_rag.service.showing import source_bytes
from compliance_rag.show.page import page_png
from compliance_rag.store.rows import StoredClause
from schemas.clause import Span
from schemas.errors import NotFound

Mark = Literal["", "head", "clause", "quote"]

# What is shown before and after the clause, in characters: a screen each way; a Han character says as much as three letters.
AROUND = 1_200
AROUND_HAN = 400
# A clause longer than this is shown around its quoted words only.
CLAUSE_SHOWN = 20_000


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of text and how it is marked."""

    text: str
    mark: Mark


@dataclass(frozen=True, slots=True)
class Source:
    """``pieces`` of a text, or the ``pages`` of a source that has any; ``before``/``after``: characters not shown."""

    clause: StoredClause
    quote: Span | None
    pieces: tuple[Piece, ...]
    pages: tuple[int, ...]
    before: int = 0
    after: int = 0

    @property
    def fields(self) -> dict[str, Any]:
        """The clause object."""
        return self.clause.to_object().model_dump(mode="json")


def read_source(rules: Rules, clause_id: str, quote: Span | None) -> Source:
    """The source of a clause; ``quote`` counts in its text. Raises NotFound ``unknown_clause``; IntegrityError
    ``extracted_missing``, ``extracted_damaged``."""
    found = rules.handle.corpus().clause(clause_id, rules.known())
    clause = found.clause
    if quote is not None and not 0 <= quote[0] < quote[1] <= len(clause.text):
        quote = None
    if clause.boxes:
        marked = _boxes(found, quote) or list(clause.boxes)
        return Source(found, quote, (), tuple(sorted({box[0] for box in marked})))
    text = extracted_text(rules.handle.home, found.version)
    heads = [span for span in (clause.label_span, clause.heading_span) if span is not None]
    marks: list[tuple[int, int, Mark]] = [(start, end, "head") for start, end in heads]
    quoted = [] if quote is None else quoted_spans(clause.spans, quote)
    marks += [(start, end, "clause") for start, end in _without(clause.spans, quoted)]
    marks += [(start, end, "quote") for start, end in quoted]
    marks.sort()
    kept = quoted or [(start, end) for start, end, _ in marks] or [(0, 0)]
    around = [(start, end) for start, end, _ in marks] or kept
    if around[-1][1] - around[0][0] > CLAUSE_SHOWN:
        around = kept
    margin = AROUND_HAN if found.version.language.startswith("zh") else AROUND
    first, last = _line(text, around[0][0] - margin, around[-1][1] + margin)
    return Source(found, quote, tuple(_pieces(text, marks, first, last)), (), first, len(text) - last)


def page_of(rules: Rules, clause_id: str, page: int, quote: Span | None) -> bytes:
    """One printed page of a clause as PNG, the quoted words (else the clause) highlighted. Raises NotFound ``unknown_clause``,
    ``unknown_page``; IntegrityError ``source_missing``, ``source_damaged``."""
    found = rules.handle.corpus().clause(clause_id, rules.known())
    if not any(box[0] == page for box in found.clause.boxes):
        raise NotFound("unknown_page", f"{clause_id} does not stand on page {page}.", "page")
    marked = [box for box in _boxes(found, quote) or found.clause.boxes if box[0] == page]
    return page_png(source_bytes(rules.handle.home, found.version), page, marked)


def quoted_spans(spans: Sequence[Span], quote: Span) -> list[Span]:
    """Where the quoted characters of a clause's text stand in the extracted text: its pieces are joined by one line feed."""
    found: list[Span] = []
    at = 0
    for start, end in spans:
        left, right = max(quote[0], at), min(quote[1], at + end - start)
        if left < right:
            found.append((start + left - at, start + right - at))
        at += end - start + 1
    return found


def _boxes(found: StoredClause, quote: Span | None) -> list[Any]:
    ranges = found.clause.box_ranges
    if quote is None or len(ranges) != len(found.clause.boxes):
        return []
    return [
        box
        for box, (start, end) in zip(found.clause.boxes, ranges, strict=True)
        if start < quote[1] and end > quote[0]
    ]  # fmt: skip


def _without(spans: Sequence[Span], quoted: Sequence[Span]) -> list[Span]:
    """``spans`` with ``quoted`` (ordered, inside them) cut out."""
    found: list[Span] = []
    for start, end in spans:
        at = start
        for left, right in quoted:
            if start <= left < end:
                found.append((at, left))
                at = right
        found.append((at, end))
    return [(start, end) for start, end in found if start < end]


def _line(text: str, start: int, end: int) -> Span:
    """The same stretch, widened to whole lines."""
    start, end = max(0, start), min(len(text), end)
    after = text.find("\n", end)
    return text.rfind("\n", 0, start) + 1, len(text) if after < 0 else after


def _pieces(text: str, marks: Sequence[tuple[int, int, Mark]], first: int, last: int) -> list[Piece]:
    found: list[Piece] = []
    at = first
    for start, end, mark in marks:
        left, right = max(start, at), min(end, last)
        if left >= right:
            continue
        found.append(Piece(_shown(text[at:left]), ""))
        found.append(Piece(_shown(text[left:right]), mark))
        at = right
    found.append(Piece(_shown(text[at:last]), ""))
    return [piece for piece in found if piece.text]


def _shown(text: str) -> str:
    return text.replace("\f", "\n")
