"""When a checkpoint is due, and the command that writes it: the service itself never reads the key."""

from __future__ import annotations

import sys
from datetime import datetime, timedelta
from pathlib import Path

from audit.checkpoint import checkpoint_due
from compliance_rag.service.homes import open_home


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
    key = str(root / wanted.checkpoint_key)
    return [sys.executable, "-m", "compliance_rag", "--home", str(root), "--json", "audit", "checkpoint", "--key", key]
