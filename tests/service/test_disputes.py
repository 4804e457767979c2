"""A version whose text names another first day than its record: said in every answer between the two days, until a redating."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.times import redate
from tests.service.building import make_home
from tests.service.test_time_cases import asked, put

TABLE = (
    "# Lab Manual\n\nRevision history\n\n| Version | Effective date | Change |\n|---|---|---|\n"
    "| 1.0 | 2024-01-01 | First |\n{}\n"
    "1. Staff shall wear {} in the lab.\n\n2. The door is kept shut.\n"
)
CHINESE = "# 数据管理办法\n\n第一条 运营者应当在{}小时内报告泄露事件。\n\n第二条 本办法自{}起施行。\n"


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """A manual whose revision table says April, recorded March; a Chinese text that says July, recorded September."""
    handle = make_home(tmp_path / "home")
    put(handle, TABLE.format("", "coats"), "1.0", "2024-01-01", "lab", title="Lab Manual")
    put(handle, TABLE.format("| 2.0 | 2025-04-01 | Goggles |\n", "goggles"), "2.0", "2025-03-01", "lab", title="Lab Manual")
    put(
        handle, CHINESE.format("七十二", "2024年1月1日"), "2024年版", "2024-01-01", "shuju", language="zh", title="数据管理办法"
    )
    put(
        handle, CHINESE.format("二十四", "2025年7月1日"), "2025年版", "2025-09-01", "shuju", language="zh", title="数据管理办法"
    )
    return handle


@pytest.mark.parametrize(
    ("day", "touched"), [("2025-02-28", False), ("2025-03-01", True), ("2025-03-31", True), ("2025-04-01", False)]
)
def test_the_days_between_the_record_and_the_text(handle: HomeHandle, day: str, touched: bool) -> None:
    """On the days from the earlier to the later of the two the answer names both and a person should look; not on others."""
    answer = asked(handle, day, "What shall staff wear in the lab?", docs=("lab",))
    said = "The record dates version 2.0 of Lab Manual from 2025-03-01, its own text from 2025-04-01"
    assert (said in answer.answer) is touched
    assert any(said in gap for gap in answer.gaps) is touched
    if touched:
        assert answer.review.recommended


def test_the_version_before_is_touched_as_well(handle: HomeHandle) -> None:
    """Where the text says an earlier day than the record, the older version is cited, and the dispute is said in Chinese."""
    answer = asked(handle, "2025-08-01", "泄露事件应当在多少小时内报告？", docs=("shuju",))
    assert [cited.version for cited in answer.citations] == ["2024年版"]
    assert "《数据管理办法》2025年版按记录自2025-09-01起施行，而其文本写明自2025-07-01起施行" in answer.answer


def test_a_redating_settles_it(handle: HomeHandle) -> None:
    """Once the version is redated, even to the day it had, nothing is disputed any more."""
    redate(
        handle,
        "lab",
        "2.0",
        reason="the circular says March",
        effective_from=date(2025, 3, 1),
        actor="t",
        actor_auth="asserted",
    )
    answer = asked(handle, "2025-03-15", "What shall staff wear in the lab?", docs=("lab",))
    assert "its own text" not in answer.answer
