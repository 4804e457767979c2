"""What a question calls by another name than the documents do: a party by its own name for its role, a thing described for the
defined term. The documents' word is put beside the question's before anything is searched.

Method: query expansion from the documents' own definitions (Salton's thesaurus classes, here declared by the drafters), never
from statistics: a term is added only where a definition says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np

from compliance_rag.retrieve.question import Asked
from compliance_rag.retrieve.shelf import Shelf
from compliance_rag.store.inforce import InForceSet
from compliance_rag.store.postings import Rows

# Parties are named on the first page.
FRONT_ROWS: Final = 6
# A page of definitions says nothing of which one is meant.
DEFINES_AT_MOST: Final = 2
# Best texts by words that are looked at: a definition further down is not what the question describes.
DESCRIBED_BY: Final = 2
# A described term is a guess: at full weight, and in the question's vector, it cost 0.007 MAP@10 on 2,788 ObliQA dev questions.
DESCRIBED_WEIGHT: Final = 0.3
_NAMED: Final = re.compile(
    r"(?P<name>[A-Z][\w&’'-]+(?:[ ,]+(?:[A-Z(&][\w&.’')-]*|and|of|the)){0,8})(?:,[^()\"“”]{0,160})?\s*"
    r"\((?:hereinafter\s+(?:referred\s+to\s+as\s+)?)?(?:the\s+|an?\s+)?[\"“](?P<term>[^\"“”]{2,30})[\"”]\)"
)
_ROLE_ZH: Final = re.compile(
    r"(?P<term>甲方|乙方|丙方|丁方|出租人|承租人|委托人|受托人|买受人|出卖人|买方|卖方|贷款人|借款人|发包人|承包人)(?:（[^）]{1,12}）)?\s*[：:]\s*"
    r"(?P<name>[^\s，。；（(]{4,40})"
)
_NAMED_ZH: Final = re.compile(
    r"(?P<name>[^\s，。；：（(]{4,40})（以下(?:简称|称)(?:为)?[“”\"「]?(?P<term>[^“”\"」）]{1,12})[“”\"」]?）"
)
# First words that many names begin with: they name nobody.
_COMMON_LINE: Final = (
    "the first second national united general international american british royal new central federal state bank data global "
    "master this dated between and whereas such any each our"
)
_COMMON: Final = frozenset(_COMMON_LINE.split(" "))
_LEGAL_ZH: Final = re.compile(r"(?:股份)?有限(?:责任)?公司|集团|总公司|分公司|公司$")
# So many characters of a Chinese name tell it from others.
SHORT_NAME: Final = 2


@dataclass(frozen=True, slots=True)
class Hints:
    """``text`` is the question with the roles of the parties it names beside it, for searching; ``covered`` the question with
    party names put as roles, for counting which of its words are found; ``described`` are the terms for what it describes,
    searched at :data:`DESCRIBED_WEIGHT`."""

    text: str
    covered: str
    roles: tuple[str, ...] = ()
    described: tuple[str, ...] = ()

    @property
    def terms(self) -> tuple[str, ...]:
        """All that was added."""
        return (*self.roles, *self.described)


def hints(shelf: Shelf, in_force: InForceSet, best: Rows, question: str, asked: Asked) -> Hints:
    """Read ``question`` in the words of the documents in scope; ``best`` are the texts that its words find first, of which
    :data:`DESCRIBED_BY` are looked at. A question for a number or a meaning is left as it is."""
    if asked.looked_up or asked.meaning:
        return Hints(question, question)
    added: list[str] = []
    covered = question
    for name, term in _parties(shelf, in_force):
        called = called_by(name, question)
        if called is not None and not _says(question, term):
            added.append(term)
            covered = covered.replace(called, term)
    described = [term for term in _described(shelf, in_force, best) if not _says(question, term)]
    roles = tuple(dict.fromkeys(added))
    text = f"{question} ({'; '.join(roles)})" if roles else question
    return Hints(text, covered, roles, tuple(term for term in dict.fromkeys(described) if term not in roles))


def _says(question: str, term: str) -> bool:
    return term.lower() in question.lower()


def parties_in(texts: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """(name, role) of the parties that first pages name: 'Calder Limited (the "Client")', 甲方：云和公司."""
    found: dict[tuple[str, str], None] = {}
    for text in texts:
        for pattern in (_NAMED, _ROLE_ZH, _NAMED_ZH):
            for match in pattern.finditer(text):
                found.setdefault((match.group("name").strip(), match.group("term").strip()))
    return tuple(found)


def _parties(shelf: Shelf, in_force: InForceSet) -> tuple[tuple[str, str], ...]:
    def read() -> tuple[tuple[str, str], ...]:
        rows: list[int] = []
        for version in in_force.versions:
            first = shelf.corpus.first_row(version)
            rows += range(first, first + min(FRONT_ROWS, version.clause_count))
        clauses = shelf.corpus.by_rows(rows, in_force.knowledge)
        return parties_in(clause.clause.text for clause in clauses if clause.clause.number is None)

    return shelf.parties(in_force, read)


def called_by(name: str, question: str) -> str | None:
    """The words by which ``question`` names the party ``name``: its whole name, or the first word of it that is not common to
    many, or its first characters."""
    if name in question:
        return name
    if ord(name[0]) < 0x2E80:
        words = [word.strip(",") for word in name.split()]
        first = next((word for word in words if len(word) > 2 and word.lower() not in _COMMON), None)
        return first if first is not None and re.search(rf"\b{re.escape(first)}\b", question) else None
    short = _LEGAL_ZH.sub("", name)
    return next((short[:end] for end in range(len(short), SHORT_NAME - 1, -1) if short[:end] in question), None)


def _described(shelf: Shelf, in_force: InForceSet, best: Rows) -> list[str]:
    """The terms that the best texts by words define, each text one or two: the question describes them."""
    found: list[str] = []
    for text in best.tolist():
        rows = np.flatnonzero(in_force.mask & (shelf.text_of == text)).tolist()
        defined = shelf.defined(in_force).by_row
        terms = sorted({term for row in rows for term in defined.get(row, ())})
        found += terms if len(terms) <= DEFINES_AT_MOST else []
    return found
