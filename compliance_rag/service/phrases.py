"""Sentences of ours around the quoted words: refusals with their scope, and changes to come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from compliance_rag.service.asking import Situation
from compliance_rag.store.rows import StoredClause
from compliance_rag.store.timeline import Decision, Standing, Upcoming, candidate
from schemas.dates import print_instant
from schemas.objects import RefusalReason

_EN: dict[RefusalReason, str] = {
    "silent": "The documents do not say.",
    "not_in_force": "Nothing in scope is in force on that day.",
    "not_yet_in_force": "The rule on this is not yet in force on that day.",
    "expired": "The rule on this has expired by that day.",
    "repealed": "The rule on this has been repealed by that day.",
    "withdrawn": "The rule on this has been withdrawn.",
    "gap": "No version is in force on that day: there is a gap between two versions.",
    "held": "The version that should apply is held for review and does not answer.",
    "ambiguous_date": "The question does not settle which day it is about.",
    "ambiguous_jurisdiction": "The question does not settle which jurisdiction it is about.",
    "integrity": "A clause needed for the answer is damaged in the store; nothing is shown from it.",
    "no_permission": "The documents in scope may not be read by this actor.",
    "validation": "No answer passed validation.",
}
_ZH: dict[RefusalReason, str] = {
    "silent": "文件中没有规定。",
    "not_in_force": "该日没有有效的文件。",
    "not_yet_in_force": "该日相关规定尚未施行。",
    "expired": "该日相关规定已失效。",
    "repealed": "该日相关规定已废止。",
    "withdrawn": "相关规定已撤回。",
    "gap": "该日处于两个版本之间的空档，没有有效版本。",
    "held": "应当适用的版本正在等待人工审核，不能用于回答。",
    "ambiguous_date": "问题没有明确所指的日期。",
    "ambiguous_jurisdiction": "问题没有明确所指的法域。",
    "integrity": "回答所需的条款在存储中已损坏，不予显示。",
    "no_permission": "当前用户无权阅读相关文件。",
    "validation": "没有通过校验的回答。",
}
_KIND_EN = {
    "version_starts": "Changes on {day} (version {version}).",
    "version_ends": "Version {version} is in force until {day}.",
    "withdrawn": "Version {version} is withdrawn with effect from {day}.",
    "clause_ends": "{number} is in force until {day}.",
    "clause_names_day": "{number} names {day} itself: “{quote}”",
}
_KIND_ZH = {
    "version_starts": "{day}起变更（{version}）。",
    "version_ends": "{version}有效期至{day}（不含）。",
    "withdrawn": "{version}自{day}起撤回。",
    "clause_ends": "{number}有效期至{day}（不含）。",
    "clause_names_day": "{number}本身载明{day}：“{quote}”",
}
_TIMES: Final = frozenset(("not_in_force", "not_yet_in_force", "expired", "repealed", "withdrawn", "gap"))
# Documents named in a refusal; `docs` lists them all.
VERSIONS_NAMED: Final = 3
_VERSION_EN: Final = {
    "later": "{title}, version {version}, is in force from {day}",
    "expired": "{title}, version {version}, was in force until {day}",
    "repealed": "{title}, version {version}, was repealed from {day}",
    "withdrawn": "{title}, version {version}, was withdrawn from {day}",
    "void": "{title}, version {version}, was declared void",
    "next": "; version {version} is in force from {day}",
}
_VERSION_ZH: Final = {
    "later": "《{title}》{version}自{day}起施行",
    "expired": "《{title}》{version}有效期至{day}（不含）",
    "repealed": "《{title}》{version}自{day}起废止",
    "withdrawn": "《{title}》{version}自{day}起撤回",
    "void": "《{title}》{version}已被宣告无效",
    "next": "；{version}自{day}起施行",
}


def _counted(number: int, one: str) -> str:
    return f"{number} {one}" if number == 1 else f"{number} {one}s"


def refusal_text(
    reason: RefusalReason, situation: Situation, missing: Sequence[str], dormant: StoredClause | None = None, *, chinese: bool
) -> str:
    """The refusal, the days of the clause that answers on another day or of the versions that are not in force, what was
    searched, and what is missing in time."""
    scope, day = situation.in_force.scope, situation.as_of
    documents, versions, clauses = scope["documents"], scope["versions"], scope["clauses"]
    if chinese:
        searched = f"检索范围：{day}有效的{documents}份文件、{versions}个版本、{clauses}个条款。"
    else:
        counted = ", ".join(
            _counted(n, one) for n, one in ((documents, "document"), (versions, "version"), (clauses, "clause"))
        )
        searched = f" Searched: {counted} in force on {day}."
    if reason in _TIMES and dormant is None:
        named = ("" if chinese else " ").join(version_lines(situation, chinese=chinese))
    else:
        named = "" if dormant is None else dormant_line(dormant, situation, chinese=chinese)
    if named and not chinese:
        named = f" {named}"
    said = (_ZH if chinese else _EN)[reason]
    if reason == "silent" and not situation.corpus.timeline(situation.knowledge):
        said = _nothing_known(situation, chinese=chinese)
    return "\n".join([said + named + searched, *situation.clarify, *missing])


def _nothing_known(situation: Situation, *, chinese: bool) -> str:
    """Before the first record there is nothing that could say or not say."""
    published, at = situation.knowledge.basis == "published", print_instant(situation.knowledge.known_at)
    if chinese:
        return f"截至{at}尚未{'公布' if published else '录入'}任何文件。"
    return f"Nothing was {'published' if published else 'recorded'} by {at}."


def version_lines(situation: Situation, *, chinese: bool) -> list[str]:
    """Of each document in scope with nothing in force, at most :data:`VERSIONS_NAMED`: the version that is not in force, its
    day, and what follows it."""
    timeline = situation.corpus.timeline(situation.knowledge)
    out = [(key, one) for key, one in sorted(situation.in_force.decisions.items()) if one.version is None and key in timeline]
    said = [_version_line(timeline[key], one, situation, chinese=chinese) for key, one in out[:VERSIONS_NAMED]]
    if len(out) > VERSIONS_NAMED:
        more = len(out) - VERSIONS_NAMED
        said.append(f"另有{more}份文件。" if chinese else f"And {_counted(more, 'more document')}.")
    return [line for line in said if line]


def _version_line(standings: Sequence[Standing], decision: Decision, situation: Situation, *, chinese: bool) -> str:
    frames = _VERSION_ZH if chinese else _VERSION_EN
    last = candidate(standings, situation.as_of)
    following = next((one for one in standings if one.live and one.start > situation.as_of), None)
    void = next((one for one in reversed(standings) if one.void), None)
    shown = last or following or (void if decision.reason == "withdrawn" else None)
    if shown is None:
        return ""
    kind = "void" if shown is void else "later" if last is None else last.cause
    day = shown.start if last is None else shown.governed_until
    title = shown.row.title.strip("《》") if chinese else shown.row.title
    said = frames[kind].format(title=title, version=shown.row.version, day=day)
    if last is not None and following is not None:
        said += frames["next"].format(version=following.row.version, day=following.start)
    return said + ("。" if chinese else ".")


def dormant_line(dormant: StoredClause, situation: Situation, *, chinese: bool) -> str:
    """The clause that answers on another day, and the day it starts or ended."""
    day, interval = situation.as_of, dormant.interval
    place = dormant.clause.number or dormant.clause.heading or dormant.clause_id
    version, title = dormant.version.version, dormant.version.title
    if interval.start is not None and day < interval.start:
        if chinese:
            return f"《{title.strip('《》')}》{version}{place}自{interval.start}起施行。"
        return f"{title}, version {version}, {place} is in force from {interval.start}."
    if interval.end is not None and interval.end <= day:
        if chinese:
            return f"《{title.strip('《》')}》{version}{place}有效期至{interval.end}（不含）。"
        return f"{title}, version {version}, {place} was in force until {interval.end}."
    return ""


def change_line(change: Upcoming, situation: Situation, *, chinese: bool, titled: bool = True) -> str:
    """What happens to a cited document next, and when; ``titled``: with the document's name before it."""
    row = situation.corpus.find_version(change.doc_id, change.version_id, situation.knowledge)
    table = _KIND_ZH if chinese else _KIND_EN
    name = row.title + ("：" if chinese else ": ") if titled else ""
    return name + table[change.kind].format(day=change.day, version=row.version, number=change.number, quote=change.quote)


def no_such_clause(name: str, situation: Situation, *, chinese: bool) -> str:
    """That no document in scope has a clause of the number asked for."""
    documents = situation.in_force.scope["documents"]
    if chinese:
        return f"所检索的{documents}份文件在{situation.as_of}有效的文本中没有编号为{name}的条款。"
    searched = "the document searched" if documents == 1 else f"the {documents} documents searched"
    return f"No clause numbered {name} stands in the text in force on {situation.as_of} of {searched}."
