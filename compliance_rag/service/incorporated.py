"""Text that a cited clause incorporates as it stood: "Rule K as in force on 1 June 2023" means that text on every day.

Such a text need not be in force on the day asked about, so that it is never a citation (law 5) and carries no rule of its own:
it is evidence, shown with the clause that brings it in, its version and its days, and its words are re-hashed against the
ledger as those of a citation are. A reference to an edition that is not held is said to be unresolved.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from compliance_rag.answer.render import place
from compliance_rag.answer.scoring import clause_terms
from compliance_rag.answer.terms import terms
from compliance_rag.changes.html_words import say_span, words_for
from compliance_rag.retrieve.types import EvidenceItem
from compliance_rag.service.asking import Situation
from compliance_rag.service.registry import HomeRegistry
from compliance_rag.store.links import ResolvedReference, children, references_of
from compliance_rag.store.rows import StoredClause, VersionRow
from schemas.dates import print_day
from schemas.objects import Incorporated

# Clauses shown for one reference: of a document incorporated as a whole those that hold most of the question's words.
SHOWN_LIMIT: Final = 3
_BROUGHT = (
    "{citing} refers to “{reference}”: {title}, version {version}, {days}, {place}: “{text}”",
    "{citing}引用“{reference}”，即{title}{version}（{days}）{place}：“{text}”",
)
_UNRESOLVED = (
    "{citing} refers to “{reference}”, an edition that is not held here: unresolved.",
    "{citing}引用“{reference}”，未存该版本，无法确定其内容。",
)
_NO_CLAUSE = (
    "{citing} refers to “{reference}”; version {version} of {title} has no such clause: unresolved.",
    "{citing}引用“{reference}”，{title}{version}中没有该条款，无法确定其内容。",
)
_WHY = "{citing} incorporates it as it stood (“{reference}”): version {version}, {days}{other}"
_OTHER_DAY = "; not in force on {day}"


@dataclass(frozen=True, slots=True)
class Brought:
    """A static reference of a cited clause: the edition's ``version`` and the ``clauses`` meant, both empty when unresolved."""

    citing: StoredClause
    reference: ResolvedReference
    clauses: tuple[StoredClause, ...]

    @property
    def version(self) -> VersionRow | None:
        """The edition, None when it is not held."""
        return self.reference.version


def incorporated(question: str, cited: Sequence[StoredClause], situation: Situation, registry: HomeRegistry) -> list[Brought]:
    """The static references of the clauses cited, in order, each once, with the text they mean.

    Raises IntegrityError ``clause_hash_mismatch`` when such a text is not what was published.
    """
    found: dict[tuple[str, str, tuple[str, ...] | None], Brought] = {}
    known = references_of(situation.corpus, cited, situation.as_of, situation.knowledge)
    for clause, references in zip(cited, known, strict=True):
        for item in references:
            reference = item.reference
            if reference.mode != "static" or reference.edition is None:
                continue
            key = (reference.target_doc or clause.version.doc_id, reference.edition, reference.target)
            if key not in found:
                found[key] = Brought(clause, item, _meant(question, item, situation))
    for brought in found.values():
        for clause in brought.clauses:
            registry.check(clause)
    return list(found.values())


def _meant(question: str, item: ResolvedReference, situation: Situation) -> tuple[StoredClause, ...]:
    corpus, known, version = situation.corpus, situation.knowledge, item.version
    if version is None or (item.target is None and item.reference.target):
        return ()
    if item.target is not None:
        (clause,) = corpus.clauses([item.target], known)
        below = [clause, *children(corpus, clause, known)]
        return tuple(one for one in below if one.clause.text.strip())[:SHOWN_LIMIT]
    asked = terms(question)
    held = [one for one in corpus.clauses_of(version.doc_id, version.version_id, known) if one.clause.text.strip()]
    best = sorted(held, key=lambda one: (-len(asked & clause_terms(one)), one.seq))[:SHOWN_LIMIT]
    return tuple(sorted(best, key=lambda one: one.seq))


def as_evidence(brought: Iterable[Brought], situation: Situation) -> list[EvidenceItem]:
    """The texts as evidence, each with what incorporates it, its version and days, and whether it is in force itself."""
    return [
        EvidenceItem(clause, "reference", _why(one, clause, situation), 0.0, one.citing.clause_id, "incorporated")
        for one in brought
        for clause in one.clauses
    ]


def _why(one: Brought, clause: StoredClause, situation: Situation) -> str:
    other = "" if clause.interval.holds(situation.as_of) else _OTHER_DAY.format(day=situation.as_of)
    return _WHY.format(
        citing=place(one.citing), reference=one.reference.reference.text, version=clause.version.version,
        days=_days(clause, chinese=False), other=other,
    )  # fmt: skip


def as_objects(brought: Iterable[Brought], situation: Situation) -> list[Incorporated]:
    """The contract's ``incorporated``: one entry a text, or one without a clause where the reference is unresolved."""
    return [
        Incorporated(
            cited_by=one.citing.clause_id,
            reference=one.reference.reference.text,
            edition=one.reference.reference.edition or "",
            version_id=None if one.version is None else one.version.version_id,
            clause=None if clause is None else clause.to_object(),
            why=None if clause is None else _why(one, clause, situation),
        )
        for one in brought
        for clause in one.clauses or (None,)
    ]


def lines(brought: Iterable[Brought], cited: set[str], *, chinese: bool) -> list[str]:
    """A sentence of the answer for each text that is not itself among the ``cited``: who brings it in, whose words they are,
    when they were in force, and the words."""
    at = 1 if chinese else 0
    return [
        _BROUGHT[at].format(
            citing=place(one.citing), reference=one.reference.reference.text, title=_title(clause.version, chinese=chinese),
            version=clause.version.version, days=_days(clause, chinese=chinese), place=place(clause), text=clause.clause.text,
        )
        for one in brought
        for clause in one.clauses
        if clause.clause_id not in cited
    ]  # fmt: skip


def unresolved(brought: Iterable[Brought], *, chinese: bool) -> list[str]:
    """A sentence for each reference whose edition, or whose clause in it, is not held."""
    at = 1 if chinese else 0
    found: list[str] = []
    for one in brought:
        named = {"citing": place(one.citing), "reference": one.reference.reference.text}
        if one.version is None:
            found.append(_UNRESOLVED[at].format(**named))
        elif not one.clauses:
            title = _title(one.version, chinese=chinese)
            found.append(_NO_CLAUSE[at].format(**named, version=one.version.version, title=title))
    return found


def _title(row: VersionRow, *, chinese: bool) -> str:
    return f"《{row.title.strip('《》')}》" if chinese else row.title


def _days(clause: StoredClause, *, chinese: bool) -> str:
    interval = clause.interval
    return say_span(words_for("zh" if chinese else "en"), print_day(interval.start), print_day(interval.end))
