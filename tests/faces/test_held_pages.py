"""A held page as the command line, the service and the page show it, down to the decision."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx
import pytest

from compliance_rag.faces.cli import run
from compliance_rag.parse.readers import child
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import ROLES, add_key
from compliance_rag.service.manifest import check_entry
from compliance_rag.service.stage import stage_or_reject
from eval.ocr_pages import Look, scan
from tests.faces.serving import serving
from tests.service.building import make_home, publish

PAGE = scan(Look("en", 90), 12, 3)
NAME = "sheet@v1:page-1"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HomeHandle]:
    """A home with one held page."""
    folder = tmp_path_factory.mktemp("sheet")
    (folder / "sheet.pdf").write_bytes(PAGE.data)
    fields = {"file": "sheet.pdf", "doc_id": "sheet", "version": "v1", "effective_from": "2024-01-01"}
    handle = make_home(folder / "home")
    publish(handle, stage_or_reject(check_entry(fields, "sheet.pdf"), folder, handle.home))
    yield handle
    child._WARM.close()


def _said(capsys: pytest.CaptureFixture[str], home: HomeHandle, *arguments: str) -> object:
    assert run(["--home", str(home.home.root), "--json", "review", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_command_line_lists_shows_and_draws(home: HomeHandle, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    """`review list` names the page and why; `review show --show` prints its lines and writes its picture."""
    listed = _said(capsys, home, "list")
    assert isinstance(listed, list)
    assert [(item["page_id"], item["reasons"][0]["code"]) for item in listed] == [(NAME, "held_page")]
    shown = _said(capsys, home, "show", NAME, "--show", str(tmp_path / "page.png"))
    assert isinstance(shown, dict)
    assert shown["text"].splitlines()[0][:12] == PAGE.text[:12]
    assert (tmp_path / "page.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_shows_picture_beside_text_and_takes_the_correction(home: HomeHandle) -> None:
    """The queue links the page; it shows picture and lines; a correction without a note is asked for again, with one it is
    recorded, and the version that was held is in force; a key to other documents knows of no such page."""
    _, key = add_key(home, "cam", ROLES, actor="root")
    _, other = add_key(home, "dee", ROLES, docs=["another"], actor="root")
    with serving(home) as address, httpx.Client(base_url=address, timeout=120, follow_redirects=True) as browser:
        refused = browser.get(f"/api/review/{NAME}", headers={"Authorization": f"Bearer {other}"})
        assert refused.status_code == 404
        told = browser.get(f"/api/review/{NAME}", headers={"Authorization": f"Bearer {key}"})
        assert told.json()["page"] == 1
        browser.headers["Accept"] = "text/html"
        assert browser.post("/sign-in", data={"key": key, "back": "/"}).status_code == 200
        (link,) = re.findall(r'href="(/review/[^"]*page-1)"', unescape(browser.get("/review").text))
        page = browser.get(link).text
        (picture,) = re.findall(r'src="(/review/[^"]+page.png)"', unescape(page))
        assert browser.get(picture).content.startswith(b"\x89PNG")
        assert PAGE.text[:12] in unescape(page)
        again = browser.post(link, data={"decision": "amend", "note": " ", "text": PAGE.text})
        assert again.status_code == 422
        assert PAGE.text in unescape(again.text)
        done = browser.post(link, data={"decision": "amend", "note": "typed from the sheet", "text": PAGE.text})
        assert done.url.path == "/review"
        assert NAME not in done.text
        assert "sheet@v1" in browser.get(link).text
