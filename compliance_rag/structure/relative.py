"""English citations by place alone: "the preceding clause", "the next section"."""

from __future__ import annotations

import re
from collections.abc import Iterator

from compliance_rag.structure.cites import Cite
from compliance_rag.structure.english import unit_name

_RELATIVE = re.compile(
    r"\b(?:the\s+)?(?:immediately\s+)?(?P<way>preceding|previous|foregoing|following|next|succeeding)\s+"
    r"(?P<unit>sub-?sections?|sections?|sub-?clauses?|clauses?|articles?|rules?|regulations?|sub-?paragraphs?|paragraphs?)\b"
    r"(?!\s*[\d(:：])",
    re.IGNORECASE,
)
# "insert the following section": words to come, not a clause of this document.
_AMENDS_BEFORE = re.compile(r"\b(?:insert|add|substitut|replac|includ)\w*\b[^.;\n]{0,60}$", re.IGNORECASE)
_BACK = frozenset({"preceding", "previous", "foregoing"})


def read_relative(text: str) -> Iterator[Cite]:
    """Each such citation in order of place, weak: what stands first or last has no neighbour and is then no citation."""
    for match in _RELATIVE.finditer(text):
        unit, plural = unit_name(match["unit"])
        if plural or _AMENDS_BEFORE.search(text[max(0, match.start() - 80) : match.start()]):
            continue
        back = 1 if match["way"].lower() in _BACK else -1
        yield Cite(match.span(), unit, (), base="previous", back=back, base_unit=unit, weak=True)
