"""Dates for the rooms above: phrases found in text, and the day a question is about."""

from __future__ import annotations

from compliance_rag.structure.calendar import FoundDate, find_dates
from compliance_rag.structure.question import QuestionDay, question_day

__all__ = ["FoundDate", "QuestionDay", "find_dates", "question_day"]
