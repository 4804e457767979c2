"""The day a question is about, when the question itself names it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from compliance_rag.structure.calendar import FoundDate, find_dates
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
_OPEN_BOUND_ZH = re.compile(r"\s*(?:之前|以前|之后|以后|前|后)")
_DONE_ZH = re.compile(r"\s*(?!的|公布|发布|颁布|通过|修订|修正|印发)(?:(?!的)[\u4e00-\u9fff]){1,6}的")
_GOVERNS = re.compile(r"\b(?:applied|applies|apply|governed|in\s+force|in\s+effect|valid)\s*,?\s*$", re.IGNORECASE)
_SENTENCE_END = re.compile(r"\s*(?:[?？.。!]|$)")
_ORDINAL = re.compile(r"\d{1,2}(?:st|nd|rd|th)\b", re.IGNORECASE)
_ON_THE = re.compile(r"\bon\s+the\s+$", re.IGNORECASE)
_NAMED_MONTH = r"(?:jan|feb|mar|apr|(?-i:May)|june?|july?|aug|sept?|oct|nov|dec)(?:uary|ruary|ch|il|ust|tember|ober|ember)?\.?"
# A day whose year is cut short; a number with a unit after it is none.
_SHORT_YEAR = re.compile(
    rf"(?<![\w./])(?:\d{{1,2}}(?:st|nd|rd|th)?\s{{1,2}}(?:of\s{{1,2}})?{_NAMED_MONTH}|{_NAMED_MONTH}\s{{1,2}}\d{{1,2}}(?:st|nd|rd|th)?)"
    r",?\s{1,2}['’]?\d{1,3}(?![\w/:%])(?!\.\d)(?!\s*(?:calendar\s|working\s|business\s)?(?:day|week|month|year|hour|per\s?cent))"
    r"|(?<![\d〇零一二三四五六七八九十])\d{1,3}\s?年\s?\d{1,2}\s?月\s?\d{1,2}\s?[日号]",
    re.IGNORECASE,
)
# A time that is no day, said of the event: a month, or a day told from today.
_NO_DAY = re.compile(
    rf"{_EVENT_VERBS}\s+(?:in|during)\s+(?P<en>{_MONTH_NAME}\s+(?:19|20)\d\d)(?!\w)|"
    r"\b(?P<told>(?:the\s+day\s+before\s+)?yesterday|tomorrow)\b|"
    r"(?<!\d)(?P<zh>(?:19|20)?\d\d年\d{1,2}月)(?!\s?\d)份?"
    r"(?=(?!的|公布|发布|颁布|通过|修订|修正|印发|版)(?:(?!的)[\u4e00-\u9fff]){1,6}的)|(?P<told_zh>昨[天日]|明天|(?<![提之以])前天(?!数))",
    re.IGNORECASE,
)
_HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class QuestionDay:
    """``day`` is the one calendar day the question is about, or None (then today holds).

    ``clarify`` is not empty when the question names a day that cannot be read or settled: sentences to put to the asker.
    """

    day: date | None
    clarify: list[str]


def question_day(text: str) -> QuestionDay:
    """The day a question is about: a full date tied to an event or to "as of", never a bare year, a title or a bound."""
    as_of: list[FoundDate] = []
    events: list[FoundDate] = []
    bare: list[FoundDate] = []
    bounds: list[FoundDate] = []
    chinese = bool(_HAN.search(text))
    dates = _dates(text)
    for found in dates:
        tie = _tie(text, found)
        if tie is not None:
            {"as_of": as_of, "event": events, "bare": bare, "bound": bounds}[tie].append(found)
    chosen = as_of or events
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
    return QuestionDay(days[0], [])


def _dates(text: str) -> list[FoundDate]:
    """The date phrases of a question, with those whose year is cut short, in order."""
    found = find_dates(text, "mixed")
    for match in _SHORT_YEAR.finditer(text):
        if not any(start < match.end() and match.start() < end for start, end in (item.span for item in found)):
            found.append(FoundDate(match.span(), None, "two_digit_year", match[0]))
    return sorted(found, key=lambda item: item.span)


def _tie(text: str, found: FoundDate) -> str | None:
    """``as_of``, ``event``, ``bound`` (open, of the event or of the law), ``bare`` (unclear), or None where the date is a
    bound of something else, a title or a thing's name."""
    start, end = found.span
    before, after = text[max(0, start - WINDOW) : start], text[end : end + WINDOW]
    if found.rule == "unreadable":
        return "event"
    if _AS_OF.search(before):
        return "as_of"
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
    rest = after[bound_zh.end() :]
    return bool(_EVENT_AFTER_ZH.match(rest) or _DONE_ZH.match(rest))


def _vague(text: str, dates: Sequence[FoundDate], *, chinese: bool) -> list[str]:
    """What to ask back where the question says "as of" a month, a year or a day told from today, or ties one to the event."""
    found = _VAGUE.search(text) or _NO_DAY.search(text)
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
