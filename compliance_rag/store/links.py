"""Links of clauses as known on a day: definitions by term, exceptions both ways, references resolved, children, lineage."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from compliance_rag.store.clauses import split_path
from compliance_rag.store.corpus import EVERYTHING, Corpus
from compliance_rag.store.linked import VersionLinks
from compliance_rag.store.rows import StoredClause, VersionRow
from compliance_rag.store.timeline import Knowledge, decide
from schemas.clause import Definition, Flag, ProposedDate, Reference
from schemas.dates import parse_day
from schemas.ids import clause_id

_ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z", re.ASCII)


@dataclass(frozen=True, slots=True)
class ResolvedReference:
    """A reference with the clause it names on the day asked about; ``target`` None: unresolved, or a document as a whole
    (then ``version`` is the edition meant)."""

    reference: Reference
    target: str | None
    version: VersionRow | None


@dataclass(frozen=True, slots=True)
class Links:
    """Links of one clause. ``uses`` are the terms it uses with the clause ids that define them, ``exceptions`` the clauses that
    modify it, ``excepts`` those that it modifies."""

    definitions: tuple[Definition, ...]
    uses: tuple[tuple[str, str], ...]
    references: tuple[ResolvedReference, ...]
    exceptions: tuple[str, ...]
    excepts: tuple[str, ...]


def links_of(corpus: Corpus, clauses: Sequence[StoredClause], as_of: date, knowledge: Knowledge = EVERYTHING) -> list[Links]:
    """The links of each clause, in order; other documents' clauses are those in force on ``as_of`` as known (a static reference
    takes the edition it names instead). A missing target is unresolved, never the nearest parent."""
    found: list[Links] = []
    for clause, references in zip(clauses, references_of(corpus, clauses, as_of, knowledge), strict=True):
        held, rid = corpus.links(clause.version), corpus.row_of(clause)
        named = _Named(held, clause.version)
        found.append(
            Links(
                held.definitions_of.get(rid, ()),
                tuple((term, name) for term, row in held.uses_of.get(rid, ()) for name in named.ids([row])),
                references,
                named.ids(held.exceptions_of.get(rid, ())),
                named.ids(held.excepted_by.get(rid, ())),
            )
        )
    return found


@dataclass(frozen=True, slots=True)
class _Named:
    held: VersionLinks
    own: VersionRow

    def ids(self, rows: Iterable[int]) -> tuple[str, ...]:
        """Clause ids of rows of this version; a row that is no clause is left out."""
        paths, doc_id, version_id = self.held.path_of, self.own.doc_id, self.own.version_id
        return tuple(clause_id(doc_id, version_id, split_path(paths[row])) for row in rows if row in paths)


def references_of(
    corpus: Corpus, clauses: Sequence[StoredClause], as_of: date, knowledge: Knowledge = EVERYTHING
) -> list[tuple[ResolvedReference, ...]]:
    """The references of each clause, in order, resolved as by :func:`links_of`."""
    meant: list[list[tuple[Reference, VersionRow | None, str | None]]] = []
    for clause in clauses:
        own: list[tuple[Reference, VersionRow | None, str | None]] = []
        for reference in corpus.links(clause.version).references_of.get(corpus.row_of(clause), ()):
            version = referred_version(corpus, clause.version, reference, as_of, knowledge)
            path = reference.target
            named = clause_id(version.doc_id, version.version_id, path) if version is not None and path else None
            own.append((reference, version, named))
        meant.append(own)
    held = corpus.row_ids([named for own in meant for _, _, named in own if named is not None], knowledge)
    return [
        tuple(ResolvedReference(reference, named if named in held else None, version) for reference, version, named in own)
        for own in meant
    ]


def referred_version(
    corpus: Corpus, own: VersionRow, reference: Reference, as_of: date, knowledge: Knowledge
) -> VersionRow | None:
    """The version a reference means: its own, the one of the other document in force on ``as_of``, or for a static reference
    the edition it names (a day, a label or a version id). None when it is not held."""
    doc_id = own.doc_id if reference.target_doc is None else reference.target_doc
    if reference.mode == "dynamic":
        if doc_id == own.doc_id:
            return own
        return _in_force(corpus, doc_id, own.language, as_of, knowledge)
    if reference.edition is None:
        return None
    if _ISO_DAY.match(reference.edition):
        return _in_force(corpus, doc_id, own.language, parse_day(reference.edition), knowledge)
    rows = [item.row for (doc, _), group in corpus.timeline(knowledge).items() if doc == doc_id for item in group if item.live]
    named = [row for row in rows if reference.edition in (row.version, row.version_id)]
    return max(named, key=lambda row: row.index, default=None)


def _in_force(corpus: Corpus, doc_id: str, language: str, as_of: date, knowledge: Knowledge) -> VersionRow | None:
    """The version in force, in the same language when there is one, else in the only other."""
    found = {key[1]: decide(key, group, as_of).version for key, group in corpus.timeline(knowledge).items() if key[0] == doc_id}
    if language in found:
        return found[language]
    held = [row for row in found.values() if row is not None]
    return held[0] if len(held) == 1 else None


def children(corpus: Corpus, clause: StoredClause, knowledge: Knowledge = EVERYTHING) -> list[StoredClause]:
    """The clauses directly under ``clause``, in document order."""
    held = corpus.links(clause.version).children_of
    return corpus.by_rows(held.get(corpus.row_of(clause), ()), knowledge)


def history(corpus: Corpus, lineage_id: str, knowledge: Knowledge = EVERYTHING) -> list[StoredClause]:
    """One clause through its versions as known, in the order recorded; what a later record of the same version replaced
    (held, then published) is left out."""
    rows = corpus.query("SELECT rid FROM clauses WHERE lineage_id = ? ORDER BY rid", [lineage_id])
    found = corpus.by_rows([rid for (rid,) in rows], knowledge)
    known = corpus.view(knowledge).by_index
    return [clause for clause in found if clause.version.index in known]


def defined_terms(corpus: Corpus, versions: Iterable[VersionRow]) -> list[tuple[int, Definition]]:
    """Every definition in these versions with the row of its clause, by row."""
    contents = {corpus.content_of(row): row for row in versions}
    return [entry for content in sorted(contents) for entry in corpus.links(contents[content]).definitions]


def rows_by_number(corpus: Corpus, numbers: Sequence[str]) -> list[tuple[int, str]]:
    """(row, number asked for) of clauses whose number, label, alias or path is one of ``numbers``, by row, in all versions."""
    wanted = list(dict.fromkeys(numbers))
    if not wanted:
        return []
    return corpus.query(
        "SELECT rid, name FROM (SELECT rid, unnest(list_distinct([number, label, path] || aliases)) AS name FROM clauses) "
        f"WHERE name IN ({', '.join('?' * len(wanted))}) ORDER BY rid, name",
        wanted,
    )


def version_flags(corpus: Corpus, row: VersionRow) -> list[Flag]:
    """What could not be read, resolved, placed or applied in a version (law 9)."""
    rows = corpus.query("SELECT code, text, path, page FROM flags WHERE content = ? ORDER BY ord", [corpus.content_of(row)])
    return [Flag(code, text, None if path is None else split_path(path), page) for code, text, path, page in rows]


def proposed_dates(corpus: Corpus, row: VersionRow) -> list[ProposedDate]:
    """Dates found in a version's text and not confirmed yet."""
    columns = "number, effective_from, effective_to, quote, rule"
    rows = corpus.query(f"SELECT {columns} FROM proposed_dates WHERE content = ? ORDER BY ord", [corpus.content_of(row)])
    return [ProposedDate(*values) for values in rows]
