"""Headers, footers, page numbers and line numbers of a PDF, found by what comes again from page to page at one place."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from itertools import pairwise

from compliance_rag.parse.readers.furniture import page_number_series
from compliance_rag.parse.readers.pdf_behind import overprinted
from compliance_rag.parse.readers.pdf_continued import continued
from compliance_rag.parse.readers.pdf_line_numbers import line_numbers
from compliance_rag.parse.readers.pdf_rows import Row, rows_of
from compliance_rag.parse.readers.pdf_types import Line, Page, Rect, around, wide

# Headers and footers are among the outermost rows of a page.
EDGE_ROWS = 4
# The same row on two pages stands at the same height, give or take this many points.
SAME_HEIGHT = 8.0
# A row must come on this many pages, or on every page of a document of two.
MIN_PAGES = 3
# Headers and footers stand in this share of the page's height at either end.
ZONE = 0.2
# A page number inside a page (of the print that was filed) has this many font sizes of white above or below.
WHITE_AROUND = 1.2
# A footer of the print that was filed stands within this many font sizes of its page number.
BESIDE_NUMBER = 3.0
# A sentence in the type of the text is a header or footer only with this many font sizes of white before the text.
APART = 2.0
# Each row is compared with this many before and after it that read alike: headers of left and right pages alternate.
NEIGHBOURS = 8
_Place = tuple[int, int, float, list[int]]
"""Page and row by index, distance from the page's end, the numbers in the row."""
_Slot = tuple[bool, float, int, str, int]
"""At the top, type size, height of the base line from that end of the page, which side it is set to, the edge there."""
# Lines of text on a page that show where its margins are.
MIN_TEXT = 3
# Type smaller than this share of the text's is not the text's.
SMALL = 0.92
# A running header is not set this much larger than the text: what is titles what follows, unless most pages bear it.
TITLE_SIZE = 1.5
# A sentence longer than this, in characters, is no title.
MAX_TITLE = 60
# Rows of one paragraph begin within this many points of one another, in type of the same size to within so many.
SAME_EDGE, SAME_TYPE = 1.5, 0.5
# What opens an annex or a part, and says nothing else.
_OWN_TITLE = re.compile(
    r"(?i)(?:schedule|annex|appendix|exhibit|attachment|part|chapter|title|book|form|article|section|rule)\s\d{1,3}[.:]?"
    r"|(?:附件|附录|附表|附则)\s?\d{1,3}"
)
_TYPED = re.compile(r"[-–—=]{10,1000}")
_NUMBERED = re.compile(r"\(?(?:\d{1,3}(?:\.\d{1,3})*|[a-z]{1,4}|[A-Z])[.)]\s+\S|\d{1,3}(?:\.\d{1,3})+\s+\S|第.{1,6}条")
# A number and a sentence: a clause whose number runs on with the pages.
_NUMBERED_SENTENCE = re.compile(r"\d{1,3}\s+[^\W\d_].{0,400}[.;。；]$")
_HEADING = re.compile(r"\d{1,3}\s+[^\W\d_]")
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[-–—\s]{0,3}([ivxlc]{1,7})[-–—\s]{0,3}$")
_PAGE_OF = re.compile(
    r"(?i)page\s{0,3}\d{1,4}(?:\s{0,3}(?:of|/)\s{0,3}\d{1,4})?$|\d{1,4}\s{1,3}of\s{1,3}\d{1,4}$|第\s?\d{1,4}\s?页.{0,12}$"
)


@dataclass(slots=True)
class Body:
    """A page without its furniture. ``typed``: ruled lines that were typed, a row of dashes each (upright); ``cuts``: where
    furniture stood, heights: the print that was filed may end a page of its own in the middle of this one."""

    page: Page
    lines: list[Line]
    head: list[list[Line]] = field(default_factory=list)
    foot: list[list[Line]] = field(default_factory=list)
    typed: list[Rect] = field(default_factory=list)
    cuts: list[float] = field(default_factory=list)


def set_aside(pages: list[Page]) -> list[Body]:
    """Each page with its furniture apart. What is not sure stays text."""
    numbers = line_numbers(pages)
    usual = median_size(pages)
    behind = [overprinted(page.fragments, usual) for page in pages]
    lost = numbers | {id(line) for lines in behind for line in lines}
    kept = [[line for line in page.fragments if id(line) not in lost] for page in pages]
    rows = [rows_of([line for line in lines if line.turn == page.turn]) for page, lines in zip(pages, kept, strict=True)]
    found = _running(pages, rows) | _numbers_within(pages, rows)
    found |= continued(rows, found)
    bodies = []
    for index, page in enumerate(pages):
        body = Body(page, [])
        gone = {id(line) for at, row in enumerate(rows[index]) if (index, at) in found for line in row.lines}
        middle = page_middle(page)
        for at, row in enumerate(rows[index]):
            if (index, at) in found:
                height = (row.top + row.bottom) / 2
                (body.head if height < middle else body.foot).append(row.lines)
                body.cuts.append(height)
        drawn = [row for at, row in enumerate(rows[index]) if (index, at) not in found and _typed_rule(row)]
        gone |= {id(line) for row in drawn for line in row.lines}
        body.typed = [(row.lines[0].upright[0], row.bottom, row.lines[-1].upright[2], row.bottom) for row in drawn]
        body.foot += [row.lines for row in drawn]
        sideways = _sideways(page)
        gone |= {id(line) for line in sideways}
        body.lines = [line for line in kept[index] if id(line) not in gone]
        aside = [line for line in page.fragments if id(line) in numbers]
        body.foot += [group for group in (aside, sideways, page.across, behind[index]) if group]
        bodies.append(body)
    return bodies


def _sideways(page: Page) -> list[Line]:
    """Lines that run up or down the margin of a page whose text runs across: names of journals, numbers of forms and prints."""
    text = [line for line in page.fragments if line.turn == page.turn]
    across = [line for line in page.fragments if line.turn != page.turn]
    if len(text) < MIN_TEXT or not across:
        return []
    x0, y0, x1, y1 = around([line.box for line in text])
    return [line for line in across if line.box[2] <= x0 or line.box[0] >= x1 or line.box[3] <= y0 or line.box[1] >= y1]


def _typed_rule(row: Row) -> bool:
    """True for a line drawn with dashes: it says nothing."""
    return _TYPED.fullmatch("".join(row.text.split())) is not None


def page_middle(page: Page) -> float:
    """Half the height of the page, in the space of its main text."""
    low, high = page_range(page)
    return (low + high) / 2


def page_range(page: Page) -> tuple[float, float]:
    """Top and bottom of the page in the space of its main text."""
    return {0: (0.0, page.height), 90: (0.0, page.width), 180: (-page.height, 0.0), 270: (-page.width, 0.0)}[page.turn]


def _running(pages: list[Page], rows: list[list[Row]]) -> set[tuple[int, int]]:
    """Rows at the ends of pages that come again, from the edge inwards."""
    places: dict[tuple[bool, str], list[_Place]] = defaultdict(list)
    for index, page in enumerate(pages):
        low, high = page_range(page)
        zone = ZONE * (high - low)
        for at, row in enumerate(rows[index]):
            near_top, near_bottom = at < EDGE_ROWS, at >= len(rows[index]) - EDGE_ROWS
            if near_top and row.top - low < zone:
                places[True, _key(row.text)].append((index, at, row.top - low, _values(row.text)))
            if near_bottom and high - row.bottom < zone:
                places[False, _key(row.text)].append((index, at, high - row.bottom, _values(row.text)))
    usual = median_size(pages)
    sure: set[tuple[int, int]] = set()
    needed = min(MIN_PAGES, max(2, len(pages)))
    for group in places.values():
        for number, place in enumerate(group):
            near = group[max(0, number - NEIGHBOURS) : number + NEIGHBOURS + 1]
            if _reads_as_text(rows[place[0]][place[1]], usual):
                continue
            alike = _alike(place, near, rows[place[0]][place[1]].text)
            if _titles(rows[place[0]][place[1]], usual) and 2 * len(group) < len(pages):
                continue
            if len(alike) >= needed or _PAGE_OF.match(rows[place[0]][place[1]].text.strip()):
                sure.add(place[:2])
    sure |= {place for place in _in_slots(pages, rows, sure) if not _reads_as_text(rows[place[0]][place[1]], usual)}
    sure = {place for place in sure if _open_to_edge(place, pages, rows, sure)}
    text = {place for place in sure if _sentence(rows[place[0]][place[1]], usual) and not _apart(place, rows, sure)}
    for _ in range(EDGE_ROWS):
        # Of a paragraph at the end of a page that comes again each line runs into the next.
        text |= {place for place in sure - text if _into_text(place, rows, sure - text, usual)}
    return {place for place in sure - text if _open_to_edge(place, pages, rows, sure - text)}


def _in_slots(pages: list[Page], rows: list[list[Row]], sure: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Rows at the very end of a page that stand where others have a header or a footer, in its type: a part with another one,
    too short for it to come again."""
    slots: Counter[_Slot] = Counter()
    ends: dict[tuple[int, int], set[_Slot]] = {}
    for index, page in enumerate(pages):
        low, high = page_range(page)
        for at in {0, len(rows[index]) - 1} if rows[index] else ():
            row, upper = rows[index][at], at == 0
            size = round(max(line.size for line in row.lines), 1)
            height = round(row.lines[0].base - low if upper else high - row.lines[0].base)
            keys = {
                (upper, size, height, "left", round(row.lines[0].upright[0])),
                (upper, size, height, "right", round(row.lines[-1].upright[2])),
            }
            if (index, at) in sure:
                slots.update(keys)
            else:
                ends[index, at] = keys
    return {place for place, keys in ends.items() if any(slots[key] >= MIN_PAGES for key in keys)}


def median_size(pages: list[Page]) -> float:
    """The font size of the middle fragment of all."""
    sizes = sorted(line.size for page in pages for line in page.fragments)
    return sizes[len(sizes) // 2] if sizes else 10.0


def _reads_as_text(row: Row, usual: float) -> bool:
    """True for a numbered line and for a long sentence in the type of the text: neither is a header, however often it comes."""
    text = row.text.strip()
    if max(line.size for line in row.lines) < SMALL * usual:
        return False
    numbered = _NUMBERED.match(text) or _NUMBERED_SENTENCE.match(text)
    return numbered is not None or (len(text) > MAX_TITLE and text[-1] in ".;。；")


def _sentence(row: Row, usual: float) -> bool:
    """True for a row in the type of the text that ends as a sentence does, a few words at least or Chinese, or opens as a
    numbered heading does."""
    text = row.text.strip()
    long = text.count(" ") >= 2 or (len(text) > 1 and wide(text[-2]))
    ends = text[-1] in ".;。；" and long
    return max(line.size for line in row.lines) >= SMALL * usual and (ends or _HEADING.match(text) is not None)


def _into_text(place: tuple[int, int], rows: list[list[Row]], sure: set[tuple[int, int]], usual: float) -> bool:
    """True when a sentence runs from the row into the text next to it, or from the text into the row."""
    index, at = place
    page = rows[index]
    for upper, lower in ((at, at + 1), (at - 1, at)):
        if not 0 <= upper < lower < len(page) or ((index, upper) in sure and (index, lower) in sure):
            continue
        size = min(max(line.size for line in page[row].lines) for row in (upper, lower))
        runs = page[upper].text.rstrip()[-1:] not in ".;:。；：" and (
            page[lower].text[:1].islower() or _wrapped(page, upper, lower)
        )
        close = page[lower].top - page[upper].bottom < APART * size / 2
        if runs and close and size >= SMALL * usual and len(page[upper].text) > MAX_TITLE / 2:
            return True
    return False


def _wrapped(page: list[Row], upper: int, lower: int) -> bool:
    """True when a row is as long as the page's text is wide, so that the first word of the next had no room in it, and both
    begin at one edge in one type."""
    one, other = page[upper].lines, page[lower].lines
    right = max(row.lines[-1].upright[2] for row in page)
    first = other[0].text.split(" ", 1)[0] if not wide(other[0].text[:1]) else other[0].text[:1]
    room = right - one[-1].upright[2]
    share = (other[0].upright[2] - other[0].upright[0]) / max(1, len(other[0].text))
    flush = abs(one[0].upright[0] - other[0].upright[0]) <= SAME_EDGE and abs(one[0].size - other[0].size) <= SAME_TYPE
    return flush and len(page) > EDGE_ROWS and room < share * (len(first) + 1)


def _apart(place: tuple[int, int], rows: list[list[Row]], sure: set[tuple[int, int]]) -> bool:
    """True when white stands between the row, with the furniture next to it, and the text of its page."""
    index, at = place
    page, upwards = rows[index], all((index, k) in sure for k in range(at))
    step = 1 if upwards else -1
    while (index, at + step) in sure:
        at += step
    if not 0 <= at + step < len(page):
        return False
    row, other = page[at], page[at + step]
    white = other.top - row.bottom if upwards else row.top - other.bottom
    return white >= APART * max(line.size for line in row.lines)


def _titles(row: Row, usual: float) -> bool:
    """True for type much larger than the text's: the title of one of several documents bound together."""
    return min(line.size for line in row.lines) >= TITLE_SIZE * usual


def _alike(place: _Place, near: list[_Place], text: str) -> set[int]:
    """The pages that bear the same row at the same height: its numbers are the same or run on with the pages; or, where one of
    those around has the very same, no faster than the pages: chapters of a header. A heading that only says which annex or part
    begins says another on each page that opens one."""
    level = [other for other in near if abs(place[2] - other[2]) <= SAME_HEIGHT]
    same = {other[0] for other in level if other[3] == place[3]}
    titled = _OWN_TITLE.fullmatch(" ".join(text.split())) is not None
    if titled and len(same) == 1:
        return same
    runs = _slow if len(same) > 1 else _in_step
    pairs = [(other[0], zip(place[3], other[3], strict=True)) for other in level]
    return same | {page for page, numbers in pairs if all(runs(a, b, place[0] - page) for a, b in numbers)}


def _in_step(one: int, other: int, pages: int) -> bool:
    return one in (other, other + pages)


def _slow(one: int, other: int, pages: int) -> bool:
    """True when a number runs the way of the pages, by no more than theirs."""
    return 0 <= one - other <= pages if pages >= 0 else pages <= one - other <= 0


def _key(text: str) -> str:
    text = " ".join(text.split())
    if _ROMAN.match(text):
        return "(roman)"
    return _DIGITS.sub("#", text)


def _values(text: str) -> list[int]:
    roman = _ROMAN.match(" ".join(text.split()))
    if roman:
        return [_roman(roman.group(1))]
    return [int(found[-9:]) for found in _DIGITS.findall(text)]


def _roman(text: str) -> int:
    value = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}
    numbers = [value[char] for char in text]
    return sum(-a if a < b else a for a, b in pairwise([*numbers, 0]))


def _open_to_edge(place: tuple[int, int], pages: list[Page], rows: list[list[Row]], sure: set[tuple[int, int]]) -> bool:
    """True when nothing but furniture stands between the row and the end of the page that it is near to."""
    index, at = place
    row = rows[index][at]
    if (row.top + row.bottom) / 2 < page_middle(pages[index]):
        return all((index, k) in sure for k in range(at))
    return all((index, k) in sure for k in range(at + 1, len(rows[index])))


def _numbers_within(pages: list[Page], rows: list[list[Row]]) -> set[tuple[int, int]]:
    """Page numbers of a running series that stand alone on a row with white around, wherever on the page."""
    flat = [(index, at) for index in range(len(pages)) for at in range(len(rows[index]))]
    texts = []
    for index, at in flat:
        row = rows[index][at]
        alone = len(row.lines) == 1 and _white_around(rows[index], at) and _off_margin(pages[index], row, rows[index])
        texts.append(row.text.strip() if alone else "")
    found = {flat[number] for number in page_number_series(texts)}
    return found | _beside_numbers(rows, found, median_size(pages))


def _beside_numbers(rows: list[list[Row]], numbers: set[tuple[int, int]], usual: float) -> set[tuple[int, int]]:
    """Rows close to page numbers within pages that come again at others: the footers and headers of the print that was filed.
    What reads as text is none."""
    near: dict[tuple[int, str], list[tuple[int, int]]] = defaultdict(list)
    for index, at in sorted(numbers):
        for step in (-1, 1):
            for place in range(at + step, at + step * (EDGE_ROWS + 1), step):
                if 0 <= place < len(rows[index]) and (index, place) not in numbers:
                    near[step, " ".join(rows[index][place].text.split())].append((index, place))
    again = {place for places in near.values() if len(places) >= MIN_PAGES for place in places}
    out: set[tuple[int, int]] = set()
    for index, at in numbers:
        for step in (-1, 1):
            group: list[int] = []
            place = at + step
            while (index, place) in again and _close(rows[index], place, place - step):
                group.append(place)
                place += step
            out.update((index, place) for place in _no_text(rows[index], group, step, usual))
    return out


def _no_text(rows: list[Row], group: list[int], step: int, usual: float) -> list[int]:
    """Those of a group of rows, from the page number on, that come before one that reads as text: one with a clause's number,
    or a sentence, unless a typed rule or white stands between the group and the text."""
    if not group:
        return []
    last, beyond = rows[group[-1]], group[-1] + step
    apart = any(_typed_rule(rows[at]) for at in group) or not 0 <= beyond < len(rows)
    if not apart:
        white = max(last.top - rows[beyond].bottom, rows[beyond].top - last.bottom)
        apart = white >= APART * last.lines[0].size
    for number, at in enumerate(group):
        if _NUMBERED.match(rows[at].text.strip()) or (not apart and _sentence(rows[at], usual)):
            return group[:number]
    return group


def _close(rows: list[Row], at: int, other: int) -> bool:
    """True when two rows stand near one another."""
    upper, lower = sorted((at, other))
    return rows[lower].top - rows[upper].bottom <= BESIDE_NUMBER * rows[at].lines[0].size


def _white_around(rows: list[Row], at: int) -> bool:
    row = rows[at]
    size = row.lines[0].size
    above = row.top - rows[at - 1].bottom if at else 1e6
    below = rows[at + 1].top - row.bottom if at + 1 < len(rows) else 1e6
    return max(above, below) >= WHITE_AROUND * size


def _off_margin(page: Page, row: Row, rows: list[Row]) -> bool:
    """True when the row does not stand at the left margin, where labels stand, or stands at the page's very end."""
    left = min(other.lines[0].upright[0] for other in rows)
    right = max(other.lines[-1].upright[2] for other in rows)
    low, high = page_range(page)
    at_end = row.top - low < ZONE / 2 * (high - low) or high - row.bottom < ZONE / 2 * (high - low)
    return row.lines[0].upright[0] > left + 0.2 * (right - left) or at_end
