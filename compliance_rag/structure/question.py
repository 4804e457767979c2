"""The day a question is about, when the question itself names it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from compliance_rag.structure.calendar import FoundDate
from compliance_rag.structure.question_forms import asks_what_changed, dates_of_question
from schemas.clause import Span
from schemas.dates import print_day

WINDOW = 60  # characters of context on each side that can tie a date to an event
_AS_OF = re.compile(
    r"\b(?:as\s+(?:of|at|on|it\s+(?:stood|was|stands)(?:\s+on)?)|(?:the\s+)?(?:position|law|rules?|text|"
    r"version|edition|wording)\s+(?:of|on|at|as\s+of)|"
    r"in\s+force(?:\s+on|\s+at)?|in\s+effect(?:\s+on|\s+at)?|effective(?:\s+on|\s+from|\s+as\s+of)?|"
    r"applicable\s+on|valid\s+on)\s*(?:the\s+)?$"
    r"|(?:截至|截止到?|截止至|以|按照?|依)\s*$",
    re.IGNORECASE,
)
_BOUND = re.compile(
    r"\b(?:on\s+or\s+(?:after|before)|(?:not|no)\s+(?:later|earlier)\s+than|before|after|since|until|till|"
    r"up\s+to|by|from|to|through|between|prior\s+to|"
    r"following|starting|beginning|ending|and)\s*(?:the\s+)?$|(?:自|从|不晚于|不早于|至|到|和|与)\s*$",
    re.IGNORECASE,
)
_BOUND_AFTER = re.compile(
    r"\s*(?:or\s+(?:later|after|earlier|before|thereafter)|onwards?|之前|以前|之后|以后|及以后|前|后|起|至|到|[-–—])",
    re.IGNORECASE,
)
_EVENT = re.compile(
    r"(?:\bon|\bdated|\bat\s+(?:the\s+)?(?:date|close|start|end)\s+of|\bthe\s+day\s+of|在|于|当)\s*(?:the\s+)?$", re.IGNORECASE
)
_EVENT_VERBS = (
    r"\b(?:issued|signed|made|entered(?:\s+into)?|executed|filed|submitted|received|sent|given|concluded|"
    r"renewed|granted|created|opened|closed|"
    r"occurr(?:ed|ing)|happen(?:ed|ing)|taking\s+place|notified|dated|hired|terminated|expired|purchased|"
    r"sold|paid|revoked|generated|travelled|traveled|incurred|bought|started|began|joined|arrived|left)"
)
_EVENT_VERB = re.compile(_EVENT_VERBS + r"\s*,?\s*$", re.IGNORECASE)
_TITLE_BEFORE = re.compile(
    r"(?:\b[A-Z][\w'-]*\s+(?:of|dated|\()\s*(?:the\s+)?|《[^》]{0,60}|\b[a-z][\w'-]*\s+of\s+|\bthe\s+|"
    r"\b(?:published|promulgated|adopted|passed|enacted|amended|revised|repealed)\s+(?:on\s+)?)$"
)
_TITLE_AFTER = re.compile(r"\s*(?:Act|Regulations?|Rules?|Order|Directive|Law|Code|Agreement|Policy|Report|edition\s+of)\b")
_TITLE_AFTER_ZH = re.compile(r"\s*(?:公布|发布|颁布|通过|修订|修正|印发)的?")
_EVENT_AFTER_ZH = re.compile(
    r"\s*(?:时|当时|当天|当日|这一?天|那一?天|现行|有效|适用|施行|签[发订署]|发生|提交|订立|申请|受理|起诉|成立|设立|登记|立案|颁发|出具|收到|[，,]|的(?:规定|版本|规则|条文|文本|法律|时候))"
)
_LEADING = re.compile(r"\s*(?:on\s+)?$", re.IGNORECASE)
_AFTER_LEADING = re.compile(r"\s*[,，:：]")
_MONTH_NAME = r"(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]*\.?"
# "As of" a time that is no day: today would be an answer about another law than the one asked for.
_VAGUE = re.compile(
    rf"\bas\s+(?:of|at)\s+(?:the\s+)?(?P<en>(?:end|start|beginning|middle|close)\s+of\s+(?:{_MONTH_NAME}\s+)?(?:19|20)\d\d|"
    rf"yesterday|tomorrow|(?:last|next)\s+(?:week|month|quarter|year)|(?:{_MONTH_NAME}\s+)?(?:19|20)\d\d)(?![\w/.-]*\w)|"
    r"(?:截至|截止到?|截止至)\s*(?P<zh>[昨明前后][天日]|[上下]个?(?:星期|[月周])|[去明前]年|(?:19|20)\d\d年(?:\d{1,2}月)?[底末初中]?)(?!\d)",
    re.IGNORECASE,
)
# A bound that is no form of words of a schedule ("on or after"): a question tied to it may be about either side's law.
_OPEN_BOUND = re.compile(r"(?<!\bor\s)\b(?:before|after|since|until|till|up\s+to|prior\s+to)\s*(?:the\s+)?$", re.IGNORECASE)
_OR_LATER = re.compile(r"\s*or\s+(?:later|after|earlier|before|thereafter)", re.IGNORECASE)
# Two days with the time between them, or the first day of a time without end: the law may differ within it.
_RANGE = re.compile(r"\b(?:between|from)\s+(?:the\s+)?$", re.IGNORECASE)
_RANGE_AFTER = re.compile(r"\s*(?:,\s*)?(?:and|to|until|till|through|up\s+to|[-–—])\s+(?:the\s+)?$", re.IGNORECASE)
_RANGE_ZH = re.compile(r"(?:自|从)\s*$")
_TO_ZH = re.compile(r"\s*(?:至|到)\s*")
_RANGE_AFTER_ZH = re.compile(r"\s*(?:起|开始)(?!施行|实施|生效|执行|施用|适用)|\s*(?:至|到)")
_OPEN_BOUND_ZH = re.compile(r"\s*(?:之前|以前|之后|以后|前|后)")
# "Contracts of before that day": what they are, not when the question is about.
_OF_ZH = re.compile(r"\s*(?:的|公布|发布|颁布|通过|修订|修正|印发)")
_GOVERNS = re.compile(r"\b(?:applied|applies|apply|governed|in\s+force|in\s+effect|valid)\s*,?\s*$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"\s*(?:[?？.。!]|$)")
_ORDINAL = re.compile(r"\d{1,2}(?:st|nd|rd|th)\b|[a-z]+(?:-[a-z]+)?\s+(?:day\s+)?of\b", re.IGNORECASE)
_ON_THE = re.compile(r"\bon\s+the\s+$", re.IGNORECASE)
# A time that is no day: a month, a day told from today, or the day on which a version took effect.
_NO_DAY = re.compile(
    rf"(?<!published\s)(?<!adopted\s)(?<!edition\s)\b(?:in|during)\s+(?P<en>{_MONTH_NAME}\s+(?:19|20)\d\d)(?!\w)(?!\s+(?:edition|version|report))|"
    r"\b(?P<told>(?:the\s+day\s+before\s+)?yesterday|tomorrow)\b|"
    rf"{_EVENT_VERBS}\s+(?:in\s+|during\s+|at\s+)?(?P<rel>(?:the\s+)?(?:last|past|previous)\s+(?:week|month|quarter|year)|"
    r"(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|several|some)\s+(?:days?|weeks?|months?|years?)\s+ago)\b|"
    r"\b(?:at|by|in|since)\s+(?P<part>(?:the\s+)?(?:end|start|beginning|middle)\s+of\s+(?:19|20)\d\d)(?!\w)|"
    r"\b(?P<effect>(?:before|after|until)\s+(?:[\w.~-]+\s+){1,5}?(?:took|came|went)\s+(?:in)?(?:to\s+)?(?:effect|force))\b|"
    r"(?<!\d)(?P<zh>(?:19|20)?\d\d年\d{1,2}月)(?!\s?\d)份?"
    r"(?!的?(?:公布|发布|颁布|通过|修订|修正|印发|版|起|以[前后]|之[前后]))(?=(?:(?!的)[\u4e00-\u9fff]){1,6}的|[，,]|的|[\u4e00-\u9fff]{2,})|"
    r"(?P<told_zh>昨[天日]|明天|(?<![提之以])前天(?!数)|(?:去年|前年|上个?(?:月|季度|星期|周)|[一二两三四五六七八九十\d]{1,3}(?:天|周|个月|年)前)"
    r"(?=(?:发生|签|提交|订立|申请|受理|成立|设立|登记|收到|出差|的)))",
    re.IGNORECASE,
)
# What the law was at a time told from today: the question is about a day, and does not name it.
_THEN = re.compile(
    r"\b(?:what|which|how|when|who|whom)\b[^.?;]*\b(?:was|were|did|applied)\b[^.?;]*\b(?P<rel>(?:last|the\s+previous)\s+(?:week|month|quarter|year)"
    r"|(?:\d{1,3}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|several|some)\s+(?:days?|weeks?|months?|years?)\s+ago)\b"
    r"|(?P<zh>去年|前年|上个?(?:月|季度|星期|周))的?[\u4e00-\u9fff]{2,10}(?:是多少|是什么|为多少|有多少|是多久)",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\s*,?\s*(?:the\s+)?$", re.IGNORECASE)
_IN_FORCE_ZH = re.compile(r"\s*(?:时|当天|当日)?(?:有效|现行|施行|适用|生效)的")
_HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class QuestionDay:
    """``day`` is the one calendar day the question is about, or None (then today holds).

    ``clarify`` is not empty when the question names a day that cannot be read or settled: sentences to put to the asker.
    ``spans`` are the words that name the day: they say when, and nothing of the subject.
    """

    day: date | None
    clarify: list[str]
    spans: tuple[Span, ...] = ()


def question_day(text: str) -> QuestionDay:
    """The day a question is about: a full date tied to an event or to "as of", never a bare year, a title or a bound."""
    as_of: list[FoundDate] = []
    events: list[FoundDate] = []
    bare: list[FoundDate] = []
    bounds: list[FoundDate] = []
    compared: list[FoundDate] = []
    chinese = bool(_HAN.search(text))
    dates = dates_of_question(text)
    for found in dates:
        tie = _tie(text, found, dates)
        if tie is not None:
            {"as_of": as_of, "event": events, "bare": bare, "bound": bounds, "compared": compared}[tie].append(found)
    chosen = as_of or events or sorted(compared, key=lambda found: (found.day is None, found.day))[-1:]
    if not chosen:
        asked = [_ask_bound(found, chinese=chinese) for found in bounds] + [_ask_bare(found, chinese=chinese) for found in bare]
        return QuestionDay(None, _vague(text, dates, chinese=chinese) or asked)
    unclear = [_ask(found, chinese=chinese) for found in chosen if found.day is None]
    days = sorted({found.day for found in chosen if found.day is not None})
    if unclear:
        return QuestionDay(None, unclear)
    if len(days) > 1:
        names = (" 还是 " if chinese else " or ").join(str(print_day(day)) for day in days)
        several = f"问题提到几个日期，所问的是哪一天：{names}？"
        return QuestionDay(None, [several if chinese else f"The question names several days; which one is it about, {names}?"])
    return QuestionDay(days[0], [], tuple(_naming(text, found) for found in chosen))


def _naming(text: str, found: FoundDate) -> Span:
    """The words that name the day: the date, its weekday, and the "as of" or "in force on" before it (有效的 after it)."""
    start, end = found.span
    for pattern in (_WEEKDAY, _AS_OF):  # `$` matches at the end that is given
        lead = pattern.search(text, max(0, start - WINDOW), start)
        start = start if lead is None else lead.start()
    after = _IN_FORCE_ZH.match(text, end)
    return start, end if after is None else after.end()


def _in_range(text: str, found: FoundDate, dates: Sequence[FoundDate]) -> bool:
    """True for either end of a range ("between … and …", 自…至…), or for the day from which an open one runs."""
    start, end = found.span
    if _RANGE_ZH.search(text[:start]):
        return _RANGE_AFTER_ZH.match(text, end) is not None
    others = [other for other in dates if other is not found]
    first = next((one.span for one in others if _RANGE_AFTER.fullmatch(text, one.span[1], start)), found.span)
    closed = first != found.span or any(_RANGE_AFTER.fullmatch(text, end, one.span[0]) for one in others)
    opened = _RANGE.search(text[: first[0]])
    if opened is not None:
        return closed or opened[0].lower().startswith("from")
    neighbours = [(one.span[1], start) for one in others] + [(end, one.span[0]) for one in others]
    return any(_TO_ZH.fullmatch(text, left, right) for left, right in neighbours if left <= right)


def _tie(text: str, found: FoundDate, dates: Sequence[FoundDate]) -> str | None:
    """``as_of``, ``event``, ``bound`` (open, of the event or of the law), ``compared`` (an end of the time in which something
    is asked to have changed: the later one is the day), ``bare`` (unclear), or None where the date is a
    bound of something else, a title or a thing's name."""
    start, end = found.span
    before, after = _WEEKDAY.sub("", text[max(0, start - WINDOW) : start]), text[end : end + WINDOW]
    if found.rule == "unreadable":
        return "event"
    if _AS_OF.search(before):
        return "as_of"
    if not _TITLE_AFTER.match(after) and _in_range(text, found, dates):
        return "compared" if asks_what_changed(text) else "bound"
    if _BOUND.search(before) or _BOUND_AFTER.match(after):
        return "bound" if _is_open(text[:start], text[end:]) else None
    if _ON_THE.search(before) and _ORDINAL.match(found.text):
        return "event"
    if _TITLE_BEFORE.search(before) or _TITLE_AFTER.match(after) or _TITLE_AFTER_ZH.match(after):
        return None
    if _EVENT.search(before) or _EVENT_VERB.search(before) or _EVENT_AFTER_ZH.match(after):
        return "event"
    if _LEADING.match(text[:start]) and start < WINDOW and _AFTER_LEADING.match(after):
        return "event"
    return "bare"


def _is_open(before: str, after: str) -> bool:
    """True for a bound of the event ("filed before"), of the law ("applied until"), or of the whole question."""
    bound = _OPEN_BOUND.search(before)
    if bound is not None and not _OR_LATER.match(after):
        head = before[: bound.start()]
        return bool(
            _EVENT_VERB.search(head)
            or _GOVERNS.search(head)
            or (not head.strip() and _AFTER_LEADING.match(after))
            or _SENTENCE_END.match(after)
        )
    bound_zh = _OPEN_BOUND_ZH.match(after)
    if bound_zh is None:
        return False
    return not _OF_ZH.match(after, bound_zh.end())


def _vague(text: str, dates: Sequence[FoundDate], *, chinese: bool) -> list[str]:
    """What to ask back where the question says "as of" a month, a year or a day told from today, or ties one to the event."""
    found = _VAGUE.search(text) or _NO_DAY.search(text) or _THEN.search(text)
    if found is None or any(start < found.end() and found.start() < end for start, end in (item.span for item in dates)):
        return []
    words = next(words for words in found.groupdict().values() if words)
    return [f"“{words}”不是具体日期，所问的是哪一天？" if chinese else f"{words!r} is not a calendar date; which day is meant?"]


def _ask(found: FoundDate, *, chinese: bool) -> str:
    if found.rule == "ambiguous":
        names = (" 还是 " if chinese else " or ").join(str(print_day(day)) for day in found.readings)
        return f"“{found.text}”有两种读法：{names}？" if chinese else f"{found.text!r} can be read in two ways; is it {names}?"
    if found.rule == "impossible":
        if chinese:
            return f"历法中没有“{found.text}”这一天，所问的是哪一天？"
        return f"{found.text!r} is not a day of the calendar; which day is meant?"
    if found.rule == "two_digit_year":
        if chinese:
            return f"“{found.text}”的年份或日月次序不明，请写成 YYYY-MM-DD。"
        return f"{found.text!r} leaves the year or the order of day and month open; write the day as YYYY-MM-DD."
    if chinese:
        return f"“{found.text}”不是完整的日期，请写成 YYYY-MM-DD。"
    return f"{found.text!r} is not a full date; write the day as YYYY-MM-DD."


def _ask_bound(found: FoundDate, *, chinese: bool) -> str:
    if found.day is None:
        return _ask(found, chinese=chinese)
    if chinese:
        return f"“{found.text}”只是期间的界限，所问的是哪一天？"
    return f"{found.text!r} only bounds a time; which day is the question about?"


def _ask_bare(found: FoundDate, *, chinese: bool) -> str:
    if found.day is None:
        return _ask(found, chinese=chinese)
    if chinese:
        return f"所问的是{print_day(found.day)}这一天吗？问题没有说明“{found.text}”是什么日期。"
    return f"Is the question about {print_day(found.day)}? The words do not say what {found.text!r} is the date of."
