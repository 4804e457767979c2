"""`clause ID --show FILE`: a picture for what has pages, a page of text for what has none."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from tests.faces.conftest import POLICY_1, Add, Command
from tests.parse.pdfs import line, pdf


def test_a_clause_of_a_pdf_is_drawn_on_its_page(command: Command, tmp_path: Path) -> None:
    """A clause of a PDF as .png is its page, as .html a page that holds the picture; `clause` prints its words all the same."""
    home, source = tmp_path / "home", tmp_path / "fees.pdf"
    body = line("1. Fees are due on the first day of every month.", 72, 700) + line("2. Keys are kept in the safe.", 72, 680)
    source.write_bytes(pdf([body]))
    options = ["--doc-id", "fees", "--version", "1", "--effective-from", "2024-01-01"]
    assert command(home, "add", str(source), *options)[0] == 0
    picture, page = tmp_path / "clause.png", tmp_path / "clause.html"
    code, shown = command(home, "clause", "fees@1#2", "--show", str(picture))
    assert (code, shown["text"], shown["box_ranges"]) == (0, "Keys are kept in the safe.", [[0, 26]])
    assert Image.open(BytesIO(picture.read_bytes())).size == (1200, 1600)
    assert command(home, "clause", "fees@1#2", "--show", str(page))[0] == 0
    assert "data:image/png;base64," in page.read_text(encoding="utf-8")
    (kept,) = (home / "sources").iterdir()
    kept.write_bytes(kept.read_bytes() + b"\n")
    code, shown = command(home, "clause", "fees@1#2", "--show", str(picture))
    assert (code, shown["error"]["code"]) == (4, "source_damaged")


def test_a_clause_of_a_text_is_shown_in_its_context(command: Command, add: Add, tmp_path: Path) -> None:
    """A clause of a text as .html has its words marked and its neighbours around it; as .png it is refused with the way out."""
    home, page = tmp_path / "home", tmp_path / "clause.html"
    assert add(home, POLICY_1, "v1", "2024-01-01")[0] == 0
    assert command(home, "clause", "key-policy@v1#1/2", "--show", str(page))[0] == 0
    shown = page.read_text(encoding="utf-8")
    assert "<mark>A lost key shall be reported within 10 days.</mark>" in shown
    assert "Each branch shall keep its vault keys with two officers." in shown
    code, refused = command(home, "clause", "key-policy@v1#1/2", "--show", str(tmp_path / "x.png"))
    assert (code, refused["error"]["code"]) == (2, "no_pages")
    code, refused = command(home, "clause", "key-policy@v1#1/2", "--show", str(tmp_path / "no" / "x.html"))
    assert (code, refused["error"]["code"]) == (3, "unwritable")


@pytest.mark.parametrize("place", ["nowhere/x.html", "."])
def test_a_redline_page_that_cannot_be_written_is_one_sentence(command: Command, add: Add, tmp_path: Path, place: str) -> None:
    """`changes --html` into a folder that is not there, or onto a folder."""
    home = tmp_path / "home"
    assert add(home, POLICY_1, "v1", "2024-01-01")[0] == 0
    named = ("changes", "key-policy", "--from", "v1", "--to", "v1", "--html", str(tmp_path / place))
    code, refused = command(home, *named)
    assert (code, refused["error"]["code"]) == (3, "unwritable")
    code, refused = command(home, "audit", "export", "--all", "--out", str(tmp_path / place))
    assert (code, refused["error"]["code"]) in ((3, "out_unwritable"), (3, "out_exists"))
