"""What a batch means for the versions already recorded: new, unchanged, a correction, held, or refused (law 2)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from pathlib import PurePath

from audit.roots import clause_row, version_root
from compliance_rag.service.records import flag_counts
from compliance_rag.service.stage import Staged
from compliance_rag.store.corpus import Corpus
from compliance_rag.store.lineage import assign_lineage
from compliance_rag.store.rows import VersionRow
from schemas.clause import Clause, Flag, ParsedVersion
from schemas.dates import Interval
from schemas.errors import InputRejected
from schemas.ids import version_id_for

# Index and instant of a row that is not recorded yet: the ledger gives both.
NOT_YET = datetime.max.replace(tzinfo=UTC)
# Where a version's metadata keep what a person decided about its scanned pages: the right text, or null for "well read".
REVIEWED_PAGES = "reviewed_pages"
_NUMBERS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Planned:
    """A version to record with its parse and lineage ids."""

    row: VersionRow
    parsed: ParsedVersion
    lineage: tuple[str, ...]
    reasons: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Planner:
    """Plans versions one after another on a snapshot; what was planned counts for what follows."""

    corpus: Corpus
    second_person: bool
    planned: list[Planned] = field(default_factory=list)

    def plan(self, staged: Staged) -> Planned | VersionRow:
        """What ``staged`` becomes; a row already recorded when it brings nothing new.

        Raises InputRejected ``label_taken``.
        """
        entry = staged.entry
        rows = self._rows(entry.doc_id)
        newest, new = self.check(staged)
        if newest is not None and not new:
            return newest
        resolves = newest is not None and newest.state == "held"
        version_id = (
            newest.version_id
            if newest is not None and resolves
            else version_id_for(entry.version, {row.version_id for row in rows}, correction=newest is not None)
        )
        corrected = newest.version_id if newest is not None and not resolves else None
        row = self._row(staged, version_id, newest.supersedes if newest is not None and resolves else corrected)
        flags = tuple(_version_flags(row, [other for other in rows if other.version_id != version_id]))
        parsed = replace(staged.parsed, flags=(*staged.parsed.flags, *flags))
        planned = Planned(
            replace(row, flags=flag_counts(parsed), index=len(self.planned) + 2**62),
            parsed,
            tuple(self._lineage(row, parsed.clauses)),
            staged.held,
        )
        self.planned.append(planned)
        return planned

    def _void(self, row: VersionRow) -> bool:
        standing = self.corpus.standing(row.doc_id, row.version_id)
        return standing is not None and standing.void

    def check(self, staged: Staged) -> tuple[VersionRow | None, bool]:
        """The newest row of the same label, and whether ``staged`` is new. Raises InputRejected ``label_taken``."""
        entry = staged.entry
        same_label = [row for row in self._rows(entry.doc_id) if row.version == entry.version]
        newest = max(same_label, key=lambda row: row.index, default=None)
        if newest is None:
            return None, True
        if not self._void(newest) and _unchanged(newest, staged):
            return newest, False
        if newest.state != "held" and not entry.correct:
            raise InputRejected(
                "label_taken",
                f"{entry.doc_id} {entry.version!r} is recorded with other bytes or dates; use --correct, or redate.",
                newest.ref,
            )
        return newest, True

    def _rows(self, doc_id: str) -> list[VersionRow]:
        """The document's versions, each as last recorded or planned."""
        latest = {row.version_id: row for row in self.corpus.versions if row.doc_id == doc_id}
        latest |= {item.row.version_id: item.row for item in self.planned if item.row.doc_id == doc_id}
        return list(latest.values())

    def _row(self, staged: Staged, version_id: str, supersedes: str | None) -> VersionRow:
        entry, parsed = staged.entry, staged.parsed
        metadata = entry.metadata | {"file": PurePath(entry.file).name}
        if entry.clause_dates:
            metadata["clause_dates"] = _dates_of(staged)
        if entry.tracked is not None:
            metadata["tracked"] = entry.tracked
        if staged.corrections:
            metadata[REVIEWED_PAGES] = _reviewed(staged)
        return VersionRow(
            doc_id=entry.doc_id,
            version=entry.version,
            version_id=version_id,
            title=entry.title or parsed.title or entry.doc_id,
            jurisdiction=entry.jurisdiction,
            language=entry.language or parsed.language,
            kind=entry.kind,
            status=entry.status,
            state="held" if staged.held else "staged" if self.second_person else "published",
            declared=Interval(entry.effective_from, entry.effective_to),
            published_on=entry.published_on,
            recorded_at=NOT_YET,
            index=-1,
            root=version_root(clause_row(clause) for clause in parsed.clauses),
            source_sha256=parsed.source_sha256,
            extracted_sha256=parsed.extracted_sha256,
            parser_version=parsed.parser_version,
            clause_count=len(parsed.clauses),
            supersedes=supersedes,
            part_of=entry.part_of,
            amends=entry.amends,
            translation_of=entry.translation_of,
            authentic=entry.authentic,
            model_use=entry.model_use,
            metadata=metadata,
        )

    def _lineage(self, row: VersionRow, clauses: Sequence[Clause]) -> list[str]:
        """Lineage ids from the version corrected, else from the nearest one before, then the nearest one after."""
        others = [
            other
            for other in self._rows(row.doc_id)
            if other.version_id != row.version_id and other.language == row.language and other.state != "held"
        ]
        start = row.declared.start or date.min
        before = [other for other in others if (other.declared.start or date.min) <= start]
        after = [other for other in others if (other.declared.start or date.min) > start]
        neighbours = [other for other in others if other.version_id == row.supersedes]
        if before and not neighbours:
            neighbours.append(max(before, key=lambda other: (other.declared.start or date.min, other.index)))
        if after:
            neighbours.append(min(after, key=lambda other: (other.declared.start or date.min, -other.index)))
        return assign_lineage(row.doc_id, row.version_id, clauses, [self._clauses(other) for other in neighbours])

    def _clauses(self, row: VersionRow) -> tuple[Sequence[Clause], Sequence[str]]:
        for item in self.planned:
            if item.row.ref == row.ref:
                return item.parsed.clauses, item.lineage
        stored = self.corpus.clauses_of(row.doc_id, row.version_id)
        return [item.clause for item in stored], [item.lineage_id for item in stored]


def _dates_of(staged: Staged) -> dict[str, list[str | None]]:
    return {
        number: [day.isoformat() if day else None for day in (dates.effective_from, dates.effective_to)]
        for number, dates in sorted(staged.entry.clause_dates.items())
    }


def _reviewed(staged: Staged) -> dict[str, str | None]:
    return {str(page): text for page, text in sorted(staged.corrections.items())}


def _unchanged(row: VersionRow, staged: Staged) -> bool:
    """The same bytes, document, dates and status, and the same choice of tracked changes: a draft that is adopted is news."""
    entry = staged.entry
    return (
        row.source_sha256 == staged.parsed.source_sha256
        and row.status == entry.status
        and row.declared == Interval(entry.effective_from, entry.effective_to)
        and row.metadata.get("clause_dates", {}) == _dates_of(staged)
        and row.metadata.get("tracked") == entry.tracked
        and (not staged.corrections or row.metadata.get(REVIEWED_PAGES) == _reviewed(staged))
    )


def _version_flags(row: VersionRow, others: Sequence[VersionRow]) -> list[Flag]:
    """What is odd about a version beside the others of its document and language."""
    flags = []
    live = [other for other in others if other.language == row.language and other.state != "held" and other.status != "draft"]
    same_day = [other for other in live if other.declared.start == row.declared.start and other.version_id != row.supersedes]
    if same_day and row.status != "draft":
        text = f"Version {same_day[-1].version!r} starts on the same day; the later recorded one is in force."
        flags.append(Flag("equal_effective_dates", text))
    for other in live:
        if _out_of_order(row, other):
            text = f"Labels {other.version!r} and {row.version!r} are in the other order than their dates."
            flags.append(Flag("label_order", text))
            break
    return flags


def _out_of_order(one: VersionRow, other: VersionRow) -> bool:
    """Labels of one form whose numbers disagree with the dates."""
    if _NUMBERS.sub("0", one.version) != _NUMBERS.sub("0", other.version):
        return False
    first, second = ([int(number) for number in _NUMBERS.findall(row.version)] for row in (one, other))
    if not first or first == second or one.declared.start is None or other.declared.start is None:
        return False
    return one.declared.start != other.declared.start and (first < second) != (one.declared.start < other.declared.start)
