"""What lies on a page besides its content: read where it is drawn, else said, and the page held."""

from __future__ import annotations

import pytest

from compliance_rag.parse.parse import parse_version
from compliance_rag.parse.readers import read_source
from compliance_rag.parse.readers.pdf import read_pages
from schemas.clause import ParsedVersion
from tests.parse.conftest import check_tiling
from tests.parse.pdfs import line, pdf

_BODY = (
    line("1 Notice", 72, 700, size=11) + line("The bank notifies the client within", 72, 686, size=11)
    + line("of the incident.", 72, 672, size=11) + line("2 Fee", 72, 650, size=11)
    + line("The fee is 10 EUR.", 72, 636, size=11)
)  # fmt: skip
_DRAWN = "BT /F1 11 Tf 2 4 Td (24 hours) Tj ET"
_FORM = (
    "<< /Type /XObject /Subtype /Form /BBox [0 0 100 16] /Resources << /Font << /F1 3 0 R >> >> "
    f"/Length {len(_DRAWN)} >>\nstream\n{_DRAWN}\nendstream"
)


def _pdf(*annots: str) -> bytes:
    """The page with these annotations; object 7 draws "24 hours"."""
    names = " ".join(f"{8 + at} 0 R" for at in range(len(annots)))
    extra = [_FORM, *(f"<< /Type /Annot {annot} >>" for annot in annots)]
    return pdf([_BODY], page_keys=f"/Annots [{names}]", extra=extra)


def _codes(version: ParsedVersion) -> list[str]:
    return [flag.code for flag in version.flags]


def test_a_field_filled_in_is_read_where_it_stands() -> None:
    """The words in a form field, and those of a typed note that is drawn, stand in the sentence they complete."""
    field = "/Subtype /Widget /FT /Tx /T (f) /V (24 hours) /F 4 /Rect [255 682 355 698] /AP << /N 7 0 R >>"
    for annot in (field, field.replace("/Widget /FT /Tx /T (f) /V (24 hours)", "/FreeText /Contents (24 hours)")):
        version = parse_version(_pdf(annot), "a.pdf")
        assert version.clauses[0].text == "The bank notifies the client within 24 hours of the incident."
        assert _codes(version) == []


@pytest.mark.parametrize(
    ("annot", "code"),
    [
        ("/Subtype /FreeText /F 4 /Rect [72 500 400 520] /Contents (99 EUR applies.)", "annotation"),
        ("/Subtype /Widget /FT /Tx /T (f) /V (99 EUR applies.) /F 4 /Rect [72 500 400 520]", "form_field"),
    ],
)
def test_words_that_are_not_drawn_are_in_the_balance(annot: str, code: str) -> None:
    """A typed note or a field whose file does not draw it is flagged with its words, which the balance counts; the page waits
    for a person."""
    data = _pdf(annot)
    extracted = read_source(data, "a.pdf")
    check_tiling(extracted)
    assert (code, "99 EUR applies.") in extracted.remainder
    assert {code, "held_page"} <= {flag.code for flag in extracted.flags}
    assert "99 EUR" in next(flag.text for flag in extracted.flags if flag.code == code)
    assert [page for page, _ in extracted.held] == [1]


def test_words_struck_out_hold_the_page_until_a_person_decides() -> None:
    """A strike-out over a clause holds its page; once a person has decided that the page stands, it is held no more and the
    mark is still told."""
    data = _pdf("/Subtype /StrikeOut /F 4 /Rect [72 632 200 648] /QuadPoints [72 648 200 648 72 632 200 632]")
    version = parse_version(data, "a.pdf")
    assert {"annotation", "held_page", "ocr_quality"} <= set(_codes(version))
    assert version.clauses[1].text == "The fee is 10 EUR."
    decided = read_source(data, "a.pdf", corrections={1: None})
    assert ([flag.code for flag in decided.flags], decided.held) == (["annotation"], [])


def test_links_and_hidden_annotations_say_nothing() -> None:
    """Links, highlights and annotations that no reader shows neither flag nor hold a page; a note flags it only."""
    quiet = ("/Subtype /Link /Rect [72 632 200 648]", "/Subtype /FreeText /F 2 /Rect [72 500 400 520] /Contents (Hidden.)")
    assert parse_version(_pdf(*quiet), "a.pdf").flags == ()
    assert _codes(parse_version(_pdf("/Subtype /Text /F 4 /Rect [72 632 92 648] /Contents (Why?)"), "a.pdf")) == ["annotation"]
    assert read_pages(_pdf(*quiet), "a.pdf")[0][0].flags.held is None
