"""From a clause tree to a linked version: terms, references, exceptions, kinds, risks, dates, flags and the report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import date

from compliance_rag.parse.collector import collector_paused
from compliance_rag.structure.calendar import find_dates
from compliance_rag.structure.exceptions import find_exceptions
from compliance_rag.structure.kinds import kinds_of
from compliance_rag.structure.proposals import Proposal, disagreements, propose
from compliance_rag.structure.references import Linked, ReferenceFinder
from compliance_rag.structure.report import structure_report
from compliance_rag.structure.risks import risks_of
from compliance_rag.structure.terms import find_definitions, find_term_uses
from compliance_rag.structure.tree import Tree, View
from schemas.clause import Clause, ExceptionLink, Flag, ParsedVersion, Path

_NO_TITLES: Mapping[str, str] = {}
_DATE_FLAGS = {
    "ambiguous": ("ambiguous_date", "day and month of this date may be swapped"),
    "two_digit_year": ("ambiguous_date", "the year of this date has two digits"),
    "impossible": ("impossible_date", "no calendar has this day"),
    "unreadable": ("unreadable_date", "a date was expected here"),
}


def analyse(
    parsed: ParsedVersion,
    *,
    doc_id: str,
    title: str | None,
    known_titles: Mapping[str, str] = _NO_TITLES,
    effective_from: date | None = None,
    published_on: date | None = None,
    amends: str | None = None,
    part_of: str | None = None,
) -> ParsedVersion:
    """``parsed`` with its links, kinds, risks, proposed dates, flags and report filled in; clause texts and hashes untouched.

    ``known_titles``: lower-cased titles and short names of other documents → doc id. ``effective_from``: the version's
    declared day, compared with what the text prints. ``published_on`` resolves "the day after publication".
    ``amends``: the document this one amends; bare clause numbers of its instructions are then that document's. ``part_of``: the
    one it belongs to, which it may call "the Master Agreement".
    A reference to a whole document has the empty path as target; a target in another document is the path its number
    names, to be looked up there. The same input gives the same output.
    """
    with collector_paused():
        return _analyse(parsed, doc_id, title, known_titles, effective_from, published_on, amends, part_of)


def _analyse(
    parsed: ParsedVersion,
    doc_id: str,
    title: str | None,
    known_titles: Mapping[str, str],
    effective_from: date | None,
    published_on: date | None,
    amends: str | None,
    part_of: str | None,
) -> ParsedVersion:
    tree = Tree(parsed.clauses)
    views = {clause.path: View(clause) for clause in parsed.clauses}
    finder = ReferenceFinder(tree, doc_id, title or parsed.title, known_titles, amends, part_of)
    linked = {clause.path: finder.find(clause, views[clause.path]) for clause in parsed.clauses}
    definitions = find_definitions(tree, views)
    uses = find_term_uses(tree, views, definitions)
    exceptions = tuple(
        dict.fromkeys(
            link for clause in parsed.clauses for link in find_exceptions(tree, clause, views[clause.path], linked[clause.path])
        )
    )
    proposals = propose(tree, views, parsed.extracted, parsed.language, published_on)
    flags = tuple(dict.fromkeys(_flags(parsed, views, linked, tree, proposals, effective_from)))
    clauses = _filled(parsed.clauses, views, {item.path for item in definitions}, exceptions, flags)
    references = tuple(
        item for clause in parsed.clauses for item in (*linked[clause.path].headed, *linked[clause.path].references)
    )
    dangling = tuple(item for clause in parsed.clauses for item in linked[clause.path].dangling)
    proposed = tuple(dict.fromkeys(item.proposed for item in proposals))
    external = sum(item.external for item in linked.values())
    report = structure_report(clauses, definitions, uses, references, dangling, external, exceptions, proposed, flags)
    return replace(
        parsed,
        clauses=clauses,
        definitions=definitions,
        term_uses=uses,
        references=references,
        exceptions=exceptions,
        proposed_dates=proposed,
        flags=(*parsed.flags, *flags),
        report={**parsed.report, **report},
    )


def _flags(
    parsed: ParsedVersion,
    views: Mapping[Path, View],
    linked: Mapping[Path, Linked],
    tree: Tree,
    proposals: tuple[Proposal, ...],
    effective_from: date | None,
) -> Iterator[Flag]:
    unconfirmed = _unconfirmed(tree, proposals)
    for clause in parsed.clauses:
        for item in linked[clause.path].dangling:
            yield Flag("dangling_reference", f"{item.text!r} names no clause of this document.", clause.path, clause.page)
        for found in find_dates(views[clause.path].text, parsed.language):
            if found.rule in _DATE_FLAGS:
                code, why = _DATE_FLAGS[found.rule]
                yield Flag(code, f"{found.text!r}: {why}.", clause.path, clause.page)
        if clause.path in unconfirmed:
            yield Flag("dates_unconfirmed", unconfirmed[clause.path], clause.path, clause.page)
    yield from disagreements(proposals, effective_from)


def _unconfirmed(tree: Tree, proposals: tuple[Proposal, ...]) -> dict[Path, str]:
    """Clauses under a proposed date of their own, sub-clauses included, unless they carry confirmed dates."""
    said: dict[Path, str] = {}
    for item in proposals:
        if item.touches is not None:
            said.setdefault(
                item.touches, f"The text dates this clause ({item.proposed.quote[:120]!r}); nobody has confirmed it."
            )
    if not said:
        return {}
    touched: dict[Path, str] = {}
    for clause in tree.clauses:
        chain = list(tree.ancestors(clause))
        if any(up.effective_from or up.effective_to for up in chain):
            continue
        hit = next((said[up.path] for up in chain if up.path in said), None)
        if hit is not None:
            touched[clause.path] = hit
    return touched


def _filled(
    clauses: tuple[Clause, ...],
    views: Mapping[Path, View],
    defining: set[Path],
    exceptions: tuple[ExceptionLink, ...],
    flags: tuple[Flag, ...],
) -> tuple[Clause, ...]:
    excepting = {link.path for link in exceptions}
    codes: dict[Path, list[str]] = {}
    for flag in flags:
        if flag.path is not None:
            codes.setdefault(flag.path, []).append(flag.code)
    return tuple(
        replace(
            clause,
            kinds=kinds_of(clause, views[clause.path], defines=clause.path in defining, excepts=clause.path in excepting),
            risks=risks_of(views[clause.path]),
            flags=tuple(dict.fromkeys((*clause.flags, *codes.get(clause.path, ())))),
        )
        for clause in clauses
    )
