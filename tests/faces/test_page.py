"""The page as a browser gets it: ask, highlighted source, another day, redline, review, verify; strict without scripts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx
import pytest

from compliance_rag.faces.web.words import _WORDS
from compliance_rag.faces.web.words_ingest import INGEST_WORDS
from compliance_rag.service.erasing import erase_answer
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import ROLES, add_key
from tests.faces.serving import serving
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office?"
REVIEW_ALL = {"review": {"thresholds": {"answer_confidence": 1.1}}}
# The first page with all it loads.
FIRST_PAGE_BYTES = 300_000
SCRIPTED = "# Script Policy\n\n1. Notice\n\nThe \\<script>alert(1)\\</script> officer shall notify the office within 5 days.\n"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[HomeHandle, str, str]]:
    """A served home, its address and a key."""
    handle = make_home(tmp_path_factory.mktemp("page") / "home", **REVIEW_ALL)
    publish(
        handle,
        staged(handle, policy(10), "1", "2024-01-01"),
        staged(handle, policy(14), "2", "2025-01-01"),
        staged(handle, SCRIPTED, "1", "2024-01-01", "scripted"),
    )
    _, key = add_key(handle, "cam", ROLES, actor="root")
    with serving(handle) as address:
        yield handle, address, key


@pytest.fixture
def browser(place: tuple[HomeHandle, str, str]) -> Iterator[httpx.Client]:
    """A browser that is signed in."""
    _, address, key = place
    with httpx.Client(base_url=address, timeout=60, follow_redirects=True, headers={"Accept": "text/html"}) as client:
        assert client.post("/sign-in", data={"key": key, "back": "/"}).status_code == 200
        yield client


def words(text: str) -> str:
    """A page's text without its marks."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", text)))


def asked(browser: httpx.Client, **form: str) -> httpx.Response:
    """The answer's page."""
    answer = browser.post("/ask", data={"question": QUESTION, "doc": "policy", **form})
    assert answer.status_code == 200, answer.text
    assert answer.url.path.startswith("/answers/a-")
    return answer


def test_what_a_rule_was_before_is_marked(browser: httpx.Client) -> None:
    """A question that asks what changed shows the earlier words with what went and what came marked, under their version."""
    question = "What changed about the days within which the employee shall notify the office between version 1 and version 2?"
    page = asked(browser, question=question, as_of="2025-06-01").text
    earlier = re.findall(r'<section class="earlier">(.*?)</section>', page, re.DOTALL)
    assert len(earlier) == 1
    assert re.findall(r"<(del|ins)>(\d+)</", earlier[0]) == [("del", "10"), ("ins", "14")]
    assert "2024-01-01" in words(earlier[0])


def test_the_day_turns_the_answer(browser: httpx.Client) -> None:
    """The same question on two days gives the words of two versions, marked in their source; badges say what became of them."""
    then, now = asked(browser, as_of="2024-06-01"), asked(browser, as_of="2025-06-01")
    assert ("within 10 days" in words(then.text), "within 14 days" in words(now.text)) == (True, True)
    marked = re.findall(r'<mark class="quote">(.*?)</mark>', then.text, re.DOTALL)
    assert "The employee shall notify the office within 10 days of the event." in " ".join(marked)
    for badge in ("in force on 2024-06-01", "since superseded", "changes on 2025-01-01", "needs review"):
        assert badge in words(then.text)
    link = unescape(re.search(r'<a class="cite" href="([^"]+)"', then.text)[1])  # type: ignore[index]
    fragment = browser.get(f"{link}&fragment=true")
    assert '<mark class="quote">' in fragment.text
    assert "<html" not in fragment.text
    assert "<html" in browser.get(link).text


def test_first_showing_is_no_reading_and_later_ones_are(place: tuple[HomeHandle, str, str], browser: httpx.Client) -> None:
    """The answer shown to who asked adds nothing; opening it again is on the ledger."""
    handle, _, _ = place
    answer = asked(browser)
    handle.ledger.refresh()
    assert handle.ledger.header(handle.ledger.size - 1)["type"] == "answer"
    browser.get(answer.url.path)
    handle.ledger.refresh()
    last = handle.ledger.header(handle.ledger.size - 1)
    assert (last["type"], last["way"], last["actor"]) == ("reading", "answer", "cam")


def test_who_asked_finds_their_questions_again(place: tuple[HomeHandle, str, str], browser: httpx.Client) -> None:
    """Below the form, newest first, each leading to its answer; another person's are not among them, an erased one neither."""
    handle, address, _ = place
    kept, gone = asked(browser, as_of="2024-06-01").url.path, asked(browser, as_of="2024-06-02").url.path
    erase_answer(handle, gone.rpartition("/")[2], reason="asked for", actor="root", actor_auth="os")
    start = browser.get("/").text
    assert f'href="{kept}"' in start
    assert gone not in start
    assert "As of 2024-06-01" in words(start)
    _, key = add_key(handle, "another", ("analyst",), actor="root")
    with httpx.Client(base_url=address, headers={"Accept": "text/html"}, timeout=60) as other:
        other.post("/sign-in", data={"key": key})
        assert "Your earlier questions" not in other.get("/").text


def test_a_follow_up_says_how_it_was_read(browser: httpx.Client) -> None:
    """Asked below an answer: the day and the documents stay, what was taken over is said, and it can be asked on its own; an
    answer that is none is not followed."""
    before = asked(browser, as_of="2024-06-01").url.path.rpartition("/")[2]
    answer = browser.post("/ask", data={"question": "And how long are records kept?", "follows": before})
    shown = words(answer.text)
    assert "Read as a follow-up to the answer before, as of 2024-06-01, in policy. Ask it on its own" in shown
    assert "seven years" in shown
    assert f'href="/answers/{before}"' in answer.text
    other_day = browser.post("/ask", data={"question": "And as of 2025-06-01?", "follows": before})
    assert "within 14 days" in words(other_day.text)
    assert "of the clauses cited there, as they stand on this day" in words(other_day.text)
    bare = browser.post("/ask", data={"question": "Why?", "follows": before})
    assert "with its subject: (" in words(bare.text)
    assert browser.post("/ask", data={"question": "And now?", "follows": "a-none"}).status_code == 404


def test_a_refusal_shows_what_was_searched(browser: httpx.Client) -> None:
    """Nothing in force on the day: said, with scope; a wrong day is said beside the form, which keeps what was typed."""
    refused = asked(browser, as_of="1999-01-01")
    assert "not answered" in words(refused.text)
    wrong = browser.post("/ask", data={"question": QUESTION, "as_of": "1999-02-31"})
    assert (wrong.status_code, 'role="alert"' in wrong.text, QUESTION in wrong.text) == (422, True, True)


def test_review_on_the_page(browser: httpx.Client) -> None:
    """From the queue to a decision: a missing text is asked for and nothing typed is lost; the amendment stands beside."""
    answer_id = asked(browser).url.path.rpartition("/")[2]
    assert f'href="/review/{answer_id}"' in browser.get("/review").text
    lacking = browser.post(f"/review/{answer_id}", data={"decision": "amend", "note": "unclear start", "text": ""})
    assert (lacking.status_code, "unclear start" in lacking.text) == (422, True)
    form = {"decision": "amend", "note": "unclear start", "text": "Ten days from the event."}
    assert f'href="/review/{answer_id}"' not in browser.post(f"/review/{answer_id}", data=form).text
    shown = words(browser.get(f"/answers/{answer_id}").text)
    assert "Ten days from the event." in shown
    assert "within 14 days" in shown


def test_every_page_in_both_languages(browser: httpx.Client) -> None:
    """Each page answers 200, names its language, and holds neither inline script nor style nor anything from elsewhere."""
    answer_id = asked(browser).url.path.rpartition("/")[2]
    pages = (
        "/", f"/answers/{answer_id}", "/documents", "/documents/policy", "/documents/policy?version=1",
        "/documents/policy/report?version=1",
        "/clause?id=policy@2%232",
        "/source?clause=policy@1%232&start=0&end=12", "/changes", "/changes?doc=policy&start=1&end=2",
        "/changes?doc=policy&start=1&end=2&about=notice", "/stale", "/stale?open=true", "/review", "/review?all=true",
        f"/review/{answer_id}", "/audit", "/audit/0", f"/audit/{answer_id}", f"/audit/{answer_id}/reconstruct",
    )  # fmt: skip
    for code, lang in (("zh", "zh-CN"), ("en", "en")):
        browser.get(f"/language/{code}?back=/")
        for path in pages:
            got = browser.get(path)
            assert got.status_code == 200, path
            assert f'<html lang="{lang}">' in got.text, path
            assert not re.search(r"<script(?! src=\"/static/(?:page|ingest).js\")|<style| style=| on[a-z]+=\"", got.text), path
            assert not re.findall(r'(?:src|href)="(?:https?:)?//', got.text), path
            assert "default-src 'none'" in got.headers["content-security-policy"], path
    verdict = browser.post("/audit/verify")
    assert "Valid: " in words(verdict.text)
    bundle = browser.get(f"/audit/{answer_id}/export")
    assert (bundle.headers["content-type"], bundle.content[:2]) == ("application/zip", b"PK")


def test_what_a_document_holds_is_text(browser: httpx.Client) -> None:
    """Marks in a clause are shown as they are written, in the answer, its source, its outline and its history."""
    answer = browser.post("/ask", data={"question": "Within how many days shall the officer notify?", "doc": "scripted"})
    for page in (answer, browser.get("/documents/scripted"), browser.get("/clause?id=scripted@1%231")):
        assert "&lt;script&gt;" in page.text
        assert "<script>" not in page.text


def test_the_door(place: tuple[HomeHandle, str, str]) -> None:
    """Who is not signed in is sent to sign in and back; a wrong key, another site's form and another site's way back are not
    taken; signing out ends the session."""
    _, address, key = place
    with httpx.Client(base_url=address, timeout=60, headers={"Accept": "text/html"}) as stranger:
        sent = stranger.get("/documents?x=1")
        assert (sent.status_code, sent.headers["location"]) == (303, "/sign-in?back=%2Fdocuments%3Fx%3D1")
        assert stranger.post("/sign-in", data={"key": "crk_wrong"}).status_code == 401
        cross = stranger.post("/sign-in", data={"key": key}, headers={"Origin": "https://evil.example"})
        assert cross.status_code == 403
        signed = stranger.post("/sign-in", data={"key": key, "back": "//evil.example"}, headers={"Origin": address})
        assert (signed.status_code, signed.headers["location"]) == (303, "/")
        cookie = signed.headers["set-cookie"]
        assert all(word in cookie for word in ("HttpOnly", "SameSite=strict"))
        assert key not in cookie
        assert stranger.get("/").status_code == 200
        assert stranger.post("/ask", data={"question": QUESTION}, headers={"Origin": "https://evil.example"}).status_code == 403
        assert stranger.post("/sign-out").status_code == 303
        assert stranger.get("/").status_code == 303


def test_the_first_page_is_small(browser: httpx.Client) -> None:
    """All that the first page loads, uncompressed."""
    page = browser.get("/")
    loaded = [browser.get(path).content for path in re.findall(r'(?:src|href)="(/static/[^"]+)"', page.text)]
    assert len(loaded) == 3
    assert len(page.content) + sum(map(len, loaded)) < FIRST_PAGE_BYTES


def test_every_phrase_is_said_in_both_languages() -> None:
    """No phrase of the page lacks its Chinese, and each pair fills in the same values."""
    said = _WORDS | INGEST_WORDS
    assert not set(_WORDS) & set(INGEST_WORDS)
    for key, (english, chinese) in said.items():
        assert chinese or key == "never", key
        assert sorted(re.findall(r"{(\w+)}", english)) == sorted(re.findall(r"{(\w+)}", chinese)), key
    used = set()
    for path in (Path(__file__).parents[2] / "compliance_rag/faces/web/templates").iterdir():
        used |= set(re.findall(r"\bt\('([a-z_]+)'[,)]", path.read_text("utf-8")))
    assert used <= set(said)
