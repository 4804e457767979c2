"""What a clause's history says of its standing and of the records about it, in English and Chinese."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

_STATUS: Final[dict[str, tuple[str, str]]] = {
    "in_force": ("in force since {day}", "自{day}起有效"),
    "future": ("in force from {day}, not yet", "自{day}起施行，尚未施行"),
    "superseded": ("superseded from {day} by {by}", "自{day}起被{by}取代"),
    "corrected": ("corrected: {by} stands in its place, these words never count", "已更正：由{by}代替，原文不生效"),
    "void": ("void: never valid", "无效：自始不生效"),
    "withdrawn": ("withdrawn from {day}", "自{day}起撤回"),
    "repealed": ("repealed from {day}", "自{day}起废止"),
    "expired": ("expired on {day}", "于{day}失效"),
    "draft": ("draft, never in force", "草案，从未施行"),
    "held": ("held for review", "待审核"),
    "staged": ("not published yet", "未发布"),
}
_WHAT: Final[dict[str, tuple[str, str]]] = {
    "published": ("recorded", "录入"),
    "corrected": ("corrected by {version}", "更正为{version}"),
    "redated": ("redated {days}", "更改日期：{days}"),
    "withdrawn": ("withdrawn from {start}", "自{start}起撤回"),
    "voided": ("declared void", "宣告无效"),
}
_GONE: Final = ("gone in {version}", "{version}中已无此条款")
_BY: Final = ("{what} on {at} by {actor}", "{at}由{actor}{what}")
_CLAUSE: Final = ("clause {number} {what}", "{number}{what}")
_FROM: Final = ("from {day}", "自{day}起")
_UNTIL: Final = ("until {day}", "至{day}（不含）")
_REASON: Final = (": {reason}", "：{reason}")


def say_status(entry: Mapping[str, Any], language: str) -> str:
    """The standing of one stage of `clause --history`, with its day and what took its place."""
    at = _place(language)
    said = _STATUS[entry["status"]][at].format(day=entry["status_from"], by=entry["status_by"])
    if entry["gone_in"] is not None:
        said += (", ", "，")[at] + _GONE[at].format(version=entry["gone_in"])
    return said


def say_record(record: Mapping[str, Any], language: str) -> str:
    """One record about it: what, when (UTC), by whom, and the reason given."""
    at = _place(language)
    start, end = record["effective_from"], record["effective_to"]
    days = [_FROM[at].format(day=start)] if start else []
    days += [_UNTIL[at].format(day=end)] if end else []
    what = _WHAT[record["what"]][at].format(version=record["version_id"], start=start, days=(" ", "")[at].join(days))
    if record["number"] is not None:
        what = _CLAUSE[at].format(number=record["number"], what=what)
    said = _BY[at].format(what=what, at=record["recorded_at"][:16].replace("T", " "), actor=record["actor"])
    return said + (_REASON[at].format(reason=record["reason"]) if record["reason"] else "")


def _place(language: str) -> int:
    return 1 if language.lower().split("-")[0] == "zh" else 0
