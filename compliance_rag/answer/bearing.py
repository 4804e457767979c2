"""How one clause bears on another that it names or speaks of: it puts off what the other orders, changes its words, or says
what does not fall under it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from compliance_rag.answer.cues import parts_of
from compliance_rag.answer.modality import modals
from compliance_rag.answer.pieces import Piece
from compliance_rag.answer.sentences import unit_texts
from compliance_rag.answer.terms import is_han, terms
from compliance_rag.retrieve.types import EvidenceItem
from compliance_rag.store.rows import StoredClause

# The graver case of what stands before it: half of a penalty misleads whoever asks how much it may be.
_GRAVER = re.compile(
    r"\s*(?:有|犯|违反)?(?:前款|上款|第一款)[^，。；]{0,20}[，,]?(?:[^。；]{0,12})?(?:情节|后果|数额)[^，。；]{0,6}(?:严重|恶劣|重大|巨大)"
    r"|\s*(?:if|where|when)\s+(?:the|a|such|any)\s+(?:breach|offence|failure|infringement|contravention|violation)\s+(?:[^,.;]{0,60}\s)?"
    r"(?:is|was|proves|continues)\s+(?:[^,.;]{0,20}\s)?(?:serious|grave|severe|repeated|wilful|intentional|again)",
    re.I,
)
_ASKS_PENALTY = re.compile(r"\b(?:fine[ds]?|penalt\w+|sanction\w*|punish\w*)\b|罚|处分|法律责任|判|后果", re.I)
# A clause that lets off what the one before it orders, in the same article.
_LETS_OFF = re.compile(
    r"(?:可以不|不必|无需|无须|不需要)(?P<zh>[^，。；、的]{2,12})"
    r"|\b(?:need\s+not|(?:is|are)\s+not\s+(?:required|obliged)\s+to|do(?:es)?\s+not\s+(?:have|need)\s+to)\s+(?:be\s+)?(?P<en>[^,.;]{4,60})",
    re.I,
)
# Done to a duty that stands elsewhere: without the clause that imposes it nobody knows what is put off or replaced.
_CHANGES_DUTY = re.compile(
    r"\b(?:postpone|suspend|defer|delay|extend|shorten|waive|vary|modify|reduce|increase|double|halve|dispense\s+with|changes?\s+made)\w*\b"
    r"[^.;]{0,60}?\b(?:in|by|under|of|to)\s*$|(?:推迟|延期|暂缓|延长|缩短|中止|暂停|减免|变更)[^。；]{0,30}$",
    re.I,
)
# A clause that says what a thing is not, for a rule that stands before it: "… is not an event beyond its control".
_IS_NOT = re.compile(
    r"\b(?:(?:is|are)\s+not|(?:shall|must|will|may)\s+not\s+be)\s+(?:(?:deemed|treated|regarded|considered|counted)\s+)?(?:as\s+|to\s+be\s+)?(?P<en>[^,.;]{8,80})"
    r"|不(?:应当?)?(?:视为|属于|构成|认定为)(?P<zh>[^，。；]{3,30})",
    re.I,
)
# What is done without the leave that a rule elsewhere asks for, as the ground of something else.
_WITHOUT_LEAVE = re.compile(
    r"擅自(?P<zh>[^，。；、的]{2,10})"
    r"|\b(?:if|where|when|who|which)\s+(?:[^,.;]{0,40}?\s)?(?P<en>[a-z]{4,}(?:s|ed|ing))(?:\s+[^,.;]{1,60}?)?"
    r"\s+without\s+(?:the\s+|such\s+)?(?:[a-z'’]+\s+){0,3}?(?:consent|approval|permission|authority|leave)\b",
    re.I,
)
# Content words of the thing that the rule must have too.
_SAME_THING = 3
# What stands behind the number of a clause that an amendment speaks of; a bare number may be the amendment's own.
_AMENDS = re.compile(
    r"^[\s\w().,]{0,30}?\b(?:of|in|to)\s+(?:the|that|this)\b|\b(?:amended|deleted|replaced|substituted|inserted|added|changed|varied|read)\b"
    r"|修改|改为|删除|增加|替换|调整|原合同",
    re.I,
)
_AMENDS_REACH = 80
_UNIT_BEFORE = re.compile(r"(?:clauses?|sections?|articles?|rules?|paragraphs?|regulations?)\s*$", re.I)
# The whole clause goes, not words of it.
_IN_PLACE = re.compile(
    r"\b(?:clause|section|article|paragraph|rule|regulation)s?\s+[\w.()]+(?:\s+of\s+[^,;.“\"]{0,60}?)?\s+(?:is|are|shall\s+be)\s+(?:hereby\s+)?"
    r"(?:deleted(?:\s+in\s+its\s+entirety)?\s+and\s+(?:replaced|substituted)|replaced|substituted)\b|(?:条|款|项)(?:全文)?(?:修改|变更|替换)为",
    re.I,
)
_ALL_OTHERS = re.compile(r"\b(?:any|all|every)\s+other\b|其他|其它", re.I)
_IN_QUOTES = re.compile(r"[“\"][^“”\"]{40,}[”\"]?|「[^」]{20,}」", re.S)


def _number_in(clause: StoredClause, words: str) -> re.Match[str] | None:
    """Where ``words`` name the clause by its number."""
    number = clause.clause.number or ""
    before, after = ("", "") if is_han(number) else (r"(?<![\w.])", r"(?![\w]|\.\d)")
    return re.search(f"{before}{re.escape(number)}{after}", words) if number else None


def amends(amending: StoredClause, amended: StoredClause) -> bool:
    """True when an amendment names the clause in its own words, and not only in the text that it puts in, as one of the other
    document or as what it changes."""
    words = _IN_QUOTES.sub(" ", amending.clause.text)
    at = _number_in(amended, words)
    return at is not None and _AMENDS.search(words[at.end() : at.end() + _AMENDS_REACH]) is not None


def leaves_words(amending: StoredClause, amended: StoredClause) -> bool:
    """True when an amendment :func:`amends` the clause and some of its words stay: one that puts a whole new text in its place
    is read without the old one."""
    whole = _IN_PLACE.search(amending.clause.text) is not None and _IN_QUOTES.search(amending.clause.text) is not None
    return not whole and amends(amending, amended)


def ranks(clause: StoredClause, pieces: Sequence[Piece]) -> bool:
    """True when a clause that says which document holds speaks of another of the documents cited, or of all others."""
    own = terms(clause.version.title)
    others = [
        terms(piece.clause.version.title) - own for piece in pieces if piece.clause.version.doc_id != clause.version.doc_id
    ]
    return _ALL_OTHERS.search(clause.clause.text) is not None or any(names & terms(clause.clause.text) for names in others)


def changes_duty(piece: Piece, other: StoredClause) -> bool:
    """True when the sentence puts off, lengthens or replaces what ``other`` orders, which it names by number."""
    at = _number_in(other, piece.spoken)
    if at is None or other.version.ref != piece.clause.version.ref:
        return False
    return _CHANGES_DUTY.search(_UNIT_BEFORE.sub("", piece.spoken[: at.start()])) is not None


def says_which(piece: Piece, duty: StoredClause) -> bool:
    """True when a sentence that puts off a duty says itself what the duty is: it has the words of it."""
    return len(terms(piece.spoken) & terms(duty.clause.text)) >= _SAME_THING


def _beside(piece: Piece, found: Iterable[StoredClause], why: str) -> list[EvidenceItem]:
    """``found`` as rules that are read with the piece; ``why`` names its clause."""
    named = why.format(piece.clause.clause.number or piece.clause.clause.heading)
    return [EvidenceItem(one, "reference", named, piece.score, piece.clause.clause_id, "rule") for one in found]


def _siblings(piece: Piece, pool: Sequence[StoredClause], *, after: bool = False) -> list[StoredClause]:
    """The clauses of ``pool`` that stand under the same clause as the piece's, the nearest first: those before it, or those
    after it."""
    own = piece.clause
    found = [one for one in pool if one.version.ref == own.version.ref and one.parent_id == own.parent_id]
    if after:
        return sorted((one for one in found if one.seq > own.seq), key=lambda one: one.seq)
    return sorted((one for one in found if one.seq < own.seq), key=lambda one: -one.seq)


def broken(piece: Piece, pool: Sequence[StoredClause]) -> list[EvidenceItem]:
    """The rule that is broken by what a sentence speaks of ("擅自分包", "if it sublets without consent"): what may not be done,
    and when it may, stands there. None for a sentence that rules on the act itself."""
    own = piece.clause
    found = _WITHOUT_LEAVE.search(piece.spoken)
    if found is None or modals(found[0]):
        return []
    act = terms(found["zh"] or found["en"])
    forbidding = [
        clause
        for clause in pool
        if clause.version.ref == own.version.ref
        and clause.clause_id not in (own.clause_id, own.parent_id)
        and any(act <= terms(words) and "prohibition" in modals(words) for words in unit_texts(clause.clause.text))
    ]
    forbidding.sort(key=lambda clause: clause.seq)
    return _beside(piece, forbidding[:1], "the rule that is broken by what {} speaks of")


def said_before(piece: Piece, pool: Sequence[StoredClause]) -> list[EvidenceItem]:
    """The rule before a clause that only says what does not fall under it."""
    found = _IS_NOT.search(piece.spoken)
    thing = terms(found["en"] or found["zh"]) if found is not None else frozenset()
    if len(thing) < _SAME_THING:
        return []
    before = [one for one in _siblings(piece, pool) if len(thing - terms(one.clause.text)) <= 1]
    return _beside(piece, before[:1], "the rule that {} draws a line for")


def let_off(piece: Piece, question: str, pool: Sequence[StoredClause]) -> list[EvidenceItem]:
    """The duty in the paragraph before a clause that lets it off, where the question joins several: "可以不通知" answers when
    not, and no other part."""
    found = _LETS_OFF.search(piece.spoken)
    act = terms(found["zh"] or found["en"]) if found is not None else frozenset()
    if not act or piece.clause.clause.parent is None or len(parts_of(question)) < 2:
        return []
    before = [one for one in _siblings(piece, pool) if "obligation" in modals(one.clause.text) and act & terms(one.clause.text)]
    return _beside(piece, before[:1], "the duty that {} lets off")


def graver(piece: Piece, question: str, pool: Sequence[StoredClause]) -> list[EvidenceItem]:
    """The paragraph after one that sets a penalty, which sets it for the graver case, where a penalty is asked for."""
    own = piece.clause.clause
    if _ASKS_PENALTY.search(question) is None or own.parent is None:
        return []
    place = int(own.path[-1]) if own.path[-1].isdecimal() else 0
    following = [
        one
        for one in _siblings(piece, pool, after=True)
        if one.clause.path[-1] == str(place + 1) and _GRAVER.match(one.clause.text)
    ]
    return _beside(piece, following[:1], "the graver case of {}")
