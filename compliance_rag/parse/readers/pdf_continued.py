"""Headings that a page says once more at its top because their text goes on there."""

from __future__ import annotations

import re

from compliance_rag.parse.readers.pdf_rows import Row

# A heading is no longer than this many characters.
MAX_HEADING = 100
_CONTINUED = re.compile(r"(.{1,100}?)\s{0,9}[(（](?:(?i:continued|cont[’']?d\.?|cont\.)|续|接上页)[)）]")


def continued(rows: list[list[Row]], found: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """Headings that a page says once more at its top: "5 Fees (continued)", after "5 Fees" on a page before."""
    out: set[tuple[int, int]] = set()
    said: set[str] = set()
    for index, page in enumerate(rows):
        for at, row in enumerate(page):
            match = _CONTINUED.fullmatch(row.text.strip())
            above = all((index, k) in found | out for k in range(at))
            if match is not None and above and " ".join(match[1].split()) in said:
                out.add((index, at))
        said |= {" ".join(row.text.split()) for row in page if len(row.text) <= MAX_HEADING}
    return out
