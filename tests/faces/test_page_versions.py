"""Versions on the page: one that was corrected away says so wherever it is listed, a comparison leads to its clauses, what was
typed about a stale answer stays where it is refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import httpx
import pytest

from compliance_rag.service.keys import ROLES, add_key
from tests.faces.serving import serving
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office?"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """A browser at a home with two versions; the second was corrected after a question."""
    handle = make_home(tmp_path_factory.mktemp("versions") / "home")
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"), staged(handle, policy(14), "2", "2025-01-01"))
    _, key = add_key(handle, "boss", ROLES, actor="root")
    headers = {"Accept": "text/html"}
    with serving(handle) as address, httpx.Client(base_url=address, timeout=60, headers=headers, follow_redirects=True) as one:
        one.post("/sign-in", data={"key": key})
        one.post("/ask", data={"question": QUESTION})
        publish(handle, staged(handle, policy(15), "2", "2025-01-01", correct=True))
        yield one


def words(page: str) -> str:
    """A page's text without its marks."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))


def test_a_corrected_version_says_so(browser: httpx.Client) -> None:
    """In the list, above its outline, on its clauses and in their history; its days, which are none, are not printed as days,
    and the two of one label are told apart by their ids."""
    told = "never in force: 2~2 stands in its place"
    listed = words(browser.get("/documents").text)
    assert told in listed
    assert "corrected" in listed
    assert "2 2~2" in listed
    assert "/documents/policy?version=2~1" in browser.get("/documents").text
    first = browser.get("/documents/policy?version=2~1").text
    assert told in words(first.split("<h2>Outline", 1)[0])
    assert "within 14 days" in first
    assert "/documents/policy/report?version=2~1" in first
    assert "/documents/policy?version=2~1" in browser.get("/clause?id=policy@2%232").text
    clause = words(browser.get("/clause?id=policy@2%232").text)
    assert clause.count("corrected: 2~2 stands in its place, these words never count") == 2
    for page in (listed, clause):
        assert "from 2025-01-01 until 2025-01-01" not in page
    assert "never in force" in words(browser.get("/source?clause=policy@2%232").text)


def test_an_old_answer_says_that_its_version_was_corrected(browser: httpx.Client) -> None:
    """Beside the day for which it was in force as known then."""
    stale = browser.get("/stale").text
    answer = re.search(r'href="(/answers/a-[0-9a-f]+)"', stale)
    assert answer is not None
    shown = words(browser.get(answer[1]).text)
    assert "since corrected" in shown


def test_a_comparison_leads_to_its_clauses(browser: httpx.Client) -> None:
    """The heading of a change is a link; what the list offers names each version, the corrected one apart."""
    page = browser.get("/changes?doc=policy&start=1&end=2").text
    assert re.search(r'<h2><a href="/clause\?id=policy%402~2%232">', page)
    assert re.findall(r'<option value="([^"]*)">Records Policy</option>', page) == ["1", "2~1", "2"]
    assert "within <ins>14</ins> days" in browser.get("/changes?doc=policy&start=1&end=2~1").text


def test_the_printable_redline_speaks_the_language_of_the_page(browser: httpx.Client) -> None:
    """Its frame; by itself it speaks the document's."""
    path = "/changes/redline?doc=policy&start=1&end=2"
    assert "List of changes" in browser.get(path).text
    assert "List of changes" not in browser.get(f"{path}&lang=zh").text
    assert browser.get(f"{path}&lang=xx").status_code == 422


def test_what_was_typed_about_a_stale_answer_stays(browser: httpx.Client) -> None:
    """A refused assignment and a refused decision are said at the item, with what was typed."""
    answer = re.search(r"/stale/(a-[0-9a-f]+)/assign", browser.get("/stale").text)
    assert answer is not None
    refused = browser.post(f"/stale/{answer[1]}/assign", data={"owner": "carla", "due": "2024-02-30"})
    assert refused.status_code == 422
    assert 'value="carla"' in refused.text
    assert "Due: '2024-02-30' is not a calendar day" in words(refused.text)
    closed = browser.post(f"/stale/{answer[1]}/close", data={"decision": "updated", "note": " "})
    assert closed.status_code == 422
    assert '<option value="updated" selected>' in closed.text
