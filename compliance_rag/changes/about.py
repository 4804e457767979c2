"""Which changes a question is about: ranked by the same terms and the same formula as clauses are."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from compliance_rag.changes.fates import several
from compliance_rag.changes.sides import Pair
from compliance_rag.retrieve.question import read_question
from compliance_rag.store.postings import K1, B
from compliance_rag.store.tokens import terms
from schemas.ids import read_clause_id
from schemas.objects import Change, ClauseObject

# Words of the asking itself: every change is one.
ASKING: Final = re.compile(
    r"\b(?:chang(?:e|es|ed|ing)|differ(?:s|ent|ence|ences)?|amend(?:ed|ment|ments)?|modif(?:y|ied)|new|old|versions?|anything)\b"
    r"|变化|修改|变更|改动|变动|不同|区别|新旧|新版|旧版|版本|前后",
    re.IGNORECASE,
)
# A change scoring under this share of the best one only shares a common word with the question.
KEPT_SHARE: Final = 0.5
# More than this many changes about one subject are read in the whole list.
ABOUT_LIMIT: Final = 20
# A number or a comma that changed answers "what changed about …?" only where nothing of substance did.
EDITORIAL_SHARE: Final = 0.5


def about(pair: Pair, changes: Sequence[Change], question: str) -> list[Change]:
    """The changes that ``question`` is about, best first, :data:`ABOUT_LIMIT` at most; equal ones in document order. A clause
    that the question names by number comes first. Empty when no change shares a word of substance with it.

    BM25 (Lucene idf) over the words of both versions of each change, its headings included; rarity is that of the words among
    all clauses of the version after and what went.
    """
    asked = read_question(ASKING.sub(" ", question))
    texts = [Counter(terms(_words(change))) for change in changes]
    everything = [Counter(terms(" ".join((c.clause.heading, c.clause.text)))) for c in pair.after.clauses]
    everything += [text for change, text in zip(changes, texts, strict=True) if change.kind == "removed"]
    holders: Counter[str] = Counter(term for text in everything for term in text)
    mean = sum(map(Counter.total, texts)) / len(texts) if texts else 1.0
    weights = dict(zip(asked.terms, asked.weights, strict=True))
    scored = []
    for place, (change, text) in enumerate(zip(changes, texts, strict=True)):
        share = EDITORIAL_SHARE if change.weight == "editorial" else 1.0
        score = round(share * _score(weights, text, holders, len(everything), mean), 6)
        named = any(_bears(clause, path) for path in asked.numbers for clause in _clauses(change))
        scored.append((not named, -score, place))
    best = max((-score for _, score, _ in scored), default=0.0)
    kept = [item for item in scored if not item[0] or (best > 0 and -item[1] >= KEPT_SHARE * best)]
    return [changes[place] for _, _, place in sorted(kept)[:ABOUT_LIMIT]]


def _clauses(change: Change) -> list[ClauseObject]:
    return [*several(change.before), *several(change.after)]


def _words(change: Change) -> str:
    """Headings once, the words of both versions: unchanged ones once, so that a long clause is not favoured."""
    headings = dict.fromkeys(name for clause in _clauses(change) for name in (*clause.heading_path, clause.heading))
    return " ".join([*headings, *(words for _, words in change.redline)])


def _bears(clause: ClauseObject, path: tuple[str, ...]) -> bool:
    return read_clause_id(clause.clause_id)[2][-len(path) :] == path


def _score(weights: dict[str, float], text: Counter[str], holders: Counter[str], size: int, mean: float) -> float:
    norm = K1 * (1 - B + B * text.total() / mean) if mean else K1
    found = 0.0
    for term, weight in sorted(weights.items()):
        if term in text:
            held = min(holders[term], size)
            rarity = math.log(1 + (size - held + 0.5) / (held + 0.5))
            found += weight * rarity * text[term] / (text[term] + norm)
    return found
