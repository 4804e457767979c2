"""What the redline page says around the clauses' words: in the document's language, and of versions that never govern."""

from __future__ import annotations

import re
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


@pytest.mark.parametrize(
    ("language", "split", "merged", "repointed"),
    [
        ("en", "Clause 1 was split into 1, 2. No word changed.", "Clauses 2, 3 were drawn together in 3. No word changed.",
         "re-pointed, else text equal; <a"),
        ("zh", "第一条拆分为第一条、第二条。文字未变。", "第二条、第三条合并为第三条。文字未变。", "仅引用编号随之调整；<a"),
    ],
)  # fmt: skip
def test_what_changed_is_never_empty(handle: HomeHandle, language: str, split: str, merged: str, repointed: str) -> None:
    """A clause split, and clauses drawn together, say so where no word of theirs changed; one that was only re-pointed stands
    among those touched."""
    versions = {
        "en": (
            "1. Visitors sign the book at the gate. Visitors carry a badge at all times.\n\n"
            "2. Cameras record the quay at all hours.\n\n3. The quay is lit from dusk to dawn by lamps.\n\n"
            "4. The fee is due within 72 hours.\n\n5. Records are kept for five years, subject to clause 4.\n",
            "1. Visitors sign the book at the gate.\n\n2. Visitors carry a badge at all times.\n\n"
            "3. Cameras record the quay at all hours. The quay is lit from dusk to dawn by lamps.\n\n"
            "4. Nobody fishes from the quay.\n\n"
            "5. The fee is due within 24 hours.\n\n6. Records are kept for five years, subject to clause 5.\n",
        ),
        "zh": (
            "第一条 来访人员应当在门口登记。来访人员应当随身佩戴访客证件。\n\n第二条 摄像设备应当全天记录码头情况。\n\n"
            "第三条 码头应当自黄昏至黎明保持照明。\n\n第四条 费用三日内缴纳。\n\n第五条 依照第四条缴费的，记录保存五年。\n",
            "第一条 来访人员应当在门口登记。\n\n第二条 来访人员应当随身佩戴访客证件。\n\n"
            "第三条 摄像设备应当全天记录码头情况。码头应当自黄昏至黎明保持照明。\n\n第四条 任何人不得在码头钓鱼。\n\n"
            "第五条 费用应当在十日内缴纳。\n\n第六条 依照第五条缴费的，记录保存五年。\n",
        ),
    }  # fmt: skip
    for version, text in zip(("a", "b"), versions[language], strict=True):
        publish(handle, staged(handle, f"# X\n\n{text}", version, f"202{4 + (version == 'b')}-01-01", "x", language=language))
    found = page(handle, "x", "a", "b")
    for words in (split, merged, repointed):
        assert words in found, (words, re.sub("(?s)<style>.*?</style>", "", found))
