"""Law 1 and robustness: any text gives a valid tree that tiles, in linear time."""

# ruff: noqa: E501 — tables of inputs read best a row a line
from __future__ import annotations

import random
import time
from dataclasses import replace
from pathlib import Path

import pytest

from compliance_rag.parse.outline import MAX_DEPTH
from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.tiling import check_tiling

SEED = 20260301
ROUNDS = 400
PIECES = [
    "1. ", "2. ", "(a) ", "(b) ", "(i) ", "(ii) ", "A. ", "1.1 ", "1.2.3 ", "28A ", "第一条 ", "第二条　", "一、", "（一）", "①", "附件一 ", "Part 1 ",
    "Chapter II ", "Schedule 1", "Article 5 ", "Section 2(b) ", "Annex", "# ", "## ", "- ", "    ", "\t", "\n", "\n\n", "Text here. ", "the rest; ",
    "甲方应当付款。", "TITLE", "**Bold**", "| a | b |\n| --- | --- |\n", "\u200b", "1.Guidance.2\t", "§ 3 ", "\ufeff", "x" * 90, "(", "1.1.1.1.1.1", "...... 12",
]  # fmt: skip
HOSTILE = {
    "digits": "1234567890", "dotted": "1.", "brackets": "(", "one label": "(a) x\n", "roman": "(i) x.\n", "letters": "a.b.c.\n", "chinese": "第一百二十条 甲。\n",
    "numerals": "一二三四五", "inline": "1 A. 2 B. 3 C. ", "decimals": "1.1 The. 1.2 The. ", "headings": "# A\n## B\n", "words": "1.2.Guidance and more ",
}  # fmt: skip


@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_assembled_texts(name: str) -> None:
    """Texts put together from labels and noise give a tree that tiles, no deeper than the limit; the seed is printed."""
    print(f"seed {SEED}")
    source = random.Random(SEED)
    for _ in range(ROUNDS):
        text = "".join(source.choice(PIECES) for _ in range(source.randint(1, 60))) + "end"
        version = parse_version(text.encode(), name)
        assert check_tiling(version) == [], repr(text)
        assert max(clause.depth for clause in version.clauses) <= MAX_DEPTH


@pytest.mark.parametrize("name", list(HOSTILE))
def test_linear_time(name: str) -> None:
    """Twice the text takes about twice the time, whatever it is made of (a slow machine is given slack, a square is not)."""
    unit = HOSTILE[name]
    times = []
    for size in (10_000, 40_000):
        data = (unit * (size // len(unit) + 1))[:size].encode()
        start = time.process_time()
        parse_version(data, "a.txt")
        times.append(time.process_time() - start)
    assert times[1] < 4 * 2.3 * max(times[0], 0.02)


def test_losses_are_found() -> None:
    """A clause taken out, a span moved or a hash changed is reported: the check is no rubber stamp."""
    version = parse_version(b"1. One\nText of one.\n2. Two\nText of two.\n", "a.txt")
    assert check_tiling(version) == []
    assert check_tiling(replace(version, clauses=version.clauses[:1]))
    assert check_tiling(replace(version, clauses=(version.clauses[0], replace(version.clauses[1], sha256="0" * 64))))
    doubled = replace(version.clauses[1], spans=version.clauses[0].spans, text=version.clauses[0].text)
    assert check_tiling(replace(version, clauses=(version.clauses[0], doubled)))


def test_real_versions_tile(measuring_data: Path) -> None:
    """Every real dated version tiles its extracted text."""
    files = sorted((measuring_data / "versioned").rglob("*.md"))[::5]
    assert files
    for path in files:
        assert check_tiling(parse_version(path.read_bytes(), path.name)) == [], path.name


def test_gold_clauses_exist(measuring_data: Path) -> None:
    """The clauses that the gold files name stand under exactly that number with the phrase, and articles are counted right."""
    from eval.structure import articles, facts

    assert facts(measuring_data / "versioned")["missing"] == []
    assert articles(measuring_data / "versioned")["wrong"] == []
