"""PDF text that is there and not seen: CASE 13 and its kind."""

from __future__ import annotations

import pytest

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import read_source
from tests.parse.conftest import texts
from tests.parse.pdfs import line, pdf

_SEEN = "4 Records are kept for seven years."
_HIDDEN = "Clause 4 is repealed."
_BOX = "60 580 400 40 re f\n"
_IMAGE = "q 300 0 0 40 60 590 cm /Im1 Do Q\n"
_PICTURE = (
    "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\n"
    "stream\n{}\nendstream"
)
_FORM = (
    "<< /Type /XObject /Subtype /Form /BBox [0 0 600 800] /Resources << /Font << /F1 3 0 R >> >> /Length {} >>\n"
    "stream\n{}endstream"
)

HIDDEN = {
    "white on white": line(_HIDDEN, 72, 600, colour="1 g"),
    "white, one point": line(_HIDDEN, 72, 600, size=1, colour="1 g"),
    "below a point": line(_HIDDEN, 72, 600, size=0.6),
    "off the page": line(_HIDDEN, -400, 600),
    "beyond the page": line(_HIDDEN, 72, 900),
    "render mode 3": "BT 3 Tr /F1 12 Tf 72 600 Td (" + _HIDDEN + ") Tj ET BT 0 Tr ET\n",
    "outlines in white": "BT 1 Tr 1 G 0 g /F1 12 Tf 72 600 Td (" + _HIDDEN + ") Tj 0 Tr 0 G ET\n",
    "no ink of four": line(_HIDDEN, 72, 600, colour="0 0 0 0 k"),
    "squeezed to nothing": "BT 0.1 Tz /F1 12 Tf 72 600 Td (" + _HIDDEN + ") Tj 100 Tz ET\n",
    "squeezed flat": "BT /F1 12 Tf 1 0 0 0.004 72 600 Tm (" + _HIDDEN + ") Tj ET\n",
    "under a white box": line(_HIDDEN, 72, 600) + "1 g " + _BOX,
    "under a black box": line(_HIDDEN, 72, 600) + "0 g " + _BOX,
    "black on a black box": "0 g " + _BOX + line(_HIDDEN, 72, 600),
    "under a picture": line(_HIDDEN, 72, 600) + _IMAGE,
    "nearly white": line(_HIDDEN, 72, 600, colour="0.985 g"),
    "transparent": "/GS1 gs " + line(_HIDDEN, 72, 600) + "/GS0 gs ",
    "optional content, off": "/OC /MC0 BDC " + line(_HIDDEN, 72, 600) + "EMC\n",
    "clipped away": "q 0 0 10 10 re W n " + line(_HIDDEN, 72, 600) + "Q\n",
    "clipped away by a triangle": "q 0 0 m 90 0 l 0 90 l h W n " + line(_HIDDEN, 72, 600) + "Q\n",
}
SEEN = {
    "black on white": line(_HIDDEN, 72, 600),
    "grey": line(_HIDDEN, 72, 600, colour="0.6 g"),
    "pale grey": line(_HIDDEN, 72, 600, colour="0.8 g"),
    "white on a dark box": "0 g " + _BOX + line(_HIDDEN, 72, 600, colour="1 g"),
    "on a tinted box": "0.9 g " + _BOX + line(_HIDDEN, 72, 600),
    "on a picture": _IMAGE + line(_HIDDEN, 72, 600),
    "yellow on blue": "0 0 1 rg " + _BOX + line(_HIDDEN, 72, 600, colour="1 1 0 rg"),
    "small print": line(_HIDDEN, 72, 600, size=4),
    "optional content, on": "/OC /MC1 BDC " + line(_HIDDEN, 72, 600) + "EMC\n",
    "clipped to its line": "q 60 590 300 24 re W n " + line(_HIDDEN, 72, 600) + "Q\n",
    "clipped to a shape around it": "q 0 500 m 600 500 l 300 900 l h W n " + line(_HIDDEN, 72, 600) + "Q\n",
    "outlined": "BT 1 Tr /F1 12 Tf 72 600 Td (" + _HIDDEN + ") Tj ET BT 0 Tr ET\n",
}


def _pdf(content: str) -> bytes:
    body = line(_SEEN, 72, 700) + line("5 Copies are kept for one year at the seat of the company.", 72, 680) + content
    resources = "/XObject << /Im1 7 0 R /Fm1 8 0 R >> /ExtGState << /GS0 << /ca 1 >> /GS1 << /ca 0 >> >>"
    inner = line(_HIDDEN, 72, 600, colour="1 g")
    extra = [
        _PICTURE.format("\xe0"),
        _FORM.format(len(inner), inner),
        "<< /Type /OCG /Name (off) >>",
        "<< /Type /OCG /Name (on) >>",
    ]
    resources += " /Properties << /MC0 9 0 R /MC1 10 0 R >>"
    layers = "/OCProperties << /OCGs [9 0 R 10 0 R] /D << /OFF [9 0 R] >> >>"
    return pdf([body], resources=resources, extra=extra, catalog_keys=layers)


@pytest.mark.parametrize("kind", HIDDEN)
def test_case_13_hidden_text_is_in_no_clause(kind: str) -> None:
    """CASE 13: text that cannot be seen is in no clause, whatever hides it, and is said; clause 4 stands as printed."""
    version = parse_version(_pdf(HIDDEN[kind]), "a.pdf")
    assert "repealed" not in version.extracted
    (flag,) = (flag for flag in version.flags if flag.code == "hidden_text")
    assert (flag.page, "repealed" in flag.text) == (1, True)
    (four,) = (clause for clause in version.clauses if clause.number == "4")
    assert four.text == "Records are kept for seven years."
    assert "hidden_text" in four.flags


@pytest.mark.parametrize("kind", SEEN)
def test_text_that_can_be_seen_is_read(kind: str) -> None:
    """Colours, boxes and pictures that leave the text legible hide nothing."""
    extracted = read_source(_pdf(SEEN[kind]), "a.pdf")
    assert _HIDDEN in texts(extracted)
    assert not [flag for flag in extracted.flags if flag.code == "hidden_text"]


def test_hidden_text_inside_a_form() -> None:
    """White text in a form drawn on the page is hidden as on the page itself."""
    extracted = read_source(_pdf("/Fm1 Do\n"), "a.pdf")
    assert "repealed" not in extracted.text
    assert "hidden_text" in [flag.code for flag in extracted.flags]


def test_a_form_clipped_away_or_switched_off() -> None:
    """A form that is clipped away, or stands in optional content that is off, shows nothing of its text."""
    black = _FORM.replace("/Subtype /Form", "/Subtype /Form {}")
    inner = line(_HIDDEN, 72, 600)
    for content, key in (("q 0 0 10 10 re W n /Fm1 Do Q\n", ""), ("/Fm1 Do\n", "/OC 8 0 R")):
        extra = [black.format(key, len(inner), inner), "<< /Type /OCG /Name (off) >>"]
        layers = "/OCProperties << /OCGs [8 0 R] /D << /OFF [8 0 R] >> >>"
        data = pdf([line(_SEEN, 72, 700) + content], resources="/XObject << /Fm1 7 0 R >>", extra=extra, catalog_keys=layers)
        extracted = read_source(data, "a.pdf")
        assert "repealed" not in extracted.text
        assert "hidden_text" in [flag.code for flag in extracted.flags]


def test_hidden_words_inside_a_line() -> None:
    """White words between black ones are taken out of the line; the words around them stay."""
    mixed = "BT 0 g /F1 12 Tf 72 600 Td (6 Fees are ) Tj 1 g (not ) Tj 0 g (due in May.) Tj ET\n"
    extracted = read_source(_pdf(mixed), "a.pdf")
    assert texts(extracted)[-1] == "6 Fees are due in May."


def test_the_printed_words_win_over_stored_ones() -> None:
    """Text stored to be read in place of printed words is in no clause where it says something else, and is told; stored for a
    hyphen or a ligature it changes nothing."""
    stored = "/Span << /ActualText (Records are kept for two years.) >> BDC "
    version = parse_version(_pdf(stored + line("6 Records are kept for nine years.", 72, 600) + "EMC\n"), "a.pdf")
    assert "two years" not in version.extracted
    assert version.clauses[-1].text == "Records are kept for nine years."
    (flag,) = (flag for flag in version.flags if flag.code == "hidden_text")
    assert "two years" in flag.text
    same = "/Span << /ActualText (6 Fees are due.) >> BDC " + line("6 Fees  are due.", 72, 600) + "EMC\n"
    extracted = read_source(_pdf(same), "a.pdf")
    assert (texts(extracted)[-1], extracted.flags) == ("6 Fees are due.", [])
