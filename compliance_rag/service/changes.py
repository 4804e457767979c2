"""`changes`: two versions, named or given by a day, compared."""

from __future__ import annotations

from datetime import date

from compliance_rag.answer.terms import is_han
from compliance_rag.changes.about import about as concerning
from compliance_rag.changes.changes import list_changes
from compliance_rag.changes.html import changes_html
from compliance_rag.changes.sides import load_pair
from compliance_rag.service.cited_from import with_citations_elsewhere
from compliance_rag.service.reads import version_in_force, version_object
from compliance_rag.store.corpus import EVERYTHING, Corpus
from compliance_rag.store.naming import version_named
from compliance_rag.store.rows import VersionRow
from compliance_rag.store.timeline import Knowledge
from schemas.dates import parse_day
from schemas.errors import InputRejected, NotFound
from schemas.objects import Changes, VersionObject


def find_version(corpus: Corpus, doc_id: str, name: str, knowledge: Knowledge = EVERYTHING) -> VersionRow:
    """The version ``name`` means: an exact label (of corrections the last one known) or version id wins, else the one in force
    on that day.

    Raises NotFound ``unknown_document``, ``unknown_version``, ``not_in_force``.
    """
    try:
        return version_named(corpus, doc_id, name, knowledge)
    except NotFound as missing:
        if missing.code != "unknown_version":
            raise
        try:
            day = parse_day(name)
        except InputRejected:
            raise missing from None
    return version_in_force(corpus, doc_id, day, knowledge)


def changes(
    corpus: Corpus,
    doc_id: str,
    from_version: str,
    to_version: str,
    today: date,
    knowledge: Knowledge = EVERYTHING,
    *,
    about: str | None = None,
) -> Changes:
    """What changed in ``doc_id`` between two versions, each a label, an id or a day; ``today`` dates the versions' states.
    ``about``: only the changes that this question is about, best first; it picks among what is there and says nothing of its
    own, so that nothing goes on record.

    Raises NotFound as :func:`find_version`; IntegrityError when a stored clause is damaged.
    """
    before = find_version(corpus, doc_id, from_version, knowledge)
    after = find_version(corpus, doc_id, to_version, knowledge)
    pair = load_pair(corpus, before, after, knowledge)
    sides = {"from": _version(corpus, before, today, knowledge), "to": _version(corpus, after, today, knowledge)}
    found = with_citations_elsewhere(corpus, after, list_changes(pair), today, knowledge)
    if about is not None:
        found = concerning(pair, found, about)
    return Changes(doc_id=doc_id, **sides, changes=found)


def redline_page(
    corpus: Corpus,
    found: Changes,
    knowledge: Knowledge = EVERYTHING,
    *,
    question: str | None = None,
    language: str | None = None,
) -> str:
    """The same as one HTML file, framed in ``language``, by default that of the document or of the ``question`` it is about.
    Raises NotFound as :func:`find_version`."""
    row = corpus.find_version(found.doc_id, found.to.version_id, knowledge)
    asked = None if question is None else "zh" if is_han(question) else "en"
    return changes_html(found, row.title, language or asked or row.language)


def language_of(corpus: Corpus, found: Changes, knowledge: Knowledge = EVERYTHING) -> str:
    """The language of the version after: what is said about its changes is said in it. Raises NotFound as
    :func:`find_version`."""
    return corpus.find_version(found.doc_id, found.to.version_id, knowledge).language


def _version(corpus: Corpus, row: VersionRow, today: date, knowledge: Knowledge) -> VersionObject:
    standings = corpus.timeline(knowledge)[row.doc_id, row.language]
    item = next(item for item in standings if item.row.version_id == row.version_id)
    return version_object(standings, item, today)
