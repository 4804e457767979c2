"""Scans: pages that are pictures are read, turned, straightened; one read too badly is held; a person's text replaces it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from io import BytesIO

import numpy as np
import pytest

from compliance_rag.parse.blocks import Extracted
from compliance_rag.parse.parse import parse_extracted
from compliance_rag.parse.readers import child, pictures, read_source, wire
from compliance_rag.parse.readers.child import read_guarded
from compliance_rag.parse.readers.ocr_correct import corrected_lines
from compliance_rag.parse.readers.ocr_page import _bands, _ink, _rows
from compliance_rag.parse.readers.ocr_quality import MAX_EDGE, MIN_CONFIDENCE, MIN_DOTS, MIN_KNOWN, is_noise, why_held
from compliance_rag.parse.readers.ocr_sharpness import edge_width
from compliance_rag.parse.readers.ocr_types import ReadLine, ReadPage
from compliance_rag.parse.readers.pdf import open_pdf
from compliance_rag.parse.readers.scans import ScansNeeded, _drawn, read_here
from compliance_rag.parse.tiling import check_tiling
from eval.bench_ocr import wrong_characters
from eval.ocr_pages import MARGIN, STEP, Look, Scan, chinese_font, scan
from schemas.errors import InputRejected
from tests.parse.pdfs import line, pdf

# Lines on a page of a test: reading one takes a seventh of a second.
ROWS = 6
_PICTURE = (
    "<< /Type /XObject /Subtype /Image /Width 1 /Height 1 /ColorSpace /DeviceGray /BitsPerComponent 8 /Length 1 >>\n"
    "stream\n\xff\nendstream"
)


def _read(page: Scan, corrections: dict[int, str | None] | None = None) -> tuple[Extracted, ReadPage]:
    kept: list[ReadPage] = []

    def reader(data: bytes, name: str, pages: Sequence[int]) -> list[ReadPage]:
        kept.extend(read_here(data, name, pages))
        return kept

    return read_source(page.data, "page.pdf", scans=reader, corrections=corrections), kept[0]


def _plain(text: str) -> str:
    return "".join(text.split())


def _codes(extracted: Extracted) -> list[str]:
    return [flag.code for flag in extracted.flags]


def _wrong(page: Scan, extracted: Extracted) -> float:
    known = _plain(page.text)
    return wrong_characters(known, _plain(extracted.text)) / len(known)


@pytest.mark.parametrize(
    ("look", "turn"),
    [
        (Look("en", 200, skew=2.0, turn=90, noise=10), 90),
        (Look("zh", 200, 12, skew=-1.5, turn=180, specks=0.002), 180),
    ],
)
def test_a_page_askew_and_turned_is_read(look: Look, turn: int) -> None:
    """Noise, two degrees askew, a quarter turn: under one character in a hundred is wrong, in both languages, and the page is
    not held."""
    if look.language == "zh" and chinese_font() is None:
        pytest.skip("no font with Chinese characters is installed")
    page = scan(look, 3, ROWS)
    extracted, found = _read(page)
    assert _wrong(page, extracted) < 0.01
    assert "held_page" not in _codes(extracted)
    assert found.turn == turn
    assert abs(abs(found.skew) - abs(look.skew)) < 0.3
    parsed = parse_extracted(extracted, "0" * 64)
    assert check_tiling(parsed) == []
    assert "+rapidocr-" in parsed.parser_version


def test_boxes_of_a_scan_stand_where_the_lines_are_printed() -> None:
    """Each line of a page that lies straight has its box at the height where it was drawn, within two points."""
    look = Look("en", 150)
    extracted, found = _read(scan(look, 4, ROWS))
    assert len(found.lines) == ROWS
    for row, read in enumerate(found.lines):
        top = MARGIN + row * look.size * STEP["en"]
        assert top <= read.box[1] + 2
        assert read.box[3] <= top + 1.25 * look.size + 2
        assert abs(read.box[0] - MARGIN) < 4
    boxes = [box for block in extracted.blocks for box in block.boxes]
    assert len(boxes) == ROWS
    assert all(box[0] == 1 for box in boxes)


@pytest.mark.parametrize("look", [Look("en", 200, blur=0.14), Look("en", 90, blur=0.08)])
def test_a_bad_page_is_held(look: Look) -> None:
    """A blurred page and one of 90 dots an inch are held; a version of such pages alone has nothing that was read well."""
    extracted, _ = _read(scan(look, 5, ROWS))
    assert {"held_page", "ocr_quality"} <= set(_codes(extracted))
    assert [page for page, _ in extracted.held] == [1]


def test_a_person_s_text_takes_the_place_of_what_was_read() -> None:
    """The corrected text is the page's, each line on the box of the line it corrects, and the page is no longer held."""
    page = scan(Look("en", 90), 6, ROWS)
    before, _ = _read(page)
    after, _ = _read(page, {1: page.text})
    assert "held_page" in _codes(before)
    assert "held_page" not in _codes(after)
    assert _plain(after.text) == _plain(page.text)
    assert {box for block in after.blocks for box in block.boxes} <= {box for block in before.blocks for box in block.boxes}
    approved, _ = _read(page, {1: None})
    assert (approved.text, "held_page" in _codes(approved)) == (before.text, False)


def test_pages_are_read_in_confined_children_with_the_same_words() -> None:
    """Two pages go to two children and come back as read in one process; progress is told; without leave they are asked for."""
    first, second = scan(Look("en", 150), 7, 3), scan(Look("en", 150, turn=90), 8, 3)
    data = _joined(first.data, second.data)
    told: list[tuple[int, int]] = []
    child._WARM.close()
    try:
        guarded = read_guarded(data, "two.pdf", progress=lambda done, total: told.append((done, total)))
        with pytest.raises(ScansNeeded) as asked:
            read_guarded(data, "two.pdf", read_scans=False)
    finally:
        child._WARM.close()
    assert guarded.text == read_source(data, "two.pdf").text
    assert told == [(1, 2), (2, 2)]
    assert asked.value.pages == [1, 2]


def _joined(*files: bytes) -> bytes:
    import pypdfium2 as pdfium

    whole = pdfium.PdfDocument.new()
    for data in files:
        whole.import_pages(pdfium.PdfDocument(data))
    out = BytesIO()
    whole.save(out)
    return out.getvalue()


def _one(text: str, sure: float = 0.999, top: float = 100.0, size: float = 10.0) -> ReadLine:
    edges = tuple(edge for at in range(len(text)) for edge in (72.0 + 5 * at, 77.0 + 5 * at))
    box = (72.0, top, 72.0 + 5 * len(text), top + size)
    return ReadLine(text, (sure,) * len(text), edges, box, box, size, top + 0.8 * size)


def _page(lines: Sequence[ReadLine], **values: float) -> ReadPage:
    page = ReadPage(1, 595.0, 842.0, 0, 0.0, 0.03, 300.0, tuple(lines), ())
    return replace(page, **values)  # type: ignore[arg-type]


_ENGLISH = "the supplier shall keep every record for seven years and show it to the authority " * 2
_MISREAD = "the supplierx shallq keeqp evezry for that recodrd the sevben and yeavrs which shovw zit tox the authxority " * 2


@pytest.mark.parametrize(
    ("page", "held"),
    [
        (_page([_one(_ENGLISH)]), None),
        (_page([_one(_ENGLISH, MIN_CONFIDENCE)]), None),
        (_page([_one(_ENGLISH, MIN_CONFIDENCE - 0.001)]), "certainty"),
        (_page([_one(_ENGLISH), _one("x" * 12, 0.89)]), "doubtful"),
        (_page([_one(_MISREAD)]), "words are known"),
        (_page([_one("De vennootschap verplicht haar bestuurders tot openbaarmaking van gegevens " * 4)]), None),
        (_page([_one(_ENGLISH)], dots=MIN_DOTS), None),
        (_page([_one(_ENGLISH)], dots=MIN_DOTS - 1), "dots an inch"),
        (_page([_one(_ENGLISH, size=25.0)], dots=72.0, width=1654.0, height=2339.0), None),
        (_page([_one(_ENGLISH, size=11.0)], dots=72.0, width=1654.0, height=2339.0), "pixels high"),
        (_page([_one(_ENGLISH)], edge=10 * MAX_EDGE), None),
        (_page([_one(_ENGLISH)], edge=10 * MAX_EDGE + 0.01), "blurred"),
        (_page([]), "no word"),
        (_page([], ink=0.0), None),
    ],
)
def test_what_holds_a_page(page: ReadPage, held: str | None) -> None:
    """Each limit holds a page one step past it and not at it; an empty sheet and a page of another language are not held."""
    why = why_held(page)
    assert (why is None) if held is None else (why is not None and held in why)


def test_known_words_are_of_english_pages_alone() -> None:
    """The limit of known words lies between a clean and a misread page."""
    assert 0.5 < MIN_KNOWN < 0.95


def test_a_line_that_is_no_text_is_set_aside() -> None:
    """Ink of which the recogniser is unsure is in no clause; it is in the flagged remainder."""
    assert is_noise(_one("q~x", 0.4))
    assert not is_noise(_one("Records", 0.6))
    kept = _page([_one(_ENGLISH), _one("q~x", 0.3, top=200.0)])
    data = pdf(["q 600 0 0 800 0 0 cm /Im1 Do Q\n"], resources="/XObject << /Im1 7 0 R >>", extra=[_PICTURE])
    extracted = read_source(data, "a.pdf", scans=lambda data, name, pages: [kept])
    assert "q~x" not in extracted.text
    assert ("unread_ink", "q~x") in extracted.remainder
    assert "unread_ink" in _codes(extracted)


def test_a_stamp_on_a_scan_is_furniture_and_read_once() -> None:
    """Words printed as text on the picture of a page are set aside; what is read at the same place is not taken again."""
    stamp = line("RECEIVED 3 MAY", 72, 700, size=12)
    data = pdf([f"q 600 0 0 800 0 0 cm /Im1 Do Q\n{stamp}"], resources="/XObject << /Im1 7 0 R >>", extra=[_PICTURE])
    twice = replace(_one("RECEIVED 3 MAY"), box=(73.0, 91.0, 160.0, 99.0))
    extracted = read_source(data, "a.pdf", scans=lambda data, name, pages: [_page([twice, _one(_ENGLISH, top=300.0)])])
    kinds = [(extracted.text[slice(*block.span)][:8], block.kind) for block in extracted.blocks]
    assert sorted(kinds) == [("RECEIVED", "furniture"), ("the supp", "paragraph")]


def test_a_text_layer_that_says_what_is_read_is_not_hidden_text() -> None:
    """The invisible words that a scanner's program lays over a page are no hidden text; other invisible words are."""
    kept = _page([_one(_ENGLISH)])
    flags = []
    for words in (_ENGLISH, "Clause four is repealed with effect from the first of May"):
        layer = line(words, 10, 400, size=4).replace("Tf", "Tf 3 Tr")
        data = pdf([f"q 600 0 0 800 0 0 cm /Im1 Do Q\n{layer}"], resources="/XObject << /Im1 7 0 R >>", extra=[_PICTURE])
        flags.append(_codes(read_source(data, "a.pdf", scans=lambda data, name, pages: [kept])))
    assert flags == [[], ["hidden_text"]]


_SHIFTED = (
    "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def\n1 begincodespacerange <00> <ff> "
    "endcodespacerange\n2 beginbfrange <61> <79> <0062> <41> <59> <0042> endbfrange\nendcmap end end"
)


@pytest.mark.parametrize("agrees", [True, False])
def test_a_suspected_font_map_is_compared_with_the_picture(agrees: bool) -> None:
    """Characters moved along the alphabet by the font's map: where the picture reads otherwise, its words are taken and the
    page is flagged; where it reads the same, the suspicion is dropped."""
    words = "the supplier shall keep every record of a delivery and show it to the authority. " * 5
    shifted = words.translate({code: code + 1 for code in range(97, 122)})
    content = "".join(
        line(words[at : at + 60], 72, 700 - at // 3).replace("/F1", "/F3") for at in range(0, len(words), 60)
    )  # fmt: skip
    font = "/F3 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /ToUnicode 7 0 R >>"
    stream = f"<< /Length {len(_SHIFTED)} >>\nstream\n{_SHIFTED}\nendstream"
    data = pdf([content], extra=[stream]).replace(b"/F2 4 0 R", b"/F2 4 0 R " + font.encode())
    read = _page([_one(shifted if agrees else words)])
    extracted = read_source(data, "a.pdf", scans=lambda data, name, pages: [read])
    assert ("broken_font_map" in _codes(extracted)) is not agrees
    assert ("supplier" in extracted.text) is not agrees


def test_corrected_lines_keep_every_character() -> None:
    """A line more, a line less, a line like none: all characters of the person's text come out, in order, none of the old."""
    read = [_one("Tke supplior keps", top=100), _one("recods.", top=115), _one("Signed", top=400)]
    text = "The supplier keeps\nall records.\n\nNothing like it: 第一条\nSigned"
    lines = corrected_lines(read, text, _page(read))
    assert [one.text for one in lines] == ["The supplier keeps", "all records.", "Nothing like it: 第一条", "Signed"]
    assert lines[0].box == read[0].box
    assert lines[3].box == read[2].box
    assert all(len(one.edges) == 2 * len(one.text) == 2 * len(one.sure) for one in lines)
    assert corrected_lines([], "Only this.", _page([]))[0].text == "Only this."


def test_pages_pass_between_processes_checked() -> None:
    """Pages read survive the wire; anything else is refused."""
    page = _page([_one(_ENGLISH), _one("第一条", 0.5)])
    assert wire.unpack_pages(wire.pack_pages([page])) == [page]
    for spoilt in (b"[1]", b"[{}]", b'{"a": 1}', wire.pack_pages([page]).replace(b'"number": 1', b'"number": "x"')):
        with pytest.raises(ValueError):  # noqa: PT011 - any of it
            wire.unpack_pages(spoilt)


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF"])
def test_a_picture_file_is_a_scan(kind: str) -> None:
    """A page as PNG, JPEG or TIFF of two pages is read like a scan in a PDF, its boxes in points."""
    import pypdfium2 as pdfium

    page = scan(Look("en", 150), 9, 3)
    image = pdfium.PdfDocument(page.data)[0].render(scale=150 / 72, grayscale=True).to_pil()
    out = BytesIO()
    options = {"save_all": True, "append_images": [image]} if kind == "TIFF" else {}
    image.save(out, kind, dpi=(150, 150), **options)
    extracted = read_source(out.getvalue(), f"page.{kind.lower()}")
    assert _plain(page.text) in _plain(extracted.text)
    assert len({box[0] for block in extracted.blocks for box in block.boxes}) == (2 if kind == "TIFF" else 1)
    assert all(60 < box[1] < 540 for block in extracted.blocks for box in block.boxes)


@pytest.mark.parametrize(
    ("data", "name", "code"),
    [
        (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "a.png", "damaged_file"),
        (b"no picture", "a.png", "damaged_file"),
        (b"\xff\xd8\xff\xe0" + b"\0" * 10, "a.jpg", "damaged_file"),
        (b"II*\0\x08\0\0\0", "a.tif", "damaged_file"),
    ],
)
def test_a_spoilt_picture_is_refused(data: bytes, name: str, code: str) -> None:
    """A picture that cannot be opened has one clear refusal."""
    with pytest.raises(InputRejected) as error:
        read_source(data, name)
    assert error.value.code == code


def test_a_picture_made_to_fill_memory_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pixels are counted before they are unpacked: at the limit it is read, one past it is refused."""
    from PIL import Image

    out = BytesIO()
    Image.new("L", (40, 40), 255).save(out, "PNG")
    monkeypatch.setattr(pictures, "MAX_PIXELS", 1600)
    pictures.picture_pdf(out.getvalue(), "a.png").close()
    monkeypatch.setattr(pictures, "MAX_PIXELS", 1599)
    with pytest.raises(InputRejected) as error:
        pictures.picture_pdf(out.getvalue(), "a.png")
    assert error.value.code == "unpacks_too_large"
    for limit in (1000, 500):
        monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", limit)
        with pytest.raises(InputRejected) as error:
            pictures.picture_pdf(out.getvalue(), "a.png")
        assert (error.value.code, "too large" in str(error.value)) == ("unpacks_too_large", True)


@pytest.mark.parametrize(("limit", "value"), [("OCR_SECONDS", 0.3), ("OCR_CPU_SECONDS", 1)])
def test_a_page_that_takes_too_long_is_stopped(monkeypatch: pytest.MonkeyPatch, limit: str, value: float) -> None:
    """The child that reads pictures is ended at its limit, on the wall's clock and on the processor's, and the file refused;
    the next one is read."""
    page = scan(Look("en", 300, noise=20), 3)
    monkeypatch.setattr(child, limit, value)
    with pytest.raises(InputRejected) as error:
        read_guarded(page.data, "page.pdf")
    assert error.value.code == "reader_timeout"
    assert read_guarded(b"Fine.", "b.md").text == "Fine."


def test_lines_found_with_parts_of_their_neighbours_share_what_both_hold() -> None:
    """Two findings that overlap under one another are cut in the middle of what they share; beside one another they are not."""
    assert _bands([(0, 0, 100, 20), (0, 14, 100, 36), (0, 34, 100, 50)]) == [(0, 17), (17, 35), (35, 50)]
    assert _bands([(0, 0, 100, 20), (120, 10, 220, 30)]) == [(0, 20), (10, 30)]
    assert _bands([(0, 0, 100, 20), (0, 2, 100, 21)]) == [(0, 20), (2, 21)]


def test_a_rule_over_two_wide_lines_of_a_scan_is_text() -> None:
    """Lines 1.8 type sizes apart: the first line of a two-line rule is no heading, and both are one paragraph of the rule."""
    rows = (
        "1 Notice",
        "1.1 The bank notifies the supervisor within 72 hours of a material",
        "incident, and never later than 5 days.",
        "1.2 The notice names the number of clients.",
    )
    kept = _page([_one(words, top=100 + 18 * at) for at, words in enumerate(rows)])
    data = pdf(["q 600 0 0 800 0 0 cm /Im1 Do Q\n"], resources="/XObject << /Im1 7 0 R >>", extra=[_PICTURE])
    parsed = parse_extracted(read_source(data, "a.pdf", scans=lambda data, name, pages: [kept]), "0" * 64)
    found = {clause.number: (clause.heading, clause.text) for clause in parsed.clauses}
    assert found["1"] == ("Notice", "")
    assert found["1.1"] == ("", f"{rows[1][4:]} {rows[2]}")
    assert found["1.2"] == ("", rows[3][4:])


def test_the_tail_of_a_single_letter_is_of_its_line() -> None:
    """A line with one tail, three pixels wide, is as high as its letters and that tail, which its type size is measured by."""
    ink = np.zeros((40, 1200), np.bool_)
    ink[5:25] = True
    ink[25:31, 600:603] = True
    assert np.nonzero(_rows(ink))[0].tolist() == list(range(5, 31))


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_edge_of_a_stroke_tells_a_blur(language: str) -> None:
    """A sharp page's edges are far under the limit, those of a page blurred by 0.12 of its type far over it, with noise too and
    at any number of dots; what is not yet misread (0.06) is under it."""
    if language == "zh" and chinese_font() is None:
        pytest.skip("no font with Chinese characters is installed")
    for dots in (200, 300):
        found = []
        for blur in (0.0, 0.06, 0.12):
            picture, width, _, _ = _drawn(open_pdf(scan(Look(language, dots, 12, blur=blur, noise=8), 9, 4).data, "a"), 1, "a")
            found.append(edge_width(picture, _ink(picture)) * width / picture.shape[1] / 12)
        assert found[0] < 0.7 * MAX_EDGE
        assert found[1] < MAX_EDGE < found[2]


def test_a_frame_on_a_page_without_words_is_a_figure_and_holds_the_page() -> None:
    """Thin ink, under one part in a hundred of the page, is seen: a large frame alone is flagged and a person looks at it."""
    from PIL import Image

    picture = np.full((1400, 1000), 255, np.uint8)
    picture[200:204, 200:800] = picture[1000:1004, 200:800] = picture[200:1004, 200:204] = picture[200:1004, 796:800] = 0
    out = BytesIO()
    Image.fromarray(picture).save(out, "PDF", resolution=120)
    extracted = read_source(_joined(scan(Look("en", 150), 7, 3).data, out.getvalue()), "a.pdf", scans=read_here)
    assert {(flag.code, flag.page) for flag in extracted.flags} >= {("figure", 2), ("held_page", 2)}
