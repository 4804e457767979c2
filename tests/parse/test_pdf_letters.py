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


_PAGE = (
    "The supplier shall deliver the whole shipment to the warehouse within two weeks and show the written permit when the owner"
    " wants to know whether the work was allowed. It shall withdraw what was wrongly delivered and will follow all rules. Each "
    "clause of this contract becomes effective once the council accepts each article in public, and can cease with notice."
)


@pytest.mark.parametrize(("one", "other"), [("w", "v"), ("l", "I"), ("c", "e"), ("t", "f")])
def test_one_letter_written_for_two_is_suspected(one: str, other: str) -> None:
    """A map that gives one letter for two makes "vithin" and "shaII", which no swap of both repairs."""
    assert suspect_letters(_PAGE) is None
    spoilt = _PAGE.replace(one, other)
    assert suspect_letters(spoilt) is not None
    assert confirmed(spoilt, [spoilt])
    assert not confirmed(spoilt, [_PAGE])


def test_two_swapped_capitals_are_suspected() -> None:
    """Capitals that change places make "Suyer" and "Bupplier"; names of people and firms are not repaired by any one swap."""
    parties = "Supplier, Buyer, Board and Seller name their Bankers, Brokers and Shareholders by their Seats."
    assert suspect_letters(parties) is None
    assert "B and S change places" in str(suspect_letters(parties.translate(str.maketrans("SB", "BS"))))
    assert suspect_letters("Halvorsen, Duos, Senmiao, Blackwell, Munksgaard and Ecopetrol met in Bogota and Chengdu.") is None


def test_british_spelling_is_not_suspected() -> None:
    """Words that only the spelling of another country writes with a z are no sign of a broken map."""
    assert suspect_letters("They organise, recognise, authorise, minimise, centralise and harmonise the offices.") is None


@pytest.mark.parametrize(
    ("font", "code", "sign"), [("Symbol", 0xF0B3, "≥"), ("ABCDEF+Wingdings-Regular", 0xF0FE, "☑"), ("Other", 0xF0B3, "")]
)
def test_a_sign_of_a_symbol_font_is_named(font: str, code: int, sign: str) -> None:
    """A sign at a private place of Symbol or Wingdings is written by its name in Unicode; of another font it is told of."""
    extracted = read_source(font_with_map({ord("#"): code}, lines=["1 Fees", "The fee is # 5 euro a day."], font=font), "a.pdf")
    assert (f"The fee is {sign} 5 euro" in extracted.text) is bool(sign)
    assert ("unknown_symbol" in {flag.code for flag in extracted.flags}) is not bool(sign)
