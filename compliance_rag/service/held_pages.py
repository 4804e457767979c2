"""Pages of scans that were not read well enough: listed, shown beside their pictures, decided about.

A decision is a record, and what is approved or amended gives a new parse of the version, recorded in the same step; the old one
stays for the answers given on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from audit.ledger import Ledger, PartDraft, RecordDraft
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.ingest import known_titles, publish_batch
from compliance_rag.service.plan import REVIEWED_PAGES
from compliance_rag.service.records import read_publication
from compliance_rag.service.review import NOTE_LIMIT, Verdict, checked_words, decision_of
from compliance_rag.service.showing import source_bytes
from compliance_rag.service.stage import stage_bytes
from compliance_rag.show.page import page_png
from compliance_rag.store.rows import VersionRow
from schemas.clause import ParsedVersion
from schemas.dates import print_instant
from schemas.errors import InputRejected, NotFound, UsageError
from schemas.held_page import HeldPage, HeldPageShown
from schemas.manifest import ClauseDates, ManifestEntry
from schemas.objects import Reason

HELD = "held_page"
# A page holds some five thousand characters; the smallest print on the largest sheet ten times that.
PAGE_TEXT_LIMIT = 60_000
_PAGE_ID = re.compile(r"(?P<doc>[^@]+)@(?P<version>.+):page-(?P<page>[1-9]\d{0,6})")


def page_id(row: VersionRow, page: int) -> str:
    """The name of a page of a version."""
    return f"{row.ref}:page-{page}"


def is_page_id(name: str) -> bool:
    """Whether ``name`` is that of a page, not of an answer."""
    return _PAGE_ID.fullmatch(name) is not None


def list_held_pages(handle: HomeHandle, *, decided: bool = False, docs: frozenset[str] | None = None) -> list[HeldPage]:
    """Held pages of versions that stand, in the order recorded: those waiting for a decision, or with ``decided`` all of them.
    ``docs``: the only documents that may be seen. Raises IntegrityError as ``read_publication``."""
    handle.ledger.refresh()
    decisions = _decisions(handle.ledger)
    found = []
    for row in _standing(handle, docs, replaced=decided):
        made = {page: decisions.get((row.doc_id, row.version_id, page), []) for page in _held(handle, row)[1]}
        found += [
            _item(handle, row, page, reason, made[page])
            for page, reason in _held(handle, row)[1].items()
            if decided or not made[page]
        ]
    return found


def show_held_page(handle: HomeHandle, name: str, docs: frozenset[str] | None = None) -> HeldPageShown:
    """A held page with its lines as read. Raises NotFound ``unknown_page``."""
    row, page = _named(handle, name, docs)
    parsed, held = _held(handle, row)
    made = _decisions(handle.ledger).get((row.doc_id, row.version_id, page), [])
    texts: Any = parsed.report.get("held_pages", {})
    item = _item(handle, row, page, held[page], made)
    brought = [
        other.ref
        for other in handle.corpus().versions
        if (other.doc_id, other.version) == (row.doc_id, row.version) and str(page) in other.metadata.get(REVIEWED_PAGES, {})
    ]
    decisions = [decision_of(handle.ledger, header) for header in made]
    revision = brought[-1] if brought else None
    return HeldPageShown(**item.model_dump(), text=texts.get(str(page), ""), decisions=decisions, revision=revision)


def held_page_png(handle: HomeHandle, name: str, docs: frozenset[str] | None = None) -> bytes:
    """The picture of a held page as PNG. Raises NotFound ``unknown_page``; IntegrityError ``source_missing``,
    ``source_damaged``."""
    row, page = _named(handle, name, docs)
    return page_png(source_bytes(handle.home, row), page)


def decide_page(
    handle: HomeHandle,
    name: str,
    *,
    decision: Verdict,
    note: str,
    text: str | None = None,
    actor: str,
    actor_auth: str = "asserted",
    docs: frozenset[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> HeldPageShown:
    """Record a decision about a held page. ``approve``: it was read well enough; ``amend``: ``text`` is what it says, line by
    line; both give a new parse of the version in the same step. ``reject``: it stays held. ``progress`` counts pages read.

    Raises NotFound ``unknown_page``; UsageError ``amend_needs_text``, ``text_not_taken``; InputRejected ``no_note``,
    ``note_too_long``, ``no_text``, ``text_too_long``, ``page_replaced`` and those of reading; IntegrityError.
    """
    row, page = _named(handle, name, docs)
    parts = [PartDraft("note", checked_words(note, "note", NOTE_LIMIT))]
    if decision == "amend":
        if text is None:
            raise UsageError("amend_needs_text", "An amendment needs the page's text; send it with the decision.", "--text")
        parts.append(PartDraft("text", checked_words(text, "text", PAGE_TEXT_LIMIT)))
    elif text is not None:
        raise UsageError("text_not_taken", f"A decision to {decision} takes no text; only `amend` does.", "--text")
    fields = {
        "doc_id": row.doc_id, "version_id": row.version_id, "page": page, "reviews": row.index, "decision": decision,
        "actor": actor, "actor_auth": actor_auth,
    }  # fmt: skip
    record = RecordDraft("review", fields, parts)
    if decision == "reject":
        handle.ledger.append([record])
        return show_held_page(handle, name, docs)
    _revise(handle, row, page, text, record, progress)
    return show_held_page(handle, name, docs)


def _revise(
    handle: HomeHandle,
    row: VersionRow,
    page: int,
    text: str | None,
    record: RecordDraft,
    progress: Callable[[int, int], None] | None,
) -> None:
    """The version parsed anew with the page decided about, published with the record of the decision or not at all."""
    if row.index not in {other.index for other in _standing(handle, None, replaced=False)}:
        raise InputRejected("page_replaced", f"{row.ref} has been replaced; decide about the page of the version that stands.")
    before = {int(number): words for number, words in row.metadata.get(REVIEWED_PAGES, {}).items()}
    entry = _entry(row)
    staged = stage_bytes(
        entry, source_bytes(handle.home, row), handle.home, known_titles(handle, [entry]),
        corrections={**before, page: text}, progress=progress,
    )  # fmt: skip
    actor, actor_auth = record.fields["actor"], record.fields["actor_auth"]
    result = publish_batch(handle, [staged], actor=actor, actor_auth=actor_auth, because=[record])
    if result.rejected:
        raise InputRejected(result.rejected[0]["code"], result.rejected[0]["message"], row.ref)
    if result.unchanged:
        handle.ledger.append([record])


def _entry(row: VersionRow) -> ManifestEntry:
    """The manifest entry that a version was recorded from."""
    told = dict(row.metadata)
    told.pop(REVIEWED_PAGES, None)
    dates = told.pop("clause_dates", {})
    start = row.declared.start
    assert start is not None  # every entry has one
    return ManifestEntry(
        **{key: value for key, value in told.items() if key not in ManifestEntry.model_fields},
        file=told["file"], tracked=told.get("tracked"), correct=True, doc_id=row.doc_id, version=row.version,
        effective_from=start, effective_to=row.declared.end, published_on=row.published_on, title=row.title,
        jurisdiction=row.jurisdiction, language=row.language, kind=row.kind, status=row.status, part_of=row.part_of,
        amends=row.amends, translation_of=row.translation_of, authentic=row.authentic, model_use=row.model_use,
        clause_dates={number: ClauseDates(effective_from=first, effective_to=end) for number, (first, end) in dates.items()},
    )  # fmt: skip


def _standing(handle: HomeHandle, docs: frozenset[str] | None, *, replaced: bool) -> list[VersionRow]:
    """Versions with held pages, each as last recorded; unless ``replaced``, only those that no correction has replaced."""
    corpus = handle.corpus()
    latest = {(row.doc_id, row.version_id): row for row in corpus.versions}
    gone = {(row.doc_id, row.supersedes) for row in latest.values() if row.supersedes is not None}
    rows = sorted(latest.values(), key=lambda row: row.index)
    rows = [row for row in rows if row.flags.get(HELD) and (docs is None or row.doc_id in docs)]
    return [row for row in rows if replaced or (row.doc_id, row.version_id) not in gone]


def _held(handle: HomeHandle, row: VersionRow) -> tuple[ParsedVersion, dict[int, str]]:
    """The recorded parse of a version and its held pages with the reason of each."""
    parsed = read_publication(handle.ledger, handle.home, handle.ledger.header(row.index)).parsed
    return parsed, {flag.page: flag.text for flag in parsed.flags if flag.code == HELD and flag.page is not None}


def _named(handle: HomeHandle, name: str, docs: frozenset[str] | None) -> tuple[VersionRow, int]:
    """The version and number of a held page, of whatever version that ever held it under this name."""
    handle.ledger.refresh()
    match = _PAGE_ID.fullmatch(name)
    unknown = NotFound("unknown_page", f"No page {name!r} is held; `review list` shows those that are.", name)
    if match is None or (docs is not None and match["doc"] not in docs):
        raise unknown
    page = int(match["page"])
    rows = [
        row for row in handle.corpus().versions
        if (row.doc_id, row.version_id) == (match["doc"], match["version"]) and row.flags.get(HELD)
    ]  # fmt: skip
    for row in reversed(rows):
        if page in _held(handle, row)[1]:
            return row, page
    raise unknown


def _item(handle: HomeHandle, row: VersionRow, page: int, reason: str, made: list[dict[str, Any]]) -> HeldPage:
    return HeldPage(
        page_id=page_id(row, page),
        doc_id=row.doc_id,
        version=row.version,
        version_id=row.version_id,
        page=page,
        recorded_at=print_instant(row.recorded_at),
        recorded_by=handle.ledger.header(row.index)["actor"],
        reasons=[Reason(code=HELD, text=reason)],
        decision=decision_of(handle.ledger, made[-1]) if made else None,
    )


def _decisions(ledger: Ledger) -> Mapping[tuple[str, str, int], list[dict[str, Any]]]:
    """Headers of the decisions by page, in the order recorded."""
    found: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for _, header in ledger.headers(0, {"review"}):
        if header.get("page") is not None:
            found.setdefault((header["doc_id"], header["version_id"], header["page"]), []).append(header)
    return found
