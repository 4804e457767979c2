"""The grammar of English references: units, numbers, lists, ranges, nesting and what they are said to belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compliance_rag.structure.cites import Cite
from compliance_rag.structure.numerals import roman_value
from compliance_rag.structure.tree import ANNEX_UNITS, CONTAINER_UNITS

G = "[\\s\u00a0\u200e\u200f]{0,8}"
GP = "[\\s\u00a0\u200e\u200f]{1,8}"
NEST_LIMIT = 4  # "paragraph … of section … of Part … of Schedule …"; deeper nesting is no citation
LIST_LIMIT = 200  # items of one list; a longer run of numbers is a table, not a citation
_UNIT_WORDS = (
    "sub[- ]?sections?|sections?|sect\\.|secs?\\.|ss?\\.(?=\\s?\\d)|(?<![’'])ss?(?=\\s\\d)|§§?|sub[- ]?clauses?|clauses?|cl\\.|"
    "sub[- ]?paragraphs?|paragraphs?|"
    "paras?\\.?|"
    "articles?|arts?\\.|rules?|regulations?|sub-?parts?|parts?|chapters?|titles?|divisions?|schedules?|annex(?:es|ures?)?|"
    "appendi(?:x|ces)|exhibits?|attachments?|items?|points?|answers?|questions?"
)
_WORD_NUMBERS = "One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|Eleven|Twelve"
_BRACKET_PLAIN = r"[(（](?:\d{1,3}[A-Za-z]?|[ivxlc]{1,6}|[a-z]{1,2}|aaa|bbb|ccc|[A-Z]{1,2}|[IVX]{1,4})[)）]"
_DOTTED = (
    r"(?:\d{1,4}(?:(?!st\b|nd\b|rd\b|th\b)[A-Za-z]{1,2}(?![A-Za-z]))?(?:-\d{1,3}(?!\d))?|[A-Z]{1,5}(?=\.\w))"
    r"(?:\.(?:\d{1,4}[A-Z]{0,2}(?![a-z])|[A-Z]{1,5}(?![A-Za-z])|[a-z](?![A-Za-z])|Guidance|Commentary|"
    r"Comment|Note))*(?![A-Za-z0-9])"
)
_ALONE = rf"(?:[IVXLC]{{1,7}}|[A-Z](?:-?\d{{1,3}})?|{_WORD_NUMBERS})(?![\w’'])"
_NUMBER = re.compile(
    rf"(?P<dotted>{_DOTTED})(?P<tail>(?:{G}{_BRACKET_PLAIN})*)|"
    rf"(?P<only>{_BRACKET_PLAIN}(?:{G}{_BRACKET_PLAIN})*)|"
    rf"(?P<alone>{_ALONE})(?P<after>(?:{G}{_BRACKET_PLAIN})*)"
)
_UNIT = re.compile(
    rf"(?<![A-Za-z0-9])(?P<unit>{_UNIT_WORDS})(?![A-Za-z]|\(s\))(?:{G}(?:no\.|number))?{G}(?=[\d(（A-Z])", re.IGNORECASE
)
_SEPARATOR = re.compile(
    rf"{G}(?:,{G}(?:and/or|and|or|&)?|;{G}(?:and|or)|and/or\b|and\b|or\b|&|(?P<range>to\b|through\b|thru\b|[–—‒]|-)){G}",
    re.IGNORECASE,
)
# "4(c)(i-iii)": a range inside one bracket.
_COMPRESSED = re.compile(
    rf"{G}[(（](?P<low>\d{{1,3}}|[ivxlc]{{1,6}}|[a-z]|[A-Z]){G}[-–—‒]{G}(?P<high>\d{{1,3}}|[ivxlc]{{1,6}}|[a-z]|[A-Z])[)）]"
)
_MEASURE = re.compile(
    rf"{G}(?:days?|months?|years?|weeks?|hours?|minutes?|business|calendar|working|percent|per|times|"
    rf"copies|shares|dollars|million|billion|%|USD|EUR|°)",
    re.IGNORECASE,
)
_BRACKET_TOKEN = re.compile(r"[(（]([0-9A-Za-z]+)[)）]")
_THIS = re.compile(
    rf"{G}(?:of|in|to|under){GP}(?:this|the{GP}same){GP}({_UNIT_WORDS}|guidance|commentary){G}(?![\w(])", re.IGNORECASE
)
_OF_UNIT = re.compile(rf"{G}(?:,{G})?(?:of|in|to|under){GP}(?:the{GP})?(?=(?:{_UNIT_WORDS}){G}[\d(A-Z])", re.IGNORECASE)
_HERE = re.compile(
    rf"{G}(?:hereof|herein|hereto|hereunder|above|below|of{GP}(?:this|these|the{GP}present){GP}[A-Za-z]+)", re.IGNORECASE
)
_THERE = re.compile(rf"{G}(?:thereof|thereto|thereunder)\b", re.IGNORECASE)
_DOC_WORD = (
    "Act|Acts|Law|Laws|Code|Codes|Regulations?|Directive|Agreements?|Rules|Rulebook|Order|Ordinance|Statutes?|Treaty|Constitution|Convention|Contract|Lease|Plan|"
    "Policy|Policies|By-?[Ll]aws|Charter|Certificate|Amendment|Licen[cs]e|Memorandum|Guidelines?|Guidance|Handbook|Manual|Standards?|Terms|Indenture|Note|Guide|Framework|Requirements|Proxy|Release|Standstill"
)
_OF_NAMED = re.compile(
    rf"{G}(?:,{G})?(?:respectively,?{G})?(?:of|in|to|under){GP}"
    rf"(?:(?:the|that|such|its|said|any|each|an?|their|your|"
    rf"[A-Z][\w.’'&-]*[’']s){GP}(?:[a-zA-Z][\w’'/-]{{0,20}}{GP}){{0,3}}?)?"
    rf"(?P<name>(?:(?:\(?[A-Z0-9][\w.’'&()/-]*|of|and|the|for|on)[\s\u00a0]{{1,4}}){{0,9}}?"
    rf"(?:{_DOC_WORD}|RFC[\s]?\d{{3,5}}|[A-Z]{{2,8}}s?|"
    rf"(?<=[’']s )(?:rules|regulations|bylaws|policies))(?![\w’'&/]))(?:{GP}(?:of{GP})?(?P<year>[12]\d{{3}}))?"
)
_NOT_ACRONYM = "AND|OR|OF|IN|TO|THE|THIS|SEE|UNDER|BY|WITH|FOR|AS|PER|ANY|EACH|SUCH|THAT|ON|IF|SAID|MUST|SHALL|MAY|FROM"
_FOREIGN_BEFORE = re.compile(
    r"(?:Pub\.\s?L\.\s?(?:No\.\s?)?\d{1,3}[-–—]\d{1,4}|U\.?\s?S\.?\s?C\.?(?:\s?A\.)?|C\.?\s?F\.?\s?R\.?|RFC\s?\d{3,5}|Stat\.|"
    r"(?<!this )(?<!these )(?P<name>(?:Act|Code|Law|Directive|Regulation|Constitution|Convention|"
    r"Ordinance|Treaty|Guidelines|Rulebook|Policy|Requirements|BRs?|CPS|"
    rf"(?!(?:{_NOT_ACRONYM})\b)[A-Z]{{2,8}}))(?:,?\s(?:of\s)?\d{{4}}(?:/\d{{1,4}})?)?)\]?[,:]?[\s\u00a0\u200e]{{0,3}}[(\[]?$"
)
_ET_SEQ = re.compile(rf"{G}et\.?{GP}seq", re.IGNORECASE)
_OWN_BEFORE = re.compile(r"\b(?:this|these|said|present)\s+\w+[,:]?\s{0,3}$", re.IGNORECASE)
_THIS_BEFORE = re.compile(r"\bthis\s{1,4}$", re.IGNORECASE)
_BARE_LEAD = (
    "subject to|requirements? (?:in|of|under)|referred to in|specified in|set out in|mentioned in|purposes of|provided in"
)
_BARE_ITEM = re.compile(
    rf"(?<!\w)(?:(?:{_BARE_LEAD}|notwithstanding|despite){GP}(?={_BRACKET_PLAIN})|(?:under|in){GP}(?=[(（]\d))"
    rf"(?P<item>{_BRACKET_PLAIN}(?:{G}{_BRACKET_PLAIN})*)(?!\w)(?P<more>(?:(?:,|{GP}and|{GP}or){GP}{_BRACKET_PLAIN}){{0,8}})"
    rf"|(?<!\w)(?:{_BARE_LEAD}|notwithstanding|despite|see(?:{GP}also)?|pursuant to|in accordance with|except as in){GP}"
    rf"(?P<number>\d{{1,3}}(?:\.\d{{1,3}}){{1,6}}(?:{_BRACKET_PLAIN})*|\d{{1,3}}(?:{_BRACKET_PLAIN})*(?=[,;)]|\.?(?:\s*\Z|\n)))"
    rf"(?![\w%]|\.\d|,\d)",
    re.IGNORECASE,
)
# A number of three steps and more stands for a clause where it stands alone; editions, addresses and dates print such too.
_BARE_NUMBER = re.compile(
    rf"(?<![\w.$€£/–-])(?P<number>\d{{1,3}}(?:\.\d{{1,3}}){{2,6}}(?:{_BRACKET_PLAIN})*)(?![\w%/]|\.\d|-\d)"
)
_NO_CLAUSE_BEFORE = re.compile(r"(?:version|ver|edition|release|rev|revision|v|ip|oid|no)\.?\s{0,2}$", re.IGNORECASE)
_NAMED_UNITS = frozenset({"rule", "regulation"})
_FINER = (
    "section",
    "article",
    "clause",
    "rule",
    "regulation",
    "paragraph",
    "subsection",
    "subclause",
    "subparagraph",
    "item",
    "point",
)


def read_english(text: str) -> list[Cite]:
    """Every English citation of ``text`` in order of place. Ranges are one cite with ``end``; lists one cite an item."""
    cites: list[Cite] = []
    at = 0
    while (found := _UNIT.search(text, at)) is not None:
        group, stop = _group(text, found)
        cites.extend(group)
        at = max(stop, found.end("unit"))
    cites.extend(list(_bare_items(text, cites)))
    cites.extend(list(_bare_numbers(text, cites)))
    return sorted(cites, key=lambda cite: cite.span)


_SHORT = {
    **dict.fromkeys(("s", "ss", "sec", "secs", "sect", "§", "§§"), "section"),
    **dict.fromkeys(("para", "paras"), "paragraph"),
    **dict.fromkeys(("art", "arts"), "article"),
    **dict.fromkeys(("annexes", "annexure", "annexures"), "annex"),
    # A questionnaire numbers its answers as a contract its clauses.
    **dict.fromkeys(("cl", "answer", "answers", "question", "questions"), "clause"),
    "appendices": "appendix",
}


def unit_name(printed: str) -> tuple[str, bool]:
    """The unit's name and whether it is plural."""
    low = printed.lower().replace("-", "").replace(" ", "").rstrip(".")
    plural = low in {"ss", "§§", "secs", "paras", "arts", "annexes", "annexures", "appendices", "answers", "questions"} or (
        low.endswith("s") and low not in _SHORT
    )
    return _SHORT.get(low, low.rstrip("s") if plural else low), plural


def _group(text: str, found: re.Match[str], depth: int = 0) -> tuple[list[Cite], int]:
    """The list that opens at a unit word: its cites and where it ends; no cites where no number follows."""
    unit, plural = unit_name(found["unit"])
    first = _number(text, found.end(), unit, found["unit"], plural)
    if first is None:
        if unit in ANNEX_UNITS | CONTAINER_UNITS or not _COMPRESSED.match(text, found.end()):
            return [], found.end()
        first = ((), found.end(), True)
    tokens, end, bracketed = first
    group = [Cite((found.start(), end), unit, tokens, bracketed=bracketed, plural=plural)]
    end = _compressed(text, end, group[-1])
    end = _more(text, end, group, plural)
    if _THIS_BEFORE.search(text[max(0, found.start() - 10) : found.start()]):
        group[0].base = "own"
    end = _nested(text, end, group)
    end = _belongs(text, end, group, depth)
    _foreign_before(text, found, group, end)
    return group, end


def _foreign_before(text: str, found: re.Match[str], group: list[Cite], end: int) -> None:
    """Mark a list whose document is named right before it (``RFC 5280, Section 4``), or that ends in "et seq."."""
    before = text[max(0, found.start() - 40) : found.start()]
    foreign = _FOREIGN_BEFORE.search(before)
    if foreign and foreign["name"] and foreign["name"].isupper() and found["unit"].isupper():
        foreign = None  # a passage in capitals, not an acronym
    if (foreign and not _OWN_BEFORE.search(before)) or _ET_SEQ.match(text, end):
        for cite in group:
            if cite.base == "none":
                cite.base, cite.base_unit = "other", (foreign["name"] or "") if foreign else ""


def _number(text: str, at: int, unit: str, printed: str, plural: bool) -> tuple[tuple[str, ...], int, bool] | None:
    """Tokens, end and whether the number is brackets only, of the number at ``at``."""
    match = _NUMBER.match(text, at)
    if match is None:
        return None
    if match["only"]:
        if unit in ANNEX_UNITS | CONTAINER_UNITS:
            return None
        return _brackets(match["only"]), match.end(), True
    if match["alone"]:
        spelled = match["alone"]
        if printed[0].islower() and (
            unit in {"part", "title", "item", "point", "rule", "division"}
            or (len(spelled) > 2 and roman_value(spelled) is None)
        ):
            return None
        return (spelled.lower(), *_brackets(match["after"] or "")), match.end(), False
    dotted, end = match["dotted"], match.end()
    if plural and "-" in dotted:  # "Sections 5-7" is a range; "section 28-1" is an inserted number
        dotted = dotted.split("-")[0]
        end = match.start() + len(dotted)
        return tuple(dotted.lower().split(".")), end, False
    if unit in {"part", "title", "item", "point", "rule", "regulation"} and _MEASURE.match(text, end):
        return None
    return (*dotted.lower().split("."), *_brackets(match["tail"] or "")), end, False


def _brackets(text: str) -> tuple[str, ...]:
    return tuple(token.lower() for token in _BRACKET_TOKEN.findall(text))


def _more(text: str, end: int, group: list[Cite], plural: bool) -> int:
    """Items that continue the list; they extend ``group``, and the new end is returned."""
    while len(group) < LIST_LIMIT:
        separator = _SEPARATOR.match(text, end)
        if separator is None:
            return end
        ranged = separator["range"] is not None
        start = separator.end()
        again = _UNIT.match(text, start)
        if again is not None:
            if not ranged or unit_name(again["unit"])[0] != group[-1].unit:
                return end
            start = again.end()
        item = _item(text, start, group[-1], plural, ranged, separator[0])
        if item is None:
            return end
        tokens, end = item
        last = group[-1]
        if ranged:
            last.end = tokens
            last.span = (last.span[0], end)
        else:
            group.append(Cite((start, end), last.unit, tokens, bracketed=last.bracketed, plural=plural))
            end = _compressed(text, end, group[-1])
    return end


def _compressed(text: str, end: int, cite: Cite) -> int:
    """Read a range inside one bracket onto ``cite``, and give where it ends."""
    match = _COMPRESSED.match(text, end)
    if match is None:
        return end
    outer = cite.tokens
    cite.tokens, cite.end = (*outer, match["low"].lower()), (*outer, match["high"].lower())
    cite.span = (cite.span[0], match.end())
    return match.end()


def _item(text: str, at: int, last: Cite, plural: bool, ranged: bool, separator: str) -> tuple[tuple[str, ...], int] | None:
    match = _NUMBER.match(text, at)
    if match is None or _MEASURE.match(text, match.end()):
        return None
    previous = last.end or last.tokens
    if match["only"]:
        if not last.bracketed and text[at - 1] != "-" and not re.search("[(（]", text[last.span[0] : last.span[1]]):
            return None  # "Section 13, (a) the fee": an enumeration begins, the list is over
        return _inherit(previous, _brackets(match["only"]), last.bracketed), match.end()
    if last.bracketed:
        return None
    if match["alone"]:
        alike = len(previous) == 1 and not previous[0][0].isdigit()
        return ((match["alone"].lower(),), match.end()) if alike and (plural or ranged) else None
    if not previous[0][0].isdigit() and match["dotted"][0].isdigit():
        return None
    dotted = match["dotted"]
    mismatched = "." in text[last.span[0] : last.span[1]] and not ranged
    if not plural and "." not in dotted and not match["tail"] and (mismatched or separator.strip() in {",", "-"}):
        return None
    return (*dotted.lower().split("."), *_brackets(match["tail"] or "")), match.end()


def _inherit(previous: tuple[str, ...], brackets: tuple[str, ...], bracketed: bool) -> tuple[str, ...]:
    """``12(a)(1)(i) through (iii)``: the new brackets replace the deepest level of their own kind and what lies under it."""
    kind = _kind(brackets[0])
    floor = 0 if bracketed else 1
    for level in range(len(previous) - 1, floor - 1, -1):
        if _alike(previous[level], brackets[0], level == floor):
            return previous[:level] + brackets
    if kind and len(previous) > floor:
        return previous[:-1] + brackets
    return previous + brackets if not bracketed else brackets


def _alike(before: str, after: str, outermost: bool) -> bool:
    if before.isdigit() or after.isdigit():
        return before.isdigit() and after.isdigit()
    both_roman = roman_value(before) is not None and roman_value(after) is not None
    if both_roman or (len(before) == len(after) == 1 and (roman_value(before) is None or outermost)):
        return True
    return len(before) == len(after) and roman_value(before) is None and roman_value(after) is None


def _kind(token: str) -> str:
    return "digit" if token.isdigit() else "letter"


def _nested(text: str, end: int, group: list[Cite]) -> int:
    """``Schedule 2, paragraph 3``, ``Part II, section 4``, ``Rule K, s. 15(f)``: the finer number counts from the coarser."""
    last = group[-1]
    named = last.unit in _NAMED_UNITS and len(last.tokens) == 1 and last.tokens[0].isalpha()
    if last.unit not in ANNEX_UNITS | CONTAINER_UNITS and not named:
        return end
    comma = re.compile(rf"{G},{G}").match(text, end)
    inner = _UNIT.match(text, comma.end()) if comma else None
    if inner is None or unit_name(inner["unit"])[0] not in _FINER:
        return end
    number = _number(text, inner.end(), *_unit_args(inner))
    if number is None:
        return end
    tokens, end, bracketed = number
    outer = Cite(last.span, last.unit, last.tokens)
    last.span, last.unit, last.tokens = (last.span[0], end), unit_name(inner["unit"])[0], tokens
    last.base, last.outer, last.bracketed = "cite", outer, bracketed
    return end


def _unit_args(match: re.Match[str]) -> tuple[str, str, bool]:
    name, plural = unit_name(match["unit"])
    return name, match["unit"], plural


def _belongs(text: str, end: int, group: list[Cite], depth: int) -> int:
    """Read what follows a list: "of this section", "of Article 6", "hereof", "thereof", "of the Companies Act"."""
    last = group[-1]
    this = _THIS.match(text, end)
    if this:
        unit, _ = unit_name(this[1])
        for cite in group:
            cite.base, cite.base_unit = "this", unit
        last.span = (last.span[0], this.end(1))
        return this.end(1)
    outer_at = _OF_UNIT.match(text, end)
    if outer_at and depth < NEST_LIMIT:
        found = _UNIT.match(text, outer_at.end())
        outer, stop = _group(text, found, depth + 1) if found else ([], end)
        if outer and not (outer[0].unit in _NAMED_UNITS and outer[0].base == "none" and len(outer) > 1):
            for cite in group:
                innermost = cite.outer if cite.base == "cite" and cite.outer else cite
                innermost.base, innermost.outer = "cite", outer[0]
                if outer[0].base == "other":
                    cite.base, cite.document = "other", outer[0].document
            last.span = (last.span[0], outer[0].span[1])
            group.extend(outer[1:])
            return stop
    return _document(text, end, group)


def _document(text: str, end: int, group: list[Cite]) -> int:
    last = group[-1]
    here = _HERE.match(text, end)
    if here:
        for cite in group:
            cite.base = "own" if cite.base == "none" else cite.base
        return here.end()
    there = _THERE.match(text, end)
    named = None if there else _OF_NAMED.match(text, end)
    if there or named:
        stop = there.end() if there else named.end() if named else end
        for cite in group:
            if cite.base == "none":
                cite.base, cite.base_unit = "other", "" if named is None else named["name"]
        if last.base == "other":
            last.parts.append((end, stop))
        return end
    return end


def _bare_numbers(text: str, taken: list[Cite]) -> Iterator[Cite]:
    """``the test of 5.2.4 applies``: kept only where the document numbers so."""
    spans = sorted(cite.span for cite in taken)
    at = 0
    for match in _BARE_NUMBER.finditer(text):
        span = match.span("number")
        while at < len(spans) and spans[at][1] <= span[0]:
            at += 1
        if (at < len(spans) and spans[at][0] < span[1]) or _NO_CLAUSE_BEFORE.search(text[max(0, span[0] - 12) : span[0]]):
            continue
        number = match["number"]
        yield Cite(span, "clause", (*re.split("[(（]", number)[0].split("."), *_brackets(number)), weak=True)


def _bare_items(text: str, taken: list[Cite]) -> Iterator[Cite]:
    """``subject to (2)``: a bracket alone, kept only if such an item stands beside the clause."""
    spans = [cite.span for cite in taken]
    at = 0
    for match in _BARE_ITEM.finditer(text):
        span = match.span("item") if match["item"] else match.span("number")
        while at < len(spans) and spans[at][1] <= span[0]:
            at += 1
        if at < len(spans) and spans[at][0] < span[1]:
            continue
        if match["item"]:
            yield Cite(span, "subsection", _brackets(match["item"]), bracketed=True, weak=True)
            for more in _BRACKET_TOKEN.finditer(text, *match.span("more")):
                yield Cite(more.span(), "subsection", (more[1].lower(),), bracketed=True, weak=True)
        else:
            number = match["number"]
            dotted = number.split("(")[0].split("（")[0]
            yield Cite(span, "clause", (*dotted.split("."), *_brackets(number)), weak=True)
