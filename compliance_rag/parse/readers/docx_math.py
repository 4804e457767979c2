"""Formulas of Word: what stands above, below or around a term, written on one line.

``m:sSup`` of 10 and 6 read run together is 106, a fraction of 1 and 2 is 12: a formula that loses its shape is another number.
"""

from __future__ import annotations

from lxml import etree

from compliance_rag.parse.readers.raised import raised

MATH = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
# Names of what a formula is made of, and the signs that stand before each of their parts on one line.
_PARTS = {
    "sSup": {"sup": "^"}, "sSubSup": {"sub": "_", "sup": "^"}, "sSub": {"sub": "_"}, "sPre": {"sub": "_", "sup": "^"},
    "f": {"den": "/"}, "nary": {"sub": "_", "sup": "^"},
}  # fmt: skip
FORMULAS = frozenset(MATH + name for name in (*_PARTS, "d", "rad"))


def sign_before(part: etree._Element) -> str:
    """The sign that a part of a formula has before it on one line; none where its figures can be raised, or stand below."""
    parent = part.getparent()
    name = etree.QName(part).localname
    sign = _PARTS.get(etree.QName(parent).localname, {}).get(name, "") if parent is not None else ""
    words = words_of(part)
    if not words or (name == "sup" and raised(words) != words) or (name == "sub" and len(words) <= 1):
        return ""
    return sign


def brackets(part: etree._Element) -> tuple[str, str]:
    """The brackets around a part: those a formula draws, and those that keep a part of several terms together."""
    parent = part.getparent()
    outer = etree.QName(parent).localname if parent is not None else ""
    name = etree.QName(part).localname
    if outer == "rad" and name == "e":
        return "√(", ")"
    if outer == "d" and name == "e" and parent is not None:
        return _drawn(parent, "begChr", "("), _drawn(parent, "endChr", ")")
    words = words_of(part)
    several = len(words) > 1 and not words.isalnum()
    return ("(", ")") if several and (outer == "f" or sign_before(part)) else ("", "")


def is_raised(part: etree._Element) -> bool:
    """True when the figures of a part are written raised."""
    words = words_of(part)
    return etree.QName(part).localname == "sup" and raised(words) != words


def words_of(part: etree._Element) -> str:
    """The letters and figures of a part."""
    return "".join(text.text or "" for text in part.iter(f"{MATH}t")).strip()


def _drawn(formula: etree._Element, name: str, usual: str) -> str:
    sign = formula.find(f"{MATH}dPr/{MATH}{name}")
    return usual if sign is None else sign.get(f"{MATH}val") or ""
