"""Terms defined in a table: a header that says Term and Definition, and a row for each term."""

from __future__ import annotations

import re
from collections.abc import Iterator

_TERM_HEAD = re.compile(
    r"(?:defined\s+)?(?:terms?|words?|expressions?|abbreviations?|acronyms?)(?:\s+or\s+\w+)?|(?:定义)?术语|名词|词语|用语|简称|缩写",
    re.IGNORECASE,
)
_MEANING_HEAD = re.compile(
    r"(?:definitions?|meanings?|descriptions?|explanations?)(?:\s+of\s+\w+)?|定义|含义|释义|解释|说明", re.IGNORECASE
)
_RULER = re.compile(r"[\s|:+-]+\Z")
_MARKS = " \t*_`“”\"'"


def table_terms(text: str) -> Iterator[tuple[int, str]]:
    """``(place, term)`` for each row of a table of definitions, cells parted by bars or tabs, Markdown's ruler left out."""
    if "|" not in text and "\t" not in text:
        return
    at, inside = 0, False
    for line in text.split("\n"):
        cells = re.split(r"[|\t]", line.strip().strip("|"))
        first = cells[0].strip(_MARKS)
        if len(cells) < 2:
            inside = False
        elif _TERM_HEAD.fullmatch(first) and _MEANING_HEAD.fullmatch(cells[1].strip(_MARKS)):
            inside = True
        elif inside and first and cells[1].strip() and not _RULER.match(line):
            yield at + line.index(first), first
        at += len(line) + 1
