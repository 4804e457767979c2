"""A real browser for tests: Debian's Chromium under Playwright; skipped with its reason where either is absent."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

# What a step may take on a busy machine, in milliseconds.
STEP_MILLISECONDS = 300_000


@contextmanager
def chromium() -> Iterator[Any]:
    """The browser."""
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    path = shutil.which("chromium") or shutil.which("chromium-browser")
    if path is None:
        pytest.skip("there is no Chromium on this machine (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield browser
        browser.close()


@contextmanager
def signed_in(
    browser: Any, address: str, key: str, *, language: str = "en-GB", dark: bool = False, width: int = 1440, height: int = 900
) -> Iterator[Any]:
    """A page whose person signed in by the address that `serve` prints. Its console must stay silent."""
    scheme = "dark" if dark else "light"
    context = browser.new_context(locale=language, color_scheme=scheme, viewport={"width": width, "height": height})
    context.set_default_timeout(STEP_MILLISECONDS)
    page = context.new_page()
    said: list[str] = []
    page.on("console", lambda message: said.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"{address}/sign-in#{key}")
    page.wait_for_url(f"{address}/")
    yield page
    expected = [line for line in said if "status of 422" in line or "status of 404" in line]
    assert [line for line in said if line not in expected] == []
    context.close()


def drop(page: Any, files: dict[str, bytes]) -> None:
    """Files dropped on the page, as from a folder."""
    transfer = page.evaluate_handle(
        """files => { const all = new DataTransfer();
        for (const [name, bytes] of files) all.items.add(new File([new Uint8Array(bytes)], name)); return all; }""",
        [[name, list(data)] for name, data in files.items()],
    )
    page.dispatch_event("body", "drop", {"dataTransfer": transfer})


def axe_source() -> str:
    """The text of axe-core, which checks pages for people who do not see them."""
    package = pytest.importorskip("axe_playwright_python", reason="axe is not installed")
    return next(Path(package.__file__).parent.rglob("axe*.js")).read_text("utf-8")


def serious(page: Any, source: str) -> list[tuple[str, str, str]]:
    """The serious and critical findings of axe on a page: rule, impact, first place."""
    page.evaluate(source)
    found = page.evaluate("axe.run()")
    assert len(found["passes"]) > 10, "axe looked at nothing"
    return [
        (one["id"], one["impact"], one["nodes"][0]["html"][:200])
        for one in found["violations"] if one["impact"] in ("serious", "critical")
    ]  # fmt: skip
