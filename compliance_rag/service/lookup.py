"""A question that asks for clauses by number: which ones, of which documents, and all that stands under each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from compliance_rag.answer.numbered import NamedClauses
from compliance_rag.answer.terms import is_han
from compliance_rag.retrieve.question import BESIDES_LIMIT, Asked, read_question, weight_of
from compliance_rag.service.asking import Situation
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
    found = _found(asked, own, situation, chinese=chinese) or _found(asked, named, situation, chinese=chinese)
    clauses = [clause for entry in found for clause in entry if situation.in_force.mask[situation.corpus.row_of(clause)]]
    name = ", ".join(".".join(path) for path in asked.numbers)
    if clauses:
        heads = frozenset(entry[0].clause_id for entry in found)
        return LookUp(name, NamedClauses(tuple({clause.clause_id: clause for clause in clauses}.values()), heads))
    if not found:
        return LookUp(name)
    dormant = found[0][0]
    start = dormant.interval.start
    later = start is not None and situation.as_of < start
    return LookUp(name, out=(dormant, "not_yet_in_force" if later else "expired"))


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
    every = situation.corpus.clauses_of(version.doc_id, version.version_id, situation.knowledge)
    paths = {clause.clause.path for clause in every}
    head = next((own for own in sorted(paths, key=len) if _names(own, path)), None)
    if head is None and chinese and path[-1] == "1" and len(path) > 1:
        above = next((own for own in sorted(paths, key=len) if _names(own, path[:-1])), None)
        head = above if above is not None and not any(own[:-1] == above and own[-1] == "2" for own in paths) else None
    below: set[Path] = set() if head is None else {head}
    found: list[StoredClause] = []
    for clause in every:  # in document order, so that a parent comes before what stands under it
        if clause.clause.path == head or clause.clause.parent in below:
            below.add(clause.clause.path)
            found.append(clause)
    return found


def _names(own: Path, path: Path) -> bool:
    """True when a person who writes ``path`` means ``own``: equal, or below containers only (``part-2``), where numbering
    restarts."""
    before = own[: len(own) - len(path)]
    return own[len(before) :] == path and all("-" in token and not token[0].isdigit() for token in before)
