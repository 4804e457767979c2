"""What a list of changes says around the clauses' own words, on the page and on the terminal, in English and Chinese."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from schemas.objects import Change, ClauseObject, RippleObject, RippleStep, VersionObject


@dataclass(frozen=True, slots=True)
class Words:
    """``kinds``, ``weights``, ``states`` by the contract's names; ``fields`` and ``values`` of signals where they are said
    otherwise than in JSON; ``links`` say why a step of a path reaches a clause, ``told`` what became of a clause; ``span``,
    ``until`` and the callables take what they name."""

    kinds: Mapping[str, str]
    weights: Mapping[str, str]
    states: Mapping[str, str]
    fields: Mapping[str, str]
    values: Mapping[str, str]
    columns: tuple[str, str, str, str]
    span: str
    until: str
    only_until: str
    never: str
    withdrawn: str
    void: str
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
    links: Mapping[str, str]
    told: Mapping[str, str]
    rewritten: str
    same_words: str
    rippled: str
    equal: str
    edited: Mapping[str, str]
    changed: str
    more_paths: Callable[[int], str]
    more_clauses: Callable[[int], str]
    more_signals: str
    bracketed: str
    quoted: str
    was: str
    now: str
    question: str
    answer: str
    not_about: str
    none: str
    first: str
    unchanged: str
    always: str


def _more_clauses(count: int) -> str:
    return (
        "and 1 more clause; the page has it" if count == 1 else f"and {count} more clauses, none nearer; the page has them all"
    )


ENGLISH = Words(
    kinds={
        "added": "Added", "removed": "Removed", "modified": "Modified", "renumbered": "Renumbered", "moved": "Moved",
        "split": "Split", "merged": "Merged",
    },
    weights={"substantive": "substantive", "editorial": "editorial"},
    states={
        "draft": "draft, never in force", "held": "held for review", "staged": "not published yet",
    },
    fields={}, values={"order": "to another place in the order"},
    columns=("Change", "Clause", "What changed", "Weight"),
    span="in force from {start}", until=" until {end}", only_until="in force until {end}",
    never="never in force", withdrawn="{note}, withdrawn", void="void, never in force",
    corrected="corrected by {version}, never in force",
    compared="{before} compared with {after}. {summary}",
    counted="{all} changes, {substantive} substantive: {kinds}.", count="{count} {kind}", comma=", ", colon=": ",
    nothing="No clause changed.", listed="List of changes", redline="Redline", absent="not in this version",
    unnumbered="unnumbered", moved_to="moved to {name}", moved_from="moved from {name}", many="{field}: {count} differ",
    touches=lambda count: "touches 1 other clause" if count == 1 else f"touches {count} other clauses",
    links={
        "definition": "uses “{name}”", "reference": "cites “{name}”",
        "left_behind": "still says “{name}”, which no longer is the clause it was", "exception": "is an exception to the rule",
        "rule": "is subject to the exception", "lead_in": "stands under the lead-in",
    },
    told={
        "added": "Clause {after} is new.", "removed": "Clause {before} is gone.", "modified": "Clause {after} was rewritten.",
        "renumbered": "Clause {before} is now {after}; its words are the same.",
        "moved": "Clause {before} was moved and is now {after}; its words are the same.",
        "split": "Clause {before} was split into {after}.", "merged": "Clauses {before} were drawn together in {after}.",
    },
    rewritten="Clause {before}, now {after}, was rewritten.", same_words="{told} No word changed.",
    rippled="Same words, other meaning", equal="{clause}: text equal; {path}", changed="{clause} {kind}",
    edited={"repointed": "{clause}: re-pointed, else text equal; {path}", "editorial": "{clause}: words put right; {path}"},
    more_paths=lambda count: "and 1 more way" if count == 1 else f"and {count} more ways",
    more_clauses=_more_clauses,
    more_signals="and {count} more", bracketed=" ({text})", quoted="“{text}”", was="before", now="now", question="Q",
    answer="A", not_about="no change between {before} and {after} of {document} is about this", none="no changes",
    first="first version held", unchanged="unchanged", always="always",
)  # fmt: skip
CHINESE = Words(
    kinds={
        "added": "新增", "removed": "删除", "modified": "修改", "renumbered": "变更编号", "moved": "移动", "split": "拆分",
        "merged": "合并",
    },
    weights={"substantive": "实质", "editorial": "文字"},
    states={"draft": "草案，从未施行", "held": "待审核", "staged": "未发布"},
    fields={
        "renumbered": "编号", "moved": "位置", "heading": "标题", "number": "数字", "date": "日期", "amount": "金额",
        "modality": "情态", "party": "主体", "definition": "定义", "reference": "引用", "negation": "否定",
    },
    values={"none": "无", "unnumbered": "无编号", "order": "次序", "top level": "顶层"},
    columns=("变更", "条款", "变更内容", "性质"),
    span="自{start}起施行", until="，{end}前有效", only_until="{end}前有效",
    never="从未施行", withdrawn="{note}，已撤回", void="无效，自始不生效", corrected="已由{version}更正，不生效",
    compared="{before}与{after}对照。{summary}",
    counted="共{all}处变更，其中实质变更{substantive}处：{kinds}。", count="{kind}{count}处", comma="、", colon="：",
    nothing="条款没有变更。", listed="变更清单", redline="对照", absent="本版本无此条款",
    unnumbered="无编号", moved_to="移至{name}", moved_from="移自{name}", many="{field}{count}处",
    touches=lambda count: f"影响其他{count}个条款",
    links={
        "definition": "使用“{name}”一词", "reference": "引用“{name}”", "left_behind": "仍写作“{name}”，所指已不是原条款",
        "exception": "是该规则的例外", "rule": "受该例外限制", "lead_in": "位于引导语之下",
    },
    told={
        "added": "新增{after}。", "removed": "删除{before}。", "modified": "修改{after}。",
        "renumbered": "{before}改为{after}，文字未变。", "moved": "{before}移至{after}，文字未变。",
        "split": "{before}拆分为{after}。", "merged": "{before}合并为{after}。",
    },
    rewritten="{before}改为{after}，并作修改。", same_words="{told}文字未变。",
    rippled="文字未变而含义受影响的条款", equal="{clause}：文字未变；{path}", changed="{clause}（{kind}）",
    edited={"repointed": "{clause}：仅引用编号随之调整；{path}", "editorial": "{clause}：仅作文字更正；{path}"},
    more_paths=lambda count: f"另有{count}条路径", more_clauses=lambda count: f"另有{count}个条款受影响，均见对照页",
    more_signals="另有{count}项", bracketed="（{text}）", quoted="“{text}”", was="原文", now="现文", question="问", answer="答",
    not_about="《{document}》{before}与{after}之间没有与此相关的变更", none="没有变更",
    first="所存最早版本", unchanged="未变", always="始终",
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


def clause_name(words: Words, clause: ClauseObject | RippleObject) -> str:
    """The number as cited, else the heading; of a clause that a change in another document touches, with its own document."""
    name = clause.number or clause.heading or words.unnumbered
    elsewhere = isinstance(clause, RippleObject) and _document(clause.clause_id) != _document(clause.origin)
    return f"{_document(clause.clause_id)} {name}" if elsewhere else name


def _document(clause_id: str) -> str:
    return clause_id.partition("@")[0]


def say_rippled(words: Words, clause: RippleObject, path: str) -> str:
    """A clause that a change touches, how its own words fared, and the ``path`` that leads to it."""
    frame = words.equal if clause.edited is None else words.edited[clause.edited]
    return frame.format(clause=clause_name(words, clause), path=path)


def say_path(words: Words, ripple: RippleObject) -> str:
    """How a change reaches a clause, from the clause back to the change: uses “Fleet” ← 2 uses “Vehicle” ← 1
    modified."""
    steps = [_step(words, step, named=at + 1 < len(ripple.path)) for at, step in enumerate(ripple.path)]
    changed = ripple.origin_number or words.unnumbered
    if _document(ripple.origin) != _document(ripple.clause_id):
        changed = f"{_document(ripple.origin)} {changed}"
    start = words.changed.format(clause=changed, kind=words.kinds[ripple.origin_kind].lower())
    return " ← ".join([*steps[::-1], start])


def _step(words: Words, step: RippleStep, *, named: bool) -> str:
    said = words.links[step.link].format(name=step.name)
    if not named:
        return said
    return f"{step.number or words.unnumbered}{'' if words is CHINESE else ' '}{said}"


def say_change(words: Words, change: Change, before: str, after: str) -> str:
    """What became of a clause, in a sentence."""
    sentence = words.rewritten if change.kind == "modified" and before != after else words.told[change.kind]
    return sentence.format(before=before, after=after)


def say_version(words: Words, version: VersionObject) -> str:
    """The label, and when it governs; or that it never does."""
    note = say_governed(words, version)
    return f"{version.version}（{note}）" if words is CHINESE else f"{version.version} ({note})"


def say_governed(words: Words, version: VersionObject) -> str:
    """When a version governs, did or will, and whether it was withdrawn; or that it never does, and why."""
    if version.corrected_by is not None:
        return words.corrected.format(version=version.corrected_by)
    if version.void:
        return words.void
    if version.state in words.states:
        return words.states[version.state]
    note = say_span(words, version.effective_from, version.in_force_until or version.effective_to)
    return words.withdrawn.format(note=note) if version.state == "withdrawn" else note


def say_span(words: Words, start: str | None, end: str | None) -> str:
    """Days from a start (None: always) to an end, not included (None: open); that they are none where the two meet."""
    if start is None:
        return words.always if end is None else words.only_until.format(end=end)
    if end is not None and end <= start:
        return words.never
    return words.span.format(start=start) + (words.until.format(end=end) if end else "")
