"""The structure part of the ingest report: what a careful editor wants to see before publishing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from schemas.clause import Clause, Definition, ExceptionLink, Flag, ProposedDate, Reference, TermUse

REPORT_LIST_LIMIT = 200  # entries of a list in the report; the count beside it is always complete


def structure_report(
    clauses: Iterable[Clause],
    definitions: tuple[Definition, ...],
    uses: tuple[TermUse, ...],
    references: tuple[Reference, ...],
    dangling: tuple[Reference, ...],
    external: int,
    exceptions: tuple[ExceptionLink, ...],
    proposed: tuple[ProposedDate, ...],
    flags: tuple[Flag, ...],
) -> dict[str, object]:
    """Counts by kind, and the dangling references and dates written out. Plain JSON values, keys sorted."""
    clauses = tuple(clauses)
    kinds = Counter(kind for clause in clauses for kind in clause.kinds)
    risks = Counter(f"{risk.kind}:{risk.level}" for clause in clauses for risk in clause.risks)
    codes = Counter(flag.code for flag in flags)
    return {
        "definitions": len(definitions),
        "term_uses": len(uses),
        "references": len(references),
        "references_resolved": sum(1 for item in references if item.target is not None),
        "references_external": external,
        "dangling_references": len(dangling),
        "dangling": [{"clause": "/".join(item.path), "text": item.text} for item in dangling[:REPORT_LIST_LIMIT]],
        "exceptions": len(exceptions),
        "kinds": dict(sorted(kinds.items())),
        "risks": dict(sorted(risks.items())),
        "proposed_dates": len(proposed),
        "structure_flags": dict(sorted(codes.items())),
    }
