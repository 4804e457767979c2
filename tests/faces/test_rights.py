"""Rights that no other role brings: publishing, exporting, erasing, holding against that, having the record signed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from html import unescape
from pathlib import Path

import httpx
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from audit.erasure import hold
from audit.verifier import verify_home
from compliance_rag.faces import options
from compliance_rag.service.homes import HomeHandle
from compliance_rag.service.keys import ROLES, Role, add_key
from tests.faces.serving import client, serving
from tests.service.building import make_home, policy, publish, staged

QUESTION = "Within how many days shall the employee notify the office?"
SINGLE: tuple[Role, ...] = ("publisher", "exporter", "eraser", "checkpointer", "holder")


@dataclass(slots=True)
class Place:
    """A served home, its address and a key for each role, one for all but the single rights, and one for an analyst who may
    know of one document and holds every single right."""

    handle: HomeHandle
    address: str
    keys: dict[str, str]

    def api(self, name: str) -> httpx.Client:
        """A caller with this key."""
        return client(self.address, self.keys[name])

    @contextmanager
    def browser(self, name: str) -> Iterator[httpx.Client]:
        """A browser of who holds this key."""
        headers = {"Accept": "text/html"}
        with httpx.Client(base_url=self.address, headers=headers, timeout=60, follow_redirects=True) as caller:
            caller.post("/sign-in", data={"key": self.keys[name]})
            yield caller

    def asked(self, name: str = "analyst") -> str:
        """The id of a new answer."""
        with self.api(name) as caller:
            return str(caller.post("/api/ask", json={"question": QUESTION}).json()["answer_id"])


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """One policy; the settings name a key to sign with, which lies outside the home."""
    folder = tmp_path_factory.mktemp("rights")
    pem = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    (folder / "log-key.pem").write_bytes(pem)
    handle = make_home(folder / "home", ledger={"checkpoint_key": str(folder / "log-key.pem")})
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    made: list[tuple[str, tuple[Role, ...], tuple[str, ...] | None]] = [(role, (role,), None) for role in ROLES]
    made.append(("workers", tuple(role for role in ROLES if role not in SINGLE), None))
    made.append(("narrow", ("analyst", *SINGLE), ("policy",)))
    made.append(("clerk", ("analyst", "exporter"), None))
    keys = {name: add_key(handle, name, roles, docs=docs, actor="root")[1] for name, roles, docs in made}
    with serving(handle) as address:
        yield Place(handle, address, keys)


def text_of(page: str) -> str:
    """A page's text without its marks."""
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", page)))


def test_the_command_line_offers_every_role() -> None:
    """The names that `keys add` takes are those of the service."""
    assert options.ROLES == ROLES


def test_no_other_role_brings_a_single_right(place: Place) -> None:
    """One who holds all the others neither publishes, exports, erases nor signs, not even of an answer of their own; whether
    the answer exists makes no difference."""
    own = place.asked("workers")
    with place.api("workers") as caller:
        for answer_id in (own, "a-none"):
            refused = [
                caller.get(f"/api/audit/{answer_id}/export"),
                caller.post(f"/api/audit/{answer_id}/erase", json={"reason": "asked for"}),
                caller.post("/api/audit/checkpoint"),
                caller.post(f"/api/audit/{answer_id}/hold", json={"reason": "court"}),
                caller.post(f"/api/audit/{answer_id}/release", json={}),
                caller.post("/api/publish/policy", json={"version": "1"}),
            ]
            assert [(one.status_code, one.json()["error"]["code"]) for one in refused] == [(403, "no_permission")] * 6


def test_an_exporter_exports_what_they_may_read(place: Place) -> None:
    """Their own answer, not another's; who only exports and may read nothing exports nothing."""
    own, other = place.asked("clerk"), place.asked("analyst")
    with place.api("clerk") as caller:
        assert caller.get(f"/api/audit/{own}/export").headers["content-type"] == "application/zip"
        assert caller.get(f"/api/audit/{other}/export").status_code == 404
    with place.api("exporter") as caller:
        assert caller.get(f"/api/audit/{own}/export").status_code == 404


def test_an_eraser_erases_and_does_not_read(place: Place) -> None:
    """The question is gone for everybody, its record says who and stands; again is the same; a hold forbids it; a key for some
    documents only erases nothing."""
    answer_id, held = place.asked(), place.asked()
    index = place.handle.ledger.find("answer", "answer_id", held)
    assert index is not None
    hold(place.handle.ledger, index, released=False, reason="court", actor="root", actor_auth="os")
    with place.api("eraser") as caller:
        assert caller.get(f"/api/audit/{answer_id}").status_code == 404
        empty = caller.post(f"/api/audit/{answer_id}/erase", json={"reason": " "})
        assert (empty.status_code, empty.json()["error"]["code"]) == (422, "no_reason")
        done = caller.post(f"/api/audit/{answer_id}/erase", json={"reason": "request 14"}).json()
        assert "question" in done["erased"]
        assert caller.post(f"/api/audit/{answer_id}/erase", json={"reason": "again"}).json() == done
        refused = caller.post(f"/api/audit/{held}/erase", json={"reason": "request 15"})
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, "legal_hold")
        assert caller.post("/api/audit/a-none/erase", json={"reason": "request 16"}).status_code == 404
    place.handle.ledger.refresh()
    record = place.handle.ledger.header(done["record"])
    assert (record["type"], record["actor"], record["actor_auth"]) == ("erasure", "eraser", "key")
    with place.api("narrow") as caller:
        assert caller.post(f"/api/audit/{held}/erase", json={"reason": "request 17"}).status_code == 403
    assert verify_home(place.handle.home.root)["valid"] is True


def test_a_holder_holds_and_releases_and_does_not_erase(place: Place) -> None:
    """What is held is not erased until it is released; who held it and why is on record; a key for some documents holds
    nothing; an answer that was never given is not held."""
    answer_id = place.asked()
    place.handle.ledger.refresh()
    index = place.handle.ledger.find("answer", "answer_id", answer_id)
    with place.api("holder") as holder, place.api("eraser") as eraser, place.api("narrow") as narrow:
        assert holder.get(f"/api/audit/{answer_id}").status_code == 404
        assert narrow.post(f"/api/audit/{answer_id}/hold", json={}).status_code == 403
        assert holder.post("/api/audit/a-none/hold", json={}).json()["error"]["code"] == "unknown_answer"
        lone = holder.post(
            f"/api/audit/{answer_id}/hold", content=b'{"reason": "\\ud800"}', headers={"Content-Type": "application/json"}
        )
        assert (lone.status_code, lone.json()["error"]["code"]) == (422, "bad_text")
        held = holder.post(f"/api/audit/{answer_id}/hold", json={"reason": "proceedings 114"}).json()
        assert (held["index"], held["held"]) == (index, True)
        erase, reason = f"/api/audit/{answer_id}/erase", {"reason": "request 20"}
        assert eraser.post(erase, json=reason).json()["error"]["code"] == "legal_hold"
        assert holder.post(erase, json=reason).status_code == 403
        assert holder.post(f"/api/audit/{answer_id}/release", json={}).json()["held"] is False
        assert eraser.post(erase, json=reason).status_code == 200
    place.handle.ledger.refresh()
    record = place.handle.ledger.header(held["record"])
    assert (record["type"], record["actor"], record["actor_auth"], record["released"]) == ("hold", "holder", "key", False)
    assert place.handle.ledger.part(record, "reason") == b"proceedings 114"
    assert verify_home(place.handle.home.root)["valid"] is True


def test_a_checkpoint_is_signed_by_a_process_of_its_own(place: Place) -> None:
    """The note proves the whole record; who asked for it is on record; signing again without anything new says so."""
    place.asked()
    with place.api("checkpointer") as caller:
        first = caller.post("/api/audit/checkpoint")
        again = caller.post("/api/audit/checkpoint").json()
    assert first.status_code == 200, first.text
    assert (first.json()["new"], again["new"]) == (True, False)
    verdict = verify_home(place.handle.home.root)
    assert verdict["valid"] is True
    assert verdict["checked"]["signed_size"] >= first.json()["size"]
    place.handle.ledger.refresh()
    signed = [header for _, header in place.handle.ledger.headers(0, {"checkpoint"})]
    assert signed[-1]["actor"] == "checkpointer"
    with place.api("narrow") as caller:
        assert caller.post("/api/audit/checkpoint").status_code == 403


def test_without_a_key_in_the_settings_nothing_is_signed(tmp_path: Path) -> None:
    """The refusal names the setting; a key that cannot be read is named without its place."""
    for key, code in ((None, "no_checkpoint_key"), (str(tmp_path / "gone.pem"), "missing_file")):
        handle = make_home(tmp_path / code, **({} if key is None else {"ledger": {"checkpoint_key": key}}))
        _, bearer = add_key(handle, "carl", ("checkpointer",), actor="root")
        with serving(handle) as address, client(address, bearer) as caller:
            refused = caller.post("/api/audit/checkpoint")
        assert (refused.status_code, refused.json()["error"]["code"]) == (422, code)
        assert str(tmp_path) not in refused.text


def test_the_page_offers_what_a_key_may_do(place: Place) -> None:
    """An engineer finds the verification without the trail; who may not export sees no way to; an eraser erases by a form, what
    was typed stays where it is refused; a checkpointer signs."""
    own = place.asked("workers")
    with place.browser("engineer") as browser:
        shown = text_of(browser.get("/audit").text)
        assert "Verify everything" in shown
        assert "When (UTC)" not in shown
        assert "VALID" in browser.post("/audit/verify").text
    with place.browser("workers") as browser:
        assert "Export the proof" not in browser.get(f"/answers/{own}").text
        assert browser.get(f"/audit/{own}/export").status_code == 403
    with place.browser("eraser") as browser:
        assert 'href="/audit"' in browser.get("/").text
        refused = browser.post("/audit/erase", data={"answer_id": "a-none", "reason": "request 18"})
        assert refused.status_code == 404
        assert 'value="request 18"' in refused.text
        assert "is erased" in text_of(browser.post("/audit/erase", data={"answer_id": own, "reason": "request 18"}).text)
    with place.browser("checkpointer") as browser:
        assert "Signed:" in text_of(browser.post("/audit/checkpoint").text)
    with place.browser("analyst") as browser:
        assert browser.get("/audit").status_code == 403
