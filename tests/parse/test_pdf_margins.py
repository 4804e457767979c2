"""What stands beside the text of a PDF: titles in the margin, numbers of each fifth line, words that run up the edge."""

from __future__ import annotations

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import read_source
from tests.parse.conftest import check_tiling
from tests.parse.docxs import rows
from tests.parse.pdfs import line, pdf

_ACT = [
    ("1. A person who keeps a kennel shall register it", ""), ("with the council before the first dog is taken in.", "Duty to"),
    ("2. A person who does not register a kennel commits", "Offences"), ("an offence and pays a fine of 400 pounds.", ""),
    ("3. This Act may be cited as the Kennels Act and", "Short title."), ("is in force from the first of May.", ""),
]  # fmt: skip


def test_titles_in_the_margin_are_set_down_after_their_paragraph() -> None:
    """Titles printed beside sections, in smaller type, stand in no sentence of the text and in the clause they title."""
    body = ""
    for at, (words, note) in enumerate(_ACT):
        body += line(words, 72, 700 - 16 * at, size=11)
        body += line(note, 430, 700 - 16 * at, size=8) if note else ""
    extracted = read_source(pdf([body]), "a.pdf")
    check_tiling(extracted)
    assert [(path, text) for path, _, _, text in rows(parse_version(pdf([body]), "a.pdf").clauses)] == [
        ("1", "A person who keeps a kennel shall register it with the council before the first dog is taken in.\nDuty to"),
        ("2", "A person who does not register a kennel commits an offence and pays a fine of 400 pounds.\nOffences"),
        ("3", "This Act may be cited as the Kennels Act and is in force from the first of May.\nShort title."),
    ]


_WORDS = "the owner of a vessel shall keep a log of each voyage and show it to an officer who asks"


def _numbered(side: float) -> bytes:
    pages = []
    for page in (0, 1):
        body = ""
        for at in range(15):
            number = 15 * page + at + 1
            words = (
                f"{number // 5 + 1}. {_WORDS.capitalize()}" if number % 5 == 1 else _WORDS + ("." if number % 5 == 0 else "")
            )
            body += line(words, 90, 760 - 20 * at, size=11)
            body += line(str(number), side, 760 - 20 * at, size=8) if number % 5 == 0 else ""
        pages.append(body)
    return pdf(pages)


def test_numbers_of_each_fifth_line_are_furniture() -> None:
    """Bills number each fifth line, in the left margin or the right; the figures are in no clause."""
    for side in (60.0, 560.0):
        version = parse_version(_numbered(side), "a.pdf")
        assert [clause.path for clause in version.clauses] == [(str(number),) for number in range(1, 7)]
        assert all(not char.isdigit() for clause in version.clauses for char in clause.text)
        assert [version.extracted[slice(*span)].split() for span in version.furniture] == [
            ["5", "10", "15"],
            ["20", "25", "30"],
        ]


def test_figures_of_a_list_by_fives_stay() -> None:
    """A table of rates by fives is no line numbering: there are no lines of text from one figure to the next."""
    body = line("1 Rates", 90, 760) + line("The rates by age are these:", 90, 740)
    body += "".join(
        line(f"{5 * k}", 60, 740 - 20 * k) + line(f"the rate is {k} per cent", 90, 740 - 20 * k) for k in range(1, 6)
    )
    assert parse_version(pdf([body]), "a.pdf").furniture == ()


def test_words_that_run_up_the_margin_are_furniture() -> None:
    """The name of a journal printed sideways in the margin is in no clause; a page of sideways text is text."""
    edge = "BT 0 g /F1 8 Tf 0 1 -1 0 30 300 Tm (Official Journal L 119/33) Tj ET\n"
    text = "".join(
        line(words, 80, 700 - 16 * at) for at, words in enumerate(("4 Fine", "The fine is 50 EUR.", "It is due in May."))
    )
    version = parse_version(pdf([text + edge]), "a.pdf")
    assert [clause.text for clause in version.clauses] == ["The fine is 50 EUR. It is due in May."]
    assert [version.extracted[slice(*span)] for span in version.furniture] == ["Official Journal L 119/33"]
