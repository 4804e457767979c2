"""What sentences say starts or ends on a day or by a rule, in both languages: the day, the subject as printed, the quote."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from compliance_rag.structure.calendar import after, find_dates
from compliance_rag.structure.numerals import chinese_value
from schemas.dates import next_day

QUOTE_LIMIT = 400  # a quote shows the sentence, not the page
_STARTS = (
    r"commences?|com(?:es?|ing)\s+into\s+(?:force|effect|operation)|enters?\s+into\s+(?:force|effect)|"
    r"takes?\s+effect|shall\s+take\s+effect|"
    r"ha(?:s|ve)\s+effect(?=\s+(?:on|from|as))|"
    r"(?:is|are|remains?|continues?|shall\s+(?:be|remain|continue))\s+in\s+(?:force|effect)(?=\s+(?:from|as\s+of))|"
    r"(?:shall|will|do|does)\s+not\s+(?:apply|have\s+effect|come\s+into\s+(?:force|effect|operation)|take\s+effect|commence)"
    r"(?=\s+(?:until|before)\b)|"
    r"(?:effective|into|made|dated)(?=\s+as\s+of\s+[^()\n]{6,30}\([^()\n]{0,20}\bEffective\s+Date\b)|"
    r"(?:is|are|becomes?|shall\s+be(?:come)?)\s+effective|appl(?:y|ies)(?=\s+(?:from|as\s+of|"
    r"with\s+effect))|shall\s+apply(?=\s+(?:from|as\s+of))"
)
_ENDS = (
    r"ceases?\s+to\s+(?:have\s+effect|apply|be\s+in\s+force|be\s+effective)|expires?|lapses?|(?:is|"
    r"are)\s+repealed|shall\s+expire|(?<!may )(?<!to )(?<!can )terminates?|"
    r"(?:is|are|remains?|continues?|shall\s+(?:be|remain|continue))\s+(?:valid|in\s+(?:force|effect))"
    r"(?=\s+(?:until|through|to)\b)"
)
_EVENT = re.compile(
    rf"\b(?:(?P<start>{_STARTS})|(?P<end>{_ENDS}))\s*,?\s*(?:with\s+effect\s+)?(?P<how>on|from|as\s+of|"
    rf"as\s+from|at\s+the\s+end\s+of|at\s+midnight(?:\s+at\s+the\s+end\s+of|\s+on)?|until|before|through|to|after|upon)?\s*(?:and\s+from\s+)?(?:the\s+)?",
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
_ZH_EVENT = re.compile(
    r"自?(?P<date>[^，。；\n自]{6,16}?[日号])(?:起)?(?P<what>(?:开始)?(?:施行|生效|实施|执行)|(?:失效|停止执行|停止施行|废止))"
)
_ZH_RULE = re.compile(
    r"自(?:公布|发布|颁布|印发)(?:之日起(?:(?P<n>[一二三四五六七八九十百\d]{1,4})(?P<unit>日|个月|年)(?:后|期满|之后))?"
    r"|(?:之日的?)?(?P<next>次日|次月(?:[1１一]日)?|第二日)起?)(?:起)?(?:开始)?(?:施行|生效|实施|执行)"
)
_ZH_UNTIL = re.compile(r"有效期(?:[^，。；\n]{0,12}?)[至到]\s?(?=[\d０-９〇○零一二三四五六七八九])")
_ZH_TERM = re.compile(r"有效期限?(?:为|是)?\s?(?P<n>[一二两三四五六七八九十百\d]{1,4})\s?(?P<unit>个月|年|日)")
# "from 1 January 2025 until 31 December 2027": the end beside a start.
_UNTIL = re.compile(
    r"\s*,?\s*(?:and\s+)?(?:until|to|through|up\s+to|ending\s+on)\s+(?:and\s+including\s+)?(?:the\s+end\s+of\s+)?",
    re.IGNORECASE,
)
_SENTENCE_END = re.compile(r"(?<=[.])\s+(?=[A-Z(“\"])|[。\n]")


@dataclass(frozen=True, slots=True)
class Event:
    """``subject``: the words before it in the sentence; ``day`` None where only the ``rule`` is known."""

    starts: bool
    subject: str
    day: date | None
    rule: str | None
    quote: str


def _sentences(text: str) -> Iterator[str]:
    at = 0
    for match in _SENTENCE_END.finditer(text):
        yield text[at : match.end()].strip()
        at = match.end()
    yield text[at:].strip()


def english_events(text: str, language: str, published_on: date | None) -> Iterator[Event]:
    """Every English event of ``text`` in order; ``published_on`` gives the day of rules such as "after publication"."""
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
            yield Event(match["start"] is not None, subject, day, said, sentence[:QUOTE_LIMIT])
            until = _UNTIL.match(sentence, at) if match["start"] and item else None
            last = dates.get(until.end()) if until else None
            if last is not None and last.day is not None:
                at = last.span[1]
                yield Event(False, subject, next_day(last.day), "until: through that day", sentence[:QUOTE_LIMIT])
        for match in _IN_FORCE_RULE.finditer(sentence):
            if not _EVENT.match(sentence, match.start()):
                day, said = _by_rule(_RULE.match(sentence, match.end()), published_on)
                yield Event(True, sentence[: match.start()], day, said, sentence[:QUOTE_LIMIT])


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


def chinese_events(text: str, language: str, published_on: date | None) -> Iterator[Event]:
    """Every Chinese event of ``text``, starts before terms; ``published_on`` as in :func:`english_events`."""
    for sentence in _sentences(text):
        if len(sentence) > 4 * QUOTE_LIMIT or not re.search("施行|生效|实施|执行|失效|废止|有效期", sentence):
            continue
        events = list(_chinese_starts(sentence, language, published_on))
        yield from (event for _, event in events)
        yield from _chinese_terms(sentence, language, published_on, events)


def _chinese_starts(sentence: str, language: str, published_on: date | None) -> Iterator[tuple[int, Event]]:
    """What a sentence says starts or ends on a day or by a rule, with where the words for it end."""
    at = 0
    for match in _ZH_EVENT.finditer(sentence):
        dates = find_dates(match["date"], language)
        if not dates or dates[-1].span[1] != len(match["date"]):
            continue
        begin = match.start("date") + dates[-1].span[0]
        subject, at = sentence[at:begin].removesuffix("自"), match.end()
        starts, day, said = not re.search("失效|停止|废止", match["what"]), dates[-1].day, None
        if not starts and day is not None and sentence[begin - 1 : begin] in {"至", "到"}:
            day, said = next_day(day), "至: through that day"
        yield at, Event(starts, subject, day, said, sentence[:QUOTE_LIMIT])
    for match in _ZH_RULE.finditer(sentence):
        day, said = _by_chinese_rule(match, published_on)
        yield match.end(), Event(True, sentence[at : match.start()], day, said, sentence[:QUOTE_LIMIT])


def _chinese_terms(sentence: str, language: str, published_on: date | None, events: list[tuple[int, Event]]) -> Iterator[Event]:
    """有效期至 a day, 有效期五年 from the start that the sentence names, of what it names before or just here."""
    for match in (*_ZH_UNTIL.finditer(sentence), *_ZH_TERM.finditer(sentence)):
        end, start = next(((end, event) for end, event in reversed(events) if end <= match.start()), (0, None))
        subject = sentence[end : match.start()].strip(" ，,、")
        if start is not None and start.starts and not subject.strip("其的"):
            subject = start.subject
        if match.re is _ZH_UNTIL:
            found = next((item for item in find_dates(sentence, language) if item.span[0] == match.end()), None)
            if found is not None and found.day is not None:
                yield Event(False, subject, next_day(found.day), "有效期至: through that day", sentence[:QUOTE_LIMIT])
            continue
        count, unit = chinese_value(match["n"]), _ZH_UNITS[match["unit"]]
        first = start.day if start is not None and start.starts else None
        if count is not None:
            day = None if first is None else after(first, unit, count)
            yield Event(False, subject, day, f"{count} {unit}{'s' * (count != 1)} from the start", sentence[:QUOTE_LIMIT])


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
