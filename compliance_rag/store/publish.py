"""Published copies: immutable files that readers open, and a pointer swapped by rename."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

from audit.durable import replace, sync_folder
from schemas.errors import IntegrityError
from schemas.home import Home

# A reader that resolved the pointer just before a swap still finds its file; more copies only fill the disk.
COPIES_KEPT = 3
# Eight bytes of the corpus root tell two copies of one ledger index apart in a listing.
NAME_ROOT_DIGITS = 16
_NAME = re.compile(r"\d{12}-[0-9a-f]{16}\Z")


def copy_name(index: int, corpus_root: str) -> str:
    """The name of the copy that holds everything up to ledger record ``index`` (-1: nothing yet)."""
    return f"{index + 1:012d}-{corpus_root[:NAME_ROOT_DIGITS]}"


def publish_copy(home: Home, name: str) -> Path:
    """Copy the writer's file (closed, checkpointed) to ``clauses.<name>.duckdb`` and point readers at it."""
    target = home.clauses_copy(name)
    temporary = target.with_name(f".{target.name}.tmp")
    shutil.copyfile(home.clauses_work, temporary)
    with temporary.open("rb") as file:
        os.fsync(file.fileno())
    temporary.replace(target)
    sync_folder(home.clauses)
    replace(home.clauses_pointer, name.encode("ascii"))
    _prune(home, name)
    return target


def _prune(home: Home, current: str) -> None:
    copies = sorted(home.clauses.glob(home.clauses_copy("*").name))
    for old in [copy for copy in copies if copy != home.clauses_copy(current)][: -(COPIES_KEPT - 1)]:
        old.unlink(missing_ok=True)


def current_copy(home: Home) -> Path | None:
    """The copy readers open, None before anything was published.

    Raises IntegrityError ``clauses_damaged`` when the pointer names no copy that could be ours, ``clauses_missing`` when the
    pointer is gone beside its copies or names a file that is gone.
    """
    try:
        name = home.clauses_pointer.read_bytes().decode("ascii", "replace")
    except FileNotFoundError:
        if home.clauses_work.exists() or any(home.clauses.glob(home.clauses_copy("*").name)):
            raise IntegrityError("clauses_missing", "clauses/current is missing; run rebuild.", "clauses/current") from None
        return None
    if not _NAME.match(name):
        raise IntegrityError("clauses_damaged", "clauses/current names no published copy; run rebuild.", "clauses/current")
    copy = home.clauses_copy(name)
    if not copy.exists():
        raise IntegrityError("clauses_missing", f"The published copy {copy.name} is missing; run rebuild.", copy.name)
    return copy
