"""Where a quote stands: verbatim, repaired, found in another clause, stitched from several, or nowhere."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

QuoteStatus = Literal["verified", "repaired", "misattributed", "stitched", "not_found"]

# A part of a stitched quote must be this long to be called someone's words: shorter runs stand in any clause.
PART_LIMIT = 12
PART_LIMIT_HAN = 6

# What joins the parts of a stitched quote: an ellipsis, a comma, a conjunction.
_JOINT = re.compile(r"^(?:\s|\.{3}|\[\.{3}\]|[,;，；、]|(?:and|or|but|while|with|和|并且?|以及|或者?|但)(?=[\s一-鿿]))+")

# Typography a model or a clipboard changes without changing a word: the stored text is shown in its place.
_FOLDED = {
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("“”„‟″«»「」＂", '"'),
    **dict.fromkeys("‐‑–—−", "-"),
    **dict.fromkeys("\u00ad\u200b\ufeff", ""),
    "…": "...",
}


@dataclass(frozen=True, slots=True)
class Located:
    """A quote's status and, for verified and repaired, its ``[start, end)`` in the clause's text; ``found_in`` names the other
    clauses for misattributed and stitched."""

    status: QuoteStatus
    span: tuple[int, int] | None = None
    found_in: tuple[int, ...] = ()


@lru_cache(maxsize=4_096)
def _fold(text: str) -> tuple[str, tuple[int, ...]]:
    """``text`` with quotes and white space folded, and for each folded character its offset in ``text``."""
    out: list[str] = []
    offsets: list[int] = []
    for at, char in enumerate(text):
        piece = _FOLDED.get(char, " " if char.isspace() else char)
        if piece == " " and out and out[-1] == " ":
            continue
        out.extend(piece)
        offsets.extend([at] * len(piece))
    return "".join(out), tuple(offsets)


def find_folded(quote: str, text: str) -> tuple[int, int] | None:
    """The span of ``text`` that equals ``quote`` once curly quotes, dashes and white space are folded; case and words count."""
    wanted = _fold(quote)[0].strip()
    if not wanted:
        return None
    folded, offsets = _fold(text)
    at = folded.find(wanted)
    if at < 0:
        at = _ignoring_spaces(wanted, folded)
        if at < 0:
            return None
        end = _end_ignoring_spaces(wanted, folded, at)
        return offsets[at], offsets[end - 1] + 1
    return offsets[at], offsets[at + len(wanted) - 1] + 1


def _ignoring_spaces(wanted: str, folded: str) -> int:
    """Chinese sources carry spaces no reader sees as words; a quote without them is the same quote."""
    if not re.search("[一-鿿]", wanted):
        return -1
    places = [at for at, char in enumerate(folded) if char != " "]
    at = folded.replace(" ", "").find(wanted.replace(" ", ""))
    return places[at] if at >= 0 else -1


def _end_ignoring_spaces(wanted: str, folded: str, at: int) -> int:
    left = len(wanted.replace(" ", ""))
    while left:
        left -= folded[at] != " "
        at += 1
    return at


def _holds(part: str, texts: Sequence[str]) -> list[int]:
    return [at for at, text in enumerate(texts) if find_folded(part, text) is not None]


def _stitched(quote: str, texts: Sequence[str]) -> tuple[int, ...]:
    """The clauses a quote was put together from when every part of it stands in one of them; empty otherwise."""
    rest = _fold(quote)[0].strip()
    sources: list[int] = []
    while rest:
        least = PART_LIMIT_HAN if re.search("[一-鿿]", rest[:PART_LIMIT_HAN]) else PART_LIMIT
        cuts = [m.start() for m in re.finditer(r"\s|(?<=[一-鿿，。；、])", rest) if m.start() >= least] + [len(rest)]
        low, high, best, where = 0, len(cuts) - 1, 0, [] if not cuts else _holds(rest[: cuts[0]], texts)
        if not where or len(rest) < least:
            return ()
        best = cuts[0]
        while low <= high:  # a part that is found stays found when shortened: search for the longest by halving
            middle = (low + high) // 2
            held = _holds(rest[: cuts[middle]], texts)
            if held:
                best, where, low = cuts[middle], held, middle + 1
            else:
                high = middle - 1
        sources.append(where[0])
        rest = _JOINT.sub("", rest[best:])
    return tuple(sources) if len(sources) > 1 else ()


def locate(quote: str, text: str, others: Sequence[str] = ()) -> Located:
    """Find ``quote`` in ``text``, else in the texts of the other evidence.

    Steps: exact; folded (``repaired``); whole in another clause (``misattributed``); in parts (``stitched``, ``found_in`` 0 is
    ``text`` itself, then the others from 1); else ``not_found``. The span is of the stored text, which is what is shown.
    """
    if quote.strip():
        at = text.find(quote)
        if at >= 0:
            return Located("verified", (at, at + len(quote)))
    span = find_folded(quote, text)
    if span is not None:
        return Located("repaired", span)
    elsewhere = _holds(quote, others) if quote.strip() else []
    if elsewhere:
        return Located("misattributed", None, tuple(at + 1 for at in elsewhere))
    parts = _stitched(quote, [text, *others])
    return Located("stitched", None, tuple(sorted(set(parts)))) if parts else Located("not_found")
