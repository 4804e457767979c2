"""Kinds of fault found on real contracts: lost line breaks, captions without numbers, run-in headings, two pages."""

from __future__ import annotations

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.tiling import check_tiling
from schemas.clause import ParsedVersion
from tests.parse.pdfs import line, pdf

_FILL = (
    "The supplier keeps its records in good order and shows them to the buyer on request within the usual hours of work. " * 4
)


def _parsed(text: str, name: str = "a.txt") -> ParsedVersion:
    version = parse_version(text.encode(), name)
    assert check_tiling(version) == []
    return version


def _numbered(version: ParsedVersion) -> list[str]:
    return ["/".join(clause.path) for clause in version.clauses if clause.number is not None]


def test_a_contract_on_one_line() -> None:
    """`1. … 2. …` with `A.` and `1.1` below, all on one line, are clauses; a number in a sentence is not."""
    text = f"SUPPLY TERMS 1. Duties. {_FILL}2.Fees. {_FILL}A. Rates. {_FILL}B. Costs as said in section 4. {_FILL}"
    text += f"3. TERM 3.1 Start. {_FILL}3.2 End. {_FILL}4. Law. It is governed by Act No. 5. The Act is old. {_FILL}"
    assert _numbered(_parsed(text)) == ["1", "2", "2/a", "2/b", "3", "3/1", "3/2", "4"]


def test_articles_on_one_line() -> None:
    """ARTICLE and Section labels open clauses of a run-on text after a sentence's end, never where they are cited."""
    text = f"AGREEMENT ARTICLE I SCOPE Section 1.1 Use. {_FILL}Section 1.2 More. See Section 2.1 Fees below. {_FILL}"
    text += f"ARTICLE II MONEY Section 2.1 Fees. {_FILL}Section 2.2 Tax. {_FILL}"
    assert _numbered(_parsed(text)) == ["1", "1/1", "1/2", "2", "2/1", "2/2"]


def test_ordinary_paragraphs_are_not_cut() -> None:
    """Items inside the sentences of a text with line breaks stay in their clause."""
    text = "1. Duties\nThe supplier shall: (a) deliver goods; and (b) keep records. (c) No more.\n2. Law\nEnglish law.\n"
    assert _numbered(_parsed(text)) == ["1", "2"]


def test_wide_gaps_are_lost_line_breaks() -> None:
    """In a long line three spaces and more stand for a break; a label before a gap stays with its text."""
    text = f"1.     Duties     1.1   {_FILL.strip()}     1.2   {_FILL.strip()}     2.     Law     2.1   {_FILL.strip()}"
    version = _parsed(text)
    assert _numbered(version) == ["1", "1/1", "1/2", "2", "2/1"]
    assert version.clauses[0].heading == "Duties"


def test_list_members_that_go_on_as_a_sentence() -> None:
    """`4.2 in respect of …` after a member that ended with a semicolon is the next member, not a citation."""
    version = _parsed("4. Services\n4.1 servicing of goods;\n4.2 in respect of parts, repair;\n4.3 labour.\n")
    assert _numbered(version) == ["4", "4/1", "4/2", "4/3"]


def test_wrapped_line_that_begins_with_a_citation() -> None:
    """A wrapped line opening with `(i) and (ii), …` opens no clause."""
    version = _parsed("(a) The provider acts with care, as\n(i) and (ii), the standard, say.\n(b) It reports.\n")
    assert _numbered(version) == ["a", "b"]


def test_wrapped_schedule_is_no_schedule() -> None:
    """A wrapped line that reads just `Schedule` opens no schedule."""
    text = (
        f"1. Fees\n{_FILL.strip()} The fees are those set out in the\nSchedule\nand are paid monthly.\n2. Law\nEnglish law.\n"
    )
    assert _numbered(_parsed(text)) == ["1", "2"]


def test_captions_in_capitals() -> None:
    """A line in capitals above a sentence is a heading; names, addresses and signatures in capitals are none."""
    text = f"SUPPLY TERMS\n\nACME INC.\n\nTERM\n\n{_FILL}\n\nGOVERNING LAW\n\n{_FILL}\n\n"
    text += "BUYER\n\nBy: ____ of the buyer, a company of some place far away, signed by hand on the day below\n"
    version = _parsed(text)
    assert [clause.heading for clause in version.clauses if clause.heading] == ["TERM", "GOVERNING LAW"]


def test_caption_over_a_list_that_starts_again() -> None:
    """A caption over a list that starts again stands as high as the list, and its clauses keep paths of their own."""
    text = f"1. Fees. {_FILL}\n\n2. Law. {_FILL}\n\nGENERAL PROVISIONS\n\n1. Notices. {_FILL}\n\n2. Waiver. {_FILL}\n"
    version = _parsed(text)
    caption = next(clause for clause in version.clauses if clause.heading == "GENERAL PROVISIONS")
    assert caption.parent is None
    assert [clause.number for clause in version.clauses if clause.parent == caption.path] == ["1", "2"]


def test_run_in_headings() -> None:
    """Run-in headings: of one short word, in capitals without a stop, and those the markup sets off."""
    version = _parsed("1. Use. The goods are used with care.\n2. FORCE MAJEURE The parties are excused while it lasts.\n")
    assert [clause.heading for clause in version.clauses] == ["Use.", "FORCE MAJEURE"]
    version = _parsed("1. **Use of the goods by others**. They may.\n\n2. **Buyer** means the party that buys.\n", "a.md")
    assert [clause.heading for clause in version.clauses] == ["Use of the goods by others.", ""]


def test_boxes_of_a_clause_over_two_pages() -> None:
    """CASE 12's boxes: a clause whose text stands on two pages carries a box of each, and none of its neighbours'."""
    first = line("1. The supplier keeps its records for", 72, 720) + line(
        "2. The buyer pays for every delivery made to", 72, 90
    )
    second = line("it within thirty days of the delivery.", 72, 740) + line("3. English law governs these terms.", 72, 640)
    version = parse_version(pdf([first, second]), "a.pdf")
    clause = next(item for item in version.clauses if item.number == "2")
    assert [box[0] for box in clause.boxes] == [1, 2]
    assert [[box[0] for box in item.boxes] for item in version.clauses if item.number in ("1", "3")] == [[1], [2]]


def test_a_label_ends_with_its_piece() -> None:
    """A label is never read past the gap at which its line was cut (found by fuzzing)."""
    filler = "goods and records " * 14
    assert _numbered(_parsed(f"{filler}     Schedule                     1.1 Terms of sale {filler}"))[-1] == "1/1"
