"""Places and links of one version, read once a snapshot and kept: expansion looks them up hundreds of times for a question.

A snapshot never changes, so neither does what is kept. Texts are not kept here: a clause is still read and re-hashed by
``Corpus.by_rows`` whenever it is used.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, TypeVar

from compliance_rag.store.clauses import Placed, split_path
from schemas.clause import Definition, Reference

K = TypeVar("K")
V = TypeVar("V")
Ask = Callable[[str, Sequence[Any]], list[tuple[Any, ...]]]
"""Rows of a read-only question on one snapshot."""

# Clauses whose links are kept: 780 bytes each with every table read, as measured on 41 real versions (14,551 clauses): 80 MB.
LINKED_KEPT: Final = 100_000


class VersionLinks:
    """The clause rows of one version by path, parent, kind and heading, and its links by row. Each table is read when first
    asked for; rows are global ones. Reading raises IntegrityError ``clauses_damaged``."""

    def __init__(self, ask: Ask, placed: Placed) -> None:
        self._ask = ask
        self._placed = placed

    def _clauses(self, columns: str, condition: str = "true") -> list[tuple[Any, ...]]:
        return self._ask(
            f"SELECT {columns} FROM clauses WHERE rid >= ? AND rid < ? AND {condition} ORDER BY rid",
            [self._placed.first_rid, self._placed.end_rid],
        )

    def _table(self, name: str, columns: str, order: str) -> list[tuple[Any, ...]]:
        return self._ask(f"SELECT {columns} FROM {name} WHERE content = ? ORDER BY {order}", [self._placed.content])

    @cached_property
    def path_of(self) -> Mapping[int, str]:
        """The printed path of each row, in document order."""
        return dict(self._clauses("rid, path"))

    @cached_property
    def row_of(self) -> Mapping[str, int]:
        """The row of each printed path."""
        return {path: rid for rid, path in self.path_of.items()}

    @cached_property
    def parent_of(self) -> Mapping[int, int]:
        """The row of each row's parent; none for those at the top and those whose parent is no clause."""
        found = ((rid, self.row_of.get(parent)) for rid, parent in self._clauses("rid, parent", "parent IS NOT NULL"))
        return {rid: parent for rid, parent in found if parent is not None}

    @cached_property
    def children_of(self) -> Mapping[int, tuple[int, ...]]:
        """The rows directly under each row that has any, in document order."""
        return _grouped((parent, rid) for rid, parent in self.parent_of.items())

    @cached_property
    def by_kind(self) -> Mapping[str, tuple[int, ...]]:
        """The rows of each kind, in document order."""
        return _grouped((kind, rid) for rid, kinds in self._clauses("rid, kinds", "len(kinds) > 0") for kind in kinds)

    @cached_property
    def headings(self) -> tuple[tuple[int, str], ...]:
        """(row, heading) of the rows that have a heading, in document order."""
        return tuple(self._clauses("rid, heading", "heading <> ''"))

    @cached_property
    def uses_of(self) -> Mapping[int, tuple[tuple[str, int], ...]]:
        """(term, row that defines it) of each row that uses defined terms, by term."""
        rows = self._table("term_uses", "DISTINCT rid, term, target_rid", "rid, term, target_rid")
        return _grouped((rid, (term, target)) for rid, term, target in rows)

    @cached_property
    def _exceptions(self) -> list[tuple[int, int]]:
        return [(rid, rule) for rid, rule in self._table("exceptions", "DISTINCT rid, modifies_rid", "rid, modifies_rid")]

    @cached_property
    def exceptions_of(self) -> Mapping[int, tuple[int, ...]]:
        """The rows that modify each row, in document order."""
        return _grouped((rule, rid) for rid, rule in self._exceptions)

    @cached_property
    def excepted_by(self) -> Mapping[int, tuple[int, ...]]:
        """The rows that each row modifies, in document order."""
        return _grouped(self._exceptions)

    @cached_property
    def definitions(self) -> tuple[tuple[int, Definition], ...]:
        """Every definition with the row of its clause, by row and term."""
        rows = self._table("definitions", "rid, term, scope, aliases, exclusion", "rid, term, rowid")
        paths = self.path_of
        return tuple(
            (rid, Definition(term, split_path(paths[rid]), scope, tuple(aliases), exclusion))
            for rid, term, scope, aliases, exclusion in rows
            if rid in paths
        )

    @cached_property
    def definitions_of(self) -> Mapping[int, tuple[Definition, ...]]:
        """The definitions that each row holds, by term."""
        return _grouped(self.definitions)

    @cached_property
    def references_of(self) -> Mapping[int, tuple[Reference, ...]]:
        """The references of each row, by their place in its text."""
        columns = "rid, text, start_at, end_at, mode, target, target_doc, edition"
        rows = self._table("refs", columns, "rid, start_at, end_at, target, rowid")
        paths = self.path_of
        return _grouped(
            (rid, Reference(split_path(paths[rid]), text, (start, end), mode, _path(target), target_doc, edition))
            for rid, text, start, end, mode, target, target_doc, edition in rows
            if rid in paths
        )

    @cached_property
    def naming(self) -> Mapping[tuple[str, str], tuple[int, ...]]:
        """The rows that refer to a clause of another document, by (document, printed path), in document order."""
        found: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
        for rid, references in self.references_of.items():
            for reference in references:
                if reference.target_doc is not None and reference.target is not None:
                    found[reference.target_doc, "/".join(reference.target)][rid] = None
        return {key: tuple(rids) for key, rids in found.items()}


def _path(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else split_path(text)


def _grouped(pairs: Iterable[tuple[K, V]]) -> dict[K, tuple[V, ...]]:
    found: dict[K, list[V]] = defaultdict(list)
    for key, value in pairs:
        found[key].append(value)
    return {key: tuple(values) for key, values in found.items()}


class LinksKept:
    """The links of the versions asked for last, up to :data:`LINKED_KEPT` clauses and at least one version. Thread-safe."""

    def __init__(self, ask: Ask, limit: int = LINKED_KEPT) -> None:
        self._ask = ask
        self._limit = limit
        self._guard = threading.Lock()
        self._kept: OrderedDict[int, tuple[VersionLinks, int]] = OrderedDict()
        self._clauses = 0

    def of(self, placed: Placed) -> VersionLinks:
        """The links of a version; a staged version and its publication share them."""
        with self._guard:
            found = self._kept.get(placed.content)
            if found is None:
                found = self._kept[placed.content] = VersionLinks(self._ask, placed), placed.row.clause_count
                self._clauses += placed.row.clause_count
            self._kept.move_to_end(placed.content)
            while self._clauses > self._limit and len(self._kept) > 1:
                self._clauses -= self._kept.popitem(last=False)[1][1]
            return found[0]
