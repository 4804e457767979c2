"""The Python API: one home, one person, a handful of calls that return the published objects. The HTTP service, the page and
the MCP server are made of the same calls.

    from compliance_rag.faces.api import open_rules

    rules = open_rules("/srv/rules", actor="ada")
    answer = rules.ask("Within what time must a lost key be reported?", as_of="2024-11-29")
    print(answer.answer, answer.citations[0].clause_id, answer.citations[0].quote)
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from compliance_rag.faces.desk import Desk, Here
from compliance_rag.faces.environment import environment_value, read_context
from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.keys import ROLES, Bearer
from compliance_rag.service.readings import Way
from compliance_rag.service.review import Verdict
from compliance_rag.store.timeline import Knowledge
from schemas.dates import parse_day, parse_instant, today
from schemas.errors import NotFound
from schemas.held_page import HeldPage, HeldPageShown
from schemas.objects import Answer, Changes, DocumentObject, ReviewItem, ReviewShown, SearchResult
from schemas.stale import StaleItem
from schemas.texts import check_texts

if TYPE_CHECKING:
    from compliance_rag.service.ingest import AddResult

Basis = Literal["recorded", "published"]
Day = date | str | None
Instant = datetime | str | None

DEFAULT_HITS = 10


class Rules:
    """What one person may do with a home. Days are dates or ``YYYY-MM-DD``, instants are aware datetimes or RFC 3339 text;
    ``known_at`` None means now. Safe for several threads. Every call raises the errors of :mod:`schemas.errors`."""

    def __init__(self, handle: HomeHandle, bearer: Bearer, desk: Desk | None = None) -> None:
        """Use :func:`open_rules`. ``desk`` None: questions are worked out here."""
        self.handle = handle
        self.bearer = bearer
        self._desk = desk or Here(handle)

    def ask(
        self,
        question: str,
        *,
        as_of: Day = None,
        known_at: Instant = None,
        known_basis: Basis = "recorded",
        docs: Sequence[str] = (),
        jurisdictions: Sequence[str] = (),
        language: str | None = None,
        limit: int | None = None,
        request_id: str | None = None,
        conversation: str | None = None,
        follows: str | None = None,
        use_model: bool = True,
    ) -> Answer:
        """An answer with validated citations and its receipt, on the ledger before this returns. A refusal is an answer.
        ``follows``: the id of the answer that the question follows; the answer's ``follows`` says how it was read."""
        from compliance_rag.service.asking import AskRequest
        from compliance_rag.service.readings import answer_header

        names = {"doc": docs, "jurisdiction": jurisdictions, "language": language, "request_id": request_id}
        check_texts({"question": question, **names, "conversation": conversation, "follows": follows})
        if follows is not None:
            answer_header(self.handle, follows, self.bearer)
        settings = self.handle.settings.model
        request = AskRequest(
            question=question,
            as_of=_day(as_of, "as_of"),
            known_at=_instant(known_at, "known_at"),
            known_basis=known_basis,
            docs=tuple(docs),
            jurisdictions=tuple(jurisdictions),
            language=language,
            limit=limit,
            request_id=request_id,
            conversation=conversation,
            follows=follows,
            use_model=use_model,
            permitted=self.bearer.docs,
            api_key=environment_value(settings.api_key_env) if settings.base_url else None,
            actor=self.bearer.name,
            actor_auth=self.bearer.auth,
        )
        return self._desk.ask(request)

    def search(
        self,
        query: str,
        *,
        as_of: Day = None,
        known_at: Instant = None,
        known_basis: Basis = "recorded",
        docs: Sequence[str] = (),
        jurisdictions: Sequence[str] = (),
        language: str | None = None,
        limit: int = DEFAULT_HITS,
    ) -> SearchResult:
        """Clauses in force, best first. Records nothing."""
        from compliance_rag.retrieve.types import Query

        check_texts({"query": query, "doc": docs, "jurisdiction": jurisdictions, "language": language})
        known = self.known(known_at, known_basis)
        asked = Query(
            text=query,
            as_of=self.day(as_of),
            known_at=known.known_at,
            known_basis=known_basis,
            docs=tuple(docs),
            jurisdictions=tuple(jurisdictions),
            language=language,
            limit=limit,
            permitted=self.bearer.docs,
        )
        return self._desk.search(asked)

    def docs(self, *, as_of: Day = None, known_at: Instant = None, known_basis: Basis = "recorded") -> list[DocumentObject]:
        """Documents with their versions, dates and states on the day."""
        from compliance_rag.service.reads import docs

        return docs(self.handle.corpus(), self.day(as_of), self.known(known_at, known_basis))

    def outline(
        self,
        doc: str,
        *,
        version: str | None = None,
        as_of: Day = None,
        full: bool = False,
        known_at: Instant = None,
        known_basis: Basis = "recorded",
    ) -> dict[str, Any]:
        """The clauses of a version (named, else the one in force on the day) in document order, with their links."""
        from compliance_rag.service.changes import find_version
        from compliance_rag.service.reads import outline, version_in_force

        corpus, known, day = self.handle.corpus(), self.known(known_at, known_basis), self.day(as_of)
        row = version_in_force(corpus, doc, day, known) if version is None else find_version(corpus, doc, version, known)
        return outline(corpus, self.handle.home, row, day, full=full, knowledge=known)

    def clause(
        self, clause_id: str, *, history: bool = False, known_at: Instant = None, known_basis: Basis = "recorded"
    ) -> dict[str, Any]:
        """One clause with its links and full text; with ``history``, itself through all versions, each with its standing and
        who recorded what about it."""
        from compliance_rag.service.history import clause_history
        from compliance_rag.service.reads import clause

        known, corpus, day = self.known(known_at, known_basis), self.handle.corpus(), self.day(None)
        found = clause(corpus, self.handle.home, clause_id, day, knowledge=known)
        if history:
            found["history"] = clause_history(corpus, self.handle.ledger, clause_id, day, known)
        return found

    def changes(
        self,
        doc: str,
        start: str,
        end: str,
        *,
        about: str | None = None,
        known_at: Instant = None,
        known_basis: Basis = "recorded",
    ) -> Changes:
        """What changed between two versions, each a label, an id or a day; ``about``: only what this question is about."""
        from compliance_rag.service.changes import changes

        check_texts({"doc": doc, "from": start, "to": end, "about": about})
        known = self.known(known_at, known_basis)
        return changes(self.handle.corpus(), doc, start, end, self.day(None), known, about=about)

    def stale(
        self, *, since: Instant = None, only_open: bool = False, known_at: Instant = None, known_basis: Basis = "recorded"
    ) -> list[StaleItem]:
        """Past answers whose cited clauses changed, of those that the bearer may read or close; of one that they may close and
        not read, the question is not told."""
        from compliance_rag.service.readings import may_close, may_read
        from compliance_rag.service.stale import list_stale

        known = self.known(known_at, known_basis)
        items = list_stale(self.handle, knowledge=known, since=_instant(since, "since"), only_open=only_open)
        headers = {header["answer_id"]: header for _, header in self.handle.ledger.headers(0, {"answer"})}
        found: list[StaleItem] = []
        for item in items:
            if may_read(self.handle, headers[item.answer_id], self.bearer):
                found.append(item)
            elif may_close(self.handle, headers[item.answer_id], self.bearer):
                found.append(item.model_copy(update={"question": None}))
        return found

    def readable(self, answer_ids: Collection[str]) -> set[str]:
        """Those of these answers that the bearer may read."""
        from compliance_rag.service.readings import may_read

        headers = [header for _, header in self.handle.ledger.headers(0, {"answer"}) if header["answer_id"] in answer_ids]
        return {header["answer_id"] for header in headers if may_read(self.handle, header, self.bearer)}

    def assign_stale(self, answer_id: str, *, owner: str, due: Day) -> None:
        """Give a stale answer to ``owner`` until ``due``. Raises NotFound ``unknown_answer``, ``unknown_item``; InputRejected
        ``no_owner``, ``unreadable_date``, ``bad_text``."""
        from compliance_rag.service.readings import closable_header
        from compliance_rag.service.stale_records import assign

        check_texts({"owner": owner})
        closable_header(self.handle, answer_id, self.bearer)
        day = self.day(due)
        assign(self.handle, answer_id, owner=owner, due=day, actor=self.bearer.name, actor_auth=self.bearer.auth)

    def close_stale(self, answer_id: str, *, decision: Literal["no_impact", "updated", "withdrawn"], note: str) -> None:
        """Record what was decided about a stale answer. Raises NotFound ``unknown_answer``, ``unknown_item``; InputRejected
        ``no_note``, ``bad_text``."""
        from compliance_rag.service.readings import closable_header
        from compliance_rag.service.stale_records import close

        check_texts({"note": note})
        closable_header(self.handle, answer_id, self.bearer)
        close(self.handle, answer_id, decision=decision, note=note, actor=self.bearer.name, actor_auth=self.bearer.auth)

    def reviews(self, *, decided: bool = False) -> list[ReviewItem]:
        """Answers waiting for a decision (with ``decided``: all that asked for one), of those that the bearer may read."""
        from compliance_rag.service.readings import may_read
        from compliance_rag.service.review import list_reviews

        def readable(header: Mapping[str, Any]) -> bool:
            return may_read(self.handle, header, self.bearer)

        return list_reviews(self.handle, decided=decided, readable=readable)

    def review(self, answer_id: str) -> ReviewShown:
        """An answer beside every decision about it; the reading goes on the ledger."""
        from compliance_rag.service.review import show_review

        self._read(answer_id, "review")
        return show_review(self.handle, answer_id)

    def decide(self, answer_id: str, decision: Verdict, *, note: str, text: str | None = None) -> ReviewShown:
        """Record a decision about an answer."""
        from compliance_rag.service.readings import answer_header
        from compliance_rag.service.review import decide

        check_texts({"note": note, "text": text})
        answer_header(self.handle, answer_id, self.bearer)
        who = {"actor": self.bearer.name, "actor_auth": self.bearer.auth}
        return decide(self.handle, answer_id, decision=decision, note=note, text=text, **who)

    def held_pages(self, *, decided: bool = False) -> list[HeldPage]:
        """Scanned pages waiting for a decision (with ``decided``: all that were held), of the bearer's documents."""
        from compliance_rag.service.held_pages import list_held_pages

        return list_held_pages(self.handle, decided=decided, docs=self.bearer.docs)

    def held_page(self, page_id: str) -> HeldPageShown:
        """A held page with its lines as read, beside every decision about it."""
        from compliance_rag.service.held_pages import show_held_page

        return show_held_page(self.handle, page_id, self.bearer.docs)

    def held_page_picture(self, page_id: str) -> bytes:
        """A held page as PNG."""
        from compliance_rag.service.held_pages import held_page_png

        return held_page_png(self.handle, page_id, self.bearer.docs)

    def decide_page(self, page_id: str, decision: Verdict, *, note: str, text: str | None = None) -> HeldPageShown:
        """Record a decision about a held page; approved or amended, its version is parsed anew in the same step."""
        from compliance_rag.service.held_pages import decide_page

        check_texts({"note": note, "text": text})
        return decide_page(
            self.handle, page_id, decision=decision, note=note, text=text, docs=self.bearer.docs,
            actor=self.bearer.name, actor_auth=self.bearer.auth,
        )  # fmt: skip

    def answer(self, answer_id: str) -> Answer:
        """A past answer as it was shown; the reading goes on the ledger. Raises NotFound ``unknown_answer``, ``erased``."""
        from compliance_rag.service.record import stored_answer

        return stored_answer(self.handle.ledger, self._read(answer_id, "answer")["index"])

    def reconstruct(self, answer_id: str) -> dict[str, Any]:
        """A past answer as it was seen, and derived again; the reading goes on the ledger."""
        from compliance_rag.service.reconstruct import reconstruct

        self._read(answer_id, "reconstruct")
        return reconstruct(self.handle, answer_id)

    def export(self, answer_id: str, out: Path) -> dict[str, Any]:
        """Write the evidence bundle of a past answer to ``out``; the reading goes on the ledger."""
        from audit.bundle import export_bundle

        header = self._read(answer_id, "export")
        return export_bundle(self.handle.ledger, self.handle.home, header["index"], out)

    def record(self, name: str) -> dict[str, Any]:
        """One record, an answer by its id or any by its index: header, parts, receipt. Of an answer the reading goes on the
        ledger; other records are for an auditor of all documents. Raises NotFound ``unknown_record``."""
        from compliance_rag.service.readings import find_record, may_read, show_record

        header = find_record(self.handle, name)
        answer = header is not None and header["type"] == "answer"
        whole = self.bearer.docs is None and self.bearer.may("auditor")
        if header is None or not (may_read(self.handle, header, self.bearer) if answer else whole):
            raise NotFound("unknown_record", f"The ledger has no record {name!r}; `audit list` shows them.", name)
        if answer:
            self._read(header["answer_id"], "record")
        return show_record(self.handle, header)

    def _read(self, answer_id: str, way: Way) -> dict[str, Any]:
        from compliance_rag.service.readings import answer_header, record_reading

        header = answer_header(self.handle, answer_id, self.bearer)
        record_reading(self.handle, header, way, self.bearer)
        return header

    def publish(self, doc: str, version: str, *, note: str = "") -> AddResult:
        """Publish a version that another person staged; ``made_stale`` counts past answers. Raises as ``publish_staged``."""
        from compliance_rag.service.ingest import publish_staged
        from compliance_rag.service.stale import instant_before, list_stale

        check_texts({"version": version, "note": note})
        before = instant_before(self.handle)
        who = {"actor": self.bearer.name, "actor_auth": self.bearer.auth}
        result = publish_staged(self.handle, doc, version, note=note, **who)
        result.made_stale = len(list_stale(self.handle, since=before))
        return result

    def report(self, doc: str, version: str) -> dict[str, Any]:
        """The ingest report of a version, one that waits for publication first: its state, who recorded it, and ``counts``,
        ``balance``, ``findings``. Raises NotFound ``unknown_document``, ``unknown_version``."""
        from compliance_rag.service.report import ingest_report
        from compliance_rag.store.naming import waiting_version

        row = waiting_version(self.handle.corpus(), doc, version)
        header = self.handle.ledger.header(row.index)
        return {
            "doc_id": row.doc_id, "version": row.version, "version_id": row.version_id, "state": row.state,
            "recorded_by": header["actor"], "recorded_at": header["recorded_at"], **ingest_report(self.handle, row),
        }  # fmt: skip

    def verify(self) -> dict[str, Any]:
        """The verifier's verdict on the whole home, from its bytes alone: ``valid``, ``size``, ``root``, ``checked``,
        ``first_bad``."""
        from audit.verifier import verify_home

        return verify_home(self.handle.home.root, origin=self.handle.settings.ledger.origin, expect="home")

    def day(self, given: Day) -> date:
        """The day meant; today in the home's time zone where none is given."""
        return _day(given, "as_of") or today(self.handle.settings.time_zone)

    def known(self, at: Instant = None, basis: Basis = "recorded") -> Knowledge:
        """What the bearer may know at an instant, now by default."""
        from compliance_rag.service.asking import knowledge_of

        permitted = self.bearer.docs
        return knowledge_of(self.handle, self.handle.corpus(), _instant(at, "known_at"), basis, permitted=permitted)


def open_rules(home: str | Path | None = None, *, actor: str | None = None) -> Rules:
    """The rules in ``home`` (default: ``COMPLIANCE_RAG_HOME``, else ``./.compliance-rag``) for ``actor`` (default: the login
    name), who goes on record with each question. Raises NotFound ``no_home``; InputRejected and IntegrityError as
    :func:`compliance_rag.service.homes.open_home`."""
    context = read_context(None if home is None else str(home), actor, as_json=False, quiet=True)
    handle = open_home(context.home, overlay=context.overlay)
    return Rules(handle, Bearer(context.actor, context.actor_auth, frozenset(ROLES)))


def _day(given: Day, where: str) -> date | None:
    return parse_day(given, where) if isinstance(given, str) else given


def _instant(given: Instant, where: str) -> datetime | None:
    return parse_instant(given, where) if isinstance(given, str) else given
