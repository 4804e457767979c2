"""Reads that answer no question: documents, outlines, single clauses and their history."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Any

from compliance_rag.store.corpus import EVERYTHING, Corpus
from compliance_rag.store.links import Links, links_of
from compliance_rag.store.rows import StoredClause, VersionRow, unknown_document
from compliance_rag.store.timeline import Knowledge, Standing, correction_of, state
from schemas.canonical import sha256_text
from schemas.dates import print_day, print_instant
from schemas.errors import IntegrityError, NotFound
from schemas.home import Home
from schemas.ids import clause_id
from schemas.objects import DocumentObject, FullClauseObject, ReferenceObject, VersionObject


def version_object(standings: Sequence[Standing], item: Standing, as_of: date) -> VersionObject:
    """A version as `docs` shows it on ``as_of``."""
    row = item.row
    return VersionObject(
        version=row.version,
        version_id=row.version_id,
        effective_from=item.start.isoformat(),
        effective_to=print_day(item.shown_end),
        published_on=print_day(row.published_on),
        recorded_at=print_instant(row.recorded_at),
        state=state(standings, item, as_of),
        clauses=row.clause_count,
        flags=row.flags,
        corrected_by=_corrected_by(standings, item),
        in_force_until=None if item.governed_until == item.shown_end else print_day(item.governed_until),
        void=item.void,
    )


def _corrected_by(standings: Sequence[Standing], item: Standing) -> str | None:
    correction = correction_of(standings, item)
    return None if correction is None else correction.version_id


def standing_marks(corpus: Corpus, row: VersionRow, as_of: date, knowledge: Knowledge = EVERYTHING) -> dict[str, str | None]:
    """``state`` of a version on ``as_of`` and ``corrected_by``, for what is listed by its text: a draft, or words corrected
    since, must not pass for the rule. `outline` shows them only of a version that never governs."""
    standings = corpus.timeline(knowledge)[row.doc_id, row.language]
    item = next(item for item in standings if item.row.version_id == row.version_id)
    return {"state": state(standings, item, as_of), "corrected_by": _corrected_by(standings, item)}


def docs(corpus: Corpus, as_of: date, knowledge: Knowledge = EVERYTHING) -> list[DocumentObject]:
    """Every document known, by id and language, its versions by effective date."""
    found = []
    for (doc_id, language), standings in sorted(corpus.timeline(knowledge).items()):
        newest = max((item.row for item in standings), key=lambda row: row.index)
        versions = [version_object(standings, item, as_of) for item in standings]
        found.append(
            DocumentObject(
                doc_id=doc_id, title=newest.title, jurisdiction=newest.jurisdiction, language=language, versions=versions
            )
        )
    return found


def version_in_force(corpus: Corpus, doc_id: str, as_of: date, knowledge: Knowledge = EVERYTHING) -> VersionRow:
    """The version of ``doc_id`` in force on a day. Raises NotFound ``unknown_document``, ``not_in_force`` with the reason."""
    decisions = [item for (doc, _), item in sorted(corpus.decisions(as_of, knowledge).items()) if doc == doc_id]
    if not decisions:
        raise unknown_document(doc_id, corpus.versions, knowledge.docs)
    for decision in decisions:
        if decision.version is not None:
            return decision.version
    reason = decisions[0].reason
    raise NotFound("not_in_force", f"No version of {doc_id!r} is in force on {as_of.isoformat()} ({reason}).", doc_id)


def outline(
    corpus: Corpus, home: Home, row: VersionRow, as_of: date, *, full: bool = False, knowledge: Knowledge = EVERYTHING
) -> dict[str, Any]:
    """The contract's ``outline``: clause objects with their links in document order, with ``full_text`` when ``full``."""
    clauses = corpus.clauses_of(row.doc_id, row.version_id, knowledge)
    standing = corpus.standing(row.doc_id, row.version_id, knowledge)
    text = extracted_text(home, row) if full else None
    until = None if standing is None or standing.governed_until == standing.shown_end else standing.governed_until
    links = links_of(corpus, clauses, as_of, knowledge)
    items = [full_clause(clause, link, text) for clause, link in zip(clauses, links, strict=True)]
    return {
        "doc_id": row.doc_id,
        "version": row.version,
        "version_id": row.version_id,
        "effective_from": print_day(standing.start if standing else row.declared.start),
        "effective_to": print_day(standing.shown_end if standing else row.declared.end),
        **({} if until is None else {"in_force_until": print_day(until)}),
        **({} if standing is not None and standing.live else standing_marks(corpus, row, as_of, knowledge)),
        "clauses": [_dump(item, full=full) for item in items],
    }


def clause(corpus: Corpus, home: Home, name: str, as_of: date, *, knowledge: Knowledge = EVERYTHING) -> dict[str, Any]:
    """One clause with its links and its full text."""
    found = corpus.clause(name, knowledge)
    (links,) = links_of(corpus, [found], as_of, knowledge)
    return _dump(full_clause(found, links, extracted_text(home, found.version)), full=True)


def extracted_text(home: Home, row: VersionRow) -> str:
    """A version's extracted text, its hash checked now. Raises IntegrityError ``extracted_missing``, ``extracted_damaged``."""
    path = home.extracted(row.extracted_sha256)
    try:
        text = path.read_bytes().decode("utf-8")
    except FileNotFoundError as error:
        raise IntegrityError(
            "extracted_missing", f"The extracted text of {row.ref} is gone; run rebuild.", path.name
        ) from error
    except UnicodeDecodeError as error:
        raise IntegrityError(
            "extracted_damaged", f"The extracted text of {row.ref} is damaged; run rebuild.", path.name
        ) from error
    if sha256_text(text) != row.extracted_sha256:
        raise IntegrityError("extracted_damaged", f"The extracted text of {row.ref} is damaged; run rebuild.", path.name)
    return text


def full_clause(found: StoredClause, links: Links, text: str | None) -> FullClauseObject:
    """A clause object with its links; ``text`` is the extracted text when the full text is wanted."""
    doc_id, version_id = found.version.doc_id, found.version.version_id
    references = [
        ReferenceObject(text=item.reference.text, span=item.reference.span, mode=item.reference.mode, target=item.target)
        for item in links.references
    ]
    definitions = [
        {
            "term": item.term,
            "scope": item.scope if item.scope == "document" else clause_id(doc_id, version_id, item.scope.split("/")),
        }
        for item in links.definitions
    ]
    start, end = found.clause.full_span
    return FullClauseObject(
        **found.fields(),
        references=references,
        definitions=definitions,
        terms_used=[{"term": term, "target": target} for term, target in links.uses],
        exceptions=list(links.exceptions),
        excepts=list(links.excepts),
        full_text=None if text is None else text[start:end],
    )


def _dump(item: FullClauseObject, *, full: bool) -> dict[str, Any]:
    return item.model_dump(mode="json", exclude=None if full else {"full_text"})
