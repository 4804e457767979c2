"""Lines to paragraphs: where one ends, and which go on in the next column or on the next page."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median

from compliance_rag.parse.readers.lines import leads_on, starts_label
from compliance_rag.parse.readers.pdf_raised import plain_end
from compliance_rag.parse.readers.pdf_sequences import counted_on, first_members
from compliance_rag.parse.readers.pdf_types import LABEL_GAP, Line, wide

# A step to the next line larger than this many usual ones opens a paragraph.
PARAGRAPH_STEP = 1.3
# A line of Chinese with fewer characters is a title.
MIN_WIDE_LINE = 12
# A step smaller than this is a usual one, in font sizes, where the document shows none.
USUAL_STEP = 1.25
# A single step is that of paragraphs when it is no wider than double spacing, in font sizes, and within a tenth of the closest.
ONE_STEP = 2.5
CLOSEST = 1.1
# A line that ends this share of the column before its right edge was ended by the author.
SHORT_LINE = 0.85
# An indent of this many font sizes opens a paragraph after a sentence's end.
INDENT = 0.9
# Type that differs by this much is another kind of text.
OTHER_SIZE = 0.12
# The right edge of a text is where this share of its full lines end.
# U+037E looks like a semicolon and is what some fonts map theirs to.
_STOPS = '.;\u037e:?!。；：？！”"'
_STRONG = ".?!。？！"
_LEADERS = re.compile(r"(?:\.\s?){4,400}\s{0,40}[\divxlc]{1,7}$|[…·⋯_]{2,400}\s{0,40}\d{1,4}$")
_BARE_NUMBER = re.compile(r"\d{1,4}\s+[a-z]")
_MARK = re.compile(r"[\uf000-\uf0ff□■▪●○•☐☑☒✓✔➢❖]$")
_LISTED = re.compile(r"[;,；，]\s?(?:and|or|and/or|以及|和|或|或者)$")
# What a line ends with that goes on, a word or a range of numbers: "2024-" / "2025. The".
_HYPHENATED = re.compile(r"\w[-\u2010]\Z")
# Members of a list inside a sentence: (b), (ii), (2), 2), （二）.
_MEMBER = re.compile(r"[(（]?([a-z]{1,4}|\d{1,2}|[一二三四五六七八九十]{1,3})[)）]")
# A member that is a sentence of its own, after the stop of another.
_NEW_MEMBER = re.compile(r"\s{0,4}[A-Z\u3400-\u9fff“\"]")
_NAMED = re.compile(r"(?:Section|Article|Clause|Rule|Paragraph|Schedule|Annex|Exhibit) ")
_ORDERS: tuple[list[str], ...] = (
    [chr(code) for code in range(97, 123)], [str(number) for number in range(1, 100)],
    ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii"],
    ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十"],
)  # fmt: skip
# Lines of one paragraph begin within this many font sizes of one another.
FLUSH = 0.4
# Word's second bullet is the letter o, which opens no line of English or Chinese.
_BULLET = re.compile(r"(?:o(?=\s)|[•●○◦▪■□◆◇·–—\uf0b7\uf0a7\uf06f\uf0a8❖➢✓])(?:\s|$)")


@dataclass(slots=True)
class Steps:
    """The usual distance from line to line by font size (to half a point), the lines that open a list, and the heights at which
    furniture was taken out, by page."""

    usual: dict[float, float]
    members: set[int] = field(default_factory=set)
    cuts: dict[int, list[float]] = field(default_factory=dict)

    def of(self, line: Line) -> float:
        """The usual step for text of this line's size."""
        return self.usual.get(round(2 * line.size) / 2, USUAL_STEP * line.size)


def is_mark(line: Line) -> bool:
    """True for a bullet or a box that stands by itself."""
    return _MARK.match(line.text) is not None


def learn_steps(columns: Sequence[list[Line]]) -> Steps:
    """Steps measured where a sentence surely goes on: the next line begins in lower case, or goes on a full one of Chinese. One
    such line is enough where no lines of that size stand closer: a page of wide lines has no narrower step inside its
    paragraphs."""
    seen: dict[float, list[float]] = defaultdict(list)
    closest: dict[float, float] = {}
    for lines in columns:
        for before, line in pairwise(lines):
            step = line.base - before.base
            if 0 < step < 4 * line.size and abs(line.size - before.size) < 0.3:
                size = round(2 * line.size) / 2
                closest[size] = min(closest.get(size, step), step)
                if line.text[:1].islower() or _runs_on(before, line):
                    seen[size].append(step)
    return Steps(
        members=first_members([line for lines in columns for line in lines]),
        usual={
            size: median(values)
            for size, values in seen.items()
            if len(values) >= 2 or (values[0] <= ONE_STEP * size and values[0] <= CLOSEST * closest[size])
        },
    )


def _runs_on(before: Line, line: Line) -> bool:
    """True for a line of Chinese that is full and ends in the middle of a sentence, and the next, which opens with no label."""
    left, right = before.column
    full = before.upright[2] >= left + SHORT_LINE * (right - left)
    inside = full and wide(before.text[-1]) and before.text[-1] not in _STOPS and wide(line.text[0])
    return inside and len(before.text) >= MIN_WIDE_LINE and not starts_label(line.text)


def paragraphs(lines: list[Line], steps: Steps) -> Iterator[list[Line]]:
    """Cut the lines of one column into paragraphs."""
    current: list[Line] = []
    for line in lines:
        if current and (id(line) in steps.members or _opens(current, line, steps)):
            yield current
            current = []
        current.append(line)
    if current:
        yield current


def _opens(current: list[Line], line: Line, steps: Steps) -> bool:
    before = current[-1]
    step = line.base - before.base
    usual = (
        max(steps.of(before), steps.of(line)) if abs(before.size - line.size) < 0.3 else min(steps.of(before), steps.of(line))
    )
    if is_mark(line) or is_mark(before):
        return True
    if any(before.base < cut < line.base for cut in steps.cuts.get(line.page, ())):
        return not goes_on(current, [line])
    if step > PARAGRAPH_STEP * usual or step < -0.5 * line.size:
        return True
    if _LEADERS.search(before.text[-440:]) or _BULLET.match(line.text):
        return True
    if abs(before.size - line.size) > OTHER_SIZE * before.size and not line.text[0].islower():
        return True
    if _wrapped_list(current, line) or _HYPHENATED.search(before.text[-2:]):
        return False
    numbered, last = starts_label(line.text), plain_end(before.text)
    if before.bold != line.bold and not line.text[0].islower() and (before.bold or numbered or last in _STOPS):
        return True
    if _wrapped_citation(before, line):
        return False
    if numbered and counted_on(current[0].text, before.text, line.text):
        return True
    if numbered and (last in _STOPS + ",，、" or _listed(before, line) or LABEL_GAP in line.text or _ended(before, line)):
        return True
    if _indented(current, line):
        return True
    if not _ended(before, line):
        return False
    heading = starts_label(before.text) and not line.text[0].islower() and not leads_on(before.text)
    return heading or numbered or last in _STOPS or _title(before, line)


def _wrapped_list(current: list[Line], line: Line) -> bool:
    """True for a member of a list that runs on inside a sentence and only happens to open a line: the line stands where wrapped
    lines stand, and the member before it stands in the same paragraph, or the next one in the same line."""
    match = _MEMBER.match(line.text)
    before = current[-1]
    flush = abs(line.upright[0] - before.upright[0]) <= FLUSH * line.size
    wrapped = abs(line.upright[0] - line.column[0]) <= FLUSH * line.size and not _ended(before, line)
    if match is None or not (flush or wrapped) or (before.text[-1:] in _STRONG and _NEW_MEMBER.match(line.text, match.end())):
        return False
    text = " ".join(part.text for part in current)
    for order in _ORDERS:
        if match[1] not in order[:-1]:
            continue
        at = order.index(match[1])
        if at and re.search(rf"[\w,;:；：，] ?[(（]?{order[at - 1]}[)）]", text):
            return True
        if not at and wrapped and re.search(rf"[,;:；：，] ?[(（]?{order[1]}[)）]", line.text):
            return True
    return False


def _wrapped_citation(before: Line, line: Line) -> bool:
    """True for a named label in the middle of a list of citations ("Section 11 (Rights)," / "Section 12 (Terms) will survive"):
    the line above is full and ends in a comma, and names one of the kind before it."""
    match = _NAMED.match(line.text)
    if match is None or before.text[-1] not in ",，" or _ended(before, line):
        return False
    return before.text.find(match[0], 1) > 0 and abs(line.upright[0] - line.column[0]) <= FLUSH * line.size


def _listed(before: Line, line: Line) -> bool:
    """True when a member of a list ends and the next begins; a bare number before a word goes on ("or" / "45 days")."""
    return _LISTED.search(before.text) is not None and _BARE_NUMBER.match(line.text) is None


def _title(before: Line, line: Line) -> bool:
    """Two lines centred apart, or a short line in capitals above one that is not."""
    return before.text.isupper() and not line.text.isupper()


def _ended(before: Line, line: Line) -> bool:
    """True when ``before`` ends so far from the right edge that the next line's first word would have fitted."""
    left, right = before.column
    room = right - before.upright[2]
    if before.upright[2] < left + SHORT_LINE * (right - left):
        return True
    letters = max(1, len(before.text))
    pitch = (before.upright[2] - before.upright[0]) / letters
    word = 1 if wide(line.text[0]) else len(line.text.split(None, 1)[0]) + 1
    return room > 1.5 * word * pitch and room > 3 * before.size


def _indented(current: list[Line], line: Line) -> bool:
    """True when the line stands further in than the one before after a sentence's end, or further out than a hanging text."""
    before = current[-1]
    if before.text[-1:] not in _STOPS:
        return False
    shift = line.upright[0] - before.upright[0]
    if shift > INDENT * line.size and line.upright[0] - line.column[0] < 0.3 * (line.column[1] - line.column[0]):
        return True
    return len(current) > 1 and shift < -INDENT * line.size


def goes_on(before: list[Line], after: list[Line]) -> bool:
    """True when a paragraph at the end of a column or page goes on with the first of the next."""
    last, first = before[-1], after[0]
    text, following = last.text, first.text
    if abs(last.size - first.size) > OTHER_SIZE * last.size or (_labelled(text, following) and not following[0].islower()):
        return False
    if _labelled(text, following) and (text[-1] in _STOPS or LABEL_GAP in following):
        return False
    if _LEADERS.search(text[-440:]) or _BULLET.match(following):
        return False
    if last.bold != first.bold and (last.bold or not following[0].islower()):
        return False
    if following[0].islower():
        return text[-1] not in _STRONG or (text[-1] == "." and _abbreviated(text))
    if text[-1] in _STOPS:
        return False
    if text.isupper() != following.isupper() or (starts_label(text) and len(before) == 1 and _ended(last, first)):
        return False
    return not _ended(last, first) or text[-1] in ",，、"


def _labelled(text: str, following: str) -> bool:
    """True when ``following`` opens with a label; a bare number before a word in lower case goes on a sentence ("within" /
    "30 days")."""
    if text[-1] not in _STOPS and _BARE_NUMBER.match(following):
        return False
    return starts_label(following)


def _abbreviated(text: str) -> bool:
    return (
        re.search(r"\b(?:No|Nos|Art|Sec|Inc|Ltd|Co|Corp|e\.g|i\.e|cf|v|vs|U\.S|Mr|Mrs|Dr|St|para|paras|cl|s|ss)\.$", text)
        is not None
    )
