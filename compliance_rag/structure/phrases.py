"""Many exact phrases found in one pass: longest match first, at word starts, in time linear in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

PHRASE_LIMIT = 120  # characters; a defined term or title longer than this is a sentence, and is reported rather than searched
_KEY = 3


class Phrases:
    """A dictionary of phrases. A phrase of Latin script is matched between word bounds only."""

    def __init__(self, phrases: Mapping[str, str]) -> None:
        self._values = {phrase: value for phrase, value in phrases.items() if 0 < len(phrase) <= PHRASE_LIMIT}
        lengths: dict[str, set[int]] = {}
        for phrase in self._values:
            lengths.setdefault(phrase[:_KEY], set()).add(len(phrase))
        self._lengths = {key: tuple(sorted(found, reverse=True)) for key, found in lengths.items()}
        firsts = sorted({phrase[0] for phrase in self._values})
        wordy = "".join(re.escape(char) for char in firsts if _wordy(char))
        other = "".join(re.escape(char) for char in firsts if not _wordy(char))
        parts = [rf"(?<![A-Za-z0-9_])[{wordy}]"] * bool(wordy) + [f"[{other}]"] * bool(other)
        self._first = re.compile("|".join(parts)) if firsts else None
        self._keys = tuple(sorted({min(_KEY, len(phrase)) for phrase in self._values}, reverse=True))

    def find(self, text: str) -> Iterator[tuple[int, int, str]]:
        """``(start, end, value)`` of every match, leftmost first, longest at each place, never overlapping."""
        if self._first is None:
            return
        at = 0
        while (candidate := self._first.search(text, at)) is not None:
            start = candidate.start()
            end = self._match(text, start)
            if end:
                yield start, end, self._values[text[start:end]]
                at = end
            else:
                at = start + 1

    def _match(self, text: str, start: int) -> int:
        if _wordy(text[start]) and start and _wordy(text[start - 1]):
            return 0
        for key in self._keys:
            for length in self._lengths.get(text[start : start + key], ()):
                end = start + length
                if (
                    end <= len(text)
                    and text[start:end] in self._values
                    and not (_wordy(text[end - 1]) and end < len(text) and _wordy(text[end]))
                ):
                    return end
        return 0


def _wordy(char: str) -> bool:
    """Letters and digits that join into words; scripts written without spaces never do."""
    return (char.isalnum() or char == "_") and not (
        "\u2e80" <= char <= "\u9fff" or "\u3400" <= char <= "\u4dbf" or char > "\uf8ff"
    )
