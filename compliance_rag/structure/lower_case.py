"""Terms that a document defines with a capital and uses without: “Device” means …, and then "each device".

Whether the plain word is the term follows from how the document itself writes: one that capitalises its terms where it uses
them means something else by the word in lower case.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping

from compliance_rag.structure.phrases import Phrases

# A term is used in lower case where the plain word stands at least this often for each capital that is not the grammar's: a
# slip or a title among many plain uses settles nothing.
PLAIN_TO_CAPITAL = 5
# Characters read before a capital to see whether it opens a line: longer than any list marker with its article.
OPENING_LIMIT = 40
_SENTENCE_END = frozenset(".!?:;。！？：；•*–—|\n\t")
_QUOTES = "“\"‘'「『«"
# What may stand before the first word of a line: marks, a list marker; before the term of an entry also an article.
_MARKER = r"[\s\W_]*(?:\(?\w{1,4}[.)]\s*)?"
_LINE_OPENING = re.compile(_MARKER + r"\Z")
_MODAL = re.compile(r"\b(?:shall|must|may|will|should|can|cannot|would)\s+(?:not\s+|also\s+|either\s+)?\Z", re.IGNORECASE)
_ITSELF = re.compile(r"\b[Tt]his\Z")
_ENTRY_OPENING = re.compile(_MARKER + r"(?:(?:The\s+term|The|An?)\s+)?\Z")


def plain_form(term: str) -> str | None:
    """The term without its capitals, acronyms aside; None where it has none to lose or is no Latin word."""
    words = term.split(" ")
    lowered = " ".join(word if sum(char.isupper() for char in word) > 1 else word.lower() for word in words)
    return lowered if lowered != term and term[:1].isascii() else None


def used_plain(capital: Mapping[str, str], plain: Mapping[str, str], texts: Iterable[tuple[str, frozenset[str]]]) -> set[str]:
    """The terms that ``texts`` use in lower case. ``capital`` and ``plain``: spellings with and without the capitals → term;
    with each text the terms that it defines. A capital that opens a sentence or an entry, or stands in quotation marks, tells
    nothing, nor does the document's name for itself ("this Policy"). None unless more of the terms are written without their
    capitals than with: elsewhere the plain word is a plain word."""
    if not plain:
        return set()
    phrases = Phrases({**plain, **capital})
    with_capital: Counter[str] = Counter()
    without: Counter[str] = Counter()
    for text, defined in texts:
        for start, end, term in phrases.find(text):
            if text[start:end] not in capital:
                without[term] += not is_verb(text, start)
            elif not _tells_nothing(text, start, end, opens_entry=term in defined):
                with_capital[term] += 1
    found = {term for term, count in without.items() if count >= PLAIN_TO_CAPITAL * with_capital[term]}
    return found if len(found) > len(set(with_capital) - found) else set()


def is_verb(text: str, start: int) -> bool:
    """The word at ``start`` follows a modal: who "shall record" a sale makes no use of what a "Record" is."""
    return _MODAL.search(text[max(0, start - OPENING_LIMIT) : start]) is not None


def _tells_nothing(text: str, start: int, end: int, *, opens_entry: bool) -> bool:
    window = text[max(0, start - OPENING_LIMIT) : start]
    before = window.rstrip(" ")
    if text[start:end].isupper() or (before and before[-1] in _QUOTES) or _ITSELF.search(before):
        return True
    at = window.rfind("\n") + 1
    line = window[at:] if at or start <= OPENING_LIMIT else None
    if opens_entry and line is not None and _ENTRY_OPENING.match(line):
        return True
    if any(word[:1].isupper() for word in text[start:end].split(" ")[1:]):
        return False  # a sentence capitalises its first word alone
    return (not before and start <= OPENING_LIMIT) or before[-1:] in _SENTENCE_END or bool(line and _LINE_OPENING.match(line))
