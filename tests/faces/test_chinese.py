"""The page in Chinese: over documents and questions in Chinese no word of ours is left in English that is not marked so."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest

from audit.erasure import erase, hold
from audit.verifier import verify_home
from compliance_rag.faces.web.words_codes import say_name
from compliance_rag.faces.web.words_errors import say_code
from compliance_rag.faces.web.words_sentences import say_sentence
from compliance_rag.service.keys import ROLES, add_key
from schemas.clause import KINDS
from tests.faces.serving import serving
from tests.service.building import make_home, publish, staged

QUESTION = "员工应当在多少日内通知办公室？"
# What is no English: the product, the way to the other language, names of formats and keys, commands, units, key names; people,
# ids and the letters of hashes stand in other letters or in marks of their own.
NAMES = re.compile(
    r"compliance_rag|English|Ctrl\+Enter|UTC|python3 audit/verifier\.py HOME|HOME|YYYY-MM-DD|Word|PDF|Markdown|HTML|XML|"
    r"\.clauses\.json|\.json|\.csv|\.pdf|keys add|\[ledger\] checkpoint_key|sha256|--receipt|--witness|--key|"
    r"compliance-rag\.local/[0-9a-f]+|[0-9a-f]{6,}|\bCN\b|guiding|\bzh\b|a-[0-9a-z]+…?"
)
_SILENT = frozenset({"code", "pre", "script", "style"})
_SAID = frozenset({"aria-label", "alt", "title", "placeholder"})
_VOID = frozenset({"meta", "link", "input", "img", "br", "line", "rect"})


class Words(HTMLParser):
    """The words of a page that are seen or read out, without code and without what is marked as English."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self._open: list[bool] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what is said by attributes, and what is silent."""
        held = dict(attrs)
        silent = tag in _SILENT or held.get("lang") == "en" or (bool(self._open) and self._open[-1])
        if not silent:
            self.found += [held[name] or "" for name in _SAID & held.keys()]
        if tag not in _VOID:
            self._open.append(silent)

    def handle_endtag(self, tag: str) -> None:
        """Close what was opened."""
        if tag not in _VOID and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        """Text."""
        if not (self._open and self._open[-1]):
            self.found.append(data)


def english(page: str) -> list[str]:
    """The pieces of a page in which English is left."""
    words = Words()
    words.feed(page)
    return [piece.strip() for piece in words.found if re.search("[A-Za-z]{2,}", NAMES.sub("", piece))]


def guide(days: str, more: str = "") -> str:
    """A document in Chinese with a definition, an exception, a risk and a reference that leads nowhere."""
    return (
        "# 档案管理规定\n\n第一条 本规定所称档案，是指公司保存的全部记录。\n\n"
        f"第二条 员工应当在事件发生之日起{days}日内通知办公室。但法律另有规定的除外。\n\n"
        f"第三条 违反本规定的，应当支付违约金五万元，并依照第九十九条处理。{more}\n\n"
        "第五条 档案自合同终止之日起保存七年。\n"
    )


@dataclass(frozen=True, slots=True)
class Place:
    """A browser that is signed in, and answers: one that went stale, one erased, one decided about."""

    browser: httpx.Client
    stale: str
    erased: str
    decided: str


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """Three versions, one of them corrected, and a staged one; answers that went stale, wait for review, were decided about,
    held and erased."""
    overlay = {"review": {"thresholds": {"answer_confidence": 1.1}}, "publishing": {"second_person": False}}
    handle = make_home(tmp_path_factory.mktemp("chinese") / "home", **overlay)
    fields = {"language": "zh", "jurisdiction": "CN", "title": "档案管理规定"}
    publish(handle, staged(handle, guide("十"), "第一版", "2024-01-01", "guiding", **fields), actor="甲")
    _, key = add_key(handle, "甲", ROLES, actor="甲")
    with serving(handle) as address, httpx.Client(base_url=address, timeout=60, follow_redirects=True) as caller:
        caller.headers.update({"Accept": "text/html", "Accept-Language": "zh-CN"})
        caller.post("/sign-in", data={"key": key})
        ids = [caller.post("/ask", data={"question": QUESTION}).url.path.rpartition("/")[2] for _ in range(3)]
        publish(
            handle,
            staged(handle, guide("十四", "本条自公布之日起施行。"), "第二版", "2025-01-01", "guiding", **fields),
            staged(handle, guide("二十"), "第三版", "2099-01-01", "guiding", **fields),
            actor="甲",
        )
        publish(handle, staged(handle, guide("十五"), "第二版", "2025-01-01", "guiding", correct=True, **fields), actor="甲")
        index = handle.ledger.find("answer", "answer_id", ids[1])
        assert index is not None
        hold(handle.ledger, index, released=False, reason="保全", actor="甲", actor_auth="os")
        hold(handle.ledger, index, released=True, reason="解除", actor="甲", actor_auth="os")
        erase(handle.ledger, index, reason="申请", actor="甲", actor_auth="os")
        caller.post(f"/review/{ids[2]}", data={"decision": "approve", "note": "无误"})
        caller.post(f"/stale/{ids[0]}/assign", data={"owner": "乙", "due": "2030-01-01"})
        caller.post(f"/stale/{ids[0]}/close", data={"decision": "no_impact", "note": "无影响"})
        yield Place(caller, *ids)


def test_no_page_in_chinese_is_left_in_english(place: Place) -> None:
    """Every page, refusals and errors among them."""
    browser, answer_id, erased_id, decided_id = place.browser, place.stale, place.erased, place.decided
    clause = "guiding@第二版%23"
    paths = (
        "/", f"/answers/{answer_id}", f"/answers/{decided_id}", "/documents", "/documents/guiding",
        "/documents/guiding?version=第二版", "/documents/guiding?version=第二版~2", "/documents/guiding/report?version=第二版",
        f"/clause?id={clause}2", f"/clause?id={clause}3", "/clause?id=guiding@第二版~2%233",
        f"/source?clause={clause}2&start=0&end=5", "/changes", "/changes?doc=guiding&start=第一版&end=第二版",
        "/changes?doc=guiding&start=第一版&end=第九版", "/changes/redline?doc=guiding&start=第一版&end=第二版&lang=zh",
        "/stale", "/stale?open=true", "/review", "/review?all=true", f"/review/{answer_id}", f"/review/{decided_id}",
        f"/review/{erased_id}", "/audit", f"/audit/{answer_id}", f"/audit/{answer_id}/reconstruct",
        f"/audit/{erased_id}", f"/audit/{erased_id}/reconstruct", "/audit/0", "/documents/没有", "/没有", "/clause?id=1",
        "/audit?before=x", "/answers/没有", "/documents/ingest/没有", "/documents/guiding?as_of=1999-01-01",
    )  # fmt: skip
    pages = {path: browser.get(path).text for path in paths}
    assert [path for path, page in pages.items() if '<html lang="zh' not in page] == []
    assert {path: left for path, page in pages.items() if (left := english(page))} == {}


def test_what_is_done_on_the_page_is_answered_in_chinese(place: Place) -> None:
    """Questions that are refused, verification, signing without a key, erasing, files that cannot be taken."""
    browser, answer_id = place.browser, place.stale
    forms: tuple[tuple[str, dict[str, str]], ...] = (
        ("/ask", {"question": "火箭发射的许可费是多少？"}),
        ("/ask", {"question": QUESTION, "as_of": "1999-01-01"}),
        ("/ask", {"question": QUESTION, "as_of": "1999-99-01"}),
        ("/ask", {"question": " "}),
        ("/ask", {"question": "如果迟延呢？", "follows": answer_id}),
        ("/audit/verify", {}),
        ("/audit/checkpoint", {}),
        ("/audit/erase", {"answer_id": "没有", "reason": "申请"}),
        (f"/review/{answer_id}", {"decision": "amend", "note": "更正"}),
        (f"/stale/{answer_id}/assign", {"owner": " ", "due": "2030-01-01"}),
        (f"/stale/{answer_id}/close", {"decision": "updated", "note": " "}),
    )
    pages = [(path, data, browser.post(path, data=data).text) for path, data in forms]
    assert [(path, data, left) for path, data, page in pages if (left := english(page))] == []
    page = browser.post("/documents/ingest", files={"files": ("坏.pdf", b"%PDF-1.4 nothing", "application/pdf")})
    assert english(page.text) == []


def test_every_code_has_its_chinese() -> None:
    """Kinds of clauses; a code that has none is marked as English; on the English page it is plain."""
    for kind in KINDS:
        assert say_name("zh", "kind", kind).isascii() is False
    assert say_name("zh", "flag", "brand_new") == '<span lang="en">brand new</span>'
    assert say_name("en", "flag", "brand_new") == "brand new"
    assert say_name("en", "flag", "<b>") == "&lt;b&gt;"


def test_sentences_keep_what_they_name() -> None:
    """Numbers, places and words of documents stay; markup in them is text; a sentence that is not known is marked."""
    assert say_sentence("zh", "2/1: '<b>第九条</b>' names no clause of this document.") == (
        "2/1：&#39;&lt;b&gt;第九条&lt;/b&gt;&#39; 在本文件中没有对应条款。"
    )
    assert say_sentence("zh", "page 3: Something new.") == '<span lang="en">page 3: Something new.</span>'
    assert say_sentence("en", "a < b") == "a &lt; b"
    assert say_code("zh", "brand_new", "It <failed>.") == '无法完成，说明见括号（<span lang="en">It &lt;failed&gt;.</span>）'


def test_the_verdict_of_a_damaged_home_is_said(tmp_path: Path) -> None:
    """That it is not valid, where and at which step, is in Chinese; the reason is marked as the verifier's own words."""
    handle = make_home(tmp_path / "home")
    publish(handle, staged(handle, guide("十"), "1", "2024-01-01"))
    log = next((handle.home.root / "ledger" / "log").glob("*.jsonl"))
    log.write_bytes(log.read_bytes().replace(b'"version":"1"', b'"version":"9"'))
    verdict = verify_home(handle.home.root)
    assert verdict["valid"] is False
    said = [str(say_sentence("zh", sentence)) for sentence in verdict["checked"]["in_words"]]
    assert said[0].startswith(("无效", "无法读取"))
    assert english("".join(said)) == []
