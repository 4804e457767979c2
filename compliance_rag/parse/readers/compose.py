"""Building an extracted text piece by piece, with its blocks and its map back to the source."""

from __future__ import annotations

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.readers.decode import Source, message_flags, odd_characters, without_messages
from schemas.clause import Flag


class Composer:
    """Collects text, ``(extracted, source)`` pairs and blocks. Source offsets count in ``Source.text``."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.length = 0
        self.pairs: list[tuple[int, int]] = []
        self.blocks: list[Block] = []
        self.flags: list[Flag] = []
        self.messages: list[str] = []
        self._next = -1

    def keep(self, text: str, source: int) -> None:
        """Add characters that stand in the source at ``source``, one for one."""
        if not text:
            return
        if source != self._next:
            self.pairs.append((self.length, source))
        self.parts.append(text)
        self.length += len(text)
        self._next = source + len(text)

    def put(self, text: str, source: int) -> None:
        """Add characters that stand for the markup at ``source``, but for what an escape spells that nothing draws."""
        text, hidden = without_messages(text)
        self.messages += hidden
        if not text:
            return
        self.pairs.append((self.length, source))
        self.parts.append(text)
        self.length += len(text)
        self._next = -1

    def gap(self, text: str) -> None:
        """Add white space between blocks."""
        if self.length:
            self.put(text, self._last_source())

    def mark(self, text: str) -> None:
        """Add characters that stand for markup just passed (the bar of a table)."""
        self.put(text, self._last_source())

    def _last_source(self) -> int:
        return self._next if self._next >= 0 else (self.pairs[-1][1] if self.pairs else 0)

    def finish(self, media: str, source: Source, title: str | None = None) -> Extracted:
        """The extracted text; spans trimmed, empty blocks dropped, visible text outside them kept and flagged."""
        text = "".join(self.parts)
        blocks, flags = tile(text, self.blocks)
        encoding = "ascii" if source.encoding == "utf-8" and source.raw.isascii() else source.encoding
        offsets = source.byte_pairs(_monotone(self.pairs))
        flags = source.flags + self.flags + message_flags(self.messages) + flags + odd_characters(text)
        return Extracted(text=text, blocks=blocks, media=media, offsets=offsets, title=title, flags=flags, encoding=encoding)


def _monotone(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Source offsets never run backwards and an extracted offset stands once."""
    out: list[tuple[int, int]] = []
    floor = 0
    for extracted, source in pairs:
        floor = max(floor, source)
        if out and out[-1][0] == extracted:
            out[-1] = (extracted, floor)
        else:
            out.append((extracted, floor))
    return out


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """``[start, end)`` without white space at its ends."""
    piece = text[start:end]
    stripped = piece.strip()
    if not stripped:
        return start, start
    lead = len(piece) - len(piece.lstrip())
    return start + lead, start + lead + len(stripped)


def tile(text: str, blocks: list[Block]) -> tuple[list[Block], list[Flag]]:
    """Law 1 for readers: trimmed, in order, every visible character in one block. What lies outside becomes a paragraph of its
    own with the flag ``unplaced_text``."""
    out: list[Block] = []
    flags: list[Flag] = []
    at = 0
    for block in blocks:
        start, end = trim(text, max(block.span[0], at), max(block.span[1], at))
        if start == end:
            continue
        _place(text, at, start, out, flags)
        block.span = (start, end)
        block.label_span = _inside(text, block.label_span, start, end)
        block.heading_span = _inside(text, block.heading_span, start, end)
        block.lead_span = _inside(text, block.lead_span, start, end)
        out.append(block)
        at = end
    _place(text, at, len(text), out, flags)
    return out, flags


def _inside(text: str, span: tuple[int, int] | None, start: int, end: int) -> tuple[int, int] | None:
    """The part of a span that lies in its block, trimmed; None when nothing of it does."""
    if span is None:
        return None
    first, last = trim(text, max(span[0], start), min(span[1], end)) if span[0] < end and span[1] > start else (0, 0)
    return (first, last) if first < last else None


def _place(text: str, start: int, end: int, out: list[Block], flags: list[Flag]) -> None:
    if start >= end:
        return
    start, end = trim(text, start, end)
    if start < end:
        out.append(Block("paragraph", (start, end)))
        flags.append(
            Flag("unplaced_text", f"Text outside every block was kept as a paragraph: {text[start : min(end, start + 60)]!r}.")
        )
