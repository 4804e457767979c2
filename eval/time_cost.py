"""What time costs: comparing the longest pair of versions, and searching a day when ten versions lie beside it."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

from compliance_rag.retrieve.types import Query
from compliance_rag.service.ask import search
from compliance_rag.service.changes import changes
from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.store.corpus import Corpus
from compliance_rag.store.rows import VersionRow
from eval.homes import ingest
from schemas.manifest import ManifestEntry

RUNS = 5
VERSIONS = 10
# One clause in ten differs from version to version, as in the sets the store was chosen on.
CHANGED = 10
# Sections of the made document; a version of 300 is what the real ones are like.
SECTIONS = 300
QUESTIONS = 20
LAST_YEAR = 2030


def time_cost(handle: HomeHandle, folder: Path, facts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Milliseconds of `changes` on the two versions with the most text between them, first and warm; and the cost of an as-of
    search with ten versions a document over its cost with one."""
    report: dict[str, Any] = {"search_at_ten_versions": _search_ratio(folder)}
    pair = _longest_pair(handle.corpus())
    if pair is not None:
        before, after, size = pair
        taken = [_timed(lambda: _compare(handle.corpus(), before, after)) for _ in range(1 + RUNS)]
        report["changes"] = {
            "pair": f"{before.doc_id} {before.version} to {after.version}", "characters": size,
            "first_ms": round(taken[0], 1), "warm_ms": round(sorted(taken[1:])[RUNS // 2], 1),
        }  # fmt: skip
    return report


def _compare(corpus: Corpus, before: VersionRow, after: VersionRow) -> None:
    changes(corpus, before.doc_id, before.version_id, after.version_id, date.max)


def _timed(run: Any) -> float:
    started = time.perf_counter()
    run()
    return (time.perf_counter() - started) * 1000


def _longest_pair(corpus: Corpus) -> tuple[VersionRow, VersionRow, int] | None:
    """The neighbouring versions with the most text of clauses together."""
    best: tuple[VersionRow, VersionRow, int] | None = None
    for standings in corpus.timeline().values():
        live = [item.row for item in standings if item.live]
        sizes = [sum(len(c.clause.text) for c in corpus.clauses_of(row.doc_id, row.version_id)) for row in live]
        for at in range(len(live) - 1):
            size = sizes[at] + sizes[at + 1]
            if best is None or size > best[2]:
                best = (live[at], live[at + 1], size)
    return best


def _made(version: int) -> str:
    """A version of the made document: section ``n`` changed with every tenth version, counted from ``n``."""
    lines = ["# Handbook of the Harbour Office"]
    for section in range(1, SECTIONS + 1):
        revision = sum(1 for step in range(1, version + 1) if step % CHANGED == section % CHANGED)
        lines.append(
            f"{section}. The officer of berth {section} shall report arrivals of class {section % 7} within"
            f" {10 + revision} hours to desk {section % 13}."
        )
    return "\n\n".join(lines) + "\n"


def _search_ratio(folder: Path) -> dict[str, Any]:
    """Two homes with the same text in force on the last day: with that version alone, and with nine before it. Searches take
    turns between them, so that a busy machine slows both alike."""
    files = folder / "made"
    files.mkdir()
    entries = []
    for version in range(1, VERSIONS + 1):
        (files / f"{version}.md").write_text(_made(version), encoding="utf-8")
        start = date(LAST_YEAR - VERSIONS + version, 1, 1)
        entries.append(
            ManifestEntry(file=f"{version}.md", doc_id="handbook", version=str(version), effective_from=start, language="en")
        )
    homes = []
    for name, kept in (("one", entries[-1:]), ("ten", entries)):
        handle = open_home(folder / f"made-{name}", create=True)
        ingest(handle, kept, files)
        homes.append(handle)
    day = date(LAST_YEAR, 6, 1)
    questions = [
        f"When shall the officer of berth {number} report arrivals to desk {number % 13}?" for number in range(1, QUESTIONS)
    ]
    taken: list[list[float]] = [[], []]
    for question in [questions[0], *questions * RUNS]:
        for at, handle in enumerate(homes):
            query = Query(question, day, datetime.now(UTC))
            taken[at].append(_timed(lambda handle=handle, query=query: search(handle, query)))
    one, ten = (sorted(times[1:])[len(times) // 2] for times in taken)
    return {"one_ms": round(one, 2), "ten_ms": round(ten, 2), "ratio": round(ten / one, 3)}
