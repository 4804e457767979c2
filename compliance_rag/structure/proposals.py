"""Dates a document proposes for itself: printed effective dates, commencement and sunset clauses, revision tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date

from compliance_rag.structure.calendar import FoundDate, find_dates
from compliance_rag.structure.chinese import read_chinese
from compliance_rag.structure.cites import Cite
from compliance_rag.structure.english import read_english
from compliance_rag.structure.events import QUOTE_LIMIT, Event, chinese_events, english_events
from compliance_rag.structure.resolve import Resolver
from compliance_rag.structure.tree import Tree, View
from schemas.clause import Clause, Flag, Path, ProposedDate
from schemas.dates import print_day

HEAD_LIMIT = 4_000  # characters at the start of a document in which a title block prints its dates
_PRINTED = re.compile(
    r"(?:^|(?<=[\n|(*_.]))[ \t>*_#|(-]{0,8}(?:version\s+)?effective(?:\s+date)?(?:\s+as\s+of)?(?:\s+(?:on|"
    r"from))?[ \t*_:：|-]{1,8}(?=[\dA-Za-z])",
    re.IGNORECASE,
)
_PRINTED_ZH = re.compile(r"(?:施行日期|生效日期|实施日期)\s?[:：]?\s?(?:自)?")
_OWN_SUBJECT = re.compile(
    r"\b(?:this|these|the\s+present)\s+(?!section|sub-?section|part|chapter|article|rule|clause|paragraph|"
    r"schedule|version\b)[A-Za-z]+|\bthe\s+(?:act|agreement|policy|regulations?|rules|order|law)\b",
    re.IGNORECASE,
)
_THIS_PART = re.compile(r"\bthis\s+(section|part|chapter|article|rule|clause|schedule)\b", re.IGNORECASE)
_THIS_ZH = re.compile(r"本([条款章节编])(?!例)")
# Words before the subject that say under what condition, not what, commences.
_CONDITION = re.compile(
    r"^\s*(?:\(?\w{1,3}[.)]\s*)?(?:subject\s+to|notwithstanding|despite|without\s+prejudice\s+to|pursuant\s+to|"
    r"in\s+accordance\s+with|under|except|other\s+than|save)\b",
    re.IGNORECASE,
)
_NAMED_NEXT = re.compile(
    r",\s*(?=(?:this|these|the|sections?|parts?|articles?|clauses?|rules?|chapters?|schedules?|regulations?|paragraphs?|"
    r"sub-?sections?)\b)",
    re.IGNORECASE,
)
_CONDITION_AFTER = re.compile(r",\s*(?:but\s+)?subject\s+to\b[^,]*,?\s*$", re.IGNORECASE)
_CONDITION_ZH = re.compile(r"^\s*除[^，。]*外，")
_EXCEPT = re.compile(r"\b(?:except|other\s+than|save)\b|除", re.IGNORECASE)
_TABLE_HEAD = re.compile(
    r"^[^\n]{0,200}(?:\beffective\b|(?:生效|施行|实施)(?:日期|时间))[^\n]{0,80}$", re.IGNORECASE | re.MULTILINE
)
_EFFECTIVE = re.compile(r"effective|(?:生效|施行|实施)(?:日期|时间)", re.IGNORECASE)
_TABLE_WORDS = re.compile(
    r"\b(?:ver(?:sion)?|revision|rev|ballot|adopted|description|date|amendment|change)\b|版本|版次|修订|修改|说明|变更",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed date with the clause it touches (None: the whole version) and the clause that says it (None: front matter)."""

    proposed: ProposedDate
    touches: Path | None
    said_by: Path | None


def propose(
    tree: Tree, views: Mapping[Path, View], extracted: str, language: str, published_on: date | None
) -> tuple[Proposal, ...]:
    """All proposals in document order, front matter first; nothing here is in force until confirmed."""
    found: list[Proposal] = list(_front(extracted, language))
    resolver = Resolver(tree)
    for clause in tree.clauses:
        text = views[clause.path].text
        table = _table(text, language)
        if table is not None:
            found.append(Proposal(table, None, clause.path))
        chinese = chinese_events(text, language, published_on) if views[clause.path].han else ()
        for event in (*english_events(text, language, published_on), *chinese):
            found += _proposals(tree, resolver, clause, event)
    return tuple(dict.fromkeys(found))


def _front(extracted: str, language: str) -> Iterator[Proposal]:
    head = extracted[:HEAD_LIMIT]
    dates = {item.span[0]: item for item in find_dates(head, language)}
    for pattern in (_PRINTED, _PRINTED_ZH):
        for match in pattern.finditer(head):
            item = dates.get(match.end())
            if item is not None and item.day is not None and _line_ends(head, item.span[1]):
                quote = head[match.start() : item.span[1]].strip(" \t>*_#|(-")
                yield Proposal(ProposedDate(None, item.day, None, quote), None, None)


def _line_ends(text: str, at: int) -> bool:
    """A printed date ends its line or bracket; one that goes on ("Effective …, the CA must …") dates a rule."""
    return bool(re.match(r"[ \t.*_)|]{0,8}(?:\n|\Z|[|;])", text[at : at + 12]))


def _table(text: str, language: str) -> ProposedDate | None:
    """The last row of a revision table with an "Effective" column."""
    head = _TABLE_HEAD.search(text)
    if head is None or not _TABLE_WORDS.search(_EFFECTIVE.sub("", head[0])) or len(_cells(head[0])) < 2:
        return None
    last: tuple[str, FoundDate] | None = None
    column = next((i for i, cell in enumerate(_cells(head[0])) if _EFFECTIVE.search(cell)), -1)
    for line in text[head.end() :].lstrip("\n").split("\n"):
        cells = _cells(line)
        if len(cells) < 2 and line.strip():
            break
        if column < len(cells):
            dates = find_dates(cells[column], language)
            if dates and dates[0].day is not None:
                last = (line, dates[0])
    return (
        None
        if last is None
        else ProposedDate(None, last[1].day, None, last[0].strip()[:QUOTE_LIMIT], "last row of the revision table")
    )


def _cells(line: str) -> list[str]:
    return re.split(r"\s?\|\s?|\t", line.strip().strip("|"))


def _proposals(tree: Tree, resolver: Resolver, clause: Clause, event: Event) -> Iterator[Proposal]:
    """Tie an event to the version or to the clauses its subject names."""
    event = replace(event, subject=_unconditional(event.subject))
    excepted = _EXCEPT.search(event.subject)
    whole = _OWN_SUBJECT.search(event.subject) or re.search(
        r"本(?:法|条例|规定|办法|解释|细则|规则|章程|制度|决定|标准|合同|协议|次(?:修订|修正|修改))(?!第)", event.subject
    )
    cites = [
        c
        for c in (*read_english(event.subject), *read_chinese(event.subject))
        if c.base in {"none", "own", "cite"} and not c.weak
    ]
    if (
        whole
        and (excepted is None or excepted.start() > whole.start())
        and (not cites or (excepted and cites[0].span[0] > excepted.start()))
    ):
        yield Proposal(_proposed(None, event), None, clause.path)
        return
    if excepted and cites and excepted.start() > cites[0].span[0]:
        cites = [c for c in cites if c.span[0] < excepted.start()]
    if cites:
        yield from _cited(tree, resolver, clause, event, cites)
        return
    outer = _this_part(tree, clause, event.subject)
    if outer is not None:
        yield Proposal(_proposed(outer.number or outer.label, event), outer.path, clause.path)
    elif not event.subject.strip(" ,，") and re.search(r"施行|实施|\bEffective\s+Date\b", event.quote):
        yield Proposal(_proposed(None, event), None, clause.path)


def _unconditional(subject: str) -> str:
    """What commences, without "subject to subsection (2)," and "除第四条外，" before it or a condition after it."""
    subject = _CONDITION_AFTER.sub("", _CONDITION_ZH.sub("", subject))
    if not _CONDITION.match(subject):
        return subject
    for own in _OWN_SUBJECT.finditer(subject):
        if subject[: own.start()].rstrip().endswith(","):
            return subject[own.start() :]
    named = _NAMED_NEXT.search(subject)
    return subject if named is None else subject[named.end() :]


def _this_part(tree: Tree, clause: Clause, subject: str) -> Clause | None:
    """The clause that "this section", "this Part", 本条 … name."""
    this, han = _THIS_PART.search(subject), _THIS_ZH.search(subject)
    if this is None:
        if han is None or han[1] in "条款":
            return None if han is None else clause if han[1] == "款" else tree.section_of(clause)
        return tree.enclosing(clause, {{"章": "chapter", "节": "section-group", "编": "part"}[han[1]]})
    unit = this[1].lower()
    return tree.section_of(clause) if unit in {"section", "article", "rule", "clause"} else tree.enclosing(clause, {unit})


def _cited(tree: Tree, resolver: Resolver, clause: Clause, event: Event, cites: list[Cite]) -> Iterator[Proposal]:
    for cite in cites:
        for path in resolver.targets(cite, clause):
            if path is None:
                yield Proposal(_proposed(".".join(cite.tokens), event), None, clause.path)
                continue
            target = tree.by_path[path]
            yield Proposal(_proposed(target.number or target.label, event), path, clause.path)


def _proposed(number: str | None, event: Event) -> ProposedDate:
    start, end = (event.day, None) if event.starts else (None, event.day)
    return ProposedDate(number, start, end, event.quote, event.rule)


def disagreements(proposals: tuple[Proposal, ...], effective_from: date | None) -> Iterator[Flag]:
    """Flags for version dates in the text that differ from the one given."""
    days = [p.proposed.effective_from for p in proposals if p.proposed.number is None and p.proposed.effective_from]
    if effective_from is None or (days and max(days) == effective_from):
        return  # a consolidated text prints its first commencement too; the latest one is this version's
    for item in proposals:
        day = item.proposed.effective_from
        if item.proposed.number is None and day is not None and day != effective_from:
            said = f"{print_day(day)} ({item.proposed.quote[:120]!r})"
            text = f"The text says {said}, the version is dated {print_day(effective_from)}."
            yield Flag("date_disagreement", text, item.said_by)
