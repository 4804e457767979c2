"""Cited clauses that stand beside each other and not together: other jurisdictions, and other values for one question."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from compliance_rag.answer.cues import quantities, wants
from compliance_rag.answer.validate import CheckedCitation
from compliance_rag.service.asking import AskRequest


def side_by_side(request: AskRequest, checked: Sequence[CheckedCitation]) -> list[str]:
    """A sentence asking for the jurisdiction when the answer quotes the rules of several and the question named none."""
    codes = sorted({one.clause.version.jurisdiction or "" for one in checked} - {""})
    if len(codes) < 2 or request.jurisdictions:
        return []
    return [f"Rules of {', '.join(codes)} are shown side by side; name a jurisdiction to see one."]


def find_conflicts(question: str, checked: Sequence[CheckedCitation]) -> list[dict[str, Any]]:
    """Pairs of primary citations from different documents that give different quantities of the kind asked for.

    Both are cited; which of them wins is for a person, or a clause that says so.
    """
    kinds = wants(question)
    firsts = [one for one in checked if one.role == "primary"]
    found: list[dict[str, Any]] = []
    for left, right in combinations(firsts, 2):
        if not kinds or left.clause.version.doc_id == right.clause.version.doc_id:
            continue
        mine = {(v.kind, v.amount, v.unit) for v in quantities(left.quote) if v.kind in kinds}
        other = {(v.kind, v.amount, v.unit) for v in quantities(right.quote) if v.kind in kinds}
        if mine and other and not mine & other:
            same = left.clause.version.jurisdiction == right.clause.version.jurisdiction
            found.append(
                {"kind": "values" if same else "jurisdictions", "clauses": [left.clause.clause_id, right.clause.clause_id]}
            )
    return found
