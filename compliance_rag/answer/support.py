"""Is a statement supported by the words quoted for it: quantities, dates, amounts, negation, modal words, and its own terms."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from compliance_rag.answer.modality import Polarity, polarity
from compliance_rag.answer.pairing import mispaired, turned_round
from compliance_rag.answer.sentences import units
from compliance_rag.answer.terms import is_han, terms
from compliance_rag.structure.values import Value, read_number, values

# A statement shares at least this part of its terms with the clauses quoted, when both are in one language: with a third, every
# paraphrase tried on the sample corpus passes and a statement on another subject does not.
SHARED_TERMS = 0.34

# A part of a statement (between commas, brackets, "and", "that") says something of its own: one that shares no term with the
# quotes, or of three terms and more at most half, was hung on behind what is quoted ("…, a rule that has been repealed").
PART_TERMS = 0.5
PART_LEAST = 3
_PART = re.compile(r"[,;:()\[\]!–—，；：。（）]|\.\s|\b(?:and|but|which|that|so|because)\b")

SupportCode = Literal["value", "bound", "negation", "modality", "terms", "foreign", "opposite", "pairing", "empty"]


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a statement is not supported; ``code`` is stable, ``text`` names the words."""

    code: SupportCode
    text: str


_NUMBER_LABEL = (
    r"[A-Za-z]?\d+(?:[.\-/]\d+)*[A-Za-z]{0,2}(?:\s*[(（][0-9A-Za-z一二三四五六七八九十]{1,5}[)）])*"
    r"|(?-i:[A-Z](?:\.\d+)+|[IVXLC]+\b|[A-Z]\b)"
)
_REFERENCE = re.compile(
    rf"(?:\b(?:sections?|articles?|clauses?|paragraphs?|rules?|parts?|chapters?|schedules?|annex(?:es)?|appendix|regulations?|items?)\s+|§+\s*)"
    rf"(?P<en>(?:{_NUMBER_LABEL})(?:(?:\s*,\s*|\s+(?:and|or|to)\s+)(?:{_NUMBER_LABEL}))*)"
    r"|(?P<zh>第[零〇一二两三四五六七八九十百千0-9]+(?:条之[一二三四五六七八九十]+|条|款|项|章|节|编))"
    r"|附[录件表]\s*(?P<annex>[A-Za-z0-9一二三四五六七八九十]+)"
    r"|\[\d+\]",
    re.I,
)


def _without_references(text: str) -> tuple[str, set[str]]:
    labels: set[str] = set()
    for match in _REFERENCE.finditer(text):
        for label in re.split(
            r"\s*,\s*|\s+(?:and|or|to)\s+", match.group("en") or match.group("zh") or match.group("annex") or ""
        ):
            labels.add(_label(label))
    return _REFERENCE.sub(" ", text), labels - {""}


def _label(text: str) -> str:
    """第三十四条 and 34 are one label, as are 6 (1) and 6(1)."""
    text = re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).lower()
    chinese = re.match(r"第(.+?)[条款项章节编](.*)", text)
    number = read_number(chinese.group(1)) if chinese else None
    return text if chinese is None or number is None else f"{int(number)}{chinese.group(2)}"


def _values(statement: str, quotes: Sequence[str], names: Sequence[str]) -> list[Problem]:
    bare, references = _without_references(statement)
    held = [value for quote in quotes for value in values(quote)]
    problems = [
        Problem("value", f"{_shown(value)} is not in the quoted words")
        for value in values(bare)
        if not any(value.same(v) for v in held)
    ]
    known = {_label(name) for name in names}.union(*(_without_references(text)[1] for text in [*quotes, *names]))
    problems += [
        Problem("value", f"clause {label} is named neither by the quoted words nor by the cited clause")
        for label in sorted(references - known)
    ]
    for value in values(bare):
        bounds = {v.bound for v in held if value.same(v) and v.bound}
        if value.bound and bounds and not any(_agree(value.bound, bound) for bound in bounds):
            problems.append(Problem("bound", f"{_shown(value)}: the quoted words set the other limit"))
    return problems


def _agree(left: str, right: str) -> bool:
    lower, upper = {"min", "over"}, {"max", "under"}
    return (left in lower and right in lower) or (left in upper and right in upper)


def _shown(value: Value) -> str:
    if value.kind == "date":
        return value.unit
    bound = f"{value.bound} " if value.bound else ""
    return f"{bound}{float(value.amount):g} {value.unit}".strip()


def _negation(said: Polarity, quoted: list[Polarity]) -> list[Problem]:
    denials = sum(p.negations for p in quoted)
    if said.negations and not denials:
        return [Problem("negation", "the statement denies and the quoted words do not")]
    same = [p for p in quoted if p.han == said.han]
    if not same:
        forbids = "prohibition" in frozenset().union(*(p.modals for p in quoted))
        if forbids and denials and not said.negations and "prohibition" not in said.modals:
            return [Problem("negation", "the quoted words deny and the statement does not")]
        return []
    denied = frozenset().union(*(p.denied for p in same))
    affirmed = frozenset().union(*(p.said for p in same))
    turned = sorted((said.said - said.denied) & denied - affirmed)
    if turned:
        return [Problem("negation", f"the quoted words deny {', '.join(turned[:3])}; the statement does not")]
    turned = sorted((said.denied - said.said) & affirmed - denied)
    if turned:
        return [Problem("negation", f"the statement denies {', '.join(turned[:3])}; the quoted words do not")]
    return []


def _modality(said: Polarity, quoted: list[Polarity]) -> list[Problem]:
    held = frozenset().union(*(p.modals for p in quoted)) if quoted else frozenset()
    missing = sorted(said.modals - held)
    return [Problem("modality", f"{name.replace('_', ' ')} is stated and not quoted") for name in missing]


def _shared(statement: str, quotes: Sequence[str], context: Sequence[str]) -> list[Problem]:
    mine = terms(_without_references(statement)[0])
    if not mine:
        return [Problem("empty", "the statement says nothing a clause could support")]
    whole = " ".join([*quotes, *context])
    if is_han(statement) != is_han(whole):
        return []
    share = len(mine & terms(whole)) / len(mine)
    if share < SHARED_TERMS:
        return [Problem("terms", f"only {share:.0%} of the statement's words are in the clauses quoted")]
    return []


def _foreign(statement: str, quotes: Sequence[str], names: Sequence[str]) -> list[Problem]:
    """Parts of the statement that speak of something the quoted words do not, the numbers of the clauses cited apart: a heading
    is no evidence."""
    whole = " ".join([*quotes, *(name for name in names if any(char.isdigit() for char in name))])
    if is_han(statement) != is_han(whole):
        return []
    held = terms(whole)
    for part in _PART.split(_without_references(statement)[0]):
        mine = terms(part)
        share = len(mine & held) / len(mine) if mine else 1.0
        if share == 0 or (len(mine) >= PART_LEAST and share <= PART_TERMS):
            return [Problem("foreign", f"{part.strip()!r} is not in the words quoted")]
    return []


def _whole_sentences(statement: str, quotes: Sequence[str]) -> bool:
    """True when the statement is a run of whole sentences, items or rows of a quote; a part of one may have lost its "not"."""
    folded = " ".join(statement.split())
    return bool(terms(folded)) and any(_is_run(folded, quote) for quote in quotes)


def _is_run(folded: str, quote: str) -> bool:
    every = units(quote)
    starts = {unit.start for unit in every} | {unit.header[0] for unit in every if unit.header is not None}
    return any(
        folded == " ".join(quote[start : last.end].split())
        for start in starts
        if folded.startswith(quote[start : start + 1])
        for last in every
        if last.end > start
    )


def _turned(statement: str, quotes: Sequence[str]) -> list[Problem]:
    word, wrong = turned_round(statement, quotes), mispaired(statement, quotes)
    problems = [] if word is None else [Problem("opposite", f"{word!r} is stated where the quoted words say the opposite")]
    return problems if wrong is None else [*problems, Problem("pairing", f"{wrong}: the quoted words say it of something else")]


def supported(statement: str, quotes: Sequence[str], names: Sequence[str] = (), context: Sequence[str] = ()) -> list[Problem]:
    """What in ``statement`` the quoted words do not carry; empty when nothing is missing.

    ``quotes`` are the words cited for it, ``names`` the numbers and headings of the cited clauses (a statement may name the
    clause it cites), ``context`` the cited clauses' whole texts, used for shared words only. Proves that quantities, dates,
    amounts, references, negation and modal force are in the quotes; does not prove that the statement follows from them.
    """
    if not quotes:
        return [Problem("empty", "nothing is quoted")]
    if _whole_sentences(statement, quotes):
        return []
    said, quoted = polarity(_without_references(statement)[0]), [polarity(quote) for quote in quotes]
    return [
        *_values(statement, quotes, names),
        *_negation(said, quoted),
        *_modality(said, quoted),
        *_shared(statement, quotes, [*names, *context]),
        *_foreign(statement, quotes, names),
        *_turned(_without_references(statement)[0], quotes),
    ]
