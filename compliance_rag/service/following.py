"""A follow-up question: what it takes over from the answer before, and how it is therefore read. No model; the same follow-up
to the same answer is always read the same.

What is settled (day, knowledge, filters) is taken over where the follow-up says nothing else. A question that leans on what was
said ("and if it is late?", "那逾期呢？") is asked of the documents cited there; one that names a day and nothing else ("and on
1 May?", "2025年1月1日呢？") is answered by the clauses cited there, as they stand on that day; another without words of its own
("为什么？") has the subject of the cited clauses beside it. These are words that stand in the clauses, so that erasing the
earlier question leaves nothing of it here; a question with words of its own stands on them alone, so that it is refused where
the documents do not answer it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Final

from compliance_rag.answer.numbered import NamedClauses
from compliance_rag.answer.terms import is_han, terms
from compliance_rag.service.asking import AskRequest, Situation, check_question
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.record import asked_of, find_answer, stored_answer
from compliance_rag.store.corpus import Corpus
from compliance_rag.store.links import history
from compliance_rag.store.rows import StoredClause
from compliance_rag.store.timeline import Knowledge
from compliance_rag.structure.question import question_day
from compliance_rag.structure.question_forms import dates_of_question, without
from schemas.dates import parse_day, parse_instant
from schemas.objects import Answer, Follows

# A question of fewer content terms says too little by itself.
TERMS_LEAST: Final = 2
# Words of a subject, beyond which headings alone say what it is.
SUBJECT_WORDS: Final = 8
_OPENS: Final = re.compile(
    r"\s*(?:and|but|or|so|also|then|what about|how about|what if|what else|why|same)\b"
    r"|\s*(?:那|如果|若|还有|另外|为什么|为何|再|又|此外|同样)",
    re.IGNORECASE,
)
_POINTS: Final = re.compile(
    r"\b(?:it|its|itself|they|them|their|theirs|those|these|thereof)\b"
    r"|\b(?:this|that|such)\b(?=\s*(?:rule|clause|section|article|period|deadline|requirement|duty|obligation|exception"
    r"|case|notice|apply|applies|mean|means|be|is|was|happens?)\b|\s*[?,.]|\s*$)"
    r"|它|其(?!他|余|中|它)|该|此|这|上述|前述|呢\s*[?？]?\s*$",
    re.IGNORECASE,
)
# Today, said in words.
_NOW: Final = re.compile(r"\b(?:now|today|currently|nowadays)\b|现在|目前|今天|如今|现行", re.IGNORECASE)
# Words that ask for more of the same and name nothing.
_EMPTY: Final = re.compile(
    r"\b(?:now|today|currently|nowadays|still|else|same|again|why|more|true|different|change[ds]?|date|day)\b"
    r"|那么|那|如果|还有|另外|为什么|为何|此外|同样|现在|目前|今天|如今|当时|还|呢|吗",
    re.IGNORECASE,
)
_WORD: Final = re.compile(r"[A-Za-z][A-Za-z'’-]*")
_DIGIT: Final = re.compile(r"\d")


def taken_up(handle: HomeHandle, request: AskRequest) -> AskRequest:
    """The request as it is to be worked out: itself unless it follows an answer.

    Raises InputRejected ``question_empty``, ``question_too_long``; NotFound ``unknown_answer``, ``erased``.
    """
    if request.follows is None or request.reading is not None:
        return request
    check_question(request.question)
    header = find_answer(handle.ledger, request.follows)
    before, asked = stored_answer(handle.ledger, header["index"]), asked_of(handle.ledger, header)
    leaning = leans(request.question)
    day, taken_day = _day(request, before)
    known_at, basis = request.known_at, request.known_basis
    if known_at is None and asked["known_at_given"]:
        known_at, basis = parse_instant(before.known_at), before.known_basis
    docs = request.docs or tuple(asked["docs"])
    if leaning and not request.docs and before.citations:
        docs = tuple(dict.fromkeys(citation.doc_id for citation in before.citations))
    words: list[str] = []
    answering = [citation.clause_id for citation in before.citations if citation.role == "primary"]
    same = bool(answering) and _only_a_day(request.question)
    if leaning and not own_terms(request.question) and not same:
        words = subject(before, asked.get("follows", {}).get("read_as", asked["question"]))
    lent = answering if same else [citation.clause_id for citation in before.citations if words]
    jurisdictions = request.jurisdictions or tuple(asked["jurisdictions"])
    reading = Follows(
        answer_id=before.answer_id,
        read_as=_beside(request.question, words),
        as_of=before.as_of if taken_day else None,
        docs=[] if request.docs else list(docs),
        jurisdictions=[] if request.jurisdictions else list(jurisdictions),
        clauses=list(dict.fromkeys(lent)),
        same=same,
    )
    return replace(
        request, question=reading.read_as, said=request.question, reading=reading, as_of=day, known_at=known_at,
        known_basis=basis, docs=docs, jurisdictions=jurisdictions, language=request.language or asked["language"],
        conversation=request.conversation or asked["conversation"] or before.answer_id,
    )  # fmt: skip


def as_they_stand(clause_ids: Sequence[str], situation: Situation) -> NamedClauses | None:
    """The clauses cited before as they stand on the day now asked about, renumbered or not; None where none of them does."""
    corpus, known = situation.corpus, situation.knowledge
    lineages = {clause.lineage_id for clause in _held(corpus, clause_ids, known)}
    through = [clause for lineage in sorted(lineages) for clause in history(corpus, lineage, known)]
    standing = [clause for clause in through if situation.in_force.mask[corpus.row_of(clause)]]
    if not standing:
        return None
    standing.sort(key=lambda clause: (clause.version.ref, clause.seq))
    why = "cited in the answer before, as it stands on this day"
    return NamedClauses(tuple(standing), frozenset(clause.clause_id for clause in standing), why)


def _held(corpus: Corpus, clause_ids: Sequence[str], known: Knowledge) -> list[StoredClause]:
    """Those of the clauses that are known: an earlier known_at may not know all of them."""
    rows = corpus.row_ids(clause_ids, known)
    return corpus.clauses([clause_id for clause_id in clause_ids if clause_id in rows], known)


def leans(question: str) -> bool:
    """Whether a question is not whole without what was said before."""
    return bool(_OPENS.match(question) or _POINTS.search(question)) or len(own_terms(question)) < TERMS_LEAST


def own_terms(question: str) -> frozenset[str]:
    """The content terms of a question without its dates and without words that only ask on."""
    kept = without(question, (found.span for found in dates_of_question(question)))
    return terms(_EMPTY.sub(" ", kept))


def _day(request: AskRequest, before: Answer) -> tuple[date | None, bool]:
    """The day to ask of, None where the question or today decides; and whether it is taken over. A follow-up that is nothing
    but a day means that day."""
    if request.as_of is not None:
        return request.as_of, False
    own = question_day(request.question)
    days = [found.day for found in dates_of_question(request.question) if found.day is not None]
    if own.day is None and len(days) == 1 and not own_terms(request.question):
        return days[0], False
    if own.day is not None or own.clarify or before.as_of_from == "today" or _says_now(request.question):
        return None, False
    return parse_day(before.as_of), True


def _only_a_day(question: str) -> bool:
    """True for a follow-up that names a day, or today, and nothing else."""
    return not own_terms(question) and (bool(dates_of_question(question)) or bool(_NOW.search(question)))


def _says_now(question: str) -> bool:
    return bool(_NOW.search(question)) and leans(question)


def subject(before: Answer, question: str) -> list[str]:
    """What the cited clauses are about, in their own words: the words of the earlier question that stand in them, in its order,
    then their headings. Nothing with a digit in it: numbers and days are for the new question to name."""
    quoted = " ".join(f"{citation.heading or ''} {citation.text}" for citation in before.citations)
    shared = terms(question) & terms(quoted)
    found = [match.group() for match in _WORD.finditer(question) if terms(match.group()) & shared]
    found += _han(question, [term for term in shared if is_han(term)])
    headings = [citation.heading for citation in before.citations if citation.role == "primary" and citation.heading]
    said = {word.lower(): word for word in [*found[:SUBJECT_WORDS], *headings] if not _DIGIT.search(word)}
    return list(said.values())


def _han(question: str, shared: Sequence[str]) -> list[str]:
    """The longest shared terms, in the order of the question, none over another."""
    places = sorted((question.find(term), -len(term), term) for term in shared if term in question)
    found: list[str] = []
    end = 0
    for start, _, term in places:
        if start >= end:
            found.append(term)
            end = start + len(term)
    return found


def _beside(question: str, words: Sequence[str]) -> str:
    if not words:
        return question
    return f"{question}（{'、'.join(words)}）" if is_han(question) else f"{question} ({', '.join(words)})"
