"""When a checkpoint is due, and the command that writes it: the service itself never reads the key."""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from audit.checkpoint import checkpoint_due
from compliance_rag.service.homes import HomeHandle, open_home
from schemas.errors import EXIT_INTEGRITY, InputRejected, IntegrityError

# A checkpoint takes about a second; one that hangs on a dead network folder must not hold its caller for ever.
SIGN_SECONDS: Final = 50


def checkpoint_command(root: Path, now: datetime) -> list[str] | None:
    """The command that signs the home's ledger, None when settings name no key or nothing is due at ``now``.

    A key file's path is relative to the home unless absolute; it is named here and opened only by the command. Raises as
    :func:`open_home`.
    """
    handle = open_home(root, check=False)
    wanted = handle.settings.ledger
    if wanted.checkpoint_key is None:
        return None
    if not checkpoint_due(handle.ledger, answers=wanted.every_answers, age=timedelta(minutes=wanted.every_minutes), now=now):
        return None
    return _command(root, wanted.checkpoint_key)


def sign_checkpoint(handle: HomeHandle, actor: str) -> dict[str, Any]:
    """A checkpoint over the whole ledger now, by the command in a process of its own, the only reader of the key; ``actor``
    goes on record as asserted by us. ``size``, ``root``, ``key_id``, ``new``, ``note``.

    Raises InputRejected ``no_checkpoint_key`` where settings name none, and what the command says; IntegrityError
    ``checkpoint_failed``.
    """
    key = handle.settings.ledger.checkpoint_key
    if key is None:
        raise InputRejected(
            "no_checkpoint_key", "The settings name no key to sign with: [ledger] checkpoint_key.", "ledger.checkpoint_key"
        )
    command = [*_command(handle.home.root, key), "--actor", actor]
    lies_at = str(handle.home.root / key)
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SIGN_SECONDS)
        said = json.loads(done.stdout)
    except (subprocess.TimeoutExpired, ValueError) as error:
        raise IntegrityError("checkpoint_failed", "The checkpoint command did not end as it should; run it by hand.") from error
    if not done.returncode:
        return {name: said[name] for name in ("size", "root", "key_id", "new", "note")}
    kind = IntegrityError if done.returncode == EXIT_INTEGRITY else InputRejected
    # Where the key lies is nobody's business who may have it used.
    raise kind(said["error"]["code"], said["error"]["message"].replace(lies_at, "checkpoint_key"), "checkpoint_key")


def _command(root: Path, key: str) -> list[str]:
    # A key file's path is relative to the home unless absolute.
    return [
        sys.executable,
        "-m",
        "compliance_rag",
        "--home",
        str(root),
        "--json",
        "audit",
        "checkpoint",
        "--key",
        str(root / key),
    ]
