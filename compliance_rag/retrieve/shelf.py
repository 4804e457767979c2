"""The stores a question is asked of, opened together: clause tables, postings, vectors, and what is kept per in-force set."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeVar

import numpy as np

from compliance_rag.store.corpus import Corpus
from compliance_rag.store.inforce import InForceSet
from compliance_rag.store.links import defined_terms
from compliance_rag.store.postings import Epoch, Mask, Postings, Rows
from compliance_rag.store.tokens import terms
from compliance_rag.store.vectors import DenseIndex, Vectors, damaged
from schemas.clause import Definition
from schemas.home import Home
from schemas.settings import Settings

Key = TypeVar("Key")
Value = TypeVar("Value")
# As many in-force sets as the postings keep statistics of.
EPOCHS_KEPT: Final = 4
# A defined term of more words than this is a sentence; no question repeats it.
TERM_WORDS: Final = 8


@dataclass(frozen=True, slots=True)
class Defined:
    """Defined terms of the versions in force by their first word: (words of the term, clause row, definition); and by the
    clause row that says what they mean."""

    by_first: Mapping[str, tuple[tuple[tuple[str, ...], int, Definition], ...]]
    by_row: Mapping[int, tuple[str, ...]]


class Shelf:
    """One snapshot of the clause tables with its postings and vectors. Safe for several threads; close and reopen to see more.

    ``text_of`` (n,) gives each clause row's row in the postings, -1 where there is nothing to find it by.
    """

    def __init__(self, corpus: Corpus, postings: Postings, vectors: Vectors) -> None:
        self.corpus = corpus
        self.postings = postings
        self.vectors = vectors
        self._guard = threading.Lock()
        self._defined: OrderedDict[tuple[int, ...], Defined] = OrderedDict()
        self._parties: OrderedDict[tuple[int, ...], tuple[tuple[str, str], ...]] = OrderedDict()
        self._masks: OrderedDict[str, Mask] = OrderedDict()

    @classmethod
    def open(cls, home: Home, settings: Settings, identity: Mapping[str, str]) -> Shelf:
        """Open the stores of ``home`` for the embedder of this identity.

        Raises IntegrityError ``clauses_damaged``, ``clauses_missing``, ``postings_damaged``, ``vectors_damaged``.
        """
        corpus = Corpus.open(home, settings.clauses.uri)
        uri = settings.vectors.uri or str(home.vectors)
        return cls(corpus, Postings.open(home.postings), Vectors.open(uri, identity))

    @cached_property
    def dense(self) -> DenseIndex:
        """The vectors laid beside the postings."""
        return DenseIndex(self.vectors, self.postings)

    @cached_property
    def text_of(self) -> Rows:
        """Row in the postings of each clause row (n,), -1 for none. Raises IntegrityError ``postings_damaged``."""
        keys = self.corpus.text_keys
        self.postings.mask_of(keys)
        rows = np.append(self.postings.rows_of(keys), -1)
        found: Rows = rows[self.corpus.text_rows]
        return found

    def texts(self, clauses: Mask) -> Mask:
        """The set of texts (postings rows) that the masked clause rows use."""
        used = self.text_of[clauses]
        mask = np.zeros(len(self.postings), np.bool_)
        mask[used[used >= 0]] = True
        return mask

    def epoch(self, in_force: InForceSet) -> Epoch:
        """Term statistics of everything in force, whatever the filters.

        Raises IntegrityError ``vectors_damaged`` when a text in force has no vector: it could not be found by meaning, and
        nobody would know.
        """

        def texts() -> Mask:
            mask = self.texts(in_force.in_force)
            absent = int(np.count_nonzero(mask & ~self.dense.held))
            if absent:
                raise damaged(f"{absent} texts in force have no vector of this embedder")
            return mask

        with self._guard:
            return self.postings.epoch(_kept(self._masks, in_force.epoch, texts))

    def defined(self, in_force: InForceSet) -> Defined:
        """The terms defined in the versions in force and permitted."""
        key = tuple(row.index for row in in_force.versions)
        with self._guard:
            return _kept(self._defined, key, lambda: _by_first(defined_terms(self.corpus, in_force.versions)))

    def parties(self, in_force: InForceSet, read: Callable[[], tuple[tuple[str, str], ...]]) -> tuple[tuple[str, str], ...]:
        """(name, role) of the parties to the documents in force and permitted, read once for each set of versions."""
        key = tuple(row.index for row in in_force.versions)
        with self._guard:
            return _kept(self._parties, key, read)


def _kept(table: OrderedDict[Key, Value], key: Key, make: Callable[[], Value]) -> Value:
    """What is kept under ``key``, made when it is not; the oldest goes when there are more than ``EPOCHS_KEPT``."""
    if key not in table:
        table[key] = make()
        while len(table) > EPOCHS_KEPT:
            table.popitem(last=False)
    return table[key]


def _by_first(definitions: list[tuple[int, Definition]]) -> Defined:
    table: dict[str, list[tuple[tuple[str, ...], int, Definition]]] = {}
    for row, definition in definitions:
        for name in dict.fromkeys((definition.term, *definition.aliases)):
            words = term_words(name)
            if 0 < len(words) <= TERM_WORDS:
                table.setdefault(words[0], []).append((words, row, definition))
    by_row: dict[int, list[str]] = {}
    for row, definition in definitions:
        if not definition.exclusion:
            by_row.setdefault(row, []).append(definition.term)
    return Defined(
        {first: tuple(entries) for first, entries in table.items()}, {row: tuple(names) for row, names in by_row.items()}
    )


def term_words(text: str) -> tuple[str, ...]:
    """The words of a defined term, Chinese by character, as they are compared with a question's."""
    return tuple(term for term in terms(text) if "_" not in term and (len(term) == 1 or term.isascii() or not _han(term)))


def _han(term: str) -> bool:
    return ord(term[0]) >= 0x2E80
