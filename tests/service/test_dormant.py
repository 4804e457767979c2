"""A rule out of its own days is named, with its day, and never replaced in the answer by a neighbour that is in force."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from compliance_rag.service.ask import ask
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.times import redate
from schemas.objects import Answer
from tests.service.building import make_home, publish, staged

EN = (
    "# Harbour Rules\n\n1. The berth officer shall report arrivals to the harbour master within two hours.\n\n"
    "2. The pilot shall report departures to the harbour master within three hours.\n\n"
    "3. Fees\n\n3.1 A yacht pays a mooring fee of ten euros a night.\n\n3.2 The following also pay a mooring fee:\n\n"
    "(a) fishing boats: five euros a night;\n\n(b) houseboats: twelve euros a night.\n\n"
    "4. Diving\n\n4.1 Divers shall carry a lamp.\n\n4.2 Divers shall dive in pairs.\n\n"
    "5. Waste oil shall be handed in at the eastern quay.\n\n6. Waste oil shall be handed in at the western quay.\n"
)
ZH = (
    "# 港口管理办法\n\n第一条 泊位管理员应当在两小时内向港务长报告船舶到港。\n\n"
    "第二条 引航员应当在三小时内向港务长报告船舶离港。\n\n"
    "第三条 游艇每夜缴纳停泊费十元。\n\n第四条 潜水员应当携带照明灯。\n\n第五条 废油应当交到东码头。\n"
)


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """Two documents with single clauses dated in their manifest and by redating, a container among them."""
    found = make_home(tmp_path / "home")
    dates = {
        "2": {"effective_from": "2027-01-01"}, "4": {"effective_from": "2027-03-01"}, "3.1": {"effective_to": "2025-01-01"},
        "5": {"effective_to": "2026-06-01"}, "6": {"effective_from": "2026-06-01"},
    }  # fmt: skip
    zh = {"第二条": {"effective_from": "2027-01-01"}, "第三条": {"effective_to": "2025-01-01"}}
    publish(
        found,
        staged(found, EN, "1", "2024-01-01", "harbour", clause_dates=dates),
        staged(found, ZH, "1", "2024-01-01", "gangkou", language="zh", clause_dates=zh),
    )
    redate(found, "harbour", "1", number="3/2/b", effective_from=date(2026, 9, 1), reason="council", actor="ada")
    return found


def asked(handle: HomeHandle, doc: str, day: str, question: str) -> Answer:
    """An answer from one document on a day."""
    return ask(handle, AskRequest(question, as_of=date.fromisoformat(day), docs=(doc,), actor="t"))


@pytest.mark.parametrize(
    ("doc", "day", "question", "reason", "path", "words"),
    [
        ("harbour", "2026-01-01", "Within how many hours shall the pilot report departures to the harbour master?",
         "not_yet_in_force", "2", "2 is in force from 2027-01-01."),
        ("harbour", "2026-01-01", "Shall divers carry a lamp?", "not_yet_in_force", "4/1", "4.1 is in force from 2027-03-01."),
        ("harbour", "2026-01-01", "Must divers dive in pairs?", "not_yet_in_force", "4/2", "4.2 is in force from 2027-03-01."),
        ("harbour", "2026-01-01", "What mooring fee do houseboats pay a night?", "not_yet_in_force", "3/2/b",
         "3.2(b) is in force from 2026-09-01."),
        ("harbour", "2026-01-01", "What mooring fee does a yacht pay a night?", "expired", "3/1",
         "3.1 was in force until 2025-01-01."),
        ("gangkou", "2026-01-01", "引航员应当在多少小时内向港务长报告船舶离港？", "not_yet_in_force", "2",
         "第二条自2027-01-01起施行。"),
        ("gangkou", "2026-01-01", "游艇每夜缴纳多少停泊费？", "expired", "3", "第三条有效期至2025-01-01（不含）。"),
    ],
)  # fmt: skip
def test_the_rule_asked_for_is_named_with_its_day(
    handle: HomeHandle, doc: str, day: str, question: str, reason: str, path: str, words: str
) -> None:
    """Sections dated, their sub-clauses, expired ones, in both languages: refused with the clause and the day."""
    answer = asked(handle, doc, day, question)
    assert (answer.status, answer.refusal_reason) == ("refused", reason), answer.answer
    assert answer.nearest[0].clause_id == f"{doc}@1#{path}"
    assert words in answer.answer
    assert not answer.citations


@pytest.mark.parametrize(
    ("doc", "day", "question", "path"),
    [
        ("harbour", "2026-01-01", "Within how many hours shall the berth officer report arrivals?", "1"),
        ("harbour", "2027-01-01", "Within how many hours shall the pilot report departures?", "2"),
        ("harbour", "2026-05-31", "At which quay shall waste oil be handed in?", "5"),
        ("harbour", "2026-06-01", "At which quay shall waste oil be handed in?", "6"),
        ("gangkou", "2026-01-01", "泊位管理员应当在多少小时内报告船舶到港？", "1"),
        ("gangkou", "2026-01-01", "废油应当交到哪里？", "5"),
    ],
)
def test_what_is_in_force_still_answers(handle: HomeHandle, doc: str, day: str, question: str, path: str) -> None:
    """Neighbours in force answer for themselves, and of two clauses that follow each other the one of the day."""
    answer = asked(handle, doc, day, question)
    assert [item.clause_id for item in answer.citations][:1] == [f"{doc}@1#{path}"], answer.answer
