"""The positions suite: right boxes read back as the clause, wrong ones do not."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from compliance_rag.parse.parse import parse_version
from eval.positions import VARIANTS, OcrReader, changed, read_back
from tests.parse.pdfs import line, pdf

_ROWS = [
    "1. The supplier shall keep every record of a delivery for seven years.", "2. The buyer pays each sum within thirty days.",
    "3. Copies of the records are free of charge for the authority.",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS)
def test_right_boxes_are_read_back(variant: str) -> None:
    """As printed, turned and cropped, a clause's boxes give its words and hardly any other; boxes moved by a line do not."""
    data = changed(pdf(["".join(line(text, 72, 700 - 20 * n) for n, text in enumerate(_ROWS))]), variant)
    clauses = {clause.number: clause for clause in parse_version(data, "a.pdf").clauses}
    reader = OcrReader(int(variant.split()[-1]) if "turned" in variant else 0)
    found = read_back("a.pdf", variant, data, clauses["2"], reader)
    assert found.share >= 0.97
    assert found.foreign <= 0.05
    moved = read_back("a.pdf", variant, data, replace(clauses["2"], boxes=clauses["3"].boxes), reader)
    assert moved.share < 0.8


def test_every_variant_keeps_the_clauses(tmp_path: Path) -> None:
    """Turning and cropping change where clauses stand, never what they say."""
    data = pdf(["".join(line(text, 72, 700 - 20 * n) for n, text in enumerate(_ROWS))])
    versions = [parse_version(changed(data, variant), "a.pdf") for variant in VARIANTS]
    assert len({version.extracted for version in versions}) == 1
    assert len({version.clauses[1].boxes for version in versions}) == len(VARIANTS)
