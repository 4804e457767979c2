"""What a PDF shows and does not say in text is flagged: scans, figures, fonts that lie."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from compliance_rag.parse.parse import parse_extracted
from compliance_rag.parse.readers import read_source
from compliance_rag.parse.readers.ocr_types import ReadPage
from compliance_rag.parse.readers.pdf import read_pages
from compliance_rag.parse.readers.pdf_ink import suspect_font_map
from schemas.errors import InputRejected
from tests.parse.pdfs import line, pdf

_BODY = "1. The supplier shall keep every record of a delivery for seven years."
_PICTURE = (
    "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\n"
    "stream\nA\nendstream"
)


def _pages(*contents: str) -> bytes:
    number = 5 + 2 * len(contents)
    return pdf(list(contents), resources=f"/XObject << /Im1 {number} 0 R >>", extra=[_PICTURE])


def _image(x: int, y: int, wide: int, high: int) -> str:
    return f"q {wide} 0 0 {high} {x} {y} cm /Im1 Do Q\n"


def test_a_page_that_is_a_picture_with_a_stamp_is_a_scan() -> None:
    """A file whose only text is a court's stamp on the picture of a page is a scan; where nothing is read on it, no clause is
    made of the stamp."""
    data = _pages(_image(0, 0, 600, 800) + line("Case 1:23-cv-00456 Document 12 Filed 03/04/24 Page 1 of 9", 72, 780))
    assert read_pages(data, "a.pdf")[0][0].flags.scan
    with pytest.raises(InputRejected) as error:
        read_source(data, "a.pdf", scans=_nothing)
    assert error.value.code == "no_text"


def _nothing(data: bytes, name: str, pages: Sequence[int]) -> list[ReadPage]:
    return [ReadPage(page, 600.0, 800.0, 0, 0.0, 0.0, 300.0, (), ()) for page in pages]


def test_a_scanned_page_among_pages_of_text() -> None:
    """The stamp of a scanned page between others is in no clause."""
    data = _pages(line(_BODY, 72, 700), _image(0, 0, 600, 800) + line("RECEIVED", 400, 780))
    extracted = read_source(data, "a.pdf", scans=_nothing)
    assert extracted.flags == []
    assert [block.kind for block in extracted.blocks] == ["paragraph", "furniture"]


def test_text_drawn_as_outlines_is_read_from_the_picture() -> None:
    """A page with ink and no character at all is one whose text may be drawn; an empty page is not."""
    drawn = _pages("100 100 m 140 220 l S\n")
    assert read_pages(drawn, "a.pdf")[0][0].flags.scan
    assert not read_pages(_pages(""), "a.pdf")[0][0].flags.scan


def test_text_over_a_background_picture_is_text() -> None:
    """A page of text on a full-page picture is no scan."""
    lines = "".join(line(f"{n}. The supplier shall keep every record for seven years.", 72, 760 - 20 * n) for n in range(1, 9))
    extracted = read_source(_pages(_image(0, 0, 600, 800) + lines), "a.pdf")
    assert [flag.code for flag in extracted.flags] == []


def test_a_region_of_ink_without_text_is_a_figure() -> None:
    """A picture and a drawing without words are figures, each once and where they are; a box with words in it and a logo are
    not."""
    drawing = "".join(f"{100 + 10 * n} 100 m {140 + 10 * n} 220 l S\n" for n in range(12))
    box = "300 100 200 120 re S\n" + line("This box holds words and no figure.", 310, 160, size=10)
    content = line(_BODY, 72, 740) + _image(100, 400, 300, 200) + drawing + box + _image(500, 760, 40, 30)
    extracted = read_source(_pages(content), "a.pdf")
    flags = [flag for flag in extracted.flags if flag.code == "figure"]
    assert [flag.page for flag in flags] == [1, 1]
    assert "100, 200 to 400, 400" in flags[0].text


@pytest.mark.parametrize(
    "text",
    [
        "The supplier shall keep every record of a delivery for seven years. " * 8,
        "甲方应当在三十日内付款。" * 40,
        "•\uf0b7 A list. " * 60,
        "Pankki ilmoittaa viipymättä valvontaviranomaiselle jokaisesta vakavasta tapahtumasta ja toteuttaa tekniset toimet.",
    ],
)
def test_good_text_is_not_suspected(text: str) -> None:
    """English, Chinese and lists with symbol bullets speak for themselves."""
    assert suspect_font_map(text) is None


@pytest.mark.parametrize("shift", [1, 3, 7, 13])
def test_a_shifted_font_map_is_suspected(shift: int) -> None:
    """Letters that a broken map moved along the alphabet, or put in the private area, are suspected."""
    text = (
        "The controller shall notify the authority of a breach without undue delay and, where feasible, not later than "
        "72 hours after having become aware of it, unless the breach is unlikely to result in a risk to the rights and "
        "freedoms of natural persons. Where the notification is not made in time, it shall be accompanied by reasons."
    )
    moved = "".join(chr((ord(c) - 97 + shift) % 26 + 97) if c.islower() else c for c in text)
    assert suspect_font_map(moved) is not None
    private = "".join(chr(0xE000 + ord(c)) if c.isalpha() else c for c in text)
    assert suspect_font_map(private) is not None


@pytest.mark.parametrize("width", [0.3, 0.7, 1, 1.2, 1.5, 2])
def test_words_with_a_line_through_them_are_struck(width: float) -> None:
    """A line through words marks the clause that holds them and no other; an underline and the rule of a table mark none."""
    page = line("1 Pay in seven nine days.", 72, 700) + line("2 Keep all records here.", 72, 670)
    through = f"{width} w 105 703.5 m 140 703.5 l S\n"
    under = f"{width} w 105 697.5 m 140 697.5 l S\n{width} w 72 685 m 300 685 l S\n"
    for drawn, want in ((through, ["1"]), (under, [])):
        parsed = parse_extracted(read_source(pdf([page + drawn]), "a.pdf"), "0" * 64)
        assert [clause.number for clause in parsed.clauses if "struck_text" in clause.flags] == want
        assert ("struck_text" in [flag.code for flag in parsed.flags]) is bool(want)
        assert parsed.clauses[0].text == "Pay in seven nine days."
