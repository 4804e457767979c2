"""Links of clauses as known on a day: definitions by term, exceptions both ways, references resolved, children, lineage."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from compliance_rag.store.clauses import split_path
from compliance_rag.store.corpus import EVERYTHING, Corpus
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
    rids = [corpus.row_of(clause) for clause in clauses]
    if not rids:
        return []
    inside = f"IN ({', '.join(map(str, sorted(set(rids))))})"
    uses = _pairs(corpus, "term_uses", "rid", "term", "target_rid", inside)
    by = _pairs(corpus, "exceptions", "modifies_rid", "''", "rid", inside)
    to = _pairs(corpus, "exceptions", "rid", "''", "modifies_rid", inside)
    terms: dict[int, list[Definition]] = defaultdict(list)
    for rid, path, term, scope, aliases, exclusion in corpus.query(
        "SELECT d.rid, c.path, d.term, d.scope, d.aliases, d.exclusion FROM definitions d JOIN clauses c USING (rid) "
        f"WHERE d.rid {inside} ORDER BY d.rid, d.term"
    ):
        terms[rid].append(Definition(term, split_path(path), scope, tuple(aliases), exclusion))
    references = _references(corpus, clauses, rids, as_of, knowledge)
    result = []
    for rid, clause in zip(rids, clauses, strict=True):
        own = clause.version
        result.append(
            Links(
                tuple(terms[rid]),
                tuple((term, clause_id(own.doc_id, own.version_id, split_path(path))) for term, path in uses[rid]),
                tuple(references[rid]),
                tuple(clause_id(own.doc_id, own.version_id, split_path(path)) for _, path in by[rid]),
                tuple(clause_id(own.doc_id, own.version_id, split_path(path)) for _, path in to[rid]),
            )
        )
    return result


def _pairs(corpus: Corpus, table: str, own: str, word: str, other: str, inside: str) -> dict[int, list[tuple[str, str]]]:
    """(word, path of the other clause) by own row, in document order of what is pointed at."""
    found: dict[int, list[tuple[str, str]]] = defaultdict(list)
    rows = corpus.query(
        f"SELECT l.{own}, {word}, c.rid, c.path FROM {table} l JOIN clauses c ON c.rid = l.{other} WHERE l.{own} {inside}"
    )
    for rid, name, _, path in sorted(rows):
        if (name, path) not in found[rid]:
            found[rid].append((name, path))
    return found


def _references(
    corpus: Corpus, clauses: Sequence[StoredClause], rids: Sequence[int], as_of: date, knowledge: Knowledge
) -> dict[int, list[ResolvedReference]]:
    owners = dict(zip(rids, clauses, strict=True))
    rows = corpus.query(
        "SELECT rid, text, start_at, end_at, mode, target, target_doc, edition FROM refs "
        f"WHERE rid IN ({', '.join(map(str, sorted(owners)))}) ORDER BY rid, start_at, end_at, target"
    )
    meant: list[tuple[int, Reference, VersionRow | None, str | None]] = []
    for rid, text, start, end, mode, target, target_doc, edition in rows:
        owner = owners[rid]
        path = None if target is None else split_path(target)
        reference = Reference(owner.clause.path, text, (start, end), mode, path, target_doc, edition)
        version = referred_version(corpus, owner.version, reference, as_of, knowledge)
        named = clause_id(version.doc_id, version.version_id, path) if version is not None and path else None
        meant.append((rid, reference, version, named))
    held = corpus.row_ids([named for _, _, _, named in meant if named is not None], knowledge)
    found: dict[int, list[ResolvedReference]] = defaultdict(list)
    for rid, reference, version, named in meant:
        found[rid].append(ResolvedReference(reference, named if named in held else None, version))
    return found


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
    first = corpus.first_row(clause.version)
    rows = corpus.query(
        "SELECT rid FROM clauses WHERE rid >= ? AND rid < ? AND parent = ? ORDER BY rid",
        [first, first + clause.version.clause_count, "/".join(clause.clause.path)],
    )
    return corpus.by_rows([rid for (rid,) in rows], knowledge)


def history(corpus: Corpus, lineage_id: str, knowledge: Knowledge = EVERYTHING) -> list[StoredClause]:
    """One clause through its versions as known, in the order recorded; what a later record of the same version replaced
    (held, then published) is left out."""
    rows = corpus.query("SELECT rid FROM clauses WHERE lineage_id = ? ORDER BY rid", [lineage_id])
    found = corpus.by_rows([rid for (rid,) in rows], knowledge)
    known = corpus.view(knowledge).by_index
    return [clause for clause in found if clause.version.index in known]


def defined_terms(corpus: Corpus, versions: Iterable[VersionRow]) -> list[tuple[int, Definition]]:
    """Every definition in these versions with the row of its clause, by row."""
    contents = sorted({corpus.content_of(row) for row in versions})
    if not contents:
        return []
    rows = corpus.query(
        "SELECT d.rid, c.path, d.term, d.scope, d.aliases, d.exclusion FROM definitions d JOIN clauses c USING (rid) "
        f"WHERE d.content IN ({', '.join(map(str, contents))}) ORDER BY d.rid, d.term"
    )
    return [
        (rid, Definition(term, split_path(path), scope, tuple(aliases), exclusion))
        for rid, path, term, scope, aliases, exclusion in rows
    ]


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
