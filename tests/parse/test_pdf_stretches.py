"""Short stretches of columns, grids drawn in one go, notes that run over a page."""

from __future__ import annotations

from array import array

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers.pdf_paragraphs import learn_steps, paragraphs
from compliance_rag.parse.readers.pdf_types import Line
from tests.parse.docxs import rows
from tests.parse.pdfs import line, pdf

_LEFT = [
    "1 Scope",
    "These rules bind every member of the",
    "house and each of its employees who",
    "handles the money of a client.",
]
_RIGHT = [
    "2 Margin",
    "Margin is called each morning before",
    "nine and paid in cash within an hour of",
    "the call to the member.",
]
_GRID = "60 600 m 540 600 l 60 580 m 540 580 l 60 560 m 540 560 l 60 560 m 60 600 l 200 560 m 200 600 l 540 560 m 540 600 l S\n"


def _lines(words: list[str], x: float, y: float) -> str:
    return "".join(
        line(text, x, y - 14 * at, size=10, font="F2" if text[0].isdigit() else "F1") for at, text in enumerate(words)
    )


def test_a_short_stretch_keeps_to_the_columns_above_it() -> None:
    """Below a table that spans both columns two lines a column are read column by column, and the grid, drawn as one path, has
    its rows."""
    table = "".join(
        line(text, 64 + 140 * column, 586 - 20 * row, size=10)
        for row, cells in enumerate((("Class", "Margin rate"), ("A", "3 per cent")))
        for column, text in enumerate(cells)
    )
    below = _lines(["3 Fees", "The fee is 12,000 EUR a year."], 60, 530) + _lines(
        ["4 Entry", "These rules are in force."], 315, 530
    )
    page = _lines(_LEFT, 60, 720) + _lines(_RIGHT, 315, 720) + _GRID + table + below
    assert [(path, text) for path, _, _, text in rows(parse_version(pdf([page]), "a.pdf").clauses)] == [
        ("1", "These rules bind every member of the house and each of its employees who handles the money of a client."),
        ("2", "Margin is called each morning before nine and paid in cash within an hour of the call to the member.\n"
              "| Class | Margin rate |\n| A | 3 per cent |"),
        ("3", "The fee is 12,000 EUR a year."),
        ("4", "These rules are in force."),
    ]  # fmt: skip


def test_strikes_drawn_as_one_path_are_known() -> None:
    """Two strokes of one path through two lines of words are strikes, as two paths are."""
    strokes = "72 688.5 m 190 688.5 l 72 658.5 m 170 658.5 l S\n"
    page = line("1 Term", 72, 700) + line("The term is nine years.", 72, 685)
    page += line("2 End", 72, 670) + line("It ends in May.", 72, 655)
    clauses = parse_version(pdf([page + strokes]), "a.pdf").clauses
    assert [clause.path[0] for clause in clauses if "struck_text" in clause.flags] == ["1", "2"]


def test_a_note_that_runs_over_a_page_stays_whole() -> None:
    """The rest of a note at the foot of the next page belongs to the note, and to the clause that bears its mark."""
    rule = "72 120 m 160 120 l S\n"
    first = line("1 Term", 72, 700, size=11) + line("The term is 10", 72, 685, size=11) + line("1", 142, 689.5, size=6.5)
    first += line("days.", 149, 685, size=11) + rule + line("1", 72, 109, size=5.5)
    first += line("Not counting Sundays and the", 76, 105, size=8)
    second = line("2 Fee", 72, 700, size=11) + line("The fee is 5 EUR.", 72, 685, size=11) + rule
    version = parse_version(pdf([first, second + line("feasts of the town.", 72, 105, size=8)]), "a.pdf")
    assert [clause.text for clause in version.clauses] == [
        "The term is 10[1] days.\n[1] Not counting Sundays and the feasts of the town.",
        "The fee is 5 EUR.",
    ]


def _clauses(words: list[str]) -> list[tuple[str, str]]:
    page = "".join(line(text, 72, 700 - 14 * at, size=11) for at, text in enumerate(words))
    return [(path, text) for path, _, _, text in rows(parse_version(pdf([page]), "a.pdf").clauses)]


def test_a_number_in_sequence_opens_a_clause_after_a_line_without_a_stop() -> None:
    """A stop that was not printed, or not read, loses no clause; a number that the sentence cites opens none."""
    found = _clauses([
        "1.1 The tenant gives notice of 90 days where the rent rises by 5 per cent",
        "1.2 A notice that is not in writing is void, and so is one that is not under section",
        "1.3 Of the former terms nothing is left in force here.",
    ])  # fmt: skip
    assert [path for path, _ in found] == ["1/1", "1/2"]
    assert found[1][1].endswith("under section 1.3 Of the former terms nothing is left in force here.")


def test_the_first_member_of_a_list_opens_it_after_words_that_lead_in() -> None:
    """Members at the starts of lines are a list, whatever the words before the first end in; a cited member is none."""
    found = _clauses([
        "2.1 The staff sign a register on every day before the market opens and also",
        "(a) note the time of arrival in the register that lies at the door; and",
        "(b) note the time of leaving.",
        "2.2 The staff keep the register for a year, as said in the rules and in paragraph",
        "(a) of section 2.1 above; nothing else is kept there.",
    ])  # fmt: skip
    assert [path for path, _ in found] == ["2/1", "2/1/a", "2/1/b", "2/2"]
    assert found[0][1] == "The staff sign a register on every day before the market opens and also"


def test_a_range_of_numbers_that_a_line_breaks_stays_one() -> None:
    """A line that ends in a hyphen goes on, also where the next opens as a number of a clause would."""
    assert _clauses(["1 Term", "The first period is 2024-", "2025. The fee is 5-", "10 per cent of the sum."]) == [
        ("1", "The first period is 2024-2025. The fee is 5-10 per cent of the sum."),
    ]  # fmt: skip


def test_clauses_laid_out_in_a_grid_are_clauses() -> None:
    """Numbers in the first column of a ruled grid and sentences in the second are clauses; figures and amounts are a table."""
    grid = (
        "72 640 m 500 640 l 72 620 m 500 620 l 72 600 m 500 600 l 72 600 m 72 640 l 120 600 m 120 640 l 500 600 m 500 640 l S\n"
    )

    def page(cells: list[tuple[str, str]]) -> bytes:
        body = line("3 Duties", 72, 680) + line("They are these:", 72, 665) + grid
        return pdf([
            body + "".join(line(a, 76, 626 - 20 * at) + line(b, 124, 626 - 20 * at) for at, (a, b) in enumerate(cells))
        ])  # fmt: skip

    kept = rows(parse_version(page([("3.1", "The agent keeps the goods dry."), ("3.2", "The agent pays.")]), "a.pdf").clauses)
    assert [path for path, *_ in kept] == ["3", "3/1", "3/2"]
    rates = rows(parse_version(page([("1", "500 EUR"), ("2.5", "900 EUR")]), "a.pdf").clauses)
    assert [text for *_, text in rates] == ["They are these:\n| 1 | 500 EUR |\n| 2.5 | 900 EUR |"]


def _wide(words: list[str], step: float) -> list[list[str]]:
    """The paragraphs of lines of Chinese in 11-point type, so many points apart."""
    lines = [
        Line(text, array("f"), (60, 100 + step * at, 60 + 11 * len(text), 111 + step * at),
             (60, 100 + step * at, 60 + 11 * len(text), 111 + step * at), 1, 0, 11.0, 0, 110 + step * at, column=(60, 258))
        for at, text in enumerate(words)
    ]  # fmt: skip
    return [[line.text for line in found] for found in paragraphs(lines, learn_steps([lines]))]


def test_wide_spacing_of_chinese_breaks_no_sentence() -> None:
    """Lines of Chinese stand half their height apart and more; what goes on a full line is no paragraph of its own."""
    words = [
        "第一条为了规范数据处理活动保障数据", "安全，促进数据开发利用，制定本法。", "第二条在中华人民共和国境内开展处理",
        "活动及其安全监管，适用本法。", "第三条本法所称数据，是指任何以电子", "或者其他方式对信息的记录。",
    ]  # fmt: skip
    assert [len(found) for found in _wide(words, 19.0)] == [2, 2, 2]


def test_a_sentence_that_runs_from_a_repeated_row_into_the_text_is_text() -> None:
    """The first lines of a form that each page prints again are no running header where their sentence goes on below."""
    head = line("Client agreement form", 72, 780, font="F2")
    head += line("This form is part of the agreement between the bank and", 72, 764)
    head += line("the client, and both sign it.", 72, 750)
    pages = [head + line(f"{at}.1 The client is Number {7 * at} of Ghent.", 72, 736) for at in (1, 2, 3, 4)]
    version = parse_version(pdf(pages), "a.pdf")
    assert version.extracted.count("between the bank and the client, and both sign it.") == 4
    assert {version.extracted[slice(*span)] for span in version.furniture} == {"Client agreement form"}


def test_a_numbered_line_opens_a_clause_after_the_mark_of_a_note() -> None:
    """A stop before the mark of a note ends a paragraph as a stop does."""
    page = line("1 Term", 72, 700) + line("The term of this contract runs for ten years from the day.", 72, 686)
    page += line("1", 382, 690, size=7) + line("2 Fee", 72, 672) + line("The fee is 5 EUR.", 72, 658)
    assert [path for path, *_ in rows(parse_version(pdf([page]), "a.pdf").clauses)] == ["1", "2"]
