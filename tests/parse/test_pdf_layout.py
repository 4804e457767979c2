"""The order in which a PDF is read: columns, words broken at line ends, furniture, line numbers, tables, footnotes."""

from __future__ import annotations

import time
from pathlib import Path

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import read_source
from compliance_rag.parse.tiling import check_tiling as check_version
from tests.parse.conftest import check_tiling, texts
from tests.parse.pdfs import line, pdf

_LEFT = ["1. The supplier keeps every", "record of a delivery for the", "whole of seven years and it", "shows them on request."]
_RIGHT = ["2. The buyer pays each sum", "that is due within thirty of", "the days that follow on the", "delivery of the goods."]
_BODY = "The supplier shall keep every record of a delivery for seven years"


def _column(lines: list[str], x: float, top: float) -> list[str]:
    return [line(text, x, top - 14 * n, size=11) for n, text in enumerate(lines)]


def test_two_columns_are_read_one_after_the_other() -> None:
    """Columns are read from the left, whether the file writes them column by column or line by line; a title over both comes
    first, a note under both last."""
    title = line("Supply Terms of the Company and of all its Affiliates in Force", 72, 740, size=14)
    note = line("Both parties have signed these terms on the day that is printed at the head of them.", 72, 500, size=11)
    left, right = _column(_LEFT, 72, 700), _column(_RIGHT, 320, 700)
    wanted = [" ".join(_LEFT), " ".join(_RIGHT)]
    for body in ("".join(left + right), "".join(a + b for a, b in zip(left, right, strict=True))):
        extracted = read_source(pdf([title + body + note]), "a.pdf")
        check_tiling(extracted)
        found = texts(extracted)
        assert found[1:3] == wanted
        assert found[0].startswith("Supply Terms")
        assert found[3].startswith("Both parties")


def test_a_sentence_runs_on_in_the_next_column() -> None:
    """A sentence that ends the first column in its middle goes on in the second."""
    left = [*_LEFT[:3], "shows them to the buyer and"]
    right = [
        "to every authority that has a",
        "right to see them in the way",
        "that the law of the seat has",
        "laid down for such a case.",
    ]
    extracted = read_source(pdf(["".join(_column(left, 72, 700) + _column(right, 320, 700))]), "a.pdf")
    assert texts(extracted) == [" ".join(left + right)]


def test_hyphens_at_line_ends() -> None:
    """A word broken at a line's end is joined; a hyphen that the word has elsewhere in the document, or that joins two words of
    it, stays."""
    rows = [
        "1. The third-party rules say that the supplier is respon-", "sible for all of it, a third-",
        "party or not, and that a long-", "term plan and a co-", "operation are to be kept by it for the whole term of a",
        "non-", "exclusive right to all it keeps.",
    ]  # fmt: skip
    rows += ["2. It is not exclusive."]
    extracted = read_source(pdf(["".join(_column(rows, 72, 700))]), "a.pdf")
    text = " ".join(texts(extracted))
    for word in ("responsible", "third-party or not", "long-term", "cooperation", "non-exclusive"):
        assert word in text, text


def test_a_word_with_several_hyphens_keeps_them_at_a_line_end() -> None:
    """state-of-the-art keeps its hyphen wherever the line ends in it; a part broken inside loses the mark of the break."""
    rows = [
        "1. The plan is state-",
        "of-the-art, kept up-to-",
        "date and, by out-of-",
        "band means, non-com-",
        "pliance-proof for all time.",
    ]
    extracted = read_source(pdf(["".join(_column(rows, 72, 700))]), "a.pdf")
    text = " ".join(texts(extracted))
    for word in ("state-of-the-art,", "up-to-date", "out-of-band", "non-compliance-proof"):
        assert word in text, text


def test_alternating_headers_and_roman_numbers() -> None:
    """Headers that alternate from left to right pages and roman page numbers are furniture."""
    roman = ["i", "ii", "iii", "iv", "v", "vi"]
    words = ["cheese", "wine", "bread", "fruit", "fish", "grain"]
    pages = [
        line("ACME plc" if n % 2 else "Supply Terms", 72, 780, size=9)
        + line(f"{n + 1}. {_BODY} of {words[n]}.", 72, 600)
        + line(roman[n], 300, 20, size=9)
        for n in range(6)
    ]
    extracted = read_source(pdf(pages), "a.pdf")
    assert [block.kind for block in extracted.blocks].count("furniture") == 12
    assert sum(block.kind == "paragraph" for block in extracted.blocks) == 6


def test_numbered_sentences_at_one_place_are_text() -> None:
    """Clauses that open each page at the same height, numbered with the pages, are no headers."""
    pages = [line(f"{n}. {_BODY}.", 72, 780) + line(f"{n}.1 Copies too.", 72, 700) for n in range(1, 7)]
    extracted = read_source(pdf(pages), "a.pdf")
    assert {block.kind for block in extracted.blocks} == {"paragraph"}


def test_line_numbers_are_furniture() -> None:
    """Numbers of lines in the margin are set aside; the sentence beside them reads on."""

    def page(start: int) -> str:
        rows = [
            f"{start}. {_BODY}",
            "and it shall show them to the buyer, who may at any time copy",
            "them and may keep the copies at the seat of the company",
            "as long as it likes.",
        ] * 4
        rows = [text.replace(f"{start}.", f"{start + n // 4}.") for n, text in enumerate(rows)]
        return "".join(line(text, 90, 740 - 24 * n) + line(str(n + 1), 50, 740 - 24 * n, size=9) for n, text in enumerate(rows))

    extracted = read_source(pdf([page(1), page(5)]), "a.pdf")
    check_tiling(extracted)
    body = [text for block, text in zip(extracted.blocks, texts(extracted), strict=True) if block.kind == "paragraph"]
    assert len(body) == 8
    assert all(text.endswith("as long as it likes.") and "copy them and" in text for text in body)


def test_a_table_has_cells() -> None:
    """Rows of cells in columns are a table; a cell of two lines stays one cell where rules part the rows."""
    rows = [("Kind", "Term", "Place"), ("Invoices", "seven years", "head office"), ("Letters", "three years", "branch")]
    cells = "".join(
        line(text, 72 + 150 * at, 700 - 30 * n) for n, row in enumerate(rows) for at, text in enumerate(row)
    ) + line("and notes", 72, 628)
    rules = "".join(f"60 {y} 450 0.5 re f\n" for y in (718, 690, 660, 620))
    body = line(f"1. {_BODY} as this table says:", 72, 740) + cells + rules + line(f"2. {_BODY}.", 72, 590)
    extracted = read_source(pdf([body]), "a.pdf")
    check_tiling(extracted)
    (table,) = (block for block in extracted.blocks if block.kind == "table")
    assert extracted.text[slice(*table.span)].splitlines() == [
        "| Kind | Term | Place |", "| Invoices | seven years | head office |", "| Letters and notes | three years | branch |",
    ]  # fmt: skip
    assert len(table.boxes) == 10


def test_numbers_beside_their_words_are_no_table() -> None:
    """Labels set apart from their text by a tab are clauses, not rows of a table."""
    rows = [("1.", f"{_BODY}."), ("2.", "The buyer may see them."), ("3.", "Copies are free."), ("4.", "Nothing else is due.")]
    body = "".join(line(text, x, 700 - 20 * n) for n, row in enumerate(rows) for x, text in zip((72, 110), row, strict=True))
    version = parse_version(pdf([body]), "a.pdf")
    assert [clause.number for clause in version.clauses] == ["1", "2", "3", "4"]


def test_a_footnote_breaks_no_sentence() -> None:
    """A footnote at the foot of a page stands after the sentence that runs on over the page."""
    first = line(f"1. {_BODY} and it", 72, 120) + line("1 Seven years from the day of delivery.", 72, 60, size=8)
    first += "72 75 100 0.5 re f\n" + line(f"0. {_BODY}.", 72, 160)
    extracted = read_source(pdf([first, line("shows them on request.", 72, 740) + line(f"2. {_BODY}.", 72, 700)]), "a.pdf")
    check_tiling(extracted)
    assert texts(extracted)[1:3] == [f"1. {_BODY} and it shows them on request.", "1 Seven years from the day of delivery."]
    assert [block.kind for block in extracted.blocks] == ["paragraph", "paragraph", "footnote", "paragraph"]


def test_a_stamp_across_the_page_is_furniture() -> None:
    """A word set across the page at an angle is set aside and breaks nothing."""
    stamp = "BT 0.8 g /F1 60 Tf 0.7 0.7 -0.7 0.7 150 250 Tm (DRAFT) Tj ET\n"
    extracted = read_source(pdf([stamp + line(f"1. {_BODY}.", 72, 700)]), "a.pdf")
    assert [(block.kind, text) for block, text in zip(extracted.blocks, texts(extracted), strict=True)] == [
        ("paragraph", f"1. {_BODY}."), ("furniture", "DRAFT"),
    ]  # fmt: skip


def test_real_documents_tile_and_are_read_alike_twice(measuring_data: Path) -> None:
    """Laws 1 and 10 on real PDFs: every visible character in one place, the same clauses and boxes from the same bytes."""
    files = [*sorted((measuring_data / "openchain-spec").rglob("*.pdf"))[-1:], *(measuring_data / "messy").rglob("USC*.pdf")]
    assert len(files) == 2
    for path in files:
        version = parse_version(path.read_bytes(), path.name)
        assert check_version(version) == []
        assert version == parse_version(path.read_bytes(), path.name)
        assert all(len(clause.boxes) == len(clause.box_ranges) for clause in version.clauses)
        assert all("".join(c.text[slice(*span)] for span in c.box_ranges) == c.text for c in version.clauses if c.boxes)


def test_a_page_of_cells_takes_linear_time() -> None:
    """Twice the cells on a page take about twice the time."""
    times = []
    for rows in (100, 400):
        body = "".join(line(f"a{n} b", 72 + 90 * at, 780 - 1.9 * n, size=2) for n in range(rows) for at in range(6))
        data = pdf([body + line(_BODY, 72, 10)])
        start = time.process_time()
        parse_version(data, "a.pdf")
        times.append(time.process_time() - start)
    assert times[1] < 4 * 2.5 * max(times[0], 0.1)


def test_rules_typed_with_dashes_part_a_table() -> None:
    """Rows of dashes are furniture, and rules of the table they part; a blank to be signed on stays text."""
    rows = [("Year", "Fee"), ("1", "ten pounds"), ("2", "twelve pounds")]
    body = line(f"1. {_BODY}:", 72, 740) + line("-" * 60, 72, 712)
    for n, row in enumerate(rows):
        body += "".join(line(text, 72 + 200 * at, 700 - 24 * n) for at, text in enumerate(row)) + line(
            "-" * 60, 72, 688 - 24 * n
        )
    extracted = read_source(pdf([body + line("Signed: ______________", 72, 560)]), "a.pdf")
    (table,) = (block for block in extracted.blocks if block.kind == "table")
    assert extracted.text[slice(*table.span)] == "| Year | Fee |\n| 1 | ten pounds |\n| 2 | twelve pounds |"
    assert [block.kind for block in extracted.blocks].count("furniture") == 4
    assert "Signed: ______________" in texts(extracted)
