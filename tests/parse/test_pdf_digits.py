"""Fonts whose map lies about figures, or about every letter of a short page: suspected, compared with the picture, held."""

from __future__ import annotations

from collections.abc import Sequence

from compliance_rag.parse.readers import read_source
from compliance_rag.parse.readers.ocr_types import ReadLine, ReadPage
from compliance_rag.parse.readers.pdf import read_pages
from compliance_rag.parse.readers.scans import PageReader
from tests.parse.conftest import texts
from tests.parse.pdfs import line, pdf

_LINES = [
    "1 Notice", "The bank notifies the supervisor within 72 hours of an incident.", "2 Records",
    "Records are kept for 7 years and then destroyed by the custodian.",
]  # fmt: skip


def font_with_map(moved: dict[int, int], font: str = "Helvetica", lines: Sequence[str] = _LINES) -> bytes:
    """A page of lines in a font whose map gives other characters for the codes of ``moved``."""
    codes = {code: moved.get(code, code) for code in range(32, 127)}
    chars = "\n".join(f"<{code:02X}> <{char:04X}>" for code, char in codes.items())
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /X def /CMapType 2 def 1 begincodespacerange "
        f"<00> <FF> endcodespacerange {len(codes)} beginbfchar\n{chars}\nendbfchar endcmap end end"
    )
    font_object = f"<< /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding /ToUnicode 8 0 R >>"
    body = "".join(line(words, 72, 700 - 20 * at, font="F3") for at, words in enumerate(lines))
    data = pdf([body], extra=[font_object, f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream"])
    return data.replace(b"/F2 4 0 R >>", b"/F2 4 0 R /F3 7 0 R >>")


def reader_of(lines: Sequence[str]) -> PageReader:
    """A recogniser that reads these lines and makes no mistake."""
    found = []
    for at, words in enumerate(lines):
        box = (72.0, 90.0 + 20 * at, 72.0 + 6 * len(words), 104.0 + 20 * at)
        edges = tuple(72.0 + 6 * step for number in range(len(words)) for step in (number, number + 1))
        found.append(ReadLine(words, (1.0,) * len(words), edges, box, box, 12.0, box[3] - 3))
    return lambda data, name, pages: [ReadPage(page, 600.0, 800.0, 0, 0.0, 0.1, 300.0, tuple(found), ()) for page in pages]


def test_swapped_figures_are_suspected_and_held() -> None:
    """A map that swaps 2 and 7 is known by the shapes of the figures; the numbers in the picture are other ones, so the words
    of the picture are read, the font is flagged, and the page waits for a person."""
    data = font_with_map({0x37: 0x32, 0x32: 0x37})
    assert read_pages(data, "a.pdf")[0][0].flags.font_map == "its 2 is drawn like a 7; its 7 is drawn like a 2"
    extracted = read_source(data, "a.pdf", scans=reader_of(_LINES))
    assert "within 72 hours" in " ".join(texts(extracted))
    assert {"broken_font_map", "held_page"} <= {flag.code for flag in extracted.flags}
    assert [page for page, _ in extracted.held] == [1]


def test_true_figures_are_not_suspected() -> None:
    """Figures of fonts with and without serifs, bold and of one width, look like themselves."""
    for font in ("Helvetica", "Helvetica-Bold", "Times-Roman", "Times-Italic", "Courier", "Courier-BoldOblique"):
        assert read_pages(font_with_map({}, font), "a.pdf")[0][0].flags.font_map is None


def test_a_shifted_map_on_a_short_page_is_suspected() -> None:
    """A few lines of which no word is a word are compared with the picture, whose words are read."""
    data = font_with_map({code: code + 1 for code in range(97, 122)})
    assert "of the words are English" in str(read_pages(data, "a.pdf")[0][0].flags.font_map)
    extracted = read_source(data, "a.pdf", scans=reader_of(_LINES))
    assert "within 72 hours" in " ".join(texts(extracted))
    assert "broken_font_map" in {flag.code for flag in extracted.flags}
