"""What must stand in the evidence for a question to be answered by it: the kind of thing asked for, by its own name.

A document may speak of the subject and not of what is asked ("what fine …" where none is set). Words and vectors look alike
then; that the thing asked for is missing is what tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from compliance_rag.answer.cues import cells_of, parts_of, quantities
from compliance_rag.answer.terms import terms

# How old a person is, is an age; how old data, a report or a key may be is a length of time.
_OF_A_PERSON = (
    r"[^?]*\b(?:i|you|he|she|we|they|one|someone|anyone|persons?|people|child(?:ren)?|boys?|girls?|m[ae]n|wom[ae]n|users?|members?"
    r"|drivers?|employees?|directors?|customers?|guests?|students?|candidates?|patients?|workers?|buyers?|applicants?|spectators?)\b"
)
_HOW_OLD = rf"\bhow\s+old\b(?={_OF_A_PERSON})"
# What follows "how much" where money is meant; "how much fuel may be stored" asks for another quantity.
_PAYS = (
    r"(?:is|are|was|were|do|does|did|must|shall|may|can|could|will|would|should|has|have|had|to)\b(?!\s+of\b)|(?:\w+\s+){0,2}?"
    r"(?:money|rent|interest|tax|deposit|pay|salary|wages?|compensation|fees?|fines?|costs?|price|cash|damages|capital|cover|insurance|duty)"
)
_MONEY_ZH = "押金|保证金|定金|租金|违约金|滞纳金|利息|工资|奖金|补偿金|赔偿金|服务费|手续费|管理费"
# Questions that name the kind of quantity they want, so that an answer without one is none. Narrower than ``cues.wants``,
# which only prefers.
_STRICT: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = (
    (
        frozenset({"duration", "date"}),
        re.compile(
            r"\bhow\s+(?:long|soon|quickly|fast|often|frequently)\b|\bhow\s+many\s+(?:\w+\s+){0,2}(?:years?"
            r"|months?|weeks?|days?|hours?|minutes?)\b"
            r"|\bwithin\s+(?:what|which|how\s+many)\b|\bhow\s+much\s+(?:notice|warning|time)\b|\bby\s+when\b"
            r"|\b(?:time[\s-]?limit|deadline|time)\s+(?:allowed\s+)?for\s+\w+ing\b"
            r"|多久|多长时间|多少个?(?:小时|工作日|交易日|天|日|周|月|年)|几个?(?:小时|工作日|交易日|天|日内|周|月|年)",
            re.I,
        ),
    ),
    (frozenset({"duration", "number", "count"}), re.compile(rf"{_HOW_OLD}|多少岁|几岁", re.I)),
    (frozenset({"duration"}), re.compile(rf"\bhow\s+old\b(?!{_OF_A_PERSON})", re.I)),
    (
        frozenset({"amount", "percent"}),
        re.compile(
            rf"\bhow\s+much\b(?=\s*(?:[?,.;]|$)|\s+(?:{_PAYS})\b)|\b(?:what|which)\s+(?:(?!is\b"
            r"|are\b|the\b|an?\b)\w+\s+){0,2}(?:fines?|fees?|deposits?|price|rent|salary|wages?|charges?)\s"
            rf"|多少(?:的)?(?:罚款|费用|{_MONEY_ZH})|(?:罚款|费|金额|{_MONEY_ZH})(?:是|为)?多少",
            re.I,
        ),
    ),
    (frozenset({"amount"}), re.compile(r"多少钱|多少元")),
    (frozenset({"percent"}), re.compile(
        r"\bwhat\s+(?:percentage|share|proportion)\b|\brate\s+of\s+interest\b|百分之几|利率是?多少"
        , re.I)),
    (
        frozenset({"count", "number", "percent"}),
        re.compile(
            r"\bhow\s+many\s+(?!(?:in|for|under|at|on|with|by|when|if|after|before|there)\b)"
            r"(?!\w*\s?\w*\s?(?:years?|months?|weeks?|days?|hours?|minutes?)\b)|(?:多少|几)[人名个位次份家]"
            , re.I),
    ),
)  # fmt: skip
# Words that give a quantity without a figure, or say where it stands.
_LOOSE: dict[str, re.Pattern[str]] = {
    "duration": re.compile(
        r"\b(?:immediately|promptly|forthwith|without\s+(?:undue\s+)?delay|as\s+soon\s+as|at\s+any\s+time"
        r"|at\s+all\s+times|annual\w*|yearly|monthly"
        r"|weekly|daily|quarterly|each|every|once|twice|until|indefinite\w*|permanent\w*|ongoing|regular\w*"
        r"|periodic\w*|by\s+the\s+end"
        r"|before|after|upon|during|as\s+long\s+as|no\s+later)\b"
        r"|立即|及时|即时|随时|每[年月日周季]|长期|永久|届满|之前|以前|期间",
        re.I,
    ),
    "amount": re.compile(r"\bfree\s+of\s+charge\b|\bno\s+(?:fee|charge)\b|\bwithout\s+charge\b|免费|倍", re.I),
    "count": re.compile(r"\b(?:one|single|each|all|both|no|none|any)\b|每|各", re.I),
}
_SAYS_WHERE = (
    r"\b(?:stated|specified|set\s+out|set\s+forth|defined|described|determined|prescribed|laid\s+down|agreed"
    r"|listed|given|calculated|shown)"
    r"\s+(?:\w+\s+)?(?:in|by|under|with|at)\b|\bsee\s+(?:section|schedule|clause)|\bno\s+stipulation\b"
    r"|见附[件录表]|另行|由[^，。]{1,20}(?:规定|确定|制定)"
)
_WHERE = re.compile(_SAYS_WHERE, re.I)
# Said elsewhere, of a thing of this kind.
_NAMES: dict[str, re.Pattern[str]] = {
    "duration": re.compile(
        r"\b(?:periods?|times?|terms?|durations?|deadlines?|dates?|days?|hours?|timescales?|frequency)\b|stipulation|期|时间|时限",
        re.I,
    ),
    "amount": re.compile(
        r"\b(?:fees?|charges?|prices?|costs?|amounts?|rents?|sums?|payments?|fines?|penalt\w+)\b|stipulation|费|金|价|款", re.I
    ),
    "percent": re.compile(r"\b(?:rates?|percent\w*|proportions?|shares?)\b|比例|率", re.I),
    "count": re.compile(r"\b(?:numbers?|quorum|minimum|maximum)\b|人数|数量", re.I),
}


# A question that asks for the one is answered only by words that name it: (asked, must stand in the evidence).
_CONCEPTS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked, re.I), re.compile(held, re.I))
    for asked, held in (
        (
            r"\b(?:what|which|how\s+(?:much|high|large)|how\s+many)\b[^?]{0,40}\b(?:fines?|penalt\w+)\b",
            r"\bfine[ds]?\b|\bpenal|\bforfeit|\bsanction|\bsurcharge|\bliquidated\s+damages\b|\blate[\s-](?:filing|payment|delivery|fee)",
        ),
        (r"\b(?:what|which|how\s+(?:much|high))\s+(?:is\s+the\s+)?(?:\w+\s+){0,2}(?:deposit)\b", r"\bdeposit"),
        (
            r"\brate\s+of\s+interest\b|\binterest\s+rate\b|\b(?:what|which|how\s+much)\s+interest\b",
            r"\b(?:bears?|accru\w*|pay\w*|charg\w+|rate\s+of|default|overdue|simple"
            r"|late)\s+(?:\w+\s+){0,4}interest\b|\binterest\s+(?:at|of|rate|on|accru|charge|is|shall|will|from"
            r"|payable)",
        ),
        (r"\bhow\s+(?:long|many\s+years)\b[^?]{0,40}\b(?:prison|imprison\w+|jail)\b", r"\bimprison|\bprison|\bjail|\bcustod"),
        (
            rf"{_HOW_OLD}|\b(?:what|which)\s+(?:\w+\s+){{0,2}}age\b",
            r"\bage[ds]?\b|\byears?\s+(?:old|of\s+age)\b|\bolder\b|\bminors?\b|\bunder\s+\d+\b",
        ),
        (r"多少岁|几岁|多大年[龄纪]", r"岁|年龄|成年"),
        (
            r"(?:承担|负|追究)[^，。？?]{0,4}(?:什么|何种|哪些|哪种|怎样的)[^，。？?]{0,6}责任",
            # What a liability consists of; that the other side may end the contract is none.
            r"责任|违约金|滞纳金|利息|赔|补偿|罚|处分|处[三五七十一二六拘]|刑|拘留|拘役|吊销|没收|责令|警告|返还|退还|恢复原状|补救|扣[减除]",
        ),
        (r"罚款|罚金|罚多少", r"罚"),
        (r"徒刑|判几年|坐牢|判多少年|判刑", r"徒刑|拘役|监禁"),
        (r"[扣记][几多]少?分", r"[扣记].{0,4}分"),
        *((rf"多少(?:的)?{word}|{word}(?:是|为|要|交)?多少", word) for word in _MONEY_ZH.split("|")),
    )
)  # fmt: skip

# A part of a sentence that asks; a Chinese condition ("…的，") before the question does not.
_ASKS = re.compile(r"[a-z]{2}|吗|多久|多少|什么|哪|谁|怎么|如何|是否|几|能不能|有没有|要不要|是不是", re.I)
# A part that asks for exceptions to what the part before it asks for, and for nothing else.
_EXCEPTIONS = re.compile(
    r"\s*(?:(?:and|but)\s+)?(?:are|is|does|do)\s+(?:there|that\s+have|it\s+have|they\s+have)\s+(?:any\s+|an?\s+|no\s+)?(?:exceptions?|exemptions?)\W*$"
    r"|\s*(?:有没有|有无|是否有|有什么|有哪些)(?:任何)?例外(?:情况|情形|规定)?吗?\W*$",
    re.I,
)
# A longer question describes a case; what it asks for is then named in many ways.
HEAD_WORDS = 20
_NOT_NAMED = r"(?:before|after|from|to|for|in|on|at|by|with|until|when|if|it|its|the|a|an|they|he|she|we|you|this|that|per)"
_AUX = r"(?:is|are|was|were|do|does|did|must|shall|may|can|will|should|has|have|would|needs?)"
_HEAD = re.compile(
    rf"\b(?:what|which|how\s+much|how\s+many)\s+(?P<np>(?!(?:{_AUX}|{_NOT_NAMED})\b)[a-z'’-]+(?:\s+(?!(?:{_AUX}|{_NOT_NAMED})\b)[a-z'’-]+){{0,4}}?)\s+{_AUX}\b",
    re.I,
)
# "Whose is it to buy the insurance?": the insurance, by one word of it at least.
_BY_WHOM = re.compile(r"的(?P<np>[^的，。？?、]{2,8})(?:应当?|须|要|该)?由(?:谁|哪)")
# Nouns of asking, and nouns whose instances are named rather than they themselves: evidence need not repeat them.
_OPEN_NOUNS = (
    "period time timeline timeframe deadline limit rule requirement step procedure process information document"
    " documentation condition criterion"
    " criteria factor circumstance case kind type sort category section clause article part chapter action"
    " measure obligation duty party person"
    " people entity individual member matter detail consequence thing way manner extent form purpose reason basis"
    " role respect event situation"
    " instance example element aspect feature item point notice warning city country state currency colour color"
    " language day date month year"
    " week hour minute court agency authority body organisation organization company law jurisdiction place"
    " location building office"
    " address number name role standard control practice approach method principle responsibility provision"
    " safeguard consideration"
    " component evidence strategy mechanism protocol framework technology methodology support qualification"
    " credential certification proof term resource tool"
    " arrangement system policy plan training skill risk impact difference relationship right power test option"
    " sum amount level degree percentage share proportion rate guidance expectation exception"
)
_PLAIN = terms(
    "monthly annual yearly weekly daily minimum maximum least most highest lowest total initial first last new"
    " own additional other further"
    " specific particular general main key different certain general usual normal current applicable relevant"
)
_OPEN = frozenset(stem for word in _OPEN_NOUNS.split() for stem in terms(word))


@dataclass(frozen=True, slots=True)
class Need:
    """What the evidence must hold: one of each set in ``kinds``, every one of ``concepts``, one of ``heads`` (stems); and of
    the words that narrow the head (``narrowing``) those that the documents use at all."""

    kinds: tuple[frozenset[str], ...] = ()
    concepts: tuple[re.Pattern[str], ...] = ()
    heads: frozenset[str] = frozenset()
    narrowing: frozenset[str] = frozenset()

    def missing_kind(self, sentences: Iterable[str]) -> str | None:
        """The kind of quantity that none of ``sentences`` gives, in words for the record; None when none is"
        " wanted in vain."""
        held = list(sentences)
        for kinds in self.kinds:
            if not any(holds_kind(sentence, kinds) for sentence in held):
                return f"no {' or '.join(sorted(kinds))} is given"
        return None

    def missing_word(self, text: str) -> str | None:
        """What ``text`` does not speak of and is asked for; None when nothing."""
        for concept in self.concepts:
            if not concept.search(text):
                return "what is asked for is not spoken of"
        if self.heads and not self.heads & terms(text):
            return f"no {' '.join(sorted(self.heads))} is spoken of"
        return None


@lru_cache(maxsize=65_536)
def holds_kind(text: str, kinds: frozenset[str]) -> bool:
    """True when ``text`` gives a quantity of one of ``kinds``, in figures, in words, or by saying where it stands."""
    if any(value.kind in kinds for value in quantities(text)):
        return True
    if any(kind in kinds and pattern.search(text) for kind, pattern in _LOOSE.items()):
        return True
    return _WHERE.search(text) is not None and any(kind in kinds and name.search(text) for kind, name in _NAMES.items())


@lru_cache(maxsize=4_096)
def need_of(question: str) -> Need:
    """Read a question for what it must be answered with; an empty need when it asks openly, or for several things at once."""
    if sum(_ASKS.search(part) is not None and not _EXCEPTIONS.match(part) for part in parts_of(question)) > 1:
        return Need()
    kinds = tuple(kinds for kinds, pattern in _STRICT if pattern.search(question))
    concepts = tuple(held for asked, held in _CONCEPTS if asked.search(question))
    heads, narrowing = _heads(question)
    return Need(kinds, concepts, heads, narrowing)


def _heads(question: str) -> tuple[frozenset[str], frozenset[str]]:
    """The head of what is asked for and the words before it: "severance pay" gives pay, and severance."""
    taken_by = _BY_WHOM.search(question)
    if taken_by is not None:
        return terms(taken_by["np"]), frozenset()
    match = _HEAD.search(question)
    if match is None or len(question.split()) > HEAD_WORDS:
        return frozenset(), frozenset()
    words = match.group("np").split(" of ")[-1].split()
    head, before = terms(words[-1]), terms(" ".join(words[:-1]))
    return (frozenset(), frozenset()) if not head or head & _OPEN else (head, before - _PLAIN)


_LABEL_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|i|ii|iii|iv|v|vi"
_LABEL = re.compile(rf"\b(?P<noun>[a-z]{{4,}})\s+(?P<label>(?-i:[A-Z])\b(?!['’.])|\d{{1,2}}\b|(?:{_LABEL_WORDS})\b)", re.I)
# Words before a figure that it does not name: clauses, days, comparisons.
_NO_NOUN_WORDS = (
    "section sections clause clauses article articles part paragraph rule rules schedule annex appendix chapter"
    " version january february march april"
    " june july august september october november december than from until before after within least most over"
    " under about every"
    " each only that this with into does shall must will page item items step steps figure exceed exceeding between and"
)  # fmt: skip
_NO_NOUNS = frozenset(_NO_NOUN_WORDS.split())


_ORDINAL_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_ORDINAL = re.compile(
    rf"\b(?:(?P<word>{'|'.join(_ORDINAL_WORDS)})|(?P<figure>\d{{1,2}})(?:st|nd|rd|th))\s+(?P<noun>[a-z]{{4,}})"
)
_NUMBERS = re.compile(r"(?P<first>\d{1,3})\s*(?:(?P<to>to|-|–|—|至|到)|and|&|,|、|和)\s*(?P<last>\d{1,3})")
# Numbers that a cell stands for by its ends: "1-31" are days, "1990-2020" is no row label.
CELL_RANGE = 50


_CELL_NUMBER = re.compile(r"[\d,.]*\d")
_CELL_UNIT = re.compile(
    r"(?P<before>[£$€￥¥])|(?P<after>万元|元|％|%|per\s*cent|(?:business\s+|working\s+)?(?:minutes?|hours?|days?|weeks?|months?|years?)|分钟|小时|工作日|天|日|周|个?月|年)",
    re.I,
)


@lru_cache(maxsize=16_384)
def row_read(header: str, row: str) -> str:
    """A table row as it is read: a bare number has the unit that the head of its column names ("金额（元）")."""
    heads, cells = cells_of(header), cells_of(row)
    found: list[str] = []
    for at, cell in enumerate(cells):
        unit = _CELL_UNIT.search(heads[at]) if at < len(heads) and _CELL_NUMBER.fullmatch(cell) else None
        found.append(cell if unit is None else f"{unit['before'] or ''}{cell} {unit['after'] or ''}".rstrip())
    return " | ".join(found)


@lru_cache(maxsize=16_384)
def labels(text: str) -> dict[str, frozenset[str]]:
    """Nouns that carry a letter or a number ("category B", "level three"), lower-case, with what they carry."""
    found: dict[str, set[str]] = {}
    for match in _LABEL.finditer(text):
        noun = match.group("noun").lower()
        if noun not in _NO_NOUNS:
            found.setdefault(noun, set()).add(match.group("label").lower())
    return {noun: frozenset(names) for noun, names in found.items()}


def row_fit(question: str, header: str, row: str) -> int:
    """1 when a cell of ``row`` is the label that the question gives to a noun of ``header`` ("category B"), -1 when it names
    one and no cell is it, else 0."""
    named = dict(labels(question))
    for noun, names in _ordinals(question).items():
        named[noun] = named.get(noun, frozenset()) | names
    asked = [names for noun, names in named.items() if noun in header.lower()]
    if not asked:
        return 0
    cells = {part for cell in re.split(r"[|\t]", row) for part in _cell_labels(cell)}
    return 1 if all({_figure(name) for name in names} & cells for names in asked) else -1


def _ordinals(question: str) -> dict[str, frozenset[str]]:
    """Nouns that an ordinal stands before ("the third year"), with its figure."""
    found: dict[str, set[str]] = {}
    for match in _ORDINAL.finditer(question.lower()):
        figure = match["figure"] or str(_ORDINAL_WORDS.index(match["word"]) + 1)
        found.setdefault(match["noun"], set()).add(figure)
    return {noun: frozenset(figures) for noun, figures in found.items()}


def _figure(name: str) -> str:
    words = _LABEL_WORDS.split("|")[:10]
    return str(words.index(name) + 1) if name in words else name


def _cell_labels(cell: str) -> set[str]:
    """What a cell may be called by: itself, and each of several numbers in it ("4 and 5", "4-6")."""
    bare = cell.strip(" *`").lower()
    numbers = _NUMBERS.fullmatch(bare)
    if numbers is None:
        return {_figure(bare)}
    first, last = int(numbers["first"]), int(numbers["last"])
    several = range(first, last + 1) if numbers["to"] and first < last <= first + CELL_RANGE else (first, last)
    return {bare, *(str(number) for number in several)}


def of_another(question: str, text: str) -> bool:
    """True when the question names one of several things by its label and ``text`` speaks of another one only."""
    asked = labels(question)
    if not asked:
        return False
    held = labels(text)
    return any(noun in held and not names & held[noun] for noun, names in asked.items())
