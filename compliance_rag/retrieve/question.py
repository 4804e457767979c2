"""What a question looks for: its search terms, the numbers it names, whether it asks for a meaning."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from compliance_rag.retrieve.lay_words import in_other_words, search_terms
from compliance_rag.store.tokens import FUNCTION_WORDS, fold, is_phrase, terms
from compliance_rag.structure.chinese import read_chinese
from compliance_rag.structure.cites import Cite
from compliance_rag.structure.english import read_english
from schemas.clause import Span

# A phrase repeats words already counted. Recall@10 / MAP@10 on 1,200 ObliQA dev questions, mixed: 0.3 0.803/0.667,
# 0.5 0.806/0.673, 0.7 0.805/0.674, 1.0 0.797/0.675.
PHRASE_WEIGHT: Final = 0.6
# What people write around a question; none of it is searched. Two-fold on ObliQA dev each of these costs or gives nothing.
_ASKING_LINE: Final = (
    "please whether regarding concerning example explain describe clarify elaborate outline detail detailed context expect "
    "expectation according particularly provide specify specific say tell mean know"
)
_ASKING: Final = frozenset(term for word in _ASKING_LINE.split(" ") for term in terms(word))
_ASKING_ZH: Final = re.compile(
    r"请问|是否|什么|怎么样|怎么办|怎么|怎样|如何|哪些|哪个|哪种|多少|多久|为什么|为何|能不能|可不可以|可以吗|有没有|是不是|应该|我们|他们|她们|的话|[吗呢吧啊呀么我你他她它]"
)
_MEANING: Final = re.compile(
    r"^\W*what\s+(?:is|are)\s+(?:meant\b|an?\s+|(?!the\b))(?:(?!(?:for|of|in|on|by|to|under|with|required|the)\b)[\w'’“”\"-]+\s*){1,4}\W*$"
    r"|\bwhat\s+(?:is|are)\s+(?:meant\b|the\s+(?:meaning|definition)\b)|\bwhat\s+do(?:es)?\b.{1,60}\bmean\b"
    r"|^\W*what\s+(?:counts?|qualif(?:y|ies)|is\s+(?:considered|deemed|regarded|treated))\s+(?:as\s+|to\s+be\s+)?(?:(?!(?:for|of|in|on|by|to|under|with)\b)[\w'’“”\"-]+\s*){1,5}\W*$"
    r"|\bhow\s+(?:is|are)\b.{1,60}\bdefined\b|\bmeaning\s+of\b|\bdefinition\s+of\b"
    r"|什么是|是什么意思|的定义|的含义|指什么|^[^，。]{1,12}是什么[？?]?$",
    re.IGNORECASE,
)
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
# A question with at most this many words of substance besides the number asks for that clause; a longer one is about its
# subject and only mentions the clause: 72 of 400 ObliQA dev questions cite a rule, and the answer is seldom that rule.
BESIDES_LIMIT: Final = 3
_CONTAINERS: Final = frozenset({"part", "chapter", "schedule", "annex", "appendix", "title", "division", "book", "exhibit"})
_BARE: Final = re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){2,6}(?![\w%]|\.\d)")
# Sections that a letter numbers ("section Q", "Appendix A", "clause D.5"); "section a tenant" names none.
_LETTERED: Final = re.compile(
    r"\b(?P<unit>section|clause|article|part|chapter|schedule|annex|appendix|exhibit|rule|paragraph)\s+"
    r"(?P<number>[a-z](?:\.\d{1,3})*)(?=\W*$|\s+(?:say|says|state|states|provide|provides|mean|means|of\s+the|in\s+the)\b|[,;.?!]\s)"
)
# Numbers of things that are clauses of their own kind of document ("answer 4.4", "item 2.1").
_ITEM: Final = re.compile(
    r"\b(?:answer|question|item|point|entry|requirement|control)\s+(?P<number>\d{1,3}(?:\.\d{1,3})+)(?![\w%]|\.\d)"
)
# A question that is a number and little else ("7.2", "what does Q.3 say?").
_ALONE: Final = re.compile(
    r"^\W*(?:(?:what\s+does|what\s+is|what's\s+in|show(?:\s+me)?|read(?:\s+out)?|quote|give\s+me)\s+)?"
    r"(?P<number>\d{1,3}(?:\.\d{1,3})+|[a-z]\.\d{1,3}(?:\.\d{1,3})*)(?:\s+(?:say|provide|state|mean))?\W*$"
)


@dataclass(frozen=True, slots=True)
class Asked:
    """A question read for searching. ``terms`` with their ``weights`` go to the lexical score; ``words`` are the distinct terms
    without phrases, of which coverage is counted; ``numbers`` are clause paths as cited (``("4", "2", "1")``), ``looked_up``
    says that the question asks for those clauses themselves; ``besides`` are its terms of substance outside those numbers;
    ``meaning``: what a term means is asked; ``han``: it is asked in Chinese; ``alike``: terms of an expression of the question,
    each with what a text may hold in its stead, the terms of one word of a drafter's each."""

    terms: tuple[str, ...]
    weights: tuple[float, ...]
    words: tuple[str, ...]
    numbers: tuple[tuple[str, ...], ...]
    looked_up: bool
    besides: tuple[str, ...]
    meaning: bool
    han: bool = False
    alike: tuple[tuple[frozenset[str], tuple[tuple[str, ...], ...]], ...] = ()


def read_question(text: str) -> Asked:
    """Read a question. Where nothing but function words is asked, they are searched after all."""
    kept = _substance(text) or terms(text)
    weights = tuple(PHRASE_WEIGHT if is_phrase(term) else 1.0 for term in kept)
    words = tuple(dict.fromkeys(term for term in kept if not is_phrase(term)))
    cited = _cited(fold(text))
    numbers = tuple(dict.fromkeys(path for _, path in cited))
    besides = list(fold(text))
    for (start, end), _ in cited:
        besides[start:end] = " " * (end - start)
    beside = tuple(_substance("".join(besides)))
    looked_up = bool(numbers) and weight_of(beside) <= BESIDES_LIMIT
    meaning, han = _MEANING.search(text) is not None, _HAN.search(text) is not None
    alike = () if looked_up else _alike(text)
    return Asked(tuple(kept), weights, words, numbers, looked_up, beside, meaning, han, alike)


def _alike(text: str) -> tuple[tuple[frozenset[str], tuple[tuple[str, ...], ...]], ...]:
    found: list[tuple[frozenset[str], tuple[tuple[str, ...], ...]]] = []
    for one in in_other_words(text):
        own = frozenset(term for term in terms(one.said) if not is_phrase(term) and term not in FUNCTION_WORDS)
        found.append((own, tuple(search_terms(word) for word in one.words)))
    return tuple(found)


def in_stead(asked: Asked, word: str) -> tuple[tuple[str, ...], ...]:
    """What a text may hold in the stead of ``word``: any one of these, all its terms."""
    return tuple(words for own, others in asked.alike if word in own for words in others)


def with_terms(asked: Asked, names: Sequence[str], weight: float) -> Asked:
    """``asked`` with the words of ``names`` searched beside its own, each at ``weight`` of theirs; what counts as found
    stays."""
    more = [term for name in names for term in terms(name) if term not in asked.terms]
    weights = tuple(weight * (PHRASE_WEIGHT if is_phrase(term) else 1.0) for term in more)
    return replace(asked, terms=(*asked.terms, *more), weights=(*asked.weights, *weights)) if more else asked


def asked_numbers(text: str) -> tuple[tuple[str, ...], ...]:
    """Clause paths that the question cites: "Article 6", "section 4.2.1(a)", "clause 8.4", 第六条第二款, "Schedule 1", and bare
    numbers of three levels or more. Each once, in order."""
    return tuple(dict.fromkeys(path for _, path in _cited(fold(text))))


def _cited(folded: str) -> list[tuple[Span, tuple[str, ...]]]:
    cites = [cite for cite in (*read_english(folded), *read_chinese(folded)) if cite.tokens and not cite.weak]
    found = [(cite.span, _path(cite)) for cite in cites]
    bare = [(match.span(), tuple(match.group().split("."))) for match in _BARE.finditer(folded)]
    bare += [(match.span("number"), _lettered(match)) for match in _LETTERED.finditer(folded)]
    bare += [(match.span(), tuple(match.group("number").split("."))) for match in _ITEM.finditer(folded)]
    whole = _ALONE.match(folded)
    bare += [(whole.span("number"), tuple(whole.group("number").split(".")))] if whole is not None else []
    outside = [entry for entry in bare if not any(start <= entry[0][0] < end for (start, end), _ in found)]
    return found + outside


def _lettered(match: re.Match[str]) -> tuple[str, ...]:
    first, *rest = match.group("number").split(".")
    return (f"{match.group('unit')}-{first}" if match.group("unit") in _CONTAINERS else first, *rest)


def _substance(text: str) -> list[str]:
    """The terms of ``text`` without function words and words of asking."""
    return [term for term in terms(_ASKING_ZH.sub(" ", text)) if term not in FUNCTION_WORDS and term not in _ASKING]


def weight_of(kept: Sequence[str]) -> float:
    """Words in ``kept``; a Chinese character counts half a word, longer Chinese terms repeat their characters."""
    han = [term for term in kept if ord(term[0]) >= 0x2E80]
    return sum(1 for term in kept if term not in han and not is_phrase(term)) + sum(0.5 for term in han if len(term) == 1)


def _path(cite: Cite) -> tuple[str, ...]:
    own = cite.tokens
    if cite.unit in _CONTAINERS:
        own = (f"{cite.unit}-{own[0]}", *own[1:])
    return (*_path(cite.outer), *own) if cite.outer is not None and cite.outer.tokens else own
