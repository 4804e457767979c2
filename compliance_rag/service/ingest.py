"""Publishing staged versions: into every store or into none, in one batch (law 8)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from audit.ledger import PartDraft, RecordDraft
from audit.roots import CorpusRoot, publication_row
from compliance_rag.service.events import recorded
from compliance_rag.service.homes import HomeHandle, roll_forward
from compliance_rag.service.plan import Planned, Planner
from compliance_rag.service.project import Checkpoint, clear_intent, no_checkpoint, project, write_intent
from compliance_rag.service.records import as_published, indexed_texts, publication_draft, read_publication
from compliance_rag.service.settings_record import settings_changed
from compliance_rag.service.stage import Rejected, Staged
from compliance_rag.store.clauses import publication_fields
from compliance_rag.store.indexed import text_key
from compliance_rag.store.lock import writer_lock
from compliance_rag.store.naming import waiting_version
from compliance_rag.store.rows import VersionRow
from schemas.dates import print_day
from schemas.errors import InputRejected
from schemas.manifest import ManifestEntry

Progress = Callable[[int, int], None]


@dataclass(slots=True)
class AddResult:
    """What `add` did, in manifest order. ``made_stale``: past answers that it made stale; not in the contract's shape."""

    published: list[dict[str, Any]] = field(default_factory=list)
    unchanged: list[dict[str, Any]] = field(default_factory=list)
    held: list[dict[str, Any]] = field(default_factory=list)
    rejected: list[dict[str, Any]] = field(default_factory=list)
    flags: dict[str, int] = field(default_factory=dict)
    proposed_dates: list[dict[str, Any]] = field(default_factory=list)
    corpus_root: str = ""
    made_stale: int = 0

    def as_json(self) -> dict[str, Any]:
        """The contract's shape."""
        return {name: getattr(self, name) for name in self.__slots__ if name != "made_stale"}


def known_titles(handle: HomeHandle, entries: Sequence[ManifestEntry]) -> dict[str, str]:
    """Document ids by lower-cased title, of the home and of a manifest, for :func:`compliance_rag.service.stage.stage`. A title
    that two documents share names neither."""
    named = [(row.title, row.doc_id) for row in handle.corpus().versions]
    named += [(entry.title, entry.doc_id) for entry in entries if entry.title]
    documents: dict[str, set[str]] = {}
    for title, doc_id in named:
        documents.setdefault(title.lower(), set()).add(doc_id)
    return {title: ids.pop() for title, ids in sorted(documents.items()) if len(ids) == 1}


def publish_batch(
    handle: HomeHandle,
    staged: Sequence[Staged | Rejected],
    *,
    actor: str,
    actor_auth: str = "asserted",
    progress: Progress | None = None,
    checkpoint: Checkpoint = no_checkpoint,
    because: Sequence[RecordDraft] = (),
) -> AddResult:
    """Record and publish what is new among ``staged``; a bad one never stops the others.

    Order: caches of indexed texts, the intent, the ledger, the clause tables, the published copy, the pointer. Killed anywhere,
    the home works and the same call again finishes the rest. ``progress(done, total)`` counts embedded pieces; ``because`` are
    records that go before the publications, in the same step. Raises IntegrityError from the stores.
    """
    result = AddResult()
    with writer_lock(handle.home):
        roll_forward(handle)
        handle.ledger.refresh()
        planner = Planner(handle.corpus(), handle.settings.publishing.second_person)
        for item in staged:
            _plan(planner, item, result)
        if planner.planned:
            index_texts(handle, planner.planned, progress)
            checkpoint("indexed")
            commit(handle, [*because, *_drafts(handle, planner.planned, actor, actor_auth)], checkpoint)
        result.corpus_root = handle.corpus().corpus_root
    return result


def refuse_early(handle: HomeHandle, staged: Sequence[Staged | Rejected]) -> list[Staged | Rejected]:
    """``staged`` with those whose label is taken turned into their reasons before anything is embedded for them; the files that
    they left are taken away."""
    planner = Planner(handle.corpus(), handle.settings.publishing.second_person)
    checked: list[Staged | Rejected] = []
    refused: list[Staged] = []
    for item in staged:
        try:
            if isinstance(item, Staged):
                planner.check(item)
            checked.append(item)
        except InputRejected as error:
            checked.append(Rejected(item.entry, error.code, error.message))
            refused += [item] if isinstance(item, Staged) else []
    _discard(handle, refused, [item for item in checked if isinstance(item, Staged)])
    return checked


def _discard(handle: HomeHandle, refused: Sequence[Staged], wanted: Sequence[Staged]) -> None:
    """Take away the files of refused versions, unless a recorded version or one still wanted has the same."""
    rows = handle.corpus().versions
    sources = {row.source_sha256 for row in rows} | {item.parsed.source_sha256 for item in wanted}
    texts = {row.extracted_sha256 for row in rows} | {item.parsed.extracted_sha256 for item in wanted}
    for item in refused:
        if item.parsed.source_sha256 not in sources:
            handle.home.source(item.parsed.source_sha256).unlink(missing_ok=True)
        if item.parsed.extracted_sha256 not in texts:
            handle.home.extracted(item.parsed.extracted_sha256).unlink(missing_ok=True)


def _plan(planner: Planner, item: Staged | Rejected, result: AddResult) -> None:
    if isinstance(item, Rejected):
        result.rejected.append({"file": item.entry.file, "code": item.code, "message": item.message})
        return
    try:
        planned = planner.plan(item)
    except InputRejected as error:
        result.rejected.append({"file": item.entry.file, "code": error.code, "message": error.message})
        return
    if isinstance(planned, VersionRow):
        result.unchanged.append(_named(planned))
        return
    row = planned.row
    if row.state == "published":
        result.published.append(_named(row) | _balance(planned))
    else:
        reasons = [{"code": code, "text": text} for code, text in planned.reasons]
        if row.state == "staged":
            text = f"{row.doc_id} {row.version!r} waits for another person to publish it."
            reasons.append({"code": "second_person", "text": text})
        result.held.append(_named(row) | {"reasons": reasons} | _balance(planned))
    result.flags = dict(sorted((Counter(result.flags) + Counter(row.flags)).items()))
    result.proposed_dates.extend(
        {
            "doc_id": row.doc_id, "version_id": row.version_id, "number": date.number,
            "effective_from": print_day(date.effective_from), "effective_to": print_day(date.effective_to), "quote": date.quote,
        } for date in planned.parsed.proposed_dates
    )  # fmt: skip


def _named(row: VersionRow) -> dict[str, Any]:
    return {
        "doc_id": row.doc_id, "version": row.version, "version_id": row.version_id, "clauses": row.clause_count,
        "root": row.root,
    }  # fmt: skip


def _balance(planned: Planned) -> dict[str, Any]:
    """Visible characters in clauses, in furniture and in a flagged remainder, as the parse counted them."""
    balance = planned.parsed.report.get("balance")
    return {"balance": balance} if balance else {}


def index_texts(handle: HomeHandle, planned: Sequence[Planned], progress: Progress | None = None) -> None:
    """Add what the clauses are found by to the postings and the vectors: caches by content, so a crash after loses nothing."""
    texts: dict[str, str] = {}
    for item in planned:
        texts |= {text_key(text): text for text in indexed_texts(item.row.title, item.parsed.clauses) if text}
    add_indexed(handle, texts, progress)


def add_indexed(handle: HomeHandle, texts: dict[str, str], progress: Progress | None = None) -> None:
    """Add ``{text_key: indexed text}`` to postings and vectors; needs the writer lock."""
    from compliance_rag.store.postings import Postings
    from compliance_rag.store.vectors import Vectors

    if not texts:
        return
    Postings.open(handle.home.postings).append(texts)
    embedder = handle.embedder
    Vectors.open(handle.vectors_uri, embedder.identity).add(texts, embedder.encode_passages, progress)


def _drafts(handle: HomeHandle, planned: Sequence[Planned], actor: str, actor_auth: str) -> list[RecordDraft]:
    """The records of a batch, each naming the corpus root with it."""
    roots = CorpusRoot(publication_fields(row) for row in handle.corpus().versions)
    drafts = []
    for item in planned:
        root = roots.add(publication_row(publication_fields(item.row)))
        drafts.append(publication_draft(item.row, item.parsed, item.lineage, root, actor, actor_auth))
    return drafts


def commit(handle: HomeHandle, drafts: Sequence[RecordDraft], checkpoint: Checkpoint = no_checkpoint) -> None:
    """Intent, ledger, clause tables, published copy, pointer. Needs the writer lock and nothing pending."""
    write_intent(handle.tables, handle.ledger.size)
    checkpoint("intent")
    try:
        actor, actor_auth = drafts[0].fields["actor"], drafts[0].fields["actor_auth"]
        handle.ledger.append([*settings_changed(handle.ledger, handle.settings, actor, actor_auth), *drafts])
    except InputRejected:
        clear_intent(handle.tables)
        raise
    checkpoint("ledger")
    project(handle.home, handle.tables, handle.ledger, checkpoint)
    recorded(handle, dict(Counter(draft.type for draft in drafts)))


def publish_staged(
    handle: HomeHandle, doc_id: str, version: str, *, actor: str, actor_auth: str = "asserted", note: str = ""
) -> AddResult:
    """Publish a version that another person staged. Publishing it again is unchanged.

    Raises NotFound ``unknown_document``, ``unknown_version``; InputRejected ``same_person``, ``held``.
    """
    result = AddResult()
    with writer_lock(handle.home):
        roll_forward(handle)
        handle.ledger.refresh()
        corpus = handle.corpus()
        row = waiting_version(corpus, doc_id, version)
        if row.state == "published":
            result.unchanged.append(_named(row))
        else:
            header = handle.ledger.header(row.index)
            if row.state == "held":
                raise InputRejected("held", f"{row.ref} is held: add it again with what its reasons ask for.", row.ref)
            if header["actor"] == actor:
                raise InputRejected(
                    "same_person", f"{row.ref} was staged by {actor!r}; another person must publish it.", row.ref
                )
            stored = read_publication(handle.ledger, handle.home, header)
            published = replace(as_published(row), index=-1)
            planned = Planned(published, stored.parsed, tuple(stored.lineage))
            drafts = _drafts(handle, [planned], actor, actor_auth)
            if note:
                drafts = [replace(draft, parts=(*draft.parts, PartDraft("note", note.encode()))) for draft in drafts]
            commit(handle, drafts)
            result.published.append(_named(published))
        result.corpus_root = handle.corpus().corpus_root
    return result
