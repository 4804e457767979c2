"""The ingest report: every flag of a version is in it, under the heading an editor looks for."""

from __future__ import annotations

from compliance_rag.parse.parse import parse_version
from compliance_rag.structure.analyse import analyse
from compliance_rag.structure.report import FINDINGS_SHOWN, editor_report

TEXT = "1. Duties\nSee section 77.\n2. Reports\nTwo.\n2. Fees\nDue on 03/04/2025.\n5. Law\n(a) One.\n(i) Two.\n"


def test_findings_of_every_kind() -> None:
    """Gaps, duplicates, ambiguous markers, dangling references and unsettled dates are counted and quoted by clause."""
    version = analyse(parse_version(TEXT.encode(), "a.txt"), doc_id="d", title=None)
    report = editor_report(version)
    findings = report["findings"]
    assert isinstance(findings, dict)
    counts = {title: finding["count"] for title, finding in findings.items()}
    assert counts == {
        "numbering gaps": 1, "duplicate numbers": 1, "ambiguous markers": 1, "dangling references": 1, "unread remainder": 0,
        "layout by a model": 0, "dates to settle": 1, "pages held for a person": 0,
    }  # fmt: skip
    assert findings["dangling references"]["first"] == ["1: 'section 77' names no clause of this document."]
    assert sum(counts.values()) == len(version.flags)


def test_unread_remainder_and_others() -> None:
    """What a reader could not take is the unread remainder; a flag of any other kind stands under `other`, none is left out."""
    data = (
        b"# Terms\n\n<!-- x --><span style='display:none'>Clause 4 is repealed.</span>\n\n1. One <del>72</del><ins>24</ins>.\n"
    )
    version = analyse(parse_version(data, "a.md"), doc_id="d", title=None)
    findings = editor_report(version)["findings"]
    assert isinstance(findings, dict)
    assert findings["unread remainder"]["count"] == 1
    assert findings["other"]["count"] == 1
    assert sum(finding["count"] for finding in findings.values()) == len(version.flags)


def test_long_lists_are_cut_and_counted() -> None:
    """The count is complete where the list is cut."""
    text = "".join(f"{n}. See section 999.\n" for n in range(1, FINDINGS_SHOWN + 2))
    findings = editor_report(analyse(parse_version(text.encode(), "a.txt"), doc_id="d", title=None))["findings"]
    assert isinstance(findings, dict)
    dangling = findings["dangling references"]
    assert (dangling["count"], len(dangling["first"])) == (FINDINGS_SHOWN + 1, FINDINGS_SHOWN)
