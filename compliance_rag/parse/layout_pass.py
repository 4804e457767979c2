"""A second opinion on an irregular layout: where its headings and paragraphs begin. It may move boundaries, never words.

Numbers tell most documents' structure; some have none and set their headings in bold. Where little of a text stands under
numbered clauses, stretches of its paragraphs are offered to ``propose`` (a model, handed in by a higher room), which gives the
same words back cut into pieces. A proposal that is not the very same characters, white space aside, is rejected as a whole;
both outcomes are flags of the version and figures of its report. Tables, lists with numbers of their own, notes and furniture
are never offered.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.boxes import Places
from schemas.clause import Flag, Span

# Where at least this share of the words stands in numbered clauses, the numbers tell the structure.
REGULAR_SHARE = 0.3
# A shorter text has no layout to speak of.
MIN_CHARS = 400
# Characters offered at a time: the reply repeats them all, and a longer one is cut off by the limits of endpoints.
STRETCH_CHARS = 3_000
# Stretches offered of one version, two hundred pages; what lies beyond is left as it was read.
MAX_STRETCHES = 200
# Levels of headings that a proposal may name.
MAX_LEVEL = 6
# Flags for single rejections; the rest are counted in the last.
MAX_FLAGS = 20
_SHOWN = 40
# Readers of these kinds of file see how it looks; in markup the author has said what is a heading.
_LAID_OUT = frozenset({"pdf", "docx", "text"})
_OFFERED = frozenset({"paragraph", "heading"})


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a stretch, word for word; ``level`` from 1 makes it a heading, None text."""

    text: str
    level: int | None = None


class Proposer(Protocol):
    """Whoever proposes. ``name`` goes into the flags and the parser's version."""

    @property
    def name(self) -> str:
        """What the record calls it."""
        ...

    def __call__(self, stretch: str) -> Sequence[Piece] | str:
        """The pieces of a stretch, or why there are none."""
        ...


@dataclass(slots=True)
class Outcome:
    """What came of it: stretches offered, accepted and rejected (page if known, and why), boundaries that moved."""

    name: str
    offered: int = 0
    accepted: int = 0
    moved: int = 0
    left: int = 0
    rejected: list[tuple[int | None, str]] = field(default_factory=list)

    def flags(self) -> list[Flag]:
        """The same as flags of the version."""
        out = []
        if self.accepted:
            text = f"{self.name} proposed where headings and paragraphs begin: {self.moved} boundaries moved, no word changed."
            out.append(Flag("layout_model", text))
        for page, why in self.rejected[:MAX_FLAGS]:
            out.append(Flag("layout_rejected", f"A proposal of {self.name} for the layout was rejected: {why}.", page=page))
        if len(self.rejected) > MAX_FLAGS:
            out.append(
                Flag("layout_rejected", f"{len(self.rejected) - MAX_FLAGS} more proposals for the layout were rejected.")
            )
        if self.left:
            out.append(Flag("layout_rejected", f"{self.left} stretches of the layout were not offered: the text is too long."))
        return out

    def report(self) -> dict[str, object]:
        """The same in figures."""
        reasons = [{"page": page, "why": why} for page, why in self.rejected[:MAX_FLAGS]]
        return {
            "by": self.name, "offered": self.offered, "accepted": self.accepted, "moved": self.moved,
            "rejected": len(self.rejected), "not_offered": self.left, "reasons": reasons,
        }  # fmt: skip


def is_irregular(extracted: Extracted, numbered: Sequence[Span]) -> bool:
    """True where numbers tell little: ``numbered`` are the full stretches of the numbered clauses, outermost ones."""
    if extracted.media not in _LAID_OUT or len(extracted.text) < MIN_CHARS:
        return False
    words = sum(block.span[1] - block.span[0] for block in extracted.blocks if block.kind != "furniture")
    return sum(end - start for start, end in numbered) < REGULAR_SHARE * words


def reshape(extracted: Extracted, propose: Proposer) -> tuple[Extracted, Outcome]:
    """The extracted text with the boundaries that were accepted; its words and their places are what they were."""
    outcome = Outcome(propose.name)
    blocks: list[Block] = []
    places = Places.of(extracted.blocks)
    for run, offered in _runs(extracted):
        if not offered:
            blocks += run
            continue
        if outcome.offered >= MAX_STRETCHES:
            outcome.left += 1
            blocks += run
            continue
        outcome.offered += 1
        found = _pieces(extracted.text, run, propose)
        if isinstance(found, str):
            outcome.rejected.append((run[0].page, found))
            blocks += run
            continue
        made = [_block(extracted.text, places, run, span, piece) for span, piece in found]
        outcome.accepted += 1
        now, then = {_boundary(block) for block in made}, {_boundary(block) for block in run}
        outcome.moved += len(now - then) + len({at for at, _ in then} - {at for at, _ in now})
        blocks += made
    return replace(extracted, blocks=blocks), outcome


def _boundary(block: Block) -> tuple[int, bool]:
    return block.span[0], block.kind == "heading"


def _runs(extracted: Extracted) -> Iterator[tuple[list[Block], bool]]:
    """The blocks in order in runs, each with whether it is offered."""
    run: list[Block] = []
    size = 0
    for block in extracted.blocks:
        if block.kind not in _OFFERED or block.number is not None or block.label_span is not None:
            if run:
                yield run, True
            yield [block], False
            run, size = [], 0
            continue
        length = block.span[1] - block.span[0]
        if run and size + length > STRETCH_CHARS:
            yield run, True
            run, size = [], 0
        if length > STRETCH_CHARS:
            yield [block], False
            continue
        run.append(block)
        size += length
    if run:
        yield run, True


def _pieces(text: str, run: list[Block], propose: Proposer) -> list[tuple[Span, Piece]] | str:
    """The proposed pieces with their places, or why they are rejected."""
    stretch = "\n".join(text[slice(*block.span)] for block in run)
    found = propose(stretch)
    if isinstance(found, str):
        return found
    seen = [at for block in run for at in range(*block.span) if not text[at].isspace()]
    proposed = ["".join(piece.text.split()) for piece in found]
    words = "".join(text[at] for at in seen)
    said = "".join(proposed)
    if said != words:
        at = next((i for i, (a, b) in enumerate(zip(words, said, strict=False)) if a != b), min(len(words), len(said)))
        return f"it changes the words at {words[at : at + _SHOWN]!r}, which it gives as {said[at : at + _SHOWN]!r}"
    if any(piece.level is not None and not 1 <= piece.level <= MAX_LEVEL for piece in found):
        return f"it names a level of headings beyond {MAX_LEVEL}"
    out: list[tuple[Span, Piece]] = []
    at = 0
    for part, piece in zip(proposed, found, strict=True):
        if part:
            out.append(((seen[at], seen[at + len(part) - 1] + 1), piece))
            at += len(part)
    return out


def _block(text: str, places: Places, run: list[Block], span: Span, piece: Piece) -> Block:
    """A block of these words, at the places where they are printed."""
    home = next(block for block in reversed(run) if block.span[0] <= span[0])
    block = Block("paragraph" if piece.level is None else "heading", span, level=piece.level, page=home.page)
    block.indent, block.bold = home.indent, home.bold
    lead = home.lead_span
    if lead is not None and span[0] <= lead[0] and lead[1] <= span[1]:
        block.lead_span = lead
    rows = places.parts(span)
    if rows:
        block.boxes = tuple(box for _, box, _ in rows)
        block.box_spans = tuple(part for part, _, _ in rows)
        edges = [edge for _, _, edge in rows]
        block.box_edges = tuple(edge for edge in edges if edge is not None)
        block.page = rows[0][1][0]
    return block
