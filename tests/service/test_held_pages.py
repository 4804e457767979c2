"""Held pages: said everywhere, decided about by a person, parsed anew with the decision in one step."""

from __future__ import annotations

from pathlib import Path

import pytest

from compliance_rag.parse.readers import child
from compliance_rag.service import held_pages
from compliance_rag.service.ask import ask
from compliance_rag.service.asking import AskRequest
from compliance_rag.service.held_pages import decide_page, held_page_png, list_held_pages, show_held_page
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.manifest import check_entry
from compliance_rag.service.rebuild import rebuild
from compliance_rag.service.stage import Rejected, Staged, stage_or_reject
from eval.ocr_pages import Look, scan
from schemas.errors import InputRejected, NotFound, UsageError
from tests.service.building import digest, make_home, policy, publish, reopen, staged

PAGE = scan(Look("en", 90), 11, 4)
NAME = "sheet@v1:page-1"


def _staged(home: HomeHandle) -> Staged | Rejected:
    folder = home.home.root.parent / "files"
    folder.mkdir(exist_ok=True)
    (folder / "sheet.pdf").write_bytes(PAGE.data)
    fields = {"file": "sheet.pdf", "doc_id": "sheet", "version": "v1", "effective_from": "2024-01-01"}
    return stage_or_reject(check_entry(fields, "sheet.pdf"), folder, home.home)


@pytest.fixture(scope="module")
def sheet(tmp_path_factory: pytest.TempPathFactory) -> HomeHandle:
    """A home with a scan none of whose pages was read well enough, then corrected by a person."""
    home = make_home(tmp_path_factory.mktemp("held") / "home")
    result = publish(home, _staged(home))
    assert [item["reasons"][0]["code"] for item in result.held] == ["ocr_quality"]
    assert result.flags["held_page"] == 1
    return home


def test_a_held_page_from_the_queue_to_a_version_in_force(sheet: HomeHandle) -> None:
    """The page waits with its lines and its picture; refused it still waits for nobody but stays held; amended it gives the
    version with the person's words, in force, and the decision is on the ledger before it."""
    (item,) = list_held_pages(sheet)
    assert (item.page_id, item.page, item.reasons[0].code) == (NAME, 1, "held_page")
    assert list_held_pages(sheet, docs=frozenset({"other"})) == []
    shown = show_held_page(sheet, NAME)
    assert "".join(shown.text.split())[:20] == "".join(PAGE.text.split())[:20]
    assert held_page_png(sheet, NAME).startswith(b"\x89PNG")
    kept = decide_page(sheet, NAME, decision="reject", note="cannot be read", actor="ada")
    assert (kept.decision and kept.decision.decision, kept.revision) == ("reject", None)
    done = decide_page(sheet, NAME, decision="amend", note="typed from the sheet", text=PAGE.text, actor="ada")
    assert done.revision == "sheet@v1"
    assert [made.decision for made in done.decisions] == ["reject", "amend"]
    row = sheet.corpus().versions[-1]
    assert (row.state, row.flags.get("held_page"), row.metadata["reviewed_pages"]) == ("published", None, {"1": PAGE.text})
    text = "".join(clause.clause.text for clause in sheet.corpus().clauses_of("sheet", "v1"))
    assert "".join(PAGE.text.split())[-20:] in "".join(text.split())
    last = [sheet.ledger.header(sheet.ledger.size - back)["type"] for back in (2, 1)]
    assert last == ["review", "publication"]
    assert list_held_pages(sheet) == []


def test_a_refusal_names_what_is_held(tmp_path: Path) -> None:
    """What is not found may stand in a document that is held: the refusal names it, in the language of the question."""
    home = make_home(tmp_path / "home")
    publish(home, _staged(home), staged(home, policy(10), "1", "2024-01-01"))
    for question, said in (
        ("What colour is the king's umbrella?", "Held for a person and not searched: "),
        ("国王的雨伞是什么颜色？", "以下文件正在等待人工审核，未予检索："),
    ):
        answer = ask(home, AskRequest(question, actor="t"))
        assert (answer.refusal_reason, said in answer.answer, any(said in gap for gap in answer.gaps)) == ("silent", True, True)


def test_the_same_file_again_is_unchanged_and_the_text_comes_back(sheet: HomeHandle) -> None:
    """Law 2 after a correction; and a lost extracted text is made again from source and decision."""
    size = sheet.ledger.size
    again = publish(reopen(sheet), _staged(sheet))
    assert ([one["version_id"] for one in again.unchanged], reopen(sheet).ledger.size) == (["v1"], size)
    before = digest(sheet)
    row = sheet.corpus().versions[-1]
    sheet.home.extracted(row.extracted_sha256).unlink()
    report = rebuild(sheet)
    assert report.restored == [f"extracted/{row.extracted_sha256}.txt"]
    assert digest(reopen(sheet)) == before


@pytest.mark.parametrize(
    ("name", "arguments", "code"),
    [
        ("sheet@v1:page-2", {"decision": "approve", "note": "x"}, "unknown_page"),
        ("other@v1:page-1", {"decision": "approve", "note": "x"}, "unknown_page"),
        (NAME, {"decision": "amend", "note": "x"}, "amend_needs_text"),
        (NAME, {"decision": "reject", "note": "x", "text": "y"}, "text_not_taken"),
        (NAME, {"decision": "amend", "note": "x", "text": " "}, "no_text"),
        (NAME, {"decision": "amend", "note": "x", "text": "y" * (held_pages.PAGE_TEXT_LIMIT + 1)}, "text_too_long"),
        (NAME, {"decision": "reject", "note": ""}, "no_note"),
    ],
)
def test_what_is_no_decision(sheet: HomeHandle, name: str, arguments: dict[str, str], code: str) -> None:
    """A decision about nothing, without its text or its note: one clear error, nothing recorded."""
    size = sheet.ledger.size
    with pytest.raises((InputRejected, NotFound, UsageError)) as error:
        decide_page(sheet, name, actor="ada", **arguments)  # type: ignore[arg-type]
    assert error.value.code == code
    assert sheet.ledger.size == size


def teardown_module() -> None:
    """End the reading child."""
    child._WARM.close()


def test_paths_are_not_part_of_a_page_s_name(tmp_path: Path) -> None:
    """An answer's id is no page's; a page's name has document, version and number."""
    assert held_pages.is_page_id(NAME)
    assert not held_pages.is_page_id("a-07a231706e624af2be6a0f99b16acac3")
    assert not held_pages.is_page_id("sheet@v1:page-0")
