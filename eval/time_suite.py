"""Time: the law of a day given or named in words, what was known at an instant, and what changed between two versions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

from compliance_rag.service.changes import changes
from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.stale import list_stale
from eval.answers import answer_of
from eval.change_lists import rows_of, score_list
from eval.homes import Progress, entries_of, ingest, no_progress, now
from eval.scoring import FactScore, as_rows, score_fact
from eval.time_cost import time_cost
from schemas.canonical import normalise
from schemas.dates import parse_day
from schemas.ids import slug
from schemas.manifest import ManifestEntry

Fact = Mapping[str, Any]
_MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip


def time_suite(folder: Path, data: Path, progress: Progress = no_progress) -> dict[str, Any]:
    """Versions are ingested in the order of their days, with each fact asked while its version is the newest; then every fact
    is asked with its day, with the day in words alone, and with ``known_at`` at the instant between."""
    facts = _read(data / "facts.json")
    handle = open_home(folder, create=True)
    between, asked_between = _ingest_in_order(handle, data, facts, progress)
    report: dict[str, Any] = {"versions": len(handle.corpus().versions), "facts": len(facts)}
    if facts:
        report["with_as_of"] = _summary(_ask_all(handle, facts, "with_as_of", progress))
        report["day_in_words"] = _summary(_ask_all(handle, facts, "day_in_words", progress))
        report["known_at_between"] = _known_between(handle, facts, between, asked_between, progress)
        report["stale"] = stale_figures(handle, asked_between)
    lists = [_score_changes(handle, wanted) for wanted in _read(data / "changes.json")]
    if lists:
        report["changes"] = lists
    report["cost"] = time_cost(handle, folder.parent, facts)
    return report


def _read(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else []
    return found


def _ingest_in_order(
    handle: HomeHandle, data: Path, facts: Sequence[Fact], progress: Progress
) -> tuple[dict[str, datetime], dict[str, dict[str, Any]]]:
    """Versions by effective day; after each, the facts it answers are asked as a person would that day: no day, no instant.
    The instant of each fact, and its answer."""
    between: dict[str, datetime] = {}
    answers: dict[str, dict[str, Any]] = {}
    entries = sorted(entries_of(data), key=lambda entry: entry.effective_from)
    for number, entry in enumerate(entries, 1):
        ingest(handle, [entry], data)
        for fact in facts:
            if _of(fact, entry):
                between[fact["id"]] = now()
                answers[fact["id"]] = answer_of(handle, {"question": fact["question"], "doc": fact["doc_id"]})
        progress("in order of effective date", number, len(entries))
    return between, answers


def _of(fact: Fact, entry: ManifestEntry) -> bool:
    return bool(entry.doc_id == fact["doc_id"] and entry.version == fact["expected_version"])


def in_words(question: str, day: date) -> str:
    """The question with its day in front, as people write it."""
    if any("\u4e00" <= char <= "\u9fff" for char in question):
        return f"截至{day.year}年{day.month}月{day.day}日，{question}"
    return f"As of {day.day} {_MONTHS[day.month - 1]} {day.year}, {question[0].lower()}{question[1:]}"


def _ask_all(handle: HomeHandle, facts: Sequence[Fact], way: str, progress: Progress) -> list[FactScore]:
    scores = []
    for number, fact in enumerate(facts, 1):
        item = {"question": fact["question"], "doc": fact["doc_id"], "as_of": fact["as_of"]}
        if way == "day_in_words":
            item = {"question": in_words(fact["question"], parse_day(fact["as_of"])), "doc": fact["doc_id"]}
        answer = answer_of(handle, item)
        score = score_fact(fact, answer)
        if answer["as_of"] != fact["as_of"]:
            score = FactScore(score.id, False, score.stale, score.citations, f"read as of {answer['as_of']}")
        scores.append(score)
        progress(way.replace("_", " "), number, len(facts))
    return scores


def _summary(scores: Sequence[FactScore]) -> dict[str, Any]:
    failing = [row for row in as_rows(scores) if not row["right"]]
    return {"right": sum(score.right for score in scores), "of": len(scores), "failing": failing}


def _known_between(
    handle: HomeHandle, facts: Sequence[Fact], between: Mapping[str, datetime], answers: Mapping[str, Any], progress: Progress
) -> dict[str, Any]:
    """Asked again with nothing but the instant: only the then newest text may answer, and it answers what it answered then.
    ``newest_text``: every citation is of the expected version, and there is one; ``right`` counts clause and phrase too."""
    right = newest = same = 0
    failing = []
    for number, fact in enumerate(facts, 1):
        if fact["id"] not in between:
            failing.append({"id": fact["id"], "why_not": "its version is not in the manifest"})
            continue
        item = {"question": fact["question"], "doc": fact["doc_id"]}
        answer = answer_of(handle, item, known_at=between[fact["id"]])
        versions = {cited["version"] for cited in answer["citations"]}
        newest += versions == {fact["expected_version"]}
        score = score_fact(fact, answer)
        right += score.right
        same += _said(answer) == _said(answers[fact["id"]])
        if not score.right:
            failing.append({"id": fact["id"], "why_not": score.why_not})
        progress("known at the instant between", number, len(facts))
    return {"newest_text": newest, "right": right, "same_as_then": same, "of": len(facts), "failing": failing}


def _said(answer: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(cited["clause_id"], cited["quote"]) for cited in answer["citations"]]


def stale_figures(handle: HomeHandle, answers: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Of the answers given between, those stale now; ``missed``: those whose words are gone from what is in force today and
    that are not listed, ``needless``: listed as rewritten though their clause reads the same."""
    listed = {item.answer_id: item for item in list_stale(handle)}
    missed = []
    for name, answer in answers.items():
        if answer["citations"] and answer["answer_id"] not in listed and not _still_said(handle, answer):
            missed.append(name)
    needless = sum(
        clause.cause == "modified" and clause.after is not None and clause.after.sha256 == clause.before.sha256
        for item in listed.values()
        for clause in item.clauses
    )
    causes = [clause.cause for item in listed.values() for clause in item.clauses]
    counted = {cause: causes.count(cause) for cause in ("modified", "removed", "rippled")}
    return {"answers": len(answers), "stale": len(listed), "clauses": counted, "missed": missed, "needless": needless}


def _still_said(handle: HomeHandle, answer: Mapping[str, Any]) -> bool:
    """Every quote stands word for word in what is in force of its document on the day that the answer is of."""
    corpus = handle.corpus()
    day = parse_day(answer["as_of"])
    standings = [item for (doc, _), group in corpus.timeline().items() for item in group if item.live]
    for cited in answer["citations"]:
        mine = [item for item in standings if item.row.doc_id == cited["doc_id"] and item.window.holds(day)]
        text = " ".join(
            clause.clause.text for item in mine for clause in corpus.clauses_of(item.row.doc_id, item.row.version_id)
        )
        if cited["role"] != "locator" and normalise(cited["quote"]) not in normalise(text):
            return False
    return True


def _score_changes(handle: HomeHandle, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """One change list: precision and recall of (kind, number) over numbered clauses."""
    corpus = handle.corpus()
    names = [wanted["from_version"], wanted["to_version"]]
    found = changes(corpus, wanted["doc_id"], names[0], names[1], date.max)
    score = score_list(wanted["changes"], rows_of(found.changes))
    return {"doc_id": wanted["doc_id"], "from": slug(names[0]), "to": slug(names[1]), **score.as_row()}
