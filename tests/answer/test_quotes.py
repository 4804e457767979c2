"""Where a quote stands (CASES 20)."""

from __future__ import annotations

import random

import pytest

from compliance_rag.answer.quotes import locate

WORDS = ["shall", "pay", "the", "agreed", "sum", "within", "days", "of", "notice"]
OVERRUNS = "The contractor takes the risk of cost overruns."
PAYMENT = "In every case the client pays within ten days of the invoice."
ROWS = [
    ("takes the risk of cost overruns", OVERRUNS, [], "verified", "verbatim"),
    ("takes the risk of cost overruns, including raw materials", OVERRUNS, [PAYMENT], "not_found", "words added at the end"),
    ("takes the risk of cost overruns", PAYMENT, [OVERRUNS], "misattributed", "given to another clause"),
    ("The contractor takes the risk and the client pays within ten days", OVERRUNS, [PAYMENT], "stitched",
     "halves joined by and"),
    ("takes the risk of cost overruns ... the client pays within ten days", OVERRUNS, [PAYMENT], "stitched",
     "halves joined by an ellipsis"),
    ('the "agreed"  sum', "It is the “agreed” sum.", [], "repaired", "curly quotes and a double space"),
    ("the agreed\nsum", "It is the agreed sum.", [], "repaired", "a line break"),
    ("The Contractor takes the risk", OVERRUNS, [], "not_found", "another capital is another word"),
    ("应当保存十年", "应当 保存 十年。", [], "repaired", "spaces inside Chinese"),
    ("应当保存十年甲方付款", "应当保存十年。", ["由甲方付款给乙方。"], "not_found", "a part too short to be anyone's words"),
    ("乙方应当保存资料十年，甲方应当在三十日内付款", "乙方应当保存资料十年。", ["甲方应当在三十日内付款。"], "stitched",
     "Chinese halves"),
    ("", OVERRUNS, [], "not_found", "nothing"),
    ("   ", OVERRUNS, [], "not_found", "white space"),
]  # fmt: skip


@pytest.mark.parametrize(("quote", "text", "others", "status", "why"), ROWS, ids=[row[4] for row in ROWS])
def test_status_of_a_quote(quote: str, text: str, others: list[str], status: str, why: str) -> None:
    """A quote is verified, repaired, misattributed, stitched or not found, and never anything else."""
    assert locate(quote, text, others).status == status


def test_a_repaired_quote_is_shown_as_stored() -> None:
    """The span of a repaired quote holds the stored characters, not the proposed ones."""
    text = "It is the “agreed” sum."
    found = locate('the "agreed"  sum', text)
    assert found.span is not None
    assert text[found.span[0] : found.span[1]] == "the “agreed” sum"


def test_any_slice_is_verified_at_its_own_words() -> None:
    """Random slices of a text are found, and the span holds exactly the slice."""
    seed = 20260101
    rng = random.Random(seed)
    text = " ".join(f"{word}-{n} “q” 第{n}条" for n, word in enumerate(WORDS * 5))
    for _ in range(300):
        start = rng.randrange(len(text) - 1)
        end = rng.randrange(start + 1, len(text) + 1)
        if not text[start:end].strip():
            continue
        found = locate(text[start:end], text)
        assert found.status == "verified", f"seed {seed}"
        assert found.span is not None
        assert text[found.span[0] : found.span[1]] == text[start:end]
