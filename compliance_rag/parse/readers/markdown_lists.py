"""HTML lists inside Markdown: their items count as a browser counts them."""

from __future__ import annotations

import re
from dataclasses import dataclass

from compliance_rag.parse.readers import html_style
from compliance_rag.parse.readers.counters import counter, ordinal
from compliance_rag.parse.readers.limits import MAX_DEPTH

LIST_TAG = re.compile(r"<(?P<close>/?)(?P<name>ol|ul|li)(?P<attributes>(?:\s[^<>]{0,400})?)>", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"([A-Za-z][\w-]{0,40})(?:\s{0,9}=\s{0,9}(?:\"([^\"]*)\"|'([^']*)'|([^\s\"'>]+)))?")
_BULLET = "- "


@dataclass(slots=True)
class _Open:
    """An open list: its style (`-` for bullets, `none`), and the number of its last item."""

    style: str
    number: int
    step: int


class HtmlLists:
    """The HTML lists that are open at a place of the source."""

    def __init__(self) -> None:
        self._open: list[_Open] = []

    def __len__(self) -> int:
        return len(self._open)

    def clear(self) -> None:
        """End every list."""
        self._open.clear()

    def take(self, tag: re.Match[str]) -> tuple[str, bool] | None:
        """Follow a match of ``LIST_TAG``; for an item that opens, its label and whether it is a number."""
        attributes = {
            name.lower(): first or second or third for name, first, second, third in _ATTRIBUTE.findall(tag["attributes"])
        }
        name = tag["name"].lower()
        if name == "li":
            return None if tag["close"] or not self._open else self._item(attributes)
        if tag["close"]:
            if self._open:
                self._open.pop()
        elif len(self._open) < MAX_DEPTH:
            self._open.append(_opened(name, attributes))
        return None

    def _item(self, attributes: dict[str, str]) -> tuple[str, bool] | None:
        owner = self._open[-1]
        owner.number = ordinal(attributes.get("value"), owner.number + owner.step)
        style = html_style.list_style(attributes) or attributes.get("type") or owner.style
        if "none" in (style, owner.style):
            return None
        return (_BULLET, False) if owner.style == "-" else (counter(owner.number, style), True)


def _opened(name: str, attributes: dict[str, str]) -> _Open:
    style = html_style.list_style(attributes) or attributes.get("type")
    if name == "ul":
        return _Open("none" if style == "none" else "-", 0, 1)
    step = -1 if "reversed" in attributes else 1
    return _Open(style or "1", ordinal(attributes.get("start"), 1) - step, step)
