"""Captions: unnumbered headings that only their capitals, or bold type, set off from the text below them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from compliance_rag.parse.labels import Label, follows
from compliance_rag.parse.unit import Unit

# A longer line in capitals is a disclaimer, not a caption.
MAX_CAPTION = 80
# What stands under a caption is a sentence or a clause; a shorter line belongs to a title page, an address or a signature.
MIN_BODY = 80
# A line that ends as a sentence may be shorter, down to so many words; names of firms end with a stop too ("Inc.").
MIN_WORDS = 8
# A title stands over no more than this many lines of subtitles.
MAX_STACK = 4
_LETTERS = re.compile(r"[A-Za-z]{4,}")
# Parties, addresses and signature lines are printed in capitals too.
_NAME = re.compile(
    r"\b(?:INC|LLC|L\.L\.C|LTD|LIMITED|CORP|CORPORATION|COMPANY|PLC|GMBH|S\.A|N\.A|L\.P|LLP|CO|BY|NAME|TITLE|DATE|ATTN|ITS|BETWEEN"
    r"|PAGE|CONFIDENTIAL|EXECUTION|DRAFT|COPY)\b\.?",
)
_ODD = re.compile(r"[\t_/@$%*=<>|{}#]|\d{3}|\.\s|,\s*\Z")
_SUBTITLE = re.compile(r"[A-Z][A-Z0-9 ,;:.’'“”\"()–—-]*[A-Z0-9)’”\"]")
_SIGNED = re.compile(r"(?:By|Name|Title|Date|Its|Attn|Attention|Tel|Fax|Address|To|From)\s{0,3}:|/s/|[-_=]{3}")
_ENDS = (".", ";", ",", "-", "–", "—")


def mark_captions(text: str, units: list[Unit]) -> None:
    """Set ``heading`` to 0 where an unlabelled line of its own, all capitals or all bold, stands above a sentence or a clause.
    Lines one under the other are a title page or an address: only the last of such a group can be a caption, unless they are
    bold capitals after the first clause: a title and its subtitles ("EDITORIAL NOTES" / "AMENDMENTS")."""
    for index in range(1, len(units) - 1):
        unit = units[index]
        if unit.labels or unit.kind != "text" or unit.heading is not None or unit.inline:
            continue
        if unit.end - unit.start > MAX_CAPTION or not _is_caption(text, unit):
            continue
        if _has_body(text, units[index + 1]) and not _same_group(text, units[index - 1]):
            unit.heading, unit.bold = 0, True
    _mark_stacks(text, units)


def _mark_stacks(text: str, units: list[Unit]) -> None:
    first = next((index for index, unit in enumerate(units) if unit.labels), len(units))
    index = first + 1
    while index < len(units) - 1:
        end = index
        while end < len(units) - 1 and end - index < MAX_STACK and _is_subtitle(text, units[end]):
            end += 1
        if end > index and _has_body(text, units[end]):
            for unit in units[index:end]:
                unit.heading = 0 if unit.heading is None else unit.heading
        index = max(end, index + 1)


def _is_subtitle(text: str, unit: Unit) -> bool:
    line = text[unit.start : unit.end]
    plain = not unit.labels and unit.kind == "text" and not unit.inline and unit.bold and line.isupper()
    return plain and len(line) <= MAX_CAPTION and _NAME.search(line) is None and _SUBTITLE.fullmatch(line) is not None


def _is_caption(text: str, unit: Unit) -> bool:
    line = text[unit.start : unit.end]
    if "\n" in line or line.endswith(_ENDS) or not _LETTERS.search(line) or _ODD.search(line) or line[0] in '"“(':
        return False
    if unit.bold:
        return len(line.split()) <= 10 and line[0].isupper()
    return line.isupper() and _NAME.search(line) is None


def _has_body(text: str, unit: Unit) -> bool:
    if unit.labels:
        return unit.kind in ("text", "item") and any(label.tokens[0].value == 1 for label in unit.labels)
    return (
        unit.kind == "text"
        and (unit.end - unit.start >= MIN_BODY or _is_sentence(text[unit.start : unit.end]))
        and not (text[unit.start : unit.end].isupper() or _SIGNED.match(text, unit.start))
    )


def _is_sentence(line: str) -> bool:
    return line[-1] == "." and len(line.split()) >= MIN_WORDS


def _same_group(text: str, before: Unit) -> bool:
    """True when the line above is one in capitals as well, a label whose title this is, or a line that goes on."""
    line = text[before.start : before.end]
    if before.labels and len(line) <= MAX_CAPTION and line[-1] not in ".;!?":
        return True
    return len(line) <= MAX_CAPTION and (
        (line.isupper() and line[-1] != ".") or line.endswith((",", "&")) or line in ("and", "And", "between", "by")
    )


def goes_on(label: Label, units: Sequence[Unit]) -> bool:
    """True when the next of its kind opens with the next number: one of several annexes, of which the file is made."""
    return "." not in label.tokens[-1].key and any(
        other.kind == label.kind and follows(label.tokens[-1], other.tokens[-1]) for unit in units for other in unit.labels[:1]
    )
