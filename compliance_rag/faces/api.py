"""The Python API: one home, one person, a handful of calls that return the published objects. The HTTP service, the page and
the MCP server are made of the same calls.

    from compliance_rag.faces.api import open_rules

    rules = open_rules("/srv/rules", actor="ada")
    answer = rules.ask("Within what time must a lost key be reported?", as_of="2024-11-29")
    print(answer.answer, answer.citations[0].clause_id, answer.citations[0].quote)
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from compliance_rag.faces.desk import Desk, Here
from compliance_rag.faces.desk_calls import Basis, Day, DeskCalls, Instant, day_of, instant_of
from compliance_rag.faces.environment import environment_value, read_context
from compliance_rag.faces.knowing import knowable
from compliance_rag.faces.languages import check_language
from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.keys import ROLES, Bearer
from schemas.errors import NotFound
from schemas.objects import Answer, Changes, DocumentObject, SearchResult
from schemas.texts import check_texts

if TYPE_CHECKING:
    from compliance_rag.service.ingest import AddResult

DEFAULT_HITS = 10


class Rules(DeskCalls):
    """What one person may do with a home. Days are dates or ``YYYY-MM-DD``, instants are aware datetimes or RFC 3339 text;
    ``known_at`` None means now, and so does an instant that lies ahead on the recorded basis. Safe for several threads. Every
    call raises the errors of :mod:`schemas.errors`."""

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
        self._check_language(language)
        if follows is not None:
            answer_header(self.handle, follows, self.bearer)
        settings = self.handle.settings.model
        request = AskRequest(
            question=question,
            as_of=day_of(as_of, "as_of"),
            known_at=knowable(instant_of(known_at, "known_at"), known_basis),
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
        self._check_language(language)
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

    def _check_language(self, language: str | None) -> None:
        docs, rows = self.bearer.docs, self.handle.corpus().versions if language is not None else ()
        check_language(language, (row.language for row in rows if docs is None or row.doc_id in docs))


def open_rules(home: str | Path | None = None, *, actor: str | None = None) -> Rules:
    """The rules in ``home`` (default: ``COMPLIANCE_RAG_HOME``, else ``./.compliance-rag``) for ``actor`` (default: the login
    name), who goes on record with each question. Raises NotFound ``no_home``; InputRejected and IntegrityError as
    :func:`compliance_rag.service.homes.open_home`."""
    context = read_context(None if home is None else str(home), actor, as_json=False, quiet=True)
    handle = open_home(context.home, overlay=context.overlay)
    return Rules(handle, Bearer(context.actor, context.actor_auth, frozenset(ROLES)))
