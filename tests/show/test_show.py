"""Pages drawn with boxes highlighted, text shown in its context."""

from __future__ import annotations

from io import BytesIO

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from compliance_rag.parse.parse import parse_version
from compliance_rag.show.context import context_html, picture_html
from compliance_rag.show.page import GUTTER, MARKER, MAX_PIXELS, boxes_png, page_png, page_sizes
from schemas.errors import InputRejected, NotFound
from tests.parse.pdfs import line, pdf

_BODY = "The supplier shall keep every record of a delivery for seven years."
_PAGES = [line(f"1. {_BODY}", 72, 700) + line(f"2. {_BODY}", 72, 600), line(f"3. {_BODY}", 72, 700)]


def _pixels(png: bytes) -> NDArray[np.uint8]:
    return np.asarray(Image.open(BytesIO(png)).convert("RGB"))


@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_the_marker_covers_the_clause_and_nothing_else(rotation: int) -> None:
    """On a page turned any way, the marked pixels hold all the ink of the clause and none of its neighbours'."""
    data = pdf(_PAGES, page_keys=f"/Rotate {rotation} /CropBox [20 30 580 790]")
    version = parse_version(data, "a.pdf")
    clauses = {clause.number: clause for clause in version.clauses}
    plain, marked = _pixels(page_png(data, 1)), _pixels(page_png(data, 1, clauses["2"].boxes))
    yellow = (plain != marked).any(axis=2)
    ink = plain.max(axis=2) < 128
    rows, columns = np.nonzero(yellow)
    inside = np.zeros_like(ink)
    inside[rows.min() : rows.max() + 1, columns.min() : columns.max() + 1] = True
    other = _pixels(page_png(pdf([line(f"2. {_BODY}", 72, 600)], page_keys=f"/Rotate {rotation} /CropBox [20 30 580 790]"), 1))
    assert (ink & inside).sum() == (other.max(axis=2) < 128).sum()
    assert tuple(marked[yellow & ~ink & (plain.min(axis=2) == 255)][0]) == MARKER


def test_a_clause_on_two_pages_is_one_picture() -> None:
    """Boxes on two pages give both pages, one under the other; other pages are left out."""
    data = pdf([*_PAGES, line(_BODY, 72, 700)])
    image = _pixels(boxes_png(data, [(1, 72, 100, 200, 110), (2, 72, 100, 200, 110)], scale=1))
    assert image.shape == (2 * 800 + GUTTER, 600, 3)


def test_pages_that_are_not_there() -> None:
    """A page that the document does not have, and no box at all, are said; a file that is no PDF is refused."""
    for page in (0, 3):
        with pytest.raises(NotFound) as error:
            page_png(pdf(_PAGES), page)
        assert error.value.code == "unknown_page"
    with pytest.raises(NotFound):
        boxes_png(pdf(_PAGES), [])
    with pytest.raises(InputRejected):
        page_png(b"no pdf", 1)


def test_a_huge_page_is_drawn_within_bounds() -> None:
    """A page of 14,400 points a side is drawn no larger than the limit."""
    data = pdf([line(_BODY, 72, 700)], media="0 0 14400 14400")
    assert page_sizes(data) == [(14400.0, 14400.0)]
    high, wide, _ = _pixels(page_png(data, 1)).shape
    assert high * wide <= MAX_PIXELS * 1.001


def test_context_marks_exactly_the_words() -> None:
    """What stands between the marks is the clause's text, piece by piece, escaped; the rest is around it, unmarked."""
    text = "\n".join(["before <b> & after"] * 400 + ["4 Fees & <dues> are due.", "They are paid in May."] + ["after"] * 600)
    start = text.index("Fees")
    spans = [(start, text.index("\n", start)), (text.index("They"), text.index("May.") + 4)]
    page = context_html(text, spans, title="Rules: 4", about="rules@1, 1", language="en", head=[(start - 2, start - 1)])
    assert "<mark>Fees &amp; &lt;dues&gt; are due.</mark>" in page
    assert "<mark>They are paid in May.</mark>" in page
    assert '<mark class="head">4</mark>' in page
    assert page.count("<mark") == 3
    assert "characters before" in page
    assert "characters after" in page
    assert "<script" not in page


def test_hostile_titles_and_pictures_are_escaped() -> None:
    """Nothing of a document's own words becomes markup."""
    page = picture_html(b"\x89PNG", title="<script>", about='"&', language='en"><script>', alt='"><script>')
    assert "<script" not in page
    assert "data:image/png;base64," in page
