"""Plain text: the text as it stands, cut into paragraphs by blank lines and by the breaks the author made."""

from __future__ import annotations

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.readers.compose import Composer
from compliance_rag.parse.readers.decode import Source
from compliance_rag.parse.readers.furniture import mark_furniture
from compliance_rag.parse.readers.lines import wrapped

TAB_STOP = 8


def read_plain(source: Source) -> Extracted:
    """Blocks of plain text. The extracted text is the decoded text, unchanged; a wrapped line stays with its paragraph, any
    other line is a block of its own. Page numbers, running headers and contents pages are furniture."""
    composer = Composer()
    composer.keep(source.text, 0)
    run: list[tuple[int, str]] = []
    at = 0
    for line in source.text.split("\n"):
        if line and not line.isspace():
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
        blocks.append(Block("paragraph", (start, end), indent=columns(run[first][1])))
        first = index


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
