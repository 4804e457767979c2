"""JSON on stdout, files where a person asked for them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from schemas.errors import InputRejected


def print_json(value: Any) -> None:
    """One JSON document on stdout."""
    print(json.dumps(value, ensure_ascii=False))


def write_file(name: str, data: bytes) -> None:
    """Write a file that was asked for. Raises InputRejected ``unwritable``."""
    try:
        Path(name).write_bytes(data)
    except OSError as error:
        raise InputRejected("unwritable", f"{name}: the file cannot be written ({error.strerror}).", name) from error
