"""Keys that end on a day: checked at each call, in sessions and at the tools too, listed and on record."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import httpx
import pytest

from audit.verifier import verify_home
from compliance_rag.faces.http import access
from compliance_rag.service.keys import add_key, list_keys
from schemas.errors import InputRejected
from tests.faces.conftest import Command
from tests.faces.serving import client, serving
from tests.service.building import make_home, policy, publish, staged

LAST = date(2998, 12, 31)
END = date(2999, 1, 1)


def test_a_key_opens_nothing_from_its_day_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything the day before, nothing on the day: calls, the session that was opened with it, tools; another key stays."""
    handle = make_home(tmp_path / "home", time_zone="UTC")
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    _, ends = add_key(handle, "temp", ("analyst",), expires=END, actor="root")
    _, stays = add_key(handle, "ada", ("analyst",), actor="root")
    with (
        serving(handle) as address,
        client(address, ends) as caller,
        client(address, stays) as other,
        httpx.Client(base_url=address, headers={"Accept": "text/html"}, timeout=60) as web,
    ):
        monkeypatch.setattr(access, "today", lambda _: LAST)
        assert caller.get("/api/docs").status_code == 200
        assert web.post("/sign-in", data={"key": ends}).status_code == 303
        assert web.get("/documents").status_code == 200
        monkeypatch.setattr(access, "today", lambda _: END)
        for refused in (caller.get("/api/docs"), caller.post("/mcp", json={})):
            assert (refused.status_code, refused.json()["error"]["code"]) == (401, "unknown_key")
        assert web.get("/documents").headers["location"].startswith("/sign-in")
        assert web.post("/sign-in", data={"key": ends}).status_code == 401
        assert other.get("/api/docs").status_code == 200


def test_the_end_is_on_record_and_listed(tmp_path: Path, command: Command, capsys: pytest.CaptureFixture[str]) -> None:
    """The grant names the day, the list too and whether it has come; the file of keys says nothing new of a key without one."""
    handle = make_home(tmp_path / "home")
    code, made = command(handle.home.root, "keys", "add", "temp", "--role", "analyst", "--expires", "2999-01-01")
    assert (code, made["expires"]) == (0, "2999-01-01")
    assert command(handle.home.root, "keys", "add", "ada", "--role", "auditor")[1]["expires"] is None
    assert [one["expires"] for one in command(handle.home.root, "keys", "list")[1]] == ["2999-01-01", None]
    handle.ledger.refresh()
    granted = [header.get("expires") for _, header in handle.ledger.headers(0, {"access"})]
    assert granted == ["2999-01-01", None]
    kept = json.loads(handle.home.api_keys.read_text("utf-8"))
    assert ["expires" in one for one in kept["keys"]] == [True, False]
    kept["keys"][1]["expires"] = "2020-01-01"
    handle.home.api_keys.write_text(json.dumps(kept), "utf-8")
    from compliance_rag.faces.cli import run

    capsys.readouterr()
    assert run(["--home", str(handle.home.root), "keys", "list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split("  ")[-1] for line in lines] == ["expires 2999-01-01", "expired 2020-01-01"]
    assert verify_home(handle.home.root)["valid"] is True


@pytest.mark.parametrize(("day", "code"), [("2024-02-30", "unreadable_date"), ("2020-01-01", "expires_passed")])
def test_a_day_that_is_none_or_has_passed_is_refused(tmp_path: Path, command: Command, day: str, code: str) -> None:
    """No key is made, nothing recorded."""
    handle = make_home(tmp_path / "home")
    size = handle.ledger.size
    exit_code, shown = command(handle.home.root, "keys", "add", "temp", "--role", "analyst", "--expires", day)
    assert (exit_code, shown["error"]["code"]) == (3, code)
    handle.ledger.refresh()
    assert (list_keys(handle), handle.ledger.size) == ([], size)


def test_today_is_too_late_and_tomorrow_is_not(tmp_path: Path) -> None:
    """The end is exclusive: a key that ends today would open nothing."""
    handle = make_home(tmp_path / "home", time_zone="UTC")
    day = datetime.now(UTC).date()
    with pytest.raises(InputRejected):
        add_key(handle, "late", ("analyst",), expires=day, actor="root")
    entry, _ = add_key(handle, "fine", ("analyst",), expires=day + timedelta(days=2), actor="root")
    assert entry.holds_on(day)
    assert not entry.holds_on(day + timedelta(days=2))
