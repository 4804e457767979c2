"""What a cited clause said before: for a question that asks what changed, the text of an earlier version beside the citation.

The earlier text is not in force on the day asked about, so that it is never a citation (law 5): it is evidence, shown with its
version and days, and its words are re-hashed against the ledger as those of a citation are. The whole list of changes is
``changes DOC --from … --to … --about …``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from compliance_rag.answer.render import place
from compliance_rag.answer.sentences import units
from compliance_rag.answer.terms import terms
from compliance_rag.answer.validate import CheckedCitation
from compliance_rag.changes.about import ASKING
from compliance_rag.changes.about import about as concerning
from compliance_rag.changes.changes import list_changes
from compliance_rag.changes.fates import several
from compliance_rag.changes.html_words import say_span, words_for
from compliance_rag.changes.redline import Redline, redline
from compliance_rag.changes.sides import load_pair
from compliance_rag.retrieve.types import EvidenceItem
from compliance_rag.service.asking import Situation
from compliance_rag.service.registry import HomeRegistry
from compliance_rag.store.links import history
from compliance_rag.store.rows import StoredClause
from compliance_rag.store.timeline import Standing
from compliance_rag.structure.question import question_day
from compliance_rag.structure.question_forms import asks_what_changed, dates_of_question, without
from schemas.clause import Span
from schemas.dates import print_day
from schemas.objects import Earlier

# Clauses compared in one answer: those that answer, as many as may be cited by rank.
COMPARED_LIMIT: Final = 3
# Further changes on the subject that are named.
NAMED_LIMIT: Final = 6
# An earlier text up to so many characters is told whole; of a longer one what stands where the quoted words stand now.
PASSAGE_LIMIT: Final = 400
# A label shorter than this ("1", "B") is a word of the subject as easily as a version.
LABEL_LENGTH: Final = 3
# Words of the comparing itself, beside those of the asking.
_COMPARING = re.compile(
    r"\b(?:since|previous|earlier|former|latest|newest|compared|between|(?:19|20)\d\d)\b"
    r"|(?:19|20)\d\d年(?:版|修订|修正)?|现行版?|相比|(?:修订|修正|修改)[前后]|有何|有什么|怎么|之间",
    re.I,
)
_PADDING = re.compile(r"[ \t]{2,}")  # between the cells of a table
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_SAID = (
    ("Before, in version {version} ({days}), {place}: “{text}”", "此前，{version}（{days}）{place}：“{text}”"),
    ("{after} said the same in version {version} ({days}).", "{after}在{version}（{days}）中文字相同。"),
    ("{after} has no counterpart in version {version} ({days}).", "{after}在{version}（{days}）中没有对应的条款。"),
)
_ALSO = (
    "Between version {before} and version {after}, these changed on the same subject: {names}. The whole list: changes.",
    "{before}与{after}之间，就同一主题还有以下变更：{names}。全部变更见“变更”。",
)
_FIRST = ("{after}: no earlier version of {title} is held.", "{after}：未存{title}更早的版本。")
_WHY = "what {after} was in version {version}, {days}"


@dataclass(frozen=True, slots=True)
class Compared:
    """A cited clause and what it was in an earlier version; ``standing`` None: there is none, ``before`` None: not in it.
    ``quoted``: where the citation's words stand in the clause."""

    after: StoredClause
    quoted: Span
    standing: Standing | None
    before: StoredClause | None

    @property
    def same(self) -> bool:
        """True when the earlier version has the same words under the same heading."""
        mine = self.after.clause
        return self.before is not None and (self.before.clause.sha256, self.before.clause.heading) == (
            mine.sha256,
            mine.heading,
        )


def compared(question: str, cited: Sequence[CheckedCitation], situation: Situation, registry: HomeRegistry) -> list[Compared]:
    """For a question that asks what changed, the clauses ``cited`` as answers, at most ``COMPARED_LIMIT``, beside what they
    were: in the earliest version that the question names by its label or year, else in the one before. Empty for others.

    Raises IntegrityError ``clause_hash_mismatch`` when an earlier text is not what was published.
    """
    if not asks_what_changed(question):
        return []
    answering = {one.clause.clause_id: one for one in reversed(cited) if one.role == "primary" and one.part != "child"}
    first = [one for one in cited if answering.get(one.clause.clause_id) is one]
    found = [_compare(question, one, situation) for one in first[:COMPARED_LIMIT]]
    for one in found:
        if one.before is not None:
            registry.check(one.before)
    return found


def also_changed(subject: str, found: Sequence[Compared], situation: Situation, *, chinese: bool) -> list[str]:
    """A sentence that names what else of substance changed on the ``subject`` between the versions first compared, each with
    its first signal: the clause that answers may be one that stayed. Empty where nothing else did."""
    first = next((one for one in found if one.standing is not None), None)
    if first is None or first.standing is None:
        return []
    pair = load_pair(situation.corpus, first.standing.row, first.after.version, situation.knowledge)
    told = {one.after.clause_id for one in found} | {one.before.clause_id for one in found if one.before is not None}
    names: list[str] = []
    for change in concerning(pair, list_changes(pair), subject):
        clauses = several(change.after) or several(change.before)
        if change.weight == "substantive" and clauses and not told & {clause.clause_id for clause in clauses}:
            signal = f" ({change.signals[0]})" if change.signals else f" ({change.kind})"
            names.append(f"{clauses[0].number or clauses[0].heading or clauses[0].label}{signal}")
    if not names:
        return []
    said = ("、" if chinese else ", ").join(names[:NAMED_LIMIT])
    more = len(names) - NAMED_LIMIT
    said += (f"等{len(names)}处" if chinese else f" and {more} more") if more > 0 else ""
    versions = {"before": first.standing.row.version, "after": first.after.version.version}
    return [_ALSO[1 if chinese else 0].format(**versions, names=said)]


def _compare(question: str, cited: CheckedCitation, situation: Situation) -> Compared:
    clause = cited.clause
    standing = _earlier(question, clause, situation)
    if standing is None:
        return Compared(clause, cited.span, None, None)
    through = history(situation.corpus, clause.lineage_id, situation.knowledge)
    before = next((one for one in through if one.version.version_id == standing.row.version_id), None)
    return Compared(clause, cited.span, standing, before)


def _earlier(question: str, clause: StoredClause, situation: Situation) -> Standing | None:
    """The version before to compare with: only what once was, or will be by then, in force."""
    row = clause.version
    own = situation.corpus.standing(row.doc_id, row.version_id, situation.knowledge)
    held = situation.corpus.timeline(situation.knowledge)[row.doc_id, row.language]
    before = [one for one in held if one.live and own is not None and one.start < own.start]
    named = [one for one in before if _names(question, one)]
    return named[0] if named else before[-1] if before else None


def _names(question: str, standing: Standing) -> bool:
    days = [found.day for found in dates_of_question(question) if found.day is not None]
    if days:
        return standing.window.holds(min(days))
    by_year = str(standing.start.year) in _YEAR.findall(question)
    return by_year or re.search(_label(standing.row.version), question, re.I) is not None


def _label(version: str) -> str:
    """A pattern of a version's label as a word of its own; in Chinese, words are not parted."""
    label = re.escape(version)
    return rf"(?<![\w.]){label}(?![\w]|\.\d)" if version.isascii() else label


def subject_of(question: str, situation: Situation) -> str:
    """What a question is about: the question without the words that name its day, which is searched as of, and, where it asks
    what changed, without the words of the asking and the labels of the versions that it compares."""
    left = without(question, question_day(question).spans)
    if asks_what_changed(question):
        timeline = situation.corpus.timeline(situation.knowledge)
        known = {one.row.version for key in situation.in_force.decisions for one in timeline[key]}
        for label in sorted((one for one in known if len(one) >= LABEL_LENGTH), key=lambda one: (-len(one), one)):
            left = re.sub(_label(label), " ", left, flags=re.I)
        left = without(left, (found.span for found in dates_of_question(left)))
        left = ASKING.sub(" ", _COMPARING.sub(" ", left))
    return left.strip() if terms(left) else question


def as_evidence(found: Iterable[Compared]) -> list[EvidenceItem]:
    """The earlier texts as evidence, each with the version and days it is of."""
    return [
        EvidenceItem(one.before, "reference", _why(one, one.standing), 0.0, one.after.clause_id, "earlier")
        for one in found
        if one.before is not None and one.standing is not None
    ]


def as_objects(found: Iterable[Compared]) -> list[Earlier]:
    """The contract's ``earlier``: one entry a clause compared."""
    return [
        Earlier(
            cited=one.after.clause_id,
            version=None if one.standing is None else one.standing.row.version,
            version_id=None if one.standing is None else one.standing.row.version_id,
            effective_from=None if one.standing is None else print_day(one.standing.start),
            effective_to=None if one.standing is None else print_day(one.standing.shown_end),
            clause=None if one.before is None else one.before.to_object(),
            redline=_redline(one),
        )
        for one in found
    ]


def _redline(one: Compared) -> Redline:
    return [] if one.before is None or one.same else redline(one.before.clause.text, one.after.clause.text)


def lines(found: Iterable[Compared], *, chinese: bool) -> list[str]:
    """A sentence of the answer for each clause compared: what it said, that it said the same, or that it was not there."""
    at = 1 if chinese else 0
    said: list[str] = []
    for one in found:
        if one.standing is None:
            said.append(_FIRST[at].format(after=place(one.after), title=one.after.version.title))
            continue
        which = 2 if one.before is None else 1 if one.same else 0
        said.append(
            _SAID[which][at].format(
                after=place(one.after), version=one.standing.row.version, days=_days(one.standing, at),
                place="" if one.before is None else place(one.before),
                text=_passage(one),
            )
        )  # fmt: skip
    return said


def _passage(one: Compared) -> str:
    """Of the earlier text, the sentences that stand where the citation's words stand now, and all of a short one."""
    if one.before is None:
        return ""
    text = one.before.clause.text
    start, end = (0, len(text)) if len(text) <= PASSAGE_LIMIT else _counterpart(_redline(one), one.quoted)
    held = [unit for unit in units(text) if unit.start < max(end, start + 1) and unit.end > start]
    return _PADDING.sub(" ", text[held[0].start : held[-1].end] if held else text)


def _counterpart(marks: Redline, span: Span) -> Span:
    """Where, in the text before, the words stand that ``span`` of the text after took the place of."""
    before = after = 0
    start: int | None = None
    end = 0
    for mark, words in marks:
        if mark != "-" and after < span[1] and after + len(words) > span[0]:
            offset = max(0, span[0] - after) if mark == "=" else 0
            start = before + offset if start is None else start
            end = before + (min(len(words), span[1] - after) if mark == "=" else 0)
        elif mark == "-" and start is not None and after < span[1]:
            end = before + len(words)
        before += len(words) if mark != "+" else 0
        after += len(words) if mark != "-" else 0
    return (start or 0, max(end, start or 0))


def _why(one: Compared, standing: Standing) -> str:
    return _WHY.format(after=place(one.after), version=standing.row.version, days=_days(standing, 0))


def _days(standing: Standing, at: int) -> str:
    return say_span(words_for("zh" if at else "en"), print_day(standing.start), print_day(standing.governed_until))
