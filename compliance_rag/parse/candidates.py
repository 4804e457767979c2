"""Blocks to *units*: lines at which a clause may begin, with the readings of their labels and the evidence for and against."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

from compliance_rag.parse.blocks import Block, Extracted
from compliance_rag.parse.captions import goes_on, mark_captions
from compliance_rag.parse.headed_lists import split_headed
from compliance_rag.parse.headings import CITED
from compliance_rag.parse.labels import ANNEXES, INVISIBLE, MAX_LABEL, Label, read_labels
from compliance_rag.parse.labels_zh import read_zh_general
from compliance_rag.parse.runon import split_run_on
from compliance_rag.parse.unit import Unit, back

TAB = 8
_TERMINAL = frozenset('.;:!?。；：！？”"’）)—–-|')
# After these a sentence is over, and what follows is not led in.
_STOPS = frozenset(".。!?！？")
_WIDE = re.compile("[\u3400-\u9fff]")
# What a sentence goes on with after a number that it only mentions: "5.2.4 of the former edition", "Section 7 applies".
_PROSE_EN = re.compile(
    r"(?:of|or|and|to|in|is|are|was|were|shall|will|may|must|has|have|had|above|below|hereof|thereof|through|applies|apply|does|do"
    r"|as|by|for|with|on|at|from|which|that|if|when|where|under|the|an?|per|not|days?|months?|years?|percent)\b"
)
# The first member of a list right after a number: "3.4 a) The Board".
_MEMBER = re.compile(r"[ai1]\)\s{1,4}[A-Z\"“]")
_PROSE_ZH = re.compile(
    r"\s?(?:[和与及或、，至到的]|规定|所列|所称|第|中|以外|之规定|款|项|之|、第|范围|修改|修正|改为|删去|增加)"
)
# What a sentence goes on with after the number of an article that a wrapped line begins with: 第二条 规定的期限.
_CITED_ZH = re.compile(r"\s{0,4}(?:规定的|规定(?=[，。、；])|所列|所称|之规定)")
_CAPITAL = re.compile(r"[ \t]{1,8}[\"“]?[A-Z\u3400-\u9fff]")
# A number without any mark is firm only before a title: words that begin in capitals, no stop, figure or comma.
_TITLE_ONLY = re.compile(r"[ \t]{1,8}[A-Z][A-Za-z'’-]{2,}(?: [A-Za-z'’-]{1,20}){0,6}\Z")
_LISTED_ON = re.compile(
    r"(?:(?:and|or|to|through|,|and/or)\s{0,3}[(\[][A-Za-z0-9]{1,4}[)\]]|(?:above|below|hereof|thereof)\b"
    r"|of (?:this|the) [A-Z])"
)
# A member of a list ends.
_LISTED_END = re.compile(r"[;；]\s?(?:and|or|and/or|以及|和|或|或者)?\Z")
_INLINE = re.compile(
    r"(?:(?<=[。；：])|(?<=[.;:,])\s+)\s*(?:(?:and|or|and/or)\s+)?(?=[(（]\s?(?:\d{1,3}|[A-Za-z]{1,4})\s?[)）]\s?\S)"
)
_INLINE_NUMBER = re.compile(r"(?<=[.;])\s+(?=\d{1,3}\.?\s+[A-Z\"“])")
_INLINE_DECIMAL = re.compile(r"(?<=[.;:)”\"A-Z])(?<!No\.)\s+(?=\d{1,3}(?:\.\d{1,3}){1,5}\.?\s+[A-Z(\"“])\s*")
_CITES = re.compile(r"(?i)(?:section|clause|paragraph|article|rule|sections|clauses|and|or|to|of|see|§)\s*\Z")
_MEMBERS = {
    style: re.compile(rf"(?<=[:;.,—–])\s+(?={shape}\s+\S)")
    for style, shape in {
        "(a)": r"\(a\)", "(i)": r"\(i\)", "(A)": r"\(A\)", "(1)": r"\(1\)", "A.": r"A\.", "a.": r"a\.", "1.": r"1\.",
        "a)": r"a\)",
        "1)": r"1\)",
        "i.": r"i\.", "(一)": r"[（(]一[）)]", "(I)": r"\(I\)",
    }.items()
}  # fmt: skip
_NOTE = re.compile(r"\[\d{1,3}\](?=\s)")
# A labelled line as short as this is a heading or an entry of a list, whole without a stop at its end.
SHORT_LINE = 60
# A paragraph holds a handful of inline items; beyond this it is data, not drafting.
MAX_INLINE = 200
# What may stand after the number in a computed label.
_CLOSING = " .:;-–—)]>|/"
# The cost as text of a label that the source counts itself: never text.
_CERTAIN = 9.0
# A marker after a sentence's end in a line of markers is hardly prose.
_INLINE_PLAIN = 4.2


def find_units(extracted: Extracted) -> list[Unit]:
    """Units in reading order; together they cover every block that is not furniture."""
    units: list[Unit] = []
    for index, block in enumerate(extracted.blocks):
        if block.kind == "furniture":
            continue
        if block.kind in ("table", "code", "footnote"):
            units.append(Unit(block.span[0], block.span[1], index, block.kind, indent=block.indent, item=block.level))
        elif block.kind == "heading":
            units.extend(_heading(extracted.text, block, index))
        elif _is_note(extracted.text, block):
            units.append(Unit(block.span[0], block.span[1], index, "footnote", indent=block.indent, item=block.level))
        else:
            units.extend(_paragraph(extracted.text, block, index, units))
    first = units[0] if units else None
    counted = first is not None and computed(extracted.blocks[first.block], first.start)
    named = (
        first is not None and first.labels and not counted and (first.labels[0].kind in ANNEXES or _of_annex(first.labels[0]))
    )
    if first is not None and named and not goes_on(first.labels[0], units[1:]):
        first.labels = ()  # the caption under which the whole document was filed, no part of its outline
    units = split_run_on(extracted.text, _first_members(extracted.text, units))
    for unit in units:
        unit.wide = _WIDE.search(extracted.text, unit.start, min(unit.end, unit.start + MAX_LABEL)) is not None
        unit.fresh = bool(unit.labels) and unit.start > 0 and extracted.text[back(extracted.text, unit.start) - 1] in _STOPS
    if extracted.media in ("text", "pdf", "docx"):
        mark_captions(extracted.text, units)
    return units


def _of_annex(label: Label) -> bool:
    return any(kind in ANNEXES for kind, _ in label.containers)


def _is_note(text: str, block: Block) -> bool:
    """True for a paragraph that opens with the mark of a note (`[1] Smith v Jones.`) which words before it bear."""
    mark = _NOTE.match(text, *block.span)
    at = text.find(mark[0], 0, block.span[0]) if mark is not None else -1
    return mark is not None and at > 0 and not text[at - 1].isspace() and text[at - 1] not in "(["


def _first_members(text: str, units: list[Unit]) -> list[Unit]:
    """Cut off the first member of a list that stands at the end of a paragraph, where the next line opens with the second:
    `You shall: (a) find a site;` / `(b) open it.`"""
    out: list[Unit] = []
    for unit, following in zip(units, [*units[1:], None], strict=False):
        out.append(unit)
        if following is None or not following.labels or unit.kind not in ("text", "item") or following.inline:
            continue
        label = following.labels[-1]
        shape = _MEMBERS.get(label.style)
        if shape is None or label.tokens[0].value != 2 or (unit.labels and unit.labels[0].style == label.style):
            continue
        places = [m for m in shape.finditer(text, unit.start + 1, unit.end) if m.start() > unit.start + 2]
        if len(places) != 1:
            continue
        start = places[0].end()
        found = read_labels(text[start : start + 12])
        if found:
            out.append(Unit(start, unit.end, unit.block, unit.kind, found, 2.0, 0.0, None, following.item, unit.indent, True))
            unit.end = back(text, start)
    return out


def _heading(text: str, block: Block, index: int) -> list[Unit]:
    start = _visible(text, *block.span)
    unit = Unit(start, block.span[1], index, "heading", heading=block.level or 0, bold=True)
    unit.labels = _labels(text, block, start, unit.end)
    unit.plain, unit.prose = 6.0, _prose(text, unit) * 0.4
    if computed(block, start):
        unit.plain, unit.prose, unit.firm = _CERTAIN, 0.0, True
    return [unit] if start < block.span[1] else []


def computed(block: Block, start: int) -> bool:
    """True when the source itself counts the label that stands at ``start``."""
    return block.number is not None and block.label_span is not None and block.label_span[0] == start


def _labels(text: str, block: Block, start: int, end: int) -> tuple[Label, ...]:
    """Readings of the label at ``start``. A computed label is read by itself, and the readings that its value does not bear out
    are dropped; where its form is unknown, the number alone is read."""
    if not computed(block, start) or block.label_span is None or block.number is None:
        return read_labels(_window(text, start, end))
    printed = text[slice(*block.label_span)]
    value = int(block.number.rsplit(".", 1)[-1])
    for form in (printed, printed + ".", block.number + "."):
        found = tuple(
            label for label in read_labels(form) if label.tokens[-1].value == value and not form[label.end :].strip(_CLOSING)
        )
        if found:
            return tuple(replace(label, end=len(printed), tight=False, bare=False) for label in found)
    return ()


def _window(text: str, start: int, end: int) -> str:
    """What a label is read from: to the end of the printed line (a tab there is part of the evidence), but never into another
    block on it."""
    window = text[start : start + MAX_LABEL].split("\n", 1)[0]
    return window if start + len(window) <= end or not window[end - start :].strip() else window[: end - start]


def _visible(text: str, start: int, end: int) -> int:
    while start < end and (text[start] in INVISIBLE or text[start].isspace()):
        start += 1
    return start


def _paragraph(text: str, block: Block, index: int, before: list[Unit]) -> list[Unit]:
    out: list[Unit] = []
    start, end = block.span
    at = start
    while at < end:
        stop = text.find("\n", at, end)
        stop = end if stop < 0 else stop
        first = _visible(text, at, stop)
        if first < stop:
            last = stop
            while text[last - 1].isspace():
                last -= 1
            _line(text, block, index, first, last, out, before)
        at = stop + 1
    return out


def _line(text: str, block: Block, index: int, start: int, end: int, out: list[Unit], before: list[Unit]) -> None:
    opens = not out
    previous = out[-1] if out else (before[-1] if before else None)
    labels = _labels(text, block, start, end)
    if not labels and _own_line(text, block, start, end, previous):
        labels = read_zh_general(text[start:end])
    ended = previous is None or previous.kind in ("heading", "table") or text[previous.end - 1] in _TERMINAL
    ended = ended or (previous is not None and bool(previous.labels) and previous.end - previous.start < SHORT_LINE)
    if not labels and not opens and not (_wide(text[start]) and text[previous.end - 1] in "。；：" if previous else False):
        out[-1].end = end
        return
    indent = block.indent if opens else start - text.rfind("\n", 0, start) - 1
    unit = Unit(start, end, index, "item" if block.kind == "item" else "text", labels, indent=indent, bold=block.bold)
    unit.item, unit.table = block.level, block.table
    if labels and block.level is not None and not (block.kind == "item" and opens):
        unit.item = block.level + 0.5
    if labels:
        last = text[previous.end - 1] if previous is not None else ""
        listed = (
            previous is not None and _LISTED_END.search(text, max(previous.start, previous.end - 8), previous.end) is not None
        )
        _weigh(
            text,
            block,
            unit,
            opens,
            ended,
            listed=listed,
            introduced=last in (":", "："),
            broken=bool(last) and last not in _TERMINAL,
        )
    out.append(unit)
    _split(text, unit, out, deeper=0.5 if computed(block, start) else 0.0)


def _own_line(text: str, block: Block, start: int, end: int, previous: Unit | None) -> bool:
    """True when the line may be a chapter's name without a number: not the title of a chapter whose number stands above it."""
    titles = previous is not None and bool(previous.labels) and previous.start + previous.labels[0].end >= previous.end
    return block.kind == "paragraph" and end - start < SHORT_LINE and not titles


def _wide(char: str) -> bool:
    return ord(char) > 0x2E7F


def _weigh(
    text: str, block: Block, unit: Unit, opens: bool, ended: bool, *, listed: bool, introduced: bool, broken: bool
) -> None:
    """Set the costs of a labelled line. ``listed``: the text before it ends as a member of a list ends, so that a member may
    go on as a sentence goes on ("4.4 in respect of …"). ``introduced``: it ends in a colon, after which the first member
    stands. ``broken``: the text before it ends in no stop."""
    label = unit.labels[0]
    if computed(block, unit.start):
        unit.plain, unit.prose, unit.firm = _CERTAIN, 0.0, True
        return
    after = unit.start + label.end
    tab = text[after : after + 1] == "\t"
    alone = after >= unit.end
    if block.kind == "item" and opens and block.label_span:
        unit.plain = 5.0
    elif label.style == "第条" and not label.tight:
        unit.plain = 9.0
    elif tab:
        unit.plain = 5.0
    elif label.bare:
        unit.plain = 2.6 if label.tokens[0].suffix else 0.9 if label.tokens[0].value > 999 else 1.3
    elif label.container or label.kind in ("article", "section"):
        unit.plain = 3.0
    else:
        unit.plain = 2.6
    if block.bold:
        unit.plain += 1.5
    unit.prose = 0.0 if tab or (alone and not label.bare) else _prose(text, unit)
    if alone and label.bare:
        unit.prose = 2.0
    shape = _TITLE_ONLY if label.bare else _CAPITAL
    unit.firm = (
        opens
        and ended
        and unit.prose <= 0.3
        and not alone
        and shape.match(text[after : min(unit.end, after + SHORT_LINE)]) is not None
    )
    if unit.firm and label.bare:
        unit.plain += 0.4
    if label.tokens[0].value == 0 and not (unit.bold or text[unit.start : after].isupper() or _wide(text[unit.start])):
        unit.prose += 3.5
    if label.style == "第条" and broken and _CITED_ZH.match(text, after, unit.end):
        unit.prose, unit.plain = CITED, 1.5
        return
    if not opens and not ended:
        unit.prose += 3.0
        unit.plain = min(unit.plain, 1.5)
    elif opens and (listed or introduced) and label.style == "dec":
        unit.prose = min(unit.prose, 0.5)
    elif opens and not ended and not tab and block.kind != "item":
        unit.prose += 0.7


def _prose(text: str, unit: Unit) -> float:
    """How much the words after the label sound like a sentence that mentions a number rather than one that it numbers."""
    label = unit.labels[0] if unit.labels else None
    if label is None:
        return 0.0
    after = unit.start + label.end
    rest = text[after : min(unit.end, after + 40)].lstrip()
    if not rest:
        return 0.0
    if label.style == "第条" or (label.tokens[0].joint == "zh" and label.container):
        if label.absolute:
            return 6.0
        return (1.0 if label.tight else 0.0) + (6.0 if label.tight and _PROSE_ZH.match(rest) else 0.0)
    if label.style in ("dec", "1.") or label.container or label.kind in ("article", "section", "rule", "clause"):
        if label.bare:
            return 0.3 if rest[0].isupper() or rest[0] in '"“' or (_wide(rest[0]) and not label.tight) else 4.0
        if rest.startswith("to ") and label.kind in ANNEXES and text[unit.end - 1] not in ".;,":
            return 0.5  # "Schedule 1 to Power of Attorney dated …" heads a schedule; a sentence about one ends in a stop
        if _MEMBER.match(rest):
            return 0.0
        if rest[0].islower():
            return 4.0 if _PROSE_EN.match(rest) and label.style != "1." else 1.2
        if rest[0] in ",;)" or (label.kind != "item" and rest[0] in "(" and label.style != "dec"):
            return 3.0
    if label.style.startswith("(") and _LISTED_ON.match(rest):
        return 3.0  # "(i) and (ii), …": a wrapped line that begins with a citation
    if label.tight and not _wide(rest[0]):
        return 0.8
    return 0.0


def _split(text: str, unit: Unit, out: list[Unit], deeper: float) -> None:
    """Labels that follow on the same line: a second one right after the first (`(b)(i)`), and a run of inline markers in a
    line that starts with a marker itself (`(g) g. (h) h.`). ``deeper``: how much deeper such a run stands in its list: typed
    markers never go on the count of a computed one."""
    label = unit.labels[0] if unit.labels else None
    if label is None or label.container:
        return
    after = _visible(text, unit.start + label.end, unit.end)
    if after < unit.end and (text[after] in "(（" or _MEMBER.match(text, after, unit.end)):
        inner = [r for r in read_labels(text[after : min(unit.end, after + 12)]) if r.tokens[0].value == 1 and not r.tight]
        if inner:
            child = Unit(after, unit.end, unit.block, unit.kind, tuple(inner), 1.6, 0.0, indent=unit.indent, inline=True)
            child.item = None if unit.item is None else unit.item + 1
            unit.end = after
            out.append(child)
            unit = child
    if label.style in ("dec", "1."):
        unit = _split_decimals(text, unit, label, out)
    if text[unit.start] not in "(（" and unit.labels and (members := split_headed(text, unit, unit.labels[0])):
        out.extend(members)
        return
    pattern = _INLINE if text[unit.start] in "(（" else _INLINE_NUMBER if label.style == "1." else None
    if pattern is None:
        return
    starts: list[tuple[int, tuple[Label, ...]]] = []
    for match in pattern.finditer(text, unit.start + 1, unit.end):
        found = read_labels(text[match.end() : min(unit.end, match.end() + 16)])
        if found and not found[0].tight and len(starts) < MAX_INLINE:
            starts.append((match.end(), found))
    if pattern is _INLINE_NUMBER and not _consecutive(label, [found[0] for _, found in starts]):
        return
    end = unit.end
    for start, found in starts:
        item = None if unit.item is None else unit.item + deeper
        piece = Unit(start, end, unit.block, unit.kind, found, _INLINE_PLAIN, 0.0, indent=unit.indent, inline=True, item=item)
        out[-1].end = back(text, start)
        out.append(piece)


def _split_decimals(text: str, unit: Unit, label: Label, out: list[Unit]) -> Unit:
    """Numbers that extend or follow the line's own (`2. Term 2.1 It begins … 2.2 It ends …`), as text without line breaks has
    them: after a stop or a heading in capitals, before a capital, never after a word that cites."""
    end = unit.end
    last = tuple(token.value for token in label.tokens)
    for match in _INLINE_DECIMAL.finditer(text, unit.start + label.end, end):
        found = read_labels(text[match.end() : min(end, match.end() + 32)])
        if (
            not found
            or found[0].style != "dec"
            or found[0].tight
            or _CITES.search(text, max(unit.start, match.start() - 24), match.start())
        ):
            continue
        value = tuple(token.value for token in found[0].tokens)
        child = value[:-1] == last and value[-1] == 1
        if not child and not any(value == (*last[:depth], last[depth] + 1) for depth in range(1, len(last))):
            continue
        piece = Unit(match.end(), end, unit.block, unit.kind, found, 1.5, 0.0, indent=unit.indent, inline=True, item=unit.item)
        out[-1].end = back(text, match.start())
        out.append(piece)
        last, unit = value, piece
    return unit


def _consecutive(first: Label, rest: list[Label]) -> bool:
    values = [first.tokens[0].value, *(r.tokens[0].value for r in rest if r.style == "1.")]
    return len(values) == len(rest) + 1 and all(b == a + 1 for a, b in pairwise(values))
