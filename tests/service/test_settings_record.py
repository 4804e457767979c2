"""A change of the settings is on the ledger before the first answer or change made under it, secrets never."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from audit.verifier import verify_home
from compliance_rag.service.ask import ask
from compliance_rag.service.homes import HomeHandle, open_home
from compliance_rag.service.times import withdraw
from tests.embedding import HashingEmbedder
from tests.service.test_ask import QUESTION, V1, put, request


def _reopened(root: Path, overlay: dict[str, Any] | None = None) -> HomeHandle:
    return open_home(root, embedder=HashingEmbedder(), overlay=overlay)


def _types(handle: HomeHandle) -> list[str]:
    return [header["type"] for _, header in handle.ledger.headers()]


def test_a_change_is_recorded_once_before_what_follows_it(tmp_path: Path) -> None:
    """Defaults need no record; a change gets one before the next answer or withdrawal, the same settings again none, a change
    back another; no password or folder of keys is in it, and all verifies."""
    root = tmp_path / "home"
    handle = open_home(root, create=True, embedder=HashingEmbedder())
    put(handle, tmp_path, "policy", "1", "2020-01-01", V1)
    ask(handle, request(QUESTION))
    assert _types(handle) == ["publication", "answer"]
    before = (root / "settings.toml").read_text("ascii")
    (root / "settings.toml").write_text(before + 'checkpoint_key = "/keys/k.pem"\nevery_answers = 7\n', "ascii")
    overlay = {"model": {"base_url": "http://ann:s3cret@model.example/v1"}}
    handle = _reopened(root, overlay)
    shown = ask(handle, request(QUESTION))
    ask(handle, request(QUESTION))
    assert _types(handle)[2:] == ["settings", "answer", "answer"]
    assert shown.ledger is not None
    assert (shown.ledger.index, shown.ledger.size) == (3, 4)
    header = handle.ledger.header(2)
    assert header["changed"] == ["ledger.every_answers", "model.base_url"]
    part = handle.ledger.part(header, "settings")
    assert json.loads(part)["model"]["base_url"] == "http://model.example/v1"
    assert b"s3cret" not in part
    assert b"k.pem" not in part
    assert handle.ledger.part(handle.ledger.header(3), "settings") == part
    (root / "settings.toml").write_text(before, "ascii")
    handle = _reopened(root)
    withdraw(handle, "policy", reason="gone", actor="ann")
    assert _types(handle)[5:] == ["settings", "withdrawal"]
    assert _types(_reopened(root))[5:] == ["settings", "withdrawal"]
    assert verify_home(root)["valid"], verify_home(root)["first_bad"]
    for path in root.rglob("*"):
        assert not path.is_file() or b"s3cret" not in path.read_bytes()
