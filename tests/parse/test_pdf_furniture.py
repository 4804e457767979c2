"""What comes again from page to page is set aside in the margins only; clauses that come again stay."""

from __future__ import annotations

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import read_source
from compliance_rag.service.stage import HOLDING_FLAGS
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
