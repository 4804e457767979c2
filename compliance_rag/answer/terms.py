"""Content terms of a sentence for comparing a question, a quote and a statement: English stems, Chinese words and bigrams."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

HAN = "一-鿿㐀-䶿〇"
_HAN_RUN = re.compile(f"[{HAN}]+")
_WORD = re.compile(r"[a-z0-9]+(?:[.'’/&-][a-z0-9]+)*")
# Below this share of Han characters a text is compared as English; a contract in English may hold one Chinese name.
HAN_SHARE = 0.2

_STOP_WORDS_EN = (
    "a an and any are as at be been being both but by can could did do does for from had has have how i if in into is it its"
    " may me might much many must no nor not of on or our shall she he should so such than that the their them then there"
    " these they this those to under upon us was we were what when where which who whom whose why will with within would"
    " you your long often soon about after before please tell say says said does according apply applies applied old fast"
    " quickly one ones"
)
_STOP_WORDS_ZH = (
    "的 了 和 与 或 或者 以及 及 是 在 对 于 为 被 把 将 由 从 按 按照 依照 根据 其 该 此 这 那 之 等 中 内 后 前 时"
    " 上 下 有 没有 应当 应 可以 可 不 不得 必须 多少 多久 多长 时间 什么 哪 哪些 哪个 哪条 如何 怎么 怎样 是否 吗 呢"
    " 几 谁 何 何时 请问 规定 要求 如果 的话 至少 最多 进行 需要 能否 能 会 要 本 各 所 并"
)
_STOP_EN, _STOP_ZH = frozenset(_STOP_WORDS_EN.split()), frozenset(_STOP_WORDS_ZH.split())
_QUESTION_HAN = re.compile(
    "多少|多久|多长时间|多长|什么|哪些|哪个|哪一条|哪条|如何|怎么|怎样|是否|吗|呢"
    "|请问|何时|由谁|应当|可以|规定|要求|在|的|了|和|与|或者|或|对|将|按|为"
)


@lru_cache(maxsize=65_536)
def is_han(text: str) -> bool:
    """True when Chinese carries the text: at least :data:`HAN_SHARE` of its letters are Han characters."""
    letters = [char for char in text if char.isalnum()]
    return bool(letters) and len("".join(_HAN_RUN.findall(text))) / len(letters) >= HAN_SHARE


# Endings of nouns and verbs of one root: notify and notification, terminate and termination, require and requirement.
_ENDINGS = (
    ("ifications", 3), ("ification", 3),
    ("ations", 4), ("ation", 4), ("ating", 4), ("ated", 4), ("ates", 4), ("ate", 4), ("ments", 4), ("ment", 4),
    ("erships", 3), ("ership", 3), ("ships", 4), ("ship", 4), ("ings", 4), ("ing", 4), ("ions", 4), ("ion", 4),
    ("ies", 3), ("ied", 3),
)  # fmt: skip


def stem(word: str) -> str:
    """A light stem: plural, past, -ing and noun endings dropped, so that "agree" and "agreement", "own" and "ownership",
    "terminate" and "termination" are one."""
    word = word.strip("'’").removesuffix("'s").removesuffix("’s")
    for ending, least in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= least:
            root = word[: -len(ending)]
            if ending.startswith(("ie", "ific")):
                return root + ("ify" if ending.startswith("ific") else "y")
            return root[:-1] if len(root) > 4 and root.endswith("e") else root
    for ending, least in (("ers", 4), ("er", 4), ("ed", 4), ("es", 4), ("s", 3), ("ly", 4), ("e", 4)):
        if word.endswith(ending) and not word.endswith(("ss", "ply")) and len(word) - len(ending) >= least:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 4 and word.endswith("e") else word


@lru_cache(maxsize=65_536)
def _han_words(run: str) -> tuple[str, ...]:
    import rjieba

    return tuple(rjieba.cut(run))


def _han_terms(run: str) -> Iterable[str]:
    for word in _han_words(run):
        if len(word) > 1 and word not in _STOP_ZH:
            yield word
    for piece in _QUESTION_HAN.split(run):
        for at in range(len(piece) - 1):
            yield piece[at : at + 2]


@lru_cache(maxsize=65_536)
def terms(text: str) -> frozenset[str]:
    """The content terms of ``text``: stems of English words that are not stop words, Chinese words and character bigrams."""
    folded = unicodedata.normalize("NFKC", text).lower()
    found: set[str] = set()
    for match in _WORD.finditer(folded):
        # "e-mail" and "email", "sub-processor" and "subprocessor" are one word.
        for part in {match.group(), match.group().replace("-", ""), *re.split(r"[/&-]", match.group())}:
            if part not in _STOP_EN and (len(part) > 1 or part.isdigit()):
                found.add(stem(part))
    for run in _HAN_RUN.findall(folded):
        found.update(_han_terms(run))
    return frozenset(found)


def word_list(text: str) -> list[str]:
    """English words in order, lower-case, punctuation that ends a phrase kept as ``,``; for scopes of negation."""
    folded = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    return re.findall(r"[a-z]+(?:'[a-z]+)?|\d[\d,.]*|[,;:.()]", folded)
