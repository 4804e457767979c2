"""The checkpoint schedule: due after so many answers or minutes, signed by a process of its own, nobody else reads the key."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import dagster as dg
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from audit.verifier import verify_home
from compliance_rag.service.checkpoints import checkpoint_command
from pipelines.sensors import checkpoint_schedule
from schemas.errors import IntegrityError
from tests.service.building import make_home, policy, publish, staged


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home with one version, its key beside it, due after one minute."""
    handle = make_home(tmp_path / "home")
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    forms = (serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (tmp_path / "key.pem").write_bytes(Ed25519PrivateKey.generate().private_bytes(*forms))
    settings = handle.home.settings
    lines = f'witness = "{tmp_path}/witness"\ncheckpoint_key = "../key.pem"\nevery_minutes = 1\n'
    settings.write_text(settings.read_text() + lines)
    return handle.home.root


def _tick(home: Path) -> str:
    told = checkpoint_schedule(home)(dg.build_sensor_context())
    assert isinstance(told, dg.SkipReason)
    return told.skip_message or ""


def test_due_by_time_and_named_with_its_key(home: Path) -> None:
    """Nothing is due at once; after the minutes set the command names the home and the key."""
    now = datetime.now(UTC)
    assert checkpoint_command(home, now) is None
    command = checkpoint_command(home, now + timedelta(minutes=2))
    assert command is not None
    assert command[-2:] == ["--key", str(home / "../key.pem")]


def test_a_tick_signs_in_another_process(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A due tick leaves a signed note in home and witness; the key is never opened by the ticking process."""
    assert _tick(home) == "no checkpoint is due"
    monkeypatch.setattr(
        "pipelines.sensors.checkpoint_command", lambda root, now: checkpoint_command(root, now + timedelta(hours=1))
    )
    opened: list[str] = []
    monkeypatch.setattr(Path, "read_bytes", _watching(Path.read_bytes, opened))
    assert _tick(home).startswith("signed: ")
    assert not [name for name in opened if name.endswith("key.pem")]
    report = verify_home(home, witness=next((tmp_path / "witness").iterdir()))
    assert (report["valid"], report["checked"]["checkpoints"]) == (True, 2)
    assert _tick(home) == "no checkpoint is due"


def _watching(read, opened: list[str]):  # type: ignore[no-untyped-def]
    def watched(path: Path) -> bytes:
        opened.append(os.fspath(path))
        return read(path)  # type: ignore[no-any-return]

    return watched


def test_a_failure_is_the_ticks_failure(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that is gone fails the tick with the command's own words; without a home or a key nothing happens."""
    monkeypatch.setattr(
        "pipelines.sensors.checkpoint_command", lambda root, now: checkpoint_command(root, now + timedelta(hours=1))
    )
    (tmp_path / "key.pem").unlink()
    with pytest.raises(IntegrityError, match="missing_file"):
        _tick(home)
    assert _tick(tmp_path / "none") == "there is no home yet"
    handle = make_home(tmp_path / "other")
    publish(handle, staged(handle, policy(10), "1", "2024-01-01"))
    assert _tick(handle.home.root) == "no checkpoint is due"
