"""The structure part of the ingest report: what a careful editor wants to see before publishing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from schemas.clause import Clause, Definition, ExceptionLink, Flag, ParsedVersion, ProposedDate, Reference, TermUse

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


FINDINGS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("pages held for a person", ("held_page", "ocr_quality", "scan")),
    ("numbering gaps", ("numbering_gap",)),
    ("duplicate numbers", ("duplicate_label",)),
    ("ambiguous markers", ("ambiguous_marker",)),
    ("dangling references", ("dangling_reference",)),
    (
        "unread remainder",
        (
            "unplaced_text",
            "page_without_text",
            "hidden_text",
            "struck_text",
            "figure",
            "unread_ink",
            "form_field",
            "annotation",
            "broken_font_map",
            "front_matter",
            "nul_dropped",
            "deep_nesting",
        ),
    ),
    ("layout by a model", ("layout_model", "layout_rejected")),
    ("dates to settle", ("ambiguous_date", "impossible_date", "unreadable_date", "date_disagreement", "dates_unconfirmed")),
)
"""What a careful editor looks at before publishing, in this order; flags of other kinds follow as `other`."""
FINDINGS_SHOWN = 12  # of one kind; the count beside them is always complete


def editor_report(parsed: ParsedVersion) -> dict[str, object]:
    """The ingest report: ``counts`` by name, ``balance`` (visible characters in clauses, in furniture, in a flagged remainder,
    and how many of the first two stand for markup), and ``findings`` as ``{title: {"count", "first": [sentence…]}}`` in order.

    Every flag of the version is in exactly one finding, so nothing is left out of the report silently (law 9)."""
    counts = {
        "clauses": len(parsed.clauses),
        "numbered": sum(clause.number is not None for clause in parsed.clauses),
        "containers": sum(clause.container for clause in parsed.clauses),
        "definitions": len(parsed.definitions),
        "references": len(parsed.references),
        "resolved": sum(item.target is not None and item.target_doc is None for item in parsed.references),
        "to other documents": sum(item.target_doc is not None for item in parsed.references),
        "exceptions": len(parsed.exceptions),
        "proposed dates": len(parsed.proposed_dates),
        "characters": len(parsed.extracted),
        "set aside": sum(end - start for start, end in parsed.furniture),
    }
    titles = {code: title for title, codes in FINDINGS for code in codes}
    found: dict[str, list[str]] = {title: [] for title, _ in FINDINGS}
    for flag in parsed.flags:
        where = f"{'/'.join(flag.path)}: " if flag.path else f"page {flag.page}: " if flag.page else ""
        found.setdefault(titles.get(flag.code, "other"), []).append(f"{where}{flag.text}")
    findings = {title: {"count": len(lines), "first": lines[:FINDINGS_SHOWN]} for title, lines in found.items()}
    return {"counts": counts, "balance": parsed.report.get("balance", {}), "findings": findings}
