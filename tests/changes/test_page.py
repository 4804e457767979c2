"""What the redline page says around the clauses' words: in the document's language, and of versions that never govern."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from compliance_rag.changes.html_words import CHINESE, ENGLISH, say_signal
from compliance_rag.service.changes import changes, redline_page
from compliance_rag.service.homes import HomeHandle
from tests.service.building import make_home, policy, publish, staged

ZH = "# 档案办法\n\n第一条 本办法适用于全体员工。\n\n第二条 员工{}在{}日内报告。\n"
DAY = date(2026, 1, 1)


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """An empty home."""
    return make_home(tmp_path / "home")


def page(handle: HomeHandle, doc: str, start: str, end: str) -> str:
    """The page of two versions."""
    corpus = handle.corpus()
    return redline_page(corpus, changes(corpus, doc, start, end, DAY))


def test_a_chinese_document_has_a_chinese_page(handle: HomeHandle) -> None:
    """Title line, headings, kinds, weights and signals; no English word of ours is left."""
    for version, start, words in (("甲", "2024-01-01", ("可以", "十")), ("乙", "2025-01-01", ("应当", "五"))):
        publish(handle, staged(handle, ZH.format(*words), version, start, "zh", language="zh"))
    found = page(handle, "zh", "甲", "乙")
    for words in (
        "变更清单",
        "对照",
        "修改",
        "实质",
        "数字：",
        "情态：可以 → 应当",
        "自2024-01-01起施行，2025-01-01前有效",
    ):
        assert words in found, words
    for words in ("Modified", ">substantive", "number:", "in force", "Redline"):
        assert words not in found, words


def test_what_never_governs_is_said_on_the_page(handle: HomeHandle) -> None:
    """A draft, and a text corrected away, are no "in force from"."""
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"), staged(handle, policy(12), "2", "2025-01-01"))
    publish(handle, staged(handle, policy(14), "2", "2025-01-01", correct=True))
    publish(handle, staged(handle, policy(20), "3", "2026-06-01", status="draft"))
    found = page(handle, "policy", "2~1", "3")
    assert "2 (corrected by 2~2, never in force) compared with 3 (draft, never in force)" in found
    assert "2 (in force from 2025-01-01)" in page(handle, "policy", "1", "2")


def test_an_excerpt_is_cut_between_words(handle: HomeHandle) -> None:
    """What stands beside a mark, and a long passage that came, end with a whole word."""
    words = " ".join(f"alternative{number}" for number in range(60))
    publish(handle, staged(handle, policy(10, words), "1", "2024-01-01"))
    publish(
        handle, staged(handle, policy(10, f"{words} Nobody reads on. {words.replace('native', 'nate')}"), "2", "2025-01-01")
    )
    listed = page(handle, "policy", "1", "2").split("<h2>Redline</h2>")[0]
    excerpt = listed.split("<td>3</td><td>")[1].split("</ins>")[0].replace("<ins>", " ").replace("…", " ")
    whole = {*words.split(), *words.replace("native", "nate").split(), "Nobody", "reads", "on."}
    assert set(excerpt.split()) <= whole, excerpt


def test_signals_as_the_page_says_them() -> None:
    """Named fields and values in Chinese, colons kept in what is quoted; in English an order is said in words."""
    assert say_signal(CHINESE, "renumbered: 第五条 → 第三条") == "编号：第五条 → 第三条"
    assert say_signal(CHINESE, "moved: order") == "位置：次序"
    assert say_signal(CHINESE, "heading: none → 附则: 其他") == "标题：无 → 附则: 其他"
    assert say_signal(ENGLISH, "number: 72 → 24") == "number: 72 → 24"
    assert say_signal(ENGLISH, "moved: order") == "moved: to another place in the order"
