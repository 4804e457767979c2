"""Search terms: one function for clauses and questions, so that both sides always agree."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

# Longest run of Chinese given to the word cutter at once; its cost grows faster than its input on unbroken text.
RUN_LIMIT = 2_000
# Words of up to four letters keep their final s: "this", "bus", "gas" and "uses" would collide with other words.
PLURAL_MINIMUM = 5

_HAN = r"\u3007\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_PIECE = re.compile(
    rf"(?P<han>[{_HAN}]+)"
    r"|(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:[.-]\d+)*(?:[a-z]{1,2}(?![^\W\d_]))?)"
    rf"|(?P<word>(?:(?![{_HAN}])[^\W\d_])+(?:['’](?:(?![{_HAN}])[^\W\d_])+)*\d*)"
)
_POSSESSIVE = re.compile(r"['’]s?$")


def fold(text: str) -> str:
    """NFKC, lower case, invisible format characters (soft hyphens, direction marks) dropped."""
    folded = unicodedata.normalize("NFKC", text).lower()
    return "".join(char for char in folded if unicodedata.category(char) != "Cf")


def terms(text: str) -> list[str]:
    """The search terms of ``text`` in reading order, repeats kept.

    English: lower-case words with the plural ending folded (recall@10 on ObliQA dev 0.749 plain, 0.753 folded; 0.735 to
    0.752 with headings added); no other stemming, stop words stay. Numbers and number labels stay whole (``4.2.1``,
    ``28a``, ``1,000`` as ``1000``). Chinese: ``rjieba`` words over two characters, then characters and bigrams of the run.
    """
    found: list[str] = []
    for match in _PIECE.finditer(fold(text)):
        piece = match.group()
        if match.lastgroup == "han":
            found.extend(_han_terms(piece))
        elif match.lastgroup == "number":
            found.append(piece.replace(",", ""))
        else:
            found.append(_singular(_POSSESSIVE.sub("", piece).replace("’", "'")))
    return found


def _han_terms(run: str) -> list[str]:
    import rjieba

    found: list[str] = []
    for start in range(0, len(run), RUN_LIMIT):
        found.extend(word for word in rjieba.cut(run[start : start + RUN_LIMIT]) if len(word) > 2)
    found.extend(run)
    found.extend(run[at : at + 2] for at in range(len(run) - 1))
    return found


@lru_cache(maxsize=65_536)
def _singular(word: str) -> str:
    """The word without its plural ending, by spelling alone: the same rule on both sides is all that matters."""
    if len(word) < PLURAL_MINIMUM or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "ches", "shes", "xes")):
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]
