"""The English words that a recogniser's reading is checked against."""

from __future__ import annotations

import gzip
import json
from functools import cache
from importlib import resources


@cache
def known_words() -> frozenset[str]:
    """English words in small letters, from the list that the package `pyspellchecker` (MIT) carries."""
    data = resources.files("spellchecker").joinpath("resources/en.json.gz").read_bytes()
    return frozenset(json.loads(gzip.decompress(data)))
