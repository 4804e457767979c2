"""Scores of answers against facts and gold questions; pure functions over the contract's JSON."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from compliance_rag.parse.labels import read_number
from schemas.canonical import normalise

# The issue's own bound: an answer that cites more than this is not minimal.
CITATIONS_ALLOWED = 6
# Clauses named of what was retrieved for a failing question.
RETRIEVED_SHOWN = 5


@dataclass(frozen=True, slots=True)
class FactScore:
    """One version-sensitive question: right when the expected clause of the expected version is cited with the phrase."""

    id: str
    right: bool
    stale: bool
    citations: int
    why_not: str | None


def score_fact(fact: Mapping[str, Any], answer: Mapping[str, Any]) -> FactScore:
    """``fact`` as in facts.json, ``answer`` as `ask` gives it."""
    citations = answer["citations"]
    stale = any(not item["checks"]["in_force"] for item in citations) or any(
        item["doc_id"] == fact["doc_id"] and item["version"] != fact["expected_version"] for item in citations
    )
    phrase = normalise(fact["expected_phrase"])
    of_version = [item for item in citations if item["version"] == fact["expected_version"]]
    of_clause = [
        item for item in of_version if any(_within(fact["clause"], name) for name in [item["number"], *item["aliases"]])
    ]
    quoted = [item for item in of_clause if phrase in normalise(item["quote"])]
    if answer["status"] == "refused":
        why = f"refused: {answer['refusal_reason']}"
    elif len(citations) > CITATIONS_ALLOWED:
        why = f"{len(citations)} citations"
    elif not of_version:
        why = "another version cited"
    elif not of_clause:
        why = "clauses cited: " + ", ".join(str(item["number"]) for item in of_version)
    elif not quoted:
        why = "the phrase is not in the quote"
    else:
        why = None
    return FactScore(fact["id"], why is None, stale, len(citations), why)


def _within(expected: str, number: str | None) -> bool:
    """Whether ``number`` is the expected clause or stands under it: an article's rule may be cited at its paragraph."""
    tokens = read_number(expected)
    return number is not None and read_number(number)[: len(tokens)] == tokens


@dataclass(frozen=True, slots=True)
class GoldScore:
    """One gold question. ``complete``: every gold clause cited, or, an earlier text asked about, shown beside its citation;
    ``precision``: share of citations that are gold."""

    id: str
    category: str
    language: str
    right: bool
    complete: bool
    precision: float | None
    phrases: bool
    forbidden: tuple[str, ...]
    stage: str
    missing: tuple[str, ...]
    extra: tuple[str, ...]


def score_gold(item: Mapping[str, Any], answer: Mapping[str, Any]) -> GoldScore:
    """``item`` is a line of a gold set, ``answer`` the JSON of `ask`.

    ``stage`` says where a failing question went wrong (:func:`stage_of`), or ``ok``.
    """
    cited = [entry["clause_id"] for entry in answer["citations"]]
    gold = list(item["gold"])
    before = [entry["clause"] for entry in answer.get("earlier", ()) if entry["clause"] is not None]
    shown = {*cited, *(clause["clause_id"] for clause in before)}
    missing = tuple(name for name in gold if name not in shown)
    extra = tuple(name for name in cited if name not in gold)
    quotes = [normalise(entry["quote"]) for entry in answer["citations"]] + [normalise(clause["text"]) for clause in before]
    phrases = all(any(normalise(phrase) in quote for quote in quotes) for phrase in item["phrases"])
    forbidden = tuple(name for name in cited if any(_covers(bad, name) for bad in item["forbidden"]))
    status_ok = _status_ok(item, answer)
    complete = not missing if item["answerable"] else not cited
    right = status_ok and complete and phrases and not forbidden
    precision = None if not cited or not item["answerable"] else sum(name in gold for name in cited) / len(cited)
    stage = "ok" if right else stage_of(answer, missing, answerable=item["answerable"])
    return GoldScore(
        item["id"], item["category"], item["language"], right, complete, precision, phrases, forbidden, stage, missing, extra
    )


def _status_ok(item: Mapping[str, Any], answer: Mapping[str, Any]) -> bool:
    if item["expected_status"] == "refused":
        wanted = item["expected_refusal"]
        return answer["status"] == "refused" and (wanted is None or answer["refusal_reason"] == wanted)
    return answer["status"] in ("answered", "needs_review")


def _covers(bad: str, clause_id: str) -> bool:
    document, _, rest = clause_id.partition("@")
    return bad in (document, f"{document}@{rest.partition('#')[0]}", clause_id)


def stage_of(answer: Mapping[str, Any], missing: Sequence[str], *, answerable: bool) -> str:
    """Where a failing question went wrong: ``retrieval`` (a gold clause is no candidate), ``expansion`` (a candidate, no
    evidence), ``answer`` (found and not cited, or an answer where there is none), ``validation``, ``refusal`` (refused for
    another reason than expected) or ``quote``."""
    refused = answer["status"] == "refused"
    if not answerable:
        return "refusal" if refused else "answer"
    if answer["refusal_reason"] in ("validation", "integrity"):
        return "validation"
    evidence = {entry["clause_id"] for entry in answer["evidence"]}
    found = evidence | {entry["clause_id"] for entry in answer["considered"]}
    if not found.issuperset(missing):
        return "retrieval"
    if refused or evidence.issuperset(missing):
        return "answer" if missing or refused else "quote"
    return "expansion"


def traced(item: Mapping[str, Any], answer: Mapping[str, Any]) -> dict[str, Any]:
    """What a person needs to see of a failing question: its words, the refusal, what was retrieved first."""
    first = [entry["clause_id"] for entry in answer["considered"][:RETRIEVED_SHOWN]]
    return {"question": item["question"], "refusal": answer["refusal_reason"], "retrieved": first}


def summary(scores: Iterable[GoldScore]) -> dict[str, Any]:
    """Figures per category and over all: share right, complete recall, citation precision, forbidden citations."""
    groups: dict[str, list[GoldScore]] = defaultdict(list)
    for score in scores:
        groups[score.category].append(score)
        groups["all"].append(score)
    return {name: _figures(group) for name, group in sorted(groups.items())}


def _figures(group: Sequence[GoldScore]) -> dict[str, Any]:
    precisions = [score.precision for score in group if score.precision is not None]
    stages: dict[str, int] = defaultdict(int)
    for score in group:
        stages[score.stage] += 1
    return {
        "questions": len(group),
        "right": round(sum(score.right for score in group) / len(group), 4),
        "complete": round(sum(score.complete for score in group) / len(group), 4),
        "precision": round(sum(precisions) / len(precisions), 4) if precisions else None,
        "forbidden": sum(len(score.forbidden) for score in group),
        "stages": dict(sorted(stages.items())),
    }


def as_rows(scores: Iterable[GoldScore | FactScore]) -> list[dict[str, Any]]:
    """Scores as plain rows for a report."""
    return [asdict(score) for score in scores]
