"""Page headers, footers, page numbers and contents pages of a text that was once printed: found by evidence, set aside."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from itertools import pairwise

from compliance_rag.parse.blocks import Block

# A page number is one of a running series; fewer than this many could be anything.
MIN_SERIES = 3
# A page number may be missing where the text lost one.
MAX_SKIPPED = 2
# A running header stands on at least this many pages.
MIN_REPEATS = 3
# A line at the edge of every page needs at least two pages to be one.
MIN_PAGES = 2
# Headers and footers are the outermost lines of a page.
EDGE_LINES = 2
# Less than a word is a mark of redaction or a rule, not a header.
MIN_HEADER_LETTERS = 3
# Longer lines are sentences, never running headers.
MAX_HEADER_CHARS = 160
# White lines between the text of two printed pages.
PAGE_GAP_LINES = 3
# A contents page has at least this many entries one after the other.
MIN_CONTENTS_ENTRIES = 3

_PAGE_NUMBER = re.compile(
    r"(?:[-–—]\s?)?(?:page|p\.|Page|PAGE|第)?\s?(\d{1,4})\s?(?:页)?(?:\s?(?:of|/|，|,)?\s?(?:共)?\s?\d{1,4}\s?(?:页)?)?(?:\s?[-–—])?$"
)
_LEADERS = re.compile(r"(?:\.\s?){4,400}\s{0,40}[\divxlc]{1,7}$|[…·⋯]{2,400}\s{0,40}\d{1,4}$")
_CONTENTS_TITLE = re.compile(r"(?:table of contents|contents|目\s{0,4}[录次])(?:\s{0,40}page)?$", re.IGNORECASE)
_PAGE_WORD = re.compile(r"[Pp]age\s\d{1,4}(?:\s(?:of|/)\s\d{1,4})?|第\s?\d{1,4}\s?页(?:[\s,，/]{0,3}共\s?\d{1,4}\s?页)?")
# Beside a page number that heads or closes a line stands a gap or a rule, or nothing: in a sentence a word goes on.
_GAP_BESIDE = re.compile(
    r"^(?:[Pp]age\s\d|第\s?\d)|(?:\s{2,}|[|–—·-]\s{0,4})(?:[Pp]age\s\d|第\s?\d)|(?:[Pp]age\s\d{1,4}(?:\s(?:of|/)\s\d{1,4})?|页)$"
)
# A contents page that lost its line breaks: so much of it is entries, whose page numbers run forward.
MIN_RUN_ON_ENTRIES = 5
RUN_ON_SHARE = 0.85
MAX_RUN_ON_CHARS = 20_000
_RUN_ON_TITLE = re.compile(r"(?:TABLE OF CONTENTS|Table of Contents|CONTENTS)\s")
_RUN_ON_ENTRY = re.compile(r"(?:[A-Z][A-Za-z]{0,11}\s|\(?[0-9A-Z][0-9A-Za-z.]{0,9}\)?\s)[^\n]{2,110}?\s(\d{1,3})(?=\s|$)")
_EDGE_DIGITS = re.compile(r"^\d{1,4}\s{1,9}(?=\S)|\s{1,9}\W?\d{1,4}\W?$")


def mark_furniture(text: str, blocks: list[Block]) -> None:
    """Set ``kind`` to ``furniture`` where a block is a page number of a running series, a line repeated at the edges of pages,
    or an entry of a contents page. What is not sure stays text."""
    lines = [text[slice(*block.span)].strip() for block in blocks]
    edges = _page_edges(text, blocks)
    numbers = page_number_series(lines)
    every = _on_every_page(text, blocks, lines)
    for index in every | numbers | _repeated(lines, edges, numbers) | _contents(lines) | _run_on_contents(lines, numbers):
        blocks[index].kind = "furniture"


def page_lines(lines: list[str]) -> set[int]:
    """Indexes of lines that say the page they stand on beside the same words (`Bylaws  Page 3 of 4`), page after page."""
    places: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for index, line in enumerate(lines):
        match = _PAGE_WORD.search(line) if 0 < len(line) <= MAX_HEADER_CHARS and ("age" in line or "页" in line) else None
        if match is not None and _GAP_BESIDE.search(line):
            number = int("".join(char for char in match[0].split("of")[0].split("/")[0].split("共")[0] if char.isdigit()))
            places[" ".join((line[: match.start()] + line[match.end() :]).split())].append((index, number))
    out: set[int] = set()
    for found in places.values():
        if len(found) >= MIN_REPEATS and all(0 < b[1] - a[1] <= MAX_SKIPPED for a, b in pairwise(found)):
            out.update(index for index, _ in found)
    return out


def contents_entries(lines: list[str]) -> set[int]:
    """Indexes of the entries and titles of contents pages: runs that end in leaders and a page number, and pages that lost
    their line breaks."""
    return _contents(lines) | _run_on_contents(lines, set())


def _page_edges(text: str, blocks: list[Block]) -> set[int]:
    """Indexes of blocks next to a page break: a form feed or several blank lines."""
    edges: set[int] = set()
    for index in range(1, len(blocks)):
        gap = text[blocks[index - 1].span[1] : blocks[index].span[0]]
        if "\f" in gap or gap.count("\n") > PAGE_GAP_LINES:
            edges.update((index - 1, index))
    return edges


def _on_every_page(text: str, blocks: list[Block], lines: list[str]) -> set[int]:
    """Lines among the first or last of every page of a text whose pages are known (form feeds), page numbers aside."""
    pages: list[list[int]] = [[]]
    for index, block in enumerate(blocks):
        if index and "\f" in text[blocks[index - 1].span[1] : block.span[0]]:
            pages.append([])
        pages[-1].append(index)
    if len(pages) < MIN_PAGES:
        return set()
    keys = [
        {_page_key(lines[index]): index for index in {*page[:EDGE_LINES], *page[-EDGE_LINES:]} if _page_key(lines[index])}
        for page in pages
    ]
    common = set.intersection(*(set(page) for page in keys))
    return {page[key] for page in keys for key in common}


def _page_key(line: str) -> str:
    """What a header or footer prints on every page alike; `#` for a page number; empty for a line that can be neither."""
    if len(line) > MAX_HEADER_CHARS:
        return ""
    key = _PAGE_WORD.sub("#", line)
    return key if "#" in key or sum(char.isalpha() for char in key[:40]) >= MIN_HEADER_LETTERS else ""


def page_number_series(lines: list[str]) -> set[int]:
    """Lines that are a number alone and run on by one from page to page."""
    found: list[tuple[int, int]] = []
    for index, line in enumerate(lines):
        if len(line) <= 24:
            match = _PAGE_NUMBER.match(line)
            if match:
                found.append((index, int(match.group(1))))
    out: set[int] = set()
    series: list[tuple[int, int]] = []
    for item in found:
        if series and 1 <= item[1] - series[-1][1] <= MAX_SKIPPED:
            series.append(item)
            continue
        if len(series) >= MIN_SERIES:
            out.update(index for index, _ in series)
        series = [item]
    if len(series) >= MIN_SERIES:
        out.update(index for index, _ in series)
    return out


def _repeated(lines: list[str], edges: set[int], numbers: set[int]) -> set[int]:
    """Lines that come again and again, nearly always at the edge of a page."""
    places: dict[str, list[int]] = defaultdict(list)
    for index, line in enumerate(lines):
        if 4 <= len(line) <= MAX_HEADER_CHARS:
            places[_PAGE_WORD.sub("", line) if "age" in line or "页" in line else _EDGE_DIGITS.sub("", line)].append(index)
    out: set[int] = set()
    for key, indexes in places.items():
        if sum(char.isalpha() for char in key[:40]) < MIN_HEADER_LETTERS or len(indexes) < MIN_REPEATS:
            continue
        at_edge = sum(1 for i in indexes if i in edges or i - 1 in numbers or i + 1 in numbers or i in (0, len(lines) - 1))
        if at_edge * 10 >= len(indexes) * 8:
            out.update(indexes)
    return out


def _contents(lines: list[str]) -> set[int]:
    """Runs of entries that end in dot leaders and a page number, with the title above them."""
    out: set[int] = set()
    run: list[int] = []
    for index in range(len(lines) + 1):
        if index < len(lines) and _LEADERS.search(lines[index][-440:]):
            run.append(index)
            continue
        if len(run) >= MIN_CONTENTS_ENTRIES:
            out.update(run)
            for above in range(run[0] - 1, max(-1, run[0] - 3), -1):
                if _CONTENTS_TITLE.match(lines[above]):
                    out.update(range(above, run[0]))
        run = []
    return out


def _run_on_contents(lines: list[str], numbers: set[int]) -> set[int]:
    """A contents page on one line, and the pages of it that follow."""
    out: set[int] = set()
    counts = Counter(lines)
    going = False
    for index, line in enumerate(lines):
        if index in numbers or (going and len(line) <= MAX_HEADER_CHARS and counts[line] >= MIN_REPEATS):
            continue
        going = (going or _RUN_ON_TITLE.match(line) is not None) and _is_run_on(line)
        if going:
            out.add(index)
    return out


def _is_run_on(line: str) -> bool:
    """True when a line is nearly all entries of a contents page."""
    if len(line) > MAX_RUN_ON_CHARS:
        return False
    entries = list(_RUN_ON_ENTRY.finditer(line))
    pages = [int(match.group(1)) for match in entries]
    if len(pages) < MIN_RUN_ON_ENTRIES:
        return False
    covered = sum(match.end() - match.start() for match in entries)
    forward = sum(a <= b for a, b in pairwise(pages))
    return covered >= RUN_ON_SHARE * len(line) and forward >= RUN_ON_SHARE * (len(pages) - 1)
