"""From a Markdown paragraph (lines with their source offsets) to extracted text and blocks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from compliance_rag.parse.blocks import Block, BlockKind
from compliance_rag.parse.readers.compose import Composer
from compliance_rag.parse.readers.lines import LABEL_START, starts_label, wide, wrapped
from compliance_rag.parse.readers.markdown_inline import Inline, scan_inline
from compliance_rag.parse.readers.remarks import comment_flags
from schemas.clause import Flag


@dataclass(slots=True)
class Leaf:
    """A leaf block in the making. ``lines`` are ``(source offset, text without its indent, columns of indent)``."""

    kind: BlockKind
    lines: list[tuple[int, str, int]]
    level: int | None = None
    indent: int = 0
    label: tuple[str, int] | None = None
    label_printed: bool = False
    literal: bool = False
    verbatim: bool = False
    tight: bool = False
    head_only: bool = True


@dataclass(slots=True)
class Joined:
    """A leaf's lines as one string; ``starts`` are offsets in it, ``sources`` where each line stands in the source;
    ``cuts`` are offsets of lines that open a block of their own, with their indent."""

    text: str
    starts: list[int]
    sources: list[int]
    cuts: list[tuple[int, int]] = field(default_factory=list)


class Emitter:
    """Writes leaves into a composer."""

    def __init__(self, composer: Composer, refs: Collection[str], original: bool) -> None:
        self.out = composer
        self.refs = refs
        self.original = original
        self.tracked = 0
        self.hidden: list[str] = []
        self.figures: list[str] = []
        self.comments: list[str] = []

    def emit(self, leaf: Leaf) -> None:
        """Write one leaf: its label if it has one, its text without markup, its blocks."""
        lines = leaf.lines if leaf.literal else [(at, text, indent) for at, text, indent in leaf.lines if text]
        if not lines and leaf.label is None:
            return
        self.out.gap("\n" if leaf.tight else "\n\n")
        start = self.out.length
        label_span = None
        if leaf.label:
            self.out.put(leaf.label[0], leaf.label[1])
            if leaf.label_printed:
                label_span = (start, start + len(leaf.label[0].rstrip()))
        joined = _literal(lines) if leaf.literal or leaf.kind == "table" else _join(lines, leaf.verbatim)
        found = (
            Inline()
            if leaf.literal
            else scan_inline(joined.text, self.refs, original=self.original, in_row=leaf.kind == "table")
        )
        self.tracked += found.tracked
        self.hidden += found.hidden
        self.figures += found.figures
        self.comments += found.comments
        body = self.out.length
        places = self._write(joined, found)
        self._blocks(leaf, joined, found, (start, body), places, label_span)

    def _write(self, joined: Joined, found: Inline) -> list[tuple[int, int, int]]:
        """Write the kept ranges; gives ``(start in joined, end in joined, extracted offset)`` of each."""
        places: list[tuple[int, int, int]] = []
        at = 0
        for start, end, put in found.drops:
            if end <= at:
                continue
            if start > at:
                self._keep(joined, at, start, places)
            if put and start >= at:
                self.out.put(put, self._source(joined, start))
            at = end
        if at < len(joined.text):
            self._keep(joined, at, len(joined.text), places)
        return places

    def _keep(self, joined: Joined, start: int, end: int, places: list[tuple[int, int, int]]) -> None:
        places.append((start, end, self.out.length))
        index = bisect_right(joined.starts, start) - 1
        while start < end:
            stop = min(end, joined.starts[index + 1] if index + 1 < len(joined.starts) else end)
            self.out.keep(joined.text[start:stop], joined.sources[index] + start - joined.starts[index])
            start = stop
            index += 1

    @staticmethod
    def _source(joined: Joined, at: int) -> int:
        index = bisect_right(joined.starts, at) - 1
        return joined.sources[index] + at - joined.starts[index]

    def _blocks(
        self,
        leaf: Leaf,
        joined: Joined,
        found: Inline,
        opening: tuple[int, int],
        places: list[tuple[int, int, int]],
        label_span: tuple[int, int] | None,
    ) -> None:
        bounds = [(0, leaf.indent), *joined.cuts]
        for index, (start, indent) in enumerate(bounds):
            stop = bounds[index + 1][0] if index + 1 < len(bounds) else len(joined.text)
            first = opening[0] if index == 0 else _extracted(places, start, self.out.length)
            last = _extracted(places, stop, self.out.length) if stop < len(joined.text) else self.out.length
            kind: BlockKind = leaf.kind if index == 0 else ("paragraph" if leaf.kind == "item" else leaf.kind)
            block = Block(kind, (first, last), level=leaf.level, indent=indent)
            if index == 0:
                block.label_span = label_span
            self._style(block, joined, found, (start, stop), places)
            self.out.blocks.append(block)

    @staticmethod
    def _style(block: Block, joined: Joined, found: Inline, span: tuple[int, int], places: list[tuple[int, int, int]]) -> None:
        """Bold type, the run-in heading and the identifier the markup gives."""
        start, stop = span
        for at, ident in found.ids:
            if start <= at <= stop:
                block.source_id = ident
                break
        if not found.strong and not found.leads:
            return
        plain = _outside(joined.text, [p for p in places if p[0] < stop and p[1] > start], found.strong, span)
        block.bold = not plain and any(s < stop and e > start for s, e in found.strong)
        if block.bold:
            return
        for first, last in sorted(found.strong + found.leads):
            if last <= start or first >= stop:
                continue
            before = "".join(joined.text[max(p[0], start) : min(p[1], first)] for p in places if p[0] < first and p[1] > start)
            label = LABEL_START.match(before.lstrip())
            if last <= stop and (not before.strip() or (label and label.end() >= len(before.strip()))):
                block.lead_span = (_extracted(places, first, block.span[0]), _extracted(places, last, block.span[1]))
            return


def _outside(text: str, places: Sequence[tuple[int, int, int]], strong: list[tuple[int, int]], span: tuple[int, int]) -> bool:
    """True when a kept visible character of ``span`` stands outside every strong range."""
    index = 0
    reach = 0
    for start, end, _ in places:
        start, end = max(start, span[0]), min(end, span[1])
        while start < end:
            while index < len(strong) and strong[index][0] <= start:
                reach = max(reach, strong[index][1])
                index += 1
            if reach > start:
                start = reach
                continue
            stop = min(end, strong[index][0]) if index < len(strong) else end
            if text[start:stop].strip():
                return True
            start = stop
    return False


def _extracted(places: list[tuple[int, int, int]], at: int, default: int) -> int:
    """The extracted offset of joined offset ``at`` (of the next kept character when ``at`` was dropped)."""
    index = bisect_right(places, (at, 1 << 62, 0)) - 1
    if index >= 0:
        start, end, extracted = places[index]
        if at <= end:
            return extracted + at - start
    if index + 1 < len(places):
        return places[index + 1][2]
    return default


def _join(lines: Sequence[tuple[int, str, int]], verbatim: bool) -> Joined:
    """Join lines: a wrap is a space, a break of the author's is a line feed, and a line that opens like a numbered thing after
    such a break is a block of its own."""
    if len(lines) == 1:
        return Joined(lines[0][1].rstrip(), [0], [lines[0][0]])
    joined = Joined("", [], [])
    stripped = [text.rstrip() for _, text, _ in lines]
    width = max((len(text) for text in stripped), default=0)
    parts: list[str] = []
    at = 0
    for index, (source, raw, indent) in enumerate(lines):
        text = stripped[index]
        if index:
            before = stripped[index - 1]
            hard = lines[index - 1][1].endswith("  ") or before.endswith("\\")
            soft = not hard and not verbatim and wrapped(before, text, width)
            parts.append(" " if soft and not wide(before, text) else "\n")
            at += 1
            if not soft and starts_label(text):
                joined.cuts.append((at, indent))
        joined.starts.append(at)
        joined.sources.append(source)
        parts.append(text)
        at += len(text)
        del raw
    joined.text = "".join(parts)
    return joined


def _literal(lines: Sequence[tuple[int, str, int]]) -> Joined:
    """Code and table rows: lines as they stand."""
    joined = Joined("\n".join(text.rstrip() for _, text, _ in lines), [], [source for source, _, _ in lines])
    at = 0
    for _, text, _ in lines:
        joined.starts.append(at)
        at += len(text.rstrip()) + 1
    return joined


def inline_flags(emitter: Emitter) -> list[Flag]:
    """What was left out of the text, counted."""
    flags: list[Flag] = []
    if emitter.tracked:
        view = "original" if emitter.original else "final"
        flags.append(
            Flag("tracked_changes", f"{emitter.tracked} marked changes; shown is the {view} wording; it answers once chosen.")
        )
    flags += [Flag("hidden_text", f"Hidden text is in no clause: {text!r}.") for text in emitter.hidden if text.strip()]
    flags += [Flag("figure", f"A figure is not read; its description: {text!r}.") for text in emitter.figures]
    return flags + comment_flags(emitter.comments)
