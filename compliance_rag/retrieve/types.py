"""What is asked of the ranking and what it gives back."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal

from compliance_rag.store.rows import StoredClause
from schemas.objects import Role


@dataclass(frozen=True, slots=True)
class Query:
    """A question on the permitted in-force set of ``as_of`` as known at ``known_at``; empty tuples mean no filter.
    ``permitted``: the documents that the asker may know of, None for all."""

    text: str
    as_of: date
    known_at: datetime
    known_basis: Literal["recorded", "published"] = "recorded"
    docs: tuple[str, ...] = ()
    jurisdictions: tuple[str, ...] = ()
    language: str | None = None
    limit: int = 10
    permitted: frozenset[str] | None = None


@dataclass(frozen=True, slots=True)
class Candidate:
    """A ranked clause: fused ``score`` rounded to 1e-6; ranks from 1 in each source or None; raw source scores recorded."""

    clause: StoredClause
    score: float
    lexical: int | None = None
    dense: int | None = None
    number: int | None = None
    term: int | None = None
    lexical_score: float | None = None
    dense_score: float | None = None
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Candidates best first, with what silence detection needs: coverage of the question's rare terms, best raw scores.

    ``vector`` is the question's embedding (float32 little-endian bytes); ``embedder`` its model identity; ``dense_method``
    says whether the exact or an approximate search was used. ``usual``: mean and deviation of the question's cosine with texts
    in force (a sample of them where there are many). ``hints``: the documents' own words that were put beside the
    question's (the role of a party it names, the term for what it describes).
    """

    query: Query
    candidates: tuple[Candidate, ...]
    coverage: float
    vector: bytes
    embedder: dict[str, str]
    dense_method: str
    clauses_in_scope: int
    versions_in_scope: int
    documents_in_scope: int
    hints: tuple[str, ...] = ()
    usual: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True, slots=True)
class EvidenceItem:
    """A clause put before the answerer: why it is there, and from which candidate it was reached. ``part`` says how it
    belongs to that candidate where the role does not: ``exception``, ``rule`` (what the candidate is an exception to),
    ``delimits`` (says whom the exception ``about`` reaches), ``precedence``, ``definition`` (of the term ``about``),
    ``lead_in``, ``amendment``, ``child``, ``reference``, ``transitional``. ``reach``: how many rules an exception takes
    something from."""

    clause: StoredClause
    role: Role
    why: str
    score: float
    origin: str | None = None
    part: str = ""
    about: str = ""
    reach: int = 1


@dataclass(frozen=True, slots=True)
class Expansion:
    """The evidence, primaries first, then what each draws in; ``left_out`` is what the budget did not hold, named with why.
    ``ties`` are all ways in which the clauses kept belong to primaries, those between two primaries included: a clause stands
    in ``items`` once, and in ``ties`` once for each primary and part."""

    items: tuple[EvidenceItem, ...]
    left_out: tuple[EvidenceItem, ...]
    ties: tuple[EvidenceItem, ...] = ()
