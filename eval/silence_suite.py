"""The silence suite: each question asked of the document that answers it, of one that holds none of the answer (other subject),
and of its own document ingested without the passages that answer (gap). What is refused, and what wrongly, with the curve."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from compliance_rag.service.ask import work_out
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.homes import HomeHandle, PassageEmbedder, open_home
from eval.homes import ACTOR, Progress, entries_of, ingest, no_progress
from eval.retrieval_suite import QUESTIONS, questions_of
from schemas.errors import InputRejected
from schemas.manifest import ManifestEntry

SEED = 20261130
# Questions of each kind: at 300 a share of 93 % is known to three points.
SAMPLE = 300
CLAUSE_FILE = ".clauses.json"
# Over-refusals at which the curve is told.
OVER_REFUSALS = (0.02, 0.03, 0.05, 0.08, 0.10, 0.15, 0.20)
DIGITS = 4
RIGHT, OTHER, GAP = "right document", "other subject", "gap"


@dataclass(frozen=True, slots=True)
class Asked:
    """A question with the documents that answer it, and one that holds none of its gold (None when there is no other)."""

    id: str
    request: AskRequest
    gold: frozenset[str]
    other: str | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Whether it was refused, and why; ``score``: how likely the documents answer, by the silence rule; ``elsewhere``: refused
    for another reason than that rule, so that its threshold changes nothing."""

    refused: bool
    reason: str
    score: float
    elsewhere: bool


class Remembering:
    """An embedder that computes each text once: the reduced documents are almost the whole ones."""

    def __init__(self, embedder: PassageEmbedder) -> None:
        self.embedder = embedder
        self.identity = embedder.identity
        self._rows: dict[str, npt.NDArray[np.float32]] = {}

    def encode_passages(self, texts: Sequence[str], progress: Any = None) -> npt.NDArray[np.float32]:
        """Unit rows (n, dimension)."""
        new = list(dict.fromkeys(text for text in texts if text not in self._rows))
        if new:
            self._rows.update(zip(new, self.embedder.encode_passages(new, progress), strict=True))
        return np.stack([self._rows[text] for text in texts]) if texts else self.embedder.encode_passages([])

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        """Unit row (dimension,)."""
        key = f"question: {text}"
        if key not in self._rows:
            self._rows[key] = self.embedder.encode_query(text)
        return self._rows[key]


def silence_suite(
    folder: Path,
    data: Path,
    progress: Progress = no_progress,
    *,
    embedder: PassageEmbedder | None = None,
    count: int = SAMPLE,
) -> dict[str, Any]:
    """Ingest ``data`` whole and reduced into homes under ``folder`` and ask ``count`` of its questions three times.

    Raises InputRejected ``missing_file`` when there are no questions.
    """
    if not (data / QUESTIONS).is_file():
        raise InputRejected("missing_file", f"{data.name} holds no {QUESTIONS}.", QUESTIONS)
    whole = open_home(folder / "whole", create=True, embedder=embedder)
    remembering = Remembering(whole.embedder)
    whole = open_home(folder / "whole", embedder=remembering)
    entries = entries_of(data)
    ingest(whole, entries, data, progress)
    asked = sample(whole, data, count)
    without = frozenset[str]().union(*(one.gold for one in asked))
    reduced = reduce_files(entries, data, folder / "reduced", without)
    gapped = open_home(folder / "gapped", create=True, embedder=remembering)
    ingest(gapped, reduced, folder / "reduced", progress)
    return compare(whole, gapped, asked, progress)


def sample(handle: HomeHandle, data: Path, count: int) -> list[Asked]:
    """A seeded sample of the answerable questions whose gold is held, each with a seeded document of none of its gold."""
    rng = random.Random(SEED)
    corpus = handle.corpus()
    holding: dict[str, set[str]] = defaultdict(set)
    for clause in corpus.by_rows(range(corpus.row_count)):
        holding[clause.clause_id].add(clause.version.doc_id)
        if clause.clause.source_id is not None:
            holding[clause.clause.source_id].add(clause.version.doc_id)
    documents = sorted({row.doc_id for row in corpus.versions})
    questions = [question for question in questions_of(data) if question.gold <= holding.keys()]
    found = []
    for question in rng.sample(questions, min(count, len(questions))):
        docs = frozenset[str]().union(*(holding[name] for name in question.gold))
        others = [doc for doc in documents if doc not in docs]
        request = AskRequest(question.text, as_of=question.as_of, docs=tuple(sorted(docs)), use_model=False, actor=ACTOR)
        found.append(Asked(question.id, request, question.gold, rng.choice(others) if others else None))
    return found


def reduce_files(entries: Iterable[ManifestEntry], data: Path, target: Path, without: frozenset[str]) -> list[ManifestEntry]:
    """Copies of the clause files without the passages in ``without`` (by source id), under ``target``; their entries. Files of
    other kinds, and files of which nothing is left, are left out."""
    kept = []
    for entry in entries:
        if not entry.file.endswith(CLAUSE_FILE):
            continue
        value = json.loads((data / entry.file).read_text(encoding="utf-8"))
        value["clauses"] = _reduced(value["clauses"], without)
        if not value["clauses"]:
            continue
        path = target / entry.file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value, ensure_ascii=False), encoding="utf-8")
        kept.append(entry)
    return kept


def _reduced(clauses: Sequence[dict[str, Any]], without: frozenset[str]) -> list[dict[str, Any]]:
    """A passage with others under it keeps its number, so that these stay where they stand."""
    kept = []
    for clause in clauses:
        children = _reduced(clause.get("children") or (), without)
        if str(clause.get("source_id")) not in without:
            kept.append({**clause, "children": children})
        elif children:
            kept.append({"number": clause.get("number"), "heading": clause.get("heading"), "children": children})
    return kept


def compare(whole: HomeHandle, gapped: HomeHandle, asked: Sequence[Asked], progress: Progress = no_progress) -> dict[str, Any]:
    """Every question of ``asked`` three times; the figures."""
    held = {row.doc_id for row in gapped.corpus().versions}
    found: dict[str, list[Outcome]] = {RIGHT: [], OTHER: [], GAP: []}
    for number, one in enumerate(asked, 1):
        found[RIGHT].append(outcome(whole, one.request))
        if one.other is not None:
            found[OTHER].append(outcome(whole, _of(one.request, (one.other,))))
        if set(one.request.docs) <= held:
            found[GAP].append(outcome(gapped, one.request))
        progress("silence", number, len(asked))
    return report(found)


def _of(request: AskRequest, docs: tuple[str, ...]) -> AskRequest:
    return AskRequest(request.question, as_of=request.as_of, docs=docs, use_model=False, actor=ACTOR)


def outcome(handle: HomeHandle, request: AskRequest) -> Outcome:
    """What `ask` would do, without recording it."""
    work = work_out(handle, request)
    silence = None if work.outcome is None else work.outcome.silence
    return Outcome(
        work.refused is not None,
        work.refused or "answered",
        0.0 if silence is None else silence.score,
        work.refused is not None and (silence is None or not silence.silent),
    )


def report(found: Mapping[str, Sequence[Outcome]]) -> dict[str, Any]:
    """Shares refused at the operating point, and along the threshold."""
    return {
        "seed": SEED,
        "kinds": {
            name: {
                "asked": len(outcomes),
                "refused": _share(outcomes, lambda one: one.refused),
                "not_by_the_silence_rule": _share(outcomes, lambda one: one.elsewhere),
                "reasons": dict(Counter(one.reason for one in outcomes)),
            }
            for name, outcomes in found.items()
        },
        "curve": [_at(found, share) for share in OVER_REFUSALS],
    }


def _share(outcomes: Sequence[Outcome], holds: Callable[[Outcome], bool]) -> float | None:
    return round(sum(map(holds, outcomes)) / len(outcomes), DIGITS) if outcomes else None


def _at(found: Mapping[str, Sequence[Outcome]], over: float) -> dict[str, Any]:
    """The highest threshold that refuses at most the share ``over`` of the right documents' questions, and what it refuses of
    the others; refusals for other reasons stand at any threshold."""
    scores = sorted(0.0 if one.elsewhere else one.score for one in found[RIGHT])
    place = int(over * len(scores))
    threshold = scores[place] if place < len(scores) else 1.0

    def refused(one: Outcome) -> bool:
        return one.elsewhere or one.score < threshold

    return {"threshold": round(threshold, DIGITS), **{name: _share(rows, refused) for name, rows in found.items()}}
