"""The marks of Markdown blocks: what a line may open with, how far it is indented, where the front matter ends."""

from __future__ import annotations

import re

import yaml

from compliance_rag.parse.readers.limits import MAX_LABEL_CHARS

ATX = re.compile(r"(#{1,6})(?:[ \t]+|$)")
ATX_CLOSE = re.compile(r"(?:^|[ \t])#{1,400}[ \t]*$")
ATTRIBUTES = re.compile(r"[ \t]*\{[#.:][^{}]{0,200}\}[ \t]*$")
FENCE = re.compile(r"(`{3,}(?=[^`]*$)|~{3,})")
ORDERED = re.compile(r"(\d{1,9})([.)])(?=[ \t]|$)")
BULLET = re.compile(r"([*+\-])(?=[ \t]|$)")
_FRONT_END = re.compile(r"^(?:---|\.\.\.)[ \t]*$", re.MULTILINE)
_TITLE = r"(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\))?"
REFERENCE = re.compile(
    rf"^[ \t]*\[([^\]\[^\n][^\]\[\n]{{0,{MAX_LABEL_CHARS}}})\]:[ \t]*(?:<[^<>\n]*>|[^\s<]\S*)[ \t]*{_TITLE}[ \t]*$",
    re.MULTILINE,
)
FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,200}\]:[ \t]")
RULE_CHARS = frozenset("*-_")
TABLE_RULE = frozenset("|-: \t+")
TAB_STOP = 4


def indent_of(line: str, pos: int, column: int) -> tuple[int, int]:
    """Position and column after blanks and tabs."""
    size = len(line)
    while pos < size:
        char = line[pos]
        if char == " ":
            column += 1
        elif char == "\t":
            column += TAB_STOP - column % TAB_STOP
        elif char.isspace():
            column += 2 if char == "\u3000" else 1
        else:
            break
        pos += 1
    return pos, column


def is_rule(rest: str) -> bool:
    """``---``, ``* * *``: a thematic break."""
    first = rest[0]
    return first in RULE_CHARS and rest.count(first) >= 3 and not rest.replace(first, "").strip()


def is_table_rule(line: str) -> bool:
    """The row of dashes under a table's head."""
    line = line.strip(" \t>")
    return "|" in line and "-" in line and TABLE_RULE.issuperset(line)


def front_matter(text: str) -> tuple[str | None, int]:
    """The title in YAML front matter, and where the text begins after it."""
    if not text.startswith("---\n"):
        return None, 0
    match = _FRONT_END.search(text, 4)
    if match is None or (text[4 : match.start()].strip() and ":" not in text[4 : match.start()]):
        return None, 0
    end = min(match.end() + 1, len(text))
    try:
        data = yaml.safe_load(text[4 : match.start()])
    except (yaml.YAMLError, ValueError, RecursionError):
        return None, end
    title = data.get("title") if isinstance(data, dict) else None
    return (str(title) if title else None), end
