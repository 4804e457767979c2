"""What a person does at the desk: stale answers, the review queue, held pages, holds. The part of :class:`Rules` that decides
and records."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any, Literal

from compliance_rag.faces.knowing import knowable
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import Bearer
from compliance_rag.service.readings import Way
from compliance_rag.service.review import Verdict
from compliance_rag.store.timeline import Knowledge
from schemas.dates import parse_day, parse_instant, today
from schemas.errors import InputRejected, NotFound
from schemas.held_page import HeldPage, HeldPageShown
from schemas.objects import ReviewItem, ReviewShown
from schemas.stale import StaleItem
from schemas.texts import check_texts

Basis = Literal["recorded", "published"]
Day = date | str | None
Instant = datetime | str | None


class DeskCalls:
    """Of one home and one person; every call raises the errors of :mod:`schemas.errors`."""

    handle: HomeHandle
    bearer: Bearer

    def day(self, given: Day) -> date:
        """The day meant; today in the home's time zone where none is given."""
        return day_of(given, "as_of") or today(self.handle.settings.time_zone)

    def known(self, at: Instant = None, basis: Basis = "recorded") -> Knowledge:
        """What the bearer may know at an instant, now by default."""
        from compliance_rag.service.asking import knowledge_of

        given = knowable(instant_of(at, "known_at"), basis)
        return knowledge_of(self.handle, self.handle.corpus(), given, basis, permitted=self.bearer.docs)

    def _who(self) -> dict[str, str]:
        return {"actor": self.bearer.name, "actor_auth": self.bearer.auth}

    def stale(
        self, *, since: Instant = None, only_open: bool = False, known_at: Instant = None, known_basis: Basis = "recorded"
    ) -> list[StaleItem]:
        """Past answers whose cited clauses changed, of those that the bearer may read or close; of one that they may close and
        not read, the question is not told."""
        from compliance_rag.service.readings import may_close, may_read
        from compliance_rag.service.stale import list_stale

        known = self.known(known_at, known_basis)
        items = list_stale(self.handle, knowledge=known, since=instant_of(since, "since"), only_open=only_open)
        headers = {header["answer_id"]: header for _, header in self.handle.ledger.headers(0, {"answer"})}
        return [
            self._untold(item, headers[item.answer_id])
            for item in items
            if may_read(self.handle, headers[item.answer_id], self.bearer)
            or may_close(self.handle, headers[item.answer_id], self.bearer)
        ]

    def _untold(self, item: StaleItem, header: Mapping[str, Any]) -> StaleItem:
        """The item without the question where the bearer may close the answer and not read it."""
        from compliance_rag.service.readings import may_read

        return item if may_read(self.handle, header, self.bearer) else item.model_copy(update={"question": None})

    def readable(self, answer_ids: Collection[str]) -> set[str]:
        """Those of these answers that the bearer may read."""
        from compliance_rag.service.readings import may_read

        headers = [header for _, header in self.handle.ledger.headers(0, {"answer"}) if header["answer_id"] in answer_ids]
        return {header["answer_id"] for header in headers if may_read(self.handle, header, self.bearer)}

    def assign_stale(self, answer_id: str, *, owner: str, due: Day) -> StaleItem:
        """Give a stale answer (its id, or the item's) to ``owner`` until ``due``; as it stands then. Raises NotFound
        ``unknown_answer``, ``unknown_item``; InputRejected ``no_owner``, ``unreadable_date``, ``bad_text``."""
        from compliance_rag.service.stale_records import assign

        check_texts({"owner": owner})
        header, who = self._closable(answer_id), self._who()
        return self._untold(assign(self.handle, header["answer_id"], owner=owner, due=_due(due), **who), header)

    def close_stale(self, answer_id: str, *, decision: Literal["no_impact", "updated", "withdrawn"], note: str) -> StaleItem:
        """Record what was decided about a stale answer (its id, or the item's); as it stands then. Raises NotFound
        ``unknown_answer``, ``unknown_item``; InputRejected ``no_note``, ``bad_text``."""
        from compliance_rag.service.stale_records import close

        check_texts({"note": note})
        header, who = self._closable(answer_id), self._who()
        return self._untold(close(self.handle, header["answer_id"], decision=decision, note=note, **who), header)

    def _closable(self, name: str) -> dict[str, Any]:
        from compliance_rag.service.readings import closable_header, find_record

        record = find_record(self.handle, name.removeprefix("s-")) if name.startswith("s-") else None
        if record is None or record["type"] != "answer" or name != f"s-{record['index']}":
            return closable_header(self.handle, name, self.bearer)
        try:
            return closable_header(self.handle, record["answer_id"], self.bearer)
        except NotFound as error:
            # By the name that was given: the answer's own would tell of one that must not be known.
            raise NotFound(error.code, f"There is no answer {name!r} in this ledger.", name) from error

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
        return decide(self.handle, answer_id, decision=decision, note=note, text=text, **self._who())

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

    def hold(self, answer_id: str, *, reason: str = "", released: bool = False) -> dict[str, Any]:
        """Forbid erasing an answer, or (``released``) allow it again: ``index`` of the answer, the ``record`` of the hold,
        ``held``. Who holds need not be one who may read it. Raises NotFound ``unknown_answer``; InputRejected ``bad_text``."""
        from audit.erasure import hold
        from compliance_rag.service.record import find_answer

        check_texts({"reason": reason})
        index = find_answer(self.handle.ledger, answer_id)["index"]
        done = hold(self.handle.ledger, index, released=released, reason=reason, **self._who())
        return {"index": index, "record": done.index, "held": not released}

    def _read(self, answer_id: str, way: Way) -> dict[str, Any]:
        from compliance_rag.service.readings import answer_header, record_reading

        header = answer_header(self.handle, answer_id, self.bearer)
        record_reading(self.handle, header, way, self.bearer)
        return header


def day_of(given: Day, where: str) -> date | None:
    """A day given as one or as text. Raises InputRejected ``unreadable_date``."""
    return parse_day(given, where) if isinstance(given, str) else given


def instant_of(given: Instant, where: str) -> datetime | None:
    """An instant given as one or as text. Raises InputRejected ``unreadable_date``."""
    return parse_instant(given, where) if isinstance(given, str) else given


def _due(given: Day) -> date:
    """The day of a task, which has no default. Raises InputRejected ``unreadable_date``."""
    day = day_of(given, "due")
    if day is None:
        raise InputRejected("unreadable_date", "due: name the day, as YYYY-MM-DD.", "due")
    return day
