"""PDF with text: lines, pages, boxes, furniture, refusals."""

from __future__ import annotations

from array import array

import pytest

from compliance_rag.parse.readers import read_source
from compliance_rag.parse.readers.child import read_guarded
from compliance_rag.parse.readers.pdf_types import Line
from compliance_rag.parse.readers.pdf_words import Vocabulary, join_lines
from schemas.errors import InputRejected
from tests.parse.conftest import check_tiling, texts
from tests.parse.pdfs import line, pdf

_BODY = "The supplier shall keep every record of a delivery for seven years"


def test_paragraphs_pages_and_boxes() -> None:
    """Wrapped lines are one paragraph with one box a line, a number opens another, page two begins at its break."""
    first = (
        line("Supply Terms of the Company", 72, 740, font="F2")
        + line("1. " + _BODY, 72, 700)
        + line("and show it on request.", 72, 686)
    )
    first += line("2. The buyer pays within thirty days of each delivery made to it.", 72, 660)
    extracted = read_source(pdf([first, line("3. " + _BODY + ".", 72, 700)]), "a.pdf")
    check_tiling(extracted)
    assert texts(extracted) == [
        "Supply Terms of the Company",
        f"1. {_BODY} and show it on request.",
        "2. The buyer pays within thirty days of each delivery made to it.",
        f"3. {_BODY}.",
    ]
    assert [block.page for block in extracted.blocks] == [1, 1, 1, 2]
    assert [len(block.boxes) for block in extracted.blocks] == [1, 2, 1, 1]
    assert extracted.blocks[0].bold
    assert extracted.page_breaks == (extracted.blocks[3].span[0],)
    page, x0, y0, x1, y1 = extracted.blocks[1].boxes[0]
    assert page == 1
    assert 70 < x0 < 76 < x1
    assert 88 < y0 < y1 < 104


@pytest.mark.parametrize(("rotation", "corner"), [(0, (50, 50)), (90, (550, 50)), (180, (350, 550)), (270, (50, 350))])
def test_boxes_are_as_displayed(rotation: int, corner: tuple[float, float]) -> None:
    """On a cropped and rotated page the box's corner nearest the word's start lies where the page as displayed shows it."""
    content = line("penalty", 150, 650) + line(_BODY, 110, 300, size=5)
    data = pdf([content], page_keys=f"/CropBox [100 100 500 700] /Rotate {rotation}")
    extracted = read_source(data, "a.pdf")
    index = texts(extracted).index("penalty")
    _, x0, y0, x1, y1 = extracted.blocks[index].boxes[0]
    across, along = (400, 600) if rotation in (0, 180) else (600, 400)
    assert 0 <= x0 < x1 <= across
    assert 0 <= y0 < y1 <= along
    assert min(abs(x0 - corner[0]), abs(x1 - corner[0])) < 14
    assert min(abs(y0 - corner[1]), abs(y1 - corner[1])) < 14


def test_hidden_text_is_set_aside() -> None:
    """Text of one point is in no block, and said."""
    content = line("4 Records are kept for seven years.", 72, 700) + line(
        "Clause 4 is repealed.", 72, 690, size=1, colour="1 g"
    )
    extracted = read_source(pdf([content]), "a.pdf")
    assert texts(extracted) == ["4 Records are kept for seven years."]
    assert [flag.code for flag in extracted.flags] == ["hidden_text"]


def test_running_headers_and_page_numbers_are_furniture() -> None:
    """A header on each page and a running page number are set aside."""
    pages = [
        line("ACME Supply Policy", 250, 780, size=9)
        + line(f"{n}. {_BODY} {words}.", 72, 600)
        + line(f"Page {n} of 4", 280, 20, size=9)
        for n, words in enumerate(("or more", "and a day", "in full", "at its cost"), 1)
    ]
    extracted = read_source(pdf(pages), "a.pdf")
    check_tiling(extracted)
    assert [block.kind for block in extracted.blocks] == ["furniture", "paragraph", "furniture"] * 4


def test_a_scan_is_refused_with_the_reason() -> None:
    """A PDF with nearly no text says that it is a scan and that scans come later."""
    with pytest.raises(InputRejected, match="scan") as error:
        read_source(pdf([line("STAMP", 72, 700)]), "a.pdf")
    assert error.value.code == "no_text"


def test_an_encrypted_pdf_is_refused() -> None:
    """A PDF that asks for a password is refused as encrypted."""
    encrypt = "<< /Filter /Standard /V 1 /R 2 /O <" + "11" * 32 + "> /U <" + "22" * 32 + "> /P -44 >>"
    data = pdf([line(_BODY, 72, 700)], extra=[encrypt], trailer=f"/Encrypt 7 0 R /ID [<{'33' * 16}> <{'33' * 16}>]")
    with pytest.raises(InputRejected) as error:
        read_source(data, "a.pdf")
    assert error.value.code == "encrypted_pdf"


def test_page_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """A PDF at the page limit is read, one page more is refused."""
    monkeypatch.setattr("compliance_rag.parse.readers.pdf.MAX_PAGES", 2)
    page = line(_BODY, 72, 700)
    assert len(read_source(pdf([page, page]), "a.pdf").page_breaks) == 1
    with pytest.raises(InputRejected) as error:
        read_source(pdf([page] * 3), "a.pdf")
    assert error.value.code == "too_many_pages"


def test_a_bullet_of_a_symbol_font_is_a_bullet() -> None:
    """The private characters of Symbol and Wingdings for a bullet are written as a bullet; the places stay one a character."""
    at = (72.0, 100.0, 200.0, 110.0)
    found = ("\uf0b7 keep it;", "\uf0a7 show it.")
    lines = [Line(words, array("f", [0.0] * 2 * len(words)), at, at, 1, 0, 10.0, 0, 108.0) for words in found]
    joined = join_lines(lines, Vocabulary())
    assert joined.text == "• keep it; • show it."
    assert sum(len(edges) for edges in joined.edges) == 2 * len(joined.text)


def test_a_pdf_without_pages_says_so() -> None:
    """The refusal names what is wrong, not the library's word for it."""
    data, places = b"%PDF-1.7\n", []
    for number, body in enumerate((b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 0/Kids[]>>"), 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    data += b"xref\n0 3\n0000000000 65535 f \n%strailer\n<</Root 1 0 R/Size 3>>\nstartxref\n%d\n%%%%EOF\n" % (table, len(data))
    with pytest.raises(InputRejected) as error:
        read_guarded(data, "a.pdf")
    assert (error.value.code, "no pages" in str(error.value)) == ("damaged_file", True)
