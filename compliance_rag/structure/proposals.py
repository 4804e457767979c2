"""Dates a document proposes for itself: printed effective dates, commencement and sunset clauses, revision tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date

from compliance_rag.structure.calendar import FoundDate, after, find_dates
from compliance_rag.structure.chinese import read_chinese
from compliance_rag.structure.cites import Cite
from compliance_rag.structure.english import read_english
from compliance_rag.structure.numerals import chinese_value
from compliance_rag.structure.resolve import Resolver
from compliance_rag.structure.tree import Tree, View
from schemas.clause import Clause, Flag, Path, ProposedDate
from schemas.dates import next_day, print_day

HEAD_LIMIT = 4_000  # characters at the start of a document in which a title block prints its dates
QUOTE_LIMIT = 400  # a quote shows the sentence, not the page
_STARTS = (
    r"commences?|com(?:es?|ing)\s+into\s+(?:force|effect|operation)|enters?\s+into\s+(?:force|effect)|"
    r"takes?\s+effect|shall\s+take\s+effect|"
    r"(?:is|are|becomes?|shall\s+be(?:come)?)\s+effective|appl(?:y|ies)(?=\s+(?:from|as\s+of|"
    r"with\s+effect))|shall\s+apply(?=\s+(?:from|as\s+of))"
)
_ENDS = (
    r"ceases?\s+to\s+(?:have\s+effect|apply|be\s+in\s+force|be\s+effective)|expires?|lapses?|(?:is|"
    r"are)\s+repealed|shall\s+expire"
)
_EVENT = re.compile(
    rf"\b(?:(?P<start>{_STARTS})|(?P<end>{_ENDS}))\s*,?\s*(?:with\s+effect\s+)?(?P<how>on|from|as\s+of|"
    rf"as\s+from|at\s+the\s+end\s+of|after|upon)?\s*(?:and\s+from\s+)?(?:the\s+)?",
    re.IGNORECASE,
)
_PUBLISHED = r"(?:the\s+)?(?:(?:day|date)\s+of\s+)?(?:its\s+|their\s+)?(?:official\s+)?(?:publication|promulgation)"
_RULE = re.compile(
    rf"(?:the\s+)?first\s+day\s+of\s+the\s+(?:(?P<nth>\w+)\s+)?(?:calendar\s+)?month\s+(?:next\s+)?(?:after|following)\s+"
    rf"(?:the\s+month\s+of\s+|that\s+of\s+)?{_PUBLISHED}|"
    rf"(?:the\s+)?(?:(?P<n>\w+)\s+)?(?P<unit>days?|weeks?|months?|years?)\s+(?:after|following|from)\s+{_PUBLISHED}|"
    r"(?:the\s+)?(?:day|date)\s+of\s+(?:its\s+|their\s+)?(?:publication|promulgation)|(?:its\s+|their\s+)(?:publication|promulgation)",
    re.IGNORECASE,
)
_IN_FORCE_RULE = re.compile(
    rf"\b(?:in\s+force|effective|into\s+force|takes?\s+effect|commences?)\s+(?:on\s+|from\s+|upon\s+)?(?={_RULE.pattern})",
    re.IGNORECASE,
)
_PRINTED = re.compile(
    r"(?:^|(?<=[\n|(*_.]))[ \t>*_#|(-]{0,8}(?:version\s+)?effective(?:\s+date)?(?:\s+as\s+of)?(?:\s+(?:on|"
    r"from))?[ \t*_:：|-]{1,8}(?=[\dA-Za-z])",
    re.IGNORECASE,
)
_PRINTED_ZH = re.compile(r"(?:施行日期|生效日期|实施日期)\s?[:：]?\s?(?:自)?")
_ZH_EVENT = re.compile(
    r"自?(?P<date>[^，。；\n自]{6,16}?[日号])(?:起)?(?P<what>(?:开始)?(?:施行|生效|实施|执行)|(?:失效|停止执行|停止施行|废止))"
)
_ZH_RULE = re.compile(
    r"自(?:公布|发布|颁布|印发)(?:之日起(?:(?P<n>[一二三四五六七八九十百\d]{1,4})(?P<unit>日|个月|年)(?:后|期满|之后))?"
    r"|(?:之日的?)?(?P<next>次日|次月(?:[1１一]日)?|第二日)起?)(?:起)?(?:开始)?(?:施行|生效|实施|执行)"
)
_ZH_UNTIL = re.compile(r"(?:有效期)(?:[^，。；\n]{0,12})至\s?")
_OWN_SUBJECT = re.compile(
    r"\b(?:this|these|the\s+present)\s+(?!section|sub-?section|part|chapter|article|rule|clause|paragraph|"
    r"schedule|version\b)[A-Za-z]+|\bthe\s+(?:act|agreement|policy|regulations?|rules|order|law)\b",
    re.IGNORECASE,
)
_THIS_PART = re.compile(r"\bthis\s+(section|part|chapter|article|rule|clause|schedule)\b", re.IGNORECASE)
_EXCEPT = re.compile(r"\b(?:except|other\s+than|save)\b|除", re.IGNORECASE)
_TABLE_HEAD = re.compile(r"^[^\n]{0,200}\beffective\b[^\n]{0,80}$", re.IGNORECASE | re.MULTILINE)
_TABLE_WORDS = re.compile(r"\b(?:ver(?:sion)?|revision|rev|ballot|adopted|description|date|amendment|change)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.])\s+(?=[A-Z(“\"])|[。\n]")


@dataclass(frozen=True, slots=True)
class Proposal:
    """A proposed date with the clause it touches (None: the whole version) and the clause that says it (None: front matter)."""

    proposed: ProposedDate
    touches: Path | None
    said_by: Path | None


@dataclass(frozen=True, slots=True)
class _Event:
    starts: bool
    subject: str
    day: date | None
    rule: str | None
    quote: str


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
        chinese = _chinese_events(text, language, published_on) if views[clause.path].han else ()
        for event in (*_english_events(text, language, published_on), *chinese):
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
    if (
        head is None
        or not _TABLE_WORDS.search(re.sub("effective", "", head[0], flags=re.IGNORECASE))
        or len(_cells(head[0])) < 2
    ):
        return None
    last: tuple[str, FoundDate] | None = None
    column = next((i for i, cell in enumerate(_cells(head[0])) if "effective" in cell.lower()), -1)
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


def _sentences(text: str) -> Iterator[str]:
    at = 0
    for match in _SENTENCE_END.finditer(text):
        yield text[at : match.end()].strip()
        at = match.end()
    yield text[at:].strip()


def _english_events(text: str, language: str, published_on: date | None) -> Iterator[_Event]:
    if not _EVENT.search(text) and not _IN_FORCE_RULE.search(text):
        return
    for sentence in _sentences(text):
        if len(sentence) > 4 * QUOTE_LIMIT:
            continue
        dates = {item.span[0]: item for item in find_dates(sentence, language)}
        at = 0
        for match in _EVENT.finditer(sentence):
            item = dates.get(match.end())
            rule = None if item else _RULE.match(sentence, match.end())
            if item is None and rule is None:
                continue
            subject = sentence[at : match.start()]
            at = item.span[1] if item else rule.end() if rule else match.end()
            day, said = (item.day, None) if item else _by_rule(rule, published_on)
            if (
                match["end"]
                and day is not None
                and not match["end"].lower().startswith("cease")
                and (match["how"] or "").lower() not in {"from", "as of"}
            ):
                day, said = next_day(day), f"{match['end']} {match['how'] or ''}: through that day".replace(" :", ":")
            yield _Event(match["start"] is not None, subject, day, said, sentence[:QUOTE_LIMIT])
        for match in _IN_FORCE_RULE.finditer(sentence):
            if not _EVENT.match(sentence, match.start()):
                day, said = _by_rule(_RULE.match(sentence, match.end()), published_on)
                yield _Event(True, sentence[: match.start()], day, said, sentence[:QUOTE_LIMIT])


def _by_rule(rule: re.Match[str] | None, published_on: date | None) -> tuple[date | None, str]:
    """The day a rule gives once the publication day is known, and the rule in plain words."""
    if rule is None or not re.search(r"\b(?:after|following|from)\b", rule[0], re.IGNORECASE):
        return published_on, "day of publication"
    if rule["unit"] is None:
        months = 1 if rule["nth"] is None else _count(rule["nth"])
        if months is None:
            return None, rule[0].strip()
        said = f"first day of the {'' if months == 1 else f'{months}. '}month after publication"
        return None if published_on is None else _first(after(published_on, "month", months)), said
    count, unit = _count(rule["n"]), rule["unit"].lower().rstrip("s")
    if count is None:
        return None, rule[0].strip()
    said = f"{unit} after publication" if count == 1 else f"{count} {unit}s after publication"
    return None if published_on is None else after(published_on, unit, count), said


def _first(day: date | None) -> date | None:
    return None if day is None else day.replace(day=1)


_COUNTS = {
    "the": 1,
    "one": 1,
    "a": 1,
    "next": 1,
    "two": 2,
    "second": 2,
    "three": 3,
    "six": 6,
    "sixth": 6,
    "twelve": 12,
    "seven": 7,
    "ten": 10,
    "fourteen": 14,
    "twenty": 20,
    "twentieth": 20,
    "thirty": 30,
    "sixty": 60,
    "ninety": 90,
    "third": 3,
    "first": 1,
    "seventh": 7,
    "tenth": 10,
}


def _count(word: str | None) -> int | None:
    if word is None:
        return 1
    plain = re.sub(r"(?<=\d)(?:st|nd|rd|th)\Z", "", word.lower())
    return int(plain) if plain.isdecimal() and len(plain) < 5 else _COUNTS.get(plain)


def _chinese_events(text: str, language: str, published_on: date | None) -> Iterator[_Event]:
    for sentence in _sentences(text):
        if len(sentence) > 4 * QUOTE_LIMIT or not re.search("施行|生效|实施|执行|失效|废止|有效期", sentence):
            continue
        at = 0
        for match in _ZH_EVENT.finditer(sentence):
            dates = find_dates(match["date"], language)
            if not dates or dates[-1].span[1] != len(match["date"]):
                continue
            subject = sentence[at : match.start()]
            at = match.end()
            starts = not re.search("失效|停止|废止", match["what"])
            yield _Event(starts, subject, dates[-1].day, None, sentence[:QUOTE_LIMIT])
        for match in _ZH_RULE.finditer(sentence):
            day, said = _by_chinese_rule(match, published_on)
            yield _Event(True, sentence[at : match.start()], day, said, sentence[:QUOTE_LIMIT])


_ZH_UNITS = {"日": "day", "个月": "month", "年": "year"}


def _by_chinese_rule(match: re.Match[str], published_on: date | None) -> tuple[date | None, str]:
    if match["next"]:
        if match["next"].startswith("次月"):
            day = None if published_on is None else _first(after(published_on, "month", 1))
            return day, "first day of the month after publication"
        return None if published_on is None else after(published_on, "day", 1), "day after publication"
    count = None if match["n"] is None else chinese_value(match["n"])
    if count is None:
        return published_on, "day of publication"
    unit = _ZH_UNITS[match["unit"]]
    said = f"{unit} after publication" if count == 1 else f"{count} {unit}s after publication"
    return None if published_on is None else after(published_on, unit, count), said


def _proposals(tree: Tree, resolver: Resolver, clause: Clause, event: _Event) -> Iterator[Proposal]:
    """Tie an event to the version or to the clauses its subject names."""
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
    this = _THIS_PART.search(event.subject)
    outer = (
        tree.section_of(clause)
        if this and this[1].lower() in {"section", "article", "rule", "clause"}
        else tree.enclosing(clause, {this[1].lower()})
        if this
        else None
    )
    if outer is not None:
        yield Proposal(_proposed(outer.number or outer.label, event), outer.path, clause.path)
    elif not event.subject.strip(" ,，") and re.search("施行|实施", event.quote):
        yield Proposal(_proposed(None, event), None, clause.path)


def _cited(tree: Tree, resolver: Resolver, clause: Clause, event: _Event, cites: list[Cite]) -> Iterator[Proposal]:
    for cite in cites:
        for path in resolver.targets(cite, clause):
            if path is None:
                yield Proposal(_proposed(".".join(cite.tokens), event), None, clause.path)
                continue
            target = tree.by_path[path]
            yield Proposal(_proposed(target.number or target.label, event), path, clause.path)


def _proposed(number: str | None, event: _Event) -> ProposedDate:
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
