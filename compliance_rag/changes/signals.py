"""What a change turns on: quantities, dates, amounts, modal words and parties that stand differently before and after."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import zip_longest

from compliance_rag.changes.tokens import Difference, Token
from compliance_rag.structure.values import Value, read_values

NONE = "none"
# Words read either side of a mark: a quantity with its unit and bound, a modal word with its negation end within these.
AROUND = 8
_MODAL = re.compile(
    r"\b(?:(?:shall|must|may|will|should|can|need)\s+not|cannot|(?:is|are|be)\s+(?:not\s+)?(?:required|obliged|entitled|permitted|allowed|prohibited)"
    r"|shall|must|should|will|can|(?-i:may|MAY))\b|不得|不应当|不应该|不应|不可以|不必|无须|无需|毋须|应当|必须|可以|禁止|严禁|有权|无权|须",
    re.I,
)
_PARTY = re.compile(
    r"\b(?:customer|client|provider|supplier|vendor|contractor|subcontractor|licensor|licensee|lessor|lessee|landlord|tenant|buyer|seller"
    r"|purchaser|employer|employee|borrower|lender|guarantor|insurer|insured|controller|processor|owner|operator|principal|agent"
    r"|franchisor|franchisee|assignor|assignee|discloser|recipient|subscriber|applicant|trustee|beneficiary)s?\b"
    r"|[甲乙丙丁]方|买方|卖方|出卖人|买受人|出租人|承租人|发包人|承包人|委托人|受托人|用人单位|劳动者|借款人|贷款人|保证人|投保人|保险人|被保险人"
    r"|许可方|被许可方|转让方|受让方|供应商|服务商|供方|需方|经营者|消费者",
    re.I,
)
_BOUNDS = {"min": "at least", "max": "at most", "over": "more than", "under": "less than"}
# The number of a section or of an edition (3.2.2.4, 1.6.5): one thing, and no quantity.
_DOTTED = re.compile(r"(?<![\w.])\d{1,4}(?:\.\d{1,4}){2,8}(?![\w])")
_PLAIN = re.compile(r"\d[\d,.]*\Z")


@dataclass(frozen=True, slots=True)
class Item:
    """Something read at ``[start, end)`` of a text. ``same``: its comparison key; ``value`` for quantities."""

    label: str
    same: object
    printed: str
    start: int
    value: Value | None = None


def text_signals(difference: Difference) -> list[str]:
    """``"number: 72 → 24"``, ``"modality: shall → may"``, ``date``, ``amount``, ``party``: what stands differently, each thing
    paired within its own mark of the redline; ``none`` where there is no counterpart. References are left out."""
    marks = difference.marks
    olds = _windows(difference.before, [(mark.b0, mark.b1) for mark in marks])
    news = _windows(difference.after, [(mark.a0, mark.a1) for mark in marks])
    left = [item for run in olds for item in _items(difference.before_text, run)]
    right = [item for run in news for item in _items(difference.after_text, run)]
    left, right = _unmatched(difference, left, right)
    groups: dict[tuple[int, str], tuple[list[Item], list[Item]]] = defaultdict(lambda: ([], []))
    for item in left:
        groups[difference.mark_before(item.start), item.label][0].append(item)
    for item in right:
        groups[difference.mark_after(item.start), item.label][1].append(item)
    found: dict[str, None] = {}
    for (_, label), sides in sorted(groups.items(), key=lambda group: group[0]):
        for old, new in zip_longest(*_cancelled(*sides)):
            found[f"{label}: {_printed(old, new)} → {_printed(new, old)}"] = None
    for signal in [name for name in found if name.endswith(f" → {NONE}")]:
        label, _, gone = signal.removesuffix(f" → {NONE}").partition(": ")
        came = f"{label}: {NONE} → {gone}"
        if came in found:  # it went from one place of the clause and came in another
            del found[signal], found[came]
    order = ("modality", "number", "date", "amount", "party")
    return sorted(found, key=lambda signal: order.index(signal.partition(":")[0]))


def _windows(tokens: Sequence[Token], marks: Sequence[tuple[int, int]]) -> Iterator[Sequence[Token]]:
    """The tokens around each mark; windows that meet become one. What stands in both texts around a mark is the same, so both
    windows open and close at the same words."""
    open_at = close_at = -1
    for start, end in marks:
        first, last = max(0, start - AROUND), min(len(tokens), end + AROUND)
        if close_at >= first:
            close_at = last
            continue
        if close_at > open_at:
            yield tokens[open_at:close_at]
        open_at, close_at = first, last
    if close_at > open_at:
        yield tokens[open_at:close_at]


def _items(text: str, tokens: Sequence[Token]) -> Iterator[Item]:
    """What stands in a run of tokens, positions counted in ``text``."""
    first, last = tokens[0].start, tokens[-1].end
    masked = list(text[first:last])
    for token in tokens:
        if token.cited is not None:
            masked[token.start - first : token.end - first] = "§" * (token.end - token.start)
    for item in _read("".join(masked)):
        yield replace(item, start=item.start + first)


def _read(plain: str) -> Iterator[Item]:
    folded, offsets = _folded(plain)
    for match in _DOTTED.finditer(folded):
        yield Item("number", match.group(), match.group(), offsets[match.start()])
    folded = _DOTTED.sub(lambda match: "§" * len(match.group()), folded)
    for value, start, end in read_values(folded):
        label = value.kind if value.kind in ("date", "amount") else "number"
        surface = folded[start:end].strip()
        yield Item(label, (value.kind, value.amount, value.unit, value.bound), surface, offsets[start], value)
    for match in _MODAL.finditer(plain):
        word = re.sub(r"\s+", " ", match.group().lower())
        yield Item("modality", word, word, match.start())
    for match in _PARTY.finditer(plain):
        yield Item("party", match.group().lower(), match.group(), match.start())


def _folded(text: str) -> tuple[str, Sequence[int]]:
    """NFKC character by character, with the offset in ``text`` of each character of the result."""
    if text.isascii():
        return text, range(len(text))
    pieces: list[str] = []
    offsets: list[int] = []
    for at, char in enumerate(text):
        piece = unicodedata.normalize("NFKC", char)
        pieces.append(piece)
        offsets.extend([at] * len(piece))
    return "".join(pieces), offsets


def _unmatched(difference: Difference, left: list[Item], right: list[Item]) -> tuple[list[Item], list[Item]]:
    """Items without a twin at the corresponding place."""
    places = {(item.label, item.same, difference.token_after(item.start)): at for at, item in enumerate(right)}
    kept: list[Item] = []
    gone: set[int] = set()
    for item in left:
        mate = difference.follow(item.start)
        twin = None if mate is None else places.get((item.label, item.same, mate))
        if twin is None:
            kept.append(item)
        else:
            gone.add(twin)
    return kept, [item for at, item in enumerate(right) if at not in gone]


def _cancelled(olds: list[Item], news: list[Item]) -> tuple[list[Item], list[Item]]:
    """What is left when equal things inside one mark are set aside."""
    rest = list(news)
    kept: list[Item] = []
    for item in olds:
        twin = next((new for new in rest if new.same == item.same), None)
        if twin is None:
            kept.append(item)
        else:
            rest.remove(twin)
    return kept, rest


def _printed(item: Item | None, other: Item | None) -> str:
    if item is None:
        return NONE
    if item.value is None:
        return item.printed
    value, beside = item.value, None if other is None else other.value
    bound = ""
    if beside is not None and value.bound is not None and value.bound != beside.bound and value.same(beside):
        bound = _BOUNDS[value.bound] + " "
    if value.kind == "date":
        return bound + value.unit
    if value.kind == "number" and _PLAIN.match(item.printed):
        return bound + item.printed.rstrip(".,")
    amount = _amount(value.amount)
    if value.kind == "amount":
        return f"{bound}{value.unit} {amount}"
    if value.kind == "percent":
        return f"{bound}{amount}%"
    if not value.unit or (beside is not None and (beside.kind, beside.unit) == (value.kind, value.unit)):
        return bound + amount
    return f"{bound}{amount} {value.unit}"


def _amount(amount: Fraction) -> str:
    if amount.denominator == 1:
        return str(amount.numerator)
    scaled = amount * 10**6
    return f"{float(amount):.6f}".rstrip("0") if scaled.denominator == 1 else str(amount)
