"""The environment, read here for all commands: where the home is, who is asking, which model and embedder."""

from __future__ import annotations

import getpass
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DEFAULT_HOME = ".compliance-rag"


@dataclass(frozen=True, slots=True)
class Context:
    """What every verb needs: the home, the actor, how output is wanted, and the settings that the environment overlays."""

    home: Path
    actor: str
    actor_auth: str
    as_json: bool
    quiet: bool
    overlay: Mapping[str, Any]


def read_context(home: str | None, actor: str | None, *, as_json: bool, quiet: bool) -> Context:
    """Options first, then the environment, then defaults."""
    found = home or os.environ.get("COMPLIANCE_RAG_HOME") or DEFAULT_HOME
    return Context(
        home=Path(found),
        actor=actor or _login(),
        actor_auth="asserted" if actor else "os",
        as_json=as_json,
        quiet=quiet,
        overlay=_overlay(),
    )


def _login() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A container may run under a user id that has no name.
        return f"uid-{os.getuid()}"


def _overlay() -> dict[str, Any]:
    model = {
        key: value
        for key, value in (
            ("base_url", os.environ.get("COMPLIANCE_RAG_MODEL_URL")),
            ("name", os.environ.get("COMPLIANCE_RAG_MODEL")),
        )
        if value
    }
    return {"model": model} if model else {}


def environment_value(name: str) -> str | None:
    """A variable that settings name (an API key); never logged."""
    return os.environ.get(name)
