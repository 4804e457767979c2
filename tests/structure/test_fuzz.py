"""Any text gives a valid, linked tree: 1,000 texts in every run, 20,000 in the long one; the cost stays linear."""

from __future__ import annotations

import random
from functools import partial

import pytest

from eval.bench_structure import ALPHABETS, CONTRACT_CHARS, MAX_RATIO, growth, hostile, measure
from eval.fuzz_structure import COUNT, fuzz

# Two sizes at which a quadratic step shows and a linear one takes well under a second.
SMALL = (40_000, 80_000)
# Small sizes are dominated by fixed costs and by a busy machine; the long run holds the ratio.
SMALL_RATIO = 3.2


def test_a_thousand_texts() -> None:
    """No crash, no hang, clauses that tile, links that end at clauses."""
    seed = random.randrange(2**32)
    print("seed", seed)
    report = fuzz(1_000, seed)
    assert report["failures"] == [], report


@pytest.mark.parametrize("name", list(ALPHABETS))
def test_hostile_alphabets_stay_linear(name: str) -> None:
    """Twice the text takes about twice the time."""
    found = growth(partial(hostile, name), SMALL)
    assert found["ratio"] <= SMALL_RATIO or found["seconds"][-1] < 0.2, found
    assert found["links_ratio"] <= SMALL_RATIO or found["links_seconds"][-1] < 0.2, found


@pytest.mark.slow
def test_twenty_thousand_texts() -> None:
    """The long command's share."""
    seed = random.randrange(2**32)
    print("seed", seed)
    report = fuzz(COUNT, seed)
    assert report["failures"] == [], report


@pytest.mark.slow
def test_speed() -> None:
    """500,000 characters a second a core, a Chinese contract under 0.1 s, linear to 5 MB and on twelve hostile alphabets."""
    assert CONTRACT_CHARS == 50_000
    assert MAX_RATIO == 2.3
    assert measure()["failing"] == {}
