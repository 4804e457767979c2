"""Ingest over HTTP and on the page: batches in the background, bad files, rights, publication by a second person."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import Any

import httpx
import pytest

from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import ROLES, add_key
from tests.faces.serving import client, serving
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office?"
# A batch of the tests takes about five seconds, minutes on a machine that others keep busy: it gives way to everyone.
BATCH_SECONDS = 900
BAD_PDF = b"not a pdf at all"


@dataclass(slots=True)
class Place:
    """A served home where a second person publishes, and its callers' keys."""

    handle: HomeHandle
    address: str
    keys: dict[str, str]

    def call(self, name: str) -> httpx.Client:
        """A caller."""
        return client(self.address, self.keys[name])


def key_of(handle: HomeHandle, name: str, *roles: Any, docs: tuple[str, ...] | None = None) -> str:
    """A new key."""
    return add_key(handle, name, roles, docs=docs, actor="root")[1]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """One published version; from then on a second person publishes."""
    root = tmp_path_factory.mktemp("ingest") / "home"
    first = make_home(root)
    publish(first, staged(first, policy(10), "1", "2024-01-01"))
    with first.home.settings.open("a", encoding="utf-8") as out:
        out.write("\n[publishing]\nsecond_person = true\n")
    handle = make_home(root)
    keys = {
        "enid": key_of(handle, "enid", "engineer"),
        "pat": key_of(handle, "pat", "publisher", "engineer"),
        "ana": key_of(handle, "ana", "analyst"),
        "ned": key_of(handle, "ned", *ROLES, docs=("policy",)),
    }
    with serving(handle) as address:
        yield Place(handle, address, keys)


def send(caller: httpx.Client, entries: Any, files: dict[str, bytes]) -> httpx.Response:
    """A batch."""
    sent = [("files", (name, data)) for name, data in files.items()]
    return caller.post("/api/ingest", data={"manifest": json.dumps(entries)}, files=sent)


def followed(caller: httpx.Client, batch_id: str) -> list[tuple[str, dict[str, Any]]]:
    """The events of a batch until its end."""
    with caller.stream("GET", f"/api/ingest/{batch_id}/events", timeout=BATCH_SECONDS) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        blocks = "".join(answer.iter_text()).strip().split("\n\n")
    parsed = [re.fullmatch(r"event: (\w+)\ndata: (.*)", block) for block in blocks if not block.startswith(":")]
    return [(one[1], json.loads(one[2])) for one in parsed if one is not None]


def entry(file: str, version: str, start: str, **other: Any) -> dict[str, Any]:
    """A manifest entry of the policy."""
    return {"file": file, "doc_id": "policy", "version": version, "effective_from": start, "language": "en", **other}


def test_staged_by_one_published_by_another(place: Place) -> None:
    """A batch of a good and a bad file: live steps, questions answered meanwhile, the bad file's one sentence, the report; the
    engineer can't publish, another person can, once; then the day's answer turns."""
    entries = [entry("v2.md", "2", "2025-01-01"), entry("bad.pdf", "3", "2026-01-01")]
    with place.call("enid") as enid, place.call("pat") as pat, place.call("ana") as ana:
        begun = send(enid, entries, {"v2.md": policy(14).encode(), "bad.pdf": BAD_PDF})
        assert (begun.status_code, begun.headers["location"]) == (202, f"/api/ingest/{begun.json()['id']}")
        assert ana.post("/api/ask", json={"question": QUESTION, "as_of": "2025-06-01"}).json()["status"] == "answered"
        steps = followed(enid, begun.json()["id"])
        assert [name for name, _ in steps][-1] == "end"
        assert {seen["stage"] for _, seen in steps} >= {"reading"}
        done = enid.get(f"/api/ingest/{begun.json()['id']}").json()
        assert (done["state"], done["error"]) == ("done", None)
        (held,), (rejected,) = done["result"]["held"], done["result"]["rejected"]
        assert [reason["code"] for reason in held["reasons"]] == ["second_person"]
        assert (rejected["code"], "fetch it again" in rejected["message"]) == ("damaged_file", True)
        (report,) = done["reports"]
        assert (report["version"], report["counts"]["clauses"]) == ("2", 4)
        assert sum(report["balance"][name] for name in ("clauses", "furniture", "remainder")) > 150
        assert "within 10 days" in ana.post("/api/ask", json={"question": QUESTION, "as_of": "2025-06-01"}).json()["answer"]
        refused = enid.post("/api/publish/policy", json={"version": "2"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (403, "no_permission")
        assert pat.get("/api/report/policy?version=2").json()["recorded_by"] == "enid"
        published = pat.post("/api/publish/policy", json={"version": "2", "note": "seen"})
        assert [item["version"] for item in published.json()["published"]] == ["2"]
        assert [item["version"] for item in pat.post("/api/publish/policy", json={"version": "2"}).json()["unchanged"]] == ["2"]
        assert "within 14 days" in ana.post("/api/ask", json={"question": QUESTION, "as_of": "2025-06-01"}).json()["answer"]
    place.handle.ledger.refresh()
    found = [header for _, header in place.handle.ledger.headers(0, {"publication"})][-2:]
    assert [(header["actor"], header["actor_auth"], header["state"]) for header in found] == [
        ("enid", "key", "staged"), ("pat", "key", "published"),
    ]  # fmt: skip


def test_who_staged_cannot_publish(place: Place) -> None:
    """A publisher who staged a version is refused by the code of the rule, and the version stays staged."""
    publish(place.handle, staged(place.handle, policy(4), "4", "2027-01-01"), actor="pat")
    with place.call("pat") as pat:
        refused = pat.post("/api/publish/policy", json={"version": "4"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "same_person")
        assert pat.get("/api/report/policy?version=4").json()["state"] == "staged"


@pytest.mark.parametrize("name", ["ana", "ned"])
def test_rights(place: Place, name: str) -> None:
    """An analyst, and a key that may know of one document only, neither send nor publish nor read a report."""
    with place.call(name) as caller:
        for got in (
            send(caller, [entry("x.md", "9", "2030-01-01")], {"x.md": b"# X"}),
            caller.post("/api/publish/policy", json={"version": "2"}),
            caller.get("/api/report/policy?version=1"),
        ):
            assert (got.status_code, got.json()["error"]["code"]) == (403, "no_permission")


@pytest.fixture
def alone(tmp_path: Path) -> HomeHandle:
    """A home of one version where nobody else has to publish."""
    handle = make_home(tmp_path / "home")
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    return handle


def test_publishing_at_once_needs_the_right(alone: HomeHandle) -> None:
    """Where a batch is published at once an engineer alone may not send one."""
    with serving(alone) as address, client(address, key_of(alone, "enid", "engineer")) as enid:
        refused = send(enid, [entry("v2.md", "2", "2025-01-01")], {"v2.md": policy(14).encode()})
        assert (refused.status_code, "second_person" in refused.json()["error"]["message"]) == (403, True)


@pytest.mark.slow
def test_who_has_both_rights_publishes_at_once(alone: HomeHandle) -> None:
    """Without a second person a batch is published by its end; the same batch again changes nothing."""
    with serving(alone) as address, client(address, key_of(alone, "pat", "engineer", "publisher")) as pat:
        for name in ("published", "unchanged"):
            batch = send(pat, [entry("v2.md", "2", "2025-01-01")], {"v2.md": policy(14).encode()}).json()
            followed(pat, batch["id"])
            assert [v["version"] for v in pat.get(f"/api/ingest/{batch['id']}").json()["result"][name]] == ["2"]


@pytest.mark.parametrize(
    ("entries", "files", "code"),
    [
        ([entry("../../etc/passwd", "9", "2030-01-01")], {"x.md": b"# X"}, "missing_file"),
        ([entry("x.md", "9", "2030-02-30")], {"x.md": b"# X"}, "unreadable_date"),
        ([entry("x.md", "9", "2030-01-01", jurisdiction="XX-9")], {"x.md": b"# X"}, "unknown_jurisdiction"),
        ([entry("x.md", "8", "2030-01-01"), entry("y.md", "9", "2030-01-01")], {"x.md": b"# X", "y.md": b"# Y"},
         "equal_effective_dates"),
        ([{"file": ["x.md"]}], {"x.md": b"# X"}, "bad_manifest"),
        (["x.md"], {"x.md": b"# X"}, "bad_manifest"),
        ([], {"x.md": b"# X"}, "bad_manifest"),
        ("nonsense", {"x.md": b"# X"}, "bad_manifest"),
        ([entry("..", "9", "2030-01-01")], {"..": b"# X"}, "bad_file_name"),
        ([entry("x.md", "9", "2030-01-01")], {}, "no_file"),
    ],
)  # fmt: skip
def test_a_bad_batch_is_refused_whole(place: Place, entries: Any, files: dict[str, bytes], code: str) -> None:
    """What is wrong with the manifest is said at once, in the one shape; nothing outside the batch is read, nothing starts."""
    with place.call("enid") as enid:
        got = send(enid, entries, files)
        assert (got.status_code, got.json()["error"]["code"]) == (422, code)


def test_an_ingest_that_dies_is_said_and_a_batch_is_its_owners(alone: HomeHandle) -> None:
    """A process that ends without a word: the batch failed with its code and the service goes on. Another's batch is as one
    that never was."""
    keys, command = [key_of(alone, name, *ROLES) for name in ("boss", "pat")], (sys.executable, "-c", "import os; os._exit(9)")
    with serving(alone, command) as address, client(address, keys[0]) as boss, client(address, keys[1]) as pat:
        batch = send(boss, [entry("v2.md", "2", "2025-01-01")], {"v2.md": policy(14).encode()}).json()
        assert followed(boss, batch["id"])[-1][1]["state"] == "failed"
        assert boss.get(f"/api/ingest/{batch['id']}").json()["error"]["code"] == "ingest_ended"
        assert boss.post("/api/ask", json={"question": QUESTION, "as_of": "2024-06-01"}).json()["status"] == "answered"
        zeros = "0" * len(batch["id"])
        other, none = pat.get(f"/api/ingest/{batch['id']}"), pat.get(f"/api/ingest/{zeros}")
        assert (other.status_code, none.status_code) == (404, 404)
        assert other.text.replace(batch["id"], "") == none.text.replace(zeros, "")


def words(text: str) -> str:
    """A page's text without its marks."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", "", text)))


def until_done(browser: httpx.Client, path: str) -> str:
    """The page of a batch when it is over."""
    with browser.stream("GET", f"{path}/events", timeout=BATCH_SECONDS) as answer:
        assert "event: end" in "".join(answer.iter_text())
    return browser.get(path).text


def test_the_page_without_scripts(place: Place) -> None:
    """Files sent by the plain form: a row each with a guess; a wrong day is said beside its file and nothing typed is lost; the
    good file is staged with its report, the bad one stays with its sentence and can be sent again or discarded."""
    with httpx.Client(base_url=place.address, timeout=60, follow_redirects=True, headers={"Accept": "text/html"}) as browser:
        browser.post("/sign-in", data={"key": place.keys["enid"], "back": "/"})
        assert 'type="file"' in browser.get("/documents").text
        files = [("files", ("Leave Policy.md", policy(5).encode())), ("files", ("broken.pdf", BAD_PDF))]
        sent = browser.post("/documents/ingest", files=files)
        path = sent.url.path
        assert ('value="leave-policy"' in sent.text, 'value="broken"' in sent.text) == (True, True)
        form = {
            "doc_id-0": "leave-policy", "version-0": "1", "effective_from-0": "2024-02-31", "title-0": "Leave",
            "doc_id-1": "broken", "version-1": "1", "effective_from-1": "2024-01-01",
        }  # fmt: skip
        assert browser.post(path, data=form).status_code == 200
        wrong = until_done(browser, path)
        assert ("unreadable_date" in wrong, 'value="Leave"' in wrong, "2 not taken." in words(wrong)) == (True, True, True)
        assert browser.post(path, data={**form, "effective_from-0": "2024-03-01"}).status_code == 200
        shown = until_done(browser, path)
        assert "1 waiting for a person, 1 not taken." in words(shown)
        assert "Every visible character is accounted for" in words(shown)
        assert ("damaged_file" in shown, re.findall(r"<legend>(.*?)</legend>", shown)) == (True, ["broken.pdf"])
        report = browser.get("/documents/leave-policy/report?version=1")
        assert "a publisher does it" in words(report.text)
        assert browser.post(f"{path}/discard").url.path == "/documents"
        assert browser.get(path).status_code == 404
        assert "/documents/leave-policy/report" in browser.get("/documents").text
        none = browser.post("/documents/ingest", files=[("other", ("x.md", b"x"))])
        assert (none.status_code, "no_file" in none.text) == (422, True)
    for name in ("ana", "ned"):
        with httpx.Client(base_url=place.address, timeout=60, headers={"Accept": "text/html"}) as browser:
            browser.post("/sign-in", data={"key": place.keys[name], "back": "/"})
            # Who may not read the report is shown no way to it.
            assert "/report" not in browser.get("/documents").text
    with httpx.Client(base_url=place.address, timeout=60, follow_redirects=True, headers={"Accept": "text/html"}) as browser:
        browser.post("/sign-in", data={"key": place.keys["pat"], "back": "/"})
        assert "Waiting to be published" in browser.get("/documents").text
        done = browser.post("/documents/leave-policy/publish", data={"version": "1", "note": "read"})
        assert "Published." in words(done.text)


def test_a_document_keeps_the_title_that_it_prints(place: Place) -> None:
    """The name of a file is no title: the form offers none, and what stands is the one in the document."""
    with httpx.Client(base_url=place.address, timeout=60, follow_redirects=True, headers={"Accept": "text/html"}) as browser:
        browser.post("/sign-in", data={"key": place.keys["enid"], "back": "/"})
        sent = browser.post("/documents/ingest", files=[("files", ("v9 final.md", policy(7).encode()))])
        assert 'name="title-0" type="text" value="" placeholder="as the document prints it"' in sent.text
        form = {"doc_id-0": "titled", "title-0": "", "version-0": "9", "effective_from-0": "2024-03-01"}
        browser.post(sent.url.path, data=form)
        assert "1 waiting for a person." in words(until_done(browser, sent.url.path))
        assert re.search(
            r">Records Policy</a>\s*<br>\s*<span class=\"meta\">[^<]*<code>titled</code>", browser.get("/documents").text
        )


def test_a_label_twice_stops_no_other_file(place: Place) -> None:
    """Of a drop with one label twice, the two say so by the label, with what their manifest says of them; the others go in."""
    manifest = [entry(name, "31", "2041-01-01") for name in ("a.md", "b.md")] + [entry("c.md", "1", "2042-01-01", doc_id="c")]
    sent = {"a.md": b"# A\n\n1. One\n\nA.", "b.md": b"# B\n\n1. One\n\nB.", "c.md": policy(3).encode()}
    files = [("files", item) for item in (*sent.items(), ("manifest.json", json.dumps(manifest).encode()))]
    with httpx.Client(base_url=place.address, timeout=60, follow_redirects=True, headers={"Accept": "text/html"}) as browser:
        browser.post("/sign-in", data={"key": place.keys["enid"], "back": "/"})
        drawn = browser.post("/documents/ingest", files=files)
        said = "policy: the version label '31' stands twice, from 2041-01-01; give each its own."
        assert (words(drawn.text).count(said), drawn.text.count('value="31"'), "entries" in drawn.text) == (2, 2, False)
        form = {f"{name}-{at}": value for at, one in enumerate((manifest[2], *manifest[:2])) for name, value in one.items()}
        assert browser.post(drawn.url.path, data=form).status_code == 200
        shown = until_done(browser, drawn.url.path)
        assert "1 waiting for a person, 2 not taken." in words(shown)
        assert (words(shown).count(said), shown.count('value="31"')) == (2, 2)
    with place.call("enid") as enid:
        one, two, good = entry("a.md", "31", "2041-01-01"), entry("b.md", "31", "2041-01-01"), manifest[2]
        begun = send(enid, [one, {**good, "file": "c.md", "version": "2", "effective_from": "2043-01-01"}, two], sent)
        followed(enid, begun.json()["id"])
        result = enid.get(f"/api/ingest/{begun.json()['id']}").json()["result"]
        assert ([item["version"] for item in result["held"]], [item["file"] for item in result["rejected"]]) == (
            ["2"], ["a.md", "b.md"],
        )  # fmt: skip


def test_a_manifest_among_the_files_describes_them(place: Place) -> None:
    """Rows come from the manifest, in its order; a file that it names and that was not sent is said and left out."""
    manifest = [
        entry("b.md", "21", "2040-01-01", title="Second", owner="legal"), entry("gone.md", "22", "2041-01-01"),
    ]  # fmt: skip
    files = [("files", (name, data)) for name, data in (
        ("a.md", b"# A"), ("b.md", b"# B"), ("manifest.json", json.dumps(manifest).encode()),
    )]  # fmt: skip
    with httpx.Client(base_url=place.address, timeout=60, follow_redirects=True, headers={"Accept": "text/html"}) as browser:
        browser.post("/sign-in", data={"key": place.keys["enid"], "back": "/"})
        sent = browser.post("/documents/ingest", files=files)
        assert re.findall(r"<legend>(.*?)</legend>", sent.text) == ["b.md", "a.md"]
        assert ('value="21"' in sent.text, "gone.md" in sent.text) == (True, True)
