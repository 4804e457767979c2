"""The grammar of Chinese references: 条 款 项 目, containers, annexes, relative forms, lists and ranges."""

from __future__ import annotations

import re

from compliance_rag.structure.cites import Cite
from compliance_rag.structure.numerals import chinese_value

_N = r"[〇零一二两三四五六七八九十百千\d０-９]{1,9}"
_OWN_KINDS = "法|条例|规定|办法|解释|细则|规则|规程|规范|章程|合同|协议|决定|守则|准则|制度|标准|政策|公约|协定|通知|指引|指南"
_LEVEL_NAMES = {"条": "article", "款": "zh-paragraph", "项": "zh-item", "目": "zh-point"}
_RANK = {"article": 0, "zh-paragraph": 1, "zh-item": 2, "zh-point": 3}
_STEP = re.compile(
    rf"第?\s?(?:(?P<dot>\d{{1,4}}(?:\.\d{{1,4}}){{0,6}})|(?P<n>{_N})|[（(](?P<b>{_N})[)）])\s?(?P<level>条|款|项|"
    rf"目)(?:之(?P<sub>[一二三四五六七八九十]{{1,3}}))?"
)
_START = re.compile(
    rf"(?P<prefix>(?:本(?:{_OWN_KINDS}|条|款|项)(?:的)?|该(?:条|款))?)\s?(?=第\s?(?:\d{{1,4}}(?:\.\d{{1,4}}){{0,6}}|"
    rf"{_N}|[（(]{_N}[)）])\s?(?:条|款|项|目))"
    rf"|(?P<rel>(?:前|上)(?P<many>[一二两三四五六七八九十]{{1,2}})?(?P<unit>条|款|项))(?!件)"
    rf"|(?P<own>本(?:条|款))(?=规定|的规定|前|所列)"
    rf"|(?:本(?:{_OWN_KINDS}))?第(?P<cn>{_N})(?P<cu>编|分编|章|节)(?:第(?P<cn2>{_N})(?P<cu2>章|节))?"
    rf"|(?P<annex>附件|附录|附表)\s?(?P<an>[一二三四五六七八九十]{{1,3}}|\d{{1,3}}(?!\d)|[A-Z](?![A-Za-z]))"
    rf"|(?:本(?:合同|协议))?第\s?(?P<clause>\d{{1,3}}(?:\.\d{{1,3}}){{1,5}})(?![\d.]|\s?(?:条|款|项|元|万|%|％))"
)
_IN_ANNEX = re.compile(r"\s?(?:中的|的|中|之)?(?P<prefix>)\s?(?=第)")
_JOIN = re.compile(
    r"\s?(?:、|，(?=第)|和|与|及|以及|或者?|(?P<range>至|到|[-－—～~]))\s?(?:本(?:法|条例|规定|办法|条|款)(?=第))?"
)
_LAW_NAME_BEFORE = re.compile(rf"[\u4e00-\u9fff](?:法典|宪法|刑法|民法|{_OWN_KINDS})(?:的)?$")
_OWN_BEFORE = re.compile(rf"本(?:{_OWN_KINDS})(?:的)?$")
_TITLE_BEFORE = re.compile(r"》(?:[（(][^（）()]{0,30}[)）])?(?:的|中)?$")
_CONTAINERS = {"编": "part", "分编": "subpart", "章": "chapter", "节": "section-group"}
_ANNEXES = {"附件": "annex", "附录": "appendix", "附表": "schedule"}


def read_chinese(text: str) -> list[Cite]:
    """Every Chinese citation of ``text`` in order of place."""
    cites: list[Cite] = []
    at = 0
    foreign_end = -1
    while (found := _START.search(text, at)) is not None:
        if found["rel"]:
            cites.append(_relative(found))
            at = found.end()
        elif found["own"]:
            at = found.end()
        elif found["cn"]:
            cites.append(_container(found))
            at = found.end()
        elif found["annex"]:
            group, at = _annexed(text, found)
            cites.extend(group)
        elif found["clause"]:
            cites.append(Cite(found.span(), "clause", tuple(found["clause"].split("."))))
            at = found.end()
        else:
            group, at = _articles(text, found)
            foreign = _foreign(text, found.start(), foreign_end)
            for cite in group:
                if foreign and cite.base == "none":
                    cite.base = "other"
            foreign_end = at if foreign else -1
            cites.extend(group)
            at = max(at, found.end() + 1)
    return cites


def _annexed(text: str, found: re.Match[str]) -> tuple[list[Cite], int]:
    """附件一, or the clauses of it that are named right after: 附件一第2条、第3条."""
    annex = Cite(found.span(), _ANNEXES[found["annex"]], (_token(found["an"]),))
    on = _IN_ANNEX.match(text, found.end())
    if on is None or not _steps(text, on.end())[0]:
        return [annex], found.end()
    group, end = _articles(text, on)
    group[0].span = (found.start(), group[0].span[1])
    for cite in group:
        if not _OWN_BEFORE.search(text[max(0, cite.span[0] - 8) : cite.span[0]]):
            cite.base, cite.outer, cite.weak = "cite", annex, False
    return group, end


def _articles(text: str, found: re.Match[str]) -> tuple[list[Cite], int]:
    """第五条第二款、第三款和第六条: one cite an item, each later item completed by the one before."""
    prefix = found["prefix"] or ""
    tokens, levels, end = _steps(text, found.end())
    first = Cite((found.start(), end), _unit(levels), tokens, levels)
    _apply_prefix(first, prefix)
    group = [first]
    while (join := _JOIN.match(text, end)) is not None:
        more, more_levels, stop = _steps(text, join.end())
        if not more or text[join.end() : join.end() + 1] != "第":
            break
        last = group[-1]
        whole = _complete(last, more, more_levels)
        if join["range"]:
            last.end, last.end_levels, last.span = whole[0], whole[1], (last.span[0], stop)
        else:
            cite = Cite((join.end(), stop), _unit(whole[1]), whole[0], whole[1], base=last.base, base_unit=last.base_unit)
            group.append(cite)
        end = stop
    return group, end


def _steps(text: str, at: int) -> tuple[tuple[str, ...], tuple[str, ...], int]:
    tokens: list[str] = []
    levels: list[str] = []
    rank = -1
    while (step := _STEP.match(text, at)) is not None:
        level = _LEVEL_NAMES[step["level"]]
        if _RANK[level] <= rank:
            break
        rank = _RANK[level]
        if step["dot"] and "." in step["dot"]:
            pieces = step["dot"].split(".")
            tokens.extend(pieces)
            levels.extend([level] * len(pieces))
        else:
            token = _token(step["dot"] or step["n"] or step["b"])
            tokens.append(token + (f"-{_token(step['sub'])}" if step["sub"] else ""))
            levels.append(level)
        at = step.end()
    return tuple(tokens), tuple(levels), at


def _complete(last: Cite, tokens: tuple[str, ...], levels: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """第一款、第二款 after 第五条: the levels above the first one named are taken from the item before."""
    rank = _RANK[levels[0]]
    keep = sum(1 for level in last.levels if _RANK[level] < rank)
    return last.tokens[:keep] + tokens, last.levels[:keep] + levels


def _unit(levels: tuple[str, ...]) -> str:
    return levels[0] if levels else "article"


def _apply_prefix(cite: Cite, prefix: str) -> None:
    word = prefix.removesuffix("的")
    if word in {"本条", "本款", "本项"}:
        cite.base, cite.base_unit = "this", _LEVEL_NAMES[word[1]]
    elif word in {"该条", "该款"}:
        cite.weak = True
    elif word:
        cite.base = "own"
    if cite.unit in {"zh-item", "zh-point", "zh-paragraph"} and not word:
        cite.weak = True


def _relative(found: re.Match[str]) -> Cite:
    back = chinese_value(found["many"]) if found["many"] else 1
    unit = _LEVEL_NAMES[found["unit"]]
    return Cite(found.span(), unit, (), base="previous", back=back or 1, base_unit=unit)


def _container(found: re.Match[str]) -> Cite:
    cite = Cite(found.span(), _CONTAINERS[found["cu"]], (_token(found["cn"]),))
    if found["cn2"]:
        cite = Cite(found.span(), _CONTAINERS[found["cu2"]], (_token(found["cn2"]),), base="cite", outer=cite)
    return cite


def _foreign(text: str, start: int, foreign_end: int) -> bool:
    """True when the citation belongs to another law: named just before, or the list before it does."""
    before = text[max(0, start - 40) : start]
    if _TITLE_BEFORE.search(before):
        return True
    if _OWN_BEFORE.search(before):
        return False
    if _LAW_NAME_BEFORE.search(before):
        return True
    return foreign_end >= 0 and text[foreign_end:start] in {"、", "，", "和", "或", "或者", "以及", "及", "与"}


def _token(numeral: str) -> str:
    value = chinese_value(numeral)
    return numeral.lower() if value is None else str(value)
