"""Plain text: the text as it stands, cut into paragraphs by blank lines and by the breaks the author made."""

from __future__ import annotations

import re

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.readers.compose import Composer
from compliance_rag.parse.readers.decode import Source
from compliance_rag.parse.readers.furniture import mark_furniture, page_lines
from compliance_rag.parse.readers.lines import starts_label, wrapped

TAB_STOP = 8
# A longer line is not a row of a form or a table: wide gaps in it are line breaks that were lost.
GAP_LINE = 240
# Two spaces stand after a full stop or where a line was wrapped; three or more stand for a break.
_GAP = re.compile(r"(?<=\S)[ \u00a0]{3,}(?=[A-Z\"“(\[§第一二三四五六七八九十●•○]|\d[\d.]{0,9}\)?\s{0,12}[A-Za-z\"“(\[$])")
# What stands before a gap is a label of the text after it, not a line of its own.
_LABEL_ALONE = 12
_OPEN_END = re.compile(
    r"(?:\b(?:the|a|an|of|and|or|to|in|by|for|with|from|at|on|is|are|shall|will|may|that|this|any)|,)\Z", re.IGNORECASE
)


def read_plain(source: Source) -> Extracted:
    """Blocks of plain text. The extracted text is the decoded text, unchanged; a wrapped line stays with its paragraph, any
    other line is a block of its own. Page numbers, running headers and contents pages are furniture."""
    composer = Composer()
    composer.keep(source.text, 0)
    run: list[tuple[int, str]] = []
    at = 0
    lines = source.text.split("\n")
    pages = page_lines([line.strip() for line in lines])
    for index, line in enumerate(lines):
        if index in pages:
            if run:
                _cut(run, composer.blocks)
                run = []
            start = at + len(line) - len(line.lstrip())
            composer.blocks.append(Block("furniture", (start, at + len(line.rstrip()))))
        elif line and not line.isspace():
            run.append((at, line))
        elif run:
            _cut(run, composer.blocks)
            run = []
        at += len(line) + 1
    if run:
        _cut(run, composer.blocks)
    mark_furniture(source.text, composer.blocks)
    return composer.finish("text", source)


def _cut(run: list[tuple[int, str]], blocks: list[Block]) -> None:
    """Cut lines without a blank one between them where the break is the author's."""
    stripped = [line.rstrip() for _, line in run]
    width = max(map(len, stripped))
    first = 0
    for index in range(1, len(run) + 1):
        if index < len(run) and wrapped(stripped[index - 1], run[index][1].lstrip(), width):
            continue
        start = run[first][0]
        end = run[index - 1][0] + len(stripped[index - 1])
        indent = columns(run[first][1])
        for piece in _pieces(stripped[first], start) if index - first == 1 else [(start, end)]:
            blocks.append(Block("paragraph", piece, indent=indent))
        first = index


def _pieces(line: str, start: int) -> list[tuple[int, int]]:
    """A long line cut at wide gaps: a text that lost its line breaks kept the white space around them. A label before a gap
    stays with what follows, and so does a line that cannot end there."""
    if len(line) < GAP_LINE:
        return [(start, start + len(line))]
    out: list[tuple[int, int]] = []
    first = 0
    for match in _GAP.finditer(line):
        before = line[first : match.start()].strip()
        if len(before) <= _LABEL_ALONE and starts_label(before):
            continue
        if _OPEN_END.search(before[-12:]) and not starts_label(line[match.end() : match.end() + 24]):
            continue
        out.append((start + first, start + match.start()))
        first = match.end()
    return [*out, (start + first, start + len(line))]


def columns(line: str) -> int:
    """Columns of leading white space, tabs to multiples of eight, an ideographic space two."""
    column = 0
    for char in line:
        if char == "\t":
            column += TAB_STOP - column % TAB_STOP
        elif char == "\u3000":
            column += 2
        elif char.isspace():
            column += 1
        else:
            break
    return column
