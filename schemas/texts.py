"""Texts that people and programs send: valid Unicode, so that they can be recorded, hashed and printed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from schemas.errors import InputRejected


def check_text(text: str, where: str) -> str:
    """The text itself. Raises InputRejected ``bad_text`` where it holds a lone surrogate, which no encoding of Unicode can
    write, or a NUL, which ends a text for half of the programs that read it."""
    if "\0" in text:
        raise InputRejected("bad_text", f"{where}: the text holds a NUL character; leave it out.", where)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        message = f"{where}: the text is not valid Unicode (a lone surrogate at character {error.start + 1}); send it as UTF-8."
        raise InputRejected("bad_text", message, where) from error
    return text


def check_texts(values: Mapping[str, Any]) -> None:
    """The same of every text among ``values`` and in lists and mappings inside them, keys too; ``where`` is the value's name.

    Raises InputRejected ``bad_text``.
    """
    for name, value in values.items():
        where = check_text(name, "name") if isinstance(name, str) else str(name)
        waiting = [value]
        while waiting:
            item = waiting.pop()
            if isinstance(item, str):
                check_text(item, where)
            elif isinstance(item, Mapping):
                waiting += [*item.keys(), *item.values()]
            elif isinstance(item, list | tuple | set | frozenset):
                waiting += item
