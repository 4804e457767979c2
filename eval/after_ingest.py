"""What is run after every ingest: the superseded-version and exception questions of the sample corpus, the answers of it that
later versions made stale, and the versions of the home itself, each asked on its last day."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

from compliance_rag.service.ask import work_out
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.homes import HomeHandle, PassageEmbedder, open_home
from compliance_rag.service.manifest import read_manifest
from eval.answers import BEFORE_CORRECTION, CORRECTION, answer_of, read_lines
from eval.homes import ACTOR, entries_of, ingest, now
from eval.scoring import score_gold
from eval.time_suite import stale_figures

SEED = 20261130
CATEGORIES = ("superseded_version", "exception")
# Clause versions of the home that are asked on their last day: enough to meet each kind of document, at 50 ms a question.
OWN_VERSIONS = 20
# Words of a clause that are asked: as many as a question has.
WORDS = 12


@dataclass(frozen=True, slots=True)
class Floor:
    """A figure of the report and the bound it must keep: at least, or at most."""

    name: str
    least: float | None = None
    most: float | None = None

    def holds(self, figures: Mapping[str, float]) -> bool:
        """Whether the figure keeps the bound."""
        value = figures[self.name]
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)


# What may never happen is bounded by nothing; shares are those measured when this was written, less one question.
FLOORS = (
    Floor("superseded_version right", least=0.9),
    Floor("exception right", least=0.94),
    Floor("clauses not in force cited", most=0),
    Floor("stale answers missed", most=0),
    Floor("stale answers listed needlessly", most=0),
    Floor("own versions: clauses not in force cited", most=0),
)


def after_ingest(handle: HomeHandle, scratch: Path, folder: Path) -> dict[str, float]:
    """The figures by name: the sample corpus in ``folder`` goes into a home under ``scratch`` with ``handle``'s embedder."""
    return {
        **_gold(scratch / "gold", folder, handle.embedder),
        **_stale(scratch / "stale", folder, handle.embedder),
        **own_versions(handle),
    }


def under_floors(figures: Mapping[str, float]) -> list[str]:
    """The figures that do not keep their bounds, each as a sentence."""
    return [
        f"{floor.name}: {figures[floor.name]:g}, at "
        + (f"least {floor.least:g}" if floor.least is not None else f"most {floor.most:g}")
        for floor in FLOORS
        if not floor.holds(figures)
    ]


def _gold(root: Path, folder: Path, embedder: PassageEmbedder) -> dict[str, float]:
    handle = open_home(root, create=True, embedder=embedder)
    ingest(handle, entries_of(folder), folder)
    before = now()
    if (folder / CORRECTION).is_file():
        ingest(handle, read_manifest(folder / CORRECTION), folder)
    right: dict[str, list[bool]] = {name: [] for name in CATEGORIES}
    forbidden = 0
    for item in read_lines(folder / "gold.jsonl"):
        if item["category"] in right:
            score = score_gold(item, answer_of(handle, item, before if item["known_at"] == BEFORE_CORRECTION else None))
            right[item["category"]].append(score.right)
            forbidden += len(score.forbidden)
    shares = {f"{name} right": round(sum(found) / max(1, len(found)), 4) for name, found in right.items()}
    return {**shares, "clauses not in force cited": forbidden}


def _stale(root: Path, folder: Path, embedder: PassageEmbedder) -> dict[str, float]:
    """The sample corpus in the order of its days, its questions asked after each version as a person would that day."""
    handle = open_home(root, create=True, embedder=embedder)
    items = list(read_lines(folder / "gold.jsonl"))
    answers = {}
    for entry in sorted(entries_of(folder), key=lambda one: one.effective_from):
        ingest(handle, [entry], folder)
        for item in items:
            if item["doc"] == entry.doc_id and item["category"] in CATEGORIES:
                asked = {"question": item["question"], "doc": entry.doc_id}
                answers[f"{item['id']} at {entry.version}"] = answer_of(handle, asked)
    found = stale_figures(handle, answers)
    return {
        "stale answers": found["stale"],
        "stale answers missed": len(found["missed"]),
        "stale answers listed needlessly": found["needless"],
    }


def own_versions(handle: HomeHandle) -> dict[str, float]:
    """A seeded sample of the home's clauses that have ended, each asked for by its first words on its last day: what is cited
    must be in force that day. ``found`` counts those cited themselves."""
    corpus = handle.corpus()
    rng = random.Random(SEED)
    ended = [
        clause
        for clause in corpus.by_rows(range(corpus.row_count))
        if clause.interval.end is not None and clause.interval.start is not None and clause.interval.start < clause.interval.end
        and len(clause.clause.text.split()) >= WORDS
    ]  # fmt: skip
    chosen = rng.sample(ended, min(OWN_VERSIONS, len(ended)))
    found = wrong = 0
    for clause in chosen:
        assert clause.interval.end is not None
        day = clause.interval.end - timedelta(days=1)
        text = " ".join(clause.clause.text.split()[:WORDS])
        work = work_out(handle, AskRequest(text, as_of=day, docs=(clause.version.doc_id,), use_model=False, actor=ACTOR))
        cited = [one.clause for one in work.checked]
        wrong += sum(not one.interval.holds(day) for one in cited)
        found += any(one.clause_id == clause.clause_id for one in cited)
    return {
        "own versions: asked": len(chosen),
        "own versions: found": found,
        "own versions: clauses not in force cited": wrong,
    }
