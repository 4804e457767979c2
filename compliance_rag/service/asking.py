"""A question as asked, and what is settled before anything is searched: the day, the knowledge, what is in force."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Literal

from audit.ledger import Ledger
from audit.roots import CorpusRoot
from compliance_rag.retrieve.types import Query
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.records import CORPUS_TYPES
from compliance_rag.store.corpus import Corpus
from compliance_rag.store.inforce import Filters, InForceSet
from compliance_rag.store.rows import StoredClause
from compliance_rag.store.timeline import Decision, Knowledge, Upcoming, upcoming
from compliance_rag.structure.dates import question_day
from compliance_rag.structure.schedules import turning_points
from schemas.dates import parse_instant, today
from schemas.errors import InputRejected
from schemas.objects import Follows, RefusalReason

# Longer than any question asked by a person; a document pasted as a question is refused before it is searched or sent.
QUESTION_LIMIT = 4_000
_TICK = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class AskRequest:
    """What is asked and by whom. ``known_at`` None is now; ``as_of`` None lets the question, then today, decide.

    ``permitted`` are the documents that the asker may know of, None for all. ``follows`` is the answer that the question
    follows; once that is read (:mod:`compliance_rag.service.following`), ``question`` is what is worked out, ``said`` what was
    typed, ``reading`` how it was read. ``api_key`` is handed through to the endpoint and goes on no record.
    """

    question: str
    as_of: date | None = None
    known_at: datetime | None = None
    known_basis: Literal["recorded", "published"] = "recorded"
    docs: tuple[str, ...] = ()
    jurisdictions: tuple[str, ...] = ()
    language: str | None = None
    limit: int | None = None
    request_id: str | None = None
    conversation: str | None = None
    follows: str | None = None
    said: str | None = None
    reading: Follows | None = None
    use_model: bool = True
    permitted: frozenset[str] | None = None
    api_key: str | None = field(default=None, repr=False)
    actor: str = "unknown"
    actor_auth: str = "asserted"


@dataclass(frozen=True, slots=True)
class Situation:
    """A question settled in time. ``corpus_root`` is the one to name; ``clarify`` holds what must be asked back before an
    answer is possible."""

    corpus: Corpus
    corpus_root: str
    as_of: date
    as_of_from: Literal["option", "question", "today"]
    knowledge: Knowledge
    in_force: InForceSet
    clarify: tuple[str, ...] = ()


def check_question(question: str, where: str = "question") -> None:
    """Raises InputRejected ``question_empty``, ``question_too_long``; ``where``: what its asker calls it."""
    if not question.strip():
        raise InputRejected("question_empty", f"The {where} is empty.", where)
    if len(question) > QUESTION_LIMIT:
        raise InputRejected(
            "question_too_long", f"The {where} has {len(question)} characters; the limit is {QUESTION_LIMIT}.", where
        )


_SEEN: weakref.WeakKeyDictionary[Ledger, tuple[int, int, datetime | None]] = weakref.WeakKeyDictionary()


def _in_flight(ledger: Ledger, applied: int) -> datetime | None:
    """When the first corpus record after ``applied`` was recorded: a batch that the snapshot does not hold yet."""
    base, upto, found = _SEEN.get(ledger, (-2, 0, None))
    if base != applied:
        base, upto, found = applied, applied + 1, None
    if found is None:
        for _, header in ledger.headers(upto, CORPUS_TYPES):
            found = parse_instant(header["recorded_at"])
            break
        _SEEN[ledger] = (base, ledger.size, found)
    return found


def knowledge_of(
    handle: HomeHandle,
    corpus: Corpus,
    known_at: datetime | None,
    basis: Literal["recorded", "published"],
    recorded_by: datetime | None = None,
    permitted: frozenset[str] | None = None,
) -> Knowledge:
    """What is known: at ``known_at``, or now; of ``permitted`` documents only, where given. Now never reaches past what the
    snapshot holds, so that the same instant gives the same versions ever after; on the published basis the snapshot's own
    instant is kept beside it."""
    now = datetime.now(UTC)
    handle.ledger.refresh()
    pending = _in_flight(handle.ledger, corpus.applied)
    held = now if pending is None else min(now, pending - _TICK)
    newest = max((row.recorded_at for row in corpus.versions), default=held)
    held = max(held, newest)  # a clock set back does not make recorded versions unknown
    return Knowledge(known_at or held, basis, (recorded_by or held) if basis == "published" else None, permitted)


def situate(handle: HomeHandle, request: AskRequest, recorded_by: datetime | None = None) -> Situation:
    """Settle the day, the knowledge and the permitted in-force set.

    Raises InputRejected ``question_empty``, ``question_too_long``, ``unknown_jurisdiction``; NotFound ``unknown_document``.
    """
    check_question(request.question)
    corpus = handle.corpus()
    knowledge = knowledge_of(handle, corpus, request.known_at, request.known_basis, recorded_by, request.permitted)
    as_of_from: Literal["option", "question", "today"] = "option"
    clarify: Sequence[str] = ()
    day = request.as_of
    if day is None:
        found = question_day(request.question)
        clarify = found.clarify
        day, as_of_from = (found.day, "question") if found.day is not None else (today(handle.settings.time_zone), "today")
    filters = Filters(request.docs, request.jurisdictions, request.language)
    root = known_root(handle, corpus, request.permitted)
    return Situation(corpus, root, day, as_of_from, knowledge, corpus.in_force_set(day, knowledge, filters), tuple(clarify))


def known_root(handle: HomeHandle, corpus: Corpus, permitted: frozenset[str] | None) -> str:
    """The corpus root that an answer names: of the whole corpus; to who may know of ``permitted`` documents only, the one with
    the last publication of these, so that it says nothing of what is published of others later."""
    if permitted is None:
        return corpus.corpus_root
    last = next((row.index for row in reversed(corpus.versions) if row.doc_id in permitted), None)
    return CorpusRoot().root if last is None else str(handle.ledger.header(last)["corpus_root"])


def query_of(request: AskRequest, situation: Situation, limit: int) -> Query:
    """The search behind the question."""
    return Query(
        text=request.question,
        as_of=situation.as_of,
        known_at=situation.knowledge.known_at,
        known_basis=situation.knowledge.basis,
        docs=request.docs,
        jurisdictions=request.jurisdictions,
        language=request.language,
        limit=limit,
        permitted=request.permitted,
    )


def none_in_force(decisions: Sequence[Decision]) -> RefusalReason | None:
    """Why nothing in scope is in force; None when something is, or when there is nothing at all. One reason when all documents
    agree, else the general one."""
    if not decisions or any(decision.version is not None for decision in decisions):
        return None
    reasons = {decision.reason for decision in decisions if decision.reason is not None}
    return next(iter(reasons)) if len(reasons) == 1 else "not_in_force"


# Held versions named with a refusal.
UNREAD_LIMIT = 3
_REASONS_ZH: dict[str, str] = {
    "not_in_force": "不在有效期内", "not_yet_in_force": "尚未施行", "gap": "处于两个版本之间的空档", "expired": "已失效",
    "repealed": "已废止", "withdrawn": "已撤回", "held": "正在等待人工审核",
}  # fmt: skip
_STATES_ZH: dict[str, str] = {"held": "正在等待人工审核", "staged": "尚未发布"}


def gaps(situation: Situation, asked: Sequence[str], cited: Sequence[str], *, chinese: bool = False) -> list[str]:
    """Sentences on what is missing in time: documents asked for by name with nothing in force, and versions of cited documents
    that are held or staged though their day has come."""
    found: list[str] = []
    for (doc_id, language), decision in sorted(situation.in_force.decisions.items()):
        if chinese:
            if doc_id in asked or doc_id in cited:
                found += _gaps_zh(situation, decision, asked=doc_id in asked)
            continue
        if decision.version is None and doc_id in asked:
            then = f"; the next version starts on {decision.next_start}" if decision.next_start else ""
            words = (decision.reason or "not_in_force").replace("_", " ")
            found.append(f"No version of {doc_id} ({language}) is in force on {situation.as_of}: {words}{then}.")
        if doc_id in cited or doc_id in asked:
            found += [
                f"Version {row.version} of {doc_id} should apply by its dates and is {row.state}." for row in decision.pending
            ]
    return found


def unread(situation: Situation, *, chinese: bool = False) -> list[str]:
    """A sentence that names what is held for a person though its day has come: what was not found may stand there."""
    rows = [row for decision in situation.in_force.decisions.values() for row in decision.pending if row.state == "held"]
    if not rows:
        return []
    rows.sort(key=lambda row: (row.doc_id, row.version))
    shown = rows[:UNREAD_LIMIT]
    if chinese:
        names = "、".join(f"《{row.title.strip('《》')}》{row.version}" for row in shown)
        return [f"以下文件正在等待人工审核，未予检索：{names}{f'等{len(rows)}份' if len(rows) > len(shown) else ''}。"]
    names = ", ".join(f"{row.title}, {row.version}" for row in shown)
    more = f" and {len(rows) - len(shown)} more" if len(rows) > len(shown) else ""
    return [f"Held for a person and not searched: {names}{more}."]


def _gaps_zh(situation: Situation, decision: Decision, *, asked: bool) -> list[str]:
    standings = situation.corpus.timeline(situation.knowledge).get((decision.doc_id, decision.language), ())
    title = (
        max((item.row for item in standings), key=lambda row: row.index).title.strip("《》") if standings else decision.doc_id
    )
    found: list[str] = []
    if decision.version is None and asked:
        why = _REASONS_ZH[decision.reason or "not_in_force"]
        then = f"，下一版本自{decision.next_start}起施行" if decision.next_start else ""
        found.append(f"《{title}》在{situation.as_of}没有有效版本：{why}{then}。")
    states = [(row.version, _STATES_ZH[row.state]) for row in decision.pending]
    return found + [f"《{title}》的版本{version}按其日期应当适用，但{state}。" for version, state in states]


def changes_ahead(situation: Situation, docs: Sequence[str], cited: Sequence[StoredClause] = ()) -> list[Upcoming]:
    """Known changes after the day asked about, of the documents cited, in the order of their days; then those of the cited
    clauses themselves: the end of one that lapses before its version, and the days that its own words name."""
    timeline = situation.corpus.timeline(situation.knowledge)
    found = [change for doc in dict.fromkeys(docs) for change in upcoming(timeline, doc, situation.as_of)]
    own = [change for clause in cited for change in _own_changes(situation, clause)]
    return found + sorted(dict.fromkeys(own), key=lambda change: (change.day, change.number or ""))


def _own_changes(situation: Situation, clause: StoredClause) -> list[Upcoming]:
    row, end = clause.version, clause.interval.end
    standing = situation.corpus.standing(row.doc_id, row.version_id, situation.knowledge)
    number = clause.clause.number or clause.clause.heading or clause.clause_id
    named = (row.doc_id, row.language, row.version_id, number)
    found = [
        Upcoming(turn.day, "clause_names_day", *named, turn.quote)
        for turn in turning_points(clause.clause.text)
        if turn.day > situation.as_of and (end is None or turn.day < end)
    ]
    if end is not None and standing is not None and end != standing.window.end:
        found.append(Upcoming(end, "clause_ends", *named))
    return found
