"""CASE 7: the same files under two parser versions give the same clauses, or the parser's version says that they do not.

The golden file holds, for each file of the sample corpus, a hash over (path, label, sha256) of its clauses, and the parser
version that gave them. A missing one is written by the test, which fails until a person commits it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from compliance_rag.parse.parse import PARSER_VERSION, parse_version
from schemas.canonical import sha256_text

GOLDEN = Path(__file__).parent / "golden" / "outlines.json"
CORPUS = Path(__file__).resolve().parents[2] / "eval" / "corpus"


def _outlines() -> dict[str, str]:
    """File name to a hash over its clauses' (path, label, sha256)."""
    out = {}
    for entry in json.loads((CORPUS / "manifest.json").read_text(encoding="utf-8")):
        file = CORPUS / entry["file"]
        version = parse_version(file.read_bytes(), file.name, language=entry.get("language"))
        rows = [["/".join(clause.path), clause.label, clause.sha256] for clause in version.clauses]
        out[entry["file"]] = sha256_text(json.dumps(rows, ensure_ascii=False))
    return out


def _golden() -> dict[str, object]:
    if not GOLDEN.is_file():
        GOLDEN.parent.mkdir(exist_ok=True)
        value = {"parser_version": PARSER_VERSION, "outlines": _outlines()}
        GOLDEN.write_text(json.dumps(value, indent=1) + "\n", encoding="utf-8")
        pytest.fail(f"{GOLDEN.name} was missing and has been written; look at it and commit it")
    found: dict[str, object] = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return found


def test_case_7_other_clauses_mean_another_parser_version() -> None:
    """Where a file gives other clauses than those recorded, the parser's version is another."""
    golden = _golden()
    assert golden["outlines"] == _outlines() or golden["parser_version"] != PARSER_VERSION


def test_the_golden_file_is_of_this_parser() -> None:
    """A new parser version renews the golden file: delete it, run the tests, read the difference, commit it."""
    assert _golden()["parser_version"] == PARSER_VERSION
