"""Which words of a clause define a term: a glossary is one clause, and a change to one entry is none to the others."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from compliance_rag.changes.sides import Side
from compliance_rag.store.clause_keys import typographic_key

# Marks and a short number that may stand before the term that an entry opens with.
_OPENING = re.compile(r"[\s\W_]*(?:\w{1,4}[.)）]\s*)?[\s\W_]*")
_QUOTED = ("“{}”", '"{}"', "‘{}’", "'{}'", "「{}」", "**{}**")
# Glossaries last cut into lines: one of three hundred terms is asked of once a term.
GLOSSARIES_KEPT = 64


@dataclass(frozen=True, slots=True)
class Entry:
    """The line of a clause that defines a term: ``key`` is equal where typography alone differs, ``lower`` its words, which
    open at ``start``."""

    key: str
    lower: str
    start: int

    def mentions(self, word: str) -> bool:
        """The word stands in the line, not as a part of a longer one (Chinese has no such parts)."""
        sought = word.lower()
        at = self.lower.find(sought)
        while at >= 0:
            end = at + len(sought)
            if not (sought.isascii() and (self.lower[at - 1 : at].isalnum() or self.lower[end : end + 1].isalnum())):
                return True
            at = self.lower.find(sought, at + 1)
        return False


def entry_of(side: Side, clause_id: str, word: str) -> Entry | None:
    """The line of the clause that defines the term which ``word`` stands for. None when the clause defines one term only or no
    line is found for it: then all of its words count."""
    at = side.places.get(clause_id)
    if at is None or len(terms_of(side, clause_id)) < 2:
        return None
    for definition in side.links[at].definitions:
        names = (definition.term, *definition.aliases)
        if word in names:
            text = side.clauses[at].clause.text
            return next((line for name in names if (line := _line(text, name)) is not None), None)
    return None


def same_terms(before: Side, after: Side, old: str, new: str) -> frozenset[str]:
    """The terms that a glossary (clause ids in both versions) defines in the same words. None of them do when a line changed
    that is no term's entry: what it says may be said of all."""
    entries = [_entries(side, name) for side, name in ((before, old), (after, new))]
    texts = [_lines(side.clauses[side.places[name]].clause.text) for side, name in ((before, old), (after, new))]
    common = {line.key for line in texts[0]} & {line.key for line in texts[1]}
    for lines, held in zip(texts, entries, strict=True):
        known = {entry.key for entry in held.values() if entry is not None}
        if any(line.key not in common and line.key not in known for line in lines):
            return frozenset()
    return frozenset(term for term, entry in entries[1].items() if same_entry(entries[0].get(term), entry))


def _entries(side: Side, clause_id: str) -> dict[str, Entry | None]:
    return {term: entry_of(side, clause_id, term) for term in terms_of(side, clause_id)}


def changed_terms(before: Side, after: Side, old: int, new: int) -> list[str]:
    """The terms that two clauses (places in their versions) define, less those whose entries are the same in both."""
    names = (before.clauses[old].clause_id, after.clauses[new].clause_id)
    same = same_terms(before, after, *names)
    return [term for term in dict.fromkeys([*terms_of(before, names[0]), *terms_of(after, names[1])]) if term not in same]


def same_entry(one: Entry | None, other: Entry | None) -> bool:
    """Both are found and read alike."""
    return one is not None and other is not None and one.key == other.key


def term_of(side: Side, clause_id: str, word: str) -> str:
    """The term that a clause defines under this name; the word itself where it defines none so."""
    at = side.places.get(clause_id)
    held = () if at is None else side.links[at].definitions
    return next((item.term for item in held if word in (item.term, *item.aliases)), word)


def terms_of(side: Side, clause_id: str) -> list[str]:
    """The terms that a clause defines, each once."""
    at = side.places.get(clause_id)
    return [] if at is None else list(dict.fromkeys(item.term for item in side.links[at].definitions))


def _line(text: str, name: str) -> Entry | None:
    """The line that opens with ``name``, else the only one that quotes it."""
    sought = name.lower()
    quoted = []
    for entry in _lines(text):
        end = entry.start + len(sought)
        if entry.lower.startswith(sought, entry.start) and not entry.lower[end : end + 1].isalnum():
            return entry
        if sought in entry.lower and any(form.format(sought) in entry.lower for form in _QUOTED):
            quoted.append(entry)
    return quoted[0] if len(quoted) == 1 else None


@lru_cache(maxsize=GLOSSARIES_KEPT)
def _lines(text: str) -> tuple[Entry, ...]:
    return tuple(_entry(line) for line in text.split("\n") if line.strip())


def _entry(line: str) -> Entry:
    lower = line.lower()
    opening = _OPENING.match(lower)
    return Entry(typographic_key(line), lower, opening.end() if opening else 0)
