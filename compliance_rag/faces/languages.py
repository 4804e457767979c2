"""Language codes that a filter takes: one that is none, taken in silence, would find nothing and pass for "the documents do not
say"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from compliance_rag.store.inforce import same_language
from schemas.errors import InputRejected


def _codes(text: str) -> frozenset[str]:
    return frozenset(text.split())


# ISO 639-1. Of the three-letter codes (ISO 639-3, some eight thousand) the form decides.
_TWO_LETTERS = _codes("""
    aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es
    et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj
    kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr nv
    ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg sh si sk sl sm sn so sq sr ss st su sv sw ta te tg th
    ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu
""")
_TAG = re.compile(r"([A-Za-z]{2,3})(-[A-Za-z0-9]{1,8})*\Z", re.ASCII)


def check_language(code: str | None, held: Iterable[str]) -> None:
    """``code`` is a language tag (BCP 47), or one in which a document is ``held``; None asks for any. Raises InputRejected
    ``unknown_language``."""
    if code is None or any(same_language(code, one) for one in held if code):
        return
    found = _TAG.match(code)
    if found and (len(found[1]) == 3 or found[1].lower() in _TWO_LETTERS):
        return
    raise InputRejected("unknown_language", f"language: {code!r} is no language code; write one such as en or zh.", "language")
