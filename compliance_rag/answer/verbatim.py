"""The answer without a model: the words of the chosen clauses, first the rule, then exceptions and definitions, each cited."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from compliance_rag.answer.locator import best_headings, heading_fit, topic_of
from compliance_rag.answer.numbered import NamedClauses
from compliance_rag.answer.pieces import said
from compliance_rag.answer.select import Choice, Piece, choose, choose_named
from compliance_rag.answer.terms import terms
from compliance_rag.answer.validate import Proposal, ProposedCitation, ProposedStatement, label_evidence
from compliance_rag.retrieve.types import EvidenceItem, Ranking
from compliance_rag.store.rows import StoredClause

# Sections named for one locator question; more headings of one name are a table of contents, not an answer.
LOCATOR_LIMIT = 3


@dataclass(frozen=True, slots=True)
class Draft:
    """A proposal with the evidence under its labels. ``choice`` tells why the other candidates were left; ``locator`` is the
    topic when the question asks for a place; ``named`` are exceptions in evidence that are named and not quoted."""

    proposal: Proposal
    labels: Mapping[str, EvidenceItem]
    choice: Choice
    locator: str | None = None
    named: tuple[StoredClause, ...] = ()


def _sentence(piece: Piece) -> str:
    start, end = said(piece)
    return " ".join(piece.clause.clause.text[start:end].split())


def _apart(pieces: Sequence[Piece]) -> list[Piece]:
    """``pieces`` without a second passage of a clause that the first one says already."""
    found: list[Piece] = []
    for piece in pieces:
        start, end = said(piece)
        same = [said(one) for one in found if one.clause.clause_id == piece.clause.clause_id]
        if not any(left <= start and end <= right for left, right in same):
            found.append(piece)
    return found


def _item(piece: Piece) -> EvidenceItem:
    return EvidenceItem(piece.clause, piece.role, piece.why, piece.score, piece.origin, piece.part)


def _statements(pieces: Sequence[Piece], label_of: Mapping[tuple[str, str], str]) -> list[ProposedStatement]:
    found: list[ProposedStatement] = []
    for piece in pieces:
        text = piece.clause.clause.text
        label = label_of[piece.clause.clause_id, piece.role]
        cited = ProposedCitation(label, text[piece.span[0] : piece.span[1]])
        found.append(ProposedStatement(_sentence(piece), (cited,)))
    return found


def _draft(choice: Choice) -> Draft:
    pieces = _apart([piece for piece in choice.pieces if terms(_sentence(piece))])
    items: dict[tuple[str, str], EvidenceItem] = {}
    for piece in pieces:
        items.setdefault((piece.clause.clause_id, piece.role), _item(piece))
    for clause in choice.named:
        items[clause.clause_id, "exception"] = EvidenceItem(clause, "exception", "an exception not quoted here", 0.0)
    labels = label_evidence(list(items.values()))
    label_of = dict(zip(items, labels, strict=True))
    named = tuple(label_of[clause.clause_id, "exception"] for clause in choice.named)
    return Draft(Proposal(tuple(_statements(pieces, label_of)), named), labels, choice, named=choice.named)


def _by_heading(topic: str, headings: Sequence[StoredClause]) -> Draft | None:
    found = best_headings(topic, headings)[:LOCATOR_LIMIT]
    if not found:
        return None
    labels = label_evidence(
        [EvidenceItem(f.clause, "locator", "its heading names the subject asked for", f.fit) for f in found]
    )
    statements = tuple(
        ProposedStatement(item.clause.clause.heading, (ProposedCitation(label, item.clause.clause.heading, heading=True),))
        for label, item in labels.items()
    )
    return Draft(Proposal(statements), labels, Choice((), (), {}), topic)


def compose(
    question: str,
    ranking: Ranking,
    evidence: Sequence[EvidenceItem],
    headings: Sequence[StoredClause] = (),
    *,
    named: NamedClauses | None = None,
    limit: int | None = None,
) -> Draft:
    """The deterministic answer to ``question`` as a proposal, to be validated like any other.

    ``named``: the clauses asked for by number; they are the answer. A locator question is answered by a heading among
    ``headings`` (clauses in scope with one) when one fits; else, and for every other question, by the words of the clauses
    :func:`choose` takes. An empty proposal: nothing to say.
    """
    if named is not None:
        return _draft(choose_named(question, ranking, evidence, named))
    topic = topic_of(question)
    if topic is not None:
        known = {clause.clause_id: clause for clause in headings}
        known.update({c.clause.clause_id: c.clause for c in ranking.candidates})
        draft = _by_heading(topic, list(known.values()))
        if draft is not None:
            return draft
    return replace(_draft(choose(question, ranking, evidence, limit=limit)), locator=topic)


def names_subject(topic: str, clause: StoredClause) -> bool:
    """True when the clause's heading shares a term with the topic: it may be named as the place even if the text answers."""
    return heading_fit(topic, clause.clause.heading) > 0
