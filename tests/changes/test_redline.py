"""The redline gives both texts back, marks whole words, and stays quick on long texts."""

from __future__ import annotations

import random
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from compliance_rag.changes.redline import cut, redline

_WORDS = st.sampled_from(
    ["the", "Supplier", "shall", "pay", " ", "\n", "72", "，", "数据", "处理者", "应当", "。", "“x”", "a's", "\u3000", "é"]
)
_TEXT = st.lists(_WORDS, max_size=40).map("".join) | st.text(max_size=60)


@settings(deadline=None)  # the word cutter loads its dictionary in the first example
@given(_TEXT, _TEXT)
def test_joined_pieces_give_both_texts(before: str, after: str) -> None:
    """ "=" and "-" joined are the text before, "=" and "+" the text after, character for character."""
    pieces = redline(before, after)
    assert "".join(text for op, text in pieces if op != "+") == before
    assert "".join(text for op, text in pieces if op != "-") == after
    assert all(text for _, text in pieces)


@settings(deadline=None)
@given(_TEXT)
def test_words_join_to_the_text(text: str) -> None:
    """Cutting loses nothing."""
    assert "".join(cut(text)) == text


def test_a_number_is_one_word() -> None:
    """72 to 24 marks the figure, not its digits."""
    assert redline("within 72 hours", "within 24 hours") == [("=", "within "), ("-", "72"), ("+", "24"), ("=", " hours")]


def test_neighbouring_changes_are_one_mark() -> None:
    """Two changed words with a blank between them are marked together."""
    assert redline("kept seven years.", "kept five months.") == [
        ("=", "kept "),
        ("-", "seven years"),
        ("+", "five months"),
        ("=", "."),
    ]


def test_chinese_is_marked_by_word() -> None:
    """七十二 to 二十四 shares the character 十 and is one mark all the same."""
    marks = redline("应当在七十二小时内报告。", "应当在二十四小时内报告。")
    assert [piece for piece in marks if piece[0] != "="] == [("-", "七十二"), ("+", "二十四")]


def test_equal_texts_have_no_mark() -> None:
    """Nothing changed, nothing marked; empty gives empty."""
    assert redline("Keep logs.", "Keep logs.") == [("=", "Keep logs.")]
    assert redline("", "") == []


def test_a_long_table_is_compared_quickly() -> None:
    """Ten thousand words with a change in every fiftieth take less than two CPU seconds (no quadratic walk)."""
    rng = random.Random(7)
    before = [rng.choice(["the", "a", "of", f"w{rng.randrange(3000)}"]) for _ in range(10_000)]
    after = [word if at % 50 else f"n{at}" for at, word in enumerate(before)]
    start = time.process_time()
    pieces = redline(" ".join(before), " ".join(after))
    assert time.process_time() - start < 2
    assert "".join(text for op, text in pieces if op != "-") == " ".join(after)
