"""What a statement turns round although it holds the words and figures quoted: the opposite of a quoted word, one party for the
other, the figure of one case for another.

Method: a closed list of opposites, and a comparison of places. A figure (or a party) stands in some parts of the quote; when
another part of it, with another figure of that kind (or the other party), holds all that the statement shares with the first
and more, the statement took the wrong one. A heuristic over words: it proves no statement right.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from compliance_rag.answer.sentences import unit_texts
from compliance_rag.answer.terms import is_han, terms
from compliance_rag.structure.values import Value, read_values, values

# Parties to one relation: what binds the one is no duty of the other.
_PARTIES_EN = (
    "landlord tenant|lessor lessee|seller buyer|vendor purchaser|employer employee|controller processor|licensor licensee"
    "|provider customer|supplier customer|lender borrower|insurer insured|claimant respondent|plaintiff defendant"
    "|mortgagor mortgagee|discloser recipient|principal agent|creditor debtor|franchisor franchisee|carrier shipper"
)
_PARTIES_ZH = (
    "甲方 乙方|出租人 承租人|出卖人 买受人|卖方 买方|用人单位 劳动者|贷款人 借款人|委托人 受托人|发包人 承包人"
    "|原告 被告|债权人 债务人|保险人 投保人|经营者 消费者|许可方 被许可方|披露方 接收方"
)
_OPPOSITES_EN = (
    "before after|written oral|written verbal|including excluding|including addition|increase decrease"
    "|increase reduce|inside outside|paid unpaid|import export|accept reject|approve refuse|permanent temporary"
    "|public confidential|earlier later|former latter"
)
_OPPOSITES_ZH = (
    "之前 之后|以前 以后|书面 口头|境内 境外|增加 减少|事前 事后|事先 事后|有偿 无偿|公开 保密"
    "|同意 拒绝|提前 延后|永久 临时|已经 尚未"
)
# A statement that shares nothing with the part its figure stands in must share so many terms with another to be a wrong pair.
LEAST_ELSEWHERE = 2
_UN = re.compile(r"\b(?:un|non-?)([a-z]{4,})\b", re.I)
# 已加密 and 未加密: done and not done.
_DONE = re.compile(r"([已未])(?:经)?([\u4e00-\u9fff]{2})")
_PARTS_HAN = re.compile(r"[，。；！？\n]+")
_PARTS_EN = re.compile(r"[;\n]+")
_DOES = re.compile(
    r"[^,.;:，。；：]{0,12}?(?:\b(?:shall|must|may|will|can|should|(?:is|are)\s+(?:entitled|obliged|required))\b|应|须|不得|可以|有权|负责)",
    re.I,
)
_SAYS = re.compile(r"[,;，；。]|\b(?:and|but|while|whereas)\b", re.I)


@lru_cache(maxsize=1)
def _pairs() -> tuple[tuple[re.Pattern[str], re.Pattern[str], bool], ...]:
    """(one, other, parties?), each pair once each way."""
    found: list[tuple[re.Pattern[str], re.Pattern[str], bool]] = []
    for lines, parties in ((_PARTIES_EN, True), (_PARTIES_ZH, True), (_OPPOSITES_EN, False), (_OPPOSITES_ZH, False)):
        for line in lines.split("|"):
            one, other = (_word(word) for word in line.split())
            found += [(one, other, parties), (other, one, parties)]
    return tuple(found)


def _word(word: str) -> re.Pattern[str]:
    return re.compile(rf"\b{word}(?:s|d|ed|['’]s)?\b" if word.isascii() else rf"(?<![不非被]){word}", re.I)


def turned_round(statement: str, quotes: Sequence[str]) -> str | None:
    """The word of ``statement`` whose opposite the quotes hold, and not it itself; None when there is none."""
    quoted = "\n".join(quotes)
    for one, other, parties in _pairs():
        said = one.search(statement)
        if said is None or other.search(statement) or not other.search(quoted) or one.search(quoted):
            continue
        if not parties or (_acts(one, statement) and _acts(other, quoted)):
            return said[0]
    for match in _UN.finditer(statement):
        if re.search(rf"\b{re.escape(match[1])}\b", quoted, re.I) and not re.search(
            rf"\b{re.escape(match[0])}\b", quoted, re.I
        ):
            return match[0]
    for match in _DONE.finditer(statement):
        done, undone = f"已{match[2]}", f"未{match[2]}"
        stated, contrary = (done, undone) if match[1] == "已" else (undone, done)
        if contrary in quoted and stated not in quoted:
            return match[0]
    return None


def _acts(party: re.Pattern[str], text: str) -> bool:
    """True when the party is the one who shall, may or must not."""
    return any(_DOES.match(text, found.end()) for found in party.finditer(text))


def mispaired(statement: str, quotes: Sequence[str]) -> str | None:
    """The figure or the party of ``statement`` that the quotes join to other words than it does; None when there is none, and
    always for a statement in another script than the quotes."""
    if is_han(statement) != is_han(" ".join(quotes)):
        return None
    parts = [part for quote in quotes for part in _parts(quote)]
    return next((wrong for said in _SAYS.split(statement) for wrong in _wrong(said, parts)), None)


def _parts(quote: str) -> list[str]:
    cut = _PARTS_HAN if is_han(quote) else _PARTS_EN
    return [part for words in unit_texts(quote) for part in cut.split(words) if part.strip()]


def _wrong(said: str, parts: Sequence[str]) -> Iterator[str]:
    own = terms(said)
    for value, start, end in read_values(said):
        holding = [part for part in parts if any(value.same(held) for held in values(part))]
        others = [part for part in parts if part not in holding and any(_alike(value, held) for held in values(part))]
        if _elsewhere(terms(f"{said[:start]} {said[end:]}"), holding, others):
            yield f"{float(value.amount):g} {value.unit}".strip()
    for one, other, parties in _pairs():
        found = one.search(said) if parties else None
        if found is None or other.search(said):
            continue
        holding = [part for part in parts if one.search(part)]
        others = [part for part in parts if other.search(part) and not one.search(part)]
        if _elsewhere(own - terms(found[0]), holding, others):
            yield found[0]


def _alike(left: Value, right: Value) -> bool:
    return left.kind == right.kind and left.kind != "date"


def _elsewhere(own: frozenset[str], holding: Sequence[str], others: Sequence[str]) -> bool:
    """True when for every part that holds the figure some other part shares all of ``own`` that it does, and more."""
    if not holding or not others:
        return False
    shared = [own & terms(part) for part in others]
    return all(
        any(mine < other and len(other) >= (1 if mine else LEAST_ELSEWHERE) for other in shared)
        for mine in (own & terms(part) for part in holding)
    )
