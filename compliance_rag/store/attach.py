"""The one place where a connection to the clause tables is made."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

import duckdb

from schemas.errors import IntegrityError, UsageError
from schemas.home import Home

# The files are small and questions short: more threads cost more in start-up than they give.
READER_THREADS = 2


def clause_home(home: Home, uri: str | None) -> Home:
    """Where the clause tables lie: the home, or the folder that ``[clauses] uri`` names (``file://`` or a plain path).

    Raises UsageError ``unknown_store`` for a scheme this release has no store for.
    """
    if uri is None:
        return home
    parts = urlsplit(uri)
    if parts.scheme not in ("", "file"):
        raise UsageError("unknown_store", f"[clauses] uri {uri!r}: only folders (a path or file://) are supported.", uri)
    folder = Path(unquote(parts.path))
    return Home(folder if folder.is_absolute() else home.root / folder)


# A checkpointed file is three headers and whole blocks; DuckDB reads a block only when it is asked for, so that a last block
# cut short would be noticed late.
HEADER_BYTES = 3 * 4096
BLOCK_BYTES = 262_144


def attach(path: Path, *, read_only: bool) -> duckdb.DuckDBPyConnection:
    """Open a clause table file. Readers reach nothing but that file. Raises IntegrityError ``clauses_damaged``."""
    config: dict[str, str | bool | int | float | list[str]] = {"autoinstall_known_extensions": "false"}
    if read_only:
        config |= {"enable_external_access": "false", "threads": READER_THREADS, "lock_configuration": "true"}
    with store_errors(path):
        if read_only and not path.exists():
            raise IntegrityError("clauses_missing", f"The clause tables {path.name} are missing; run rebuild.", path.name)
        if read_only and (path.stat().st_size - HEADER_BYTES) % BLOCK_BYTES:
            raise IntegrityError("clauses_damaged", f"The clause tables {path.name} are cut short; run rebuild.", path.name)
        return duckdb.connect(str(path), read_only=read_only, config=config)


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Whatever DuckDB cannot read back (a checksum, a torn header, a lost column) is damage, never another answer. Its own
    words, which name this machine's folders, stay in the chain of causes."""
    try:
        yield
    except (duckdb.Error, UnicodeDecodeError) as error:
        raise IntegrityError(
            "clauses_damaged", f"The clause tables {path.name} are damaged and cannot be read; run rebuild.", path.name
        ) from error
