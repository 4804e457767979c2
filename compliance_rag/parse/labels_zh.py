"""Chinese labels: 编 章 节 条 款 项 目, 第…条之…, 一、（一）, 附录 附件 附表."""

from __future__ import annotations

import re

from compliance_rag.parse.numerals import ZH_NUMERAL, chinese_int, letter_int
from compliance_rag.parse.tokens import CONTAINERS, Label, Token, closed

_ZH_KINDS = {
    "编": "part", "篇": "part", "分编": "subpart", "部分": "part", "章": "chapter", "节": "section-group", "条": "article",
    "款": "款", "项": "项", "目": "目",
}  # fmt: skip
_ZH_ANNEX = {"附录": "appendix", "附件": "annex", "附表": "schedule"}


ZH_STEP = re.compile(
    rf"第\s?(?P<num>[{ZH_NUMERAL}]{{1,9}}|\d{{1,4}})\s?(?P<unit>分编|部分|[编篇章节条款项目])(?:之(?P<zhi>[{ZH_NUMERAL}]{{1,3}}|\d{{1,2}})(?![{ZH_NUMERAL}年日]))?"
)
ZH_ITEM = re.compile(rf"第?\(\s?(?P<num>[{ZH_NUMERAL}]{{1,5}}|\d{{1,3}})\s?\)(?P<unit>[项目])?")
_ZH_LIST = re.compile(rf"(?P<num>[{ZH_NUMERAL}]{{1,5}})(?P<mark>[、.]|,(?=\s))")
_ZH_ATTACH = re.compile(
    rf"(?P<word>附录|附件|附表)\s?(?P<num>[{ZH_NUMERAL}]{{1,4}}(?=[\s:.、]|\Z)|\d{{1,3}}|[A-Z](?![A-Za-z]))?(?=[\s:.、\u3000]|\Z|[^\x00-\x7f])"
)


_ZH_GENERAL_KEYS = {"总": "general-provisions", "分": "special-provisions", "附": "supplementary-provisions"}
_ZH_GENERAL = re.compile(r"(?P<first>[总分附])[ \u3000]{0,4}则")


def zh_token(match: re.Match[str]) -> Token | None:
    """The step that a match of ``ZH_STEP`` or ``ZH_ITEM`` writes, None for characters that are no numeral."""
    value = int(match["num"]) if match["num"].isdigit() else chinese_int(match["num"])
    if value is None:
        return None
    suffix = ""
    if "zhi" in match.re.groupindex and match["zhi"]:
        extra = int(match["zhi"]) if match["zhi"].isdigit() else chinese_int(match["zhi"])
        suffix = f"-{extra}"
    unit = match["unit"] or ""
    kind = _ZH_KINDS.get(unit, "")
    key = f"{value}{suffix}"
    if kind in CONTAINERS:
        key = f"{'section' if kind == 'section-group' else kind}-{key}"
    return Token(key, re.sub(r"\s", "", match[0]), "zh", value, suffix)


def read_chinese(window: str) -> tuple[Label, ...]:
    """Readings of a label that begins with 第 or 附."""
    attach = _ZH_ATTACH.match(window)
    if attach:
        kind = _ZH_ANNEX[attach["word"]]
        raw = attach["num"]
        value = 0 if not raw else int(raw) if raw.isdigit() else chinese_int(raw) or letter_int(raw) or 0
        key = kind if not raw else f"{kind}-{raw.lower() if raw.isalpha() and raw.isascii() else value}"
        end, open_end = closed(window, attach.end())
        return (Label(kind, kind, (Token(key, re.sub(r"\s", "", attach[0]), "zh", value),), end, tight=not open_end),)
    match = ZH_STEP.match(window)
    token = zh_token(match) if match else None
    if match is None or token is None:
        return ()
    kind, end = _ZH_KINDS[match["unit"]], match.end()
    steps = [token]
    while kind in ("article", "款", "项") and len(steps) < 4:
        deeper = ZH_STEP.match(window, end) or ZH_ITEM.match(window, end)
        step = zh_token(deeper) if deeper and deeper["unit"] in ("款", "项", "目") else None
        if deeper is None or step is None:
            break
        steps.append(step)
        end = deeper.end()
    if kind in ("款", "项", "目"):
        return ()
    tight = end < len(window) and not window[end].isspace() and window[end] not in ":【《(["
    style = "第条" if kind == "article" else kind
    return (Label(style, kind, tuple(steps), end, absolute=len(steps) > 1, tight=tight),)


def read_zh_general(line: str) -> tuple[Label, ...]:
    """The label of 总则 分则 附则 as a whole line: a chapter without a number."""
    match = _ZH_GENERAL.fullmatch(line)
    if match is None:
        return ()
    token = Token(_ZH_GENERAL_KEYS[match["first"]], match["first"] + "则", "zh", 0)
    return (Label("chapter", "chapter", (token,), len(line)),)


def read_zh_list(window: str) -> tuple[Label, ...]:
    """Readings of a list label such as 一、."""
    match = _ZH_LIST.match(window)
    if not match:
        return ()
    value = chinese_int(match["num"])
    if value is None or value == 0:
        return ()
    return (Label("一、", "item", (Token(str(value), match["num"], "zh", value),), match.end()),)
