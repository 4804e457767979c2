"""Figures that a document raises, written as raised figures: run on with what is before them, 10⁶ would be 106."""

from __future__ import annotations

import re

_RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
_FIGURES = re.compile(r"[0-9+\-−,.()*\s]*[0-9][0-9+\-−,.()*\s]*\Z")


def raised(text: str) -> str:
    """``text`` with its figures raised, one character for one. Words that are raised ("1st") and what holds letters stay."""
    return text.translate(_RAISED) if _FIGURES.match(text) else text
