"""Word files through a real home: CASE 11, and what a bad one does to the next."""

from __future__ import annotations

from pathlib import Path

import pytest

from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.ingest import AddResult, publish_batch
from compliance_rag.service.manifest import check_entry
from compliance_rag.service.stage import stage_or_reject
from tests.parse.docxs import docx, para, run
from tests.service.building import make_home

_CHANGED = para(
    "1. The bank shall notify the supervisor within ",
    xml="<w:del><w:r><w:delText>72</w:delText></w:r></w:del><w:ins>" + run("24") + "</w:ins>" + run(" hours of the incident."),
)


@pytest.fixture
def handle(tmp_path: Path) -> HomeHandle:
    """An empty home."""
    return make_home(tmp_path / "home")


def add(handle: HomeHandle, *files: tuple[str, bytes], **more: str) -> AddResult:
    """Add files as one manifest would."""
    folder = handle.home.root.parent
    staged = []
    for name, data in files:
        (folder / name).write_bytes(data)
        fields = {"file": name, "doc_id": Path(name).stem, "version": "1", "effective_from": "2024-01-01", **more}
        staged.append(stage_or_reject(check_entry(fields, name), folder, handle.home))
    return publish_batch(handle, staged, actor="ada")


@pytest.mark.parametrize(("tracked", "hours"), [("final", "24"), ("original", "72")])
def test_case_11_held_until_a_view_is_chosen(handle: HomeHandle, tracked: str, hours: str) -> None:
    """A file with tracked changes is held with its reason; with a view chosen it is published with those words alone."""
    done = add(handle, ("notice.docx", docx(_CHANGED)))
    assert not done.published
    assert [reason["code"] for reason in done.held[0]["reasons"]] == ["tracked_changes"]
    assert done.flags["tracked_changes"] == 1
    done = add(handle, ("notice.docx", docx(_CHANGED)), tracked=tracked)
    assert [row["clauses"] for row in done.published] == [1]
    (clause,) = handle.corpus().clauses_of("notice", done.published[0]["version_id"])
    assert clause.clause.text == f"The bank shall notify the supervisor within {hours} hours of the incident."


def test_a_bad_word_file_does_not_stop_the_next(handle: HomeHandle) -> None:
    """An entity bomb, a macro file and an old one are refused by code; the sound one after them is published."""
    laughs = b'<!DOCTYPE a [<!ENTITY x "ha"><!ENTITY y "&x;&x;">]><a>&y;</a>'
    done = add(
        handle,
        ("bomb.docx", docx("", extra={"word/document.xml": laughs})),
        ("macro.docx", docx(para("x"), extra={"word/vbaProject.bin": b"x"})),
        ("old.doc", b"\xd0\xcf\x11\xe0" + bytes(600)),
        ("sound.docx", docx(para("1. Records are kept for seven years."))),
    )
    assert [row["code"] for row in done.rejected] == ["dtd_refused", "macros_refused", "unknown_type"]
    assert [row["doc_id"] for row in done.published] == ["sound"]
