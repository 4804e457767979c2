"""Baselines in the same run and with the same embedder: plain RAG over fixed chunks, the first five clauses, and our answer.

Plain RAG as tutorials build it: the text of every version cut every 500 tokens of the embedder, whatever stands there, and the
five nearest chunks by cosine. It knows documents and no days. Same questions, same gold, same count of what a clause is.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
import numpy.typing as npt

from compliance_rag.retrieve.types import Query
from compliance_rag.service.ask import search
from compliance_rag.service.asking import knowledge_of
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.manifest import read_manifest
from eval.answers import CORRECTION, answer_of, doc_names, read_lines
from eval.homes import Progress, ingest, no_progress, scratch_home
from schemas.clause import Span
from schemas.dates import parse_day, today
from schemas.errors import InputRejected

CHUNK_TOKENS = 500
SHOWN = 5
# A chunk holds a clause when at least this share of its words' characters lies in the chunks shown.
HELD_SHARE = 0.5
DIGITS = 4
WAYS = ("plain_rag", "top_5_clauses", "ask")


class Tokens(Protocol):
    """What the baselines need of an embedder."""

    def encode_passages(self, texts: Sequence[str], progress: Any = None) -> npt.NDArray[np.float32]:
        """Unit rows (n, dimension)."""

    def encode_query(self, text: str) -> npt.NDArray[np.float32]:
        """Unit row (dimension,)."""

    def token_spans(self, text: str) -> list[Span]:
        """Where each of the model's tokens lies in ``text``."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of one version: its text, and per clause in it how many characters of the clause it holds."""

    doc_id: str
    version_id: str
    text: str
    tokens: int
    holds: Mapping[str, int]


@dataclass(slots=True)
class Tally:
    """What one way showed, question by question."""

    recalls: list[float] = field(default_factory=list)
    complete: list[bool] = field(default_factory=list)
    precisions: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    stale: list[bool] = field(default_factory=list)

    def add(self, shown: Iterable[frozenset[str]], gold: frozenset[str], tokens: int, stale: bool) -> None:
        """Count a question: ``shown`` are the names of each clause shown."""
        clauses = list(shown)
        found = {name for names in clauses for name in names & gold}
        self.recalls.append(len(found) / len(gold))
        self.complete.append(found == gold)
        if clauses:
            self.precisions.append(sum(bool(names & gold) for names in clauses) / len(clauses))
        self.tokens.append(tokens)
        self.stale.append(stale)

    def printed(self) -> dict[str, Any]:
        """The means."""
        means: dict[str, Sequence[float]] = {
            "complete": self.complete, "recall": self.recalls, "precision": self.precisions, "not_in_force": self.stale,
        }  # fmt: skip
        shares = {name: round(statistics.fmean(values), DIGITS) if values else 0.0 for name, values in means.items()}
        return shares | {"tokens": round(statistics.fmean(self.tokens)) if self.tokens else 0}


def baselines_suite(folder: Path, data: Path, progress: Progress = no_progress) -> dict[str, Any]:
    """Ask every answerable question of ``questions.jsonl``, else ``gold.jsonl``, in the three ways.

    Raises InputRejected ``missing_file`` when the folder has neither.
    """
    handle, items = open_with(folder, data, progress)
    return compare(handle, items, progress)


def open_with(folder: Path, data: Path, progress: Progress = no_progress) -> tuple[HomeHandle, list[Mapping[str, Any]]]:
    """A home in ``folder`` with the documents of ``data``, corrections included, and its questions."""
    path = next((data / name for name in ("questions.jsonl", "gold.jsonl") if (data / name).is_file()), None)
    if path is None:
        raise InputRejected("missing_file", f"{data.name} holds neither questions.jsonl nor gold.jsonl.", str(data))
    handle, _ = scratch_home(folder, data, progress)
    if (data / CORRECTION).is_file():
        ingest(handle, read_manifest(data / CORRECTION), data, progress)
    return handle, list(read_lines(path))


def compare(handle: HomeHandle, items: Sequence[Mapping[str, Any]], progress: Progress = no_progress) -> dict[str, Any]:
    """The three ways on a home that holds the documents."""
    embedder = cast(Tokens, handle.embedder)
    names, sizes = clause_names(handle)
    chunks = chunks_of(whole_texts(handle), embedder)
    vectors = embedder.encode_passages(
        [chunk.text for chunk in chunks], lambda done, total: progress("embedding chunks", done, total)
    )
    asked = answerable(items)
    tallies = {way: Tally() for way in WAYS}
    for number, item in enumerate(asked, 1):
        gold = frozenset(item["gold"])
        near = _nearest(embedder.encode_query(item["question"]), vectors, chunks, doc_names(item.get("doc")))
        valid = in_force(handle, item)
        stale = any((chunk.doc_id, chunk.version_id) not in valid for chunk in near)
        tallies["plain_rag"].add((names[held] for held in held_clauses(near, sizes)), gold, sum(c.tokens for c in near), stale)
        _ours(handle, embedder, item, gold, tallies)
        progress("asking", number, len(asked))
    return {"questions": len(asked), "chunks": len(chunks)} | {way: tally.printed() for way, tally in tallies.items()}


def answerable(items: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """The questions that have an answer as things are known today: an index without time cannot be asked about yesterday."""
    return [item for item in items if item.get("answerable", True) and item.get("gold") and not item.get("known_at")]


def _ours(
    handle: HomeHandle, embedder: Tokens, item: Mapping[str, Any], gold: frozenset[str], tallies: Mapping[str, Tally]
) -> None:
    known_at = knowledge_of(handle, handle.corpus(), None, "recorded").known_at
    query = Query(item["question"], _day(handle, item), known_at, docs=doc_names(item.get("doc")), limit=SHOWN)
    hits = [(hit.clause_id, hit.source_id, hit.text) for hit in search(handle, query).hits]
    cited = [(entry["clause_id"], entry["source_id"], entry["text"]) for entry in answer_of(handle, item)["citations"]]
    for way, shown in (("top_5_clauses", hits), ("ask", cited)):
        tokens = sum(len(embedder.token_spans(text)) for _, _, text in shown)
        # Both read the in-force set alone, by law; whether they do is measured by other suites.
        tallies[way].add((frozenset(name for name in (one, other) if name) for one, other, _ in shown), gold, tokens, False)


def _day(handle: HomeHandle, item: Mapping[str, Any]) -> Any:
    return parse_day(item["as_of"]) if item.get("as_of") else today(handle.settings.time_zone)


def in_force(handle: HomeHandle, item: Mapping[str, Any]) -> set[tuple[str, str]]:
    """Document and version ids in force on the question's day."""
    corpus = handle.corpus()
    knowledge = knowledge_of(handle, corpus, None, "recorded")
    rows = corpus.in_force_set(_day(handle, item), knowledge).versions
    return {(row.doc_id, row.version_id) for row in rows}


@dataclass(frozen=True, slots=True)
class Whole:
    """One version as plain text, numbers, headings and words in order; ``places``: clause id, start and end of its words."""

    doc_id: str
    version_id: str
    text: str
    places: tuple[tuple[str, int, int], ...]

    def holds(self, start: int, end: int) -> dict[str, int]:
        """How many characters of each clause lie in a cut of the text."""
        cut = [place for place in self.places if place[1] < end and place[2] > start]
        return {name: min(end, last) - max(start, first) for name, first, last in cut}


def whole_texts(handle: HomeHandle) -> list[Whole]:
    """Every version's text, in the order recorded."""
    found: list[Whole] = []
    for row in handle.corpus().versions:
        parts: list[str] = []
        places: list[tuple[str, int, int]] = []
        length = 0
        for item in handle.corpus().clauses_of(row.doc_id, row.version_id):
            head = " ".join(part for part in (item.clause.number or "", item.clause.heading) if part)
            start = length + len(head) + 1
            places.append((item.clause_id, start, start + len(item.clause.text)))
            parts.append(f"{head}\n{item.clause.text}\n")
            length += len(parts[-1])
        found.append(Whole(row.doc_id, row.version_id, "".join(parts), tuple(places)))
    return found


def chunks_of(texts: Sequence[Whole], embedder: Tokens) -> list[Chunk]:
    """Each text cut every ``CHUNK_TOKENS`` tokens."""
    chunks: list[Chunk] = []
    for whole in texts:
        spans = embedder.token_spans(whole.text)
        for at in range(0, len(spans), CHUNK_TOKENS):
            cut = spans[at : at + CHUNK_TOKENS]
            start, end = cut[0][0], cut[-1][1]
            chunks.append(Chunk(whole.doc_id, whole.version_id, whole.text[start:end], len(cut), whole.holds(start, end)))
    return chunks


def clause_names(handle: HomeHandle) -> tuple[dict[str, frozenset[str]], dict[str, int]]:
    """By clause id: the names gold may use for it, and the length of its text."""
    names: dict[str, frozenset[str]] = {}
    sizes: dict[str, int] = {}
    for row in handle.corpus().versions:
        for item in handle.corpus().clauses_of(row.doc_id, row.version_id):
            names[item.clause_id] = frozenset(name for name in (item.clause_id, item.clause.source_id) if name)
            sizes[item.clause_id] = len(item.clause.text)
    return names, sizes


def _nearest(
    question: npt.NDArray[np.float32], vectors: npt.NDArray[np.float32], chunks: Sequence[Chunk], docs: tuple[str, ...]
) -> list[Chunk]:
    order = np.argsort(-(vectors @ question), kind="stable").tolist()
    allowed = (chunks[at] for at in order if not docs or chunks[at].doc_id in docs)
    return [chunk for chunk, _ in zip(allowed, range(SHOWN), strict=False)]


def held_clauses(near: Sequence[Chunk], sizes: Mapping[str, int]) -> list[str]:
    """Ids of the clauses that the chunks hold, by ``HELD_SHARE``."""
    counted: dict[str, int] = {}
    for chunk in near:
        for name, characters in chunk.holds.items():
            counted[name] = counted.get(name, 0) + characters
    return [name for name, characters in counted.items() if characters >= HELD_SHARE * sizes[name]]
