"""What must stand in the evidence for a question to be answered by it: the kind of thing asked for, by its own name.

A document may speak of the subject and not of what is asked ("what fine …" where none is set). Words and vectors look alike then;
that the thing asked for is missing is what tells them apart.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from compliance_rag.answer.cues import quantities
from compliance_rag.answer.terms import terms

# Questions that name the kind of quantity they want, so that an answer without one is none. Narrower than ``cues.wants``,
# which only prefers.
_STRICT: tuple[tuple[frozenset[str], re.Pattern[str]], ...] = (
    (
        frozenset({"duration", "date"}),
        re.compile(
            r"\bhow\s+(?:long|soon|quickly|fast|often|frequently)\b|\bhow\s+many\s+(?:\w+\s+){0,2}(?:years?|months?|weeks?|days?|hours?|minutes?)\b"
            r"|\bwithin\s+(?:what|which|how\s+many)\b|\bhow\s+much\s+(?:notice|warning|time)\b|\bby\s+when\b"
            r"|多久|多长时间|多少个?(?:小时|工作日|交易日|天|日|周|月|年)|几个?(?:小时|工作日|交易日|天|日内|周|月|年)",
            re.I,
        ),
    ),
    (
        frozenset({"amount", "percent"}),
        re.compile(
            r"\bhow\s+much\s+(?!notice|warning|time|of\b)|\b(?:what|which)\s+(?:\w+\s+){0,2}(?:fines?|fees?|deposits?|price|rent|salary|wages?|charges?)\s"
            r"|多少钱|多少元|多少(?:押金|罚款|租金|费用|违约金)|(?:押金|罚款|租金|费|违约金|金额)(?:是|为)?多少",
            re.I,
        ),
    ),
    (frozenset({"percent"}), re.compile(r"\bwhat\s+(?:percentage|share|proportion)\b|\brate\s+of\s+interest\b|百分之几|利率是?多少", re.I)),
    (
        frozenset({"count", "number", "percent"}),
        re.compile(r"\bhow\s+many\s+(?!\w*\s?\w*\s?(?:years?|months?|weeks?|days?|hours?|minutes?)\b)|(?:多少|几)[人名个位次份家]", re.I),
    ),
)  # fmt: skip
# Words that give a quantity without a figure, or say where it stands.
_LOOSE: dict[str, re.Pattern[str]] = {
    "duration": re.compile(
        r"\b(?:immediately|promptly|forthwith|without\s+(?:undue\s+)?delay|as\s+soon\s+as|at\s+any\s+time|at\s+all\s+times|annual\w*|yearly|monthly"
        r"|weekly|daily|quarterly|each|every|once|twice|until|indefinite\w*|permanent\w*|ongoing|regular\w*|periodic\w*|by\s+the\s+end"
        r"|before|after|upon|during|as\s+long\s+as|no\s+later)\b"
        r"|立即|及时|即时|随时|每[年月日周季]|长期|永久|届满|之前|以前|期间",
        re.I,
    ),
    "amount": re.compile(r"\bfree\s+of\s+charge\b|\bno\s+(?:fee|charge)\b|\bwithout\s+charge\b|免费|倍", re.I),
    "count": re.compile(r"\b(?:one|single|each|all|both|no|none|any)\b|每|各", re.I),
}
_DEFERS = re.compile(
    r"\b(?:stated|specified|set\s+out|set\s+forth|defined|described|determined|prescribed|laid\s+down|agreed|listed|given|referred\s+to|calculated|shown)"
    r"\s+(?:\w+\s+)?(?:in|by|under|with|at)\b|\bsee\s+(?:section|schedule|clause)|\bno\s+stipulation\b|\bapplicable\s+fee|见附[件录表]|另行|由[^，。]{1,20}(?:规定|确定|制定)",
    re.I,
)  # fmt: skip

_MONEY_ZH = "押金|保证金|定金|租金|违约金|滞纳金|利息|工资|奖金|补偿金|赔偿金|服务费|手续费|管理费"
# A question that asks for the one is answered only by words that name it: (asked, must stand in the evidence).
_CONCEPTS: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked, re.I), re.compile(held, re.I))
    for asked, held in (
        (r"\b(?:what|which|how\s+(?:much|high|large)|how\s+many)\b[^?]{0,40}\b(?:fines?|penalt\w+)\b", r"\bfine[ds]?\b|\bpenal|\bforfeit|\bsanction"),
        (r"\b(?:what|which|how\s+(?:much|high))\s+(?:is\s+the\s+)?(?:\w+\s+){0,2}(?:deposit)\b", r"\bdeposit"),
        (r"\brate\s+of\s+interest\b|\binterest\s+rate\b|\b(?:what|which|how\s+much)\s+interest\b", r"\binterest\b"),
        (r"\bhow\s+(?:long|many\s+years)\b[^?]{0,40}\b(?:prison|imprison\w+|jail)\b", r"\bimprison|\bprison|\bjail|\bcustod"),
        (r"罚款|罚金|罚多少", r"罚"),
        (r"徒刑|判几年|坐牢|判多少年|判刑", r"徒刑|拘役|监禁"),
        (r"[扣记][几多]少?分", r"[扣记].{0,4}分"),
        *((rf"多少(?:的)?{word}|{word}(?:是|为|要|交)?多少", word) for word in _MONEY_ZH.split("|")),
    )
)  # fmt: skip

_AUX = r"(?:is|are|was|were|do|does|did|must|shall|may|can|will|should|has|have|would|needs?)"
_HEAD = re.compile(
    rf"\b(?:what|which|how\s+much|how\s+many)\s+(?P<np>(?!{_AUX}\b)[a-z'’-]+(?:\s+(?!{_AUX}\b)[a-z'’-]+){{0,4}}?)\s+{_AUX}\b",
    re.I,
)
# Nouns of asking, and nouns whose instances are named rather than they themselves: evidence need not repeat them.
_OPEN_NOUNS = (
    "period time timeline timeframe deadline limit rule requirement step procedure process information document documentation condition criterion"
    " criteria factor circumstance case kind type sort category section clause article part chapter action measure obligation duty party person"
    " people entity individual member matter detail consequence thing way manner extent form purpose reason basis role respect event situation"
    " instance example element aspect feature item point notice warning city country state currency colour color language day date month year"
    " week hour minute court agency authority body organisation organization company law jurisdiction place location building office"
    " address number name role standard control practice approach method principle responsibility provision safeguard consideration"
    " component evidence right power test option sum amount level degree percentage share proportion rate guidance expectation exception"
)
_OPEN = frozenset(stem for word in _OPEN_NOUNS.split() for stem in terms(word))


@dataclass(frozen=True, slots=True)
class Need:
    """What the evidence must hold: one of each set in ``kinds``, every one of ``concepts``, one of ``heads`` (stems)."""

    kinds: tuple[frozenset[str], ...] = ()
    concepts: tuple[re.Pattern[str], ...] = ()
    heads: frozenset[str] = frozenset()

    def missing(self, text: str) -> str | None:
        """What ``text`` lacks of it, in words for the record; None when nothing."""
        for kinds in self.kinds:
            if not holds_kind(text, kinds):
                return f"no {' or '.join(sorted(kinds))} is given"
        for concept in self.concepts:
            if not concept.search(text):
                return "what is asked for is not spoken of"
        if self.heads and not self.heads & terms(text):
            return f"no {' '.join(sorted(self.heads))} is spoken of"
        return None


def holds_kind(text: str, kinds: frozenset[str]) -> bool:
    """True when ``text`` gives a quantity of one of ``kinds``, in figures, in words, or by saying where it stands."""
    if any(value.kind in kinds for value in quantities(text)) or _DEFERS.search(text):
        return True
    return any(kind in kinds and pattern.search(text) for kind, pattern in _LOOSE.items())


@lru_cache(maxsize=4_096)
def need_of(question: str) -> Need:
    """Read a question for what it must be answered with; an empty need when it asks openly."""
    kinds = tuple(kinds for kinds, pattern in _STRICT if pattern.search(question))
    concepts = tuple(held for asked, held in _CONCEPTS if asked.search(question))
    return Need(kinds, concepts, _heads(question))


def _heads(question: str) -> frozenset[str]:
    match = _HEAD.search(question)
    if match is None:
        return frozenset()
    parts = match.group("np").split(" of ")
    head = parts[-1].split()[-1:]
    found = terms(" ".join(head))
    return frozenset() if not found or found & _OPEN else found


_LABEL_WORDS = "one|two|three|four|five|six|seven|eight|nine|ten|i|ii|iii|iv|v|vi"
_LABEL = re.compile(rf"\b(?P<noun>[a-z]{{4,}})\s+(?P<label>(?-i:[A-Z])\b(?!['’.])|\d{{1,2}}\b|(?:{_LABEL_WORDS})\b)", re.I)
# Words before a figure that it does not name: clauses, days, comparisons.
_NO_NOUNS = frozenset(
    "section sections clause clauses article articles part paragraph rule rules schedule annex appendix chapter version january february march april"
    " june july august september october november december than from until before after within least most over under about every"
    " each only that this with into does shall must will page item items step steps figure exceed exceeding between and".split()
)  # fmt: skip


@lru_cache(maxsize=16_384)
def labels(text: str) -> dict[str, frozenset[str]]:
    """Nouns that carry a letter or a number ("category B", "level three"), lower-case, with what they carry."""
    found: dict[str, set[str]] = {}
    for match in _LABEL.finditer(text):
        noun = match.group("noun").lower()
        if noun not in _NO_NOUNS:
            found.setdefault(noun, set()).add(match.group("label").lower())
    return {noun: frozenset(names) for noun, names in found.items()}


def of_another(question: str, text: str) -> bool:
    """True when the question names one of several things by its label and ``text`` speaks of another one only."""
    asked = labels(question)
    if not asked:
        return False
    held = labels(text)
    return any(noun in held and not names & held[noun] for noun, names in asked.items())
