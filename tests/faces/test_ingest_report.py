"""`add` and `outline` show the ingest report on the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from compliance_rag.faces.cli import run

TEXT = "1. Duties\nSee section 77.\n2. Reports\nTwo.\n2. Fees\nThree.\n5. Law\nFour.\n"


def test_add_and_outline_show_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Counts, gaps, duplicates, ambiguities, dangling references and the unread remainder, after `add` and under `outline`."""
    source = tmp_path / "a.txt"
    source.write_text(TEXT, encoding="utf-8")
    home = ["--home", str(tmp_path / "home")]
    assert run([*home, "add", str(source), "--doc-id", "d", "--version", "v1", "--effective-from", "2024-01-01"]) == 0
    added = capsys.readouterr().out
    assert run([*home, "outline", "d"]) == 0
    outline = capsys.readouterr().out
    for shown in (added, outline):
        for line in ("numbering gaps: 1", "duplicate numbers: 1", "ambiguous markers: none", "dangling references: 1"):
            assert line in shown
        assert "unread remainder: none" in shown
        assert "'section 77' names no clause" in shown
