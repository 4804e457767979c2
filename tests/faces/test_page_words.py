"""What the page says to whom: who does not ask, who may not add, errors by their names and in Chinese, one and many."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import httpx
import pytest
from markupsafe import escape

from compliance_rag.faces.web.site import clipped
from compliance_rag.faces.web.words import translator
from compliance_rag.faces.web.words_reasons import say_reason
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import Role, add_key
from tests.faces.serving import serving
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office?"
ROLES_OF: dict[str, tuple[Role, ...]] = {
    "ana": ("analyst",), "rob": ("reviewer", "analyst"), "eve": ("engineer",), "audrey": ("auditor",), "pat": ("publisher",),
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, httpx.Client]]:
    """Browsers signed in with one role each."""
    handle: HomeHandle = make_home(tmp_path_factory.mktemp("words") / "home", review={"kinds": ["obligation"]})
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    keys = {name: add_key(handle, name, roles, actor="root")[1] for name, roles in ROLES_OF.items()}
    with serving(handle) as address:
        found = {
            name: httpx.Client(base_url=address, timeout=60, follow_redirects=True, headers={"Accept": "text/html"})
            for name in keys
        }
        for name, key in keys.items():
            assert found[name].post("/sign-in", data={"key": key, "back": "/"}).status_code == 200
        yield found
        for browser in found.values():
            browser.close()


def words(text: str) -> str:
    """A page's text without its marks."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", text)))


def test_who_does_not_ask_is_shown_what_they_may_do(place: dict[str, httpx.Client]) -> None:
    """An auditor and a publisher see no form; the others do."""
    forms = {name: 'id="ask-form"' in browser.get("/").text for name, browser in place.items()}
    assert forms == {"ana": True, "rob": True, "eve": True, "audrey": False, "pat": False}
    shown = place["audrey"].get("/").text
    assert all(f'<a href="{path}">' in shown for path in ("/documents", "/changes", "/stale", "/review", "/audit"))
    assert '<a href="/audit">' not in place["pat"].get("/").text


def test_an_engineer_who_may_not_add_is_told_why(place: dict[str, httpx.Client]) -> None:
    """The sentence that the API gives; an analyst, who expects no box, is told nothing."""
    shown = words(place["eve"].get("/documents").text)
    assert "this key may not publish: ask for the role publisher, or for the setting [publishing] second_person = true" in shown
    assert "may not publish" not in place["ana"].get("/documents").text


def test_an_error_names_the_field_as_the_page_does(place: dict[str, httpx.Client]) -> None:
    """Known at, not known_at; in Chinese the sentence of the code comes first."""
    form = {"question": QUESTION, "known_at": "yesterday"}
    assert "Known at: 'yesterday' is not an instant" in words(place["ana"].post("/ask", data=form).text)
    place["ana"].get("/language/zh?back=/")
    shown = words(place["ana"].post("/ask", data=form).text)
    assert "日期无效，请使用 YYYY-MM-DD。（知悉时点: 'yesterday'" in shown
    assert "没有此条款。" in words(place["ana"].get("/clause?id=policy@1%2399").text)
    place["ana"].get("/language/en?back=/")


def test_one_is_not_many() -> None:
    """A single document is no documents; 11 are."""
    say = translator("en")
    assert say("scope", documents=1, versions=1, clauses=11) == "Searched: 1 document, 1 version, 11 clauses in force."
    assert say("characters_before", count="1,001") == "… 1,001 characters before"


def test_the_queue_says_what_was_answered_and_that_it_waits(place: dict[str, httpx.Client]) -> None:
    """The badge of the queue is the answer's own."""
    answered = place["rob"].post("/ask", data={"question": QUESTION})
    status = re.search(r'<span class="badge \w+">([^<]*)</span>', answered.text)
    assert status is not None
    queue = words(place["rob"].get("/review").text)
    assert f"{status[1]} waiting for a decision" in queue


def test_long_texts_are_cut_beside_their_changes() -> None:
    """Every changed word stays; of what is unchanged, what stands beside it."""
    same = "Each branch keeps its own list of visitors. " * 40
    runs = clipped(f"{same}Ten days. {same}", f"{same}Two days. {same}")
    assert [words for mark, words in runs if mark != "="] == ["Ten", "Two"]
    assert max(len(words) for _, words in runs) < 500


@pytest.mark.parametrize(
    ("code", "text", "wanted"),
    [
        ("low_answer_confidence", "Answer confidence is 0.31.", "回答置信度偏低：0.31。"),
        ("weak_best_source", "The best source scores 0.12.", "最佳来源的得分偏低：0.12。"),
        (
            "exceptions_not_quoted", "Exceptions in scope and not quoted: rules@v3.0#7/1, 合同@2024年版#七/二.",
            "范围内有例外条款未在回答中引用：<code>rules@v3.0#7/1</code>、<code>合同@2024年版#七/二</code>。",
        ),
        ("routed_kind", "Settings have a person look at answers about: obligation, penalty.",
         "按设置，引用此类条款的回答须由人工审核：义务、罚则。"),
        ("hidden_text", "A cited document holds text that its readers do not see.", "所引文件含有读者看不到的文字。"),
        ("of_another_release", "Read <b>0.31</b>.", "Read &lt;b&gt;0.31&lt;/b&gt;."),
    ],
)  # fmt: skip
def test_a_reason_in_chinese_names_what_the_recorded_one_names(code: str, text: str, wanted: str) -> None:
    """Which clauses, which figure, which kinds; in English it stands as recorded."""
    assert say_reason("zh", code, text) == wanted
    assert say_reason("en", code, text) == escape(text)
