"""What must be cited beside the clauses that answer: the words they stand under, exceptions and the rules these modify, the
parts of a list, schedules, amendments, and the definitions that the question turns on."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from compliance_rag.answer.bearing import broken, changes_duty, graver, leaves_words, let_off, ranks, said_before, says_which
from compliance_rag.answer.cues import operative, quantities
from compliance_rag.answer.need import holds_kind
from compliance_rag.answer.pieces import Piece
from compliance_rag.answer.scoring import Asked, clause_terms
from compliance_rag.answer.sentences import unit_texts, units
from compliance_rag.answer.terms import is_han, terms
from compliance_rag.retrieve.types import EvidenceItem
from compliance_rag.store.rows import StoredClause

# Amendments, references and transitional clauses are cited when they hold this part of the question's weight …
ATTACHED_SHARE = 0.45
# … and, references, this part of it that the clause which refers does not hold.
REFERENCE_ADDS = 0.2
# An exception may modify a whole chapter: of the rules it modifies, those that hold nearly as much of the question as the best.
RULE_SHARE = 0.7
RULE_LIMIT = 2
# A rule that holds less of the question than this says nothing of it, and the exception speaks for itself.
RULE_SPEAKS = 0.06
# A term that this part of the clauses found uses is the language of the document, not what a question turns on.
COMMON_TERM = 0.25
# A definition with this score in the ranking (the best text by words and meaning has 1 or more) is what the question describes.
DESCRIBED = 0.95
# An exception to so many rules is a general one, and is quoted when it holds this part of the question's weight.
BROAD_REACH = 4
BROAD_SHARE = 0.1
# A further exception to a rule that was brought in for one is quoted when it holds this part of the question's weight.
SPEAKS_SHARE = 0.25
# Parents above an item that are quoted for it: an item under a sub-paragraph under a paragraph.
LEAD_LIMIT = 2
# An English text of fewer words that orders nothing is a part of a sentence; a whole Chinese one ends in a full stop.
FRAGMENT_WORDS = 12
_FULL_STOP = "。！？"

_COLON = (":", "：")
_PLACES = frozenset({"schedule", "annex", "appendix", "exhibit", "attachment", "table"})
# A rule yields to a clause where the words that yield are followed by a place: "subject to a Legal Hold" yields to nothing.
_YIELDS = re.compile(
    r"\b(?:except|subject\s+to|unless|save)\b[^.;]{0,60}?\b(?:clauses?|sections?|articles?|rules?|paragraphs?|parts?|regulations?"
    r"|schedules?|[a-z]?\.?\d+(?:\.\d+)+)\b|\botherwise\s+provided\b|除外|另有规定",
    re.I,
)
# Words with which a clause takes a rule back and orders nothing in its stead.
_ONLY_TAKES_BACK = re.compile(
    r"\b(?:not\s+apply|not\s+applicable|disappl\w+|exempt\w*|need\s+not|not\s+required)\b|\bnothing\s+in\b|不适用|不受|豁免|免除|免予",
    re.I,
)
# Words with which a clause stands beside a rule and orders something else.
_BESIDE = re.compile(r"\b(?:notwithstanding|despite|instead\s+of|in\s+place\s+of|except|save)\b|例外|不予|可以不", re.I)
# A place where a term is only given a short name: "… (hereinafter the Board)", （以下简称境内）.
_SHORT_NAME = re.compile(r"\(\s*(?:hereinafter|the\s*[“\"])|（以下(?:简称|称)|\(以下(?:简称|称)", re.I)
_LINE = re.compile(
    r"\b(?:does\s+not\s+include|excludes?|excluding|other\s+than|except|includes?|including)\b|不包括|除外|包括", re.I
)
# After the number of a place: "附件一规定" names it, "附件一百" and "Schedule 12" do not.
_NUMBER_ENDS = r"(?![a-z0-9_一二三四五六七八九十百])"
_APPLIES_INSTEAD = re.compile(
    r"\bin\s+(?:which|that)\s+case\s+(?:\w+\s+){0,3}?(?:clauses?|sections?|articles?|paragraphs?|rules?|regulations?)\s+"
    r"(?P<number>[\w.()]+)\s+(?:shall\s+|will\s+)?(?:appl|govern)",
    re.I,
)
_SUCH = re.compile(
    r"\s*(?:such\s+(?:an?\s+)?\w+\s+(?:\w+\s+)?(?:shall|must|may|is|are)\b|in\s+(?:that|such|this)\s+(?:a\s+)?case\b|(?:该|此)(?:类|等)|前款(?:所列|规定)的)",
    re.I,
)
_ASKS_EXCEPTION = re.compile(
    r"\b(?:except\w*|exempt\w*|unless|excus\w+|spared?|let\s+off|always|ever|never|every|all\s+cases|any\s+case|stops?|instead|waive\w*"
    r"|not\s+apply|need\s+(?:\w+\s+)?not|still|even\s+if|allowed\s+not|need\s+not|needn.t|longer|sooner|earlier)\b"
    r"|例外|除外|豁免|免除|一律|都要|任何情况|是否必须|可以不|还要|仍",
    re.I,
)
# A question that asks which of two texts holds, not how far the one that does reaches.
_BETWEEN = re.compile(
    r"\bthe\s+ones?\s+in\b[^?]*\bor\s+(?:the\s+ones?\s+)?in\b|\b(?:which|what)\b[^?]{0,60}\b(?:wins?|prevails?|governs?|counts?)\b"
    r"|以哪[^，。？?]{0,12}为准|[^，。？?]中的还是[^，。？?]+中的",
    re.I,
)
_TIME_UNIT = re.compile(r"\b(?:day|week|month|quarter|year|hour|date|period)s?$|(?:日|天|期间|年度)$", re.I)


class Ties:
    """The evidence by the clause it belongs to; what belongs to none in particular under the empty name."""

    def __init__(self, evidence: Iterable[EvidenceItem], known: Iterable[StoredClause] = ()) -> None:
        self.by_origin: dict[str, list[EvidenceItem]] = defaultdict(list)
        self.pointing: dict[str, list[EvidenceItem]] = defaultdict(list)
        self.clauses = {clause.clause_id: clause for clause in known}
        ordered = sorted(
            evidence, key=lambda item: (item.clause.version.ref, item.clause.seq, item.clause.clause_id, item.part, item.role)
        )
        for item in ordered:
            if item.clause.clause.text.strip():
                self.by_origin[item.origin or ""].append(item)
                if item.part == "reference":
                    self.pointing[item.clause.clause_id].append(item)

    def yielding_to(self, clause: StoredClause) -> list[EvidenceItem]:
        """The rules that say themselves that they yield to ``clause`` ("except as provided in …", 另有规定的除外)."""
        found: list[EvidenceItem] = []
        for item in self.pointing[clause.clause_id]:
            rule = self.clauses.get(item.origin or "")
            if rule is not None and _YIELDS.search(rule.clause.text):
                found.append(
                    EvidenceItem(rule, "reference", "the rule that yields to it", item.score, clause.clause_id, "rule")
                )
        return found

    def of(self, clause: StoredClause, part: str) -> list[EvidenceItem]:
        """The evidence of one part that belongs to ``clause``; evidence without a part is taken by its role."""
        found = [*self.by_origin[clause.clause_id], *self.by_origin[""]]
        return [item for item in found if (item.part or _part_of(item)) == part and item.clause.clause_id != clause.clause_id]


def _part_of(item: EvidenceItem) -> str:
    return item.role if item.role != "primary" else ""


def opens_list(text: str) -> bool:
    """True when a line of ``text`` ends with a colon: items stand under it, and perhaps a note after them."""
    return any(line.rstrip().endswith(_COLON) for line in text.split("\n"))


def is_table(text: str) -> bool:
    """True for a text of table rows and no sentence: nothing stands under it as under words."""
    return bool(text.strip()) and all(unit.kind == "row" for unit in units(text))


def needs_lead(clause: StoredClause, parent: StoredClause | None) -> bool:
    """True for a clause that is no whole sentence without the words above it: a list item, or one under an open sentence."""
    text = clause.clause.text.strip()
    if clause.clause.parent is None or not text:
        return False
    if parent is not None and "definition" in clause.clause.kinds and not operative(parent.clause.text):
        return False  # "In this agreement:" above a definition adds nothing to it
    if parent is not None and is_table(parent.clause.text):
        return False  # notes under a table of fees stand by themselves
    open_parent = parent is not None and opens_list(parent.clause.text)
    fragment = text[-1:] not in _FULL_STOP if is_han(text) else len(text.split()) < FRAGMENT_WORDS
    return open_parent or text[:1].islower() or text[-1:] in "；;" or (not operative(text) and fragment)


def lead_ins(clause: StoredClause, ties: Ties) -> list[EvidenceItem]:
    """The parents whose words ``clause`` needs, nearest first."""
    by_id = {item.clause.clause_id: item for item in ties.of(clause, "lead_in")}
    found: list[EvidenceItem] = []
    at = clause
    while len(found) < LEAD_LIMIT:
        parent = by_id.get(at.parent_id or "")
        if parent is None or not needs_lead(at, parent.clause):
            break
        found.append(parent)
        at = parent.clause
    return found


def list_parts(piece: Piece, ties: Ties, asked: Asked, taken: set[str]) -> list[EvidenceItem]:
    """The items under a clause that only opens a list, in their order: without them it is no sentence. None when the question
    asks for a quantity that the opening words give, or when one of the items was chosen for itself."""
    # Where another sentence of the clause speaks, the list that its last one opens is not what was asked for.
    opens = piece.spoken.rstrip().endswith(_COLON) and (asked.lists or piece.clause.clause.text.rstrip().endswith(_COLON))
    if not opens or (asked.need.kinds and all(holds_kind(piece.spoken, kinds) for kinds in asked.need.kinds)):
        return []
    parts = [item for item in ties.of(piece.clause, "child") if item.clause.parent_id == piece.clause.clause_id]
    return [] if any(item.clause.clause_id in taken for item in parts) else parts


def _folded(text: str) -> str:
    return re.sub(r"[\s“”\"'’]+", " ", unicodedata.normalize("NFKC", text)).lower()


def is_schedule(clause: StoredClause) -> bool:
    """True for a clause of a schedule, annex or table."""
    return any(part.split("-")[0] in _PLACES for part in clause.clause.path[:1])


def _place_name(schedule: StoredClause) -> str:
    """The name of the schedule that a clause of it stands in: its number without the clause's own (附件一一)."""
    number, own = (schedule.clause.number or "").split(",")[0], schedule.clause.label.strip(" .、．()（）")
    inside = len(schedule.clause.path) > 1 and number == schedule.clause.number and 0 < len(own) < len(number)
    return number.removesuffix(own) if inside else number


def points_to(clause: StoredClause, schedule: StoredClause, words: str | None = None) -> bool:
    """True when the text of ``clause`` (or ``words`` of it) names by number the schedule that ``schedule`` is or is in."""
    number = _place_name(schedule)
    same = clause.version.ref == schedule.version.ref and clause.clause_id != schedule.clause_id
    return (
        same
        and len(number) > 1
        and re.search(rf"{re.escape(_folded(number))}{_NUMBER_ENDS}", _folded(clause.clause.text if words is None else words))
        is not None
    )


def _definitions(piece: Piece, ties: Ties, asked: Asked, texts: Sequence[str]) -> list[EvidenceItem]:
    """Definitions of a unit of time that the sentence counts in; of terms in the question that are not on every page, where the
    definition speaks of what else is asked and the rule does not; and of what the question only describes."""
    question, spoken = _folded(asked.question), _folded(piece.spoken)
    timed = any("duration" in kinds for kinds in asked.need.kinds)
    own, means = clause_terms(piece.clause), "definition" in piece.clause.clause.kinds
    found: list[EvidenceItem] = []
    for item in ties.of(piece.clause, "definition"):
        term = _folded(item.about).strip()
        if not term:
            if asked.share(clause_terms(item.clause)) >= ATTACHED_SHARE:
                found.append(item)
            continue
        counted = timed and _TIME_UNIT.search(term) is not None and term in spoken
        common = sum(term in text for text in texts) >= COMMON_TERM * len(texts)
        turned_on = (
            not common
            and term in question
            and term in spoken
            and _draws_line(item.clause, term)
            and asked.share(own | terms(item.clause.clause.text)) > asked.share(own)
        )
        # What a term leaves out says nothing without what it means, nor the other way round.
        halves = term in question and means and defines_shortly(piece.clause, term)
        # The question describes the thing, the rule calls it by its term: the definition is found by the question's words.
        described = term not in question and term in spoken and item.score >= DESCRIBED and not means
        described = described and not _SHORT_NAME.search(item.clause.clause.text)
        if (counted or turned_on or halves or described) and defines_shortly(item.clause, term):
            found.append(item)
    return found


def _draws_line(clause: StoredClause, term: str) -> bool:
    """True when the definition leaves something out or in, or sets a figure: then the answer turns on it."""
    own = unit_texts(clause.clause.text)
    return any(term in _folded(words) and (_LINE.search(words) or quantities(words)) for words in own)


def defines_shortly(clause: StoredClause, term: str) -> bool:
    """True when a sentence of ``clause`` begins with the term: a page of definitions is quoted where it speaks of it."""
    return any(_folded(words)[: len(term) + 8].find(term) >= 0 for words in unit_texts(clause.clause.text))


def asks_for_exception(question: str) -> bool:
    """True when a question, or a part of one, asks whether a rule always holds."""
    return _ASKS_EXCEPTION.search(question) is not None


def _goes_on(exception: EvidenceItem, pool: Sequence[StoredClause], taken: set[str], asked: Asked) -> list[EvidenceItem]:
    """What an exception says in the clauses after its own: the items that it opens, unless one was chosen for itself and the
    question does not ask for the exceptions, and the next clause where that says what "such a person shall instead" do."""
    own = exception.clause
    chosen = _ASKS_EXCEPTION.search(asked.question) is None and any(
        clause.parent_id == own.clause_id and clause.clause_id in taken for clause in pool
    )
    opens = own.clause.text.rstrip().endswith(_COLON) and not chosen
    found = [
        clause
        for clause in pool
        if clause.version.ref == own.version.ref
        and clause.clause.text.strip()
        and (
            (opens and clause.parent_id == own.clause_id)
            or (clause.parent_id == own.parent_id and clause.seq == own.seq + 1 and _SUCH.match(clause.clause.text))
        )
    ]
    found.sort(key=lambda clause: clause.seq)
    return [replace(exception, clause=clause, why="goes on from the exception before it") for clause in found]


def is_broad(exception: EvidenceItem, asked: Asked) -> bool:
    """True for an exception to many rules at once (a legal hold, a whole class of persons) that holds next to nothing of the
    question, and the question asks for no exception: it is named beside the answer, not quoted in it."""
    return exception.reach >= BROAD_REACH and speaks_little(exception, asked)


def is_aside(exception: EvidenceItem, pieces: Sequence[Piece], asked: Asked) -> bool:
    """True for an exception that adds no word of the question to the rules it belongs to, where the question only asks which
    of two texts holds: it is the same to both, and is named."""
    if _BETWEEN.search(asked.question) is None or asks_for_exception(asked.question):
        return False
    own = frozenset().union(*(clause_terms(piece.clause) for piece in pieces))
    return asked.share(own | clause_terms(exception.clause)) <= asked.share(own)


def speaks_little(exception: EvidenceItem, asked: Asked) -> bool:
    """True for an exception that holds next to nothing of a question that asks for none."""
    little = asked.share(clause_terms(exception.clause)) < BROAD_SHARE
    return little and not asks_for_exception(asked.question)


def _speaks(exception: EvidenceItem, asked: Asked) -> bool:
    """True for a further exception to a rule that was brought in for one: it speaks of the question, or exceptions are asked
    for."""
    return asked.share(clause_terms(exception.clause)) >= SPEAKS_SHARE or asks_for_exception(asked.question)


def _rules(piece: Piece, ties: Ties, asked: Asked) -> list[EvidenceItem]:
    """The rules that an exception chosen for itself modifies, those nearest to the question."""
    rules = [*ties.of(piece.clause, "rule"), *ties.yielding_to(piece.clause)]
    share = {item.clause.clause_id: asked.share(clause_terms(item.clause)) for item in rules}
    best = max(share.values(), default=0.0)
    # "Clause 3.1 does not apply to a guide dog" says nothing without clause 3.1. "Notwithstanding clause 3.1, …" rules, and
    # so does a clause that a rule only makes way for: they need a rule that speaks of what is asked.
    words = "\n".join([piece.clause.clause.text, *(item.clause.clause.text for item in ties.of(piece.clause, "lead_in"))])
    alone, beside = _ONLY_TAKES_BACK.search(words) is None, _BESIDE.search(words) is not None
    floor = max(RULE_SHARE * best, RULE_SPEAKS if alone and beside else 0.0)
    kept = [item for item in rules if share[item.clause.clause_id] >= floor and (share[item.clause.clause_id] > 0 or not alone)]
    kept.sort(key=lambda item: (-round(share[item.clause.clause_id], 6), item.clause.seq))
    return kept[:RULE_LIMIT]


def _references(piece: Piece, ties: Ties, asked: Asked) -> list[EvidenceItem]:
    """The schedule that the sentence points to, and clauses referred to that hold what is asked and the sentence does not."""
    own = clause_terms(piece.clause)
    found: list[EvidenceItem] = []
    for item in ties.of(piece.clause, "reference"):
        held = clause_terms(item.clause)
        share = asked.share(held)
        adds = asked.share(own | held) - asked.share(own)
        amended = piece.clause.version.amends == item.clause.version.doc_id and leaves_words(piece.clause, item.clause)
        instead = _APPLIES_INSTEAD.search(piece.spoken)
        if instead is not None and instead["number"] == item.clause.clause.number:
            found.append(item)
            continue
        pointed = is_schedule(item.clause) and points_to(piece.clause, item.clause, piece.spoken)
        put_off = changes_duty(piece, item.clause) and not says_which(piece, item.clause)
        if pointed or amended or put_off or (share >= ATTACHED_SHARE and adds >= REFERENCE_ADDS):
            found.append(item)
    return found


def _amendments(piece: Piece, ties: Ties, asked: Asked) -> list[EvidenceItem]:
    """Amendments that name by its number the clause, or an exception to it (what is inserted behind an exception is one more),
    and others that hold the question's words."""
    beside = [piece.clause, *(item.clause for item in ties.of(piece.clause, "exception"))]
    numbers = [_folded(clause.clause.number or "") for clause in beside if clause.version.ref == piece.clause.version.ref]
    found: list[EvidenceItem] = []
    for item in ties.of(piece.clause, "amendment"):
        text = _folded(item.clause.clause.text)
        named = any(number and re.search(rf"(?<![\w.]){re.escape(number)}(?![\w]|\.\d)", text) for number in numbers)
        amending = item.clause.version.amends == piece.clause.version.doc_id
        if (amending and named) or asked.share(clause_terms(item.clause)) >= ATTACHED_SHARE:
            found.append(item)
    return found


def attach(pieces: Sequence[Piece], ties: Ties, asked: Asked, pool: Sequence[StoredClause]) -> tuple[EvidenceItem, ...]:
    """What belongs beside ``pieces``, each clause once, in the order of need: exceptions first, since they change the answer;
    parts of a list carry the part ``child``."""
    taken = {piece.clause.clause_id for piece in pieces}
    texts = [_folded(clause.clause.text) for clause in pool]
    apart = len({piece.clause.version.doc_id for piece in pieces}) > 1
    groups: list[list[EvidenceItem]] = [[] for _ in range(7)]
    for piece in pieces:
        exceptions = ties.of(piece.clause, "exception")
        rules = _rules(piece, ties, asked)
        exceptions += [item for rule in rules for item in ties.of(rule.clause, "exception") if _speaks(item, asked)]
        groups[0] += exceptions
        groups[0] += [more for item in exceptions for more in _goes_on(item, pool, taken, asked)]
        groups[0] += ties.of(piece.clause, "delimits")
        groups[1] += [replace(item, role="lead_in") for item in lead_ins(piece.clause, ties)]
        groups[2] += _amendments(piece, ties, asked)
        groups[3] += rules + said_before(piece, pool) + broken(piece, pool) + let_off(piece, asked.question, pool)
        groups[3] += graver(piece, asked.question, pool)
        groups[3] += [item for item in ties.of(piece.clause, "precedence") if apart and ranks(item.clause, pieces)]
        groups[4] += _references(piece, ties, asked)
        groups[5] += list_parts(piece, ties, asked, taken)
        groups[6] += _definitions(piece, ties, asked, texts)
        groups[6] += [i for i in ties.of(piece.clause, "transitional") if asked.share(clause_terms(i.clause)) >= ATTACHED_SHARE]
    return _once([item for group in groups for item in group], taken)


def _once(items: Iterable[EvidenceItem], taken: set[str]) -> tuple[EvidenceItem, ...]:
    found: dict[str, EvidenceItem] = {}
    for item in items:
        if item.clause.clause_id not in taken:
            found.setdefault(item.clause.clause_id, item)
    return tuple(found.values())


def words_of(pieces: Sequence[Piece], leads: Mapping[str, Sequence[StoredClause]]) -> str:
    """All words that the chosen clauses stand for: their texts, headings, and the words above them."""
    found: list[str] = []
    for piece in pieces:
        inner = piece.clause.clause
        found += [inner.text, inner.heading, *inner.heading_path, piece.clause.version.title]
        found += [lead.clause.text for lead in leads.get(piece.clause.clause_id, ())]
    return "\n".join(found)
