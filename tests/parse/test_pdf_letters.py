"""Fonts whose map swaps letters: suspected by their words, compared with the picture, never read as they stand."""

from __future__ import annotations

import pytest

from compliance_rag.parse.readers import read_source
from compliance_rag.parse.readers.pdf_letters import confirmed, suspect_letters
from tests.parse.conftest import texts
from tests.parse.test_pdf_digits import font_with_map, reader_of

_LINES = [
    "1 Term", "The tenant shall not let the flat to another person for any rent.",
    "The landlord may enter the flat in the day time once a month.",
]  # fmt: skip
_TEXT = " ".join(_LINES)


@pytest.mark.parametrize("pair", ["mn", "tw", "ae", "nw"])
def test_two_swapped_letters_are_read_from_the_picture(pair: str) -> None:
    """A map that swaps two letters makes "shall not" another word: the page is read from its picture, and flagged."""
    one, other = (ord(letter) for letter in pair)
    extracted = read_source(font_with_map({one: other, other: one}, lines=_LINES), "a.pdf", scans=reader_of(_LINES))
    assert "The tenant shall not let the flat" in " ".join(texts(extracted))
    assert "broken_font_map" in {flag.code for flag in extracted.flags}


def test_letters_of_another_alphabet_are_suspected() -> None:
    """Cyrillic letters that look like Latin ones make words that no search finds; a unit or a symbol makes none."""
    assert "two alphabets" in str(suspect_letters(_TEXT.replace("a", "а").replace("e", "е")))
    assert suspect_letters("A layer of 5 µm and 7 μm, α-level and Ω-points, at 3 kΩ.") is None


def test_names_and_terms_of_a_trade_are_not_suspected() -> None:
    """Unknown words that no one swap explains are a trade's; those that the picture shows too are printed so."""
    trade = "sublicense copyleft indemnitee indemnitor protectable authenticatable plaintext catchline mentis spdx uelma"
    assert suspect_letters(f"{_TEXT} {trade}") is None
    swapped = _TEXT.translate(str.maketrans("mn", "nm"))
    assert suspect_letters(swapped) is not None
    assert confirmed(swapped, [swapped])
    assert not confirmed(swapped, [_TEXT])
