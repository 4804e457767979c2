"""`changes` as a person reads it: in the document's language, `--about` in the question's, ripples with their paths."""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path

import pytest

from compliance_rag.faces.render_changes import CLAUSES_SHOWN, show_about, show_changes
from compliance_rag.service.changes import changes, language_of, redline_page
from compliance_rag.service.homes import HomeHandle
from tests.service.building import make_home, publish, staged

DAY = date(2026, 1, 1)
ZH = (
    "# 车辆办法\n\n第一条 本办法所称“车辆”，是指{}的装置。\n\n第二条 车辆所有人应当每年缴纳登记费。\n\n"
    "第三条 驾驶员应当在{}日内报告事故。\n\n第四条 违反第三条规定的，处以罚款。\n\n{}"
)
EN = (
    '# Vehicle Rules\n\n1. "Vehicle" means any {} device.\n\n2. "Lorry" means a Vehicle above two tonnes.\n\n'
    "3. The owner of a Lorry pays the yearly fee.\n\n4. The driver reports an accident within {} days.\n\n"
    "5. Who breaks clause 4 is fined.\n"
)


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """A home with two versions of a Chinese and of an English document."""
    handle = make_home(tmp_path / "home")
    last = "第五条 旧表作废。\n"
    for version, start, zh, en in (
        ("甲", "2024-01-01", ("自行驱动", "十", last), ("self-propelled", 10)),
        ("乙", "2025-01-01", ("带有车轮", "五", ""), ("wheeled", 5)),
    ):
        publish(handle, staged(handle, ZH.format(*zh), version, start, "zh", language="zh"))
        publish(handle, staged(handle, EN.format(*en), version, start, "en"))
    return handle


def listed(handle: HomeHandle, doc: str, capsys: pytest.CaptureFixture[str]) -> str:
    """The terminal's list."""
    corpus = handle.corpus()
    found = changes(corpus, doc, "甲", "乙", DAY)
    show_changes(found, language_of(corpus, found))
    return capsys.readouterr().out


def test_each_rippled_clause_is_listed_with_its_path(handle: HomeHandle, capsys: pytest.CaptureFixture[str]) -> None:
    """Every step from the clause back to what changed; on the terminal and on the page alike."""
    corpus = handle.corpus()
    told = (
        "2: text equal; uses “Vehicle” ← 1 modified",
        "3: text equal; uses “Lorry” ← 2 uses “Vehicle” ← 1 modified",
        "5: text equal; cites “clause 4” ← 4 modified",
    )
    shown = listed(handle, "en", capsys)
    page = re.sub(r"<[^>]+>", "", redline_page(corpus, changes(corpus, "en", "甲", "乙", DAY)))
    for line in told:
        assert line in shown, shown
        assert line in page, page
    assert "Same words, other meaning" in shown


def test_a_chinese_document_is_listed_in_chinese(handle: HomeHandle, capsys: pytest.CaptureFixture[str]) -> None:
    """No word of ours is English, in list and path; the document's id is all that is left in Latin letters."""
    shown = listed(handle, "zh", capsys)
    for words in ("修改2处", "删除1处", "（实质）", "第二条：文字未变；使用“车辆”一词 ← 第一条（修改）", "数字：10 → 5"):
        assert words in shown, shown
    assert re.findall(r"[A-Za-z]{2,}", shown.replace("zh：", "")) == []


@pytest.mark.parametrize(
    ("doc", "question"), [("zh", "事故报告的期限有什么变化？"), ("en", "driver 报告 accident 的期限有什么变化？")]
)
def test_asked_in_chinese_told_in_chinese(
    handle: HomeHandle, capsys: pytest.CaptureFixture[str], doc: str, question: str
) -> None:
    """Whatever the document's language, the sentences around its words are in the question's."""
    corpus = handle.corpus()
    show_about(changes(corpus, doc, "甲", "乙", DAY, about=question), question)
    shown = capsys.readouterr().out
    for words in ("问  ", "修改", "原文 [1]：“", "现文 [2]：“", "2025-01-01前有效", "文字未变"):
        assert words in shown, shown
    for words in ("was rewritten", "before", "now [", "substantive", "number:", "in force", "touches", "text equal"):
        assert words not in shown, shown


def test_nothing_found_is_told_in_the_language_asked(handle: HomeHandle, capsys: pytest.CaptureFixture[str]) -> None:
    """A subject that nothing is about: in Chinese and in English."""
    corpus = handle.corpus()
    for question, told in (
        ("长颈鹿有什么变化？", "没有与此相关的变更"),
        ("What changed about giraffes?", "no change between 甲 and 乙"),
    ):
        show_about(changes(corpus, "en", "甲", "乙", DAY, about=question), question)
        assert told in capsys.readouterr().out


def test_the_page_about_a_question_is_in_its_language(handle: HomeHandle) -> None:
    """`--about` with `--html`: an English document asked of in Chinese gives a page in Chinese, tagged with its language."""
    corpus = handle.corpus()
    page = redline_page(corpus, changes(corpus, "en", "甲", "乙", DAY, about="报告 accident"), question="报告 accident 的变化")
    assert "变更清单" in page
    assert '<html lang="zh">' in page
    assert "List of changes" not in page


def test_an_english_question_about_a_chinese_document(handle: HomeHandle, capsys: pytest.CaptureFixture[str]) -> None:
    """Framed in English; the words quoted stay as they are."""
    question = "What changed in 第三条?"
    show_about(changes(handle.corpus(), "zh", "甲", "乙", DAY, about="第三条"), question.replace("第三条", "article 3"))
    assert "Clause 第三条 was rewritten." in capsys.readouterr().out


def test_the_page_lists_every_rippled_clause(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One more than the terminal shows: the terminal says how many it left out, the page has them all."""
    handle = make_home(tmp_path / "home")
    users = "".join(f"{at}. Rule {at} binds every Vehicle of depot {at}.\n\n" for at in range(2, CLAUSES_SHOWN + 3))
    for version, start, what in (("甲", "2024-01-01", "self-propelled"), ("乙", "2025-01-01", "wheeled")):
        text = f'# Depot Rules\n\n1. "Vehicle" means any {what} device.\n\n{users}'
        publish(handle, staged(handle, text, version, start, "en"))
    shown = listed(handle, "en", capsys)
    assert shown.count("text equal") == CLAUSES_SHOWN
    assert "and 1 more clause; the page has it" in shown
    corpus = handle.corpus()
    assert redline_page(corpus, changes(corpus, "en", "甲", "乙", DAY)).count("text equal") == CLAUSES_SHOWN + 1
