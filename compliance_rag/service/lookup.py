"""A question that asks for clauses by number: which ones, of which documents, and all that stands under each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compliance_rag.answer.numbered import NamedClauses
from compliance_rag.answer.terms import is_han
from compliance_rag.retrieve.question import BESIDES_LIMIT, Asked, read_question, weight_of
from compliance_rag.retrieve.search import names_clause
from compliance_rag.service.asking import Situation
from compliance_rag.service.dormant import own_reason
from compliance_rag.store.linked import VersionLinks
from compliance_rag.store.rows import StoredClause, VersionRow
from compliance_rag.store.tokens import is_phrase, terms
from schemas.clause import Path
from schemas.objects import RefusalReason


@dataclass(frozen=True, slots=True)
class LookUp:
    """``named``: the clauses asked for that are permitted and in force. ``out``: one of that number which is not in force on
    the day, and why. Neither: no document in scope has the number. ``name`` is the number as a person writes it."""

    name: str
    named: NamedClauses | None = None
    out: tuple[StoredClause, RefusalReason] | None = None


def look_up(question: str, situation: Situation) -> LookUp | None:
    """What a question that asks for clauses by number gets; None for every other question.

    Words that name a document ("Article 5 of the Road Transport Regulations") choose it; without them every document in scope
    that has the number is meant, those in the language of the question before others.
    """
    asked = read_question(question)
    versions = situation.in_force.versions
    if not asked.numbers or not versions:
        return None
    named, rest = _documents(asked, versions)
    if weight_of(rest) > BESIDES_LIMIT:
        return None
    chinese = is_han(question)
    own = [version for version in named if version.language.startswith("zh") == chinese]
    others = [version for version in named if version not in own]
    found = _found(asked, own, situation, chinese=chinese) or _found(asked, others, situation, chinese=chinese)
    clauses = [clause for entry in found for clause in entry if situation.in_force.mask[situation.corpus.row_of(clause)]]
    name = ", ".join(".".join(path) for path in asked.numbers)
    if clauses:
        heads = frozenset(entry[0].clause_id for entry in found)
        return LookUp(name, NamedClauses(tuple({clause.clause_id: clause for clause in clauses}.values()), heads))
    if not found:
        return LookUp(name)
    dormant = found[0][0]
    return LookUp(name, out=(dormant, own_reason(dormant.interval, situation)))


def _documents(asked: Asked, versions: Sequence[VersionRow]) -> tuple[list[VersionRow], tuple[str, ...]]:
    """The versions that the question names by words of their title, all of them when it names none; and the words left over."""
    held = {version.ref: frozenset(terms(f"{version.title} {version.doc_id.replace('-', ' ')}")) for version in versions}
    fit = {
        version.ref: sum(1 for word in asked.besides if not is_phrase(word) and word in held[version.ref])
        for version in versions
    }
    most = max(fit.values())
    if not most:
        return list(versions), asked.besides
    named = [version for version in versions if fit[version.ref] == most]
    known = frozenset().union(*(held[version.ref] for version in named))
    return named, tuple(word for word in asked.besides if word not in known)


def _found(asked: Asked, versions: Sequence[VersionRow], situation: Situation, *, chinese: bool) -> list[list[StoredClause]]:
    """For each version that has one of the numbers, the clause and what stands under it."""
    found = [_under(path, version, situation, chinese=chinese) for version in versions for path in asked.numbers]
    return [entry for entry in found if entry]


def _under(path: Path, version: VersionRow, situation: Situation, *, chinese: bool) -> list[StoredClause]:
    """The clause of that number and all below it, in document order; empty when the version has none. A single paragraph is
    not numbered in a Chinese text, so that its first is the article itself."""
    links = situation.corpus.links(version)
    head = _row(links, path)
    if head is None and chinese and path[-1] == "1" and len(path) > 1:
        above = _row(links, path[:-1])
        head = above if above is not None and f"{links.path_of[above]}/2" not in links.row_of else None
    below: set[int] = set() if head is None else {head}
    for row in links.path_of:  # in document order, so that a parent comes before what stands under it
        if links.parent_of.get(row) in below:
            below.add(row)
    return situation.corpus.by_rows(sorted(below), situation.knowledge)


def _row(links: VersionLinks, path: Path) -> int | None:
    """The row of the clause that ``path`` names, the one least deep where containers hold several."""
    named = [own for own in links.row_of if names_clause("/".join(path), own)]
    return links.row_of[min(named, key=lambda own: own.count("/"))] if named else None
