"""What a line break means: a line that was wrapped at a width, or a line that the author ended."""

from __future__ import annotations

import re

# Text wrapped narrower than this is set that way on purpose (titles, addresses, lists).
MIN_WRAP_WIDTH = 50
# The same for Chinese, whose characters are twice as wide.
MIN_WIDE_WIDTH = 20
# Nothing is wrapped wider than this by hand or by an editor; a longer line is a paragraph on one line.
MAX_WRAP_WIDTH = 140

LABEL_START = re.compile(
    r"(?:\*\*|__)?(?:"
    r"[(（\[]\s?(?:\d{1,4}|[A-Za-z]{1,5}|[一二三四五六七八九十百]{1,5})\s?[)）\]]"
    r"|[(（]?\d{1,4}(?:\.\d{1,4}){0,12}[.)．）、]?(?=\s|[A-Z\u3400-\u9fff])"
    r"|(?:[A-Za-z]|[ivxlIVXL]{1,5})[.)](?=\s)"
    r"|第[一二三四五六七八九十百千零〇两\d]{1,9}[编章节条款项部分]"
    r"|[一二三四五六七八九十]{1,3}[、．.]"
    r"|[①-⑳•●○◦▪■□◆◇·–—](?=\s?\S)"
    r"|§"
    r"|(?:Article|ARTICLE|Section|SECTION|Clause|CLAUSE|Part|PART|Chapter|CHAPTER|Schedule|SCHEDULE|Annex|ANNEX|Appendix|APPENDIX"
    r"|Exhibit|EXHIBIT|Rule|RULE)\s+[0-9A-Z]"
    r")"
)
# Words with which no title and no sentence ends: what follows them goes on the sentence.
_LEADS_ON = frozenset({
    "a", "an", "and", "any", "as", "at", "be", "between", "but", "by", "each", "every", "except", "for", "from", "if", "in",
    "into", "is", "are", "its", "may", "must", "nor", "not", "of", "on", "or", "shall", "should", "than", "that", "the",
    "their", "to", "unless", "until", "when", "where", "which", "while", "who", "whose", "will", "with", "without",
})  # fmt: skip
_TERMINAL = frozenset(".;:!?。；：！？")
_WIDE = re.compile("[\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]")


def starts_label(line: str) -> bool:
    """True when a line (white space before it aside) opens as a numbered thing opens."""
    return LABEL_START.match(line.lstrip()) is not None


def leads_on(line: str) -> bool:
    """True for words that end in the middle of a sentence: with one that needs another after it."""
    return (line.rsplit(None, 1) or [""])[-1] in _LEADS_ON


def wrapped(line: str, following: str, width: int) -> bool:
    """True when the break between two lines of a paragraph is a wrap at ``width`` columns (its longest line), not the author's.

    A line was wrapped when the next line's first word would not have fitted, when it is long and ends in no stop, or when the
    next line goes on in lower case; in Chinese, when it is as long as lines get and ends in no stop. A line in capitals above
    one that is not was ended by its author.
    """
    if not line or not following:
        return False
    label = starts_label(following)
    if label and line[-1] in _TERMINAL:
        return False
    if wide(line, following):
        full = MIN_WIDE_WIDTH <= width <= MAX_WRAP_WIDTH and len(line) >= width - 1
        return full and not label and line[-1] not in _TERMINAL
    if MIN_WRAP_WIDTH <= width <= MAX_WRAP_WIDTH and (following.isupper() or not line.isupper()):
        word = following.split(None, 1)[0]
        if len(line) + 1 + len(word) > width or (not label and len(line) >= MIN_WRAP_WIDTH and line[-1] not in _TERMINAL):
            return True
    return not label and following[0].islower() and line[-1] not in _TERMINAL


def wide(line: str, following: str) -> bool:
    """True when a wide character stands on either side of the break: Chinese sets no space there."""
    return bool(_WIDE.match(line[-1]) or _WIDE.match(following[0]))


def is_label(text: str) -> bool:
    """True when the text is a label and nothing else."""
    match = LABEL_START.match(text + " x")
    return match is not None and match.end() >= len(text.rstrip(".:"))
