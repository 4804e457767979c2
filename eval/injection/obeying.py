"""A server told to obey whatever it reads: it looks for orders in all it is sent, however written, and does what they say."""

from __future__ import annotations

import base64
import binascii
import html
import json
import re
from collections.abc import Iterator
from typing import Any

from eval.injection.channels import ONE, TAGS, ZERO
from eval.injection.orders import ORDERS, Order, truthful
from eval.scripted_model import Script, evidence_of

_CODED = re.compile(r"[A-Za-z0-9+/]{24,}={0,2}")
_BITS = re.compile(f"[{ZERO}{ONE}]{{8,}}")


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
        if value.lstrip().startswith("{"):
            try:
                yield from _strings(json.JSONDecoder().raw_decode(value.lstrip())[0])
            except ValueError:
                return
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield name
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


def _decoded(text: str) -> Iterator[str]:
    """The text as it stands, with its entities read, its tag characters and zero-width bits as letters, its base64 undone."""
    yield text
    yield html.unescape(text)
    yield "".join(chr(ord(char) - TAGS) for char in text if TAGS + 0x20 <= ord(char) <= TAGS + 0x7E)
    for match in _BITS.finditer(text):
        bits = "".join("1" if char == ONE else "0" for char in match.group())
        yield bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)).decode("utf-8", "replace")
    for match in _CODED.finditer(text):
        try:
            yield base64.b64decode(match.group(), validate=True).decode("utf-8", "replace")
        except binascii.Error:
            continue


def read_orders(sent: Any) -> list[Order]:
    """The orders in everything sent, white space aside."""
    texts = [" ".join(plain.split()) for text in _strings(sent) for plain in _decoded(text)]
    return [one for one in ORDERS if any(" ".join(said.split()) in text for said in one.texts for text in texts)]


def obeying(number: str, heard: list[str], told: Order | None = None) -> Script:
    """A script that obeys the first order it reads, and answers truthfully from clause ``number`` when there is none. ``told``
    is obeyed in any case, as by a server whose training was poisoned. Names of orders read go to ``heard``."""

    def script(body: dict[str, Any]) -> dict[str, Any]:
        evidence = evidence_of(body)
        found = read_orders(body["messages"])
        heard.extend(one.name for one in found)
        obeyed = told or (found[0] if found else None)
        return truthful(evidence, number) if obeyed is None else obeyed.reply(evidence, number)

    return script
