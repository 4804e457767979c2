"""The page on a phone, in a real browser: the timeline at today, the way back from the source, the shortcut in an empty box."""

from __future__ import annotations

from pathlib import Path

from compliance_rag.service.keys import ROLES, add_key
from tests.faces.browsing import chromium, signed_in
from tests.faces.serving import serving
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office?"


def test_on_a_phone(tmp_path: Path) -> None:
    """Today is in sight where the timeline is wider than the screen; a link leads from the source back to its citation; the
    shortcut pressed in the empty box types nothing, and later is a character like others."""
    handle = make_home(tmp_path / "home")
    publish(handle, staged(handle, policy(10), "1", "2000-01-01"), staged(handle, policy(14), "2", "2025-01-01"))
    _, key = add_key(handle, "cam", ROLES, actor="root")
    with (
        chromium() as browser,
        serving(handle) as address,
        signed_in(browser, address, key, width=390, height=844) as page,
    ):
        page.press("#question", "/")
        assert page.input_value("#question") == ""
        page.type("#question", "and/or")
        assert page.input_value("#question") == "and/or"
        page.fill("#question", QUESTION)
        page.click("#ask-form button[type=submit]")
        page.wait_for_selector("a.cite")
        page.click("a.cite")
        page.wait_for_selector("#source mark.quote")
        page.click(".back-to a")
        page.wait_for_selector("a.cite:focus")
        top, bottom = page.evaluate("(box => [box.top, box.bottom])(document.activeElement.getBoundingClientRect())")
        assert 0 <= top < bottom <= 844
        page.goto(f"{address}/documents")
        left, right, today = page.evaluate(
            """() => { const scroll = document.querySelector('.timeline .scroll').getBoundingClientRect();
            return [scroll.left, scroll.right, document.querySelector('.timeline .today').getBoundingClientRect().left]; }"""
        )
        assert left < today < right
        name = page.evaluate("document.querySelector('text.row').getBoundingClientRect().left")
        assert left <= name < right
        assert page.evaluate("document.querySelector('.timeline .scroll').scrollLeft") > 0
        page.set_viewport_size({"width": 1440, "height": 900})
        page.goto(f"{address}/answers/" + handle.ledger.header(handle.ledger.size - 1)["answer_id"])
        assert not page.is_visible(".back-to")


def test_nothing_hides_sideways_and_what_may_not_be_pressed_stays_so(tmp_path: Path) -> None:
    """The documents to choose from lie below each other as the screen is wide, never beside it; the printable redline and the
    lists of the record fit a phone; coming back frees a button that was sent, and none that may not be pressed."""
    handle = make_home(tmp_path / "home")
    versions = [staged(handle, policy(10 + at), "1", "2024-01-01", f"policy-{at}", title=f"Policy {at}") for at in range(14)]
    publish(handle, *versions, staged(handle, policy(40), "2", "2025-01-01", "policy-0"))
    _, key = add_key(handle, "cam", ROLES, actor="root")
    with (
        chromium() as browser,
        serving(handle) as address,
        signed_in(browser, address, key, width=390, height=844) as page,
    ):
        for width in (390, 820, 1440):
            page.set_viewport_size({"width": width, "height": 844})
            page.goto(f"{address}/")
            page.click("details.docs summary")
            shown, whole = page.evaluate("(box => [box.clientWidth, box.scrollWidth])(document.querySelector('.checks'))")
            assert whole <= shown, width
        page.set_viewport_size({"width": 390, "height": 844})
        for path in ("/changes/redline?doc=policy-0&start=1&end=2", "/audit", "/review", "/documents"):
            page.goto(address + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
        page.goto(f"{address}/audit")
        assert page.is_disabled("form[action='/audit/checkpoint'] button")
        page.click("form[action='/audit/verify'] button")
        page.wait_for_selector("text=VALID")
        page.go_back()
        page.wait_for_selector("form[action='/audit/verify'] button:enabled")
        assert page.is_disabled("form[action='/audit/checkpoint'] button")
