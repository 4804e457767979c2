"""What `eval` prints for a person."""

from __future__ import annotations

import pytest

from compliance_rag.faces.render_eval import show_eval
from eval.scoring import stage_of


def test_a_report_is_read_at_a_glance(capsys: pytest.CaptureFixture[str]) -> None:
    """Figures by name, categories as a table, and each failing question with where it went wrong and what was retrieved."""
    failing = {
        "id": "g-1", "question": "How long?", "right": False, "stage": "expansion", "missing": ("a@1#2",), "refusal": None,
        "retrieved": ["a@1#1", "a@1#3"], "category": "factual", "forbidden": (),
    }  # fmt: skip
    figures = {
        "versions": 14, "seconds": 0.0451,
        "categories": {"all": {"questions": 2, "right": 0.5}, "factual": {"questions": 2, "right": 0.5}},
        "failing": [failing, {**failing, "id": "g-2", "right": True}],
    }  # fmt: skip
    show_eval({"gold": figures})
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert lines[:3] == ["gold", "versions: 14", "seconds: 0.0451"]
    assert "categories questions right" in lines
    assert "factual 2 0.5" in lines
    assert "failing: 1" in lines
    assert lines[-2:] == ["g-1 How long?", "went wrong in: expansion; missing: a@1#2; retrieved first: a@1#1, a@1#3"]


@pytest.mark.parametrize(
    ("answer", "missing", "answerable", "stage"),
    [
        ({"status": "answered"}, ["x"], True, "retrieval"),
        ({"status": "answered", "considered": ["x"]}, ["x"], True, "expansion"),
        ({"status": "answered", "considered": ["x"], "evidence": ["x"]}, ["x"], True, "answer"),
        ({"status": "answered"}, [], True, "quote"),
        ({"status": "refused", "refusal_reason": "silent", "considered": ["x"]}, ["x"], True, "answer"),
        ({"status": "refused", "refusal_reason": "silent"}, ["x"], True, "retrieval"),
        ({"status": "refused", "refusal_reason": "validation"}, ["x"], True, "validation"),
        ({"status": "refused", "refusal_reason": "silent"}, [], False, "refusal"),
        ({"status": "answered"}, [], False, "answer"),
    ],
)
def test_where_a_question_went_wrong(answer: dict[str, object], missing: list[str], answerable: bool, stage: str) -> None:
    """The stage follows what was retrieved, what was in evidence, and why it was refused."""
    seen = {
        "refusal_reason": None, **answer,
        **{name: [{"clause_id": item} for item in answer.get(name, [])] for name in ("evidence", "considered")},  # type: ignore[attr-defined]
    }  # fmt: skip
    assert stage_of(seen, missing, answerable=answerable) == stage
