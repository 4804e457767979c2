"""The journeys in a real browser, by mouse and by keyboard; every page for people who do not see it; size and speed."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from audit.verifier import verify_home
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import ROLES, add_key
from compliance_rag.service.manifest import check_entry
from compliance_rag.service.stage import stage_or_reject
from tests.conftest import ROOT
from tests.faces.browsing import axe_source, chromium, drop, serious, signed_in
from tests.faces.serving import serving
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office?"
REVIEW_ALL = {"review": {"thresholds": {"answer_confidence": 1.1}}}
PDF = ROOT / "eval" / "corpus" / "procedure" / "incident-response-issue-4.pdf"
PDF_QUESTION = "Who leads the response to an incident?"
FIRST_PAGE_BYTES = 300_000
INTERACTIVE_MILLISECONDS = 1_000


@dataclass(slots=True)
class Place:
    """A served home, its keys, a browser."""

    handle: HomeHandle
    address: str
    keys: dict[str, str]
    browser: Any

    def page(self, name: str = "cam", **other: Any) -> Any:
        """A page of who is signed in."""
        return signed_in(self.browser, self.address, self.keys[name], **other)


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Two versions of a policy and a printed procedure; from now on a second person publishes."""
    root = tmp_path_factory.mktemp("browser") / "home"
    first = make_home(root)
    fields = {"file": PDF.name, "doc_id": "procedure", "version": "4", "effective_from": "2024-01-01", "language": "en"}
    publish(
        first,
        staged(first, policy(10), "1", "2024-01-01"),
        staged(first, policy(14), "2", "2025-01-01"),
        stage_or_reject(check_entry(fields, PDF.name), PDF.parent, first.home),
    )
    with first.home.settings.open("a", encoding="utf-8") as out:
        out.write("\n[publishing]\nsecond_person = true\n")
    handle = make_home(root, **REVIEW_ALL)
    keys = {
        name: add_key(handle, name, roles, actor="root")[1]
        for name, roles in (("cam", ROLES), ("enid", ("engineer",)), ("pat", ("publisher",)))
    }
    with chromium() as browser, serving(handle) as address:
        yield Place(handle, address, keys, browser)


def ask(page: Any, question: str, as_of: str = "") -> None:
    """A question by the form."""
    page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/")[2] + "/")
    page.fill("#question", question)
    if as_of:
        page.fill("#as-of", as_of)
    page.click("#ask-form button[type=submit]")
    page.wait_for_url("**/answers/*")


def test_ask_citation_source_and_another_day(place: Place) -> None:
    """By keyboard: ask, walk to the citation, its card, its source with the very words marked; another day turns the answer;
    asked on from there."""
    with place.page() as page:
        page.keyboard.press("/")
        page.keyboard.type(QUESTION)
        page.keyboard.press("Control+Enter")
        page.wait_for_url("**/answers/*")
        assert "within 14 days" in page.inner_text(".answer .body")
        page.keyboard.press("Escape")
        page.evaluate("document.activeElement.blur()")
        page.keyboard.press("n")
        card = page.inner_text(".card")
        assert all(word in card for word in ("Notice", "2025-01-01", "within 14 days"))
        page.keyboard.press("Enter")
        page.wait_for_selector("a.cite[aria-current]")
        marked = page.inner_text("#source mark.quote >> nth=0")
        assert "shall notify the office within 14 days" in marked
        page.fill("#as-of", "2024-06-01")
        page.click("#ask-form button[type=submit]")
        page.wait_for_selector("text=since superseded")
        assert "within 10 days" in page.inner_text(".answer .body")
        page.fill("#follow", "And how long are records kept?")
        page.press("#follow", "Control+Enter")
        page.wait_for_selector(".follows")
        assert "as of 2024-06-01, in policy" in page.inner_text(".follows")
        assert "seven years" in page.inner_text(".answer .body")


def test_a_day_is_typed_as_people_type_it(place: Place) -> None:
    """Into the picker, figure by figure: the year ends after four, and what is typed on goes to no year of six."""
    with place.page() as page:
        ask(page, QUESTION)
        page.click("#as-of", position={"x": 12, "y": 12})
        page.keyboard.type("06012024")
        assert page.input_value("#as-of") in ("2024-06-01", "2024-01-06")
        page.keyboard.type("5")
        assert len(page.input_value("#as-of")) == len("2024-06-01")
        page.fill("#as-of", "2024-06-01")
        page.keyboard.press("Enter")
        page.wait_for_selector("text=since superseded")


def test_on_a_phone_the_open_page_is_in_sight_of_the_row_of_pages(place: Place) -> None:
    """The row is wider than the screen in English."""
    with place.page(width=390) as page:
        for path in ("/audit", "/review", "/documents"):
            page.goto(page.url.split("/", 3)[0] + "//" + page.url.split("/")[2] + path)
            box = page.locator("header nav [aria-current]").bounding_box()
            assert box["x"] >= 0
            assert box["x"] + box["width"] <= 390


def test_a_printed_page_with_the_words_marked(place: Place) -> None:
    """A citation of a PDF opens its printed page beside the answer, as a picture with its words beside it."""
    with place.page() as page:
        ask(page, PDF_QUESTION)
        page.hover("a.cite >> nth=0")
        assert page.is_visible(".card")
        page.click("a.cite >> nth=0")
        page.wait_for_function("document.querySelector('#source img.sheet')?.naturalWidth > 500")
        assert "page" in page.get_attribute("#source img.sheet", "alt").lower()


def test_redline_review_verify_and_bundle(place: Place, tmp_path: Path) -> None:
    """The words that changed struck and added; an amendment beside the evidence; the record verified; the proof downloaded and
    valid without us."""
    with place.page() as page:
        page.goto(f"{place.address}/changes?doc=policy&start=1&end=2")
        assert ("10" in page.inner_text("del >> nth=0"), "14" in page.inner_text("ins >> nth=0")) == (True, True)
        ask(page, QUESTION)
        answer_id = page.url.rpartition("/")[2]
        page.goto(f"{place.address}/review")
        page.click(f"a[href='/review/{answer_id}']")
        page.check("input[value=amend]")
        page.fill("textarea[name=text]", "Fourteen days from the event.")
        page.fill("textarea[name=note], input[name=note]", "clearer")
        page.click(".decide button")
        page.wait_for_url(f"{place.address}/review")
        assert page.query_selector(f"a[href='/review/{answer_id}']") is None
        page.goto(f"{place.address}/answers/{answer_id}")
        assert "Fourteen days from the event." in page.inner_text(".amended")
        with page.expect_download() as download:
            page.click("a[download] >> nth=0")
        path = tmp_path / "bundle.zip"
        download.value.save_as(path)
        page.goto(f"{place.address}/audit")
        page.click("form[action='/audit/verify'] button")
        assert "Valid: " in page.inner_text("[role=status]")
    with zipfile.ZipFile(path) as bundle:
        bundle.extractall(tmp_path / "bundle")
    assert verify_home(tmp_path / "bundle")["valid"] is True


@pytest.mark.slow
def test_dropped_files_are_staged_by_one_and_published_by_another(place: Place) -> None:
    """A good and a broken file dropped: described, watched live, one staged with its report, the other kept with its sentence;
    another person reads the report and publishes; the answer turns."""
    with place.page("enid") as page:
        page.goto(f"{place.address}/documents")
        drop(page, {"policy.md": policy(21).encode(), "broken.pdf": b"no pdf at all"})
        page.wait_for_url("**/documents/ingest/*")
        for at, (doc, version, day) in enumerate((("policy", "3", "2026-01-01"), ("broken", "1", "2026-01-01"))):
            page.fill(f"#doc_id-{at}", doc)
            page.fill(f"#version-{at}", version)
            page.fill(f"#effective_from-{at}", day)
        page.click("#describe button")
        page.wait_for_selector("#progress, [role=status]")
        page.wait_for_selector("text=1 waiting for a person, 1 not taken.")
        assert "Every visible character is accounted for" in page.inner_text("main")
        assert "fetch it again" in page.inner_text("fieldset .problem")
        page.goto(f"{place.address}/documents/policy/report?version=3")
        assert "a publisher does it" in page.inner_text(".decide")
    with place.page("pat") as page:
        page.goto(f"{place.address}/documents")
        page.click("text=Read the report and publish")
        page.fill("#note", "compared with the signed original")
        page.click(".decide button")
        page.wait_for_selector("text=Published.")
    with place.page() as page:
        ask(page, QUESTION, "2026-06-01")
        assert "within 21 days" in page.inner_text(".answer .body")


@pytest.mark.slow
@pytest.mark.parametrize(("language", "dark"), [("en-GB", False), ("zh-CN", True)])
def test_no_page_has_a_serious_fault_for_who_does_not_see_it(place: Place, language: str, dark: bool) -> None:
    """axe on every page: nothing serious, in both languages, light and dark; on a phone no page is wider than its screen."""
    source = axe_source()
    with place.page(language=language, dark=dark) as page:
        ask(page, QUESTION, "2024-06-01")
        answer_id = page.url.rpartition("/")[2]
        found = {page.url: serious(page, source)}
        page.goto(f"{place.address}/documents")
        drop(page, {"draft.md": policy(3).encode()})
        page.wait_for_url("**/documents/ingest/*")
        found[page.url] = serious(page, source)
        batch = page.url.removeprefix(place.address)
        paths = (
            "/", "/documents", "/documents/policy", "/documents/policy/report?version=1", "/clause?id=policy@2%232",
            "/source?clause=policy@1%232", "/changes?doc=policy&start=1&end=2", "/stale", "/review", f"/review/{answer_id}",
            "/audit", f"/audit/{answer_id}", batch,
        )  # fmt: skip
        for path in paths:
            page.goto(place.address + path)
            found[path] = serious(page, source)
        assert {path: faults for path, faults in found.items() if faults} == {}
        page.set_viewport_size({"width": 390, "height": 844})
        wide = {}
        for path in (*paths, f"/answers/{answer_id}"):
            page.goto(place.address + path)
            wide[path] = page.evaluate("document.documentElement.scrollWidth")
        assert {path: width for path, width in wide.items() if width > 390} == {}


def test_the_first_page_is_light_and_quick(place: Place) -> None:
    """What the first page loads over the wire, and when it answers to a person."""
    with place.page() as page:
        page.goto(f"{place.address}/")
        seen = json.loads(
            page.evaluate(
                """JSON.stringify({interactive: performance.getEntriesByType('navigation')[0].domInteractive,
                bytes: performance.getEntriesByType('navigation')[0].transferSize
                  + performance.getEntriesByType('resource').reduce((sum, one) => sum + one.encodedBodySize, 0)})"""
            )
        )
    assert seen["bytes"] < FIRST_PAGE_BYTES
    assert seen["interactive"] < INTERACTIVE_MILLISECONDS
