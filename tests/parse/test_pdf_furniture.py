"""What comes again from page to page is set aside in the margins only; clauses that come again stay."""

from __future__ import annotations

import pytest

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import read_source
from compliance_rag.service.stage import HOLDING_FLAGS
from schemas.clause import ParsedVersion
from tests.parse.conftest import check_tiling
from tests.parse.pdfs import line, pdf

_LIABLE = "The provider is not liable for indirect loss."


def _form(page: int, top: int) -> str:
    first = 3 * page - 2
    body = [
        f"{first} Customer", f"The customer is {'ABC'[page - 1]} of Luxembourg.", f"{first + 1} Fee",
        f"The yearly fee is {page},200 EUR without tax.", f"{first + 2} Liability", _LIABLE,
    ]  # fmt: skip
    text = "".join(line(words, 72, top - 14 * at, size=11) for at, words in enumerate(body))
    return line("Order form", 72, 780, size=9) + text + line(f"Page {page}", 290, 30, size=9)


def test_a_sentence_that_ends_each_page_is_text() -> None:
    """The last line of each of three forms is a clause wherever on the page it stands, in mid-page or right above the footer;
    header and footer are furniture."""
    for top in (700, 400, 130):
        data = pdf([_form(page, top) for page in (1, 2, 3)])
        check_tiling(read_source(data, "a.pdf"))
        version = parse_version(data, "a.pdf")
        assert [clause.text for clause in version.clauses if clause.heading == "Liability"] == [_LIABLE] * 3
        aside = [version.extracted[start:end] for start, end in version.furniture]
        assert sorted(aside) == ["Order form"] * 3 + ["Page 1", "Page 2", "Page 3"]


def test_short_pages_alike_are_no_furniture() -> None:
    """Pages of two sentences each, the first with a number that runs on with the pages, keep their clauses."""
    pages = [
        line(f"{page} The penalty is high.", 150, 740, size=14) + line("It is paid within ten days.", 150, 690)
        for page in (1, 2, 3, 4)
    ]
    version = parse_version(pdf(pages), "a.pdf")
    assert [clause.number for clause in version.clauses] == ["1", "2", "3", "4"]
    assert all("ten days" in clause.text for clause in version.clauses)


def test_columns_of_short_lines_are_read_one_after_the_other() -> None:
    """Two columns with headings and short items are columns, on every page, and a row that comes again stays in both."""
    left = [
        "Scope", "These rules bind every member of the", "exchange and each of its employees who",
        "handles client money. A well-", "known member may apply for an exemp-", "tion under the third section.", "Records",
        "Members keep trade re-", "cords for seven years and show them.", "The staff sign a register every",
        "day before the market opens and", "(a) note the time;",
    ]  # fmt: skip
    right = [
        "(b) note the place.", "Exemption", "The board may exempt a member", "from the last section on written request",
        "if the member shows that its staff", "is fewer than five.", "An exemption lasts one year.", "Penalty",
        "A member that breaks these rules", "pays a fine of 5,000 EUR for each", "day of the breach.", "They hold from 1 May.",
    ]  # fmt: skip
    pages = []
    for page in (1, 2, 3):
        rows = "".join(
            line(a, 60, 700 - 15 * at, size=11) + line(b, 330, 700 - 15 * at, size=11)
            for at, (a, b) in enumerate(zip(left, right, strict=True))
        )
        pages.append(rows + line(f"Page {page} of 3", 290, 30, size=9))
    extracted = read_source(pdf(pages), "a.pdf")
    text = "\n".join(extracted.text[slice(*block.span)] for block in extracted.blocks if block.kind != "furniture")
    assert "table" not in {block.kind for block in extracted.blocks}
    assert (text.count("(a) note the time;"), text.count("They hold from 1 May.")) == (3, 3)
    assert text.index("(a) note the time;") < text.index("(b) note the place.") < text.index("They hold from 1 May.")


def test_text_without_a_clause_is_said_and_held() -> None:
    """A version of which everything was set aside carries a flag that holds it."""
    pages = [line("ACME Supply Policy of the year", 250, 780, size=9) + line(f"Page {n} of 3", 280, 20) for n in (1, 2, 3)]
    version = parse_version(pdf(pages), "a.pdf")
    assert (version.clauses, [flag.code for flag in version.flags]) == ((), ["no_clauses"])
    assert "no_clauses" in HOLDING_FLAGS


def _numbered(lines: list[str], first: int = 1) -> str:
    return "".join(
        line(str(first + at), 72, 700 - 24 * at, size=10) + line(words, 110, 700 - 24 * at, size=11)
        for at, words in enumerate(lines)
    )


_ACT = [
    ["SECTION 1. Short title.", "This Act may be cited as the Ferry Act.", "SECTION 2. Duty to stop.",
     "The master of a ferry shall stop the vessel", "when ordered by an officer and shall not start", "it again at once."],
    ["SECTION 3. Harbour dues.", "Each vessel over twenty tons pays dues at the", "rate set by the harbour board.",
     "SECTION 4. Appeal.", "An owner may appeal to the district court", "within sixty days."],
    ["SECTION 5. End.", "The Act ends in May."],
]  # fmt: skip


def test_line_numbers_of_short_pages_are_no_clauses() -> None:
    """Figures beside each line, apart from the text, number lines on pages of a few lines too, and on the last of two."""
    pages = [_numbered(lines) + line(f"- {at} -", 300, 40, size=10) for at, lines in enumerate(_ACT, 1)]
    version = parse_version(pdf(pages), "a.pdf")
    assert [clause.number for clause in version.clauses] == ["1", "2", "3", "4", "5"]
    assert "shall stop the vessel when ordered by an officer and shall not start it again" in version.clauses[1].text


def test_a_list_of_short_items_is_no_column_of_line_numbers() -> None:
    """Items of a line each keep their numbers, in capitals or not, with marks at their ends or not."""
    words = ("seal", "book", "roll", "key", "map", "chart")
    for items in (
        [f"The {word} is kept by the board." for word in words],
        [f"the {word};" for word in words],
        [f"the {word} of the board" for word in words],
    ):
        version = parse_version(pdf([line("The board keeps these.", 72, 760, size=11) + _numbered(items)]), "a.pdf")
        assert {"1", "2", "3", "4", "5", "6"} <= {clause.number for clause in version.clauses}


def test_a_sentence_runs_on_past_a_page_end_inside_a_page() -> None:
    """A print that was filed again ends pages of its own in the middle of a page: its page number breaks no sentence."""
    pages = []
    for number in (1, 2, 3):
        body = line(f"{number}.1 The agent keeps the goods of the owner dry and apart from those of any other", 72, 700)
        body += line(str(number), 300, 640) + line("person, and shows them to the owner on request.", 72, 590)
        body += line(f"{number}.2 The agent insures the goods.", 72, 575)
        pages.append(body)
    version = parse_version(pdf(pages), "a.pdf")
    assert "those of any other person, and shows them" in version.clauses[0].text
    assert [version.extracted[slice(*span)] for span in version.furniture] == ["1", "2", "3"]


def _clauses_of(page: int) -> str:
    return "".join(
        line(
            f"{3 * page + at + 1}. The member attends meeting {3 * page + at + 1} and votes on each motion.", 72, 650 - 20 * at
        )
        for at in range(3)
    )


@pytest.mark.parametrize("lines", [2, 3])
def test_a_paragraph_that_opens_each_page_is_text(lines: int) -> None:
    """A paragraph printed alike at the top of every page is whole text on each of them, none of its lines furniture."""
    wrapped = [
        "The supplier shall keep every record of a delivery for seven years and shall show it to",
        "Buyers who ask for it at any time during business hours, and shall send a copy of it to",
        "Auditors on request.",
    ][-lines:]  # fmt: skip
    top = "".join(line(words, 72, 672 + 14 * (len(wrapped) - 1 - at)) for at, words in enumerate(wrapped))
    version = parse_version(pdf([top + _clauses_of(page) for page in range(4)]), "a.pdf")
    assert version.furniture == ()
    assert "".join(clause.text for clause in version.clauses).count(" ".join(wrapped)) == 4


def test_a_header_that_counts_chapters_is_furniture() -> None:
    """The number of a chapter in a header stays for some pages and then goes on; the header is no text."""
    chapters = [1, 1, 1, 2, 2]
    pages = [line(f"Bank Rulebook Chapter {n}", 72, 775, size=9) + _clauses_of(page) for page, n in enumerate(chapters)]
    version = parse_version(pdf(pages), "a.pdf")
    assert [version.extracted[start:end] for start, end in version.furniture] == [
        f"Bank Rulebook Chapter {n}" for n in chapters
    ]
    assert [clause.number for clause in version.clauses] == [str(n) for n in range(1, 16)]


def test_the_title_of_a_schedule_on_each_page_is_no_header() -> None:
    """SCHEDULE 1, 2 and 3 on pages of their own head their clauses; "Page 1" in their place is furniture."""

    def titled(title: str) -> ParsedVersion:
        rule = line("1. Each party keeps its own costs.", 72, 715)
        pages = [line(f"{title} {n}", 72, 740) + rule + line(f"2. Rule {n} holds.", 72, 695) for n in (1, 2, 3)]
        return parse_version(pdf(pages), "a.pdf")

    paths = ["/".join(clause.path) for clause in titled("SCHEDULE").clauses]
    assert paths == [path for n in (1, 2, 3) for path in (f"schedule-{n}", f"schedule-{n}/1", f"schedule-{n}/2")]
    assert len(titled("Page").furniture) == 3


def test_a_watermark_level_with_the_text_is_furniture() -> None:
    """DRAFT in large grey type across the lines is in no clause; a large title above them is."""
    mark = line("DRAFT", 150, 630, size=60, colour="0.85 g")
    version = parse_version(pdf([line("FEES", 72, 730, size=30) + mark + _clauses_of(0)]), "a.pdf")
    assert [version.extracted[start:end] for start, end in version.furniture] == ["DRAFT"]
    assert version.clauses[0].heading == "FEES"
    assert all("DRAFT" not in clause.text for clause in version.clauses)


@pytest.mark.parametrize("mark", ["(continued)", "(CONT.)"])
def test_a_heading_said_once_more_is_furniture(mark: str) -> None:
    """A page that opens with the heading of the page before and "continued" says nothing new; a heading of its own is text."""
    pages = [line("5 Fees", 72, 680, font="F2") + _clauses_of(0), line(f"5 Fees {mark}", 72, 680, font="F2") + _clauses_of(1)]
    version = parse_version(pdf(pages), "a.pdf")
    assert [version.extracted[start:end] for start, end in version.furniture] == [f"5 Fees {mark}"]
    other = pdf([pages[0], line(f"6 Taxes {mark}", 72, 680, font="F2") + _clauses_of(1)])
    assert parse_version(other, "a.pdf").furniture == ()
