"""Links of a version are read once and kept within a bound."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from compliance_rag.store.linked import LinksKept
from compliance_rag.store.links import defined_terms, links_of
from schemas.clause import Definition
from schemas.home import Home
from tests.store.test_corpus import build, clause, parsed

VERSIONS = [
    ("rule", str(year), f"{year}-01-01", parsed(clause("1", f"Text {year}."), clause("1/a", f"Item {year}.")))
    for year in (2021, 2022, 2023)
]


def test_links_are_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking for the same links again reads nothing more than the clause tables already gave."""
    corpus = build(Home(tmp_path), VERSIONS)
    asked: list[str] = []
    plain = corpus.query

    def counted(sql: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        asked.append(sql)
        return plain(sql, values)

    monkeypatch.setattr(corpus, "query", counted)
    monkeypatch.setattr(corpus, "_linked", LinksKept(counted))
    found = corpus.clauses_of("rule", "2022")
    first = links_of(corpus, found, date(2022, 6, 1))
    assert len(asked) > 1
    asked.clear()
    assert links_of(corpus, found, date(2022, 6, 1)) == first
    assert corpus.row_ids(["rule@2022#1/a"]) == {"rule@2022#1/a": 3}
    assert asked == []


def test_kept_links_are_bounded(tmp_path: Path) -> None:
    """Beyond the limit the version asked for longest ago is let go; the one asked for is always held."""
    corpus = build(Home(tmp_path), VERSIONS)
    kept = LinksKept(corpus.query, limit=4)
    one, two, three = (kept.of(placed) for placed in corpus.placed)
    assert kept.of(corpus.placed[1]) is two
    assert kept.of(corpus.placed[2]) is three
    assert kept.of(corpus.placed[0]) is not one
    assert LinksKept(corpus.query, limit=1).of(corpus.placed[0]).row_of == {"1": 0, "1/a": 1}


def test_definitions_of_one_term_keep_their_order(tmp_path: Path) -> None:
    """A clause that defines a term twice gives both definitions in the order recorded, whatever the engine would do."""
    both = tuple(Definition("exit plan", ("1",), scope) for scope in ("9", "10", "document"))
    version = replace(VERSIONS[0][3], definitions=both)
    corpus = build(Home(tmp_path), [("rule", "2021", "2021-01-01", version)])
    assert [item.scope for _, item in defined_terms(corpus, corpus.versions)] == ["9", "10", "document"]
