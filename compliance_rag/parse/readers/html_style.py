"""What markup says of visibility and weight: attributes, inline styles and the simplest style rules."""

from __future__ import annotations

import re
from collections.abc import Mapping

_SIMPLE = re.compile(r"^[A-Za-z]{0,20}([.#][\w\-]{1,100})$")
_NOT_SHOWN = re.compile(
    r"display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}(?:hidden|collapse)|opacity\s{0,9}:\s{0,9}0(?:\.0+)?\s{0,9}(?:;|$|!)",
    re.I,
)
_TINY = re.compile(r"font-size\s{0,9}:\s{0,9}(?:0|[01](?:\.\d{1,6})?(?:px|pt))\s{0,9}(?:;|$|!)", re.I)
_WHITE = re.compile(
    r"(?:^|;)\s{0,9}color\s{0,9}:\s{0,9}(?:#fff(?:fff)?|white|rgb\(\s?255\s?,\s?255\s?,\s?255\s?\))\s{0,9}(?:;|$|!)", re.I
)
_BOLD = re.compile(r"font-weight\s{0,9}:\s{0,9}(?:bold|[6-9]00)", re.I)
_LIST_STYLE = re.compile(r"list-style(?:-type)?\s{0,9}:[^;]{0,60}?\b(none|[a-z]+(?:-[a-z]+){0,3})", re.I)


def hidden_selectors(css: str) -> set[str]:
    """Simple class and id selectors (``.x``, ``#y``, ``p.x``) whose rule hides what it selects."""
    found: set[str] = set()
    for rule in css.split("}"):
        selectors, _, body = rule.rpartition("{")
        if body and (_NOT_SHOWN.search(body) or _TINY.search(body)):
            for selector in selectors.rpartition("{")[2].split(","):
                simple = _SIMPLE.match(selector.strip())
                if simple:
                    found.add(simple.group(1))
    return found


def hides(attributes: Mapping[str, str], selectors: set[str], *, dark: bool) -> bool:
    """True when these attributes hide the element's text from a reader. ``dark``: an element around it has a background, so
    that white letters may be read."""
    if not attributes:
        return False
    if "hidden" in attributes or attributes.get("aria-hidden", "").strip().lower() == "true":
        return True
    style = attributes.get("style", "")
    if style and (
        _NOT_SHOWN.search(style)
        or _TINY.search(style)
        or (not dark and "background" not in style.lower() and _WHITE.search(style))
    ):
        return True
    if not dark and _WHITE.search(f"color:{attributes['color']}" if "color" in attributes else ""):
        return True
    if not selectors:
        return False
    names = {f".{name}" for name in attributes.get("class", "").split()}
    return bool(names & selectors) or f"#{attributes.get('id', '')}" in selectors


def paints(attributes: Mapping[str, str]) -> bool:
    """True when the element has a background of its own."""
    return "bgcolor" in attributes or "background" in attributes or "background" in attributes.get("style", "").lower()


def bold(attributes: Mapping[str, str]) -> bool:
    """True for a bold inline style."""
    return bool(_BOLD.search(attributes.get("style", "")))


def list_style(attributes: Mapping[str, str]) -> str | None:
    """The CSS list style of an inline style, None when it says nothing."""
    match = _LIST_STYLE.search(attributes.get("style", ""))
    return match.group(1).lower() if match else None
