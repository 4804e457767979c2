"""Captions: unnumbered headings that only their capitals, or bold type, set off from the text below them."""

from __future__ import annotations

import re

from compliance_rag.parse.unit import Unit

# A longer line in capitals is a disclaimer, not a caption.
MAX_CAPTION = 80
# What stands under a caption is a sentence or a clause; a shorter line belongs to a title page, an address or a signature.
MIN_BODY = 80
_LETTERS = re.compile(r"[A-Za-z]{4,}")
# Parties, addresses and signature lines are printed in capitals too.
_NAME = re.compile(
    r"\b(?:INC|LLC|L\.L\.C|LTD|LIMITED|CORP|CORPORATION|COMPANY|PLC|GMBH|S\.A|N\.A|L\.P|LLP|CO|BY|NAME|TITLE|DATE|ATTN|ITS|BETWEEN"
    r"|PAGE|CONFIDENTIAL|EXECUTION|DRAFT|COPY)\b\.?",
)
_ODD = re.compile(r"[\t_/@$%*=<>|{}#]|\d{3}|\.\s|,\s*\Z")
_SIGNED = re.compile(r"(?:By|Name|Title|Date|Its|Attn|Attention|Tel|Fax|Address|To|From)\s{0,3}:|/s/|[-_=]{3}")
_ENDS = (".", ";", ",", "-", "–", "—")


def mark_captions(text: str, units: list[Unit]) -> None:
    """Set ``heading`` to 0 where an unlabelled line of its own, all capitals or all bold, stands above a sentence or a clause.
    Lines one under the other are a title page or an address: only the last of such a group can be a caption."""
    for index in range(1, len(units) - 1):
        unit = units[index]
        if unit.labels or unit.kind != "text" or unit.heading is not None or unit.inline:
            continue
        if unit.end - unit.start > MAX_CAPTION or not _is_caption(text, unit):
            continue
        if _has_body(text, units[index + 1]) and not _same_group(text, units[index - 1]):
            unit.heading, unit.bold = 0, True


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
        and unit.end - unit.start >= MIN_BODY
        and not (text[unit.start : unit.end].isupper() or _SIGNED.match(text, unit.start))
    )


def _same_group(text: str, before: Unit) -> bool:
    """True when the line above is one in capitals as well, a label whose title this is, or a line that goes on."""
    line = text[before.start : before.end]
    if before.labels and len(line) <= MAX_CAPTION and line[-1] not in ".;!?":
        return True
    return len(line) <= MAX_CAPTION and (
        (line.isupper() and line[-1] != ".") or line.endswith((",", "&")) or line in ("and", "And", "between", "by")
    )
