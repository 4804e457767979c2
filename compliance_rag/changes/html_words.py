"""What the redline page says around the clauses' own words, in the language of the document."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from schemas.objects import VersionObject


@dataclass(frozen=True, slots=True)
class Words:
    """``kinds``, ``weights``, ``states`` by the contract's names; ``fields`` and ``values`` of signals where they are said
    otherwise than in JSON; ``span``, ``until`` and the callables take what they name."""

    kinds: Mapping[str, str]
    weights: Mapping[str, str]
    states: Mapping[str, str]
    fields: Mapping[str, str]
    values: Mapping[str, str]
    columns: tuple[str, str, str, str]
    span: str
    until: str
    corrected: str
    compared: str
    counted: str
    count: str
    comma: str
    colon: str
    nothing: str
    listed: str
    redline: str
    absent: str
    unnumbered: str
    moved_to: str
    moved_from: str
    many: str
    touches: Callable[[int], str]


ENGLISH = Words(
    kinds={
        "added": "Added", "removed": "Removed", "modified": "Modified", "renumbered": "Renumbered", "moved": "Moved",
        "split": "Split", "merged": "Merged",
    },
    weights={"substantive": "substantive", "editorial": "editorial"},
    states={
        "draft": "draft, never in force", "held": "held for review", "staged": "not published yet", "withdrawn": "withdrawn",
    },
    fields={}, values={"order": "to another place in the order"},
    columns=("Change", "Clause", "What changed", "Weight"),
    span="in force from {start}", until=" until {end}", corrected="corrected by {version}, never in force",
    compared="{before} compared with {after}. {summary}",
    counted="{all} changes, {substantive} substantive: {kinds}.", count="{count} {kind}", comma=", ", colon=": ",
    nothing="No clause changed.", listed="List of changes", redline="Redline", absent="not in this version",
    unnumbered="unnumbered", moved_to="moved to {name}", moved_from="moved from {name}", many="{field}: {count} differ",
    touches=lambda count: "touches 1 other clause" if count == 1 else f"touches {count} other clauses",
)  # fmt: skip
CHINESE = Words(
    kinds={
        "added": "新增", "removed": "删除", "modified": "修改", "renumbered": "变更编号", "moved": "移动", "split": "拆分",
        "merged": "合并",
    },
    weights={"substantive": "实质", "editorial": "文字"},
    states={"draft": "草案，从未施行", "held": "待审核", "staged": "未发布", "withdrawn": "已撤回"},
    fields={
        "renumbered": "编号", "moved": "位置", "heading": "标题", "number": "数字", "date": "日期", "amount": "金额",
        "modality": "情态", "party": "主体", "definition": "定义", "reference": "引用", "negation": "否定",
    },
    values={"none": "无", "unnumbered": "无编号", "order": "次序", "top level": "顶层"},
    columns=("变更", "条款", "变更内容", "性质"),
    span="自{start}起施行", until="，{end}前有效", corrected="已由{version}更正，不生效",
    compared="{before}与{after}对照。{summary}",
    counted="共{all}处变更，其中实质变更{substantive}处：{kinds}。", count="{kind}{count}处", comma="、", colon="：",
    nothing="条款没有变更。", listed="变更清单", redline="对照", absent="本版本无此条款",
    unnumbered="无编号", moved_to="移至{name}", moved_from="移自{name}", many="{field}{count}处",
    touches=lambda count: f"影响其他{count}个条款",
)  # fmt: skip
_SIGNAL = re.compile(r"(?P<field>[^:]+): (?P<value>.*)\Z", re.DOTALL)
_ARROW = " → "


def words_for(language: str) -> Words:
    """By the document's language; English for any other."""
    return CHINESE if language.lower().split("-")[0] == "zh" else ENGLISH


def say_signal(words: Words, signal: str) -> str:
    """A signal of the contract as the page says it."""
    found = _SIGNAL.match(signal)
    if found is None:
        return signal
    sides = [words.values.get(side, side) for side in found["value"].split(_ARROW)]
    return f"{words.fields.get(found['field'], found['field'])}{words.colon}{_ARROW.join(sides)}"


def say_version(words: Words, version: VersionObject) -> str:
    """The label, and when it governs; or that it never does."""
    if version.corrected_by is not None:
        note = words.corrected.format(version=version.corrected_by)
    elif version.state in words.states:
        note = words.states[version.state]
    else:
        note = words.span.format(start=version.effective_from)
        note += words.until.format(end=version.effective_to) if version.effective_to else ""
    return f"{version.version}（{note}）" if words is CHINESE else f"{version.version} ({note})"
